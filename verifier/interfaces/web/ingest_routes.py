"""Ingest of what a request brings along: a text, a file, or bytes; never of a path or an address."""

from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Annotated, Final

from fastapi import APIRouter, Depends, File, Form, Header, Query, Request, UploadFile

from verifier.core.keys import Caller, Scope
from verifier.errors import InputError, ModelError, UnreadableDocument, VersionConflict
from verifier.ingest.formats import MEDIA_TYPES, Format, choose_format, find_format
from verifier.ingest.requests import Actor, IngestSummary, IngestTerms
from verifier.interfaces.ingest_report import summarise
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.idempotent_route import IdempotentRoute, name_request
from verifier.interfaces.web.json_bodies import WireResponse
from verifier.interfaces.web.rights import demand, name_actor
from verifier.interfaces.web.source_schemas import BytesParameters, IngestBody, TextBody

router = APIRouter(
    prefix="/v1/sources",
    tags=["sources"],
    route_class=IdempotentRoute,
    dependencies=[Depends(name_request)],
)


async def _allow(
    request: Request, caller: Annotated[Caller, Depends(require(Scope.INGEST))]
) -> Caller:
    """Return the caller, where the server has the model that an ingest needs."""
    if not request.app.state.has_model:
        raise ModelError("the server was started with --no-model")
    return caller


Ingester = Annotated[Caller, Depends(_allow)]
_OPERATORS_ONLY: Final = ("verified_by", "authority", "allow_erased")
_BYTES: Final = MappingProxyType({"type": "string", "format": "binary", "minLength": 1})
_PENDING: Final = (
    " What a key without the scope `admin` ingests waits for approval. Answers 422, or 409 where another"
    " version is current than expected, if nothing could be ingested."
)


@router.post("/text", operation_id="ingest_text", description="Ingest a text." + _PENDING)
async def ingest_text(request: Request, body: TextBody, caller: Ingester) -> WireResponse:
    """Ingest a text, read as Markdown."""
    summary = await verifier_of(request, caller).ingest_text(
        body.source, body.text, title=body.title, url=body.url, **read_terms(caller, body)
    )
    return answer_ingest(summary)


@router.post(
    "/file",
    operation_id="ingest_file",
    description="Ingest an uploaded file. Its name or `format` tells what it is; `terms` is a JSON object."
    + _PENDING,
)
async def ingest_file(
    request: Request,
    *,
    file: Annotated[UploadFile, File()],
    caller: Ingester,
    source: Annotated[
        str | None,
        Form(min_length=1, max_length=2_000, description="Key; the file's name if not given."),
    ] = None,
    format: Annotated[Format | None, Form()] = None,  # noqa: A002 -- the name of the field
    key_column: Annotated[str | None, Form(max_length=200)] = None,
    terms: Annotated[str, Form(max_length=100_000)] = "{}",
) -> WireResponse:
    """Ingest an uploaded file."""
    name = PurePosixPath((file.filename or "").replace("\\", "/")).name
    key = source or name
    if not key:
        raise InputError("the file has no name; say which source it is with `source`")
    form = format or find_format(PurePosixPath(name))
    if form is None:
        raise UnreadableDocument(
            f"{name[:200]!r}: no format is known for that name; give `format`: {', '.join(Format)}"
        )
    summary = await verifier_of(request, caller).ingest_bytes(
        await file.read(),
        key=key,
        form=form,
        key_column=key_column,
        **read_terms(caller, read_form_terms(terms)),
    )
    return answer_ingest(summary)


@router.post(
    "/bytes",
    operation_id="ingest_bytes",
    description="Ingest the bytes of the body. `format` or Content-Type tells what they are."
    + _PENDING,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                media_type: {"schema": {} if form is Format.JSON else dict(_BYTES)}
                for form, media_type in ((None, "application/octet-stream"), *MEDIA_TYPES.items())
            },
        }
    },
)
async def ingest_bytes(
    request: Request,
    asked: Annotated[BytesParameters, Query()],
    caller: Ingester,
    content_type: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> WireResponse:
    """Ingest the bytes of the body."""
    told = (content_type or "").partition(";")[0].strip().lower() or None
    form = asked.format or choose_format(told, asked.source)
    conditions = IngestBody(
        valid_from=asked.valid_from,
        review_until=asked.review_until,
        expected_current_version=asked.expected_current_version,
    )
    summary = await verifier_of(request, caller).ingest_bytes(
        await request.body(),
        key=asked.source,
        form=form,
        key_column=asked.key_column,
        **read_terms(caller, conditions),
    )
    return answer_ingest(summary)


def read_form_terms(text: str) -> IngestBody:
    """Return the conditions that a form's `terms` state as JSON. Raises InputError."""
    from pydantic import ValidationError

    from verifier.core.json_reading import UnreadableJson, read_json

    try:
        return IngestBody.model_validate(read_json(text))
    except UnreadableJson as problem:
        raise InputError(f"terms is no JSON: {problem}") from None
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"terms: {place}: {first['msg'].removeprefix('Value error, ')}") from None


def read_terms(caller: Caller, conditions: IngestBody) -> IngestTerms:
    """Return the terms of an ingest: an operator's only for a key with the scope `admin`."""
    for name in _OPERATORS_ONLY:
        if getattr(conditions, name) not in {None, False}:
            demand(caller, Scope.ADMIN, f"`{name}`")
    return IngestTerms(
        actor=Actor.OPERATOR if caller.may(Scope.ADMIN) else Actor.AGENT,
        by=name_actor(caller, conditions.by),
        metadata=conditions.metadata,
        valid_from=conditions.valid_from,
        review_until=conditions.review_until,
        verified_by=conditions.verified_by,
        expected_current_version=conditions.expected_current_version,
        allow_erased=conditions.allow_erased,
        authority=conditions.authority,
    )


def answer_ingest(summary: IngestSummary) -> WireResponse:
    """Return the report of an ingest. Raises what went wrong where nothing of it could be ingested."""
    if summary.failed and len(summary.failed) == len(summary.outcomes):
        first = summary.failed[0]
        conflicts = first.error_type == VersionConflict.__name__
        raise (VersionConflict if conflicts else InputError)(first.error or "it failed")
    return WireResponse(summarise([summary], []))
