"""A cache of datasets of the Hugging Face Hub, as its library leaves it: links to blobs, read without a network."""

import os
import shutil

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def put_into_cache(hub, name, dataset):
    """Return the snapshot of a dataset `owner/name`, whose branch `main` and tag `v1` are one commit."""
    place = hub / f"datasets--{name.replace('/', '--')}"
    for ref in ("main", "v1"):
        (place / "refs").mkdir(parents=True, exist_ok=True)
        (place / "refs" / ref).write_text(COMMIT)
    (place / "blobs").mkdir()
    snapshot = place / "snapshots" / COMMIT
    for number, path in enumerate(sorted(path for path in dataset.rglob("*") if path.is_file())):
        link = snapshot / path.relative_to(dataset)
        link.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place / "blobs" / str(number))
        link.symlink_to(os.path.relpath(place / "blobs" / str(number), link.parent))
    return snapshot


def use_cache(hub, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(hub))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
