"""Two tenants with overlapping ids and texts on one server; `scripts/cross-tenants` asks 10,000 times."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.service import Verifier

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

    from tests.integration.conftest import Database

SCRIPTS = Path(__file__).parents[2] / "scripts"


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(f"casework.{name}")
    finally:
        sys.path.remove(str(SCRIPTS))


async def test_nothing_crosses(fresh_database: Database) -> None:
    crossing = load("crossing")
    found = await crossing.cross(
        fresh_database.app_dsn, fresh_database.owner_dsn, requests=400, seed=7
    )
    assert found.faults == []
    assert sum(found.kinds.values()) == 400
    assert set(found.kinds) == {*crossing.OWN_KINDS, *crossing.FOREIGN_KINDS}
    assert set(found.statuses) == {200, 404}


async def test_a_server_that_mixes_tenants_up_is_noticed(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    crossing = load("crossing")
    right = Verifier.for_tenant

    def mix_up(self: Verifier, tenant: str) -> Verifier:
        view = right(self, tenant)
        mix_up_after.append(tenant)
        return right(self, "left") if len(mix_up_after) > 1_000 else view

    mix_up_after = [""] * 990  # the store is filled rightly, and some requests are answered so
    monkeypatch.setattr(Verifier, "for_tenant", mix_up)
    found = await crossing.cross(
        fresh_database.app_dsn, fresh_database.owner_dsn, requests=100, seed=7
    )
    assert any(fault.startswith("right") for fault in found.faults)
