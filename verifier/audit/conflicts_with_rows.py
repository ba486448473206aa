"""Sources against canonical tables: what a current text says of a thing, and its row says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.evidence import RowLocator
from verifier.core.turns import Turn
from verifier.core.verdicts import Reason, VerdictCode
from verifier.store.conflict_rows import FoundInRow
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.conflict_finding_reading import SourceText
    from verifier.core.report import JudgedClaim
    from verifier.verify.verifier import Backing

_DIFFERING: Final = frozenset({VerdictCode.PRICE_MISMATCH, VerdictCode.ATTRIBUTE_MISMATCH})
_NOT_ASKED: Final = frozenset({Reason.DATABASE_UNAVAILABLE, Reason.TIMEOUT})


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFinding:
    """What differs from rows; `complete` is False where a database did not answer for some text."""

    found: tuple[FoundInRow, ...]
    complete: bool


async def find_conflicts_with_rows(texts: Sequence[SourceText], backing: Backing) -> RowFinding:
    """Return where texts say otherwise than canonical rows, bound as an answer of theirs would be.

    Of types with a scope nothing is read: a source speaks for nobody. Takes one SELECT a database and text.
    """
    if not backing.catalog.entity_types:
        return RowFinding(found=(), complete=True)
    found: list[FoundInRow] = []
    complete = True
    for text in texts:
        report = await verify_answer(text.text, Turn(), backing=backing)
        for judged in report.judged:
            complete = complete and judged.verdict.reason not in _NOT_ASKED
            found.extend(_differing(text, judged))
    return RowFinding(found=tuple(found), complete=complete)


def _differing(text: SourceText, judged: JudgedClaim) -> Iterator[FoundInRow]:
    verdict, claim = judged.verdict, judged.claim
    right = verdict.corrected_value
    row = next(
        (one.locator for one in verdict.evidence if isinstance(one.locator, RowLocator)), None
    )
    if verdict.code not in _DIFFERING or row is None or right is None or row.column is None:
        return
    said = [one.value.text for one in claim.assertions if one.value is not None]
    yield FoundInRow(
        source=text.source,
        seq=text.seq,
        span=claim.span.shift(text.start),
        text=claim.span.of(text.text),
        subject=f"{row.table} {row.key}",
        attribute=verdict.decided_by.attribute or row.column,
        value=said[0] if said else claim.text,
        place=f"{row.database}/{row.table}/{row.key}/{row.column}",
        row_value=right,
    )
