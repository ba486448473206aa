"""The main content of an HTML page as text. selectolax is imported when a page is read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.errors import UnreadableDocument
from verifier.ingest.decoding import decode
from verifier.ingest.formats import require_package
from verifier.ingest.html_nodes import INLINE, inline_text, is_shown, read_number, read_words, walk
from verifier.ingest.html_tables import read_table
from verifier.ingest.markup import TextWriter
from verifier.ingest.reading import Reading

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DECLARED_WITHIN: Final = 4_096
_CHARSET: Final = re.compile(
    rb"""<meta[^>]{0,200}? charset \s*=\s* ["']? \s* (?P<meta>[\w.:-]{1,40})
        | <\?xml[^>]{0,100}? encoding \s*=\s* ["'] (?P<xml>[\w.:-]{1,40})""",
    re.VERBOSE | re.IGNORECASE,
)  # <meta charset="utf-8">
_HEADING: Final = re.compile("h([1-6])")
_DEEPEST_ITEM: Final = 20
_LINES: Final = re.compile(r"[ ]*\n[ ]*")
_SPACES: Final = re.compile("  +")


def read_html(content: bytes, name: str, *, declared: str | None = None) -> Reading:
    """Return the main content of a page: what stands in `main`, its only `article`, else its body.

    Menus, forms, scripts, what is hidden and what is struck out are left out. `declared` is the encoding
    that its sender told. Raises UnreadableDocument where no text is left.
    """
    page = _parse(decode(content, name, declared=declared or _find_declared(content)))
    for root in _list_roots(page):
        writer = TextWriter()
        _PageReader(writer).read(root)
        text = writer.text()
        if text.strip():
            return Reading(text=text, title=_find_title(page, root))
    raise UnreadableDocument(
        f"{name}: the page shows no text; a page that scripts fill must be saved as it is shown"
    )


def _parse(markup: str) -> LexborHTMLParser:
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise require_package("selectolax", "html") from None
    return LexborHTMLParser(markup)


def _find_declared(content: bytes) -> str | None:
    match = _CHARSET.search(content[:_DECLARED_WITHIN])
    return None if match is None else (match["meta"] or match["xml"]).decode("ascii", "replace")


def _list_roots(page: LexborHTMLParser) -> list[LexborNode]:
    """Return where the content may stand, the likeliest first."""
    mains = [node for node in page.css("main, [role=main]") if is_shown(node)]
    articles = [] if mains else [node for node in page.css("article") if is_shown(node)]
    roots = mains[:1] or (articles if len(articles) == 1 else [])
    return roots + ([] if page.body is None else [page.body])


def _find_title(page: LexborHTMLParser, root: LexborNode) -> str | None:
    headings = [node for node in root.css("h1") if is_shown(node)]
    if len(headings) == 1:
        return read_words(headings[0]) or None
    title = page.css_first("title")
    return None if title is None else " ".join(title.text().split()) or None


@dataclass(slots=True)
class _List:
    """A list that is open; `number` is that of its next item, None where items have no number."""

    indent: str
    number: int | None
    step: int
    letters: bool


@dataclass(slots=True)
class _Item:
    mark: str
    indent: str
    begun: bool = False


class _PageReader:
    """Writes the blocks of a page as they come; text gathers until a block begins or ends."""

    def __init__(self, writer: TextWriter) -> None:
        self._writer = writer
        self._gathered: list[str] = []
        self._lists: list[_List] = []
        self._items: list[_Item] = []
        self._level = 0
        self._taken: int | None = None

    def read(self, root: LexborNode) -> None:
        """Write all that is shown below `root`."""
        for node, begins in walk(root):
            if self._taken is not None:
                if node.mem_id == self._taken and not begins:
                    self._taken = None
            elif node.is_text_node:
                if begins:
                    self._gathered.append(inline_text(node))
            elif node.is_element_node:
                self._read_element(node, begins=begins)
        self._flush()

    def _read_element(self, node: LexborNode, *, begins: bool) -> None:
        tag = node.tag or ""
        if tag == "br":
            self._gathered += ["\n"] if begins else []
        elif tag == "q":
            self._gathered.append('"')
        elif tag not in INLINE:
            self._flush()
            self._read_block(node, tag, begins=begins)

    def _read_block(self, node: LexborNode, tag: str, *, begins: bool) -> None:
        heading = _HEADING.fullmatch(tag)
        if heading is not None:
            self._level = int(heading[1]) if begins else 0
        elif tag in {"ul", "ol"}:
            if begins:
                self._lists.append(self._open_list(node, tag))
            elif self._lists:
                self._lists.pop()
        elif tag == "li":
            self._read_item(node, begins=begins)
        elif begins and tag in {"table", "pre"} and self._take(node, tag):
            self._taken = node.mem_id

    def _take(self, node: LexborNode, tag: str) -> bool:
        """Write a table or a listing as a whole; return False where its blocks are read one by one."""
        if tag == "pre":
            self._writer.add_code(node.text())
            return True
        table = read_table(node)
        if table is None:
            return False
        self._writer.add_paragraph(table.caption)
        self._writer.add_table(table.rows, heads=table.heads)
        return True

    def _open_list(self, node: LexborNode, tag: str) -> _List:
        indent = "  " * min(len(self._items), _DEEPEST_ITEM)
        if tag == "ul":
            return _List(indent, None, 0, letters=False)
        start = read_number(node, "start")
        number = 1 if start is None else start
        letters = (node.attributes.get("type") or "") in {"a", "A"}
        return _List(indent, number, -1 if "reversed" in node.attributes else 1, letters=letters)

    def _read_item(self, node: LexborNode, *, begins: bool) -> None:
        if not begins:
            self._items = self._items[:-1]
            return
        inside = self._lists[-1] if self._lists else _List("", None, 0, letters=False)
        told = read_number(node, "value")
        if inside.number is not None and told is not None:
            inside.number = told
        self._items.append(_Item(_mark(inside), inside.indent))
        if inside.number is not None:
            inside.number += inside.step

    def _flush(self) -> None:
        text = _SPACES.sub(" ", _LINES.sub("\n", "".join(self._gathered))).strip(" \n")
        self._gathered.clear()
        if not text:
            return
        if self._level:
            self._writer.add_heading(self._level, text)
        elif not self._items:
            self._writer.add_paragraph(text)
        elif not self._items[-1].begun:
            item = self._items[-1]
            item.begun = True
            self._writer.add_item(text, mark=item.mark, indent=item.indent)
        else:
            self._writer.add_paragraph(text, indent=self._items[-1].indent + "  ")


def _mark(inside: _List) -> str:
    if inside.number is None:
        return "-"
    if inside.letters and 1 <= inside.number <= 26:
        return f"{chr(ord('a') + inside.number - 1)})"
    return f"{inside.number}."
