"""One field's name and plain value, read once: the same pair occurs in many records and turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.scopes import form_in
from verifier.core.facts.texts import contained_values
from verifier.core.facts.values import read_values
from verifier.core.text import content_stems
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from verifier.core.facts.amounts import Beside
    from verifier.core.statements import ReadingTerms
    from verifier.core.values import Value

    Reader = Callable[
        [str, str | None, str | float | Decimal, str, Beside],
        "FieldReading",
    ]

_CONTAINING: Final = frozenset({Kind.TEXT, Kind.NAME, Kind.STATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldReading:
    """What a field says: readings of its value, and the values inside a text that is more than one."""

    words: tuple[str, ...]
    cues: frozenset[str]
    values: tuple[Value, ...]
    contained: tuple[Value, ...]
    contained_cues: frozenset[str]


@lru_cache(maxsize=32)
def field_reader(terms: ReadingTerms) -> Reader:
    """Return the reader of plain values by a turn's terms.

    It takes a field's name, its container's, the value, how a number that is no integer is written, and
    what is told beside it: 49.9 and 49.90 would be one key by their value alone.
    """

    @lru_cache(maxsize=32_768, typed=True)
    def read(
        name: str,
        container: str | None,
        raw: str | float | Decimal,
        written: str,  # noqa: ARG001 -- a part of the key
        beside: Beside,
    ) -> FieldReading:
        form = form_in(name, container)
        values = read_values(raw, form, terms=terms, beside=beside)
        contained: tuple[Value, ...] = ()
        stems: frozenset[str] = frozenset()
        if values and isinstance(raw, str) and values[0].kind in _CONTAINING:
            contained = contained_values(raw, form.role, terms)
            stems = frozenset(content_stems(raw)) if contained else stems
        return FieldReading(
            words=form.words,
            cues=form.cues,
            values=values,
            contained=contained,
            contained_cues=form.cues | stems,
        )

    return read
