"""What is peculiar to a client or a framework: streams, thoughts, choices, histories elsewhere, results."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from agent_framework import Agent, ChatResponse, Content, Message
from agents import Runner
from anthropic import AsyncAnthropic
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from openai import AsyncOpenAI

from tests.integration.agents import (
    with_agent_framework,
    with_anthropic,
    with_langgraph,
    with_openai,
    with_openai_agents,
    with_pydantic_ai,
)
from tests.integration.agents.script import Call, Exchange, Model, Step
from tests.integration.agents.shop import (
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
from verifier import open_verifier
from verifier.agents.agent_framework import GroundingMiddleware as FrameworkMiddleware
from verifier.agents.answers import HELD_TEXT
from verifier.agents.anthropic import AsyncVerifiedMessages
from verifier.agents.grounding import Grounding
from verifier.agents.langgraph import GroundingMiddleware
from verifier.agents.openai_chat import AsyncVerifiedCompletions
from verifier.agents.openai_responses import AsyncVerifiedResponses
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.integration.conftest import Database
    from verifier import Verifier
    from verifier.embedded import EmbeddedPostgres

ASKED = [{"role": "user", "content": QUESTION}]
SCRIPT = [Exchange(QUESTION, (Step("", (Call("c1", "get_product"),)), Step(WRONG)))]


@pytest.fixture(scope="module")
def database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    made = make_database(embedded, template=migrated_template)
    fill_shop(made)
    yield made
    drop_database(embedded, made)


@pytest.fixture
async def shop(database: Database) -> AsyncIterator[Verifier]:
    async with open_verifier(settings=shop_settings(database)) as verifier:
        yield verifier


def transport(*bodies: dict[str, Any]) -> httpx2.AsyncClient:
    left = iter(bodies)
    return httpx2.AsyncClient(
        transport=httpx2.MockTransport(lambda _: httpx2.Response(200, json=next(left)))
    )


def anthropic(*bodies: dict[str, Any]) -> AsyncAnthropic:
    return AsyncAnthropic(api_key="none", http_client=transport(*bodies))


def openai(*bodies: dict[str, Any]) -> AsyncOpenAI:
    return AsyncOpenAI(api_key="none", http_client=transport(*bodies))


async def test_no_stream_goes_out_unverified(shop: Verifier) -> None:
    grounding = Grounding(shop)
    with pytest.raises(InputError, match="before it is verified"):
        await AsyncVerifiedMessages(anthropic().messages, grounding).create(stream=True)
    with pytest.raises(InputError, match="before it is verified"):
        await AsyncVerifiedCompletions(openai().chat.completions, grounding).create(stream=True)
    with pytest.raises(InputError, match="before it is verified"):
        await AsyncVerifiedResponses(openai().responses, grounding).create(stream=True)
    agent = with_openai_agents.make_agent(grounding, SCRIPT, [get_product])
    streamed = Runner.run_streamed(agent, QUESTION, run_config=with_openai_agents.QUIET)
    with pytest.raises(InputError, match="before it is verified"):
        [event async for event in streamed.stream_events()]
    capable = with_pydantic_ai.make_agent(grounding, Model(SCRIPT), [get_product])
    with pytest.raises(InputError, match="before it is verified"):
        async with capable.run_stream(QUESTION):
            pass
    framed = with_agent_framework.make_agent(grounding, Model(SCRIPT), [get_product])
    with pytest.raises(InputError, match="before it is verified"):
        [update async for update in framed.run(QUESTION, stream=True)]


async def test_of_a_held_message_no_thought_is_left(shop: Verifier) -> None:
    thought = {"type": "thinking", "thinking": "It was $59.90, I think.", "signature": "s"}
    parts = [{"type": "text", "text": WRONG[:20]}, {"type": "text", "text": WRONG[20:]}]
    call = [{"type": "tool_use", "id": "c1", "name": "get_product", "input": {}}]
    model = anthropic(
        with_anthropic.reply(call, "tool_use"), with_anthropic.reply([thought, *parts])
    )
    told = Told()
    messages = AsyncVerifiedMessages(model.messages, Grounding(shop, policy="hold", on_answer=told))
    history: list[Any] = [*ASKED]
    asked = {"model": "m", "max_tokens": 9}
    history += with_anthropic.results(
        await messages.create(messages=history, **asked), (get_product,)
    )
    said = await messages.create(messages=iter(history), **asked)
    assert told.last.written == WRONG
    assert [block.type for block in said.content] == ["text"]
    assert with_anthropic.words_of(said) == HELD_TEXT


async def test_a_message_that_the_model_will_go_on_with_is_no_answer(shop: Verifier) -> None:
    told = Told()
    paused = with_anthropic.reply([{"type": "text", "text": WRONG}], "pause_turn")
    messages = AsyncVerifiedMessages(
        anthropic(paused).messages, Grounding(shop, policy="hold", on_answer=told)
    )
    said = await messages.create(model="m", max_tokens=9, messages=ASKED)
    assert with_anthropic.words_of(said) == WRONG
    assert told.answers == []


async def test_each_choice_is_verified_and_keeps_no_trace_of_another_text(shop: Verifier) -> None:
    call = with_openai.completion(Step("", (Call("c1", "get_product"),)), 1)
    body = with_openai.completion(Step(WRONG), 2)
    [choice] = body["choices"]
    token = {"token": "59.90", "logprob": -0.1, "bytes": None, "top_logprobs": []}
    choice["logprobs"] = {"content": [token], "refusal": None}
    right = {**choice, "index": 1, "message": {"role": "assistant", "content": RIGHT}}
    body["choices"] = [choice, right]
    completions = AsyncVerifiedCompletions(
        openai(call, body).chat.completions, Grounding(shop, policy="correct")
    )
    first = await completions.create(model="m", messages=ASKED)
    history = [*ASKED, *with_openai.chat_results(first.choices[0].message, (get_product,))]
    said = await completions.create(model="m", messages=history)
    assert [one.message.content for one in said.choices] == [RIGHT, RIGHT]
    assert said.choices[0].logprobs is None
    assert said.choices[1].logprobs is not None


async def test_a_spoken_answer_is_verified_by_its_transcript(shop: Verifier) -> None:
    body = with_openai.completion(Step(""), 1)
    spoken = {"id": "a", "data": "UklGRg==", "expires_at": 1, "transcript": WRONG}
    body["choices"][0]["message"] = {"role": "assistant", "content": None, "audio": spoken}
    completions = AsyncVerifiedCompletions(
        openai(body).chat.completions, Grounding(shop, policy="hold")
    )
    said = await completions.create(model="m", messages=ASKED)
    assert said.choices[0].message.content == HELD_TEXT
    assert said.choices[0].message.audio is None


async def test_words_beside_speech_are_verified_with_it(shop: Verifier) -> None:
    body = with_openai.completion(Step(RIGHT), 1)
    spoken = {"id": "a", "data": "UklGRg==", "expires_at": 1, "transcript": WRONG}
    body["choices"][0]["message"] |= {"audio": spoken}
    completions = AsyncVerifiedCompletions(
        openai(body).chat.completions, Grounding(shop, policy="hold")
    )
    said = await completions.create(model="m", messages=ASKED)
    assert said.choices[0].message.content == HELD_TEXT
    assert said.choices[0].message.audio is None


@pytest.mark.parametrize("words", ["", RIGHT])
async def test_what_a_refusal_says_is_verified(shop: Verifier, words: str) -> None:
    grounding = Grounding(shop, policy="hold")
    body = with_openai.completion(Step(words), 1)
    body["choices"][0]["message"]["refusal"] = f"I can't do that. {WRONG}"
    chat = AsyncVerifiedCompletions(openai(body).chat.completions, grounding)
    [choice] = (await chat.create(model="m", messages=ASKED)).choices
    assert (choice.message.content, choice.message.refusal) == (HELD_TEXT, None)

    body = with_openai.response(Step(words or "-"), 1)
    parts = body["output"][0]["content"]
    parts.append({"type": "refusal", "refusal": f"I can't do that. {WRONG}"})
    body["output"][0]["content"] = parts if words else parts[1:]
    responses = AsyncVerifiedResponses(openai(body).responses, grounding)
    said = await responses.create(model="m", input=ASKED)
    assert said.output_text == HELD_TEXT
    assert WRONG not in said.model_dump_json()


async def test_a_refusal_without_a_claim_stays_one(shop: Verifier) -> None:
    body = with_openai.completion(Step(""), 1)
    body["choices"][0]["message"] |= {"content": None, "refusal": "I can't help with that."}
    chat = AsyncVerifiedCompletions(openai(body).chat.completions, Grounding(shop, policy="hold"))
    [choice] = (await chat.create(model="m", messages=ASKED)).choices
    assert choice.message.refusal == "I can't help with that."


async def test_words_before_a_call_that_was_cut_off_are_an_answer(shop: Verifier) -> None:
    content: list[dict[str, Any]] = [
        {"type": "text", "text": WRONG},
        {"type": "tool_use", "id": "c1", "name": "get_product", "input": {}},
    ]
    cut = anthropic(with_anthropic.reply(content, "max_tokens"))
    messages = AsyncVerifiedMessages(cut.messages, Grounding(shop, policy="hold"))
    said = await messages.create(model="m", max_tokens=9, messages=ASKED)
    assert with_anthropic.words_of(said) == HELD_TEXT


async def test_words_beside_a_call_that_can_not_be_read_are_an_answer(shop: Verifier) -> None:
    broken = {"name": "get_product", "args": "{", "id": "c1", "error": None}
    model = GenericFakeChatModel(
        messages=iter(
            [AIMessage(content=WRONG, invalid_tool_calls=[{**broken, "type": "invalid_tool_call"}])]
        )
    )
    agent = create_agent(
        model, [], middleware=[GroundingMiddleware(Grounding(shop, policy="hold"))]
    )
    ended = await agent.ainvoke({"messages": ASKED})
    assert ended["messages"][-1].text == HELD_TEXT


@pytest.mark.parametrize("told", ["informational_only", "hosted"])
async def test_words_beside_a_call_that_a_service_made_are_an_answer(
    shop: Verifier, told: str
) -> None:
    class ServedClient(with_agent_framework.ScriptedClient):
        def _inner_get_response(self, **asked: Any) -> Any:
            del asked

            async def answer() -> ChatResponse[Any]:
                call = Content.from_function_call(call_id="c1", name="search", arguments={})
                setattr(call, told, True)
                words = Content.from_text(WRONG)
                return ChatResponse(messages=Message(role="assistant", contents=[call, words]))

            return answer()

    middleware = FrameworkMiddleware(Grounding(shop, policy="hold"))
    result = await Agent(ServedClient(Model([])), middleware=[middleware]).run(QUESTION)
    assert result.messages[-1].text == HELD_TEXT


async def test_what_a_provider_keeps_unseen_proves_no_absence(shop: Verifier) -> None:
    """Nobody here saw what stands before the response: what is absent may stand there."""
    call = with_openai.response(Step("", (Call("c1", "get_product"),)), 1)
    claim = with_openai.response(Step("There are 7,431 of them in the warehouse."), 2)
    told = Told()
    grounding = Grounding(shop, policy="hold", on_answer=told)
    responses = AsyncVerifiedResponses(openai(call, claim, claim, claim).responses, grounding)
    asked = await responses.create(model="m", input=QUESTION)
    [_, returned] = with_openai.response_results(asked, (get_product,))
    await responses.create(model="m", input=[returned], previous_response_id=asked.id)
    assert told.codes == ["unsupported_quantity"]
    whole = [*ASKED, *asked.output, returned]
    await responses.create(model="m", input=whole, previous_response_id="of another process")
    assert told.codes == ["unverifiable"]
    await responses.create(model="m", input=whole, conversation={"id": "conv_1"})
    assert told.codes == ["unverifiable"]


@pytest.mark.parametrize("status", ["queued", "in_progress"])
async def test_a_response_that_is_not_there_yet_is_no_answer(shop: Verifier, status: str) -> None:
    body = with_openai.response(Step(""), 1) | {"status": status}
    told = Told()
    responses = AsyncVerifiedResponses(
        openai(body).responses, Grounding(shop, policy="hold", on_answer=told)
    )
    assert (await responses.create(model="m", input=QUESTION, background=True)).output_text == ""
    assert told.answers == []


@dataclass
class Product:
    """What a tool returns: no JSON, and no text that could be read back."""

    name: str
    price: Decimal


def look_up() -> Product:
    """Return the product."""
    return Product("Harbour wool throw", Decimal("49.90"))


@pytest.mark.parametrize(
    "talk",
    [with_langgraph.talk, with_openai_agents.talk, with_pydantic_ai.talk],
    ids=["langgraph", "openai agents", "pydantic ai"],
)
async def test_results_count_as_they_were_returned(shop: Verifier, talk: Any) -> None:
    told = Told()
    script = [Exchange(QUESTION, (Step("", (Call("c1", "look_up"),)), Step(RIGHT)))]
    await talk(Grounding(shop, on_answer=told), script, tools=(look_up,))
    [call] = told.last.report.turn.calls
    assert call.result == {"name": "Harbour wool throw", "price": Decimal("49.90")}
    assert told.codes == ["verified"]


async def test_a_graph_keeps_nothing_that_was_not_released(shop: Verifier) -> None:
    agent = with_langgraph.make_agent(Grounding(shop, policy="hold"), Model(SCRIPT), [get_product])
    updates = [str(one) async for one in agent.astream({"messages": ASKED}, stream_mode="updates")]
    assert any(HELD_TEXT in one for one in updates)
    assert not any(WRONG in one for one in updates)


async def test_a_run_and_its_history_hold_what_was_released(shop: Verifier) -> None:
    grounding = Grounding(shop, policy="correct")
    agent = with_openai_agents.make_agent(grounding, SCRIPT, [get_product])
    result = await Runner.run(agent, QUESTION, run_config=with_openai_agents.QUIET)
    assert WRONG not in str(result.to_input_list())
    capable = with_pydantic_ai.make_agent(grounding, Model(SCRIPT), [get_product])
    done = await capable.run(QUESTION)
    assert done.output == RIGHT
    assert WRONG not in str(done.all_messages())


async def test_the_system_prompt_is_vouched_for_unless_the_application_says_otherwise(
    shop: Verifier,
) -> None:
    rule, call = "Shipping is free above $75.", Call("c1", "get_product")
    asked = {"id": call.call_id, "function": {"name": call.tool, "arguments": "{}"}}
    messages = [
        {"role": "system", "content": rule},
        *ASKED,
        {"role": "assistant", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call.call_id, "result": THROW},
    ]
    vouched = await Grounding(shop, policy="hold").release_awaiting(rule, messages)
    plain = await Grounding(shop, policy="hold", system="").release_awaiting(rule, messages)
    assert (vouched.report.turn.system, plain.report.turn.system) == (rule, "")
    assert not vouched.held
    assert plain.held
    assert [one.verdict.code.value for one in plain.report.judged] == ["unsupported_quantity"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"prinzipal": "c-1001"}, "a turn has no 'prinzipal'"),
        ({"policy": "stern"}, "no policy"),
        ({"scope": "everything"}, "scope: .* it is one of turn, conversation"),
        ({"held_text": "  "}, "held_text is empty"),
    ],
)
async def test_what_is_wrong_is_named_before_an_answer_is_at_stake(
    shop: Verifier, wrong: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        Grounding(shop, **wrong)


@pytest.mark.parametrize(
    ("answer", "released"),
    [
        ('{"words": "' + WRONG + '", "n": 1}', '{"words": "' + RIGHT + '", "n": 1}'),
        ('["' + WRONG + '", "' + WRONG + '"]', '["' + RIGHT + '", "' + RIGHT + '"]'),
        ('{"a": {"b": ["' + RIGHT + '"]}}', '{"a": {"b": ["' + RIGHT + '"]}}'),
        ("{}", "{}"),
        ("[" * 100_000, "[" * 100_000),
        ('{"broken": "' + WRONG, None),
    ],
)
async def test_answers_that_are_json_stay_json(
    shop: Verifier, answer: str, released: str | None
) -> None:
    call = {"id": "c1", "function": {"name": "get_product", "arguments": "{}"}}
    messages = [
        *ASKED,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "result": THROW},
    ]
    told = await Grounding(shop, policy="correct").release_awaiting(answer, messages)
    assert told.failure is None
    if released is not None:
        assert told.text == released


@pytest.mark.parametrize(
    "answer",
    [
        '{"reply": "' + WRONG + '", "reply": "Hello."}',
        '{"' + WRONG + '": true}',
        '[{"' + WRONG + '": {"n": 1}}]',
    ],
)
async def test_what_of_json_no_program_reads_is_verified(shop: Verifier, answer: str) -> None:
    told = await Grounding(shop, policy="hold").release_awaiting(answer, ASKED)
    assert told.held


async def test_a_value_of_json_that_stands_nowhere_is_not_accepted(shop: Verifier) -> None:
    messages = [*ASKED, {"role": "tool", "tool_call_id": "c1", "result": THROW}]
    answer = '{"product": "Harbour wool throw", "price": "$59.90"}'
    told = await Grounding(shop, policy="hold").release_awaiting(answer, messages)
    assert told.held


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("anthropic", "anthropic", "anthropic"),
        ("openai_chat", "openai", "openai"),
        ("openai_responses", "openai", "openai"),
        ("langgraph", "langchain", "langgraph"),
        ("openai_agents", "agents", "openai-agents"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
        ("agent_framework", "agent_framework", "agent-framework"),
    ],
)
def test_a_missing_framework_is_named_with_its_extra(module: str, package: str, extra: str) -> None:
    program = f"""
import sys
import verifier.agents.grounding
frameworks = ("anthropic", "openai", "langchain", "agents", "pydantic_ai", "agent_framework")
assert not any(name.split(".")[0] in frameworks for name in sys.modules)
sys.modules["{package}"] = None
try:
    import verifier.agents.{module}
except ImportError as missing:
    assert "grounding-verifier[{extra}]" in str(missing), missing
else:
    raise AssertionError("it was not missed")
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
