"""The server answers as its OpenAPI description says, whatever is sent within and beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.acceptance.serving import EVERY_RIGHT, RETURNS, Server, add_key, serve, shop
from verifier.interfaces.web.app import create_app
from verifier.interfaces.web.examples import EXAMPLES
from verifier.interfaces.web.results import RESULTS
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.embedded import EmbeddedPostgres

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
FUZZED_WITHIN_S = 45
BY_THE_SCHEMA_ALONE = "positive_data_acceptance"
"""What a schema can't say is refused, too, such as a `rerank` below `k`."""


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return create_app(load_settings(None, data_dir=Path("unused"))).openapi()


@pytest.fixture(scope="module")
def server(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Server]:
    with shop(embedded, migrated_template) as command:
        settings = command.folder / "verifier.toml"
        unbounded = "\n[server]\nkey_rate = 100000\nkey_burst = 100000\n"
        settings.write_text(settings.read_text(encoding="utf-8") + unbounded, encoding="utf-8")
        with serve(command) as running:
            yield running


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_operation_is_described_whole(described: dict[str, Any]) -> None:
    assert described["openapi"].startswith("3.1")
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    named = {operation["operationId"] for _, _, operation in operations(described)}
    assert set(RESULTS) <= named
    assert set(EXAMPLES) <= named
    for path, _, operation in operations(described):
        if not path.startswith("/v1"):
            continue
        assert operation["security"] == [{"key": []}], path
        assert operation["description"], path
        assert operation["responses"]["200"]["content"], path
        told = set(operation["responses"])
        assert {"400", "401", "403", "404", "409", "413", "422", "429", "500", "503"} <= told, path
        for content in operation.get("requestBody", {}).get("content", {}).values():
            assert "example" in content or "multipart" in str(operation["requestBody"]), path


def test_the_command_prints_it(server: Server, described: dict[str, Any]) -> None:
    printed = server.command("openapi", "--json").values[0]
    served = httpx.get(f"{server.url}/openapi.json", timeout=30).json()
    assert printed == served
    assert json.loads(server.command("openapi").out) == served
    assert set(served["paths"]) == set(described["paths"])


@pytest.mark.parametrize(
    ("phases", "left_out"),
    [
        ("examples,coverage", BY_THE_SCHEMA_ALONE),
        ("fuzzing", f"{BY_THE_SCHEMA_ALONE},negative_data_rejection"),  # drawn anew by each change
    ],
)
def test_no_request_makes_it_answer_otherwise(server: Server, phases: str, left_out: str) -> None:
    secret = add_key(server.command, f"operator of {phases}", rights=EVERY_RIGHT)
    with server.client(secret) as client:
        body = {"source": "handbook/returns.md", "text": RETURNS}
        assert client.post("/v1/sources/text", json=body).status_code == 200
    ended = subprocess.run(
        [
            *(str(SCHEMATHESIS), "run", f"{server.url}/openapi.json"),
            *("--header", f"Authorization: Bearer {secret}", "--no-color"),
            *("--phases", phases, "--max-examples", "5", "--workers", "2"),
            *("--max-time", str(FUZZED_WITHIN_S), "--checks", "all"),
            *("--exclude-checks", left_out, "--seed", "9"),
            *("--continue-on-failure", "--no-shrink", "--output-sanitize", "false"),
        ],
        cwd=server.command.folder,
        capture_output=True,
        text=True,
        timeout=8 * FUZZED_WITHIN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-20_000:] + ended.stderr[-2_000:]
    assert server.process.poll() is None
    assert "passed" in ended.stdout
