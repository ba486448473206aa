"""What texts state, so that two can be held against each other: clauses, their values, their names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.core.clause_accounts import stems_of_light_verbs
from verifier.core.clause_cuts import FINITE_VERB
from verifier.core.speech import list_words
from verifier.core.statements import ReadingTerms, read_clauses
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.quantities import ValueMention
    from verifier.core.spans import Span
    from verifier.core.statements import Clause

MOST_VALUES: Final = 6
FEWEST_WORDS: Final = 2
_LONGEST: Final = 400
_NEAR: Final = 3  # "the Harbour lamp", "the population of Pilzno"
_NEVER_PLAIN: Final = re.compile(  # examples, suppositions, what was or is to be, what others say
    r"""\b(?: for\ example | for\ instance | e\.g | such\ as | suppose | imagine | assum\w+ | say,
          | would | could | might | until | till | formerly | previously | originally | used\ to
          | no\ longer | proposed | planned | expected | estimate\w* | allegedly | reportedly | claim\w*
          | myth | incorrect\w* | wrong\w* | instead\ of | rather\ than )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_YEAR: Final = re.compile(r"(?:1[0-9]|20)\d\d")
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
_NAME: Final = re.compile(  # Alexandria, Louisiana; University of Puerto Rico
    r"""[^\W\d_a-z][\w'’&.-]*
        (?: (?:,?[ ]|[ ](?:of|de|la|von|van|the|and|&)[ ]) [^\W\d_a-z][\w'’&.-]* )*""",
    re.VERBOSE,
)
_WORD: Final = re.compile(r"[\w'’#§-]+")
OPENING: Final = frozenset(
    (
        *(
            "the",
            "a",
            "an",
            "it",
            "he",
            "she",
            "they",
            "this",
            "that",
            "these",
            "those",
            "his",
            "her",
        ),
        *("its", "their", "in", "on", "at", "as", "there", "with", "from", "by", "for", "after"),
        *(
            "before",
            "since",
            "during",
            "today",
            "now",
            "we",
            "our",
            "you",
            "your",
            "i",
            "my",
            "and",
        ),
        *("but", "to", "of"),
    )
)
"""Words that open a sentence with a capital and name nothing."""

AS_WRITTEN: Final = ReadingTerms()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A chunk of a current, approved source. `start` is where its text stands in the version.

    `scope` are the metadata that limit whom or what the source is about, such as a region.
    """

    source: str
    seq: int
    start: int
    text: str
    title: str | None = None
    headings: tuple[str, ...] = ()
    scope: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stated:
    """A plain statement of a text, with what it is held against others by.

    `names` are the runs of capitalised words outside values, `frame` is the clause with a § for each.
    """

    source: SourceText
    clause: Clause
    names: tuple[str, ...]
    frame: tuple[str, ...]

    @property
    def values(self) -> tuple[ValueMention, ...]:
        """The values, in the order in which they are written."""
        return self.clause.values

    @property
    def anaphoric(self) -> bool:
        """Whether it leaves to what stands before it whom it speaks of: "The fee", "It", "12% were"."""
        first = self.frame[0] if self.frame else ""
        if first == "the":
            return not self._names_soon(0)
        return not first or first in OPENING or first[0].isdigit()

    @property
    def definite(self) -> bool:
        """Whether it speaks of something told before it: "of the population", unless it is that of a name."""
        places = (at for at, word in enumerate(self.frame) if word == "the")
        return any(not self._names_soon(at) for at in places)

    def _names_soon(self, at: int) -> bool:
        return "§" in self.frame[at + 1 : at + 1 + _NEAR]


def read_statements(source: SourceText, terms: ReadingTerms = AS_WRITTEN) -> Iterator[Stated]:
    """Yield the plain statements of a text: no example, no doubt, no past, no question, no row of numbers."""
    for clause in read_clauses(source.text, terms):
        if not _is_plain(clause):
            continue
        names, frame = _split_names(clause)
        yield Stated(source=source, clause=clause, names=names, frame=frame)


def is_moment(mention: ValueMention) -> bool:
    """Return whether a value tells a time: a date, or a bare number that reads as a year."""
    kind = getattr(mention.value, "kind", None)
    if kind in _CALENDAR:
        return True
    return kind is Kind.NUMBER and _YEAR.fullmatch(mention.value.text) is not None


def key_of_words(stated: Stated) -> tuple[object, ...]:
    """Return what statements have in common that say the same but for values or a denial."""
    clause = stated.clause
    stems = tuple(sorted(clause.stems - stems_of_light_verbs()))
    return stems, len(clause.values), clause.words & list_words("turning_words") - {"can", "may"}


def _is_plain(clause: Clause) -> bool:
    if clause.unsettled or len(clause.values) > MOST_VALUES or len(clause.text) > _LONGEST:
        return False
    if clause.text.rstrip().endswith("?") or FINITE_VERB.search(clause.text) is None:
        return False
    sentence = clause.text if clause.place is None else clause.place.sentence
    return _NEVER_PLAIN.search(sentence[:_LONGEST]) is None


def _split_names(clause: Clause) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of a clause, and its words with a § for each name; an opening word is no name."""
    text = _blank_values(clause)
    first = _WORD.search(text)
    if first is not None and first.group().casefold() in OPENING:
        text = text[: first.start()] + first.group().casefold() + text[first.end() :]
    names = tuple(" ".join(one.rstrip(".&'’-").split()) for one in _NAME.findall(text))
    frame = _WORD.findall(_NAME.sub(" § ", text).casefold())
    return names, tuple(frame)


def _blank_values(clause: Clause) -> str:
    """Return the clause with each value in lower case, so that a month is no name."""
    text = clause.text
    for mention in clause.values:
        written = mention.value.text
        text = text.replace(written, written.casefold(), 1)
    return text


def cover(stated: Stated) -> Span:
    """Return where the statement stands in the text of its version."""
    return stated.clause.span.shift(stated.source.start)
