"""Score texts with Detoxify.

The real package (Hanu and Unitary, 2020) with its published weights or a checkpoint in its format.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from authbench.core.errors import InputError, first_line
from authbench.core.storage.atomic import sha256_of_file

# The languages on which each published model was trained.
LANGUAGES = {
    "original": frozenset({"en"}),
    "unbiased": frozenset({"en"}),
    "multilingual": frozenset({"en", "es", "fr", "it", "pt", "ru", "tr"}),
}
MARK_BYTES = 1 << 20
INSTALL = 'pip install "authbench[toxicity]"'


ONLY_WEIGHTS = "AUTHBENCH_ONLY_WEIGHTS"  # environment variable: no setting may allow more than weights


@dataclass(frozen=True)
class DetoxifyScorer:
    """Score a text by the highest of the model's labels, over its first `max_tokens` tokens."""

    model: Any
    identity: str
    languages: frozenset[str]
    batch_size: int

    def score(self, texts: Sequence[str], langs: Sequence[str]) -> list[float]:
        """Return toxicity to five decimals, independent of the rest of the batch; `langs` is not used."""
        scores = [0.0] * len(texts)
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            # Never a single text, for which the package returns numbers instead of lists.
            labels = self.model.predict([texts[row] for row in rows] + ([""] if len(rows) == 1 else []))
            for place, row in enumerate(rows):
                scores[row] = round(max(values[place] for values in labels.values()), 5)
        return scores


def load_detoxify(
    model: str = "multilingual",
    checkpoint: str | Path | None = None,
    huggingface_config_path: str | Path | None = None,
    device: str = "cpu",
    batch_size: int = 32,
    max_tokens: int = 256,
    sha256: str | None = None,
) -> DetoxifyScorer:
    """Return a scorer from a published model (the package's cache, else its download) or from a local checkpoint.

    `huggingface_config_path` is a folder with config and tokenizer of the checkpoint's base model; without it they come
    from the Hugging Face cache or hub. The package itself unpickles checkpoints without restrictions, which can run
    code. Here a file may hold only weights and plain values, unless its whole SHA-256 is declared as `sha256`. Raises
    InputError for a missing package, missing or unsuitable files, and a limit beyond the model's.
    """
    if model not in LANGUAGES:
        raise InputError(f"safety.detoxify.model: unknown model {model!r}; known are {', '.join(LANGUAGES)}")
    try:
        import torch
        from detoxify import Detoxify
        from detoxify.detoxify import MODEL_URLS, get_model_and_tokenizer
    except ImportError as problem:
        raise InputError(
            f"safety.scorers: detoxify needs a package that is not installed ({problem}); {INSTALL}"
        ) from None

    path = Path(checkpoint) if checkpoint else _published(torch, model, MODEL_URLS[model])
    if not path.is_file():
        raise InputError(f"safety.detoxify.checkpoint: there is no file {path}")
    digest = sha256_of_file(path)
    if sha256 is not None and sha256.lower() != digest:
        raise InputError(f"safety.detoxify.sha256: {path} has {digest}, expected {sha256}; it is not loaded")
    loaded = _load(torch, path, digest, trusted=sha256 is not None)
    architecture = dict(loaded["config"]["arch"]["args"])
    if huggingface_config_path:
        # The package would still read the base model's configuration from the network, and only the number of labels
        # from the folder. With the folder as the model's name, everything but that number is read from the folder.
        if not Path(huggingface_config_path).is_dir():
            raise InputError(f"safety.detoxify.huggingface_config_path: there is no folder {huggingface_config_path}")
        architecture["model_type"] = str(huggingface_config_path)

    detoxify = Detoxify.__new__(Detoxify)  # its loading is unrestricted; the rest is the package's
    try:
        network, tokenizer = get_model_and_tokenizer(**architecture, state_dict=loaded["state_dict"])
    except (OSError, ValueError) as problem:
        raise InputError(
            f"safety.detoxify: no configuration and tokenizer for {architecture.get('model_type')!r} "
            f"({first_line(problem)}). Give a folder that holds them as safety.detoxify.huggingface_config_path, fill "
            "the Hugging Face cache where there is a network, or use safety.scorers: [wordlist]"
        ) from None
    except (RuntimeError, TypeError, AttributeError) as problem:
        raise InputError(f"{path}: the weights do not fit their configuration: {first_line(problem)}") from None
    _check_complete(path, network, loaded["state_dict"])
    limit = min(tokenizer.model_max_length, getattr(network.config, "max_position_embeddings", max_tokens))
    if max_tokens > limit:
        raise InputError(f"safety.detoxify.max_tokens: {max_tokens}, but {path.name} reads at most {limit} tokens")
    tokenizer.model_max_length = max_tokens
    detoxify.model, detoxify.tokenizer, detoxify.device = network.to(device), tokenizer, device
    detoxify.class_names = list(loaded["config"]["dataset"]["args"]["classes"])  # a model may have more outputs
    versions = " ".join(f"{package} {version(package)}" for package in ("detoxify", "torch", "transformers"))
    vocabulary = (
        _folder_digest(Path(huggingface_config_path)) if huggingface_config_path else architecture["model_type"]
    )
    return DetoxifyScorer(
        model=detoxify,
        identity=f"{versions} weights {digest} vocabulary {vocabulary} tokens {max_tokens}",
        languages=LANGUAGES[model],
        batch_size=batch_size,
    )


def weights_mark(checkpoint: str | Path) -> str:
    """Return a mark that distinguishes a checkpoint from another at its path, without reading all of it.

    A digest of its size and its last MiB, where torch keeps the checksums of all weights.
    """
    path = Path(checkpoint)
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - MARK_BYTES))
        return hashlib.sha256(f"{size} ".encode() + file.read()).hexdigest()[:16]


def _published(torch: Any, model: str, url: str) -> Path:
    """Return the published checkpoint in torch's cache, downloaded and verified if needed."""
    path = Path(torch.hub.get_dir()) / "checkpoints" / Path(urlsplit(url).path).name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            torch.hub.download_url_to_file(url, str(path), hash_prefix=_prefix(url), progress=False)
        except (OSError, RuntimeError) as problem:
            raise InputError(
                f"safety.detoxify: no weights of {model!r} here, and {url} cannot be had ({first_line(problem)}). "
                f"Put that file at {path}, or name a local one as safety.detoxify.checkpoint (with "
                "safety.detoxify.huggingface_config_path where there is no network), or use safety.scorers: [wordlist]"
            ) from None
    return path


def _prefix(url: str) -> str:
    """Return the first eight hex digits of a published file's SHA-256, which end its name."""
    return url.rpartition("-")[2].removesuffix(".ckpt")


def _load(torch: Any, path: Path, digest: str, trusted: bool) -> Mapping[str, Any]:
    try:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as problem:
        if not trusted or os.environ.get(ONLY_WEIGHTS):
            raise InputError(
                f"{path}: not a checkpoint of weights and plain values alone, and unpickling anything else could run "
                f"code; it is not loaded. If its publisher says that {digest} is its SHA-256, declare that as "
                f"safety.detoxify.sha256 ({first_line(problem)})"
            ) from None
        loaded = torch.load(path, map_location="cpu", weights_only=False)
    try:
        (
            loaded["config"]["arch"]["args"]["model_type"],
            loaded["config"]["dataset"]["args"]["classes"],
            loaded["state_dict"],
        )
    except (KeyError, TypeError):
        raise InputError(
            f"{path}: not in Detoxify's format; expected `state_dict` and `config` with arch.args.model_type and "
            "dataset.args.classes"
        ) from None
    return loaded  # type: ignore[no-any-return]


def _check_complete(path: Path, network: Any, weights: Mapping[str, object]) -> None:
    """Raise InputError if the file lacks a weight, which would be left random."""
    missing = sorted(name for name, _ in network.named_parameters() if name not in weights)
    if missing:
        raise InputError(f"{path}: lacks {len(missing)} weights of its model, such as {missing[0]}")


def _folder_digest(folder: Path) -> str:
    files = sorted(path for path in folder.iterdir() if path.suffix in {".json", ".txt", ".model"})
    return hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)).hexdigest()[:16]
