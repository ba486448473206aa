"""Tool results as facts: records of any shape, their lists, the things that they open; in bounded time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.facts.arguments import key_of_arguments
from verifier.core.facts.field_periods import period_beside
from verifier.core.facts.lists import extent_of, is_paging
from verifier.core.facts.opening import ThingOpener
from verifier.core.facts.plain import SCALARS, is_amount_or_day, is_list, is_record
from verifier.core.facts.scopes import Enclosure
from verifier.core.facts.shapes import (
    blocks_of,
    is_amount,
    is_option_map,
    is_wrapper,
    keyed_by_period,
    keyed_entries,
    named_ids,
    row_records,
)
from verifier.core.facts.siblings import currency_beside, escape, with_kind
from verifier.core.facts.stating import Stating
from verifier.core.facts.structured import (
    find_structure,
    holds_structure,
    is_cut_off,
    looks_structured,
    says_failure_in_text,
)
from verifier.core.facts.unreadable import holds_unreadable, is_unreadable
from verifier.core.ledger_walk import ResultTooLarge, fold_fields, says_failure
from verifier.core.lexicons import load_word_lists

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.facts.collecting import Collector
    from verifier.core.ledger_walk import Budget
    from verifier.core.statements import ReadingTerms
    from verifier.core.turns import ToolCall

    Fields = Mapping[str, tuple[str, object]]

_NO_PROOF: Final = load_word_lists("record_words")["proves_nothing"]
_LONGEST_POINTER: Final = 400
_DEEPEST: Final = 100
_MOST_FIELDS: Final = 5_000
_FOUND: Final = ("found", "exists", "not_found")


@dataclass(slots=True)
class _Node:
    value: object
    pointer: str
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
        self._opener = ThingOpener(collector, call, position)
        self._state = Stating(collector, call, position=position, terms=terms)
        self._stack: list[_Node] = []

    def read(self) -> None:
        """Add what the result says; one that is too large counts as incomplete from there on."""
        owner = self._collector.number_owner((self._call.tool, key_of_arguments(self._call)))
        self._collector.see_fields(owner, "", (), self._position)
        root = Enclosure(owner=owner, path=((owner, ""),))
        self._stack = [_Node(self._call.result, "", root, 0)]
        try:
            self._walk()
        except ResultTooLarge:
            self._incomplete()

    def _walk(self) -> None:
        while self._stack:
            node = self._stack.pop()
            self._spend(node.value)
            if node.depth > _DEEPEST:
                self._incomplete()
                continue
            self._visit(node)

    def _visit(self, node: _Node) -> None:
        if is_record(node.value):
            self._record(node, node.value)
        elif is_list(node.value):
            self._list(node, node.value)
        elif isinstance(node.value, str):
            self._text(node, node.value)
        elif node.value is not None:
            inside = self._opener.with_asked(node.inside)
            self._state.root_value(node.value, inside, node.pointer, self._opener.about)

    def _text(self, node: _Node, text: str) -> None:
        """Read a text of the result: structure that it holds, or what it says in words."""
        found = find_structure(text)
        if found is not None:
            self._push(node, found.value, node.pointer)
            text = found.preface
        elif looks_structured(text) or says_failure_in_text(text):
            self._incomplete()
            return
        if is_cut_off(text):
            self._incomplete()
        if text.strip():
            self._state.text(
                text, self._opener.with_asked(node.inside), node.pointer, self._opener.about
            )

    def _list(self, node: _Node, elements: Sequence[object]) -> None:
        """Read a list that lies in no field: the whole result, or an element of a list."""
        blocks = blocks_of(elements)
        if blocks is not None:
            for at, block in reversed(list(enumerate(blocks))):
                self._push(node, block, f"{node.pointer}/{at}/text")
            return
        if not node.is_element:
            self._count(None, elements, {}, self._opener.with_asked(node.inside), node.pointer)
        self._elements(node, elements, node.pointer, node.inside)

    def _record(self, node: _Node, record: Mapping[object, object]) -> None:
        if len(node.pointer) > _LONGEST_POINTER or len(record) > _MOST_FIELDS:
            self._incomplete()
            return
        fields = fold_fields(record)
        if says_failure(fields):
            self._failure(node, fields)
            return
        told = ((name, value) for name, (_, value) in fields.items() if name not in _NO_PROOF)
        if any(is_unreadable(value, name) for name, value in told):
            self._incomplete()
        if node.inside.container is not None and is_amount(fields):
            self._state.amount(fields, node.inside, node.pointer)
            return
        rows = row_records(fields)
        if rows is not None:
            inside = node.inside.inside("rows", words=False)
            self._elements(node, rows, node.pointer, inside)
        elif not self._by_keys(node, fields):
            inside = self._opener.open(
                fields, node.inside, is_element=node.is_element, entry=node.entry
            )
            self._fields(node, fields, inside)

    def _by_keys(self, node: _Node, fields: Fields) -> bool:
        """Read a record whose keys are periods or ids instead of names of fields, if it is one."""
        if node.inside.container is not None and keyed_by_period(fields):
            for written, value in fields.values():
                inside = replace(node.inside, period=written)
                self._state.in_container(value, inside, f"{node.pointer}/{escape(written)}")
                if holds_structure(value):
                    self._push(node, value, f"{node.pointer}/{escape(written)}", inside=inside)
            return True
        entries = keyed_entries(fields, outermost=node.inside.outermost)
        if entries is None or is_option_map(node.inside.container):
            return named_ids(fields) and self._named_ids(node, fields)
        self._count(node.inside.container, entries, {}, node.inside, node.pointer)
        for written, value in reversed(entries):
            pointer = f"{node.pointer}/{escape(written)}"
            self._push(node, value, pointer, is_element=True, entry=written)
        return True

    def _named_ids(self, node: _Node, fields: Fields) -> bool:
        """Read a record that gives each of many names its id."""
        self._count(node.inside.container, tuple(fields), {}, node.inside, node.pointer)
        told = self._opener.told(node.inside)
        for written, value in fields.values():
            self._spend(value)
            self._state.named_id(written, str(value), node.inside, node.pointer, told)
        return True

    def _fields(self, node: _Node, fields: Fields, inside: Enclosure) -> None:
        inside = inside.beside(currency_beside(fields), period_beside(fields))
        inner = [value for _, value in fields.values() if type(value) not in SCALARS]
        holds_list = any(map(is_list, inner))
        self._collector.see_fields(inside.owner, inside.field, fields, self._position)
        self._state.ranges(fields, inside, node.pointer)
        children: list[_Node] = []
        for name, (written, value) in fields.items():
            vain = name in _NO_PROOF and not is_amount_or_day(value)
            if value is None or vain or (holds_list and is_paging(name)):
                continue
            pointer = f"{node.pointer}/{escape(written)}"
            if holds_structure(value):
                self._enter(_Node(value, pointer, inside, node.depth + 1), name, fields, children)
            else:
                self._spend(value)
                self._state.field(name, value, with_kind(name, inside, fields), pointer, fields)
        self._stack.extend(reversed(children))

    def _enter(self, child: _Node, name: str, fields: Fields, children: list[_Node]) -> None:
        """Add the nodes of what a field holds: the record, or the records of a list."""
        wraps = is_wrapper(name)
        within = child.inside if wraps else child.inside.inside(name, words=not is_option_map(name))
        value = child.value
        if not is_list(value):
            children.append(replace(child, inside=within))
            return
        blocks = blocks_of(value)
        if blocks is not None:
            children.extend(
                replace(child, value=block, pointer=f"{child.pointer}/{at}/text")
                for at, block in enumerate(blocks)
            )
            return
        self._count(name, value, fields, child.inside, child.pointer)
        within = child.inside.inside(name, words=False)
        for at, part in enumerate(value):
            pointer = f"{child.pointer}/{at}"
            if holds_structure(part):
                children.append(_Node(part, pointer, within, child.depth + 1, is_element=True))
            elif part is not None:
                self._spend(part)
                self._state.field(name, part, child.inside, pointer, fields)

    def _elements(
        self, node: _Node, elements: Sequence[object], pointer: str, inside: Enclosure
    ) -> None:
        outermost = replace(inside, outermost=True) if node.inside.outermost else inside
        for at, part in reversed(list(enumerate(elements))):
            self._push(
                node,
                part,
                f"{pointer}/{at}",
                inside=outermost,
                is_element=not isinstance(part, str),
            )

    def _count(
        self,
        name: str | None,
        elements: Sequence[object],
        fields: Fields,
        inside: Enclosure,
        pointer: str,
    ) -> None:
        extent = extent_of(name or "", len(elements), fields, self._call.arguments)
        if not extent.complete or holds_unreadable(elements, name):
            self._incomplete()
        whole = extent.complete and self._call.complete
        number = extent.total if extent.total is not None else len(elements) if whole else None
        if number is not None:
            self._state.count(name, number, inside, pointer, self._opener.told(inside))

    def _failure(self, node: _Node, fields: Fields) -> None:
        """Leave out a record that says it failed; that something was not found is a fact."""
        told = next((name for name in _FOUND if name in fields), None)
        if told is not None and not fields.get("error", ("", None))[1]:
            inside = self._opener.with_asked(node.inside)
            self._state.not_found(inside, f"{node.pointer}/{escape(fields[told][0])}")
        elif node.inside.outermost:
            self._incomplete()

    def _push(
        self,
        node: _Node,
        value: object,
        pointer: str,
        *,
        inside: Enclosure | None = None,
        is_element: bool = False,
        entry: str | None = None,
    ) -> None:
        self._stack.append(
            _Node(value, pointer, inside or node.inside, node.depth + 1, is_element, entry)
        )

    def _spend(self, value: object) -> None:
        if not self._budget.spend(len(value) if type(value) is str else 0):
            raise ResultTooLarge("the results hold more than is read")

    def _incomplete(self) -> None:
        self._collector.incomplete.add(self._call.call_id)
