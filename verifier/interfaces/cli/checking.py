"""What `verifier check` does: read the claims and their documents, check each, write chart and page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.core.cited_answers import CheckedSentence, check_each_sentence
from verifier.core.cited_claims import CheckedClaim, check_each_claim
from verifier.core.claim_file import read_claim_file, read_document_file
from verifier.core.verdicts import DISPOSITIONS, Disposition, VerdictCode
from verifier.errors import InputError, UnreadableDocument, VerifierError
from verifier.interfaces.cli.turns import STANDARD_INPUT, read_text_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verifier.core.claim_file import AnswerRow, ClaimFile, ClaimRow

BESIDE: Final = ("documents.csv", "documents.jsonl", "documents.json", "documents")
"""Where documents are looked for, beside a file of claims that holds none."""

Read = TypeVar("Read")
_TEXTS: Final = frozenset({".txt", ".md", ".markdown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """An answer of the file with what each of its sentences came to."""

    row: AnswerRow
    sentences: tuple[CheckedSentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutcome:
    """What checking a file came to; `documents` are those that its claims may cite.

    `read_from` are the files that all this was read from, `passed_over` those of a folder of documents that
    are no texts, `retrieval_unknown` the number of claims of which it is not told what was retrieved.
    """

    claims: tuple[CheckedClaim, ...]
    answers: tuple[CheckedAnswer, ...]
    documents: Mapping[str, str]
    read_from: tuple[Path, ...] = ()
    passed_over: tuple[str, ...] = ()
    retrieval_unknown: int = 0

    @property
    def counts(self) -> Mapping[VerdictCode, int]:
        """How many claims and sentences came to each code, in the order of the codes."""
        codes = [one.code for one in self.claims]
        codes += [one.code for answer in self.answers for one in answer.sentences]
        found = Counter(codes)
        return {code: found[code] for code in VerdictCode if found[code]}

    @property
    def queues(self) -> Mapping[Disposition, int]:
        """How many of them belong to each queue, the worst first."""
        found: Counter[Disposition] = Counter()
        for code, number in self.counts.items():
            found[DISPOSITIONS[code]] += number
        return {queue: found[queue] for queue in Disposition if found[queue]}


def check_file(name: str, documents: Path | None, tell: Callable[[str], None]) -> CheckOutcome:
    """Check the claims of a file, and tell how far that is.

    Raises InputError that names the file which can't be used.
    """
    tell(f"reading {name}")
    text = read_text_file(name)
    file = _naming(name, lambda: read_claim_file(text))
    place = _find_documents(name, file, documents) if file.claims else None
    if place is not None:
        tell(f"reading {place}")
    known = _read_documents(place) if place is not None else file.documents or {}
    return CheckOutcome(
        claims=_check_claims(file.claims, known, tell),
        answers=tuple(_check_answers(file.answers, tell)),
        documents=known,
        read_from=(Path(name), *(() if place is None else _list_files(place))),
        passed_over=() if place is None else _list_passed_over(place),
        retrieval_unknown=sum(row.retrieved is None for row in file.claims),
    )


def _check_claims(
    rows: Sequence[ClaimRow], documents: Mapping[str, str], tell: Callable[[str], None]
) -> tuple[CheckedClaim, ...]:
    checked: dict[int, CheckedClaim] = {}
    for at, one in check_each_claim([(row.claim, row.retrieved) for row in rows], documents):
        checked[at] = one
        tell(f"{len(checked):,} of {len(rows):,} claims")
    return tuple(checked[at] for at in range(len(rows)))


def _check_answers(
    rows: Sequence[AnswerRow], tell: Callable[[str], None]
) -> Iterator[CheckedAnswer]:
    for number, row in enumerate(rows, 1):
        sentences = []
        for one in check_each_sentence(row.answer, row.sources, row.question, row.level):
            sentences.append(one)
            tell(f"answer {number:,} of {len(rows):,}, {len(sentences):,} sentences")
        yield CheckedAnswer(row=row, sentences=tuple(sentences))


def outcome_to_json(outcome: CheckOutcome) -> dict[str, object]:
    """Return the outcome as it is printed with --json."""
    return {
        "claims": [_claim_to_json(one) for one in outcome.claims],
        "answers": [
            {
                "id": answer.row.answer_id,
                "level": answer.row.level.value,
                "sentences": [
                    {
                        "span": one.span,
                        "text": one.text,
                        "code": one.code,
                        "disposition": one.disposition,
                        "detail": one.detail,
                        "cited": one.cited,
                        "values": one.values,
                        "evidence": one.evidence,
                    }
                    for one in answer.sentences
                ],
            }
            for answer in outcome.answers
        ],
        "counts": outcome.counts,
        "queues": outcome.queues,
        "passed_over": outcome.passed_over,
    }


def _claim_to_json(checked: CheckedClaim) -> dict[str, object]:
    return {
        "claim_id": checked.claim.claim_id,
        "claim_text": checked.claim.text,
        "cited": checked.claim.cited,
        "code": checked.code,
        "disposition": checked.disposition,
        "reason": checked.reason,
        "signatures": checked.signatures,
        "missing": checked.missing,
        "evidence": checked.evidence,
        "each": dict(checked.each),
        "found_in": checked.found_in,
    }


def describe_texts() -> str:
    """Return the suffixes of the texts that are read of a folder, in words."""
    return ", ".join(sorted(_TEXTS))


def _find_documents(name: str, file: ClaimFile, named: Path | None) -> Path | None:
    """Return where the documents are: what was named, else beside the file; None where it holds them."""
    if named is not None or file.documents is not None:
        return named
    folder = Path() if name == STANDARD_INPUT else Path(name).parent
    beside = next((folder / one for one in BESIDE if (folder / one).exists()), None)
    if beside is None:
        tried = ", ".join(BESIDE)
        raise InputError(f"{name}: no documents beside it ({tried}); name them with --documents")
    return beside


def _read_documents(place: Path) -> Mapping[str, str]:
    if not place.is_dir():
        text = read_text_file(str(place))
        return _naming(str(place), lambda: read_document_file(text))
    paths = _list_files(place)
    if not paths:
        raise InputError(f"{place}: no text file in it ({describe_texts()})")
    return _read_texts(paths)


def _list_files(place: Path) -> tuple[Path, ...]:
    if not place.is_dir():
        return (place,)
    return tuple(sorted(one for one in place.iterdir() if one.suffix.lower() in _TEXTS))


def _list_passed_over(place: Path) -> tuple[str, ...]:
    if not place.is_dir():
        return ()
    read = {*_list_files(place)}
    others = (one for one in place.iterdir() if one not in read and not one.name.startswith("."))
    return tuple(sorted(one.name for one in others))


def _read_texts(paths: Sequence[Path]) -> Mapping[str, str]:
    documents: dict[str, str] = {}
    for path in paths:
        if path.stem in documents:
            raise InputError(f"{path}: another file gives the document {path.stem!r} as well")
        text = read_text_file(str(path))
        if not text.strip():
            raise UnreadableDocument(f"{path}: the document has no text")
        documents[path.stem] = text
    return documents


def _naming(name: str, read: Callable[[], Read]) -> Read:
    try:
        return read()
    except VerifierError as error:
        raise type(error)(f"{name}: {error}") from None
