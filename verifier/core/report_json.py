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

from verifier.core.evidence import LedgerLocator, RowLocator, SpanLocator, TurnTextLocator
from verifier.core.turn_json import turn_to_json
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from verifier.core.claims import Assertion, Claim
    from verifier.core.evidence import Evidence, Locator
    from verifier.core.report import GroundingReport, JudgedClaim, Provenance
    from verifier.core.spans import Span
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
        "hold": sorted(disposition.value for disposition in report.hold),
        "answer": report.answer,
        "verdicts": [_judged(judged) for judged in report.judged],
        "unchecked": [{"span": _span(one.span), "text": one.text} for one in report.unchecked],
        "database_round_trips": report.database_round_trips,
        "turn": turn_to_json(report.turn),
        "provenance": _provenance(report.provenance),
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


def _judged(judged: JudgedClaim) -> dict[str, Any]:
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
        "evidence": [_evidence(one) for one in verdict.evidence],
        "findings": [_finding(one) for one in verdict.findings],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim.claim_id,
        "form": claim.form.value,
        "span": _span(claim.span),
        "text": claim.text,
        "sentence": _span(claim.sentence),
        "entity_type": claim.entity_type,
        "assertions": [_assertion(one) for one in claim.assertions],
        "citations": [{"label": one.label, "span": _span(one.span)} for one in claim.citations],
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
        "span": _span(assertion.span),
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
        "evidence": [_evidence(one) for one in finding.evidence],
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "locator": locator_to_json(evidence.locator),
        "text": evidence.text,
        "note": evidence.note,
    }


def locator_to_json(locator: Locator) -> dict[str, Any]:
    """Return where a piece of evidence stands, `kind` telling which sort of place it is."""
    if isinstance(locator, LedgerLocator):
        return {
            "kind": "ledger",
            "call_id": locator.call_id,
            "tool": locator.tool,
            "pointer": locator.pointer,
        }
    if isinstance(locator, RowLocator):
        return {
            "kind": "row",
            "database": locator.database,
            "table": locator.table,
            "key": locator.key,
            "column": locator.column,
            "fingerprint": locator.fingerprint,
        }
    if isinstance(locator, SpanLocator):
        return {
            "kind": "span",
            "source": locator.source,
            "seq": locator.seq,
            "ordinal": locator.ordinal,
            "span": _span(locator.span),
            "text_hash": locator.text_hash,
        }
    return _turn_text(locator)


def _turn_text(locator: TurnTextLocator) -> dict[str, Any]:
    return {"kind": "turn_text", "part": locator.part.value, "span": _span(locator.span)}


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
        "policy": provenance.policy,
    }


def _span(span: Span) -> list[int]:
    return [span.start, span.end]
