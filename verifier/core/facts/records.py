"""Tool results as facts: records of any shape, their lists, and the things that they open.

The walk is iterative and spends a budget that all results share, so that deep, huge or cyclic results cost
what they are worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.facts.arguments import subject_of
from verifier.core.facts.forms import kinds_of_container, kinds_of_tool
from verifier.core.facts.identity import identify
from verifier.core.facts.lists import extent_of, is_paging
from verifier.core.facts.scopes import Enclosure, subject_of_thing
from verifier.core.facts.shapes import (
    blocks_of,
    is_amount,
    is_nested_name,
    is_option_map,
    is_wrapper,
    keyed_by_period,
    keyed_entries,
    named_ids,
    row_records,
)
from verifier.core.facts.stating import Stating
from verifier.core.facts.structured import (
    find_structure,
    is_cut_off,
    looks_structured,
    says_failure_in_text,
)
from verifier.core.ledger_walk import DEEPEST, Place, ResultTooLarge, fold_fields, says_failure
from verifier.core.lexicons import load_word_lists

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from verifier.core.facts.collecting import Collector
    from verifier.core.facts.model import Thing
    from verifier.core.ledger_walk import Budget
    from verifier.core.statements import ReadingTerms
    from verifier.core.turns import ToolCall

    Fields = Mapping[str, tuple[str, object]]

_NO_PROOF: Final = load_word_lists("record_words")["proves_nothing"]
_FOUND: Final = ("found", "exists", "not_found")


@dataclass(frozen=True, slots=True)
class _Node:
    value: object
    place: Place
    inside: Enclosure
    depth: int
    is_element: bool = False
    entry: str | None = None


class ResultReader:
    """Reads the result of one call into a collector."""

    def __init__(
        self,
        collector: Collector,
        call: ToolCall,
        *,
        position: int,
        terms: ReadingTerms,
        budget: Budget,
    ) -> None:
        self._collector = collector
        self._call = call
        self._position = position
        self._budget = budget
        self._about = kinds_of_tool(call.tool)
        self._asked: Thing | None = None
        self._state = Stating(collector, call, position=position, terms=terms)
        self._stack: list[_Node | int] = []

    def read(self) -> None:
        """Add what the result says; one that is too large counts as incomplete from there on."""
        owner = (
            "call",
            self._call.tool,
            repr(sorted(self._call.arguments.items(), key=str))[:2_000],
        )
        self._collector.see_field(owner, "", self._position)
        root = Enclosure(owner=owner, path=((owner, ""),))
        self._stack = [_Node(self._call.result, Place(), root, 0)]
        try:
            self._walk()
        except ResultTooLarge:
            self._incomplete()

    def _walk(self) -> None:
        on_path: set[int] = set()
        while self._stack:
            node = self._stack.pop()
            if isinstance(node, int):
                on_path.discard(node)
                continue
            self._spend(node.value)
            if node.depth > DEEPEST or id(node.value) in on_path:
                continue
            if isinstance(node.value, (Mapping, list, tuple)):
                on_path.add(id(node.value))
                self._stack.append(id(node.value))
            self._visit(node)

    def _visit(self, node: _Node) -> None:
        if isinstance(node.value, Mapping):
            self._record(node, node.value)
        elif isinstance(node.value, (list, tuple)):
            self._list(node, node.value)
        elif isinstance(node.value, str):
            self._text(node, node.value)
        elif node.value is not None:
            asked = self._with_asked(node.inside)
            self._state.root_value(node.value, asked, node.place, self._about)

    def _text(self, node: _Node, text: str) -> None:
        """Read a text of the result: structure that it holds, or what it says in words."""
        found = find_structure(text)
        if found is not None:
            self._push(node, found.value, node.place)
            text = found.preface
        elif looks_structured(text) or says_failure_in_text(text):
            self._incomplete()
            return
        if is_cut_off(text):
            self._incomplete()
        if text.strip():
            self._state.text(text, self._with_asked(node.inside), node.place, self._about)

    def _list(self, node: _Node, elements: Sequence[object]) -> None:
        """Read a list that lies in no field: the whole result, or an element of a list."""
        blocks = blocks_of(elements)
        if blocks is not None:
            for at, block in reversed(list(enumerate(blocks))):
                self._push(node, block, node.place.inside(str(at)).inside("text"))
            return
        if not node.is_element:
            self._count(None, elements, {}, self._with_asked(node.inside), node.place)
        self._elements(node, elements, node.place, node.inside)

    def _record(self, node: _Node, record: Mapping[object, object]) -> None:
        fields = fold_fields(record)
        if says_failure(fields):
            self._failure(node, fields)
            return
        if node.inside.container is not None and is_amount(fields):
            self._state.amount(fields, node.inside, node.place)
            return
        rows = row_records(fields)
        if rows is not None:
            inside = node.inside.inside("rows", words=False)
            self._elements(node, rows, node.place, inside)
        elif not self._by_keys(node, fields):
            self._fields(node, fields, self._open(node, fields))

    def _by_keys(self, node: _Node, fields: Fields) -> bool:
        """Read a record whose keys are periods or ids instead of names of fields, if it is one."""
        if node.inside.container is not None and keyed_by_period(fields):
            for written, value in fields.values():
                inside = replace(node.inside, period=written)
                self._state.in_container(value, inside, node.place.inside(written))
                if isinstance(value, (Mapping, list, tuple)):
                    self._push(node, value, node.place.inside(written), inside=inside)
            return True
        entries = keyed_entries(fields, outermost=node.inside.outermost)
        if entries is None or is_option_map(node.inside.container):
            return named_ids(fields) and self._named_ids(node, fields)
        self._count(node.inside.container, entries, {}, node.inside, node.place)
        for written, value in reversed(entries):
            place = node.place.inside(written)
            self._push(node, value, place, is_element=True, entry=written)
        return True

    def _named_ids(self, node: _Node, fields: Fields) -> bool:
        """Read a record that gives each of many names its id."""
        self._count(node.inside.container, tuple(fields), {}, node.inside, node.place)
        told = self._told(node.inside)
        for written, value in fields.values():
            self._spend(value)
            self._state.named_id(written, str(value), node.inside, node.place, told)
        return True

    def _open(self, node: _Node, fields: Fields) -> Enclosure:
        """Return the enclosure of a record's fields: inside the thing that it opens, or as it was."""
        inside = node.inside
        identity = identify(
            fields, told=self._told(inside), outermost=inside.outermost, entry=node.entry
        )
        nested = not (node.is_element or inside.outermost)
        if nested and (is_nested_name(inside.container) or not identity.opens):
            return inside
        if not identity.opens and not node.is_element:
            return self._with_asked(inside)
        thing = self._collector.add_thing(
            keys=identity.keys,
            names=identity.names,
            kinds=identity.kinds,
            descriptors=identity.descriptors,
            outer=inside.thing,
            position=self._position,
        )
        owner: Hashable | None = None
        if identity.key is not None:
            outer = inside.owner if inside.thing is not None else None
            owner = ("thing", outer, tuple(sorted(identity.kinds)), identity.key)
        return inside.of_thing(thing, subject_of_thing(thing, identity.key), owner)

    def _fields(self, node: _Node, fields: Fields, inside: Enclosure) -> None:
        inside = replace(inside, currency=self._state.currency_of(fields) or inside.currency)
        holds_list = any(isinstance(value, (list, tuple)) for _, value in fields.values())
        children: list[_Node] = []
        for name, (written, value) in fields.items():
            self._collector.see_field(inside.owner, inside.field or name, self._position)
            if name in _NO_PROOF or value is None or (holds_list and is_paging(name)):
                continue
            child = _Node(value, node.place.inside(written), inside, node.depth + 1)
            if isinstance(value, (Mapping, list, tuple)) or self._is_structured(value):
                children.append(child)
                self._enter(child, name, fields, children)
            else:
                self._spend(value)
                self._state.field(name, value, inside, child.place, fields)
        self._stack.extend(reversed(children))

    def _enter(self, child: _Node, name: str, fields: Fields, children: list[_Node]) -> None:
        """Replace the node of a container, last in `children`, by the nodes of what it holds."""
        children.pop()
        wraps = is_wrapper(name)
        within = child.inside if wraps else child.inside.inside(name, words=not is_option_map(name))
        value = child.value
        if not isinstance(value, (list, tuple)):
            children.append(replace(child, inside=within))
            return
        blocks = blocks_of(value)
        if blocks is not None:
            children.extend(
                replace(child, value=block, place=child.place.inside(str(at)).inside("text"))
                for at, block in enumerate(blocks)
            )
            return
        self._count(name, value, fields, child.inside, child.place)
        within = child.inside.inside(name, words=False)
        for at, part in enumerate(value):
            place = child.place.inside(str(at))
            if isinstance(part, (Mapping, list, tuple)):
                children.append(_Node(part, place, within, child.depth + 1, is_element=True))
            elif part is not None:
                self._spend(part)
                self._state.field(name, part, child.inside, place, fields)

    def _elements(
        self, node: _Node, elements: Sequence[object], place: Place, inside: Enclosure
    ) -> None:
        outermost = replace(inside, outermost=True) if node.inside.outermost else inside
        for at, part in reversed(list(enumerate(elements))):
            self._push(
                node,
                part,
                place.inside(str(at)),
                inside=outermost,
                is_element=not isinstance(part, str),
            )

    def _count(
        self,
        name: str | None,
        elements: Sequence[object],
        fields: Fields,
        inside: Enclosure,
        place: Place,
    ) -> None:
        extent = extent_of(name or "", len(elements), fields, self._call.arguments)
        if not extent.complete:
            self._incomplete()
        whole = extent.complete and self._call.complete
        number = extent.total if extent.total is not None else len(elements) if whole else None
        if number is not None:
            self._state.count(name, number, inside, place, self._told(inside))

    def _told(self, inside: Enclosure) -> frozenset[str]:
        """Return what the elements or fields here are of: the container's kinds, or else the tool's."""
        kinds = (
            kinds_of_container(inside.container) if inside.container is not None else frozenset()
        )
        at_root = inside.outermost or (inside.thing is None and inside.field == inside.container)
        return kinds | self._about if at_root and (not kinds or kinds <= {"item"}) else kinds

    def _with_asked(self, inside: Enclosure) -> Enclosure:
        """Return the enclosure inside what the arguments name, for what names no subject itself."""
        asked = subject_of(self._call)
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

    def _failure(self, node: _Node, fields: Fields) -> None:
        """Leave out a record that says it failed; that something was not found is a fact."""
        told = next((name for name in _FOUND if name in fields), None)
        if told is not None and not fields.get("error", ("", None))[1]:
            inside = self._with_asked(node.inside)
            self._state.not_found(inside, node.place.inside(fields[told][0]))
        if node.inside.outermost:
            self._incomplete()

    def _push(
        self,
        node: _Node,
        value: object,
        place: Place,
        *,
        inside: Enclosure | None = None,
        is_element: bool = False,
        entry: str | None = None,
    ) -> None:
        self._stack.append(
            _Node(value, place, inside or node.inside, node.depth + 1, is_element, entry)
        )

    def _is_structured(self, value: object) -> bool:
        return (
            isinstance(value, str) and looks_structured(value) and find_structure(value) is not None
        )

    def _spend(self, value: object) -> None:
        if not self._budget.spend(len(value) if isinstance(value, str) else 0):
            raise ResultTooLarge("the results hold more than is read")

    def _incomplete(self) -> None:
        self._collector.incomplete.add(self._call.call_id)
