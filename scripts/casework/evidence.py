"""A case's evidence and settings as the fields of a turn file: one way for every task.

Text is one document that the whole answer cites; an object the result of one successful call; a list of
calls the calls themselves; chunks and sources are documents, all retrieved.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, time
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from verifier.core.turn_file import read_turn
from verifier.core.turns import Turn

if TYPE_CHECKING:
    from casework.cases import Case

TEXT_LABEL: Final = "E"
_DOCUMENT_FIELDS: Final = frozenset(
    {"sources", "chunks", "bibliography", "files", "shown_to_model", "shown_to_user"}
)
_ASIDE: Final = frozenset({"numbering", "style", "text", "unreadable", "reason"})
_TOLD: Final = {
    "tz": "timezone",
    "timezone": "timezone",
    "locale": "locale",
    "default_currency": "default_currency",
    "user_message": "question",
    "system": "system",
    "scope": "scope",
    "current_turn": "current_turn",
    "fiscal_year_start": "fiscal_year_start",
    "fiscal_year_named_by": "fiscal_year_named_by",
    "tenant": "tenant",
    "principal": "principal",
    "citations_required": "citations_required",
}
_KNOWN: Final = frozenset(field.name for field in fields(Turn))


class UnknownShape(ValueError):
    """The evidence has a form that no rule speaks of."""


def turn_of(case: Case) -> Turn:
    """Return the turn in which the case's claim is held. Raises UnknownShape."""
    return read_turn({**settings_of(case), **evidence_of(case)}).turn


def settings_of(case: Case) -> dict[str, Any]:
    """Return the fields of a turn that the case's `extra` settles."""
    extra = case.extra
    told = {
        field: extra[name] for name, field in _TOLD.items() if name in extra and field in _KNOWN
    }
    if "now" in extra:
        told["now"] = moment_of(str(extra["now"]), extra.get("tz"))
    context = {
        field: str(extra[name])
        for name, field in (("channel", "channel"), ("qty", "quantity"))
        if name in extra
    }
    return {**told, **({"context": context} if context else {})}


def moment_of(text: str, zone: object = None) -> str:
    """Return a moment with its offset; a day alone is its noon, in `zone` or in UTC."""
    moment = datetime.fromisoformat(text)
    if len(text) == len("2026-01-31"):
        moment = datetime.combine(moment.date(), time(12))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(str(zone or "UTC")))
    return moment.isoformat()


def evidence_of(case: Case) -> dict[str, Any]:
    """Return the fields of a turn file that hold the evidence. Raises UnknownShape."""
    evidence = case.evidence
    if evidence is None:
        return {}
    if isinstance(evidence, str):
        return {"documents": {TEXT_LABEL: evidence}, "cited": TEXT_LABEL}
    if isinstance(evidence, list):
        return _listed(evidence)
    if not isinstance(evidence, dict):
        raise UnknownShape(f"evidence is a {type(evidence).__name__}")
    if evidence.get("unreadable") is True and not set(evidence) & _DOCUMENT_FIELDS:
        return {"retrieved": [{"label": TEXT_LABEL, "text": ""}], "cited": TEXT_LABEL}
    if holds_documents(evidence):
        return documents_of(evidence)
    return {"calls": [{"id": "c1", "tool": "lookup", "arguments": {}, "result": evidence}]}


def holds_documents(evidence: dict[str, Any]) -> bool:
    """Return whether an object lists documents; else it is the result of a call."""
    named = set(evidence)
    return bool(named & _DOCUMENT_FIELDS) and named <= _DOCUMENT_FIELDS | _ASIDE


def documents_of(evidence: dict[str, Any]) -> dict[str, Any]:
    """Return the retrieved documents of a citation case, with the numbering that the model saw."""
    if "shown_to_model" in evidence:
        texts = evidence.get("text") or {}
        numbering = {str(mark): str(label) for mark, label in evidence["shown_to_model"].items()}
        return {
            "documents": {**dict.fromkeys(numbering.values(), ""), **texts},
            "numbering": numbering,
        }
    chunks = evidence.get("chunks")
    if isinstance(chunks, list):
        return _chunks(chunks, first=_first_number(evidence))
    documents = dict(chunks) if isinstance(chunks, dict) else dict.fromkeys(labels_of(evidence), "")
    unreadable = evidence.get("unreadable") or ()
    unreadable = documents if unreadable is True else unreadable
    return {
        "documents": {
            str(label): "" if label in unreadable else str(text)
            for label, text in documents.items()
        }
    }


def labels_of(evidence: dict[str, Any]) -> list[str]:
    """Return what an answer may cite where no texts are given: numbers, labels or files."""
    sources = evidence.get("sources")
    if isinstance(sources, int):
        first = _first_number(evidence)
        return [str(number) for number in range(first, first + sources)]
    return [
        str(label)
        for part in (sources, evidence.get("files"), evidence.get("bibliography"))
        for label in part or ()
    ]


def _first_number(evidence: dict[str, Any]) -> int:
    return 0 if str(evidence.get("numbering", "")).startswith("zero") else 1


def _listed(evidence: list[Any]) -> dict[str, Any]:
    if all(isinstance(one, str) for one in evidence) and evidence:
        return {"documents": {str(at): text for at, text in enumerate(evidence, 1)}}
    if not all(isinstance(one, dict) for one in evidence):
        raise UnknownShape("a list of evidence holds something other than calls")
    if evidence and all("text" in one and "tool" not in one for one in evidence):
        return _chunks(evidence, first=1)
    return {"calls": [_call(one, at) for at, one in enumerate(evidence, 1)]}


def _call(one: dict[str, Any], at: int) -> dict[str, Any]:
    fields_of_call = {
        "id",
        "tool",
        "args",
        "arguments",
        "ok",
        "result",
        "turn",
        "complete",
        "shown_chars",
    }
    if set(one) - fields_of_call:
        raise UnknownShape(f"a call has {', '.join(sorted(set(one) - fields_of_call))}")
    return {"id": f"c{at}", "tool": "tool", **one}


def _chunks(chunks: list[Any], *, first: int) -> dict[str, Any]:
    """Return chunks under labels of their own, and the marks that point to them."""
    retrieved, numbering = [], {}
    told = [{"text": chunk} if isinstance(chunk, str) else chunk for chunk in chunks]
    marks = [str(one.get("n", at + first)) for at, one in enumerate(told)]
    for one, mark in zip(told, marks, strict=True):
        source = str(one.get("doc", mark))
        shared = marks.count(mark) > 1  # the mark of several chunks is the label of each
        label = mark if shared or "doc" not in one else f"{source}#{mark}"
        if not shared:
            numbering[mark] = label
        entry: dict[str, Any] = {"label": label, "source": source, "text": one["text"]}
        if "seq" in one:
            entry |= {"seq": 1, "ordinal": int(one["seq"])}
        retrieved.append(entry)
    return {"retrieved": retrieved, "numbering": numbering}
