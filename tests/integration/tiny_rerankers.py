"""Real cross-encoders of a few kilobytes, made on the spot: one of random weights, one of set ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from transformers import BertForSequenceClassification

WORD = re.compile(r"\w+")
LENGTH = 64
"""How many tokens of a query and a text these models read."""


def save_random_reranker(folder: Path, texts: Iterable[str], *, labels: int = 1) -> Path:
    """Make a BERT of two layers, its weights drawn by a seed, its vocabulary the words of `texts`."""
    import torch

    torch.manual_seed(7)
    return _save(_make(_vocabulary(texts), width=16, layers=2, labels=labels), folder, texts)


def save_counting_reranker(folder: Path, texts: Iterable[str], *, counted: str) -> Path:
    """Make a BERT whose relevance rises with the share of the word `counted` among all tokens it reads.

    Every token attends to all alike; the word alone points elsewhere than the rest, and the head tells how
    far. What stands behind the tokens that it reads changes nothing.
    """
    import torch

    vocabulary = _vocabulary(texts)
    model = _make(vocabulary, width=4, layers=1, labels=1)
    words = torch.tensor([[0.0, 0.0, 1.0, -1.0]]).repeat(len(vocabulary), 1)
    words[vocabulary[counted]] = torch.tensor([1.0, -1.0, 1.0, -1.0])
    weights = {
        "word_embeddings.weight": words,
        "LayerNorm.weight": torch.ones(4),
        "self.value.weight": torch.eye(4),
        "attention.output.dense.weight": torch.eye(4),
        "pooler.dense.weight": torch.eye(4),
        "classifier.weight": torch.tensor([[1.0, 0.0, 0.0, 0.0]]),
    }
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            chosen = [weight for ending, weight in weights.items() if name.endswith(ending)]
            parameter.copy_(chosen[0] if chosen else torch.zeros_like(parameter))
    return _save(model, folder, texts)


def _vocabulary(texts: Iterable[str]) -> dict[str, int]:
    words = sorted({word.lower() for text in texts for word in WORD.findall(text)})
    return {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}


def _make(
    vocabulary: dict[str, int], *, width: int, layers: int, labels: int
) -> BertForSequenceClassification:
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=1,
        intermediate_size=width,
        max_position_embeddings=LENGTH,
    )
    config.num_labels = labels
    return BertForSequenceClassification(config)


def _save(model: BertForSequenceClassification, folder: Path, texts: Iterable[str]) -> Path:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = _vocabulary(texts)
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 -- a token
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    fast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        model_max_length=LENGTH,
        pad_token="[PAD]",  # noqa: S106
        unk_token="[UNK]",  # noqa: S106
        cls_token="[CLS]",  # noqa: S106
        sep_token="[SEP]",  # noqa: S106
    )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
