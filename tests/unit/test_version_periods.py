"""Periods of versions, against the plain reading of what was stated, instant by instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.core.versions import (
    Period,
    Timeline,
    correct_period,
    find_holding,
    find_next_change,
    publish_from,
    settle_ends,
    withdraw_from,
)

DAYS = 12


def day(number: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)


def shown(timeline: Timeline) -> str:
    """Which version holds on each day: `.12` is none on day 0, version 1 on day 1, version 2 on day 2."""
    holding = (find_holding(timeline, day(number)) for number in range(DAYS))
    return "".join("." if version is None else str(version) for version in holding)


def published(*starts: int) -> Timeline:
    """Versions 1, 2, … from the days told, in the order told."""
    timeline: Timeline = ()
    for version, start in enumerate(starts, 1):
        timeline = publish_from(timeline, version, day(start), stated=True)
    return timeline


@pytest.mark.parametrize(
    ("starts", "holds"),
    [
        ((1, 5, 9), ".11112222333"),
        ((9, 1, 5), ".22223333111"),
        ((5, 5), ".....2222222"),
        ((0,), "111111111111"),
    ],
)
def test_a_version_holds_till_the_next_is_stated_to(starts: tuple[int, ...], holds: str) -> None:
    assert shown(published(*starts)) == holds


@given(st.permutations(range(DAYS)))
def test_the_order_of_arrival_does_not_matter(starts: list[int]) -> None:
    timeline: Timeline = ()
    for start in starts:
        timeline = publish_from(timeline, start, day(start), stated=True)
    assert [each.version_id for each in timeline] == list(range(DAYS))
    assert_sound(timeline)


def test_what_begins_by_the_clock_gives_way_to_what_is_stated() -> None:
    by_clock = publish_from((), 1, day(5), stated=False)
    assert shown(publish_from(by_clock, 2, day(2), stated=True)) == "..2222222222"
    assert shown(publish_from(published(2, 9), 3, day(5), stated=False)) == "..1113333222"


@pytest.mark.parametrize(
    ("version", "valid_from", "valid_to", "holds"),
    [
        (2, 7, None, ".11111122333"),
        (2, 3, None, ".11222222333"),
        (2, 5, 7, ".111122..333"),
        (2, 5, 11, ".11112222223"),
        (1, 3, None, "...112222333"),
        (1, 0, 3, "111..2222333"),
        (3, 2, 4, ".133.2222222"),
        (2, 10, None, ".11111111322"),
        (2, 6, 8, ".1111122.333"),
    ],
)
def test_a_corrected_period_replaces_the_versions_own(
    version: int, valid_from: int, valid_to: int | None, holds: str
) -> None:
    end = None if valid_to is None else day(valid_to)
    timeline = correct_period(published(1, 5, 9), version, day(valid_from), end)
    assert shown(timeline) == holds
    assert_sound(timeline)


@pytest.mark.parametrize(
    ("version", "moment", "holds"),
    [
        (1, 3, ".11..2222333"),
        (2, 3, ".11111111333"),
        (2, 7, ".111122..333"),
        (2, 5, ".1111....333"),
        (3, 3, ".11112222222"),
        (3, 9, ".11112222..."),
        (1, 8, ".11112222333"),
    ],
)
def test_a_withdrawn_version_holds_no_longer(version: int, moment: int, holds: str) -> None:
    timeline = withdraw_from(published(1, 5, 9), version, day(moment))
    assert shown(timeline) == holds
    assert_sound(timeline)


def test_the_next_change_is_where_another_holds() -> None:
    timeline = published(1, 5)
    assert find_next_change(timeline, day(0)) == day(1)
    assert find_next_change(timeline, day(1)) == day(5)
    assert find_next_change(timeline, day(5)) is None
    ending = correct_period(timeline, 2, day(5), day(8))
    assert find_next_change(ending, day(6)) == day(8)
    touching = (
        Period(version_id=1, valid_from=day(1), valid_to=day(5), to_stated=True),
        Period(version_id=1, valid_from=day(5)),
    )
    assert find_next_change(touching, day(2)) is None
    assert find_next_change((), day(2)) is None


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["publish", "clock", "correct", "withdraw"]),
        st.integers(1, 5),
        st.integers(0, DAYS - 1),
        st.none() | st.integers(1, 6),
    ),
    max_size=12,
)


@given(ACTS)
def test_whatever_is_done_periods_stay_sound(
    acts: list[tuple[str, int, int, int | None]],
) -> None:
    timeline: Timeline = ()
    for act, version, start, lasting in acts:
        moment = day(start)
        if act in {"publish", "clock"}:
            timeline = publish_from(timeline, version, moment, stated=act == "publish")
            assert find_holding(timeline, moment) == version
        elif act == "correct":
            end = None if lasting is None else day(start + lasting)
            timeline = correct_period(timeline, version, moment, end)
            assert find_holding(timeline, moment) == version
            own = [each for each in timeline if each.version_id == version]
            assert [each.valid_from for each in own] == [moment]
            assert end is None or own[0].valid_to == end
        else:
            before = timeline
            timeline = withdraw_from(timeline, version, moment)
            assert not any(
                each.lasts_beyond(moment) for each in timeline if each.version_id == version
            )
            assert shown(timeline)[:start] == shown(before)[:start]
        assert_sound(timeline)


def assert_sound(timeline: Timeline) -> None:
    """Periods are in order and don't overlap; without a stated end one lasts till the next, or for ever."""
    assert settle_ends(timeline) == timeline
    for each, following in pairwise(timeline):
        assert each.valid_to is not None
        assert each.valid_from <= each.valid_to <= following.valid_from
        assert each.to_stated or each.valid_to == following.valid_from
    assert not timeline or timeline[-1].to_stated or timeline[-1].valid_to is None
