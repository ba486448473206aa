"""Who asserts what: the parts of a request that only some keys may tell (DESIGN 4.11)."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from starlette.exceptions import HTTPException

from verifier.core.keys import Caller, Scope
from verifier.core.turn_file import TurnCase, read_turn
from verifier.core.turns import Origin

_OF_PRINCIPALS: Final = ("principal", "allowed_sources", "now", "system", "context")
_STORED: Final = re.compile(r"@ \s* \d+ \s* \# \s* \d", re.VERBOSE)  # returns.md@3#0
_STORED_STYLE: Final = re.compile(r"@ | \# \s* \d", re.VERBOSE)  # [returns.md@3#N], [N#0]


def name_actor(caller: Caller, by: str | None) -> str:
    """Return who acts: the key's name, or who the request names. Raises HTTPException 403."""
    if by is None or by == caller.name:
        return caller.name
    if not caller.may_act_for_principals:
        raise HTTPException(403, "`by` names somebody: the key lacks `may_act_for_principals`")
    return by


def demand(caller: Caller, scope: Scope, what: str) -> None:
    """Raise HTTPException 403 that names `what` of the request needs a scope that the key lacks."""
    if not caller.may(scope):
        raise HTTPException(403, f"{what} needs the scope `{scope}`, which the key lacks")


def read_callers_turn(caller: Caller, fields: Mapping[str, object]) -> TurnCase:
    """Return the turn that a request states, as the caller's. Raises as `check_turn`, and InputError."""
    check_turn(caller, fields, "the turn")
    return bind_turn(caller, read_turn(fields))


def check_turn(caller: Caller, fields: Mapping[str, object], where: str) -> None:
    """Raise HTTPException 403 for a field of a turn that the key may not tell."""
    if not caller.may_act_for_principals:
        for name in _OF_PRINCIPALS:
            if fields.get(name):
                raise HTTPException(
                    403, f"{where}: {name} is told: the key lacks `may_act_for_principals`"
                )
    if fields.get("tenant") not in (None, caller.tenant):
        raise HTTPException(403, f"{where}: tenant is told: it is the key's")
    if not caller.may_supply_calls:
        _refuse_own_proof(fields, where)


def bind_turn(caller: Caller, case: TurnCase) -> TurnCase:
    """Return the turn with the key's tenant, and with evidence of an origin that the key vouches for.

    Tool calls of a key that may not supply any are kept, of origin `caller`: they never yield `verified`.
    """
    origin = case.turn.origin if caller.may_supply_calls else Origin.CALLER
    return replace(case, turn=replace(case.turn, tenant=caller.tenant, origin=origin))


def _refuse_own_proof(fields: Mapping[str, object], where: str) -> None:
    """Refuse what only the application can vouch for: its origin, and the text of what the store holds."""
    if fields.get("origin") == Origin.APPLICATION:
        raise HTTPException(
            403, f"{where}: origin is `application`: the key lacks `may_supply_calls`"
        )
    retrieved = fields.get("retrieved")
    if isinstance(retrieved, list) and any(isinstance(one, dict) for one in retrieved):
        raise HTTPException(
            403,
            f"{where}: retrieved has chunks in full: give their ids, since the key lacks `may_supply_calls`",
        )
    named = next(_claim_stored(fields), None)
    if named is not None:
        raise HTTPException(
            403,
            f"{where}: {named} names a chunk of the store: give its id in retrieved, since the key lacks"
            " `may_supply_calls`",
        )


def _claim_stored(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield the fields that would let a text of the caller's be cited as a chunk of the store."""
    for name in ("documents", "numbering"):
        told = fields.get(name)
        labels = told if isinstance(told, Mapping) else ()
        if any(_STORED.search(unicodedata.normalize("NFKC", str(label))) for label in labels):
            yield name
    style = fields.get("mark_style")
    if isinstance(style, str) and _STORED_STYLE.search(unicodedata.normalize("NFKC", style)):
        yield "mark_style"
