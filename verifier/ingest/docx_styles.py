"""What the styles of a Word document say of a paragraph: its heading level and its list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.ingest.docx_inline import W, find_child, read_attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

_TEXT_LEVEL: Final = 9
_NO_LIST: Final = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParagraphForm:
    """How a paragraph is set. `level` is that of a heading, from 1; `list_id` names its list."""

    is_title: bool
    level: int | None
    list_id: str | None
    depth: int


class Styles:
    """The paragraph styles of one document; what a style leaves open its base says."""

    def __init__(self, root: _Element | None) -> None:
        found = () if root is None else root.findall(W + "style")
        self._styles = {read_attribute(style, "styleId") or "": style for style in found}

    def read_form(self, paragraph: _Element) -> ParagraphForm:
        """Return the form of a paragraph, from itself first and then from its styles."""
        style_id = read_attribute(find_child(paragraph, "pPr", "pStyle"))
        chain = [paragraph, *self._chain(style_id)]
        names = {(read_attribute(find_child(one, "name")) or "").casefold() for one in chain[1:]}
        told = _first(chain, "outlineLvl")
        level = int(told) + 1 if told is not None and told.isdigit() else None
        list_id = _first(chain, "numPr", "numId")
        depth = _first(chain, "numPr", "ilvl") or "0"
        return ParagraphForm(
            is_title="title" in names,
            level=level if level is not None and level <= _TEXT_LEVEL else None,
            list_id=None if list_id == _NO_LIST else list_id,
            depth=int(depth) if depth.isdigit() else 0,
        )

    def _chain(self, style_id: str | None) -> Iterator[_Element]:
        seen: set[str] = set()
        while style_id is not None and style_id not in seen and style_id in self._styles:
            seen.add(style_id)
            style = self._styles[style_id]
            yield style
            style_id = read_attribute(find_child(style, "basedOn"))


def _first(chain: list[_Element], *names: str) -> str | None:
    found = (read_attribute(find_child(one, "pPr", *names)) for one in chain)
    return next((told for told in found if told is not None), None)
