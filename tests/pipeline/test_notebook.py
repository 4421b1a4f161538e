"""The notebook of the documentation runs on the demo, cell by cell."""

import ast
import json
from pathlib import Path

import authbench

NOTEBOOK = Path(__file__).parents[2] / "docs/first-look.ipynb"


def run_cell(source, names):
    """Run a cell and return the value of its last expression, as a notebook shows it."""
    body = ast.parse(source)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    exec(compile(body, str(NOTEBOOK), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names) if last else None


def test_the_notebook_shows_the_demo_and_scores_a_model(demo, monkeypatch):
    monkeypatch.chdir(demo.folder / "config")
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    names = {}
    shown = [run_cell("".join(cell["source"]), names) for cell in cells]
    assert len(shown) == 10 and all(cell["outputs"] == [] for cell in cells)
    assert isinstance(shown[0], authbench.app.api.Release) and shown[1] == []
    languages, headlines, intervals, lengths = shown[3], *shown[-3:]
    assert languages["texts"].sum() == names["texts"].height
    assert set(headlines["model"]) == {"letters", "tfidf", "metadata"}
    assert (intervals["low"] <= intervals["value"]).all() and (intervals["value"] <= intervals["high"]).all()
    assert lengths.height and lengths["S@5"].null_count() < lengths.height
