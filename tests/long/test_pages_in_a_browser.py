"""The demo's pages in Chromium: axe-core has no serious finding, and nothing is wider than a desktop's page."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browser import Browser
from project import Project
from style_datasets import write_datasets

AXE = "axe-core@4.14.1"  # from npm
TARGETS = ("review", "human_pairs", "raw_statistics", "tables", "style_report", "index")
FOUND = """axe.run().then(({violations}) => violations.filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes[0].html}`))"""
CUT = """[...document.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth).map(
    one => one.textContent.trim().slice(0, 80))"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core."""
    if not (npm := shutil.which("npm")):
        pytest.skip("there is no npm here; apt-get install npm")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run([npm, "install", "--prefix", folder, AXE], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm cannot install {AXE}: {done.stderr:.300}")
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(browser: Browser, axe: str, demo: Project, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Every page of the demo, and an audit of its release."""
    project = demo.copy(tmp_path_factory.mktemp("pages"))
    project.build(*TARGETS, *project.recipe({"style": write_datasets(project.folder)}))
    command = [
        sys.executable,
        "-m",
        "authbench",
        "audit",
        str(project.release),
        "--out",
        str(project.results / "audit"),
    ]
    subprocess.run(command, cwd=project.folder, check=True)
    sheets = {path for path in project.results.glob("[rh]*/??.html") if path.stem not in ("en", "zh")}
    return sorted({*project.results.glob("**/*.html")} - sheets)


def serious(browser: Browser, axe: str) -> list[str]:
    """Return the serious findings of axe-core on the open page."""
    expression = f"{axe}; {FOUND}"
    answer = browser.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
    return [str(found) for found in answer["result"]["value"]]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_pages_have_no_serious_finding_and_fit(
    pages: list[Path], browser: Browser, axe: str, tmp_path: Path, width: int, scheme: str
) -> None:
    faults = {}
    for path in pages:
        browser.open(path, tmp_path)
        browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.send("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        browser.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found = serious(browser, axe) + (browser.value(CUT) if width == 1280 else [])
        if browser.value("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            found.append("the page is wider than the window")
        if found:
            faults["/".join(path.parts[-2:])] = found
    assert faults == {}, json.dumps(faults, indent=1)
    assert {"audit", "leaderboard", "release", "raw", "report", "review", "tables"} <= {
        path.parent.name for path in pages
    }
