"""Judging the task `citation`: which marks an answer has, what they point to, and whether that says it."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from casework.cases import Judgement
from casework.engine import verify
from casework.evidence import evidence_of, holds_documents, labels_of, turn_of
from casework.outcomes import claims_at, describe, judge_choice, judge_word, places_of, worst
from casework.verifying import judge_report
from verifier.core.citations import find_citations, find_cited_chunk
from verifier.core.sentences import split_sentences
from verifier.core.spans import Span

if TYPE_CHECKING:
    from casework.cases import Case
    from verifier.core.citations import Citation
    from verifier.core.report import GroundingReport
    from verifier.core.turns import Turn

_POINTERS: Final = frozenset({"refs", "dangling", "absent", "by_sentence", "text_without_marks"})
_VERDICTS: Final = frozenset(
    {"verdict", "verdicts", "verdict_per_ref", "clean_pass", "code", "claims", "overall", "any_of"}
)
_PLACES: Final = frozenset({"found_in", "target", "target_index", "docs"})


def judge_citation(case: Case) -> Judgement:
    """Return whether marks, targets and verdicts come out as expected; each part must."""
    expected = case.expected
    if isinstance(expected, str):
        return judge_report(case, _report_on, lambda report: report.outcome)
    if not isinstance(expected, dict) or set(expected) - _POINTERS - _VERDICTS - _PLACES:
        return Judgement(
            ok=False, got=f"expected of an unknown shape: {expected!r}", error="wrong_value"
        )
    wrong = _judge_pointers(case, expected)
    if wrong is None and set(expected) & (_VERDICTS | _PLACES):
        wrong = _judge_verified(case, expected, turn_of(case))
    return wrong or Judgement(ok=True)


def _report_on(case: Case) -> GroundingReport:
    return verify(case.text, turn_of(case))


def pointers_of(case: Case, text: str) -> tuple[Citation, ...]:
    """Return the citations of a text, told everything of the case that the finder takes."""
    evidence = case.evidence if isinstance(case.evidence, dict) else {}
    told = evidence_of(case)
    documents = told.get("documents", {})
    labels = [*documents, *(chunk["label"] for chunk in told.get("retrieved", ()))]
    given: dict[str, Any] = {
        "labels": labels or labels_of(evidence),
        "numbering": told.get("numbering"),
        "style": evidence.get("style"),
        "bibliography": evidence.get("bibliography"),
        "sources": evidence.get("sources") if isinstance(evidence.get("sources"), dict) else None,
    }
    taken = inspect.signature(find_citations).parameters
    return find_citations(
        text,
        **{name: value for name, value in given.items() if name in taken and value is not None},
    )


def _judge_pointers(case: Case, expected: dict[str, Any]) -> Judgement | None:
    """Return what is wrong with the marks; None where they are as expected or nothing is asked of them."""
    if not set(expected) & _POINTERS:
        return None
    found = pointers_of(case, case.text)
    labels = list(dict.fromkeys(citation.label for citation in found))
    known = _known(case)
    got = {"refs": labels, "dangling": [label for label in labels if label not in known]}
    wanted = {
        name: [str(one) for one in expected.get(name, ())]
        for name in ("refs", "dangling", "absent")
    }
    asked = [label for label in labels if label not in wanted["dangling"]]
    wrong = (
        ("refs" in expected and asked != wanted["refs"])
        or ("dangling" in expected and got["dangling"] != wanted["dangling"])
        or any(label in labels for label in wanted["absent"])
        or ("by_sentence" in expected and not _fits_sentences(case, expected["by_sentence"]))
        or (
            "text_without_marks" in expected
            and _plain(_without(case.text, found)) != _plain(expected["text_without_marks"])
        )
    )
    return Judgement(ok=False, got=got, error="wrong_value") if wrong else None


def _known(case: Case) -> set[str]:
    """Return every label, mark and address to which a citation may point."""
    evidence = case.evidence if isinstance(case.evidence, dict) else {}
    told = evidence_of(case) if holds_documents(evidence) else {}
    sources = evidence.get("sources")
    addresses = [str(address) for address in sources.values()] if isinstance(sources, dict) else []
    chunks = [chunk["label"] for chunk in told.get("retrieved", ())]
    return {
        *told.get("documents", {}),
        *told.get("numbering", {}),
        *chunks,
        *labels_of(evidence),
        *addresses,
    }


def _fits_sentences(case: Case, wanted: list[list[Any]]) -> bool:
    sentences = []
    for sentence in split_sentences(case.text):
        found = pointers_of(case, sentence.text)
        text = _plain(_without(sentence.text, found))
        sentences.append((text, [citation.label for citation in found]))
    return sentences == [
        (_plain(text), [str(label) for label in labels]) for text, labels in wanted
    ]


def _plain(text: object) -> str:
    return " ".join(str(text).split())


def _without(text: str, citations: tuple[Citation, ...], keep: str | None = None) -> str:
    """Return the text without its marks and the space before each, or without all but those of one label."""
    kept = {one.mark for one in citations if one.label == keep}
    for mark in sorted({one.mark for one in citations} - kept, reverse=True):
        start = mark.start - (text[mark.start - 1 : mark.start] == " ")
        text = text[:start] + text[mark.end :]
    return text


def _judge_verified(case: Case, expected: dict[str, Any], turn: Turn) -> Judgement | None:
    """Return the first part that is wrong of what verifying tells; None where all is as expected."""
    report = verify(case.text, turn)
    got = describe(report)
    judged = [*_verdicts(case, expected, report, got), *_verdicts_by_ref(case, expected, turn)]
    wrong = next((one for one in judged if not one.ok), None)
    if wrong is not None:
        return wrong
    problem = _misplaced(case, expected, report, turn)
    return (
        None if problem is None else Judgement(ok=False, got=[problem, *got], error="wrong_value")
    )


def _verdicts(
    case: Case, expected: dict[str, Any], report: GroundingReport, got: list[str]
) -> list[Judgement]:
    must_not = case.extra.get("must_not")
    judged = [
        judge_word(str(expected[name]), report.outcome, must_not, got)
        for name in ("verdict", "overall")
        if name in expected
    ]
    if "any_of" in expected:
        judged.append(
            judge_choice([str(word) for word in expected["any_of"]], report.outcome, must_not, got)
        )
    if "clean_pass" in expected:
        word = "supported" if expected["clean_pass"] else "not_supported"
        judged.append(judge_word(word, report.outcome, must_not, got))
    if "verdicts" in expected:
        judged += _verdicts_in_order(expected["verdicts"], report, got)
    for part in expected.get("claims", ()):
        judged.append(_judge_part(part, report, got))
    if "code" in expected:
        told = expected["code"] in {str(one.verdict.code) for one in report.judged}
        judged.append(Judgement(ok=told, got=got, error=None if told else "wrong_value"))
    return judged


def _judge_part(part: dict[str, Any], report: GroundingReport, got: list[str]) -> Judgement:
    at = report.answer.find(str(part["text"]))
    if at < 0 or set(part) - {"text", "verdict", "by"}:
        return Judgement(
            ok=False, got=f"a claim of an unknown shape: {part!r}", error="wrong_value"
        )
    found = claims_at(report, Span(at, at + len(str(part["text"]))))
    judged = judge_word(str(part["verdict"]), worst(found), None, got)
    by = part.get("by") or []
    wanted = {str(one) for one in (by if isinstance(by, list) else [by])}
    places = {place for one in found for place in places_of(one)}
    return (
        judged
        if not judged.ok or wanted <= places
        else replace(judged, ok=False, error="wrong_value")
    )


def _verdicts_in_order(
    words: list[str], report: GroundingReport, got: list[str]
) -> list[Judgement]:
    """Return the judgement of each claim in the answer's order; another number of claims is wrong."""
    claims = sorted(report.judged, key=lambda one: one.claim.span)
    if len(claims) != len(words):
        return [Judgement(ok=False, got=got, error="wrong_value")]
    return [
        judge_word(word, one.verdict.disposition, None, got)
        for word, one in zip(words, claims, strict=True)
    ]


def _verdicts_by_ref(case: Case, expected: dict[str, Any], turn: Turn) -> list[Judgement]:
    """Return the judgement of each reference: the answer with its mark alone."""
    judged = []
    for label, word in expected.get("verdict_per_ref", {}).items():
        text = _without(case.text, pointers_of(case, case.text), keep=str(label))
        report = verify(text, turn)
        judged.append(judge_word(str(word), report.outcome, None, describe(report)))
    return judged


def _misplaced(
    case: Case, expected: dict[str, Any], report: GroundingReport, turn: Turn
) -> str | None:
    """Return which place is not told as expected: where it is found, what the marks point to."""
    told = {place for one in report.judged for place in places_of(one)}
    missing = {str(label) for label in expected.get("found_in", ())} - told
    if missing:
        return f"not told to be found in {sorted(missing)}"
    targets = [find_cited_chunk(one.label, turn) for one in pointers_of(case, case.text)]
    first = targets[0] if targets else None
    if "target" in expected and (
        first is None or expected["target"] not in {first.source, first.label}
    ):
        return f"the target is {first and first.label}"
    if "target_index" in expected and (
        first is None or turn.retrieved.index(first) != int(expected["target_index"])
    ):
        return f"the target is {first and turn.retrieved.index(first)}"
    sources = [target and target.source for target in targets]
    if "docs" in expected and sources != expected["docs"]:
        return f"the documents are {sources}"
    return None
