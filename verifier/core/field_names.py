"""Names of fields as tools, cards and tables write them, in one folded form."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # trackingNumber: between g and N
_SEPARATORS: Final = re.compile(r"[\W_]+")  # tracking-number, tracking_number, "Tracking No."
_LONGEST_NAME: Final = 200
_MINOR: Final = frozenset({"cents", "cent", "pence", "pennies", "minor", "centimes", "paise"})


@lru_cache(maxsize=4096)
def fold_field(name: str) -> str:
    """Return `trackingNumber`, `tracking-number` and `Tracking number` alike as `tracking_number`."""
    shortened = name[:_LONGEST_NAME]
    return _SEPARATORS.sub("_", _CAMEL.sub("_", shortened)).strip("_").casefold()


def field_words(name: str) -> tuple[str, ...]:
    """Return the words of a field's name, folded, in order."""
    return tuple(word for word in fold_field(name).split("_") if word)


def cut_minor_units(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name without what says at its end that it counts minor units: total_cents.

    A name that says nothing else stays as it is.
    """
    kept = words[:-1] if words[-1:] in {("units",), ("unit",)} else words
    if kept[-1:] and kept[-1] in _MINOR and kept[:-1]:
        rest = kept[:-1]
        return rest[:-1] if rest[-1] == "in" and rest[:-1] else rest
    return words
