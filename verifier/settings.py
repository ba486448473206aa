"""The settings of one process: from the command line, the environment and `verifier.toml`, read once.

Precedence, highest first: what the caller passes, `VERIFIER_*` variables (`VERIFIER_DSN`,
`VERIFIER_DATABASES__SHOP__DSN`), the file, the defaults. The file is the one named by the caller, else by
`VERIFIER_CONFIG`, else `verifier.toml` in the working directory if there is one. Nothing else reads either.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic_settings import BaseSettings, InitSettingsSource, SettingsConfigDict

from verifier.core.spaces import DEFAULT_MODEL
from verifier.errors import SettingsError
from verifier.server_settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails
    from pydantic_settings import PydanticBaseSettingsSource

DEFAULT_FILE: Final = Path("verifier.toml")
_PREFIX: Final = "VERIFIER_"
_CONFIG_VARIABLE: Final = "VERIFIER_CONFIG"
_TEST_VARIABLES: Final = frozenset({"VERIFIER_SHARED_DATA"})
_SCHEMES: Final = ("postgresql://", "postgres://")


def default_data_dir() -> Path:
    """Return the folder of the embedded server and its files: under the user's data folder."""
    import platformdirs

    return Path(platformdirs.user_data_dir("grounding-verifier", appauthor=False))


def _check_dsn(dsn: SecretStr) -> SecretStr:
    if not dsn.get_secret_value().startswith(_SCHEMES):
        raise ValueError("a URL such as postgresql://user@host:5432/database")
    return dsn


def _named(path: object) -> object:
    if not str(path).strip() or "\x00" in str(path):
        raise ValueError("a path that is not blank")
    return path


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise ValueError("a path whose home folder is known") from None


def _not_blank(text: str) -> str:
    if not text.strip() or "\x00" in text:
        raise ValueError("a text that is not blank")
    return text


Dsn = Annotated[SecretStr, AfterValidator(_check_dsn)]
Name = Annotated[str, AfterValidator(_not_blank)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


Held = Literal["rejected", "review", "unchecked"]


class CanonicalDatabase(BaseModel):
    """A database of canonical tables outside the store; its role should not be able to write."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dsn: Dsn
    timeout_s: Seconds = 5.0


class Settings(BaseSettings):
    """What one process was told. Without a `dsn` the embedded server under `data_dir` is used.

    `databases` names canonical databases for the catalog; `catalog` is the raw table of the file.
    `answer_log` says whether reports are kept, and whether with their texts, `answer_log_days` what is old
    (`verifier answers sweep` removes it); `policy` what becomes of answers, `hold` which dispositions
    stop them. `check_ledger_against_database` trusts no tool result where a table can tell. `model` is a
    model's name or the path of its folder, `next_model` that of a space being built, which ingests write
    too; `embedding_backend` is what runs them. `reranker` is the cross-encoder that puts hits in order where
    a search asks for it. `language` is that of sources whose metadata name none;
    without it they are English.
    """

    model_config = SettingsConfigDict(
        extra="forbid", frozen=True, env_prefix=_PREFIX, env_nested_delimiter="__"
    )

    dsn: Dsn | None = None
    data_dir: Annotated[Path, BeforeValidator(_named), AfterValidator(_absolute)] = Field(
        default_factory=default_data_dir
    )
    tenant: Name = "default"
    model: Name = DEFAULT_MODEL
    next_model: Name | None = None
    embedding_backend: Literal["torch", "onnx"] = "torch"
    reranker: Name | None = None
    language: Name | None = None
    pool_min_size: int = Field(default=1, ge=0, le=1_000)
    pool_max_size: int = Field(default=8, ge=1, le=1_000)
    connect_timeout_s: Seconds = 10.0
    statement_timeout_s: Seconds = 30.0
    canonical_timeout_s: Seconds = 5.0
    answer_log: Literal["store", "redacted", "off"] = "store"
    answer_log_days: int | None = Field(default=None, ge=1, le=36_500)
    policy: Literal["off", "annotate", "correct", "hold"] = "off"
    hold: tuple[Held, ...] = Field(default=("rejected",), min_length=1)
    check_ledger_against_database: bool = False
    fetch_urls: Literal["off", "public"] = "off"
    ingest_jobs: int = Field(default=2, ge=1, le=64)
    max_document_bytes: int = Field(default=50_000_000, ge=1, le=1_000_000_000)
    max_document_pages: int = Field(default=1_000, ge=1, le=100_000)
    max_document_seconds: Seconds = 60.0
    max_document_memory_mb: int = Field(default=2_048, ge=256, le=1_000_000)
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        BeforeValidator(lambda level: level.lower() if isinstance(level, str) else level),
    ] = "warning"
    server: ServerSettings = Field(default_factory=ServerSettings)
    databases: dict[str, CanonicalDatabase] = Field(default_factory=dict)
    catalog: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put the file's table, passed as `from_file`, below the environment."""
        del dotenv_settings, file_secret_settings
        if not isinstance(init_settings, InitSettingsSource):
            return init_settings, env_settings
        passed = dict(init_settings.init_kwargs)
        table = passed.pop("from_file", None) or {}
        below = InitSettingsSource(settings_cls, init_kwargs=table)
        return InitSettingsSource(settings_cls, init_kwargs=passed), env_settings, below


_TABLES: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {"databases": CanonicalDatabase, "server": ServerSettings}
)


def load_settings(config: Path | None = None, **overrides: object) -> Settings:
    """Return the settings of `config` (or the default file), the environment and `overrides`.

    Overrides of None count as not given. Raises SettingsError that names the file or variable, the key
    and what is allowed; values are never repeated in it, since they may be secrets.
    """
    path = _find_file(config)
    table = {} if path is None else _read_table(path)
    given = {key: chosen for key, chosen in overrides.items() if chosen is not None}
    _check_variables(os.environ)
    passed: dict[str, Any] = {**given, "from_file": table}
    try:
        settings = Settings(**passed)
    except ValidationError as error:
        raise SettingsError(_explain(error.errors()[0], path, given)) from None
    except ValueError as error:
        raise SettingsError(
            f"environment: {error}; a table is given as JSON, or key by key as VERIFIER_DATABASES__NAME__DSN"
        ) from None
    if settings.pool_min_size > settings.pool_max_size:
        raise SettingsError("pool_min_size is greater than pool_max_size; lower the first")
    return settings


def choose_settings(settings: Settings | None, **given: object) -> Settings:
    """Return `settings`, else those of the environment and the default file with `given` above them.

    Raises SettingsError where both are passed.
    """
    if settings is None:
        return load_settings(None, **given)
    if any(setting is not None for setting in given.values()):
        raise SettingsError(f"pass either settings or {', '.join(given)}, not both")
    return settings


def _find_file(config: Path | None) -> Path | None:
    named = config or (
        Path(os.environ[_CONFIG_VARIABLE]) if os.environ.get(_CONFIG_VARIABLE) else None
    )
    if named is None:
        return DEFAULT_FILE if DEFAULT_FILE.is_file() else None
    return named


def _read_table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise SettingsError(
            f"{path}: {error.strerror or error}; `verifier init` writes a settings file"
        ) from None


def _check_variables(environment: Mapping[str, str]) -> None:
    known = {_PREFIX + name.upper() for name in Settings.model_fields}
    for variable in sorted(environment):
        if not variable.startswith(_PREFIX) or variable in _TEST_VARIABLES | {_CONFIG_VARIABLE}:
            continue
        if variable.split("__")[0] not in known:
            raise SettingsError(
                f"environment variable {variable}: no such setting{_nearest(variable, known)}"
            )


def _nearest(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; there are {', '.join(sorted(known))}"


def _explain(details: ErrorDetails, path: Path | None, given: Mapping[str, object]) -> str:
    keys = [str(part) for part in details["loc"]]
    where = _origin(keys, path, given)
    if details["type"] == "extra_forbidden":
        fields = _TABLES.get(keys[0], Settings)
        return f"{where}: no such setting{_nearest(keys[-1], set(fields.model_fields))}"
    if details["type"] == "missing":
        return f"{where}: is missing; it is required"
    message = details["msg"].removeprefix("Value error, ")
    return (
        f"{where}: allowed is {message}"
        if details["type"] == "value_error"
        else f"{where}: {message}"
    )


def _origin(keys: list[str], path: Path | None, given: Mapping[str, object]) -> str:
    if keys[0] in given:
        return f"option --{keys[0].replace('_', '-')}"
    variable = _PREFIX + "__".join(keys).upper()
    if variable in os.environ:
        return f"environment variable {variable}"
    return f"{path or 'settings'}: {'.'.join(keys)}"
