"""What a policy made of an answer, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from verifier.interfaces.cli.output import plain
from verifier.interfaces.wording import describe_hindrance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from verifier.core.policy import Edit, Release
    from verifier.core.report import JudgedClaim

_SHOWN_CHARS = 100


def render_release(release: Release, judged: Sequence[JudgedClaim]) -> Iterator[RenderableType]:
    """Yield what was changed and what was left alone with its reason, then the text that is let out."""
    codes = {one.claim.claim_id: one.verdict.code for one in judged}
    for edit in release.edits:
        yield Padding(Text(_describe(edit), style="green"), (0, 0, 0, 2))
    for left in release.left_alone:
        what = f"{left.claim}, {left.attribute}" if left.attribute else left.claim
        why = describe_hindrance(left.hindrance, codes.get(left.claim))
        told = f"left as it was: {what}: {why}"
        yield Padding(Text(plain(told), style="yellow"), (0, 0, 0, 2))
    if release.text is None:
        yield Text("the answer is held", style="bold red")
        return
    yield Text("the answer:" if release.accepted else "the answer, which is not accepted:")
    yield Padding(Text(plain(release.text)), (0, 0, 0, 2))


def _describe(edit: Edit) -> str:
    claims = ", ".join(edit.claims)
    if not edit.new:
        return plain(f"taken out: {claims}: {edit.reason}")
    return plain(f"corrected: {claims}: {_cut(edit.old)} → {_cut(edit.new)}")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS - 1]}…"
