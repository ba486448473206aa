"""What is asked of an ingest, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from verifier.core.moments import check_reach
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from verifier.core.documents import Document


class Actor(StrEnum):
    """Who ingests. An operator's ingest approves the source, another's waits for approval."""

    OPERATOR = "operator"
    AGENT = "agent"
    CALLER = "caller"


class Outcome(StrEnum):
    """What became of one document.

    `pending` is written but not searchable: the source, or this version of it, waits for approval or for
    the time from which on it holds.
    `withdrawn` held rows beyond those that its file still has.
    `relabelled` has the old text with other labels, review or permission, and needed no embedding.
    """

    NEW = "new"
    UNCHANGED = "unchanged"
    RELABELLED = "relabelled"
    PENDING = "pending"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"


class IngestTerms(TypedDict, total=False):
    """The conditions of `IngestRequest` that may hold for many documents at once."""

    actor: Actor
    by: str | None
    metadata: Mapping[str, object] | None
    valid_from: datetime | None
    review_until: datetime | None
    verified_by: str | None
    expected_current_version: int | None
    allow_erased: bool
    authority: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """A document and the conditions of its ingest.

    `metadata`, `authority`, title and URL of None leave what stands. `valid_from` of None holds from the
    moment of publishing. `expected_current_version` is the seq that must be current when this is published, 0
    for none; where another is, the document fails. `by` names who ingests, `verified_by` who read the
    text; `review_until` is the last moment at which that reading counts. `allow_erased` lifts what forbids
    a text that was erased, if an operator ingests; that is recorded. `language` is put into the metadata of
    a source that names none.
    """

    document: Document
    actor: Actor = Actor.OPERATOR
    by: str | None = None
    metadata: Mapping[str, object] | None = None
    valid_from: datetime | None = None
    review_until: datetime | None = None
    verified_by: str | None = None
    expected_current_version: int | None = None
    allow_erased: bool = False
    authority: int | None = None
    language: str | None = None

    def __post_init__(self) -> None:
        key = self.document.key
        _check_stated(f"valid_from of {key!r}", self.valid_from)
        _check_stated(f"review_until of {key!r}", self.review_until)


def check_terms(terms: IngestTerms) -> None:
    """Raise InputError where moments of the terms can't be stored: it is told once, not of each document."""
    _check_stated("valid_from", terms.get("valid_from"))
    _check_stated("review_until", terms.get("review_until"))


def _check_stated(name: str, moment: object) -> None:
    if moment is None:
        return
    if not isinstance(moment, datetime):
        raise InputError(f"{name} is a {type(moment).__name__}; give a datetime with an offset")
    if moment.tzinfo is None:
        raise InputError(f"{name} has no time zone; give an offset, such as +00:00")
    check_reach(name, moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsEnd:
    """Tells that the sources kept of rows under `key` end here: those that begin beyond `rows` are withdrawn.

    `by` names who ingests.
    """

    key: str
    rows: int
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOutcome:
    """What became of one document. `seq` is its version, None where none was recorded.

    `embedded` counts the inputs that the model was run on for it, `reused` the chunks that needed none.
    `error_type` is the class of the error that made it fail, as `verifier.errors` names it.
    """

    key: str
    outcome: Outcome
    seq: int | None = None
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    error: str | None = None
    error_type: str | None = None


Incoming: TypeAlias = IngestRequest | IngestOutcome | PartsEnd
"""What a run of an ingest takes: documents, what became of those that can't be read, and ends of rows."""


def in_language(requests: Iterable[Incoming], language: str | None) -> Iterable[Incoming]:
    """Return the requests, a sequence as a sequence, as of sources in `language` where metadata name none."""
    if language is None:
        return requests
    told = (
        replace(request, language=language) if isinstance(request, IngestRequest) else request
        for request in requests
    )
    return tuple(told) if isinstance(requests, Sequence) else told


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSummary:
    """The outcomes of one run, in the order of the requests.

    `passed_over` are files of a folder whose suffix tells no format, by their path below it.
    """

    outcomes: tuple[IngestOutcome, ...]
    passed_over: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """How many documents had each outcome."""
        found = Counter(outcome.outcome for outcome in self.outcomes)
        return {outcome: found[outcome] for outcome in Outcome}

    @property
    def embedded(self) -> int:
        """How many inputs the model was run on."""
        return sum(outcome.embedded for outcome in self.outcomes)

    @property
    def reused(self) -> int:
        """How many chunks needed no new embedding."""
        return sum(outcome.reused for outcome in self.outcomes)

    @property
    def reused_share(self) -> float | None:
        """Chunks without a new embedding / all chunks written, in [0, 1]; None where none were."""
        written = self.embedded + self.reused
        return self.reused / written if written else None

    @property
    def failed(self) -> tuple[IngestOutcome, ...]:
        """The documents that could not be ingested."""
        return tuple(outcome for outcome in self.outcomes if outcome.outcome is Outcome.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is. `documents` of `total` are done; `total` is None where it isn't known.

    `embedded` of `to_embed` inputs of the documents at hand have their vectors.
    """

    documents: int
    total: int | None
    embedded: int
    to_embed: int
