"""How fast does this project score texts with Detoxify's models, on a CPU and on a device?

    PYTHONPATH=workflow:benchmarks python benchmarks/toxicity.py [--texts 16]
    PYTHONPATH=workflow:benchmarks python benchmarks/toxicity.py --device cuda [--texts 20000]

Needs the extra `toxicity`. Each published model is made with random weights from its configuration (bert-base-uncased,
roberta-base, xlm-roberta-base): speed does not depend on what a model has learned. The scorer is timed on one thread by
texts of 32 to 256 tokens. CPU seconds per text of the slowest model, and the most memory that scoring took, go into
benchmarks/rates.yaml, from which `authbench plan --detoxify` computes.

With `--device` the largest published model is timed there (wall time); 640 of its scores are compared with the CPU's.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers
from build import write_rates
from corpus import texts, vocabulary
from machine import commit, heading, machine
from numpy.typing import NDArray

from authbench.build.safety.detoxify_scorer import load_detoxify

# What the published models were made from: the name of the architecture, its vocabulary, positions and outputs. All
# have 12 layers of 768 with 12 heads.
PUBLISHED = {
    "original": ("Bert", 30522, 512, 6),
    "unbiased": ("Roberta", 50265, 514, 16),
    "multilingual": ("XLMRoberta", 250002, 514, 16),
}
TOKENS = (32, 64, 128, 256)
LABELS = ["toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack"]
BATCH = 32


def make_published(folder: Path, name: str) -> Path:
    """A published model with random weights; its tokens are the corpus's words, as speed goes by their number."""
    family, vocabulary_size, positions, outputs = PUBLISHED[name]
    write_tokenizer(folder)
    torch.manual_seed(7)
    config = getattr(transformers, f"{family}Config")(
        vocab_size=vocabulary_size, max_position_embeddings=positions, num_labels=outputs, pad_token_id=0
    )
    config.save_pretrained(folder)
    model = getattr(transformers, f"{family}ForSequenceClassification")(config)
    return save(folder, family, model, [*LABELS, "sexual_explicit"][:outputs])


def write_tokenizer(folder: Path) -> int:
    """Write a tokeniser of whole words; return how many tokens it has."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ","]
    tokens = [*special, *corpus_words()]
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    return len(tokens)


def corpus_words() -> list[str]:
    return sorted({word.strip(" ,.\n").lower() for word in vocabulary("en").forms.to_pylist()} - {""})


def save(folder: Path, family: str, model: Any, labels: Sequence[str]) -> Path:
    """Save a model in Detoxify's format."""
    arguments = {
        "model_type": str(folder),
        "model_name": f"{family}ForSequenceClassification",
        "tokenizer_name": "BertTokenizer",
        "num_classes": model.config.num_labels,
    }
    saved = {"arch": {"args": arguments}, "dataset": {"args": {"classes": list(labels)}}}
    torch.save({"config": saved, "state_dict": model.state_dict()}, folder / "random.ckpt")
    return folder / "random.ckpt"


def seconds_per_text(name: str, number: int) -> tuple[dict[int, float], int]:
    """Return CPU seconds of a published model by the tokens of a text, and MiB of the process at most."""
    torch.set_num_threads(1)
    words = [word for word in corpus_words() if word.isascii() and word.isalpha()]
    chance = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:  # so that what it takes is not counted
            checkpoint = apart.submit(make_published, Path(folder), name).result()
        scorer = load_detoxify(checkpoint=checkpoint, huggingface_config_path=folder, batch_size=min(number, BATCH))
    taken = {}
    for tokens in TOKENS:
        contents = [" ".join(chance.choice(words, tokens - 2)) for _ in range(number)]
        assert len(scorer.model.tokenizer(contents[0])["input_ids"]) == tokens
        scorer.score(contents[:2], ["en"] * 2)
        started = time.process_time()
        scorer.score(contents, ["en"] * number)
        taken[tokens] = round((time.process_time() - started) / number, 4)
    return taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def measure_rates(number: int) -> None:
    """Time the published models, print the table, and keep the rates of the slowest."""
    measured = {}
    for name in PUBLISHED:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            measured[name] = process.submit(seconds_per_text, name, number).result()
    print(f"{heading()}, torch {torch.__version__}, 1 thread, {number} texts of each length\n")
    print("| model | " + " | ".join(f"texts of {tokens} tokens a second" for tokens in TOKENS) + " | MiB |")
    print("| --- |" + " ---: |" * (len(TOKENS) + 1))
    for name, (taken, peak) in measured.items():
        print(f"| {name} | " + " | ".join(f"{1 / taken[tokens]:.1f}" for tokens in TOKENS) + f" | {peak:,} |")
    slowest = {tokens: max(taken[tokens] for taken, _ in measured.values()) for tokens in TOKENS}
    peak = max(peak for _, peak in measured.values())
    found = {"machine": machine(), "torch": str(torch.__version__), "commit": commit()}
    write_rates({"detoxify": {**found, "peak_mib": peak, "cpu_s_by_tokens": slowest}})


def compare_device(device: str, number: int) -> None:
    """Print how many texts a second a device scores, by batch size, and how far scores lie from the CPU's."""
    contents = texts("en", number, 600, np.random.default_rng(7)).to_list()
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = make_published(Path(folder), "multilingual")
        few: dict[str, NDArray[np.float64]] = {}
        least = min(640, number)
        for place, some, batch in (
            ("cpu", least, BATCH),
            (device, least, BATCH),
            (device, number, BATCH),
            (device, number, 128),
        ):
            scorer = load_detoxify(
                checkpoint=checkpoint, huggingface_config_path=folder, device=place, batch_size=batch
            )
            scorer.score(contents[: 2 * BATCH], ["en"] * 2 * BATCH)
            started = time.perf_counter()
            scores = scorer.score(contents[:some], ["en"] * some)
            print(
                f"{place}: {some} texts in batches of {batch}, {some / (time.perf_counter() - started):,.0f} a second"
            )
            few.setdefault(place, np.array(scores))
    apart = np.abs(few["cpu"] - few[device])
    print(f"{np.count_nonzero(apart)} of {len(apart)} scores differ from the CPU's, at most by {apart.max():.5f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, help="default 16 of each length, with --device 20,000")
    parser.add_argument("--device", help="a device of torch to compare with the CPU, e.g. cuda")
    asked = parser.parse_args()
    if asked.device:
        compare_device(asked.device, asked.texts or 20_000)
    else:
        measure_rates(asked.texts or 16)


if __name__ == "__main__":
    main()
