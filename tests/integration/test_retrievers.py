"""The retrievers of both frameworks, called as chains call them, over a real store."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import warnings
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.runnables import RunnableLambda

from tests.integration.hashing_embedder import HashingEmbedder
from verifier import open_blocking_verifier, open_verifier
from verifier.agents import langchain, llama_index
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.conftest import Database
    from verifier import Verifier
    from verifier.blocking import BlockingVerifier

REVIEWED = datetime(2031, 5, 1, tzinfo=UTC)


@pytest.fixture
def blocking(fresh_database: Database) -> Iterator[BlockingVerifier]:
    with open_blocking_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as verifier:
        verifier.ingest_text("terms", "Return shipping costs $4.50.")
        verifier.ingest_text(
            "terms", "Return shipping costs $5.50.", title="Terms", review_until=REVIEWED
        )
        verifier.ingest_text("hours", "The shop opens at nine.", metadata={"kind": "hours"})
        yield verifier


def as_chunks(framework: str, found: Any) -> list[tuple[str, str, dict[str, Any]]]:
    if framework == "langchain":
        return [(one.id, one.page_content, one.metadata) for one in found]
    return [(one.node_id, one.text, one.metadata) for one in found]


def make(framework: str, verifier: Any, *, k: int = 5, turn: Any = None, **options: Any) -> Any:
    if framework == "langchain":
        return langchain.VerifierRetriever(verifier=verifier, k=k, options=options, turn=turn)
    return llama_index.VerifierRetriever(verifier, k=k, turn=turn, options=options)


def ask(framework: str, retriever: Any, query: str) -> list[tuple[str, str, dict[str, Any]]]:
    found = retriever.invoke(query) if framework == "langchain" else retriever.retrieve(query)
    return as_chunks(framework, found)


async def ask_awaiting(framework: str, retriever: Any, query: str) -> Any:
    if framework == "langchain":
        return as_chunks(framework, await retriever.ainvoke(query))
    return as_chunks(framework, await retriever.aretrieve(query))


FRAMEWORKS = pytest.mark.parametrize("framework", ["langchain", "llama_index"])


@FRAMEWORKS
def test_only_the_current_version_is_found_and_told_exactly(
    framework: str, blocking: BlockingVerifier
) -> None:
    found = ask(framework, make(framework, blocking, k=1), "return shipping")
    [(name, text, told)] = found
    assert (name, text) == ("terms@2#0", "Return shipping costs $5.50.")
    assert json.loads(json.dumps(told)) == told
    assert told["source"] == "terms"
    assert told["version"] == 2
    assert (told["start"], told["end"]) == (0, len(text))
    assert told["review_until"] == REVIEWED.isoformat()
    assert told["title"] == "Terms"
    assert told["basis"] == 3
    assert 0 < told["similarity"] <= 1


@FRAMEWORKS
def test_what_is_not_known_of_a_hit_is_not_told(framework: str, blocking: BlockingVerifier) -> None:
    [(_, _, told)] = ask(framework, make(framework, blocking, filters={"kind": "hours"}), "return")
    assert told["source"] == "hours"
    assert not {"review_until", "title", "url", "page", "table_rows", "heading_path"} & set(told)


@FRAMEWORKS
def test_nearest_come_first(framework: str, blocking: BlockingVerifier) -> None:
    found = ask(framework, make(framework, blocking), "when does the shop open")
    assert [told["source"] for _, _, told in found] == ["hours", "terms"]


@FRAMEWORKS
def test_a_withdrawn_permission_is_obeyed(framework: str, fresh_database: Database) -> None:
    with open_blocking_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as verifier:
        assert ask(framework, make(framework, verifier), "anything") == []
        from verifier.ingest.requests import Actor

        verifier.ingest_text("note", "Return shipping is free.", actor=Actor.AGENT)
        assert ask(framework, make(framework, verifier), "return shipping") == []
        verifier.sources.approve("note", by="anna")
        assert len(ask(framework, make(framework, verifier), "return shipping")) == 1


@FRAMEWORKS
def test_options_of_the_search_reach_it(framework: str, fresh_database: Database) -> None:
    began = datetime(2024, 1, 1, tzinfo=UTC)
    changed = datetime(2025, 1, 1, tzinfo=UTC)
    with open_blocking_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as verifier:
        verifier.ingest_text("terms", "Return shipping costs $4.50.", valid_from=began)
        verifier.ingest_text("terms", "Return shipping costs $5.50.", valid_from=changed)
        then = datetime(2024, 6, 1, tzinfo=UTC)
        [(name, text, _)] = ask(framework, make(framework, verifier, as_of=then), "shipping")
        assert (name, text) == ("terms@1#0", "Return shipping costs $4.50.")
        [(_, _, told)] = ask(framework, make(framework, verifier, mode="hybrid"), "shipping")
        assert told["version"] == 2
        assert told["words_rank"] == told["vector_rank"] == 1
        assert 0 < told["coverage"] <= 1


@FRAMEWORKS
def test_the_turn_knows_what_was_retrieved(framework: str, blocking: BlockingVerifier) -> None:
    turn = blocking.turn(question="What does it cost?")
    retriever = make(framework, blocking, k=1, turn=turn)
    [(name, _, _)] = ask(framework, retriever, "return shipping")
    good = blocking.verify(f"Return shipping costs $5.50 [{name}].", turn)
    assert good.outcome == "accepted"
    old = blocking.verify("Return shipping costs $4.50 [terms@1#0].", turn)
    assert [judged.verdict.code for judged in old.judged] == ["citation_not_retrieved"]


@FRAMEWORKS
async def test_awaiting_serves_many_at_once(framework: str, fresh_database: Database) -> None:
    async with open_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as verifier:
        await fill(verifier)
        retriever = make(framework, verifier, k=1)
        asked = [ask_awaiting(framework, retriever, f"topic {n} of many") for n in range(20)]
        found = await asyncio.gather(*asked)
        assert [told["source"] for [(_, _, told)] in found] == [f"topic{n}" for n in range(20)]
        with pytest.raises(InputError, match="open_blocking_verifier"):
            ask(framework, retriever, "topic 3")


async def fill(verifier: Verifier) -> None:
    for n in range(20):
        await verifier.ingest_text(f"topic{n}", f"Topic {n} of many.")


@FRAMEWORKS
async def test_a_blocking_verifier_may_be_awaited(framework: str, fresh_database: Database) -> None:
    def opened() -> BlockingVerifier:
        return kept.__enter__()

    kept = open_blocking_verifier(fresh_database.app_dsn, embedder=HashingEmbedder())
    verifier = await asyncio.to_thread(opened)
    try:
        await asyncio.to_thread(verifier.ingest_text, "terms", "Return shipping costs $5.50.")
        retriever = make(framework, verifier)
        found = await asyncio.gather(*(ask_awaiting(framework, retriever, "s") for _ in range(8)))
        assert [name for [(name, _, _)] in found] == ["terms@1#0"] * 8
    finally:
        await asyncio.to_thread(kept.__exit__, None, None, None)


def test_a_batch_asks_from_several_threads(blocking: BlockingVerifier) -> None:
    retriever = langchain.VerifierRetriever(verifier=blocking, k=1)
    found = retriever.batch(["shop opens", "return shipping"] * 10, {"max_concurrency": 8})
    assert [document.metadata["source"] for [document] in found] == ["hours", "terms"] * 10


def test_a_chain_of_langchain_goes_on(blocking: BlockingVerifier) -> None:
    def answer(documents: list[Any]) -> str:
        return " ".join(f"{one.page_content} [{one.id}]" for one in documents)

    chain = langchain.VerifierRetriever(verifier=blocking, k=1) | RunnableLambda(answer)
    assert chain.invoke("return shipping") == "Return shipping costs $5.50. [terms@2#0]"


def test_a_node_shows_a_model_its_text_and_its_id(blocking: BlockingVerifier) -> None:
    from llama_index.core.schema import MetadataMode

    [found] = llama_index.VerifierRetriever(blocking, k=1).retrieve("return shipping")
    assert found.node.get_content(metadata_mode=MetadataMode.LLM).splitlines() == [
        "chunk_id: terms@2#0",
        "",
        "Return shipping costs $5.50.",
    ]
    assert found.node.ref_doc_id == "terms"
    assert found.score == found.metadata["similarity"]


@FRAMEWORKS
@pytest.mark.parametrize(("query", "k"), [(" ", 1), ("shop", 0)])
def test_what_search_refuses_is_refused(
    framework: str, query: str, k: int, blocking: BlockingVerifier
) -> None:
    with pytest.raises(InputError):
        ask(framework, make(framework, blocking, k=k), query)


def test_a_verb_within_a_verb_is_refused_not_stuck(blocking: BlockingVerifier) -> None:
    async def nested() -> None:
        blocking.semantic_search("shop")

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "coroutine .* was never awaited")
        with pytest.raises(RuntimeError, match="running event loop"):
            blocking._run(nested())
        gc.collect()


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llama_index", "llama_index.core", "llama-index"),
    ],
)
def test_a_missing_framework_is_named_with_its_extra(module: str, package: str, extra: str) -> None:
    program = f"""
import sys
import verifier.agents
assert not any(name.split(".")[0] in ("langchain_core", "llama_index") for name in sys.modules)
for name in ("{package}", "{package}.documents", "{package}.base", "{package}.base.base_retriever"):
    sys.modules[name] = None
import verifier.agents.{module}
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert f"pip install 'grounding-verifier[{extra}]'" in ended.stderr
