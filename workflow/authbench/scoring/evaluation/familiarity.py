"""Tell which texts a language model has read, instead of which sources state it (`fame`)."""

import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from authbench.build.chunk.sentences import sentence_starts
from authbench.core.arrays import F32, F64
from authbench.models.checkpoint import in_batches, load_language_model, padded
from authbench.models.entries import ModelEntry, expect_language_model
from authbench.models.parameters import TransformerParameters
from authbench.scoring.evaluation.split import Split

CHARACTERS = 2_000  # of a text that are read
FEWEST = 100  # characters, of what is only read and of what is predicted
TOKENS = 256  # at most, of each of both
BATCH_TOKENS = 1_024  # each has a number per token of the vocabulary
CONTROLS = 40  # texts of a language, at least
UNLIKELY = 0.05  # share of controls that count as familiar


def measure_familiarity(documents: pl.DataFrame, model: ModelEntry) -> pl.DataFrame:
    """Return `id`, `lang`, `stated` (the fame of the source), `bits` (`bits_of_sentences`) and `fame` of documents."""
    bits = pl.Series("bits", bits_of_sentences(expect_language_model(model), documents["content"].to_list()))
    stated = documents["fame"] if "fame" in documents.columns else pl.repeat(None, len(bits), dtype=pl.String)
    return judge_familiarity(documents.select("id", "lang", bits.fill_nan(None), stated=stated))


def bits_of_sentences(parameters: TransformerParameters, texts: Sequence[str]) -> F64:
    """Return how many bits a language model needs for the sentences of each text, divided by their size in zlib's bits.

    The first sentences of a text are only read, and those after them are predicted. Texts that are easy to predict
    are easy to compress too, so a low quotient tells of texts that the model has read (Carlini et al. 2021).

    Returns:
        Shape (texts,); NaN for texts too short.
    """
    import torch

    model, tokenizer = load_language_model(parameters)
    start = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    rows, parts, predicted, sizes = [], [], [], []
    for row, text in enumerate(texts):
        end = min(len(text), CHARACTERS)
        begin = next((place for place in sentence_starts(text, 0, end) if place >= FEWEST), end)
        if end - begin >= FEWEST:
            read, asked = (
                tokenizer(part, add_special_tokens=False)["input_ids"] for part in (text[:begin], text[begin:end])
            )
            asked = asked[:TOKENS]
            rows.append(row)
            parts.append([*start, *read[-TOKENS:], *asked])
            predicted.append(len(asked))
            sizes.append(8 * len(zlib.compress(tokenizer.decode(asked).encode(), 9)))

    def losses(batch: Sequence[Sequence[int]]) -> F32:
        given = padded(batch, model, tokenizer)
        logits = model(**given).logits[:, :-1].float().transpose(1, 2)
        found: F32 = (
            torch.nn.functional.cross_entropy(logits, given["input_ids"][:, 1:], reduction="none").cpu().numpy()
        )
        return found

    bits = np.full(len(texts), np.nan)
    for batch, found in in_batches(losses, parts, BATCH_TOKENS):
        for part, loss in zip(batch, found, strict=True):
            last = len(parts[part]) - 1
            total = loss[last - predicted[part] : last].sum(dtype=np.float64) / np.log(2)
            bits[rows[part]] = total / sizes[part]
    return bits


def judge_familiarity(texts: pl.DataFrame) -> pl.DataFrame:
    """Return texts with `fame`: `familiar` if they need fewer bits than 95 % of controls, else `unfamiliar`.

    Controls are texts in the language whose source is not stated as `classic`. `fame` is null for texts without bits,
    and in languages with few controls.

    Args:
        texts: `lang`, `bits` and `stated`.
    """
    control = pl.col("bits").filter(pl.col("stated").ne_missing("classic")).drop_nulls()
    limit = pl.when(control.len() >= CONTROLS).then(control.quantile(UNLIKELY, "lower")).over("lang")
    familiar = pl.when(pl.col("bits") < limit).then(pl.lit("familiar"))
    return texts.with_columns(fame=familiar.when(pl.col("bits") >= limit).then(pl.lit("unfamiliar")))


def shares(texts: pl.DataFrame) -> pl.DataFrame:
    """Return by `lang` and `stated` the number of `texts` with a fame, and the share of `familiar` texts."""
    decided = texts.drop_nulls("fame").group_by("lang", "stated")
    return decided.agg(texts=pl.len(), familiar=(pl.col("fame") == "familiar").mean()).sort("lang", "stated")


def with_familiarity(split: Split, texts: pl.DataFrame) -> Split:
    """Return a split whose texts have the measured fame in place of their source's."""
    measured = split.documents.drop("fame", strict=False).join(
        texts.select("id", "fame"), on="id", how="left", maintain_order="left"
    )
    return replace(split, documents=measured)
