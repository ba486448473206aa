"""How guards refuse: problem details, counted by their reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from verifier.interfaces.web.problems import problem

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from verifier.server_settings import ServerSettings

QUICK_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
"""What is to be answered while the server is busy, and asked by whom its host name is unknown to."""

RETRY_S = 1


async def refuse(
    scope: Scope, receive: Receive, send: Send, *, status: int, reason: str, detail: str
) -> None:
    """Answer with problem details and close the connection; 503 also tells when to try again."""
    scope.setdefault("state", {})["refused"] = reason
    headers = {"Connection": "close"}
    if status == 503:
        headers["Retry-After"] = str(RETRY_S)
    await problem(Request(scope), status, detail, headers=headers)(scope, receive, send)


def brings_documents(scope: Scope) -> bool:
    """Return whether the request's path is one below which documents or cases are brought."""
    path: str = scope["path"]
    return scope["method"] in {"POST", "PUT"} and path.startswith(("/v1/sources/", "/v1/evaluate"))


def most_bytes(scope: Scope, limits: ServerSettings) -> int:
    """Return how large the body of the request may be."""
    return limits.max_ingest_bytes if brings_documents(scope) else limits.max_body_bytes
