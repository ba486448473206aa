"""How far reviewers agree, from the decisions in the store."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.integration.queued_reviews import answering, asking, log, verifier_on
from tests.integration.store_reading import opened
from verifier.audit.agreement import measure_kappa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.integration.conftest import Database
    from verifier.audit.agreement import Agreement

S, U, C = "supported", "unsupported", "contradicted"


async def decided(database: Database, said: Mapping[str, str]) -> Agreement:
    """Every reviewer's decisions, a letter an entry: s, u, c, or a dot for none."""
    words = {"s": S, "u": U, "c": C}
    verifier = verifier_on(database)
    async with opened(database) as pool:
        entries = len(next(iter(said.values())))
        for number in range(entries):
            await log(pool, answering(f"r{number}", asking(1, f"It is {number}.")))
    found = (await verifier.reviews.list(order="oldest", limit=1000)).entries
    by_claim = {entry.claim: entry.review_id for entry in found}
    ids = [by_claim[f"It is {number}."] for number in range(entries)]
    for name, letters in said.items():
        for review_id, letter in zip(ids, letters, strict=True):
            if letter in words:
                await verifier.reviews.decide(review_id, words[letter], by=name, reason="so")
    measured = await verifier.reviews.agreement()
    await verifier.close()
    return measured


async def test_kappa_of_two_reviewers_is_that_of_the_formula(fresh_database: Database) -> None:
    # 10 entries, 7 alike; ada says s 6 times and u 4, ben s 5 and u 5: expected 0.3 + 0.2.
    measured = await decided(fresh_database, {"ada": "ssssssuuuu", "ben": "ssssuuuuus"})
    (pair,) = measured.pairs
    assert (pair.reviewer, pair.other, pair.shared, pair.agreed) == ("ada", "ben", 10, 7)
    assert pair.kappa is not None
    assert math.isclose(pair.kappa, (0.7 - 0.5) / (1 - 0.5))
    assert (measured.decided, measured.shared, measured.agreed, measured.disputed) == (10, 10, 7, 3)


async def test_every_two_of_several_are_compared_on_what_both_decided(
    fresh_database: Database,
) -> None:
    measured = await decided(fresh_database, {"ada": "ssuu..", "ben": "ssus..", "cyd": "....cc"})
    assert [(one.reviewer, one.other, one.shared) for one in measured.pairs] == [("ada", "ben", 4)]
    assert (measured.decided, measured.shared, measured.disputed) == (6, 4, 1)


@pytest.mark.parametrize(
    "said",
    [
        {"ada": "...."},
        {"ada": "ssuc"},
        {"ada": "ss..", "ben": "..uu"},
    ],
)
async def test_without_two_reviewers_of_one_entry_there_is_no_pair(
    fresh_database: Database, said: Mapping[str, str]
) -> None:
    assert (await decided(fresh_database, said)).pairs == ()


async def test_where_both_say_one_and_the_same_of_all_kappa_is_not_defined(
    fresh_database: Database,
) -> None:
    (pair,) = (await decided(fresh_database, {"ada": "sss", "ben": "sss"})).pairs
    assert (pair.agreed, pair.kappa) == (3, None)


async def test_what_a_reviewer_decided_anew_counts_once_a_round(fresh_database: Database) -> None:
    verifier = verifier_on(fresh_database)
    async with opened(fresh_database) as pool:
        await log(pool, answering("r1", asking(1, "It is.")))
    review_id = (await verifier.reviews.list()).entries[0].review_id
    for by, decision in (("ada", S), ("ben", U), ("ada", U)):
        await verifier.reviews.decide(review_id, decision, by=by, reason="so")
    await verifier.reviews.reopen(review_id, by="cyd", reason="again")
    await verifier.reviews.decide(review_id, C, by="ada", reason="so")
    measured = await verifier.reviews.agreement()
    await verifier.close()
    assert (measured.decided, measured.shared, measured.agreed) == (2, 1, 1)


@pytest.mark.parametrize(
    ("counted", "kappa"),
    [
        ({}, None),
        ({(S, S): 9}, None),
        ({(S, U): 0, (S, S): 9}, None),
        ({(S, U): 9}, 0.0),
        ({(S, S): 5, (U, U): 5}, 1.0),
        ({(S, U): 5, (U, S): 5}, -1.0),
        ({(S, S): 20, (S, U): 5, (U, S): 10, (U, U): 15}, 0.4),
    ],
)
def test_kappa_of_counted_labels(
    counted: Mapping[tuple[str, str], int], kappa: float | None
) -> None:
    measured = measure_kappa(counted)
    assert (
        measured == kappa if kappa is None else math.isclose(measured or 0.0, kappa, abs_tol=1e-12)
    )
