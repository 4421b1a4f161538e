"""Check the figures and the report of a release against its data: draw them again and compare.

The findings of earlier stages (raw files, copies, toxicity rates, balance of splits) exist only in the report. These
parts are not compared, nor are titles and descriptions of sources.
"""

import html
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

import jinja2
import polars as pl

from authbench.build.release import statistics
from authbench.core.errors import InputError
from authbench.core.extras import absent
from authbench.core.printable import printable
from authbench.core.storage.sha256sums import SUMS
from authbench.core.version import VERSION
from authbench.release.checking import Violation, group
from authbench.release.checking.claims import Finding
from authbench.release.checking.measures import uncheckable
from authbench.release.format import files
from authbench.release.format.columns import STATISTICS
from authbench.release.format.release import Release, open_complete_release, read_manifest

_NOT_IN_FORM = (
    InputError,
    OSError,
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    pl.exceptions.PolarsError,
    jinja2.TemplateError,
)
_PIXELS = 1.0  # difference allowed between versions of the drawing library
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_STATED_NOWHERE_ELSE = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r' ?<span class="tag alert">noisy(?: in [^<]{1,12})?</span>',
        r'<details class="plain"><summary>What the raw files held</summary>(?:(?!</details>).)*</details>',
        r'(?<=</table></div>\n)<p dir="auto">[^<]*</p>',
        r'<dl class="facts">(?:(?!</dl>).)*</dl>(?=\s*<h2 id="copies">)',
        r'<div class="scroll"[^>]*><table class="narrow">(?:(?!</table>).)*</table></div>(?=\s*<h2 id="safety">)',
        r'<div class="scroll"[^>]*><table><thead><tr><th>Language</th><th[^>]*>Scored(?:(?!</table>).)*</table></div>',
    )
]


def check_drawings(folder: Path) -> list[Violation]:
    """Return the claims violated by figures and report of a release of this version.

    Releases of another version are drawn and worded differently and are not compared (`_is_compared`).
    """
    if not _is_compared(folder):
        return []
    findings: list[Finding] = []
    for claim, check in (("figures", _check_figures), ("report", _check_report)):
        try:
            findings += check(open_complete_release(folder))
        except _NOT_IN_FORM as problem:
            findings.append(Finding(claim, claim, f"what it is drawn from is not in its form: {problem!r:.120}"))
    return list(group(findings))


def _is_compared(folder: Path) -> bool:
    """Return whether a folder holds a complete release that this version of AuthBench drew and can draw here."""
    drawn = read_manifest(folder).get("authbench") == VERSION and (folder / files.PROVENANCE).is_file()
    return drawn and not absent("matplotlib")


def unchecked(folder: Path) -> list[str]:
    """Return in words what cannot be checked, because the release has no record of it."""
    manifest = read_manifest(folder)
    missing = {
        files.MANIFEST: "settings, counts and files, as there is no manifest.json of AuthBench",
        files.PROVENANCE: "origins, measurements and licences, as there is no provenance.parquet",
        SUMS: "whether files were changed, as there is no SHA256SUMS",
    }
    lines = [what for name, what in missing.items() if not (folder / name).is_file()]
    if manifest and "authbench" not in manifest:
        lines.insert(0, missing[files.MANIFEST])
    if manifest.get("authbench", VERSION) != VERSION:
        lines.append(f"figures and report, as they are of AuthBench {printable(str(manifest['authbench']))}")
    elif problem := absent("matplotlib"):
        lines.append(f"figures and report: {problem}")
    plugged = uncheckable(manifest).items()
    return [*lines, *(printable(f"filter.plugins.{name}, {why}") for name, why in plugged if why)]


def _check_figures(release: Release) -> Iterator[Finding]:
    from authbench.core.presentation.charts import as_svg
    from authbench.reports.report import figures
    from authbench.reports.report.write import queries_of

    empty = statistics.tables(release.provenance.clear(), queries_of(release).clear(), release.splits)
    read = {name: pl.read_csv(release.folder / "statistics" / f"{name}.csv") for name in STATISTICS}
    tables = {name: table if table.height else empty.get(name, table) for name, table in read.items()}
    for chart in figures.charts(tables, pl.read_csv(release.folder / files.FUNNEL)):
        path = release.folder / "figures" / f"{chart.name}.svg"
        if not path.is_file():
            yield Finding("figures", chart.name, f"{path.name} is missing")
        elif not _same_picture(path.read_text(encoding="utf-8", errors="replace"), as_svg(chart)):
            yield Finding("figures", chart.name, f"{path.name} shows something else")


def _same_picture(one: str, other: str) -> bool:
    """Return whether two pictures have the same elements and words, and lines and positions equal within a pixel."""
    return one == other or (
        _elements(one) == _elements(other)
        and _words(one) == _words(other)
        and all(abs(a - b) <= _PIXELS for a, b in zip_longest(_places(one), _places(other), fillvalue=1e9))
    )


def _elements(svg: str) -> set[str]:
    return set(re.findall(r"<(\w+)", svg)) | set(re.findall(r'\s([\w:-]+)="', svg))


def _words(svg: str) -> list[str]:
    return [text for text in re.findall(r">([^<]*)<", svg) if text.strip()]


def _places(svg: str) -> list[float]:
    drawn = " ".join(re.findall(r'\s(?:d|x|y)="([^"]*)"', svg))
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", drawn)]


def _check_report(release: Release) -> Iterator[Finding]:
    from authbench.reports.report.page import render
    from authbench.reports.report.stated import stated_facts, stated_sources
    from authbench.reports.report.write import queries_of

    path = release.folder / files.REPORT
    if not path.is_file():
        yield Finding("report", files.REPORT, "it is missing")
        return
    page = path.read_text(encoding="utf-8", errors="replace")
    drawn = render(release.provenance, queries_of(release), stated_sources(release), stated_facts(release))
    stated = zip_longest(_SVG.findall(page), _SVG.findall(drawn), fillvalue="")
    if not all(_same_picture(one, other) for one, other in stated):
        yield Finding("report", "pictures", "a picture shows something else")
    yield from (Finding("report", line, line) for line in _differences(_lines(page), _lines(drawn)))


def _lines(page: str) -> list[str]:
    """Return the lines of a report that must agree with its release."""
    page = _SVG.sub("", page)
    for pattern in _STATED_NOWHERE_ELSE:
        page = pattern.sub("", page)
    return [line for line in map(str.strip, page.splitlines()) if line]


def _differences(stated: Iterable[str], drawn: Iterable[str]) -> Iterator[str]:
    differ = ((one, other) for one, other in zip_longest(stated, drawn, fillvalue="") if one != other)
    for one, other in list(differ)[:3]:
        yield (_plain(one) or _plain(other) or "markup")[:80]


def _plain(line: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", line)).split())
