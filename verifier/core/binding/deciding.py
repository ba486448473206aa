"""What the candidates of a quantity come to: a thing said again, of each, in order, of a pair, described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.binding.described import decide_described
from verifier.core.binding.joint import decide_each, decide_in_order, decide_in_turn, find_restated
from verifier.core.binding.judging import decide
from verifier.core.binding.paired import decide_pair

if TYPE_CHECKING:
    from verifier.core.binding.comparing import Comparisons
    from verifier.core.binding.judging import Judgement
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.setting import Setting
    from verifier.core.binding.stated_values import StatedValue


def decide_quantity(
    compared: Comparisons, passage: Passage, stated: StatedValue, setting: Setting
) -> Judgement | None:
    """Return the judgement of the first way that reaches one; None where no candidate is above the floor."""
    return (
        find_restated(passage, stated)
        or decide_in_turn(compared, passage, stated)
        or decide_each(compared, passage, stated, setting)
        or decide_in_order(compared, passage, stated)
        or decide_pair(compared, passage, stated)
        or decide_described(compared, passage, stated)
        or decide(compared)
    )
