"""Links: they point to their own address, whatever their text is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import Citation
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
_SCHEME: Final = re.compile(r"\A(?P<scheme>[a-z]+)://(?:www\.)?(?P<host>[^/?#]*)", re.IGNORECASE)
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
    text: str, definitions: Mapping[str, tuple[str, Span]], addresses: Addresses
) -> Iterator[tuple[Span, list[Citation]]]:
    """Yield the span of each link, with its citation: of its address, where addresses are known.

    Where none is, a number that links is told as its address, which may be the source of that number or not.
    """
    for match in _LINK.finditer(text):
        target = _target(match, definitions)
        if target is None:
            continue
        mark = Span(*match.span())
        cited = not match["image"] and (
            bool(addresses) or _MARK.fullmatch(match["text"]) is not None
        )
        yield mark, [_cite(target, mark, match["text"], addresses)] if cited else []
    if not addresses:
        return
    for match in _BARE.finditer(text):
        written = match.group().rstrip(".,;:!?)*_")
        if match.group().count("(") > written.count(")"):
            written = match.group().rstrip(".,;:!?*_")
        span = Span(match.start(), match.start() + len(written))
        yield span, [_cite(written, span, "", addresses)]


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
