"""Reports as JSON: one documented, versioned form, the same from every interface.

The schema is `verifier/schemas/report.v1.json`. A report's id is the SHA-256 of its canonical content:
everything but the id itself and the moment at which it was made.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from verifier.core.evidence_json import evidence_to_json, span_to_json
from verifier.core.release_json import release_to_json
from verifier.core.turn_json import turn_to_json
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from verifier.core.claims import Assertion, Claim
    from verifier.core.report import GroundingReport, JudgedClaim, Provenance
    from verifier.core.values import Value
    from verifier.core.verdicts import Finding

SCHEMA = "report.v1"


def report_to_json(report: GroundingReport) -> dict[str, Any]:
    """Return the report as JSON values, valid by the schema `report.v1`."""
    return {
        "schema": SCHEMA,
        "report_id": report.report_id,
        "id": report.turn.turn_id,
        "accepted": report.accepted,
        "outcome": None if report.outcome is None else report.outcome.value,
        "claims": report.claims,
        "grounded_share": report.grounded_share,
        "hold": sorted(disposition.value for disposition in report.policy.hold),
        "answer": report.answer,
        "verdicts": [judged_to_json(judged) for judged in report.judged],
        "unchecked": [
            {"span": span_to_json(one.span), "text": one.text} for one in report.unchecked
        ],
        "database_round_trips": report.database_round_trips,
        "turn": turn_to_json(report.turn),
        "provenance": _provenance(report.provenance) | {"policy": report.policy.mode.value},
        "release": None if report.release is None else release_to_json(report.release),
        "limits": list(report.limits),
    }


def identify_report(report: GroundingReport) -> GroundingReport:
    """Return the report with its content-addressed id; equal content has an equal id, whenever made."""
    return replace(report, report_id=identify_content(report_to_json(report)))


def identify_content(report: Mapping[str, Any]) -> str:
    """Return the id that a report's JSON values come to, whatever id they hold."""
    content = {name: value for name, value in report.items() if name != "report_id"}
    made = content["provenance"]
    content["provenance"] = {name: made[name] for name in made if name != "created_at"}
    written = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode("ascii")).hexdigest()


def load_schema(name: str) -> Mapping[str, Any]:
    """Return a JSON schema of this package by its name: `report.v1` or `turn.v1`."""
    source = files("verifier").joinpath("schemas", f"{name}.json").read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(source)
    return schema


def judged_to_json(judged: JudgedClaim) -> dict[str, Any]:
    """Return a claim with its verdict, as a report tells it."""
    verdict = judged.verdict
    return {
        **_claim(judged.claim),
        "code": verdict.code.value,
        "disposition": verdict.disposition.value,
        "tier": None if verdict.tier is None else verdict.tier.value,
        "reason": None if verdict.reason is None else verdict.reason.value,
        "detail": verdict.detail,
        "corrected_value": verdict.corrected_value,
        "attribute": verdict.decided_by.attribute,
        "values": list(verdict.decided_by.values),
        "evidence": [evidence_to_json(one) for one in verdict.evidence],
        "findings": [_finding(one) for one in verdict.findings],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim.claim_id,
        "form": claim.form.value,
        "span": span_to_json(claim.span),
        "text": claim.text,
        "sentence": span_to_json(claim.sentence),
        "entity_type": claim.entity_type,
        "assertions": [_assertion(one) for one in claim.assertions],
        "citations": [
            {"label": one.label, "span": span_to_json(one.span)} for one in claim.citations
        ],
    }


def _assertion(assertion: Assertion) -> dict[str, Any]:
    subject = assertion.subject
    return {
        "subject": None
        if subject is None
        else {
            "entity_type": subject.entity_type,
            "key": subject.key,
            "names": list(subject.names),
        },
        "attribute": list(assertion.attribute),
        "value": None if assertion.value is None else _value(assertion.value),
        "span": span_to_json(assertion.span),
        "period": assertion.period,
        "polarity": assertion.polarity.value,
    }


def _value(value: Value) -> dict[str, Any]:
    if not isinstance(value, Quantity):
        return {"kind": value.kind.value, "text": value.text}
    return {
        "kind": value.kind.value,
        "text": value.text,
        "low": _number(value.interval.low),
        "high": _number(value.interval.high),
        "unit": value.unit,
        "currency": value.currency,
        "writing": value.writing.value,
    }


def _number(number: Fraction | None) -> str | None:
    """Write a number exactly: a whole number, or a fraction `p/q`."""
    return None if number is None else str(number)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "tier": None if finding.tier is None else finding.tier.value,
        "code": finding.code.value,
        "disposition": finding.disposition.value,
        "reason": None if finding.reason is None else finding.reason.value,
        "attribute": finding.attribute,
        "detail": finding.detail,
        "corrected_value": finding.corrected_value,
        "values": list(finding.values),
        "settles": finding.settles,
        "evidence": [evidence_to_json(one) for one in finding.evidence],
    }


def _provenance(provenance: Provenance) -> dict[str, Any]:
    return {
        "verifier_version": provenance.verifier_version,
        "created_at": provenance.created_at.isoformat(),
        "basis": provenance.basis,
        "catalog_hash": provenance.catalog_hash,
        "embedding_space": provenance.embedding_space,
        "prompt_hash": provenance.prompt_hash,
        "model": provenance.model,
        "retriever": provenance.retriever,
    }
