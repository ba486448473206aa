"""What a policy made of an answer, as the JSON values of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifier.core.evidence_json import evidence_to_json, span_to_json

if TYPE_CHECKING:
    from verifier.core.policy import Annotation, Edit, LeftAlone, Release


def release_to_json(release: Release) -> dict[str, Any]:
    """Return the text that is let out, with what was marked, changed and left alone in it."""
    return {
        "text": release.text,
        "accepted": release.accepted,
        "outcome": None if release.outcome is None else release.outcome.value,
        "annotations": [_annotation(one) for one in release.annotations],
        "edits": [edit_to_json(one) for one in release.edits],
        "left_alone": [_left_alone(one) for one in release.left_alone],
    }


def _annotation(annotation: Annotation) -> dict[str, Any]:
    return {
        "claim": annotation.claim,
        "span": span_to_json(annotation.span),
        "at": annotation.at,
        "mark": annotation.mark,
        "code": annotation.code.value,
        "note": annotation.note,
    }


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """Return a correction, as a report tells it."""
    return {
        "span": span_to_json(edit.span),
        "old": edit.old,
        "new": edit.new,
        "reason": edit.reason,
        "claims": list(edit.claims),
        "evidence": [evidence_to_json(one) for one in edit.evidence],
    }


def _left_alone(left: LeftAlone) -> dict[str, Any]:
    return {
        "claim": left.claim,
        "attribute": left.attribute,
        "hindrance": left.hindrance.value,
    }
