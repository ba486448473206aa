"""Claims against the visible rows of the thing that they speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.attribute_comparison import compare_attribute
from verifier.core.catalog.reading import read_value, write_corrected
from verifier.core.comparison import Outcome
from verifier.core.evidence import Evidence, RowLocator
from verifier.core.verdicts import Finding, Reason, Tier
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
    from verifier.core.values import Value
    from verifier.store.canonical import CanonicalRow


def compare_rows(
    claim: Claim, entity: EntityType, rows: Sequence[CanonicalRow], turn: Turn
) -> Iterator[Finding]:
    """Yield a finding on each assertion; where no row is visible, one on the whole claim.

    Where several rows are visible, they must all bear an assertion out, or all contradict it alike.
    """
    if not rows:
        yield find_not_found(claim, Tier.DATABASE)
        return
    for assertion in claim.assertions:
        if assertion.value is None:
            located = tuple(_locate(row, entity.key.column, row.key) for row in rows)
            yield find_verified(claim, assertion, Tier.DATABASE, located)
            continue
        attribute = entity.find_attribute(" ".join(assertion.attribute))
        if not assertion.catalogued or attribute is None:
            detail = f"the catalog has no {' '.join(assertion.attribute)} of a {entity.name}"
            yield find_unverifiable(claim, Reason.NO_EVIDENCE, detail, assertion)
        else:
            yield _compare(claim, assertion, attribute, rows, turn)


def _compare(
    claim: Claim,
    assertion: Assertion,
    attribute: Attribute,
    rows: Sequence[CanonicalRow],
    turn: Turn,
) -> Finding:
    read = [_read(row, attribute, turn) for row in rows]
    values = [value for value in read if value is not None]
    if len(values) < len(rows) or assertion.value is None:
        detail = f"the row has no readable {attribute.name}"
        return find_unverifiable(claim, Reason.NO_EVIDENCE, detail, assertion)
    claimed = assertion.value
    outcomes = {compare_attribute(claimed, value, polarity=assertion.polarity) for value in values}
    evidence = tuple(_locate(row, attribute.column, _quote(row, attribute)) for row in rows)
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


def _read(row: CanonicalRow, attribute: Attribute, turn: Turn) -> Value | None:
    currency = attribute.currency
    if attribute.currency_column is not None:
        told = row.cells.get(attribute.currency_column)
        if told is None or not told.strip():
            return None
        currency = told.strip().upper()
    return read_value(
        attribute,
        row.cells.get(attribute.column),
        currency=currency,
        timezone_name=turn.timezone,
        scaled=attribute.minor_units,
    )


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
