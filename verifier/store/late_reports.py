"""Reports that are logged after a version was erased that their turn still held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, LiteralString

from verifier.core.evidence import SpanLocator
from verifier.store.redaction import ErasedWords, LoggedTexts, Redactor
from verifier.store.storable import is_storable
from verifier.store.tombstones import find_erased_places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.report import GroundingReport
    from verifier.store.pool import Connection
    from verifier.store.redaction import Place

SHARE_LOG: Final[LiteralString] = """
    SELECT pg_advisory_xact_lock_shared(hashtextextended('verifier.log/' || current_tenant(), 0))
"""


async def without_erased(
    conn: Connection,
    report: GroundingReport,
    turn_json: Mapping[str, Any],
    report_json: Mapping[str, Any],
) -> tuple[str, Mapping[str, Any], Mapping[str, Any]]:
    """Return answer, turn and report as they may be logged; an erasure that looks through the log waits.

    Known to be of an erased version is what the turn retrieved, or a finding cites, by source and seq.
    """
    quoted = _quoted(report)
    erased: frozenset[Place] = frozenset()
    if quoted:
        await conn.execute(SHARE_LOG)
        erased = await find_erased_places(conn, list(quoted))
    if not erased:
        return report.answer, turn_json, report_json
    texts = [text for place in erased for text in quoted[place]]
    redactor = Redactor(words=ErasedWords(texts), places=erased)
    left = redactor.redact(
        LoggedTexts(answer=report.answer, turn=dict(turn_json), report=dict(report_json))
    )
    return left.answer, left.turn, left.report


def _quoted(report: GroundingReport) -> dict[Place, list[str]]:
    """Return the texts that the report holds of stored versions, by source and seq."""
    quoted: dict[Place, list[str]] = {}
    for chunk in report.turn.retrieved:
        if chunk.seq is not None:
            quoted.setdefault((chunk.source, chunk.seq), []).append(chunk.text)
    for judged in report.judged:
        for finding in judged.verdict.findings:
            for each in finding.evidence:
                place = each.locator
                if isinstance(place, SpanLocator) and place.seq is not None:
                    quoted.setdefault((place.source, place.seq), []).append(each.text)
    return {place: texts for place, texts in quoted.items() if is_storable(place[0])}
