"""The body of a verification that is streamed: lines of JSON, the first one the turn."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from verifier.interfaces.web.schemas import TurnId

_EXAMPLE: Final = '{"question": "What does the lamp cost?"}\n"The lamp "\n"costs $49.90."\n'
LONGEST_DELAY_S: Final = 60.0


class StreamBody(BaseModel):
    """The fields of a turn file without an answer, what becomes of it, and how long it may be held back."""

    model_config = ConfigDict(extra="allow", frozen=True)

    policy: Annotated[
        Literal["off", "annotate", "correct", "hold"] | None,
        Field(description="What becomes of the answer; as the server's settings say if not told."),
    ] = None
    hold: Annotated[
        list[Literal["rejected", "review", "unchecked"]] | None,
        Field(min_length=1, max_length=3, description="What stops it."),
    ] = None
    turn_id: Annotated[
        TurnId | None,
        Field(
            description="The turn kept here that the answer is of; told without any other field of it."
        ),
    ] = None
    max_delay_s: Annotated[
        float | None,
        Field(gt=0, le=LONGEST_DELAY_S, description="How long a character may be held back."),
    ] = None

    @property
    def turn(self) -> Mapping[str, object]:
        """The fields of the turn file."""
        return self.model_extra or {}


STREAM_BODY: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "required": True,
        "description": (
            "Lines of JSON, of whatever content type. The first is an object: the fields of a turn file"
            " without an answer, `policy`, `hold`, `turn_id`, `max_delay_s`. Each further one is a piece of"
            " the answer, as JSON text."
        ),
        "content": {"text/plain": {"schema": {"type": "string"}, "example": _EXAMPLE}},
    }
)

EVENTS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "description": (
            "Events `released`, `withheld`, `amended`, at last `ended` with the report; `failed` with a"
            " status and a detail where it can't go on. Their data is JSON."
        ),
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "event": {"enum": ["released", "withheld", "amended", "ended", "failed"]},
                        "data": {"type": "string", "contentMediaType": "application/json"},
                    },
                    "required": ["event", "data"],
                }
            }
        },
    }
)
