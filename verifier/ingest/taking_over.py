"""Taking over the table of another retrieval store: read, checked whole, then ingested with its vectors.

Nothing is written before all rows were read and found fit.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError, WrongEmbeddingSpace
from verifier.ingest.foreign_rows import NO_SOURCE, Unusable, list_keys, read_row
from verifier.ingest.requests import Outcome

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from verifier.core.spaces import EmbeddingSpace
    from verifier.ingest.foreign_rows import Grouping, TakenRow
    from verifier.ingest.requests import IngestOutcome
    from verifier.ingest.taken_rows import Repetitions, TakenRows
    from verifier.ingest.taken_vectors import Comparison
    from verifier.store.foreign_places import ForeignForm, ForeignRow

_AT_ONCE: Final = 1_000
_NAMED_IDS: Final = 3
_NAMED_KEYS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a table. `rows` were read, `taken` of them are chunks of `outcomes`.

    `left_out` counts unusable rows by reason. `comparison` is None where the vectors were trusted.
    `embedded` inputs needed the model, because a version that stood already lacked their vectors.
    """

    outcomes: tuple[IngestOutcome, ...]
    rows: int
    taken: int
    left_out: Mapping[str, int]
    repetitions: Repetitions
    comparison: Comparison | None
    embedded: int
    failed: int


@dataclass(slots=True, kw_only=True)
class Collecting:
    """Rows on their way from a table into a file; unusable ones by reason, with the first ids."""

    rows: TakenRows
    form: ForeignForm
    grouping: Grouping
    on_read: Callable[[int], None] | None = None
    read: int = 0
    unusable: Counter[str] = field(default_factory=Counter)
    _ids: dict[str, list[str]] = field(default_factory=dict)
    _keys: set[str] = field(default_factory=set)

    async def collect(self, stream: AsyncIterator[ForeignRow]) -> None:
        """Keep every usable row of the stream; memory is bounded by some of its rows."""
        waiting: list[ForeignRow] = []
        async for row in stream:
            waiting.append(row)
            if len(waiting) == _AT_ONCE:
                await asyncio.to_thread(self._keep, waiting)
                waiting = []
        await asyncio.to_thread(self._keep, waiting)

    def check(self, space: EmbeddingSpace, *, skip_unusable: bool) -> None:
        """Raise InputError where rows are unusable, unless they are skipped or all of them are.

        Raises WrongEmbeddingSpace where no vector has the dimension of the space.
        """
        dimensions = self.rows.count_dimensions()
        if dimensions and space.dimension not in dimensions:
            told = " and ".join(str(dimension) for dimension in dimensions)
            raise WrongEmbeddingSpace(
                f"the vectors have {told} dimensions, those of {space} have {space.dimension};"
                " name the model that made them with --model"
            )
        for dimension, count in dimensions.items():
            if dimension != space.dimension:
                self.unusable[f"with a vector of {dimension} dimensions"] += count
        if not self.read:
            raise InputError("the table has no rows; there is nothing to import")
        if self.unusable and not (skip_unusable and space.dimension in dimensions):
            raise InputError(self._describe_unusable())

    def _keep(self, rows: Sequence[ForeignRow]) -> None:
        usable: list[TakenRow] = []
        for row in rows:
            try:
                usable.append(read_row(row, self.form, self.grouping))
            except Unusable as error:
                self._note(str(error), row)
        self.rows.add(usable)
        self.read += len(rows)
        if self.on_read is not None:
            self.on_read(self.read)

    def _note(self, reason: str, row: ForeignRow) -> None:
        self.unusable[reason] += 1
        ids = self._ids.setdefault(reason, [])
        if len(ids) < _NAMED_IDS:
            ids.append(str(row.row_id))
        if reason == NO_SOURCE and len(self._keys) < _NAMED_KEYS:
            self._keys.update(list_keys(row))

    def _describe_unusable(self) -> str:
        parts = [
            f"{count:,} {reason}"
            + (f" (ids {', '.join(ids)})" if (ids := self._ids.get(reason)) else "")
            for reason, count in self.unusable.most_common()
        ]
        keys = ", ".join(sorted(self._keys)[:_NAMED_KEYS]) or "none"
        hint = (
            f"name the member of their metadata that does with --source-column (there are: {keys}), or let"
            " each row be a source with --each-row; "
            if NO_SOURCE in self.unusable
            else ""
        )
        return (
            f"of {self.read:,} rows some can't be imported: {'; '.join(parts)}. {hint}mend them,"
            " or leave them out with --skip-unusable"
        )


def summarise(
    collecting: Collecting,
    outcomes: Sequence[IngestOutcome],
    repetitions: Repetitions,
    *,
    comparison: Comparison | None,
    embedded: int,
) -> ImportReport:
    """Return the report of an import; what has the vector of a row counts as reused, not as embedded."""
    told = tuple(replace(one, embedded=0, reused=one.embedded + one.reused) for one in outcomes)
    left_out = dict(collecting.unusable.most_common())
    needless = repetitions.same_id + repetitions.repeated
    return ImportReport(
        outcomes=told,
        rows=collecting.read,
        taken=collecting.read - sum(left_out.values()) - needless,
        left_out=left_out,
        repetitions=repetitions,
        comparison=comparison,
        embedded=embedded,
        failed=sum(one.outcome is Outcome.FAILED for one in outcomes),
    )
