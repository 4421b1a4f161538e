"""Present all tables and figures as one HTML page that loads no resources, and as one LaTeX document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from authbench.presentation.charts import Chart
from authbench.presentation.latex import escaped
from authbench.presentation.pages import environment, pictures
from authbench.presentation.tables import Table

_DOCUMENT = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\fi
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs,graphicx,xcolor}
\begin{document}
"""


@dataclass(frozen=True)
class Part:
    """Hold a part of the page: its tables, its figures, and further files by name."""

    title: str
    tables: Sequence[Table]
    charts: Sequence[Chart]
    files: Mapping[str, str] = field(default_factory=dict)


def render(name: str, parts: Sequence[Part], lacking: Mapping[str, str], back: str = "") -> str:
    """Return the page; `lacking` lists what is missing, with reasons; `back` links to the index of the run."""
    shown = [(part.title, part.tables, pictures(part.charts), list(part.files)) for part in parts]
    return environment().get_template("tables.html.j2").render(back=back, name=name, parts=shown, lacking=dict(lacking))


def document(tables: Sequence[Table], charts: Sequence[Chart]) -> str:
    """Return a LaTeX document that includes every table and figure, to compile in their folder."""
    lines = [rf"\input{{tables/{table.name}.tex}}\clearpage" for table in tables]
    for chart in charts:
        caption = f"{escaped(chart.title)}. {escaped(chart.description)}"
        lines += [
            r"\begin{figure}\centering",
            rf"\includegraphics[width=\linewidth]{{figures/{chart.name}.pdf}}",
            rf"\caption{{{caption}}}\label{{fig:{chart.name.replace('_', '-')}}}",
            r"\end{figure}\clearpage",
        ]
    return _DOCUMENT + "\n".join(lines) + "\n" + r"\end{document}" + "\n"
