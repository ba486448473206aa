"""The retail shop's tables while conversations change them: what calls did is written, and taken back."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from casework.retail_rows import order_tables, read_json, user_row
from casework.shops import insert_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import asyncpg

_SCHEMA: Final = "retail"
_CHANGING: Final = ("modify_", "cancel_", "return_", "exchange_")
_BY_OWNER: Final = ("fulfillments", "payments", "order_items")  # before the orders they refer to


class ChangingTables:
    """The tables during one conversation after the other. Not frozen: it knows what to take back.

    `changed` names each order and user that the present conversation changed, with the last call that did.
    Where `follows` is false the tables stay as they were before, as those of a replica that lags behind.
    """

    def __init__(self, connection: asyncpg.Connection, folder: Path, *, follows: bool) -> None:
        self._connection = connection
        self._orders: Mapping[str, Any] = read_json(folder / "orders.json")
        self._users: Mapping[str, Any] = read_json(folder / "users.json")
        self._follows = follows
        self._conversation = ""
        self._seen: set[str] = set()
        self.changed: dict[str, str] = {}

    async def follow(self, conversation: str, calls: Sequence[Mapping[str, Any]]) -> None:
        """Bring the tables to where the calls of a conversation, made in this order, have brought them."""
        if conversation != self._conversation:
            await self.restore()
            self._conversation = conversation
        for call in calls:
            if call["id"] not in self._seen and call["result"] is not None:
                self._seen.add(call["id"])
                await self._apply(call)

    async def restore(self) -> None:
        """Bring the tables back to where they were before any conversation."""
        if self._follows:
            for key in self.changed:
                await self._put(key, self._orders.get(key), self._users.get(key))
        self._seen.clear()
        self.changed.clear()

    async def _apply(self, call: Mapping[str, Any]) -> None:
        if not call["ok"] or not str(call["tool"]).startswith(_CHANGING):
            return
        record = json.loads(call["result"], parse_float=Decimal)
        is_order = "order_id" in record
        key = record["order_id" if is_order else "user_id"]
        self.changed[key] = call["tool"]
        if self._follows:
            await self._put(key, record if is_order else None, None if is_order else record)

    async def _put(
        self, key: str, order: Mapping[str, Any] | None, user: Mapping[str, Any] | None
    ) -> None:
        async with self._connection.transaction():
            if user is not None:
                row = user_row(key, user)
                await self._connection.execute(
                    "UPDATE retail.users SET city = $2, state = $3, zip = $4 WHERE user_id = $1",
                    *(row[name] for name in ("user_id", "city", "state", "zip")),
                )
            if order is not None:
                await self._put_order(key, order)

    async def _put_order(self, key: str, order: Mapping[str, Any]) -> None:
        for table in _BY_OWNER:
            await self._connection.execute(
                f"DELETE FROM {_SCHEMA}.{table} WHERE order_id = $1",  # noqa: S608 -- a constant
                key,
            )
        rows = order_tables({key: order})
        own = rows.pop("orders")[0]
        await self._connection.execute(
            "UPDATE retail.orders SET status = $2, city = $3, zip = $4 WHERE order_id = $1",
            *(own[name] for name in ("order_id", "status", "city", "zip")),
        )
        for table, listed in rows.items():
            await insert_rows(self._connection, (_SCHEMA, table), listed)
