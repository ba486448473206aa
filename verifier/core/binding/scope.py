"""How far the statement reaches in which a value stands: the rest of its clause says something else.

"I can cancel your pending order (#7)" says of the order that it is pending, "since it is still pending, you
can change it" the same. Only words of the statement itself speak for or against its value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.speech import read_words

if TYPE_CHECKING:
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import ThingMention

_VERB: Final = r"(?:is|are|was|were|has|have|had|isn['’]t|aren['’]t|hasn['’]t|haven['’]t)\b"
_SUBJECT: Final = r"(?:it|they|this|that|these|those|the|your|its|their|our)\b(?!\s+of\b)"
_OPENING: Final = re.compile(  # ", which has", "since your line is", "but this order is", "it's"
    rf"""(?: \b(?:which|who)\s+(?={_VERB})
           | \b(?:since|because)\s+(?=[^,;.!?]{{1,60}}?\b{_VERB})
           | \b(?:as|but|and|so|however,?)\s+(?={_SUBJECT}(?:[\s(#][^,;.!?]{{0,60}}?)?\b{_VERB})
           | [,;:–—]\s*(?={_SUBJECT}(?:\s+(?!{_VERB})[a-z]+){{0,3}}\s+{_VERB})
         )""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING: Final = (
    re.compile(  # ", so you can", "since it is", "which is why you see", ", let's try"
        rf"""[,;]?\s+
         (?: so\s+(?:that\s+)?(?:i|you|we|they|it|he|she|there|no|your|the|our|this|these|please|let['’]s)\b
           | (?:since|because)\s+(?=[^,;.!?]{{1,60}}?\b{_VERB})
           | which\s+(?:means|(?:is|may\s+be)\s+(?:likely\s+|probably\s+)?(?:why|because))\b
           | but\b
           | and\s+(?:you|i|we)(?:['’]ve|['’]ll|['’]re|\s+(?:have|can|will|did|do|want|are))\b
         )
       | ,\s+(?:let['’]s|(?:you|i|we)\s+can)\b""",
        re.VERBOSE | re.IGNORECASE,
    )
)
_NEXT_SUBJECT: Final = re.compile(  # "is active, your plan has data left"
    rf"(?:,|\s+and)\s+(?:the|your|its|their)\s+[^,;.!?]{{1,40}}?\b(?:{_VERB}|seems?\b|looks?\b)",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|whether|once|until|when|whenever|provided|assuming|suppose|in\s+case)\b",
    re.IGNORECASE,
)
_BEFORE_ID: Final = re.compile(  # "pending order (#W1", "delivered laptop order #W1"
    r"(?:\s+[A-Za-z-]+){0,3}\s*\(?\s*(?:no\.?|number|id)?\s*[:#]?\s*\Z", re.IGNORECASE
)
_DETERMINERS: Final = tuple((word,) for word in ("a", "your", "the", "this", "that", "their"))
_LONGEST_LABEL: Final = 60
_LAST_WORDS: Final = 2


def scope_of(passage: Passage, stated: StatedValue) -> Span:
    """Return the part of the value's clause that states it; the clause where nothing tells a part."""
    clause = passage.clause_of(stated.span)
    if stated.is_text:
        named = _before_its_id(passage, stated, clause) or _in_brackets(passage, stated, clause)
        if named is not None:
            return named
    return _inner_clause(passage, stated, clause)


def _before_its_id(passage: Passage, stated: StatedValue, clause: Span) -> Span | None:
    """Return a state with the id that it stands before: "pending order (#W42)"."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    for mention in passage.mentions:
        if mention.by != NamedBy.KEY or mention.span.start < stated.span.end:
            continue
        between = text[stated.span.end - offset : mention.span.start - offset]
        if len(between) > _LONGEST_LABEL or _BEFORE_ID.fullmatch(between) is None:
            return None
        if _is_qualified(passage, clause, stated) or _is_said(passage, stated, clause):
            return None
        return Span(stated.span.start, mention.span.end)
    return None


def _is_said(passage: Passage, stated: StatedValue, clause: Span) -> bool:
    """Return whether words before a state say it of something: "has shipped order #4"."""
    words = _words(passage, clause.start, stated.span.start)[-_LAST_WORDS:]
    return words[-1:] not in _DETERMINERS and bool(
        load_word_lists("cautions")["saying"] & set(words)
    )


def _is_qualified(passage: Passage, clause: Span, stated: StatedValue) -> bool:
    """Return whether a word right before a state turns it: "no longer pending", "partly delivered"."""
    words = _words(passage, clause.start, stated.span.start)[-_LAST_WORDS:]
    lists = load_word_lists("cautions")
    if words[-1:] in _DETERMINERS:
        before = _words(passage, clause.start, stated.span.start)
        return any(word in lists["denying"] or word.endswith("n't") for word in before)
    turned = lists["before_states"] | lists["of_states"]
    plain = lists["plain"]
    return any(
        word in turned or (word.endswith("ly") and word not in plain) or word.endswith("n't")
        for word in words
    ) or bool(lists["of_states"] & set(_words(passage, clause.start, stated.span.start)))


def _in_brackets(passage: Passage, stated: StatedValue, clause: Span) -> Span | None:
    """Return the brackets right behind a name, with it: "Desk Lamp (white, USB)", "#W42 (delivered)"."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    start, end = stated.span.start - offset, stated.span.end - offset
    opening = text.rfind("(", 0, start)
    if opening < 0 or ")" in text[opening:start]:
        return None
    closing = text.find(")", end)
    if closing < 0:
        return None
    owner = _right_before(passage, opening + offset)
    if owner is None or _is_qualified(passage, clause, stated):
        return None
    if load_word_lists("cautions")["of_states"] & set(
        _words(passage, clause.start, owner.span.start)
    ):
        return None
    return Span(max(clause.start, owner.span.start), min(clause.end, closing + offset + 1))


def _right_before(passage: Passage, at: int) -> ThingMention | None:
    text, offset = passage.sentence.text, passage.sentence.span.start
    for mention in passage.mentions:
        between = text[mention.span.end - offset : at - offset]
        if mention.span.end <= at and not between.strip(" *_`\"'”’"):
            return mention
    return None


def _inner_clause(passage: Passage, stated: StatedValue, clause: Span) -> Span:
    """Return the clause without the reason or news before its statement, and without what follows from it."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    start, end = clause.start - offset, clause.end - offset
    value_start, value_end = stated.span.start - offset, stated.span.end - offset
    before = [one.end() for one in _OPENING.finditer(text, start, value_start)]
    if before and _CONDITION.search(text, start, before[-1]) is None:
        start = before[-1]
    for closing in (_CLOSING, _NEXT_SUBJECT) if stated.is_text else (_CLOSING,):
        after = closing.search(text, value_end, end)
        end = end if after is None else after.start()
    return Span(start, end).shift(offset)


def _words(passage: Passage, start: int, end: int) -> tuple[str, ...]:
    offset = passage.sentence.span.start
    return read_words(passage.sentence.text[start - offset : end - offset])
