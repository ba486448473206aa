"""What turns texts into vectors by the weights of one folder: torch, or an export of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

    from verifier.inference.model_folder import ModelFolder

BATCH_SIZE: Final = 8
"""Small, so that texts of one batch are of nearly one length: padding is what costs time on a CPU."""


class TextEncoder(Protocol):
    """A loaded model, for one call at a time."""

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...

    def encode(self, texts: Sequence[str], *, batch_size: int) -> NDArray[np.float32]:
        """Return unit vectors of `texts`, neighbours in one batch; what is too long is cut off."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchEncoder:
    """The model as sentence-transformers runs it."""

    model: SentenceTransformer

    @property
    def dimension(self) -> int:
        """The length of its vectors. Raises ModelError where the model does not tell."""
        dimension = self.model.get_embedding_dimension()
        if dimension is None:
            raise ModelError("the model does not say how long its vectors are; use another one")
        return dimension

    def encode(self, texts: Sequence[str], *, batch_size: int) -> NDArray[np.float32]:
        """Return unit vectors of `texts`."""
        import numpy as np

        encoded = self.model.encode(
            list(texts),
            batch_size=batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(encoded, dtype=np.float32)


def load_torch(folder: ModelFolder) -> TorchEncoder:
    """Return the model of the folder, loaded by torch, which takes seconds. Raises ModelError."""
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        model = SentenceTransformer(str(folder.path), device="cpu", local_files_only=True)
    except Exception as error:
        raise ModelError(f"the model in {folder.path} can't be loaded: {error}") from error
    return TorchEncoder(model=model)
