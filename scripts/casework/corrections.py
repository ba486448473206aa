"""Correcting statements about rows of the public shops: true ones must stay, false ones become true."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from casework.rowbench import read_catalog, read_things
from casework.rowstatements import make_statements
from verifier.core.policy import Mode, Policy
from verifier.core.turns import Turn
from verifier.verify.known_names import CanonicalNames
from verifier.verify.policy import verify_under
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    import asyncpg

    from casework.rowstatements import RowStatement
    from verifier.core.report import GroundingReport

_CORRECT: Final = Policy(mode=Mode.CORRECT)
_FIGURE: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(slots=True)
class CorrectionTally:
    """What became of true and false statements under correction. Not frozen: it counts.

    `true` has `same` and `changed`; `false` has `corrected`, `corrected wrongly`, `not rejected`, and why the
    others were left alone.
    """

    true: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    round_trips: Counter[int] = field(default_factory=Counter)
    misses: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_met(self) -> bool:
        """Whether no true statement was changed, and none made into another false one."""
        return not self.true["changed"] and not self.false["corrected wrongly"]


async def correct_shop(pool: asyncpg.Pool, shop: str, number: int, *, seed: int) -> CorrectionTally:
    """Return what correction made of `number` true statements of a shop, and of as many false ones."""
    catalog = read_catalog(shop)
    things = [thing for entity in catalog.entity_types for thing in await read_things(pool, entity)]

    async def lend(_database: str) -> asyncpg.Pool:
        return pool

    backing = Backing(
        catalog=catalog, lend_pool=lend, names=CanonicalNames(catalog, lend), timeout_s=30
    )
    tally = CorrectionTally()
    for true, false in make_statements(things, number, seed=seed):
        told = await _correct(true, backing)
        tally.true["same" if _text(told) == true.text else "changed"] += 1
        if _text(told) != true.text:
            tally.misses.append({"statement": true.text, "became": _text(told)})
        told = await _correct(false, backing)
        outcome = _outcome(told, true)
        tally.false[outcome] += 1
        tally.round_trips[told.database_round_trips] += 1
        if outcome == "corrected wrongly":
            miss = {"statement": false.text, "became": _text(told), "true": true.text}
            tally.misses.append(miss)
    return tally


async def _correct(statement: RowStatement, backing: Backing) -> GroundingReport:
    turn = Turn(principal=statement.principal)
    return await verify_under(_CORRECT, statement.text, turn, backing=backing)


def _outcome(report: GroundingReport, true: RowStatement) -> str:
    release = report.release
    if release is None or report.accepted:
        return "not rejected"
    if release.edits:
        same = _figures_apart(release.text or "") == _figures_apart(true.text)
        return "corrected" if same else "corrected wrongly"
    return ", ".join(sorted({str(one.hindrance) for one in release.left_alone}))


def _text(report: GroundingReport) -> str | None:
    return None if report.release is None else report.release.text


def _figures_apart(text: str) -> tuple[list[str], list[Decimal]]:
    """Return a text without its figures, and the figures by value: $1,299.50 is $1299.5."""
    figures = [Decimal(one.replace(",", "")) for one in _FIGURE.findall(text)]
    return _FIGURE.split(text), figures


def print_corrections(shop: str, tally: CorrectionTally) -> None:
    """Print what became of the statements of a shop, and the wrong ones one by one."""
    left = {name: count for name, count in tally.false.most_common() if name != "corrected"}
    print(
        f"{shop:<10} true {tally.true['same']:>5} same {tally.true['changed']:>3} changed"
        f"   false {tally.false['corrected']:>5} corrected, left: {left}"
        f"   SELECTs {dict(tally.round_trips)} {'' if tally.is_met else 'MISSED'}"
    )
    for miss in tally.misses:
        print(f"    {miss}")
