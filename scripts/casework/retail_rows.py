"""The retail shop's public records as rows of its tables."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def read_retail(folder: Path) -> dict[str, Iterable[Mapping[str, Any]]]:
    """Return the rows of every table, those before that others refer to."""
    products, orders, users = (
        read_json(folder / f"{name}.json") for name in ("products", "orders", "users")
    )
    items = [one for product in products.values() for one in product["variants"].values()]
    owner = {
        item: product["product_id"] for product in products.values() for item in product["variants"]
    }
    options = sorted({_column(name) for item in items for name in item["options"]})
    return {
        "users": [user_row(key, one) for key, one in users.items()],
        "products": [
            {"product_id": one["product_id"], "name": one["name"]} for one in products.values()
        ],
        "items": [_item(one, owner[one["item_id"]], options) for one in items],
        **order_tables(orders),
    }


def order_tables(orders: Mapping[str, Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every table that orders are told by."""
    return {
        "orders": [_order(one) for one in orders.values()],
        "order_items": _lines(orders),
        "payments": _payments(orders),
        "fulfillments": [
            {"order_id": one["order_id"], "tracking_id": tracking}
            for one in orders.values()
            for fulfillment in one["fulfillments"]
            for tracking in fulfillment["tracking_id"]
        ],
    }


def user_row(key: str, one: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a user."""
    address = one["address"]
    return {
        "user_id": key,
        "name": f"{one['name']['first_name']} {one['name']['last_name']}",
        "email": one["email"],
        "city": address["city"],
        "state": address["state"],
        "zip": address["zip"],
    }


def _item(one: Mapping[str, Any], product: str, options: Sequence[str]) -> dict[str, Any]:
    told = {_column(name): value for name, value in one["options"].items()}
    return {
        "item_id": one["item_id"],
        "product_id": product,
        "price": one["price"],
        "available": one["available"],
        **{name: told.get(name) for name in options},
    }


def _order(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "order_id": one["order_id"],
        "user_id": one["user_id"],
        "status": one["status"],
        "city": one["address"]["city"],
        "zip": one["address"]["zip"],
    }


def _lines(orders: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"line_no": at, "order_id": one["order_id"]}
        | {name: item[name] for name in ("item_id", "product_id", "price")}
        for one in orders.values()
        for at, item in enumerate(one["items"], 1)
    ]


def _payments(orders: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "order_id": one["order_id"],
            "payment_no": at,
            "transaction_type": paid["transaction_type"],
            "amount": paid["amount"],
            "payment_method_id": paid["payment_method_id"],
        }
        for one in orders.values()
        for at, paid in enumerate(one["payment_history"], 1)
    ]


def _column(name: str) -> str:
    """Return an option's name as a column: "screen size", "bagged/bagless", "RAM"."""
    return name.replace(" ", "_").replace("/", "_or_").casefold()


def read_json(file: Path) -> Any:  # noqa: ANN401 -- a JSON value
    """Return what a file holds; decimal numbers keep their digits."""
    return json.loads(file.read_text("utf-8"), parse_float=Decimal)
