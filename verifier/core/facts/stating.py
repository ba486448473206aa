"""Adding the facts of one call: fields, lists, amounts and texts, where they stand and whose they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.evidence import Fact, LedgerLocator
from verifier.core.facts.amounts import Beside
from verifier.core.facts.arguments import filters_of
from verifier.core.facts.forms import Role, currency_named, is_listed, read_form
from verifier.core.facts.identity import key_forms
from verifier.core.facts.model import FactOrigin
from verifier.core.facts.scopes import subject_of_thing
from verifier.core.facts.texts import contained_values, read_text
from verifier.core.facts.values import LONGEST_SHORT, read_values
from verifier.core.text import clean_text, content_stems, fold
from verifier.core.values import Interval, Kind, Quantity, TextValue

if TYPE_CHECKING:
    from verifier.core.facts.collecting import Collector
    from verifier.core.facts.forms import FieldForm
    from verifier.core.facts.scopes import Enclosure
    from verifier.core.ledger_walk import Place
    from verifier.core.statements import ReadingTerms
    from verifier.core.turns import ToolCall
    from verifier.core.values import Value

    Fields = Mapping[str, tuple[str, object]]

_CURRENCIES: Final = ("currency", "currency_code", "currency_iso", "iso_currency")
_UNITS: Final = ("unit", "units", "uom")
_MEASURED: Final = frozenset(
    {
        "value",
        "amount",
        "quantity",
        "measurement",
        "reading",
        "size",
        "weight",
        "length",
        "volume",
        "number",
    }
)
_CONTAINING: Final = frozenset({Kind.TEXT, Kind.NAME, Kind.STATE})
_FOUND: Final = "found"


class Stating:
    """Writes down what one call's result states."""

    def __init__(
        self, collector: Collector, call: ToolCall, *, position: int, terms: ReadingTerms
    ) -> None:
        self._collector = collector
        self._call = call
        self._position = position
        self._terms = terms

    def field(
        self, name: str, raw: object, inside: Enclosure, place: Place, fields: Fields
    ) -> None:
        """Add what a plain value of a field says."""
        form = inside.form_of(name)
        if isinstance(raw, str) and _is_prose(raw, form):
            self._prose(raw, form, inside, place)
            return
        beside = self._beside(name, inside, fields)
        values = read_values(raw, form, terms=self._terms, beside=beside)
        self._add_values(values, form, inside, place, name)
        if values and isinstance(raw, str) and values[0].kind in _CONTAINING:
            stems = frozenset(content_stems(raw))
            for value in contained_values(raw, form.role, self._terms):
                self._add(value, form, inside, place, name, cues=stems)

    def in_container(self, raw: object, inside: Enclosure, place: Place) -> None:
        """Add a plain value that stands for its container's field, in the enclosure's period."""
        name = inside.container
        if name is None or raw is None or isinstance(raw, (Mapping, list, tuple)):
            return
        form = read_form(name)
        values = read_values(raw, form, terms=self._terms, beside=Beside(currency=inside.currency))
        outer = replace(inside, prefix=inside.prefix[: -len(form.words)])
        self._add_values(values, form, outer, place, name)

    def amount(self, fields: Fields, inside: Enclosure, place: Place) -> None:
        """Add the one value that a record of a number and its currency or unit is."""
        name = next(one for one in fields if is_listed(one, "amount_fields"))
        container = inside.container or name
        own = read_form(name)
        form = read_form(container)
        if form.role is Role.PLAIN and own.role is not Role.PLAIN:
            form = replace(form, role=own.role)
        unit = _text_of(fields, _UNITS)
        beside = Beside(
            currency=self.currency_of(fields) or inside.currency,
            unit=None if unit == "minor" else unit,
            minor=unit == "minor" or name == "minor_units",
        )
        if beside.currency is not None and form.role is not Role.MONEY:
            form = replace(form, role=Role.MONEY)
        if name == "cents":
            form = replace(form, role=Role.MONEY, minor="cents")
        raw = fields[name][1]
        values = read_values(raw, form, terms=self._terms, beside=beside)
        outer = replace(inside, prefix=inside.prefix[: -len(form.words)])
        self._add_values(values, form, outer, place.inside(fields[name][0]), container)

    def count(
        self,
        name: str | None,
        number: Fraction | int,
        inside: Enclosure,
        place: Place,
        told: frozenset[str],
    ) -> None:
        """Add how many elements a list has; one that the call returned is told by the call's filters, too."""
        form = read_form(name or "")
        at_root = inside.outermost or inside.thing is None
        filters = filters_of(self._call) if at_root else None
        value = Quantity(
            kind=Kind.NUMBER, interval=Interval.point(Fraction(number)), text=str(number), places=0
        )
        self._collector.add_fact(
            Fact(
                subjects=inside.subjects,
                attribute=(*inside.prefix, *form.words) or tuple(sorted(told)),
                value=value,
                locator=self._locate(place),
                period=inside.period,
                condition=filters.text if filters else None,
            ),
            thing=inside.thing,
            origin=FactOrigin.RESULT,
            position=self._position,
            cues=form.cues | inside.cues | told | (filters.stems if filters else frozenset()),
            whole_list=True,
            path=inside.path_to(name),
        )

    def root_value(
        self, raw: object, inside: Enclosure, place: Place, about: frozenset[str]
    ) -> None:
        """Add a result that is one plain value; the tool's name is its attribute."""
        form = replace(read_form(""), cues=about, words=tuple(sorted(about)))
        values = read_values(raw, form, terms=self._terms)
        self._add_values(values, form, inside, place, "")

    def text(self, text: str, inside: Enclosure, place: Place, about: frozenset[str]) -> None:
        """Add what a result in words says: a single token is a value, the rest is read as text."""
        if len(text) <= LONGEST_SHORT and len(text.split()) <= 1:
            self.root_value(text, inside, place, about)
            return
        self._prose(text, read_form(""), inside, place)

    def named_id(
        self, name: str, written: str, inside: Enclosure, place: Place, told: frozenset[str]
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
        self._add(value, read_form("id"), within, place.inside(name), name)

    def not_found(self, inside: Enclosure, place: Place) -> None:
        """Add that what was asked for does not exist, as far as the tool sees."""
        value = TextValue(kind=Kind.BOOLEAN, text="false", folded="no")
        self._add(value, read_form(_FOUND), inside, place, _FOUND)

    def currency_of(self, fields: Fields) -> str | None:
        """Return the currency that a record names for its amounts."""
        return next(
            (
                code
                for one in _CURRENCIES
                if one in fields and (code := currency_named(fields[one][1]))
            ),
            None,
        )

    def _beside(self, name: str, inside: Enclosure, fields: Fields) -> Beside:
        own = fields.get(f"{name}_currency", ("", None))[1]
        unit = _text_of(fields, (f"{name}_unit", f"{name}_uom"))
        shared = _text_of(fields, _UNITS) if unit is None else None
        if unit is None and shared != "minor" and name in _MEASURED:
            unit = shared
        return Beside(
            currency=currency_named(own) or inside.currency, unit=unit, minor=shared == "minor"
        )

    def _prose(self, text: str, form: FieldForm, inside: Enclosure, place: Place) -> None:
        for told in read_text(clean_text(text), self._terms):
            self._collector.add_fact(
                Fact(
                    subjects=inside.subjects,
                    attribute=(*inside.prefix, *form.words, *told.attribute),
                    value=told.value,
                    locator=self._locate(place),
                    period=told.period or inside.period,
                    polarity=told.polarity,
                    condition=told.condition,
                ),
                thing=inside.thing,
                origin=FactOrigin.RESULT,
                position=self._position,
                cues=told.cues,
                clause=told.clause,
                path=inside.path_to(form.name),
                twin=told.twin,
            )

    def _add_values(
        self, values: tuple[Value, ...], form: FieldForm, inside: Enclosure, place: Place, name: str
    ) -> None:
        for at, value in enumerate(values):
            self._add(value, form, inside, place, name, twin=at > 0)

    def _add(
        self,
        value: Value,
        form: FieldForm,
        inside: Enclosure,
        place: Place,
        name: str,
        *,
        cues: frozenset[str] = frozenset(),
        twin: bool = False,
    ) -> None:
        self._collector.add_fact(
            Fact(
                subjects=inside.subjects,
                attribute=(*inside.prefix, *form.words),
                value=value,
                locator=self._locate(place),
                period=inside.period,
            ),
            thing=inside.thing,
            origin=FactOrigin.RESULT,
            position=self._position,
            cues=inside.cues | form.cues | cues,
            path=inside.path_to(name),
            twin=twin,
        )

    def _locate(self, place: Place) -> LedgerLocator:
        return LedgerLocator(
            call_id=self._call.call_id, tool=self._call.tool, pointer=place.pointer
        )


def _is_prose(raw: str, form: FieldForm) -> bool:
    if len(raw) > LONGEST_SHORT or "\n" in raw.strip():
        return form.role not in {Role.ID, Role.CODE, Role.PHONE} and "://" not in raw[:12]
    return form.role is Role.PROSE and " " in raw.strip()


def _text_of(fields: Fields, names: tuple[str, ...]) -> str | None:
    for name in names:
        told = fields.get(name, ("", None))[1]
        if isinstance(told, str) and told.strip():
            return told.strip()
    return None
