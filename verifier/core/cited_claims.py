"""One claim against the documents that it cites: a narrow check that needs nothing but text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.citations import drop_pointers, find_citations
from verifier.core.cited_statement import read_statement
from verifier.core.document_set import DocumentSet
from verifier.core.signatures import write_signature
from verifier.core.statements import ReadingTerms
from verifier.core.text import clean_text
from verifier.core.values import Kind, Quantity
from verifier.core.verdicts import DISPOSITIONS, Disposition, VerdictCode
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from verifier.core.narrow_results import CitedSpan, NarrowResult
    from verifier.core.quantities import ValueMention

NO_QUANTITY: Final = "no supported number-unit or date pair was found"
_CACHED_CLAUSES: Final = 256  # several claims rest on one clause of the document that they cite
_BARE: Final = frozenset({Kind.NUMBER, Kind.ORDINAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClaim:
    """A claim with the ids of the documents that it cites; several support it together."""

    text: str
    cited: tuple[str, ...] = ()
    claim_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """What the check came to.

    `signatures` are the claim's values in one form (`time_seconds=60`), `missing` those of them that the
    cited text lacks, `each` what every cited document comes to by itself, `found_in` the documents that
    are not cited and support the claim.
    """

    claim: CitedClaim
    code: VerdictCode
    reason: str
    signatures: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    evidence: tuple[CitedSpan, ...] = ()
    each: tuple[tuple[str, VerdictCode], ...] = ()
    found_in: tuple[str, ...] = ()

    @property
    def disposition(self) -> Disposition:
        """The queue that the code belongs to."""
        return DISPOSITIONS[self.code]


def check_cited_claim(
    claim: CitedClaim | Mapping[str, object] | str,
    documents: Mapping[str, str],
    retrieved: Collection[str] | str | None = None,
    *,
    locale: str | None = None,
    default_currency: str | None = None,
) -> CheckedClaim:
    """Return whether the documents that a claim cites hold its quantities, by gates in a fixed order.

    The gates: a missing citation, one of no known document, one that was not retrieved; then the values,
    `unsupported_quantity` where one is absent; then `needs_review_no_quantity` where there is none. A
    text cites by its marks (`[doc]`), a mapping is read by the names of a claim file (`claim_id`,
    `claim_text`, `cited_doc_id`, `retrieved_doc_ids`; or `id`, `claim`, `cited`, `retrieved`). `retrieved` of
    None, where the claim names none either, takes every document as retrieved. Ids in one text are parted
    by a vertical bar. Raises InputError for a claim that is not text.

    What it can't see: whether the sentence is true. A value counts where the cited clause shares all but
    one of the claim's content words, so one word ("mains" for "battery") may be another; a bare number, a
    name and a claim without a value are never compared, and only a claim that restates the text is
    `supported` without one. It knows no versions, permissions or dates of review, and nothing of what
    other documents say against it.
    """
    if isinstance(claim, str):
        claim = _read_marks(claim, documents)
    if isinstance(claim, Mapping):
        retrieved = read_retrieved(claim) if retrieved is None else retrieved
        claim = read_cited_claim(claim)
    given = None if retrieved is None else _read_ids(retrieved)
    terms = ReadingTerms(locale=locale, default_currency=default_currency)
    return _check(claim, DocumentSet(documents, terms), given)


def check_each_claim(
    claims: Sequence[tuple[CitedClaim, Collection[str] | None]], documents: Mapping[str, str]
) -> Iterator[tuple[int, CheckedClaim]]:
    """Yield what each claim comes to, with its place; it is given with what was retrieved for it.

    As `check_cited_claim`, for many claims: those that cite the same document come one after another, so
    that it is read once, and documents that a claim does not cite are looked through by their words.
    """
    known = DocumentSet(documents, ReadingTerms())
    known.index()
    for at in sorted(range(len(claims)), key=lambda at: claims[at][0].cited):
        claim, given = claims[at]
        yield at, _check(claim, known, None if given is None else frozenset(given))


def _read_marks(text: str, documents: Mapping[str, str]) -> CitedClaim:
    """Return the claim of a text that cites by marks; of a mark that may mean several, all are cited."""
    citations = find_citations(text, labels=documents)
    cited = dict.fromkeys(label for one in citations for label in one.readings or (one.label,))
    return CitedClaim(text=drop_pointers(text, citations).strip(), cited=tuple(cited))


def count_codes(checked: Iterable[CheckedClaim]) -> Mapping[str, int]:
    """Return how many claims came to each code, the most frequent first."""
    return dict(Counter(one.code.value for one in checked).most_common())


def read_cited_claim(fields: Mapping[str, object]) -> CitedClaim:
    """Return the claim of a mapping, by the names of a claim file. Raises InputError without its text."""
    text = _first(fields, ("claim_text", "claim", "text"))
    if not isinstance(text, str) or not text.strip():
        raise InputError("a claim needs its text, under claim_text")
    claim_id = _first(fields, ("claim_id", "id"))
    cited = _read_ids(_first(fields, ("cited_doc_id", "cited", "source_id")))
    return CitedClaim(text=text, cited=cited, claim_id="" if claim_id is None else str(claim_id))


def read_retrieved(fields: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the ids that a mapping names as retrieved; None where it has no such field."""
    named = _first(fields, ("retrieved_doc_ids", "retrieved"))
    return None if named is None else _read_ids(named)


@lru_cache(maxsize=_CACHED_CLAUSES)
def _list_signatures(text: str, terms: ReadingTerms) -> tuple[str, ...]:
    values = (one.value for part in read_statement(text, terms) for one in part.values)
    return tuple(dict.fromkeys(write_signature(value) for value in values))


def _first(fields: Mapping[str, object], names: Sequence[str]) -> object:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _read_ids(written: object) -> tuple[str, ...]:
    """Return ids that come as a list, or in one text with bars between; an empty text names none."""
    if written is None:
        return ()
    if isinstance(written, str):
        parts = [part.strip() for part in written.split("|")]
        return tuple(dict.fromkeys(part for part in parts if part))
    listed = written if isinstance(written, list | tuple | set | frozenset) else (written,)
    if not all(isinstance(one, str | int | Decimal) and one is not True for one in listed):
        raise InputError("ids of documents are a list of texts, or one text with | between them")
    return tuple(dict.fromkeys(str(one) for one in listed))


def _check(claim: CitedClaim, known: DocumentSet, given: Collection[str] | None) -> CheckedClaim:
    """Return what the documents that a claim cites say of it; `given` of None takes all as retrieved."""
    text = clean_text(claim.text)
    values = [one for part in read_statement(text, known.terms) for one in part.values]
    signatures = tuple(dict.fromkeys(write_signature(one.value) for one in values))
    stopped = _find_gate(claim, known.documents, given)
    if stopped is not None:
        code, reason = stopped
        return CheckedClaim(claim=claim, code=code, reason=reason, signatures=signatures)
    found = known.judge(text, claim.cited)
    code = _code_of(found, values)
    missing = tuple(dict.fromkeys(write_signature(one.value) for one in found.values))
    each = () if len(claim.cited) < 2 else claim.cited
    return CheckedClaim(
        claim=claim,
        code=code,
        reason=_write_reason(code, found, signatures, known.terms),
        signatures=signatures,
        missing=missing if code is VerdictCode.UNSUPPORTED_QUANTITY else (),
        evidence=found.evidence,
        each=tuple((name, known.judge(text, (name,)).code) for name in each),
        found_in=_find_elsewhere(text, code, claim, known),
    )


def _find_gate(
    claim: CitedClaim, documents: Mapping[str, str], given: Collection[str] | None
) -> tuple[VerdictCode, str] | None:
    if not claim.cited:
        return VerdictCode.MISSING_CITATION, "the claim cites no document"
    unknown = [one for one in claim.cited if one not in documents]
    if unknown:
        return VerdictCode.UNKNOWN_CITATION, f"no such document: {', '.join(unknown)}"
    foreign = [] if given is None else [one for one in claim.cited if one not in given]
    if foreign:
        return VerdictCode.CITATION_NOT_RETRIEVED, f"not among the retrieved: {', '.join(foreign)}"
    return None


def _code_of(found: NarrowResult, values: Sequence[ValueMention]) -> VerdictCode:
    """Return the code; a claim with bare numbers alone is not compared, as one with none is not."""
    bare = all(isinstance(one.value, Quantity) and one.value.kind in _BARE for one in values)
    open_codes = {VerdictCode.UNSUPPORTED_QUANTITY, VerdictCode.NEEDS_ENTAILMENT_REVIEW}
    if bare and found.code in open_codes:
        return VerdictCode.NEEDS_REVIEW_NO_QUANTITY
    return found.code


def _find_elsewhere(
    text: str, code: VerdictCode, claim: CitedClaim, known: DocumentSet
) -> tuple[str, ...]:
    """Return which other documents support what the cited ones do not, of the likely ones."""
    if DISPOSITIONS[code] is Disposition.ACCEPTED:
        return ()
    return tuple(
        name
        for name in known.find_likely(text, claim.cited)
        if known.judge(text, (name,)).code is VerdictCode.SUPPORTED
    )


def _write_reason(
    code: VerdictCode,
    found: NarrowResult,
    signatures: Sequence[str],
    terms: ReadingTerms,
) -> str:
    if code is VerdictCode.SUPPORTED and signatures:
        held = {one for each in found.evidence for one in _list_signatures(each.text, terms)}
        inferred = "" if held.issuperset(signatures) else f"; inferred: {found.detail}"
        return f"matched cited evidence: {', '.join(signatures)}{inferred}"
    if code is VerdictCode.NEEDS_REVIEW_NO_QUANTITY:
        return _write_nothing_compared(found, signatures)
    if code is VerdictCode.UNSUPPORTED_QUANTITY:
        told = [_write_missing(one) for one in found.values]
        return f"not in cited evidence: {', '.join(dict.fromkeys(told))}"
    return found.detail


def _write_nothing_compared(found: NarrowResult, signatures: Sequence[str]) -> str:
    """Return why nothing was compared: bare numbers, a quotation that is in doubt, or no value at all."""
    if found.code is VerdictCode.UNSUPPORTED_QUANTITY:
        told = ", ".join(dict.fromkeys(_write_missing(one) for one in found.values))
        return f"a number without a unit is not judged; not in cited evidence: {told}"
    if found.code is VerdictCode.NEEDS_REVIEW_NO_QUANTITY and not signatures:
        return NO_QUANTITY
    return found.detail


def _write_missing(mention: ValueMention) -> str:
    fault = getattr(mention.value, "fault", None)
    note = f" ({fault.replace('_', ' ')})" if fault else ""
    return f"{write_signature(mention.value)}{note}"
