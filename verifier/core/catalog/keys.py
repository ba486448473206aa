"""Keys as people write them, brought to the form in which a table stores them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from uuid import UUID

from verifier.core.catalog.declarations import KeyCase, KeyType

if TYPE_CHECKING:
    from verifier.core.catalog.declarations import EntityType, Key

LONGEST_KEY: Final = 200
_BIGINT: Final = 2**63
_INTEGER: Final = re.compile(r"#?([0-9]{1,19})")  # 5512, #5512
_UUID: Final = re.compile(  # {1a2b3c4d-5e6f-4890-abcd-ef0123456789}, urn:uuid:…, or without dashes
    r"(?:urn:uuid:)?\{?([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})\}?", re.IGNORECASE | re.ASCII
)


def find_key(entity: EntityType, written: object) -> str | None:
    """Return the stored form of an id as written, or None where no such id can exist.

    Whole numbers and text are ids; a uuid may be upper-case, braced, a urn, or without dashes.
    """
    if isinstance(written, bool) or not isinstance(written, (str, int)):
        return None
    if isinstance(written, int) and abs(written) >= _BIGINT:
        return None
    text = str(written).strip()
    if not text or len(text) > LONGEST_KEY or "\0" in text:
        return None
    stored = _stored_form(entity.key, text)
    if stored is None or entity.key.pattern is None:
        return stored
    matches = _compiled(entity.key.pattern).fullmatch
    return stored if matches(text) or matches(stored) else None


def _stored_form(key: Key, text: str) -> str | None:
    if key.type is KeyType.UUID:
        written = _UUID.fullmatch(text)
        return str(UUID(written.group(1))) if written else None
    if key.type is KeyType.INTEGER:
        found = _INTEGER.fullmatch(text)
        return _bigint(found.group(1)) if found else None
    if any("\ud800" <= character <= "\udfff" for character in text):
        return None
    if key.case is KeyCase.UPPER:
        return text.upper()
    return text.lower() if key.case is KeyCase.LOWER else text


def _bigint(digits: str) -> str | None:
    number = int(digits)
    return str(number) if number < _BIGINT and str(number) == digits else None


def is_distinctive(entity: EntityType) -> bool:
    """Return whether an id of this type can be told from other text by its form alone."""
    return entity.key.type is KeyType.UUID or entity.key.pattern is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
