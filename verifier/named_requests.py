"""Requests of one tenant that are done once, however often they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta
    from uuid import UUID

    from verifier.connections import Connections
    from verifier.store.idempotency import Beginning, RequestName, StoredResponse


class NamedRequests:
    """Begins, finishes and abandons requests that callers named. `Verifier.named_requests` is one."""

    def __init__(self, connections: Connections, tenant: str) -> None:
        self._connections = connections
        self._tenant = tenant

    async def begin(self, named: RequestName, *, runs_for: timedelta) -> Beginning:
        """Return whether the request is to be done now, else what it came to or why not."""
        from verifier.store.idempotency import begin_request

        async with self._connections.transaction(self._tenant) as conn:
            return await begin_request(conn, named, runs_for)

    async def finish(self, named: RequestName, run: UUID, response: StoredResponse) -> None:
        """Keep what the request came to for a day."""
        from verifier.store.idempotency import finish_request

        async with self._connections.transaction(self._tenant) as conn:
            await finish_request(conn, named, run, response)

    async def abandon(self, named: RequestName, run: UUID) -> None:
        """Let the request be sent again, since this run came to nothing."""
        from verifier.store.idempotency import abandon_request

        async with self._connections.transaction(self._tenant) as conn:
            await abandon_request(conn, named, run)
