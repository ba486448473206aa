"""Fields of a JSON object from outside, each read as what it must be, with errors that name it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import StrEnum

    _Choice = TypeVar("_Choice", bound=StrEnum)


class FieldReader:
    """Reads one object; `where` says in errors which object is meant."""

    def __init__(self, record: object, where: str) -> None:
        if not isinstance(record, Mapping):
            raise InputError(f"{where} must be a JSON object, not {kind_of_json(record)}")
        self.fields: Mapping[str, object] = record
        self.where = where

    def allow(self, allowed: frozenset[str]) -> None:
        """Raise InputError for a field that is not allowed."""
        for name in self.fields:
            if name not in allowed:
                raise InputError(
                    f"{self.where}: unknown field {name!r}; allowed are {', '.join(sorted(allowed))}"
                )

    def text(self, name: str) -> str | None:
        """Return a text, or None where it is absent or null."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, str):
            raise self._wrong(name, "a text", value)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; a single text is a list of one."""
        value = self.fields.get(name)
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise self._wrong(name, "a list of texts", value)
        return tuple(value)

    def text_table(self, name: str) -> Mapping[str, str]:
        """Return an object of texts; numbers are taken as they are written."""
        value = self.fields.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self._wrong(name, "an object of texts", value)
        table = {str(key): _as_text(part) for key, part in value.items()}
        for key, part in table.items():
            if part is None:
                raise self._wrong(f"{name}.{key}", "a text", value[key])
        return {key: part for key, part in table.items() if part is not None}

    def integer(self, name: str) -> int | None:
        """Return a whole number, or None where it is absent or null."""
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, Decimal) and value == value.to_integral_value():
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(name, "a whole number", value)
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.fields.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def choice(self, name: str, choices: type[_Choice], default: _Choice) -> _Choice:
        """Return one of the choices."""
        value = self.text(name)
        if value is None:
            return default
        try:
            return choices(value)
        except ValueError:
            allowed = ", ".join(choices)
            raise InputError(f"{self.where}: {name} is {value!r}; allowed are {allowed}") from None

    def tables(self, name: str) -> Iterator[FieldReader]:
        """Yield a reader for each object of a list."""
        value = self.fields.get(name)
        if value is None:
            return
        if not isinstance(value, list):
            raise self._wrong(name, "a list of objects", value)
        for at, part in enumerate(value):
            yield FieldReader(part, f"{self.where}: {name}[{at}]")

    def _wrong(self, name: str, wanted: str, value: object) -> InputError:
        return InputError(f"{self.where}: {name} must be {wanted}, not {kind_of_json(value)}")


def _as_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return str(value)
    return None


def kind_of_json(value: object) -> str:
    """Return what a JSON value is, in words for an error."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
