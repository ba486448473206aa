"""What a statement is put under: a label of its own ("Children: ..."), a heading or a lead of the answer.

Such a head limits the statement to a part of the cited text. It must be found in the headings, leads or
labels that a cited clause stands under, or in the clause and the statement both; else nothing there is
told of it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.clause_cuts import FINITE_VERB
from verifier.core.lead_ins import is_struck
from verifier.core.left_out import says_no_more
from verifier.core.plain_clauses import has_turning_sign
from verifier.core.speech import list_words, read_words
from verifier.core.statement_results import review
from verifier.core.statements import list_stems, plain_form
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.core.cited_cells import CitedCell
    from verifier.core.statement_comparison import CitedText
    from verifier.core.statement_results import CitedClause, StatementResult
    from verifier.core.statements import Clause
    from verifier.core.surroundings import Surroundings

NOT_UNDER: Final = "these words stand there, but not under what the answer puts them under"
_LEFT_OPEN: Final = frozenset(
    {VerdictCode.NEEDS_ENTAILMENT_REVIEW, VerdictCode.NEEDS_REVIEW_NO_QUANTITY}
)
_LONGEST_HEAD: Final = 8
_ENDED: Final = (".", "!", "?")
_CACHED: Final = 4_096


@dataclass(frozen=True, slots=True)
class Head:
    """A head with its words, those apart that say nothing; `dated` where a value is among them.

    Of a lead that is a sentence ("The prices for children are:", "Kettles?"), `spoken`, only those words
    count that the cited text has in its headings.
    """

    text: str
    words: frozenset[str]
    dated: bool = False
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class HeadedStatement:
    """A statement's clauses, and the heads that they stand under; `written` has its labels as clauses."""

    parts: tuple[Clause, ...]
    heads: tuple[Head, ...]
    written: tuple[Clause, ...]

    @property
    def is_dated(self) -> bool:
        """Whether a label of the statement holds a value, which must be compared if it is no heading."""
        return any(head.dated for head in self.heads)

    @property
    def _told(self) -> frozenset[str]:
        """The words of the statement itself: a clause's own word counts only where it is not left away."""
        return frozenset[str]().union(*(read_head_words(part.text) for part in self.parts))

    def settle(self, cited: CitedText) -> HeadedStatement:
        """Return the statement with the words of spoken leads that head a part of the cited text."""
        labels = self.written[: len(self.written) - len(self.parts)]
        if labels and all(_states(label, cited) for label in labels):
            own = sum(bool(read_head_words(one.text)) for one in labels)
            above = self.heads[: len(self.heads) - own]
            return replace(self, parts=self.written, heads=above).settle(cited)
        if not any(head.spoken for head in self.heads):
            return self
        known = frozenset[str]().union(*(_words_above(one.clause) for one in cited.clauses))
        heads = [
            replace(head, words=head.words & known) if head.spoken else head for head in self.heads
        ]
        return replace(self, heads=tuple(one for one in heads if one.words))

    def narrow(self, cited: CitedText) -> CitedText | None:
        """Return what of the cited text stands under every head; None where no clause or cell does."""
        kept: list[CitedClause] = []
        labels: tuple[Clause, ...] = ()
        for one in cited.clauses:
            labels = _labels_before(one.clause, labels)
            if self._covers(one, labels):
                kept.append(one)
            labels = (*labels, one.clause)
        cells = self._find_cells(cited) if cited.cells else ()
        if not kept and not cells:
            return None
        clauses = _keep_sentences(cited.clauses, kept)
        return replace(cited, clauses=self._drop_labels(clauses), cells=cells)

    def _drop_labels(self, cited: Sequence[CitedClause]) -> tuple[CitedClause, ...]:
        """Return the clauses without the labels that the statement has as its heads."""
        named = frozenset[str]().union(*(head.words for head in self.heads))
        found: list[CitedClause] = []
        dropped: Surroundings | None = None
        for one, following in zip(cited, [*cited[1:], None], strict=True):
            place = one.clause.place
            behind = following is not None and following.clause.place is place
            if place is not None and behind and _is_named(one.clause, named):
                dropped = place
                continue
            alone = dropped is not None and place is dropped and not behind
            whole = one.clause.whole or (alone and not _are_of_one(found, one))
            found.append(replace(one, clause=replace(one.clause, whole=whole)))
        return tuple(found)

    def _covers(self, one: CitedClause, labels: Sequence[Clause]) -> bool:
        above = _words_above(one.clause, labels)
        lacking = [head for head in self.heads if not head.words <= above]
        if not lacking or any(head.dated for head in lacking):
            return not lacking
        own = above | (read_head_words(one.clause.text) & self._told)
        return all(head.words <= own for head in lacking)

    def _find_cells(self, cited: CitedText) -> tuple[tuple[int, CitedCell], ...]:
        starts = [(one.text_number, one.clause.span.start) for one in cited.clauses]
        found: list[tuple[int, CitedCell]] = []
        for number, cell in cited.cells:
            at = bisect_right(starts, (number, cell.clause.span.start)) - 1
            own = cell.row | cell.aside | cell.column | cell.around
            own |= read_head_words(cell.clause.text.rpartition("|")[0])
            if at >= 0 and cited.clauses[at].text_number == number:
                own |= _words_above(cited.clauses[at].clause)
            if all(head.words <= own for head in self.heads):
                found.append((number, cell))
        return tuple(found)


def put_under_heads(parts: Sequence[Clause], above: Sequence[str] = ()) -> HeadedStatement:
    """Return the statement without the labels before it, which are its heads along with those `above` it.

    A label has no verb, and a clause behind it. Those that say nothing ("Note", "In short") are no heads.
    """
    at = 0
    while at < len(parts) - 1 and _is_label(parts[at]):
        at += 1
    heads = [
        Head(text.strip("#*_: "), read_head_words(text), spoken=_is_spoken(text)) for text in above
    ]
    heads += [
        Head(part.text.strip("#*_ "), read_head_words(part.text), dated=bool(part.values))
        for part in parts[:at]
    ]
    return HeadedStatement(
        parts=tuple(parts[at:]),
        heads=tuple(one for one in heads if one.words),
        written=tuple(parts),
    )


def head_quotation(parts: Sequence[Clause], above: Sequence[str]) -> HeadedStatement:
    """Return the words of a quotation under the heads above it: none of its own words is one."""
    return replace(put_under_heads((), above), parts=tuple(parts), written=tuple(parts))


def compare_under_heads(
    stated: HeadedStatement,
    cited: CitedText,
    compare: Callable[[tuple[Clause, ...], CitedText], StatementResult],
) -> StatementResult:
    """Return what comparing comes to, with the part of the cited text that the statement's heads name.

    Where the text has no such part, nothing is supported.
    """
    stated = stated.settle(cited)
    if not stated.heads:
        return compare(stated.parts, cited)
    under = stated.narrow(cited)
    if under is None:
        found = compare(stated.written if stated.is_dated else stated.parts, cited)
        return _leave_unnamed(stated, found) or found
    found = compare(stated.parts, under)
    if found.code not in _LEFT_OPEN and not _is_of_less(stated, found):
        return found
    return _leave_unnamed(stated, compare(stated.parts, cited)) or found


def _is_of_less(stated: HeadedStatement, found: StatementResult) -> bool:
    """Return whether what contradicts a statement is told of less: of small lockers, not of all."""
    return found.code is VerdictCode.CONTRADICTED and any(
        not any(says_no_more(part, one.clause) for part in stated.parts) for one in found.clauses
    )


def _leave_unnamed(stated: HeadedStatement, found: StatementResult) -> StatementResult | None:
    """Return a review of what the cited text supports without the heads; None of what it does not."""
    if found.code is not VerdictCode.SUPPORTED:
        return None
    named = ", ".join(repr(one.text) for one in stated.heads)
    return review(f"the cited text says so, but not of {named}", found.clauses)


def quotes_under_heads(stated: HeadedStatement, cited: CitedText) -> bool:
    """Return whether the words of a quotation, which `cited` holds, stand there under the heads of it."""
    stated = stated.settle(cited)
    under = stated.narrow(cited) if stated.heads else cited
    if under is None:
        return False
    held = plain_form(" ".join(one.clause.text for one in under.clauses))
    return not stated.heads or all(plain_form(part.text) in held for part in stated.parts)


def _is_spoken(text: str) -> bool:
    return FINITE_VERB.search(text) is not None or text.rstrip("*_ ").endswith(_ENDED)


def is_head(text: str) -> bool:
    """Return whether a text is short and has no verb, as a heading or a label."""
    return len(text.split()) <= _LONGEST_HEAD and FINITE_VERB.search(text) is None


def _is_label(part: Clause) -> bool:
    if not part.leads or has_turning_sign(part.text) or is_struck(part.text):
        return False
    return bool(part.stems or part.words or part.values) and is_head(part.text)


def _states(label: Clause, cited: CitedText) -> bool:
    """Return whether a label is a clause of the cited text, and heads nothing there."""
    wanted = plain_form(label.text)
    same = [one.clause for one in cited.clauses if plain_form(one.clause.text) == wanted]
    if not same or any(one.leads for one in same):
        return False
    words = read_head_words(label.text)
    return not any(
        read_head_words(text) == words
        for one in cited.clauses
        if one.clause.place is not None
        for text in one.clause.place.above
    )


def _is_named(clause: Clause, named: frozenset[str]) -> bool:
    words = read_head_words(clause.text)
    return _is_label(clause) and bool(words) and words <= named


def _are_of_one(before: Sequence[CitedClause], one: CitedClause) -> bool:
    return bool(before) and before[-1].clause.place is one.clause.place


def _keep_sentences(
    cited: Sequence[CitedClause], kept: Sequence[CitedClause]
) -> tuple[CitedClause, ...]:
    """Return the clauses that are kept, with all others of their sentences, which may limit them."""
    places = {id(one.clause.place) for one in kept if one.clause.place is not None}
    own = {id(one) for one in kept}
    return tuple(one for one in cited if id(one.clause.place) in places or id(one) in own)


def _labels_before(clause: Clause, before: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Return the labels at the end of the clauses before this one in its sentence."""
    last = before[-1] if before else None
    if last is None or clause.place is None or last.place is not clause.place:
        return ()
    return before if _is_label(last) else ()


def _words_above(clause: Clause, labels: Sequence[Clause] = ()) -> frozenset[str]:
    """Return the words of the headings, the leads and the `labels` above a clause."""
    above = () if clause.place is None else clause.place.above
    texts = (*above, *(one.text for one in labels))
    return frozenset[str]().union(*map(read_head_words, texts))


@lru_cache(maxsize=_CACHED)
def read_head_words(text: str) -> frozenset[str]:
    """Return the words of a text by their stems, without those that say nothing of its matter."""
    empty = list_words("empty_heads")
    kept = [word for word in read_words(plain_form(text)) if word not in empty]
    return frozenset(next(iter(list_stems(word)), word) for word in kept)
