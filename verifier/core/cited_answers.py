"""An answer against the sources that it cites, sentence by sentence, needing nothing but text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.answer_heads import read_heads
from verifier.core.citations import CitationFinder, read_stated
from verifier.core.citations.places import assign_citations, split_by_citations
from verifier.core.citations.splitting import split_cited
from verifier.core.cited_statement import judge_statement, keep_readings, read_statement
from verifier.core.grounding_levels import judge_uncited, read_level
from verifier.core.narrow_results import CitedSpan, NarrowResult
from verifier.core.quoted_statement import find_whole_quotation
from verifier.core.sentences import BlockKind
from verifier.core.signatures import name_numbers
from verifier.core.speech import is_question, is_talk, list_words
from verifier.core.statements import ReadingTerms
from verifier.core.text import clean_text, content_stems
from verifier.core.turns import Level
from verifier.core.verdicts import DISPOSITION_ORDER, DISPOSITIONS, Disposition, VerdictCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.citations import Citation
    from verifier.core.cited_statement import Reader
    from verifier.core.sentences import Sentence
    from verifier.core.spans import Span

_TURN: Final = re.compile(
    r"(?:[,;]|\s[—–-])\s+(?:but|however|so|and|yet|although|though)\s+", re.IGNORECASE
)
_LEAST_STATED: Final = 2
_NO_STATEMENT: Final = frozenset(
    {BlockKind.CODE, BlockKind.CARD, BlockKind.RULE, BlockKind.HEADING}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSentence:
    """A sentence of the answer and what it came to; `span` lies in the cleaned answer.

    `values` are what the code speaks of, as written: numbers that the cited text lacks, unknown labels.
    `quoted` are the words of a sentence that is nothing but a quotation.
    """

    span: Span
    text: str
    code: VerdictCode
    detail: str
    cited: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    evidence: tuple[CitedSpan, ...] = ()
    quoted: str | None = None

    @property
    def disposition(self) -> Disposition:
        """The queue that the code belongs to."""
        return DISPOSITIONS[self.code]


def check_cited_answer(
    answer: str,
    sources: Mapping[str, str],
    question: str | None = None,
    level: Level | str = Level.SYNTHESIS,
    *,
    locale: str | None = None,
    default_currency: str | None = None,
    bibliography: Mapping[str, str] | None = None,
    mark_style: str | None = None,
) -> tuple[CheckedSentence, ...]:
    """Return each sentence of `answer` that states something, with what its cited sources say of it.

    `sources` are texts by the label under which they are cited. `bibliography` has the entry of a label by
    which "(Smith 2020)" cites it; `mark_style` is a form of marks of the answer's own, with N for the label
    ("<N>"). Questions, greetings, refusals ("I could not find this"), lists of sources and what only repeats
    the user's `question` state nothing. A number of the question may be repeated and held against a period
    of the text ("5 days ago, within the 7-day window"). At the level `strict_extractive` only quoted or
    restated text is `supported`; at `labelled_general` a sentence without citation that is marked as general
    knowledge is `general_knowledge`, but for prices, terms and other kinds that need a source at any level;
    elsewhere it is `missing_citation`. Raises InputError for a style that does not say where the label
    stands.

    What it can't see: what `check_cited_claim` can't see either; whether the question tells the truth;
    whether the answer leaves out what matters; and whose words a quotation is, beyond where it stands.
    """
    return tuple(
        check_each_sentence(
            answer,
            sources,
            question,
            level,
            locale=locale,
            default_currency=default_currency,
            bibliography=bibliography,
            mark_style=mark_style,
        )
    )


def check_each_sentence(
    answer: str,
    sources: Mapping[str, str],
    question: str | None = None,
    level: Level | str = Level.SYNTHESIS,
    *,
    locale: str | None = None,
    default_currency: str | None = None,
    bibliography: Mapping[str, str] | None = None,
    mark_style: str | None = None,
) -> Iterator[CheckedSentence]:
    """Yield what `check_cited_answer` returns, each sentence as it is done."""
    answer = clean_text(answer)
    texts = {label: clean_text(text) for label, text in sources.items()}
    checker = _AnswerChecker(
        texts=texts,
        said=() if not question else (clean_text(question),),
        level=read_level(level),
        terms=ReadingTerms(locale=locale, default_currency=default_currency),
        finder=CitationFinder(texts, bibliography=bibliography, style=mark_style),
        read=keep_readings(),
    )
    yield from checker.check(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnswerChecker:
    texts: Mapping[str, str]
    said: Sequence[str]
    level: Level
    terms: ReadingTerms
    finder: CitationFinder
    read: Reader

    def check(self, answer: str) -> Iterator[CheckedSentence]:
        citations = self.finder.find(answer)
        sentences = split_cited(answer, citations)
        placed = assign_citations(answer, sentences, citations)
        heads = read_heads(answer, sentences)
        for sentence in sentences:
            if sentence.block in _NO_STATEMENT or is_question(sentence.text):
                continue
            if sentence.span not in placed:  # marks alone, which belong to the sentence before
                continue
            own = placed[sentence.span]
            stated = read_stated(sentence.text, own, sentence.span.start)
            if not content_stems(stated) or _only_points(stated):
                continue
            if own:
                yield self._judge(sentence, stated, own, heads[sentence.span.start])
            elif not _is_only_talk(sentence.text) and not self._repeats(stated):
                yield self._uncited(sentence)

    def _uncited(self, sentence: Sentence) -> CheckedSentence:
        code, detail = judge_uncited(sentence.text, self.level)
        return CheckedSentence(span=sentence.span, text=sentence.text, code=code, detail=detail)

    def _judge(
        self,
        sentence: Sentence,
        stated: str,
        citations: Sequence[Citation],
        above: Sequence[str],
    ) -> CheckedSentence:
        labels = tuple(dict.fromkeys(one.label for one in citations))
        meant = [_read_labels(one, self.texts) for one in citations]
        unknown = tuple(
            dict.fromkeys(
                one.label for one, known in zip(citations, meant, strict=True) if not known
            )
        )
        if unknown:
            code, told = VerdictCode.UNKNOWN_CITATION, ", ".join(map(repr, unknown))
            found = NarrowResult(code=code, detail=f"there is no {told}")
        elif any(len(known) > 1 for known in meant):
            detail = "one of its marks may point to several sources"
            found = NarrowResult(code=VerdictCode.AMBIGUOUS, detail=detail)
        else:
            known_labels = [one[0] for one in meant]
            found = self._compare(sentence, stated, citations, known_labels, above)
        return CheckedSentence(
            span=sentence.span,
            text=sentence.text,
            code=found.code,
            detail=found.detail,
            cited=labels,
            values=unknown or _list_missing(found),
            evidence=found.evidence,
            quoted=find_whole_quotation(stated),
        )

    def _compare(
        self,
        sentence: Sentence,
        stated: str,
        citations: Sequence[Citation],
        labels: Sequence[str],
        above: Sequence[str],
    ) -> NarrowResult:
        """Return the worst of the clauses that have citations of their own, or the sentence's result."""
        inside = all(sentence.span.contains(one.mark) for one in citations)
        local = [one.shift(-sentence.span.start) for one in citations] if inside else []
        text = sentence.text
        clauses = split_by_citations(text, local)
        if not clauses:
            return self._hold(stated, labels, above)
        results = []
        for span in clauses:
            own = [
                (one.shift(-span.start), label)
                for one, label in zip(local, labels, strict=True)
                if span.contains(one.mark)
            ]
            part = read_stated(span.of(text), [one for one, _ in own])
            results.append(self._hold(part, [label for _, label in own] or labels, above))
        return min(results, key=lambda one: DISPOSITION_ORDER.index(DISPOSITIONS[one.code]))

    def _hold(self, stated: str, labels: Sequence[str], above: Sequence[str]) -> NarrowResult:
        return judge_statement(
            stated,
            {label: self.texts[label] for label in labels},
            self.terms,
            said=self.said,
            above=above,
            level=self.level,
            read=self.read,
        )

    def _repeats(self, stated: str) -> bool:
        """Return whether a sentence has no word and no value that the user's question has not."""
        told = [part for said in self.said for part in read_statement(said, self.terms)]
        words = frozenset().union(*(one.stems for one in told))
        values = {one.value.text.casefold() for part in told for one in part.values}
        own = read_statement(stated, self.terms)
        return bool(told) and all(
            part.stems <= words
            and not part.denied
            and {one.value.text.casefold() for one in part.values} <= values
            for part in own
        )


def _is_only_talk(text: str) -> bool:
    """Return whether every part of a sentence is talk: "I could not find it, but it takes 5 days" is not."""
    if not is_talk(text):
        return False
    return all(
        is_talk(part) or len(content_stems(part)) < _LEAST_STATED for part in _TURN.split(text)
    )


def _list_missing(found: NarrowResult) -> tuple[str, ...]:
    if found.code is not VerdictCode.UNSUPPORTED_QUANTITY:
        return ()
    return tuple(dict.fromkeys(one for each in found.values for one in name_numbers(each.value)))


def _only_points(stated: str) -> bool:
    """Return whether what is left of a sentence only points to sources, and so connects them to nothing."""
    return set(content_stems(stated)) <= set(content_stems(" ".join(list_words("source_words"))))


def _read_labels(citation: Citation, labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the known labels that a citation may mean; an empty one can't be cited."""
    readings = citation.readings or (citation.label,)
    return tuple(dict.fromkeys(one for one in readings if one and one in labels))
