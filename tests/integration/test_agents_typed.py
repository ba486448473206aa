"""Answers of another type than text: verified as JSON, corrected as the type, raised where they are held."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agents import Runner
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from pydantic import BaseModel
from pydantic_ai import NativeOutput, ToolOutput

from tests.integration.agents import (
    with_agent_framework,
    with_langgraph,
    with_openai_agents,
    with_pydantic_ai,
)
from tests.integration.agents.script import Call, Exchange, Model, Step
from tests.integration.agents.shop import (
    QUESTION,
    RIGHT,
    WRONG,
    Told,
    fill_shop,
    get_product,
    shop_settings,
)
from tests.integration.conftest import drop_database, make_database
from verifier import open_verifier
from verifier.agents.answers import HeldAnswer
from verifier.agents.grounding import Grounding

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from tests.integration.conftest import Database
    from verifier.embedded import EmbeddedPostgres

LOOK = Step("", (Call("c1", "get_product"),))


class Offer(BaseModel):
    """An answer with more than its words."""

    words: str
    confident: bool = True


def as_text(words: str) -> list[Exchange]:
    return [Exchange(QUESTION, (LOOK, Step(json.dumps({"words": words, "confident": False}))))]


def as_call(tool: str, words: str) -> list[Exchange]:
    said = Call("c2", tool, {"words": words, "confident": False})
    return [Exchange(QUESTION, (LOOK, Step("", (said,))))]


async def langgraph_by_tool(grounding: Grounding, words: str) -> Any:
    model = Model(as_call("Offer", words))
    agent = with_langgraph.make_agent(
        grounding, model, [get_product], response_format=ToolStrategy(Offer)
    )
    state = await agent.ainvoke({"messages": [{"role": "user", "content": QUESTION}]})
    return state["structured_response"]


async def langgraph_native(grounding: Grounding, words: str) -> Any:
    model = Model(as_text(words))
    agent = with_langgraph.make_agent(
        grounding, model, [get_product], response_format=ProviderStrategy(Offer)
    )
    state = await agent.ainvoke({"messages": [{"role": "user", "content": QUESTION}]})
    return state["structured_response"]


async def openai_agents(grounding: Grounding, words: str) -> Any:
    agent = with_openai_agents.make_agent(
        grounding, as_text(words), [get_product], output_type=Offer
    )
    result = await Runner.run(agent, QUESTION, run_config=with_openai_agents.QUIET)
    return result.final_output


async def pydantic_ai_by_tool(grounding: Grounding, words: str) -> Any:
    model = Model(as_call("final_result", words))
    agent = with_pydantic_ai.make_agent(
        grounding, model, [get_product], output_type=ToolOutput(Offer)
    )
    return (await agent.run(QUESTION)).output


async def pydantic_ai_native(grounding: Grounding, words: str) -> Any:
    model = Model(as_text(words))
    agent = with_pydantic_ai.make_agent(
        grounding, model, [get_product], output_type=NativeOutput(Offer)
    )
    return (await agent.run(QUESTION)).output


async def agent_framework(grounding: Grounding, words: str) -> Any:
    agent = with_agent_framework.make_agent(grounding, Model(as_text(words)), [get_product])
    result = await agent.run(QUESTION, options={"response_format": Offer})
    return result.value


RUNS: dict[str, Callable[[Grounding, str], Awaitable[Any]]] = {
    one.__name__: one
    for one in (
        langgraph_by_tool,
        langgraph_native,
        openai_agents,
        pydantic_ai_by_tool,
        pydantic_ai_native,
        agent_framework,
    )
}


@pytest.fixture(scope="module")
def database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    made = make_database(embedded, template=migrated_template)
    fill_shop(made)
    yield made
    drop_database(embedded, made)


@pytest.mark.parametrize("run", RUNS)
async def test_a_typed_answer_stays_one(run: str, database: Database) -> None:
    async with open_verifier(settings=shop_settings(database)) as verifier:
        told = Told()
        correct = Grounding(verifier, policy="correct", on_answer=told)
        assert await RUNS[run](correct, WRONG) == Offer(words=RIGHT, confident=False)
        assert len(told.answers) == 1
        assert told.codes == ["price_mismatch"]
        assert await RUNS[run](correct, RIGHT) == Offer(words=RIGHT, confident=False)
        assert told.codes == ["verified"]


@pytest.mark.parametrize("run", RUNS)
async def test_a_typed_answer_that_is_held_is_raised(run: str, database: Database) -> None:
    async with open_verifier(settings=shop_settings(database)) as verifier:
        hold = Grounding(verifier, policy="hold")
        with pytest.raises(HeldAnswer) as held:
            await RUNS[run](hold, WRONG)
        assert held.value.answer.held
        assert held.value.answer.report.report_id in str(held.value)
        assert await RUNS[run](hold, RIGHT) == Offer(words=RIGHT, confident=False)


@pytest.mark.parametrize(
    "run", sorted(set(RUNS) - {"langgraph_by_tool", "langgraph_native", "openai_agents"})
)
async def test_a_typed_answer_can_bear_no_footnotes(run: str, database: Database) -> None:
    async with open_verifier(settings=shop_settings(database)) as verifier:
        told = Told()
        annotate = Grounding(verifier, policy="annotate", on_answer=told)
        assert await RUNS[run](annotate, WRONG) == Offer(words=WRONG, confident=False)
        assert told.codes == ["price_mismatch"]
