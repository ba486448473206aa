"""Keys on a terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.wording import describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from verifier.core.keys import ApiKey
    from verifier.keys import NewKey


def render_new_key(made: NewKey) -> Iterator[RenderableType]:
    """Yield the secret, and that it is not shown again."""
    yield Text(made.secret, style="bold", overflow="fold")
    yield Text(
        f"the key of {plain(made.key.name)}, for {_rights(made.key)}; keep it now, it is not shown again",
        style="bright_black",
    )


def render_keys(keys: Sequence[ApiKey]) -> RenderableType:
    """Return a line for each key."""
    if not keys:
        return Text("no keys yet; `verifier keys add` makes one")
    table = make_table("name", "good for", "state", "added", "last used")
    now = datetime.now(UTC)
    for key in keys:
        table.add_row(
            plain(key.name),
            _rights(key),
            _state(key, now),
            describe_moment(key.created_at),
            describe_moment(key.last_used_at) if key.last_used_at else "never",
        )
    return table


def _rights(key: ApiKey) -> str:
    told = sorted(key.scopes)
    further = (
        ("acting for principals", key.may_act_for_principals),
        ("supplying calls", key.may_supply_calls),
    )
    return ", ".join([*told, *(name for name, given in further if given)])


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return f"revoked {describe_moment(key.revoked_at)}"
    if key.expires_at is None:
        return "serves"
    if key.expires_at <= now:
        return f"expired {describe_moment(key.expires_at)}"
    return f"serves until {describe_moment(key.expires_at)}"
