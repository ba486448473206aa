"""Who calls a server: what a key lets its holder do, and for which tenant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class Scope(StrEnum):
    """What a key is good for; `admin` includes all others."""

    SEARCH = "search"
    VERIFY = "verify"
    INGEST = "ingest"
    REVIEW = "review"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The holder of a key. The tenant is the key's, whatever a request says.

    `may_act_for_principals` lets requests name principal, allowed sources, clock and system text;
    `may_supply_calls` lets their tool calls prove something (DESIGN 4.11).
    """

    tenant: str
    key_id: int
    name: str
    scopes: frozenset[Scope]
    may_act_for_principals: bool = False
    may_supply_calls: bool = False

    def may(self, scope: Scope) -> bool:
        """Return whether the key has the scope, by itself or by `admin`."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as it is kept: of its secret there is a hash alone, and not here.

    `last_used_at` is true to a minute. A key serves unless it `expires_at` an earlier moment or was revoked.
    """

    key_id: int
    name: str
    scopes: frozenset[Scope]
    may_act_for_principals: bool
    may_supply_calls: bool
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
