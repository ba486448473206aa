"""`verifier catalog`: a proposal of live tables that fits them, its check, and what is compared of a row."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conftest import run as run_async
from verifier.interfaces.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Database

TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TYPE shop.size AS ENUM ('small', 'large')",
    "CREATE TABLE shop.customers (id integer PRIMARY KEY, full_name text, tenant_id text)",
    "CREATE TABLE shop.products (id uuid PRIMARY KEY, title text, deleted_at timestamptz, notes jsonb)",
    """CREATE TABLE shop.variants (
           sku text PRIMARY KEY, product_id uuid REFERENCES shop.products, size shop.size, colour text,
           price_cents integer, currency text, weight_kg numeric, available boolean)""",
    "CREATE INDEX ON shop.variants (product_id)",
    """CREATE TABLE shop.orders (
           id bigint PRIMARY KEY, customer_id integer REFERENCES shop.customers, discount_pct numeric,
           status text CHECK (status IN ('open', 'paid')), placed_at timestamptz, total_eur numeric)""",
    """CREATE TABLE shop."order lines" (
           order_id bigint REFERENCES shop.orders, line_no integer, sku text REFERENCES shop.variants,
           quantity integer, PRIMARY KEY (order_id, line_no))""",
    "CREATE TABLE shop.log (entry text)",
    "INSERT INTO shop.customers VALUES (1, 'Mira Holm', 'default'), (2, 'Jon Berg', 'default')",
    "INSERT INTO shop.products VALUES ('0fd372fa-ecb2-4db0-bb71-8628a784ced9', 'Tea Kettle')",
    """INSERT INTO shop.variants SELECT 'KT-' || n, '0fd372fa-ecb2-4db0-bb71-8628a784ced9', 'small',
              (ARRAY['red', 'blue', 'green'])[n - 99], 1000 + n, 'EUR', 1.5, true
         FROM generate_series(100, 102) AS n""",
    "INSERT INTO shop.orders VALUES (7, 1, 5, 'paid', '2026-03-01T12:00:00Z', 11.00)",
    """INSERT INTO shop."order lines" VALUES (7, 1, 'KT-100', 1)""",
)
KEYS = {"customer": "id", "product": "id", "variant": "sku", "order": "id"}


@pytest.fixture
def shop(empty_database: Database) -> Database:
    run_async(empty_database.execute(*TABLES))
    return empty_database


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run(arguments)
    return code, capsys.readouterr().out


def inspect(shop: Database, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    _, printed = call(capsys, "catalog", "inspect", "--schema", "shop", "--dsn", shop.owner_dsn)
    catalog: dict[str, Any] = tomllib.loads(printed)["catalog"]
    return catalog


def write(folder: Path, shop: Database, printed: str) -> str:
    file = folder / "verifier.toml"
    file.write_text(f'dsn = "{shop.owner_dsn}"\n{printed}', "utf-8")
    return str(file)


def test_types_keys_and_their_kinds(shop: Database, capsys: pytest.CaptureFixture[str]) -> None:
    catalog = inspect(shop, capsys)
    assert {name: one["key"]["column"] for name, one in catalog.items()} == KEYS
    assert catalog["variant"]["key"]["pattern"] == "KT-[0-9]{3}"
    assert catalog["product"]["names"] == ["title"]
    assert catalog["product"]["visible"] == {"column": "deleted_at", "is": "null"}
    assert catalog["customer"]["scope"] == {"id": "principal"}
    assert catalog["order"]["scope"] == {"customer_id": "principal"}
    attributes = catalog["order"]["attributes"]
    assert attributes["status"] == {"kind": "state", "states": {"open": [], "paid": []}}
    assert attributes["placed_at"] == {"kind": "date"}
    assert attributes["total_eur"] == {"kind": "money", "currency": "EUR"}
    assert attributes["discount_pct"] == {"kind": "quantity", "unit": "%"}
    assert catalog["order"]["parts"]["lines"]["table"] == "shop.order lines"


def test_variants_belong_to_what_names_them(
    shop: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = inspect(shop, capsys)
    variant = catalog["variant"]
    assert variant["names"] == ["product.title"]
    assert variant["joins"]["product"] == {"table": "shop.products", "on": {"id": "product_id"}}
    assert set(variant["describing"]) == {"colour"}
    assert variant["attributes"]["price"]["minor_units"] is True
    assert variant["attributes"]["price"]["currency_column"] == "currency"
    assert variant["attributes"]["weight_kg"] == {"kind": "quantity", "unit": "kg"}
    assert variant["attributes"]["size"]["states"] == {"small": [], "large": []}
    assert catalog["product"]["parts"]["variants"] == {"of": "variant", "on": {"product_id": "id"}}


def test_every_guess_and_what_is_left_out_has_a_reason(
    shop: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = call(
        capsys, "--json", "catalog", "inspect", "--schema", "shop", "--dsn", shop.owner_dsn
    )
    told = json.loads(printed)
    assert code == 0
    paths = {one["path"] for one in told["guesses"]}
    assert {"catalog.variant.key", "catalog.order.scope", "catalog.order.parts.lines"} <= paths
    left = {one["path"]: one["reason"] for one in told["left_out"]}
    assert left["shop.log"] == "it has no key of one column"
    assert "jsonb" in left["catalog.product.attributes.notes"]


def test_the_proposal_fits_the_tables_and_then_does_not(
    shop: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed = call(capsys, "catalog", "inspect", "--schema", "shop", "--dsn", shop.owner_dsn)
    config = write(tmp_path, shop, printed)
    code, checked = call(capsys, "catalog", "check", "--config", config)
    assert (code, checked.count("✓")) == (0, 4)
    run_async(shop.execute("ALTER TABLE shop.orders RENAME status TO state"))
    code, checked = call(capsys, "catalog", "check", "--config", config)
    assert code == 1
    assert "has no column 'status'" in " ".join(checked.split())
    code, told = call(capsys, "--json", "catalog", "check", "--config", config)
    problems = {one["name"]: one["problems"] for one in json.loads(told)}
    assert code == 1
    assert [name for name, found in problems.items() if found] == ["order"]


def test_a_row_is_shown_to_its_owner_alone(
    shop: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed = call(capsys, "catalog", "inspect", "--schema", "shop", "--dsn", shop.owner_dsn)
    config = write(tmp_path, shop, printed)
    common = ("--json", "catalog", "explain", "--config", config, "#7")

    def orders(*arguments: str) -> dict[str, Any]:
        code, told = call(capsys, *common, *arguments)
        order: dict[str, Any] = next(one for one in json.loads(told) if one["entity"] == "order")
        assert code == (0 if order["state"] == "found" else 1)
        return order

    own = orders("--principal", "1")
    assert (own["state"], own["parts"]) == ("found", {"lines": 1})
    columns = {one["attribute"]: one["value"] for one in own["columns"]}
    assert columns["total_eur"] == "11.00 EUR"
    assert orders("--principal", "2")["state"] == "not found, as far as this turn may see"
    assert orders()["state"] == "only seen with a principal; tell one"


def test_an_id_of_no_type_and_a_schema_without_tables_are_told(
    shop: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed = call(capsys, "catalog", "inspect", "--schema", "shop", "--dsn", shop.owner_dsn)
    config = write(tmp_path, shop, printed)
    assert call(capsys, "catalog", "explain", "no id", "--config", config)[0] == 2
    assert call(capsys, "catalog", "inspect", "--dsn", shop.owner_dsn)[0] == 2
    assert call(capsys, "catalog", "check", "--config", config)[0] == 0
    text = (tmp_path / "verifier.toml").read_text("utf-8").replace(shop.name, "gone")
    (tmp_path / "verifier.toml").write_text(text, "utf-8")
    code, told = call(capsys, "catalog", "check", "--config", config)
    assert (code, told.count("✗")) == (1, 4)
