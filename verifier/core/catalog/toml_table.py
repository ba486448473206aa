"""A table of the catalog's TOML form: its fields read one by one, with errors that name their path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import StrEnum

_Choice = TypeVar("_Choice", bound="StrEnum")
_LONGEST_IDENTIFIER: Final = 63


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A TOML table and the path at which it stands."""

    path: str
    fields: Mapping[str, object]

    def fail(self, name: str, problem: str) -> CatalogError:
        """Return the error that names the field and its path."""
        return CatalogError(f"{self.path}.{name} {problem}")

    def allow(self, allowed: frozenset[str]) -> None:
        """Refuse fields that are not among those."""
        for name in self.fields:
            if name not in allowed:
                raise self.fail(name, f"is unknown; allowed are {_listed(allowed)}")

    def text(self, name: str) -> str | None:
        """Return a text that is not empty, None where the field is absent."""
        value = self.fields.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self.fail(name, f"must be text that is not empty, not {value!r}")
        return value

    def required(self, name: str) -> str:
        """Return a text that must be there."""
        value = self.text(name)
        if value is None:
            raise self.fail(name, "is missing")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, empty where the field is absent."""
        value = self.fields.get(name, [])
        if not isinstance(value, (list, tuple)) or not all(
            isinstance(part, str) and part.strip() for part in value
        ):
            raise self.fail(name, f"must be a list of texts, not {value!r}")
        return tuple(value)

    def flag(self, name: str) -> bool:
        """Return a truth value, false where the field is absent."""
        value = self.fields.get(name, False)
        if not isinstance(value, bool):
            raise self.fail(name, f"must be true or false, not {value!r}")
        return value

    def table(self, name: str) -> TomlTable:
        """Return the table of this name, empty where it is absent."""
        value = self.fields.get(name, {})
        if not isinstance(value, Mapping):
            raise self.fail(name, f"must be a table, not {value!r}")
        return TomlTable(f"{self.path}.{name}", value)

    def column(self, name: str, fallback: str | None = None) -> str:
        """Return the name of a column."""
        value = self.text(name) or fallback
        if value is None:
            raise self.fail(name, "is missing; it names a column")
        return self.identifier(name, value)

    def choice(self, name: str, choices: type[_Choice], fallback: str | None = None) -> _Choice:
        """Return one of the values of an enumeration."""
        value = self.text(name) or fallback
        if value is None:
            raise self.fail(name, f"is missing; allowed are {_listed(choices)}")
        try:
            return choices(value)
        except ValueError:
            raise self.fail(name, f"is {value!r}; allowed are {_listed(choices)}") from None

    def columns(self, name: str) -> tuple[str, ...]:
        """Return the SQL names that a list holds."""
        return tuple(self.identifier(name, column) for column in self.texts(name))

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return a table of columns, each with the column that it equals, which is not empty."""
        told = self.table(name)
        found = tuple((told.identifier(one, one), told.column(one)) for one in told.fields)
        if not found:
            raise self.fail(name, "is missing; give the columns that are equal: there = here")
        return found

    def whole(self, name: str, most: int) -> int | None:
        """Return a whole number from 0 to `most`, None where the field is absent."""
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise self.fail(name, f"must be a whole number from 0 to {most}, not {value!r}")
        return value

    def identifier(self, name: str, value: str) -> str:
        """Return an SQL name, after `JOIN.` where a joined table holds it, if it can be one."""
        for part in value.split(".", 1):
            if not part or "\0" in part or len(part.encode("utf-8")) > _LONGEST_IDENTIFIER:
                raise self.fail(
                    name,
                    f"is {value[:80]!r}; an SQL name has 1 to {_LONGEST_IDENTIFIER} bytes and no NUL",
                )
        return value


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(str(name) for name in names))
