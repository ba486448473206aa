"""The public history of two pages in two orders; `scripts/replay-policies` replays all of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import drop_database, make_database
from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.policy_pages import find_manifest, read_pages
from tests.integration.store_reading import opened
from tests.integration.test_killed_ingest import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.conftest import Database
    from verifier.embedded import EmbeddedPostgres

pytestmark = pytest.mark.shared_data

PAGES = ("refund", "sla")


@pytest.fixture
def other_database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    """A second migrated database without rows."""
    database = make_database(embedded, template=migrated_template)
    yield database
    drop_database(embedded, database)


async def test_every_instant_has_the_versions_of_its_date(
    fresh_database: Database, other_database: Database
) -> None:
    replaying = load("policy_replay")
    requests = sorted(read_pages(find_manifest(), PAGES), key=lambda each: str(each.valid_from))
    shuffled = list(requests)
    random.Random(3).shuffle(shuffled)  # noqa: S311 - an order, no secret
    ends = []
    for database, ordered in ((fresh_database, requests), (other_database, shuffled)):
        async with opened(database) as pool:
            told = await replaying.replay(pool, HashingEmbedder(), ordered)
            instants = replaying.choose_instants(requests, 30, seed=5)
            await replaying.look_back(pool, HashingEmbedder(), ordered, told, instants)
            assert told.faults == []
            assert (told.versions, told.instants, told.searches) == (24, 30, 30)
            assert told.texts == told.embedded
            ends.append(told.end)
    assert ends[0] == ends[1]


async def test_a_wrong_period_is_noticed(fresh_database: Database) -> None:
    replaying = load("policy_replay")
    requests = read_pages(find_manifest(), ("sla",))
    async with opened(fresh_database) as pool:
        told = await replaying.replay(pool, HashingEmbedder(), requests)
        await fresh_database.execute(
            "UPDATE verifier.publication SET valid_to = valid_to + interval '30 days'"
        )
        instants = replaying.choose_instants(requests, 60, seed=5)
        await replaying.look_back(pool, HashingEmbedder(), requests, told, instants)
        assert any("publication has" in fault for fault in told.faults)
        assert any("search returned" in fault for fault in told.faults)
