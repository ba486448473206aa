"""Answers that are values of a type instead of text: verified as JSON, and released as the type again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from verifier.agents.answers import HeldAnswer
from verifier.core.plain_json import to_json_values

if TYPE_CHECKING:
    from verifier.agents.answers import ReleasedAnswer


def write_value(value: object) -> str:
    """Return a typed answer as JSON; what its type can't write is written as far as it is plain."""
    adapter: TypeAdapter[Any] = TypeAdapter(type(value))
    try:
        return adapter.dump_json(value).decode()
    except ValueError:
        return json.dumps(to_json_values(value))


def read_value(told: ReleasedAnswer, value: Any) -> Any:  # noqa: ANN401 -- of the framework's type
    """Return what is released of a typed answer. Raises HeldAnswer where it is held.

    A correction that the type refuses leaves the value as it was, as the report tells.
    """
    if told.held:
        raise HeldAnswer(told)
    if not told.is_changed:
        return value
    adapter: TypeAdapter[Any] = TypeAdapter(type(value))
    try:
        return adapter.validate_json(told.text)
    except ValidationError:
        return value
