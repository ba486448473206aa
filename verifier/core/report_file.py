"""Report files: grounding reports as `verifier verify --json` prints them, read back.

One JSON object is one report; a file of several lines, or a list, holds several. The fields are those of the
schema `verifier/schemas/report.v1.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.report_json import SCHEMA, identify_content
from verifier.core.turn_fields import FieldReader
from verifier.core.turn_file import read_turn
from verifier.core.written_claims import read_claim
from verifier.errors import InputError, UnknownThing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.turns import Turn
    from verifier.core.written_claims import WrittenClaim

_DEEPEST: Final = 250
_NAMED: Final = 20
_MAKE: Final = "`verifier verify --json` prints one a line"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReport:
    """A report as it was written: its answer and turn again, its claims as they were judged.

    `is_intact` is False where the content is not the one that its id was made from. `has_read_rows` tells
    that canonical tables were asked for it.
    """

    report_id: str
    answer: str
    turn: Turn
    claims: tuple[WrittenClaim, ...]
    verifier_version: str
    catalog_hash: str | None
    is_intact: bool
    has_read_rows: bool = False

    def find_claim(self, claim_id: str) -> WrittenClaim:
        """Return the claim of that id. Raises UnknownThing that names the claims there are."""
        for claim in self.claims:
            if claim.claim_id == claim_id:
                return claim
        there = name_some(claim.claim_id for claim in self.claims)
        told = f"it has {there}" if there else "it has none"
        raise UnknownThing(f"the report has no claim {claim_id!r}; {told}")


def read_report(text: str, *, wanted: str | None = None) -> WrittenReport:
    """Return the report that a text holds; of several, the one of the turn or with the id `wanted`.

    Raises InputError where the text holds no report, one of another form, or several and none is
    named; UnknownThing where none is the one that is named.
    """
    records = [_checked(record, where) for record, where in _records(text)]
    if not records:
        raise InputError(f"there is no report in it; {_MAKE}")
    return _report(_pick(records, wanted))


def name_some(names: Iterable[str]) -> str:
    """Return names for a message, the first twenty of them."""
    told = list(names)
    more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return ", ".join(told[:_NAMED]) + more


def _records(text: str) -> Iterator[tuple[object, str]]:
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped:
        return
    try:
        whole = read_json(stripped, deepest=_DEEPEST)
    except UnreadableJson as problem:
        if "\n" not in stripped:
            raise InputError(f"it is no JSON: {problem}; {_MAKE}") from None
        yield from _lines(stripped)
        return
    if isinstance(whole, list):
        yield from ((record, f"report {at}") for at, record in enumerate(whole, 1))
    else:
        yield whole, "it"


def _lines(text: str) -> Iterator[tuple[object, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield read_json(line, deepest=_DEEPEST), f"line {number}"
            except UnreadableJson as problem:
                raise InputError(f"line {number} is no JSON: {problem}; {_MAKE}") from None


def _checked(record: object, where: str) -> Mapping[str, object]:
    schema = record.get("schema") if isinstance(record, Mapping) else None
    if not isinstance(record, Mapping) or schema is None:
        raise InputError(f"{where} is no grounding report; {_MAKE}")
    if schema != SCHEMA:
        raise InputError(
            f"{where} is a report of the form {schema!r}; this version reads {SCHEMA!r}:"
            " verify the turn again"
        )
    return record


def _pick(records: Sequence[Mapping[str, object]], wanted: str | None) -> Mapping[str, object]:
    names = name_some(str(one.get("id") or one.get("report_id")) for one in records)
    if wanted is None:
        if len(records) > 1:
            raise InputError(f"there are {len(records)} reports in it; name one by --turn: {names}")
        return records[0]
    found = [one for one in records if wanted in {one.get("id"), one.get("report_id")}]
    if not found:
        raise UnknownThing(f"there is no report of turn {wanted!r} in it; those are of {names}")
    if len({str(one.get("report_id")) for one in found}) > 1:
        told = name_some(str(one.get("report_id")) for one in found)
        raise InputError(f"{len(found)} reports are of turn {wanted!r}; name one by its id: {told}")
    return found[-1]


def _report(record: Mapping[str, object]) -> WrittenReport:
    plain = {name: _as_written(value) for name, value in record.items()}
    reader = FieldReader(plain, "the report")
    told = FieldReader(reader.fields.get("provenance"), "the report: provenance")
    report_id, answer = reader.text("report_id"), reader.text("answer")
    if report_id is None or answer is None:
        raise InputError("the report: report_id and answer are needed")
    return WrittenReport(
        report_id=report_id,
        answer=answer,
        turn=read_turn(record.get("turn"), where="the report: turn").turn,
        claims=tuple(read_claim(one) for one in reader.tables("verdicts")),
        verifier_version=told.text("verifier_version") or "",
        catalog_hash=told.text("catalog_hash"),
        is_intact=identify_content(plain) == report_id,
        has_read_rows=bool(record.get("database_round_trips")),
    )


def _as_written(value: object) -> object:
    """Return a JSON value with the numbers that were written: whole ones, and the nearest floats."""
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, list):
        return [_as_written(part) for part in value]
    if isinstance(value, dict):
        return {name: _as_written(part) for name, part in value.items()}
    return value
