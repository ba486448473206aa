"""Who calls, by the bearer key of a request, and what the key lets him do."""

import math
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import HTTPException, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import HTTPConnection

from verifier.core.keys import Caller, Scope
from verifier.service import Verifier

if TYPE_CHECKING:
    from verifier.interfaces.web.rates import KeyRates

BEARER: Final = HTTPBearer(
    scheme_name="key",
    bearerFormat="vk_…",
    description="A key that `verifier keys add` gave out.",
    auto_error=False,
)
_CREDENTIALS: Final = re.compile(r"bearer +([A-Za-z0-9_-]{1,100})", re.IGNORECASE)
_NO_KEY: Final = "send a key that serves, as `Authorization: Bearer vk_…`"


def require(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    """Return a dependency that gives the caller of a request, whose key has the scope.

    Answers 401 without a key and for one that is unknown, expired or revoked, all alike; 403 without the
    scope; 429 beyond the key's rate. A revoked key is noticed within two seconds.
    """

    async def allow(
        request: Request,
        # Read by `caller_of`; stands here so that the documentation tells of it.
        credentials: Annotated[HTTPAuthorizationCredentials | None, Security(BEARER)],
    ) -> Caller:
        del credentials
        caller = await caller_of(request)
        if not caller.may(scope):
            raise HTTPException(403, f"the key lacks the scope `{scope}`")
        return caller

    return allow


def verifier_of(request: HTTPConnection, caller: Caller) -> Verifier:
    """Return the verbs of the caller's tenant, which is the key's and never the request's."""
    verifier: Verifier = request.app.state.verifier
    return verifier.for_tenant(caller.tenant)


async def caller_of(request: HTTPConnection) -> Caller:
    """Return who holds the key of a request, looked up once. Raises HTTPException 401, 429."""
    known: Caller | None = getattr(request.state, "caller", None)
    if known is not None:
        return known
    secret = _read_secret(request.headers.getlist("authorization"))
    verifier: Verifier = request.app.state.verifier
    caller = None if secret is None else await verifier.keys.authenticate(secret)
    if caller is None:
        raise HTTPException(401, _NO_KEY, headers={"WWW-Authenticate": "Bearer"})
    keep_to_rate(request, caller)
    request.state.caller = caller
    return caller


def keep_to_rate(request: HTTPConnection, caller: Caller) -> None:
    """Count a request of the caller's key. Raises HTTPException 429 where it asks too often."""
    rates: KeyRates | None = getattr(request.app.state, "rates", None)
    wait_s = 0.0 if rates is None else rates.take(caller.tenant, caller.key_id)
    if wait_s > 0:
        raise HTTPException(
            429,
            "the key asks more often than the server allows",
            headers={"Retry-After": str(math.ceil(wait_s))},
        )


def _read_secret(headers: list[str]) -> str | None:
    """Return what the one Authorization header carries; with two of them nobody knows which is meant."""
    read = _CREDENTIALS.fullmatch(headers[0].strip()) if len(headers) == 1 else None
    return None if read is None else read[1]
