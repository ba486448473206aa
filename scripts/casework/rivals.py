"""Runs in another environment: reads texts as JSON from standard input with a rival, prints its findings.

Usage: python rivals.py quantulum3 | quantulum3-plain | price-parser. It imports nothing of this project.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

Found = list[dict[str, Any]]


def quantulum(*, classifier: bool) -> Callable[[str], Found]:
    """Return a reader that uses quantulum3, with its classifier or without."""
    from quantulum3 import classifier as unit_classifier
    from quantulum3 import parser

    if not classifier:
        unit_classifier.USE_CLF = False

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
    from price_parser import Price

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


def main() -> None:
    """Read every text twice, the second time against the clock."""
    warnings.simplefilter("ignore")
    name = sys.argv[1]
    read = price_parser() if name == "price-parser" else quantulum(classifier=name == "quantulum3")
    texts = json.load(sys.stdin)
    found: list[Found] = []
    for text in texts:
        try:
            found.append(read(text))
        except Exception as crash:
            found.append([{"crash": repr(crash)}])
    begun = time.process_time()
    for text in texts:
        try:
            read(text)
        except Exception:
            continue
    json.dump({"found": found, "seconds": time.process_time() - begun}, sys.stdout)


if __name__ == "__main__":
    main()
