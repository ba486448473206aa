"""Random texts against sentences, the normal form, extraction and the relation of values."""

from __future__ import annotations

import itertools
import random
import time
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import relate
from verifier.core.quantities import extract_quantities
from verifier.core.relations import Outcome
from verifier.core.sentences import split_sentences
from verifier.core.text_normal import normal_form
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.quantities import ValueMention
    from verifier.core.values import Value

_NOW: Final = datetime(2026, 3, 1, 9, tzinfo=UTC)
_LOCALES: Final = (None, "de", "en-US", "fr", "pt-BR", "ja", "xx")
_ZONES: Final = (None, "Asia/Kolkata", "No/Where")
_PIECES: Final = (
    *"\x00\ud800\u202e\u0301½²×^-–/.,'\"()[$€%°\n\t٣万만+~<=#0`",
    *(
        "1e999",
        "9" * 50,
        " and ",
        " to ",
        " of ",
        " a ",
        " the ",
        "th",
        "Q",
        "FY",
        "31",
        "2026",
        "May",
    ),
    *(" am", "per ", "between ", "half ", "ago", "http://"),
)
_GROWTH: Final = 4
_SIZE: Final = 2_000


def fuzz(corpus: list[str], *, seed: int, seconds: float) -> tuple[int, list[str]]:
    """Return how many texts were tried until the time was over, and what went wrong."""
    chance = random.Random(seed)  # noqa: S311 -- chance, no secret
    until = time.monotonic() + seconds
    findings: dict[str, str] = {}
    tried = 0
    while time.monotonic() < until:
        text = _mutated(corpus, chance)
        tried += 1
        problem = _problem_of(text, chance) or (
            _slowness_of(text, chance) if tried % 100 == 0 else None
        )
        if problem is not None:
            findings.setdefault(problem, repr(text)[:300])
    return tried, [f"{problem}: {text}" for problem, text in findings.items()]


def _mutated(corpus: list[str], chance: random.Random) -> str:
    letters = list(chance.choice(corpus))
    for _ in range(chance.randint(0, 5)):
        place = chance.randrange(len(letters) + 1)
        step = chance.random()
        if step < 0.4:
            letters[place:place] = chance.choice(_PIECES)
        elif step < 0.6:
            del letters[place : place + chance.randint(1, 3)]
        elif step < 0.8:
            other = chance.choice(corpus)
            start = chance.randrange(len(other))
            letters[place:place] = other[start : start + chance.randint(1, 30)]
        else:
            letters[place:place] = chr(
                chance.choice([chance.randrange(32, 0x3000), chance.randrange(0x3000, 0x1F700)])
            )
    return "".join(letters)


def _problem_of(text: str, chance: random.Random) -> str | None:
    """Return what is wrong with what is read of a text: an exception, or a promise that does not hold."""
    try:
        return _split_problem(text) or _normal_problem(text) or _value_problem(text, chance)
    except Exception as crash:
        place = traceback.extract_tb(crash.__traceback__)[-1]
        return f"{type(crash).__name__} in {place.name}"


def _split_problem(text: str) -> str | None:
    last = 0
    for sentence in split_sentences(text):
        start, end = sentence.span.start, sentence.span.end
        if not last <= start < end <= len(text) or text[last:start].strip():
            return f"sentence {sentence.span} after {last}"
        last = end
    return f"text after {last}" if text[last:].strip() else None


def _normal_problem(text: str) -> str | None:
    once = normal_form(text)
    if normal_form(once.text).text != once.text:
        return "a second normal form differs"
    pairs = list(zip(once.starts, once.ends, strict=True))
    straight = all(0 <= start <= end <= len(text) for start, end in pairs)
    ordered = all(one[0] <= other[0] for one, other in itertools.pairwise(pairs))
    return None if straight and ordered else "the way back from the normal form is out of order"


def _value_problem(text: str, chance: random.Random) -> str | None:
    mentions = extract_quantities(
        text,
        locale=chance.choice(_LOCALES),
        now=_NOW if chance.random() < 0.5 else None,
        timezone=chance.choice(_ZONES),
        fiscal_year_start=chance.choice((1, 10)),
        relative_order=chance.random() < 0.2,
    )
    last = 0
    for mention in mentions:
        if not last <= mention.span.start < mention.span.end <= len(text):
            return f"span {mention.span} after {last}"
        if isinstance(mention.value, Quantity) and mention.value.text != mention.span.of(text):
            return f"text of {mention.span}"
        last = mention.span.end
    return next(filter(None, itertools.starmap(_relation_problem, _pairs(mentions))), None)


def _pairs(mentions: tuple[ValueMention, ...]) -> Iterator[tuple[Value, Value]]:
    values = [mention.value for mention in mentions[:4]]
    return itertools.combinations_with_replacement(values, 2)


def _relation_problem(one: Value, other: Value) -> str | None:
    """Return that a value differs from itself, or that two can be compared in one direction only."""
    there, back = relate(one, other).outcome, relate(other, one).outcome
    if _fault(one) or _fault(other):
        return None
    if one is other and there in {Outcome.DISAGREE, Outcome.INCOMPARABLE}:
        return f"{one.text!r} is not itself"
    if (there is Outcome.INCOMPARABLE) is not (back is Outcome.INCOMPARABLE):
        return f"{one.text!r} and {other.text!r} compare one way only"
    return None


def _fault(value: Value) -> str | None:
    return value.fault if isinstance(value, Quantity) else None


def _slowness_of(text: str, chance: random.Random) -> str | None:
    """Return that a repeated piece of a text takes far longer than its four-fold length allows."""
    start = chance.randrange(len(text) + 1)
    unit = text[start : start + chance.randint(1, 9)] or "x10"
    short, long = (_seconds(unit * (size // len(unit))) for size in (_SIZE, _SIZE * _GROWTH))
    if short < 0.002 or long < short * _GROWTH * 2:
        return None
    return f"{unit!r} repeated: {long / short:.0f} times as long"


def _seconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        extract_quantities(text)
        best = min(best, time.process_time() - begun)
    return best
