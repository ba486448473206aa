"""A quotation as evidence: whether its source is permitted, holds it, is fresh and undisputed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from verifier.core.narrow_results import CitedSpan
from verifier.core.quotations import Fate
from verifier.core.quoted_statement import locate_in
from verifier.core.spans import Span
from verifier.core.text import clean_text
from verifier.core.verdicts import DISPOSITIONS, Disposition, VerdictCode
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection

_PASSED: Final = VerdictCode.NEEDS_ENTAILMENT_REVIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedSource:
    """A source with the moment until which it counts as reviewed; None demands no review."""

    source_id: str
    text: str
    review_until: datetime | None = None

    def __post_init__(self) -> None:
        if self.review_until is not None and self.review_until.tzinfo is None:
            raise InputError(f"review_until of {self.source_id!r} has no time zone; give an offset")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReview:
    """What the review came to; `quotation` is where the quoted words stand in the source."""

    code: VerdictCode
    detail: str
    quotation: CitedSpan | None = None

    @property
    def disposition(self) -> Disposition:
        """The queue that the code belongs to."""
        return DISPOSITIONS[self.code]

    @property
    def outcome(self) -> str:
        """`reject` or `review` with a `reason`; `needs_entailment_review` where every check passed."""
        if self.code is _PASSED:
            return self.code.value
        return "reject" if self.disposition is Disposition.REJECTED else "review"

    @property
    def reason(self) -> str | None:
        """The code of the check that did not pass; None where all did."""
        return None if self.code is _PASSED else self.code.value


def review_evidence(
    claim: Mapping[str, object],
    sources: Mapping[str, object] | Sequence[Mapping[str, object] | ReviewedSource],
    allowed: Collection[str],
    now: datetime | str,
) -> EvidenceReview:
    """Return the first check that a quoted piece of evidence fails, in a fixed order; never an acceptance.

    The order: the source is known and `allowed` (`unapproved_source`), holds the quotation
    (`quote_not_found`), was to be reviewed at `now` or later (`stale_review`), and is not on record as
    disputed (`source_conflict`). What passes is left as `needs_entailment_review`. `claim` has
    `source_id`, `quote`, and `conflicting_source_ids` where there are any; `sources` are objects with
    `id`, `text`, `review_until`, or the two last by id. A quotation that is not text, or blank, is not
    found. Raises InputError for a clock or a date of review without time zone, and for two sources of
    one id.

    What it can't see: whether the quotation bears the statement out, which is for a person (hence no
    acceptance); conflicts that nobody recorded; whether the date of review says anything of the
    publication's age; and newer versions of the source.
    """
    if isinstance(allowed, str):
        raise InputError("allowed is a collection of source ids, not one text")
    moment = _read_moment(now, "the clock now")
    known = _read_sources(sources)
    source_id = claim.get("source_id")
    if not isinstance(source_id, str) or source_id not in allowed or source_id not in known:
        detail = f"{source_id!r} is no source that this task may use"
        return EvidenceReview(code=VerdictCode.UNAPPROVED_SOURCE, detail=detail)
    source = known[source_id]
    quotation = _find_quotation(claim.get("quote"), source)
    if quotation is None:
        detail = f"these words do not stand in {source_id}"
        return EvidenceReview(code=VerdictCode.QUOTE_NOT_FOUND, detail=detail)
    code, detail = _find_fault(claim, source, moment)
    return EvidenceReview(code=code, detail=detail, quotation=quotation)


def _find_fault(
    claim: Mapping[str, object], source: ReviewedSource, now: datetime
) -> tuple[VerdictCode, str]:
    if source.review_until is not None and now > source.review_until:
        until = source.review_until.isoformat()
        return VerdictCode.STALE_REVIEW, f"{source.source_id} was to be reviewed by {until}"
    conflicts = claim.get("conflicting_source_ids") or ()
    if isinstance(conflicts, str) or not isinstance(conflicts, Sequence):
        raise InputError("conflicting_source_ids is a list of source ids")
    if conflicts:
        named = ", ".join(str(one) for one in conflicts)
        return VerdictCode.SOURCE_CONFLICT, f"on record as disputed by {named}"
    return _PASSED, "every mechanical check passed; whether it bears the claim out is for a person"


def _read_sources(
    sources: Mapping[str, object] | Sequence[Mapping[str, object] | ReviewedSource],
) -> dict[str, ReviewedSource]:
    if isinstance(sources, Mapping):
        return {key: _read_source(one, key) for key, one in sources.items()}
    found: dict[str, ReviewedSource] = {}
    for one in sources:
        source = _read_source(one, None)
        if source.source_id in found:
            raise InputError(f"two sources have the id {source.source_id!r}; ids must differ")
        found[source.source_id] = source
    return found


def _read_source(given: object, key: str | None) -> ReviewedSource:
    if isinstance(given, ReviewedSource):
        return given
    if not isinstance(given, Mapping):
        raise InputError("a source is an object with id, text and review_until")
    source_id, text = given.get("id", key), given.get("text")
    if not isinstance(source_id, str) or not isinstance(text, str):
        raise InputError("a source needs its id and its text, both as text")
    until = given.get("review_until")
    moment = None if until is None else _read_moment(until, f"review_until of {source_id!r}")
    return ReviewedSource(source_id=source_id, text=text, review_until=moment)


def _read_moment(given: object, name: str) -> datetime:
    moment = given
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given)
        except ValueError:
            raise InputError(f"{name} is no ISO 8601 moment: {given!r}") from None
    if not isinstance(moment, datetime):
        raise InputError(f"{name} must be a moment with time zone")
    if moment.tzinfo is None:
        raise InputError(f"{name} has no time zone; give an offset, such as +00:00")
    return moment


def _find_quotation(quote: object, source: ReviewedSource) -> CitedSpan | None:
    if not isinstance(quote, str) or not quote.strip():
        return None
    text = clean_text(source.text)
    location, found = locate_in(clean_text(quote), source.source_id, text)
    if location.fate in {Fate.ABSENT, Fate.ALTERED} or not found:
        return None
    span = Span(found[0].span.start, found[-1].span.end)
    return CitedSpan(document=source.source_id, span=span, text=span.of(text))
