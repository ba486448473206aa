"""Durations in signatures, said in words beside them: `time_seconds=<=4665600` is at most 54 days."""

from __future__ import annotations

import re
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER: Final = r"\d+(?:\.\d+)?"
_SECONDS: Final = re.compile(
    rf"\btime_seconds=(?P<sign>~|<=|>=|<|>)?(?P<low>{_NUMBER})(?:\.\.(?P<high>{_NUMBER}))?(?![\w./])"
)
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"~": "about ", "<=": "at most ", ">=": "at least ", "<": "less than ", ">": "more than "}
)
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def speak_durations(text: str) -> str:
    """Return the text with each duration in seconds followed by what people call it, where that is whole."""
    return _SECONDS.sub(_speak, text)


def _speak(match: re.Match[str]) -> str:
    low = Fraction(match["low"])
    high = Fraction(match["high"]) if match["high"] else low
    for noun, seconds in _UNITS:
        if low % seconds == 0 and high % seconds == 0 and high >= seconds:
            much = count(int(high / seconds), noun)
            lower = f"{int(low / seconds)} to " if match["high"] else ""
            return f"{match.group()} ({_SIGNS.get(match['sign'] or '', '')}{lower}{much})"
    return match.group()
