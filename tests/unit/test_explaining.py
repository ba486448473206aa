"""Explaining claims of reports: the candidates, why each lost, the derivation, and what can't be said."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.unit.verify.shop import ORDER, SHOP, call, verify_by_ledger, verify_cited
from verifier.core.binding.judging import Fate
from verifier.core.catalog import Catalog
from verifier.core.relations import Outcome
from verifier.core.report_file import WrittenReport, read_report
from verifier.core.report_json import load_schema, report_to_json
from verifier.core.turns import RetrievedChunk, Turn
from verifier.errors import UnknownThing
from verifier.interfaces.cli.app import run
from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.render_report import show_report
from verifier.interfaces.wire import dump_line, to_wire
from verifier.interfaces.wording import describe_verdict
from verifier.verify.explaining import ClaimExplanation, explain_claim, explanation_to_json
from verifier.verify.verifier import verify_answer, verify_claims

if TYPE_CHECKING:
    from pathlib import Path

    from verifier.core.binding.explaining import ExplainedCandidate, Explanation
    from verifier.core.report import GroundingReport

ROOMS = {
    "booking": "B-77",
    "status": "confirmed",
    "rooms": [
        {"name": "Garden Room", "price": 82.5, "nights": 2, "breakfast": True},
        {"name": "Attic Room", "price": 61.0, "nights": 3, "breakfast": False},
    ],
}
STAY = Turn(
    turn_id="t1",
    question="What did I book? I paid $500 last year.",
    system="Guests may cancel within 14 days of booking. Pets cost 12 euros a night.",
    default_currency="EUR",
    calls=(call("get_booking", ROOMS),),
)


def reread(report: GroundingReport) -> WrittenReport:
    return read_report(dump_line(report_to_json(report)))


def explain(answer: str, claim: str = "c1", turn: Turn = STAY) -> ClaimExplanation:
    return explain_claim(reread(asyncio.run(verify_answer(answer, turn))), claim)


def binding_of(answer: str, claim: str = "c1", turn: Turn = STAY) -> Explanation:
    explained = explain(answer, claim, turn)
    assert explained.not_asked is None
    assert explained.remarks == ()
    assert explained.binding is not None
    return explained.binding


def deciding(binding: Explanation) -> list[ExplainedCandidate]:
    return [one for one in binding.candidates if one.decided]


def test_the_fact_that_decides_stands_with_the_one_that_lost() -> None:
    binding = binding_of("The Garden Room costs €82.50.")
    assert (binding.text, binding.fate) == ("€82.50", Fate.PROVED)
    best, *others = binding.candidates
    assert (best.things[0], best.attribute, best.outcome) == (
        "Garden Room",
        ("price",),
        Outcome.AGREE,
    )
    assert best.points >= binding.accept_floor
    assert (best.decided, best.why) == (True, "it decided")
    (attic,) = [one for one in others if one.things[:1] == ("Attic Room",)]
    assert attic.outcome is Outcome.DISAGREE
    assert not attic.decided
    assert attic.why.startswith("lost: the clause names another thing")


def test_the_right_value_on_the_wrong_thing_agrees_and_loses() -> None:
    binding = binding_of("The Garden Room costs €61.00.")
    assert binding.fate is Fate.REFUTED
    assert binding.right == "82.5"
    (agreeing,) = [one for one in binding.candidates if one.outcome is Outcome.AGREE]
    assert agreeing.things[0] == "Attic Room"
    assert not agreeing.decided
    assert deciding(binding)[0].outcome is Outcome.DISAGREE


def test_a_denial_is_borne_out_by_another_value() -> None:
    turn = replace(STAY, calls=(call("get", {"order_id": "77", "status": "processing"}),))
    binding = binding_of("Order 77 has not shipped.", turn=turn)
    assert binding.denied
    assert binding.fate is Fate.PROVED
    assert {one.outcome for one in deciding(binding)} == {Outcome.AGREE}


def test_states_are_held_against_states() -> None:
    turn = replace(STAY, calls=(call("get", {"order_id": "77", "status": "PROCESSING"}),))
    binding = binding_of("Order 77 has shipped.", turn=turn)
    assert [(one.value, one.outcome) for one in binding.candidates] == [
        ("PROCESSING", Outcome.DISAGREE)
    ]
    same = replace(turn, calls=(call("get", {"order_id": "77", "status": "SHIPPED"}),))
    (held,) = binding_of("Order 77 has shipped.", turn=same).candidates
    assert (held.outcome, held.why) == (Outcome.AGREE, "it decided")


def test_prose_is_shown_by_its_clause() -> None:
    binding = binding_of("Guests may cancel within 21 days of booking.")
    assert binding.fate is Fate.REFUTED
    (decided,) = deciding(binding)
    assert decided.things == ()
    assert decided.clause is not None
    assert "cancel within 14 days" in decided.clause


def test_a_derived_value_shows_its_operands_in_order() -> None:
    binding = binding_of("The difference between the Garden Room and the Attic Room is €21.50.")
    assert binding.fate is Fate.DERIVED
    derivation = binding.derivation
    assert derivation is not None
    assert derivation.operation == "difference"
    assert [(one.things[0], one.value) for one in derivation.operands] == [
        ("Garden Room", "82.5"),
        ("Attic Room", "61.0"),
    ]
    assert all(one.locator is not None and not one.from_user for one in derivation.operands)
    assert "21.5" in derivation.wording


def test_an_operand_that_no_tool_returned_is_told_as_such() -> None:
    turn = replace(STAY, question="Can I have 30% off the Garden Room?")
    binding = binding_of("With 30% off the Garden Room costs €57.75.", turn=turn)
    assert binding.derivation is not None
    price, share = binding.derivation.operands
    assert (price.value, price.from_user) == ("82.5", False)
    assert price.locator is not None
    assert share.value == "30%"
    assert share.from_user or share.locator is None


def test_what_stands_nowhere_has_a_reason() -> None:
    binding = binding_of("The Garden Room costs €99.99.", turn=replace(STAY, calls=(), system=None))
    assert binding.fate is Fate.OPEN
    assert binding.reason == "no_evidence"
    assert binding.candidates == ()


def test_a_word_that_speaks_against_a_proof_is_named() -> None:
    binding = binding_of("The deposit of the Garden Room is €82.50.")
    assert binding.fate is Fate.OPEN
    assert "'deposit'" in binding.detail
    assert binding.candidates[0].outcome is Outcome.AGREE
    assert binding.candidates[0].why == "the best, and not enough"


def test_every_candidate_that_lost_says_why() -> None:
    answer = "You stay 2 nights in the Garden Room. Pets cost 15 euros a night. It is 9 nights."
    report = reread(asyncio.run(verify_answer(answer, STAY)))
    assert report.claims
    for claim in report.claims:
        binding = explain_claim(report, claim.claim_id).binding
        assert binding is not None
        for one in binding.candidates:
            assert one.decided != one.why.startswith("lost: ")
        points = [one.points for one in binding.candidates]
        assert points == sorted(points, reverse=True)


@pytest.mark.parametrize(
    ("report", "catalog", "told"),
    [
        (
            verify_cited("Refunds take 7 days [P].", P="Refunds take 7 days."),
            Catalog(),
            "the sentence cites P",
        ),
        (
            verify_cited(
                "Refunds take 7 days.",
                Turn(
                    cited="P",
                    retrieved=(RetrievedChunk(label="P", source="P", text="Refunds take 7 days."),),
                ),
            ),
            Catalog(),
            "the whole answer cites 'P'",
        ),
        (
            verify_cited("Refunds take 7 days.", Turn(citations_required=True)),
            Catalog(),
            "the turn demands citations",
        ),
        (
            verify_by_ledger(f"Order {ORDER} has shipped.", call("get", {"order_id": ORDER})),
            SHOP,
            "the catalog declares 'order'",
        ),
        (verify_by_ledger("```product\n{\n```"), SHOP, "the catalog declares|no single value"),
        (verify_by_ledger("x" * 2_000_001), SHOP, "no single value"),
    ],
    ids=["cited", "cited whole", "citations demanded", "catalogued", "broken card", "too large"],
)
def test_where_others_decide_binding_is_not_asked(
    report: GroundingReport, catalog: Catalog, told: str
) -> None:
    explained = explain_claim(reread(report), "c1", catalog=catalog)
    assert explained.binding is None
    assert explained.not_asked is not None
    assert any(part in explained.not_asked for part in told.split("|"))
    assert explained.remarks == ()
    assert explained.claim.verdict.findings
    valid(explained)


def test_a_claim_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownThing, match="no claim 'c7'; it has c1"):
        explain("The Garden Room costs €82.50.", "c7")


def test_what_differs_from_the_report_is_remarked() -> None:
    report = reread(asyncio.run(verify_answer("The Garden Room costs €82.50.", STAY)))
    assert explain_claim(report, "c1").remarks == ()
    (version,) = explain_claim(replace(report, verifier_version="0.0.1"), "c1").remarks
    assert "made by version 0.0.1" in version
    (catalog,) = explain_claim(replace(report, catalog_hash="0" * 64), "c1").remarks
    assert "another catalog" in catalog
    (changed,) = explain_claim(replace(report, is_intact=False), "c1").remarks
    assert "it was changed" in changed
    other = replace(report, turn=replace(STAY, calls=()))
    (otherwise,) = explain_claim(other, "c1").remarks
    assert "the report says otherwise" in otherwise


def test_what_the_catalog_hides_is_no_candidate() -> None:
    orders = [
        {"order_id": ORDER, "customer": "u2", "total": 61, "carrier_fee": 7},
        {"order_id": ORDER.replace("1", "2"), "customer": "u1", "total": 82, "carrier_fee": 9},
    ]
    turn = Turn(principal="u1", calls=(call("list_orders", orders),), default_currency="USD")
    made = asyncio.run(
        verify_claims("The carrier fee is $7.00.", turn.calls, None, catalog=SHOP, turn=turn)
    )
    report = reread(made)
    seen = explain_claim(report, "c1", catalog=SHOP)
    assert seen.binding is not None
    assert seen.remarks == ()
    assert "7" not in {one.value for one in seen.binding.candidates}
    unseen = explain_claim(report, "c1")
    assert unseen.binding is not None
    assert any("another catalog" in remark for remark in unseen.remarks)


def valid(explained: ClaimExplanation) -> dict[str, Any]:
    told = json.loads(json.dumps(to_wire(explanation_to_json(explained)), allow_nan=False))
    jsonschema.Draft202012Validator(load_schema("explanation.v1")).validate(told)
    defs = load_schema("report.v1")["$defs"]
    jsonschema.Draft202012Validator({**defs["verdict"], "$defs": defs}).validate(told["claim"])
    assert isinstance(told, dict)
    return told


ANSWER = (
    "Your booking B-77 is confirmed. The Garden Room costs €82.50, the Attic Room €82.50.\n\n"
    "You stay 5 nights in total. Guests may cancel within 14 days of booking. It costs €99 more."
)


def test_the_json_form_is_the_documented_one() -> None:
    report = reread(asyncio.run(verify_answer(ANSWER, STAY)))
    told = [valid(explain_claim(report, claim.claim_id)) for claim in report.claims]
    assert len(told) >= 5
    for one in told:
        assert one["report_id"] == report.report_id
        assert one["id"] == "t1"
        start, end = one["binding"]["span"]
        assert ANSWER[start:end] == one["binding"]["value"]
        assert one["sentence"] in ANSWER


@pytest.fixture
def report_file(tmp_path: Path) -> Path:
    path = tmp_path / "reports.jsonl"
    turns = [STAY, replace(STAY, turn_id="t2", calls=())]
    reports = [asyncio.run(verify_answer(ANSWER, turn)) for turn in turns]
    path.write_text("".join(dump_line(report_to_json(one)) + "\n" for one in reports), "utf-8")
    return path


def test_the_command_prints_candidates_and_why(
    report_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", str(report_file), "c3", "--turn", "t1"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for told in (
        "c3 contradicted by ledger",
        "right is 61.0",
        "in the sentence: The Garden Room costs €82.50, the Attic Room €82.50.",
        "Binding of '€82.50': refuted",
        "it decided",
        "lost:",
        "get_booking c1",
    ):
        assert told in out


def test_the_command_prints_one_json_value(
    report_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", str(report_file), "c2", "--turn", "t1", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["schema"] == "explanation.v1"


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        (["c9", "--turn", "t1"], "UnknownThing", "no claim 'c9'; it has c1, c2"),
        (["c1", "--turn", "t9"], "UnknownThing", "no report of turn 't9'"),
        (["c1"], "InputError", "name one by --turn: t1, t2"),
    ],
)
def test_misuse_is_exit_code_2_and_names_the_file(
    arguments: list[str],
    kind: str,
    told: str,
    report_file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["explain", str(report_file), *arguments, "--json"]) == 2
    error = json.loads(capsys.readouterr().err)["error"]
    assert (error["type"], error["exit_code"]) == (kind, 2)
    assert str(report_file) in error["message"]
    assert told in error["message"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "there is no report in it"),
        (b'{"answer": "x"}', "no grounding report"),
        (b'{"schema": "report.v9"}', "'report.v9'"),
        (b"\xff\xfe", "not UTF-8"),
        (None, "No such file"),
    ],
)
def test_a_file_without_a_report_is_exit_code_2(
    content: bytes | None, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.json"
    if content is not None:
        path.write_bytes(content)
    assert run(["explain", str(path), "c1"]) == 2
    printed = capsys.readouterr().err
    assert told in printed
    assert "Traceback" not in printed


def test_a_catalog_that_can_not_be_read_is_told_where_it_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], report_file: Path
) -> None:
    made = verify_by_ledger(f"Order {ORDER} has shipped.", call("get", {"order_id": ORDER}))
    path = tmp_path / "report.json"
    path.write_text(dump_line(report_to_json(made)), "utf-8")
    (tmp_path / "broken.toml").write_text("[catalog", "utf-8")
    broken = ["--config", str(tmp_path / "broken.toml")]
    assert run(["explain", str(path), "c1", *broken]) == 2
    assert "broken.toml" in capsys.readouterr().err
    assert run(["explain", str(report_file), "c1", "--turn", "t1", *broken]) == 0


def test_a_report_on_a_terminal_tells_the_ids_that_can_be_explained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = "The Garden Room costs 82.50 EUR. The Attic Room costs 99.00 EUR."
    report = asyncio.run(verify_answer(answer, STAY))

    show_report(Invocation(), report)

    shown = capsys.readouterr().out
    for judged in report.judged:
        explained = explain_claim(reread(report), judged.claim.claim_id)
        assert f" {judged.claim.claim_id} {describe_verdict(explained.claim.verdict)}  " in shown
