"""Every clause of the paper and its plan is kept by something that exists, with the number that it states."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from authbench.app.cli import COMMANDS
from authbench.config.clauses import clauses, default_of, page, state_of
from authbench.config.registry.entries import default_settings, fidelity_settings
from authbench.config.registry.sources import find_sources
from authbench.publish.export.run import FORMS
from authbench.release.checking.settings import merged, read_settings
from authbench.release.format.columns import PROVENANCE, SPLIT_TABLES
from authbench.release.format.files import RELEASE_FILES

ROOT = Path(__file__).parents[2]
RULES = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow").rglob("*.smk"))
RULES += (ROOT / "workflow/Snakefile").read_text(encoding="utf-8")
SOURCE = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow/authbench").rglob("*.py"))
TABLES = {**SPLIT_TABLES, "provenance": PROVENANCE}
CLAUSES = clauses()


def named(clause):
    kind, name = clause["by"].split(" ", 1)
    return kind, name


def resolved(fidelity):
    return merged({**default_settings()}, fidelity_settings(fidelity))


def value_of(settings, name):
    for key in name.split("."):
        settings = settings[key]
    return settings


def exists(kind, name):
    table, _, column = name.partition(".")
    module, _, attribute = name.rpartition(".")
    known = {
        "rule": lambda: re.search(rf"^rule {name}:$", RULES, re.MULTILINE),
        "command": lambda: name in COMMANDS,
        "source": lambda: find_sources([name]),
        "form": lambda: name in FORMS,
        "file": lambda: name in RELEASE_FILES or (ROOT / name).is_file(),
        "column": lambda: column in TABLES[table].names,
        "reason": lambda: f'"{name}"' in SOURCE,
        "code": lambda: hasattr(import_module(f"authbench.{module}"), attribute),
        "setting": lambda: (default_of(name), True)[1],
    }
    return bool(known[kind]())


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: f"{clause['where']} {clause['clause'][:30]}")
def test_a_clause_is_kept_by_what_it_names_with_the_values_that_it_states(clause):
    assert clause.keys() <= {"where", "clause", "by", "plan", "paper", "reveals"}
    kind, name = named(clause)
    assert exists(kind, name)
    stated = {source: clause[source] for source in ("plan", "paper") if source in clause}
    assert not stated or kind == "setting"
    for source, value in stated.items():
        found = value_of(resolved(source), name)
        assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("fidelity", ["plan", "paper"])
def test_every_value_that_fidelity_chooses_is_one_of_a_clause_or_ours_to_leave_out(fidelity):
    stated = {named(clause)[1] for clause in CLAUSES if fidelity in clause}
    settings = fidelity_settings(fidelity)
    chosen = {f"{name}.{key}" for name, held in settings.items() if isinstance(held, dict) for key in held}
    chosen |= {name for name, held in settings.items() if not isinstance(held, dict)}
    assert chosen - stated <= OURS
    assert chosen & stated


OURS = {  # details of a clause on another setting, and rules of ours that are switched off
    "authors.max_impurity",
    "ingest.author_genres",
    "ingest.fine_genres",
    "normalize.own_name",
    "normalize.signatures",
    "normalize.edition_marks",
    "filter.preset",
    "filter.single_letter_words",
    "sample.shortfall",
    "sample.spread",
    "release.min_documents_for_query",
    "release.min_letters_for_query",
}


def test_what_reveals_authors_is_no_default_and_the_recipe_of_the_plan_states_ours():
    recipe = read_settings(ROOT / "config/recipes/authbench-100k.yaml")
    revealing = [clause for clause in CLAUSES if "reveals" in clause]
    assert {named(clause)[1] for clause in revealing} == {"release.ids", "split.unit"}
    for clause in revealing:
        section, key = named(clause)[1].split(".")
        assert clause["plan"] != default_of(f"{section}.{key}") == recipe[section][key]


def test_the_page_has_a_row_for_each_clause_with_its_state_and_values():
    rows = [line for line in page().splitlines() if line.startswith("| ")][2:]
    assert len(rows) == len(CLAUSES) == 125
    assert all(row.count(" | ") == 6 for row in rows)
    states = [state_of(clause) for clause in CLAUSES]
    assert [row.split(" | ")[2] for row in rows] == states and set(states) == {"works", "switch"}
    (ids,) = [row for row in rows if "`release.ids`" in row]
    assert '`"hashed"` | `"sorted"` | `"hashed"` |' in ids
