"""Embedding with a sentence-transformers model; it is loaded when the first text is embedded."""

from __future__ import annotations

import asyncio
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Final

from verifier.core.spaces import DEFAULT_MODEL, EmbeddingSpace
from verifier.errors import InputError, ModelError
from verifier.inference.encoders import BATCH_SIZE, load_torch
from verifier.inference.model_folder import find_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from verifier.inference.encoders import TextEncoder
    from verifier.inference.model_folder import ModelFolder

PROVIDER: Final = "sentence-transformers"

_DEFAULT_TOKEN_LIMIT: Final = 256


class SentenceTransformerEmbedder:
    """A sentence-transformers model, by hub name or folder, that fulfils `core.ports.Embedder`.

    Nothing is read before it is needed: counting tokens needs the tokenizer alone, the space the hash of
    the weights, and only embedding loads the model. Serves many tasks; the model works on one call at a
    time, in a thread.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        batch_size: int = BATCH_SIZE,
        load: Callable[[ModelFolder], TextEncoder] = load_torch,
    ) -> None:
        self._name = model
        self._batch_size = batch_size
        self._load = load
        self._lock = threading.RLock()
        self._folder: ModelFolder | None = None
        self._tokenizer: Tokenizer | None = None
        self._model: TextEncoder | None = None

    @property
    def loaded(self) -> bool:
        """Whether the model was loaded."""
        return self._model is not None

    @property
    def space(self) -> EmbeddingSpace:
        """The embedding space of the vectors. Raises ModelError."""
        folder = self._find_folder()
        return EmbeddingSpace(
            provider=PROVIDER,
            model=folder.name,
            revision=folder.revision,
            dimension=folder.dimension or self._load_model().dimension,
            query_prefix=folder.prompt("query"),
            document_prefix=self._document_prefix,
        )

    @property
    def token_limit(self) -> int:
        """How many tokens the model reads, special ones included. Raises ModelError."""
        return self._token_limit

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the model makes of `text` as a document, nothing cut off.

        Its special tokens and its prefix for documents are counted.
        """
        return len(self._load_tokenizer().encode(self._document_prefix + text).ids)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of `texts`, shape (len(texts), dimension). Raises ModelError.

        What is beyond `token_limit` would be cut off; chunks are cut so that nothing is.
        """
        return await asyncio.to_thread(self._embed_documents, list(texts))

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query, shape (dimension,).

        Raises InputError for one longer than the model reads, ModelError where the model fails.
        """
        return await asyncio.to_thread(self._embed_query, text)

    def _embed_documents(self, texts: list[str]) -> NDArray[np.float32]:
        return self._embed(texts, self._document_prefix)

    def _embed_query(self, text: str) -> NDArray[np.float32]:
        prefix = self.space.query_prefix
        tokens = len(self._load_tokenizer().encode(prefix + text).ids)
        if tokens > self.token_limit:
            raise InputError(
                f"the query has {tokens} tokens, of which the model reads {self.token_limit};"
                " shorten it"
            )
        return self._embed([text], prefix).reshape(-1)

    def _embed(self, texts: list[str], prefix: str) -> NDArray[np.float32]:
        """Embed each text once, those of like length in tokens together."""
        import numpy as np

        dimension = self.space.dimension
        if not texts:
            return np.empty((0, dimension), dtype=np.float32)
        distinct = self._order([prefix + text for text in dict.fromkeys(texts)])
        with self._lock:
            model = self._load_model()
            try:
                vectors = model.encode(distinct, batch_size=self._batch_size)
            except Exception as error:
                raise ModelError(f"the model {self._name} failed on its input: {error}") from error
        _check_vectors(vectors, (len(distinct), dimension), self._name)
        row_of = {text: row for row, text in enumerate(distinct)}
        return vectors[[row_of[prefix + text] for text in texts]]

    def _order(self, texts: list[str]) -> list[str]:
        """Return the texts by rising tokens; those that are cut off count what is left of them."""
        if len(texts) <= self._batch_size:
            return texts
        encoded = self._load_tokenizer().encode_batch(texts)
        tokens = {text: len(one.ids) for text, one in zip(texts, encoded, strict=True)}
        return sorted(texts, key=lambda text: (min(tokens[text], self.token_limit), text))

    @cached_property
    def _document_prefix(self) -> str:
        return self._find_folder().prompt("document", "passage")

    @cached_property
    def _token_limit(self) -> int:
        return self._find_folder().token_limit or _DEFAULT_TOKEN_LIMIT

    def _find_folder(self) -> ModelFolder:
        with self._lock:
            if self._folder is None:
                self._folder = find_model(self._name)
            return self._folder

    def _load_tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        with self._lock:
            if self._tokenizer is None:
                path = self._find_folder().path / "tokenizer.json"
                try:
                    tokenizer = Tokenizer.from_file(str(path))
                except Exception as error:
                    raise ModelError(f"the tokenizer {path} can't be read: {error}") from error
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._tokenizer = tokenizer
            return self._tokenizer

    def _load_model(self) -> TextEncoder:
        with self._lock:
            if self._model is None:
                self._model = self._load(self._find_folder())
            return self._model


def _check_vectors(vectors: NDArray[np.float32], shape: tuple[int, int], name: str) -> None:
    import numpy as np

    if vectors.shape != shape:
        raise ModelError(f"the model {name} gave vectors of shape {vectors.shape}, not {shape}")
    if not np.isfinite(vectors).all() or not np.allclose(
        np.linalg.norm(vectors, axis=1), 1, atol=1e-3
    ):
        raise ModelError(
            f"the model {name} gave vectors that are no unit vectors; use another model"
        )
