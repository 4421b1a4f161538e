"""What a dataset or an entry says is shown, and never run: in pages, charts, tables, citations and caches."""

from html.parser import HTMLParser

import polars as pl
import pytest

from authbench.app.api import audit
from authbench.config.registry.citations import citation_problem
from authbench.core.presentation.charts import Chart, as_svg
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.pages import TEMPLATES, script
from authbench.core.runtime.jit_cache import _is_ours

MARKUP = ['x"><script>document.title="PWNED"</script><img src=x onerror="document.title+=1">', "'{{7*7}}", "../../up"]


class Elements(HTMLParser):
    """The scripts of a page, and the attributes that would run one."""

    def __init__(self, page):
        super().__init__()
        self.scripts = []
        self.handlers = []
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.handlers += [
            name for name, value in attrs if name.startswith("on") or (value or "").startswith("javascript:")
        ]
        if tag == "script":
            self.scripts.append("")
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"] or ""

    def handle_data(self, data):
        if self.scripts and self.scripts[-1] == "" and self.cdata_elem == "script":
            self.scripts[-1] = data


@pytest.mark.parametrize("split", MARKUP)
def test_a_page_of_an_audit_runs_its_script_only(split, tmp_path):
    rows = [
        {"author": f"{split} {n % 4}", "text": f"{split} text {n} of it", "split": split, "lang": "en"}
        for n in range(24)
    ]
    pl.DataFrame(rows).write_ndjson(tmp_path / "x.jsonl")
    audit(tmp_path / "x.jsonl", tmp_path / "out")
    found = Elements((tmp_path / "out/index.html").read_text(encoding="utf-8"))
    assert found.scripts == [str(script("sort.js").text)] and not found.handlers
    assert f"script-src '{script('sort.js').hash}'" in found.policy


def test_no_template_lets_a_script_run_that_is_not_named_by_its_hash():
    for template in TEMPLATES.glob("*.html.j2"):
        text = template.read_text(encoding="utf-8")
        assert "script-src 'unsafe-inline'" not in text, template.name
        assert text.count("<script") == text.count("<script>{{ script("), template.name


@pytest.mark.parametrize("name", [*MARKUP, "", ".", "a/b", "x" * 300])
def test_the_name_of_a_chart_is_part_of_an_id_and_of_a_file_s_name(name):
    chart = Chart(name, "title", "about", 20, lambda canvas: None)
    assert chart.name.isascii() and chart.name.replace("-", "").isalnum()
    assert chart.name == Chart(name, "title", "about", 20, lambda canvas: None).name
    assert f'aria-labelledby="{chart.name}-title' in as_svg(chart)


def test_charts_keep_names_that_are_safe_and_others_stay_apart():
    names = ["funnel", "auc_matched-all", *MARKUP]
    found = [Chart(name, "", "", 20, lambda canvas: None).name for name in names]
    assert found[:2] == names[:2] and len(set(found)) == len(names)


def test_a_cell_that_begins_like_a_formula_is_text_to_a_spreadsheet():
    cells = ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-x", "\t=1", "-1.5", "+2e3", "12 %", "plain", None]
    found = pl.read_csv(as_csv(pl.DataFrame({"cell": cells, "number": range(10)})).encode())
    assert found["cell"].to_list() == [f"'{cell}" for cell in cells[:5]] + cells[5:]
    assert found["number"].to_list() == list(range(10))
    assert as_csv(pl.DataFrame({"cell": []}, {"cell": pl.String})) == "cell\n"


@pytest.mark.parametrize(
    "command", [r"\input{/etc/passwd}", r"\write18{ls}", r"\include{x}", r"\def\a{b}", r"\csname x\endcsname"]
)
def test_a_citation_has_no_command_that_reads_or_runs(command):
    assert citation_problem(f"@misc{{one, title = {{One {command}}}}}")
    assert citation_problem(r"@misc{one, title = {{\"U}ber \'etudes \& \url{https://example.org} \ss}}") is None


def test_compiled_code_that_others_can_write_is_not_used(tmp_path):
    own, others = tmp_path / "own", tmp_path / "others"
    others.mkdir()
    others.chmod(0o777)
    assert _is_ours(own) and own.stat().st_mode & 0o077 == 0
    assert not _is_ours(others)
