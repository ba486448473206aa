"""The title of a Markdown text."""

from __future__ import annotations

import re
from typing import Final

from verifier.core.blocks import Block, BlockKind, find_blocks

_FRONT_MATTER_TITLE: Final = re.compile(
    r"""^title[ \t]*:[ \t]*(?P<mark>["']?)(?P<title>[^\n]*?)(?P=mark)[ \t\r]*$""", re.MULTILINE
)  # title: "Refund policy"
_LONGEST_HEADING: Final = 200


def find_title(text: str) -> str | None:
    """Return the title that the front matter names, else the words of a heading at the beginning."""
    blocks = find_blocks(text)
    if blocks and blocks[0].kind is BlockKind.CODE and blocks[0].span.of(text).startswith("---"):
        match = _FRONT_MATTER_TITLE.search(blocks[0].span.of(text))
        if match and match["title"].strip():
            return match["title"].strip()[:_LONGEST_HEADING]
        blocks = blocks[1:]
    if not blocks or blocks[0].kind is not BlockKind.HEADING:
        return None
    return heading_words(text, blocks[0]) or None


def heading_words(text: str, block: Block) -> str:
    """Return the words of a heading in one line, without its marks, at most 200 characters."""
    lines = text[block.content : block.span.end].splitlines()
    if len(lines) > 1 and not lines[-1].strip("=- \t"):
        lines.pop()
    words = " ".join(" ".join(lines).split())
    return words.rstrip("#").rstrip()[:_LONGEST_HEADING]
