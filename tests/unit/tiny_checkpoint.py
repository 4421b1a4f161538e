"""A tiny BERT with random weights, for claims about transformers."""

import string
from pathlib import Path
from typing import Any

from authbench.models.parameters import TransformerParameters

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase, "."]
WORDS += [f"##{letter}" for letter in string.ascii_lowercase]


def write_checkpoint(folder: Path) -> None:
    """Write the model and its tokenizer as Hugging Face lays them out."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).eval().save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)


def settings(checkpoint: Path, **changed: Any) -> TransformerParameters:
    """Return the parameters of a model that reads the checkpoint."""
    given = {"checkpoint": str(checkpoint), "pooling": "mean", "max_tokens": 32, **changed}
    return TransformerParameters(**given)
