"""Names of canonical things: an index of up to 200,000, beyond it only names as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.canonical_shop import (
    CATALOG,
    DECLARED,
    TABLES,
    StatementLog,
    outcomes,
    verify,
)
from verifier.core.catalog import parse_catalog
from verifier.core.turns import Turn
from verifier.store.canonical_pool import open_canonical_pool
from verifier.store.canonical_statement import MOST_NAMES
from verifier.verify.known_names import CanonicalNames
from verifier.verify.verifier import Backing, verify_answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.embedded import EmbeddedPostgres
    from verifier.store.canonical_pool import CanonicalPool

CROWD = f"""
    INSERT INTO counted.product
    SELECT gen_random_uuid(), 'Filler ' || i, i FROM generate_series(1, {MOST_NAMES}) i;
    INSERT INTO counted.product
    SELECT gen_random_uuid(), name, price FROM (VALUES
        ('Wool throw', 30), ('Wool throw XL', 40), ('Wool throw (red)', 50), ('Nordic Wool throw', 60),
        ('Wool throw, fringed', 65), ('Star Ship', 9), ('Star Ship: The Model', 12), ('salt cellar', 7),
        ('Twin lamp', 20), ('Twin lamp', 21), ('O"Neil %_ shelf', 5), ('Throw', 11), ('The Vase', 15)
    ) AS named (name, price);
    CREATE INDEX ON counted.product (name);
    ANALYZE counted.product
"""  # noqa: S608 -- our own constants
TRUE = (
    "The Walnut shelf costs 49.90 EUR.",
    "- **Walnut shelf** costs 49.90 EUR\n- Wool throw costs 30.00 EUR",
    "| Product | Price |\n|---|---|\n| Walnut shelf | 49.90 EUR |\n| Wool throw XL | 40.00 EUR |",
    "The Wool throw (red) costs 50.00 EUR.",
    "Salt cellar costs 7.00 EUR.",
    "The Vase costs 15.00 EUR.",
    'The O"Neil %_ shelf costs 5.00 EUR.',
)
UNTOLD = (
    "Walnut shelf: 49.90 EUR",
    "Order W-1 has shipped. Walnut shelf: 49.90 EUR",
    "Invoice 1 comes to 15.00 EUR.\n- **Walnut shelf**: 49.90 EUR\n- Wool throw: 30.00 EUR",
    "Order W-1 has shipped. In our shop the wool throw costs 30.00 EUR.",
    "Order W-1 has shipped. The wool throw xl costs 40.00 EUR.",
)
FALSE = (
    "The Walnut shelf costs 49.80 EUR.",
    "The Wool throw XL costs 30.00 EUR.",
    "The Wool throw xl costs 30.00 EUR.",
    "The Wool Throw XL costs 30.00 EUR.",
    "The Wool throw xxl costs 30.00 EUR.",
    "The Wool throw (red) costs 30.00 EUR.",
    "The Wool throw (Red) costs 30.00 EUR.",
    "The Wool throw, Fringed, costs 30.00 EUR.",
    "The Wool throw with fringes costs 30.00 EUR.",
    "The nordic Wool throw costs 30.00 EUR.",
    "The Nordic throw costs 11.00 EUR.",
    "The wool throws cost 30.00 EUR.",
    "Star Ship: the Model costs 9.00 EUR.",
    "- Star Ship: the model: 9.00 EUR",
    "The Twin lamp costs 20.00 EUR.",
    "| Product | Price |\n|---|---|\n| Wool throw xl | 30.00 EUR |\n| Wool throw | 40.00 EUR |",
    "The Wool throw costs 30.00 EUR more than the Walnut shelf.",
    "The Wool throw is 30.00 EUR cheaper now.",
    "The Wool throw is nice. The Wool throw xl costs 30.00 EUR.",
    "The Wool throw costs 31.00 EUR. The shelf costs 49.90 EUR.",
)


@pytest.fixture(scope="module")
def crowd(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    """A shop with more names than are held."""
    from tests.integration.conftest import drop_database, make_database, run

    database = make_database(embedded, template=migrated_template)
    run(
        database.execute(
            *TABLES, CROWD, f"ALTER DATABASE {database.name} SET log_statement = 'all'"
        )
    )
    yield database
    drop_database(embedded, database)


@pytest.fixture
async def pool(crowd: Database) -> AsyncIterator[CanonicalPool]:
    async with await open_canonical_pool(crowd.owner_dsn) as pool:
        yield pool


@pytest.fixture(scope="module")
def kept() -> dict[str, CanonicalNames]:
    """The names that were read, kept for all tests: reading 200,000 takes a second."""
    return {}


async def read(
    pool: CanonicalPool, kept: dict[str, CanonicalNames], answer: str
) -> GroundingReport:
    async def lend(_database: str) -> CanonicalPool:
        return pool

    names = kept.setdefault("names", CanonicalNames(CATALOG, lend))
    backing = Backing(catalog=CATALOG, lend_pool=lend, names=names)
    return await verify_answer(answer, Turn(principal="u1"), backing=backing)


@pytest.mark.parametrize("answer", TRUE)
async def test_a_name_as_it_is_written_is_found_in_the_same_select(
    embedded: EmbeddedPostgres,
    pool: CanonicalPool,
    kept: dict[str, CanonicalNames],
    answer: str,
) -> None:
    await read(pool, kept, "The Walnut shelf is nice.")
    log = StatementLog(embedded)
    report = await read(pool, kept, answer)
    assert set(outcomes(report)) == {"verified"}
    assert log.count() == (1, 0)
    assert kept["names"].crowded == {"product"}


@pytest.mark.parametrize("answer", UNTOLD)
async def test_what_is_not_told_by_a_name_alone_is_not_rejected(
    pool: CanonicalPool, kept: dict[str, CanonicalNames], answer: str
) -> None:
    report = await read(pool, kept, answer)
    assert "rejected" not in {one.verdict.disposition for one in report.judged}, outcomes(report)


@pytest.mark.parametrize("answer", FALSE)
async def test_what_may_be_part_of_a_longer_name_is_never_verified(
    pool: CanonicalPool, kept: dict[str, CanonicalNames], answer: str
) -> None:
    report = await read(pool, kept, answer)
    assert "accepted" not in {one.verdict.disposition for one in report.judged}, outcomes(report)


async def test_a_thing_found_by_its_name_is_judged_by_all_its_rows(
    fresh_database: Database,
) -> None:
    declared = {
        "table": "counted.offer",
        "names": ["name"],
        "key": {"column": "sku", "type": "text"},
        "visible": {"column": "gone", "is": "null"},
        "attributes": {"price": {"kind": "money", "currency": "EUR", "labels": ["price", "costs"]}},
    }
    catalog = parse_catalog({"offer": declared, "invoice": DECLARED["invoice"]})
    await fresh_database.execute(
        *TABLES,
        "CREATE TABLE counted.offer (sku text, name text, price numeric, gone date)",
        "INSERT INTO counted.offer SELECT 'F' || i, 'Filler ' || i, i"  # noqa: S608 -- our own constant
        f" FROM generate_series(1, {MOST_NAMES}) i",
        "INSERT INTO counted.offer VALUES ('K-1', 'Oak desk', 80, NULL), ('K-1', 'Desk of oak', 90, NULL),"
        " ('K-2', 'Oak chair', 40, NULL), ('K-2', 'Old chair', 50, '2026-01-01'),"
        " ('K-3', 'Oak stool', 30, '2026-01-01')",
        "CREATE INDEX ON counted.offer (sku)",
    )
    async with await open_canonical_pool(fresh_database.owner_dsn) as pool:
        told = [
            outcomes(await verify(pool, answer, catalog=catalog))
            for answer in (
                "The Oak desk costs 80.00 EUR.",  # another row of its key says 90
                "The Oak chair costs 40.00 EUR.",
                "The Old chair costs 50.00 EUR.",
                "The Oak stool costs 30.00 EUR.",
            )
        ]
    assert told[0] != ("verified",)
    assert told[1] == ("verified",)
    assert "verified" not in {*told[2], *told[3]}
