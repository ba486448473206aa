from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verifier.errors import TenantRequired
from verifier.store.pool import open_pool, tenant_transaction

if TYPE_CHECKING:
    from tests.integration.conftest import Database


async def test_a_transaction_acts_as_the_app_for_one_tenant(fresh_database: Database) -> None:
    async with (
        await open_pool(fresh_database.owner_dsn) as pool,
        tenant_transaction(pool, "a") as connection,
    ):
        row = await connection.fetchrow("SELECT current_user::text, current_tenant()")
        assert tuple(row) == ("verifier_app", "a")


async def test_no_tenant_is_refused_before_anything_is_sent(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        with pytest.raises(TenantRequired):
            async with tenant_transaction(pool, " "):
                pass
