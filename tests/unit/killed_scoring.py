"""Score texts with a checkpoint of Detoxify in processes that are killed, ten times, and then to the end.

    python tests/unit/killed_scoring.py FOLDER CHECKPOINT TEXTS

Each process is a fork of one that has loaded the model. It says in FOLDER/said, a byte for each text, what it has
scored, and is killed soon after it has put another batch, or when it has scored two; the last one ends by itself.
"""

import os
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}

from authbench.build.safety import ScoreStore, score_texts
from authbench.build.safety.detoxify_scorer import DetoxifyScorer, load_detoxify

KILLS = 10
LONGEST_WAIT = 120.0  # seconds


@dataclass(frozen=True)
class Telling(DetoxifyScorer):
    """The scorer, which appends a byte to the file `said` for each text; after `most` batches it waits to be killed."""

    most: int
    done: list[int] = field(default_factory=list)

    def score(self, texts, langs):
        if len(self.done) == self.most:
            signal.pause()
        scores = super().score(texts, langs)
        self.done.append(len(texts))
        with Path("said").open("ab") as file:
            file.write(b"." * len(texts))
        return scores


def score_all(scorer, texts):
    store = ScoreStore("scores.parquet")
    score_texts([scorer], texts, ["en"] * len(texts), store)
    store.save()


def parts():
    return len(list(Path("scores.parquet.parts").glob("[0-9a-f]*.parquet")))


def fork_to_score(known, texts, most):
    if child := os.fork():
        return child
    score_all(Telling(**vars(known), most=most), texts)
    os._exit(0)


def main(checkpoint, texts):
    known = load_detoxify(checkpoint=checkpoint, huggingface_config_path=checkpoint.parent, max_tokens=32)
    chance = random.Random(1)
    for _ in range(KILLS):
        before, child = parts(), fork_to_score(known, texts, 2)
        end = time.monotonic() + LONGEST_WAIT
        while parts() == before and time.monotonic() < end:
            time.sleep(0.005)
        assert parts() > before
        time.sleep(chance.uniform(0, 0.1))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert os.waitpid(fork_to_score(known, texts, len(texts)), 0)[1] == 0


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    main(Path(sys.argv[2]), Path(sys.argv[3]).read_text(encoding="utf-8").splitlines())
