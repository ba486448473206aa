"""Writing a day the way that another was written: the same order, words, padding and marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.policy import Hindrance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, datetime

_PARTS: Final = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT: Final = 3
_YEAR_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a written day: its letters, and what they are (`year`, `month`, `day` …; "" is as it is)."""

    text: str
    role: str


def write_day(written: str, old: date | None, new: date) -> str | Hindrance:
    """Return `written`, which says the day `old`, saying `new` in the same form.

    `old` is None where no year is known. Left are forms without day and month (`tomorrow`), those that
    may be read two ways, months in other languages than English, and another year where none is written.
    """
    for parts in _readings(written):
        roles = [part.role for part in parts]
        if roles.count("day") != 1 or roles.count("month") + roles.count("month word") != 1:
            continue
        if "year" not in roles and old is not None and old.year != new.year:
            return Hindrance.OTHER_FORM
        if old is None or _write(parts, old) == written:
            return _write(parts, new)
    return Hindrance.OTHER_FORM


def write_moment(written: str, old: datetime, new: datetime) -> str | Hindrance:
    """Return `new` in the ISO 8601 form in which `written` says `old`."""
    if (old.tzinfo is None) != (new.tzinfo is None) or len(written) < len("2026-05-03T10:00"):
        return Hindrance.OTHER_FORM
    place = new.astimezone(old.tzinfo) if old.tzinfo else new
    for timespec in ("minutes", "seconds", "milliseconds", "microseconds"):
        for zulu in (False, True):
            if _iso(old, written[10], timespec, zulu=zulu) == written:
                return _iso(place, written[10], timespec, zulu=zulu)
    return Hindrance.OTHER_FORM


def _iso(moment: datetime, mark: str, timespec: str, *, zulu: bool) -> str:
    told = moment.isoformat(sep=mark, timespec=timespec)
    return told.replace("+00:00", "Z") if zulu else told


def _readings(written: str) -> Iterator[Sequence[_Part]]:
    """Yield the ways in which the parts of a written day may be meant; of figures alone only sure ones."""
    texts = [match.group() for match in _PARTS.finditer(written)]
    words = [_word_role(text) for text in texts]
    if "month word" in words:
        yield _assign(texts, words, ("day",))
        return
    figures = [text for text in texts if text.isdecimal()]
    if [len(text) for text in figures][:1] == [_YEAR_DIGITS]:
        yield _assign(texts, words, ("month", "day"))
    elif "." in written:
        yield _assign(texts, words, ("day", "month"))
    elif len(set(figures[:2])) > 1:
        yield _assign(texts, words, ("month", "day"))
        yield _assign(texts, words, ("day", "month"))


def _assign(texts: Sequence[str], words: Sequence[str], order: Sequence[str]) -> list[_Part]:
    """Return the parts with the roles of their words, figures in `order`, and one of four digits the year."""
    left = list(order)
    parts: list[_Part] = []
    for text, word in zip(texts, words, strict=True):
        role = word
        if text.isdecimal():
            role = "year" if len(text) == _YEAR_DIGITS else left.pop(0) if left else "more"
        parts.append(_Part(text, role))
    return parts


def _word_role(text: str) -> str:
    if text.casefold() in _ORDINALS:
        return "ordinal"
    if _index(text, _MONTHS) is not None:
        return "month word"
    return "weekday" if _index(text, _WEEKDAYS) is not None else ""


def _index(text: str, names: Sequence[str]) -> int | None:
    """Return which name a word is, whole or by its first letters."""
    told = text.casefold()
    for at, name in enumerate(names):
        if told in {name.casefold(), name[:_SHORT].casefold()}:
            return at
    return None


def _write(parts: Sequence[_Part], day: date) -> str:
    padded = any(part.role in {"day", "month"} and part.text.startswith("0") for part in parts)
    plain = any(part.role in {"day", "month"} and len(part.text) == 1 for part in parts)
    figures_only = all(part.role != "month word" for part in parts)
    pads = padded or (figures_only and not plain)
    return "".join(_write_part(part, day, pads=pads) for part in parts)


def _write_part(part: _Part, day: date, *, pads: bool) -> str:
    width = 2 if pads else 1
    match part.role:
        case "ordinal":
            return _as_cased(_ordinal(day.day), part.text)
        case "month word":
            return _as_long(_MONTHS[day.month - 1], part.text)
        case "weekday":
            return _as_long(_WEEKDAYS[day.weekday()], part.text)
        case _:
            figures = {"year": f"{day.year:04}", "month": f"{day.month:0{width}}"}
            return {"day": f"{day.day:0{width}}", **figures}.get(part.role, part.text)


def _as_long(name: str, like: str) -> str:
    """Return a name whole or short as the other was, in the same letter case."""
    whole = len(like) > _SHORT or like.casefold() == "may"  # which has no shorter form
    return _as_cased(name if whole else name[:_SHORT], like)


def _as_cased(text: str, like: str) -> str:
    if like.isupper():
        return text.upper()
    return text.lower() if like.islower() else text


def _ordinal(day: int) -> str:
    if day % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
