"""Which sentence, and which clause of it, each citation belongs to."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.citations.model import drop_marks
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.citations.model import Citation
    from verifier.core.sentences import Sentence

_JOINS: Final = re.compile(  # [1], and the keys; [1]; the keys
    r"(?P<joint>\s?[,;]\s+(?:(?:and|but|while|whereas)\s+)?|\s+(?:and|but|while|whereas)\s+)(?=\S)",
    re.IGNORECASE,
)
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

    Marks that stand as a sentence by themselves belong to the one before in the same paragraph.
    """
    found: defaultdict[Span, list[Citation]] = defaultdict(list)
    waiting = list(reversed(citations))
    before: Sentence | None = None
    for sentence in sentences:
        own = []
        while waiting and waiting[-1].mark.start < sentence.span.end:
            own.append(waiting.pop())
        words = drop_marks(sentence.text, own, sentence.span.start).strip(" .,;\n")
        gap = answer[before.span.end : sentence.span.start] if before is not None else "\n"
        if own and not words and before is not None and "\n" not in gap:
            found[before.span].extend(own)
        else:
            found[sentence.span].extend(own)
            before = sentence
    return {span: tuple(own) for span, own in found.items()}


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
        if one.mark == other.mark or joint is None or joint.end() >= other.mark.start:
            continue
        if _BETWEEN.match(text[one.mark.end : other.mark.start]):
            continue
        if _stands_alone(text[start : one.mark.start]) and _opens_clause(text[joint.end() :]):
            cuts.append((joint.start(), joint.end()))
            start = joint.end()
    if not cuts:
        return ()
    edges = [0, *(end for _, end in cuts)]
    stops = [*(start for start, _ in cuts), len(text)]
    return tuple(Span(edge, stop) for edge, stop in zip(edges, stops, strict=True))


def _stands_alone(clause: str) -> bool:
    return len(clause.split()) > 1 and _VERB.search(clause) is not None


def _opens_clause(rest: str) -> bool:
    clause = rest.partition("[")[0][:200]
    opens = not _SUBORDINATE.match(rest) and not _SUBJECTLESS.match(rest)
    return opens and _stands_alone(clause)
