"""Which attribute of a thing a value in prose is of, by the words of its clause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.catalog.declarations import AttributeKind
from verifier.core.plain_clauses import stems_of_words
from verifier.core.speech import list_words, read_words
from verifier.core.text import content_stems
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from verifier.core.catalog import Attribute, EntityType
    from verifier.core.mentions import AttributeMention

_COPULAS: Final = frozenset({"is", "are", "was", "were"})
_KINDS: Final = {
    AttributeKind.MONEY: frozenset({Kind.MONEY}),
    AttributeKind.QUANTITY: frozenset({Kind.NUMBER, Kind.QUANTITY, Kind.DURATION, Kind.PERCENT}),
    AttributeKind.DATE: frozenset({Kind.DATE}),
}


def find_attribute(
    entity: EntityType,
    mention: AttributeMention,
    words: tuple[str, ...],
    former: Attribute | None = None,
) -> Attribute | None:
    """Return the one attribute that the words of a clause lead to; `former` is that of a clause before."""
    if mention.attribute is not None:
        name, attribute_name = mention.attribute
        return entity.find_attribute(attribute_name) if name == entity.name else None
    if not isinstance(mention.value, Quantity) or mention.value.per is not None:
        return None
    fitting, cued = _fitting(entity, mention.value.kind), list_cued(entity, mention.value, words)
    if len(cued) == 1:
        return cued[0]
    if cued or len(fitting) != 1 or fitting[0].kind is not AttributeKind.MONEY:
        return None
    is_price = bool(list_words("price_words") & set(read_words(" ".join(fitting[0].labels))))
    equated = is_price and bool(_COPULAS & set(words))
    if set(words) & list_words("price_words") or former is fitting[0] or equated:
        return fitting[0]
    return None


def list_cued(entity: EntityType, value: Quantity, words: tuple[str, ...]) -> tuple[Attribute, ...]:
    """Return the attributes that may hold such a value, and of which a label is among the words."""
    present = frozenset(content_stems(" ".join(words)))
    fitting = _fitting(entity, value.kind)
    return tuple(one for one in fitting if any(_leads(label, present) for label in one.labels))


def _fitting(entity: EntityType, kind: Kind) -> tuple[Attribute, ...]:
    return tuple(one for one in entity.attributes if kind in _KINDS.get(one.kind, ()))


def _leads(label: str, present: frozenset[str]) -> bool:
    wanted = stems_of_words(label)
    return bool(wanted) and wanted <= present
