"""Find out the form of a dataset and read it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from authbench.audit.auditing.dataset import ALL, TEXTS, Dataset, Source, as_documents, joined, unique_ids
from authbench.audit.auditing.read_authbench import configurations, read_huggingface, read_release, splits_below
from authbench.audit.auditing.read_episodes import is_episode, read_episodes
from authbench.audit.auditing.read_first import first_rows
from authbench.audit.auditing.read_pan import pan_files, problem_folders, read_pan, read_pan_folders
from authbench.audit.auditing.read_retrieval import is_beir, is_mteb, read_beir, read_mteb
from authbench.audit.auditing.read_style import STYLE, is_style_entry, read_style
from authbench.audit.auditing.read_table import DIFF, STEB, TABLE, read_tables
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.exact_json import loads_exactly
from authbench.core.storage.json_lines import line_batches
from authbench.core.storage.raw_files import RawFile
from authbench.core.storage.raw_paths import NOT_UTF8
from authbench.release.format.columns import PAIR_TABLES, SPLIT_TABLES
from authbench.release.format.files import MANIFEST, PROVENANCE
from authbench.release.format.hub import INNER, SCHEME, config_folder, local, named, release_of, stated_configs
from authbench.release.reading import foreign
from authbench.release.reading.chats import app_of
from authbench.release.reading.column_names import layout_of
from authbench.release.reading.plain_text import whole_text
from authbench.release.reading.rows import BadRow

_TABLES = {TABLE, STEB}
_SPLITS = ("train", "dev", "valid", "test")  # endings of the names of folders of splits


def read_texts(path: Path, files: Sequence[Path], encoding: str | None) -> Dataset:
    """Read the text files below a folder.

    Raises:
        InputError: neither folders nor file names give the authors, or a file is not in the encoding.
    """
    depths = {len(file.relative_to(path).parts) for file in files}
    layout = layout_of([file.relative_to(path) for file in files])
    if layout is None:
        raise InputError(
            f"{path}: holds {len(files)} texts whose authors cannot be told. Expected a folder for each author "
            "(author/title.txt, or split/author/title.txt), or files called Author_Title.txt."
        )
    by_name = layout == "name"
    rows, unreadable = list[dict[str, object]](), list[str]()
    places: dict[str, list[Path]] = {}
    for row, file in enumerate(files):
        label = printable(str(file.relative_to(path)))
        places[label] = [file]
        raw = RawFile(file, str(file), "", option="--encoding")
        text = (
            whole_text(raw, encoding or foreign.encoding_of(raw))
            if file.stat().st_size
            else BadRow("line 1", "is empty")
        )
        if isinstance(text, BadRow):
            unreadable.append(label)
            continue
        name = file.stem.partition("_")[0] if by_name else file.parent.name
        author = NOT_UTF8.sub(lambda half: printable(half[0]), name)
        split = printable(_split(file.relative_to(path).parts[0])) if depths == {3} else ALL
        rows.append({"id": label, "split": split, "author": author, "content": text, "place": label, "row": row})
    how = "what stands before _ in the name of a file" if by_name else "the folder of a file"
    notes = [f"Read as author: {how}.", "No language is stated: langid's guess stands for it."]
    documents = as_documents(
        pl.DataFrame(rows, dict.fromkeys(("id", "split", "author", "content", "place"), pl.String) | {"row": pl.Int64})
    )
    source = Source(path, TEXTS, places, encoding)
    return unique_ids(Dataset(TEXTS, documents, notes=tuple(notes), sources=(source,), unreadable=tuple(unreadable)))


def _split(folder: str) -> str:
    return next((split for split in _SPLITS if folder.lower().endswith(split)), folder)


Say = Callable[[str], None]
FORMS = (
    "hf:owner/name[@revision][:config] or a path: a release or the folder of one split (candidates.jsonl, "
    "queries.jsonl, ground_truth.jsonl), our Hugging Face "
    "folder, PAN pairs (pairs.jsonl, truth.jsonl), PAN's folders of problems (truth.txt, EN001/known01.txt, "
    "EN001/unknown.txt), a BEIR or MTEB retrieval folder (corpus, queries, qrels), LUAR "
    "episodes (*_queries.jsonl, *_targets.jsonl with lists of texts), STEB JSON lines (text, label, is_query), "
    f"an entry of config/style, tables with author and text ({', '.join(foreign.KINDS)}, also compressed or zipped), "
    "or folders of plain text (author/title.txt, Author_Title.txt)"
)

_OF_RELEASE = frozenset(table.file for table in (*SPLIT_TABLES.values(), *PAIR_TABLES.values())) | {PROVENANCE}


@dataclass(frozen=True)
class How:
    """Options for reading a dataset.

    Attributes:
        columns: names of a table's columns, by our names.
        data: folder of the datasets that entries of config/style name.
        encoding: of tables and plain texts; None: as `foreign.encoding_of` finds.
        config: the configuration to read, if a dataset has several.
        rows: how many rows of each split of tables are read; None: all.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None
    encoding: str | None = None
    config: str | None = None
    rows: int | None = None


def read_dataset(paths: Sequence[Path], how: How = How(), say: Say | None = None) -> Dataset:  # noqa: B008  (frozen)
    """Read a dataset from its paths, such as the folders of its splits.

    Raises:
        InputError: a path cannot be read, has none of the FORMS, or contains no text.
    """
    for path in paths:
        if not _is_remote(path) and not is_style_entry(path) and not path.exists():
            raise InputError(f"{path}: there is no such file or folder. Expected {FORMS}.")
    if say:
        say("reading")
    read = [(path, part) for path in paths for part in _read_one(path, how)]
    labels = [printable(path.name) if _is_remote(path) else _label(part.sources[0]) for path, part in read]
    dataset = joined([part for _, part in read], labels)
    forms = {source.form for source in dataset.sources}
    for option, given, of_forms in (
        ("--column", how.columns, _TABLES),
        ("--rows", how.rows, _TABLES),
        ("--config", how.config, _TABLES),
        ("--encoding", how.encoding, {*_TABLES, TEXTS}),
        ("--data", how.data, {STYLE}),
    ):
        if given and not forms & of_forms:
            raise InputError(f"{paths[0]}: {option} does not count for the form {dataset.form}. Leave it out.")
    if not dataset.problems.height and not (dataset.documents["content"].fill_null("") != "").any():
        raise InputError(f"{', '.join(map(str, paths))}: holds no text, so there is nothing to audit.")
    return dataset


def _expect_files(path: Path) -> None:
    """Raise InputError if a folder contains an entry that is neither file nor folder, which would be left out."""
    for one in path.rglob("*"):
        strange = not one.is_file() and (not one.is_dir() or one.name in _OF_RELEASE or one.suffix == ".jsonl")
        if strange and not foreign.is_of_a_system(one.relative_to(path)):
            raise InputError(f"{one}: is no regular file. Expected data; put the file there, or take it out.")


def _label(source: Source) -> str:
    return printable(source.path.stem if source.path.is_file() else source.path.resolve().name)


def name_of(path: Path) -> str:
    """Return what results call a dataset: what was typed for the Hub, else the name of the file or folder."""
    return printable(str(path) if _is_remote(path) else path.resolve().name or str(path))


def _is_remote(path: Path) -> bool:
    return str(path).startswith(SCHEME)


def _read_one(path: Path, how: How) -> list[Dataset]:
    if is_style_entry(path):
        return [read_style(path, how.data)]
    rows = first_rows(str(path), how.rows, how.config) if how.rows and _is_remote(path) else None
    given, (path, config) = path, (rows, named(str(path))[2]) if rows else local(path)
    if _is_remote(given) and config is None and (path / INNER / MANIFEST).is_file():
        return [read_release(release_of(path))]
    if config is not None and config not in stated_configs(path) and (folder := config_folder(path, config)):
        path, config = folder, None
    how = replace(how, config=config or how.config)
    if path.is_file():
        return [_read_file(path, how)]
    _expect_files(path)
    if splits_below(path):
        return [read_release(path)]
    if configurations(path, "candidates"):
        return [read_huggingface(path)]
    if is_beir(path):
        return [read_beir(path)]
    if is_mteb(path):
        return [read_mteb(path)]
    if several := sorted(one for one in path.iterdir() if one.is_dir() and is_beir(one)):
        return [read_beir(one) for one in several if (one / "corpus.jsonl").stat().st_size]
    if files := pan_files(path):
        return [read_pan(path, files)]
    if truths := problem_folders(path):
        return [read_pan_folders(path, truths)]
    return [_read_folder(path, how)]


def _read_file(path: Path, how: How) -> Dataset:
    if foreign.kind_of(path) is None:
        raise InputError(f"{path}: a file of an unknown kind. Expected {FORMS}.")
    if path.suffix in (".jsonl", ".ndjson"):
        first = _first(path)
        if is_episode(first):
            return read_episodes(path, [path])
        if isinstance(first, dict) and ("pair" in first or ("same" in first and "id" in first)):
            if files := pan_files(path):
                return read_pan(path, files)
            raise InputError(f"{path}: pairs without a truth. Expected truth.jsonl beside it.")
    return read_tables(path, [path], how.columns, how.encoding, how.config, how.rows)


def _read_folder(path: Path, how: How) -> Dataset:
    """Read a folder of episodes, of tables or of texts, from the files in it and in its folders.

    JSON, XML and zip files count if there are no other tables, texts that are no chats if there are no tables at all;
    files of an operating system are ignored.
    """
    files = sorted(
        one for one in path.rglob("*") if one.is_file() and not foreign.is_of_a_system(one.relative_to(path))
    )
    kinds = {file: foreign.kind_of(file) for file in files if file != path / DIFF}
    for several in (set(kinds.values()) - {None, *foreign.LOOSE}, {foreign.JSON}, {foreign.XML}, {foreign.ZIP}):
        if tables := [file for file, kind in kinds.items() if kind in several]:
            lines = [one for one in tables if one.suffix in (".jsonl", ".ndjson")]
            episodes = [one for one in lines if is_episode(_first(one))]
            if episodes:
                return read_episodes(path, episodes)
            return read_tables(path, tables, how.columns, how.encoding, how.config, how.rows)
    if texts := [file for file, kind in kinds.items() if kind == foreign.TEXT]:
        if app_of(RawFile(texts[0], str(texts[0]), "")):
            return read_tables(path, texts, how.columns, how.encoding, how.config, how.rows)
        return read_texts(path, texts, how.encoding)
    raise InputError(f"{path}: holds no dataset. Expected {FORMS}.")


def _first(path: Path) -> object:
    """Return the value of the first line of a JSON lines file that is not blank; None if it is not JSON."""
    lines = (line for _, lines in line_batches(path, 1) for line in lines if line.strip())
    try:
        return loads_exactly(next(lines, b"null"))
    except (ValueError, RecursionError):
        return None
