"""Identify what a model's vectors are made by: commit and weights of the checkpoint, libraries and device.

This is `made_by` of scores.json, and part of the identity of cached vectors, so a changed checkpoint never gets the
vectors of an earlier checkpoint. Versions of torch and of transformers count in full, as both have changed vectors
between patch releases. Only the kind of the device counts (`cpu`, `cuda`), not the GPU model.
"""

import hashlib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.runtime.caches import user_cache
from authbench.core.storage.unchanged import cached_digests
from authbench.models.checkpoint import checkpoint_path, device, load_checkpoint, snapshot, with_commit
from authbench.models.parameters import FileParameters, Parameters, PromptParameters, TransformerParameters

LIBRARIES = ("torch", "transformers", "sentence-transformers")
WEIGHTS = frozenset({".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".msgpack", ".h5"})
_NO_PART = frozenset({"README.md", ".gitattributes"})  # files of a checkpoint that do not affect vectors


def made_by(parameters: Parameters) -> dict[str, object]:
    """Return `commit`, `weights`, `files`, the versions of LIBRARIES, `device` and `device_name` of a model.

    `commit` is the commit of a checkpoint on Hugging Face, `weights` a SHA-256 over its weight files, `files` a SHA-256
    over all files of a checkpoint in a folder, which has no commit. A model without a checkpoint has nulls, except for
    the device if it runs here; results given as a file or by an endpoint have none.
    """
    if not isinstance(parameters, TransformerParameters):
        nothing: dict[str, object] = dict.fromkeys(("commit", "weights", "files", *LIBRARIES, "device", "device_name"))
        return nothing | {"device": None if isinstance(parameters, FileParameters | PromptParameters) else "cpu"}
    return decided_by(parameters) | {"device_name": _device_name()}


def decided_by(parameters: TransformerParameters) -> dict[str, object]:
    """Return the parts of `made_by` that decide the vectors of a checkpoint."""
    folder = Path(checkpoint_path(parameters.checkpoint))
    commit, files = None, None
    if folder.is_dir():
        files = _digest(folder, _files(folder))
    else:
        folder, commit = _fetched(parameters)
    found: dict[str, object] = {"commit": commit, "weights": _digest_of_weights(folder), "files": files}
    return found | {library: _version(library) for library in LIBRARIES} | {"device": device().split(":")[0]}


def _digest_of_weights(folder: Path) -> str | None:
    """Return a SHA-256 over the names and contents of a checkpoint's weight files; None without weight files."""
    files = [path for path in _files(folder) if path.suffix in WEIGHTS]
    return _digest(folder, files) if files else None


def _fetched(parameters: TransformerParameters) -> tuple[Path, str]:
    """Return the cached folder of a Hugging Face checkpoint, and its commit; fetch it if necessary."""
    pinned = with_commit(parameters)
    folder = snapshot(pinned)
    if folder is None or _digest_of_weights(folder) is None:
        load_checkpoint(pinned)
        folder = snapshot(with_commit(pinned))
    if folder is None:
        raise InputError(
            f"The checkpoint {parameters.checkpoint} is not in the cache of Hugging Face, so its commit is unknown. "
            "Fetch it into a folder, and give that."
        )
    return folder, folder.name


def _files(folder: Path) -> list[Path]:
    """Return the files of a checkpoint that affect vectors, sorted."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(
        path
        for path in found
        if path.name not in _NO_PART and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _digest(folder: Path, files: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path, digest in cached_digests(user_cache() / "digests.json", files).items():
        total.update(path.relative_to(folder).as_posix().encode() + bytes.fromhex(digest))
    return total.hexdigest()


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _device_name() -> str | None:
    """Return the name of the GPU that models run on; None on a processor."""
    import torch

    return torch.cuda.get_device_name(device()) if device().startswith("cuda") else None
