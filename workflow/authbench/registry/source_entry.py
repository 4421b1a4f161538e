"""Define the entry of a source, config/sources/<tag>.yaml: a corpus used in a release."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from authbench.registry.citations import default_citation
from authbench.registry.expressions import Expression
from authbench.registry.plain import from_plain
from authbench.registry.readers import Reader, make_reader
from authbench.storage.raw_paths import FileSet


@dataclass(frozen=True)
class License:
    """State the terms of a source; tier A texts may be released, tier B texts only where they were found."""

    name: str
    tier: str


@dataclass(frozen=True)
class Fetch:
    """Name a data set, repository or address to fetch; `name` and `files` default to the source's."""

    name: str | None = None
    revision: str | int | None = None
    files: tuple[str, ...] | None = None
    into: str = ""


@dataclass(frozen=True)
class Acquire:
    """State where a source comes from, what a person has to do, and what is fetched."""

    origin: str = field(metadata={"key": "from"})
    where: str
    how: str
    fetch: tuple[Fetch, ...] = ()


PEOPLE = "person"  # the space of full names: an id is made from `person/<language>` and the canonical name
FULL = "full"


@dataclass(frozen=True)
class Impurity:
    """State how to estimate how often two texts of one label are by two people.

    `same_item` counts labels that have one item twice, `account` labels of several accounts. `voices` counts marks of
    other voices (`patterns`), of which an author's text has at most `per_1000_words`. `stated` is the value of a
    reference.
    """

    estimator: str
    patterns: tuple[str, ...] = ()
    per_1000_words: float = 10.0
    value: float | None = None
    reference: str | None = None


@dataclass(frozen=True)
class Author:
    """State what an author label stands for.

    `space` is shared by sources of one site, and defaults to the source's tag. `names` says that labels are names of
    people: `full` names, or `ambiguous` names that several people may have. `own_name` says whether a text's mention of
    its author may be masked, or names a hero and is kept. A text with a value for `work_when` is not its author's
    wording: its kind is `work`, and its work replaces the author.
    """

    kind: str
    work_when: Expression | None = None
    space: str | None = None
    noisy: bool | str | Mapping[str, Any] = False
    name: Expression | None = None
    placeholders: tuple[str, ...] | None = None
    min_characters: int | None = None
    names: str | None = None
    own_name: str = "mask"
    impurity: Impurity | None = None

    def space_of(self, tag: str) -> str:
        """Return the space of the author ids of the source `tag`; people with full names share a space."""
        return PEOPLE if self.names == FULL else self.space or tag


@dataclass(frozen=True)
class Normalize:
    """State how texts of a source are normalised besides the common rules; `edited` by others than their author."""

    html: int = 0
    unwrap: bool = False
    boilerplate: bool = False
    edited: bool = False


@dataclass(frozen=True)
class Fields:
    """State how the columns of a record are computed from a row; an absent column has no value."""

    text: Expression
    author: Expression
    lang: Expression
    genre: Expression
    id: Expression | None = None
    date: Expression | None = None
    topic: Expression | None = None
    n_authors: Expression | None = None
    origin: Expression | None = None
    item: Expression | None = None
    account: Expression | None = None
    author_group: Expression | None = None
    fine_genre: Expression | None = None
    labels: Mapping[str, Expression] = field(default_factory=dict)


@dataclass(frozen=True)
class CleanRule:
    """Apply one rule to a text: exactly one of `drop_before`, `drop_after`, `drop_lines` and `replace` is a pattern."""

    drop_before: str | None = None
    drop_after: str | None = None
    drop_lines: str | None = None
    replace: str | None = None
    replacement: str = field(default="", metadata={"key": "with"})
    first_lines: int | None = None
    last_lines: int | None = None


@dataclass(frozen=True)
class DropRule:
    """Drop rows in which `when` has a value, for this reason."""

    when: Expression
    reason: str


@dataclass(frozen=True)
class Beside:
    """Join a table in the folder of a file: its row whose `key` equals a row's `by` adds its fields to that row.

    Attributes:
        file: the table's name; it is among `files`, and its rows are not records.
        fields: fields that rows get, and the table's fields that they are read from.
    """

    file: str
    key: str
    by: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Extraction:
    """State how the files of a source become records: the part of its entry that determines records."""

    files: tuple[str, ...]
    reader: Reader
    fields: Fields
    author: Author
    folder: str | None = None
    path_fields: str | None = None
    beside: Beside | None = None
    derive: Mapping[str, Expression] = field(default_factory=dict)
    clean: tuple[CleanRule, ...] = ()
    drop: tuple[DropRule, ...] = ()
    task: str = "authorship"
    genre_of: str = "text"


@dataclass(frozen=True)
class Description:
    """Hold what a release states about a source; `about` is only for its report.

    Attributes:
        text: `edited` by somebody else than its author, or as `typed`.
        fame: `classic` for works that language models have read.
        genre_of: whether the sub-genre describes the `text` or its `author`.
        cite: how to cite the corpus, in BibTeX.
        legal_basis: the legal basis for using its texts and people's data; empty if not stated.
    """

    title: str
    license: License
    author: Author
    about: str = ""
    text: str = "typed"
    fame: str = "none"
    genre_of: str = "text"
    cite: str = ""
    legal_basis: str = ""


@dataclass(frozen=True)
class Source:
    """Hold a source; `entry` is its unchanged YAML, the plain form used by jobs and public bundles."""

    tag: str
    title: str
    about: str
    license: License
    acquire: Acquire
    normalize: Normalize
    extraction: Extraction
    entry: Mapping[str, Any] = field(repr=False)
    text: str = "typed"
    fame: str = "none"
    cite: str = ""
    legal_basis: str = ""

    @property
    def files(self) -> FileSet:
        """The raw files, below the folder of all sources."""
        return file_set(self.tag, self.extraction)

    @property
    def description(self) -> Description:
        extraction = self.extraction
        return Description(
            self.title,
            self.license,
            extraction.author,
            self.about,
            self.text,
            self.fame,
            extraction.genre_of,
            self.cite,
            self.legal_basis,
        )

    @property
    def languages(self) -> set[str] | None:
        """The languages that the entry names; None if a field of the corpus decides."""
        return possible_values(self.extraction.fields.lang)


def make_source(tag: str, entry: Mapping[str, Any]) -> Source:
    """Return the source of an entry that fits the schema."""
    return Source(
        tag,
        entry["title"],
        entry["about"],
        from_plain(License, entry["license"]),
        from_plain(Acquire, entry["acquire"]),
        make_normalize(entry),
        make_extraction(entry),
        entry,
        entry.get("text", "typed"),
        entry.get("fame", "none"),
        (entry.get("cite") or _default_citation(tag, entry)).strip(),
        entry.get("legal_basis", "").strip(),
    )


def _default_citation(tag: str, entry: Mapping[str, Any]) -> str:
    return default_citation(tag, entry["title"], entry["acquire"]["from"], entry["acquire"]["where"])


def part_of_normalize(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of an entry that `make_normalize` needs."""
    return {key: entry[key] for key in ("normalize", "text") if key in entry}


def make_normalize(entry: Mapping[str, Any]) -> Normalize:
    """Return the part of an entry that states how its texts are normalised."""
    return replace(from_plain(Normalize, entry.get("normalize", {})), edited=entry.get("text") == "edited")


def make_extraction(entry: Mapping[str, Any]) -> Extraction:
    """Return the part of an entry that states how its files become records."""
    return from_plain(Extraction, {**entry, "reader": make_reader(entry["reader"])})


def file_set(tag: str, extraction: Extraction) -> FileSet:
    return FileSet(extraction.folder or tag, extraction.files)


def possible_values(expression: Expression) -> set[str] | None:
    """Return all possible values of an expression; None if its operations do not determine them."""
    if isinstance(expression, Mapping) and "const" in expression:
        return {expression["const"]}
    if isinstance(expression, Mapping) and "map" in expression and "*" not in expression["map"]:
        return {str(value) for value in expression["map"].values()}
    return None
