"""Load checkpoints of Hugging Face by name, from its cache if possible, else from the network.

The cache is used as it is, so a name means the same commit until the cache is renewed. `HF_HOME` sets the cache,
`HF_HUB_OFFLINE=1` disables the network.
"""

import json
from importlib.util import find_spec
from pathlib import Path

from authbench.core.errors import InputError
from authbench.release.format.hub import fetched

WEIGHTS = "model.safetensors"
DESCRIBING = ("config.json", "modules.json")  # every checkpoint has one of these
INDEX = "model.safetensors.index.json"


def snapshot(name: str, revision: str | None, files: tuple[str, ...]) -> Path:
    """Return the cached folder with small files of a checkpoint, `fetched` if the cache lacks its config.json."""
    if found := cached(name, revision):
        return found
    if find_spec("torch") is None:
        raise InputError(f"{name}: models of Hugging Face need the extra `models`: pip install 'authbench[models]'")
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars("authbench")
    return fetched(name, revision, f"{name}@{revision}" if revision else name, files, "model")


def commit_of(folder: Path) -> str | None:
    """Return the commit of a folder of the cache; None for any other folder.

    >>> commit_of(Path("hub/models--a--b/snapshots/0123")), commit_of(Path("b"))
    ('0123', None)
    """
    return folder.name if folder.parent.name == "snapshots" else None


def with_weights(folder: Path) -> bool:
    """Return whether a folder contains weights in safetensors, with all their parts."""
    if (folder / WEIGHTS).is_file():
        return True
    try:
        parts = set(json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"].values())
    except (OSError, ValueError, LookupError, AttributeError, TypeError):
        return False
    return all((folder / str(part)).is_file() for part in parts)


def cached(name: str, revision: str | None) -> Path | None:
    """Return the cached folder of a checkpoint, named by its commit; None if it is not cached."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    for file in DESCRIBING:
        try:
            found = try_to_load_from_cache(name, file, revision=revision)
        except HFValidationError:  # not a name on Hugging Face
            return None
        if isinstance(found, str):
            return Path(found).parent
    return None
