"""The age of the versions that a claim cites: what its code leaves of a finding that is not rejected."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.verdicts import Disposition, Finding, VerdictCode
from verifier.verify.cited_texts import show_span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.core.turns import RetrievedChunk

_VERSIONED: Final = re.compile(r"(?P<source>.+)@(?P<seq>[0-9]{1,9})(?:#[0-9]{1,9})?", re.DOTALL)
_SETTLED: Final = frozenset({Disposition.REJECTED, Disposition.UNCHECKED})


def weigh_age(
    finding: Finding,
    chunks: Sequence[RetrievedChunk],
    given: Sequence[RetrievedChunk],
    now: datetime,
) -> Finding:
    """Return the finding, or what the age of the cited `chunks` leaves of it; `given` are all of the turn."""
    aged = None if finding.disposition in _SETTLED else _find_aged(finding, chunks, given, now)
    if aged is None:
        return finding
    code, detail = aged
    return replace(
        finding,
        code=code,
        detail=f"{detail}; otherwise {finding.code}: {finding.detail}",
        evidence=finding.evidence or (show_span(chunks[0]),),
        corrected_value=None,
    )


def _find_aged(
    finding: Finding,
    chunks: Sequence[RetrievedChunk],
    given: Sequence[RetrievedChunk],
    now: datetime,
) -> tuple[VerdictCode, str] | None:
    """Return what is wrong with the age of a cited version; it is usable through its last instant."""
    for chunk in chunks:
        if chunk.review_until is not None and now > chunk.review_until:
            until = chunk.review_until.isoformat()
            return VerdictCode.STALE_REVIEW, f"{chunk.source} was to be reviewed by {until}"
    for chunk in chunks:
        if not chunk.current:
            detail = f"another version of {chunk.source} answers now, or none"
            return VerdictCode.SUPERSEDED_VERSION, detail
        newer = _find_newer(chunk, given)
        if newer and _says_otherwise(newer, chunk, finding):
            detail = f"{newer[0].label} is newer and does not say so"
            return VerdictCode.SUPERSEDED_VERSION, detail
    return None


def _find_newer(
    chunk: RetrievedChunk, given: Sequence[RetrievedChunk]
) -> tuple[RetrievedChunk, ...]:
    """Return the chunks of newer versions of the same source that the turn was given too."""
    source, seq = _read_version(chunk)
    if seq is None:
        return ()
    others = [(one, *_read_version(one)) for one in given]
    return tuple(
        one for one, name, other in others if name == source and other is not None and other > seq
    )


def _read_version(chunk: RetrievedChunk) -> tuple[str, int | None]:
    """Return source and version; of a document that came with the turn, as its label tells them."""
    if chunk.seq is not None:
        return chunk.source, chunk.seq
    told = _VERSIONED.fullmatch(chunk.label)
    return (told["source"], int(told["seq"])) if told else (chunk.source, None)


def _says_otherwise(
    newer: Sequence[RetrievedChunk], chunk: RetrievedChunk, finding: Finding
) -> bool:
    """Return whether the finding rests on words of the chunk that no newer version has."""
    told = [one.text for one in finding.evidence if one.note is None and one.text in chunk.text]
    return any(all(text not in one.text for one in newer) for text in told)
