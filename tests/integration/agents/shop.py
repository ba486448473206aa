"""The canonical sample shop behind an agent: its tool, its customers, and what its answers should come to."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import asyncpg

from tests.integration.conftest import run
from verifier.connections import STORE_DATABASE
from verifier.settings import load_settings
from verifier.store.sample_shop import put_sample_rows

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.agents.answers import ReleasedAnswer
    from verifier.settings import Settings

THROW: dict[str, Any] = {
    "id": "3f6c1d52-8a1e-4c57-9d0b-6a2f51c7e901",
    "name": "Harbour wool throw",
    "price": 49.9,
    "currency": "USD",
    "stock": 12,
}
ORDER: dict[str, Any] = {
    "id": "0a9d5b7e-41f3-4c68-8d12-b6e07f93c5a4",
    "status": "shipped",
    "total": 99.8,
    "currency": "USD",
}
QUESTION = "What does the Harbour wool throw cost?"
RIGHT = "The Harbour wool throw costs $49.90."
WRONG = "The Harbour wool throw costs $59.90."
PREMATURE = "Let me look. It should cost $5.00."
"""What a model writes beside a call: no final answer, so nobody judges it."""


@dataclass(slots=True)
class Told:
    """What `on_answer` was told."""

    answers: list[ReleasedAnswer] = field(default_factory=list)

    def __call__(self, answer: ReleasedAnswer) -> None:
        self.answers.append(answer)

    @property
    def last(self) -> ReleasedAnswer:
        return self.answers[-1]

    @property
    def codes(self) -> list[str]:
        return [one.verdict.code.value for one in self.last.report.judged]


def get_product(name: str = "Harbour wool throw") -> dict[str, Any]:
    """Return the product of this name."""
    if name != THROW["name"]:
        raise LookupError(name)
    return dict(THROW)


def shop_settings(database: Database) -> Settings:
    catalog = tomllib.loads(files("verifier.sample").joinpath("verifier.toml").read_text("utf-8"))
    return load_settings(
        dsn=database.app_dsn,
        databases={STORE_DATABASE: {"dsn": database.reader_dsn}},
        catalog=catalog["catalog"],
        tenant="shop",
    )


def fill_shop(database: Database) -> None:
    """Write the sample rows as the owner, which the service never is."""

    async def fill() -> None:
        rows = json.loads(files("verifier.sample").joinpath("rows.json").read_text("utf-8"))
        conn = await asyncpg.connect(database.owner_dsn)
        try:
            await put_sample_rows(conn, rows)
        finally:
            await conn.close()

    run(fill())
