"""Answers that are large, broken or meant to break: marked and corrected in linear time, all else kept."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from tests.unit.verify.shop import SHOP, THROW, call, verify_by_ledger
from verifier.core.annotation import annotate
from verifier.core.correction import apply_edits, propose_edits
from verifier.core.policy import Mode, Policy
from verifier.core.turns import Turn
from verifier.verify.policy import verify_under
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.report import GroundingReport

CALL = call("get_product", {"id": THROW, "name": "Wool throw", "price": 49.9, "currency": "USD"})
FALSE = "The Wool throw costs $59.90."
DEAD = '{"id": "no-uuid", "price": 5}'
NOISE = (
    *(
        "`",
        "```",
        "~~~",
        "](",
        "](x)",
        "<b",
        ">",
        "|",
        "\n",
        "\r\n",
        "\t",
        "**",
        "[^check-c1]",
        "[^1]: x",
    ),
    *("😀", "\u202e", "e\u0301", "שלום", "\u200d", "\ufeff", "- ", "> ", "# ", "$5", "\x00", " "),
)


def under(mode: Mode, answer: str) -> GroundingReport:
    turn = Turn(calls=(CALL,))
    backing = Backing(catalog=SHOP)
    return asyncio.run(verify_under(Policy(mode=mode), answer, turn, backing=backing))


@pytest.mark.parametrize("seed", range(40))
def test_noise_around_a_claim_stays(seed: int) -> None:
    chooser = random.Random(seed)  # noqa: S311 -- nothing here is secret
    before, behind = ("".join(chooser.choices(NOISE, k=8)) for _ in range(2))
    answer = f"{before}\n\n{FALSE}\n\n{behind}"
    release = under(Mode.ANNOTATE, answer).release
    assert release is not None
    assert release.text is not None
    places = [0, *(one.at for one in release.annotations), len(answer)]
    left = release.text
    for start, end in pairwise(places) if release.text != answer else ():
        kept = answer[start:end]
        assert kept in left
        left = left[left.index(kept) + len(kept) :]
    corrected = under(Mode.CORRECT, answer).release
    assert corrected is not None
    assert corrected.text == answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (f"A\n```product\n{DEAD}\n```\nB", "A\nB"),
        (f"A\r\n  ~~~product\r\n{DEAD}\r\n~~~\r\nB", "A\r\nB"),
        (f"```product\n{DEAD}\n```", ""),
        (f"```product\n{DEAD}", ""),
        (f"- ```product\n{DEAD}\n```\nB", f"- ```product\n{DEAD}\n```\nB"),
        (f"```products\n[{DEAD}]\n```\n", ""),
        (f"```products\n[\n {DEAD},\n {DEAD}\n]\n```\nB", "B"),
    ],
)
def test_cards_of_ids_that_can_not_exist_go_out(answer: str, expected: str) -> None:
    release = under(Mode.CORRECT, answer).release
    assert release is not None
    assert release.text == expected


@pytest.mark.parametrize("alive", [(0,), (1,), (3,), (0, 3), (1, 2), (0, 1, 2, 3)])
def test_what_is_left_of_a_list_is_a_list(alive: tuple[int, ...]) -> None:
    fields = [{"id": THROW if at in alive else "no-uuid", "price": 49.9} for at in range(4)]
    body = ",\n  ".join(json.dumps(one) for one in fields)
    release = under(Mode.CORRECT, f"```products\n[ {body} ]\n```").release
    assert release is not None
    assert release.text is not None
    left = json.loads("\n".join(release.text.splitlines()[1:-1]))
    assert left == [one for one in fields if one["id"] == THROW]


def cards(number: int) -> Callable[[], object]:
    body = ",\n".join(f'{{"id": "no-uuid-{at}"}}' for at in range(number))
    report = verify_by_ledger(f'```products\n[{{"id": "{THROW}"}},\n{body}]\n```', CALL)

    def correct() -> object:
        proposal = propose_edits(report, SHOP)
        assert len(proposal.edits) == number
        return apply_edits(report.answer, proposal.edits)

    return correct


def marks(number: int) -> Callable[[], object]:
    report = verify_by_ledger(f"{FALSE}\n\n" * number, CALL)
    return lambda: annotate(report)


def markup(piece: str) -> Callable[[int], Callable[[], object]]:
    report = verify_by_ledger(FALSE, CALL)
    return lambda number: lambda: annotate(replace(report, answer=f"{FALSE} x{piece * number}"))


@pytest.mark.scaling
@pytest.mark.parametrize(
    "prepare",
    [
        cards,
        marks,
        *(markup(piece) for piece in ("`", "` ", "](", "<", "[^check-", "x ```", "|\n")),
    ],
)
def test_time_grows_no_faster_than_the_answer(
    prepare: Callable[[int], Callable[[], object]],
) -> None:
    assert_grows(prepare, 200, 1_600, at_most=8 * 4)
