"""Finding things in a text: ids, names, parts of names, descriptors; the longest match wins."""

from __future__ import annotations

import pytest

from verifier.core.facts import NamedBy, TurnEvidence, read_evidence
from verifier.core.turns import ToolCall, Turn

ORDER = {
    "order_id": "#W4923227",
    "items": [
        {
            "name": "Bluetooth Speaker",
            "item_id": "7751905257",
            "price": 321.18,
            "options": {
                "color": "red",
                "battery life": "10 hours",
                "waterproof": "yes",
                "size": "10",
            },
        },
        {
            "name": "Desk Lamp",
            "item_id": "8384507844",
            "options": {"color": "white", "source": "AC adapter"},
        },
        {"name": "Desk Lamp", "item_id": "9083642334", "options": {"color": "red"}},
    ],
    "payment_methods": {"credit_card_8897086": {"brand": "visa"}},
}
USER = {"id": 42, "name": {"first_name": "Omar", "last_name": "Rossi"}, "email": "omar@example.com"}


@pytest.fixture
def evidence() -> TurnEvidence:
    results = [
        ("get_order", ORDER),
        ("get_user", USER),
        ("get_part", {"part_no": "RX-4471-2", "bin": "A"}),
    ]
    return read_evidence(
        Turn(
            calls=tuple(
                ToolCall(call_id=tool, tool=tool, arguments={}, result=result)
                for tool, result in results
            )
        )
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Order #W4923227 is here.", [("#W4923227", NamedBy.KEY, 1)]),
        ("Order W4923227.", [("W4923227", NamedBy.KEY, 1)]),
        ("your order (w4923227)", [("w4923227", NamedBy.KEY, 1)]),
        ("**W4923227**'s items", [("W4923227", NamedBy.KEY, 1)]),
        ("W4923228 or XW4923227 or W492322", []),
        ("RX‑4471‑2 is ready", [("RX‑4471‑2", NamedBy.KEY, 1)]),
        ("paid by credit_card_8897086", [("credit_card_8897086", NamedBy.KEY, 1)]),
        ("user 42 has 42 points", [("42", NamedBy.KEY, 1)]),
        ("42 items", []),
        ("the Bluetooth speakers", [("Bluetooth speakers", NamedBy.NAME, 1)]),
        ("the speaker", [("speaker", NamedBy.PART, 1)]),
        ("both desk lamps", [("desk lamps", NamedBy.NAME, 2)]),
        ("the lamp", [("lamp", NamedBy.PART, 2)]),
        ("Mr Rossi and Omar Rossi", [("Rossi", NamedBy.PART, 1), ("Omar Rossi", NamedBy.NAME, 1)]),
        ("the red one", [("red", NamedBy.DESCRIPTOR, 2)]),
        ("lasts 10 hours", [("10 hours", NamedBy.DESCRIPTOR, 1)]),
        (
            "the waterproof one in size 10",
            [("waterproof", NamedBy.DESCRIPTOR, 1), ("size 10", NamedBy.DESCRIPTOR, 1)],
        ),
        ("10 of them", []),
        ("the visa card", [("visa", NamedBy.DESCRIPTOR, 1)]),
        ("AC adapter", [("AC adapter", NamedBy.DESCRIPTOR, 1)]),
        ("mail to omar@example.com.", [("omar@example.com", NamedBy.KEY, 1)]),
        ("", []),
    ],
)
def test_things_are_found(
    evidence: TurnEvidence, text: str, found: list[tuple[str, NamedBy, int]]
) -> None:
    mentions = evidence.find_things(text)
    assert [(one.span.of(text), one.by, len(one.things)) for one in mentions] == found


def test_things_know_what_they_are_and_lie_in() -> None:
    evidence = read_evidence(
        Turn(calls=(ToolCall(call_id="c", tool="get_order", arguments={}, result=ORDER),))
    )
    order, speaker, *_ = evidence.things
    assert order.kinds == {"order"}
    assert speaker.outer is order
    assert speaker.kinds == {"item"}
    assert [thing.number for thing in evidence.things] == list(range(len(evidence.things)))


@pytest.mark.parametrize(
    ("tool", "result", "kinds"),
    [
        ("get_order_details", {"id": "1"}, {"order"}),
        ("list_all_product_types", [{"id": "1"}], {"product", "typ"}),
        ("get_bills_for_customer", [{"bill_id": "B1", "customer_id": "C1"}], {"bil"}),
        ("lookup", {"flight_number": "HAT110"}, {"flight"}),
        ("lookup", {"id": "1", "type": "gift_card"}, {"gift", "card"}),
        ("lookup", {"results": [{"ticket_id": "T1"}]}, {"ticket"}),
        ("search", {"invoices": [{"number": "I-77", "total": 4}]}, {"invoic"}),
    ],
)
def test_kinds_come_from_id_container_tool_or_type(
    tool: str, result: object, kinds: set[str]
) -> None:
    evidence = read_evidence(
        Turn(calls=(ToolCall(call_id="c", tool=tool, arguments={}, result=result),))
    )
    assert evidence.things[0].kinds == kinds


@pytest.mark.parametrize(
    "name",
    [
        "X-ray",
        "Hand truck",
        "M8 bolts",
        "Harbour 4B",
        "O'Brien's Special",
        "Type-C cable",
        "3-in-1 Charger",
        "Wi-Fi 6 Router",
        "Levi's 501",
        "A4 paper",
        "7-Up",
        "C++ course",
        "24/7 Support",
        "B&B Lisboa",
        "4K TV",
        "Größe L Hemd",
    ],
)
@pytest.mark.parametrize("text", ["The {} costs 5.", "the {}’s price", "{}: 5 EUR", "THE {}"])
def test_names_are_found_however_they_are_spelled(name: str, text: str) -> None:
    call = ToolCall(call_id="c", tool="t", arguments={}, result=[{"name": name}, {"name": "Tea"}])
    written = text.format(name.upper() if text.isupper() else name)
    found = read_evidence(Turn(calls=(call,))).find_things(written)
    assert [(one.by, one.things[0].names) for one in found] == [(NamedBy.NAME, (name,))]


@pytest.mark.parametrize("text", ["two X-rays", "the 4K TVs", "two Hand trucks"])
def test_plurals_of_short_words_are_found(text: str) -> None:
    names = [{"name": one} for one in ("X-ray", "4K TV", "Hand truck")]
    call = ToolCall(call_id="c", tool="t", arguments={}, result=names)
    found = read_evidence(Turn(calls=(call,))).find_things(text)
    assert [one.by for one in found] == [NamedBy.NAME]


@pytest.mark.parametrize(
    ("record", "names", "descriptors"),
    [
        ({"service": "X-ray", "amount": "45.00", "currency": "EUR"}, ("X-ray",), ()),
        ({"item": "Hand truck", "size": "10"}, ("Hand truck",), ("size 10",)),
        ({"name": "Lamp", "category": "Lighting"}, ("Lamp",), ("lighting",)),
        ({"id": "S-1", "plan": "Pro", "total": "$9"}, (), ("pro",)),
        ({"room": "Harbour 4B", "rate": "118.00"}, ("Harbour 4B",), ()),
        ({"material": "red-ish clay", "price_eur": "4"}, ("red-ish clay",), ()),
        ({"color": "blue-green", "tax_rate": "19%", "iso": "usd"}, (), ("blue-green",)),
    ],
)
def test_what_a_record_calls_its_thing(
    record: dict[str, str], names: tuple[str, ...], descriptors: tuple[str, ...]
) -> None:
    call = ToolCall(call_id="c", tool="list_them", arguments={}, result=[record])
    (thing,) = read_evidence(Turn(calls=(call,))).things
    assert (thing.names, thing.descriptors) == (names, descriptors)
