"""Plain values as JSON text of which `read_json` reads the same values: numbers as they were written."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Final

_LONGEST_NUMBER: Final = 100
"""A number of more characters is written as text: `read_json` would not take it."""


def write_exactly(value: object) -> str:
    """Return plain values (`core.plain_json`) as ASCII JSON; NUL and lone surrogates are escaped.

    Raises TypeError for what is no plain value.
    """
    if isinstance(value, dict):
        members = (f"{json.dumps(str(name))}:{write_exactly(part)}" for name, part in value.items())
        return f"{{{','.join(members)}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(write_exactly, value))}]"
    if isinstance(value, bool) or not isinstance(value, Decimal | int | float):
        return json.dumps(value)
    written = str(value)
    number = len(written) <= _LONGEST_NUMBER and Decimal(written).is_finite()
    return written if number else json.dumps(written)
