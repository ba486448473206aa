"""Two narrow checks that need nothing but text: numbers of an answer against all that tools returned.

They are labelled for what they are: quick, and blind to whose a number is.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from verifier.core.messages import calls_of_messages

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUPING: Final = "'’\u00a0\u2009\u202f"  # 1'299, and 1 299 with a space that holds together
_NUMBER: Final = re.compile(  # 1,299 or 8000
    rf"\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d{{1,3}}(?:[{_GROUPING}]\d{{3}})+(?!\d)|\d+"
)
_UNSEEN: Final = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
_PART: Final = rf"\d|[.,]\d|[{_GROUPING}_]\d{{3}}|[¹²³⁰-⁹¼-¾⅐-⅞]"
_SHORTEST: Final = 3


def check_history_numbers(answer: str, history: object) -> tuple[str, ...]:
    """Return the numbers of `answer` that no tool result of the whole history holds, by value.

    `history` is a message list in Anthropic or OpenAI chat form; what the user said, and what the model
    put into a call, is no observation. Only whole numbers of three digits and more are looked at, as
    digits without their grouping. Raises InputError for what is no message list.

    What it can't see: smaller numbers; whose a number is, its unit and its decimals (any tool, any turn,
    any product counts); a number that stands in an id ("003" of a chunk id); numbers in words; derived
    values. It is no substitute for verifying the answer.
    """
    held: set[str] = set()
    for call in calls_of_messages(history, where="history"):
        if call.ok:
            held.update(_numbers(_written(call.result)))
    missing = {one for one in _numbers(answer) if len(one) >= _SHORTEST and one not in held}
    return tuple(sorted(missing, key=lambda one: (len(one.lstrip("0")), one.lstrip("0"), one)))


def check_small_number(value: int, text: str) -> bool:
    """Return whether `value` stands in `text` as a whole number: 2 is not in "20", nor in "2.5".

    What it can't see: what the number counts or measures, words for numbers, and whether the text says
    it or denies it.
    """
    if value < 0:
        raise ValueError(f"a small number is not negative, as {value} is")
    pattern = rf"(?:(?<![\d.,¼-¾⅐-⅞])|(?<=\D[.,])){value}(?!{_PART})"
    return re.search(pattern, _UNSEEN.sub("", text)) is not None


def _numbers(text: str) -> Iterator[str]:
    for match in _NUMBER.finditer(_UNSEEN.sub("", text)):
        yield re.sub(r"\D", "", match.group())


def _written(result: object) -> str:
    if isinstance(result, str):
        return result
    return json.dumps(result, ensure_ascii=False, default=str)
