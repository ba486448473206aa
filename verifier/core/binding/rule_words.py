"""A rule in prose as the words and values that it is made of, so that two of them can be held together.

Small words that say nothing are left out; words that permit, oblige or advise are kept apart; all others
are content, in their order, conditions and denials among them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.text import fold
from verifier.core.text_stems import stem
from verifier.core.units import unit_of
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.quantities import ValueMention
    from verifier.core.values import Value

SLOT: Final = "\ue000"
_TOKEN: Final = re.compile(rf"{SLOT}|[^\W_]+(?:'[^\W_]+)*")
_HYPHEN: Final = re.compile(r"(?<=\w)-(?=[^\W\d])")
_UNCOUNTED: Final = frozenset({Kind.ORDINAL})
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME})
_WHOLE: Final = frozenset({Kind.MONEY, Kind.DATE, Kind.TIME, Kind.QUARTER})
_PASSIVE_REACH: Final = 2
_DENIALS: Final = frozenset({"not", "no", "never", "non", "nor", "neither", "none"})
_NEGATION: Final = "\ue001"  # no stem of a word: "note" has "not"
_AFTER: Final = frozenset({"after", "from", "following"})
_ARTICLES: Final = frozenset({"the", "a", "an", "your", "our", "their"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of content: its stem, the small word that leads to it, and whether it is done to something.

    `slot` is the place of the value that it stands for, `adverb` says that it may stand on either side of
    the verb, `party` whether "we", "you" or "they" stand before it.
    """

    stem: str
    lead: str = ""
    passive: bool = False
    slot: int | None = None
    adverb: bool = False
    party: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWords:
    """The words of one clause. `order` are those of content, `subject` the stems before its verb.

    A value stands in the order as a sign with its place among `values`. `optional` are stems that may be
    left away; `modes` are what the clause permits, obliges or advises, and whether it tells a cost or a
    right. `opening` is its first word, folded; `is_vague` says that it leaves its subject to what is before.
    """

    order: tuple[Word, ...]
    values: tuple[Value, ...]
    subject: frozenset[str]
    optional: frozenset[str]
    modes: frozenset[str]
    opening: str
    is_vague: bool

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the words of content."""
        return frozenset(word.stem for word in self.order if word.slot is None)

    @property
    def needed(self) -> frozenset[str]:
        """The stems that may not be left away."""
        return self.stems - self.optional


@lru_cache(maxsize=2_048)
def read_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of content of a text without values that are compared."""
    return read_rule_words(text, Span(0, len(text)), ()).needed


def read_rule_words(text: str, span: Span, mentions: Sequence[ValueMention]) -> RuleWords:
    """Return the words of the part of a sentence at `span`; `mentions` are the values of the sentence."""
    inside = [one for one in mentions if span.contains(one.span) and is_counted(one.value)]
    kept, at = [], span.start
    for one in inside:
        kept += [text[at : one.span.start], f" {SLOT} ", _words_in(one.value)]
        at = one.span.end
    kept.append(text[at : span.end])
    words = _with_of_events(_words_of(" ".join(kept)))
    reader = _Reader(tuple(one.value for one in inside))
    for word in words:
        reader.add(word)
    return reader.finish(words)


def _with_of_events(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words with "of" for "after" between a value and what has happened: of purchase."""
    events = load_word_lists("rule_words")["events"]
    kept = list(words)
    for at in range(1, len(words) - 1):
        behind = words[at + 2 : at + 3] if words[at + 1] in _ARTICLES else words[at + 1 : at + 2]
        if words[at - 1] == SLOT and words[at] in _AFTER and events.intersection(behind):
            kept[at] = "of"
    return tuple(kept)


def is_counted(value: Value) -> bool:
    """Return whether a value is compared as one; "first" and "free" are words."""
    if value.kind in _UNCOUNTED or (isinstance(value, Quantity) and value.fault == "vague"):
        return False
    return any(sign.isdigit() for sign in value.text) or not _is_nothing(value)


def _is_nothing(value: Value) -> bool:
    return isinstance(value, Quantity) and value.interval.low == value.interval.high == 0


def _words_in(value: Value) -> str:
    """Return the words within a value that are no part of its number, comparator or unit."""
    if not isinstance(value, Quantity) or value.kind in _WHOLE:
        return ""
    return " ".join(word for word in _words_of(value.text) if not _is_of_number(word, value))


def _is_of_number(word: str, value: Quantity) -> bool:
    if any(sign.isdigit() for sign in word) or unit_of(word) is not None:
        return True
    lists = load_word_lists("cautions")
    known = (
        (lists["numbering"] - {"only"}) | load_word_lists("stop_words")["numbers"] | _comparators()
    )
    unit = value.unit or ""
    in_unit = unit == f"{word}_day" or (unit.casefold() == word and unit_of(unit) is not None)
    bound = value.writing is not Writing.EXACT
    return in_unit or (word in known and (bound or word not in _comparators()))


@cache
def _comparators() -> frozenset[str]:
    return frozenset({"within", "maximum", "minimum", "max", "min", "below", "above", "beyond"})


class _Reader:
    """Reads the words of one clause in order."""

    def __init__(self, values: tuple[Value, ...]) -> None:
        self._values = values
        self._order: list[Word] = []
        self._subject: list[str] = []
        self._optional: set[str] = set()
        self._modes: set[str] = set()
        self._in_subject = True
        self._lead = self._party = ""
        self._slots = 0
        self._since_being = _PASSIVE_REACH + 1
        self._money = any(one.kind is Kind.MONEY for one in values)

    def add(self, word: str) -> None:
        """Add the next word; a sign for a value takes the next of them."""
        lists = load_word_lists("rule_words")
        being = self._since_being
        self._since_being = 0 if word in lists["being"] else being + 1
        if word in lists["verbs"] or (word == SLOT and self._subject):
            self._in_subject = False
        if word == SLOT:
            self._add_slot()
            return
        done = word.endswith("ed") or word in lists["passive"]
        self._party = next((name for name in _PARTIES if word in lists[name]), self._party)
        mode = next((name for name in _MODES if word in lists[name]), None)
        if mode is not None:
            self._modes.add(mode)
        if word in lists["leading"]:
            self._lead = word
        elif mode in {None, "costing"} and word not in lists["noise"]:
            self._add(word, passive=done and being <= _PASSIVE_REACH)

    def _add_slot(self) -> None:
        value = self._values[self._slots]
        leads = isinstance(value, Quantity) and (
            value.writing is Writing.BOUND or value.kind in _CALENDAR
        )
        lead = self._lead or ("at" if leads else "")
        self._order.append(Word(stem=f"{SLOT}{self._slots}", lead=lead, slot=self._slots))
        self._slots += 1
        self._lead = ""
        self._since_being = _PASSIVE_REACH + 1

    def _add(self, word: str, *, passive: bool) -> None:
        lists = load_word_lists("rule_words")
        relates = word in lists["relating"]
        found = stem_of(word)
        lead = self._lead or ("at" if relates else "")
        adverb = word.endswith("ly") and word not in lists["no_adverbs"]
        self._order.append(
            Word(stem=found, lead=lead, passive=passive, adverb=adverb, party=self._party)
        )
        self._lead = "at" if relates else ""
        self._party = ""
        if word in lists["optional"] or (self._money and word in lists["costing"]):
            self._optional.add(found)
        if self._in_subject:
            self._subject.append(found)

    def finish(self, words: Sequence[str]) -> RuleWords:
        """Return what was read of the words."""
        opening = next(iter(words), "")
        lists = load_word_lists("rule_words")
        if lists["giving"].intersection(words):
            self._optional.update(stem_of(word) for word in lists["added"])
        subject = frozenset(self._subject) - self._optional
        alone = opening == "the" and len(self._subject) < 2
        return RuleWords(
            order=tuple(self._order),
            values=self._values,
            subject=subject,
            optional=frozenset(self._optional),
            modes=frozenset(self._modes),
            opening=opening,
            is_vague=not subject or alone,
        )


_PARTIES: Final = ("we", "you", "they")
_MODES: Final = ("permitting", "obliging", "advising", "entitling", "costing")


@lru_cache(maxsize=8_192)
def stem_of(word: str) -> str:
    """Return what stands for a folded word and all that say the same."""
    if word in _DENIALS:
        return _NEGATION
    word = _same().get(word, word)
    return _same_stems().get(stem(word), stem(word))


def _words_of(text: str) -> tuple[str, ...]:
    folded = _HYPHEN.sub(" ", fold(text).replace("’", "'"))
    tokens = _TOKEN.findall(folded)
    return tuple(_unite(tokens))


def _unite(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the words with phrases replaced by what stands for them, the longest first."""
    phrases, longest = _phrases()
    at = 0
    while at < len(tokens):
        for length in range(min(longest, len(tokens) - at), 0, -1):
            found = phrases.get(tuple(tokens[at : at + length]))
            if found is not None:
                yield from found
                at += length
                break
        else:
            yield tokens[at]
            at += 1


@cache
def _phrases() -> tuple[Mapping[tuple[str, ...], tuple[str, ...]], int]:
    lists = load_word_lists("rule_words")
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for entry in lists["phrases"] | lists["same"]:
        phrase, _, instead = entry.partition("/")
        if (
            "_" in phrase
            or "_" in instead
            or "'" in phrase
            or phrase in {"cannot", "complimentary"}
        ):
            found[tuple(phrase.split("_"))] = tuple(one for one in instead.split("_") if one)
    return found, max(map(len, found))


@cache
def _same() -> Mapping[str, str]:
    pairs = (entry.partition("/") for entry in load_word_lists("rule_words")["same"])
    return {word: name for word, _, name in pairs if "_" not in name}


@cache
def _same_stems() -> Mapping[str, str]:
    groups = load_word_lists("synonyms")
    found = {stem(word): stem(name) for name, words in groups.items() for word in words}
    found |= {stem(word): stem(name) for word, name in _same().items() if word != "bag"}
    return found
