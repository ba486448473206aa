"""A logged answer beside what it cites: each span in its version, and what stands there now."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from verifier.audit.reviewing import cut_passage
from verifier.core.kept_spans import LaterText, find_counterpart
from verifier.core.spans import Span
from verifier.store.answers import get_report, resolve_report
from verifier.store.standing_versions import find_standing_versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.audit.reviewing import Passage
    from verifier.store.answers import LoggedReport
    from verifier.store.pool import Connection
    from verifier.store.standing_versions import StandingVersion

_MOST_SPANS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPlace:
    """A span of a stored version as a report cites it."""

    source: str
    seq: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingPlace:
    """A cited span in its version, and what is current of the source.

    `cited` is None where the version was erased. `stands` tells that the current version says the same;
    `current` is what it has in that place, None where it is the cited one or nothing took the place.
    """

    version: StandingVersion
    cited: Passage | None
    stands: bool
    current: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDetail:
    """A logged answer with the stored places that it cites, at most the first 200 of them."""

    logged: LoggedReport
    places: Mapping[CitedPlace, StandingPlace]


async def show_answer(conn: Connection, report: str) -> AnswerDetail:
    """Return a logged answer by its id, or how that begins, with what it cites. Raises UnknownThing."""
    logged = await get_report(conn, await resolve_report(conn, report))
    places = list(dict.fromkeys(_list_places(logged.report)))[:_MOST_SPANS]
    versions = await find_standing_versions(conn, [(one.source, one.seq) for one in places])
    return AnswerDetail(logged=logged, places=await asyncio.to_thread(_place_all, places, versions))


def _list_places(report: Mapping[str, Any]) -> Iterator[CitedPlace]:
    for verdict in report.get("verdicts", ()):
        for evidence in verdict.get("evidence", ()):
            place = read_place(evidence["locator"])
            if place is not None:
                yield place


def read_place(locator: Mapping[str, Any]) -> CitedPlace | None:
    """Return the stored place that a locator of a report's JSON names; None of every other kind."""
    if locator.get("kind") != "span" or locator.get("seq") is None:
        return None
    start, end = locator["span"]
    return CitedPlace(source=locator["source"], seq=locator["seq"], span=Span(start, end))


def _place_all(
    places: Sequence[CitedPlace], versions: Mapping[tuple[str, int], StandingVersion]
) -> dict[CitedPlace, StandingPlace]:
    later = {
        key: LaterText(version.current_text)
        for key, version in versions.items()
        if version.current_text is not None
    }
    return {
        place: _place(place, versions[key], later.get(key))
        for place in places
        if (key := (place.source, place.seq)) in versions
    }


def _place(place: CitedPlace, version: StandingVersion, later: LaterText | None) -> StandingPlace:
    if version.text is None:
        return StandingPlace(version=version, cited=None, stands=False)
    cited = cut_passage(version.text, place.span)
    same = version.current_seq == version.seq
    if later is None:
        return StandingPlace(version=version, cited=cited, stands=same)
    counterpart = find_counterpart(version.text, place.span, later)
    return StandingPlace(
        version=version,
        cited=cited,
        stands=later.says(place.span.of(version.text)),
        current=None if counterpart is None else cut_passage(later.text, counterpart),
    )
