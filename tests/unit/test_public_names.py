"""The public surface is short, and every name of it stands where it says."""

from __future__ import annotations

import subprocess
import sys

import verifier

LONGEST = 20


def test_the_public_surface_is_short_and_whole() -> None:
    assert len(verifier.__all__) <= LONGEST
    assert sorted(verifier.__all__) == verifier.__all__
    for name in verifier.__all__:
        assert getattr(verifier, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(verifier, "nothing_of_that_name")


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = (
        "torch",
        "sentence_transformers",
        "asyncpg",
        "numpy",
        "alembic",
        "sqlalchemy",
        "pydantic",
    )
    code = f"import sys, verifier; print([m for m in {heavy!r} if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
