"""The conflicts of one tenant: places that disagree, who looks at them, and how they were resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypedDict

from verifier.core.conflicts import STANDING, ConflictState, read_row_place
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from verifier.audit.conflicts import FindingSummary
    from verifier.connections import Connections
    from verifier.store.conflicts import Conflict
    from verifier.verbs import RunVerb
    from verifier.verify.verifier import Backing

MOST_LISTED: Final = 10_000


class ConflictTerms(TypedDict, total=False):
    """Which conflicts are listed, and how many.

    A `state` of None means every one; where it is left out, those that are open or assigned.
    """

    state: ConflictState | str | None
    source: str | None
    assigned_to: str | None
    limit: int


class DeclaredTerms(TypedDict, total=False):
    """What is disagreed on: a subject, its attribute, and what either place says of it.

    `words` and `other_words` narrow a place to the words that disagree, as they stand there.
    """

    subject: str
    attribute: str
    value: str
    other_value: str
    words: str | None
    other_words: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictList:
    """Conflicts in the order in which they were recorded; `more` tells that there are further ones."""

    conflicts: tuple[Conflict, ...]
    more: bool


class Conflicts:
    """Declares, finds, assigns and resolves the conflicts of one tenant. `Verifier.conflicts` is one.

    While a conflict is open or assigned, every verdict that rests on one of its places in a source is
    `source_conflict`.
    """

    def __init__(
        self, connections: Connections, tenant: str, *, back: Callable[[], Backing]
    ) -> None:
        self._connections = connections
        self._tenant = tenant
        self._back = back

    async def list(self, **terms: Unpack[ConflictTerms]) -> ConflictList:
        """Return conflicts; found ones whose words have gone are closed first.

        Raises InputError for a state that there is not, and for a limit outside 1 to 10,000.
        """
        from verifier.store.conflict_places import close_obsolete
        from verifier.store.conflicts import list_conflicts

        limit, states = terms.get("limit", 100), STANDING
        if not 1 <= limit <= MOST_LISTED:
            raise InputError(f"limit is {limit}; give 1 to {MOST_LISTED:,}")
        async with self._connections.transaction(self._tenant) as conn:
            await close_obsolete(conn)
            found = await list_conflicts(
                conn,
                states=_choose(terms["state"]) if "state" in terms else states,
                source=terms.get("source"),
                assigned_to=terms.get("assigned_to"),
                limit=limit + 1,
            )
        return ConflictList(conflicts=found[:limit], more=len(found) > limit)

    async def find(self, on_progress: Callable[[int], None] | None = None) -> FindingSummary:
        """Hold all current texts of approved sources against each other, and against canonical rows.

        Finding again adds nothing. `on_progress` is told how many chunks were read.
        """
        from verifier.audit.conflicts import find_stored_conflicts

        return await find_stored_conflicts(
            await self._connections.store(), self._tenant, self._back(), on_progress
        )

    async def declare(
        self,
        place: str,
        other: str | None = None,
        *,
        row: str | None = None,
        by: str,
        **terms: Unpack[DeclaredTerms],
    ) -> Conflict:
        """Record that a place disagrees with another one, or with the cell of a canonical `row`.

        A place is a source, a version `source@seq` or a chunk `source@seq#ordinal`; a row's is
        `database/table/key/column`. Raises UnknownThing, and InputError for what is missing or twice there.
        """
        from verifier.store.conflict_places import locate_place
        from verifier.store.conflicts import ConflictTopic, declare_conflict

        if (other is None) == (row is None):
            raise InputError("a conflict needs a second place: either another source, or a row")
        topic = ConflictTopic(
            subject=terms.get("subject", ""),
            attribute=terms.get("attribute", ""),
            value=terms.get("value", ""),
            other_value=terms.get("other_value", ""),
        )
        async with self._connections.transaction(self._tenant) as conn:
            first = await locate_place(conn, place, terms.get("words"))
            second = (
                await locate_place(conn, other, terms.get("other_words"))
                if other is not None
                else read_row_place(row or "")
            )
            return await declare_conflict(conn, first, second, topic, by=by)

    async def assign(
        self, conflict_id: int, *, to: str, by: str, instead_of: str | None = None
    ) -> Conflict:
        """Give a conflict to a person; from another only where `instead_of` names that one.

        Raises UnknownThing; InputError where somebody else has it by now, or where it is closed.
        """
        from verifier.store.conflicts import assign_conflict

        async with self._connections.transaction(self._tenant) as conn:
            return await assign_conflict(conn, conflict_id, to=to, by=by, instead_of=instead_of)

    async def resolve(self, conflict_id: int, *, by: str, reason: str) -> Conflict:
        """Close a conflict. Raises UnknownThing; InputError where it is closed, or without a reason."""
        from verifier.store.conflicts import resolve_conflict

        async with self._connections.transaction(self._tenant) as conn:
            return await resolve_conflict(conn, conflict_id, by=by, reason=reason)


class BlockingConflicts:
    """`verifier.conflicts.Conflicts`, verb by verb."""

    def __init__(self, conflicts: Conflicts, run: RunVerb) -> None:
        self._conflicts = conflicts
        self._run = run

    def list(self, **terms: Unpack[ConflictTerms]) -> ConflictList:
        """Return conflicts, as `Conflicts.list`."""
        return self._run(self._conflicts.list(**terms))

    def find(self) -> FindingSummary:
        """Look for conflicts among all current texts, as `Conflicts.find`."""
        return self._run(self._conflicts.find())

    def declare(
        self,
        place: str,
        other: str | None = None,
        *,
        row: str | None = None,
        by: str,
        **terms: Unpack[DeclaredTerms],
    ) -> Conflict:
        """Record a conflict, as `Conflicts.declare`."""
        return self._run(self._conflicts.declare(place, other, row=row, by=by, **terms))

    def assign(
        self, conflict_id: int, *, to: str, by: str, instead_of: str | None = None
    ) -> Conflict:
        """Give a conflict to a person, as `Conflicts.assign`."""
        return self._run(self._conflicts.assign(conflict_id, to=to, by=by, instead_of=instead_of))

    def resolve(self, conflict_id: int, *, by: str, reason: str) -> Conflict:
        """Close a conflict, as `Conflicts.resolve`."""
        return self._run(self._conflicts.resolve(conflict_id, by=by, reason=reason))


def _choose(given: str | None) -> tuple[ConflictState, ...] | None:
    """Return the state of that name, None for every one. Raises InputError that tells which there are."""
    if given is None:
        return None
    if given not in set(ConflictState):
        there = ", ".join(one.value for one in ConflictState)
        raise InputError(f"{given!r} is not one of {there}")
    return (ConflictState(given),)
