"""Two policy pages through their versions; `scripts/bench-audit policies` takes all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.policy_pages import find_manifest, read_pages
from tests.integration.test_killed_ingest import load
from verifier import open_verifier
from verifier.settings import load_settings

if TYPE_CHECKING:
    from tests.integration.conftest import Database

pytestmark = pytest.mark.shared_data

PAGES = ("refund", "cancellation")
VERSIONS = 24


async def test_exactly_the_answers_are_named_whose_quoted_sentence_changed(
    fresh_database: Database,
) -> None:
    auditing = load("policy_audit")
    requests = sorted(read_pages(find_manifest(), PAGES), key=lambda one: str(one.valid_from))
    settings = load_settings(None, dsn=fresh_database.app_dsn)
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
        told = await auditing.replay_pages(
            verifier, requests[:VERSIONS], quoted=3, seed=3, tell=lambda _line: None
        )
    assert told.faults == []
    assert told.answers - told.unproved > 30
    assert told.edits_elsewhere > 30
    assert told.is_right
