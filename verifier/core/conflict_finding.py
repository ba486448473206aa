"""Finding conflicts: statements of different sources that are alike but for one value, name or denial.

Statements are gathered by the hash of what they have in common, so that the work grows with their number
and not with its square. What is found must show itself: the same words of the same thing, and another
value. Paraphrases are left out, and so are tables, rows of numbers, and other common words ("a drama").
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import Outcome, relate
from verifier.core.conflict_finding_reading import (
    AS_WRITTEN,
    FEWEST_WORDS,
    cover,
    is_moment,
    key_of_words,
    read_statements,
)
from verifier.core.conflict_finding_subjects import list_common_names, same_subject
from verifier.core.statements import denies_in_passing
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from verifier.core.conflict_finding_reading import SourceText, Stated
    from verifier.core.quantities import ValueMention
    from verifier.core.spans import Span
    from verifier.core.statements import ReadingTerms

_MOST_ALIKE: Final = 200
"""A sentence in more places than this is a form, not a statement of one thing."""

_FEWEST_IN_FRAME: Final = 4
_LISTING: Final = frozenset(  # of these there may be several
    (
        *("include", "includes", "including", "included", "stars", "starring", "star", "and", "or"),
        *("featuring", "feature", "features", "featured", "also", "among", "like"),
    )
)
_BEFORE_VALUE: Final = frozenset(
    (
        *("is", "are", "was", "were", "be", "been", "by", "in", "at", "from", "to", "as", "of"),
        *("for", "with", "on", "named", "called", "became", "has", "had"),
    )
)


class ConflictKind(StrEnum):
    """What two statements differ in."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    DENIAL = "denial"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSide:
    """Where a statement stands: its span in the version, what it says, and the value in question."""

    source: str
    seq: int
    span: Span
    text: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundConflict:
    """Two statements of different sources that can't both hold; `side` is the one whose key sorts first."""

    kind: ConflictKind
    subject: str
    attribute: str
    side: FoundSide
    other: FoundSide


def find_conflicts(
    texts: Iterable[SourceText], terms: ReadingTerms = AS_WRITTEN
) -> tuple[FoundConflict, ...]:
    """Return the conflicts between texts of different sources, in the order of their sources and places."""
    texts = tuple(texts)
    common = list_common_names(texts)
    by_words: defaultdict[object, list[Stated]] = defaultdict(list)
    by_frame: defaultdict[object, list[Stated]] = defaultdict(list)
    for text in texts:
        for stated in read_statements(text, terms):
            if len(stated.clause.stems) >= FEWEST_WORDS:
                by_words[key_of_words(stated)].append(stated)
            if len(stated.names) > 0 and len(stated.frame) >= _FEWEST_IN_FRAME:
                by_frame[stated.frame].append(stated)
    found = {
        (one.side.source, one.side.span, one.other.source, one.other.span): one
        for one in (
            *_compare(by_words.values(), partial(_differ, common=common)),
            *_compare(by_frame.values(), partial(_rename, common=common)),
        )
    }
    return tuple(found[key] for key in sorted(found, key=_order))


def _order(key: tuple[str, Span, str, Span]) -> tuple[str, int, str, int]:
    return key[0], key[1].start, key[2], key[3].start


def _compare(
    groups: Iterable[Sequence[Stated]], judge: Callable[[Stated, Stated], FoundConflict | None]
) -> Iterator[FoundConflict]:
    for group in groups:
        if not 1 < len(group) <= _MOST_ALIKE or _is_form(group):
            continue
        for one, other in combinations(group, 2):
            if one.source.source == other.source.source:
                continue
            first, second = sorted((one, other), key=lambda each: each.source.source)
            found = judge(first, second)
            if found is not None:
                yield found


def _is_form(group: Sequence[Stated]) -> bool:
    """Return whether one source has the words with several values: they are no statement of one thing."""
    told: dict[str, tuple[str, ...]] = {}
    for one in group:
        said = (*(each.value.text for each in one.values), *one.names)
        if told.setdefault(one.source.source, said) != said:
            return True
    return False


def _differ(one: Stated, other: Stated, common: frozenset[str]) -> FoundConflict | None:
    """Return the conflict of two statements in the same words that tell other values, or deny each other."""
    shared = [name for name in one.names if name in other.names]
    if one.clause.denied != other.clause.denied:
        return _deny(one, other, shared, common)
    pair = _find_differing(one.values, other.values)
    if pair is None or not same_subject(one, other, shared, common):
        return None
    first, second = pair
    dated = getattr(first.value, "kind", None) is Kind.DATE or is_moment(first)
    kind = ConflictKind.DATE if dated else ConflictKind.NUMBER
    return _found(kind, one, other, (first.value.text, second.value.text))


def _deny(
    one: Stated, other: Stated, shared: Sequence[str], common: frozenset[str]
) -> FoundConflict | None:
    same = one.clause.stems == other.clause.stems and one.clause.order == other.clause.order
    if not same or len(one.clause.stems) <= FEWEST_WORDS or not _agree(one.values, other.values):
        return None
    if denies_in_passing(one.clause) or denies_in_passing(other.clause):
        return None
    if not same_subject(one, other, shared, common):
        return None
    said = (
        ("denied" if one.clause.denied else "stated"),
        ("denied" if other.clause.denied else "stated"),
    )
    return _found(ConflictKind.DENIAL, one, other, said)


def _agree(ours: Sequence[ValueMention], theirs: Sequence[ValueMention]) -> bool:
    pairs = zip(ours, theirs, strict=True)
    return all(relate(one.value, other.value).agrees for one, other in pairs)


def _find_differing(
    ours: Sequence[ValueMention], theirs: Sequence[ValueMention]
) -> tuple[ValueMention, ValueMention] | None:
    """Return the first values that contradict each other where all times beside them are the same.

    A time that differs beside another value is another period; of times alone one may differ.
    """
    pairs = list(zip(ours, theirs, strict=True))
    apart = [
        (one, other)
        for one, other in pairs
        if relate(one.value, other.value).outcome is Outcome.DISAGREE
    ]
    alike = [pair for pair in pairs if _same_value(*pair)]
    if not apart or len(apart) + len(alike) != len(pairs):
        return None
    moments = [pair for pair in apart if is_moment(pair[0]) or is_moment(pair[1])]
    if moments and (len(moments) > 1 or any(not is_moment(one) for one, _ in pairs)):
        return None
    return apart[0]


def _same_value(one: ValueMention, other: ValueMention) -> bool:
    return relate(one.value, other.value).agrees or relate(other.value, one.value).agrees


def _rename(one: Stated, other: Stated, common: frozenset[str]) -> FoundConflict | None:
    """Return the conflict of two statements that are alike but for one name behind their subject."""
    pairs = list(zip(one.names, other.names, strict=True))
    apart = [number for number, (first, second) in enumerate(pairs) if first != second]
    if len(apart) != 1 or not _agree_if_alike(one, other):
        return None
    at = apart[0]
    before = _words_before(one.frame, at)
    if not before or before[-1] not in _BEFORE_VALUE or _LISTING & set(one.frame):
        return None
    first, second = (set(name.casefold().replace(",", "").split()) for name in pairs[at])
    if first <= second or second <= first or "and" in first | second:
        return None
    shared = [name for number, (name, _) in enumerate(pairs) if number != at]
    if not (one.anaphoric or one.frame[0] == "§") or not same_subject(one, other, shared, common):
        return None
    return _found(ConflictKind.NAME, one, other, pairs[at])


def _agree_if_alike(one: Stated, other: Stated) -> bool:
    return len(one.values) == len(other.values) and _agree(one.values, other.values)


def _words_before(frame: Sequence[str], number: int) -> Sequence[str]:
    """Return the words in front of the name of that number, all of them."""
    places = [at for at, word in enumerate(frame) if word == "§"]
    return frame[: places[number]] if number < len(places) else ()


def _found(
    kind: ConflictKind, one: Stated, other: Stated, values: tuple[str, str]
) -> FoundConflict:
    order = one.clause.order
    subject = one.names[0] if one.names else " ".join(order[:2])
    attribute = " ".join(word for word in order if word.casefold() not in subject.casefold())
    return FoundConflict(
        kind=kind,
        subject=subject,
        attribute=attribute or subject,
        side=_side(one, values[0]),
        other=_side(other, values[1]),
    )


def _side(stated: Stated, value: str) -> FoundSide:
    source = stated.source
    return FoundSide(
        source=source.source,
        seq=source.seq,
        span=cover(stated),
        text=stated.clause.text,
        value=value,
    )
