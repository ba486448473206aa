"""Which members of a list a text names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.binding.scoring import Candidate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.passages import Passage
    from verifier.core.derivation import Operand

_LACKING: Final = re.compile(r"\b(?:no|not|non|without)[\s-]{1,3}\Z", re.IGNORECASE)


def number_of(operand: Operand) -> int | None:
    """Return the number of the thing that an operand is of, None where it is of none."""
    thing = operand.key.fact.thing if isinstance(operand.key, Candidate) else None
    return None if thing is None else thing.number


def find_named(passage: Passage, members: Sequence[Operand]) -> list[set[int]]:
    """Return which members each mention of the passage names, where it names one.

    What a thing is said to lack names none: "no water resistance".
    """
    numbers = {number_of(one) for one in members} - {None}
    text, offset = passage.sentence.text, passage.sentence.span.start
    mentions = (
        one for one in passage.mentions if not _LACKING.search(text[: one.span.start - offset])
    )
    named = ({thing.number for thing in one.things} & numbers for one in mentions)
    return [one for one in named if one]
