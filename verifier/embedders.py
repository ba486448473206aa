"""The models of one process, each loaded when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.core.ports import Embedder
    from verifier.settings import Settings


class Embedders:
    """The embedder that was passed, else that of the settings, and others by name."""

    def __init__(self, settings: Settings, given: Embedder | None = None) -> None:
        self._settings = settings
        self._chosen = given

    def load(self) -> Embedder:
        """Return the embedder of this process; the model itself is read when it is used."""
        if self._chosen is None:
            self._chosen = self.load_named(self._settings.model)
        return self._chosen

    def load_named(self, model: str) -> Embedder:
        """Return the embedder of the model of that name or folder."""
        from verifier.inference.backends import make_embedder

        cache = self._settings.data_dir / "models"
        return make_embedder(model, self._settings.embedding_backend, cache=cache)

    def load_beside(self) -> tuple[Embedder, ...]:
        """Return the embedder of the next model, for spaces that are being built; none where none is set."""
        named = self._settings.next_model
        return () if named is None else (self.load_named(named),)
