from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT, fetch_value, ingest, opened, request
from verifier.core.filter_reading import read_filter_text
from verifier.core.filters import Filter, field
from verifier.errors import InputError
from verifier.store.search import semantic_search

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from tests.integration.conftest import Database
    from verifier.core.filter_reading import FilterLike
    from verifier.store.pool import Pool

SOURCES: Mapping[str, Mapping[str, object]] = {
    "a": {"pages": 9, "lang": "de", "at": "2026-01-01T00:30:00+02:00", "tags": ["x", "y"]},
    "b": {"pages": 10, "lang": "fr", "at": "2025-12-31T23:00:00Z", "tags": []},
    "c": {"pages": 100, "code": "007", "at": "2026-01-01", "on": True, "z": None},
    "d": {"pages": "10", "code": 7, "at": "2026-02-30", "on": False, "tags": "x"},
    "e": {"pages": -2.5, "batch": "2026_10", "at": ["2026-06-01", "2024-06-01T10:00"]},
    "f": {"batch": "202610", "ü'\"\\$": "\N{PILE OF POO}", "pages": 12345678901234567890},
}
DAY = date(2026, 1, 1)
CEST = timezone(timedelta(hours=2))

CASES: Sequence[tuple[FilterLike, str]] = [
    (field("pages") >= 10, "bcf"),
    (field("pages") < 10, "ae"),
    (field("pages") == 10, "b"),
    (field("pages") == 10.0, "b"),
    (field("pages") == -2.5, "e"),
    (field("pages") == Decimal("-2.50"), "e"),
    (field("pages") == 12345678901234567890, "f"),
    (field("pages") == 12345678901234567891, ""),
    (field("pages") == "10", "d"),
    (field("pages") > "0", "d"),
    (field("pages") != 10, "acdef"),
    (field("lang") != "de", "b"),
    (~(field("lang") == "de"), "bcdef"),
    (field("lang").in_(["de", "fr"]), "ab"),
    (field("lang").in_([]), ""),
    (~field("lang").in_([]), "abcdef"),
    (field("code") == "007", "c"),
    (field("code") == 7, "d"),
    (field("batch") == "2026_10", "e"),
    (field("batch") == "202610", "f"),
    (field("batch") == 202610, ""),
    (field("on") == True, "c"),  # noqa: E712 -- an expression
    (field("on") == 1, ""),
    (field("on") != True, "d"),  # noqa: E712 -- an expression
    (field("z") == None, "c"),  # noqa: E711 -- an expression
    (field("z").exists(), "c"),
    (~field("z").exists(), "abdef"),
    (field("nothing") == None, ""),  # noqa: E711 -- an expression
    (field("nothing") != "x", ""),
    (field("tags") == "x", "ad"),
    (field("tags").exists(), "abd"),
    (field("tags") != "x", "b"),
    (field("at") == DAY, "c"),
    (field("at") < DAY, "abe"),
    (field("at") <= DAY, "abce"),
    (field("at") > DAY, "e"),
    (field("at") >= DAY, "ce"),
    (field("at") != DAY, "abde"),
    (field("at") >= "2026-01-01", "ce"),
    (field("at") == "2026-01-01", "c"),
    (field("at") == datetime(2025, 12, 31, 22, 30, tzinfo=UTC), "a"),
    (field("at") == datetime(2026, 1, 1, 1, tzinfo=CEST), "b"),
    (field("at") < datetime(2025, 12, 31, 23, tzinfo=UTC), "ae"),
    (field("at") < "2025-12-31T23:00+00:00", "ae"),
    (field("at") == datetime(2024, 6, 1, 10, tzinfo=UTC), "e"),
    (field("at") < date.max, "abce"),
    (field("at") > date.min, "abce"),
    ((field("pages") >= 10) & (field("lang") == "fr"), "b"),
    ((field("pages") >= 100) | (field("lang") == "de"), "acf"),
    (~((field("pages") >= 10) | (field("pages") < 0)), "ad"),
    ({"pages": {">=": 10, "<": 100}}, "b"),
    ({"lang": ["de", "fr"], "pages": 9}, "a"),
    ({"lang": []}, ""),
    ({}, "abcdef"),
    (["or", {"lang": "de"}, ["not", {"pages": {"exists": True}}]], "a"),
    ({"ü'\"\\$": "\N{PILE OF POO}"}, "f"),
    (field("pages").in_(range(10_000)), "abc"),
    (field("lang").in_([f"l{number}" for number in range(9_999)] + ["de"]), "a"),
]
TEXTS = [
    ("pages>=10", "bcf"),
    ("pages = 10", "b"),
    ('pages="10"', "d"),
    ("code=007", "c"),
    ("code=7", "d"),
    ("batch=2026_10", "e"),
    ('lang=["de","fr"]', "ab"),
    ("lang!=de", "b"),
    ('lang!=["de"]', "b"),
    ("on=true", "c"),
    ("z", "c"),
    ("!lang", "cdef"),
    ("at<2026-01-01", "abe"),
    ('{"pages": {">": 10}}', "cf"),
    ('["and", {"pages": 9}, {"lang": "de"}]', "a"),
]


@pytest.fixture
async def pool(fresh_database: Database) -> AsyncIterator[Pool]:
    async with opened(fresh_database) as pool:
        await ingest(
            pool, *(request(key, f"Text {key}.", metadata=SOURCES[key]) for key in SOURCES)
        )
        yield pool


async def keys_found(pool: Pool, condition: FilterLike | None) -> str:
    result = await semantic_search(
        pool, "text", tenant=TENANT, embedder=HashingEmbedder(), k=50, filters=condition
    )
    return "".join(sorted(hit.source for hit in result.hits))


async def test_each_filter_matches_what_it_says(pool: Pool) -> None:
    wrong = []
    for condition, expected in CASES:
        found = await keys_found(pool, condition)
        if found != expected:
            wrong.append((str(condition)[:100], expected, found))
    assert not wrong


async def test_short_texts_are_read_as_the_filters_that_they_are(pool: Pool) -> None:
    wrong = [
        (text, expected, found)
        for text, expected in TEXTS
        if (found := await keys_found(pool, read_filter_text(text))) != expected
    ]
    assert not wrong


async def test_the_index_on_metadata_gives_what_a_scan_gives(pool: Pool) -> None:
    rows = (
        "SELECT count(*) FROM source WHERE filterable @@ "
        "'exists($.value.\"pages\" ? (@ == -2.5))'::jsonpath"
    )
    for scan in ("enable_seqscan", "enable_bitmapscan"):
        await fetch_value(pool, "SELECT set_config($1, 'off', true)", scan)
        assert await fetch_value(pool, rows) == 1


async def test_a_label_that_changes_changes_what_filters_find(pool: Pool) -> None:
    await ingest(pool, request("a", "Text a.", metadata={"at": "2030-01-01", "pages": 11}))
    assert await keys_found(pool, field("at") > date(2029, 1, 1)) == "a"
    assert await keys_found(pool, field("pages") >= 10) == "abcf"


HOSTILE = (
    "'",
    '"',
    "\\",
    '"] || true || $["',
    "$.a ? (1==1)",
    "\n\t",
    "{}",
    "\u2028",
    "🙂",
    "' OR '1'='1",
)


async def test_hostile_keys_and_values_are_data(pool: Pool) -> None:
    await ingest(pool, request("odd", "Odd.", metadata={text: text for text in HOSTILE}))
    for text in HOSTILE:
        assert await keys_found(pool, {text: text}) == "odd"
        assert await keys_found(pool, {text: text + "x"}) == ""
        assert await keys_found(pool, {text: {">=": text}}) == "odd"
        assert await keys_found(pool, {text + "x": text}) == ""
    assert await fetch_value(pool, "SELECT count(*) FROM source") == len(SOURCES) + 1


def nested(levels: int) -> Filter:
    condition: Filter = field("pages") == 9
    for _ in range(levels):
        condition = ~(condition & (field("pages") == 9))
    return condition


async def test_deep_nesting_works_up_to_its_limit(pool: Pool) -> None:
    assert await keys_found(pool, nested(40)) == "abcdef"
    assert await keys_found(pool, nested(41)) == "bcdef"
    with pytest.raises(InputError, match="nested deeper"):
        await keys_found(pool, nested(60))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=3",
        "a<true",
        "a=",
        "a=>3",
        "a>>3",
        "a=<3",
        "[1]",
        '{"a": {"~": 1}}',
        '{"a": 1, "a": 2}',
        "[" * 5_000,
        '["x", {}]',
        "{",
    ],
)
def test_a_text_that_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="filter"):
        read_filter_text(text)


def test_a_filter_is_no_truth_value() -> None:
    with pytest.raises(InputError, match="neither true nor false"):
        _ = (field("a") == 1) and (field("b") == 2)
    with pytest.raises(InputError, match="neither true nor false"):
        _ = 1 < field("a") < 5
    with pytest.raises(InputError, match="in brackets"):
        _ = (field("a") == 1) & "b"  # type: ignore[operator]
    with pytest.raises(InputError, match="no offset"):
        _ = field("a") > datetime(2026, 1, 1)  # noqa: DTZ001 -- what is refused
    with pytest.raises(InputError, match="not one text"):
        field("a").in_("de")


async def test_too_many_comparisons_are_refused(pool: Pool) -> None:
    with pytest.raises(InputError, match="10,000"):
        await keys_found(pool, field("pages").in_(range(10_001)))
