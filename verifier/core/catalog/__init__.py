"""The catalog: the declared mapping from entity types and attributes to canonical tables and columns.

It is the `catalog` table of `verifier.toml`, one sub-table an entity type:

    [catalog.order]
    table = "shop.orders"              # required: "table" or "schema.table"
    plural = "orders"                  # default: the name with an s
    database = "default"               # which [databases.NAME] holds the table
    names = ["title"]                  # columns that name the thing in prose; comparable themselves
    describing = ["colour", "size"]    # columns that tell things of one name apart
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

    [catalog.order.joins.customer]     # another table with one row for each row
    table = "shop.customers"           # its columns are then written "customer.NAME", wherever one is named
    on = { id = "customer_id" }        # column there = column here

    [catalog.order.parts.lines]        # rows of another table that belong to a row
    of = "line"                        # another entity type, or table, names, attributes … of their own
    on = { order_id = "id" }           # column there = column here

    [catalog.order.applies]            # columns that tell to what a row applies; a key may have several rows
    valid_from = "valid_from"          # a day or a moment, from which on; null: always
    valid_to = "valid_to"              # the last one
    channel = "channel"                # equals the turn's context
    min_quantity = "min_qty"           # the greatest that is not above the turn's quantity

    [catalog.order.attributes.total]
    kind = "money"                     # required: money, quantity, state, date, text, boolean, identifier
    column = "total"                   # default: the attribute's name
    aliases = ["amount_due"]           # names of the field in tool results and cards
    labels = ["total", "comes to"]     # words of prose that speak of it; default: its name
    currency = "EUR"                   # money: a fixed code, or
    currency_column = "currency"       # money: the column that holds the code
    minor_units = true                 # money: the column counts cents
    unit = "kg"                        # quantity: the column's unit
    round = 2                          # money, quantity: the column is rounded to as many places

    [catalog.order.attributes.status.states]          # state: as stored = other words for it
    shipped = ["on its way", "sent"]

`parse_catalog` reads it, `store.canonical_check.check_catalog` holds it against a live database.
"""

from verifier.core.catalog.declarations import (
    Applicability,
    Attribute,
    AttributeKind,
    Catalog,
    EntityType,
    Join,
    Key,
    KeyCase,
    KeyType,
    Part,
    Scope,
    Visibility,
    VisibilityRule,
)
from verifier.core.catalog.parsing import parse_catalog

__all__ = [
    "Applicability",
    "Attribute",
    "AttributeKind",
    "Catalog",
    "EntityType",
    "Join",
    "Key",
    "KeyCase",
    "KeyType",
    "Part",
    "Scope",
    "Visibility",
    "VisibilityRule",
    "parse_catalog",
]
