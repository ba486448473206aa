"""What the user said against a period that the cited text sets: "5 days ago, within the 7-day window"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.comparison import Outcome, relate
from verifier.core.lexicons import load_word_lists
from verifier.core.statement_results import CitedClause, StatementResult, contradict, support
from verifier.core.text import content_stems
from verifier.core.units import Dimension, unit_of
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from verifier.core.quantities import ValueMention
    from verifier.core.statements import Clause

Length = tuple[Dimension, "Fraction"]
"""How long something lasts: the dimension, and the number in its base unit."""


def compare_with_window(
    part: Clause, cited: Sequence[CitedClause], said: Sequence[CitedClause]
) -> StatementResult | None:
    """Return whether a time that the user told lies in a period of the cited text, as the statement says.

    The statement has both, and a word that says inside or outside; every other word of it is the user's
    or the cited clause's. None where it is no such statement, or says more.
    """
    pair = _split(part, said)
    inside = _says_inside(part)
    if pair is None or inside is None:
        return None
    told, period = pair
    by_user, by_text = _find_one(part, told, said), _find_one(part, period, cited)
    if by_user is None or by_text is None or not _ends_a_period(by_text.clause):
        return None
    users, texts = by_user.clause, by_text.clause
    own = content_stems(" ".join(_list("window_words")))
    if not part.stems <= users.stems | texts.stems | set(own):
        return None
    lengths = _length(told), _length(period)
    if part.denied or users.denied or texts.denied or lengths[0] is None or lengths[1] is None:
        return None
    lies_inside = lengths[0][1] <= lengths[1][1]
    sign = "is not more than" if lies_inside else "is more than"
    detail = (
        f"{told.value.text!r}, as the user said, {sign} {period.value.text!r} of the cited text"
    )
    if lies_inside is not inside:
        return contradict(part, detail, (by_text,))
    return support(detail, (by_text,))


def _split(part: Clause, said: Sequence[CitedClause]) -> tuple[ValueMention, ValueMention] | None:
    """Return what the user told and the period, where the statement has these two values and no other."""
    held = [other for one in said for other in one.clause.values]
    users = [one for one in part.values if any(_is_as_long(one, other) for other in held)]
    others = [one for one in part.values if one not in users]
    return (users[0], others[0]) if len(users) == len(others) == 1 else None


def _find_one(
    part: Clause, mention: ValueMention, clauses: Sequence[CitedClause]
) -> CitedClause | None:
    """Return the clause that shares most with the statement among those with a time; it must have this."""
    timed = [
        one
        for one in clauses
        if any(
            relate(mention.value, other.value).outcome is not Outcome.INCOMPARABLE
            for other in one.clause.values
        )
    ]
    shares = [len(part.stems & one.clause.stems) for one in timed]
    greatest = max(shares, default=0)
    best = [one for one, share in zip(timed, shares, strict=True) if share == greatest]
    if len(best) != 1 or not part.stems & best[0].clause.stems or best[0].clause.unsettled:
        return None
    values = best[0].clause.values
    return best[0] if len(values) == 1 and _is_as_long(mention, values[0]) else None


def _is_as_long(mention: ValueMention, other: ValueMention) -> bool:
    length = _length(mention)
    return length is not None and length == _length(other)


def _length(mention: ValueMention) -> Length | None:
    """Return how long an exact time or the end of a period is; None for what is neither."""
    value = mention.value
    if not isinstance(value, Quantity) or value.kind is not Kind.DURATION:
        return None
    unit = unit_of(value.unit or "s")
    end = value.interval.high
    if unit is None or end is None or value.fault is not None or value.alternatives:
        return None
    if value.writing not in {Writing.EXACT, Writing.BOUND}:
        return None
    return unit.dimension, end * unit.factor


def _ends_a_period(clause: Clause) -> bool:
    """Return whether the cited value ends a period: "within 7 days", "up to 7 days", a 7-day window."""
    held = clause.values[0].value
    bounds = isinstance(held, Quantity) and held.writing is Writing.BOUND
    return bounds or bool(clause.words & _list("window_words"))


def _says_inside(part: Clause) -> bool | None:
    """Return whether the statement says inside (True) or outside; None where it says neither, or both."""
    inside = bool(part.words & _list("inside_words")) or any(
        mention.value.text.casefold().startswith("within") for mention in part.values
    )
    outside = bool(part.words & _list("outside_words"))
    return None if inside is outside else inside


def _list(name: str) -> frozenset[str]:
    return load_word_lists("grounding")[name]
