"""Files of claims with citations, and of the documents that they cite: CSV, JSON, or JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.cited_claims import CitedClaim, read_cited_claim, read_retrieved
from verifier.core.grounding_levels import read_level
from verifier.core.table_file import (
    FileRow,
    looks_like_json,
    number_rows,
    read_csv_rows,
    read_json_rows,
    refuse_empty,
)
from verifier.core.turns import Level
from verifier.errors import InputError, UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CLAIM_COLUMNS: Final = ("claim_id", "claim_text", "cited_doc_id")
DOCUMENT_COLUMNS: Final = ("doc_id", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A claim of a file; `retrieved` of None takes every document as retrieved."""

    claim: CitedClaim
    retrieved: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """A whole answer with its sources by label."""

    answer_id: str
    answer: str
    sources: Mapping[str, str]
    question: str | None = None
    level: Level = Level.SYNTHESIS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFile:
    """What a file holds: claims, or answers with their sources; `documents` of None are in another file."""

    claims: tuple[ClaimRow, ...] = ()
    answers: tuple[AnswerRow, ...] = ()
    documents: Mapping[str, str] | None = None


def read_claim_file(text: str) -> ClaimFile:
    """Return the claims or answers of a file. Raises InputError that names the line and what is wrong.

    CSV has the columns `claim_id`, `claim_text`, `cited_doc_id` (ids parted by a bar) and, where it is known
    what was retrieved, `retrieved_doc_ids`: an empty cell says that nothing was. JSON lines have the same
    names, or `id`, `claim`, `cited`, `retrieved`; one JSON object may hold `claims` and `documents`. A row
    with `answer` and `sources` is a whole answer. A claim may cite nothing; ids are neither empty nor there
    twice.
    """
    refuse_empty(text)
    documents: Mapping[str, str] | None = None
    if looks_like_json(text):
        loaded = read_json_rows(text)
        if isinstance(loaded, Mapping) and "claims" in loaded:
            documents = _read_table(loaded.get("documents"))
            loaded = loaded["claims"]
        rows = list(number_rows(loaded))
    else:
        rows = list(read_csv_rows(text, CLAIM_COLUMNS))
    if not rows:
        raise InputError("no claim in it")
    answers = tuple(_read_answer(row) for row in rows if "answer" in row.fields)
    claims = tuple(_read_claim(row) for row in rows if "answer" not in row.fields)
    ids = [*(one.claim.claim_id for one in claims), *(one.answer_id for one in answers)]
    _refuse_twice(ids, "claim_id")
    return ClaimFile(claims=claims, answers=answers, documents=documents)


def read_document_file(text: str) -> Mapping[str, str]:
    """Return the documents of a file by id: rows with `doc_id` and `text`, or one JSON object id to text.

    Raises InputError for an id that is empty or there twice, UnreadableDocument for an empty text.
    """
    refuse_empty(text)
    if not looks_like_json(text):
        rows: Iterable[FileRow] = read_csv_rows(text, DOCUMENT_COLUMNS)
    else:
        loaded = read_json_rows(text)
        if isinstance(loaded, Mapping) and not {"doc_id", "id"} & set(loaded):
            return _check_documents(
                [(str(key), value, "documents") for key, value in loaded.items()]
            )
        rows = number_rows(loaded)
    return _check_documents(
        [(row.need("doc_id", "id"), row.fields.get("text"), row.place) for row in rows]
    )


def _read_table(documents: object) -> Mapping[str, str] | None:
    if documents is None:
        return None
    if not isinstance(documents, Mapping):
        raise InputError("documents is an object, id to text")
    return _check_documents([(str(key), value, "documents") for key, value in documents.items()])


def _check_documents(found: Sequence[tuple[str, object, str]]) -> Mapping[str, str]:
    _refuse_twice([key.strip() for key, _, _ in found], "doc_id")
    documents: dict[str, str] = {}
    for key, text, place in found:
        if not key.strip():
            raise InputError(f"{place}: a document has an empty id")
        if not isinstance(text, str) or not text.strip():
            raise UnreadableDocument(f"{place}: the document {key.strip()!r} has no text")
        documents[key.strip()] = text
    if not documents:
        raise InputError("no document in it")
    return documents


def _read_claim(row: FileRow) -> ClaimRow:
    row.need("claim_id", "id")
    row.need("claim_text", "claim")
    if not {"cited_doc_id", "cited"} & set(row.fields):
        raise InputError(f"{row.place}: no cited_doc_id; leave it empty where nothing is cited")
    try:
        return ClaimRow(claim=read_cited_claim(row.fields), retrieved=read_retrieved(row.fields))
    except InputError as problem:
        raise InputError(f"{row.place}: {problem}") from None


def _read_answer(row: FileRow) -> AnswerRow:
    answer, question = row.fields["answer"], row.fields.get("question")
    if not isinstance(answer, str) or not (question is None or isinstance(question, str)):
        raise InputError(f"{row.place}: answer and question are texts")
    sources = _read_sources(row)
    return AnswerRow(
        answer_id=row.need("id", "claim_id") if {"id", "claim_id"} & set(row.fields) else row.place,
        answer=answer,
        sources=sources,
        question=question,
        level=read_level(str(row.fields.get("level") or Level.SYNTHESIS.value)),
    )


def _read_sources(row: FileRow) -> Mapping[str, str]:
    try:
        sources = _read_table(row.fields.get("sources"))
    except InputError as problem:
        raise type(problem)(f"{row.place}: {problem}") from None
    if sources is None:
        raise InputError(f"{row.place}: an answer needs its sources, an object label to text")
    return sources


def _refuse_twice(names: Iterable[str], what: str) -> None:
    twice = list(dict.fromkeys(_find_twice(names)))
    if twice:
        raise InputError(
            f"{what} {', '.join(map(repr, twice[:5]))} is there twice; ids must differ"
        )


def _find_twice(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)
