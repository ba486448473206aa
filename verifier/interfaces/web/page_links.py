"""The addresses of pages, and links to them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A way on."""

    href: str
    text: str


def answer_path(report_id: str) -> str:
    """Return the address of a logged answer."""
    return f"/answers/{report_id}"


def source_path(key: str) -> str:
    """Return the address of a source's page; keys hold any character."""
    return f"/sources/one?{urlencode({'key': key}, errors='replace')}"


def text_path(key: str, seq: int, start: int = 0) -> str:
    """Return the address of a version's text, from a character on."""
    asked: dict[str, object] = {"key": key, "seq": seq} | ({"from": start} if start else {})
    return f"/sources/text?{urlencode(asked, errors='replace')}"


def diff_path(key: str, old: int, new: int) -> str:
    """Return the address of what differs between two versions."""
    return f"/sources/diff?{urlencode({'key': key, 'old': old, 'new': new}, errors='replace')}"
