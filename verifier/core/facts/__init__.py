"""Evidence into facts, without a catalog: records, tables, prose, and what they speak of."""

from verifier.core.facts.model import (
    EvidenceFact,
    FactOrigin,
    NamedBy,
    Thing,
    ThingMention,
    TurnEvidence,
)
from verifier.core.facts.reading import read_evidence

__all__ = [
    "EvidenceFact",
    "FactOrigin",
    "NamedBy",
    "Thing",
    "ThingMention",
    "TurnEvidence",
    "read_evidence",
]
