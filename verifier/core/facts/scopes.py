"""What encloses a value of a result: the thing, the path to it, the words and the currency on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.evidence import Subject
from verifier.core.facts.forms import MONEY_ROLES, FieldForm, Role, is_listed, read_form

if TYPE_CHECKING:
    from verifier.core.facts.collecting import Path
    from verifier.core.facts.model import Thing

_MOST_SUBJECTS: Final = 8
_MOST_PREFIX: Final = 8
_INHERITED: Final = frozenset(
    {
        Role.MONEY,
        Role.MONEY_OR_NUMBER,
        Role.PERCENT,
        Role.POINTS,
        Role.RATIO,
        Role.RATE,
        Role.MEASURE,
        Role.ADDRESS,
        Role.NAME,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """Where a value stands. `owner` numbers the nearest thing with an id; `path` leads to it.

    `prefix` are the words between the thing and the value, `container` is the nearest field's name.
    `billed` is what the record's recurring amounts are for, `period` is when a value was so.
    """

    owner: int
    thing: Thing | None = None
    subjects: tuple[Subject, ...] = ()
    path: Path = ()
    field: str | None = None
    prefix: tuple[str, ...] = ()
    cues: frozenset[str] = frozenset()
    container: str | None = None
    currency: str | None = None
    billed: str | None = None
    period: str | None = None
    outermost: bool = True

    def of_thing(self, thing: Thing, subject: Subject | None, owner: int | None) -> Enclosure:
        """Return the enclosure inside a thing; without an id it is told by its place in the outer one.

        What lies in no other thing with an id stands by itself: no further call of the tool replaces it.
        """
        path, field_name = self.path, self.field
        if owner is not None:
            told_by_call = path[:1] == ((self.owner, ""),)
            path, field_name = () if told_by_call else self.path_to(field_name), None
        subjects = self.subjects
        return Enclosure(
            owner=self.owner if owner is None else owner,
            thing=thing,
            subjects=subjects if subject is None else (subject, *subjects)[:_MOST_SUBJECTS],
            path=path,
            field=field_name,
            currency=self.currency,
            period=self.period,
            outermost=False,
        )

    def inside(self, name: str, *, words: bool) -> Enclosure:
        """Return the enclosure in a field; its words are the attribute's unless it only wraps."""
        form = read_form(name)
        return Enclosure(
            owner=self.owner,
            thing=self.thing,
            subjects=self.subjects,
            path=self.path,
            field=self.field or name,
            prefix=(*self.prefix, *form.words)[-_MOST_PREFIX:] if words else self.prefix,
            cues=self.cues | form.cues if words else self.cues,
            container=name,
            currency=self.currency,
            billed=self.billed,
            period=self.period,
            outermost=False,
        )

    def beside(self, currency: str | None, billed: str | None) -> Enclosure:
        """Return the enclosure of fields beside which a currency or the period of a bill is named."""
        if currency in {None, self.currency} and billed in {None, self.billed}:
            return self
        return replace(self, currency=currency or self.currency, billed=billed or self.billed)

    def path_to(self, name: str | None) -> Path:
        """Return the path to a field of the owner; only the outermost field on the way counts."""
        return (*self.path, (self.owner, self.field or name or ""))


@lru_cache(maxsize=8192)
def form_in(name: str, container: str | None) -> FieldForm:
    """Return what a field says here: what it leaves open its container may tell (`prices.economy`)."""
    form = read_form(name)
    if container is None or is_listed(container, "options"):
        return form
    form = _for_period_of(form, read_form(container))
    outer = read_form(container)
    open_here = form.role is Role.PLAIN or (outer.role is Role.ADDRESS and form.role is Role.STATE)
    if not open_here or outer.role not in _INHERITED:
        return form
    inherited = replace(outer, name=form.name, words=form.words, cues=form.cues)
    return _for_period_of(inherited, form)


def _for_period_of(form: FieldForm, told: FieldForm) -> FieldForm:
    """Return the form of an amount for the period that another name tells, if it tells none itself."""
    open_here = form.per is None and told.period is not None and form.role in MONEY_ROLES
    return replace(form, per=told.period, period=told.period) if open_here else form


def subject_of_thing(thing: Thing, key: str | None) -> Subject | None:
    """Return the subject that a thing is in a fact; None for one without id, name and kind."""
    kind = min(thing.kinds) if len(thing.kinds) == 1 else None
    if key is None and not thing.names and kind is None:
        return None
    return Subject(entity_type=kind, key=key, names=thing.names)
