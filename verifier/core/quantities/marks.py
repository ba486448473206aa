"""What looks like a quantity and is none: addresses, identifiers, versions, phones, list numbers, labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.readings import Reading
from verifier.core.quantities.tokens import BREAK, DIGITS, END, WORD
from verifier.core.quantities.unitwords import find_unit
from verifier.core.tables import word_set
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.tokens import Stream

_ADDRESS: Final = re.compile(
    r"""(?:[a-zA-Z][a-zA-Z0-9+.-]{1,10}://|www\.)[^\s<>"']+             # https://charts.example/q?f=1
       |[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}                  # ann7@mail.example
       |`[^`\n]{1,500}`                                                 # `x = 5`
    """,
    re.VERBOSE,
)
_PHONE: Final = re.compile(
    r"""\+\d{1,3}[ .\-/]?(?:\(0?\d{1,4}\)[ .\-/]?)?\d{1,4}(?:[ .\-/]?\d{2,4}){1,5}(?!\d)   # +49 30 1234567
       |\(\d{3}\)[ ]?\d{3}[-. ]\d{4}(?!\d)                                     # (555) 123-4567
       |(?:\d[-.])?\d{3}[-.]\d{3}[-.]\d{4}(?![\d-])                              # 555-123-4567
       |0\d{2,4}[ ]\d{3,4}[ ]\d{3,4}(?!\d)                                     # 020 7946 0958
    """,
    re.VERBOSE,
)
_PHONE_CUES: Final = frozenset(
    {"phone", "tel", "telephone", "call", "fax", "mobile", "hotline", "whatsapp", "sms"}
)
_SPOKEN_PHONE: Final = re.compile(
    r"\+?\(?\d{2,5}\)?(?:[ .\-/]{1,2}\(?\d{2,5}\)?){1,5}(?!\d)|\d{6,15}(?!\d)"
)
_CODE: Final = re.compile(
    r"[A-Za-z0-9]{1,65}(?:(?:[-_‐‑./#]|(?<=\d)\+(?=\d{3}))[A-Za-z0-9]{1,65}){0,16}"  # J1149.5+6663
)
_MIXED: Final = re.compile(r"(?=\w*[A-Za-z])(?=\w*\d)\w{4,}")
_LONGEST_CODE: Final = 64


def find_masks(text: str) -> list[tuple[int, int]]:
    """Return the places of web and mail addresses and of inline code, in order."""
    if "://" not in text and "@" not in text and "www." not in text and "`" not in text:
        return []
    return [match.span() for match in _ADDRESS.finditer(text)]


def text_reading(stream: Stream, kind: Kind, start: int, stops: int, text: str = "") -> Reading:
    """Return a reading of something compared as text from token `start` to the character `stops`."""
    end = start + 1
    while end < stream.count and stream.starts[end] < stops:
        end += 1
    return Reading(kind, start, end, stream.starts[start], stops, None, None, text=text)


def read_phone(stream: Stream, index: int) -> Reading | None:
    """Return the phone number at token `index`, by its shape or after a word that announces one."""
    position = stream.starts[index]
    cued = _PHONE_CUES & set(stream.folds[max(0, index - 4) : index])
    match = _PHONE.match(stream.text, position) or (
        _SPOKEN_PHONE.match(stream.text, position) if cued else None
    )
    if match is None or (stream.glued(index) and stream.kinds[index - 1] in {WORD, DIGITS}):
        return None
    digits = sum(char.isdecimal() for char in match.group())
    if not (7 if not cued else 5) <= digits <= 15:
        return None
    return text_reading(stream, Kind.PHONE, index, match.end())


def opens_item(stream: Stream, index: int) -> int | None:
    """Return the index after a list number (`1.`, `2)`) that opens a line, or None."""
    word = stream.words[index]
    if not (stream.opens_line(index) and word.isdecimal() and len(word) <= 3):
        return None
    mark = index + 1
    if (
        stream.words[mark] not in {".", ")"}
        or not stream.glued(mark)
        or stream.kinds[mark + 1] in {BREAK, END}
    ):
        return None
    return mark + 1 if not stream.glued(mark + 1) else None


def skip_marker(stream: Stream, index: int) -> int | None:
    """Return the index after a citation or marker in brackets: `[5]`, `[1, 2]`, `(3)`, or None."""
    closing = "]" if stream.words[index] == "[" else ")"
    end = index + 1
    while stream.words[end].isdecimal() or (
        stream.words[end] in {",", "-", "–", ";"} and closing == "]"
    ):
        if end - index > 12 or len(stream.words[end]) > 3:
            return None
        end += 1
    return end + 1 if end > index + 1 and stream.words[end] == closing else None


def read_code(stream: Stream, index: int) -> Reading | int | None:
    """Return the identifier of glued letters and digits at `index`, the index after a label, or None.

    `ORD-10482`, `RX‑4471‑2`, `7F3A` and `#4821` are identifiers; `K4`, `15c` and `27-003` are labels.
    """
    match = _CODE.match(stream.text, stream.starts[index])
    if match is None:
        return None
    if match.end() - match.start() > _LONGEST_CODE:
        return _cluster_end(stream, index)
    code = match.group().rstrip("./")
    if not any(char.isdecimal() for char in code):
        return None
    reading = text_reading(stream, Kind.IDENTIFIER, index, match.start() + len(code))
    letters = sum(char.isalpha() for char in code)
    digits = len(re.sub(r"\D", "", code))
    mixed = any(_MIXED.fullmatch(part) for part in re.split(r"[-_‐‑./#+]", code)) and "-" in code
    telling = mixed or (digits >= 3 and (letters >= 2 or "-" in code or "‑" in code)) or digits >= 5
    return reading if telling else reading.end


def _cluster_end(stream: Stream, index: int) -> int:
    """Return the index after the tokens that are glued to the one at `index`."""
    end = index + 1
    while stream.glued(end):
        end += 1
    return end


def is_label(stream: Stream, index: int) -> bool:
    """Return whether the number at `index` only labels what the word before it names: `clause 4.2`."""
    position = index - 1
    if (
        position > 0
        and stream.words[position] == "."
        and stream.folds[position - 1]
        in {"no", "nr", "nrs", "nos", "fig", "art", "p", "pp", "ch", "sec"}
    ):
        return True
    word = stream.folds[position] if index else ""
    if word in {"§", "№", "#"}:
        return True
    if stream.words[index + 1] in {"%", "€", "$"} or (
        (found := find_unit(stream, index + 1)) is not None and len(found.letters) > 1
    ):
        return False
    if stream.kinds[position] != WORD or word not in word_set("quantity_words", "labels"):
        return False
    if word in {"no", "nos"}:
        return stream.words[position] == "No"
    return word not in {
        "part",
        "order",
        "class",
        "level",
        "model",
        "type",
        "item",
        "grade",
        "week",
        "day",
        "size",
        "volume",
        "form",
        "question",
        "exit",
    } or _labels_here(stream, index)


def _labels_here(stream: Stream, index: int) -> bool:
    return (
        stream.kinds[index + 1] != WORD
        or stream.folds[index + 1] in word_set("quantity_words", "not_nouns")
        or stream.folds[index + 1] in word_set("quantity_words", "verbs")
    )


def numbered_thing(stream: Stream, index: int) -> Reading | None:
    """Return the identifier that follows `order`, `invoice no.` …, or None."""
    word = stream.words[index]
    if not word.isdecimal() or len(word) < 4:
        return None
    state = stream.words[index - 1] if index else ""
    if (
        len(word) == 5
        and len(state) == 2
        and state.isupper()
        and stream.gap(index) == " "
        and stream.folds[index - 2] in {",", "."}
    ):
        return text_reading(stream, Kind.IDENTIFIER, index, stream.ends[index])
    before = [
        fold
        for fold in stream.folds[max(0, index - 4) : index]
        if fold not in {".", ":", "#", "number", "no", "id", "nr", "is"}
    ]
    cue = before[-1] if before else ""
    if cue not in word_set("quantity_words", "id_labels"):
        return None
    if stream.kinds[index + 1] == WORD and _counts(stream, index + 1):
        return None
    return text_reading(stream, Kind.IDENTIFIER, index, stream.ends[index])


def _counts(stream: Stream, index: int) -> bool:
    word = stream.folds[index]
    return word not in word_set("quantity_words", "not_nouns") and word not in word_set(
        "quantity_words", "verbs"
    )
