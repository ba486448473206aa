"""Texts as the engine compares them: cleaned, folded, in normal form, as stems; and spans in bytes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span
from verifier.core.text_normal import NormalText, normal_form
from verifier.core.text_stems import content_stems, stem

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "NormalText",
    "clean_text",
    "content_stems",
    "fold",
    "normal_form",
    "stem",
    "utf8_span",
    "utf16_span",
]

_LONGEST_CACHED: Final = 100
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DASHES: Final[Mapping[int, str]] = str.maketrans(dict.fromkeys("‐‑‒–—―−﹣－⁃", "-"))
_QUOTES: Final[Mapping[int, str]] = str.maketrans(
    {**dict.fromkeys("‘’‛′ʼ", "'"), **dict.fromkeys("“”„″", '"')}
)
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def clean_text(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD, so that it can be encoded."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def fold(text: str) -> str:
    """Return the form in which names and keys are compared.

    Compatibility forms, letter case, dashes, apostrophes and white space are unified, invisible
    characters dropped; nothing else is: "Müller" and "Muller" stay two names.
    """
    return _fold_short(text) if len(text) <= _LONGEST_CACHED else _fold(text)


@lru_cache(maxsize=16_384)
def _fold_short(text: str) -> str:
    return _fold(text)


def _fold(text: str) -> str:
    if text.isascii():  # nothing below but letter case and white space changes ASCII
        return " ".join(text.casefold().split())
    visible = _INVISIBLE.sub("", clean_text(text)).translate(_DASHES).translate(_QUOTES)
    plain = unicodedata.normalize("NFKC", visible).translate(_DASHES).translate(_QUOTES)
    folded = plain.casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def utf8_span(text: str, span: Span) -> Span:
    """Return `span` in bytes of the UTF-8 form of `text`; a lone surrogate counts three."""
    start = len(text[: span.start].encode("utf-8", "surrogatepass"))
    return Span(start, start + len(span.of(text).encode("utf-8", "surrogatepass")))


def utf16_span(text: str, span: Span) -> Span:
    """Return `span` in UTF-16 code units of `text`, as JavaScript counts."""
    start = len(text[: span.start].encode("utf-16-le", "surrogatepass")) // 2
    return Span(start, start + len(span.of(text).encode("utf-16-le", "surrogatepass")) // 2)
