"""Tables for readers: letters, empty columns, signs, and LaTeX that can be pasted."""

import re
import shutil
import subprocess
from itertools import combinations

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.core.presentation.latex import as_latex
from authbench.core.presentation.numbers import decimals, limits, signed
from authbench.core.presentation.tables import (
    BEST,
    SECOND,
    Cell,
    Column,
    Row,
    Table,
    as_markdown,
    without_empty_columns,
)
from authbench.reports.leaderboard.pairwise import letters

HOSTILE = 'a_b%{}$#&~^\\ <i> |x| "q" – − ± ² ≥'
COLUMNS = [Column("model", words=True), Column("AUC", more_is_better=True), Column("EER", more_is_better=False)]


def table(*rows, notes=(), title="Scores"):
    return Table("some_scores", title, COLUMNS, rows, pl.DataFrame(), notes)


ROWS = (
    Row([Cell("one"), Cell("0.7", 0.7, BEST, interval="[.60, .80]", letters="a"), Cell("0.2", 0.2)], "x"),
    Row([Cell("two"), Cell("-0.5", -0.5, SECOND, interval="[-.60, .10]", letters="ab"), Cell("0.1", 0.1)], "y"),
    Row([Cell("three"), Cell("-0.6", -0.6, grey=True), Cell("–")], "x"),
)


@given(st.integers(1, 7), st.data())
def test_two_models_share_a_letter_unless_they_differ(count, data):
    models = [f"m{number}" for number in range(count)]
    pairs = list(combinations(models, 2))
    differing = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    found = letters(models, differing)
    assert all(found[model] for model in models)
    for one, other in pairs:
        assert bool(set(found[one]) & set(found[other])) == ((one, other) not in differing)
    assert letters(models, [pair[::-1] for pair in reversed(differing)]) == found


def test_the_best_model_has_the_first_letter():
    assert letters(["z", "a"], [("a", "z")]) == {"z": "a", "a": "b"}


def test_so_many_groups_that_letters_run_out_have_none():
    models = [f"m{number}" for number in range(40)]
    assert letters(models, [(one, other) for one, other in combinations(models, 2)]) == {}


def test_a_column_without_a_value_goes_and_its_reason_is_told():
    rows = [Row([Cell("one"), Cell("0.7", 0.7), Cell("–")]), Row([Cell("two"), Cell("0.6", 0.6), Cell("–")])]
    held = without_empty_columns(table(*rows), {"EER": "no pair has negatives"})
    assert [column.heading for column in held.columns] == ["model", "AUC"]
    assert [len(row.cells) for row in held.rows] == [2, 2]
    assert list(held.notes) == ["Not shown: EER, as no pair has negatives."]
    full = table(*ROWS)
    assert without_empty_columns(full, {}) is full


def test_rows_of_a_group_stand_together_in_files():
    for written in (as_latex(table(*ROWS)), as_markdown(table(*ROWS))):
        assert written.index("one") < written.index("three") < written.index("two")


def test_latex_has_intervals_letters_arrows_and_mathematical_minus_signs():
    written = as_latex(table(*ROWS))
    assert r"AUC $\uparrow$ & EER $\downarrow$" in written
    assert r"\textbf{0.7}$^{\mathrm{a}}$ {\scriptsize [.60, .80]}" in written
    assert r"\underline{$-$0.5}$^{\mathrm{ab}}$ {\scriptsize [$-$.60, .10]}" in written
    assert r"\textcolor{gray}{$-$0.6}" in written
    assert r"\caption{Scores}" in written and r"\label{tab:some-scores}" in written


@cases
def test_only_the_hyphen_of_a_negative_number_is_a_minus(words, shown):
    assert signed(words) == shown


def test_limits_have_no_nought_before_the_point():
    assert limits(-0.25, 1.0) == "[-.25, 1.00]" and limits(None, 1.0) == ""


def test_braces_and_mathematics_of_latex_are_closed():
    written = as_latex(
        table(*ROWS, Row([Cell(HOSTILE), Cell("1", 1.0), Cell("1", 1.0)]), notes=(HOSTILE,), title=HOSTILE)
    )
    plain = re.sub(r"\\[\\{}$%&#_]", "", written)
    depth = 0
    for char in plain:
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0 and plain.count("$") % 2 == 0


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_latex_compiles_as_it_is_pasted(tmp_path):
    hostile = Row([Cell(HOSTILE), Cell("1", 1.0), Cell("1", 1.0)], HOSTILE)
    written = as_latex(table(*ROWS, hostile, notes=(HOSTILE * 5,), title=HOSTILE))
    packages = written.splitlines()[0].removeprefix("% ")
    page = "\n".join([r"\documentclass{article}", packages, r"\begin{document}", written, r"\end{document}"])
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "Overfull" not in ran.stdout


def test_a_number_above_nought_is_never_shown_as_nought():
    assert decimals(0.0004) == "<0.001" and decimals(0.0) == "0.000" and decimals(0.0006) == "0.001"
    assert decimals(0.0004, signed=True) == "+0.000"
