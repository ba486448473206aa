"""Links: they point to their own address, whatever their text is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import Citation, make_citations
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.citations.labels import KnownLabels

_DEFINITION: Final = re.compile(  # [1]: https://example.org/manual
    r"^[ ]{0,3}\[(?P<name>[^\[\]\n^][^\[\]\n]{0,200})\]:[ \t]*<?(?P<target>[^\s<>]{1,2000})>?[^\n]{0,300}$",
    re.MULTILINE,
)
_LINK: Final = re.compile(  # [manual](https://…), [[1]](https://…), [manual][1], [manual]
    r"""(?P<image>!?)\[(?P<text>(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){0,300})\]
        (?: \(\s?<?(?P<target>[^\s<>()]{1,2000}(?:\([^\s()]{0,200}\)[^\s<>()]{0,200})?)>?
              (?:\s+(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'))?\s?\)
          | \[(?P<name>[^\[\]\n]{0,200})\] )?""",
    re.VERBOSE,
)
_ADDRESS: Final = re.compile(
    r"(?:https?|ftp)://\S|mailto:\S|www\.\S|\#\w|\.{0,2}/\S|\S+\.[a-z]{2,5}(?:[/?\#]|\Z)"
)
_BARE: Final = re.compile(r"https?://[^\s<>\"'\[\]{}|\\^`]{1,2000}")
_AROUND: Final = frozenset({"[]", "()", "<>"})
_SCHEME: Final = re.compile(r"\A(?P<scheme>[a-z]+)://(?:www\.)?(?P<host>[^/?#]*)", re.IGNORECASE)
_PLAIN_PATH: Final = re.compile(r"[?#].*\Z", re.DOTALL)
_LAST_NUMBER: Final = re.compile(r"(?<!\d)[0-9]{1,3}\Z")  # of #ref-1
_MARK: Final = re.compile(r"\[?\s?[0-9]{1,3}\s?\]?")


class Addresses:
    """The addresses of the sources; fragment, slash at the end and letter case of the host are ignored."""

    def __init__(self, sources: Mapping[str, str], labels: Iterator[str]) -> None:
        told = [*sources.values(), *(one for one in labels if _SCHEME.match(one))]
        self._known = {_plain(address): address for address in told}

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, address: str) -> str | None:
        """Return the known address that is meant, or None."""
        return self._known.get(_plain(address))


def find_definitions(text: str) -> dict[str, tuple[str, Span]]:
    """Return the targets of reference links by their folded names, each with the span of its line."""
    return {
        _name(match["name"]): (match["target"], Span(*match.span()))
        for match in _DEFINITION.finditer(text)
        if _ADDRESS.match(match["target"])
    }


def find_links(
    text: str,
    definitions: Mapping[str, tuple[str, Span]],
    addresses: Addresses,
    labels: KnownLabels,
) -> Iterator[tuple[Span, list[Citation]]]:
    """Yield the span of each link, with its citation: of its address, where addresses are known.

    Where none is, a number that links is told as its address, which may be the source of that number or not;
    a link within the answer, and one whose text or address is a known label, cites that label.
    """
    for match in _LINK.finditer(text):
        target = _target(match, definitions)
        if target is None:
            continue
        image = bool(match["image"])
        yield Span(*match.span()), [] if image else _read_link(target, match, addresses, labels)
    if addresses:
        yield from _find_bare(text, addresses)


def _find_bare(text: str, addresses: Addresses) -> Iterator[tuple[Span, list[Citation]]]:
    """Yield the citation of each address that stands in the text as it is."""
    for match in _BARE.finditer(text):
        written = match.group().rstrip(".,;:!?)*_")
        if match.group().count("(") > written.count(")"):
            written = match.group().rstrip(".,;:!?*_")
        start, end = match.start(), match.start() + len(written)
        around = text[start - 1 : start] + text[end : end + 1] if start else ""
        mark = Span(start - 1, end + 1) if around in _AROUND else Span(start, end)
        label = addresses.find(written) or written
        yield mark, [Citation(label=label, span=Span(start, end), mark=mark)]


def _read_link(
    target: str, match: re.Match[str], addresses: Addresses, labels: KnownLabels
) -> list[Citation]:
    """Return the citations of a link: of the label that it names, else of its address."""
    named = _cite_label(target, match, addresses, labels)
    if named or target.startswith("#"):
        return named
    if not addresses and _MARK.fullmatch(match["text"]) is None:
        return []
    return [_cite(target, Span(*match.span()), match["text"], addresses)]


def _cite_label(
    target: str, match: re.Match[str], addresses: Addresses, labels: KnownLabels
) -> list[Citation]:
    """Return the citations of a link by its text or the name of its file; none where its address counts."""
    mark = Span(*match.span())
    if target.startswith("#"):
        read = labels.read(match["text"]) or []
        cited = make_citations(read, match.start("text"), mark)
        number = _LAST_NUMBER.search(target)
        other = labels.find(number.group()) if number is not None else None
        if len(cited) == 1 and other not in {None, cited[0].label} and cited[0].label.isdigit():
            return [replace(cited[0], readings=(cited[0].label, str(other)))]
        return cited
    if addresses or _MARK.fullmatch(match["text"]):
        return []
    bare = _PLAIN_PATH.sub("", target)
    told = labels.read(match["text"])
    if told and labels.are_known(told):
        return make_citations(told, match.start("text"), mark)
    known = labels.find(bare) or labels.find(bare.rpartition("/")[2])
    return [] if known is None else [Citation(label=known, span=mark, mark=mark)]


def _cite(target: str, mark: Span, text: str, addresses: Addresses) -> Citation:
    number = text.strip("[] ") if _MARK.fullmatch(text) and not addresses else ""
    label = addresses.find(target) or target
    return Citation(label=label, span=mark, mark=mark, readings=(target, number) if number else ())


def _target(match: re.Match[str], definitions: Mapping[str, tuple[str, Span]]) -> str | None:
    if match["target"] is not None:
        target = str(match["target"])
        return target if _ADDRESS.match(target) else None
    named = _name(match["name"] or match["text"])
    found = definitions.get(named)
    return None if found is None or found[1].contains(Span(*match.span())) else found[0]


def _name(written: str) -> str:
    return " ".join(written.casefold().split())


def _plain(address: str) -> str:
    bare = address.partition("#")[0].rstrip("/")
    scheme = _SCHEME.match(bare)
    return bare if scheme is None else f"{scheme['host'].casefold()}{bare[scheme.end() :]}"
