"""Look up known sources by tag or path, and check them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from authbench.config.plugins import plugin_problems
from authbench.config.registry.citations import bibliography, citation_problem
from authbench.config.registry.entries import Settings
from authbench.config.registry.expressions import shown_author
from authbench.config.registry.licences import licence_problem
from authbench.config.registry.load import EntryKind, list_entries, load_entries
from authbench.config.registry.readers import entry_schema, plugins_of
from authbench.config.registry.source_entry import Extraction, Source, make_source

ESTIMATED_FROM = {"same_item": "item", "account": "account"}


def _problems(entry: Settings) -> Iterator[str]:
    if problem := licence_problem(entry["license"]["name"]):
        yield f"license.name: {problem}"
    if "cite" in entry and (problem := citation_problem(entry["cite"])):
        yield f"cite: {problem}"
    yield from plugin_problems("reader.name", "readers", plugins_of(entry["reader"]))
    yield from shown_author(entry)
    yield from _absent_field(entry)


def _absent_field(entry: Settings) -> Iterator[str]:
    """Yield a problem if the estimate of the labels' noise needs a field missing from the entry."""
    estimator = entry["author"].get("impurity", {}).get("estimator")
    field = ESTIMATED_FROM.get(estimator)
    if field and field not in entry["fields"]:
        yield (
            f"author.impurity: the estimator {estimator} compares texts by fields.{field}, which is not there. Add it, "
            "or leave author.impurity out: the source's labels are unmeasured then."
        )


def source_schema() -> Settings:
    """Return the JSON Schema of config/sources/<tag>.yaml."""
    return entry_schema(Source, Extraction)


SOURCES = EntryKind("source", "sources", source_schema, lambda tag, entry, _: make_source(tag, entry), _problems)


def find_sources(tags: Sequence[str] = (), base: Path = Path()) -> dict[str, Source]:
    """Return these sources by their tags; all if none is named. Raises InputError with the problems of all."""
    sources = load_entries(SOURCES, tags or list_entries(SOURCES, base), base).values()
    bibliography({source.tag: source.cite for source in sources})
    return {source.tag: source for source in sources}
