"""Contrastive training of a model, scored on the way.

The other texts of a batch are the negatives: the trainer and the loss of sentence-transformers
(MultipleNegativesRankingLoss; Henderson et al. 2017), our pairs and our metrics.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from authbench.errors import InputError
from authbench.evaluation.retrieval import cosine, rank
from authbench.evaluation.split import Split
from authbench.evaluation.verification import draw_negatives
from authbench.metrics.error_rate import error_rate
from authbench.metrics.ranking import per_query
from authbench.models.entries import ModelEntry
from authbench.models.restored import with_random_states_of_its_own, without_progress_bars_of_datasets
from authbench.models.transformer import TransformerModel
from authbench.train.pairs import batches_of_epochs
from authbench.train.records import CURVES
from authbench.train.settings import TrainSettings


@with_random_states_of_its_own()
@without_progress_bars_of_datasets()
def tune(entry: ModelEntry, train: Split, dev: Split, settings: TrainSettings, seed: int, out: Path) -> pl.DataFrame:
    """Train on the texts of one split, save the model to `out` and return its CURVES on another.

    Args:
        entry: a model that `expect_trainable` lets pass.

    Raises:
        InputError: fewer authors have two texts than a batch holds.
    """
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from torch.utils.data import BatchSampler, SequentialSampler
    from transformers import TrainerCallback, set_seed
    from transformers.trainer_callback import PrinterCallback

    pairs = list(batches_of_epochs(train.documents, seed, settings.epochs, settings.batch))
    if not pairs:
        raise InputError(
            f"{train.name}: fewer than {settings.batch} authors have two texts, so that there is not one batch. "
            "Set a smaller batch."
        )
    set_seed(seed)
    model = TransformerModel(entry)
    trained = model.fresh_checkpoint()
    steps = len(pairs) // settings.batch
    curves = [_measured(model, trained, dev, seed, 0, None)]

    class Measure(TrainerCallback):  # type: ignore[misc]
        def on_log(
            self, args: Any, state: Any, control: Any, logs: Mapping[str, float] | None = None, **_: Any
        ) -> None:
            if logs and "loss" in logs:
                trained.eval()
                row = _measured(model, trained, dev, seed, state.global_step, logs["loss"])
                trained.train()
                curves.append(row)
                scores = f"loss {logs['loss']:.3f}, on {dev.name}: S@5 {row[3]:.3f}, EER {row[4]:.3f}"
                print(f"seed {seed}, step {state.global_step} of {steps}: {scores}", file=sys.stderr, flush=True)

    class InOrder(SentenceTransformerTrainer):  # type: ignore[misc]
        def get_batch_sampler(self, dataset: Any, batch_size: int, drop_last: bool, **_: Any) -> Any:
            return BatchSampler(SequentialSampler(dataset), batch_size, drop_last)

    trainer = InOrder(
        model=trained,
        args=SentenceTransformerTrainingArguments(
            output_dir=str(out / "trainer"),
            num_train_epochs=1,
            per_device_train_batch_size=settings.batch,
            learning_rate=settings.learning_rate,
            warmup_steps=max(1, steps // 10),
            seed=seed,
            logging_steps=max(1, steps // settings.evaluations),
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=trained.device.type == "cpu",
        ),
        train_dataset=Dataset.from_dict(
            {"anchor": [one for one, _ in pairs], "positive": [other for _, other in pairs]}
        ),
        loss=MultipleNegativesRankingLoss(trained),
        callbacks=[Measure()],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    trained.save_pretrained(str(out), safe_serialization=True)
    return pl.DataFrame(curves, schema=CURVES, orient="row")


def _measured(
    model: TransformerModel, trained: Any, dev: Split, seed: int, step: int, loss: float | None
) -> tuple[int, int, float | None, float, float]:
    """Return a row of CURVES: Success@5 and the equal error rate over all candidates of the dev split."""
    rows = model.embed_with(trained, dev.documents["content"].to_list())
    negatives = {"whole": draw_negatives(dev, 0)["whole"]}
    ranking = rank(cosine(rows[dev.asks], rows[: dev.candidates]), dev, negatives)
    success = per_query(ranking.ranks["whole"], dev.positives.starts)["success@5"]
    known = success[success == success]
    rate = error_rate(ranking.scores, ranking.negatives["whole"])
    return seed, step, loss, float(known.mean()) if len(known) else float("nan"), rate.eer
