"""Evidence as a page shows it: the row, the entry of the ledger, or the passage, with what to know of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.audit.answer_evidence import read_place
from verifier.core.documents import Permission, VersionState
from verifier.core.log_redaction import REDACTED
from verifier.core.spans import Span
from verifier.interfaces.web.cuts import Cut, Piece, cut_passage, cut_record, cut_text
from verifier.interfaces.web.page_links import Link, diff_path, source_path, text_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from verifier.audit.answer_evidence import CitedPlace, StandingPlace
    from verifier.audit.reviewing import CitedEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A word about a piece of evidence, coloured as a disposition is."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A name and a value of a row; `hit` tells that it is the one that counts."""

    name: str
    text: str
    hit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    """A piece of evidence: where it stands, and as much of what stands there as a reader needs."""

    heading: str
    badges: tuple[Badge, ...] = ()
    cells_of: str = "column"
    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()
    cut: Cut | None = None
    text: str = ""
    current_told: str = ""
    current: Cut | None = None
    note: str = ""
    remark: str = ""
    links: tuple[Link, ...] = ()


def view_all(
    evidence: Sequence[Mapping[str, Any]],
    turn: Mapping[str, Any],
    places: Mapping[CitedPlace, StandingPlace],
    *,
    now: datetime,
) -> tuple[EvidenceView, ...]:
    """Return what a report's JSON tells of a claim's evidence, read in its turn and in the store.

    What stands in one row, or in the result of one call, is shown together.
    """
    groups: dict[object, list[Mapping[str, Any]]] = {}
    for one in evidence:
        groups.setdefault(_name_whole(one["locator"]), []).append(one)
    return tuple(_view_group(group, turn, places, now=now) for group in groups.values())


def _name_whole(locator: Mapping[str, Any]) -> object:
    """Return what names the row or call that a locator points into; of others the place itself."""
    match locator.get("kind"):
        case "row":
            return "row", locator.get("database"), locator.get("table"), locator.get("key")
        case "ledger":
            return "ledger", locator.get("call_id")
        case _:
            return json.dumps(locator, sort_keys=True)


def _view_group(
    group: Sequence[Mapping[str, Any]],
    turn: Mapping[str, Any],
    places: Mapping[CitedPlace, StandingPlace],
    *,
    now: datetime,
) -> EvidenceView:
    first, locator = group[0], group[0]["locator"]
    text = str(first.get("text") or "")
    note = " ".join(dict.fromkeys(str(one["note"]) for one in group if one.get("note")))
    place = read_place(locator)
    match locator.get("kind"):
        case "row":
            return _view_row(group, note)
        case "ledger":
            return _view_call(group, note, turn)
        case "span" if place is not None and place in places:
            return view_place(places[place], note, now=now)
        case "span":
            return _view_given(locator, text, note, turn)
        case _:
            return _view_turn_text(locator, text, note, turn)


def _view_row(group: Sequence[Mapping[str, Any]], note: str) -> EvidenceView:
    locator = group[0]["locator"]
    found = (
        Cell(
            name=str(one["locator"].get("column") or "row"),
            text=str(one.get("text") or ""),
            hit=True,
        )
        for one in group
    )
    print_ = str(locator.get("fingerprint", ""))[:12]
    return EvidenceView(
        heading=f"Row {locator.get('key')} of {locator.get('table')}",
        cells_of="column",
        cells=tuple(dict.fromkeys(found)),
        note=note,
        remark=f"In the database {locator.get('database')}, as it was when it was read"
        f" (fingerprint {print_}).",
    )


def _view_call(
    group: Sequence[Mapping[str, Any]], note: str, turn: Mapping[str, Any]
) -> EvidenceView:
    locator = group[0]["locator"]
    call_id, pointers = locator.get("call_id"), [str(one["locator"]["pointer"]) for one in group]
    call = next((one for one in turn.get("calls", ()) if one.get("id") == call_id), None)
    pieces = () if call is None else cut_record(call.get("result"), pointers)
    cells = (
        Cell(name=pointer or "whole", text=str(one.get("text") or ""), hit=True)
        for pointer, one in zip(pointers, group, strict=True)
    )
    return EvidenceView(
        heading=f"Result of {locator.get('tool')}, call {call_id}",
        badges=() if call is None else tuple(_call_badges(call)),
        cells_of="place",
        cells=() if pieces else tuple(dict.fromkeys(cells)),
        pieces=pieces,
        note=note,
    )


def _call_badges(call: Mapping[str, Any]) -> list[Badge]:
    told = []
    if not call.get("ok", True):
        told.append(Badge(kind="rejected", text="the call failed"))
    if not call.get("complete", True):
        told.append(Badge(kind="review", text="the result is incomplete"))
    return told


def view_place(place: StandingPlace, note: str, *, now: datetime) -> EvidenceView:
    """Return a cited span in its version, with what is current of the source."""
    version = place.version
    key, seq = version.source, version.seq
    badges = [_state_badge(version.state)]
    if version.permission is not Permission.APPROVED:
        badges.append(Badge(kind="rejected", text=f"source {version.permission.value}"))
    if version.review_until is not None and version.review_until < now:
        until = version.review_until.date().isoformat()
        badges.append(Badge(kind="review", text=f"reviewed until {until}"))
    return EvidenceView(
        heading=f"{version.title or key}, version {seq}",
        badges=tuple(badges),
        cut=None if place.cited is None else cut_passage(place.cited),
        text="" if place.cited is not None else "The text of this version was erased.",
        current_told=_tell_current(version.current_seq, seq, place.stands),
        current=None if place.current is None or place.stands else cut_passage(place.current),
        note=note,
        links=_source_links(key, seq, version.current_seq, version.state.value),
    )


def view_cited(cited: CitedEvidence) -> EvidenceView:
    """Return what an entry of the review queue cites, with what stands there now."""
    return EvidenceView(
        heading=f"{cited.source}, version {cited.seq}",
        badges=(_state_badge(VersionState(cited.state)),),
        cut=cut_passage(cited.cited),
        current_told=_tell_current(cited.current_seq, cited.seq, cited.stands),
        current=None if cited.current is None or cited.stands else cut_passage(cited.current),
        links=_source_links(cited.source, cited.seq, cited.current_seq, cited.state),
    )


def _state_badge(state: VersionState) -> Badge:
    kind = "accepted" if state is VersionState.CURRENT else "review"
    return Badge(kind=kind, text=state.value)


def _tell_current(current: int | None, seq: int, stands: bool) -> str:  # noqa: FBT001  # a fact, no choice
    if current is None:
        return "No version of this source is current."
    if current == seq:
        return ""
    if stands:
        return f"Version {current}, which is current, says the same."
    return f"Version {current}, which is current, says otherwise:"


def _source_links(key: str, seq: int, current: int | None, state: str) -> tuple[Link, ...]:
    links = [Link(href=source_path(key), text="the source")]
    if state != VersionState.ERASED:
        links.append(Link(href=text_path(key, seq), text=f"all of version {seq}"))
        if current is not None and current != seq:
            links.append(
                Link(href=diff_path(key, seq, current), text=f"what version {current} changed")
            )
    return tuple(links)


def _view_given(
    locator: Mapping[str, Any], text: str, note: str, turn: Mapping[str, Any]
) -> EvidenceView:
    """Return a span of a document that came with the turn, or of a version that is no more."""
    source, seq = str(locator.get("source", "")), locator.get("seq")
    given = [one for one in turn.get("retrieved", ()) if one.get("source") == source]
    whole = next((one["text"] for one in given if text and text in one.get("text", "")), None)
    kind = f"version {seq}" if seq is not None else "as it was given with the turn"
    cut = None if whole is None else cut_text(whole, _find(whole, text))
    return EvidenceView(heading=f"{source}, {kind}", cut=cut, text=text, note=note)


def _view_turn_text(
    locator: Mapping[str, Any], text: str, note: str, turn: Mapping[str, Any]
) -> EvidenceView:
    part = str(locator.get("part", ""))
    headings = {
        "question": "The question",
        "said": "What the user said before",
        "system": "System text",
    }
    whole = turn.get(part)
    cut = cut_text(whole, _find(whole, text)) if isinstance(whole, str) and text in whole else None
    return EvidenceView(heading=headings.get(part, part), cut=cut, text=text, note=note)


def _find(whole: str, text: str) -> Span:
    start = whole.index(text)
    return Span(start, start + len(text))


def is_redacted(text: object) -> bool:
    """Return whether the log kept no words in this place."""
    return text == REDACTED
