"""Metadata as it is typed after --metadata."""

from __future__ import annotations

import pytest

from verifier.errors import InputError
from verifier.interfaces.cli.metadata import read_metadata


@pytest.mark.parametrize(
    ("texts", "metadata"),
    [
        (None, None),
        ([], None),
        (["region=EU"], {"region": "EU"}),
        (['region="EU"', "year=2030"], {"region": "EU", "year": 2030}),
        (["note=a=b"], {"note": "a=b"}),
        (["tags=[1, 2]", "none=null", "empty="], {"tags": [1, 2], "none": None, "empty": ""}),
        (["deep=" + "[" * 100_000], {"deep": "[" * 100_000}),
    ],
)
def test_values_are_json_else_text(texts: list[str] | None, metadata: object) -> None:
    assert read_metadata(texts) == metadata


@pytest.mark.parametrize(
    ("texts", "named"),
    [(["region"], "KEY=JSON"), (["=1"], "KEY=JSON"), (["a=1", "a=2"], "'a' stands twice")],
)
def test_what_is_no_metadata_is_named(texts: list[str], named: str) -> None:
    with pytest.raises(InputError, match=named):
        read_metadata(texts)
