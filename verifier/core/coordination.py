"""Predicates of one subject: "The lamp is red and weighs 9 kg" says two things of the lamp."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from verifier.core.spans import Span

_SAYS: Final = (
    r"is|are|was|were|has|have|weighs|weigh|costs|cost|measures|holds|seats|lasts|contains|comes"
)
_COORDINATED: Final = re.compile(
    rf"""(?P<subject>[^,;:.!?()\n]{{1,80}}?)\s
         (?P<first>(?:{_SAYS})\s[^,;:.!?()\n]{{1,160}}?),?\s
         and\s(?P<second>(?:{_SAYS})\s[^,;:!?()\n]{{1,200}})""",
    re.VERBOSE,
)
_TURNS: Final = re.compile(
    r"\b(?:and|or|but|if|when|unless|only|not|no|never|which|that|who|both|either|neither)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """One of two predicates, with its span; `subject` are the words that it leaves to the one before."""

    span: Span
    subject: str = ""


def split_predicates(text: str) -> tuple[Predicate, ...]:
    """Return the two predicates of a sentence that is nothing but a subject and these; else none.

    Nothing is split that holds a word which could belong to both: a denial, a condition, a further "and".
    """
    found = _COORDINATED.match(text)
    if found is None or text[found.end() :].strip(" .!\"'”"):
        return ()
    if any(_TURNS.search(found[name]) for name in ("subject", "first", "second")):
        return ()
    return (
        Predicate(span=Span(0, found.end("first"))),
        Predicate(span=Span(found.start("second"), len(text)), subject=found["subject"].strip()),
    )
