"""Define the entry of a source, config/sources/<tag>.yaml: a corpus used in a release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from authbench.config.registry.citations import default_citation
from authbench.config.registry.expressions import Expression
from authbench.config.registry.readers import Reader, make_reader
from authbench.config.registry.typed_schema import COMPUTED, from_plain, if_is
from authbench.config.settings.values import Count, Keywords, Pattern, Share, Task, Text, Texts, Threshold
from authbench.core.json_values import JsonMapping
from authbench.core.storage.raw_paths import FileSet


@dataclass(frozen=True)
class License:
    """State the terms of a source; tier A texts may be released, tier B texts only where they were found."""

    name: Text
    tier: Literal["A", "B"]


@dataclass(frozen=True)
class Fetch:
    """Name a data set, repository or address to fetch; `name` and `files` default to the source's.

    Attributes:
        revision: a commit (GitHub: always), branch or version; the newest at the first download if not given.
        into: a folder below the source's; the paths are kept below it.
    """

    name: Text | None = None
    revision: str | int | None = None
    files: Texts | None = None
    into: Annotated[str, Keywords(pattern=r"^[\w-]+(/[\w-]+)*$(?!\n)")] = ""


@dataclass(frozen=True)
class Acquire:
    """State where a source comes from, what a person has to do, and what is fetched (a person's task if not given)."""

    origin: Literal["huggingface", "kaggle", "github", "url", "local"] = field(metadata={"key": "from"})
    where: Text  # the name of the dataset or repository, or the address
    how: Text  # a sentence on what to fetch and where to put it
    fetch: Annotated[tuple[Fetch, ...], Keywords(minItems=1)] = ()


def _each_fetch(**schema: object) -> dict[str, object]:
    return {"properties": {"fetch": {"items": schema}}}


_BY_ORIGIN = Keywords(
    allOf=[
        if_is(
            "from",
            "local",
            {"properties": {"fetch": {"not": {}, "expected": "wanted here; a person puts local files in place"}}},
        ),
        if_is(
            "from",
            "github",
            _each_fetch(
                required=["revision"],
                properties={"revision": {"type": "string", "pattern": r"^[0-9a-f]{12,40}$(?!\n)"}},
            ),
        ),
        if_is("from", "url", _each_fetch(required=["name"], properties={"name": {"pattern": "^https?://"}})),
    ]
)


PEOPLE = "person"  # the space of full names: an id is made from `person/<language>` and the canonical name
FULL = "full"


@dataclass(frozen=True)
class Impurity:
    """State how to estimate how often two texts of a label are by two people.

    `same_item` counts labels that have an item twice, `account` labels of several accounts. `voices` counts marks of
    other voices (`patterns`), of which an author's text has at most `per_1000_words`. `stated` is the value of a
    reference.
    """

    estimator: Literal["same_item", "account", "voices", "stated"]
    patterns: Annotated[tuple[Pattern, ...], Keywords(minItems=1)] = ()
    per_1000_words: Threshold = 10.0
    value: Share | None = None
    reference: Text | None = None  # who measured the value, and where


def _taken_by(estimator: str, required: Sequence[str], *others: str) -> dict[str, object]:
    refused = {"not": {}, "expected": f"wanted here; only the estimator {estimator} takes it"}
    otherwise = {"properties": dict.fromkeys((*required, *others), refused)}
    return if_is("estimator", estimator, {"required": required}, **{"else": otherwise})


_BY_ESTIMATOR = Keywords(
    allOf=[_taken_by("voices", ["patterns"], "per_1000_words"), _taken_by("stated", ["value", "reference"])]
)


@dataclass(frozen=True)
class Author:
    """State what an author label stands for.

    `space` is shared by sources of a site, and defaults to the source's tag. `names` says that labels are names of
    people: `full` names, or `ambiguous` names that several people may have. `own_name` says whether a text's mention of
    its author may be masked, or names a hero and is kept. A text with a value for `work_when` is not its author's
    wording: its kind is `work`, and its work replaces the author.

    Attributes:
        noisy: whether labels are known to join or split authors, or an expression that has a value where they do.
        name: what to look for in the text as the author's name; the label if not given.
        placeholders: labels that name nobody, compared whole and regardless of case; they replace the usual ones.
        min_characters: a shorter label is a placeholder. If not given, so is a name of a single character that is not a
            digit (an account's), unless `names` says that labels are names.
        impurity: unmeasured if not given.
    """

    kind: Literal["person", "account", "outlet", "masked", "work"]
    work_when: Expression | None = None
    space: Text | None = None
    noisy: bool | Expression = False
    name: Expression | None = None
    placeholders: tuple[str, ...] | None = None
    min_characters: Count | None = None
    names: Literal["full", "ambiguous"] | None = None
    own_name: Literal["mask", "keep"] = "mask"
    impurity: Annotated[Impurity, _BY_ESTIMATOR] | None = None

    def space_of(self, tag: str) -> str:
        """Return the space of the author ids of the source `tag`; people with full names share a space."""
        return PEOPLE if self.names == FULL else self.space or tag

    def identified_by(self, author_ids: object) -> "Author":
        """Return the section for `ingest.author_ids`: for `source`, without what unites it with other sources."""
        return replace(self, space=None, names=self.names and "ambiguous") if author_ids == "source" else self


@dataclass(frozen=True)
class Normalize:
    """State how texts of a source are normalised besides the common rules; `edited` by others than their author.

    Attributes:
        html: how many times entities and tags are undone.
        unwrap: whether hard-wrapped lines are joined within a paragraph.
        boilerplate: whether copyright headers, navigation lists and the like are cut from the text.
    """

    html: Annotated[int, Keywords(minimum=0, maximum=2)] = 0
    unwrap: bool = False
    boilerplate: bool = False
    edited: bool = field(default=False, metadata=COMPUTED)


@dataclass(frozen=True)
class Fields:
    """State how the columns of a record are computed from a row; an absent column has no value.

    Attributes:
        id: without it, a document is known by author, text and date.
        origin: the work or raw document that the text was cut from, if several records share it, or the collection it
            was published in (a volume, the reviews of a day); never what a text reviews.
        item: what a text reviews (a film, a product). Only its hash is stored; `author.impurity` may need it.
        account: the account behind the author label, where a field tells it. Only its hash is stored.
        author_group: what is known of the author and not of the text (an occupation, an outlet), in plain words.
        fine_genre: the genre with the corpus' sub-genre, where `genre` joins the small genres; for recipes with
            `ingest.fine_genres`.
    """

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
    """Apply a rule to a text: exactly 1 of `drop_before`, `drop_after`, `drop_lines` and `replace` is a pattern.

    {{field}} in it is the value of that field, literally; the rule is passed over where the field has none.

    Attributes:
        drop_before: all text to the end of the first match is dropped.
        drop_after: all text from the start of the first match is dropped.
        drop_lines: lines with a match are dropped, perhaps only among the first or last non-blank lines (`first_lines`,
            `last_lines`).
        replace: every match becomes `with`.
    """

    drop_before: Pattern | None = None
    drop_after: Pattern | None = None
    drop_lines: Pattern | None = None
    replace: Pattern | None = None
    replacement: str = field(default="", metadata={"key": "with"})
    first_lines: Count | None = None
    last_lines: Count | None = None


_ONE_RULE = Keywords(
    minProperties=1,
    oneOf=[
        {"required": ["drop_before"], "maxProperties": 1},
        {"required": ["drop_after"], "maxProperties": 1},
        {
            "required": ["drop_lines"],
            "not": {"anyOf": [{"required": ["with"]}, {"required": ["first_lines", "last_lines"]}]},
        },
        {"required": ["replace"], "not": {"anyOf": [{"required": ["first_lines"]}, {"required": ["last_lines"]}]}},
    ],
)


@dataclass(frozen=True)
class DropRule:
    """Drop rows in which `when` has a value, for this reason."""

    when: Expression
    reason: Task


@dataclass(frozen=True)
class Beside:
    """Join a table in the folder of a file: its row whose `key` equals a row's `by` adds its fields to that row.

    Attributes:
        file: the table's name without a compression suffix; it is among `files`, and its rows are not records.
        key: the table's field: a whole number that only 1 row has.
        fields: fields that rows get, and the table's fields that they are read from.
    """

    file: Annotated[str, Keywords(pattern="^[^/*]+$(?!\\n)")]
    key: Text
    by: Text
    fields: Annotated[Mapping[str, Text], Keywords(minProperties=1)]


@dataclass(frozen=True)
class Extraction:
    """State how the files of a source become records: the part of its entry that determines records.

    Attributes:
        files: patterns of the files that are read (`**/` any folders, `*` within a name; what fits a pattern that
            starts with `!` is left out), in the order of their paths. A suffix .gz .zst .bz2 .xz .zip may follow. Of a
            zip file the members that match are read.
        folder: below raw_dir; the source's tag if not given.
        path_fields: a pattern of the relative path, whose named groups become fields. The field `path` is always the
            path, and `file_name` the file's name without folders.
        derive: further fields, computed in this order from the fields before them.
    """

    files: Texts
    reader: Reader
    fields: Fields
    author: Author
    folder: Text | None = None
    path_fields: Pattern | None = None
    beside: Beside | None = None
    derive: Mapping[str, Expression] = field(default_factory=dict)
    clean: tuple[Annotated[CleanRule, _ONE_RULE], ...] = ()
    drop: tuple[DropRule, ...] = ()
    task: Task = "authorship"
    genre_of: Literal["text", "author"] = "text"


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
    """Hold a source; `entry` is its unchanged YAML, the plain form used by jobs and public bundles.

    Attributes:
        about: what the author label means and what is known to be wrong with it, in a sentence or two for the report.
        text: whether spacing, quotes and numbering are an editor's, or the author's typing.
        fame: `classic` for works that language models have read.
        cite: how to cite the corpus, as BibTeX; made from `title` and `acquire` if not given.
        legal_basis: on what ground texts and people's data are used: what the terms say, and for people the basis in
            data protection law; "not known" where it is not.
    """

    tag: str = field(metadata=COMPUTED)
    title: Text
    about: Text
    license: License
    acquire: Annotated[Acquire, _BY_ORIGIN]
    extraction: Extraction = field(metadata=COMPUTED)
    entry: JsonMapping = field(repr=False, metadata=COMPUTED)
    normalize: Normalize = Normalize()
    text: Literal["edited", "typed"] = "typed"
    fame: Literal["classic", "none"] = "none"
    cite: Annotated[str, Keywords(minLength=1, maxLength=20_000)] = ""
    legal_basis: Annotated[str, Keywords(minLength=1, maxLength=2000)] = ""

    @property
    def files(self) -> FileSet:
        """The raw files, below the folder of all sources."""
        return file_set(self.tag, self.extraction)

    @property
    def languages(self) -> set[str] | None:
        """The languages that the entry names; None if a field of the corpus decides."""
        return possible_values(self.extraction.fields.lang)


def make_source(tag: str, entry: JsonMapping) -> Source:
    """Return the source of an entry that fits the schema."""
    where = entry["acquire"]["from"], entry["acquire"]["where"]
    made = {
        "tag": tag,
        "extraction": make_extraction(entry),
        "entry": entry,
        "normalize": make_normalize(entry),
        "cite": (entry.get("cite") or default_citation(tag, entry["title"], *where)).strip(),
        "legal_basis": entry.get("legal_basis", "").strip(),
    }
    return from_plain(Source, {**entry, **made})


def part_of_normalize(entry: Mapping[str, object]) -> dict[str, object]:
    """Return the part of an entry that `make_normalize` needs."""
    return {key: entry[key] for key in ("normalize", "text") if key in entry}


def make_normalize(entry: JsonMapping) -> Normalize:
    """Return the part of an entry that states how its texts are normalised."""
    return replace(from_plain(Normalize, entry.get("normalize", {})), edited=entry.get("text") == "edited")


def make_extraction(entry: JsonMapping) -> Extraction:
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
