"""A database-backed verifier with a retrieval store.

`open_verifier` gives one object with all verbs; `semantic_search` and `verify_claims` are for those who
have a pool and want nothing else. Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.blocking import open_blocking_verifier as open_blocking_verifier
    from verifier.core.cited_answers import check_cited_answer as check_cited_answer
    from verifier.core.cited_claims import check_cited_claim as check_cited_claim
    from verifier.core.comparison import relate as relate
    from verifier.core.evidence_review import review_evidence as review_evidence
    from verifier.core.history_numbers import check_history_numbers as check_history_numbers
    from verifier.core.history_numbers import check_small_number as check_small_number
    from verifier.core.quantities import extract_quantities as extract_quantities
    from verifier.core.report import GroundingReport as GroundingReport
    from verifier.core.sentences import split_sentences as split_sentences
    from verifier.core.turn_recorder import TurnRecorder as TurnRecorder
    from verifier.core.turns import Turn as Turn
    from verifier.errors import InputError as InputError
    from verifier.errors import ModelError as ModelError
    from verifier.errors import StoreError as StoreError
    from verifier.errors import VerifierError as VerifierError
    from verifier.service import Verifier as Verifier
    from verifier.service import open_verifier as open_verifier
    from verifier.store.search import semantic_search as semantic_search
    from verifier.verify.verifier import verify_claims as verify_claims

_PLACES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "GroundingReport": "verifier.core.report",
        "InputError": "verifier.errors",
        "ModelError": "verifier.errors",
        "StoreError": "verifier.errors",
        "Turn": "verifier.core.turns",
        "TurnRecorder": "verifier.core.turn_recorder",
        "Verifier": "verifier.service",
        "VerifierError": "verifier.errors",
        "check_cited_answer": "verifier.core.cited_answers",
        "check_cited_claim": "verifier.core.cited_claims",
        "check_history_numbers": "verifier.core.history_numbers",
        "check_small_number": "verifier.core.history_numbers",
        "extract_quantities": "verifier.core.quantities",
        "open_blocking_verifier": "verifier.blocking",
        "open_verifier": "verifier.service",
        "relate": "verifier.core.comparison",
        "review_evidence": "verifier.core.evidence_review",
        "semantic_search": "verifier.store.search",
        "split_sentences": "verifier.core.sentences",
        "verify_claims": "verifier.verify.verifier",
    }
)

__all__ = [
    "GroundingReport",
    "InputError",
    "ModelError",
    "StoreError",
    "Turn",
    "TurnRecorder",
    "Verifier",
    "VerifierError",
    "check_cited_answer",
    "check_cited_claim",
    "check_history_numbers",
    "check_small_number",
    "extract_quantities",
    "open_blocking_verifier",
    "open_verifier",
    "relate",
    "review_evidence",
    "semantic_search",
    "split_sentences",
    "verify_claims",
]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
