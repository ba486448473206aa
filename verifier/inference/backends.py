"""The embedder of a model by what runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.inference.embedder import SentenceTransformerEmbedder
from verifier.inference.encoders import load_torch
from verifier.inference.onnx_encoder import load_onnx_from

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal


def make_embedder(
    model: str, backend: Literal["torch", "onnx"], *, cache: Path
) -> SentenceTransformerEmbedder:
    """Return the embedder of `model`; both backends give vectors of one embedding space.

    Exports to ONNX are kept in `cache`. Nothing is read before it is needed.
    """
    load = load_torch if backend == "torch" else load_onnx_from(cache)
    return SentenceTransformerEmbedder(model, load=load)
