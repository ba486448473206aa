"""The review queue of one tenant: what waits for a person, who decided what, and how far reviewers agree."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypedDict

from verifier.core.reviews import Decision, ReviewOrder, ReviewState
from verifier.core.verdicts import DISPOSITIONS, Disposition, VerdictCode
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import TypeVar, Unpack

    from verifier.audit.agreement import Agreement
    from verifier.audit.review_rows import RowCheck
    from verifier.audit.reviewing import ReviewDetail
    from verifier.connections import Connections
    from verifier.store.pool import Connection, Pool
    from verifier.store.review_listing import ReviewEntry
    from verifier.store.reviews import RecordedDecision
    from verifier.verbs import RunVerb
    from verifier.verify.verifier import Backing

    _Choice = TypeVar("_Choice", Decision, ReviewState, ReviewOrder, VerdictCode)

MOST_LISTED: Final = 10_000
REVIEW_CODES: Final = tuple(
    code for code in VerdictCode if DISPOSITIONS[code] is Disposition.REVIEW
)


class ListingTerms(TypedDict, total=False):
    """Which entries are listed, in which order, and how many.

    A `state` of None means every one; where it is left out, the open ones are. `source` is the key of one
    that the evidence stands in, `reviewer` somebody who decided, `assigned_to` who is to look at it,
    `disputed` tells that reviewers disagree.
    """

    state: ReviewState | str | None
    code: VerdictCode | str | None
    source: str | None
    reviewer: str | None
    assigned_to: str | None
    disputed: bool
    order: ReviewOrder | str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewList:
    """Entries of the queue in their order; `more` tells that there are further ones."""

    entries: tuple[ReviewEntry, ...]
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRefresh:
    """What a look at all evidence came to: entries that expired, and what reading the rows came to."""

    expired: int
    rows: RowCheck


class Reviews:
    """Reads the review queue of one tenant and takes decisions. `Verifier.reviews` is one.

    Whatever is asked, entries whose cited text changed expire first; of canonical rows those of the entry
    that is shown or decided are read, and those of all by `refresh`.
    """

    def __init__(
        self, connections: Connections, tenant: str, *, back: Callable[[], Backing]
    ) -> None:
        self._connections = connections
        self._tenant = tenant
        self._back = back

    async def list(self, **terms: Unpack[ListingTerms]) -> ReviewList:
        """Return entries of the queue, those first on which most answers rest, of these the oldest first.

        Raises InputError for a state, code or order that there is not, and for a limit outside 1 to 10,000.
        """
        from verifier.store.review_listing import ReviewFilter, list_reviews

        state, code = terms.get("state", ReviewState.OPEN), terms.get("code")
        limit = terms.get("limit", 50)
        if not 1 <= limit <= MOST_LISTED:
            raise InputError(f"limit is {limit}; give 1 to {MOST_LISTED:,}")
        chosen = ReviewFilter(
            state=None if state is None else _choose(state, ReviewState, tuple(ReviewState)),
            code=None if code is None else _choose(code, VerdictCode, REVIEW_CODES),
            source=terms.get("source"),
            reviewer=terms.get("reviewer"),
            assigned_to=terms.get("assigned_to"),
            disputed=terms.get("disputed", False),
        )
        by = _choose(terms.get("order", ReviewOrder.ANSWERS), ReviewOrder, tuple(ReviewOrder))
        async with self._reading(await self._settled()) as conn:
            found = await list_reviews(conn, chosen, by, limit=limit + 1)
        return ReviewList(entries=found[:limit], more=len(found) > limit)

    async def show(self, review_id: int) -> ReviewDetail:
        """Return an entry, its evidence, what stands there now, and its decisions. Raises UnknownThing."""
        from verifier.audit.reviewing import show_review

        pool = await self._settled(review_id)
        async with self._reading(pool) as conn:
            return await show_review(conn, review_id)

    async def decide(
        self, review_id: int, decision: Decision | str, *, by: str, reason: str
    ) -> RecordedDecision:
        """Record a decision beside those of others; an earlier one of the same reviewer is kept, superseded.

        Raises UnknownThing for another entry, InputError for one that expired, or without name or reason.
        """
        from verifier.store.pool import tenant_transaction
        from verifier.store.reviews import add_decision, read_name, read_reason

        chosen = _choose(decision, Decision, tuple(Decision))
        read_name(by)
        read_reason(reason)
        pool = await self._settled(review_id)
        async with tenant_transaction(pool, self._tenant) as conn:
            return await add_decision(conn, review_id, chosen, by=by, reason=reason)

    async def assign(
        self, review_id: int, *, to: str, by: str, instead_of: str | None = None
    ) -> ReviewEntry:
        """Give an entry to a person; from another only where `instead_of` names that one.

        Decisions stay as they are. Raises UnknownThing; InputError where somebody else has it by now, or
        where it expired.
        """
        from verifier.store.pool import tenant_transaction
        from verifier.store.review_assignment import assign_review

        pool = await self._settled(review_id)
        async with tenant_transaction(pool, self._tenant) as conn:
            return await assign_review(conn, review_id, to=to, by=by, instead_of=instead_of)

    async def reopen(self, review_id: int, *, by: str, reason: str) -> int:
        """Open a decided or expired entry again, and return the number of its new round.

        Raises UnknownThing for another entry, InputError where it is open or its evidence was erased.
        """
        from verifier.store.pool import tenant_transaction
        from verifier.store.reviews import reopen_review

        pool = await self._settled()
        async with tenant_transaction(pool, self._tenant) as conn:
            return await reopen_review(conn, review_id, by=by, reason=reason)

    async def agreement(self) -> Agreement:
        """Return how far reviewers agree, with Cohen's kappa of every two; None where it is not defined."""
        from verifier.audit.agreement import measure_agreement

        async with self._reading(await self._connections.store()) as conn:
            return await measure_agreement(conn)

    async def refresh(self, on_progress: Callable[[int], None] | None = None) -> ReviewRefresh:
        """Look at the evidence of every entry, also at canonical rows, and let expire what has changed."""
        from verifier.audit.review_rows import expire_changed_rows
        from verifier.audit.reviewing import expire_reviews

        pool = await self._connections.store()
        expired = await expire_reviews(pool, self._tenant, on_progress)
        rows = await expire_changed_rows(pool, self._tenant, self._back(), on_progress)
        return ReviewRefresh(expired=expired + rows.expired, rows=rows)

    async def _settled(self, review_id: int | None = None) -> Pool:
        """Let expire what has changed, and return the pool to ask of the rest."""
        from verifier.audit.review_rows import expire_changed_row
        from verifier.audit.reviewing import expire_reviews
        from verifier.store.reviews import check_id

        if review_id is not None:
            check_id(review_id)
        pool = await self._connections.store()
        await expire_reviews(pool, self._tenant)
        if review_id is not None:
            await expire_changed_row(pool, self._tenant, review_id, self._back())
        return pool

    @asynccontextmanager
    async def _reading(self, pool: Pool) -> AsyncIterator[Connection]:
        from verifier.store.pool import tenant_transaction

        async with tenant_transaction(pool, self._tenant, read_only=True) as conn:
            yield conn


class BlockingReviews:
    """`verifier.reviews.Reviews`, verb by verb."""

    def __init__(self, reviews: Reviews, run: RunVerb) -> None:
        self._reviews = reviews
        self._run = run

    def list(self, **conditions: Unpack[ListingTerms]) -> ReviewList:
        """Return entries of the queue, as `Reviews.list`."""
        return self._run(self._reviews.list(**conditions))

    def show(self, review_id: int) -> ReviewDetail:
        """Return all that is known of an entry, as `Reviews.show`."""
        return self._run(self._reviews.show(review_id))

    def decide(
        self, review_id: int, decision: Decision | str, *, by: str, reason: str
    ) -> RecordedDecision:
        """Record a decision, as `Reviews.decide`."""
        return self._run(self._reviews.decide(review_id, decision, by=by, reason=reason))

    def assign(
        self, review_id: int, *, to: str, by: str, instead_of: str | None = None
    ) -> ReviewEntry:
        """Give an entry to a person, as `Reviews.assign`."""
        return self._run(self._reviews.assign(review_id, to=to, by=by, instead_of=instead_of))

    def reopen(self, review_id: int, *, by: str, reason: str) -> int:
        """Open an entry again, as `Reviews.reopen`."""
        return self._run(self._reviews.reopen(review_id, by=by, reason=reason))

    def agreement(self) -> Agreement:
        """Return how far reviewers agree, as `Reviews.agreement`."""
        return self._run(self._reviews.agreement())

    def refresh(self) -> ReviewRefresh:
        """Look at all evidence, as `Reviews.refresh`."""
        return self._run(self._reviews.refresh())


def _choose(given: str, choices: type[_Choice], allowed: tuple[_Choice, ...]) -> _Choice:
    """Return the choice of that name. Raises InputError that tells which there are."""
    if given not in set(allowed):
        there = ", ".join(one.value for one in allowed)
        raise InputError(f"{given!r} is not one of {there}")
    return choices(given)
