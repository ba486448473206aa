"""The text of an answer as it arrives: what has come when, what of it is judged, and what has gone out."""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from verifier.core.streaming_cuts import find_certain_end
from verifier.core.text import clean_text

MOST_HELD: Final = 20_000
"""How many characters are held back for the end of a sentence, a table or a card."""

_RESCAN: Final = 16
_SPACE: Final = re.compile(r"\s")  # no sentence ends, and no block, before the next word has begun


class StreamBuffer:
    """Gathers the pieces of one answer: up to `judged` it is judged, up to `shown` it has gone out.

    `tail` is what is not judged. A piece costs time by what is held back, not by what has come.
    """

    def __init__(self) -> None:
        self.judged = 0
        self.shown = 0
        self.length = 0
        self._past: list[str] = []
        self._tail = ""
        self._pieces: list[str] = []
        self._line = ""
        self._arrivals: deque[tuple[int, float]] = deque()
        self._next_scan = 0
        self._may_end = False
        self._after_space = False

    @property
    def tail(self) -> str:
        """What has come and is not judged."""
        if self._pieces:
            self._tail = "".join((self._tail, *self._pieces))
            self._pieces.clear()
        return self._tail

    @property
    def held(self) -> str:
        """What has come and not gone out."""
        return self.tail[self.shown - self.judged :]

    def read_all(self) -> str:
        """Return all that has come."""
        return "".join((*self._past, self.tail))

    def add(self, piece: str, moment: float) -> None:
        """Add a piece that came at `moment`."""
        if piece:
            self._pieces.append(clean_text(piece))
            self._may_end = self._may_end or self._after_space or _SPACE.search(piece) is not None
            self._after_space = piece[-1].isspace()
            self.length += len(piece)
            self._arrivals.append((self.length, moment))

    def held_since(self) -> float | None:
        """Return when the first character came that is held back; None where none is."""
        while self._arrivals and self._arrivals[0][0] <= self.shown:
            self._arrivals.popleft()
        return self._arrivals[0][1] if self._arrivals else None

    def find_certain(self, *, waits: bool) -> int:
        """Return how much of the tail can be judged; while it `waits`, it is only looked at now and then."""
        if waits and not (self._may_end and self.length >= self._next_scan):
            return 0
        self._may_end = False
        line = len(self._line)
        certain = find_certain_end(self._line + self.tail, line, waits=waits) - line
        self._next_scan = self.length + max(1, (len(self._tail) - certain) // _RESCAN)
        return certain

    def take(self, length: int, line: str = "") -> None:
        """Note that so much of the tail is judged and has gone out; `line` tells the block it ended in."""
        taken, self._tail = self.tail[:length], self._tail[length:]
        self._past.append(taken)
        self.judged += length
        self.shown = max(self.shown, self.judged)
        self._next_scan = 0
        self._line = line

    def show(self, end: int) -> None:
        """Note that what stands before `end` has gone out."""
        self.shown = end

    def show_all(self) -> None:
        """Note that all has gone out, judged or not; what has grown too long is not judged any more."""
        self.shown = self.length
        if self.shown - self.judged > MOST_HELD:
            self.take(len(self.tail))
