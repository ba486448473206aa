"""A catalog on a terminal: what does not fit its tables, and what is compared of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from verifier.interfaces.cli.output import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from verifier.catalog_study import CheckedType, ExplainedRow


def render_checked(checked: Sequence[CheckedType]) -> RenderableType:
    """Return a line for each type, and below it what does not fit."""
    return Text("\n").join(list(_checked_lines(checked)))


def _checked_lines(checked: Sequence[CheckedType]) -> Iterator[Text]:
    width = max(len(one.name) for one in checked)
    for one in checked:
        sign, style = ("✗", "red") if one.problems else ("✓", "green")
        place = f"{one.table} in {one.database}"
        yield Text.assemble((f"{sign} {plain(one.name):<{width}}  ", style), plain(place))
        for problem in one.problems:
            yield Text(f"    {plain(problem)}")


def render_rows(rows: Sequence[ExplainedRow]) -> RenderableType:
    """Return each row with its columns: what stands there, what it is read as, what prose calls it."""
    return Text("\n\n").join([Text("\n").join(list(_row_lines(row))) for row in rows])


def _row_lines(row: ExplainedRow) -> Iterator[Text]:
    title = f"{row.entity} {row.key} of {row.table}: {row.state}"
    yield Text(plain(title), style="bold")
    if row.names:
        yield Text(plain(f"  named {', '.join(row.names)}"))
    for name, value in row.describing.items():
        yield Text(plain(f"  told apart by {name}: {value}"))
    width = max((len(one.attribute) for one in row.columns), default=0)
    for one in row.columns:
        told = "nothing to compare" if one.value is None else f"compared as {one.value}"
        words = f"; in prose: {', '.join(one.labels)}" if one.labels else ""
        cell = "null" if one.cell is None else repr(one.cell)
        line = f"  {one.attribute:<{width}}  {one.kind}, {one.column} = {cell}: {told}{words}"
        yield Text(plain(line))
    for name, number in row.parts.items():
        yield Text(plain(f"  {name}: {number} rows belong to it"))
