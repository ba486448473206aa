"""The canonical rows that a claim of a written report was compared with: all of it is in the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.core.evidence import RowLocator
from verifier.core.evidence_json import locator_to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.report_file import WrittenReport
    from verifier.core.verdicts import Finding, VerdictCode
    from verifier.core.written_claims import WrittenClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCell:
    """A cell that a claim was held against, and what the answer says there.

    `attribute` is None where the row only shows that the thing exists; `decided` tells that the claim's
    verdict rests on it.
    """

    attribute: str | None
    claimed: str
    cell: str
    locator: RowLocator
    code: VerdictCode
    decided: bool
    note: str | None


def list_compared_cells(report: WrittenReport, claim: WrittenClaim) -> tuple[ComparedCell, ...]:
    """Return the cells that the findings on a claim rest on, in their order, each once."""
    found: dict[tuple[RowLocator, str], ComparedCell] = {}
    deciding = claim.verdict.decided_by
    for finding in (deciding, *claim.verdict.findings):
        claimed = _find_claimed(report, claim, finding)
        for evidence in finding.evidence:
            place = evidence.locator
            if isinstance(place, RowLocator):
                cell = ComparedCell(
                    attribute=finding.attribute or place.column,
                    claimed=claimed,
                    cell=evidence.text,
                    locator=place,
                    code=finding.code,
                    decided=finding is deciding,
                    note=evidence.note,
                )
                found.setdefault((place, evidence.text), cell)
    return tuple(found.values())


def is_decided_by_rows(claim: WrittenClaim) -> bool:
    """Return whether a row is among what the verdict on a claim rests on."""
    evidence = claim.verdict.decided_by.evidence
    return any(isinstance(one.locator, RowLocator) for one in evidence)


def compared_cell_to_json(cell: ComparedCell) -> dict[str, Any]:
    """Return a compared cell as JSON values."""
    return {
        "attribute": cell.attribute,
        "claimed": cell.claimed,
        "cell": cell.cell,
        "locator": locator_to_json(cell.locator),
        "code": cell.code.value,
        "decided": cell.decided,
        "note": cell.note,
    }


def _find_claimed(report: WrittenReport, claim: WrittenClaim, finding: Finding) -> str:
    """Return what the answer says of the finding's attribute, else its values; the id where it has none."""
    spans = dict(zip(_list_attributes(claim), claim.value_spans, strict=False))
    if finding.attribute in spans:
        return spans[finding.attribute].of(report.answer)
    values = [span.of(report.answer) for span in claim.value_spans]
    return ", ".join(dict.fromkeys(values)) or claim.text


def _list_attributes(claim: WrittenClaim) -> Iterator[str | None]:
    assertions = claim.written.get("assertions")
    for one in assertions if isinstance(assertions, list) else ():
        names = one.get("attribute") if isinstance(one, Mapping) else None
        yield " ".join(map(str, names)) or None if isinstance(names, list) else None
