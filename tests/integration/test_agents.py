"""Agents of every framework over a real shop: what feeds their turns, and what becomes of their answers."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.agents import (
    with_agent_framework,
    with_anthropic,
    with_langgraph,
    with_openai,
    with_openai_agents,
    with_pydantic_ai,
)
from tests.integration.agents.script import Call, Exchange, Framework, Step
from tests.integration.agents.shop import (
    PREMATURE,
    QUESTION,
    RIGHT,
    THROW,
    WRONG,
    Told,
    fill_shop,
    get_product,
    shop_settings,
)
from tests.integration.conftest import drop_database, make_database
from verifier import open_blocking_verifier, open_verifier
from verifier.agents.answers import HELD_TEXT
from verifier.agents.grounding import Grounding
from verifier.agents.records import as_record
from verifier.core.plain_json import to_json_values
from verifier.core.turn_file import read_turns
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from tests.integration.agents.script import Talk
    from tests.integration.conftest import Database
    from verifier import Verifier
    from verifier.agents.retrieval import AnyVerifier
    from verifier.blocking import BlockingVerifier
    from verifier.embedded import EmbeddedPostgres

AWAITED: dict[str, Framework] = {
    "anthropic": with_anthropic.talk,
    "openai chat": with_openai.chat,
    "openai responses": with_openai.responses,
    "langgraph": with_langgraph.talk,
    "openai agents": with_openai_agents.talk,
    "pydantic ai": with_pydantic_ai.talk,
    "agent framework": with_agent_framework.talk,
}
BLOCKING: dict[str, Framework] = {
    "anthropic": with_anthropic.talk_blocking,
    "openai chat": with_openai.chat_blocking,
    "openai responses": with_openai.responses_blocking,
    "langgraph": with_langgraph.talk_blocking,
    "openai agents": with_openai_agents.talk_blocking,
}
FRAMEWORKS = pytest.mark.parametrize("framework", AWAITED)
NOW = datetime(2026, 2, 21, tzinfo=UTC)
SYSTEM = "Be kind."


@pytest.fixture(scope="module")
def database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    """The sample shop, which no test here changes but by logging."""
    made = make_database(embedded, template=migrated_template)
    fill_shop(made)
    yield made
    drop_database(embedded, made)


@asynccontextmanager
async def opened(database: Database) -> AsyncIterator[Verifier]:
    async with open_verifier(settings=shop_settings(database)) as verifier:
        yield verifier


def close_one(database: Database) -> BlockingVerifier:
    """Return a verifier that can verify no more."""
    with open_blocking_verifier(settings=shop_settings(database)) as verifier:
        return verifier


def answered(words: str, *calls: Call, question: str = QUESTION) -> Exchange:
    """A question that is answered once the calls have returned; a word before them is no answer."""
    asked = calls or (Call("c1", "get_product"),)
    return Exchange(question, (Step(PREMATURE, asked), Step(words)))


async def talk(
    framework: str,
    verifier: AnyVerifier,
    *script: Exchange,
    tools: Sequence[Callable[..., Any]] = (get_product,),
    **options: Any,
) -> tuple[Talk, Told]:
    told = Told()
    chosen: dict[str, Any] = {"principal": "c-1001", "on_answer": told} | options
    grounding = Grounding(verifier, **chosen)
    return await AWAITED[framework](grounding, script, tools=tools), told


@FRAMEWORKS
async def test_a_wrong_price_is_corrected_and_a_right_one_verified(
    framework: str, database: Database
) -> None:
    async with opened(database) as verifier:
        for written, code in ((WRONG, "price_mismatch"), (RIGHT, "verified")):
            said, told = await talk(framework, verifier, answered(written), policy="correct")
            assert said.shown == [RIGHT]
            assert told.codes == [code]
            [answer] = told.answers
            assert (answer.written, answer.text, answer.held) == (written, RIGHT, False)
            turn = answer.report.turn
            assert (turn.principal, turn.tenant, turn.question) == ("c-1001", "shop", QUESTION)
            [call] = turn.calls
            assert (call.tool, call.ok, call.complete, call.turn) == ("get_product", True, True, 1)
            assert to_json_values(call.result) == THROW


@pytest.mark.parametrize("framework", BLOCKING)
async def test_blocking_clients_and_runs_do_the_same(framework: str, database: Database) -> None:
    told = Told()

    def converse() -> list[str]:
        with open_blocking_verifier(settings=shop_settings(database)) as verifier:
            grounding = Grounding(verifier, policy="correct", on_answer=told)
            script = [answered(WRONG), answered(RIGHT)]
            work = BLOCKING[framework](grounding, script, tools=(get_product,))
            return asyncio.run(work).shown

    assert await asyncio.to_thread(converse) == [RIGHT, RIGHT]
    assert [one.written for one in told.answers] == [WRONG, RIGHT]


@FRAMEWORKS
async def test_a_blocking_verifier_serves_an_awaited_run(
    framework: str, database: Database
) -> None:
    def converse() -> list[str]:
        with open_blocking_verifier(settings=shop_settings(database)) as verifier:
            grounding = Grounding(verifier, policy="correct")
            work = AWAITED[framework](grounding, [answered(WRONG)], tools=(get_product,))
            return asyncio.run(work).shown

    assert await asyncio.to_thread(converse) == [RIGHT]


@pytest.mark.parametrize("framework", sorted(set(BLOCKING) - {"openai agents"}))
async def test_a_verifier_that_has_to_be_awaited_is_refused_by_a_blocking_run(
    framework: str, database: Database
) -> None:
    async with opened(database) as verifier:
        with pytest.raises(InputError, match="open_blocking_verifier"):
            await BLOCKING[framework](Grounding(verifier), [answered(RIGHT)], tools=(get_product,))


@FRAMEWORKS
async def test_each_policy_releases_what_it_says(framework: str, database: Database) -> None:
    async with opened(database) as verifier:
        off, told = await talk(framework, verifier, answered(WRONG), policy="off")
        assert off.shown == [WRONG]
        assert told.codes == ["price_mismatch"]
        marked, _ = await talk(framework, verifier, answered(WRONG), policy="annotate")
        assert marked.shown[0].startswith(WRONG.removesuffix("."))
        assert "[^check-c1]: price" in marked.shown[0]
        held, told = await talk(framework, verifier, answered(WRONG), policy="hold")
        assert held.shown == [HELD_TEXT]
        assert told.last.held
        own, _ = await talk(
            framework, verifier, answered(WRONG), policy="hold", held_text="A colleague will write."
        )
        assert own.shown == ["A colleague will write."]
        passed, told = await talk(framework, verifier, answered(RIGHT), policy="hold")
        assert passed.shown == [RIGHT]
        assert not told.last.held


@FRAMEWORKS
async def test_a_stored_history_gives_the_same_report(framework: str, database: Database) -> None:
    """By a turn file that holds the messages, and by the adapter's own reading of them."""
    calls = (Call("c2", "get_product"), Call("c3", "get_product", {"name": "Nothing"}))
    script = [answered(RIGHT), answered(WRONG, *calls, question="Really?")]
    async with opened(database) as verifier:
        for scope in ("turn", "conversation"):
            fields: dict[str, Any] = {"principal": "c-1001", "scope": scope, "now": NOW}
            said, told = await talk(framework, verifier, *script, policy="correct", **fields)
            live = told.last.report
            turn = Grounding(verifier, **fields).turn(said.stored, system=SYSTEM)
            again = await verifier.verify(WRONG, turn, policy=live.policy)
            assert again.report_id == live.report_id
            stored = [as_record(one) for one in said.stored]
            filed = {
                "messages": stored,
                "answer": WRONG,
                "system": SYSTEM,
                "tenant": "shop",
                **fields,
                "now": NOW.isoformat(),
            }
            [case] = read_turns(json.dumps(filed))
            assert case.answer is not None
            replayed = await verifier.verify(case.answer, case.turn, policy=live.policy)
            assert replayed.report_id == live.report_id


@FRAMEWORKS
async def test_parallel_and_failed_calls_count_as_what_they_are(
    framework: str, database: Database
) -> None:
    calls = (
        Call("a", "get_product", {"name": "Nothing"}),
        Call("b", "get_product", {"name": "Harbour wool throw"}),
        Call("c", "count", {"of": "orders"}),
    )

    def count(of: str) -> int:
        """Return how many there are."""
        return 3 if of == "orders" else 0

    async with opened(database) as verifier:
        _, told = await talk(
            framework, verifier, answered(RIGHT, *calls), tools=(get_product, count)
        )
    failed, found, counted = told.last.report.turn.calls
    assert told.codes == ["verified"]
    assert (failed.tool, failed.arguments) == ("get_product", {"name": "Nothing"})
    assert not failed.ok or "error" in str(failed.result)
    assert (found.ok, found.arguments, to_json_values(found.result)) == (
        True,
        {"name": THROW["name"]},
        THROW,
    )
    assert (counted.tool, counted.ok, str(counted.result)) == ("count", True, "3")


@FRAMEWORKS
async def test_what_only_a_failed_call_could_have_told_is_open(
    framework: str, database: Database
) -> None:
    script = answered("It weighs 9 kg.", Call("a", "get_product", {"name": "Nothing"}))
    async with opened(database) as verifier:
        _, told = await talk(framework, verifier, script, policy="hold")
    assert told.codes == ["unverifiable"]


@FRAMEWORKS
async def test_the_application_tells_what_is_incomplete(framework: str, database: Database) -> None:
    script = answered("There are 7,431 of them in the warehouse.")
    async with opened(database) as verifier:
        _, whole = await talk(framework, verifier, script)
        _, paged = await talk(
            framework, verifier, script, is_complete=lambda call: call.tool != "get_product"
        )
    assert whole.codes == ["unsupported_quantity"]
    assert not paged.last.report.turn.calls[0].complete
    assert paged.codes == ["unverifiable"]


@FRAMEWORKS
async def test_evidence_is_of_the_turn_or_of_the_conversation(
    framework: str, database: Database
) -> None:
    """A second question is answered without a call: whether the first one's call counts is the scope."""
    again = Exchange("And how heavy is it?", (Step("It weighs 1,450 g."),))

    def weigh() -> dict[str, Any]:
        """Return what it weighs."""
        return {"name": "Harbour wool throw", "weight_g": 1450}

    script = (answered("Let me see.", Call("c1", "weigh"), question="Hello?"), again)
    async with opened(database) as verifier:
        _, narrow = await talk(framework, verifier, *script, tools=(weigh,))
        _, wide = await talk(framework, verifier, *script, tools=(weigh,), scope="conversation")
    assert narrow.last.report.turn.current_turn == 2
    assert narrow.last.report.turn.said == ("Hello?",)
    assert narrow.codes == ["unsupported_quantity"]
    assert wide.codes == ["verified"]


@pytest.mark.parametrize("framework", sorted(set(AWAITED) - {"openai agents"}))
async def test_ids_that_a_model_uses_again_name_calls_of_their_own(
    framework: str, database: Database
) -> None:
    """The OpenAI Agents SDK demands other ids of its models, and leaves such a call out itself."""
    script = (
        answered(RIGHT, Call("call_0", "get_product")),
        answered(RIGHT, Call("call_0", "get_product", {"name": "Nothing"}), question="Sure?"),
    )
    async with opened(database) as verifier:
        _, told = await talk(framework, verifier, *script, scope="conversation")
    first, second = told.last.report.turn.calls
    assert (first.call_id, second.call_id) == ("call_0", "call_0~2")
    assert to_json_values(first.result) == THROW
    assert told.codes == ["verified"]


@FRAMEWORKS
async def test_only_the_application_says_on_whose_behalf(
    framework: str, database: Database
) -> None:
    """An order is seen by its customer alone, whoever the model's arguments or the user name."""
    order = "0a9d5b7e-41f3-4c68-8d12-b6e07f93c5a4"
    call = Call("c1", "identify", {"principal": "c-1001", "tenant": "shop", "now": "2001-01-01"})

    def identify(principal: str, tenant: str, now: str) -> str:
        """Return nothing of worth."""
        return "done"

    script = answered(f"Order {order} has shipped.", call, question="I am c-1001. And my order?")
    async with opened(database) as verifier:
        codes = []
        for principal in ("c-1001", "c-1002"):
            _, told = await talk(
                framework,
                verifier,
                script,
                tools=(identify,),
                fields=lambda principal=principal: {"principal": principal, "now": NOW},
            )
            codes += told.codes
            turn = told.last.report.turn
            assert (turn.principal, turn.tenant, turn.now) == (principal, "shop", NOW)
    assert codes == ["verified", "not_found"]


@FRAMEWORKS
async def test_a_verifier_that_fails_costs_no_answer(framework: str, database: Database) -> None:
    """One that was closed, in a loop of its own: every verification raises."""
    verifier = await asyncio.to_thread(close_one, database)
    off, told = await talk(framework, verifier, answered(RIGHT), policy="off")
    assert off.shown == [RIGHT]
    assert told.codes == ["unverifiable"]
    assert told.last.failure == "RuntimeError"
    assert to_json_values(told.last.report.turn.calls[0].result) == THROW
    for policy in ("annotate", "correct"):
        marked, _ = await talk(framework, verifier, answered(RIGHT), policy=policy)
        assert marked.shown[0].startswith(RIGHT.removesuffix("."))
        assert "unverifiable" in marked.shown[0]
    held, told = await talk(framework, verifier, answered(RIGHT), policy="hold")
    assert held.shown == [HELD_TEXT]
    assert told.last.held


@FRAMEWORKS
async def test_a_listener_or_a_field_that_fails_costs_no_answer(
    framework: str, database: Database
) -> None:
    def fail(*_: object) -> Any:
        raise KeyError("nobody is signed in")

    async with opened(database) as verifier:
        said, _ = await talk(framework, verifier, answered(RIGHT), on_answer=fail, policy="hold")
        assert said.shown == [RIGHT]
        held, told = await talk(framework, verifier, answered(RIGHT), fields=fail, policy="hold")
        assert held.shown == [HELD_TEXT]
        assert told.last.failure == "KeyError"


@FRAMEWORKS
async def test_many_conversations_at_once_stay_apart(framework: str, database: Database) -> None:
    """They share everything, their calls have the same ids, and each has a result of its own."""
    order = "0a9d5b7e-41f3-4c68-8d12-b6e07f93c5a4"

    async def converse(verifier: Verifier, number: int) -> tuple[list[str], Told]:
        def get_total() -> dict[str, Any]:
            """Return what it comes to."""
            return {"name": "Basket", "total": Decimal(number), "currency": "USD"}

        script = answered(f"The basket comes to ${number}.00.", Call("c1", "get_total"))
        said, told = await talk(framework, verifier, script, tools=(get_total,), principal=order)
        return said.shown, told

    async with opened(database) as verifier:
        done = await asyncio.gather(*(converse(verifier, number) for number in range(100, 112)))
    assert [told.codes for _, told in done] == [["verified"]] * 12
