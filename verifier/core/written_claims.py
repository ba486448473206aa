"""Claims as a report's JSON states them, read back with their verdicts; values stay in the text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.core.claims import ClaimForm, ClaimId
from verifier.core.evidence import (
    Evidence,
    LedgerLocator,
    RowLocator,
    SpanLocator,
    TurnPart,
    TurnTextLocator,
)
from verifier.core.spans import Span
from verifier.core.turn_fields import FieldReader
from verifier.core.verdicts import Finding, Reason, Tier, Verdict, VerdictCode
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.evidence import Locator

_SAME: Final = ("code", "tier", "reason", "detail", "corrected_value", "attribute", "evidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenClaim:
    """A claim of a written report. `value_spans` are those of its assertions; `written` is its JSON."""

    claim_id: ClaimId
    form: ClaimForm
    span: Span
    sentence: Span
    text: str
    entity_type: str | None
    value_spans: tuple[Span, ...]
    citations: tuple[str, ...]
    verdict: Verdict
    written: Mapping[str, object]


def read_claim(reader: FieldReader) -> WrittenClaim:
    """Return the claim of one entry of `verdicts`. Raises InputError naming the field."""
    claim_id = ClaimId(_text(reader, "claim"))
    return WrittenClaim(
        claim_id=claim_id,
        form=reader.choice("form", ClaimForm, ClaimForm.PROSE),
        span=_span(reader, "span"),
        sentence=_span(reader, "sentence"),
        text=_text(reader, "text"),
        entity_type=reader.text("entity_type"),
        value_spans=tuple(_span(one, "span") for one in reader.tables("assertions")),
        citations=tuple(_text(one, "label") for one in reader.tables("citations")),
        verdict=_verdict(reader, claim_id),
        written=reader.fields,
    )


def _verdict(reader: FieldReader, claim_id: ClaimId) -> Verdict:
    found = [(one.fields, _finding(one, claim_id)) for one in reader.tables("findings")]
    for fields, finding in found:
        if all(fields.get(name) == reader.fields.get(name) for name in _SAME):
            return Verdict(
                claim=claim_id, decided_by=finding, findings=tuple(each for _, each in found)
            )
    raise InputError(f"{reader.where}: none of its findings is its verdict")


def _finding(reader: FieldReader, claim_id: ClaimId) -> Finding:
    try:
        return Finding(
            claim=claim_id,
            tier=None
            if reader.text("tier") is None
            else reader.choice("tier", Tier, Tier.ENTAILMENT),
            code=reader.choice("code", VerdictCode, VerdictCode.UNVERIFIABLE),
            detail=_text(reader, "detail"),
            evidence=tuple(_evidence(one) for one in reader.tables("evidence")),
            corrected_value=reader.text("corrected_value"),
            reason=None
            if reader.text("reason") is None
            else reader.choice("reason", Reason, Reason.UNBOUND),
            values=reader.texts("values"),
            attribute=reader.text("attribute"),
            settles=reader.flag("settles", default=True),
        )
    except ValueError as problem:
        raise InputError(f"{reader.where}: {problem}") from None


def _evidence(reader: FieldReader) -> Evidence:
    place = FieldReader(reader.fields.get("locator"), f"{reader.where}: locator")
    return Evidence(locator=_locator(place), text=_text(reader, "text"), note=reader.text("note"))


def _locator(reader: FieldReader) -> Locator:
    match reader.text("kind"):
        case "ledger":
            return LedgerLocator(
                call_id=_text(reader, "call_id"),
                tool=_text(reader, "tool"),
                pointer=_text(reader, "pointer"),
            )
        case "row":
            return RowLocator(
                database=_text(reader, "database"),
                table=_text(reader, "table"),
                key=_text(reader, "key"),
                column=reader.text("column"),
                fingerprint=_text(reader, "fingerprint"),
            )
        case "span":
            return SpanLocator(
                source=_text(reader, "source"),
                seq=reader.integer("seq"),
                ordinal=reader.integer("ordinal"),
                span=_span(reader, "span"),
                text_hash=_text(reader, "text_hash"),
            )
        case "turn_text":
            part = reader.choice("part", TurnPart, TurnPart.QUESTION)
            return TurnTextLocator(part=part, span=_span(reader, "span"))
        case kind:
            raise InputError(f"{reader.where}: kind is {kind!r}; no evidence has that kind")


def _text(reader: FieldReader, name: str) -> str:
    value = reader.text(name)
    if value is None:
        raise InputError(f"{reader.where}: {name} is missing")
    return value


def _span(reader: FieldReader, name: str) -> Span:
    match reader.fields.get(name):
        case [int() | Decimal() as start, int() | Decimal() as end] if 0 <= start <= end:
            return Span(int(start), int(end))
        case _:
            raise InputError(
                f"{reader.where}: {name} must be [start, end], with start not after end"
            )
