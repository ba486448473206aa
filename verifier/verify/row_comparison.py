"""Claims against the visible rows of the thing that they speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.attribute_comparison import compare_attribute
from verifier.core.catalog.applicability import Occasion, find_applicable
from verifier.core.catalog.reading import read_cell, write_corrected
from verifier.core.claims import ClaimForm
from verifier.core.comparison import Outcome
from verifier.core.evidence import Evidence, RowLocator
from verifier.core.turn_values import read_quantities, read_turn_fields
from verifier.core.values import Kind, Quantity, TextValue
from verifier.core.verdicts import Disposition, Finding, Reason, Tier
from verifier.verify.findings import (
    find_ambiguous,
    find_mismatch,
    find_not_found,
    find_unverifiable,
    find_verified,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.catalog import Attribute, EntityType
    from verifier.core.claims import Assertion, Claim
    from verifier.core.turns import Turn
    from verifier.core.values import Interval, Value
    from verifier.store.canonical import CanonicalRow

_MOST_SHOWN: Final = 8


def compare_rows(
    claim: Claim, entity: EntityType, rows: Sequence[CanonicalRow], turn: Turn, *, now: Interval
) -> Iterator[Finding]:
    """Yield a finding on each assertion; where no row is visible, one on the whole claim.

    Of several rows those count that apply to the time of the assertion, else to `now`; they must all
    bear it out, or all contradict it alike.
    """
    if not rows:
        yield find_not_found(claim, Tier.DATABASE)
        return
    for assertion in claim.assertions:
        if assertion.value is None:
            located = tuple(_locate(row, entity.key.column, row.key) for row in rows[:_MOST_SHOWN])
            yield find_verified(claim, assertion, Tier.DATABASE, located)
            continue
        attribute = entity.find_attribute(" ".join(assertion.attribute))
        if not assertion.catalogued or attribute is None:
            detail = f"the catalog declares no column of {entity.name!r} that tells this"
            yield find_unverifiable(claim, Reason.NO_EVIDENCE, detail, assertion)
        else:
            yield _compare_applicable(claim, assertion, attribute, rows, (turn, now))


def _compare_applicable(
    claim: Claim,
    assertion: Assertion,
    attribute: Attribute,
    rows: Sequence[CanonicalRow],
    told: tuple[Turn, Interval],
) -> Finding:
    """Compare with the rows that apply; what another quantity would bear out is not refuted."""
    if rows[0].crowded:
        detail = f"there are more than {len(rows)} rows of this key"
        return find_unverifiable(claim, Reason.TOO_LARGE, detail, assertion)
    turn, now = told
    moment = _moment_of(assertion, turn) if assertion.period is not None else now
    if moment is None:
        detail = f"{assertion.period!r} is no time that rows can be chosen by"
        return find_unverifiable(claim, Reason.NO_EVIDENCE, detail, assertion)
    occasion = Occasion(moment=moment, fields=read_turn_fields(turn), timezone_name=turn.timezone)
    found = find_applicable(rows[0].entity, [row.cells for row in rows], occasion)
    applying = _in_currency([rows[at] for at in found.rows], attribute, assertion, turn)
    if not applying:
        detail = f"no row tells the {attribute.name} that applies"
        return find_unverifiable(claim, Reason.NO_EVIDENCE, detail, assertion)
    finding = _compare(claim, assertion, attribute, applying, turn)
    if finding.disposition is Disposition.REJECTED and found.of_other_quantities:
        others = [rows[at] for at in found.of_other_quantities]
        if any(_outcome(row, assertion, attribute, turn) is Outcome.AGREE for row in others):
            evidence = _evidence([*applying, *others], attribute)
            return find_ambiguous(claim, assertion, Tier.DATABASE, evidence)
    return finding


def _moment_of(assertion: Assertion, turn: Turn) -> Interval | None:
    """Return the time that an assertion tells, if it is a date or a period."""
    read = [one.value for one in read_quantities(assertion.period or "", turn)]
    dates = [one for one in read if isinstance(one, Quantity) and one.kind is Kind.DATE]
    if len(dates) != 1 or dates[0].alternatives or dates[0].fault is not None:
        return None
    return dates[0].interval


def _in_currency(
    rows: Sequence[CanonicalRow], attribute: Attribute, assertion: Assertion, turn: Turn
) -> Sequence[CanonicalRow]:
    """Return the rows in the currency that is claimed; all, where none is or no row has it."""
    claimed = assertion.value
    if not isinstance(claimed, Quantity) or claimed.currency is None:
        return rows
    same = [row for row in rows if _currency(row, attribute, turn) == claimed.currency]
    return same or rows


def _currency(row: CanonicalRow, attribute: Attribute, turn: Turn) -> str | None:
    value = read_cell(attribute, row.cells, timezone_name=turn.timezone)
    return value.currency if isinstance(value, Quantity) else None


def _outcome(
    row: CanonicalRow, assertion: Assertion, attribute: Attribute, turn: Turn
) -> Outcome | None:
    value = read_cell(attribute, row.cells, timezone_name=turn.timezone)
    if value is None or assertion.value is None:
        return None
    return compare_attribute(assertion.value, value, polarity=assertion.polarity)


def _evidence(rows: Sequence[CanonicalRow], attribute: Attribute) -> tuple[Evidence, ...]:
    return tuple(
        _locate(row, attribute.column, _quote(row, attribute)) for row in rows[:_MOST_SHOWN]
    )


def _compare(
    claim: Claim,
    assertion: Assertion,
    attribute: Attribute,
    rows: Sequence[CanonicalRow],
    turn: Turn,
) -> Finding:
    read = [read_cell(attribute, row.cells, timezone_name=turn.timezone) for row in rows]
    values = [value for value in read if value is not None]
    if len(values) < len(rows) or assertion.value is None:
        detail = f"the row has no readable {attribute.name}"
        return find_unverifiable(claim, Reason.NO_EVIDENCE, detail, assertion)
    claimed = assertion.value
    if claim.form is not ClaimForm.CARD and any(_overlaps(claimed, value) for value in values):
        detail = f"{attribute.name} and {claimed.text!r} are the same in part"
        return find_unverifiable(claim, Reason.NO_EVIDENCE, detail, assertion)
    outcomes = {compare_attribute(claimed, value, polarity=assertion.polarity) for value in values}
    evidence = _evidence(rows, attribute)
    if outcomes == {Outcome.AGREE}:
        return find_verified(claim, assertion, Tier.DATABASE, evidence)
    rights = {
        write_corrected(value, row.cells.get(attribute.column) or "")
        for row, value in zip(rows, values, strict=True)
    }
    if outcomes == {Outcome.DISAGREE} and len(rights) == 1:
        return find_mismatch(claim, assertion, Tier.DATABASE, evidence, corrected=rights.pop())
    if len(rights) > 1 and outcomes <= {Outcome.AGREE, Outcome.DISAGREE}:
        return find_ambiguous(claim, assertion, Tier.DATABASE, evidence)
    detail = f"the row's {attribute.name} and {claimed.text!r} can't be compared"
    return find_unverifiable(claim, Reason.UNIT_UNPROVEN, detail, assertion)


def _overlaps(claimed: Value, value: Value) -> bool:
    """Return whether of two texts one holds the other: prose may leave out, or add, a word."""
    if not (isinstance(claimed, TextValue) and isinstance(value, TextValue)):
        return False
    one, other = claimed.folded, value.folded
    return value.kind is Kind.TEXT and one != other and (one in other or other in one)


def _quote(row: CanonicalRow, attribute: Attribute) -> str:
    cell = row.cells.get(attribute.column) or ""
    if attribute.currency_column is None:
        return cell
    return f"{cell} {row.cells.get(attribute.currency_column) or ''}".strip()


def _locate(row: CanonicalRow, column: str, text: str) -> Evidence:
    locator = RowLocator(
        database=row.entity.database,
        table=row.entity.qualified_table,
        key=row.key,
        column=column,
        fingerprint=row.fingerprint,
    )
    return Evidence(locator=locator, text=text)
