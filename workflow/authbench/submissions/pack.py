"""Pack the result of a model into one file: the same result and fields give the same bytes."""

import zipfile
from pathlib import Path
from typing import Any, cast

import orjson

from authbench.errors import InputError
from authbench.evaluation.joined import OWN
from authbench.format.scores import Scores
from authbench.registry.entries import schema_problems
from authbench.shipped import shipped
from authbench.storage.atomic import atomic_file, sha256_of_file
from authbench.storage.json_files import read_foreign_json
from authbench.submissions.fields import DESCRIPTION, FILES, FORMAT, PAIRS, QUERIES, RELEASED, SCORES, Fields

_NO_DATE = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16


def files_of(folder: Path) -> dict[str, Path]:
    """Return the files of a model's result by their names in a submission.

    Gains and difficulty, which come from other models' results, are left out: a board computes them for its rows.

    Raises:
        InputError: the folder is not the result of one model.
    """
    folder = folder.parent if folder.name == SCORES else folder
    folder = folder.parent if folder.name == OWN else folder
    found = {
        SCORES: folder / OWN / SCORES,
        QUERIES: folder / OWN / QUERIES,
        PAIRS: folder / PAIRS,
        RELEASED: folder / RELEASED,
    }
    absent = [path for path in found.values() if not path.is_file()]
    if absent:
        models = sorted(path.parents[1].name for path in folder.glob(f"*/{OWN}/{SCORES}"))
        hint = f" It holds results of several models: give one, e.g. {folder / models[0]}." if models else ""
        raise InputError(
            f"{folder}: no {absent[0].relative_to(folder)}. Expected the folder of a model in what authbench evaluate "
            f"writes.{hint}"
        )
    return found


def read_result(path: Path) -> Scores:
    """Return the scores of a model's result. Raises InputError if they are malformed."""
    scores = read_foreign_json(path)
    if problems := [problem for _, problem in schema_problems(scores, shipped("schemas/scores.schema.yaml"))]:
        raise InputError(
            f"{path}: {'; '.join(f'{problem:.200}' for problem in problems[:3])}. Evaluate the model again."
        )
    return cast(Scores, scores)


def pack(folder: Path, out: Path, fields: Fields) -> None:
    """Write the submission of a model's result to `out`."""
    files = files_of(folder)
    scores = read_result(files[SCORES])
    description: dict[str, Any] = {
        "format": FORMAT,
        **fields.as_dict(),
        "split": scores["benchmark"]["split"],
        "checksum": scores["benchmark"]["checksum"],
        "versions": scores["versions"],
        "made_by": scores.get("made_by"),
        "sha256": {name: sha256_of_file(path) for name, path in files.items()},
    }
    packed = orjson.dumps(description, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    with atomic_file(out) as aside, zipfile.ZipFile(aside, "w", zipfile.ZIP_STORED) as archive:
        for name in FILES:
            member = zipfile.ZipInfo(name, _NO_DATE)
            member.external_attr, member.create_system = _PLAIN_FILE, 3
            archive.writestr(member, packed if name == DESCRIPTION else files[name].read_bytes())
