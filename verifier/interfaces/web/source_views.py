"""Sources as pages show them: a list, and one with its versions and all that was done to it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.documents import Permission, VersionState
from verifier.interfaces.web.answer_views import write_moment
from verifier.interfaces.web.page_links import Link, diff_path, source_path, text_path
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from verifier.store.basis import BasisChange
    from verifier.store.history import VersionRecord
    from verifier.store.source_shelf import ShelvedSource

_PERMISSION_KINDS: Final[Mapping[Permission, str]] = MappingProxyType(
    {
        Permission.APPROVED: "accepted",
        Permission.PENDING: "review",
        Permission.DENIED: "rejected",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """A line of the list of sources."""

    path: str
    key: str
    title: str
    permission_kind: str
    permission: str
    review: str
    is_stale: bool
    current: str
    versions: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A version of a source, and what can be read of it."""

    seq: int
    state_kind: str
    state: str
    reason: str
    holds: str
    review: str
    by: str
    written: str
    chunks: int
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """What was done to a source."""

    when: str
    what: str
    seq: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A source as its page shows it."""

    key: str
    title: str
    permission_kind: str
    permission: str
    is_stale: bool
    facts: tuple[tuple[str, str], ...]
    versions: tuple[VersionRow, ...]
    history: tuple[ChangeRow, ...]


def view_source_row(shelved: ShelvedSource, *, now: datetime) -> SourceRow:
    """Return a line of the list."""
    listing, source = shelved.listing, shelved.listing.source
    return SourceRow(
        path=source_path(source.key),
        key=source.key,
        title=source.title or "",
        permission_kind=_PERMISSION_KINDS[source.permission],
        permission=source.permission.value,
        review=describe_moment(listing.review_until),
        is_stale=listing.review_until is not None and listing.review_until < now,
        current="–" if listing.current_seq is None else str(listing.current_seq),
        versions=listing.versions,
        answers=shelved.answers,
    )


def view_source(
    shelved: ShelvedSource,
    versions: Sequence[VersionRecord],
    history: Sequence[BasisChange],
    *,
    now: datetime,
) -> SourceView:
    """Return a source with its versions and all that was done to it, the newest first."""
    listing, source = shelved.listing, shelved.listing.source
    row = view_source_row(shelved, now=now)
    return SourceView(
        key=source.key,
        title=source.title or source.key,
        permission_kind=row.permission_kind,
        permission=row.permission,
        is_stale=row.is_stale,
        facts=tuple(_list_facts(shelved)),
        versions=tuple(_view_version(source.key, one, listing.current_seq) for one in versions),
        history=tuple(_view_change(one) for one in reversed(history)),
    )


def _list_facts(shelved: ShelvedSource) -> Iterator[tuple[str, str]]:
    listing, source = shelved.listing, shelved.listing.source
    if source.permission_by is not None:
        when = describe_moment(source.permission_at)
        yield source.permission.value, f"by {source.permission_by} on {when}"
    current = "none" if listing.current_seq is None else f"{listing.current_seq}"
    yield "current version", f"{current}, {count(listing.chunks, 'chunk')} to be found"
    yield "reviewed until", describe_moment(listing.review_until)
    yield "logged answers on it", str(shelved.answers)
    yield "authority", str(source.authority)
    if listing.waiting:
        yield "waiting", count(listing.waiting, "draft")
    if source.url:
        yield "URL", source.url
    for name, value in source.metadata.items():
        yield name, str(value)


def _view_version(key: str, record: VersionRecord, current: int | None) -> VersionRow:
    version = record.version
    links = (
        []
        if version.state is VersionState.ERASED
        else [Link(href=text_path(key, version.seq), text="text")]
    )
    if links and current is not None and version.seq != current:
        old, new = sorted((version.seq, current))
        links.append(Link(href=diff_path(key, old, new), text=f"{old} → {new}"))
    known = [one for one in record.periods if one.basis_to is None]
    holds = known[-1].valid_from if known else version.valid_from
    return VersionRow(
        seq=version.seq,
        state_kind=state_kind(version.state),
        state=f"{version.state.value}, scheduled" if version.scheduled else version.state.value,
        reason=version.reason or "",
        holds=describe_moment(holds),
        review=describe_moment(version.review_until),
        by=version.verified_by or version.ingested_by or "–",
        written=write_moment(version.created_at),
        chunks=record.chunks,
        links=tuple(links),
    )


def state_kind(state: VersionState) -> str:
    """Return the class that a state of a version is coloured by."""
    if state is VersionState.CURRENT:
        return "accepted"
    return "rejected" if state in {VersionState.FAILED, VersionState.ERASED} else "unchecked"


def _view_change(change: BasisChange) -> ChangeRow:
    return ChangeRow(
        when=write_moment(change.recorded_at),
        what=change.action.value.replace("_", " "),
        seq="–" if change.seq is None else str(change.seq),
        by=change.by or "–",
        reason=change.reason or "–",
    )
