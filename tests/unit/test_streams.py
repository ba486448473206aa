"""The streams of the command: what can't be written becomes a question mark, in every locale."""

from __future__ import annotations

import io
import sys

import pytest

from verifier.interfaces.cli.streams import repair_streams


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_lone_surrogate_is_written_as_a_question_mark(
    monkeypatch: pytest.MonkeyPatch, errors: str
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8", errors=errors))
    repair_streams()
    sys.stdout.write("a \ud800 b")
    sys.stdout.flush()
    assert written.getvalue() == b"a ? b"
