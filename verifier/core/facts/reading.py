"""A turn's evidence as facts: its calls in scope, its documents, the operator's text, the user's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.documents import hash_text
from verifier.core.evidence import (
    Fact,
    LedgerLocator,
    SpanLocator,
    Subject,
    TurnPart,
    TurnTextLocator,
)
from verifier.core.facts.arguments import plain_parts
from verifier.core.facts.collecting import Collector
from verifier.core.facts.forms import read_form
from verifier.core.facts.model import FactOrigin
from verifier.core.facts.records import ResultReader
from verifier.core.facts.texts import read_text
from verifier.core.facts.values import read_values
from verifier.core.ledger import calls_in_scope
from verifier.core.ledger_walk import Budget
from verifier.core.statements import ReadingTerms
from verifier.core.text import clean_text

_MOST_VALUES: Final = 100_000  # of all results: seconds
_MOST_CHARACTERS: Final = 4_000_000
_MOST_ARGUMENTS: Final = 10_000

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.evidence import Locator
    from verifier.core.facts.model import TurnEvidence
    from verifier.core.spans import Span
    from verifier.core.turns import RetrievedChunk, ToolCall, Turn


def read_evidence(turn: Turn) -> TurnEvidence:
    """Return everything that the turn's evidence says; never raises, in bounded time.

    Beyond 100,000 values, or 4,000,000 characters, of results nothing is read, and the call is incomplete.
    Results prove; documents and the operator's text too, each in its own way; the user's words and the
    arguments of calls prove nothing and are read so that a value can be told to come from there. Spans of
    what the user said before count in the messages joined by line ends.
    """
    collector = Collector()
    terms = ReadingTerms.of(turn)
    budget = Budget(nodes=_MOST_VALUES, characters=_MOST_CHARACTERS)
    asked = Budget(nodes=_MOST_ARGUMENTS, characters=_MOST_CHARACTERS)
    for position, call in enumerate(calls_in_scope(turn.calls, turn.scope, turn.current_turn)):
        _read_arguments(collector, call, position=position, terms=terms, budget=asked)
        if not (call.ok and call.complete and asked.nodes >= 0 and asked.characters >= 0):
            collector.incomplete.add(call.call_id)
        if call.ok:
            ResultReader(collector, call, position=position, terms=terms, budget=budget).read()
    for chunk in turn.retrieved:
        _read_chunk(collector, chunk, terms)
    _read_said(collector, turn, terms)
    return collector.finish()


def _read_arguments(
    collector: Collector, call: ToolCall, *, position: int, terms: ReadingTerms, budget: Budget
) -> None:
    for name, pointer, raw in plain_parts(call.arguments, budget):
        form = read_form(name)
        locator = LedgerLocator(
            call_id=call.call_id, tool=call.tool, pointer=pointer, in_arguments=True
        )
        for at, value in enumerate(read_values(raw, form, terms=terms)):
            collector.add_fact(
                Fact(subjects=(), attribute=form.words, value=value, locator=locator),
                thing=None,
                origin=FactOrigin.ARGUMENT,
                position=position,
                cues=form.cues,
                twin=at > 0,
            )


def _read_chunk(collector: Collector, chunk: RetrievedChunk, terms: ReadingTerms) -> None:
    offset = 0 if chunk.span is None else chunk.span.start

    def locate(span: Span) -> SpanLocator:
        return SpanLocator(
            source=chunk.source,
            seq=chunk.seq,
            ordinal=chunk.ordinal,
            span=span.shift(offset),
            text_hash=hash_text(span.of(chunk.text)),
        )

    text = collector.take_prose(chunk.text, chunk.label)
    _add_text(collector, text, FactOrigin.DOCUMENT, locate, terms)


def _read_said(collector: Collector, turn: Turn, terms: ReadingTerms) -> None:
    if turn.system:
        _add_part(collector, turn.system, TurnPart.SYSTEM, terms)
    if turn.question:
        _add_part(collector, turn.question, TurnPart.QUESTION, terms)
    at = 0
    for message in turn.said:
        _add_part(collector, message, TurnPart.SAID, terms, offset=at)
        at += len(message) + 1


def _add_part(
    collector: Collector, text: str, part: TurnPart, terms: ReadingTerms, *, offset: int = 0
) -> None:
    def locate(span: Span) -> TurnTextLocator:
        return TurnTextLocator(part=part, span=span.shift(offset))

    origin = FactOrigin.SYSTEM if part is TurnPart.SYSTEM else FactOrigin.USER
    _add_text(collector, collector.take_prose(text, part), origin, locate, terms)


def _add_text(
    collector: Collector,
    text: str,
    origin: FactOrigin,
    locate: Callable[[Span], Locator],
    terms: ReadingTerms,
) -> None:
    span: Span | None = None
    for told in read_text(clean_text(text), terms):
        if told.span != span:
            span, locator = told.span, locate(told.span)
        subjects = (Subject(names=(told.head,)),) if told.head else ()
        collector.add_fact(
            Fact(
                subjects=subjects,
                attribute=told.attribute,
                value=told.value,
                locator=locator,
                period=told.period,
                polarity=told.polarity,
                condition=told.condition,
            ),
            thing=None,
            origin=origin,
            position=-1,
            cues=told.cues,
            clause=told.clause,
            twin=told.twin,
        )
