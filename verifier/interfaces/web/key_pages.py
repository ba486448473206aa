"""The pages of keys: who may use the verifier of this tenant, and taking a key back for good."""

from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import Depends, Query, Request
from starlette.responses import Response

from verifier.core.keys import ApiKey, Scope
from verifier.errors import UnknownThing
from verifier.interfaces.web.answer_views import write_moment
from verifier.interfaces.web.page_access import check_form, visiting
from verifier.interfaces.web.page_frame import Visitor, render
from verifier.interfaces.web.page_routes import go_to, page_router
from verifier.interfaces.wording import describe_moment

ROUTER: Final = page_router()

Admin = Annotated[Visitor, Depends(visiting(Scope.ADMIN))]
Name = Annotated[str, Query(max_length=400)]


@ROUTER.get("/keys")
async def list_keys(visitor: Admin, revoked: Name = "") -> Response:
    """Show every key of the tenant, also those that serve no more."""
    keys, now = await visitor.verifier.keys.list(), datetime.now(UTC)
    gone = next((one.name for one in keys if one.name == revoked and one.revoked_at), None)
    return render(
        "keys.html",
        "Keys",
        visitor=visitor,
        section="Keys",
        rows=[view_key(one, own=visitor.caller.key_id, now=now) for one in keys],
        done=None if gone is None else f"The key {gone} is revoked.",
    )


@ROUTER.get("/keys/revoke")
async def ask_revoke(visitor: Admin, name: Name) -> Response:
    """Ask before a key is taken back."""
    key = await _find(visitor, name)
    return render(
        "key_revoke.html",
        f"Revoke {key.name}?",
        visitor=visitor,
        section="Keys",
        name=key.name,
        is_own=key.key_id == visitor.caller.key_id,
        action=f"/keys/revoke?{urlencode({'name': key.name})}",
    )


@ROUTER.post("/keys/revoke")
async def revoke(request: Request, visitor: Admin, name: Name) -> Response:
    """Take a key back, and end its sessions."""
    check_form(request, await request.form(max_files=0, max_fields=10), visitor.csrf)
    key = await _find(visitor, name)
    await visitor.verifier.keys.revoke(key.name)
    return go_to(f"/keys?{urlencode({'revoked': key.name})}")


def view_key(key: ApiKey, *, own: int, now: datetime) -> dict[str, object]:
    """Return a key as a line of the list."""
    kind, state = _state(key, now)
    rights = sorted(scope.value for scope in key.scopes)
    rights += ["act for principals"] if key.may_act_for_principals else []
    rights += ["supply calls"] if key.may_supply_calls else []
    return {
        "name": key.name,
        "is_own": key.key_id == own,
        "state_kind": kind,
        "state": state,
        "may": ", ".join(rights),
        "made": describe_moment(key.created_at),
        "expires": describe_moment(key.expires_at),
        "used": "never" if key.last_used_at is None else write_moment(key.last_used_at),
        "revoke": f"/keys/revoke?{urlencode({'name': key.name})}" if kind == "accepted" else "",
    }


def _state(key: ApiKey, now: datetime) -> tuple[str, str]:
    if key.revoked_at is not None:
        return "rejected", "revoked"
    if key.expires_at is not None and key.expires_at <= now:
        return "unchecked", "expired"
    return "accepted", "serves"


async def _find(visitor: Visitor, name: str) -> ApiKey:
    found = next((one for one in await visitor.verifier.keys.list() if one.name == name), None)
    if found is None:
        raise UnknownThing(f"there is no key {name!r}")
    return found
