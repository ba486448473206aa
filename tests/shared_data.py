"""Where the public data lies that some tests read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def find_shared(*parts: str) -> Path:
    """Return a place in the public data; without it, a test fails in CI and is skipped elsewhere."""
    shared = Path(os.environ.get("VERIFIER_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = shared.joinpath(*parts)
    if not path.exists():
        message = f"{path} is missing; VERIFIER_SHARED_DATA names the folder of public data"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return path
