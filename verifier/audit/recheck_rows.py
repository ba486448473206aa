"""What became of the canonical rows on which claims rest that no longer stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.drift import Drift
from verifier.core.evidence import RowLocator
from verifier.core.rechecks import Cause, Change
from verifier.store.resting_rows import CitedCell, RowAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.audit.drift_reading import DriftReader
    from verifier.core.turns import Turn
    from verifier.core.written_claims import WrittenClaim
    from verifier.store.answers import RawReport
    from verifier.verify.verifier import Backing

_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RowNews:
    """What of a claim's rows is another: `changes` of what it rests on, `beside` of their other columns."""

    changes: tuple[Change, ...] = ()
    beside: tuple[Change, ...] = ()


async def find_row_news(
    logged: RawReport,
    turn: Turn,
    claims: Sequence[WrittenClaim],
    drift: DriftReader,
    backing: Backing,
) -> Mapping[str, RowNews]:
    """Return by claim what became of the rows that it rests on, read on behalf of the turn."""
    cells = tuple(cell for claim in claims for cell in _list_cells(claim))
    if not cells:
        return {}
    answer = RowAnswer(
        report_id=logged.report_id,
        created_at=logged.created_at,
        catalog_hash=backing.catalog.digest,
        turn=turn,
        cells=cells,
    )
    await drift.read((answer,))
    changes: dict[str, list[Change]] = {claim.claim_id: [] for claim in claims}
    beside: dict[str, list[Change]] = {claim.claim_id: [] for claim in claims}
    for cell, found in drift.judge(answer):
        if found is Drift.GONE:
            changes[cell.claim_id].append(_change(cell, Cause.ROW_GONE))
        elif found is Drift.CHANGED:
            now = drift.tell(cell, turn)
            changes[cell.claim_id].append(_change(cell, Cause.ROW_CHANGED, now))
        elif found is None and not drift.is_same_row(cell, turn):
            place = f"{cell.table}:{cell.key}"
            beside[cell.claim_id].append(Change(cause=Cause.ROW_CHANGED, place=place))
    return {one: RowNews(changes=tuple(changes[one]), beside=tuple(beside[one])) for one in changes}


def _list_cells(claim: WrittenClaim) -> Iterator[CitedCell]:
    for one in claim.verdict.evidence:
        place = one.locator
        if isinstance(place, RowLocator):
            yield CitedCell(
                claim_id=claim.claim_id,
                database=place.database,
                table=place.table,
                key=place.key,
                column=place.column,
                fingerprint=place.fingerprint,
                text=one.text,
            )


def _change(cell: CitedCell, cause: Cause, now: str | None = None) -> Change:
    place = f"{cell.table}:{cell.key}"
    old, new = (None if text is None else cut_text(text) for text in (cell.text, now))
    return Change(cause=cause, place=place, column=cell.column, old=old, new=new)


def cut_text(text: str) -> str:
    """Return a text for a change, at most 2,000 characters of it."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
