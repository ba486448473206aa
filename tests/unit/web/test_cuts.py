"""Records of tool results as pages show them: short, exact, with what counts marked."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from verifier.interfaces.web.cuts import cut_record

ORDER = {
    "orders": [
        {"id": "A-1", "total": 12.5, "lines": [{"sku": "x", "n": 1}]},
        {"id": "A-2", "total": 80, "a/b": {"~": True}},
    ],
    "note": 'é \u202e "quoted"',
}


@pytest.mark.parametrize(
    ("pointers", "hits"),
    [
        (["/orders/1/total"], ["80"]),
        (["/orders/1/id", "/orders/1/total"], ['"A-2"', "80"]),
        (["/orders/0/total", "/orders/1/total"], ["12.5", "80"]),
        (["/orders/1/a~1b/~0"], ["true"]),
        (["/orders/0/lines"], [json.dumps([{"sku": "x", "n": 1}], indent=2)]),
        (["/note", "/note"], ['"é \u202e \\"quoted\\""']),
        ([""], [json.dumps(ORDER, indent=2, ensure_ascii=False)]),
    ],
)
def test_what_is_pointed_at_is_marked(pointers: list[str], hits: list[str]) -> None:
    pieces = cut_record(ORDER, pointers)
    assert [one.text for one in pieces if one.hit] == hits
    marked = "".join(one.text for one in pieces)
    assert "".join(marked.split()) == "".join(json.dumps(ORDER, ensure_ascii=False).split())


@pytest.mark.parametrize(
    "pointers",
    [[], ["/none"], ["/orders/2"], ["/orders/-1/id"], ["/orders/x"], ["/note/0"], ["/orders/１"]],
)
def test_what_points_at_nothing_shows_nothing(pointers: list[str]) -> None:
    assert cut_record(ORDER, pointers) == ()


def test_of_a_long_result_the_record_around_is_shown() -> None:
    rows = [{"id": number, "name": f"row {number}", "price": number * 2} for number in range(5_000)]
    pieces = cut_record({"rows": rows}, ["/rows/4321/price"])
    text = "".join(one.text for one in pieces)
    assert json.loads(text) == rows[4321]
    assert [one.text for one in pieces if one.hit] == ["8642"]
    assert cut_record({"rows": rows}, ["/rows/1/id", "/rows/4321/id"]) == ()


def test_hostile_results_cost_little() -> None:
    deep: Any = 1
    for _ in range(50_000):
        deep = {"a": deep}
    began = time.process_time()
    pieces = cut_record(deep, ["/a" * 50_000])
    assert sum(len(one.text) for one in pieces) < 12_100
    assert [one.text for one in pieces if one.hit] == ["1"]
    assert cut_record({"\ufdd09\ufdd0": "\ufdd09\ufdd0", "x": 1}, ["/x"]) == ()
    wide = {str(number): number for number in range(100_000)}
    assert cut_record(wide, ["/99999"]) == ()
    assert time.process_time() - began < 5
