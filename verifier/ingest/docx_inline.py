"""The words of a Word paragraph: what it shows, with changes as accepted and without what is struck."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.ingest.markup import write_power

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ALTERNATIVES: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
)
_SPACES: Final = re.compile("  +")
_WITHIN: Final = frozenset(
    {
        *("r", "hyperlink", "ins", "moveTo", "smartTag", "fldSimple", "customXml"),
        *("sdt", "sdtContent", "dir", "bdo"),
    }
)
_WRAPPERS: Final = frozenset({"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"})
_OFF: Final = frozenset({"0", "false", "off", "none"})


def local_name(element: _Element) -> str:
    """Return the name of a Word element, blank for one of another vocabulary or a comment."""
    tag = str(element.tag)
    return tag.removeprefix(W) if tag.startswith(W) else ""


def find_child(element: _Element | None, *names: str) -> _Element | None:
    """Return the first child of a child … by Word names, None where there is none."""
    for name in names:
        element = None if element is None else element.find(W + name)
    return element


def find_wrapped(container: _Element, *names: str) -> Iterator[_Element]:
    """Yield the children of those names, also those within what wraps them."""
    for child in container:
        name = local_name(child)
        if name in names:
            yield child
        elif name in _WRAPPERS:
            yield from find_wrapped(child, *names)


def read_attribute(element: _Element | None, name: str = "val") -> str | None:
    """Return a Word attribute of an element that may be absent."""
    return None if element is None else element.get(W + name)


def is_on(properties: _Element | None, name: str) -> bool:
    """Return whether a property is set: present, and not switched off."""
    found = find_child(properties, name)
    return found is not None and (read_attribute(found) or "on") not in _OFF


def read_paragraph(paragraph: _Element) -> str:
    """Return the words of a paragraph, spaces in a row as one; line breaks stay."""
    return _SPACES.sub(" ", "".join(_pieces(paragraph)))


def _pieces(element: _Element) -> Iterator[str]:
    for child in element:
        name = local_name(child)
        if name == "r":
            yield _read_run(child)
        elif name in _WITHIN:
            yield from _pieces(child)


def _read_run(run: _Element) -> str:
    properties = find_child(run, "rPr")
    if any(is_on(properties, name) for name in ("strike", "dstrike", "vanish")):
        return ""
    text = "".join(_run_pieces(run))
    if read_attribute(find_child(properties, "vertAlign")) == "superscript":
        return write_power(text)
    return text


def _run_pieces(run: _Element) -> Iterator[str]:
    for child in run:
        name = local_name(child)
        if name == "t":
            yield child.text or ""
        elif name == "br" and read_attribute(child, "type") in {"page", "column"}:
            yield " "
        elif name in {"footnoteReference", "endnoteReference"}:
            yield write_power(read_attribute(child, "id") or "")
        else:
            yield _SIGNS.get(name, "")


def find_boxes(paragraph: _Element) -> Iterator[_Element]:
    """Yield the contents of text boxes that hang on a paragraph, of alternatives the first."""
    for box in paragraph.iter(W + "txbxContent"):
        if not any(above.tag == f"{_ALTERNATIVES}Fallback" for above in box.iterancestors()):
            yield box
