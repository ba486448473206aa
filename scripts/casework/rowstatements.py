"""Statements made from rows: cards, prose, lists and tables, each true, and false with one value changed."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from verifier.core.catalog import AttributeKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.catalog import Attribute, EntityType

FORMS: Final = ("card", "prose", "list", "table")
_PRICE: Final = (
    "{Subject} costs {value}.",
    "The price of {subject} is {value}.",
    "{Subject} is priced at {value}.",
    "You can get {subject} for {value}.",
    "{Subject} sells for {value}.",
    "For {subject}, the price is {value}.",
)
_AMOUNT: Final = (
    "The {label} of {subject} is {value}.",
    "{Subject} has a {label} of {value}.",
    "For {subject}, the {label} is {value}.",
    "{Subject} comes with a {label} of {value}.",
)
_STATE: Final = (
    "{Subject} is {value}.",
    "The {label} of {subject} is {value}.",
    "{Subject} is currently {value}.",
    "{Subject} is marked as {value}.",
)
_OTHER: Final = (
    "The {label} of {subject} is {value}.",
    "{Subject} has the {label} {value}.",
    "For {subject}, the {label} is {value}.",
)
_PRICES: Final = frozenset({"price", "unit price"})
_MOST_SHOWN_ROWS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A row: its type, key, owner, the name by which it alone can be told, and its cells by attribute."""

    entity: EntityType
    key: str
    principal: str | None
    name: str | None
    cells: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowStatement:
    """An answer about one attribute of a row, or of a few; `false` tells how it was made false."""

    text: str
    form: str
    keys: frozenset[str]
    principal: str | None
    false: str | None = None


def make_statements(
    things: Sequence[Thing], number: int, *, seed: int
) -> list[tuple[RowStatement, RowStatement]]:
    """Return `number` pairs of a true statement and the same one with one value changed."""
    chooser = random.Random(seed)  # noqa: S311 -- nothing here is secret
    by_type: defaultdict[str, list[Thing]] = defaultdict(list)
    for thing in things:
        by_type[thing.entity.name].append(thing)
    pairs: list[tuple[RowStatement, RowStatement]] = []
    tries = 0
    while len(pairs) < number and tries < number * 20:
        tries += 1
        same = by_type[chooser.choice(sorted(by_type))]
        thing = chooser.choice(same)
        attributes = [one for one in thing.entity.attributes if _is_told(thing, one)]
        if not attributes:
            continue
        attribute = chooser.choice(attributes)
        changed = _change(thing, attribute, same, chooser)
        if changed is None:
            continue
        form = FORMS[len(pairs) % len(FORMS)]
        pairs.append(_pair(thing, attribute, changed, (form, same), chooser))
    return pairs


def _is_told(thing: Thing, attribute: Attribute) -> bool:
    value = thing.cells.get(attribute.name)
    if value is None or attribute.kind is AttributeKind.NAME or str(value).strip() == "":
        return False
    return len(str(value)) <= 60 and "\n" not in str(value)


def _change(
    thing: Thing, attribute: Attribute, same: Sequence[Thing], chooser: random.Random
) -> tuple[Any, str] | None:
    """Return another value, and whether it is another row's or this one nudged."""
    own = write_value(attribute, thing.cells[attribute.name])
    others = [
        one.cells[attribute.name]
        for one in chooser.sample(same, min(len(same), 30))
        if _is_told(one, attribute)
    ]
    others = [one for one in others if write_value(attribute, one).casefold() != own.casefold()]
    nudged = _nudge(thing.cells[attribute.name], chooser)
    if others and (nudged is None or chooser.random() < 0.6):
        return chooser.choice(others), "swapped"
    return None if nudged is None else (nudged, "nudged")


def _nudge(value: Any, chooser: random.Random) -> Any:  # noqa: ANN401 -- a cell
    if isinstance(value, (bool, str)):
        return None
    if isinstance(value, Decimal):
        return value + chooser.choice((Decimal("0.01"), Decimal("0.10"), Decimal(1), Decimal(10)))
    if isinstance(value, int):
        return value + chooser.choice((1, 2, 10))
    if isinstance(value, datetime):
        return value + timedelta(days=chooser.choice((1, -1, 30)))
    return value + timedelta(days=1) if hasattr(value, "year") else None


def _pair(
    thing: Thing,
    attribute: Attribute,
    changed: tuple[Any, str],
    told: tuple[str, Sequence[Thing]],
    chooser: random.Random,
) -> tuple[RowStatement, RowStatement]:
    form, same = told
    state = chooser.getstate()
    true = _write(thing, attribute, (form, same), chooser)
    chooser.setstate(state)
    cells = {**thing.cells, attribute.name: changed[0]}
    false = _write(replace(thing, cells=cells), attribute, (form, same), chooser)
    return true, replace(false, false=changed[1])


def _write(
    thing: Thing, attribute: Attribute, told: tuple[str, Sequence[Thing]], chooser: random.Random
) -> RowStatement:
    form, same = told
    by_name = thing.name is not None and form != "card" and chooser.random() < 0.5
    subject = f"the {thing.name}" if by_name else f"{_title(thing.entity)} {thing.key}"
    if form == "card":
        fields = {"id": thing.key, attribute.name: _plain(attribute, thing.cells[attribute.name])}
        text = f"```{thing.entity.name}\n{json.dumps(fields)}\n```"
    elif form == "prose":
        text = _sentence(thing, attribute, subject, chooser)
    else:
        others = [
            one
            for one in chooser.sample(same, min(len(same), 12))
            if one.key != thing.key
            and one.principal == thing.principal
            and _is_told(one, attribute)
        ]
        shown = [thing, *others[: _MOST_SHOWN_ROWS - 1]]
        chooser.shuffle(shown)
        by_name = by_name and all(one.name is not None for one in shown)
        text = (_list if form == "list" else _table)(shown, attribute, by_name=by_name)
    return RowStatement(
        text=text,
        form=form,
        keys=frozenset({thing.key}),
        principal=thing.principal,
    )


def _sentence(thing: Thing, attribute: Attribute, subject: str, chooser: random.Random) -> str:
    value = write_value(attribute, thing.cells[attribute.name])
    label = _label(attribute)
    forms = [one for one in _templates(attribute) if " a {label}" not in one or label[-1] != "s"]
    form = chooser.choice(forms)
    return form.format(
        Subject=subject[:1].upper() + subject[1:], subject=subject, value=value, label=label
    )


def _templates(attribute: Attribute) -> Sequence[str]:
    if attribute.kind is AttributeKind.MONEY:
        return _PRICE if _PRICES & set(attribute.labels) else _AMOUNT
    if attribute.kind is AttributeKind.STATE:
        return _STATE
    return _AMOUNT if attribute.kind is AttributeKind.QUANTITY else _OTHER


def _list(shown: Sequence[Thing], attribute: Attribute, *, by_name: bool) -> str:
    label = _label(attribute)
    lines = [
        f"- {_called(one, by_name=by_name)}: {write_value(attribute, one.cells[attribute.name])}"
        for one in shown
    ]
    return f"Here is the {label} of each:\n" + "\n".join(lines)


def _table(shown: Sequence[Thing], attribute: Attribute, *, by_name: bool) -> str:
    label = _label(attribute)
    head = f"| {_title(shown[0].entity).capitalize()} | {label.capitalize()} |\n|---|---|\n"
    return head + "\n".join(
        f"| {_called(one, by_name=by_name)} | {write_value(attribute, one.cells[attribute.name])} |"
        for one in shown
    )


def _label(attribute: Attribute) -> str:
    return attribute.labels[0] if attribute.labels else attribute.name.replace("_", " ")


def _called(thing: Thing, *, by_name: bool) -> str:
    return str(thing.name) if by_name else f"{_title(thing.entity)} {thing.key}"


def _title(entity: EntityType) -> str:
    return entity.name.replace("_", " ")


def write_value(attribute: Attribute, value: Any) -> str:  # noqa: ANN401 -- a cell
    """Return a cell as an answer would write it: $1,299.00, March 5, 2026, 12 kg, shipped."""
    if attribute.kind is AttributeKind.MONEY:
        amount = Decimal(value)
        places = max(2, -int(amount.normalize().as_tuple().exponent))
        return f"${amount:,.{places}f}"
    if attribute.kind is AttributeKind.DATE:
        return f"{value:%B} {value.day}, {value.year}"
    if attribute.kind is AttributeKind.STATE:
        return _state(attribute, value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    unit = attribute.unit or ""
    return f"{value}{'' if unit in {'', '%'} else ' '}{unit}"


def _state(attribute: Attribute, value: Any) -> str:  # noqa: ANN401 -- a cell
    stored = str(value).lower() if isinstance(value, bool) else str(value)
    for state, words in attribute.states:
        if state == stored and words and (isinstance(value, bool) or len(state) < 3):
            return words[0]
    return stored


def _plain(attribute: Attribute, value: Any) -> object:  # noqa: ANN401 -- a cell
    if attribute.kind is AttributeKind.MONEY:
        return float(value)
    if attribute.kind is AttributeKind.DATE:
        return f"{value:%Y-%m-%d}"
    return value if isinstance(value, (bool, int)) else str(value)


def unique_names(things: Sequence[Thing]) -> Iterator[Thing]:
    """Yield the things, named where no other one has the same name, it is plain, and it is not long."""
    counts = Counter((thing.name or "").casefold() for thing in things)
    for thing in things:
        name = thing.name
        plain = name is not None and name.isascii() and len(name.split()) <= 8
        alone = plain and counts[(name or "").casefold()] == 1
        yield replace(thing, name=name if alone else None)
