"""Why a claim of a written report came out as it did: its answer bound once more to its turn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from verifier.core.binding.binder import bind_answer
from verifier.core.binding.explaining import explain_value
from verifier.core.catalog import Catalog
from verifier.core.evidence_json import locator_to_json
from verifier.core.facts import read_evidence
from verifier.core.ledger import build_ledger
from verifier.core.text import clean_text
from verifier.verify.explained_rows import (
    compared_cell_to_json,
    is_decided_by_rows,
    list_compared_cells,
)
from verifier.verify.ledger_tier import list_hidden_keys
from verifier.verify.verifier import begin_provenance

if TYPE_CHECKING:
    from verifier.core.binding.explaining import (
        ExplainedCandidate,
        ExplainedDerivation,
        Explanation,
    )
    from verifier.core.report_file import WrittenReport
    from verifier.core.written_claims import WrittenClaim
    from verifier.verify.explained_rows import ComparedCell

SCHEMA: Final = "explanation.v1"
_EMPTY_CATALOG: Final = Catalog()
_DECIMAL: Final = re.compile(r"[0-9]+[.][0-9]+")  # 49.90


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimExplanation:
    """A claim of a report with the binding of its value; `not_asked` says why there is none.

    `cells` are those of canonical rows that it was compared with, as the report holds them.
    `remarks` say what of the report can't be trusted to be as it was: another program, catalog or content.
    """

    report: WrittenReport
    claim: WrittenClaim
    binding: Explanation | None
    not_asked: str | None
    remarks: tuple[str, ...]
    cells: tuple[ComparedCell, ...] = ()


def explain_claim(
    report: WrittenReport, claim_id: str, *, catalog: Catalog = _EMPTY_CATALOG
) -> ClaimExplanation:
    """Return why a claim came out as it did. Raises UnknownThing where the report has no such claim.

    `catalog` is the one that the report was made with; it tells which things the turn may not see.
    """
    claim = report.find_claim(claim_id)
    not_asked = _why_not_asked(report, claim)
    binding = None if not_asked else _bind(report, claim, catalog)
    if binding is not None and report.has_read_rows and not _is_as_reported(claim, binding):
        binding = None
        not_asked = (
            "rows of the canonical tables were among the evidence; they are not read again here"
        )
    if binding is None and not_asked is None:
        not_asked = "this version finds no value there that it could bind"
    return ClaimExplanation(
        report=report,
        claim=claim,
        binding=binding,
        not_asked=not_asked,
        remarks=tuple(_remark(report, claim, binding, catalog)),
        cells=list_compared_cells(report, claim),
    )


def explanation_to_json(explained: ClaimExplanation) -> dict[str, Any]:
    """Return the explanation as JSON values, valid by the schema `explanation.v1`."""
    return {
        "schema": SCHEMA,
        "report_id": explained.report.report_id,
        "id": explained.report.turn.turn_id,
        "claim": dict(explained.claim.written),
        "sentence": explained.claim.sentence.of(explained.report.answer),
        "binding": None if explained.binding is None else _binding(explained.binding),
        "not_asked": explained.not_asked,
        "rows": [compared_cell_to_json(one) for one in explained.cells],
        "remarks": list(explained.remarks),
    }


def _why_not_asked(report: WrittenReport, claim: WrittenClaim) -> str | None:
    if report.turn.cited is not None:
        return f"the whole answer cites {report.turn.cited!r}, and that text decides"
    if claim.citations:
        return f"the sentence cites {', '.join(claim.citations)}, and the cited text decides"
    if claim.entity_type is not None:
        return f"the catalog declares {claim.entity_type!r}, and its attributes decide"
    if is_decided_by_rows(claim):
        return "rows of the canonical tables decide, as the report holds them"
    if report.turn.citations_required:
        return "the turn demands citations, and the sentence has none"
    if len(claim.value_spans) != 1:
        return "the claim has no single value that could be bound"
    return None


def _bind(report: WrittenReport, claim: WrittenClaim, catalog: Catalog) -> Explanation | None:
    turn = report.turn
    ledger = build_ledger(
        turn.calls,
        catalog=catalog,
        scope=turn.scope,
        current_turn=turn.current_turn,
        timezone_name=turn.timezone,
    )
    hidden = list_hidden_keys(catalog, ledger, turn)
    bound = bind_answer(clean_text(report.answer), turn, read_evidence(turn), hidden=hidden)
    found = (one for one in bound if one.stated.span == claim.value_spans[0])
    return next((explain_value(one) for one in found), None)


def _remark(
    report: WrittenReport, claim: WrittenClaim, binding: Explanation | None, catalog: Catalog
) -> list[str]:
    made_by, own = report.verifier_version, begin_provenance(catalog)
    remarks = []
    if not report.is_intact:
        remarks.append("the report's content is not what its id was made from: it was changed")
    if made_by != own.verifier_version:
        remarks.append(
            f"the report was made by version {made_by or 'unknown'}, this is"
            f" {own.verifier_version}: it may bind otherwise"
        )
    if report.catalog_hash != own.catalog_hash and binding is not None:
        remarks.append(
            "the report was made with another catalog than this: what its turn may not see is unknown here"
        )
    if binding is not None and not _is_as_reported(claim, binding):
        remarks.append(
            "the report says otherwise: its value was bound in another way when it was made"
        )
    return remarks


def _is_as_reported(claim: WrittenClaim, binding: Explanation) -> bool:
    """Return whether the value is bound here as one of the report's findings says."""
    details = {_without_zeros(finding.detail) for finding in claim.verdict.findings}
    return _without_zeros(binding.detail) in details


def _without_zeros(detail: str) -> str:
    """Return a detail as it reads with 49.9 for 49.90: JSON keeps values, not how they were written."""
    return _DECIMAL.sub(lambda found: found.group().rstrip("0").rstrip("."), detail)


def _binding(binding: Explanation) -> dict[str, Any]:
    return {
        "value": binding.text,
        "span": [binding.span.start, binding.span.end],
        "clause": [binding.clause.start, binding.clause.end],
        "denied": binding.denied,
        "fate": binding.fate.value,
        "detail": binding.detail,
        "reason": binding.reason,
        "right": binding.right,
        "accept_floor": binding.accept_floor,
        "reject_floor": binding.reject_floor,
        "candidates": [_candidate(one) for one in binding.candidates],
        "derivation": None if binding.derivation is None else _derivation(binding.derivation),
    }


def _candidate(candidate: ExplainedCandidate) -> dict[str, Any]:
    return {
        "things": list(candidate.things),
        "attribute": list(candidate.attribute),
        "period": candidate.period,
        "value": candidate.value,
        "locator": locator_to_json(candidate.locator),
        "clause": candidate.clause,
        "subject_points": candidate.subject_points,
        "attribute_points": candidate.attribute_points,
        "outcome": candidate.outcome.value,
        "decided": candidate.decided,
        "why": candidate.why,
    }


def _derivation(derivation: ExplainedDerivation) -> dict[str, Any]:
    return {
        "operation": derivation.operation,
        "wording": derivation.wording,
        "operands": [
            {
                "things": list(one.things),
                "attribute": list(one.attribute),
                "value": one.value,
                "locator": None if one.locator is None else locator_to_json(one.locator),
                "from_user": one.from_user,
            }
            for one in derivation.operands
        ],
    }
