"""Read the settings of a transformer from the files of its folder, where no entry describes it.

Folders of sentence-transformers state pooling, length and prompts (modules.json, sentence_bert_config.json,
config_sentence_transformers.json, 1_Pooling/config.json); folders of transformers state a length
(tokenizer_config.json, config.json). Settings that no file states are assumed. A line for each setting gives its
origin.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.models.parameters import Group

STATED = "config_sentence_transformers.json"
FILES = ("*_Pooling/config.json", STATED) + tuple(
    f"{file}.json" for file in ("modules", "sentence_bert_config", "config", "tokenizer_config")
)
ASSUMED_TOKENS = 512
FEWEST_TOKENS = 8  # as in the schema of models
_MOST_BYTES = 64 << 20
_TOKENS_OF_NO_LIMIT = 1_000_000  # tokenizers without a limit state 1e30
_QUERY, _DOCUMENT = ("query",), ("document", "passage", "corpus")
_POOLING = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


@dataclass(frozen=True)
class FolderSettings:
    """The settings that a folder states.

    Attributes:
        parameters: `pooling`, `max_tokens`, `query_prompt`, `document_prompt`, `dtype`.
        group: the models it is ranked among.
        assumed: a line for each setting and its origin.
    """

    parameters: Mapping[str, object]
    group: Group
    assumed: tuple[str, ...]


def read_settings(folder: Path, name: str) -> FolderSettings:
    """Return the settings of a folder of sentence-transformers or transformers.

    Raises:
        InputError: config.json is missing, a file cannot be read, or the model does not take text.
    """
    if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
        raise InputError(
            f"{name}: neither modules.json nor config.json is in it. Expected a folder of sentence-transformers or "
            "transformers."
        )
    modules = _modules(folder, name)
    config = _first(folder, "config.json", _inner(modules))
    pooling, of_pooling = _pooling(folder, modules)
    tokens, of_tokens = _tokens(folder, modules, config)
    stated = _read(folder / STATED)
    prompts = stated.get("prompts") or {}
    default = stated.get("default_prompt_name")
    query, of_query = _prompt(prompts, default, _QUERY)
    document, of_document = _prompt(prompts, default, _DOCUMENT)
    similarity = stated.get("similarity_fn_name") or "cosine"
    kept = str(config.get("dtype") or config.get("torch_dtype") or "float32")
    normalised = any(str(module.get("type", "")).endswith("Normalize") for module in modules)
    assumed = (
        f"pooling: {of_pooling}",
        f"max_tokens: {tokens} ({of_tokens})",
        "long_texts: truncate (assumed)",
        f"query_prompt: {of_query}",
        f"document_prompt: {of_document}",
        "normalisation: vectors are scaled to length 1 and compared by cosine "
        + ("(modules.json)" if normalised else f"({STATED})" if stated.get("similarity_fn_name") == "cosine" else
           "(assumed)" if similarity == "cosine" else f"(assumed; {STATED} says {similarity})"),
        "dtype: float32 (assumed)" if kept == "float32" else f"dtype: float32 (assumed; stored as {kept})",
        "trained_on: nothing (assumed: no file says what texts it has seen)",
    )  # fmt: skip
    return FolderSettings(
        {
            "pooling": pooling,
            "max_tokens": tokens,
            "long_texts": "truncate",
            "query_prompt": query,
            "document_prompt": document,
            "dtype": "float32",
        },
        _group(modules, config),
        assumed,
    )


def _modules(folder: Path, name: str) -> list[Mapping[str, object]]:
    path = folder / "modules.json"
    if not path.is_file():
        return []
    found = _json(path)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"{path}: is not a list of modules, so that {name} cannot be loaded.")
    return found


def _inner(modules: list[Mapping[str, object]]) -> str:
    """Return the folder of the transformer, which is the first module."""
    return str(modules[0].get("path", "")) if modules else ""


def _pooling(folder: Path, modules: list[Mapping[str, object]]) -> tuple[str, str]:
    if not modules:
        return "mean", "mean (assumed: there is no modules.json)"
    places = [str(one.get("path", "")) for one in modules if str(one.get("type", "")).endswith("Pooling")]
    if not places:
        return "own", "the checkpoint's own modules (modules.json)"
    file = f"{places[0]}/config.json"
    stated = _read(folder / file)
    mode = stated.get("pooling_mode") or [mode for key, mode in _POOLING.items() if stated.get(key)] or ["mean"]
    shown = mode if isinstance(mode, str) else " and ".join(map(str, mode))
    return "own", f"{shown} ({file})"


def _tokens(folder: Path, modules: list[JsonMapping], config: JsonMapping) -> tuple[int, str]:
    place = _inner(modules)
    limit = _number(_first(folder, "sentence_bert_config.json", place).get("max_seq_length"))
    if limit:
        return limit, "sentence_bert_config.json"
    positions = _number(config.get("text_config", config).get("max_position_embeddings"))
    limit = _number(_first(folder, "tokenizer_config.json", place).get("model_max_length"))
    if limit:
        return min(limit, positions or limit), "tokenizer_config.json"
    if positions:
        at_most = f"config.json has {positions} positions; at most {ASSUMED_TOKENS} assumed"
        return min(positions, ASSUMED_TOKENS), at_most
    return ASSUMED_TOKENS, "assumed"


def _number(value: Any) -> int | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if usable and FEWEST_TOKENS <= value < _TOKENS_OF_NO_LIMIT else None


def _prompt(prompts: object, default: object, names: tuple[str, ...]) -> tuple[str, str]:
    """Return a prompt and its origin: the first of `names`, else the default, as sentence-transformers do."""
    if isinstance(prompts, dict):
        for name in (*names, default):
            if isinstance(name, str) and isinstance(prompts.get(name), str) and prompts[name]:
                return prompts[name], f"{prompts[name]!r} ({STATED}, prompt {name!r})"
    return "", "none (assumed)" if not prompts else f"none ({STATED})"


def _group(modules: list[JsonMapping], config: JsonMapping) -> Group:
    if modules:
        return "embedding"
    architectures = config.get("architectures") or []
    causal = any(str(one).endswith(("ForCausalLM", "LMHeadModel")) for one in architectures)
    return "base" if causal else "masked"


def _first(folder: Path, file: str, place: str) -> Mapping[str, object]:
    """Return a JSON file of the transformer's folder, or of the folder around it; empty if both lack it."""
    inner = folder / place / file
    return _read(inner if inner.is_file() else folder / file)


def _read(path: Path) -> JsonMapping:
    if not path.is_file():
        return {}
    found = _json(path)
    if not isinstance(found, dict):
        raise InputError(f"{path}: expected an object, found {type(found).__name__}.")
    return found


def _json(path: Path) -> object:
    """Read a JSON file; lengths of tokenizers may exceed 64 bits."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError(f"larger than {_MOST_BYTES >> 20} MiB")
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise InputError(f"{path}: cannot be read as JSON: {str(problem):.200}") from None
