"""How fast are texts embedded, beside SentenceTransformer.encode with its own sorting?

    PYTHONPATH=workflow python benchmarks/embeddings.py RELEASE_DIR [--texts 500] [--repeat 3]

The texts of a release's test split, all-MiniLM-L6-v2 (from the extra `models`), the same threads, one process, turn by
turn. Prints a Markdown table of texts per second, medians, and the largest difference between the vectors.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np

from authbench.config.registry.load import load_entry
from authbench.models.checkpoint import load_checkpoint
from authbench.models.entries import MODELS
from authbench.models.model import unit
from authbench.models.transformer import embed
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.split import read_split


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    parameters = load_entry(MODELS, "all-minilm-l6-v2").parameters
    texts = read_split(open_release(arguments.release), "test").documents["content"].to_list()[: arguments.texts]
    model = load_checkpoint(parameters)
    model.max_seq_length = parameters.max_tokens
    ours, theirs = [], []
    for _ in range(arguments.repeat):
        start = time.perf_counter()
        mine = unit(embed(model, texts, parameters, ""))
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        peers = unit(np.asarray(model.encode(texts, batch_size=32, show_progress_bar=False)))
        theirs.append(time.perf_counter() - start)
    print(f"{len(texts)} texts, {parameters.max_tokens} tokens at most\n")
    print("| | texts/s | ratio |\n| --- | ---: | ---: |")
    for name, walls in (("SentenceTransformer.encode, batches of 32", theirs), ("authbench", ours)):
        wall = statistics.median(walls)
        print(f"| {name} | {len(texts) / wall:.1f} | {statistics.median(theirs) / wall:.2f} |")
    print(f"\nLargest difference between the vectors: {np.abs(mine - peers).max():.1e}.")


if __name__ == "__main__":
    main()
