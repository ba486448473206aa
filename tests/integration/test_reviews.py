"""The review queue: what makes an entry, who decides it, and how it is listed."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.logged_answers import judged, row_of, span_of
from tests.integration.queued_reviews import LEFT, answering, asking, cite, log, verifier_on
from tests.integration.store_reading import TENANT, dump, fetch, ingest_one, opened
from verifier.core.report_json import report_to_json
from verifier.core.reviews import Decision, ReviewOrder, ReviewState
from verifier.core.turns import Turn
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError, UnknownThing
from verifier.store.answers import add_report
from verifier.store.pool import tenant_transaction
from verifier.store.review_listing import ReviewFilter, write_listing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.reviews import Reviews
    from verifier.service import Verifier
    from verifier.store.pool import Pool

TEXT = "Returns are taken for 30 days. Opened goods are not taken back."
CITED = cite("terms", 1, TEXT, "Returns are taken for 30 days")


@asynccontextmanager
async def queue(database: Database, tenant: str = TENANT) -> AsyncIterator[tuple[Pool, Reviews]]:
    """A store with one source, and its review queue."""
    verifier = verifier_on(database, tenant)
    try:
        async with opened(database) as pool:
            await ingest_one(pool, "terms", TEXT)
            yield pool, verifier.reviews
    finally:
        await verifier.close()


async def test_one_question_is_one_entry_whoever_asks(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(
            pool,
            answering("r1", asking(1, "You can return it for a month.", CITED)),
            answering("r2", asking(1, "Hello.", at=0, code=VerdictCode.AMBIGUOUS)),
            answering(
                "r3",
                asking(7, "you can return it  for a month [1].", CITED, mark=" [1]"),
                asking(8, "You can return it for a month.", CITED, at=36),
                judged(9, row_of("p1")),
            ),
        )
        found = (await reviews.list()).entries
        assert [(one.claim, one.answers, one.sources) for one in found] == [
            ("You can return it for a month.", 2, ("terms",)),
            ("Hello.", 1, ()),
        ]
        shown = await reviews.show(found[0].review_id)
        assert [(one.report_id, one.claim_id) for one in shown.requests] == [
            ("r3", "c7"),
            ("r3", "c8"),
            ("r1", "c1"),
        ]
        assert shown.question == "How is it?"
        assert shown.cited[0].cited.span.of(shown.cited[0].cited.text) == CITED.span.of(TEXT)


async def test_another_claim_span_version_or_heading_is_another_entry(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await ingest_one(pool, "terms", TEXT.replace("Opened", "Used"))
        other = cite("terms", 1, TEXT, "Opened goods are not taken back")
        newer = cite("terms", 2, TEXT.replace("Opened", "Used"), "Returns are taken for 30 days")
        text = "You can return it for a month."
        await log(
            pool,
            answering("r1", asking(1, text, CITED), asking(2, text, other), asking(3, text, newer)),
            answering("r2", asking(1, "You can return it for a year.", CITED)),
            answering("r3", asking(1, text, CITED, above=("Abroad",))),
            answering("r4", asking(1, text, CITED, subject_text="The lamp")),
            answering("r5", asking(1, text, CITED, other)),
        )
        found = (await reviews.list()).entries
        assert [one.answers for one in found] == [1] * 7


async def test_without_evidence_the_question_tells_entries_apart(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        claim = asking(1, "It is the blue one.", code=VerdictCode.AMBIGUOUS)
        for number, question in enumerate(("Which lamp?", "which  lamp?", "Which chair?")):
            turn = Turn(question=question)
            await log(pool, answering(f"r{number}", claim, turn=turn))
        assert [one.answers for one in (await reviews.list()).entries] == [2, 1]


async def test_only_what_is_left_for_review_is_asked(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        wrong = asking(1, "It is 31 days.", CITED, code=VerdictCode.UNSUPPORTED_QUANTITY)
        await log(pool, answering("r1", wrong, judged(2, span_of("terms", 1, "Returns"))))
        assert (await reviews.list(state=None)).entries == ()


async def test_a_report_that_is_logged_again_asks_nothing_again(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, _):
        same = answering("r1", asking(1, "You can return it.", CITED))
        await log(pool, same)
        before = await dump(fresh_database, physical=True)
        await log(pool, same)
        assert await dump(fresh_database, physical=True) == before


async def test_a_report_that_is_not_logged_asks_nothing(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        asked = answering("r1", asking(1, "You can return it.", CITED))

        async def log_and_fail() -> None:
            async with tenant_transaction(pool, TENANT) as conn:
                await add_report(conn, asked, report_json=report_to_json(asked), turn_json={})
                raise RuntimeError("the power went")

        with pytest.raises(RuntimeError, match="the power"):
            await log_and_fail()
        assert (await reviews.list(state=None)).entries == ()


async def test_reports_that_ask_the_same_at_once_never_wait_for_each_other(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        claims = [asking(number, f"It is number {number} of them.", CITED) for number in range(20)]
        asked = [
            answering(f"r{number}", *(claims if number % 2 else reversed(claims)))
            for number in range(16)
        ]
        await asyncio.gather(*(log(pool, one) for one in asked))
        assert [one.answers for one in (await reviews.list()).entries] == [16] * 20


async def test_two_reviewers_at_the_same_moment_both_stand(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        (entry,) = (await reviews.list()).entries
        names = [f"reviewer {number}" for number in range(8)]
        await asyncio.gather(
            *(
                reviews.decide(
                    entry.review_id,
                    Decision.SUPPORTED if number % 2 else Decision.UNSUPPORTED,
                    by=name,
                    reason="as I read it",
                )
                for number, name in enumerate(names)
            )
        )
        shown = await reviews.show(entry.review_id)
        assert {one.reviewer for one in shown.decisions if one.stands} == set(names)
        assert shown.entry.state is ReviewState.DECIDED
        assert shown.entry.disputed
        assert shown.entry.reviewers == 8


async def test_decisions_over_two_connections_at_the_same_moment_are_all_kept(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(
            pool,
            *(
                answering(f"r{number}", asking(1, f"It is number {number}.", CITED))
                for number in range(40)
            ),
        )
        entries = [one.review_id for one in (await reviews.list()).entries]
        assert len(entries) == 40
        async with aclosing_verifier(verifier_on(fresh_database)) as elsewhere:
            for review_id in entries:
                await asyncio.gather(
                    reviews.decide(review_id, "supported", by="ada", reason="it says so"),
                    elsewhere.decide(review_id, "unsupported", by="ben", reason="it does not"),
                    elsewhere.decide(review_id, "unclear", by="cyd", reason="first"),
                    reviews.decide(review_id, "contradicted", by="cyd", reason="second"),
                    elsewhere.assign(review_id, to="dora", by="ada"),
                )
        for review_id in entries:
            shown = await reviews.show(review_id)
            standing = [one for one in shown.decisions if one.stands]
            assert sorted(one.reviewer for one in standing) == ["ada", "ben", "cyd"]
            assert len(shown.decisions) == 4
            twice = [one for one in shown.decisions if one.reviewer == "cyd"]
            assert [one.supersedes for one in twice] == [None, twice[0].decision_id]
            assert (shown.entry.state, shown.entry.disputed) == (ReviewState.DECIDED, True)
            assert (shown.entry.reviewers, shown.entry.assigned_to) == (3, "dora")


async def test_an_entry_is_given_to_a_person_and_decisions_stay(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(
            pool,
            answering("r1", asking(1, "You can return it.", CITED)),
            answering("r2", asking(1, "You can keep it.", CITED)),
        )
        review_id = (await reviews.list()).entries[0].review_id
        given = await reviews.assign(review_id, to=" ben ", by="ada")
        assert (given.assigned_to, given.assigned_by, given.state) == (
            "ben",
            "ada",
            ReviewState.OPEN,
        )
        assert given.assigned_at is not None
        mine = await reviews.list(assigned_to="ben")
        assert [one.review_id for one in mine.entries] == [review_id]
        assert (await reviews.list(assigned_to="b\x00en")).entries == ()
        with pytest.raises(InputError, match="is assigned to ben; name who has it"):
            await reviews.assign(review_id, to="cyd", by="ada")
        with pytest.raises(InputError, match="is assigned to ben; name who has it"):
            await reviews.assign(review_id, to="cyd", by="ada", instead_of="dora")

        decided = await reviews.decide(review_id, "supported", by="ben", reason="it says so")
        again = await reviews.assign(review_id, to="cyd", by="ada", instead_of="ben")
        assert (again.assigned_to, again.state, again.reviewers) == ("cyd", ReviewState.DECIDED, 1)
        assert (await reviews.show(review_id)).decisions == (decided,)
        assert (await reviews.list(assigned_to="cyd")).entries == ()
        assert len((await reviews.list(assigned_to="cyd", state=None)).entries) == 1


@pytest.mark.parametrize(
    ("to", "by"), [(" ", "ada"), ("ben", ""), ("b\x00en", "ada"), ("b" * 201, "a")]
)
async def test_an_assignment_needs_names(fresh_database: Database, to: str, by: str) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        before = await dump(fresh_database, physical=True)
        with pytest.raises(InputError, match="name of a person"):
            await reviews.assign(review_id, to=to, by=by)
        assert await dump(fresh_database, physical=True) == before


async def test_of_many_who_take_an_entry_at_once_one_has_it(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        async with aclosing_verifier(verifier_on(fresh_database)) as elsewhere:
            made = await asyncio.gather(
                *(
                    (elsewhere if number % 2 else reviews).assign(
                        review_id, to=f"reviewer {number}", by="themselves"
                    )
                    for number in range(12)
                ),
                return_exceptions=True,
            )
        (winner,) = [one for one in made if not isinstance(one, BaseException)]
        assert all(isinstance(one, InputError) for one in made if one is not winner)
        assert (await reviews.show(review_id)).entry.assigned_to == winner.assigned_to


async def test_what_expired_is_given_to_nobody(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        await reviews.assign(review_id, to="ben", by="ada")
        await ingest_one(pool, "terms", "Nothing is taken back.")
        with pytest.raises(InputError, match="has expired \\(superseded\\); reopen it"):
            await reviews.assign(review_id, to="cyd", by="ada", instead_of="ben")
        assert await reviews.reopen(review_id, by="ada", reason="look again") == 2
        assert (await reviews.show(review_id)).entry.assigned_to == "ben"


async def test_a_later_decision_of_the_same_reviewer_supersedes_his_own_alone(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        first = await reviews.decide(review_id, "unclear", by="ada", reason="too short")
        await reviews.decide(review_id, "supported", by="ben", reason="it says so")
        assert [one.review_id for one in (await reviews.list(disputed=True, state=None)).entries]
        second = await reviews.decide(review_id, "supported", by=" ada ", reason="read again")
        assert second.supersedes == first.decision_id
        shown = await reviews.show(review_id)
        kept = [(one.reviewer, one.decision.value, one.stands) for one in shown.decisions]
        assert kept == [
            ("ada", "unclear", False),
            ("ben", "supported", True),
            ("ada", "supported", True),
        ]
        assert not shown.entry.disputed
        assert (await reviews.list(disputed=True, state=None)).entries == ()


async def test_a_decided_entry_stays_decided_when_it_is_asked_again(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        await reviews.decide(review_id, "supported", by="ada", reason="it says so")
        await log(pool, answering("r2", asking(1, "You can return it.", CITED)))
        assert (await reviews.list()).entries == ()
        (entry,) = (await reviews.list(state="decided")).entries
        assert (entry.answers, entry.reviewers) == (2, 1)


@pytest.mark.parametrize(
    ("decision", "by", "reason", "told"),
    [
        ("maybe", "ada", "so", "'maybe' is not one of supported, unsupported"),
        ("supported", "  ", "so", "name of a person"),
        ("supported", "a\x00da", "so", "name of a person"),
        ("supported", "a" * 201, "so", "at most 200 characters"),
        ("supported", "ada", " \n", "needs a reason"),
        ("supported", "ada", "x" * 10_001, "at most 10,000 characters"),
    ],
)
async def test_a_decision_needs_a_name_and_a_reason(
    fresh_database: Database, decision: str, by: str, reason: str, told: str
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        before = await dump(fresh_database, physical=True)
        with pytest.raises(InputError, match=told):
            await reviews.decide(review_id, decision, by=by, reason=reason)
        assert await dump(fresh_database, physical=True) == before


async def test_what_does_not_exist_is_named(fresh_database: Database) -> None:
    async with queue(fresh_database) as (_, reviews):
        for review_id in (0, -1, 999, 2**63, 10**30):
            with pytest.raises(UnknownThing, match="there is no review"):
                await reviews.show(review_id)
            with pytest.raises(UnknownThing, match="there is no review"):
                await reviews.decide(review_id, "supported", by="ada", reason="so")
            with pytest.raises(UnknownThing, match="there is no review"):
                await reviews.reopen(review_id, by="ada", reason="so")
            with pytest.raises(UnknownThing, match="there is no review"):
                await reviews.assign(review_id, to="ada", by="ben")


async def test_reopening_keeps_decisions_and_begins_a_round(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        with pytest.raises(InputError, match="is open"):
            await reviews.reopen(review_id, by="ben", reason="look again")
        await reviews.decide(review_id, "supported", by="ada", reason="it says so")
        with pytest.raises(InputError, match="needs a reason"):
            await reviews.reopen(review_id, by="ben", reason="")
        assert await reviews.reopen(review_id, by="ben", reason="look again") == 2
        shown = await reviews.show(review_id)
        assert shown.entry.state is ReviewState.OPEN
        assert [one.stands for one in shown.decisions] == [False]
        again = await reviews.decide(review_id, "contradicted", by="ada", reason="it does not")
        assert (again.round, again.supersedes) == (2, None)
        assert not (await reviews.show(review_id)).entry.disputed
        (reopened,) = await fetch(pool, "SELECT by, reason, round FROM review_reopening")
        assert tuple(reopened) == ("ben", "look again", 2)


async def test_what_most_answers_rest_on_comes_first_then_the_oldest(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        for number, name in enumerate(("first", "second", "third", "second", "fourth")):
            await log(pool, answering(f"r{number}", asking(1, f"It is the {name}.", CITED)))
        listed = await reviews.list()
        assert [one.claim for one in listed.entries] == [
            "It is the second.",
            "It is the first.",
            "It is the third.",
            "It is the fourth.",
        ]
        assert not listed.more
        oldest = await reviews.list(order=ReviewOrder.OLDEST, limit=3)
        assert [one.claim for one in oldest.entries] == [
            "It is the first.",
            "It is the second.",
            "It is the third.",
        ]
        assert oldest.more


async def test_the_queue_is_filtered(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await ingest_one(pool, "fees", TEXT)
        fees = cite("fees", 1, TEXT, "Returns are taken")
        await log(
            pool,
            answering("r1", asking(1, "One.", CITED)),
            answering("r2", asking(1, "Two.", fees, code=VerdictCode.STALE_REVIEW)),
            answering("r3", asking(1, "Three.", CITED, fees)),
        )
        one, two, three = (
            entry.review_id for entry in (await reviews.list(order="oldest")).entries
        )
        await reviews.decide(two, "supported", by="ada", reason="so")

        async def ids(**terms: object) -> list[int]:
            return [entry.review_id for entry in (await reviews.list(**terms)).entries]  # type: ignore[arg-type]

        assert await ids(state=None) == [one, two, three]
        assert await ids(state="decided") == [two]
        assert await ids(state=None, code="stale_review") == [two]
        assert await ids(code="stale_review") == []
        assert await ids(state=None, source="fees") == [two, three]
        assert await ids(state=None, source="fees", code=LEFT) == [three]
        assert await ids(state=None, reviewer="ada") == [two]
        assert await ids(state=None, reviewer="ada", source="terms") == []
        hostile = "x' OR '1'='1"
        for name in ("nobody", hostile, "a\x00", "\ud800", "%", "fee_"):
            assert await ids(state=None, source=name) == []
            assert await ids(state=None, reviewer=name) == []


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"state": "closed"}, "'closed' is not one of open, decided, expired"),
        ({"code": "supported"}, "'supported' is not one of stale_review"),
        ({"order": "newest"}, "'newest' is not one of answers, oldest"),
        ({"limit": 0}, "limit is 0"),
        ({"limit": 10_001}, "limit is 10001"),
    ],
)
async def test_a_filter_that_there_is_not_is_refused(
    fresh_database: Database, terms: dict[str, object], told: str
) -> None:
    async with queue(fresh_database) as (_, reviews):
        with pytest.raises(InputError, match=told):
            await reviews.list(**terms)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chosen", "order", "index"),
    [
        (ReviewFilter(state=ReviewState.OPEN), ReviewOrder.ANSWERS, "review_by_answers"),
        (ReviewFilter(), ReviewOrder.OLDEST, "review_by_age"),
        (ReviewFilter(code=LEFT), ReviewOrder.ANSWERS, "review_of_code_by_answers"),
        (ReviewFilter(code=LEFT), ReviewOrder.OLDEST, "review_of_code_by_age"),
    ],
)
async def test_the_queue_is_read_in_the_order_of_an_index(
    fresh_database: Database, chosen: ReviewFilter, order: ReviewOrder, index: str
) -> None:
    async with queue(fresh_database) as (pool, _):
        async with tenant_transaction(pool, TENANT) as conn:
            await conn.execute("SET LOCAL enable_seqscan = off")
            await conn.execute("SET LOCAL enable_sort = off")
            statement, arguments = write_listing(chosen, order)
            plan = await conn.fetch(f"EXPLAIN {statement}", 10, *arguments)
        assert index in "\n".join(row[0] for row in plan)


async def test_a_report_that_leaves_the_log_is_counted_no_more(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        claim = asking(1, "You can return it.", CITED)
        twice = asking(2, "You can return it.", CITED, at=20)
        await log(pool, *(answering(f"r{number}", claim, twice) for number in range(3)))
        await fresh_database.execute("DELETE FROM verifier.report WHERE report_id IN ('r0', 'r2')")
        (entry,) = (await reviews.list()).entries
        assert entry.answers == 1
        await fresh_database.execute("DELETE FROM verifier.report")
        (entry,) = (await reviews.list()).entries
        assert (entry.answers, entry.claim) == (0, None)
        assert (await reviews.show(entry.review_id)).context is None


async def test_a_tenant_never_sees_or_decides_the_entries_of_another(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)))
        review_id = (await reviews.list()).entries[0].review_id
        stranger = verifier_on(fresh_database, "other")
        async with aclosing_verifier(stranger) as others:
            assert (await others.list(state=None)).entries == ()
            with pytest.raises(UnknownThing):
                await others.show(review_id)
            with pytest.raises(UnknownThing):
                await others.decide(review_id, "supported", by="eve", reason="so")
            with pytest.raises(UnknownThing):
                await others.assign(review_id, to="eve", by="eve")
            assert (await others.agreement()).decided == 0
        await log(pool, answering("r1", asking(1, "You can return it.", CITED)), tenant="other")
        assert (await reviews.show(review_id)).entry.answers == 1


async def test_without_a_tenant_no_table_of_reviews_is_read(fresh_database: Database) -> None:
    connection = await asyncpg.connect(fresh_database.app_dsn)
    try:
        await connection.execute("SET ROLE verifier_app; SET search_path = verifier")
        for table in ("review_request", "review_evidence", "review_reopening"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="no tenant is set"):
                await connection.fetch(f"SELECT * FROM {table}")  # noqa: S608 -- a constant
    finally:
        await connection.close()


@asynccontextmanager
async def aclosing_verifier(verifier: Verifier) -> AsyncIterator[Reviews]:
    try:
        yield verifier.reviews
    finally:
        await verifier.close()
