"""JSON schemas of frozen results, made from their types by the rules by which `to_wire` writes them."""

import ast
import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib import import_module
from pathlib import PurePath
from typing import Any, Final, NewType, is_typeddict

from verifier.core.report import GroundingReport
from verifier.core.spans import Span

PLACE: Final = "#/components/schemas/"
Schema = dict[str, Any]
_SIMPLE: Final[Mapping[object, Schema]] = types.MappingProxyType(
    {
        bool: {"type": "boolean"},
        int: {"type": "integer"},
        float: {"type": "number"},
        str: {"type": "string"},
        bytes: {"type": "string", "contentEncoding": "base16"},
        datetime: {"type": "string", "format": "date-time"},
        date: {"type": "string", "format": "date"},
        Decimal: {"type": "string"},
        Fraction: {"type": "string"},
        type(None): {"type": "null"},
        Span: {
            "type": "array",
            "items": {"type": "integer", "minimum": 0},
            "minItems": 2,
            "maxItems": 2,
        },
    }
)


class ResultSchemas:
    """Schemas of results; each dataclass becomes a component, which `components` holds by name.

    Of types that bear one name, the later ones bear that of their module before it.
    """

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self._named: dict[str, type] = {}

    def of(self, hint: object) -> Schema:
        """Return the schema of a type. Raises TypeError for one that has no JSON form."""
        if isinstance(hint, NewType):
            return self.of(hint.__supertype__)
        if hint in _SIMPLE:
            return dict(_SIMPLE[hint])
        if hint is GroundingReport:
            return {"$ref": f"{PLACE}GroundingReport"}
        if hint in {object, Any} or isinstance(hint, typing.TypeVar):
            return {}
        if isinstance(hint, type) and not typing.get_origin(hint):
            return self._of_class(hint)
        return self._of_generic(hint)

    def _of_class(self, hint: type) -> Schema:
        if issubclass(hint, Enum):
            return {"type": "string", "enum": [member.value for member in hint]}
        if issubclass(hint, PurePath):
            return {"type": "string"}
        if is_typeddict(hint) or dataclasses.is_dataclass(hint):
            return self._component(hint)
        raise TypeError(f"{hint.__name__} has no JSON form")

    def _component(self, hint: type) -> Schema:
        name = self._name(hint)
        if name not in self.components:
            self.components[name] = {}  # a type may hold others of itself
            hints = _hints_of(hint)
            names = (
                list(hints)
                if is_typeddict(hint)
                else [one.name for one in dataclasses.fields(hint)]
            )
            self.components[name] = {
                "type": "object",
                "description": inspect.cleandoc(hint.__doc__ or ""),
                "properties": {one: self.of(hints[one]) for one in names},
                "required": names,
                "additionalProperties": False,
            }
        return {"$ref": PLACE + name}

    def _name(self, hint: type) -> str:
        module = hint.__module__.rpartition(".")[2].title().replace("_", "")
        own = self._named.setdefault(hint.__name__, hint) is hint
        return hint.__name__ if own else module + hint.__name__

    def _of_generic(self, hint: object) -> Schema:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in {typing.Union, types.UnionType}:
            return {"anyOf": [self.of(argument) for argument in arguments]}
        if origin is typing.Literal:
            return {"enum": list(arguments)}
        if origin is tuple and arguments[-1] is not Ellipsis:
            several = [self.of(argument) for argument in arguments]
            return {
                "type": "array",
                "prefixItems": several,
                "minItems": len(several),
                "maxItems": len(several),
            }
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if isinstance(origin, type) and issubclass(origin, Sequence | Set):
            return {"type": "array", "items": self.of(arguments[0])}
        raise TypeError(f"{hint} has no JSON form")


def _hints_of(hint: type) -> dict[str, Any]:
    """Return the types of a class's fields, with names that are imported for type checkers alone."""
    names: dict[str, Any] = {}
    for base in reversed(hint.__mro__):
        module = sys.modules.get(base.__module__)
        if module is not None and base.__module__.startswith("verifier."):
            names |= dict(_imports_for_checkers(module))
    return typing.get_type_hints(hint, localns=names)


def _imports_for_checkers(module: types.ModuleType) -> Iterator[tuple[str, object]]:
    for statement in ast.parse(inspect.getsource(module)).body:
        if not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"):
            continue
        for imported in statement.body:
            if isinstance(imported, ast.ImportFrom) and imported.module:
                source = import_module(imported.module)
                for alias in imported.names:
                    yield alias.asname or alias.name, getattr(source, alias.name)
