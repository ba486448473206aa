"""Exports a sentence-transformers model to ONNX: `python -m verifier.inference.onnx_export FOLDER FILE`.

The graph holds everything from token ids to the vector, so that what runs it needs no pooling of its own.
It is compared with the model before it is kept.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifier.errors import ModelError
from verifier.inference.encoders import load_torch
from verifier.inference.model_folder import find_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sentence_transformers import SentenceTransformer
    from torch import Tensor
    from torch.nn import Module

_OPSET: Final = 17
_OUTPUT: Final = "sentence_embedding"
_TRACED: Final = ("A short text.", "Another one, which is a good deal longer than the first.")
_COMPARED: Final = ("x", "Refunds take 30 days. " * 12, "Größe, 価格, цена: 1.299,00 €")
_TOLERANCE: Final = 1e-3


def export(folder: Path, target: Path) -> None:
    """Write the model of `folder` to `target`, which appears whole or not at all. Raises ModelError."""
    import torch

    model = load_torch(find_model(str(folder))).model.eval()
    made = target.with_name(f"{target.name}.{os.getpid()}.part")
    inputs = _features(model, _TRACED)
    axes = {name: {0: "texts", 1: "tokens"} for name in inputs} | {_OUTPUT: {0: "texts"}}
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                _as_module(model, tuple(inputs)),
                tuple(inputs.values()),
                str(made),
                input_names=list(inputs),
                output_names=[_OUTPUT],
                dynamic_axes=axes,
                opset_version=_OPSET,
                dynamo=False,
            )
        _compare(model, made)
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)


def _features(model: SentenceTransformer, texts: tuple[str, ...]) -> Mapping[str, Tensor]:
    import torch

    features = model.preprocess(list(texts))
    return {name: each for name, each in features.items() if isinstance(each, torch.Tensor)}


def _as_module(model: SentenceTransformer, names: tuple[str, ...]) -> Module:
    import torch

    class FromTokens(torch.nn.Module):
        """The model with its inputs in order, as tracing needs them."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: Tensor) -> Tensor:
            """Return the vectors of a batch."""
            vectors: Tensor = self.model(dict(zip(names, inputs, strict=True)))[_OUTPUT]
            return vectors

    return FromTokens()


def _compare(model: SentenceTransformer, made: Path) -> None:
    """Raise ModelError unless the exported graph gives what the model gives."""
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(str(made), providers=["CPUExecutionProvider"])
    for text in _COMPARED:
        features = _features(model, (text,))
        got = session.run(None, {name: each.numpy() for name, each in features.items()})[0][0]
        wanted = model.encode([text], show_progress_bar=False)[0]
        if not np.allclose(got, wanted, atol=_TOLERANCE):
            worst = float(np.abs(got - wanted).max())
            raise ModelError(f"its export differs by {worst:.4f} on {text[:20]!r}")


if __name__ == "__main__":
    try:
        export(Path(sys.argv[1]), Path(sys.argv[2]))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
