"""HTML pages from jinja2 templates: values are escaped, and a missing value is an error."""

from collections.abc import Iterable
from pathlib import Path

import jinja2
from markupsafe import Markup

from authbench.presentation.charts import Chart, as_pdf, as_svg
from authbench.shipped import shipped
from authbench.storage.atomic import write_text

TEMPLATES = shipped("templates")


def environment(markdown: bool = False) -> jinja2.Environment:
    """Return the environment of all templates; for Markdown, without escaping."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=not markdown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=markdown,
    )


def write_charts(folder: Path, charts: Iterable[Chart], pdf: bool = False) -> None:
    """Write `<name>.svg` of each chart into the folder and, if requested, `<name>.pdf`."""
    for chart in charts:
        write_text(folder / f"{chart.name}.svg", as_svg(chart))
        if pdf:
            (folder / f"{chart.name}.pdf").write_bytes(as_pdf(chart))


def pictures(charts: Iterable[Chart]) -> list[tuple[str, Markup]]:
    """Return title and SVG of each chart, for an HTML page."""
    return [(chart.title, Markup(as_svg(chart))) for chart in charts]
