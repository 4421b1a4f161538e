"""The sheets for review in a browser: hostile texts, and verdicts that are given by keys, click and touch."""

import polars as pl
import pytest
from hostile_sheet import HOSTILE, sheet

from authbench.build.filter.exclusions import read_exclusions
from authbench.scoring.people.draw import DRAWN
from authbench.scoring.people.sheets import write_pair_sheets
from authbench.scoring.people.verdicts import read_verdicts

COUNT = "document.getElementById('count').textContent"
VERDICTS = "[...document.querySelectorAll('.verdict')].map(one => one.textContent).join('|')"
SECOND = "article:nth-of-type(2)"


@pytest.fixture
def page(browser):
    return browser


def open_sheet(page, folder, texts):
    """Open a sheet that the browser knows no verdicts of and return its path."""
    path = sheet(folder / "review", texts)
    page.open(path, folder)
    return path


def test_hostile_texts_are_shown_as_text(page, tmp_path):
    open_sheet(page, tmp_path, HOSTILE)
    assert page.value("document.title") == "Hindi · review of demo"
    assert page.value("document.querySelectorAll('article').length") == len(HOSTILE)
    assert page.value("document.querySelectorAll('script, style, img, h1, u, b, i').length") == 3  # the page's own
    first = "document.querySelectorAll('article')[{}].querySelector('.text').textContent"
    assert page.value(first.format(0)) == HOSTILE[0]
    assert page.value(first.format(1)) == HOSTILE[1]
    assert page.value(first.format(2)) == "harmless U+202Egnp.exe U+2066U+0000U+001B[31m text"
    assert page.value(first.format(3)).startswith("w" * 50_000)
    assert page.value(first.format(4)) == HOSTILE[4]
    assert page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.value("document.querySelector('.difference').innerHTML").count("<del>") >= 1


def test_verdicts_are_given_by_keys_kept_and_saved_for_the_next_build(page, tmp_path):
    path = open_sheet(page, tmp_path, ["one", "two", "three"])
    page.press("1", "g", "5", "u")
    page.press("k", "k", "n")
    page.value("document.activeElement.value = 'a menu'")
    page.press("Enter")
    page.press("1", "s")
    saved = page.download()
    page.open_again(path)
    assert page.value(COUNT) == "2 of 3 judged"
    assert page.value(VERDICTS) == "out: boilerplate|good|not judged"
    assert saved.name == "verdicts-demo.jsonl"
    ruled_out = read_exclusions(saved)
    assert ruled_out.rows() == [("s:0\"'><b>", "boilerplate", "a menu")]
    assert len(saved.read_text().splitlines()) == 2


def test_verdicts_are_given_by_click_and_touch_and_taken_back(page, tmp_path):
    path = open_sheet(page, tmp_path, ["one", "two", "three"])
    page.click("article:nth-of-type(3) .give button:nth-of-type(1)")
    page.wait_for(f"{COUNT} === '1 of 3 judged'")
    page.touch(f"{SECOND} .give button:nth-of-type(2)")
    page.wait_for(f"{COUNT} === '2 of 3 judged'")
    page.open_again(path)
    assert page.value(VERDICTS) == "not judged|out: boilerplate|good"
    assert page.value(f"document.querySelector('{SECOND} [aria-pressed=true]').textContent") == "boilerplate"
    page.touch(f"{SECOND} .give .undo")
    page.wait_for(f"{COUNT} === '1 of 3 judged'")
    assert page.value(VERDICTS) == "not judged|not judged|good"


def test_a_button_is_large_enough_for_a_finger_on_a_phone(page, tmp_path):
    open_sheet(page, tmp_path, HOSTILE)
    page.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    heights = "Math.min(...[...document.querySelectorAll('.give button:not([hidden])')].map(one => one.offsetHeight))"
    assert page.value(heights) >= 42
    assert page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.send("Emulation.clearDeviceMetricsOverride")


def test_a_note_is_kept_before_there_is_a_verdict_and_after_it_is_taken_back(page, tmp_path):
    path = open_sheet(page, tmp_path, ["one", "two", "three"])
    page.press("n")
    page.send("Input.insertText", text="a menu")
    note = "document.querySelector('input').value"
    page.open_again(path)  # without leaving the field
    assert page.value(note) == "a menu"
    assert page.value(COUNT) == "0 of 3 judged, 1 with a note alone"
    page.press("j", "g", "k", "k", "1", "k", "u")  # another text is judged; then this one, and taken back
    assert page.value(note) == "a menu"
    page.press("1")
    page.open_again(path)
    assert page.value(COUNT) == "2 of 3 judged"
    assert page.value(note) == "a menu"
    page.press("s")
    assert read_exclusions(page.download()).rows() == [("s:0\"'><b>", "boilerplate", "a menu")]


def test_the_index_tells_how_far_each_language_is(page, tmp_path):
    path = open_sheet(page, tmp_path, ["one", "two", "three"])
    page.press("g", "1")
    shown = "[...document.querySelectorAll('.judged')].map(one => one.textContent + '/' + one.firstChild.max).join('|')"
    page.open_again(path.parent / "index.html")
    assert page.value(shown) == "2/3"


def test_a_browser_that_keeps_nothing_says_so_and_loses_nothing_while_open(page, tmp_path):
    open_sheet(page, tmp_path, ["one", "two"])
    page.value("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }")
    page.press("1")
    assert page.value(COUNT).startswith("1 of 2 judged – this browser keeps nothing")
    assert page.value("lines()").count("boilerplate") == 1


def test_pairs_are_judged_by_keys_without_the_answers_and_saved_for_the_leaderboard(page, tmp_path):
    rows = [
        (f"{number:032x}", "hi", f"doc_{number:06d}", "doc_000009", "a", bool(number % 2), one, other)
        for number, (one, other) in enumerate(zip(HOSTILE, reversed(HOSTILE), strict=True))
    ]
    write_pair_sheets(tmp_path, "demo", pl.DataFrame(rows, schema=DRAWN, orient="row"), 40)
    page.open(tmp_path / "hi.html", tmp_path)
    assert page.value("document.title") == "Hindi · one author or two? · demo"
    assert page.value("document.querySelectorAll('article').length") == len(HOSTILE)
    assert page.value("document.querySelectorAll('article')[0].querySelectorAll('.text')[0].textContent") == HOSTILE[0]
    assert page.value("document.querySelectorAll('article')[1].querySelectorAll('.text')[0].textContent") == HOSTILE[1]
    assert page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.press("6", "1", "4", "u", "3", "s")
    saved = page.download()
    verdicts = "[...document.querySelectorAll('.verdict')].map(one => one.textContent).slice(0, 3).join('|')"
    assert page.value(verdicts) == "the same person: sure|two people: sure|the same person: a guess"
    assert read_verdicts(saved) == {
        rows[0][0]: 3,
        rows[1][0]: -3,
        rows[2][0]: 1,
        rows[3][0]: -1,
    }
    page.open_again(tmp_path / "index.html")
    assert page.value("document.querySelector('td:nth-child(2)').textContent") == str(len(HOSTILE))
