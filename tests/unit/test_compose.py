"""The Compose file and what can be proved of it without a container engine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from verifier.interfaces.cli.app import app
from verifier.settings import load_settings

ROOT = Path(__file__).parents[2]
REQUIRED_VARIABLE = re.compile(r"\$\{(?P<name>[A-Z_]+)(?P<rule>:[?-][^}]*)?\}")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_only_known_keys_are_used(compose: dict[str, Any]) -> None:
    assert {key for key in compose if not key.startswith("x-")} == {"name", "services", "volumes"}
    known = {
        "build",
        "cap_drop",
        "command",
        "depends_on",
        "environment",
        "healthcheck",
        "image",
        "read_only",
        "restart",
        "security_opt",
        "tmpfs",
        "volumes",
    }
    for name, service in compose["services"].items():
        assert set(service) <= known, name


def test_the_database_is_pgvector_pinned_with_volume_and_health(compose: dict[str, Any]) -> None:
    database = compose["services"]["database"]
    assert re.fullmatch(r"pgvector/pgvector:\d+\.\d+\.\d+-pg\d+", database["image"])
    assert database["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    for mount in database["volumes"]:
        assert mount.partition(":")[0] in compose["volumes"]


def test_the_application_waits_for_health_and_schema(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["migrate"]["depends_on"]["database"]["condition"] == "service_healthy"
    assert services["app"]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)


def test_no_secret_is_written_down(compose: dict[str, Any]) -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    for found in REQUIRED_VARIABLE.finditer(text):
        if "PASSWORD" in found["name"]:
            assert (found["rule"] or "").startswith(":?"), found[0]
    for service in compose["services"].values():
        for name, setting in service.get("environment", {}).items():
            if "PASSWORD" in name:
                assert setting.startswith("${")
    without = REQUIRED_VARIABLE.sub("", text)
    assert not re.search(r"(?i)password\s*[:=]\s*[\"']?\w", without)


def test_the_start_commands_are_commands(compose: dict[str, Any]) -> None:
    from typer.main import get_command

    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert 'ENTRYPOINT ["verifier"]' in dockerfile
    for name in ("migrate", "app"):
        command: Any = get_command(app)
        for word in compose["services"][name]["command"]:
            command = command.commands[word]


def test_the_environment_is_one_that_settings_take(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, setting in compose["services"]["app"]["environment"].items():
        filled = REQUIRED_VARIABLE.sub(
            lambda found: "pw1" if "?" in (found["rule"] or "") else (found["rule"] or "")[2:],
            setting,
        )
        monkeypatch.setenv(name, filled)
    settings = load_settings()
    assert settings.dsn is not None
    assert settings.dsn.get_secret_value() == "postgresql://verifier:pw1@database:5432/verifier"
    assert settings.tenant == "default"


def test_the_image_copies_what_the_package_is_built_from() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for line in dockerfile.splitlines():
        if line.startswith("COPY") and "--from" not in line:
            for name in line.split()[1:-1]:
                assert (ROOT / name).exists(), name
    assert "USER verifier" in dockerfile
