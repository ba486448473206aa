"""The sentences of a text, each with what leads into it: headings, lines above, heads of tables."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from verifier.core.quotations.senses import denies, frames_below, holds_any, listed
from verifier.core.sentences import BlockKind, Sentence, split_sentences
from verifier.core.speech import is_question, read_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.spans import Span

_CATAPHORIC: Final = frozenset({"this", "following", "here", "below", "what", "next"})
_LIMITING: Final = frozenset(
    {"for", "in", "if", "when", "during", "on", "with", "without", "after", "before"}
)
_ASKING: Final = frozenset({"true", "correct", "right", "allowed", "which"})
_OPENING: Final = 4
_LONGEST_LEAD: Final = 10
_LONGEST_BANNER: Final = 6
_WIDEST_INDENT: Final = 200
_CACHED: Final = 128
_BELOW_ALL: Final = 9
_HELD_TOGETHER: Final = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A sentence and the starts of what leads into it: `lead` weakens it, under `excluding` it may be denied.

    `head` is the head row of the table that it is a row of.
    """

    sentence: Sentence
    lead: int | None = None
    excluding: int | None = None
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    level: int
    start: int
    weakens: bool
    excludes: bool


def cover(text: str, span: Span) -> tuple[Placed, ...]:
    """Return the sentences that `span` lies in."""
    placed = place_sentences(text)
    first, last = (_number(placed, at) for at in (span.start, max(span.start, span.end - 1)))
    return placed[first : last + 1]


def find_behind(text: str, end: int) -> Sentence | None:
    """Return the sentence behind the one that ends at `end`."""
    placed = place_sentences(text)
    at = _number(placed, end - 1) + 1
    return placed[at].sentence if at < len(placed) else None


@lru_cache(maxsize=_CACHED)
def place_sentences(text: str) -> tuple[Placed, ...]:
    """Return the sentences of a text in order, with what leads into each."""
    return tuple(_read(text))


def denies_below(lead: str) -> bool:
    """Return whether a line, a label or a heading denies what it leads into: "Do not:", "False notice"."""
    words = read_words(lead)
    return holds_any(words, "denying_leads") or any(word.endswith("n't") for word in words)


def _number(placed: tuple[Placed, ...], at: int) -> int:
    return max(0, bisect_right(placed, at, key=_start) - 1)


def _start(placed: Placed) -> int:
    return placed.sentence.span.start


def _read(text: str) -> Iterator[Placed]:
    """Yield the sentences; a lead reaches over the items or the paragraph below it, a heading to the next."""
    headings: list[_Heading] = []
    lead: Sentence | None = None
    head = ""
    for sentence in split_sentences(text):
        if sentence.block is BlockKind.HEADING:
            lead, headings = None, _add_heading(headings, sentence)
            yield Placed(sentence=sentence)
            continue
        head = (head or sentence.text) if sentence.block is BlockKind.TABLE_ROW else ""
        lead = lead if _reaches(lead, sentence, text) else None
        yield Placed(
            sentence=sentence,
            lead=_find_start(headings, "weakens") if lead is None else lead.span.start,
            excluding=_find_start(headings, "excludes"),
            head=head,
        )
        if _is_banner(sentence) and _find_start(headings, "weakens") is None:
            headings = [*headings, _make_heading(sentence, level=_BELOW_ALL, weakens=True)]
        lead = _pass_on(lead, sentence)


def _pass_on(lead: Sentence | None, sentence: Sentence) -> Sentence | None:
    """Return what leads into the next sentence."""
    if _leads(sentence):
        return sentence
    return lead if sentence.block in _HELD_TOGETHER else None


def _find_start(headings: list[_Heading], name: Literal["weakens", "excludes"]) -> int | None:
    return next((one.start for one in headings if getattr(one, name)), None)


def _reaches(lead: Sentence | None, sentence: Sentence, text: str) -> bool:
    """Return whether a lead reaches a sentence: an item those that are set in below it, a long line no table.

    Long lines above a table mostly tell how its values were reckoned.
    """
    if lead is None:
        return False
    if sentence.block is BlockKind.TABLE_ROW:
        return len(read_words(lead.text)) <= _LONGEST_LEAD
    inside = _indent(sentence, text) > _indent(lead, text)
    return inside or lead.block is not BlockKind.LIST_ITEM


def _indent(sentence: Sentence, text: str) -> int:
    start = sentence.span.start
    line = text.rfind("\n", max(0, start - _WIDEST_INDENT), start)
    return start - line if line >= 0 else min(start + 1, _WIDEST_INDENT)


def _add_heading(headings: list[_Heading], sentence: Sentence) -> list[_Heading]:
    """Return the headings that a heading stands below, and itself."""
    text = sentence.text
    level = len(text) - len(text.lstrip("#")) or 1
    asks = is_question(text)
    added = _make_heading(sentence, level=level, weakens=not asks and _weakens_below(text))
    return [*(one for one in headings if one.level < level), added]


def _make_heading(sentence: Sentence, *, level: int, weakens: bool) -> _Heading:
    text = sentence.text
    excludes = not is_question(text) and (
        denies_below(text) or holds_any(read_words(text), "excluding_heads")
    )
    return _Heading(level=level, start=sentence.span.start, weakens=weakens, excludes=excludes)


def _weakens_below(heading: str) -> bool:
    """Return whether a heading dates, supposes or withdraws all below it: "Draft", "If the merger fails"."""
    words = read_words(heading)
    conditional = holds_any(words, "conditions") and "only" not in words
    no_longer = denies(words) and holds_any(words, "in_force")
    return frames_below(heading) or conditional or no_longer


def _is_banner(sentence: Sentence) -> bool:
    """Return whether a line of a few words marks all that follows: "DRAFT - do not cite"."""
    words = read_words(sentence.text)
    if sentence.block is not BlockKind.PARAGRAPH or len(words) > _LONGEST_BANNER:
        return False
    ends = sentence.text.rstrip(" *_")[-1:] in {".", ":", "?", "!"}
    return not ends and holds_any(words[:2], "framing_leads", "taking_back")


def _leads(sentence: Sentence) -> bool:
    """Return whether a sentence speaks of what follows it, and denies, dates, limits or attributes that."""
    text, words = sentence.text, read_words(sentence.text)
    if is_question(text):
        return "of" in words and not _ASKING.isdisjoint(words)
    if text.rstrip(" *_").endswith(":"):
        limits = _limits_below(sentence, words)
        return denies_below(text) or frames_below(text) or limits
    if _CATAPHORIC.isdisjoint(words[:_OPENING]):
        return False
    unreal = len(words) <= _LONGEST_LEAD and holds_any(words, "unreal")
    return unreal or ("following" in words and frames_below(text))


def _limits_below(sentence: Sentence, words: tuple[str, ...]) -> bool:
    """Return whether a line limits what stands below it: "For premium members:", "Only in winter:".

    An item does so with "only": else it mostly groups what is set in below it.
    """
    only = words[:1] == ("only",)
    rest = words[1:] if only else words
    if not rest or len(words) > _LONGEST_LEAD or "," in sentence.text:
        return False
    if sentence.block is BlockKind.LIST_ITEM and not only:
        return False
    return rest[0] in _LIMITING and not listed("plain_leads").issuperset(words)
