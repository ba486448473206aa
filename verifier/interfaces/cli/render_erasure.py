"""What an erasure will touch, did, and how it was proved, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.store.erasure import ErasurePlan
    from verifier.store.erasure_proof import ErasureProof, ProvenErasure

_NAMED = 5


def describe_plan(plan: ErasurePlan) -> str:
    """Return what the erasure will touch, and ask."""
    versions = ", ".join(str(seq) for seq in plan.seqs[:_NAMED])
    more = f" and {len(plan.seqs) - _NAMED} more" if len(plan.seqs) > _NAMED else ""
    current = "; nothing of it will answer then" if plan.is_current else ""
    labels = "; title, URL and metadata go as well" if plan.clears_labels else ""
    shared = (
        f"; passages that also stand in {_name(plan.shared_with)} stay there"
        if plan.shared_with
        else ""
    )
    return (
        f"{plain(plan.key)}: version {versions}{more} will be erased for good:"
        f" {count(plan.characters, 'character')} in {count(plan.chunks, 'chunk')}, cited by"
        f" {count(plan.answers, 'logged answer')}{current}{labels}{shared}. Erase it?"
    )


def _name(places: Sequence[str]) -> str:
    named = ", ".join(plain(place) for place in places[:_NAMED])
    return f"{named}, …" if len(places) > _NAMED else named


def render_erasure(done: ProvenErasure) -> Iterator[Text]:
    """Yield what is gone, the tombstones, and each part of the proof."""
    erasure = done.erasure
    yield Text(
        f"erased: {count(erasure.passages, 'passage')}, {count(erasure.vectors, 'vector')};"
        f" redacted: {count(erasure.reports, 'report')}"
    )
    for stone in erasure.tombstones:
        yield Text(plain(f"tombstone {stone.tombstone_id}: {stone.key}@{stone.seq}"))
    yield from _render_proof(done.proof)
    if done.proven:
        yield Text(
            "proved on the tables; VACUUM frees the disk, write-ahead log and backups expire"
        )
    else:
        yield Text("the proof does not hold: see what was found above", style="red")


def _render_proof(proof: ErasureProof) -> Iterator[Text]:
    yield _line(
        "by id", f"{proof.resolved} of {count(proof.chunk_ids, 'chunk id')} resolve", proof.resolved
    )
    for search in proof.searches:
        told = f"asked for {count(search.queries, 'piece')}, found in {count(search.found, 'hit')}"
        yield _line(f"by search ({search.by})", told, search.found)
    rows = sum(scan.rows_with_text for scan in proof.scans)
    tables = [scan.table for scan in proof.scans if scan.rows_with_text]
    told = f"{count(proof.pieces, 'piece')} of the text, in {count(rows, 'row')} of"
    where = _name(tables) if tables else f"{count(len(proof.scans), 'table')}"
    yield _line("by scan", f"{told} {where}", rows)
    yield _line(
        "by trying again",
        f"{proof.refused} of {count(proof.texts, 'text')} refused",
        proof.texts - proof.refused,
    )
    if proof.also_stands_in:
        yield Text(f"  also stands in {_name(proof.also_stands_in)}, and stays there")


def _line(what: str, told: str, found: int) -> Text:
    return Text(f"{'✗' if found else '✓'} {what}: {told}", style="red" if found else "")
