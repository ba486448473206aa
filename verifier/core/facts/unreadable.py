"""Numbers that can't be read: NaN, Infinity, 1e999999. Any number may stand there: nothing is absent."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.core.facts.forms import Role, read_form
from verifier.core.facts.structured import holds_structure, looks_structured
from verifier.core.quantities import read_exact

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER: Final = re.compile(  # NaN, -Infinity, 1e999999, NaN EUR, $NaN, digits without end
    r"""(?:[A-Z]{3}\s?|[^\w\s]{1,3}\s?)?
        (?P<number>[+-]?(?:(?i:s?nan|inf|infinity)|\d{1,40}(?:\.\d{1,40})?[eE][+-]?\d+|\d{401,}(?:\.\d*)?))
        (?:\s?(?:[A-Z]{3}|[^\w\s]{1,3}))?""",
    re.VERBOSE | re.ASCII,
)
_IN_PROSE: Final = re.compile(r"(?<!\w)NaN(?!\w)", re.ASCII)
_IN_WORDS: Final = frozenset(
    {Role.ID, Role.NAME, Role.CODE, Role.PHONE, Role.ADDRESS, Role.STATE, Role.PROSE}
)


def is_unreadable(raw: object, name: str = "") -> bool:
    """Return whether a plain value, in the field of this name, holds a number that can't be read.

    A text does, too, where it is broken structure. "nan" is a word in a field of words, such as a name.
    """
    if isinstance(raw, str):
        if _IN_PROSE.search(raw) is not None or (
            looks_structured(raw) and not holds_structure(raw)
        ):
            return True
        match = _NUMBER.fullmatch(raw.strip())
        if match is None or read_exact(match["number"]) is not None:
            return False
        return read_form(name).role not in _IN_WORDS
    if isinstance(raw, bool) or not isinstance(raw, (int, float, Decimal)):
        return False
    return read_exact(raw) is None


def holds_unreadable(values: Iterable[object], name: str | None) -> bool:
    """Return whether one of a list's values is unreadable."""
    return any(is_unreadable(value, name or "") for value in values)
