"""What computes knows nothing of what is shown: a colour, a template or a table's writer reruns reports alone."""

import ast
import re

import pytest

from authbench.core.presentation.pages import environment
from authbench.core.runtime.code import closure
from authbench.core.shipped import shipped

# Rules whose jobs write charts, tables or pages for readers, or the card of a bundle.
PRESENTING = {
    "index",
    "render_report",
    "raw_statistics",
    "write_sheets",
    "write_pair_sheets",
    "leaderboard",
    "tables",
    "draw_curves",
    "pan",
    "raven_report",
    "style_report",
    "bundle_release",
    "export_release",
}
LIBRARIES = {"matplotlib", "jinja2", "markupsafe"}
NAMED = re.compile(r"figure|chart|svg|.*page")
ADAPTERS = {path.stem: path for path in sorted(shipped("scripts").glob("*.py"))}


def presents(module, path):
    """Return whether a module is presentation: by its room, its name, or a library that it imports."""
    names = module.split(".")[1:]
    return "presentation" in names or any(NAMED.match(name) for name in names) or bool(LIBRARIES & imported(path))


def imported(path):
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in plain | named}


def shown_by(rule):
    return {module for module, path in closure(ADAPTERS[rule]).items() if presents(module, path)}


@pytest.mark.parametrize("rule", sorted(ADAPTERS.keys() - PRESENTING))
def test_a_rule_that_computes_reaches_no_module_that_presents(rule):
    assert shown_by(rule) == set()


@pytest.mark.parametrize("rule", sorted(PRESENTING))
def test_a_rule_that_is_said_to_present_does(rule):
    assert shown_by(rule)


def test_modules_are_told_apart_by_room_name_and_library(tmp_path):
    drawing, plain = tmp_path / "drawing.py", tmp_path / "plain.py"
    drawing.write_text("def draw():\n    from matplotlib.figure import Figure\n", encoding="utf-8")
    plain.write_text("import numpy\n", encoding="utf-8")
    assert presents("authbench.suites.pan.any", drawing)
    assert presents("authbench.core.presentation.tables", plain)
    assert presents("authbench.suites.pan.figures", plain) and presents("authbench.suites.raven.page", plain)
    assert not presents("authbench.scoring.metrics.pan", plain)


def test_pages_show_a_p_by_one_function():
    values = environment().from_string("{{ a|p }} {{ b|p }} {{ c|p }}").render(a=0.00004, b=0.0321, c=None)
    assert values == "&lt; .001 .032 –"
    formatted = re.compile(r"format\([\w.]*\bp(?:_\w+)?\)")
    assert formatted.search('{{ "%.4f"|format(pair.p_holm) }}')
    for template in sorted(shipped("templates").glob("*.j2")):
        assert not formatted.search(template.read_text(encoding="utf-8")), template.name
