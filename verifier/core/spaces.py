"""Embedding spaces: what makes two vectors comparable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DEFAULT_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
"""The model that embeds where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """Provider, model, revision, dimension, metric and prefixes; vectors of two spaces never meet."""

    provider: str
    model: str
    revision: str
    dimension: int
    metric: str = "cosine"
    query_prefix: str = ""
    document_prefix: str = ""

    def __str__(self) -> str:
        model = self.model.removeprefix(f"{self.provider}/")
        return f"{self.provider}/{model}@{self.revision[:12]} ({self.dimension}, {self.metric})"


class BuildExtent(StrEnum):
    """How much the build of a space embeds: what drafts and current versions use, or past ones too."""

    CURRENT = "current"
    ALL = "all"
