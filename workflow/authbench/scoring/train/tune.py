"""Train a model contrastively, score it during training, and resume where it was stopped.

The trainer and the loss come from sentence-transformers (MultipleNegativesRankingLoss; Henderson et al. 2017), pairs
and metrics are ours. Weights and the optimiser's state are in float32; the forward pass may be in 16 bits. The weights
of the last step are saved: no score selects or stops anything, so the test split may be watched.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from scipy.special import logsumexp

from authbench.config.settings.evaluate import Training
from authbench.core.arrays import BOOL, F64
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.models import restored
from authbench.models.checkpoint import device
from authbench.models.entries import ModelEntry
from authbench.models.parameters import TransformerParameters
from authbench.models.transformer import TransformerModel
from authbench.scoring.evaluation.headline import Authors, means_of_authors
from authbench.scoring.evaluation.released import group_scores
from authbench.scoring.evaluation.retrieval import Ranking, cosine, rank
from authbench.scoring.evaluation.run import RELEASED
from authbench.scoring.evaluation.scores import LEAST_AUTHORS
from authbench.scoring.evaluation.slices import OVERALL, SLICES, by_slice, slices_of
from authbench.scoring.evaluation.split import Split
from authbench.scoring.evaluation.verification import draw_negatives
from authbench.scoring.metrics.error_rate import error_rate
from authbench.scoring.metrics.ranking import per_query
from authbench.scoring.train.pairs import Example, Examples
from authbench.scoring.train.records import FACETS, MEASURED, TRAINING
from authbench.scoring.train.unfinished import Unfinished

Row: TypeAlias = dict[str, object]
_COLUMNS = ("anchor", "positive", "negative")


@restored.with_random_states_of_its_own()
@restored.without_progress_bars()
@restored.without_progress_bars_of_datasets()
def tune(
    entry: ModelEntry,
    train: Split,
    watched: Sequence[Split],
    settings: Training,
    seed: int,
    draws: int,
    unfinished: Unfinished,
    out: Path,
) -> list[Row]:
    """Train on the texts of a split, save the model to `out` and return its curve: at each evaluation rows by slice.

    A training with checkpoints in `unfinished` resumes from the last, with the result of an uninterrupted training.

    Args:
        entry: a model that `expect_trainable` accepts.
        watched: the splits that are scored.
        draws: the random seed of their pairs.

    Raises:
        InputError: fewer authors have two texts than a batch holds, or the model's weights are no longer numbers.
    """
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer
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
    scorer = _Scorer(
        entry, train.name, [_Watched(split, settings, draws) for split in watched], settings, seed, len(batches)
    )
    trained = scorer.trained
    steps, resumed = len(batches), unfinished.last_checkpoint()
    curve = unfinished.curve(resumed[0]) if resumed else scorer.measure(0, None)

    class Measure(TrainerCallback):  # type: ignore[misc]
        def on_log(
            self, args: object, state: Any, control: object, logs: Mapping[str, float] | None = None, **_: object
        ) -> None:
            if logs and "loss" in logs:
                curve.extend(scorer.measure(state.global_step, logs["loss"]))
                unfinished.write_curve(curve)

    class InOrder(SentenceTransformerTrainer):  # type: ignore[misc]
        def get_batch_sampler(self, dataset: object, batch_size: int, drop_last: bool, **_: object) -> object:
            return BatchSampler(SequentialSampler(dataset), batch_size, drop_last)

        def add_model_card_callback(self, default_args_dict: JsonObject) -> None:
            """Write no model card, which would quote texts."""

    columns = _columns(batches, train.documents["content"])
    if settings["negatives"] == "matched" and "negative" not in columns:
        print(f"{entry.name}, seed {seed}: no matched negatives, as a batch has almost all authors", file=sys.stderr)
    trainer = InOrder(
        model=trained,
        args=_arguments(entry, settings, seed, steps, list(columns), unfinished.folder),
        train_dataset=Dataset.from_dict(columns),
        loss=scorer.objective,
        callbacks=[Measure()],
    )
    trainer.remove_callback(PrinterCallback)
    longest = trained.max_seq_length
    if settings["max_tokens"] is not None:
        trained.max_seq_length = min(longest, settings["max_tokens"])
    trainer.train(resume_from_checkpoint=str(resumed[1]) if resumed else None)
    trained.max_seq_length = longest
    if curve[-1]["step"] != steps:
        curve.extend(scorer.measure(steps, None))
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
    """Hold a split that is scored during training, with its pairs and slices as evaluation draws them.

    Its loss is of the pairs that a training would draw from it in its first epoch.
    """

    def __init__(self, split: Split, settings: Training, draws: int) -> None:
        self.split = split
        self.batches = Examples(split, draws).batches(1, settings["batch"], settings["negatives"] == "matched")
        self.anchors = np.array([example.anchor for batch in self.batches for example in batch], np.int32)
        self.negatives = {"whole": draw_negatives(split, draws)["whole"], RELEASED: split.released.lists}
        self.authors = Authors.of(split.queries, draws)
        answered = split.positives.lengths() > 0
        self.slices = {OVERALL: np.ones(split.documents.height, bool)}
        for place, texts in slices_of(split.documents.select(SLICES[facet] for facet in FACETS)).items():
            if len(np.unique(self.authors.of_query[texts[split.asks] & answered])) >= LEAST_AUTHORS:
                self.slices[place] = texts

    def losses(self, anchors: np.ndarray, known: np.ndarray, scale: float) -> F64:
        """Return the loss of each anchor, from the vectors of anchors and of all texts, and the scale of cosines."""
        found = [np.empty(0)]
        for number, batch in enumerate(self.batches):
            others = [one.positive for one in batch] + [one.negative for one in batch if one.negative is not None]
            asking = anchors[number * len(batch) :][: len(batch)]
            scores = scale * asking.astype(np.float64) @ known[others].T
            found.append(logsumexp(scores, axis=1) - scores.diagonal())
        return np.concatenate(found)

    def scores(self, ranking: Ranking, losses: F64) -> Iterator[Row]:
        """Yield the row of each slice: the loss and the scores that evaluation gives for it."""
        split, negatives = self.split, ranking.negatives["whole"]
        success = per_query(ranking.ranks["whole"], split.positives.starts)["success@5"]
        matched = group_scores(split.released, ranking.negatives[RELEASED], len(split.asks))
        asking = split.positives.owners(), self.negatives["whole"].owners()

        def cell(texts: BOOL) -> Row:
            queries = texts[split.asks]
            positive, negative = (queries[owners] for owners in asking)
            areas = means_of_authors(matched["auc_matched"][None], matched["matched_groups"], self.authors, queries)
            eer = error_rate(ranking.scores[positive], negatives[negative]).eer
            measured = losses[texts[self.anchors]], success[queries], areas.values[0], np.array([eer])
            return {name: _mean(values) for name, values in zip(MEASURED, measured, strict=True)}

        for (facet, name), row in by_slice(self.slices, cell).items():
            yield {"split": split.name, "facet": facet, "slice": name, **row}


class _Scorer:
    """Hold a checkpoint in training, with the prompts of its entry, and the splits on which it is scored."""

    def __init__(
        self, entry: ModelEntry, learnt: str, watched: Sequence[_Watched], settings: Training, seed: int, steps: int
    ) -> None:
        from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

        assert isinstance(entry.parameters, TransformerParameters)
        self.precision = precision_of(entry, settings)
        self.entry, self.learnt, self.watched, self.seed, self.steps = entry, learnt, watched, seed, steps
        self.parameters = replace(entry.parameters, dtype="float32")
        self.model = TransformerModel(replace(entry, parameters=self.parameters))
        self.trained = self.model.fresh_checkpoint()
        # a shorter `max_tokens` of the training is the checkpoint's own length meanwhile
        self.model.parameters = replace(self.parameters, max_tokens=self.trained.max_seq_length)
        self.objective = MultipleNegativesRankingLoss(self.trained)

    def measure(self, step: int, loss: float | None) -> list[Row]:
        """Return the rows of a step. Raises InputError if the loss or a vector is not finite."""
        self._expect_numbers(step, () if loss is None else (loss,))
        facet, name = TRAINING
        rows: list[Row] = []
        if loss is not None:
            rows.append({"step": step, "split": self.learnt, "facet": facet, "slice": name, "loss": loss})
        self.trained.eval()
        for watched in self.watched:
            split = watched.split
            with self._autocast():
                asking, anchors, known = self._vectors(watched)
            self._expect_numbers(step, asking, anchors, known)
            ranking = rank(cosine(asking, known[: split.candidates]), split, watched.negatives)
            found = list(watched.scores(ranking, watched.losses(anchors, known, self.objective.scale)))
            rows += [{"step": step, **row} for row in found]
            shown = ", ".join(f"{name} {found[0][name]:.3f}" for name in MEASURED if found[0][name] is not None)
            place = f"{self.entry.name}, seed {self.seed}, step {step} of {self.steps}, {split.name}"
            print(f"{place}: {shown}", file=sys.stderr, flush=True)
        self.trained.train()
        return rows

    def _vectors(self, watched: _Watched) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the vectors of queries and anchors with the query's prompt, and of all texts with the document's."""
        texts, prompt = watched.split.documents["content"], self.parameters.query_prompt
        known = self._embed(texts, self.parameters.document_prompt)
        alike = prompt == self.parameters.document_prompt  # most queries are also candidates
        asking, anchors = (
            known[rows] if alike else self._embed(texts.gather(rows), prompt)
            for rows in (watched.split.asks, watched.anchors)
        )
        return asking, anchors, known

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


def _mean(values: np.ndarray) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None


def _columns(batches: Sequence[Sequence[Example]], texts: pl.Series) -> dict[str, list[str]]:
    """Return the texts of all examples by column; without a column of negatives if an example has none."""
    examples = [example for batch in batches for example in batch]
    rows: dict[str, list[Any]] = {name: [getattr(example, name) for example in examples] for name in _COLUMNS}
    return {name: texts.gather(found).to_list() for name, found in rows.items() if None not in found}


def _arguments(
    entry: ModelEntry, settings: Training, seed: int, steps: int, columns: Sequence[str], folder: Path
) -> object:
    from sentence_transformers import SentenceTransformerTrainingArguments

    assert isinstance(entry.parameters, TransformerParameters)
    asking, answering = entry.parameters.query_prompt, entry.parameters.document_prompt
    prompts = {column: asking if column == "anchor" else answering for column in columns}
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
        prompts={column: prompt for column, prompt in prompts.items() if prompt} or None,
        logging_steps=every,
        logging_nan_inf_filter=False,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        report_to=[],
        disable_tqdm=True,
        use_cpu=device() == "cpu",
    )
