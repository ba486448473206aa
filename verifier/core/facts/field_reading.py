"""One field's name and plain value, read once: the same pair occurs in many records and turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.amounts import Beside
from verifier.core.facts.scopes import form_in
from verifier.core.facts.texts import contained_values
from verifier.core.facts.values import read_values
from verifier.core.text import content_stems
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from verifier.core.statements import ReadingTerms
    from verifier.core.values import Value

    Reader = Callable[
        [str, str | None, str | float | Decimal, str | None, tuple[str | None, bool]],
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

    It takes a field's name, its container's, the value, and the currency, unit and minor units that are
    told beside it.
    """

    @lru_cache(maxsize=32_768, typed=True)
    def read(
        name: str,
        container: str | None,
        raw: str | float | Decimal,
        currency: str | None,
        beside: tuple[str | None, bool],
    ) -> FieldReading:
        form = form_in(name, container)
        told = Beside(currency=currency, unit=beside[0], minor=beside[1])
        values = read_values(raw, form, terms=terms, beside=told)
        contained: tuple[Value, ...] = ()
        if values and isinstance(raw, str) and values[0].kind in _CONTAINING:
            contained = contained_values(raw, form.role, terms)
        stems = frozenset(content_stems(str(raw))) if contained else frozenset()
        return FieldReading(
            words=form.words,
            cues=form.cues,
            values=values,
            contained=contained,
            contained_cues=form.cues | stems,
        )

    return read
