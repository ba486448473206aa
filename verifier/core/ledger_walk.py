"""Walking tool results: every record in them, with where it stands and what encloses it.

The walk is iterative and bounded, so that deep, huge or cyclic results cost what they are worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.core.field_names import fold_field
from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.lexicons import load_word_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.core.evidence import Subject
    from verifier.core.turns import ToolCall

    Adopt = Callable[["FoundRecord", "LedgerRecord | None"], "LedgerRecord | None"]

DEEPEST: Final = 1_000
MOST_NODES: Final = 400_000
MOST_TEXT: Final = 20_000_000
_DEEPEST_TEXT: Final = 500
_FALSE_MEANS_FAILURE: Final = ("ok", "success", "successful", "found")
_TRUE_MEANS_FAILURE: Final = ("is_error", "not_found", "failed")
_STATUS_CODES: Final = ("status", "status_code", "http_status")
_JSON_STARTS: Final = frozenset({"{", "["})
_NO_PROOF: Final = load_word_lists("record_words")["proves_nothing"]
_PLAIN_TYPES: Final = frozenset({int, float, bool, type(None), Decimal})
_WRAPPERS: Final = frozenset(
    {"data", "result", "results", "response", "payload", "content", "text"}
)


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a result, as a chain towards its root; a pointer is only written when asked for."""

    outer: Place | None = None
    token: str = ""

    def inside(self, token: str) -> Place:
        """Return the place of a field or an element within this one."""
        return Place(self, token)

    @property
    def pointer(self) -> str:
        """The JSON pointer (RFC 6901) of the place."""
        tokens: list[str] = []
        at: Place | None = self
        while at is not None and at.outer is not None:
            tokens.append(at.token.replace("~", "~0").replace("/", "~1"))
            at = at.outer
        return "".join(f"/{token}" for token in reversed(tokens))


@dataclass(slots=True, kw_only=True)
class Budget:
    """What a walk may still spend; shared by all results of a ledger. Not frozen: it is a counter."""

    nodes: int = MOST_NODES
    characters: int = MOST_TEXT

    def spend(self, characters: int = 0) -> bool:
        """Take one node and the characters, and return whether both were left."""
        self.nodes -= 1
        self.characters -= characters
        return self.nodes >= 0 and self.characters >= 0


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record of a result: its fields by folded name, and the field that contains it.

    `prefix` are the containers between it and its owner, wrappers such as `data` left out.
    """

    place: Place
    fields: Mapping[str, tuple[str, object]]
    container: str | None
    prefix: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LedgerRecord:
    """A record of a tool result, and whose it is.

    `subject` is None for a record that opens none; it then speaks of `outer`, by way of `prefix`.
    `entity_type` is set only where the record is the thing itself, never a line or a mention of it.
    """

    call: ToolCall
    position: int
    found: FoundRecord
    subject: Subject | None = None
    entity_type: str | None = None
    outer: LedgerRecord | None = None

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The subject chain, from the nearest outwards."""
        chain: list[Subject] = []
        at: LedgerRecord | None = self
        while at is not None:
            if at.subject is not None:
                chain.append(at.subject)
            at = at.outer
        return tuple(chain)


@dataclass(frozen=True, slots=True)
class _Node:
    value: object
    place: Place
    container: str | None
    prefix: tuple[str, ...]
    owner: LedgerRecord | None
    depth: int


class ResultTooLarge(ValueError):
    """A result exceeds what a ledger reads; what was read so far counts, absence proves nothing."""


def walk_records(result: object, *, adopt: Adopt, budget: Budget) -> None:
    """Call `adopt` with each record and its owner, outside in; what it returns owns what is inside.

    A record that says it failed is left out with all that it holds. Raises ResultTooLarge.
    """
    stack: list[_Node | int] = [_Node(result, Place(), None, (), None, 0)]
    on_path: set[int] = set()
    while stack:
        node = stack.pop()
        if isinstance(node, int):
            on_path.discard(node)
            continue
        if not budget.spend(len(node.value) if isinstance(node.value, str) else 0):
            raise ResultTooLarge("the results hold more than a ledger reads")
        if node.depth > DEEPEST or id(node.value) in on_path:
            continue
        if isinstance(node.value, str):
            stack.extend(_parsed(node))
        elif isinstance(node.value, (Mapping, list, tuple)):
            on_path.add(id(node.value))
            stack.append(id(node.value))
            stack.extend(_inside(node, adopt))


def says_failure(fields: Mapping[str, tuple[str, object]]) -> bool:
    """Return whether a record reports a failure: an error, ok or success false, found false."""
    for name in ("error", "errors"):
        if name in fields and _is_told(fields[name][1]):
            return True
    if any(name in fields and _is_truth(fields[name][1], "false") for name in _FALSE_MEANS_FAILURE):
        return True
    if any(name in fields and _is_truth(fields[name][1], "true") for name in _TRUE_MEANS_FAILURE):
        return True
    if any(name in fields and _is_failure_code(fields[name][1]) for name in _STATUS_CODES):
        return True
    status = fields.get("status", ("", None))[1]
    return status == "error" and "message" in fields


def _is_told(value: object) -> bool:
    """Return whether a field of errors holds one."""
    if isinstance(value, Decimal):
        return not value.is_zero()
    return value not in (None, False, "", 0, [], {})


def _is_truth(value: object, wanted: str) -> bool:
    """Return whether a flag says so, as tools write flags: false, "False"."""
    return isinstance(value, (bool, str)) and str(value).strip().casefold() == wanted


def _is_failure_code(value: object) -> bool:
    """Return whether a status is that of a failed HTTP exchange: 404, "503"."""
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return False
    written = str(value).strip()
    return len(written) == 3 and written[0] in "45" and written.isascii() and written.isdigit()


def _holds_records(value: object) -> bool:
    kind = type(value)
    if kind is str:
        return str(value).lstrip()[:1] in _JSON_STARTS
    return kind not in _PLAIN_TYPES and isinstance(value, (dict, list, tuple, Mapping))


def _parsed(node: _Node) -> Iterator[_Node]:
    try:
        value = read_json(str(node.value).strip(), deepest=_DEEPEST_TEXT)
    except UnreadableJson:
        return
    yield _Node(value, node.place, node.container, node.prefix, node.owner, node.depth + 1)


def _inside(node: _Node, adopt: Adopt) -> Sequence[_Node]:
    if isinstance(node.value, Mapping):
        return _record_parts(node, node.value, adopt)
    if not isinstance(node.value, (list, tuple)):
        return ()
    return [
        _Node(
            part,
            node.place.inside(str(index)),
            node.container,
            node.prefix,
            node.owner,
            node.depth + 1,
        )
        for index, part in reversed(list(enumerate(node.value)))
        if _holds_records(part)
    ]


def _record_parts(node: _Node, record: Mapping[object, object], adopt: Adopt) -> Sequence[_Node]:
    fields = fold_fields(record)
    if says_failure(fields):
        return ()
    owner = adopt(FoundRecord(node.place, fields, node.container, node.prefix), node.owner)
    adopted = owner is not node.owner
    parts = [
        _Node(
            value,
            node.place.inside(written),
            node.container if name in _WRAPPERS else name,
            () if adopted and name in _WRAPPERS else _prefix(node.prefix, name, adopted=adopted),
            owner,
            node.depth + 1,
        )
        for name, (written, value) in fields.items()
        if name not in _NO_PROOF and _holds_records(value)
    ]
    parts.reverse()
    return parts


def fold_fields(record: Mapping[object, object]) -> dict[str, tuple[str, object]]:
    """Return the fields by folded name; where two names fold alike and differ, neither says anything."""
    fields: dict[str, tuple[str, object]] = {}
    for name, value in record.items():
        folded = fold_field(str(name))
        if folded in fields and fields[folded][1] is not value:
            fields[folded] = (fields[folded][0], None)
        else:
            fields[folded] = (str(name), value)
    return fields


def _prefix(outer: tuple[str, ...], name: str, *, adopted: bool) -> tuple[str, ...]:
    if name in _WRAPPERS:
        return outer
    return (name,) if adopted else (*outer[-7:], name)
