"""What clients of a load ask: searches, verifications, and turns that the server keeps."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable

    from casework.httpclient import Answer, Client

QUESTIONS: Final = (
    "cancel a meeting room free of charge",
    "how long may goods be returned",
    "warm-up of the air sensor",
    "what does express delivery cost",
    "guarantee of lamps and throws",
    "how many people fit in the event hall",
)


class TurnFields(TypedDict):
    """The fields of a turn file that the load needs."""

    question: str
    calls: list[dict[str, object]]
    answer: str


@dataclass(slots=True)
class Tally:
    """What clients note: statuses and seconds by verb, and connections that failed."""

    statuses: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)

    async def note(self, verb: str, asked: Awaitable[Answer]) -> Answer | None:
        """Await a request and note what it came to; None where it failed."""
        begun = time.perf_counter()
        try:
            answer = await asked
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError, KeyError) as error:
            self.failures.append(f"{verb}: {type(error).__name__}: {error}")
            return None
        self.statuses[verb][str(answer.status)] += 1
        if answer.status < 300:
            self.seconds[verb].append(time.perf_counter() - begun)
        return answer


Verb: TypeAlias = "Callable[[Client, random.Random, Tally], Awaitable[Answer | None]]"
"""Asks one thing or a few, notes what came of it, and returns the last answer."""


async def search_words(client: Client, chance: random.Random, tally: Tally) -> Answer | None:
    """Search by words alone."""
    body = {"query": chance.choice(QUESTIONS), "mode": "words", "k": 5}
    return await tally.note("search words", client.post("/v1/search", body))


async def search_meaning(client: Client, chance: random.Random, tally: Tally) -> Answer | None:
    """Search by meaning, for which the server embeds the query."""
    body = {"query": chance.choice(QUESTIONS), "k": 5}
    return await tally.note("search meaning", client.post("/v1/search", body))


async def verify(client: Client, chance: random.Random, tally: Tally) -> Answer | None:
    """Verify an answer against the tool result that comes with it."""
    return await tally.note("verify", client.post("/v1/verify", make_turn(chance)))


async def keep_turn(client: Client, chance: random.Random, tally: Tally) -> Answer | None:
    """Begin a turn on the server, record its call, and verify the answer in it."""
    turn = make_turn(chance)
    begun = await tally.note(
        "turn: begin", client.post("/v1/turns", {"question": turn["question"]})
    )
    if begun is None or begun.status >= 300 or not isinstance(begun.value, dict):
        return begun
    turn_id = begun.value["turn_id"]
    (call,) = turn["calls"]
    recorded = await tally.note("turn: call", client.post(f"/v1/turns/{turn_id}/calls", call))
    if recorded is None or recorded.status >= 300:
        return recorded
    body = {"answer": turn["answer"], "turn_id": turn_id}
    return await tally.note("turn: verify", client.post("/v1/verify", body))


def make_turn(chance: random.Random) -> TurnFields:
    """Return a turn whose tool result proves the price and not always the stock; no two are alike."""
    number, cents, stock = chance.randrange(10**6), chance.randrange(100), chance.randrange(60)
    told = stock if chance.random() < 0.7 else stock + 1
    return {
        "question": f"What does article {number} cost?",
        "calls": [
            {
                "id": "c1",
                "tool": "get_product",
                "arguments": {"article": number},
                "result": {
                    "id": f"A-{number}",
                    "name": "Harbour wool throw",
                    "price": f"49.{cents:02}",
                    "currency": "USD",
                    "stock": stock,
                },
            }
        ],
        "answer": f"The Harbour wool throw costs $49.{cents:02}, and {told} are in stock.",
    }
