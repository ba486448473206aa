"""The two streams of the command: results on standard output, all else on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from rich.console import Console, RenderableType

    from verifier.interfaces.cli.invocation import Invocation

PIPE_WIDTH: Final = 120
_UNSAFE: Final = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
"""Control characters but tab and line feed, and those that turn the direction of text around."""


def plain(text: str) -> str:
    """Return `text` without characters that drive a terminal or hide what is written."""
    return text.translate(_UNSAFE)


def open_console(*, stderr: bool = False) -> Console:
    """Return a console that neither reads markup nor guesses at emoji or highlights."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def show(
    invocation: Invocation,
    result: object,
    render: Callable[[], RenderableType | Iterator[RenderableType] | None],
) -> None:
    """Write `result` as one line of JSON, or for people what `render` makes, a part after another."""
    if invocation.as_json:
        from verifier.interfaces.wire import to_wire

        write_json(sys.stdout, to_wire(result))
        return
    rendered = render()
    if rendered is not None:
        console = open_console()
        for part in rendered if isinstance(rendered, Iterator) else (rendered,):
            console.print(part)


def write_json(stream: TextIO, value: object) -> None:
    """Write `value` as one line of JSON that the stream's encoding does not alter."""
    from verifier.interfaces.wire import dump_line

    stream.write(dump_line(value, encoding=stream.encoding or "utf-8") + "\n")
    stream.flush()


def note(text: str) -> None:
    """Write a line for people to standard error."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()
