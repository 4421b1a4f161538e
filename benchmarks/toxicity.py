"""How fast does Detoxify score texts sorted by length, and what would half precision change?

    PYTHONPATH=workflow:benchmarks python benchmarks/toxicity.py [texts] [small|base]

Needs the extra `toxicity`. A checkpoint in the package's format is made on the spot: a BERT with random weights, `base`
of the size of roberta-base (12 layers of 768), `small` of 4 layers of 256; speed does not depend on what a model has
learned. English texts (benchmarks/corpus.py: 600 characters on average, lengths spread widely) are scored

- by `Detoxify.predict` in batches of 32 as they come, at the model's own limit of 512 tokens and at 256,
- by this project's scorer: the same batches of texts sorted by length, at 256 tokens,
- by the same in bfloat16.

Prints CPU seconds of all threads, and how far scores lie apart: from those in float32, and between two orders of the
same texts (beyond the five decimals that are kept).
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
from corpus import texts, vocabulary
from detoxify import Detoxify
from machine import heading
from numpy.typing import NDArray
from transformers import BertConfig, BertForSequenceClassification

from authbench.safety.detoxify_scorer import load_detoxify

SIZES = {"small": (256, 4, 4), "base": (768, 12, 12)}  # width, layers, heads
LABELS = ["toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack"]
BATCH = 32


def make_checkpoint(folder: Path, size: str) -> Path:
    """A random model with a tokeniser that knows the corpus's words."""
    words = sorted({word.strip(" ,.\n").lower() for word in vocabulary("en").forms.to_pylist()} - {""})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ","]
    (folder / "vocab.txt").write_text("\n".join([*special, *words]) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    width, layers, heads = SIZES[size]
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(special) + len(words), hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=4 * width, num_labels=len(LABELS), initializer_range=0.05,
    )  # fmt: skip
    config.save_pretrained(folder)
    model = BertForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.weight, std=0.5)  # scores spread over 0 to 1
    arguments = {
        "model_type": str(folder),
        "model_name": "BertForSequenceClassification",
        "tokenizer_name": "BertTokenizer",
        "num_classes": len(LABELS),
    }
    saved = {"arch": {"args": arguments}, "dataset": {"args": {"classes": LABELS}}}
    torch.save({"config": saved, "state_dict": model.state_dict()}, folder / "random.ckpt")
    return folder / "random.ckpt"


def as_they_come(model: Detoxify, contents: Sequence[str]) -> list[float]:
    scores: list[float] = []
    for start in range(0, len(contents), BATCH):
        labels = model.predict(list(contents[start : start + BATCH]))
        scores += [max(values) for values in zip(*labels.values(), strict=True)]
    return scores


def timed(work: Callable[[], list[float]]) -> tuple[float, NDArray[np.float64]]:
    started = time.process_time()
    scores = np.array(work())
    return time.process_time() - started, scores


def main(number: int, size: str) -> None:
    contents = texts("en", number - number % BATCH, 600, np.random.default_rng(7)).to_list()
    order = np.random.default_rng(8).permutation(len(contents))
    shuffled = [contents[row] for row in order]
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = make_checkpoint(Path(folder), size)
        plain = Detoxify(checkpoint=str(checkpoint), huggingface_config_path=folder)
        ours = load_detoxify(checkpoint=checkpoint, huggingface_config_path=folder, batch_size=BATCH)
    langs = ["en"] * len(contents)
    rows = []
    ours.score(contents[:BATCH], langs)
    for limit in (512, 256):
        plain.tokenizer.model_max_length = limit
        seconds, scores = timed(lambda: as_they_come(plain, contents))
        rows.append((f"Detoxify.predict as they come, {limit} tokens", seconds, scores, ""))
    reference = rows[-1][2]
    for name, precision in (("sorted by length, 256 tokens", torch.float32), ("the same, bfloat16", torch.bfloat16)):
        ours.model.model.to(precision)
        seconds, scores = timed(lambda: ours.score(contents, langs))
        again = np.array(ours.score(shuffled, langs))
        rows.append((name, seconds, scores, f"{np.abs(again - scores[order]).max():.5f}"))
    print(f"{heading()}, torch {torch.__version__}, {torch.get_num_threads()} threads\n")
    print(
        f"{len(contents)} texts, a random model ({size}); scores from {reference.min():.2f} to {reference.max():.2f}\n"
    )
    print("| scored | CPU s | documents per CPU s | ratio | largest difference from float32 | of two orders |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, seconds, scores, between in rows:
        apart = "other limit" if "512" in name else f"{np.abs(scores - reference).max():.5f}"
        rate, ratio = len(contents) / seconds, rows[0][1] / seconds
        print(f"| {name} | {seconds:.1f} | {rate:.1f} | {ratio:.2f} | {apart} | {between} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 320, sys.argv[2] if len(sys.argv) > 2 else "small")
