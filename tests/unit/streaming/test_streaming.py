"""An answer that is judged while it is written: what goes out when, and what is told of it at last."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_grows
from tests.unit.streaming.pieces import (
    amended,
    ended,
    follow,
    released,
    send,
    shown,
    stream,
    verify,
    withheld,
)
from tests.unit.verify.shop import THROW, call
from verifier.core.policy import HOLD_STRICT, Mode, Policy
from verifier.core.report_json import report_to_json
from verifier.core.streaming_buffer import MOST_HELD
from verifier.core.streaming_cuts import find_certain_end
from verifier.core.streaming_events import Released
from verifier.core.turns import RetrievedChunk, Turn
from verifier.core.verdicts import Disposition, Reason, VerdictCode
from verifier.errors import InputError
from verifier.interfaces.wire import dump_line, to_wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from verifier.core.streaming_events import StreamEvent

TRUE = "The Wool throw costs $49.90."
FALSE = "The Wool throw costs $59.90."
CARD = '```product\n{"id": "' + THROW + '", "name": "Wool throw", "price": 49.90}\n```\n'
TABLE = "| Product | Price |\n|---|---|\n| Wool throw | $49.90 |\n| Wool throw | $59.90 |\n"
ANSWERS = {
    "empty": "",
    "greeting": "Hello! How can I help?",
    "true": TRUE,
    "false in the middle": f"Hello there. {FALSE} {TRUE} Anything else?",
    "windows line ends": f"Hi.\r\n\r\n{TRUE}\r\n{FALSE}\r\n",
    "card": f"Here it is:\n\n{CARD}\nIt is warm. {FALSE}",
    "open card": f"Here it is:\n\n{CARD[:-5]}",
    "table": f"## Prices\n\n{TABLE}\nPrices exclude VAT.",
    "list": "# Throws\n\nWe have:\n- **Wool throw**: $49.90\n- Wool throw: $59.90\n  - it costs $49.90\n",
    "setext": f"{TRUE} It is warm.\n---\n\n{FALSE}",
    "quotation": f'The page says "The throw is warm. It costs $59.90. Buy it." {TRUE}',
    "unclosed": f'The 5" throw (small is warm. {TRUE} {FALSE}',
    "footnotes": f"{TRUE}[^1] It is warm.[^2]\n\n[^1]: ours\n[^2]: theirs\n",
    "combined": "Cafe\u0301 👨‍👩‍👧 $49.90. 🇩🇪 The Wool throw costs $59.90\u200d. שלום! 好。Ok.",
    "surrogates": "A \ud83d cut pair \ude00 stays. The Wool throw costs $59.90.",
    "numbers": "It weighs 1.5 kg, No. 5. The Wool throw costs $49.90. 22. 3",
    "wide spaces": "1. Order #1\n\u2003\u2003- Boots, Throw\n2. Order #2\n\u2003- Mugs\n3. Order #3\n",
    "total": "The Wool throw costs $49.90. Two of them come to a total of $99.80.",
    "escapes": '```product\n{"id": "\\ud83d\\ude00", "price": 1}\n```\n\\[x\\] `$59.90` \\u0041',
}


@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_the_end_is_the_report_of_the_whole(answer: str, size: int) -> None:
    events = stream([answer[at : at + size] for at in range(0, len(answer), size)])
    whole = verify(answer)
    assert ended(events).complete
    assert _without_moment(ended(events).report) == _without_moment(whole)
    assert shown(events) == whole.answer
    assert _final_codes(events) == [(one.claim.span, one.verdict.code) for one in whole.judged]
    for event in events:
        dump_line(to_wire(event)).encode()


@pytest.mark.parametrize("mode", list(Mode))
@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(st.sampled_from([*ANSWERS.values(), "\n\n", " ", "\r", "- ", "> "]), max_size=4),
    cuts=st.lists(st.integers(0, 400), max_size=12),
)
def test_cut_anywhere_the_same_is_told(mode: Mode, parts: list[str], cuts: list[int]) -> None:
    answer = "".join(parts)
    edges = sorted({0, len(answer), *(cut for cut in cuts if cut < len(answer))})
    pieces = [answer[one:other] for one, other in pairwise(edges)]
    policy = Policy(mode=mode)
    events = stream(pieces, policy=policy)
    report = ended(events).report
    if mode is Mode.HOLD and withheld(events):
        assert not report.accepted
        assert verify(answer).answer.startswith(shown(events))
        return
    assert _without_moment(report) == _without_moment(verify(answer, policy=policy))
    if mode is Mode.OFF:
        assert shown(events) == report.answer
        told = [(one.claim.span, one.verdict.code) for one in report.judged]
        assert _final_codes(events) == told


def test_nothing_of_a_value_goes_out_before_its_sentence_is_judged() -> None:
    seen = ""

    async def run() -> None:
        nonlocal seen
        sent = ""

        async def write() -> AsyncIterator[str]:
            nonlocal sent
            for sign in f"Hello there. {FALSE} {TRUE} Bye now. So long.":
                sent += sign
                yield sign
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                if "59.90. The" not in sent:
                    assert "$" not in seen
                    assert "59" not in seen

        async for event in follow(write()):
            seen += event.text if isinstance(event, Released) else ""

    asyncio.run(run())
    assert "59.90" in seen


def test_sentences_go_out_one_by_one_with_their_verdicts() -> None:
    pieces = [
        part
        for one in (f"{TRUE} ", f"{FALSE} ", "It is warm. ", "Bye. Now.")
        for part in (one, 0.01)
    ]
    told = [
        (one.text.strip(), [claim.verdict.code for claim in one.judged])
        for one in released(stream(pieces))
    ]
    assert told[:2] == [(TRUE, [VerdictCode.VERIFIED]), (FALSE, [VerdictCode.PRICE_MISMATCH])]


def test_a_number_that_goes_on_is_no_sentence() -> None:
    events = stream(["The Wool throw costs $49.", 0.02, "90 today. ", 0.02, "It is warm."])
    codes = [claim.verdict.code for one in released(events) for claim in one.judged]
    assert codes[0] is VerdictCode.VERIFIED
    assert not amended(events)


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.ANNOTATE, Mode.CORRECT])
def test_what_waits_too_long_goes_out_as_unverifiable_and_is_judged_after(mode: Mode) -> None:
    begun = time.monotonic()
    late_after: list[float] = []

    async def run() -> list[StreamEvent]:
        found = []
        pieces = send(["The Wool throw costs $59.", 0.5, "90 today. ", "It is warm. Really."])
        async for event in follow(pieces, policy=Policy(mode=mode), max_delay_s=0.2):
            found.append(event)
            if getattr(event, "late", None):
                late_after.append(time.monotonic() - begun)
        return found

    events = asyncio.run(run())
    first = released(events)[0]
    assert first.late is Reason.TIMEOUT
    assert 0.15 < late_after[0] < 0.45
    assert ("[^check-" in first.text) is (mode is Mode.ANNOTATE)
    change = amended(events)[0]
    assert (change.was, change.retracts) == ((VerdictCode.UNVERIFIABLE,), True)
    assert change.now[0].verdict.disposition is Disposition.REJECTED
    assert ended(events).complete


def test_held_text_is_told_once_and_goes_out_when_it_is_judged() -> None:
    events = stream(
        ["The Wool throw costs $49.", 0.3, "9", 0.3, "0. ", "It is warm. Really."],
        policy=Policy(mode=Mode.HOLD),
        max_delay_s=0.1,
    )
    assert [(one.reason, one.stops) for one in withheld(events)] == [(Reason.TIMEOUT, False)]
    assert events.index(withheld(events)[0]) == 0
    assert shown(events) == f"{TRUE} It is warm. Really."


def test_a_held_claim_stops_the_stream_and_its_producer() -> None:
    closed = False

    async def write() -> AsyncIterator[str]:
        nonlocal closed
        try:
            for piece in (f"Hello there. {TRUE} ", f"{FALSE} ", "It is warm. "):
                yield piece
                await asyncio.sleep(0.01)
            await asyncio.sleep(60)
        finally:
            closed = True

    async def run() -> list[StreamEvent]:
        return [one async for one in follow(write(), policy=Policy(mode=Mode.HOLD))]

    begun = time.monotonic()
    events = asyncio.run(run())
    assert time.monotonic() - begun < 30
    assert closed
    assert shown(events).strip() == f"Hello there. {TRUE}"
    (stop,) = withheld(events)
    assert stop.stops
    assert [one.verdict.code for one in stop.judged] == [VerdictCode.PRICE_MISMATCH]
    end = ended(events)
    assert (end.complete, end.report.accepted) == (False, False)
    assert not amended(events)


def test_a_strict_policy_stops_at_what_nothing_recognises() -> None:
    policy = Policy(mode=Mode.HOLD, hold=HOLD_STRICT)
    events = stream([TRUE, " The owner is Lena. ", "Bye for now."], policy=policy)
    assert shown(events).strip() == TRUE
    assert withheld(events)[0].unchecked[0].text == "The owner is Lena."


def test_marks_and_footnotes_are_those_of_the_whole() -> None:
    policy = Policy(mode=Mode.ANNOTATE)
    answer = f"Hello there. {FALSE} {CARD}\n{CARD}\nIt is warm. {TRUE}"
    events = stream([answer[at : at + 9] for at in range(0, len(answer), 9)], policy=policy)
    release = ended(events).report.release
    assert release is not None
    text = shown(events)
    label = text[text.index("[^check-") + 8 :].partition("-")[0]
    assert text.replace(f"check-{label}-", "check-") == release.text


def test_an_answer_can_not_bring_its_own_footnotes() -> None:
    fake = f"{FALSE} It is warm. [^check-c1]: verified: all is well\n"
    texts = {shown(stream([fake], policy=Policy(mode=Mode.ANNOTATE))) for _ in range(2)}
    assert len(texts) == 2


def test_what_a_producer_had_written_is_judged_before_its_error_goes_on() -> None:
    events: list[StreamEvent] = []

    async def run() -> None:
        pieces = send([f"{FALSE} {TRUE[:-4]}", KeyError("broken")])
        async for event in follow(pieces):
            events.extend([event])

    with pytest.raises(KeyError, match="broken"):
        asyncio.run(run())
    assert shown(events) == f"{FALSE} {TRUE[:-4]}"
    assert not ended(events).complete
    assert ended(events).report.judged[0].verdict.code is VerdictCode.PRICE_MISMATCH


def test_a_reader_that_stops_closes_the_producer() -> None:
    closed: list[str] = []

    async def write() -> AsyncIterator[str]:
        try:
            yield f"{TRUE} {FALSE} It goes on."
            await asyncio.sleep(60)
        finally:
            closed.append("closed")

    async def run() -> None:
        events = follow(write())
        async for _ in events:
            break
        await events.aclose()
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(run())
    assert closed == ["closed"]


def test_a_producer_that_is_cancelled_ends_the_stream() -> None:
    with pytest.raises(InputError, match="cancelled"):
        asyncio.run(_drain([TRUE, asyncio.CancelledError()]))


@pytest.mark.parametrize(("pieces", "delay"), [([b"bytes"], 1.0), ([None], 1.0), ([TRUE], 0.0)])
def test_misuse_is_told(pieces: list[object], delay: float) -> None:
    async def write() -> AsyncIterator[object]:
        for piece in pieces:
            yield piece

    async def run() -> None:
        async for _ in follow(write(), max_delay_s=delay):  # type: ignore[arg-type]  # the misuse
            pass

    with pytest.raises(InputError, match=r"text|max_delay_s"):
        asyncio.run(run())


def test_a_later_footnote_amends_what_was_told() -> None:
    chunk = RetrievedChunk(label="care", source="care", text="The throw is washed at 30 °C.")
    answer = "The throw is washed at 30 °C.[^1] It is warm and soft.\n\n[^1]: care\n"
    events = stream([*answer], Turn(retrieved=(chunk,)))
    first = released(events)[0].judged
    assert [one.verdict.reason for one in first] in ([Reason.INCOMPLETE_EVIDENCE], [])
    assert [one.verdict.code for one in ended(events).report.judged][:1] == [VerdictCode.SUPPORTED]
    told = amended(events)[0]
    assert told.now[0].verdict.code is VerdictCode.SUPPORTED
    assert not told.retracts


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("end", ["", "\n\nSee you soon.\n"])
def test_what_is_held_waits_for_its_footnote_to_be_judged(size: int, end: str) -> None:
    chunk = RetrievedChunk(label="care", source="care", text="The throw is washed at 30 °C.")
    wrong = f"The throw is washed at 60 °C.[^1] It is warm and soft.\n\n[^1]: care\n{end}"
    pieces = [wrong[at : at + size] for at in range(0, len(wrong), size)]
    events = stream(pieces, Turn(retrieved=(chunk,)), policy=Policy(mode=Mode.HOLD))
    assert "60" not in shown(events)
    assert withheld(events)[0].stops
    assert not amended(events)


def test_a_total_is_derived_from_what_was_said_long_before() -> None:
    prices = [12.5, 30, 7.25, 41]
    record = [
        {"id": f"A-{at}", "name": f"Item {at}", "price": one} for at, one in enumerate(prices)
    ]
    turn = Turn(calls=(call("list", {"lines": record}),), default_currency="USD")
    lines = "".join(f"- Item {at}: ${one:.2f}\n" for at, one in enumerate(prices))
    answer = f"Your order:\n\n{lines}\nThank you for waiting. All is well. The total is $90.75.\n"
    events = stream([*answer], turn)
    whole = verify(answer, turn)
    assert _codes_told(events) == [one.verdict.code for one in whole.judged]
    assert not amended(events)


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("It costs $5.", ""),
        ("It costs $5. ", ""),
        ("It costs $5. It", ""),
        ("It costs $5. It is", "It costs $5."),
        ("It costs $5. [1, ", ""),
        ("It costs $5. [1] It is", "It costs $5. [1]"),
        ('He said "It costs $5. It is', ""),
        ("It costs $5\n\n", "It costs $5"),
        ("It costs $5\n", ""),
        ("It costs $5\n-", ""),
        ("It costs $5\n- salt", "It costs $5"),
        ("# Prices", ""),
        ("# Prices\n", "# Prices"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", ""),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("```product\n{}\n", ""),
        ("```product\n{}\n```", ""),
        ("```product\n{}\n```\n", "```product\n{}\n```\n"),
        ("```product\r\n{}\r\n```\r", ""),
        ("```product\r\n{}\r\n```\r\n", "```product\r\n{}\r\n```\r\n"),
        ("a | b. c d e", ""),
    ],
)
def test_what_is_certain(text: str, certain: str) -> None:
    assert text[: find_certain_end(text, 0)] == certain


@pytest.mark.parametrize(
    "text",
    ["a" * 60_000, "a " * 30_000, "```\n" + "x\n" * 30_000],
    ids=["a word", "a sentence", "a fence"],
)
def test_what_never_ends_goes_out_and_is_not_kept(text: str) -> None:
    events = stream([text[at : at + 500] for at in range(0, len(text), 500)])
    assert max(len(one.text) for one in released(events)) <= 2 * MOST_HELD
    assert {one.late for one in released(events)} >= {Reason.TOO_LARGE}
    assert shown(events) == text
    held = stream(
        [text[at : at + 500] for at in range(0, len(text), 500)], policy=Policy(mode=Mode.HOLD)
    )
    assert withheld(held)[-1].reason is Reason.TOO_LARGE
    assert withheld(held)[-1].stops


@pytest.mark.parametrize(
    "unit",
    [
        f"{TRUE} ",
        f"- {FALSE}\n",
        "| a | $5 |\n",
        '"a. b. ',
        "[^1] It is $5. ",
        f"{CARD}\n",
        "a.\n\n",
    ],
)
def test_time_grows_with_the_answer(unit: str) -> None:
    assert_grows(lambda count: lambda: stream([unit] * count), 40, 160, at_most=8)


def _codes_told(events: list[StreamEvent]) -> list[VerdictCode]:
    return [one.verdict.code for event in released(events) for one in event.judged]


def _final_codes(events: list[StreamEvent]) -> list[tuple[object, VerdictCode]]:
    """Return the verdicts as they stand once every event was followed."""
    told: dict[object, list[VerdictCode]] = {}
    for event in events:
        for one in event.judged if event in released(events) else ():
            told.setdefault(one.claim.span, []).append(one.verdict.code)
    for event in amended(events):
        told[event.span] = [one.verdict.code for one in event.now]
    return [(span, code) for span in sorted(told) for code in told[span]]  # type: ignore[type-var]


def _without_moment(report: object) -> object:
    told = report_to_json(report)  # type: ignore[arg-type]
    told["provenance"].pop("created_at")
    return told


async def _drain(pieces: list[str | BaseException]) -> None:
    async def write() -> AsyncIterator[str]:
        for piece in pieces:
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    async for _ in follow(write()):
        pass
