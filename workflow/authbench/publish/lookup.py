"""Find the texts of an author in a release by the author's handle; the name itself is stored nowhere."""

from collections.abc import Mapping

import polars as pl

from authbench.build.ingest.aliases import Aliases
from authbench.build.ingest.identities import make_identities
from authbench.config.registry.source_entry import Source
from authbench.core.errors import InputError
from authbench.release.format.release import Release

_COLUMNS = ("id", "split", "source", "lang", "author_id")


def look_up(
    release: Release, handle: str, sources: Mapping[str, Source], key: bytes | None, aliases: Aliases
) -> pl.DataFrame:
    """Return the texts of the author whom a handle names, in any of these sources.

    The pseudonym is computed as ingestion computes it, for each language of a source, as names depend on it.

    Args:
        release: with a provenance; the withheld texts of a public bundle are searched too.
        handle: the label of the author in the raw corpus.
        key: of the pseudonyms, if the build had one.
        aliases: spellings of names, as the build had them.

    Returns:
        frame(id, split, source, lang, author_id), sorted by source and id.

    Raises:
        InputError: the release has no text of a source.
    """
    rows = pl.concat([table.select(_COLUMNS) for table in (release.provenance, release.absent)])
    known = sources_of(rows)
    if missing := sorted(sources.keys() - set(known)):
        raise InputError(f"{release.folder}: has no text of {missing[0]}. Its sources: {', '.join(known)}.")
    found = [rows.clear()]
    for (tag, lang), own in rows.filter(pl.col("source").is_in(list(sources))).group_by("source", "lang"):
        author = sources[str(tag)].extraction.author.identified_by(release.setting("ingest.author_ids"))
        identities = make_identities(str(tag), author, key, aliases)
        person = identities.person(handle)
        if person.refusal is None:
            ids = {person.author_id, identities.known(person, handle, str(lang), False)[0]}
            found.append(own.filter(pl.col("author_id").is_in(ids)))
    return pl.concat(found).sort("source", "id")


def sources_of(*tables: pl.DataFrame) -> list[str]:
    """Return the tags of the sources of texts, sorted."""
    return sorted({tag for table in tables for tag in table["source"].unique()})
