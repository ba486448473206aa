"""What to look for after an erasure: taken from the texts before, and never stored."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import format_chunk_id
from verifier.store.spaces import SpaceId, space_table
from verifier.store.tombstones import ArrivingText

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.store.pool import Connection

MOST_PIECES: Final = 12
PIECE_WORDS: Final = 12
PIECE_CHARACTERS: Final = 200
MOST_VECTORS: Final = 5
TIMEOUT_S: Final = 600.0

_PLAIN_RUN: Final = re.compile(r'[^\n\r"\\\x00-\x1f\x7f]+')  # what no output of Postgres escapes
_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedPieces:
    """What to look for: chunk ids, digests of texts, pieces of them, and vectors by space.

    `distinctive` pieces stood nowhere else; the other ones also stand in versions (`key@seq`) that stay.
    """

    places: frozenset[tuple[str, int]]
    chunk_ids: tuple[str, ...]
    texts: tuple[ArrivingText, ...]
    distinctive: tuple[str, ...]
    also_stands_in: tuple[str, ...]
    vectors: Mapping[SpaceId, tuple[NDArray[np.float32], ...]]


LIST_SLICES: Final[LiteralString] = """
    SELECT s.key, v.seq, v.version_id, v.text,
           ARRAY(SELECT c.ordinal
                   FROM chunk c
                  WHERE c.tenant_id = v.tenant_id AND c.version_id = v.version_id
                  ORDER BY c.ordinal) AS ordinals
      FROM document_version v
           JOIN source s USING (tenant_id, source_id)
     WHERE v.tenant_id = current_tenant() AND s.key = $1 AND v.seq = ANY ($2::integer[])
     ORDER BY v.seq
"""
LIST_STANDING: Final[LiteralString] = """
    SELECT s.key, v.seq, piece.words
      FROM unnest($1::text[]) AS piece (words)
           JOIN document_version v ON strpos(v.text, piece.words) > 0
           JOIN source s USING (tenant_id, source_id)
     WHERE v.tenant_id = current_tenant() AND NOT (s.key = $2 AND v.seq = ANY ($3::integer[]))
     ORDER BY s.key, v.seq
"""


async def take_pieces(conn: Connection, key: str, seqs: Sequence[int]) -> ErasedPieces:
    """Return what to look for after the versions are erased; they must still stand."""
    rows = await conn.fetch(LIST_SLICES, key, list(seqs), timeout=TIMEOUT_S)
    pieces = [piece for row in rows for piece in choose_pieces(row["text"], MOST_PIECES)]
    standing = await conn.fetch(LIST_STANDING, pieces, key, list(seqs), timeout=TIMEOUT_S)
    elsewhere = {row["words"] for row in standing}
    return ErasedPieces(
        places=frozenset((row["key"], row["seq"]) for row in rows),
        chunk_ids=tuple(
            format_chunk_id(key, row["seq"], ordinal) for row in rows for ordinal in row["ordinals"]
        ),
        texts=tuple(
            ArrivingText(
                key=key,
                text=row["text"],
                content_hash=hashlib.sha256(row["text"].encode("utf-8")).digest(),
                chunks=(),
                allow_erased=False,
                by="",
            )
            for row in rows
        ),
        distinctive=tuple(piece for piece in pieces if piece not in elsewhere),
        also_stands_in=tuple(dict.fromkeys(f"{row['key']}@{row['seq']}" for row in standing)),
        vectors=await _take_vectors(conn, [row["version_id"] for row in rows]),
    )


def choose_pieces(text: str, most: int) -> list[str]:
    """Return some stretches of single lines, spread over the text: long ones, exactly as they stand."""
    lines = sorted(
        (found.span() for found in _PLAIN_RUN.finditer(text)), key=lambda span: span[0] - span[1]
    )
    long_enough = [span for span in lines if len(text[slice(*span)].split()) >= PIECE_WORDS]
    chosen = sorted(long_enough)
    step = max(len(chosen) // most, 1)
    spans = chosen[::step][:most] if chosen else lines[:1]
    return list(dict.fromkeys(_cut(text[start:end]) for start, end in spans))


def _cut(line: str) -> str:
    words = list(_WORD.finditer(line))[:PIECE_WORDS]
    return line[words[0].start() : words[-1].end()][:PIECE_CHARACTERS] if words else line


LIST_SPACE_IDS: Final[LiteralString] = """
    SELECT space_id
      FROM embedding_space
     WHERE tenant_id = current_tenant() AND to_regclass(format('verifier.embedding_%s', space_id)) IS NOT NULL
     ORDER BY space_id
"""


def _list_vectors(space_id: SpaceId) -> LiteralString:
    return f"""
    SELECT e.vec
      FROM chunk c
           JOIN {space_table(space_id)} e USING (tenant_id, input_hash)
     WHERE c.tenant_id = current_tenant() AND c.version_id = ANY ($1::bigint[])
     ORDER BY c.version_id, c.ordinal
     LIMIT $2
"""  # noqa: S608 - the identifier comes from space_table


async def _take_vectors(
    conn: Connection, version_ids: Sequence[int]
) -> dict[SpaceId, tuple[NDArray[np.float32], ...]]:
    taken: dict[SpaceId, tuple[NDArray[np.float32], ...]] = {}
    for row in await conn.fetch(LIST_SPACE_IDS):
        space_id = SpaceId(row["space_id"])
        found = await conn.fetch(_list_vectors(space_id), list(version_ids), MOST_VECTORS)
        taken[space_id] = tuple(each["vec"].to_numpy() for each in found)
    return taken
