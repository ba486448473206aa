"""Bytes as text. What is in no certain encoding is an error that says how to convert it."""

from __future__ import annotations

import codecs
from typing import Final

from verifier.errors import UnreadableDocument

_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_SAMPLED_BYTES: Final = 20_000
_CONTROL_SHARE_LIMIT: Final = 0.02
_CONTROLS: Final = frozenset(range(32)) - frozenset(b"\t\n\r\f\v\x1b")
_LATIN: Final = frozenset({"iso8859-1", "ascii"})
_STATEFUL: Final = ("iso2022", "hz")
"""Encodings whose bytes are ASCII as well; only their declaration tells them."""


def decode(content: bytes, name: str, *, declared: str | None = None) -> str:
    """Decode UTF-8, UTF-16 and UTF-32 with their mark, or the encoding that the document declares.

    An encoding is never guessed: a wrong guess would alter what is later quoted as exact. UTF-8 goes
    before what is declared, since other text hardly ever happens to be UTF-8. Raises UnreadableDocument.
    """
    marked = find_mark(content)
    codec = None if declared is None or marked else _find_codec(declared, name)
    if codec is not None and codec.startswith(_STATEFUL):
        return _decode_as(content, codec, name)
    try:
        return _decode_as(content, marked or "utf-8-sig", name)
    except UnreadableDocument:
        if codec is None or codec.startswith("utf"):
            raise
        return _decode_as(content, codec, name)


def find_mark(content: bytes) -> str | None:
    """Return the encoding that a byte order mark tells, UTF-8 apart."""
    return next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)


def _find_codec(declared: str, name: str) -> str:
    """Return Python's name of a declared encoding; Latin-1 means Windows-1252, as in browsers."""
    try:
        codec = codecs.lookup(declared.strip()).name
    except LookupError:
        raise UnreadableDocument(
            f"{name}: declares the unknown encoding {declared[:40]!r}; convert it to UTF-8"
        ) from None
    return "cp1252" if codec in _LATIN else codec


def _decode_as(content: bytes, encoding: str, name: str) -> str:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableDocument(
            f"{name}: byte {error.start} is no {encoding.removesuffix('-sig')}; {suggest_encoding(content)}"
        ) from None
    except (UnicodeError, LookupError) as error:
        raise UnreadableDocument(
            f"{name}: is no {encoding}: {error}; {suggest_encoding(content)}"
        ) from None
    if "\x00" in text:
        raise UnreadableDocument(f"{name}: holds NUL characters, so it is no text; remove them")
    return text


def suggest_encoding(content: bytes) -> str:
    """Return what to do about bytes that are in no encoding that is read."""
    from charset_normalizer import from_bytes

    sample = content[:_SAMPLED_BYTES]
    controls = sum(byte in _CONTROLS for byte in sample)
    best = None if controls > len(sample) * _CONTROL_SHARE_LIMIT else from_bytes(sample).best()
    if best is None:
        return "it looks binary; convert it to text first"
    return f"if it is {best.encoding}, convert it with: iconv -f {best.encoding} -t utf-8"
