"""Judging a quantity: bound and equal, bound and other, derived, absent, or left open."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.cautions import rest_of_clause
from verifier.core.binding.comparable_facts import is_price, proof_of
from verifier.core.binding.comparing import bare_count, compare_all, compare_value, may_be_any
from verifier.core.binding.deciding import decide_quantity
from verifier.core.binding.derived_words import find_stray_word
from verifier.core.binding.deriving import derive_value
from verifier.core.binding.gates import find_objection
from verifier.core.binding.holding import find_holders, start_of_counts, tells_of_sentence
from verifier.core.binding.judging import Fate, Judged, Judgement, unbound
from verifier.core.binding.other_subjects import names_stranger
from verifier.core.binding.passages import Passage, Spot
from verifier.core.binding.periods import read_period
from verifier.core.binding.predicates import is_epithet
from verifier.core.binding.prose_proof import prove_by_clause
from verifier.core.binding.quoting import find_quoted, names_thing
from verifier.core.binding.scoring import rank_facts
from verifier.core.binding.setting import read_setting
from verifier.core.comparison import relate
from verifier.core.derivation import Operation
from verifier.core.facts.model import FactOrigin
from verifier.core.lexicons import load_word_lists
from verifier.core.relations import Outcome
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from verifier.core.binding.comparing import Comparisons
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.operands import StatedBefore
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact

_LETTER: Final = re.compile(r"[A-Za-z]")
_SMALL: Final = 12
_MOST_PERIODS: Final = 100
_COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})
_HAVING: Final = frozenset(
    {"has", "have", "had", "holds", "includes", "include", "offers", "contains"}
)
_PERSONS: Final = frozenset({"i", "we", "you", "there", "here"})
_CALENDAR: Final = frozenset({Kind.DATE, Kind.QUARTER})
_WEAK: Final = frozenset({Operation.EXTREME, Operation.COUNT, Operation.AS_PERCENT})


class QuantityJudge:
    """Judges one quantity of an answer in its place."""

    def __init__(
        self,
        passage: Passage,
        stated: StatedValue,
        value: Quantity,
        view: EvidenceView,
        *,
        denied: bool,
        used: AbstractSet[EvidenceFact] = frozenset(),
        before: Sequence[StatedBefore] = (),
    ) -> None:
        self._passage = passage
        self._stated = stated
        self._value = value
        self._view = view
        self._before = before
        self._denied = denied
        plain = bare_count(value)
        self._plain = plain if isinstance(plain, Quantity) else value
        self._setting = read_setting(passage, stated)
        self._used = used
        priced = (
            value.kind is not Kind.NUMBER or not _LETTER.search(value.text) or self._is_priced()
        )
        self._pool = proof_of(self._plain, passage, view, used=used, priced=priced)

    def _is_priced(self) -> bool:
        return "price" in self._setting.groups | self._setting.near_groups

    def judge(self) -> Judged | None:
        """Return what becomes of the quantity; None where it counts what the evidence never speaks of."""
        judged = self._judge()
        if judged is not None and not _may_be_told(judged.judgement):
            return judged
        told = prove_by_clause(self._passage, self._stated, self._view)
        if told is None:
            return judged
        return Judged(judgement=told, candidates=judged.candidates if judged is not None else ())

    def _judge(self) -> Judged | None:
        if self._is_period() or self._is_vain_freedom() or self._is_loose_number():
            return None
        if is_epithet(self._passage, self._stated):
            return None
        if not self._narrow_to_counts():
            return Judged(judgement=unbound(), candidates=()) if self._is_had() else None
        quoted = find_quoted(self._passage, self._stated, self._view)
        if quoted is not None and names_thing(quoted):
            return None
        if quoted is not None:
            return Judged(judgement=self._gate(quoted) or quoted, candidates=quoted.deciding)
        ranked = rank_facts(self._setting, self._pool, self._view, used=self._used)
        compared = compare_all(self._plain, ranked, self._setting, denied=self._denied)
        judgement = decide_quantity(compared, self._passage, self._stated, self._setting)
        judgement = self._gate(judgement)
        if judgement is None or judgement.fate is not Fate.PROVED:
            judgement = self._otherwise(judgement, compared)
        return Judged(judgement=judgement, candidates=ranked)

    def _narrow_to_counts(self) -> bool:
        """Keep only facts that count what is counted; return False where nothing speaks of it."""
        if self._plain is self._value or self._value.unit is None:
            return True
        written = read_words(self._value.text)[-1:]
        noun = frozenset(stem(word) for word in (*self._value.unit.split(), *written))
        self._setting = replace(self._setting, clause=self._setting.clause | noun)
        counting = self._pool.narrowed(noun, _counts)
        counted = any(fact not in self._used for fact in counting.facts)
        small = self._value.nominal is None or self._value.nominal <= _SMALL
        if not counted and small and not self._speaks_of_asked():
            return False
        if counted or small:
            self._pool = counting
        return True

    def _near(self) -> Iterator[EvidenceFact]:
        """Yield all facts that may have the value, without what has proved another of its clause."""
        near = self._pool.values.near(self._plain)
        return (fact for fact in near if fact not in self._used)

    def _is_beyond_reading(self) -> bool:
        """Return whether absence proves nothing: what is denied, counted of some, or from now on."""
        text = self._value.text
        if self._denied or self._is_small_count() or text.endswith("ago"):
            return True
        before = read_words(self._passage.sentence.text[: self._start()])
        if self._value.kind is Kind.DURATION and before[-1:] == ("in",):
            return True
        money = sum(one.value.kind is Kind.MONEY for one in self._passage.values)
        counts = sum(one.value.kind in _COUNTS for one in self._passage.values)
        return self._value.kind is Kind.MONEY and money > 2 and counts > 1

    def _start(self) -> int:
        return self._stated.span.start - self._passage.sentence.span.start

    def _is_small_count(self) -> bool:
        """Return whether a count may be of some of them only: "three office items"."""
        if self._plain is self._value:
            return False
        return self._value.nominal is None or self._value.nominal <= _SMALL

    def _is_period(self) -> bool:
        """Return whether a date only says of when other values are: facts of its period, and no such date."""
        if len(self._passage.values) == 1:
            return False
        if self._value.kind not in _CALENDAR:
            return self._value.kind is Kind.NUMBER and self._value.text in self._view.periods
        told = [read_period(one) for one in self._view.periods[:_MOST_PERIODS]]
        known = [one for one in told if one is not None]
        return any(
            relate(self._value, one).agrees or relate(one, self._value).agrees for one in known
        )

    def _is_loose_number(self) -> bool:
        """Return whether a small number word counts what is not named: "which of the two"."""
        small = self._value.nominal is not None and self._value.nominal <= _SMALL
        loose = self._value.kind is Kind.NUMBER and self._value.text.isalpha() and small
        return loose and not any(
            compare_value(self._value, fact.fact.value) is Outcome.AGREE for fact in self._near()
        )

    def _is_had(self) -> bool:
        """Return whether a thing is said to have so many of what the evidence does not speak of."""
        start = start_of_counts(self._stated, self._passage)
        before = read_words(self._passage.sentence.text[:start])
        return bool(_HAVING & set(before[-1:])) and before[0] not in _PERSONS

    def _is_vain_freedom(self) -> bool:
        """Return whether "free" is said of what has no price: beds, seats."""
        if self._value.nominal != 0 or not self._value.text.casefold().startswith("free"):
            return False
        told = self._pool.with_cues(self._setting.clause)
        return not any(fact not in self._used for fact in told)

    def _speaks_of_asked(self) -> bool:
        """Return whether the sentence names what a call was asked for: then a count of it is a claim."""
        words = read_words(self._passage.sentence.text)
        return any(
            fact.origin is FactOrigin.ARGUMENT
            for word in words
            if len(word) > 3
            for fact in self._view.evidence.holds_text(word)
        )

    def _gate(self, judgement: Judgement | None) -> Judgement | None:
        """Leave open what the clause says less of, or says of something else."""
        if judgement is None or judgement.fate not in {Fate.PROVED, Fate.REFUTED}:
            return judgement
        if judgement.fate is Fate.REFUTED and (
            self._is_of_a_change() or names_stranger(self._passage, self._stated)
        ):
            return unbound()
        for one in judgement.deciding:
            word = find_objection(
                self._passage,
                self._stated,
                one.fact,
                self._setting,
                self._view,
                together=judgement.deciding,
                in_order=judgement.in_order,
                described=judgement.described,
            )
            if word is not None:
                return Judgement(
                    fate=Fate.OPEN,
                    detail=f"{judgement.detail}; {word!r} may make this something else",
                    deciding=judgement.deciding,
                    reason=Reason.UNBOUND,
                )
        return judgement

    def _is_of_a_change(self) -> bool:
        """Return whether a refuted value may be of what comes, or of what a call was told to do."""
        words = read_words(
            rest_of_clause(self._passage, self._passage.clause_of(self._stated.span))
        )
        if load_word_lists("cautions")["changing"] & set(words):
            return True
        counts = self._plain is not self._value
        return not counts and any(one.origin is FactOrigin.ARGUMENT for one in self._held())

    def _otherwise(self, judgement: Judgement | None, compared: Comparisons) -> Judgement:
        """Judge a value that no fact proves: derived, refuted, open, or absent from all."""
        refuted = judgement is not None and judgement.fate is Fate.REFUTED
        if not (refuted and self._names_narrowing(judgement)):
            derived = self._derived()
            weak = (
                derived is not None
                and derived.derivation is not None
                and derived.derivation.operation in _WEAK
            )
            if derived is not None and not (refuted and weak):
                return derived
        if refuted and judgement is not None:
            return judgement
        if self._is_beyond_reading() or may_be_any(
            self._plain, compared, self._near(), self._setting
        ):
            return judgement or unbound()
        missing = self._view.missing(self._stated, self._held(), denied=self._denied)
        vain = tells_of_sentence(self._value, self._stated, self._passage)
        return unbound() if vain and missing.fate is Fate.ABSENT else missing

    def _names_narrowing(self, judgement: Judgement | None) -> bool:
        """Return whether a refuting fact has the very word of the clause: its "subtotal", its "discount"."""
        if judgement is None:
            return False
        words = load_word_lists("cautions")["narrowing"] - {"total"}
        stems = {stem(word) for word in words}
        return any(one.fact.cues & self._setting.clause & stems for one in judgement.deciding)

    def _derived(self) -> Judgement | None:
        if self._denied:
            return None
        clause = self._passage.clause_of(self._stated.span)
        spot = Spot(passage=self._passage, stated=self._stated, clause=clause)
        derived = derive_value(spot, self._plain, self._setting, self._view, self._before)
        if derived is None:
            return None
        word = find_stray_word(spot, derived, self._setting, self._view)
        if word is None:
            return derived
        detail = f"{derived.detail}; {word!r} makes it less than a statement"
        return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)

    def _held(self) -> list[EvidenceFact]:
        return find_holders(self._plain, self._stated.value.text, self._view)


def _counts(fact: EvidenceFact) -> bool:
    return fact.fact.value.kind is not Kind.MONEY and not is_price(fact)


def _may_be_told(judgement: Judgement) -> bool:
    """Return whether a clause of prose may prove what came out otherwise: not against what a record has."""
    if judgement.fate in {Fate.REFUTED, Fate.AMBIGUOUS}:
        told = [one.fact.clause is not None for one in judgement.deciding]
        return bool(told) and all(told)
    return judgement.fate in {Fate.OPEN, Fate.ECHOED, Fate.ABSENT}
