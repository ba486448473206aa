"""The prose of a turn's evidence, sentence by sentence, each with its facts and what it depends on."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.prose_rules import ProseSentence, read_record, read_sentence
from verifier.core.binding.rule_words import RuleWords, read_rule_words
from verifier.core.evidence import LedgerLocator
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.statements import ReadingTerms, read_clauses
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.facts.model import EvidenceFact
    from verifier.core.quantities import ValueMention
    from verifier.core.statements import Clause
    from verifier.core.surroundings import Surroundings

_TELLING: Final = frozenset({Kind.TEXT, Kind.NAME, Kind.STATE})
_MOST_WORDS: Final = 12
_FEWEST_WORDS: Final = 4

Record = tuple[str, str]
"""A record of a result: its call, and the JSON pointer to it."""


class ProseEvidence:
    """The sentences of prose among the facts that prove anything, in the order of their texts."""

    def __init__(self, facts: Sequence[EvidenceFact], terms: ReadingTerms) -> None:
        self._facts = facts
        self._terms = terms
        self._read: dict[Surroundings, ProseSentence] = {}

    def read(self, place: Surroundings) -> ProseSentence:
        """Return the rules of a sentence."""
        found = self._read.get(place)
        if found is None:
            facts = self._places[place]
            beside = self._texts_beside(facts[0])
            texts = (text for _, text in beside)
            names = (name for name, _ in beside)
            above = read_record(texts, names, _fields_to(facts[0]))
            mentions = values_of(_clauses(facts))
            found = read_sentence(place, mentions, self._following.get(place), above)
            self._read[place] = found
        return found

    def facts_of(self, place: Surroundings) -> Sequence[EvidenceFact]:
        """Return the facts of a sentence: its clauses and their values."""
        return self._places[place]

    @cached_property
    def statements(self) -> tuple[tuple[Surroundings | None, RuleWords, frozenset[str]], ...]:
        """All that could limit a rule: each sentence and labelled text, its words and the stems above it."""
        return (*self._sentences(), *self._labelled())

    def _sentences(self) -> Iterator[tuple[Surroundings | None, RuleWords, frozenset[str]]]:
        for place in self._places:
            read = self.read(place)
            if read.is_plain:
                yield place, read.words, read.above.stems

    def _labelled(self) -> Iterator[tuple[None, RuleWords, frozenset[str]]]:
        for fact in self._facts:
            value = fact.fact.value
            told = fact.clause is None and isinstance(value, TextValue)
            if told and len(value.text.split()) >= _FEWEST_WORDS:
                text = f"{' '.join(fact.fact.attribute)} {value.text}"
                mentions = values_of(read_clauses(text, self._terms))
                yield None, read_rule_words(text, Span(0, len(text)), mentions), frozenset()

    @cached_property
    def _places(self) -> dict[Surroundings, list[EvidenceFact]]:
        found: defaultdict[Surroundings, list[EvidenceFact]] = defaultdict(list)
        for fact in self._facts:
            if fact.clause is not None and fact.clause.place is not None:
                found[fact.clause.place].append(fact)
        return dict(found)

    @cached_property
    def _following(self) -> dict[Surroundings, Surroundings]:
        order = list(self._places)
        return dict(pairwise(order))

    @cached_property
    def _beside(self) -> dict[Record, tuple[tuple[str, str], ...]]:
        """The names and short texts of each record, those left out that tell nothing of other texts."""
        ignored = load_word_lists("rule_words")["record_fields"]
        found: defaultdict[Record, list[tuple[str, str]]] = defaultdict(list)
        for fact in self._facts:
            value = fact.fact.value
            if fact.clause is not None or value.kind not in _TELLING or _is_element(fact):
                continue
            if ignored.isdisjoint(fact.fact.attribute) and len(value.text.split()) <= _MOST_WORDS:
                name = " ".join(fact.fact.attribute)
                found[next(_records(fact), ("", ""))].append((name, value.text))
        return {record: tuple(texts) for record, texts in found.items()}

    def _texts_beside(self, fact: EvidenceFact) -> tuple[tuple[str, str], ...]:
        return tuple(told for record in _records(fact) for told in self._beside.get(record, ()))


def values_of(clauses: Sequence[Clause]) -> tuple[ValueMention, ...]:
    """Return the values of the clauses of one sentence, in order."""
    return tuple(
        sorted((one for clause in clauses for one in clause.values), key=lambda one: one.span)
    )


def _clauses(facts: Sequence[EvidenceFact]) -> tuple[Clause, ...]:
    return tuple(
        dict.fromkeys(one.clause for one in facts if one.clause is not None and one.is_whole_clause)
    )


def _records(fact: EvidenceFact) -> Iterator[Record]:
    """Yield the records that a fact of a result stands in, the nearest first."""
    locator = fact.fact.locator
    if not isinstance(locator, LedgerLocator) or locator.in_arguments:
        return
    pointer = locator.pointer
    while "/" in pointer:
        pointer = pointer.rpartition("/")[0]
        yield locator.call_id, pointer


def _is_element(fact: EvidenceFact) -> bool:
    """Return whether a fact is one of a list of plain values: none of these is about another."""
    locator = fact.fact.locator
    return isinstance(locator, LedgerLocator) and locator.pointer.rpartition("/")[2].isdecimal()


def _fields_to(fact: EvidenceFact) -> tuple[str, ...]:
    """Return the names of the fields that lead to a fact of a result."""
    locator = fact.fact.locator
    pointer = locator.pointer if isinstance(locator, LedgerLocator) else ""
    return tuple(part for part in pointer.split("/") if part and not part.isdecimal())
