"""Reranking with a cross-encoder; it is loaded when the first texts are put in order."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Final

from verifier.core.reranking import Relevances
from verifier.errors import ModelError
from verifier.inference.encoders import BATCH_SIZE
from verifier.inference.model_folder import find_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sentence_transformers import CrossEncoder
    from tokenizers import Tokenizer

    from verifier.inference.model_folder import ModelFolder

_REMEDY: Final = "name the folder of a cross-encoder in the setting `reranker`"
_HEAD: Final = "ForSequenceClassification"


class CrossEncoderReranker:
    """A cross-encoder of one relevance, by folder or hub name, that fulfils `core.ports.Reranker`.

    Relevances are the model's own numbers, before any squashing into [0, 1], which would make ties. A query
    and text that are longer than the model reads are cut together, the longer of the two first, and told.
    Serves many tasks; the model works on one call at a time, in a thread.
    """

    def __init__(self, model: str, *, batch_size: int = BATCH_SIZE) -> None:
        self._name = model
        self._batch_size = batch_size
        self._lock = threading.RLock()
        self._folder: ModelFolder | None = None
        self._model: CrossEncoder | None = None
        self._tokenizer: Tokenizer | None = None

    @property
    def loaded(self) -> bool:
        """Whether the model was loaded."""
        return self._model is not None

    @property
    def name(self) -> str:
        """The model's name and the beginning of its weights' SHA-256; looks for them. Raises ModelError."""
        folder = self._find_folder()
        return f"{folder.name}@{folder.revision[:12]}"

    async def rerank(self, query: str, texts: Sequence[str]) -> Relevances:
        """Return the relevance of each of `texts` to the query. Raises ModelError."""
        return await asyncio.to_thread(self._rerank, query, list(texts))

    def _rerank(self, query: str, texts: list[str]) -> Relevances:
        import numpy as np

        with self._lock:
            model = self._load_model()
            from torch.nn import Identity

            try:
                values = model.predict(
                    [(query, text) for text in texts],
                    batch_size=self._batch_size,
                    activation_fn=Identity(),
                    show_progress_bar=False,
                )
            except Exception as error:
                raise ModelError(
                    f"the reranker {self._name} failed on its input: {error}"
                ) from error
        return Relevances(
            values=np.asarray(values, dtype=np.float32),
            shortened=self._find_shortened(model, query, texts),
        )

    def _find_shortened(self, model: CrossEncoder, query: str, texts: list[str]) -> frozenset[int]:
        limit = model.max_seq_length
        if limit is None:
            return frozenset()
        encoded = self._load_tokenizer().encode_batch([(query, text) for text in texts])
        return frozenset(at for at, pair in enumerate(encoded) if len(pair.ids) > limit)

    def _find_folder(self) -> ModelFolder:
        with self._lock:
            if self._folder is None:
                folder = find_model(self._name, remedy=_REMEDY)
                _check_head(folder)
                self._folder = folder
            return self._folder

    def _load_tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        with self._lock:
            if self._tokenizer is None:
                tokenizer = Tokenizer.from_file(str(self._find_folder().path / "tokenizer.json"))
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._tokenizer = tokenizer
            return self._tokenizer

    def _load_model(self) -> CrossEncoder:
        with self._lock:
            if self._model is None:
                self._model = _load(self._find_folder())
            return self._model


def _check_head(folder: ModelFolder) -> None:
    """Raise ModelError unless the weights hold a head that gives one number.

    Else one of random weights would be put on them, as on those of a model that only embeds.
    """
    try:
        config = json.loads((folder.path / "config.json").read_text("utf-8"))
        heads = [str(each) for each in config.get("architectures") or ()]
        labels = len(config.get("id2label") or {}) or config.get("num_labels", 2)
    except (OSError, ValueError, AttributeError) as error:
        raise ModelError(f"{folder.path}/config.json can't be read: {error}; {_REMEDY}") from error
    if not any(head.endswith(_HEAD) for head in heads):
        raise ModelError(
            f"{folder.path} is no cross-encoder but {', '.join(heads) or 'of an unknown kind'};"
            f" {_REMEDY}"
        )
    if labels != 1:
        raise ModelError(
            f"the model in {folder.path} tells {labels} labels apart; a reranker gives one relevance"
        )


def _load(folder: ModelFolder) -> CrossEncoder:
    try:
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        model: CrossEncoder = CrossEncoder(str(folder.path), device="cpu", local_files_only=True)
    except Exception as error:
        raise ModelError(f"the reranker in {folder.path} can't be loaded: {error}") from error
    return model
