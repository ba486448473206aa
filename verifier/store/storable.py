"""What Postgres can hold: text without NUL and lone surrogates, JSON of such text."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from verifier.errors import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NUL: Final = "\x00"
REPLACEMENT: Final = "\ufffd"


def is_storable(text: str) -> bool:
    """Return whether Postgres can hold the text as it is; a key that it can't hold names nothing."""
    return NUL not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def mend_surrogates(text: str) -> str:
    """Return the text with surrogate pairs joined and lone surrogates turned into U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def storable_text(text: str) -> str:
    """Return the text as it can be logged: NUL and lone surrogates become U+FFFD."""
    return mend_surrogates(text).replace(NUL, REPLACEMENT)


def storable_json(record: Mapping[str, object]) -> str:
    """Return the JSON text of `record`, its strings as in `storable_text`.

    Values that JSON has no form for (dates, Decimals) are written as text. Raises ValueError for NaN
    and infinite numbers.
    """
    return json.dumps(_mend(record), ensure_ascii=False, allow_nan=False, default=str)


def _mend(value: object) -> object:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(str(name)): _mend(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_mend(member) for member in value]
    return value


@contextmanager
def refusing_unstorable(name: str) -> Iterator[None]:
    """Raise UnreadableDocument naming `name` where Postgres refuses a value of it."""
    from asyncpg import exceptions as driver

    try:
        yield
    except (driver.DataError, driver.ProgramLimitExceededError, ValueError) as error:
        raise UnreadableDocument(f"{name} can't be stored: {error}") from error
