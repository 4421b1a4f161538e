"""Map a source's rows and file paths to document records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import regex

from authbench.build.ingest.aliases import Aliases
from authbench.build.ingest.compiled import compile_extraction, needed_fields, read_fields
from authbench.build.ingest.documents import Documents, make_documents
from authbench.build.ingest.fields import compile_pattern
from authbench.build.ingest.identities import make_identities
from authbench.build.ingest.losses import Count, count_losses
from authbench.config.registry.expressions import FILE_FIELDS
from authbench.config.registry.source_entry import Extraction
from authbench.config.settings.ingest import Ingest
from authbench.core.errors import InputError
from authbench.release.reading.rows import Needs, Row


@dataclass(frozen=True)
class Naming:
    """How labels become author ids, and whether a text keeps its author's name: names do not leave ingestion.

    Attributes:
        author_key: the value of the variable that `ingest.author_key_env` names.
        aliases: the aliases of config/persons.yaml.
        mask_own: `normalize.own_name` is `mask`.
    """

    author_key: bytes | None = None
    aliases: Aliases = field(default_factory=dict)
    mask_own: bool = False


PLAIN = Naming()


@dataclass(frozen=True)
class Mapped:
    """A compiled source mapping.

    Attributes:
        documents: makes records from rows and adds the derived fields to the rows.
        needs: the fields that files must have.
        columns: all fields that are read.
        path_fields: the fields of a file by its relative path.
        losses: counts row values that the records lose.
    """

    documents: Callable[[Sequence[Row]], Documents]
    needs: Needs
    columns: frozenset[str]
    path_fields: Callable[[str], Row]
    losses: Count


def compile_source(tag: str, extraction: Extraction, settings: Ingest, naming: Naming = PLAIN) -> Mapped:
    """Return the mapping of a source's entry. Raises InputError that names file and key."""
    where = f"config/sources/{tag}.yaml"
    compiled = compile_extraction(where, extraction, naming.author_key)
    author = extraction.author.identified_by(settings.get("author_ids"))
    identities = make_identities(tag, author, naming.author_key, naming.aliases)
    pattern = compile_pattern(extraction.path_fields, f"{where}: path_fields") if extraction.path_fields else None
    given = FILE_FIELDS | set(pattern.groupindex if pattern else ())
    added = frozenset(extraction.beside.fields if extraction.beside else ())
    return Mapped(
        partial(
            make_documents,
            compiled=compiled,
            identities=identities,
            where=where,
            settings=settings,
            task=extraction.task,
            mask_own_name=naming.mask_own,
        ),
        needed_fields(where, extraction, given | added),
        read_fields(extraction, given | added) | ({extraction.beside.by} if extraction.beside else set()),
        partial(_path_fields, where, pattern),
        count_losses(where, extraction),
    )


def _path_fields(where: str, pattern: "regex.Pattern[str] | None", relative: str) -> Row:
    """Return the fields of the file at this path. Raises InputError if the pattern does not match it."""
    fields: Row = {"path": relative, "file_name": relative.rpartition("/")[2]}
    if pattern is not None:
        found = pattern.search(relative)
        if found is None:
            raise InputError(f"{where}: path_fields {pattern.pattern!r} does not fit the file {relative}.")
        fields.update(found.groupdict())
    return fields
