"""Every page of a run links to the one that lists them all."""

import re
from pathlib import Path

import pytest

from authbench.core.shipped import shipped
from authbench.reports.overview.parts import INDEX, back_link

RULES = shipped("scripts").parent / "rules"
PAGE = re.compile(r'(?:result|back_link)\("([^"]+\.html)"\)')
PAGES = sorted(
    {(path.stem, page) for path in RULES.glob("*.smk") for page in PAGE.findall(path.read_text(encoding="utf-8"))}
)


@pytest.mark.parametrize(("rules", "page"), PAGES)
def test_a_rule_gives_its_page_the_link_to_the_index(rules, page):
    assert Path("/run", page).parent.joinpath(back_link(page)).resolve() == Path("/run", INDEX)
    if page == "release/report.html":  # the same wherever the release is: its template holds the link
        assert f'href="{back_link(page)}"' in (shipped("templates") / "report.html.j2").read_text(encoding="utf-8")
    else:
        assert f'back=back_link("{page}")' in (RULES / f"{rules}.smk").read_text(encoding="utf-8")


def test_all_suites_with_a_page_are_held_to_it():
    assert {rules for rules, _ in PAGES} >= {"evaluate", "pan", "raven", "raw", "release", "style"}


LINKING = ('href="{{ back }}"', 'href="../index.html"', 'href="index.html"')
TEMPLATES = {path.name: path.read_text(encoding="utf-8") for path in shipped("templates").glob("*.html.j2")}


def with_ancestors(template):
    """Return the words of a template and of those that it extends."""
    words = TEMPLATES[template]
    extended = re.search(r'{% extends "([^"]+)" %}', words)
    return words + (with_ancestors(extended[1]) if extended else "")


@pytest.mark.parametrize(
    "template", sorted(name for name in TEMPLATES if "<html" in with_ancestors(name))
)  # the others hold macros
def test_a_template_of_a_page_holds_the_link(template):
    assert any(link in with_ancestors(template) for link in LINKING)
