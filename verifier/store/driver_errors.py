"""The driver's errors become this package's in one place; what may be tried again is."""

from __future__ import annotations

import asyncio
import random
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from asyncpg import exceptions as driver

from verifier.errors import (
    DatabaseReadOnly,
    DatabaseTimeout,
    DatabaseUnavailable,
    SchemaMismatch,
    SettingsError,
    StoreError,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

T = TypeVar("T")

UPGRADE: Final = "run `verifier db upgrade`"
_ATTEMPTS: Final = 6
_LONGEST_REASON: Final = 200
_FIRST_PAUSE_S: Final = 0.05


_NO_TEMPORARY: Final = re.compile(
    r"""
    temporary\ tables  # permission denied to create temporary tables in database "shop"
    | pg_temp           # permission denied for schema pg_temp_47
    """,
    re.VERBOSE,
)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise StoreErrors instead of the driver's; those of a wrong statement pass as they are."""
    try:
        yield
    except TimeoutError as error:
        raise DatabaseTimeout("the database did not answer within its time limit") from error
    except (driver.PostgresError, driver.InterfaceError, ConnectionError) as error:
        translated = _translate(error)
        if translated is None:
            raise
        raise translated from error


_TRANSLATIONS: Final[tuple[tuple[tuple[type[Exception], ...], type[StoreError], str], ...]] = (
    (
        (driver.QueryCanceledError, driver.LockNotAvailableError),
        DatabaseTimeout,
        "the database cancelled a statement",
    ),
    (
        (driver.ReadOnlySQLTransactionError,),
        DatabaseReadOnly,
        "the database only reads; connect to the primary server",
    ),
    (
        (
            driver.UndefinedTableError,
            driver.UndefinedColumnError,
            driver.UndefinedFunctionError,
            driver.UndefinedObjectError,
            driver.InvalidSchemaNameError,
        ),
        SchemaMismatch,
        f"the schema is not the one of this package; {UPGRADE}",
    ),
    (
        (driver.InvalidSQLStatementNameError, driver.DuplicatePreparedStatementError),
        DatabaseUnavailable,
        "a pooler on the way lost a prepared statement",
    ),
    (
        (driver.DeadlockDetectedError, driver.SerializationError),
        StoreError,
        "other writers got in the way; try again",
    ),
    (
        (
            ConnectionError,
            driver.PostgresConnectionError,
            driver.OperatorInterventionError,
            driver.InsufficientResourcesError,
            driver.InvalidAuthorizationSpecificationError,
            driver.IdleInTransactionSessionTimeoutError,
            driver.InvalidCatalogNameError,
        ),
        DatabaseUnavailable,
        "the connection to the database broke",
    ),
)


def _translate(error: Exception) -> StoreError | None:
    for kinds, translation, what in _TRANSLATIONS:
        if isinstance(error, kinds):
            return translation(f"{what} ({error})")
    if isinstance(error, driver.InsufficientPrivilegeError) and _NO_TEMPORARY.search(str(error)):
        return StoreError(
            f"{error}; the database's owner must GRANT TEMPORARY ON DATABASE … TO verifier_app"
        )
    # This class itself, not one below it, is the driver's word for what it can't send.
    if type(error) is driver.DataError or isinstance(error, driver.ProgramLimitExceededError):
        return StoreError(f"the database can't hold a value ({str(error)[:_LONGEST_REASON]})")
    # The driver has one class for its own misuse and for a connection or pool that is gone.
    if isinstance(error, driver.InterfaceError) and "clos" in str(error):
        return DatabaseUnavailable(f"the connection to the database broke ({error})")
    return None


@contextmanager
def connecting_to(address: str) -> Iterator[None]:
    """Raise DatabaseUnavailable naming `address` where a connection can't be made.

    Raises SettingsError where the connection string itself can't be used.
    """
    try:
        with reading_dsn():
            yield
    except TimeoutError as error:
        raise DatabaseUnavailable(f"{address}: no answer in time; is the server up?") from error
    except (OSError, driver.PostgresError, driver.InterfaceError) as error:
        raise DatabaseUnavailable(f"{address}: {_reason(error)}") from error


@contextmanager
def reading_dsn() -> Iterator[None]:
    """Raise SettingsError where a connection string can't be used.

    What the parser of URLs says is not repeated: of a password with a slash in it, it shows a part.
    """
    try:
        yield
    except driver.ClientConfigurationError as error:
        raise SettingsError(f"the database's connection string can't be read: {error}") from None
    except (ValueError, OverflowError):
        raise SettingsError(
            "the database's connection string can't be read; the port is a number up to 65535, and "
            "special characters of user and password are percent-encoded"
        ) from None


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; is the server up?"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def describe_address(dsn: str) -> str:
    """Return `host:port/database` of a connection string: never its user or password."""
    try:
        parts = urlsplit(dsn)
        options = parse_qs(parts.query)
        host = parts.hostname or options.get("host", ["localhost"])[0]
        port = parts.port or options.get("port", ["5432"])[0]
    except ValueError:
        return "the database"
    database = unquote(parts.path.lstrip("/")) or options.get("dbname", ["(default)"])[0]
    return f"{host}:{port}/{database}"


async def retrying(operation: Callable[[], Awaitable[T]]) -> T:
    """Return what `operation` returns, run again where it was the victim of a deadlock or a conflict.

    `operation` opens its own transaction, so that a second run starts afresh.
    """
    for attempt in range(1, _ATTEMPTS):
        try:
            return await operation()
        except StoreError as error:
            if not isinstance(
                error.__cause__, (driver.DeadlockDetectedError, driver.SerializationError)
            ):
                raise
        # Unequal pauses keep two victims from meeting again; nothing secret hangs on them.
        await asyncio.sleep(_FIRST_PAUSE_S * 2**attempt * random.random())  # noqa: S311
    return await operation()
