"""Judging statements about rows of the public shops against their tables, with both errors apart."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from casework.rowstatements import RowStatement, Thing, make_statements, unique_names
from verifier.core.catalog import parse_catalog
from verifier.core.evidence import RowLocator
from verifier.core.turns import Turn
from verifier.core.verdicts import Disposition
from verifier.store.canonical_statement import quote_identifier, quote_table
from verifier.verify.known_names import CanonicalNames
from verifier.verify.verifier import Backing, verify_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import asyncpg

    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.report import GroundingReport

CATALOGS: Final = Path(__file__).resolve().parents[1] / "catalogs"
_MOST_ROWS: Final = 4_000
_LEAST_CAUGHT: Final = {"card": 1.0}
_MOST_REFUSED: Final = {"card": 0.0}
_GOAL_CAUGHT: Final = 0.98
_GOAL_REFUSED: Final = 0.01


@dataclass(slots=True)
class Tally:
    """What became of the true and the false statements of one form. Not frozen: it counts."""

    true: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    by_another_row: int = 0
    misses: list[dict[str, Any]] = field(default_factory=list)

    @property
    def caught(self) -> float:
        """The share of false statements that were not accepted."""
        return 1 - self.false["accepted"] / max(1, self.false.total())

    @property
    def refused(self) -> float:
        """The share of true statements that were rejected."""
        return self.true["rejected"] / max(1, self.true.total())

    def meets(self, form: str) -> bool:
        """Return whether the goals of this form are met."""
        least = _LEAST_CAUGHT.get(form, _GOAL_CAUGHT)
        most = _MOST_REFUSED.get(form, _GOAL_REFUSED)
        return self.caught >= least and self.refused <= most and not self.by_another_row


def read_catalog(shop: str) -> Catalog:
    """Return the catalog of a shop."""
    table = tomllib.loads((CATALOGS / f"{shop}.toml").read_text("utf-8"))
    return parse_catalog(table["catalog"])


def back_by(pool: asyncpg.Pool, catalog: Catalog) -> Backing:
    """Return what answers are held against: the tables of one pool, and the names in them."""

    async def lend(_database: str) -> asyncpg.Pool:
        return pool

    return Backing(
        catalog=catalog, lend_pool=lend, names=CanonicalNames(catalog, lend), timeout_s=30
    )


async def judge_shop(
    pool: asyncpg.Pool, shop: str, number: int, *, seeds: Sequence[int]
) -> dict[str, Tally]:
    """Return, by form, what became of `number` true statements a seed, and of as many false ones."""
    catalog = read_catalog(shop)
    things = [thing for entity in catalog.entity_types for thing in await read_things(pool, entity)]
    backing = back_by(pool, catalog)
    tallies: dict[str, Tally] = {}
    pairs = (pair for seed in seeds for pair in make_statements(things, number, seed=seed))
    for true, false in pairs:
        tally = tallies.setdefault(true.form, Tally())
        for statement in (true, false):
            turn = Turn(principal=statement.principal)
            report = await verify_answer(statement.text, turn, backing=backing)
            _count(tally, statement, report)
    return tallies


async def read_things(pool: asyncpg.Pool, entity: EntityType) -> list[Thing]:
    """Return rows of a type as they stand in its table, each named where its name is its alone."""
    columns = {one.name: one.column for one in entity.attributes}
    own = {
        name: column for name, column in columns.items() if entity.place_column(column)[0] is None
    }
    wanted = {
        "key": entity.key.column,
        **({"owner": entity.scopes[0].column} if entity.scopes else {}),
        **({"name": entity.name_columns[0]} if entity.name_columns else {}),
    }
    wanted = {
        name: column for name, column in wanted.items() if entity.place_column(column)[0] is None
    }
    listed = [*wanted.values(), *own.values()]
    rows = await pool.fetch(
        f"SELECT {', '.join(map(quote_identifier, listed))} FROM {quote_table(entity.table)}"  # noqa: S608
        f" ORDER BY {quote_identifier(entity.key.column)} LIMIT {_MOST_ROWS}"
    )
    things = [
        Thing(
            entity=entity,
            key=str(row[0]),
            principal=str(row[entity.scopes[0].column]) if entity.scopes else None,
            name=row[wanted["name"]] if "name" in wanted and not entity.scopes else None,
            cells={name: row[column] for name, column in own.items()},
        )
        for row in rows
    ]
    plain = [thing for thing in things if thing.key == thing.key.strip()]
    return list(unique_names(plain))


def _count(tally: Tally, statement: RowStatement, report: GroundingReport) -> None:
    outcome = outcome_of(report)
    counts = tally.true if statement.false is None else tally.false
    counts[outcome] += 1
    wrong = "rejected" if statement.false is None else "accepted"
    if outcome == "accepted" and statement.form in {"card", "prose"}:
        keys = {
            one.locator.key
            for judged in report.judged
            for one in judged.verdict.evidence
            if isinstance(one.locator, RowLocator)
        }
        if keys and not keys & statement.keys:
            tally.by_another_row += 1
            outcome = "by another row"
    if outcome in {wrong, "by another row"} or (statement.false is None and outcome != "accepted"):
        tally.misses.append(
            {
                "text": statement.text,
                "false": statement.false,
                "outcome": outcome,
                "verdicts": [
                    f"{judged.verdict.code}: {judged.verdict.detail}" for judged in report.judged
                ],
            }
        )


def outcome_of(report: GroundingReport) -> str:
    """Return the worst disposition of a report's claims; an answer without one is `no claims`."""
    found = {judged.verdict.disposition for judged in report.judged}
    return next((str(one) for one in Disposition if one in found), "no claims")


def print_tallies(shop: str, tallies: dict[str, Tally], misses: Sequence[str] | None) -> None:
    """Print a line a form: what became of the true and of the false ones, in number and share."""
    for form, tally in sorted(tallies.items()):
        print(
            f"{shop:<10} {form:<6} {_shares(tally.true)}   {_shares(tally.false)}"
            f" {tally.caught:>8.2%}{tally.by_another_row:>5}{'' if tally.meets(form) else '  MISSED'}"
        )
        for miss in tally.misses if misses is not None else ():
            if miss["outcome"] in misses or not misses:
                print(f"    {miss['outcome']} ({miss['false'] or 'true'}): {miss['text']!r}")
                print(f"        {miss['verdicts']}")


def print_head() -> None:
    """Print what stands in the columns; caught is what is not accepted, with what is left open."""
    shares = "accepted      open  rejected"
    print(f"{'':<18}{'true':>6} {shares}   {'false':>6} {shares}   caught  by another row")


def _shares(counts: Counter[str]) -> str:
    total = counts.total()
    wrong = {name: counts[name] / max(1, total) for name in ("accepted", "rejected")}
    left = 1 - sum(wrong.values()) if total else 0.0
    return f"{total:>6} {wrong['accepted']:>8.2%} {abs(left):>9.2%} {wrong['rejected']:>9.2%}"
