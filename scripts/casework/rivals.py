"""Runs in another environment: reads texts as JSON from standard input with a rival, prints its findings.

Usage: python rivals.py quantulum3 | quantulum3-plain | price-parser. It imports nothing of this project.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Found = list[dict[str, Any]]


def quantulum(*, classifier: bool) -> Callable[[str], Found]:
    """Return a reader that uses quantulum3, with its classifier or without."""
    import importlib

    parser = importlib.import_module("quantulum3.parser")
    unit_classifier = importlib.import_module("quantulum3.classifier")

    if classifier and not unit_classifier.classifier("en_US").loaded:
        raise SystemExit(
            "quantulum3's classifier was not loaded; its figures would be none of its own"
        )
    if not classifier:
        setattr(unit_classifier, "USE_CLF", False)  # noqa: B010 -- a module nobody here has types of

    def read(text: str) -> Found:
        quantities = parser.parse(text)
        return [
            {
                "value": quantity.value,
                "unit": quantity.unit.name,
                "uncertainty": quantity.uncertainty or 0,
                "start": quantity.span[0],
                "end": quantity.span[1],
                "entity": quantity.unit.entity.name,
            }
            for quantity in quantities
        ]

    return read


def price_parser() -> Callable[[str], Found]:
    """Return a reader that uses price-parser; it finds one price a text."""
    import importlib

    Price = importlib.import_module("price_parser").Price  # noqa: N806 -- its own name

    def read(text: str) -> Found:
        price = Price.fromstring(text)
        if price.amount is None:
            return []
        return [
            {
                "value": str(price.amount),
                "unit": price.currency,
                "uncertainty": 0,
                "entity": "currency",
            }
        ]

    return read


def _guarded(read: Callable[[str], Found], text: str) -> Found:
    """Return what a rival finds, or its crash: that is part of the comparison."""
    try:
        return read(text)
    except Exception as crash:
        return [{"crash": repr(crash)}]


def main() -> None:
    """Read every text twice, the second time against the clock."""
    warnings.simplefilter("ignore")
    name = sys.argv[1]
    read = price_parser() if name == "price-parser" else quantulum(classifier=name == "quantulum3")
    texts = json.load(sys.stdin)
    found = [_guarded(read, text) for text in texts]
    begun = time.process_time()
    for text in texts:
        _guarded(read, text)
    json.dump({"found": found, "seconds": time.process_time() - begun}, sys.stdout)


if __name__ == "__main__":
    main()
