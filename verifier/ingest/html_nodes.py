"""Nodes of a page: walking them without recursion, what is not shown, and the words of a few."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.ingest.markup import join_words, write_power

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from selectolax.lexbor import LexborNode

_UNSEEN: Final = frozenset(
    {
        *("script", "style", "noscript", "template", "head", "title", "svg", "math"),
        *("canvas", "iframe", "object", "embed", "audio", "video"),
        *("select", "button", "input", "textarea", "datalist", "dialog", "rt", "rp"),
    }
)
_STRUCK: Final = frozenset({"del", "s", "strike"})
"""What the page itself says does not hold any more: a former price must not answer."""

_ASIDE: Final = frozenset({"header", "footer", "aside"})
_ASIDE_ROLES: Final = frozenset({"banner", "contentinfo", "complementary"})
_LEADING_ROLES: Final = frozenset({"navigation", "search", "dialog", "alertdialog", "menu"})
_SECTIONS: Final = frozenset({"main", "article", "section"})
_NOT_SHOWN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")


def walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Yield each shown node below `root` as it begins (True) and, if it may hold others, ends (False)."""
    node = root.child
    while node is not None:
        hidden = node.is_element_node and not is_shown(node)
        if not hidden:
            yield node, True
            if node.child is not None:
                node = node.child
                continue
            yield node, False
        while (after := node.next) is None:
            above = node.parent
            if above is None or above.mem_id == root.mem_id:
                return
            node = above
            yield node, False
        node = after


def is_shown(node: LexborNode) -> bool:
    """Return whether an element is shown and holds: hidden, struck and leading elsewhere are not."""
    tag = node.tag
    if tag in _UNSEEN or tag in _STRUCK or tag == "nav":
        return False
    if tag in _ASIDE and not _is_within_section(node):
        return False
    attributes = node.attributes
    return not attributes or _is_shown_as(node, attributes)


def _is_shown_as(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return False
    if _NOT_SHOWN.search(attributes.get("style") or ""):
        return False
    role = attributes.get("role") or ""
    return role not in _LEADING_ROLES and (role not in _ASIDE_ROLES or _is_within_section(node))


def _is_within_section(node: LexborNode) -> bool:
    above = node.parent
    while above is not None:
        if above.tag in _SECTIONS:
            return True
        above = above.parent
    return False


def read_words(root: LexborNode) -> str:
    """Return the words below `root` in one line; what breaks lines parts words."""
    return join_words("".join(_pieces(root))).strip()


def _pieces(root: LexborNode) -> Iterator[str]:
    for node, begins in walk(root):
        if node.is_text_node:
            if begins:
                yield inline_text(node)
        elif node.tag not in INLINE:
            yield " "


INLINE: Final = frozenset(
    {
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "dfn",
            "em",
            "font",
            "i",
            "ins",
            "kbd",
            "label",
            "mark",
        ),
        *(
            "output",
            "q",
            "ruby",
            "rb",
            "samp",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "time",
            "tt",
            "u",
            "var",
            "wbr",
        ),
    }
)


def read_number(node: LexborNode, name: str) -> int | None:
    """Return the whole number that an attribute tells, None where it tells none, or one beyond all use."""
    told = (node.attributes.get(name) or "").strip()
    return int(told) if told.isascii() and told.isdigit() and len(told) < 10 else None


def inline_text(node: LexborNode) -> str:
    """Return the text of a text node as it is shown: white space as one space, powers as such."""
    text = _SPACES.sub(" ", node.text_content or "")
    above = node.parent
    return write_power(text) if above is not None and above.tag == "sup" else text
