"""Render HTML pages from jinja2 templates: values are escaped, and a missing value is an error."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, NamedTuple

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.numbers import p_value, signed
from authbench.core.presentation.palette import CONTROLS, Mark, mark_of
from authbench.core.printable import inert_markdown
from authbench.core.shipped import shipped
from authbench.core.storage.atomic import write_text

if TYPE_CHECKING:  # pages without charts avoid importing matplotlib, which takes almost a second
    from authbench.core.presentation.charts import Chart

TEMPLATES = shipped("templates")


class _Compiled(jinja2.BytecodeCache):
    """The templates compiled by this process, by name and text."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.known.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        assert bucket.code
        self.known[bucket.key, bucket.checksum] = bucket.code


_COMPILED = {markdown: _Compiled() for markdown in (False, True)}  # escaping is part of the compiled code


class Script(NamedTuple):
    """A script of the package in a page, and the only script source that the page's policy allows."""

    text: Markup
    hash: str


@cache
def script(name: str) -> Script:
    """Return a script from the template folder."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Script(Markup(text), f"sha256-{digest}")  # noqa: S704  (the package's)


def environment(markdown: bool = False, marks: Mapping[str, Mark] | None = None) -> jinja2.Environment:
    """Return the environment of all templates, which escapes every value for HTML or Markdown.

    Args:
        marks: of systems whose marks on this page differ from their default (`palette.marks_of`).
    """
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=not markdown,
        finalize=_in_markdown if markdown else None,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=markdown,
        bytecode_cache=_COMPILED[markdown],
    )
    found.filters |= {"minus": signed, "p": p_value, "svg": _svg}
    found.globals |= {"script": script, "control_groups": CONTROLS}
    own = marks or {}
    found.globals["colour_of"] = lambda model: (own.get(model) or mark_of(model)).colour
    return found


def _svg(chart: "Chart") -> Markup:
    from authbench.core.presentation.charts import as_svg

    return Markup(as_svg(chart))


def _in_markdown(value: object) -> object:
    """Return a text with Markdown and HTML markup escaped; other values and safe strings are unchanged."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return inert_markdown(value)


def write_charts(folder: Path, charts: "Iterable[Chart]", more: Iterable[str] = ("png",)) -> None:
    """Write `<name>.svg` of each chart into the folder, `<name>.csv` if it has data, and files with these endings."""
    from authbench.core.presentation.charts import as_file, as_svg

    for chart in charts:
        write_text(folder / f"{chart.name}.svg", as_svg(chart))
        if chart.data is not None:
            write_text(folder / f"{chart.name}.csv", as_csv(chart.data))
        for ending in more:
            (folder / f"{chart.name}.{ending}").write_bytes(as_file(chart, ending))
