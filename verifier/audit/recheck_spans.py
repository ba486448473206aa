"""Which logged answers stand on versions that were replaced, because all that they cite stands anew."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from verifier.core.kept_spans import LaterText
from verifier.core.verdicts import DISPOSITIONS, Disposition, VerdictCode
from verifier.store.pool import tenant_transaction
from verifier.store.rechecks import list_cited, read_standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from verifier.store.pool import Pool
    from verifier.store.rechecks import ReportCitation, VersionStanding

_VERSIONS_AT_ONCE: Final = 50
"""How many versions have their texts in memory at once."""

Place = tuple[str, int]


async def find_fallen(
    pool: Pool, tenant: str, report_ids: Sequence[str], moment: datetime
) -> frozenset[str]:
    """Return those of the reports that cite something which may not count as it did at that moment.

    That are words which the current version has not, versions without one, sources that are not approved or
    past their review, and whatever a verdict did not accept.
    """
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        cited = await list_cited(conn, report_ids)
    fallen = {one.report_id for one in cited if not _is_accepted(one)}
    by_place: defaultdict[Place, list[ReportCitation]] = defaultdict(list)
    for one in cited:
        by_place[one.source, one.seq].append(one)
    places = list(by_place)
    for start in range(0, len(places), _VERSIONS_AT_ONCE):
        some = places[start : start + _VERSIONS_AT_ONCE]
        async with tenant_transaction(pool, tenant, read_only=True) as conn:
            standings = await read_standing(conn, some, moment=moment)
        fallen |= await asyncio.to_thread(
            _judge, {one: by_place[one] for one in some}, standings, moment
        )
    return frozenset(fallen)


def _is_accepted(cited: ReportCitation) -> bool:
    return DISPOSITIONS[VerdictCode(cited.code)] is Disposition.ACCEPTED


def _judge(
    cited: Mapping[Place, Sequence[ReportCitation]],
    standings: Mapping[Place, VersionStanding],
    moment: datetime,
) -> set[str]:
    fallen = set[str]()
    later: dict[tuple[str, int | None], LaterText] = {}
    for place, citations in cited.items():
        standing = standings.get(place)
        if standing is None or not _may_count(standing, moment):
            fallen |= {one.report_id for one in citations}
        elif standing.current_text is not None:
            answering = (standing.source, standing.current_seq)
            text = later.setdefault(answering, LaterText(standing.current_text))
            fallen |= {
                one.report_id for one in citations if not text.keeps(standing.text, one.span)
            }
    return fallen


def _may_count(standing: VersionStanding, moment: datetime) -> bool:
    """Return whether the version's source is permitted, fresh, and answers at that moment."""
    lapsed = standing.review_until is not None and standing.review_until < moment
    answers = standing.current_seq is not None and standing.state != "erased"
    return answers and standing.permission == "approved" and not lapsed
