"""Does the site hold every page, command and function, and open without a network?"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import authbench
from authbench.app.cli import COMMANDS
from authbench.config.clauses import clauses

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("furo", reason="the extra `docs` is not installed")
    folder = tmp_path_factory.mktemp("site")
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "-c", "envs/site"]
    done = subprocess.run(
        [*sphinx, "-d", folder / "cache", ".", folder / "site"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr  # a link to a page or heading that is absent is a warning, -W an error
    return folder / "site"


def test_the_site_has_every_page(site):
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    contents = (site / "index.html").read_text(encoding="utf-8")
    assert [page for page in pages[1:] if f'href="{page.relative_to(ROOT).with_suffix(".html")}"' not in contents] == []
    assert (site / "index.html").read_bytes() == (site / "README.html").read_bytes()


def test_the_site_has_every_command_setting_and_function(site):
    commands = (site / "docs/commands.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f'<section id="{name.replace(" ", "-")}">' not in commands] == []
    assert commands.count("exit status:") == len(COMMANDS)
    functions = (site / "docs/python.html").read_text(encoding="utf-8")
    assert [name for name in authbench.__all__ if f'id="authbench.app.api.{name}"' not in functions] == ["__version__"]
    listed = (site / "docs/clauses.html").read_text(encoding="utf-8")
    assert listed.count("<tr") == len(clauses()) + 1
    assert "threshold" in (site / "docs/settings.html").read_text(encoding="utf-8")


def test_no_page_of_the_site_loads_anything_from_elsewhere(site):
    loads = re.compile(
        r'<(?:script|img|iframe|source)[^>]+src="(?:https?:)?//|<link[^>]+stylesheet[^>]+href="(?:https?:)?//'
    )
    assert [page for page in site.rglob("*.html") if loads.search(page.read_text(encoding="utf-8"))] == []
    assert (site / "searchindex.js").read_text(encoding="utf-8").startswith("Search.setIndex(")
