"""Adding the facts of one call: fields, lists, amounts and texts, where they stand and whose they are."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeGuard

from verifier.core.evidence import Fact, LedgerLocator
from verifier.core.facts.amounts import Beside
from verifier.core.facts.arguments import filters_of
from verifier.core.facts.bounds import list_bounds, range_between, without_minutes
from verifier.core.facts.field_periods import period_beside, period_of_field
from verifier.core.facts.field_reading import field_reader
from verifier.core.facts.forms import Role, is_listed, read_form, words_of_tool
from verifier.core.facts.identity import key_forms
from verifier.core.facts.model import FactOrigin
from verifier.core.facts.plain import holds_others
from verifier.core.facts.scopes import form_in, subject_of_thing
from verifier.core.facts.siblings import currency_beside, escape, told_beside, unit_beside
from verifier.core.facts.texts import is_sentence, read_text
from verifier.core.facts.unreadable import is_unreadable
from verifier.core.facts.values import LONGEST_SHORT, read_values
from verifier.core.text import clean_text, fold
from verifier.core.values import Interval, Kind, Quantity, TextValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.facts.collecting import Collector
    from verifier.core.facts.forms import FieldForm
    from verifier.core.facts.scopes import Enclosure
    from verifier.core.statements import ReadingTerms
    from verifier.core.turns import ToolCall
    from verifier.core.values import Value

    Fields = Mapping[str, tuple[str, object]]
    Plain = str | float | Decimal

_NEVER_PROSE: Final = frozenset({Role.ID, Role.CODE, Role.PHONE})
_FOUND: Final = "found"


def _is_plain(raw: object) -> TypeGuard[Plain]:
    return isinstance(raw, str) or (isinstance(raw, (int, float, Decimal)) and _is_readable(raw))


class Stating:
    """Writes down what one call's result states."""

    def __init__(
        self, collector: Collector, call: ToolCall, *, position: int, terms: ReadingTerms
    ) -> None:
        self._collector = collector
        self._call = call
        self._position = position
        self._terms = terms
        self._read = field_reader(terms)

    def field(
        self, name: str, raw: object, inside: Enclosure, pointer: str, fields: Fields
    ) -> None:
        """Add what a plain value of a field says."""
        if isinstance(raw, str) and _is_prose(raw, form := form_in(name, inside.container)):
            self._prose(raw, form, inside, pointer)
        elif _is_plain(raw):
            self._plain(name, raw, inside, pointer, fields)

    def _plain(
        self, name: str, raw: Plain, inside: Enclosure, pointer: str, fields: Fields
    ) -> None:
        beside = told_beside(name, fields, inside)
        if name[-4:] == "_min":
            name = without_minutes(name, fields)
        written = str(raw) if isinstance(raw, (float, Decimal)) else ""
        read = self._read(name, inside.container, raw, written, beside)
        attribute = (*inside.prefix, *read.words)
        cues = inside.cues | read.cues if inside.cues else read.cues
        for at, value in enumerate(read.values):
            self._add(value, attribute, cues, inside, pointer, name=name, twin=at > 0)
        for value in read.contained:
            told = inside.cues | read.contained_cues
            self._add(value, attribute, told, inside, pointer, name=name)

    def ranges(self, fields: Fields, inside: Enclosure, pointer: str) -> None:
        """Add the ranges that fields of a record are the ends of, beside the ends themselves."""
        for name, low, high in list_bounds(tuple(fields)):
            ends = [self._end(name or low, fields[one][1], inside, fields) for one in (low, high)]
            if ends[0] is None or ends[1] is None:
                continue
            value = range_between(ends[0], ends[1])
            if value is not None and name:
                form = form_in(name, inside.container)
                cues = inside.cues | form.cues
                self._add(value, (*inside.prefix, *form.words), cues, inside, pointer, name=low)
            elif value is not None and inside.container is not None:
                self._add_values((value,), inside.container, inside, pointer)

    def _end(self, name: str, raw: object, inside: Enclosure, fields: Fields) -> Value | None:
        if isinstance(raw, bool) or not isinstance(raw, (str, int, float, Decimal)):
            return None
        if not isinstance(raw, str) and not _is_readable(raw):
            return None
        written = str(raw) if isinstance(raw, (float, Decimal)) else ""
        beside = told_beside(name, fields, inside)
        values = self._read(name, inside.container, raw, written, beside).values
        return values[0] if values else None

    def in_container(self, raw: object, inside: Enclosure, pointer: str) -> None:
        """Add a plain value that stands for its container's field, in the enclosure's period."""
        name = inside.container
        if name is None or raw is None or holds_others(raw):
            return
        beside = Beside(currency=inside.currency)
        values = read_values(raw, read_form(name), terms=self._terms, beside=beside)
        self._add_values(values, name, inside, pointer)

    def amount(self, fields: Fields, inside: Enclosure, pointer: str) -> None:
        """Add the one value that a record of a number and its currency or unit is."""
        name = next(one for one in fields if is_listed(one, "amount_fields"))
        container = inside.container or name
        unit = unit_beside(fields)
        currency = currency_beside(fields) or inside.currency
        beside = Beside(
            currency=currency,
            period=period_beside(fields) or period_of_field(container, inside.billed),
            unit=None if unit == "minor" else unit,
            minor=unit == "minor" or name == "minor_units",
        )
        form = read_form(container)
        own = read_form(name)
        if currency is not None or name == "cents":
            minor = "cents" if name == "cents" else form.minor
            form = replace(form, role=Role.MONEY, minor=minor)
        elif form.role is Role.PLAIN and own.role is not Role.PLAIN:
            form = replace(form, role=own.role)
        values = read_values(fields[name][1], form, terms=self._terms, beside=beside)
        self._add_values(values, container, inside, f"{pointer}/{escape(fields[name][0])}")

    def count(
        self,
        name: str | None,
        number: Fraction | int,
        inside: Enclosure,
        pointer: str,
        told: frozenset[str],
    ) -> None:
        """Add how many elements a list has; the call's filters tell which, where it returned the list."""
        form = read_form(name or "")
        filters = filters_of(self._call) if inside.outermost or inside.thing is None else None
        attribute = (*_prefix_without(name, inside), *form.words) or words_of_tool(self._call.tool)
        value = Quantity(
            kind=Kind.NUMBER, interval=Interval.point(Fraction(number)), text=str(number), places=0
        )
        fact = Fact(
            subjects=inside.subjects,
            attribute=attribute,
            value=value,
            locator=self._locate(pointer),
            period=inside.period,
            condition=filters.text if filters else None,
        )
        self._collector.add_fact(
            fact,
            thing=inside.thing,
            origin=FactOrigin.RESULT,
            position=self._position,
            cues=form.cues | inside.cues | told | (filters.stems if filters else frozenset()),
            whole_list=True,
            path=inside.path_to(name),
        )

    def root_value(
        self, raw: object, inside: Enclosure, pointer: str, about: frozenset[str]
    ) -> None:
        """Add a result that is one plain value; only the tool's name tells what it is of."""
        form = replace(read_form(""), cues=about)
        if is_unreadable(raw):
            self._collector.incomplete.add(self._call.call_id)
            return
        for at, value in enumerate(read_values(raw, form, terms=self._terms)):
            self._add(value, (), about, inside, pointer, name="", twin=at > 0)

    def text(self, text: str, inside: Enclosure, pointer: str, about: frozenset[str]) -> None:
        """Add what a result in words says: a single token is a value, the rest is read as text."""
        if len(text) <= LONGEST_SHORT and len(text.split()) <= 1:
            self.root_value(text, inside, pointer, about)
            return
        self._prose(text, read_form(""), inside, pointer)

    def named_id(
        self, name: str, written: str, inside: Enclosure, pointer: str, told: frozenset[str]
    ) -> None:
        """Add the thing that a name and its id are."""
        thing = self._collector.add_thing(
            keys=key_forms(written),
            names=(clean_text(name),),
            kinds=told,
            outer=inside.thing,
            position=self._position,
        )
        within = inside.of_thing(thing, subject_of_thing(thing, written), None)
        value = TextValue(
            kind=Kind.IDENTIFIER, text=written, folded=fold(written).lstrip("#") or written
        )
        form = read_form("id")
        self._add(value, form.words, form.cues, within, f"{pointer}/{escape(name)}", name=name)

    def not_found(self, inside: Enclosure, pointer: str) -> None:
        """Add that what was asked for does not exist, as far as the tool sees."""
        value = TextValue(kind=Kind.BOOLEAN, text="false", folded="no")
        cues = read_form(_FOUND).cues
        self._add(value, (_FOUND,), cues, inside, pointer, name=_FOUND)

    def _prose(self, text: str, form: FieldForm, inside: Enclosure, pointer: str) -> None:
        locator = self._locate(pointer)
        text = self._collector.take_prose(text, self._call.call_id)
        if is_unreadable(text):
            self._collector.incomplete.add(self._call.call_id)
        for told in read_text(clean_text(text), self._terms):
            fact = Fact(
                subjects=inside.subjects,
                attribute=(*inside.prefix, *form.words, *told.attribute),
                value=told.value,
                locator=locator,
                period=told.period or inside.period,
                polarity=told.polarity,
                condition=told.condition,
            )
            self._collector.add_fact(
                fact,
                thing=inside.thing,
                origin=FactOrigin.RESULT,
                position=self._position,
                cues=told.cues,
                clause=told.clause,
                path=inside.path_to(form.name),
                twin=told.twin,
            )

    def _add_values(
        self, values: tuple[Value, ...], name: str, inside: Enclosure, pointer: str
    ) -> None:
        """Add the readings of a value that stands for the container `name` itself."""
        form = read_form(name)
        attribute = (*_prefix_without(name, inside), *form.words)
        for at, value in enumerate(values):
            cues = inside.cues | form.cues
            self._add(value, attribute, cues, inside, pointer, name=name, twin=at > 0)

    def _add(
        self,
        value: Value,
        attribute: tuple[str, ...],
        cues: frozenset[str],
        inside: Enclosure,
        pointer: str,
        *,
        name: str,
        twin: bool = False,
    ) -> None:
        fact = Fact(
            subjects=inside.subjects,
            attribute=attribute,
            value=value,
            locator=self._locate(pointer),
            period=inside.period,
        )
        self._collector.add_fact(
            fact,
            thing=inside.thing,
            origin=FactOrigin.RESULT,
            position=self._position,
            cues=cues,
            path=inside.path_to(name),
            twin=twin,
        )

    def _locate(self, pointer: str) -> LedgerLocator:
        return LedgerLocator(call_id=self._call.call_id, tool=self._call.tool, pointer=pointer)


def _prefix_without(name: str | None, inside: Enclosure) -> tuple[str, ...]:
    """Return the words between the thing and a container whose own words come last."""
    if name is None or name != inside.container:
        return inside.prefix
    words = read_form(name).words
    return inside.prefix[: -len(words)] if inside.prefix[-len(words) :] == words else inside.prefix


def _is_readable(raw: float | Decimal) -> bool:
    return raw.is_finite() if isinstance(raw, Decimal) else raw == raw


def _is_prose(raw: str, form: FieldForm) -> bool:
    if len(raw) > LONGEST_SHORT or "\n" in raw:
        return form.role not in _NEVER_PROSE and "://" not in raw[:12]
    told = form.role is Role.PROSE or (form.role not in _NEVER_PROSE and is_sentence(raw))
    return told and " " in raw
