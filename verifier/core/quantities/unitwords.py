"""The unit after a number: symbols, words, compounds, in brackets or behind a hyphen."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.quantities.tokens import BREAK, DIGITS, END, IDEOGRAPH, WORD
from verifier.core.tables import read_table, word_set
from verifier.core.units import Unit, is_unit_word, raise_unit, unit_of

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

_HYPHENS: Final = frozenset("-‐‑")
_OPEN: Final = {"(": ")", "{": "}", "[": "]"}
_COMPOUND: Final = frozenset("/·⋅*^²³¹⁰⁴⁵⁶⁷⁸⁹⁻∕'′″°º%")
_STARTS: Final = frozenset("°º℃℉ΩΩ′″'\"µμÅℓ‰σ#")
_PREPOSITIONS: Final = frozenset({"in", "us", "as", "at", "am", "do", "no", "a", "so"})
_INCH_WORDS: Final = frozenset(
    [
        "thick",
        "wide",
        "long",
        "tall",
        "high",
        "deep",
        "diameter",
        "across",
        "square",
        "x",
        "by",
        "of",
    ]
)
_LONE_LETTERS: Final = frozenset("fckbanjhvwtdgslmperux")
_PARTED: Final = frozenset({"h", "hr", "hrs", "d", "m", "min", "ft", "lb", "lbs", "'", "’"})
_ENDS: Final = frozenset({BREAK, END})
_QUOTE_REACH: Final = 200
_LONGEST_PHRASE: Final = 4
_NEAR: Final = 10
_AMBIGUOUS: Final = frozenset(
    {
        "in",
        "us",
        "as",
        "at",
        "am",
        "do",
        "no",
        "so",
        "pm",
        "pa",
        "ma",
        "st",
        "mil",
        "mm",
        "bar",
        "kb",
    }
)


def is_ambiguous_unit(word: str) -> bool:
    """Return whether a unit symbol may be something else: a preposition, a letter, a magnitude, money."""
    return (
        len(word) < 2
        or word.lower() in _AMBIGUOUS
        or word.lower() in {"pound", "pounds", "degree", "degrees", "deg", "second", "quarter"}
    )


class UnitMatch(NamedTuple):
    """A unit, the index after its last token and the place after its last character."""

    unit: Unit
    end: int
    stops: int
    letters: str


def find_unit(stream: Stream, index: int) -> UnitMatch | None:
    """Return the unit that starts at token `index`, right after a number, or None."""
    kind, word = stream.kinds[index], stream.words[index]
    if kind in {END, BREAK, DIGITS}:
        return None
    if (
        word in _HYPHENS
        and stream.glued(index)
        and stream.glued(index + 1)
        and stream.kinds[index + 1] == WORD
    ):
        return _plain_unit(stream, index + 1)
    if word in _OPEN:
        return _bracketed(stream, index)
    if kind in {WORD, IDEOGRAPH} or word in _STARTS:
        return _raised(stream, _plain_unit(stream, index))
    return None


def _raised(stream: Stream, found: UnitMatch | None) -> UnitMatch | None:
    """Return `km squared` as square kilometres, and a degree with the scale that follows it in words."""
    if found is None:
        return None
    power = {"squared": 2, "cubed": 3}.get(stream.folds[found.end])
    if power and found.unit.dimension == (("length", 1),):
        return UnitMatch(
            raise_unit(found.unit, power), found.end + 1, stream.ends[found.end], found.letters
        )
    if found.unit.name == "°":
        near = stream.folds[found.end : found.end + 4]
        scale = next(
            (sign for word, sign in (("celsius", "°C"), ("fahrenheit", "°F")) if word in near), None
        )
        unit = unit_of(scale) if scale and "and" not in near else None
        return found._replace(unit=unit) if unit else found
    return found


def _bracketed(stream: Stream, index: int) -> UnitMatch | None:
    found = _plain_unit(stream, index + 1)
    if (
        found is None
        or stream.words[found.end] != _OPEN[stream.words[index]]
        or not found.unit.name.isalpha()
    ):
        return None
    return found._replace(end=found.end + 1, stops=stream.ends[found.end])


def _plain_unit(stream: Stream, index: int) -> UnitMatch | None:
    word = stream.words[index]
    if not word:
        return None
    if ord(word[0]) > 0x5FF:
        return _script_unit(stream, index)
    phrase = _phrase_unit(stream, index)
    if phrase is not None:
        return phrase
    end = _compound_end(stream, index)
    for last in range(end, index, -1):
        found = _lookup(stream, index, last)
        if found is not None:
            return found
    return None


def _compound_end(stream: Stream, index: int) -> int:
    """Return the index after the tokens that are glued into one symbol such as `kg·m/s²`."""
    end = index + 1
    while end < index + 9 and stream.glued(end):
        word = stream.words[end]
        joined = word in _COMPOUND or stream.words[end - 1] in _COMPOUND or word.isdecimal()
        minus = word in "-−" and stream.words[end + 1].isdecimal() and stream.glued(end + 1)
        after_minus = stream.words[end - 1] in "-−" and word.isdecimal()
        degree = stream.words[index] in "°º" and end == index + 1
        if not (joined or minus or after_minus or degree):
            break
        end += 1
    return end


def _lookup(stream: Stream, index: int, last: int) -> UnitMatch | None:
    text = stream.text[stream.starts[index] : stream.ends[last - 1]]
    text = text.removesuffix("'s").removesuffix("’s")
    unit = unit_of({"C": "°C", "F": "°F"}.get(text, text)) if len(text) < 24 else None
    if unit is None or not _is_meant(stream, index, last, text):
        return None
    return UnitMatch(unit, last, stream.ends[last - 1], text)


def _is_meant(stream: Stream, index: int, last: int, text: str) -> bool:
    """Return whether a unit symbol is meant as one, not a preposition, a list letter or a label."""
    if (
        stream.kinds[last] in {DIGITS, WORD}
        and stream.glued(last)
        and not _part_follows(stream, last, text)
    ):
        return False
    if text in {"'", '"', "’", "”"}:
        return stream.glued(index) and _closes_no_quote(stream, index, text)
    folded = text.lower()
    if folded in _PREPOSITIONS and text != "A" and not stream.glued(index):
        return folded == "in" and (
            _inch_follows(stream, last)
            or stream.folds[index - 2] in {"ft", "feet", "foot", "'", "′"}
        )
    if folded in _LONE_LETTERS and text.isalpha():
        return _letter_is_unit(stream, index, last)
    return True


def _part_follows(stream: Stream, last: int, text: str) -> bool:
    """Return whether the smaller part of `2h30m`, `5'11"`, `5ft11in` follows at once."""
    if stream.kinds[last] != DIGITS or text.lower() not in _PARTED:
        return False
    return text in {"'", "’"} or (stream.kinds[last + 1] == WORD and stream.glued(last + 1))


def speaks_of_temperature(stream: Stream, index: int) -> bool:
    """Return whether words or degree signs near token `index` speak of temperature."""
    near = set(stream.folds[max(0, index - _NEAR) : index + _NEAR])
    return not near.isdisjoint(word_set("quantity_words", "temperature_cues")) or bool(
        near & {"°", "℃", "℉", "º"}
    )


def _closes_no_quote(stream: Stream, index: int, mark: str) -> bool:
    begin = max(0, stream.starts[index] - _QUOTE_REACH)
    before = stream.text[begin : stream.starts[index]].rpartition("\n")[2]
    return before.count(mark) % 2 == 0 or before.rstrip("0123456789½¼¾./ ").endswith(
        ("'", "′", "x", "×")
    )


def _inch_follows(stream: Stream, index: int) -> bool:
    return (
        stream.kinds[index] in {END, BREAK}
        or stream.words[index] in ".,;:)!?"
        or stream.folds[index] in _INCH_WORDS
    )


def _letter_is_unit(stream: Stream, index: int, last: int) -> bool:
    following = stream.words[last]
    if stream.words[index] in {"F", "C"}:
        return not (following[:1].isupper() or following[:1].isdecimal()) and speaks_of_temperature(
            stream, index
        )
    if stream.glued(index):
        return True
    return not stream.words[index].isupper() or not following[:1].isupper()


@cache
def phrase_starts() -> frozenset[str]:
    """Return the first words of the unit names that have several."""
    starts: set[str] = set()
    for entry in read_table("units")["units"]:
        starts.update(
            word.split("_")[0].casefold() for word in entry.get("words", "").split() if "_" in word
        )
    return frozenset(starts | {"square", "cubic", "sq", "cu"})


def _phrase_unit(stream: Stream, index: int) -> UnitMatch | None:
    if stream.folds[index] not in phrase_starts():
        return None
    for length in range(_LONGEST_PHRASE, 1, -1):
        last = index + length
        if not _ENDS.isdisjoint(stream.kinds[index:last]):
            continue
        text = " ".join(stream.text[stream.starts[index] : stream.ends[last - 1]].split())
        unit = _phrase_lookup(text)
        if unit is not None and not (stream.glued(last) and stream.kinds[last] == WORD):
            return UnitMatch(unit, last, stream.ends[last - 1], text)
    return None


@lru_cache(maxsize=4096)
def _phrase_lookup(text: str) -> Unit | None:
    squared = text.split(" ", maxsplit=1)[0].lower() in {
        "square",
        "cubic",
        "sq",
        "cu",
        "sq.",
        "cu.",
    }
    return unit_of(text) if len(text) < 40 and (squared or is_unit_word(text.lower())) else None


def _script_unit(stream: Stream, index: int) -> UnitMatch | None:
    """Return a unit written in a script without spaces or in one outside Latin, by longest prefix."""
    table: dict[str, str] = read_table("script_units")
    start = stream.starts[index]
    for length in range(min(8, len(stream.text) - start), 0, -1):
        name = table.get(stream.text[start : start + length])
        if name is not None:
            unit = unit_of(name)
            end = index + 1
            while stream.starts[end] < start + length and stream.kinds[end] != END:
                end += 1
            return None if unit is None else UnitMatch(unit, end, start + length, name)
    unit = unit_of(stream.words[index])
    return (
        None
        if unit is None
        else UnitMatch(unit, index + 1, stream.ends[index], stream.words[index])
    )
