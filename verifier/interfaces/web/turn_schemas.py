"""The body of a verification: a turn file, as its published schema has it, and a policy."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from verifier.interfaces.web.schemas import TurnId

TURN_COMPONENT: Final = "Turn"


class VerifyBody(BaseModel):
    """The fields of a turn file with the answer, read by its own reader, and what becomes of the answer."""

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
        Field(description="The turn kept here that the answer is of; told with the answer alone."),
    ] = None

    @property
    def turn(self) -> Mapping[str, object]:
        """The fields of the turn file."""
        return self.model_extra or {}


@cache
def load_turn_schema() -> dict[str, Any]:
    """Return the published schema of turn files."""
    text = files("verifier").joinpath("schemas/turn.v1.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
