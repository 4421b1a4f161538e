"""The demo's pages in Chromium: axe-core has no serious finding, and nothing is wider than a desktop's page."""

import json
import shutil
import subprocess
import sys

import pytest
from style_datasets import write_datasets

AXE = "axe-core@4.14.1"  # from npm
TARGETS = ("review", "human_pairs", "raw_statistics", "tables", "style_report", "index")
FOUND = """axe.run().then(({violations}) => violations.filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes[0].html}`))"""
TINY = """[...document.querySelectorAll("svg text")].filter(({ownerSVGElement: svg, style}) =>
    parseFloat(style.fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width < 10.99).map(
    one => `small: ${one.textContent}`)"""
CUT = """[...document.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth).map(
    one => one.textContent.trim().slice(0, 80))"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """The script of axe-core."""
    if not (npm := shutil.which("npm")):
        pytest.skip("there is no npm here; apt-get install npm")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run([npm, "install", "--prefix", folder, AXE], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm cannot install {AXE}: {done.stderr:.300}")
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(browser, axe, demo, tmp_path_factory):
    """Every page of the demo, an audit of its release, and an explorer's index and first queries."""
    project = demo.copy(tmp_path_factory.mktemp("pages"))
    project.build(*TARGETS, *project.recipe({"style": write_datasets(project.folder)}))
    scores = [project.results / "evaluate" / name for name in ("tfidf", "metadata")]
    for command in (
        ["audit", project.release, "--out", project.results / "audit"],
        ["explore", *scores, "--release", project.release, "--out", project.results / "explorer"],
    ):
        subprocess.run([sys.executable, "-m", "authbench", *map(str, command)], cwd=project.folder, check=True)
    sheets = {path for path in project.results.glob("[rh]*/??.html") if path.stem not in ("en", "zh")}
    return sorted({*project.results.glob("**/*.html")} - sheets - {*project.results.glob("explorer/*-00[2-9].html")})


def serious(browser, axe):
    """Return the serious findings of axe-core on the open page."""
    expression = f"{axe}; {FOUND}"
    answer = browser.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
    return [str(found) for found in answer["result"]["value"]]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_pages_have_no_serious_finding_and_fit(pages, browser, axe, tmp_path, width, scheme):
    faults = {}
    for path in pages:
        browser.open(path, tmp_path)
        browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.send("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        browser.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found = serious(browser, axe) + browser.value(CUT if width == 1280 else TINY)
        if browser.value("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            found.append("the page is wider than the window")
        if found:
            faults["/".join(path.parts[-2:])] = found
    assert faults == {}, json.dumps(faults, indent=1)
    assert {"audit", "explorer", "leaderboard", "release", "raw", "report", "review", "tables"} <= {
        path.parent.name for path in pages
    }


CHOOSE = """(column, value) => {
    const select = document.querySelectorAll("table.filtered select")[column];
    select.value = value; select.dispatchEvent(new Event("change")); }"""
CELLS = """at => [...document.querySelectorAll("table.filtered tbody tr")].filter(row => row.checkVisibility()).map(
    row => row.cells[at].textContent)"""


def test_tables_are_filtered_and_sorted_by_a_reader(pages, browser, tmp_path):
    by_folder = {path.parent.name: path for path in pages if path.name == "index.html"}
    browser.open(by_folder["leaderboard"], tmp_path)
    browser.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    assert browser.value("document.querySelector('table.filtered th.group select').checkVisibility()")
    assert set(browser.value(f"({CELLS})(2)")) == {"all texts"} and len(browser.value(f"({CELLS})(1)")) > 2
    browser.value(f"({CHOOSE})(1, 'language: English'); ({CHOOSE})(0, 'control')")
    assert set(browser.value(f"({CELLS})(2)")) == {"language: English"} and set(browser.value(f"({CELLS})(1)")) == {
        "control"
    }
    browser.value("document.querySelectorAll('table.filtered th button')[3].click()")
    numbers = [float(cell.split("[")[0]) for cell in browser.value(f"({CELLS})(3)") if "–" not in cell]
    assert len(numbers) > 2 and numbers == sorted(numbers, reverse=True)
    browser.open(by_folder["explorer"], tmp_path)
    browser.value(f"({CHOOSE})(3, 'wrong')")
    ranks = browser.value(f"({CELLS})(4)")
    assert ranks and "1" not in ranks
    assert browser.value("document.getElementById('shown').textContent").startswith(f"Shown: {len(ranks)} of ")
