"""The catalog: the declared mapping from entity types and attributes to canonical tables and columns.

It is the `catalog` table of `verifier.toml`, one sub-table an entity type:

    [catalog.order]
    table = "shop.orders"              # required: "table" or "schema.table"
    plural = "orders"                  # default: the name with an s
    database = "default"               # which [databases.NAME] holds the table
    names = ["title"]                  # columns that name the thing in prose; comparable themselves
    visible = { column = "deleted_at", is = "null" }        # or is = "not_null", equals = V, differs = V;
                                                            # a list of such tables must all hold
    [catalog.order.key]                # required
    column = "id"                      # required
    type = "uuid"                      # required: uuid, integer or text
    aliases = ["order_id"]             # names of the key in tool results and cards
    pattern = '#?W[0-9]{7}'               # a regular expression that a whole id matches
    case = "exact"                     # text keys: exact, upper or lower (the stored form)

    [catalog.order.scope]              # column = field of the turn: principal, tenant, or one of context
    customer_id = "principal"          # declared and missing in the turn: unverifiable, no_principal

    [catalog.order.attributes.total]
    kind = "money"                     # required: money, quantity, state, date, text, boolean, identifier
    column = "total"                   # default: the attribute's name
    aliases = ["amount_due"]           # names of the field in tool results and cards
    labels = ["total", "comes to"]     # words of prose that speak of it; default: its name
    currency = "EUR"                   # money: a fixed code, or
    currency_column = "currency"       # money: the column that holds the code
    minor_units = true                 # money: the column counts cents
    unit = "kg"                        # quantity: the column's unit

    [catalog.order.attributes.status.states]          # state: as stored = other words for it
    shipped = ["on its way", "sent"]

`parse_catalog` reads it, `store.canonical_check.check_catalog` holds it against a live database.
"""

from verifier.core.catalog.declarations import (
    Attribute,
    AttributeKind,
    Catalog,
    EntityType,
    Key,
    KeyCase,
    KeyType,
    Scope,
    Visibility,
    VisibilityRule,
)
from verifier.core.catalog.parsing import parse_catalog

__all__ = [
    "Attribute",
    "AttributeKind",
    "Catalog",
    "EntityType",
    "Key",
    "KeyCase",
    "KeyType",
    "Scope",
    "Visibility",
    "VisibilityRule",
    "parse_catalog",
]
