"""Sources are cited in BibTeX, in every published form."""

import json
import shutil
from pathlib import Path

import bibtexparser
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from published import ABOUT, PAGES, exported, opened, publish, seal, sources_of
from shipped_sources import shipped_sources

from authbench.config.registry.citations import bibliography, citation_problem, default_citation, entries, field_of
from authbench.core.errors import InputError
from authbench.publish.export.citations import own_citation
from authbench.publish.export.run import FORMS
from authbench.release.checking.form import check_files

ONE = "@misc{one,\n  title = {One {B}},\n  url = {https://example.org/one}\n}"
TWO = "@article{two, title = {Two}, doi = {10.1000/two}, year = 2020}"
CITED = {tag: {**page} for tag, page in PAGES.items()}
CITED["posts"] = {**PAGES["posts"], "cite": f"{ONE}\n{TWO}\n", "legal_basis": "Made up by nobody."}


@pytest.fixture(scope="module")
def cited(tmp_path_factory):
    """A release one of whose sources says how to cite it, and its public bundle."""
    _, release, public = publish(tmp_path_factory.mktemp("cited"), pages=CITED)
    return release, public


def keys_in(text):
    """The keys of the entries that a BibTeX library reads; it finds nothing that it cannot read, and no key twice."""
    library = bibtexparser.parse_string(text)
    assert not library.failed_blocks
    return [entry.key for entry in library.entries]


def test_every_shipped_source_says_how_to_cite_it_and_on_what_ground_it_is_used():
    for tag, source in shipped_sources().items():
        assert {"cite", "legal_basis"} <= source.entry.keys(), tag


def test_a_library_reads_the_citations_of_all_shipped_sources_and_finds_author_title_and_address():
    text = bibliography({tag: source.cite for tag, source in shipped_sources().items()})
    library = bibtexparser.parse_string(text)
    assert not library.failed_blocks
    assert sorted(library.entries_dict) == sorted(entries(text))
    for entry in library.entries:
        assert {"author", "title", "url"} <= entry.fields_dict.keys(), entry.key
        assert "year" in entry.fields_dict or entry.entry_type == "misc", entry.key
        if "doi" in entry.fields_dict:
            assert entry.fields_dict["doi"].value == field_of(text[text.index(entry.key) :], "doi")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_cites_the_sources_whose_texts_it_has_and_no_other(form, cited, tmp_path):
    for of, expected in ((cited[1], ["one", "two"]), (cited[0], ["books", "letters", "one", "two"])):
        out = exported(of, form, tmp_path / of.name, with_tier_b=True)
        assert keys_in((out / "CITATIONS.bib").read_text(encoding="utf-8")) == expected
        card = (out / "README.md").read_text(encoding="utf-8")
        assert "posts: one, two" in card
        assert own_citation("tiny", ABOUT) in card
        assert "CITATIONS.bib" in (out / "SHA256SUMS").read_text(encoding="utf-8")


def test_a_release_and_its_bundle_have_the_citations_that_their_manifests_state(cited):
    for folder in cited:
        stated = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["sources"]
        assert stated["posts"] == {
            "title": PAGES["posts"]["title"],
            "citation": f"{ONE}\n{TWO}\n",
            "legal_basis": "Made up by nobody.",
        }
        text = (folder / "CITATIONS.bib").read_text(encoding="utf-8")
        assert text == bibliography({tag: one["citation"] for tag, one in stated.items()})


def test_a_check_finds_citations_that_are_not_those_of_the_manifest(cited, tmp_path):
    release = Path(shutil.copytree(cited[0], tmp_path / "release"))
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    assert not list(check_files(release, manifest))
    (release / "CITATIONS.bib").write_text(ONE, encoding="utf-8")
    seal(release)
    assert [found.id for found in check_files(release, manifest)] == ["CITATIONS.bib"]
    (release / "CITATIONS.bib").unlink()
    seal(release)
    assert [found.id for found in check_files(release, manifest)] == ["CITATIONS.bib"]


def test_a_release_of_an_earlier_build_is_cited_by_its_sources_names(cited, tmp_path):
    release = Path(shutil.copytree(cited[0], tmp_path / "release"))
    manifest = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    del manifest["sources"]
    (release / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (release / "CITATIONS.bib").unlink()
    seal(release)
    assert not opened(release).unverified
    out = exported(release, "trec", tmp_path / "out", with_tier_b=True)
    assert keys_in((out / "CITATIONS.bib").read_text(encoding="utf-8")) == ["books", "letters", "posts"]


def test_a_source_that_gives_no_citation_is_cited_by_its_title_and_place():
    assert entries(sources_of()["letters"].cite).keys() == {"letters"}
    assert field_of(default_citation("a", "A", "github", "owner/name"), "url") == "https://github.com/owner/name"


@given(st.text(), st.text())
def test_any_title_and_place_make_a_citation_that_can_be_read(title, place):
    assert citation_problem(default_citation("tag", title, "local", place)) is None


@cases
def test_what_is_no_bibtex_is_told_so(text, problem):
    assert problem in (citation_problem(text) or "")


def test_one_key_for_two_works_is_refused_and_one_work_of_two_sources_stands_once():
    assert keys_in(bibliography({"a": ONE, "b": f"{ONE}\n{TWO}"})) == ["one", "two"]
    with pytest.raises(InputError, match="b: cite: the key one is that of another work of the source a"):
        bibliography({"a": ONE, "b": TWO.replace("two", "one", 1)})
