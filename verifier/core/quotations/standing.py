"""Whether a text stands behind the words that a quotation takes from it, or denies or strikes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.lead_ins import is_struck
from verifier.core.quotations.contexts import cover, denies_below, find_behind
from verifier.core.quotations.finding import find_quotations
from verifier.core.quotations.retracting import takes_back
from verifier.core.quotations.senses import NOTE_MARK, denies, frames_below, has_verb, holds_any
from verifier.core.sentences import BlockKind
from verifier.core.spans import Span
from verifier.core.speech import read_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quotations.contexts import Placed
    from verifier.core.sentences import Sentence

_LONGEST_FRAGMENT: Final = 5
_FURTHEST: Final = 4_000
_UNTICKED: Final = re.compile(r"(?:[-*+]|\d[.)])[ \t]+\[[ ]\][ \t]*\Z")  # "- [ ] "
_SHOWN: Final = 80
_EMPHASIS: Final = ("*", "_")
_CROSSES: Final = frozenset("❌❎✗✘✖🚫⛔👎")


def find_doubt(text: str, span: Span, *, asks: bool = False) -> str | None:
    """Return why a text may not mean the words at `span`; None where nothing around them says so.

    A line that leads into them, a heading or a label may deny, date or attribute them, so may a line through
    them, marks of quotation, other cells of their row, or the sentence behind them. What the quotation covers
    itself is no reason. A question is none to a quotation that `asks` too.
    """
    covered = cover(text, span)
    if not covered:
        return None
    if not asks and "?" in text[span.end : covered[-1].sentence.span.end]:
        return "it is part of a question there"
    return _find_doubt_within(text, span, covered) or find_doubt_around(text, span)


def find_doubt_around(text: str, span: Span) -> str | None:
    """Return why what leads into the sentences at `span`, or what follows them, may turn their sense."""
    covered = cover(text, span)
    if not covered:
        return None
    weakened = next((one for one in covered if _is_weakened(one, span)), None)
    if weakened is not None:
        led = _quote_lead(text, weakened, span)
        return f"what leads into it denies or dates it, or tells it of others{led}"
    end = covered[-1].sentence.span.end
    behind = find_behind(text, end)
    if behind is not None:
        adjoins = _adjoins(text[end : behind.span.start], behind)
        if takes_back(behind, span.of(text), adjoins=adjoins):
            return f"what stands behind it takes it back: {_cut(behind.text)!r}"
    return None


def _quote_lead(text: str, one: Placed, span: Span) -> str:
    """Return the line that weakens a sentence, behind a colon; nothing where it is part of the sentence."""
    leads = one.lead is not None and one.lead < span.start
    start = (one.lead if leads else one.excluding) or 0
    end = min(one.sentence.span.start, start + _SHOWN + 1)
    line = text[start:end].strip().partition("\n")[0]
    return f": {_cut(line)!r}" if line else ""


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _is_weakened(one: Placed, span: Span) -> bool:
    """Return whether what leads into a sentence weakens it, or lists it among what is not."""
    if one.lead is not None and one.lead < span.start:
        return True
    if one.excluding is None or one.excluding >= span.start:
        return False
    words = read_words(one.sentence.text)
    short = len(words) <= _LONGEST_FRAGMENT and not has_verb(words)
    return (short or one.sentence.block is BlockKind.LIST_ITEM) and not denies(words)


def _adjoins(between: str, behind: Sentence) -> bool:
    """Return whether a sentence stands in one block with what is before it."""
    if behind.text.startswith(_EMPHASIS):  # a line of its own, in bold, is a heading
        return "\n" not in between
    return between.count("\n") < (1 if behind.block is BlockKind.LIST_ITEM else 2)


def _find_doubt_within(text: str, span: Span, covered: Sequence[Placed]) -> str | None:
    """Return why the very sentences of the words may not mean them."""
    start = max(covered[0].sentence.span.start, span.start - _FURTHEST)
    end = min(covered[-1].sentence.span.end, span.end + _FURTHEST)
    if _UNTICKED.search(text, start, span.start):
        return "its box is not ticked there"
    label, colon, _ = text[start : span.start].rpartition(": ")
    if colon and denies_below(label):
        return "the label before it denies it"
    if is_struck(text[start:end]) or _is_comment(text, span):
        return "it is struck out there"
    if _has_footnote(text, span, text[max(start, covered[-1].sentence.span.start) : end]):
        return "a note below it may limit it"
    if holds_any(read_words(text[span.end : end]), "taking_back"):
        return (
            f"what stands behind it in its sentence takes it back: {_cut(text[span.end : end])!r}"
        )
    if covered[-1].head and _is_denied_in_row(
        text[start : span.start], text[span.end : end], covered[-1]
    ):
        return "other cells of its table deny or date it"
    if _is_quoted(text[start:end], Span(span.start - start, span.end - start)):
        return "the text quotes it itself"
    return None


def _is_denied_in_row(left: str, right: str, row: Placed) -> bool:
    """Return whether another cell of a row, or the head of its table, denies or dates what stands in it."""
    return any(
        denies_below(part) or frames_below(part) or not _CROSSES.isdisjoint(part)
        for part in (left, right, row.head if row.head != row.sentence.text else "")
    )


def _is_comment(text: str, span: Span) -> bool:
    """Return whether the words stand in a comment of markup, which no reader sees."""
    opened = text.rfind("<!--", 0, span.start)
    return opened >= 0 and text.find("-->", opened, span.start) < 0


def _is_quoted(sentence: str, span: Span) -> bool:
    """Return whether words stand between marks of quotation that something leads into."""
    return any(
        one.is_passage and one.span.contains(span) and read_words(sentence[: one.mark.start])
        for one in find_quotations(sentence)
    )


def _has_footnote(text: str, span: Span, sentence: str) -> bool:
    """Return whether a mark of a note stands at the end, and a note for it that may limit the words.

    A sign must pair with no other, for then it emphasises. A numbered note mostly tells a source.
    """
    found = NOTE_MARK.match(text, span.end)
    if found is None or (found["sign"] and sentence.count(found["sign"]) % 2 == 0):
        return False
    mark = re.escape(found["sign"] or found["number"])
    note = re.search(rf"^[ \t]*{mark}(?![*†‡§]):?[ \t]*(.*)$", text[found.end() :], re.MULTILINE)
    if note is None or found["sign"]:
        return note is not None
    words = read_words(note[1])
    limited = holds_any(words, "conditions", "exceptions") or denies(words)
    return limited or holds_any(words[:1], "restrictions")
