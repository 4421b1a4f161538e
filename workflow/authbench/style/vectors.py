"""What vectors does a model give for the texts of a dataset, and at what cost?

The same models, settings and kept vectors as in `authbench.evaluate`. A style task has no query and no pool: all texts
get the prompt of documents, and models that learn from the pool learn from all texts of the dataset.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.identity import digest
from authbench.models import encoder
from authbench.models.function_words import PAGE as FUNCTION_WORDS
from authbench.models.registry import Model, expect_vectors
from authbench.records import length_bucket_expr
from authbench.registry.entries import read_yaml
from authbench.runtime.code import file_hash
from authbench.storage.json_files import read_json, write_json
from authbench.storage.parquet import count_rows

GPT2_NAMES = {"hidden_size": "n_embd", "num_hidden_layers": "n_layer"}  # usual names of a shape, and GPT-2's
LONG_TEXTS = ("chunk_and_pool", "truncate")


@dataclass(frozen=True)
class Vectors:
    """A row per different text, and which row is whose."""

    rows: Any
    places: Mapping[str, int]

    def of(self, texts: Sequence[str]) -> Any:
        """The rows of these texts, in their order."""
        return self.rows[np.array([self.places[text] for text in texts], np.int64)]


def vectors_of(
    model: Model, documents: pl.DataFrame, dataset: str, cache: Path, long_texts: str, half: bool = False
) -> Vectors:
    """The vectors of different texts (`content`, `lang`, `token_length`); those of transformers are kept in `cache`."""
    content = documents["content"].to_list()
    places = {text: row for row, text in enumerate(content)}
    if model.kind == "transformer":
        from authbench.models.encode import transformed

        expect_vectors(model)
        model = with_long_texts(model, long_texts)
        prompt = model.parameters["document_prompt"]
        return Vectors(transformed(model, documents["content"], prompt, cache, half), places)
    described = documents.with_columns(
        id=pl.Series([digest(text) for text in content], dtype=pl.String),
        source=pl.lit(dataset),
        genre=pl.lit("style"),
        primary_genre=pl.lit("style"),
        length=length_bucket_expr("token_length"),
    )
    return Vectors(encoder(model.kind)(described, len(content), model.parameters), places)


def decided_by(model: Model, long_texts: str, half: bool) -> dict[str, Any]:
    """All that decides a model's vectors beside the texts of a dataset, and the code."""
    if model.kind != "transformer":
        return {"parameters": dict(model.parameters), "words": file_hash(FUNCTION_WORDS)}
    from authbench.models.transformer import identity

    parameters = with_long_texts(model, long_texts).parameters
    return identity(parameters, parameters["document_prompt"]) | {"half": half}


def with_long_texts(model: Model, long_texts: str) -> Model:
    return replace(model, parameters={**model.parameters, "long_texts": long_texts})


def parameters_of(model: Model) -> int | None:
    """The parameters of a transformer that each token meets (embeddings aside), by its config.json; None if unknown:
    of a name on Hugging Face it is known once the model has been fetched.

    Attention has 4 h^2 of a layer's, less where keys and values are shared by heads, the feed-forward 2 h x i, or
    3 h x i where it is gated.
    """
    path = config_of(model) if model.kind == "transformer" else None
    if path is None:
        return None
    config = read_yaml(path)  # JSON is YAML
    config = config.get("text_config", config)
    hidden, layers = (config.get(name, config.get(old)) for name, old in GPT2_NAMES.items())
    if not hidden or not layers:
        return None
    heads = config.get("num_attention_heads", 1)
    shared = config.get("num_key_value_heads", heads) / heads
    gates = 3 if str(config.get("hidden_act", "")).startswith(("silu", "swiglu", "geglu")) else 2
    inner = config.get("intermediate_size", 4 * hidden)
    return int(layers * (hidden * hidden * (2 + 2 * shared) + gates * hidden * inner))


def config_of(model: Model) -> Path | None:
    """The checkpoint's config.json: in its folder, or where Hugging Face keeps what it has fetched; None without."""
    from authbench.models.transformer import checkpoint_path

    place = Path(checkpoint_path(model.parameters["checkpoint"]))
    if place.is_dir():
        return place / "config.json" if (place / "config.json").is_file() else None
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return None
    kept = try_to_load_from_cache(model.parameters["checkpoint"], "config.json", revision=model.parameters["revision"])
    return Path(kept) if isinstance(kept, str) else None


def flops_per_text(model: Model, tokens: float) -> float | None:
    """Two operations per parameter and token (Kaplan et al. 2020), for texts of so many tokens on average."""
    parameters = parameters_of(model)
    return None if parameters is None else 2.0 * parameters * tokens


def encoded_so_far(model: Model, cache: Path) -> int:
    """How many vectors of a transformer are kept, whatever its settings."""
    return sum(count_rows(path) for folder in cache.glob(f"{model.name}-*") for path in folder.glob("*.parquet"))


def texts_per_second(path: Path, texts: int, seconds: float) -> float | None:
    """How fast the model has been, this time and before; `path` remembers, for runs that find every vector kept."""
    held = read_json(path) if path.is_file() else {"texts": 0, "seconds": 0.0}
    if texts:
        held = {"texts": held["texts"] + texts, "seconds": held["seconds"] + seconds}
        write_json(path, held)
    return held["texts"] / held["seconds"] if held["seconds"] else None
