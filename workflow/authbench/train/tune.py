"""Train a model contrastively, score it during training, and resume where it was stopped.

The trainer and the loss come from sentence-transformers (MultipleNegativesRankingLoss; Henderson et al. 2017), pairs
and metrics are ours. Weights and the optimiser's state are in float32; the forward pass may be in 16 bits.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.errors import InputError
from authbench.evaluation.released import group_scores
from authbench.evaluation.retrieval import Ranking, cosine, rank
from authbench.evaluation.split import Split
from authbench.evaluation.verification import draw_negatives
from authbench.metrics.error_rate import error_rate
from authbench.metrics.ranking import per_query
from authbench.models.checkpoint import device
from authbench.models.entries import ModelEntry
from authbench.models.parameters import TransformerParameters
from authbench.models.restored import (
    with_random_states_of_its_own,
    without_progress_bars,
    without_progress_bars_of_datasets,
)
from authbench.models.transformer import TransformerModel
from authbench.settings.evaluate import Training
from authbench.train.pairs import Example, Examples
from authbench.train.records import MEASURED
from authbench.train.unfinished import Unfinished

Row: TypeAlias = dict[str, float | int | None]
_RELEASED = "released"
_COLUMNS = ("anchor", "positive", "negative")


@with_random_states_of_its_own()
@without_progress_bars()
@without_progress_bars_of_datasets()
def tune(
    entry: ModelEntry, train: Split, dev: Split, settings: Training, seed: int, unfinished: Unfinished, out: Path
) -> list[Row]:
    """Train on the texts of a split, save the model to `out` and return its curve on another, a row per evaluation.

    A training with checkpoints in `unfinished` resumes from the last, with the result of an uninterrupted training.

    Args:
        entry: a model that `expect_trainable` accepts.

    Raises:
        InputError: fewer authors have two texts than a batch holds, or the model's weights are no longer numbers.
    """
    from sentence_transformers import SentenceTransformerTrainer
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from torch.utils.data import BatchSampler, SequentialSampler
    from transformers import TrainerCallback, set_seed
    from transformers.trainer_callback import PrinterCallback

    batches = Examples(train, seed).batches(settings["epochs"], settings["batch"], settings["negatives"] == "matched")
    if not batches:
        raise InputError(
            f"{train.name}: fewer than {settings['batch']} authors have two texts of different works, so that there is "
            "not one batch. Set a smaller batch."
        )
    set_seed(seed)
    watched = _Watched(entry, dev, settings, seed, len(batches))
    trained = watched.trained
    steps, resumed = len(batches), unfinished.last_checkpoint()
    curve = unfinished.curve(resumed[0]) if resumed else [watched.measure(0, None)]

    class Measure(TrainerCallback):  # type: ignore[misc]
        def on_log(
            self, args: Any, state: Any, control: Any, logs: Mapping[str, float] | None = None, **_: Any
        ) -> None:
            if logs and "loss" in logs:
                curve.append(watched.measure(state.global_step, logs["loss"]))
                unfinished.write_curve(curve)

    class InOrder(SentenceTransformerTrainer):  # type: ignore[misc]
        def get_batch_sampler(self, dataset: object, batch_size: int, drop_last: bool, **_: Any) -> Any:
            return BatchSampler(SequentialSampler(dataset), batch_size, drop_last)

        def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
            """Write no model card, which would quote texts."""

    columns = _columns(batches, train.documents["content"])
    trainer = InOrder(
        model=trained,
        args=_arguments(entry, settings, seed, steps, list(columns), unfinished.folder),
        train_dataset=_dataset(columns),
        loss=MultipleNegativesRankingLoss(trained),
        callbacks=[Measure()],
    )
    trainer.remove_callback(PrinterCallback)
    longest = trained.max_seq_length
    if settings["max_tokens"] is not None:
        trained.max_seq_length = min(longest, settings["max_tokens"])
    trainer.train(resume_from_checkpoint=str(resumed[1]) if resumed else None)
    trained.max_seq_length = longest
    if curve[-1]["step"] != steps:
        curve.append(watched.measure(steps, None))
    trained.save_pretrained(str(out), safe_serialization=True, create_model_card=False)
    return curve


def precision_of(entry: ModelEntry, settings: Training) -> str:
    """Return the number type of the forward pass: float32, bfloat16 or float16.

    Raises:
        InputError: float16 is requested without a GPU.
    """
    assert isinstance(entry.parameters, TransformerParameters)
    found = entry.parameters.dtype if settings["precision"] == "entry" else settings["precision"]
    if found == "float16" and not device().startswith("cuda"):
        raise InputError(
            f"{entry.name}: training in float16 needs a GPU, as its losses are scaled there alone. Set precision: "
            "bfloat16 or float32 (train.precision, --precision)."
        )
    return found


class _Watched:
    """Hold a checkpoint in training, and the dev split on which it is scored, with the prompts of its entry."""

    def __init__(self, entry: ModelEntry, dev: Split, settings: Training, seed: int, steps: int) -> None:
        assert isinstance(entry.parameters, TransformerParameters)
        self.precision = precision_of(entry, settings)
        self.entry, self.dev, self.seed, self.steps = entry, dev, seed, steps
        self.parameters = replace(entry.parameters, dtype="float32")
        self.model = TransformerModel(replace(entry, parameters=self.parameters))
        self.trained = self.model.fresh_checkpoint()
        self.negatives = {"whole": draw_negatives(dev, 0)["whole"], _RELEASED: dev.released.lists}

    def measure(self, step: int, loss: float | None) -> Row:
        """Return the scores on dev after a step. Raises InputError if the loss or a vector is not finite."""
        self._expect_numbers(step, () if loss is None else (loss,))
        self.trained.eval()
        texts, asks, pool = self.dev.documents["content"], self.dev.asks, self.dev.candidates
        query_prompt, document_prompt = self.parameters.query_prompt, self.parameters.document_prompt
        with self._autocast():
            if query_prompt == document_prompt:  # most queries are also candidates
                every = self._embed(texts, query_prompt)
                known, asking = every[:pool], every[asks]
            else:
                known = self._embed(texts[:pool], document_prompt)
                asking = self._embed(texts.gather(asks), query_prompt)
        self._expect_numbers(step, known, asking)
        self.trained.train()
        row: Row = {
            "step": step,
            "loss": loss,
            **_scores(rank(cosine(asking, known), self.dev, self.negatives), self.dev),
        }
        shown = ", ".join(f"{name} {row[name]:.3f}" for name in MEASURED if row[name] is not None)
        print(f"{self.entry.name}, seed {self.seed}, step {step} of {self.steps}: {shown}", file=sys.stderr, flush=True)
        return row

    def _embed(self, texts: pl.Series, prompt: str) -> np.ndarray:
        return self.model.embed_with(self.trained, texts.to_list(), prompt)

    def _autocast(self) -> AbstractContextManager[Any]:
        import torch

        if self.precision == "float32":
            return nullcontext()
        found: AbstractContextManager[Any] = torch.autocast(device().split(":")[0], getattr(torch, self.precision))
        return found

    def _expect_numbers(self, step: int, *found: Sequence[float] | np.ndarray) -> None:
        if not all(np.isfinite(values).all() for values in found):
            raise InputError(
                f"{self.entry.name}, seed {self.seed}: at step {step} of {self.steps} the training has diverged: its "
                "loss or its vectors are not finite numbers. Set a lower learning_rate, or precision: float32."
            )


def _scores(ranking: Ranking, dev: Split) -> Row:
    """Return Success@5 and the equal error rate over all candidates, and the area over the released matched pairs."""
    success = per_query(ranking.ranks["whole"], dev.positives.starts)["success@5"]
    matched = group_scores(dev.released, ranking.negatives[_RELEASED], len(dev.asks))["auc_matched"]
    found = {
        "success@5": _mean(success),
        "auc_matched": _mean(matched),
        "eer": error_rate(ranking.scores, ranking.negatives["whole"]).eer,
    }
    return {name: value if value is not None and np.isfinite(value) else None for name, value in found.items()}


def _mean(values: np.ndarray) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None


def _columns(batches: Sequence[Sequence[Example]], texts: pl.Series) -> dict[str, list[str]]:
    """Return the texts of all examples by column; without a column of negatives if an example has none."""
    examples = [example for batch in batches for example in batch]
    rows: dict[str, list[Any]] = {name: [getattr(example, name) for example in examples] for name in _COLUMNS}
    return {name: texts.gather(found).to_list() for name, found in rows.items() if None not in found}


def _dataset(columns: Mapping[str, list[str]]) -> Any:
    from datasets import Dataset

    return Dataset.from_dict(dict(columns))


def _arguments(
    entry: ModelEntry, settings: Training, seed: int, steps: int, columns: Sequence[str], folder: Path
) -> Any:
    from sentence_transformers import SentenceTransformerTrainingArguments

    precision, every = precision_of(entry, settings), max(1, steps // settings["evaluations"])
    return SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        num_train_epochs=1,
        per_device_train_batch_size=settings["batch"],
        learning_rate=settings["learning_rate"],
        warmup_steps=max(1, steps // 10),
        seed=seed,
        bf16=precision == "bfloat16",
        fp16=precision == "float16",
        prompts=dict(_prompts(entry, columns)) or None,
        logging_steps=every,
        logging_nan_inf_filter=False,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        report_to=[],
        disable_tqdm=True,
        use_cpu=device() == "cpu",
    )


def _prompts(entry: ModelEntry, columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the prompt of each column that has a prompt: the query's for anchors, the document's for the others."""
    assert isinstance(entry.parameters, TransformerParameters)
    for column in columns:
        prompt = entry.parameters.query_prompt if column == "anchor" else entry.parameters.document_prompt
        if prompt:
            yield column, prompt
