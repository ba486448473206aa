"""Which sentence, and which clause of it, each citation belongs to."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import drop_marks
from verifier.core.lexicons import load_word_lists
from verifier.core.sentences import BlockKind
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.citations.model import Citation
    from verifier.core.sentences import Sentence

_AROUND: Final = " .,;*_()\n"
_PROSE: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_LISTED: Final = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})
_JOINS: Final = re.compile(  # [1], and the keys; [1]; the keys
    r"(?P<joint>\s?[,;]\s+(?:(?:and|but|while|whereas)\s+)?|\s+(?:and|but|while|whereas)\s+)(?=\S)",
    re.IGNORECASE,
)
_MARK_SIGN: Final = re.compile(r"[\[<]")
_BETWEEN: Final = re.compile(r"[\s,;]*\Z")
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|must|may|will|shall|should|does|do|did|\w{3,}ed"
    r"|(?:weigh|cost|take|measure|hold|seat|last|need|open|close|start|end|come|include|keep|draw|run|ship|pay"
    r"|get|arrive|apply|cover|begin|expire|require|allow|earn|receive|use|work|charge|contain|offer|provide|expect"
    r"|remain|stay|stand|live|stop|give|make|show|say|know|become)(?:e?s)?)\b",
    re.IGNORECASE,
)
_SUBORDINATE: Final = re.compile(
    r"\s*(?:if|when|whenever|unless|although|though|because|since|while|as|whether|once|until|before|after"
    r"|not only|neither|either|both|in case|provided|except)\b",
    re.IGNORECASE,
)
_SUBJECTLESS: Final = re.compile(
    r"(?:is|are|was|were|has|have|can|must|may|will|then|also|not|never|which|who|that)\b",
    re.IGNORECASE,
)


def assign_citations(
    answer: str, sentences: Sequence[Sentence], citations: Sequence[Citation]
) -> Mapping[Span, tuple[Citation, ...]]:
    """Return the citations of each sentence by its span, placed in the answer.

    Marks that stand as a sentence by themselves, or behind a word that only says that they are sources,
    belong to the one before in the same paragraph; below a list or a table, and in a line that leads to a
    list, to the items and rows that cite nothing. A tag around several sentences cites for each.
    """
    places = _Places(answer)
    waiting = list(reversed(citations))
    for sentence in sentences:
        own = []
        while waiting and waiting[-1].mark.start < sentence.span.end:
            own.append(waiting.pop())
        places.add(sentence, own)
    return places.found


class _Places:
    """Collects which sentence each citation belongs to, for sentences in order."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._found: dict[Span, list[Citation]] = {}
        self._before: Sentence | None = None
        self._listed = BlockKind.PARAGRAPH
        self._uncited: list[Sentence] = []
        self._lead: Sequence[Citation] = ()
        self._covering: list[Citation] = []

    @property
    def found(self) -> Mapping[Span, tuple[Citation, ...]]:
        """The citations by the span of their sentence."""
        return {span: tuple(own) for span, own in self._found.items()}

    def add(self, sentence: Sentence, marks: list[Citation]) -> None:
        """Add the next sentence with the marks that stand in it."""
        own = [*self._cover(sentence, marks), *marks]
        words = drop_marks(sentence.text, own, sentence.span.start).strip(_AROUND)
        if own and _only_leads(words) and self._before is not None:
            targets = self._find_targets(sentence, words)
            for target in targets:
                self._found[target.span].extend(own)
            if targets and not words:
                return
        self._found[sentence.span] = own
        self._note_group(sentence, own, words)
        self._before = sentence

    def _cover(self, sentence: Sentence, marks: list[Citation]) -> list[Citation]:
        """Return the citations of the tags that are open where a sentence begins."""
        self._covering = [
            one
            for one in self._covering
            if one.covers is not None and one.covers.end > sentence.span.start
        ]
        labels = {one.label for one in marks}
        covered = [one for one in self._covering if one.label not in labels]
        self._covering += [one for one in marks if one.covers and one.mark.end <= one.covers.start]
        return covered

    def _find_targets(self, sentence: Sentence, words: str) -> list[Sentence]:
        """Return the sentences that marks alone belong to."""
        before = self._before
        if before is None:
            return []
        if self._listed in _LISTED and not words and sentence.block is BlockKind.PARAGRAPH:
            return self._take_uncited()
        gap = self._answer[before.span.end : sentence.span.start]
        apart = "\n" in gap if not words else "\n" in gap.strip(" \t").replace("\n", "", 1)
        cited = bool(words) and bool(self._found[before.span])
        prose = before.block in _PROSE and sentence.block is before.block
        return [] if apart or cited or not prose else [before]

    def _note_group(self, sentence: Sentence, own: Sequence[Citation], words: str) -> None:
        """Note an item or a row of what is being listed, and what the line before it cites for all."""
        if self._listed is not sentence.block:
            self._listed, self._uncited = sentence.block, []
        if sentence.block not in _LISTED:
            self._lead = own if words.endswith(":") else ()
            return
        if not own:
            self._found[sentence.span].extend(self._lead)
            self._uncited += [] if self._lead or _is_head(sentence) else [sentence]
            return
        below = self._answer.find("\n", sentence.span.start, own[0].mark.start)
        if below >= 0 and not self._answer[below : own[0].mark.start].strip(_AROUND):
            for target in self._take_uncited():
                self._found[target.span].extend(own)

    def _take_uncited(self) -> list[Sentence]:
        """Return the items or rows of the last list or table that cite nothing, without its head."""
        taken, self._uncited = self._uncited, []
        return taken


def _is_head(sentence: Sentence) -> bool:
    return sentence.block is BlockKind.TABLE_ROW and "\n" in sentence.text


def _only_leads(words: str) -> bool:
    """Return whether what is left of a sentence without its marks only says that they are its source.

    A list of sources, "Sources: [1], [2]", connects them to nothing.
    """
    return all(word.strip(_AROUND + ":").casefold() in _leads() for word in words.split())


@cache
def _leads() -> frozenset[str]:
    return load_word_lists("citations")["source_leads"] | {""}


def split_by_citations(text: str, citations: Sequence[Citation]) -> tuple[Span, ...]:
    """Return the clauses of a sentence that each have citations of their own; none for a single one.

    A clause ends behind its marks, where a comma, a semicolon or "and" goes on with another subject and
    verb. What cannot stand alone, as a condition or a list of nouns, stays with the next clause. Marks
    are counted in `text`.
    """
    if _SUBORDINATE.match(text):
        return ()
    cuts: list[tuple[int, int]] = []
    start = 0
    for one, other in pairwise(citations):
        joint = _JOINS.match(text, one.mark.end)
        clause = None if one.mark == other.mark or joint is None else _find_clause(joint, other)
        if joint is None or clause is None:
            continue
        if _stands_alone(text[start : one.mark.start]) and _opens_clause(text[clause:]):
            cuts.append((joint.start(), joint.end()))
            start = joint.end()
    if not cuts:
        return ()
    edges = [0, *(end for _, end in cuts)]
    stops = [*(start for start, _ in cuts), len(text)]
    return tuple(Span(edge, stop) for edge, stop in zip(edges, stops, strict=True))


def _find_clause(joint: re.Match[str], other: Citation) -> int | None:
    """Return where the clause behind a joint begins that the other citation is for; None where none does."""
    if other.covers is not None and other.mark.end <= other.covers.start:
        return other.mark.end if joint.end() == other.mark.start else None
    between = joint.string[joint.start() : other.mark.start]
    return None if joint.end() >= other.mark.start or _BETWEEN.match(between) else joint.end()


def _stands_alone(clause: str) -> bool:
    return len(clause.split()) > 1 and _VERB.search(clause) is not None


def _opens_clause(rest: str) -> bool:
    clause = _MARK_SIGN.split(rest[:200], maxsplit=1)[0]
    opens = not _SUBORDINATE.match(rest) and not _SUBJECTLESS.match(rest)
    return opens and _stands_alone(clause)
