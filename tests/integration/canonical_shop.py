"""A small shop whose tables the tests of failing and pooled connections ask."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from verifier import verify_claims
from verifier.core.catalog import parse_catalog
from verifier.core.turns import Turn

if TYPE_CHECKING:
    from verifier.core.catalog import Catalog
    from verifier.core.report import GroundingReport
    from verifier.embedded import EmbeddedPostgres
    from verifier.store.canonical_pool import CanonicalPool

PRODUCT = "0fd372fa-ecb2-4db0-bb71-8628a784ced9"
DECLARED: dict[str, object] = {
    "product": {
        "table": "counted.product",
        "names": ["name"],
        "key": {"column": "id", "type": "uuid"},
        "attributes": {"price": {"kind": "money", "currency": "EUR", "labels": ["price", "costs"]}},
    },
    "order": {
        "table": "counted.orders",
        "key": {"column": "id", "type": "text", "pattern": "W-[0-9]+"},
        "scope": {"customer": "principal"},
        "attributes": {"status": {"kind": "state", "states": {"shipped": [], "delivered": []}}},
    },
    "invoice": {
        "table": "counted.invoice",
        "key": {"column": "id", "type": "integer"},
        "attributes": {"total": {"kind": "money", "currency": "EUR"}},
    },
}
CATALOG = parse_catalog(DECLARED)
TABLES = (
    "CREATE SCHEMA counted",
    "CREATE TABLE counted.product (id uuid PRIMARY KEY, name text, price numeric)",
    f"INSERT INTO counted.product VALUES ('{PRODUCT}', 'Walnut shelf', 49.90)",  # noqa: S608 -- a constant
    "CREATE TABLE counted.orders (id text PRIMARY KEY, customer text, status text)",
    "INSERT INTO counted.orders VALUES ('W-1', 'u1', 'shipped'), ('W-2', 'u2', 'shipped')",
    "CREATE TABLE counted.invoice (id bigint PRIMARY KEY, total numeric)",
    "INSERT INTO counted.invoice VALUES (1, 15), (9223372036854775807, 16)",
)
ANSWER = f"""The walnut shelf costs 49.90 EUR. Order W-1 has shipped. Order W-2 has shipped.

| Order | Status |
|---|---|
| W-1 | delivered |

- Walnut shelf: 48.90 EUR

```product
{{"id": "{PRODUCT}", "price": 49.9}}
```
```invoice
{{"id": 1, "total": 15}}
```
"""
RIGHT = (
    *("verified", "verified", "not_found", "attribute_mismatch", "price_mismatch"),
    *("verified", "verified"),
)
_STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]*): ")


async def verify(
    pool: CanonicalPool, answer: str = ANSWER, *, catalog: Catalog = CATALOG
) -> GroundingReport:
    return await verify_claims(answer, None, pool, catalog=catalog, turn=Turn(principal="u1"))


def outcomes(report: GroundingReport) -> tuple[str, ...]:
    return tuple(str(one.verdict.reason or one.verdict.code) for one in report.judged)


def details(report: GroundingReport) -> str:
    return " ".join(one.verdict.detail for one in report.judged)


class StatementLog:
    """What a server's log tells of the statements that were run since this was made."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._path = Path(server.data_dir) / "pgdata" / "server.log"
        self._begun = self._path.stat().st_size

    def read(self) -> list[str]:
        """Return the statements, in order."""
        told = self._path.read_bytes()[self._begun :].decode("utf-8", errors="replace")
        entries = re.split(r"\n(?!\t)", told)
        return [entry[found.end() :] for entry in entries if (found := _STATEMENT.search(entry))]

    def count(self) -> tuple[int, int]:
        """Return how many statements looked rows up in the shop, and how many read its names."""
        of_shop = [one for one in self.read() if '"counted"' in one]
        lookups = sum("unnest(" in one for one in of_shop)
        return lookups, len(of_shop) - lookups
