"""What a call's arguments say: values that prove nothing, and the subject of results that name none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.facts.forms import (
    id_kinds,
    is_id_name,
    is_listed,
    kinds_of_tool,
)
from verifier.core.facts.identity import key_forms
from verifier.core.facts.lists import is_paging
from verifier.core.facts.plain import is_list, is_record
from verifier.core.facts.siblings import escape
from verifier.core.facts.values import LONGEST_SHORT
from verifier.core.field_names import field_words, fold_field
from verifier.core.ledger_walk import Budget
from verifier.core.text import clean_text, content_stems
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.turns import ToolCall

_LONGEST: Final = 120
_MOST_ARGUMENTS: Final = 200
_MOST_BITS: Final = 4_000
_DEEPEST: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentSubject:
    """The thing that a call asked about, as far as its arguments tell."""

    key: str | None = None
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    descriptors: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The arguments that chose the elements of a list: as text, and their stems."""

    text: str | None
    stems: frozenset[str]


def subject_of(call: ToolCall) -> ArgumentSubject | None:
    """Return what a call is about: its one id, or the one that the tool's name names; else its names.

    Several ids, of which none is the tool's own, name no subject.
    """
    about = kinds_of_tool(call.tool)
    told = list(_told(call))
    ids = [(name, text) for name, text in told if _names_id(name, text)]
    own = [pair for pair in ids if id_kinds(pair[0]) & about or not id_kinds(pair[0])]
    chosen = ids if len(ids) == 1 else own
    if len(chosen) == 1:
        name, text = chosen[0]
        return ArgumentSubject(key=text, keys=key_forms(text), kinds=id_kinds(name) or about)
    if ids:
        return None
    return _by_names(told, about)


def filters_of(call: ToolCall) -> Filters:
    """Return what chose the elements of a list that a call returned."""
    told = [
        (name, text)
        for name, text in _told(call)
        if not is_paging(name) and not is_id_name(name) and len(text) <= _LONGEST
    ]
    flags = [fold_field(str(name)) for name, value in call.arguments.items() if value is True]
    text = "; ".join((*(f"{name}: {value}" for name, value in told), *flags))
    stems = frozenset(content_stems(" ".join((*(value for _, value in told), *flags))))
    return Filters(text=text or None, stems=stems)


def _told(call: ToolCall) -> Iterator[tuple[str, str]]:
    for name, value in list(call.arguments.items())[:_MOST_ARGUMENTS]:
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            continue
        if isinstance(value, int) and value.bit_length() > _LONGEST:
            continue
        text = clean_text(str(value)).strip()
        if 0 < len(text) <= _LONGEST:
            yield fold_field(str(name)), text


def _names_id(name: str, text: str) -> bool:
    phone = name in {"phone_number", "phone", "email"}
    return phone or (is_id_name(name) and not text.isspace())


def _by_names(told: list[tuple[str, str]], about: frozenset[str]) -> ArgumentSubject | None:
    named = [
        (name, text)
        for name, text in told
        if not is_listed(name, "shaping")
        and not is_paging(name)
        and not any(sign.isdigit() for sign in text)
    ]
    if not named:
        return None
    by_title = [text for name, text in named if is_listed(name, "names")]
    kinds = about | frozenset(stem(word) for name, _ in named[:1] for word in field_words(name))
    if len(named) == 1 or len(by_title) == 1:
        return ArgumentSubject(names=tuple(by_title or [named[0][1]]), kinds=kinds)
    return ArgumentSubject(descriptors=tuple(text.casefold() for _, text in named), kinds=about)


def plain_parts(
    arguments: Mapping[str, object], budget: Budget
) -> Iterator[tuple[str, str, object]]:
    """Yield the plain values of a call's arguments: the name of the nearest field, the pointer, the value.

    Nothing is yielded of what is nested more than 50 deep, and no text of more than a line.
    """
    stack: list[tuple[str, str, object, int]] = [("", "", arguments, 0)]
    while stack:
        name, pointer, value, depth = stack.pop()
        if not budget.spend(len(value) if isinstance(value, str) else 0):
            return
        if depth > _DEEPEST:
            continue
        if is_record(value):
            inner = [(str(key), part) for key, part in value.items()]
            stack.extend(
                (key, f"{pointer}/{escape(key)}", part, depth + 1)
                for key, part in reversed(inner)
                if len(key) <= _LONGEST
            )
        elif is_list(value):
            parts = reversed(list(enumerate(value)))
            stack.extend((name, f"{pointer}/{at}", part, depth + 1) for at, part in parts)
        elif not isinstance(value, str) or len(value) <= LONGEST_SHORT:
            yield name, pointer, value


def key_of_arguments(call: ToolCall) -> str:
    """Return a text that is the same for calls of the same arguments, as far as they are short."""
    told = sorted(
        f"{pointer}={value}"
        for _, pointer, value in plain_parts(call.arguments, Budget(nodes=_MOST_ARGUMENTS))
        if not isinstance(value, int) or value.bit_length() <= _MOST_BITS
    )
    return "\n".join(told)
