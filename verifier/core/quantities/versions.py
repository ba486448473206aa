"""Versions of software, and numbers that belong to a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.marks import text_reading
from verifier.core.quantities.tokens import BREAK, DIGITS, END, SYMBOL, WORD
from verifier.core.tables import word_set
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream


_VERSION_WORDS: Final = frozenset({"version", "versions", "ver", "release"})
_VERSION: Final = re.compile(
    r"\d{1,5}(?:\.(?:\d{1,6}|x)){1,4}(?:-?(?:alpha|beta|rc|dev|preview|post|b|a)[.\d]{0,6})?(?:\+[\w.]{1,20})?(?![\w])",
    re.IGNORECASE,
)
_THREES: Final = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")


def read_version(stream: Stream, index: int) -> Reading | None:
    """Return the version that starts at `index`: `v2.004`, `version 3.2`, `Python 3.10`, or None."""
    if stream.kinds[index] == DIGITS:
        return _bare_version(stream, index)
    word, number = stream.folds[index], _number_after(stream, index)
    if stream.kinds[number] != DIGITS:
        return None
    if word == "v":
        near = stream.starts[number] - stream.ends[index] <= 1
        return _version_at(stream, index, number) if near else None
    if word not in _VERSION_WORDS or (word == "release" and "." not in stream.words[number]):
        return None
    found = _version_at(stream, number, number)
    return found and found._replace(name=_product_before(stream, index))


def _number_after(stream: Stream, index: int) -> int:
    """Return the index of the number that `v`, `v.`, `version`, `version: v` announce."""
    word, number = stream.folds[index], index + 1
    if word == "v":
        return number + (stream.words[number] == ".")
    if word in _VERSION_WORDS and stream.words[number] in {".", ":", "v", "number"}:
        return number + 1 + (stream.words[number] == "." and stream.folds[number + 1] == "v")
    return number


def _product_before(stream: Stream, index: int) -> str | None:
    word = stream.words[index - 1] if index else ""
    return word if word[:1].isupper() and stream.kinds[index - 1] == WORD else None


def _version_at(stream: Stream, index: int, number: int) -> Reading | None:
    match = _VERSION.match(stream.text, stream.starts[number])
    stops = match.end() if match else stream.ends[number]
    if match is None and (
        not stream.words[number].isdecimal()
        or (stream.glued(number + 1) and stream.kinds[number + 1] == WORD)
    ):
        return None
    return text_reading(
        stream, Kind.VERSION, index, stops, stream.text[stream.starts[number] : stops]
    )


def _bare_version(stream: Stream, index: int) -> Reading | None:
    """Return `1.2.3`, or `3.10` and `11` after the name of a software product."""
    word, before = stream.words[index], stream.words[index - 1] if index else ""
    if (
        word.count(".") == 3
        and "," not in word
        and all(len(part) <= 3 and int(part) < 256 for part in word.split("."))
    ):
        return text_reading(stream, Kind.IDENTIFIER, index, stream.ends[index])
    named = before[:1].isupper() and before.lower() in word_set("quantity_words", "versioned")
    pre = stream.folds[index - 1] if index else ""
    named = named or pre in {
        "python",
        "java",
        "php",
        "ruby",
        "postgres",
        "postgresql",
        "ubuntu",
        "ios",
        "macos",
        "windows",
        "node",
    }
    dotted = (
        word.count(".") >= 2
        and not (word.count(".") == 2 and len(word.split(".")[2]) == 4)
        and not _THREES.fullmatch(word)
    )
    titled = (
        word.count(".") == 1
        and "," not in word
        and len(word) <= 5
        and _is_name(stream, index - 1)
        and not _continues(stream, index)
    )
    if not (named or dotted or titled):
        return None
    found = _version_at(stream, index, index)
    if found is None or (named and "." not in word and _continues(stream, index)):
        return None
    return found._replace(name=before if named or titled else None)


def _continues(stream: Stream, index: int) -> bool:
    """Return whether a unit-like mark follows the number at `index`."""
    return stream.words[index + 1] in {"%", "€", "$", "£", "°", "±"} or (
        stream.kinds[index + 1] == WORD
        and stream.folds[index + 1]
        in {
            "percent",
            "usd",
            "eur",
            "million",
            "billion",
            "kg",
            "g",
            "km",
            "m",
            "cm",
            "gb",
            "mb",
            "ghz",
        }
    )


def _is_name(stream: Stream, index: int) -> bool:
    """Return whether token `index` is a capitalised word that does not open its sentence."""
    word = stream.words[index] if index >= 0 else ""
    if not (word[:1].isupper() and stream.kinds[index] == WORD and len(word) > 1):
        return False
    if word.lower() in word_set("quantity_words", "not_nouns") or word.lower() in word_set(
        "quantity_words", "verbs"
    ):
        return False
    before = stream.words[index - 1] if index else ""
    return (
        index > 0
        and stream.kinds[index - 1] not in {BREAK, END}
        and before not in set('.!?:|;•*-–—"“([')
    )


def in_name(stream: Stream, index: int, end: int) -> bool:
    """Return whether the bare number at `index` belongs to a name: `Orbit 15`, `English 101`."""
    word = stream.words[index]
    if not word.isdecimal() or len(word) > 4 or end != index + 1:
        return False
    if stream.words[end] in {"%", "+"} or (
        stream.glued(end) and stream.kinds[end] == SYMBOL and stream.words[end] in "-–/"
    ):
        return False
    return _is_name(stream, index - 1) and stream.gap(index) in {" ", "\u00a0"}
