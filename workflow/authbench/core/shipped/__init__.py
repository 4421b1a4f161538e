"""Locate data files of the package: config entries, schemas, templates, word lists, measured rates and adapters.

`project/` holds the workflow as in the repository, for `authbench build`. In the repository the data files are links to
its top-level folders, which an editable install follows; a wheel holds the files.
"""

from importlib.resources import files
from pathlib import Path

from authbench.core.errors import InputError


def shipped(name: str) -> Path:
    """Return the path of a data file or folder of the package, e.g. `config/models` or `schemas/source.schema.yaml`.

    Raises:
        InputError: the installed package lacks it, e.g. in a checkout where links did not become links.
    """
    path = Path(str(files(__name__).joinpath(name))).resolve()
    if not path.exists():
        raise InputError(f"{path}: missing from the installed package; install authbench anew")
    return path


def config_folders(kind: str, base: Path = Path()) -> list[Path]:
    """Return the folders to search for config entries of a kind (`models`, `verifiers`, `style`, `sources`), in order.

    The folder `config/<kind>` of the working directory `base`, if it exists, precedes the shipped folder.
    """
    own = (base / "config").resolve() / kind
    return [own, package] if own != (package := shipped(f"config/{kind}")) and own.is_dir() else [package]
