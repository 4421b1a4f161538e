"""Write the file of a submission, and read such a file, which is untrusted.

A file holds five uncompressed members. Everything else is rejected before any byte is extracted:
other names (which rules out paths), links, encryption, compression (which rules out expansion), members larger than
MOST_BYTES, and tables with other columns or with footers that state more than allowed.

Memory: a block of a member, and submission.json. Disk: the members, in the given folder.
"""

import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from authbench.config.registry.entries import problems_in_words
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.printable import printable
from authbench.core.shipped import shipped
from authbench.core.storage.atomic import atomic_file, sha256_of_file
from authbench.core.storage.json_files import MAX_BYTES, read_foreign_json
from authbench.release.format.scores import Scores
from authbench.scoring.evaluation.joined import OWN

DESCRIPTION = "submission.json"
SCORES, QUERIES, PAIRS, RELEASED = "scores.json", "queries.parquet", "pairs.parquet", "released_pairs.parquet"
FILES = (DESCRIPTION, SCORES, QUERIES, PAIRS, RELEASED)  # in this order
FORMAT = 1
MOST_LETTERS = 1_000  # of a field


@dataclass(frozen=True)
class Fields:
    """Hold the fields of a submission.

    Attributes:
        name: the model's name on the board.
        model: where others find it: a name on Hugging Face, or an address.
        command: produces the scores.
        contributor: the person responsible.
    """

    name: str
    model: str
    command: str
    contributor: str

    def as_dict(self) -> dict[str, str]:
        return asdict(self)

    @property
    def empty(self) -> list[str]:
        """Return the empty fields."""
        return [name for name, value in self.as_dict().items() if not value]

    @classmethod
    def from_dict(cls, plain: JsonMapping, place: str) -> "Fields":
        """Return the fields of a submission. Raises InputError if a field is absent, not text, or too long."""
        for name in (field.name for field in fields(cls)):
            value = plain.get(name)
            if not isinstance(value, str) or len(value) > MOST_LETTERS or not value.isprintable():
                raise InputError(
                    f"{place}: the field {name} is {value!a:.40}. Expected a line of at most {MOST_LETTERS} letters."
                )
        return cls(**{field.name: plain[field.name] for field in fields(cls)})


def proposed(scores: Scores) -> Fields:
    """Return the fields that the scores of a model can fill."""
    model, benchmark, settings = scores["model"], scores["benchmark"], scores["settings"]
    parameters = model.get("parameters")
    checkpoint = parameters.get("checkpoint") if isinstance(parameters, Mapping) else None
    on_the_hub = isinstance(checkpoint, str) and bool(scores.get("made_by", {}).get("commit"))
    seed = f" --seed {settings['seed']}"
    command = f"authbench evaluate RELEASE_DIR --model {model['name']} --split {benchmark['split']}{seed} --out scores"
    return Fields(str(model["name"]), str(checkpoint) if on_the_hub else "", command, "")


_NO_DATE = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16


def files_of(folder: Path) -> dict[str, Path]:
    """Return the files of a model's result by their names in a submission.

    Gains and difficulty, which come from other models' results, are left out: a board computes them for its rows.

    Raises:
        InputError: the folder is not the result of a single model.
    """
    folder = folder.parent if folder.name == SCORES else folder
    folder = folder.parent if folder.name == OWN else folder
    found = {name: folder / OWN / name for name in (SCORES, QUERIES)}
    found |= {name: folder / name for name in (PAIRS, RELEASED)}
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
    if problems := problems_in_words(scores, shipped("schemas/scores.schema.yaml")):
        raise InputError(f"{path}: {problems}. Evaluate the model again.")
    return cast(Scores, scores)


def pack(folder: Path, out: Path, fields: Fields) -> None:
    """Write the submission of a model's result to `out`."""
    files = files_of(folder)
    scores = read_result(files[SCORES])
    description: dict[str, object] = {
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


SUFFIX = ".zip"
MOST_BYTES = 1 << 30  # of a table, packed or unpacked
_BLOCK = 1 << 20
_ENCRYPTED = 1
_OF_A_VALUE, _MORE = 8, 8  # bytes; a packed constant column takes nearly none
_RANKS = ("rank", "rank_language", "rank_language_source", "rank_topic")
_TEXT = ("string", "large_string")
# Columns of tables, and the prefixes of their types.
_COLUMNS: Mapping[str, Mapping[str, Sequence[str]]] = {
    PAIRS: {
        **dict.fromkeys(("query", "candidate", "kind"), _TEXT),
        "score": ("double",),
        **dict.fromkeys(_RANKS, ("int32",)),
    },
    RELEASED: dict.fromkeys(("pool", "query", "candidate"), _TEXT)
    | {"group": ("int",), "same": ("bool",), "score": ("double",)},
    QUERIES: {"id": _TEXT, "author_id": _TEXT, "lang": _TEXT},
}


@dataclass(frozen=True)
class Submission:
    """Hold a submission that was unpacked into `folder`."""

    file: Path
    folder: Path
    fields: Fields
    description: Mapping[str, object]


@contextmanager
def unpacked(file: Path) -> Iterator[Submission]:
    """Unpack a submission for the duration of a block. Raises InputError with the reason if it is not a submission."""
    with TemporaryDirectory() as place, told_as(file, folder := Path(place) / file.stem):
        yield unpack(file, folder)


@contextmanager
def told_as(file: Path, folder: Path) -> Iterator[None]:
    """Let messages of InputError name a submission in place of the folder that it is unpacked into."""
    try:
        yield
    except InputError as problem:
        raise InputError(str(problem).replace(str(folder), str(file))) from None


def unpack(file: Path, folder: Path) -> Submission:
    """Unpack a submission into a new folder. Raises InputError with the reason if it is not a submission."""
    if not file.is_file():
        raise InputError(
            f"{file}: is not a regular file. Expected a submission, as authbench publish submit writes it."
        )
    folder.mkdir(parents=True)
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if problem := _problem(members):
                raise InputError(f"{file}: {problem}. Expected a file that authbench publish submit wrote.")
            for member in members:
                _copy(archive, member, folder / member.filename, file)
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as problem:
        raise InputError(f"{file}: cannot be read as a submission: {printable(str(problem))}.") from None
    description = read_foreign_json(folder / DESCRIPTION)
    if description.get("format") != FORMAT:
        raise InputError(f"{file}: its format is {description.get('format')!a:.20}; this version reads {FORMAT}.")
    stated = description.get("sha256")
    for name in (SCORES, QUERIES, PAIRS, RELEASED):
        found = sha256_of_file(folder / name)
        if not isinstance(stated, Mapping) or stated.get(name) != found:
            raise InputError(f"{file}: {name} is not the file that was packed: its SHA-256 is {found[:16]}….")
    for name, columns in _COLUMNS.items():
        _expect_table(file, folder / name, columns)
    return Submission(file, folder, Fields.from_dict(description, f"{file}: {DESCRIPTION}"), description)


def _problem(members: Sequence[zipfile.ZipInfo]) -> str:
    """Return why these members are not a submission's; empty if they are."""
    names = [member.filename for member in members]
    if sorted(names) != sorted(FILES):
        other = next((name for name in names if name not in FILES or names.count(name) > 1), None)
        lacking = [name for name in FILES if name not in names]
        return f"it lacks {lacking[0]}" if other is None else f"it holds {other!a:.60}"
    for member in members:
        mode = member.external_attr >> 16
        if member.flag_bits & _ENCRYPTED:
            return f"{member.filename} is encrypted"
        if member.compress_type != zipfile.ZIP_STORED or member.compress_size != member.file_size:
            return f"{member.filename} is compressed"
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            return f"{member.filename} is a link, or no file"
        most = MAX_BYTES if member.filename.endswith(".json") else MOST_BYTES
        if member.file_size > most:
            return f"{member.filename} has {member.file_size:,} bytes, more than {most:,}"
    return ""


def _copy(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, file: Path) -> None:
    left = member.file_size
    with archive.open(member) as source, path.open("xb") as target:
        while block := source.read(_BLOCK):
            left -= len(block)
            if left < 0:
                raise InputError(f"{file}: {member.filename} is larger than it says.")
            target.write(block)


def _expect_table(file: Path, path: Path, columns: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError if a table has other columns, or its footer states more than MOST_BYTES."""
    try:
        footer = pq.read_metadata(path)
        schema = footer.schema.to_arrow_schema()
        size = sum(footer.row_group(group).total_byte_size for group in range(footer.num_row_groups))
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise InputError(f"{file}: {path.name} cannot be read as Parquet: {printable(str(problem)[:200])}.") from None
    room = footer.num_rows * len(schema.names) * _OF_A_VALUE
    if max(size, footer.num_rows, room // _MORE) > MOST_BYTES:
        raise InputError(f"{file}: {path.name} would expand to {size:,} bytes in {footer.num_rows:,} rows.")
    for name, kinds in columns.items():
        found = schema.get_all_field_indices(name)
        kind = str(schema.field(found[0]).type) if len(found) == 1 else "there twice" if found else "absent"
        if not kind.startswith(tuple(kinds)):
            raise InputError(f"{file}: column {name} of {path.name} is {kind}. Expected {kinds[0]}.")
