"""Recording a turn while it runs: tool calls as they return, chunks as they are given to the model."""

from __future__ import annotations

import functools
import inspect
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from verifier.core.documents import SearchResult
from verifier.core.plain_json import copy_plain, to_plain
from verifier.core.turns import RetrievedChunk, ToolCall, Turn
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from verifier.core.documents import SearchHit

    AnyCallable = TypeVar("AnyCallable", bound=Callable[..., Any])


class TurnRecorder:
    """Collects the evidence of one turn; `freeze` gives the turn itself.

    Results are copied when they are recorded, as plain values: what the application changes afterwards
    does not change the evidence. Objects of any kind are taken by their fields.
    """

    def __init__(self, **turn_fields: Any) -> None:  # noqa: ANN401 -- the fields of `Turn`, as they are
        """Start a turn; the arguments are the fields of `Turn`. Raises InputError for another name."""
        known = {field.name for field in fields(Turn)}
        for name in turn_fields:
            if name not in known:
                raise InputError(f"a turn has no {name!r}; it has {', '.join(sorted(known))}")
        self._turn = Turn(**turn_fields)
        self._calls: list[ToolCall] = list(self._turn.calls)
        self._retrieved: list[RetrievedChunk] = list(self._turn.retrieved)
        self._basis: int | None = None
        self._searches: dict[str, None] = {}

    @property
    def basis(self) -> int | None:
        """The basis that the newest recorded search saw; None where none was recorded."""
        return self._basis

    @property
    def retriever(self) -> str | None:
        """How what the model was given was searched: what the turn tells, else what its searches tell."""
        return self._turn.retriever or "; ".join(self._searches) or None

    def record(
        self,
        tool: str,
        arguments: Mapping[str, object] | None,
        result: object,
        *,
        ok: bool = True,
        complete: bool = True,
        call_id: str | None = None,
        shown_chars: int | None = None,
    ) -> ToolCall:
        """Record one call and return it. A failed call (`ok` false) proves nothing.

        `complete` is false where the result was truncated or is one page of several; so is a call's whose
        result could not be copied whole (too large, nested too deeply, unreadable).
        """
        copied = copy_plain(result)
        call = ToolCall(
            call_id=call_id or f"call-{len(self._calls) + 1}",
            tool=tool,
            arguments={str(name): to_plain(value) for name, value in (arguments or {}).items()},
            result=copied.value,
            ok=ok,
            complete=complete and copied.whole,
            shown_chars=shown_chars,
            turn=self._turn.current_turn,
        )
        self._calls.append(call)
        return call

    def retrieved(self, hits: SearchResult | Sequence[SearchHit | RetrievedChunk]) -> None:
        """Record chunks that were given to the model; one that was recorded before counts once.

        The neighbours in the extracts of a result count as given, too.
        """
        found: Iterable[SearchHit | RetrievedChunk]
        if isinstance(hits, SearchResult):
            self.searched(basis=hits.basis, retriever=_describe(hits))
            found = (*hits.hits, *_neighbours(hits))
        else:
            found = hits
        known = {chunk.label for chunk in self._retrieved}
        for hit in found:
            chunk = hit if isinstance(hit, RetrievedChunk) else _chunk(hit)
            if chunk.label not in known:
                self._retrieved.append(chunk)
                known.add(chunk.label)

    def number(self, labels: Sequence[str]) -> None:
        """Let the marks [1], [2] … of the answer mean these chunks, in their order."""
        self._turn = replace(
            self._turn, numbering={str(at): label for at, label in enumerate(labels, 1)}
        )

    def searched(self, *, basis: int | None, retriever: str | None) -> None:
        """Note the basis that a search saw, and in words how it found what it did."""
        if basis is not None:
            self._basis = max(basis, self._basis or 0)
        if retriever is not None:
            self._searches[retriever] = None

    def tool(self, function: AnyCallable) -> AnyCallable:
        """Return `function`, plain or async, so that each call of it is recorded under its name.

        A call that raises is recorded as failed, and the exception goes on to the caller.
        """
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def recorded_async(*args: object, **kwargs: object) -> object:
                try:
                    result = await function(*args, **kwargs)
                except BaseException as error:
                    self._record_failure(function, args, kwargs, error)
                    raise
                self.record(function.__name__, _arguments(function, args, kwargs), result)
                return result

            return cast("AnyCallable", recorded_async)

        @functools.wraps(function)
        def recorded(*args: object, **kwargs: object) -> object:
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                self._record_failure(function, args, kwargs, error)
                raise
            self.record(function.__name__, _arguments(function, args, kwargs), result)
            return result

        return cast("AnyCallable", recorded)

    def freeze(self) -> Turn:
        """Return the turn as it stands now; recording may go on."""
        return replace(self._turn, calls=tuple(self._calls), retrieved=tuple(self._retrieved))

    def _record_failure(
        self,
        function: Callable[..., object],
        args: tuple[object, ...],
        kwargs: Mapping[str, object],
        error: BaseException,
    ) -> None:
        told = {"error": type(error).__name__}
        self.record(function.__name__, _arguments(function, args, kwargs), told, ok=False)


def _arguments(
    function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> Mapping[str, object]:
    try:
        return inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        return {"args": list(args), **kwargs}


def _describe(result: SearchResult) -> str:
    """Return in words how hits were found, without the query."""
    as_of = "" if result.as_of is None else f" as of {result.as_of.isoformat()}"
    return f"{len(result.hits)} hits, {result.plan.value}, at basis {result.basis}{as_of}"


def _chunk(hit: SearchHit) -> RetrievedChunk:
    return RetrievedChunk(
        label=hit.chunk_id,
        source=hit.source,
        text=hit.text,
        seq=hit.seq,
        ordinal=hit.ordinal,
        span=hit.span,
        review_until=hit.review_until,
    )


def _neighbours(result: SearchResult) -> Iterator[RetrievedChunk]:
    reviewed = {(hit.source, hit.seq): hit.review_until for hit in result.hits}
    for extract in result.extracts:
        for chunk in extract.chunks:
            yield RetrievedChunk(
                label=chunk.chunk_id,
                source=extract.source,
                text=chunk.span.shift(-extract.span.start).of(extract.text),
                seq=extract.seq,
                ordinal=chunk.ordinal,
                span=chunk.span,
                review_until=reviewed.get((extract.source, extract.seq)),
            )
