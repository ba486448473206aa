"""Search hits on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render_report import indent, shorten
from verifier.interfaces.wording import count, describe_moment, describe_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.core.documents import Extract, SearchExplanation, SearchHit, SearchResult


def render_search(found: SearchResult) -> RenderableType:
    """Return the hits with source, version, span and similarity, and how they were found."""
    told = () if found.explanation is None else tuple(_tell(found.explanation))
    if not found.hits:
        nothing = Text(
            "nothing found; `verifier sources` shows what there is, and what waits for approval"
        )
        return Group(nothing, *told)
    moment = "" if found.as_of is None else f", as of {describe_moment(found.as_of)}"
    order = "" if found.reranked_by is None else f", reranked by {plain(found.reranked_by)}"
    how = Text(
        f"{count(len(found.hits), 'hit')}, {found.plan.value}, basis {found.basis}{moment}{order}",
        style="bright_black",
    )
    around = (render_extract(extract) for extract in found.extracts)
    return Group(*(render_hit(hit) for hit in found.hits), *around, how, *told)


def render_hit(hit: SearchHit) -> RenderableType:
    """Return one hit: where it stands on the first line, its text below."""
    place = describe_place(hit)
    head = Text.assemble(
        (f"{_figure(hit)} ", "bold"),
        (plain(hit.chunk_id), "cyan"),
        f"  characters {hit.span.start} to {hit.span.end}",
        f"  {plain(place)}" if place else "",
        f"  {_describe_ranks(hit)}" if hit.fused is not None else "",
        "  read in part by the reranker" if hit.read_in_part else "",
    )
    return Group(head, indent(Text(shorten(hit.text)), 6))


def _figure(hit: SearchHit) -> str:
    """Return the relevance where there is one, else the similarity, else how much of the words it has."""
    if hit.relevance is not None:
        return f"{hit.relevance:+.3f}"
    return f"{hit.similarity if hit.similarity is not None else hit.coverage or 0.0:.3f}"


def _describe_ranks(hit: SearchHit) -> str:
    places = (("meaning", hit.vector_rank), ("words", hit.words_rank))
    return ", ".join(f"{rank}. by {name}" for name, rank in places if rank is not None)


def render_extract(extract: Extract) -> RenderableType:
    """Return hits with the chunks around them: which they are, and the whole text."""
    head = Text.assemble(
        "around ",
        (", ".join(plain(chunk_id) for chunk_id in extract.hits), "cyan"),
        f"  characters {extract.span.start} to {extract.span.end}",
    )
    return Group(head, indent(Text(plain(extract.text)), 6))


def _tell(explanation: SearchExplanation) -> Iterator[RenderableType]:
    spent = ", ".join(f"{part} {ms:.1f} ms" for part, ms in explanation.milliseconds.items())
    indexes = ", ".join(explanation.indexes) or "none"
    yield Text(
        f"{explanation.reason}\nindexes read: {indexes}\nspace: {plain(explanation.space)}\n{spent}"
    )
    if explanation.unread_words:
        left = count(explanation.unread_words, "word")
        yield Text(f"{left} of the query were not looked for: it has too many", style="yellow")
    for key in explanation.unknown_keys:
        yield Text(f"no source has metadata {plain(key)!r}", style="yellow")
