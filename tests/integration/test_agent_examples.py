"""The examples of the adapters, each short enough to be read at once, run as they stand."""

from __future__ import annotations

from importlib.resources import files
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
from tests.integration.agents.script import Call, Exchange, Model, Step, in_own_loop
from tests.integration.agents.shop import (
    PREMATURE,
    QUESTION,
    RIGHT,
    WRONG,
    Told,
    fill_shop,
    get_product,
    shop_settings,
)
from tests.integration.conftest import drop_database, make_database
from verifier import open_blocking_verifier
from verifier.agents.examples import (
    agent_framework_agent,
    anthropic_messages,
    langgraph_agent,
    openai_agents_run,
    openai_chat,
    openai_responses,
    pydantic_ai_agent,
)
from verifier.agents.grounding import Grounding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.integration.conftest import Database
    from verifier.embedded import EmbeddedPostgres

MOST_LINES = 25
EXAMPLES: dict[str, tuple[Callable[..., str], Callable[[list[Exchange]], Any]]] = {
    "anthropic_messages": (
        anthropic_messages.ask,
        lambda script: with_anthropic.client(Model(script)),
    ),
    "openai_chat": (openai_chat.ask, lambda script: with_openai.client(Model(script))),
    "openai_responses": (
        openai_responses.ask,
        lambda script: with_openai.client(Model(script)),
    ),
    "langgraph_agent": (
        langgraph_agent.ask,
        lambda script: with_langgraph.ScriptedChatModel(model=Model(script)),
    ),
    "openai_agents_run": (openai_agents_run.ask, with_openai_agents.scripted),
    "pydantic_ai_agent": (
        pydantic_ai_agent.ask,
        lambda script: with_pydantic_ai.function_model(Model(script)),
    ),
    "agent_framework_agent": (
        agent_framework_agent.ask,
        lambda script: with_agent_framework.ScriptedClient(Model(script)),
    ),
}


@pytest.fixture(scope="module")
def database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    made = make_database(embedded, template=migrated_template)
    fill_shop(made)
    yield made
    drop_database(embedded, made)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(("written", "code"), [(WRONG, "price_mismatch"), (RIGHT, "verified")])
def test_an_example_releases_the_right_price(
    name: str, written: str, code: str, database: Database
) -> None:
    ask, make_client = EXAMPLES[name]
    steps = (Step(PREMATURE, (Call("c1", "get_product"),)), Step(written))
    client = make_client([Exchange(QUESTION, steps)])
    told = Told()
    with open_blocking_verifier(settings=shop_settings(database)) as verifier:
        grounding = Grounding(verifier, policy="correct", principal="c-1001", on_answer=told)
        shown = in_own_loop(lambda: ask(client, grounding, QUESTION, get_product))
    assert shown == RIGHT
    assert told.codes == [code]


def test_examples_are_short_and_all_run_here() -> None:
    folder = files("verifier.agents.examples")
    written = {
        entry.name.removesuffix(".py"): entry.read_text("utf-8").count("\n")
        for entry in folder.iterdir()
        if entry.name.endswith(".py") and entry.name != "__init__.py"
    }
    assert set(written) == set(EXAMPLES)
    assert {name: lines for name, lines in written.items() if lines > MOST_LINES} == {}
