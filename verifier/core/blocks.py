"""Blocks of a text: the headings, paragraphs, list items, table rows and fences that its lines form.

One pass over the lines, with the line before at hand, so the time is linear whatever the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator


class BlockKind(StrEnum):
    """What a block of lines is. CARD is a fence that is not labelled as code; RULE only divides."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    CARD = "card"
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines that belong together; `span` holds no white space at its ends.

    `content` is where the words begin, after a list or heading mark. `level` is a heading's (1 to 6),
    `header` marks a table's head row, whose span includes the row of dashes below it.
    """

    kind: BlockKind
    span: Span
    content: int
    level: int = 0
    header: bool = False


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    text: str
    after_blank: bool


@dataclass(slots=True)
class _Open:
    """The block that the last line belongs to, as long as further lines may join it."""

    kind: BlockKind
    start: int
    end: int
    content: int
    last_line: int
    fence: str = ""
    level: int = 0
    header: bool = False


_LINE: Final = re.compile(r"[^\n\r\f\v\x1c-\x1e\x85\u2028\u2029]+")  # "a line of text"
_HEADING: Final = re.compile(r"[ ]{0,3}(\#{1,6})(?:[ \t]+|$)")  # "## Returns"
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)")  # "```product"
_RULE: Final = re.compile(r"[ \t]*(?:-[ \t]*){3,}$|[ \t]*(?:\*[ \t]*){3,}$|[ \t]*(?:_[ \t]*){3,}$")
_UNDERLINE: Final = re.compile(r"[ ]{0,3}(?:=+|-{2,})[ \t]*$")  # "=====" below a title
_ITEM: Final = re.compile(
    r"""[ \t]*(?:>[ \t]?)*
        (?: [-*+\u2022\u2023\u2043\u25e6\u25aa\u2013] | \(?\d{1,3}[.)] | \(?[a-z][)] | \([ivx]{1,5}\) )
        [ \t]+(?=\S)""",
    re.VERBOSE,
)  # "- salt", "12. Close it", "(b) or"
_NUMBER: Final = re.compile(r"[ \t]*\(?(\d{1,3})[.)]")
_QUOTE_MARK: Final = re.compile(r"[ \t]*(?:>[ \t]?)+")  # "> quoted"
_FRONT_MATTER: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(?=[\w\"'-]+[ \t]*:)")
_ENDED: Final = tuple(".:!?;…。！？：")
_DELIMITER_SIGNS: Final = frozenset("|-: \t")
_FRONT_MATTER_LIMIT: Final = 20_000


def find_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of `text` in order; every character that is no white space is in one."""
    scanner = _Scanner(text)
    for line in _find_lines(text, scanner.read_front_matter()):
        scanner.read(line)
    scanner.close()
    return tuple(scanner.blocks)


def is_table_row(line: str) -> bool:
    """Return whether `line` is written as a row of a table with bars at its ends."""
    stripped = line.strip()
    return len(stripped) > 1 and stripped.startswith("|") and "|" in stripped[1:]


def _is_delimiter_row(line: str) -> bool:
    return "-" in line and "|" in line and _DELIMITER_SIGNS.issuperset(line)


def _find_lines(text: str, start: int) -> Iterator[_Line]:
    """Yield the lines that are not blank."""
    previous = start
    for match in _LINE.finditer(text, start):
        line = match.group()
        if line.isspace():
            continue
        gap = text[previous : match.start()]
        breaks = gap.replace("\r\n", "\n").strip(" \t")
        yield _Line(match.start(), match.end(), line, len(breaks) > 1)
        previous = match.end()


class _Scanner:
    """Reads lines one after the other and gathers them into blocks."""

    def __init__(self, text: str) -> None:
        self.blocks: list[Block] = []
        self._text = text
        self._open: _Open | None = None
        self._in_table = False

    def read_front_matter(self) -> int:
        """Take a leading block of `key: value` lines between dashes as code; return where it ends."""
        match = _FRONT_MATTER.match(self._text)
        if match is None:
            return 0
        end = self._text.find("\n---", match.end(), match.end() + _FRONT_MATTER_LIMIT)
        if end < 0:
            return 0
        self._begin(BlockKind.CODE, match.start(), end + 4, match.start())
        self.close()
        return end + 4

    def read(self, line: _Line) -> None:
        """Let `line` join the open block or begin another."""
        if self._continues_fence(line):
            return
        if line.after_blank:
            self._in_table = False
        if not (self._table(line) or self._marked(line)):
            self._prose(line)

    def _marked(self, line: _Line) -> bool:
        """Read a line whose first sign may tell what it is; few lines do."""
        first = line.text.lstrip()[:3]
        if first.isalpha():
            return False
        match first[0]:
            case "`" | "~":
                return self._fence(line)
            case "#":
                return self._heading(line)
            case "=" | "-" | "*" | "_":
                return self._underline(line) or self._rule(line) or self._item(line)
            case _:
                return self._item(line)

    def close(self) -> None:
        """End the open block, if any."""
        block = self._open
        self._open = None
        if block is None:
            return
        covered = self._text[block.start : block.end]
        start = block.start + len(covered) - len(covered.lstrip())
        end = start + len(covered.strip())
        self.blocks.append(
            Block(
                kind=block.kind,
                span=Span(start, end),
                content=min(max(block.content, start), end),
                level=block.level,
                header=block.header,
            )
        )

    def _begin(self, kind: BlockKind, start: int, end: int, content: int) -> _Open:
        self.close()
        self._open = _Open(kind, start, end, content, start)
        return self._open

    def _continues_fence(self, line: _Line) -> bool:
        block = self._open
        if block is None or not block.fence:
            return False
        block.end = line.end
        stripped = line.text.strip()
        if stripped.startswith(block.fence) and not stripped.strip(block.fence[0]):
            self.close()
        return True

    def _fence(self, line: _Line) -> bool:
        match = _FENCE.match(line.text)
        if match is None or "`" in line.text[match.end() :]:
            return False
        label = match.group(2).casefold()
        languages = load_word_lists("code_languages")["languages"]
        kind = BlockKind.CARD if label and label not in languages else BlockKind.CODE
        self._begin(kind, line.start, line.end, line.start).fence = match.group(1)
        return True

    def _table(self, line: _Line) -> bool:
        if "|" not in line.text:
            self._in_table = False
            return False
        if _is_delimiter_row(line.text) and not line.after_blank and self._head_row(line):
            return True
        if not (self._in_table or is_table_row(line.text)):
            return False
        self._begin(BlockKind.TABLE_ROW, line.start, line.end, line.start)
        return True

    def _head_row(self, line: _Line) -> bool:
        """Make the line above a row of dashes the head of a table, if it can be one."""
        block = self._open
        if block is None or "|" not in self._text[block.last_line : block.end]:
            return False
        if block.kind is BlockKind.PARAGRAPH and block.last_line > block.start:
            head, block.end = block.last_line, block.last_line
            block = self._begin(BlockKind.TABLE_ROW, head, line.end, head)
        elif block.kind not in {BlockKind.PARAGRAPH, BlockKind.TABLE_ROW}:
            return False
        block.kind, block.header, block.end = BlockKind.TABLE_ROW, True, line.end
        self._in_table = True
        return True

    def _underline(self, line: _Line) -> bool:
        block = self._open
        if block is None or block.kind is not BlockKind.PARAGRAPH or line.after_blank:
            return False
        if not _UNDERLINE.match(line.text):
            return False
        block.kind, block.end = BlockKind.HEADING, line.end
        block.level = 1 if "=" in line.text else 2
        self.close()
        return True

    def _heading(self, line: _Line) -> bool:
        match = _HEADING.match(line.text)
        if match is None:
            return False
        block = self._begin(BlockKind.HEADING, line.start, line.end, line.start + match.end())
        block.level = len(match.group(1))
        self.close()
        return True

    def _rule(self, line: _Line) -> bool:
        if not _RULE.match(line.text):
            return False
        self._begin(BlockKind.RULE, line.start, line.end, line.start)
        self.close()
        return True

    def _item(self, line: _Line) -> bool:
        match = _ITEM.match(line.text)
        if match is None or not self._may_begin_item(line):
            return False
        self._begin(BlockKind.LIST_ITEM, line.start, line.end, line.start + match.end())
        return True

    def _may_begin_item(self, line: _Line) -> bool:
        """Tell a numbered item from a wrapped line that happens to begin with a number."""
        block = self._open
        number = _NUMBER.match(line.text)
        if number is None or block is None or block.kind is not BlockKind.PARAGRAPH:
            return True
        if line.after_blank or int(number.group(1)) == 1:
            return True
        return self._text[block.last_line : block.end].rstrip().endswith(_ENDED)

    def _prose(self, line: _Line) -> None:
        block = self._open
        joins = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
        if block is None or line.after_blank or block.kind not in joins:
            mark = _QUOTE_MARK.match(line.text)
            content = line.start + (mark.end() if mark else 0)
            self._begin(BlockKind.PARAGRAPH, line.start, line.end, content)
            return
        block.end, block.last_line = line.end, line.start
