"""The same weights by onnxruntime: no torch in the process, a third of the time for a query.

The model is exported once, with its pooling, by a process of its own, and kept under its revision.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from verifier.inference.encoders import TextEncoder
    from verifier.inference.model_folder import ModelFolder

_EXPORT_FORM: Final = 1
"""Counted up when exports of earlier versions no longer serve."""
_EXPORT_TIMEOUT_S: Final = 900
_DEFAULT_TOKEN_LIMIT: Final = 256
_REMEDY: Final = "install 'grounding-verifier[onnx]', or set embedding_backend = \"torch\""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxEncoder:
    """An exported model and its tokenizer, which cuts off at the limit and pads by the batch."""

    session: InferenceSession
    tokenizer: Tokenizer

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        return int(self.session.get_outputs()[0].shape[1])

    def encode(self, texts: Sequence[str], *, batch_size: int) -> NDArray[np.float32]:
        """Return unit vectors of `texts`."""
        import numpy as np

        rows = [
            self._encode_batch(texts[start : start + batch_size])
            for start in range(0, len(texts), batch_size)
        ]
        return np.concatenate(rows)

    def _encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        # As sentence-transformers does before it tokenizes.
        encoded = self.tokenizer.encode_batch([text.strip() for text in texts])
        columns = {
            "input_ids": [one.ids for one in encoded],
            "attention_mask": [one.attention_mask for one in encoded],
            "token_type_ids": [one.type_ids for one in encoded],
        }
        wanted = {each.name for each in self.session.get_inputs()}
        fed = {
            name: np.asarray(column, np.int64) for name, column in columns.items() if name in wanted
        }
        vectors: NDArray[np.float32] = np.asarray(self.session.run(None, fed)[0], dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def load_onnx_from(cache: Path) -> Callable[[ModelFolder], TextEncoder]:
    """Return what loads a model by its export in `cache`, made there where it is missing."""
    return partial(load_onnx, cache=cache)


def load_onnx(folder: ModelFolder, *, cache: Path) -> OnnxEncoder:
    """Return the exported model of the folder.

    The first time, its export takes seconds and 90 MB of `cache`. Raises ModelError.
    """
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelError(f"onnxruntime is missing ({error}); {_REMEDY}") from error
    exported = cache / f"{folder.revision}-{_EXPORT_FORM}.onnx"
    if not exported.is_file():
        _export_apart(folder, exported)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            str(exported), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    except Exception as error:
        raise ModelError(f"{exported} can't be loaded ({error}); delete it") from error
    tokenizer.enable_truncation(folder.token_limit or _DEFAULT_TOKEN_LIMIT)
    pad = _padding(folder)
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id(pad) or 0, pad_token=pad)
    return OnnxEncoder(session=session, tokenizer=tokenizer)


def _padding(folder: ModelFolder) -> str:
    try:
        told = json.loads((folder.path / "tokenizer_config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return "[PAD]"
    pad = told.get("pad_token", "[PAD]") if isinstance(told, dict) else "[PAD]"
    return str(pad.get("content", "[PAD]")) if isinstance(pad, dict) else str(pad)


def _export_apart(folder: ModelFolder, exported: Path) -> None:
    """Export in another process, so that this one never holds torch; the file appears whole."""
    command = [sys.executable, "-m", "verifier.inference.onnx_export"]
    try:
        exported.parent.mkdir(parents=True, exist_ok=True)
        with _alone_in(exported.parent):
            if exported.is_file():  # who was faster has made it
                return
            ended = subprocess.run(  # noqa: S603 -- this interpreter and module, paths as arguments
                [*command, str(folder.path), str(exported)],
                capture_output=True,
                text=True,
                check=False,
                timeout=_EXPORT_TIMEOUT_S,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"the model can't be exported to {exported}: {error}") from error
    if ended.returncode or not exported.is_file():
        last = (ended.stderr.strip().splitlines() or ["it told nothing"])[-1]
        raise ModelError(f"the model in {folder.path} can't be exported to ONNX: {last}; {_REMEDY}")


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process exports into the folder: each takes a gigabyte, and all of a processor."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
