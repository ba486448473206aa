"""Settings: who wins, and what a wrong one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.catalog import parse_catalog
from verifier.errors import SettingsError
from verifier.server_settings import ServerSettings
from verifier.settings import Settings, load_settings

SECRET = "pa55-w0rd"  # noqa: S105 -- no secret, but looked for in messages


@pytest.fixture(autouse=True)
def _clean_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("DSN", "TENANT", "CONFIG", "DATA_DIR"):
        monkeypatch.delenv(f"VERIFIER_{variable}", raising=False)


def write(toml: str, name: str = "verifier.toml") -> Path:
    path = Path(name)
    path.write_text(toml, encoding="utf-8")
    return path


def test_without_anything_the_embedded_server_is_meant() -> None:
    settings = load_settings()
    assert settings.dsn is None
    assert settings.tenant == "default"
    assert settings.data_dir.name == "grounding-verifier"


def test_option_beats_variable_beats_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write('tenant = "file"\nmodel = "file"\nlog_level = "INFO"')
    monkeypatch.setenv("VERIFIER_TENANT", "variable")
    monkeypatch.setenv("VERIFIER_MODEL", "variable")
    settings = load_settings(tenant="option", model=None)
    assert (settings.tenant, settings.model, settings.log_level) == ("option", "variable", "info")


def test_variable_reaches_into_a_table_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write('[databases.shop]\ndsn = "postgresql://h/shop"\ntimeout_s = 2')
    monkeypatch.setenv("VERIFIER_DATABASES__SHOP__TIMEOUT_S", "3.5")
    shop = load_settings().databases["shop"]
    assert shop.timeout_s == 3.5
    assert shop.dsn.get_secret_value() == "postgresql://h/shop"


def test_file_is_named_by_argument_else_by_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    write('tenant = "here"')
    monkeypatch.setenv("VERIFIER_CONFIG", str(write('tenant = "variable"', "other.toml")))
    assert load_settings().tenant == "variable"
    assert load_settings(write('tenant = "named"', "third.toml")).tenant == "named"


def test_settings_are_frozen_and_keep_secrets() -> None:
    settings = load_settings(dsn=f"postgresql://u:{SECRET}@h/d")
    assert SECRET not in repr(settings) + str(settings) + settings.model_dump_json()
    with pytest.raises(ValueError, match="frozen"):
        setattr(settings, "tenant", "other")  # noqa: B010 -- what a checker would forbid


FAULTS = [
    ("unknown key", 'dns = "x"', r"verifier\.toml: dns: no such setting; did you mean dsn\?"),
    ("key like no other", "zzz = 1", r"zzz: no such setting; there are .*tenant"),
    (
        "wrong scheme",
        f'dsn = "mysql://u:{SECRET}@h"',
        r"dsn: allowed is a URL such as postgresql://",
    ),
    ("not TOML", "tenant =", r"verifier\.toml: not valid TOML"),
    ("blank tenant", 'tenant = " "', r"tenant: allowed is a text that is not blank"),
    ("tenant with NUL", 'tenant = "a\\u0000"', r"tenant: allowed"),
    ("number as tenant", "tenant = 5", r"tenant: Input should be a valid string"),
    ("unknown level", 'log_level = "loud"', r"log_level: .*'debug', 'info', 'warning' or 'error'"),
    ("not a number", 'pool_max_size = "many"', r"pool_max_size: .*integer"),
    ("not finite", "connect_timeout_s = nan", r"connect_timeout_s: .*finite"),
    ("no time at all", "statement_timeout_s = 0", r"statement_timeout_s: .*greater than 0"),
    ("pool upside down", "pool_min_size = 9\npool_max_size = 2", r"pool_min_size is greater"),
    ("database without dsn", "[databases.shop]", r"databases\.shop\.dsn: is missing"),
    (
        "unknown key of a database",
        '[databases.shop]\ndsn = "postgresql://h/s"\nuser = "x"',
        r"user: no such",
    ),
    ("table for a value", "[tenant]\nname = 1", r"tenant: "),
    ("value for a table", "databases = 3", r"databases: "),
]


@pytest.mark.parametrize(
    ("toml", "message"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS]
)
def test_fault_in_the_file_names_file_key_and_what_is_allowed(toml: str, message: str) -> None:
    write(toml)
    with pytest.raises(SettingsError, match=message) as raised:
        load_settings()
    assert SECRET not in str(raised.value)


def test_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml: No such file.*verifier init"):
        load_settings(Path("nowhere.toml"))


def test_file_that_is_no_text_is_named() -> None:
    Path("verifier.toml").write_bytes(b"tenant = '\xff\xfe'")
    with pytest.raises(SettingsError, match=r"verifier\.toml: not UTF-8"):
        load_settings()


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("VERIFIER_DNS", "x", r"VERIFIER_DNS: no such setting; did you mean VERIFIER_DSN"),
        (
            "VERIFIER_DSN",
            f"mysql://{SECRET}",
            r"environment variable VERIFIER_DSN: allowed is a URL",
        ),
        ("VERIFIER_POOL_MAX_SIZE", "x", r"environment variable VERIFIER_POOL_MAX_SIZE: .*integer"),
        ("VERIFIER_DATABASES", "{x", r"environment: .*databases"),
    ],
)
def test_fault_in_a_variable_names_it(
    monkeypatch: pytest.MonkeyPatch, variable: str, text: str, message: str
) -> None:
    monkeypatch.setenv(variable, text)
    with pytest.raises(SettingsError, match=message) as raised:
        load_settings()
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("folder", ["", " ", "a\x00b", "~nobody.here/x"])
def test_a_data_folder_that_is_none_is_refused(folder: str) -> None:
    with pytest.raises(SettingsError, match="data-dir: allowed is a path"):
        load_settings(data_dir=folder)


def test_fault_in_an_option_names_it() -> None:
    with pytest.raises(SettingsError, match=r"option --dsn: allowed is a URL") as raised:
        load_settings(dsn=f"http://{SECRET}")
    assert SECRET not in str(raised.value)


def test_template_lists_every_setting_with_its_default(tmp_path: Path) -> None:
    from importlib.resources import files

    template = (
        files("verifier.interfaces.cli").joinpath("settings_template.toml").read_text("utf-8")
    )
    assert load_settings(write(template)) == load_settings()
    lines = [
        line.removeprefix("# ")
        for line in template.splitlines()
        if " = " in line or line.startswith("# [")
    ]
    settings = load_settings(write("\n".join(lines), "uncommented.toml"))
    parsed = parse_catalog(settings.catalog)
    assert [entity.name for entity in parsed.entity_types] == ["product", "order"]
    assert {entity.database for entity in parsed.entity_types} == set(settings.databases)
    fresh = load_settings(tmp_path / "verifier.toml")
    told = {line.partition(" =")[0] for line in lines} | {"databases", "catalog", "server"}
    assert {*Settings.model_fields, *ServerSettings.model_fields} <= told
    for name in set(Settings.model_fields) - {
        "dsn",
        "databases",
        "catalog",
        "data_dir",
        "review_days",
        "next_model",
        "answer_log_days",
        "language",
        "reranker",
    }:
        assert getattr(settings, name) == getattr(fresh, name), name
