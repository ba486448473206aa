"""Words before a thing that speak of a part of it: "half of ORD-7", "each item in your order ORD-7"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.speech import list_words
from verifier.core.text_stems import stem
from verifier.core.units import unit_of
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Collection

    from verifier.core.values import Value

_LONGEST: Final = 120
_LINK: Final = re.compile(  # "item of order no. ", "kettle in your ", "half the "
    r"""(?P<before>.*?) \b(?P<link>of|in|on|from|within|inside|under)\s+
        (?P<title>(?:(?:the|this|that|your|our|my|their|his|her)\s+)?
        (?:[^\W\d_]+\s+){0,2}?) (?:(?:no\.?|number|id)\s*)? [#:(*`"']*\Z""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_HALF: Final = re.compile(
    r"\b(?P<part>half)\s+(?:the\s+|your\s+)?(?:[^\W\d_]+\s+)?\Z", re.IGNORECASE
)
_EACH_ITEM: Final = re.compile(  # "For ORD-7, each item costs", not "each item LMP-1 costs"
    r"\b(?:each|every|any|one)\s+(?P<part>item|product|article|thing|unit|line|piece)\s+[a-z]",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_NEAR: Final = 5
_OTHER_NOUN: Final = frozenset({"of", "in", "on", "from", "for", "with", "by", "at", "to"})


def is_amount(value: Value) -> bool:
    """Return whether a value is shared out among the parts of a thing: money, weight, length; no count."""
    if not isinstance(value, Quantity):
        return False
    if value.kind is Kind.MONEY:
        return True
    return (
        value.kind is Kind.QUANTITY and value.unit is not None and unit_of(value.unit) is not None
    )


def find_part_word(before: str, own: Collection[str] = ()) -> str | None:
    """Return the word for a part that leads by "of" or "in" to what stands behind `before`, or None.

    `own` are stems of words that name the value's own attribute: the items of an `items_total`.
    """
    before = before[-_LONGEST:]
    half = _HALF.search(before)
    if half is not None:
        return half.group("part").casefold()
    led = _LINK.fullmatch(before)
    if led is None:
        return None
    parts, quantifiers = list_words("part_words"), list_words("part_quantifiers")
    words: list[str] = _WORD.findall(led["before"].casefold())
    for at, word in enumerate(reversed(words[-_NEAR:])):
        if word in _OTHER_NOUN and word != "of":
            return None
        is_head = at == 0 and word in parts  # the unit of, not the unit price of
        if (is_head or word in quantifiers) and stem(word) not in own:
            return word
    return None


def find_each_item(clause: str) -> str | None:
    """Return the word for a part that a clause speaks of by itself: "for ORD-7, each item costs"."""
    found = _EACH_ITEM.search(clause)
    return None if found is None else found.group("part").casefold()


def leads_inside(between: str) -> bool:
    """Return whether the words between two names put the first into the second: "kettle (ORD-7)"."""
    led = _LINK.fullmatch(between[:_LONGEST])
    return between.strip() == "(" or (led is not None and not led["before"].strip())
