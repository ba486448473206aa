"""The catalog's form: what is allowed, and errors that name what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from verifier.core.catalog import Attribute, AttributeKind, parse_catalog
from verifier.core.catalog.keys import find_key
from verifier.core.catalog.proposal import propose_catalog
from verifier.core.catalog.reading import read_cell, read_value, write_decimal
from verifier.core.catalog.shapes import ColumnShape, Reference, TableShape
from verifier.core.values import Quantity
from verifier.errors import CatalogError

KEY = {"column": "id", "type": "uuid"}


def declare(**product: object) -> dict[str, object]:
    return {"product": {"table": "product", "key": KEY, **product}}


@pytest.mark.parametrize(
    ("mapping", "told"),
    [
        ({"product": 5}, r"catalog\.product must be a table"),
        ({"product": {"key": KEY}}, r"catalog\.product\.table is missing"),
        ({"product": {"table": "p"}}, r"catalog\.product\.key is missing"),
        (
            declare(tabel="x"),
            r"catalog\.product\.tabel is unknown; allowed are applies, attributes, database",
        ),
        (declare(table="a.b.c"), "one dot"),
        (declare(table=""), "not empty"),
        (declare(table="x" * 64), "63 bytes"),
        (declare(table="a\0b"), "NUL"),
        (declare(key={"column": "id"}), r"key\.type is missing; allowed are integer, text, uuid"),
        (declare(key={"column": "id", "type": "int"}), "'int'; allowed are integer"),
        (declare(key={"type": "uuid"}), r"key\.column is missing"),
        (declare(key={**KEY, "pattern": "("}), "no regular expression"),
        (declare(key={**KEY, "aliases": "x"}), "list of texts"),
        (declare(names="name"), "list of texts"),
        (declare(visible={"column": "x"}), "exactly one of is, equals, differs"),
        (declare(visible={"column": "x", "is": "gone"}), "allowed are"),
        (declare(visible={"column": "x", "is": "equals"}), "allowed are null, not_null"),
        (declare(visible={"column": "x", "equals": [1]}), "must be text"),
        (declare(visible=[5]), "list of tables"),
        (declare(scope={"owner": 5}), r"scope\.owner must be text"),
        (declare(attributes={"price": {}}), r"attributes\.price\.kind is missing"),
        (declare(attributes={"price": {"kind": "cash"}}), "'cash'; allowed are boolean"),
        (declare(attributes={"price": {"kind": "money", "unit": "kg"}}), "unit is unknown"),
        (declare(attributes={"price": {"kind": "money", "currency": "usd"}}), "ISO 4217"),
        (
            declare(
                attributes={"price": {"kind": "money", "currency": "USD", "currency_column": "c"}}
            ),
            "keep one of the two",
        ),
        (declare(attributes={"price": {"kind": "money", "minor_units": "yes"}}), "true or false"),
        (declare(attributes={"state": {"kind": "state", "states": ["a"]}}), "must be a table"),
        (
            declare(attributes={"a": {"kind": "text"}, "b": {"kind": "text", "aliases": ["A"]}}),
            "shares the name 'a' with a",
        ),
        (
            declare(attributes={"product_id": {"kind": "text"}}),
            "shares the name 'product_id' with key",
        ),
        ({**declare(), "products": {"table": "p", "key": KEY}}, "also names"),
        (declare(applies={"since": "x"}), r"applies\.since is unknown; allowed are channel"),
        (declare(applies={"valid_from": 5}), r"applies\.valid_from must be text"),
        (declare(describing="colour"), r"describing must be a list"),
        (declare(joins={"maker": {"table": "m"}}), r"joins\.maker\.on is missing"),
        (declare(joins={"maker": {"on": {"id": "maker_id"}}}), r"joins\.maker\.table is missing"),
        (declare(joins={"maker": {"table": "m", "on": {"id": 5}}}), r"on\.id must be text"),
        (declare(parts={"lines": {"of": "line", "on": {"a": "b"}}}), r"of is 'line'; give a type"),
        (declare(parts={"lines": {"of": "product"}}), r"parts\.lines\.on is missing"),
        (
            declare(parts={"lines": {"table": "l", "on": {"a": "b"}, "parts": {}}}),
            "parts is unknown",
        ),
        (declare(attributes={"p": {"kind": "money", "round": -1}}), "whole number from 0 to 12"),
        (declare(attributes={"p": {"kind": "text", "round": 2}}), "round is unknown"),
        (
            declare(
                attributes={"lines": {"kind": "text"}},
                parts={"lines": {"table": "l", "on": {"a": "b"}}},
            ),
            "shares its name with an attribute",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_path(mapping: dict[str, Any], told: str) -> None:
    with pytest.raises(CatalogError, match=told):
        parse_catalog(mapping)


def test_the_digest_names_the_content() -> None:
    one = parse_catalog(declare(names=["name"]))
    assert one.digest == parse_catalog(declare(names=["name"])).digest
    assert one.digest != parse_catalog(declare(names=["title"])).digest
    assert parse_catalog({}).entity_types == ()


@pytest.mark.parametrize(
    ("key", "written", "stored"),
    [
        ("uuid", "0FD372FA-ECB2-4DB0-BB71-8628A784CED9", "0fd372fa-ecb2-4db0-bb71-8628a784ced9"),
        ("uuid", "0fd372faecb24db0bb718628a784ced9", "0fd372fa-ecb2-4db0-bb71-8628a784ced9"),
        (
            "uuid",
            " {0fd372fa-ecb2-4db0-bb71-8628a784ced9} ",
            "0fd372fa-ecb2-4db0-bb71-8628a784ced9",
        ),
        (
            "uuid",
            "urn:uuid:0fd372fa-ecb2-4db0-bb71-8628a784ced9",
            "0fd372fa-ecb2-4db0-bb71-8628a784ced9",
        ),
        (
            "uuid",
            "URN:UUID:0FD372FA-ECB2-4DB0-BB71-8628A784CED9",
            "0fd372fa-ecb2-4db0-bb71-8628a784ced9",
        ),
        ("uuid", "0fd372fa-ecb2-4db0-bb71-8628a784ced", None),
        ("uuid", "оfd372fa-ecb2-4db0-bb71-8628a784ced9", None),
        ("uuid", 5, None),
        ("integer", 5512, "5512"),
        ("integer", "#5512", "5512"),
        ("integer", "5512.0", None),
        ("integer", "007", None),
        ("integer", 2**63, None),
        ("integer", -5, None),
        ("integer", "٣", None),
        ("integer", True, None),
        ("text", "w-1001", "w-1001"),
        ("text", "a\0b", None),
        ("text", "\ud800", None),
        ("text", "x" * 201, None),
        ("text", "  ", None),
        ("text", None, None),
    ],
)
def test_keys(key: str, written: object, stored: str | None) -> None:
    (entity,) = parse_catalog(declare(key={"column": "id", "type": key})).entity_types
    assert find_key(entity, written) == stored


def test_a_pattern_must_match_the_whole_id() -> None:
    key = {"column": "id", "type": "text", "pattern": "W-[0-9]{4}", "case": "upper"}
    (entity,) = parse_catalog(declare(key=key)).entity_types
    assert find_key(entity, "w-1001") == "W-1001"
    assert find_key(entity, "W-10011") is None
    assert find_key(entity, "xW-1001") is None


def attribute(kind: AttributeKind, **told: Any) -> Attribute:
    return Attribute(name="a", column="a", kind=kind, **told)


@pytest.mark.parametrize(
    ("raw", "amount"),
    [
        (49.9, "499/10"),
        ("49.90", "499/10"),
        (" 49.90 ", "499/10"),
        ("$49.90", "499/10"),
        ("49,90 €", "499/10"),
        ("1,299.00 USD", "1299"),
        (0.1, "1/10"),
        ("49.90 or so", None),
        ("cheap", None),
        ("NaN", None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ("", None),
        ([1], None),
        ("1e999999999", None),
        ("9" * 20_000, None),
        ("$5 and $6", None),
    ],
)
def test_money_is_read_exactly_or_not_at_all(raw: object, amount: str | None) -> None:
    value = read_value(attribute(AttributeKind.MONEY), raw)
    assert (str(value.interval.low) if isinstance(value, Quantity) else None) == amount


@pytest.mark.parametrize(
    ("number", "places", "written"),
    [
        ("499/10", 2, "49.90"),
        ("1299", 2, "1299.00"),
        ("1500", 0, "1500"),
        ("12345/1000", 2, "12.345"),
        ("-1/2", 2, "-0.50"),
        ("1/3", 2, "1/3"),
        ("0", 2, "0.00"),
        ("123456789012345678901234567890/100", 2, "1234567890123456789012345678.90"),
    ],
)
def test_decimals_are_written_exactly(number: str, places: int, written: str) -> None:
    from fractions import Fraction

    assert write_decimal(Fraction(number), places) == written


def test_a_column_after_the_name_of_a_join_is_of_its_table() -> None:
    joins = {"maker": {"table": "shop.maker", "on": {"id": "maker_id"}}}
    (entity,) = parse_catalog(declare(joins=joins, names=["maker.title", "a.b"])).entity_types
    join, column = entity.place_column("maker.title")
    assert (join and join.table, column) == (("shop", "maker"), "title")
    assert entity.place_column("a.b") == (None, "a.b")
    assert {"title", "maker_title"} <= entity.name_fields


@pytest.mark.parametrize(
    ("places", "cell", "shown"),
    [
        (2, "1.005", "1.01"),
        (2, "1.004", "1"),
        (2, "-1.005", "-1.01"),
        (0, "1.5", "2"),
        (2, "7", "7"),
    ],
)
def test_a_column_is_rounded_as_prices_are(places: int, cell: str, shown: str) -> None:
    value = read_cell(attribute(AttributeKind.MONEY, currency="EUR", round=places), {"a": cell})
    assert isinstance(value, Quantity)
    assert write_decimal(value.interval.low or 0, 0) == shown  # type: ignore[arg-type]  # a fraction


@pytest.mark.parametrize(("table", "column"), [("_", "price"), ("item", "_"), ("--", "$")])
def test_a_name_without_a_word_is_proposed_as_it_stands(table: str, column: str) -> None:
    columns = (
        ColumnShape(name="id", type="int4", category="N"),
        ColumnShape(name=column, type="int4", category="N"),
    )
    shape = TableShape(table=("shop", table), columns=columns, key=("id",))
    catalog = parse_catalog(propose_catalog([shape]).catalog)
    assert [one.name for one in catalog.entity_types] == [table]
    assert [one.column for one in catalog.entity_types[0].attributes] == [column]


def _column(name: str, type_: str = "text", **told: object) -> ColumnShape:
    category = "S" if type_ == "text" else "N"
    return ColumnShape(name=name, type=type_, category=category, **told)  # type: ignore[arg-type]  # named


def _propose(*tables: TableShape) -> tuple[dict[str, Any], dict[str, str]]:
    proposal = propose_catalog(tables)
    return dict(proposal.catalog), {one.path: one.reason for one in proposal.guesses}


def test_a_reference_that_only_a_name_tells_is_guessed_and_said_to_be() -> None:
    goods = TableShape(
        table=("shop", "products"), columns=(_column("id", "int4"), _column("title")), key=("id",)
    )
    lines = (_column("id", "int4"), _column("product_id", "int8"), _column("colour_id", "int4"))
    shape = TableShape(table=("shop", "cart_lines"), columns=lines, key=("id",))
    catalog, reasons = _propose(goods, shape)
    assert catalog["cart_line"]["joins"] == {
        "product": {"table": "shop.products", "on": {"id": "product_id"}}
    }
    assert "by its name alone" in reasons["catalog.cart_line.joins.product"]


@pytest.mark.parametrize(
    ("column", "table", "key"),
    [
        ("product_id", "products", "uuid"),  # a key of another type
        ("product", "products", "int4"),  # no id
        ("id", "products", "int4"),  # its own
        ("products_id", "products", "int4"),  # not the word for one row
    ],
)
def test_no_reference_is_guessed_from_less(column: str, table: str, key: str) -> None:
    named = ColumnShape(name="id", type=key, category="U" if key == "uuid" else "N")
    goods = TableShape(table=("shop", table), columns=(named, _column("title")), key=("id",))
    lines = (_column("no", "int4"), _column(column, "int4"))
    catalog, _ = _propose(
        goods, TableShape(table=("shop", "cart_lines"), columns=lines, key=("no",))
    )
    assert "joins" not in catalog["cart_line"]


def test_flags_codes_stocks_and_numbers_of_rows_are_guessed() -> None:
    ids = tuple(f"{name}_{number}" for name, number in (("li", 17), ("kovacs", 3261), ("ito", 9)))
    shape = TableShape(
        table=("shop", "goods"),
        columns=(
            _column("code", samples=ids),
            _column("Discontinued", samples=("0", "1"), few=True),
            _column("tracking_id"),
            _column("units_in_stock", "int4"),
        ),
        key=("code",),
    )
    part = TableShape(
        table=("shop", "good_notes"),
        columns=(_column("code"), _column("note_no", "int4"), _column("pages", "int4")),
        key=("code", "note_no"),
        references=(Reference(columns=("code",), table=("shop", "goods"), to=("code",)),),
    )
    catalog, _ = _propose(shape, part)
    good = catalog["good"]
    assert good["key"]["pattern"] == "[a-z]+_[0-9]+"
    assert good["attributes"]["discontinued"]["states"] == {
        "1": ["discontinued"],
        "0": ["not discontinued"],
    }
    assert good["attributes"]["tracking_id"]["labels"] == ["tracking number", "tracking id"]
    assert good["attributes"]["units_in_stock"]["labels"] == ["units in stock", "in stock"]
    assert set(good["parts"]["notes"]["attributes"]) == {"pages"}


def test_the_key_of_a_kind_of_customer_tells_no_owner() -> None:
    columns = (_column("customer_type_id"), _column("description"))
    shape = TableShape(table=("shop", "demographics"), columns=columns, key=("customer_type_id",))
    catalog, _ = _propose(shape)
    assert "scope" not in catalog["demographic"]
