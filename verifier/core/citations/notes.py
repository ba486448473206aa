"""Notes that only name a source: "[^1]: hours.txt", "[1] handbook#0", and the marks that point to them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import Citation
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.citations.author_years import Bibliography
    from verifier.core.citations.labels import KnownLabels
    from verifier.core.citations.links import Addresses

_NOTE: Final = re.compile(
    r"""^[ ]{0,3} (?: \\?\[(?P<caret>\^?)(?P<name>[^\[\]\n^]{1,80}?)\\?\](?P<colon>:?)
                    | (?P<number>[0-9]{1,3})[.)] )
        [ \t]+ (?P<told>[^\n]{1,600}) $""",
    re.VERBOSE | re.MULTILINE,
)
_REFERENCE: Final = re.compile(r"\[\^(?P<name>[^\[\]\n]{1,80})\]")
_LINK: Final = re.compile(
    r"(?:\[(?P<text>[^\[\]\n]{1,300})\]\(|<)?(?P<target>https?://[^\s<>()]{1,2000})[>)]?"
)
_TITLED: Final = re.compile(
    r"(?P<label>\S{1,300}?)(?:,|:|\s[–—-])\s+\S"
)  # hours.txt – Opening hours
_SIGNS: Final = ".#/@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A line that names sources under a mark; `name` is how the mark is written, with its caret."""

    name: str
    labels: tuple[str, ...]
    span: Span


class NoteReader:
    """Reads the notes of answers against what is known of the sources."""

    def __init__(
        self, labels: KnownLabels, bibliography: Bibliography, addresses: Addresses
    ) -> None:
        self._labels = labels
        self._bibliography = bibliography
        self._addresses = addresses

    def find(self, text: str) -> tuple[Note, ...]:
        """Return the notes of `text` that name a source and say nothing else."""
        return tuple(self._notes(text))

    def _notes(self, text: str) -> Iterator[Note]:
        for match in _NOTE.finditer(text):
            name = match["name"] or match["number"]
            formal = bool(match["caret"] or match["colon"])
            labels = self._read(match["told"].strip(), formal=formal)
            own = None if match["caret"] else self._labels.find(name)
            if labels and own in {None, labels[0]}:
                span = Span(*match.span())
                yield Note(name=f"{match['caret'] or ''}{name}", labels=labels, span=span)

    def _read(self, told: str, *, formal: bool) -> tuple[str, ...]:
        read = self._labels.read(told.rstrip("."))
        if read and self._labels.are_known(read):
            return tuple(one.label for one in read)
        entry = self._bibliography.find_entry(told)
        if entry:
            return entry
        link = _LINK.match(told)
        known = self._addresses.find(link["target"]) if link is not None else None
        if known is not None:
            return (known,)
        titled = _TITLED.match(told) if formal else None
        label = self._labels.find(titled["label"]) if titled is not None else None
        return (label,) if label is not None and any(sign in label for sign in _SIGNS) else ()


class Notes:
    """The notes of one answer, by the name of their mark."""

    def __init__(self, text: str, notes: Sequence[Note], labels: KnownLabels) -> None:
        self._text = text
        self._notes = notes
        self._labels = labels
        self._told: defaultdict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
        for note in notes:
            self._told[note.name][note.labels] = None

    def find_marks(self) -> Iterator[list[Citation]]:
        """Yield the citations of the notes themselves and of each footnote that points to one.

        A footnote without any note cites what its name is the label of; one whose note tells something else
        is text.
        """
        for note in self._notes:
            yield [Citation(label=one, span=note.span, mark=note.span) for one in note.labels]
        noted = {match["name"] for match in _NOTE.finditer(self._text) if match["caret"]}
        for match in _REFERENCE.finditer(self._text):
            name = match["name"]
            known = self._labels.find(f"^{name}") or self._labels.find(name)
            told = Citation(
                label=known or name, span=Span(*match.span("name")), mark=Span(*match.span())
            )
            if f"^{name}" in self._told:
                yield list(self._cite(told, f"^{name}"))
            elif name not in noted and (known or (name.isdigit() and not noted and self._labels)):
                yield [told]

    def explain(self, found: Iterable[Citation]) -> Iterator[Citation]:
        """Yield the citations, those of an unknown number by the note of the answer that tells what it is."""
        for one in found:
            told = one.label in self._told and not one.readings
            if told and self._labels.find(one.label) is None:
                yield from self._cite(one, one.label)
            else:
                yield one

    def _cite(self, citation: Citation, name: str) -> Iterator[Citation]:
        """Yield a citation for each label of a note; of several notes of one name each may be meant."""
        told = list(self._told[name])
        if len(told) == 1:
            yield from (replace(citation, label=label) for label in told[0])
            return
        readings = tuple(dict.fromkeys(label for labels in told for label in labels))
        yield replace(citation, label=readings[0], readings=readings)
