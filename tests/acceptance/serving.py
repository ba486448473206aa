"""A server as a person starts it, the keys it takes, and the client that asks it."""

from __future__ import annotations

import json
import signal
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from tests.acceptance.conftest import Command
from tests.integration.conftest import drop_database, make_database, run

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from verifier.embedded import EmbeddedPostgres

SCOPES = ("search", "verify", "ingest", "review", "admin")
ENDS_WITHIN_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server, and the command that works on the same database."""

    url: str
    command: Command
    process: subprocess.Popen[bytes]

    @contextmanager
    def client(self, key: str | None) -> Iterator[httpx.Client]:
        """Yield a client that sends the key."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=120) as client:
            yield client

    def end(self) -> int:
        """Tell the server to end, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=ENDS_WITHIN_S)


@contextmanager
def serve(command: Command, *options: str, verb: tuple[str, ...] = ("serve",)) -> Iterator[Server]:
    """Yield a server of the command's database on a free port, and end it."""
    process = command.start(*verb, "--port", "0", "--json", *options)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert process.stderr is not None
    told: list[bytes] = []
    reader = threading.Thread(target=lambda: told.extend(process.stderr or ()), daemon=True)
    reader.start()
    if not line:
        process.wait(timeout=ENDS_WITHIN_S)
        reader.join(timeout=5)
        raise AssertionError(b"".join(told).decode())
    try:
        yield Server(url=json.loads(line)["url"], command=command, process=process)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=ENDS_WITHIN_S)
        reader.join(timeout=5)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def add_key(
    command: Command, name: str, *scopes: str, rights: tuple[str, ...] = (), tenant: str = "default"
) -> str:
    """Return the secret of a new key; of every scope where none is named."""
    asked = [option for scope in scopes or SCOPES for option in ("--scope", scope)]
    ended = command("keys", "add", name, *asked, *rights, "--tenant", tenant, "--json")
    assert ended.code == 0, ended.err
    secret = ended.values[0]["secret"]
    assert isinstance(secret, str)
    return secret


CATALOG = """
[catalog.product]
table = "served.product"
names = ["name"]
key = { column = "sku", type = "text", pattern = "LAMP-[0-9]+" }

[catalog.product.attributes.price]
kind = "money"
currency = "USD"
labels = ["price", "costs"]

[catalog.order]
table = "served.orders"
key = { column = "id", type = "text", pattern = "W-[0-9]+" }
scope = { customer = "principal" }

[catalog.order.attributes.status]
kind = "state"
states = { shipped = [], delivered = [] }
"""
TABLES = (
    "CREATE SCHEMA served",
    "CREATE TABLE served.product (sku text PRIMARY KEY, name text, price numeric)",
    "INSERT INTO served.product VALUES ('LAMP-1', 'Desk lamp', 49.90), ('LAMP-2', 'Floor lamp', 89.50)",
    "CREATE TABLE served.orders (id text PRIMARY KEY, customer text, status text)",
    "INSERT INTO served.orders VALUES ('W-1', 'u1', 'shipped'), ('W-2', 'u2', 'delivered')",
    "GRANT USAGE ON SCHEMA served TO PUBLIC",
    "GRANT SELECT ON ALL TABLES IN SCHEMA served TO PUBLIC",
)
RETURNS = (
    "# Returns\n\n## Period\n\nGoods may be returned within 30 days of delivery.\n\n"
    "## Fee\n\nThe return fee is $12.00.\n"
)
EVERY_RIGHT = ("--may-act-for-principals", "--may-supply-calls")


@contextmanager
def shop(embedded: EmbeddedPostgres, template: str) -> Iterator[Command]:
    """Yield a command on a database of its own, with canonical tables and a catalog of them."""
    database = make_database(embedded, template=template)
    run(database.execute(*TABLES))
    with tempfile.TemporaryDirectory(prefix="verifier-") as folder:
        (Path(folder) / "verifier.toml").write_text(CATALOG, encoding="utf-8")
        yield Command(folder=Path(folder), options=("--dsn", database.app_dsn))
    drop_database(embedded, database)
