"""Claims that are left for review, logged on spans of stored versions, and the queue they make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.logged_answers import report
from tests.integration.store_reading import TENANT
from verifier.core.citations import Citation
from verifier.core.claims import Claim, ClaimForm, ClaimId
from verifier.core.documents import hash_text
from verifier.core.evidence import Evidence, SpanLocator
from verifier.core.report import JudgedClaim
from verifier.core.report_json import report_to_json
from verifier.core.spans import Span
from verifier.core.turn_json import turn_to_json
from verifier.core.turns import Turn
from verifier.core.verdicts import Finding, Tier, Verdict, VerdictCode
from verifier.service import Verifier
from verifier.settings import load_settings
from verifier.store.answers import add_report
from verifier.store.pool import tenant_transaction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.integration.conftest import Database
    from verifier.core.evidence import Locator
    from verifier.core.report import GroundingReport
    from verifier.store.pool import Pool

LEFT = VerdictCode.NEEDS_ENTAILMENT_REVIEW


def verifier_on(
    database: Database, tenant: str = TENANT, catalog: Mapping[str, object] | None = None
) -> Verifier:
    settings = load_settings(
        dsn=SecretStr(database.app_dsn),
        tenant=tenant,
        catalog=dict(catalog or {}),
        databases={"default": {"dsn": database.reader_dsn}},
    )
    return Verifier(settings, embedder=HashingEmbedder())


def cite(source: str, seq: int, text: str, words: str) -> SpanLocator:
    """The place of words in the text of a version."""
    start = text.index(words)
    return SpanLocator(
        source=source,
        seq=seq,
        ordinal=0,
        span=Span(start, start + len(words)),
        text_hash=hash_text(words),
    )


def asking(
    number: int,
    text: str,
    *locators: Locator,
    at: int = 0,
    code: VerdictCode = LEFT,
    mark: str = "",
    **fields: Any,
) -> JudgedClaim:
    """A claim that stands at `at` in its answer, left for review on these places."""
    claim_id = ClaimId(f"c{number}")
    span = Span(at, at + len(text))
    pointed = Span(text.find(mark), text.find(mark) + len(mark)).shift(at)
    citations = (Citation(label="1", span=pointed, mark=pointed),) if mark else ()
    finding = Finding(
        claim=claim_id,
        tier=Tier.DOCUMENT,
        code=code,
        detail="whether it says so is for a person",
        evidence=tuple(Evidence(locator=one, text="what stands there") for one in locators),
    )
    claim = Claim(
        claim_id=claim_id,
        form=ClaimForm.PROSE,
        span=span,
        text=text,
        sentence=span,
        citations=citations,
        **fields,
    )
    return JudgedClaim(
        claim=claim, verdict=Verdict(claim=claim_id, decided_by=finding, findings=(finding,))
    )


def answering(
    report_id: str, *claims: JudgedClaim, answer: str | None = None, turn: Turn | None = None
) -> GroundingReport:
    """A report on these claims, whose answer is theirs."""
    made = report(report_id, *claims, answer=answer or " ".join(one.claim.text for one in claims))
    return replace(made, turn=turn or Turn(question="How is it?"))


async def log(pool: Pool, *reports: GroundingReport, tenant: str = TENANT) -> None:
    for one in reports:
        async with tenant_transaction(pool, tenant) as conn:
            await add_report(
                conn, one, report_json=report_to_json(one), turn_json=turn_to_json(one.turn)
            )
