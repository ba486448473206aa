"""Opening things: which records are one, and whose a record is that names none itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.core.facts.arguments import subject_of
from verifier.core.facts.field_periods import period_told
from verifier.core.facts.forms import kinds_of_container, kinds_of_tool
from verifier.core.facts.identity import identify
from verifier.core.facts.scopes import subject_of_thing
from verifier.core.facts.shapes import is_nested_name
from verifier.core.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.facts.collecting import Collector
    from verifier.core.facts.model import Thing
    from verifier.core.facts.scopes import Enclosure
    from verifier.core.turns import ToolCall

    Fields = Mapping[str, tuple[str, object]]


class ThingOpener:
    """Opens the things of one call's result. `about` are the stems of what the tool is about."""

    def __init__(self, collector: Collector, call: ToolCall, position: int) -> None:
        self._collector = collector
        self._call = call
        self._position = position
        self._subject = subject_of(call)
        self._asked: Thing | None = None
        self.about = kinds_of_tool(call.tool)

    def open(
        self, fields: Fields, inside: Enclosure, *, is_element: bool, entry: str | None
    ) -> Enclosure:
        """Return the enclosure of a record's fields: inside the thing that it opens, or as it was."""
        identity = identify(
            fields,
            told=self.told(inside),
            outermost=inside.outermost,
            entry=entry,
            labelled=is_element or (inside.outermost and self._subject is None),
        )
        nested = not (is_element or inside.outermost)
        if nested and (is_nested_name(inside.container) or not identity.opens):
            return inside
        if not identity.opens and not is_element:
            return self.with_asked(inside)
        thing = self._collector.add_thing(
            keys=identity.keys,
            names=identity.names,
            kinds=identity.kinds,
            descriptors=identity.descriptors,
            outer=inside.thing,
            position=self._position,
        )
        owner: int | None = None
        if identity.key is not None:
            outer = inside.owner if inside.thing is not None else None
            owner = self._collector.number_owner((outer, identity.kinds, identity.key))
        within = inside.of_thing(thing, subject_of_thing(thing, identity.key), owner)
        if entry is None:
            return within
        return replace(within, cues=_stems_of_key(entry), billed=period_told(entry))

    def told(self, inside: Enclosure) -> frozenset[str]:
        """Return what the elements or fields here are of: the container's kinds, or else the tool's."""
        kinds = (
            kinds_of_container(inside.container) if inside.container is not None else frozenset()
        )
        at_root = inside.outermost or (inside.thing is None and inside.field == inside.container)
        return kinds | self.about if at_root and (not kinds or kinds <= {"item"}) else kinds

    def with_asked(self, inside: Enclosure) -> Enclosure:
        """Return the enclosure inside what the arguments name, for what names no subject itself."""
        asked = self._subject
        if asked is None or inside.thing is not None:
            return inside
        if self._asked is None:
            self._asked = self._collector.add_thing(
                keys=asked.keys,
                names=asked.names,
                kinds=asked.kinds,
                descriptors=asked.descriptors,
                position=self._position,
            )
        subject = subject_of_thing(self._asked, asked.key)
        return replace(inside, thing=self._asked, subjects=() if subject is None else (subject,))


def _stems_of_key(entry: str) -> frozenset[str]:
    """Return the stems of a key in words; an id has none."""
    if any(sign.isdigit() for sign in entry):
        return frozenset()
    return frozenset(content_stems(entry.replace("_", " ")))
