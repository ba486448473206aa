"""What happens in a turn that runs on a server, as text that is kept, and the turn that it adds up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.core.exact_json import write_exactly
from verifier.core.json_reading import read_json
from verifier.core.turn_fields import FieldReader
from verifier.core.turn_file import read_call, read_chunk, read_turn
from verifier.core.turn_json import call_fields, chunk_to_json, turn_to_json
from verifier.core.turn_recorder import TurnRecorder
from verifier.core.turns import Origin, RetrievedChunk, ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.documents import SearchHit, SearchResult

_DEEPEST: Final = 500


class EventKind(StrEnum):
    """What happened: a tool was called, or chunks were given to the model."""

    CALL = "call"
    SEARCH = "search"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """One thing that happened, as JSON text."""

    kind: EventKind
    text: str


def write_turn(turn: Turn) -> str:
    """Return the turn without its calls; of stored chunks only the ids, so that no stored text is kept."""
    kept = tuple(map(_without_stored_text, turn.retrieved))
    return write_exactly(turn_to_json(replace(turn, calls=(), retrieved=kept)))


def write_call(call: ToolCall) -> str:
    """Return the call, numbers as they were written."""
    return write_exactly(call_fields(call))


def write_search(hits: SearchResult | Sequence[SearchHit | RetrievedChunk]) -> str:
    """Return what was given to the model, neighbours too; of stored chunks only the ids."""
    noted = TurnRecorder()
    noted.retrieved(hits)
    chunks = [chunk_to_json(_without_stored_text(one)) for one in noted.freeze().retrieved]
    return write_exactly({"chunks": chunks, "basis": noted.basis, "retriever": noted.retriever})


def restore_turn(written: str, events: Sequence[TurnEvent], *, vouched: bool) -> TurnRecorder:
    """Return the turn with all that happened in it, in order.

    Its evidence is that of a caller unless it is `vouched` for. A call without an id is named by its number.
    """
    turn = read_turn(_read(written)).turn
    told = [one for one in events if one.kind is EventKind.CALL]
    calls = [
        read_call(FieldReader(_read(one.text), f"call {at}"), at) for at, one in enumerate(told, 1)
    ]
    origin = Origin.APPLICATION if vouched else Origin.CALLER
    whole = replace(turn, calls=tuple(calls), origin=origin)
    recorder = TurnRecorder(**{field.name: getattr(whole, field.name) for field in fields(Turn)})
    for one in events:
        if one.kind is EventKind.SEARCH:
            _replay_search(recorder, _read(one.text))
    return recorder


def _replay_search(recorder: TurnRecorder, search: Mapping[str, object]) -> None:
    reader = FieldReader(search, "a search")
    recorder.retrieved([read_chunk(one) for one in reader.tables("chunks")])
    recorder.searched(basis=reader.integer("basis"), retriever=reader.text("retriever"))


def _read(written: str) -> Mapping[str, object]:
    value = read_json(written, deepest=_DEEPEST)
    return value if isinstance(value, Mapping) else {}


def _without_stored_text(chunk: RetrievedChunk) -> RetrievedChunk:
    """Return a chunk of the store by its id alone: its text is read again when an answer is verified."""
    if chunk.seq is None or chunk.ordinal is None:
        return chunk
    return RetrievedChunk(
        label=chunk.label, source=chunk.source, text="", seq=chunk.seq, ordinal=chunk.ordinal
    )
