"""Which thing a record is: its own id among its ids, its names, what kind it is, what it is like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.currency_words import currency_named
from verifier.core.facts.forms import MONEY_ROLES, Role, id_kinds, is_id_name, is_listed, read_form
from verifier.core.facts.plain import is_record
from verifier.core.facts.values import may_hold_value
from verifier.core.field_names import fold_field
from verifier.core.text import clean_text, fold
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Fields = Mapping[str, tuple[str, object]]

_LONGEST_KEY: Final = 200
_LONGEST_NAME: Final = 120
_LONGEST_DESCRIPTOR: Final = 40
_FIRST_FIELDS: Final = 2
_TYPE_FIELDS: Final = ("type", "kind", "entity", "object", "item_type", "category", "source")
_ALSO_KEYS: Final = ("email", "phone_number", "phone")
_NO_DESCRIPTOR: Final = frozenset(
    {Role.ID, Role.NAME, Role.CODE, Role.PHONE, Role.ADDRESS, Role.STATE, Role.PROSE, Role.MOMENT}
)
_AMOUNTS: Final = MONEY_ROLES | {Role.PERCENT, Role.POINTS, Role.RATIO}
_LABELS: Final = (
    "service",
    "item",
    "product",
    "plan",
    "room",
    "course",
    "vehicle",
    "medication",
    "article",
    "material",
    "ingredient",
    "dish",
    "event",
    "activity",
    "package",
    "model",
    "label",
    "title",
    "subject",
    "description",
    "category",
)
_WORDS: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")  # red, x-ray, levi's
_NUMBERED: Final = frozenset({Role.PLAIN, Role.MEASURE})
_HAS_DIGIT: Final = re.compile(r"\d")
_YES: Final = frozenset({"yes", "true"})
_LACKING: Final = frozenset({"no", "none", "false"})
_NO: Final = frozenset({"null", "n/a", "unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a record says of itself as a thing."""

    key: str | None
    keys: tuple[str, ...]
    names: tuple[str, ...]
    kinds: frozenset[str]
    descriptors: tuple[str, ...]

    @property
    def opens(self) -> bool:
        """Whether the record names itself, by an id or a name."""
        return bool(self.keys or self.names)


def _kinds(own: str | None, told: frozenset[str]) -> frozenset[str]:
    """Return what a record is by the name of its id, else by its container and tool."""
    return (id_kinds(own) if own is not None else frozenset()) or told


def identify(
    fields: Fields,
    *,
    told: frozenset[str],
    outermost: bool,
    entry: str | None = None,
    labelled: bool = False,
) -> Identity:
    """Return a record's identity. `told` are the stems of its container and tool, `entry` its key in a map.

    In a record that lies in another, an id that its container does not name is a reference, unless it
    stands first. One that is `labelled` has a field such as `service` for its name where it has no other.
    """
    own = _own_id(fields, told, outermost=outermost)
    key = None if own is None else _as_key(fields[own][1])
    kinds = _kinds(own, told) | _kinds_by_type(fields)
    raw_keys = [key, *(_as_key(fields[name][1]) for name in _ALSO_KEYS if name in fields)]
    names = list(_names(fields, kinds))
    if entry is not None:
        coded = any(sign.isdigit() for sign in entry)
        (raw_keys if coded else names).append(entry if coded else entry.replace("_", " "))
    label = None
    if labelled and not names:
        label = _label(fields, kinds if any(raw_keys) else None)
        names.extend(() if label is None else _short(fields[label][1]))
    return Identity(
        key=key or (entry and clean_text(entry)) or None,
        keys=tuple(dict.fromkeys(form for one in raw_keys if one for form in key_forms(one))),
        names=tuple(dict.fromkeys(names)),
        kinds=kinds,
        descriptors=tuple(dict.fromkeys(_descriptors(fields, label))),
    )


def key_forms(written: str) -> tuple[str, ...]:
    """Return an id folded, with and without a number sign; words with spaces stay whole."""
    folded = fold(written)
    bare = folded.lstrip("#")
    return (folded, bare) if folded != bare and bare else (folded,) if folded else ()


def _own_id(fields: Fields, told: frozenset[str], *, outermost: bool) -> str | None:
    ids = [name for name in fields if is_id_name(name) and _as_key(fields[name][1])]
    if not ids:
        return None
    bare = [name for name in ids if not id_kinds(name)]
    named = [name for name in ids if id_kinds(name) and id_kinds(name) <= told]
    if named or bare:
        return "id" if "id" in bare else (named or bare)[0]
    if outermost:
        return ids[0]
    first = list(fields)[:_FIRST_FIELDS]
    return ids[0] if ids[0] in first else None


def _as_key(raw: object) -> str | None:
    if isinstance(raw, bool) or not isinstance(raw, (str, int, Decimal)):
        return None
    text = clean_text(str(raw)).strip() if not isinstance(raw, int) else _short_digits(raw)
    return text if 0 < len(text) <= _LONGEST_KEY else None


def _short_digits(raw: int) -> str:
    return str(raw) if raw.bit_length() < 4 * _LONGEST_KEY // 2 else ""


def _kinds_by_type(fields: Fields) -> frozenset[str]:
    told = (fields[name][1] for name in _TYPE_FIELDS if name in fields)
    return frozenset(
        stem(word)
        for value in told
        if isinstance(value, str) and len(value) <= _LONGEST_DESCRIPTOR
        for word in fold_field(value).split("_")
        if word.isalpha()
    )


def _names(fields: Fields, kinds: frozenset[str]) -> Iterator[str]:
    for name, (_, value) in fields.items():
        if name == "name" and is_record(value):
            yield from _person({fold_field(str(key)): ("", part) for key, part in value.items()})
        elif isinstance(value, str) and is_name_field(name, kinds):
            yield from _short(value)
    yield from _person(fields)
    if "description" in fields and not any(is_name_field(name, kinds) for name in fields):
        yield from _short(fields["description"][1])


def is_name_field(name: str, kinds: frozenset[str]) -> bool:
    """Return whether a folded field names the record that it stands in: `name`, `plan_name` of a plan."""
    if is_listed(name, "names"):
        return True
    base = name.removesuffix("_name")
    return base != name and stem(base) in kinds


def _label(fields: Fields, kinds: frozenset[str] | None) -> str | None:
    """Return the field that names a record without a name: {"service": "X-ray", "amount": 45}.

    A record with an id has `kinds`, and only the field that is called as they are names it.
    """
    for name in _LABELS:
        value = fields[name][1] if name in fields else None
        if kinds is not None and stem(name) not in kinds:
            continue
        if isinstance(value, str) and any(sign.isalpha() for sign in value):
            return name
    return None


def _person(fields: Fields) -> Iterator[str]:
    parts = [fields[name][1] for name in ("first_name", "last_name") if name in fields]
    if len(parts) == _FIRST_FIELDS and all(isinstance(part, str) and part for part in parts):
        yield from _short(" ".join(str(part).strip() for part in parts))


def _short(value: object) -> Iterator[str]:
    if isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_NAME:
        yield clean_text(value.strip())


def _descriptors(fields: Fields, label: str | None) -> Iterator[str]:
    for name, (_, value) in fields.items():
        if name == label:
            continue
        if type(value) is str:
            if 0 < len(value) <= _LONGEST_DESCRIPTOR:
                yield from _described(name, value)
        elif is_record(value) and is_listed(name, "options"):
            for key, part in value.items():
                if isinstance(part, str) and 0 < len(part) <= _LONGEST_DESCRIPTOR:
                    yield from _described(fold_field(str(key)), part)


@lru_cache(maxsize=16_384)
def _described(name: str, value: str) -> tuple[str, ...]:
    """Return what a short text says its thing is like: "red", "10 hours", "size 10", "waterproof"."""
    role = read_form(name).role
    if role in _NO_DESCRIPTOR or currency_named(value) or "currency" in name:
        return ()
    folded = fold(value).replace("_", " ")
    if role in _AMOUNTS and _HAS_DIGIT.search(folded):
        return ()
    words = name.replace("_", " ")
    if folded in _LACKING | _YES:
        return _feature(words, has=folded in _YES)
    if folded in _NO or "@" in folded or _is_calendar(folded):
        return ()
    if folded.replace(".", "").replace(",", "").isdigit():
        sized = role in _NUMBERED and folded.isdigit() and not is_listed(name, "amount_fields")
        return (f"{words} {folded}",) if sized else ()
    telling = " " in folded or _WORDS.fullmatch(folded) or may_hold_value(folded)
    return (folded,) if telling else ()


def _feature(words: str, *, has: bool) -> tuple[str, ...]:
    bare = words.removesuffix(" type")
    if has:
        return (words,)
    adjective = f"{bare.removesuffix('ce')}t" if bare.endswith("nce") else bare
    return f"no {bare}", f"without {bare}", f"not {adjective}"


def _is_calendar(folded: str) -> bool:
    return (folded[:4].isdigit() and "-" in folded[4:6]) or ":" in folded
