"""Results as JSON values, the same for every interface."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from verifier.core.report import GroundingReport
from verifier.core.report_json import report_to_json
from verifier.core.spans import Span
from verifier.core.streaming_events import Amended, Ended, Released, Withheld
from verifier.core.streaming_json import event_to_json

if TYPE_CHECKING:
    from collections.abc import Set

_LINE_ENDS: Final = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
_AS_TEXT = (Decimal, Fraction, PurePath)


def to_wire(result: object) -> object:
    """Return the JSON value of a frozen result: dataclasses by field, enums by value, exact numbers as text.

    Times are ISO 8601 with offset, bytes hexadecimal, sets sorted, spans `[start, end]`, and a report and
    the events of a stream have their documented form. Raises TypeError for what has no form.
    """
    if isinstance(result, Enum):
        return result.value
    if result is None or isinstance(result, bool | int | float | str):
        return result
    if isinstance(result, datetime | date):
        return result.isoformat()
    if isinstance(result, _AS_TEXT):
        return str(result)
    if isinstance(result, bytes):
        return result.hex()
    if isinstance(result, Span):
        return [result.start, result.end]
    return _container_to_wire(result)


def _container_to_wire(result: object) -> object:
    if isinstance(result, GroundingReport):
        return report_to_json(result)
    if isinstance(result, Released | Withheld | Amended | Ended):
        return event_to_json(result)
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {
            field.name: to_wire(getattr(result, field.name)) for field in dataclasses.fields(result)
        }
    if isinstance(result, list | tuple):
        return [to_wire(member) for member in result]
    if isinstance(result, set | frozenset):
        return _set_to_wire(result)
    if isinstance(result, Mapping):
        return _mapping_to_wire(result)
    raise TypeError(f"{type(result).__name__} has no JSON form")


def _set_to_wire(members: Set[object]) -> list[object]:
    return sorted((to_wire(member) for member in members), key=str)


def _mapping_to_wire(mapping: Mapping[object, object]) -> dict[str, object]:
    return {str(to_wire(key)): to_wire(member) for key, member in mapping.items()}


def dump_line(value: object, *, encoding: str = "utf-8") -> str:
    """Return `value` as one line of JSON, whatever a reader takes for the end of one.

    Text that `encoding` can't carry is written as escapes.
    """
    line = json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)
    try:
        line.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, allow_nan=False)
    return line
