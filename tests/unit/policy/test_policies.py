"""What stops an answer, and what a policy makes of it without a database."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import jsonschema
import pytest

from tests.unit.verify.shop import SHOP, THROW, call, verify_by_ledger
from verifier.core.policy import HOLD_REJECTED, HOLD_STRICT, Hindrance, Mode, Policy, read_policy
from verifier.core.report_file import read_report
from verifier.core.report_json import identify_content, load_schema, report_to_json
from verifier.core.turns import Turn
from verifier.core.verdicts import Disposition
from verifier.errors import InputError
from verifier.interfaces.wire import dump_line
from verifier.interfaces.wording import describe_outcome
from verifier.verify.policy import verify_under
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    from verifier.core.report import GroundingReport

CALL = call("get_product", {"id": THROW, "name": "Wool throw", "price": 49.9, "currency": "USD"})
TRUE = "The Wool throw costs $49.90."
FALSE = "The Wool throw costs $59.90."
OPEN = "The Wool throw weighs 3 kg."
DOUBTED = "The Wool throw might cost $49.90."
UNRECOGNISED = "The owner is Lena."
ACCEPTED = {
    "true, by default": (TRUE, HOLD_REJECTED, True),
    "false, by default": (FALSE, HOLD_REJECTED, False),
    "nothing recognised, by default": (UNRECOGNISED, HOLD_REJECTED, True),
    "true, strict": (TRUE, HOLD_STRICT, True),
    "false, strict": (FALSE, HOLD_STRICT, False),
    "nothing recognised, strict": (UNRECOGNISED, HOLD_STRICT, False),
    "true beside what is not recognised, strict": (f"{TRUE} {UNRECOGNISED}", HOLD_STRICT, False),
    "a greeting, strict": ("Hello! How can I help?", HOLD_STRICT, True),
    "nothing, strict": ("", HOLD_STRICT, True),
    "nothing recognised, review only": (
        UNRECOGNISED,
        frozenset({Disposition.REJECTED, Disposition.REVIEW}),
        True,
    ),
    "false, unchecked only": (FALSE, frozenset({Disposition.UNCHECKED}), True),
}


def verify(answer: str, policy: Policy) -> GroundingReport:
    turn = Turn(calls=(CALL,))
    return asyncio.run(verify_under(policy, answer, turn, backing=Backing(catalog=SHOP)))


@pytest.mark.parametrize(("answer", "hold", "accepted"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_stops_an_answer(answer: str, hold: frozenset[Disposition], *, accepted: bool) -> None:
    report = verify(answer, Policy(hold=hold))
    assert report.accepted is accepted
    assert report.release is None
    held = verify(answer, Policy(mode=Mode.HOLD, hold=hold)).release
    assert held is not None
    assert held.text == (answer if accepted else None)
    assert held.accepted is accepted


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("answer", [TRUE, FALSE, UNRECOGNISED, ""])
def test_a_report_tells_its_policy_and_can_be_read_back(mode: Mode, answer: str) -> None:
    report = verify(answer, Policy(mode=mode, hold=HOLD_STRICT))
    written = report_to_json(report)
    jsonschema.validate(written, load_schema("report.v1"))
    assert written["provenance"]["policy"] == mode.value
    assert written["hold"] == ["rejected", "review", "unchecked"]
    assert written["report_id"] == identify_content(written)
    assert read_report(dump_line(written)).is_intact
    changed = replace(report, release=None, policy=Policy())
    assert mode is Mode.OFF or identify_content(report_to_json(changed)) != report.report_id


@pytest.mark.parametrize(
    ("answer", "hold", "told"),
    [
        (UNRECOGNISED, HOLD_REJECTED, "nothing to check was recognised"),
        (UNRECOGNISED, HOLD_STRICT, "not accepted; nothing to check was recognised"),
        (TRUE, HOLD_STRICT, "accepted; of 1 claim 1 accepted"),
        (DOUBTED, HOLD_REJECTED, "not stopped by the policy; of 1 claim 1 unchecked"),
        (DOUBTED, HOLD_STRICT, "not accepted; of 1 claim 1 unchecked"),
        (
            f"{TRUE} {UNRECOGNISED}",
            HOLD_STRICT,
            "not accepted; of 1 claim 1 accepted, and 1 sentence not recognised",
        ),
    ],
)
def test_the_headline_tells_what_stopped_it(
    answer: str, hold: frozenset[Disposition], told: str
) -> None:
    assert describe_outcome(verify(answer, Policy(hold=hold))) == told


def test_off_does_nothing_with_the_verdicts() -> None:
    plain = verify_by_ledger(FALSE, CALL)
    assert verify(FALSE, Policy()).judged == plain.judged
    assert verify(FALSE, Policy()).release is None


def test_a_tool_result_alone_corrects_nothing() -> None:
    report = verify(FALSE, Policy(mode=Mode.CORRECT))
    assert report.release is not None
    assert report.release.text == FALSE
    assert not report.release.accepted
    assert [one.hindrance for one in report.release.left_alone] == [Hindrance.NOT_CONFIRMED]


@pytest.mark.parametrize(
    ("mode", "hold"),
    [("off", ()), ("off", ("accepted",)), ("off", ("nothing",)), ("stop", ("rejected",))],
)
def test_a_policy_that_stops_nothing_is_refused(mode: str, hold: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="polic"):
        read_policy(mode, hold)
