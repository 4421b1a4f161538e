"""Settings of Sphinx for `make docs`: the pages at their places in the repository, the commands' help and the API."""

import io
import os
import shutil
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "workflow"))
os.environ["COLUMNS"] = "90"  # of the help, whatever the terminal
from authbench.app.cli import COMMANDS, main  # noqa: E402
from authbench.config import clauses  # noqa: E402

project = "AuthBench"
html_theme = "furo"
html_show_copyright = html_copy_source = False
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
default_role = "code"  # what backticks are in docstrings
autodoc_typehints = "none"  # signatures have them
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # of languages that Pygments lacks, such as csv
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "resources/submissions/README.md"]
exclude_patterns = [".*", "config", "envs", "node_modules", "profiles", "results", "tests", "workflow"]
# By a reader's question, then by page.
CONTENTS = {
    "Start": ["docs/installing", "docs/glossary"],
    "Score a model": ["docs/evaluation", "docs/style", "docs/tables"],
    "Audit a dataset": ["docs/auditing"],
    "Build a benchmark": [
        *("docs/adding-a-source", "docs/sources", "docs/acquiring", "docs/settings"),
        *("docs/how-it-works", "docs/toxicity", "docs/reviewing"),
    ],
    "Compare verifiers": ["docs/pan", "docs/raven"],
    "Publish a release": ["docs/release-format", "docs/publishing", "docs/reliability"],
    "Run it at size": ["docs/scaling", "docs/cluster", "docs/deploying", "docs/benchmarks"],
    "Extend it": ["docs/plug-ins", "docs/testing", "CONTRIBUTING", "resources/submissions/README"],
    "Look up": ["docs/commands", "docs/python", "docs/clauses", "CHANGELOG", "SECURITY"],
    "Measured": ["docs/measured/*", "docs/audits/README", "docs/audits/*/*"],
}


def setup(app: Sphinx) -> None:
    """Have pages completed when Sphinx reads them, and README shown where a server looks for a first page."""
    app.connect("source-read", _complete)
    app.connect("build-finished", lambda app, _: shutil.copy(app.outdir / "README.html", app.outdir / "index.html"))


def _complete(app: Sphinx, page: str, text: list[str]) -> None:
    """Add the contents to README, and to pages that are generated what they list."""
    if page == root_doc:
        text[0] += "".join(
            f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
            for caption, pages in CONTENTS.items()
        )
    elif page == "docs/settings":
        defaults = (ROOT / "config/config.yaml").read_text(encoding="utf-8")
        text[0] += f"\n## All settings\n\n```yaml\n{defaults}```\n"
    elif page == "docs/clauses":
        text[0] = clauses.page()
    elif page == "docs/commands":
        text[0] += "".join(f"\n## {name}\n\n```text\n{help_of(name)}```\n" for name in COMMANDS)


def help_of(command: str) -> str:
    """Return what `authbench COMMAND --help` prints."""
    with redirect_stdout(io.StringIO()) as printed, suppress(SystemExit):
        main([*command.split(), "--help"])
    return printed.getvalue()
