"""The models of one process, each loaded when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.core.ports import Embedder, Reranker
    from verifier.settings import Settings


class Embedders:
    """The embedder and the reranker that were passed, else those of the settings, and embedders by name."""

    def __init__(
        self,
        settings: Settings,
        given: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._settings = settings
        self._chosen = given
        self._reranker = reranker

    def load(self) -> Embedder:
        """Return the embedder of this process; the model itself is read when it is used."""
        if self._chosen is None:
            self._chosen = self.load_named(self._settings.model)
        return self._chosen

    def load_reranker(self) -> Reranker | None:
        """Return the reranker of this process, None where none is set; its model is read when it is used."""
        if self._reranker is None and self._settings.reranker is not None:
            from verifier.inference.reranker import CrossEncoderReranker

            self._reranker = CrossEncoderReranker(self._settings.reranker)
        return self._reranker

    def load_named(self, model: str) -> Embedder:
        """Return the embedder of the model of that name or folder."""
        from verifier.inference.backends import make_embedder

        cache = self._settings.data_dir / "models"
        return make_embedder(model, self._settings.embedding_backend, cache=cache)

    def load_beside(self) -> tuple[Embedder, ...]:
        """Return the embedder of the next model, for spaces that are being built; none where none is set."""
        named = self._settings.next_model
        return () if named is None else (self.load_named(named),)
