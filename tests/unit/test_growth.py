"""The comparison of times: it fails what grows too fast, and nothing that merely meets noise."""

from __future__ import annotations

import gc
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable

# They take some time, as what they are about does.
pytestmark = pytest.mark.scaling


def count_all(size: int) -> int:
    return sum(1 for _ in range(size))


def count_pairs(size: int) -> int:
    return sum(1 for _ in range(size) for _ in range(size))


def test_linear_work_passes() -> None:
    assert_grows(lambda size: partial(count_all, size), 5_000, 40_000, at_most=2 * 8)


def test_quadratic_work_fails_with_its_figures() -> None:
    with pytest.raises(
        AssertionError, match=r"800 instead of 100 .* than 16 times .* s against 0\."
    ):
        assert_grows(lambda size: partial(count_pairs, size), 100, 800, at_most=2 * 8)


def test_one_pause_is_forgiven_and_a_standing_one_is_not() -> None:
    def prepare_with(pauses: int) -> Callable[[int], Callable[[], object]]:
        left = [1_000_000] * pauses

        def prepare(size: int) -> Callable[[], object]:
            extra = left.pop() if left and size == 40_000 else 0
            return lambda: count_all(size + extra)

        return prepare

    assert_grows(prepare_with(4), 5_000, 40_000, at_most=2 * 8)
    with pytest.raises(AssertionError, match="each of 5 tries"):
        assert_grows(prepare_with(5), 5_000, 40_000, at_most=2 * 8)


def test_neither_preparing_nor_waiting_is_timed() -> None:
    def prepare(size: int) -> Callable[[], object]:
        count_pairs(size // 20)

        def work() -> None:
            time.sleep(0.04 if size == 40_000 else 0)
            count_all(size)

        return work

    assert_grows(prepare, 5_000, 40_000, at_most=2 * 8)


def test_what_the_work_asserts_is_told() -> None:
    def work() -> None:
        assert not gc.isenabled()
        pytest.fail("the result is wrong")

    with pytest.raises(pytest.fail.Exception, match="the result is wrong"):
        assert_grows(lambda _: work, 1, 2, at_most=10)
    assert gc.isenabled()
