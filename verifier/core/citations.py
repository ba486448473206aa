"""Citations: an answer's own pointers to chunks or sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.core.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One pointer as written. `label` is what stands between the marks: `refund-policy@3#0`, `1`."""

    label: str
    span: Span
