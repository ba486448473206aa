"""The chart and the page of a check, written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.interfaces.check_page import (
    render_answer,
    render_claims,
    render_counts,
    render_page,
)
from verifier.interfaces.claim_chart import draw_queues
from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.interfaces.cli.checking import CheckOutcome


def write_pictures(
    outcome: CheckOutcome, *, name: str, chart: Path | None, html: Path | None
) -> None:
    """Write what was asked for. Raises InputError, and then nothing is written."""
    for path in (chart, html):
        if path is not None and _is_read(path, outcome.read_from):
            raise InputError(f"{path}: was read for this check; write to another place")
    if chart is not None and chart == html:
        raise InputError(f"{chart}: the chart and the page need two places")
    contents: dict[Path, bytes] = {}
    title = f"Claims of {Path(name).name}"
    if chart is not None:
        contents[chart] = draw_queues(outcome.counts, title=title)
    if html is not None:
        contents[html] = _render(outcome, title).encode()
    write_whole(contents)


def _is_read(path: Path, read_from: Sequence[Path]) -> bool:
    return path.is_file() and any(one.is_file() and one.samefile(path) for one in read_from)


def _render(outcome: CheckOutcome, title: str) -> str:
    number = len(outcome.claims) + sum(len(one.sentences) for one in outcome.answers)
    answers = [
        render_answer(
            answer.row.answer_id,
            answer.row.answer,
            answer.sentences,
            answer.row.sources,
            anchor=f"answer{at}",
        )
        for at, answer in enumerate(outcome.answers, 1)
    ]
    parts = [
        render_counts(outcome.counts),
        render_claims(outcome.claims, outcome.documents),
        *answers,
    ]
    return render_page(title, subtitle=f"{count(number, 'claim')} checked", parts=parts)


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write every file, or none: each beside its place first, then all are put there.

    A link stays one, and a device or a pipe is written to, never replaced by a file.
    """
    made: list[tuple[Path, Path]] = []
    at = Path()
    try:
        for at, content in contents.items():
            if at.exists() and not at.is_file():
                at.write_bytes(content)
                continue
            place = at.resolve()
            made.append((place.with_name(f".{place.name}.part"), place))
            made[-1][0].write_bytes(content)
        for part, place in made:
            part.replace(place)
    except OSError as error:
        raise InputError(f"{at}: can't be written: {error.strerror or error}") from None
    finally:
        for part, _ in made:
            part.unlink(missing_ok=True)
