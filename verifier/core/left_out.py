"""What a cited clause says beyond a statement, word by word: each such word may be the one that turns it.

"Entry costs 5 EUR" is less than "Entry costs 5 EUR with a voucher", "It is unclear whether entry costs 5
EUR" or "Rejected: entry costs 5 EUR". Only words that weigh nothing may be left away.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.clause_cuts import FINITE_VERB
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import list_words, read_words
from verifier.core.statements import list_stems
from verifier.core.units import unit_of
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statement_results import CitedClause
    from verifier.core.statements import Clause

_LABEL: Final = re.compile(r"[^:.]{1,80}:\s")
_NUMBERED: Final = re.compile(  # Room 2, Gate S, Option b)
    r"\b[^\W\d_]{2,}[ ](?:no\.?[ ]|#)?(?P<label>\d+(?:\.\d+)*[a-z]?|[B-HJ-Z])\b(?!['’])"
)
_ADDRESSED: Final = frozenset({"you", "your", "yours"})
_BEING: Final = frozenset({"is", "are"})
_FURTHER: Final = frozenset({"another", "further", "additional", "extra"})
_MOST_APPENDED: Final = 5
_LONGEST_SIGN: Final = 3  # " - "


def find_left_out(
    part: Clause, clause: Clause, cited: Sequence[CitedClause] = ()
) -> tuple[str, ...]:
    """Return the words of the clause, or of what leads into it and is appended, that a statement lacks.

    None of them weighs nothing.
    """
    stems = clause.stems - part.stems - _weightless() - _measured(clause) - _reader(part)
    stems -= _granted(clause)
    words = {one for one in clause.words - part.words if one in _small() and one not in _plain()}
    return tuple(sorted({*stems, *words, *_differ_in_parts(part, clause, cited)}))


def says_no_more(part: Clause, clause: Clause) -> bool:
    """Return whether the clause has no word of weight beside those of the statement, but for "now"."""
    added = clause.stems - part.stems - _weightless() - _stems_of("updating_words")
    return not added and not _differ_in_parts(part, clause, ())


def find_turning_left_out(
    part: Clause, clause: Clause, cited: Sequence[CitedClause] = ()
) -> tuple[str, ...]:
    """Return those of the words left out that turn what is said, whatever else is left away."""
    turning = clause.stems & _stems_of("unsettling_words") - part.stems
    words = (clause.words - part.words) & list_words("attaching_words")
    return tuple(sorted({*turning, *words, *_differ_in_parts(part, clause, cited)}))


def _differ_in_parts(part: Clause, clause: Clause, cited: Sequence[CitedClause]) -> frozenset[str]:
    """Return in what parts beside their own words the two differ.

    These are the labels of numbered things that one of them lacks ("Room 2"), words before a counted noun
    ("40 *seated* people"), and what leads into the clause or is appended to it.
    """
    counted = _qualifiers(clause) - _qualifiers(part) - part.stems
    added = _qualifiers(part) - _qualifiers(clause) - clause.stems
    beside = _list_beside(clause, cited) - part.stems
    return (counted | added | beside) - _weightless() | (_labels(part) ^ _labels(clause))


def relates_otherwise(part: Clause, clause: Clause) -> bool:
    """Return whether each of the two has a small word of relation that the other lacks: rose by, rose to."""
    relating = list_words("relating_words")
    return bool((part.words - clause.words) & relating and (clause.words - part.words) & relating)


def _weightless() -> frozenset[str]:
    return _stems_of("weightless_words") | _stems_of("neutral")


@cache
def _stems_of(name: str) -> frozenset[str]:
    return frozenset(list_stems(" ".join(list_words(name))))


@cache
def _small() -> frozenset[str]:
    return load_word_lists("stop_words")["english"]


@cache
def _plain() -> frozenset[str]:
    return list_words("weightless_words") | list_words("linking")


def _measured(clause: Clause) -> frozenset[str]:
    """Return the nouns of what is measured, where a label has one as the statement has a verb."""
    return _stems_of("measure_nouns") if _LABEL.match(clause.text) else frozenset()


def _reader(part: Clause) -> frozenset[str]:
    """Return the nouns for whoever reads the text, where the statement says "you"."""
    return _stems_of("reader_words") if part.words & _ADDRESSED else frozenset()


def _granted(clause: Clause) -> frozenset[str]:
    """Return the stems of words behind "is" or "are" that only say that something is so."""
    words = pairwise(read_words(clause.stated))
    told = [
        word for before, word in words if before in _BEING and word in list_words("granted_words")
    ]
    return frozenset(list_stems(" ".join(told)))


def _qualifiers(clause: Clause) -> frozenset[str]:
    """Return the stems of the words before the nouns that the clause counts."""
    found: set[str] = set()
    for one in clause.values:
        if isinstance(one.value, Quantity) and _counts(one.value):
            kept = [word for word in read_words(one.value.text) if word not in _counting()]
            found |= set(list_stems(" ".join(kept[:-1])))
        found |= _FURTHER & set(read_words(one.value.text))
    return frozenset(found)


def _counts(value: Quantity) -> bool:
    """Return whether a value counts things or days: a word may stand before what it counts."""
    unit = unit_of(value.unit or "")
    return value.kind is Kind.QUANTITY and (unit is None or unit.name != value.unit)


@cache
def _counting() -> frozenset[str]:
    return list_words("counting_words") | load_word_lists("stop_words")["numbers"]


def _labels(clause: Clause) -> frozenset[str]:
    found = _NUMBERED.finditer(clause.stated)
    return frozenset(match["label"].casefold() for match in found)


def _list_beside(clause: Clause, cited: Sequence[CitedClause]) -> frozenset[str]:
    """Return the stems of what stands in the same sentence and is no statement of its own."""
    if clause.whole:
        return frozenset()
    at = next((at for at, one in enumerate(cited) if one.clause is clause), None)
    if at is None:
        return frozenset()
    found: set[str] = set()
    before, after = cited[at - 1] if at else None, cited[at + 1] if at + 1 < len(cited) else None
    if before is not None and _are_joined(before, cited[at]) and _leads(before.clause):
        found |= {*before.clause.stems, *(one.value.text for one in before.clause.values)}
    if after is not None and _are_joined(cited[at], after) and _is_appended(after.clause):
        found |= {*after.clause.stems, *(one.value.text for one in after.clause.values)}
    return frozenset(found)


def _are_joined(one: CitedClause, other: CitedClause) -> bool:
    """Return whether two clauses of one sentence are parted by no more than a sign, on one line."""
    place, near = one.clause.place, other.clause.span.start - one.clause.span.end <= _LONGEST_SIGN
    if not near or place is None or place is not other.clause.place:
        return False
    end = place.sentence.find(one.clause.text) + len(one.clause.text)
    return "\n" not in place.sentence[end : place.sentence.find(other.clause.text, end)]


def _leads(clause: Clause) -> bool:
    """Return whether a clause only leads into the next: "Rejected", "In 2019", "Members only"."""
    stated = clause.stated
    return FINITE_VERB.search(stated) is None and len(clause.words) <= _MOST_APPENDED


def _is_appended(clause: Clause) -> bool:
    """Return whether a clause limits the one before: "excluding VAT", "if booked online"."""
    words = read_words(clause.text)
    if words and words[0] in list_words("appending_words"):
        return True
    return _leads(clause) and not clause.values
