"""Three months of release dates and 200 answers; `scripts/bench-audit` takes the year and 5,000."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.test_killed_ingest import load
from tests.shared_data import find_shared
from verifier import open_verifier
from verifier.settings import load_settings

if TYPE_CHECKING:
    from tests.integration.conftest import Database

pytestmark = pytest.mark.shared_data


async def test_an_audit_names_exactly_the_answers_that_became_false(
    fresh_database: Database,
) -> None:
    auditing = load("release_audit")
    path = find_shared("release-dates", "changes_2025.csv")
    settings = load_settings(None, dsn=fresh_database.app_dsn, catalog=auditing.CATALOG)
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    try:
        async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
            told = await auditing.replay_year(
                verifier,
                connection,
                path,
                auditing.Plan(answers=200, months=3, seed=7),
                tell=lambda _line: None,
            )
    finally:
        await connection.close()
    assert told.answers == 200
    assert told.unproved == []
    assert [(one.named, one.missed) for one in told.months] == [
        (one.right, 0) for one in told.months
    ]
    assert told.fell == told.held_on_their_day > 20
    assert told.is_right
