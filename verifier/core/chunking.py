"""Chunks of a document: exact slices along its headings, paragraphs, rows and sentences.

A section, from one heading or page to the next, is chunked by itself. Within it a chunk that is long
enough ends before a paragraph whose own text says so, by its checksum; so an edit moves the boundaries
near it and hardly others, and what is equal elsewhere keeps its input hash.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from verifier.core.blocks import Block, BlockKind, find_blocks
from verifier.core.chunk_places import PlaceFinder
from verifier.core.chunk_units import CHARACTERS_PER_TOKEN, Unit, UnitCutter
from verifier.core.documents import MARKED_UP, ChunkDraft, hash_input
from verifier.core.spans import Span
from verifier.core.text import clean_text, fold
from verifier.core.titles import heading_words
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from verifier.core.documents import Document

TARGET_TOKENS: Final = 180
"""The longest a chunk gets where the model's limit does not ask for less."""
ENOUGH_TOKENS: Final = 50
"""A chunk of as many tokens may end; of the sizes tried, the fewest new embeddings for an edit."""
SMALLEST_LIMIT: Final = 16

_FEW_TOKENS: Final = 30
_SEAM_TOKENS: Final = 4
_TITLE_CHARACTERS: Final = 200
_PATH_SIGN: Final = " > "


@dataclass(slots=True)
class _Section:
    """The blocks from one heading to the next; `path` are the headings above and of it, outermost first.

    The last `own` of them stand in the section's text.
    """

    path: tuple[str, ...] = ()
    own: int = 0
    blocks: list[Block] = field(default_factory=list)


def chunk_document(
    document: Document, *, count_tokens: Callable[[str], int], token_limit: int
) -> tuple[ChunkDraft, ...]:
    """Return the chunks of a document in order, disjoint, together all that is not blank.

    The embedded input of a chunk is the title, the headings above it that it does not itself hold,
    the head row of a table that it continues, and its text; by `count_tokens`, which counts special
    tokens too, it never exceeds `token_limit`. Headings are read where the media type is `MARKED_UP`.
    """
    if token_limit - count_tokens("") < SMALLEST_LIMIT:
        raise InputError(
            f"a limit of {token_limit} tokens is too small to chunk for; use another model"
        )
    text = document.text
    chunker = _Chunker(text, count_tokens, token_limit, document.title)
    blocks = find_blocks(text)
    places = PlaceFinder(document, blocks)
    drafts: list[ChunkDraft] = []
    for section in _find_sections(document, blocks, places):
        for draft in chunker.chunk(section):
            page, rows = places.find_page(draft.span), places.find_rows(draft.span)
            drafts.append(replace(draft, ordinal=len(drafts), page=page, rows=rows))
    return tuple(drafts)


def _find_sections(
    document: Document, blocks: Sequence[Block], places: PlaceFinder
) -> Iterator[_Section]:
    """Yield sections; headings with nothing below them belong to the section that follows.

    A section ends with its page as well, so that a chunk tells the page on which its text stands.
    """
    above: list[tuple[Block, str]] = []
    section = _Section()
    text, marked_up = document.text, document.media_type in MARKED_UP
    for block in blocks:
        is_heading = block.kind is BlockKind.HEADING and marked_up
        last = section.blocks[-1] if section.blocks else block
        if last.kind is not BlockKind.HEADING and (
            is_heading or places.parts(last.span, block.span)
        ):
            yield section
            section = _Section()
        if is_heading:
            while above and above[-1][0].level >= block.level:
                above.pop()
            above.append((block, heading_words(text, block)))
        section.blocks.append(block)
        first = section.blocks[0].span.start
        section.path = tuple(words for _, words in above)
        section.own = sum(heading.span.start >= first for heading, _ in above)
    if section.blocks:
        yield section


class _Chunker:
    """Packs the units of one text's sections into chunks within the model's limit."""

    def __init__(
        self, text: str, count_tokens: Callable[[str], int], token_limit: int, title: str | None
    ) -> None:
        self._text = text
        self._count_tokens = count_tokens
        self._limit = token_limit
        self._title = " ".join(title.split())[:_TITLE_CHARACTERS] if title else ""
        self._special = count_tokens("")
        self._prefix_budget = (token_limit - self._special) // 4

    def chunk(self, section: _Section) -> Iterator[ChunkDraft]:
        """Yield the chunks of a section."""
        path = self._fit_path(section.path)
        heads = _find_table_heads(section.blocks)
        reserved = self._count(path) + max(
            (self._count_head(head) for head in heads.values()), default=0
        )
        room = self._limit - self._special - reserved - _SEAM_TOKENS
        cutter = UnitCutter(self._text, self._count_tokens, min(TARGET_TOKENS, room))
        units = (
            unit
            for at, block in enumerate(section.blocks)
            for unit in cutter.cut_block(block, heads.get(at))
        )
        for packed in _pack(units, cutter.budget):
            yield from self._draft(packed, section, cutter)

    def _draft(
        self, units: Sequence[Unit], section: _Section, cutter: UnitCutter
    ) -> Iterator[ChunkDraft]:
        """Yield the chunk of `units`, or parts of it where the model counts more than their sum."""
        span = Span(units[0].span.start, units[-1].span.end)
        embedded = self._embedded_input(span, units[0], section)
        if self._count_tokens(embedded) <= self._limit or span.end - span.start == 1:
            yield ChunkDraft(
                ordinal=0,
                span=span,
                text=span.of(self._text),
                heading_path=section.path,
                embedded_input=embedded,
                input_hash=hash_input(embedded),
            )
            return
        for part in _halve(units, cutter):
            yield from self._draft(part, section, cutter)

    def _embedded_input(self, span: Span, first: Unit, section: _Section) -> str:
        """Return what is embedded for a chunk: what it stands under, a blank line, its text."""
        opens = span.start == section.blocks[0].span.start
        path = section.path[: len(section.path) - section.own] if opens else section.path
        above = [self._fit_path(path)]
        head = first.table_head
        if head is not None and not span.contains(head) and self._count_head(head):
            above.append(head.of(self._text))
        context = "\n".join(part for part in above if part)
        text = clean_text(span.of(self._text))
        return f"{clean_text(context)}\n\n{text}" if context else text

    def _fit_path(self, path: tuple[str, ...]) -> str:
        """Return the title and the headings in one line, the outermost left out where it is too long."""
        known = {fold(heading) for heading in path[:1]}
        titled = path if not self._title or fold(self._title) in known else (self._title, *path)
        for first in range(len(titled)):
            line = _PATH_SIGN.join(titled[first:])
            if self._count(line) <= self._prefix_budget:
                return line
        return ""

    def _count(self, text: str) -> int:
        return self._count_tokens(text) - self._special

    def _count_head(self, head: Span) -> int:
        """Return the tokens of a table's head row, 0 where it is too long to be repeated."""
        if head.end - head.start > self._prefix_budget * CHARACTERS_PER_TOKEN:
            return 0
        tokens = self._count(head.of(self._text))
        return tokens if tokens <= self._prefix_budget else 0


def _find_table_heads(blocks: Sequence[Block]) -> dict[int, Span]:
    """Return the head row of each table row, by the row's place among `blocks`."""
    heads: dict[int, Span] = {}
    head: Span | None = None
    for at, block in enumerate(blocks):
        if block.kind is not BlockKind.TABLE_ROW:
            head = None
        elif block.header:
            head = block.span
        elif head is not None:
            heads[at] = head
    return heads


def _pack(units: Iterable[Unit], budget: int) -> Iterator[list[Unit]]:
    """Yield the units of each chunk: it ends before it is too long, and after it is long enough.

    A heading never ends a chunk; a short rest joins the chunk before.
    """
    ready: list[Unit] = []
    packed: list[Unit] = []
    for unit in units:
        tokens = sum(held.size for held in packed)
        enough = tokens >= ENOUGH_TOKENS and packed[-1].kind is not BlockKind.HEADING
        if packed and ((enough and unit.opens) or tokens + unit.size > budget):
            if ready:
                yield ready
            ready, packed = packed, []
        packed.append(unit)
    together = sum(unit.size for unit in [*ready, *packed])
    if sum(unit.size for unit in packed) < _FEW_TOKENS and together <= budget:
        yield [*ready, *packed]
        return
    if ready:
        yield ready
    yield packed


def _halve(units: Sequence[Unit], cutter: UnitCutter) -> Iterator[Sequence[Unit]]:
    if len(units) > 1:
        middle = len(units) // 2
        yield units[:middle]
        yield units[middle:]
        return
    for part in cutter.halve(units[0]):
        yield [part]
