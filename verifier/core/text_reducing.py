"""The builder of the normal form: characters go in, and what they complete is taken away again."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import deque
from typing import Final

from verifier.core.lexicons import load_word_lists
from verifier.core.text_entities import decode_entity
from verifier.core.text_folding import Joining, fold_character

Piece = tuple[str, int, int]
"""A folded character and the original span that it comes from."""

_ENTITY_LENGTH: Final = 34
_TAG_LENGTH: Final = 2_000
_LABEL_LENGTH: Final = 300
_MAX_MARKS: Final = 16
_LINE_MARKS: Final = frozenset({"#" * count for count in range(1, 7)} | set("-+*•>"))
_ESCAPABLE: Final = frozenset("\\`*_{}[]()#+-.!|<>~\"'$")
_TAG: Final = re.compile(
    r"/?(?P<name>[a-z][a-z0-9]*)(?:\s+[\w:@.-]+\s*=\s*(?:\"[^\">]*\"|'[^'>]*'|[^\s\"'>]+))*\s*/?"
)
_COMMENT: Final = re.compile(r"! - [^>]*-\s?")
_TARGET: Final = re.compile(
    r"\s*(?=\S*[/:@{]|\#|\S+\.[a-z]{2,5}(?:\s|$))\S*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*"
)


class NormalBuilder:
    """Grows the normal form of a text, with the original span of each of its characters."""

    def __init__(self) -> None:
        self.signs: list[str] = []
        self.starts = array("Q")
        self.ends = array("Q")
        self.composable = False
        self._gap = False
        self._raised_end = -1
        self._ampersands: deque[int] = deque(maxlen=_ENTITY_LENGTH)
        self._angles: deque[int] = deque(maxlen=_TAG_LENGTH)
        self._dead_ends: deque[int] = deque(maxlen=_TAG_LENGTH)
        self._brackets: deque[int] = deque(maxlen=_LABEL_LENGTH)
        self._label: tuple[int, int] | None = None
        self._links: deque[tuple[int, int]] = deque(maxlen=_LABEL_LENGTH)

    def add_plain(self, characters: str, start: int) -> None:
        """Add ASCII that begins with a letter or digit and in which nothing can be completed."""
        stop, settled = start + len(characters), start
        if self._gap or (self.signs and self.signs[-1] in "*_~"):
            self.push((characters[0].lower(), start, start + 1))
            settled += 1
        self.signs.extend(characters[settled - start :].lower())
        self.starts.extend(range(settled, stop))
        self.ends.extend(range(settled + 1, stop + 1))

    def add(self, character: str, start: int, end: int) -> None:
        """Add one original character."""
        folded, joining = fold_character(character)
        if folded == "":
            self._gap = True
            return
        if joining is Joining.RAISED:
            self._raise(start, end)
        elif joining is Joining.APART and self.signs and self.signs[-1].isdigit():
            self.push((" ", start, end))
        for sign in folded:
            self.push((sign, start, end))
        if joining is Joining.RAISED:
            self._raised_end = len(self.signs)

    def add_gap(self) -> None:
        """Note that something between two characters was left out."""
        self._gap = True

    def finish(self) -> None:
        """Settle what waits for a next character, and drop white space at the end."""
        self._settle_run(" ")
        while self.signs and self.signs[-1] == " ":
            self._cut(len(self.signs) - 1)

    def push(self, piece: Piece) -> None:
        """Add one folded character and take away what it completes."""
        waiting = [piece]
        while waiting:
            waiting.extend(reversed(self._push_one(waiting.pop())))

    def _push_one(self, piece: Piece) -> tuple[Piece, ...]:
        """Add one character; return those that must be pushed again."""
        sign = piece[0]
        if self.signs and self.signs[-1] in "*_~" and self.signs[-1] != sign:
            self._settle_run(sign)
        if self._gap and sign.isdigit() and self.signs and self.signs[-1].isdigit():
            self._append((" ", piece[1], piece[1]))
        self._gap = False
        if sign.isalnum():
            self._append(piece)
            self.composable = self.composable or "\u1160" <= sign <= "\u11ff"
            return ()
        if sign in _ESCAPABLE and self.signs and self.signs[-1] == "\\":
            self._cut(len(self.signs) - 1)
        return self._push_sign(piece)

    def _push_sign(self, piece: Piece) -> tuple[Piece, ...]:
        match piece[0]:
            case " ":
                self._space(piece)
            case "`":
                self._gap = True
            case "-" if self.signs and self.signs[-1] == "-":
                start = self.starts[-1]
                self._cut(len(self.signs) - 1)
                return tuple((sign, start, piece[2]) for sign in " - ")
            case "&" | "<" as sign:
                self._open(sign, piece)
            case "[" | "(" | "]":
                self._bracket(piece)
            case ";" | ">" | ")":
                return self._complete(piece)
            case sign:
                self._mark_or_other(sign, piece)
        return ()

    def _open(self, sign: str, piece: Piece) -> None:
        opened = self._ampersands if sign == "&" else self._angles
        opened.append(len(self.signs))
        self._append(piece)

    def _complete(self, piece: Piece) -> tuple[Piece, ...]:
        match piece[0]:
            case ";":
                again = self._entity(piece)
            case ">":
                again = self._tag(piece)
            case _:
                again = self._link()
        if again is None:
            self._append(piece)
            return ()
        return again

    def _mark_or_other(self, sign: str, piece: Piece) -> None:
        """Add a sign; of combining marks on one letter only the first sixteen."""
        if not unicodedata.category(sign).startswith("M"):
            self._append(piece)
            return
        self.composable = True
        tail = self.signs[-_MAX_MARKS:]
        if len(tail) < _MAX_MARKS or not all(
            unicodedata.category(mark).startswith("M") for mark in tail
        ):
            self._append(piece)

    def _space(self, piece: Piece) -> None:
        if len(self.signs) <= 6 and "".join(self.signs) in _LINE_MARKS:
            self._cut(0)
        if self.signs and self.signs[-1] != " ":
            self._append(piece)

    def _settle_run(self, sign: str) -> None:
        """Take a run of emphasis signs at the end away, unless it is a times sign or inside a name."""
        if not self.signs or self.signs[-1] not in "*_~":
            return
        kind = self.signs[-1]
        first = len(self.signs)
        while first and self.signs[first - 1] == kind:
            first -= 1
        before = self.signs[first - 1] if first else " "
        if kind == "~":
            kept = len(self.signs) - first == 1
        elif before == " " or sign == " ":
            kept = before == sign
        else:
            both = before.isalnum() and sign.isalnum()
            kept = both and (kind == "_" or before.isdigit() or sign.isdigit())
        if not kept:
            self._cut(first)
            self._gap = True

    def _raise(self, start: int, end: int) -> None:
        """Part a raised digit from what it stands on, unless that is a letter (as in m²)."""
        if not self.signs or self._raised_end == len(self.signs) or self.signs[-1].isalpha():
            return
        self.push(("^", start, end))

    def _entity(self, piece: Piece) -> tuple[Piece, ...] | None:
        at = self._ampersands[-1] if self._ampersands else None
        if at is None or len(self.signs) - at > _ENTITY_LENGTH:
            return None
        characters = decode_entity("".join(self.signs[at + 1 :]))
        if characters is None:
            return None
        start = self.starts[at]
        self._cut(at)
        return tuple(
            (sign, start, piece[2]) for char in characters for sign in fold_character(char)[0]
        )

    def _tag(self, piece: Piece) -> tuple[Piece, ...] | None:
        at = self._angles[-1] if self._angles else None
        if at is None or len(self.signs) - at > _TAG_LENGTH or self._is_dead(at):
            return None
        content = "".join(self.signs[at + 1 :])
        match = _TAG.fullmatch(content)
        markup = load_word_lists("markup")
        within = match is not None and match["name"] in markup["within"]
        parts = match is not None and match["name"] in markup["parts"]
        if not (within or parts or _COMMENT.fullmatch(content)):
            self._dead_ends.append(len(self.signs))
            return None
        start = self.starts[at]
        self._cut(at)
        if parts:
            return ((" ", start, piece[2]),)
        self._gap = True
        return ()

    def _is_dead(self, at: int) -> bool:
        """Return whether a closing angle stands behind `at` already; a tag holds none."""
        return bool(self._dead_ends) and self._dead_ends[-1] > at

    def _bracket(self, piece: Piece) -> None:
        at = len(self.signs)
        match piece[0]:
            case "[":
                self._brackets.append(at)
            case "]":
                opening = self._brackets.pop() if self._brackets else None
                near = opening is not None and at - opening <= _LABEL_LENGTH
                self._label = (opening, at) if near and opening is not None else None
            case _ if self._label is not None and self._label[1] == at - 1:
                self._links.append((self._label[0], at))
        self._append(piece)

    def _link(self) -> tuple[Piece, ...] | None:
        """At a closing bracket, take the target of a link away and push its label again."""
        if not self._links:
            return None
        opening, target = self._links.pop()
        if len(self.signs) - target > _TAG_LENGTH:
            return None
        address = "".join(self.signs[target + 1 :]).replace(" - ", "--")
        if "(" in address or not _TARGET.fullmatch(address):
            return None
        label = tuple(
            zip(
                self.signs[opening + 1 : target - 1],
                self.starts[opening + 1 : target - 1],
                self.ends[opening + 1 : target - 1],
                strict=True,
            )
        )
        self._cut(opening - 1 if opening and self.signs[opening - 1] == "!" else opening)
        self._gap = True
        return label

    def _append(self, piece: Piece) -> None:
        self.signs.append(piece[0])
        self.starts.append(piece[1])
        self.ends.append(piece[2])

    def _cut(self, length: int) -> None:
        """Take everything from `length` on away, and what was remembered of it."""
        del self.signs[length:], self.starts[length:], self.ends[length:]
        for remembered in (
            self._ampersands,
            self._angles,
            self._dead_ends,
            self._brackets,
        ):
            while remembered and remembered[-1] >= length:
                remembered.pop()
        while self._links and self._links[-1][1] >= length:
            self._links.pop()
        if self._label is not None and self._label[1] >= length:
            self._label = None
