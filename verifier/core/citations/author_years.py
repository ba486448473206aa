"""References by name and year, against a bibliography: (Smith 2020), Smith (2020), (Rivera et al., 2021)."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import Citation
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_YEAR: Final = r"(?:1[5-9]|20)\d\d[a-z]?(?!\w)"
_PARTICLE: Final = r"(?:(?:van|von|de|der|den|del|della|di|da|la|le|ten|ter|al|bin)[ ]){0,3}"
_CAPITALISED: Final = r"[^\Wa-z\d_][\w'’-]{0,40}"
_SURNAME: Final = rf"{_PARTICLE}{_CAPITALISED}(?:[ ]{_CAPITALISED})?"
_NAMES: Final = (
    rf"{_SURNAME}(?:(?:,[ ]|,?[ ](?:and|&|und|et)[ ]){_SURNAME}){{0,5}}(?:,?[ ]et[ ]al\.?)?"
)
AUTHORS_AT_END: Final = re.compile(rf"(?<!\w){_NAMES}\s*\Z")  # Rivera et al.
_BRACKET: Final = re.compile(r"[(\[](?P<inside>[^()\[\]\n]{5,400})[)\]]")
_ENTRY: Final = re.compile(rf"(?P<names>{_NAMES}),?[ ](?P<years>{_YEAR}(?:,[ ]?{_YEAR}){{0,5}})")
_PAGES: Final = re.compile(r"[,:]?[ ](?:pp?\.?|ch(?:ap)?\.?|sec\.?|§)?[ ]?\d[\d–, -]{0,20}")
_NARRATIVE: Final = re.compile(
    rf"(?P<names>{_NAMES})[ ]\((?P<years>{_YEAR})(?:,[^()\n]{{0,30}})?\)"
)
_ONE_YEAR: Final = re.compile(_YEAR)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_JOINED: Final = re.compile(r",?[ ](?:and|&|und|et)[ ]|,[ ]")
_FIRST_AUTHOR: Final = re.compile(r"[^,;(&\d]{1,80}?(?=,|;|\(|&|\d|[ ]and[ ]|[ ]et[ ]|\Z)")


class Bibliography:
    """The entries of a bibliography by the year and the first author that they name."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._by_year: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
        self._by_entry: defaultdict[str, list[str]] = defaultdict(list)
        for key, entry in entries.items():
            self._by_entry[fold(entry)].append(key)
            first = _FIRST_AUTHOR.match(entry)
            told = f" {_plain(first.group() if first else entry)} "
            for year in dict.fromkeys(_ONE_YEAR.findall(entry)):
                self._by_year[year].append((key, told, f" {_plain(entry)} "))

    def __bool__(self) -> bool:
        return bool(self._by_year)

    def find(self, names: str, year: str) -> tuple[str, ...]:
        """Return the keys of the entries of this year whose first author is the first name."""
        first, *others = [_plain(one) for one in _JOINED.split(names.partition(" et al")[0])]
        return tuple(
            key
            for key, told, entry in self._by_year[year]
            if f" {first} " in told and all(f" {other} " in entry for other in others)
        )

    def find_entry(self, written: str) -> tuple[str, ...]:
        """Return the keys of the entries that are written here, word for word."""
        return tuple(self._by_entry.get(fold(written), ()))


def find_author_years(text: str, bibliography: Bibliography) -> Iterator[list[Citation]]:
    """Yield the citations of each reference; one that no entry fits cites its name and year."""
    for bracket in _BRACKET.finditer(text):
        parts = _read_parts(bracket["inside"])
        if parts:
            mark, offset = Span(*bracket.span()), bracket.start("inside")
            yield [
                one
                for names, years, start in parts
                for one in _cite(
                    names, years, Span(offset + start, offset + start), mark, bibliography
                )
            ]
    for match in _NARRATIVE.finditer(text):
        names = _without_leads(match["names"])
        mark = Span(match.start("years") - 1, match.end())
        if all(bibliography.find(names, year) for year in _ONE_YEAR.findall(match["years"])):
            yield _cite(names, match["years"], Span(*match.span("years")), mark, bibliography)


def _read_parts(inside: str) -> list[tuple[str, str, int]]:
    """Return names, years and place of each part between semicolons; none where one is something else."""
    found, at = [], 0
    for part in inside.split(";"):
        offset, at = at, at + len(part) + 1
        written = _without_leads(part.strip())
        match = _ENTRY.match(written)
        if match is None or not _ends(written[match.end() :]) or _is_no_author(match["names"]):
            return []
        found.append((match["names"], match["years"], offset + part.index(written)))
    return found


def _ends(rest: str) -> bool:
    return not rest.strip() or _PAGES.fullmatch(rest) is not None


def _without_leads(written: str) -> str:
    leads = load_word_lists("citations")["lead_words"]
    first, space, rest = written.partition(" ")
    while space and first.strip(".,").casefold() in leads:
        written = rest
        first, space, rest = written.partition(" ")
    return written


def _is_no_author(names: str) -> bool:
    return names.rsplit(maxsplit=1)[-1].casefold() in load_word_lists("citations")["no_authors"]


def _cite(
    names: str, years: str, span: Span, mark: Span, bibliography: Bibliography
) -> list[Citation]:
    found: list[Citation] = []
    for year in _ONE_YEAR.findall(years):
        keys = bibliography.find(names, year)
        first = _JOINED.split(names.partition(" et al")[0])[0]
        label = keys[0] if keys else f"{first} {year}"
        found.append(
            Citation(label=label, span=span, mark=mark, readings=keys if len(keys) > 1 else ())
        )
    return found


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))
