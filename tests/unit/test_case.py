"""A case is weighed on pairs like it, by authors who are never both calibrated on and validated on."""

import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import polars as pl
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.audit.case import ratios
from authbench.audit.case.material import read_material
from authbench.audit.case.population import FIRST, HELD, LEAST_AUTHORS, SECOND, TEXTS, Case, draw, read_population
from authbench.audit.case.ratios import verbal, weigh
from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.scoring.verifiers import Bench, lambdag
from authbench.scoring.verifiers.parameters import LambdagParameters
from authbench.scoring.verifiers.requested import VERIFIERS

WORDS = """the of and to in that it was for on with as at by this but not from or have an they which one""".split()  # noqa: SIM905
LIKE = Case("q" * 200, "k" * 300, "en")


def writes(author, text, size=320):
    """Return a text of an author, who prefers some words."""
    chance = np.random.default_rng([author, text])
    preferred = np.random.default_rng(author).dirichlet(np.full(len(WORDS), 0.3))
    words = [("thing" if chance.random() < 0.3 else str(chance.choice(WORDS, p=preferred))) for _ in range(size // 4)]
    return " ".join(word + ("." if chance.random() < 0.1 else "") for word in words)[:size]


def texts_of(authors, each=6):
    rows = [
        (f"t{author}-{text}", f"a{author}", "en", "blog", writes(author, text))
        for author in range(authors)
        for text in range(each)
    ]
    return pl.DataFrame(rows, TEXTS, orient="row")


@pytest.fixture(scope="module")
def many():
    return texts_of(60)


def test_halves_share_no_author_and_pairs_are_balanced_and_like_the_case(many):
    drawn = draw(many, LIKE, 0)
    authors = {
        part: {*drawn.filter(part=part)["author1"], *drawn.filter(part=part)["author2"]}
        for part in (FIRST, SECOND, HELD)
    }
    assert sum(map(len, authors.values())) == len(set.union(*authors.values())) == 60
    assert drawn.height >= 500
    halves = drawn.group_by(pl.col("part") == HELD).agg(pl.len(), pl.col("same").mean())
    assert halves["len"].n_unique() == 1 and halves["same"].to_list() == [0.5, 0.5]
    assert ((drawn["author1"] == drawn["author2"]) == drawn["same"]).all()
    assert set(drawn["text2"].str.len_chars()) == {200} and set(drawn["text1"].str.len_chars()) == {300}
    assert not any(one in other for other, one in drawn.select("text1", "text2").iter_rows())
    assert not drawn["id"].is_duplicated().any()


@given(st.integers(0, 2**32), st.integers(0, 3))
@settings(max_examples=5)
def test_what_is_drawn_depends_on_the_seed_and_not_on_the_order(order, seed):
    texts = texts_of(LEAST_AUTHORS + 4, 8)
    drawn = draw(texts, LIKE, seed)
    assert draw(texts.sample(fraction=1.0, shuffle=True, seed=order), LIKE, seed).equals(drawn)
    assert not draw(texts, LIKE, seed + 1).equals(drawn)


@pytest.mark.parametrize(
    ("texts", "case", "number"),
    [
        (texts_of(60), LIKE._replace(language="de"), "en 360"),
        (texts_of(60), LIKE._replace(genre="news"), "blog 360"),
        (texts_of(LEAST_AUTHORS - 1), LIKE, "39 of its 39"),
        (texts_of(60, 2), LIKE, "120 pairs"),
        (texts_of(60), LIKE._replace(questioned="q" * 900), "0 of its 60"),
        (texts_of(60), LIKE._replace(known="k" * 9000), "320 and 1,600"),
    ],
)
def test_a_population_that_does_not_fit_is_refused_with_numbers(texts, case, number):
    with pytest.raises(InputError, match=number):
        draw(texts, case, 0)


def test_a_ratio_is_bounded_by_the_pairs_held_out_and_writers_are_told_apart(many):
    drawn = draw(many, LIKE, 0)
    known = writes(99, 0)[:300]
    cases = pl.DataFrame({"id": ["same", "other"], "text1": known, "text2": [writes(99, 1)[:200], writes(98, 1)[:200]],
                          "lang": "en"})  # fmt: skip
    validation, found, _ = weigh(load_entry(VERIFIERS, "lambdag"), drawn, cases, 0)
    pairs = drawn.filter(part=HELD, same=False).height
    assert validation.bounds == (pytest.approx(-np.log10(pairs)), pytest.approx(np.log10(pairs)))
    assert validation.pairs["log10_lr"].abs().max() <= np.log10(pairs)
    assert found[0].value > 0 > found[1].value
    assert all(one.interval and one.interval[0] <= one.value <= one.interval[1] for one in found)
    assert validation.cllr >= validation.cllr_min
    assert weigh(load_entry(VERIFIERS, "lambdag"), drawn, cases, 0)[1] == found


@cases
def test_verbal_equivalents_are_enfsi_s(ratio, words):
    assert verbal(ratio) == words


def test_the_weights_of_tokens_are_the_parts_of_the_score(many, tmp_path):
    learns = draw(many, LIKE, 0).filter(part=FIRST)
    known, disputed = writes(99, 0), "Ah! The 3 things, OF it;\n\nto\tthe — thing... and of\n" + writes(99, 1)
    fitted = lambdag.fit(learns, LambdagParameters(), Bench(0, tmp_path))
    pair = pl.DataFrame({"id": ["p"], "text1": [known], "text2": [disputed], "lang": ["en"]})
    [score], _ = lambdag.scores(fitted, pair)
    pieces = lambdag.token_scores(fitted, known, disputed, "en")
    assert "".join(piece for piece, _ in pieces) == disputed and len(pieces) > 70
    assert sum(weight for _, weight in pieces) == pytest.approx(score, abs=1e-9)
    masked = LambdagParameters(basis="characters")
    other = lambdag.fit(learns, masked, Bench(0, tmp_path))
    assert lambdag.token_scores(other, known, disputed, "en") == [(disputed, 0.0)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A case, and a population as a table and as a folder of texts by author."""
    monkeypatch.chdir(tmp_path)
    sentence = "It was said that the letter which I have not seen is here, and that it was for them. "
    for name, times in {"q": 4, "k1": 3, "k2": 2}.items():
        Path(f"{name}.txt").write_text(f"{name}: {sentence * times}", encoding="utf-8")
    return tmp_path


def test_material_is_read_and_what_weakens_it_is_said(files):
    (files / "q.txt").write_bytes(
        "“It was the word that they have said to him,” he wrote. Ann Roe\r\n".encode("utf-16")
    )
    (files / "k1.txt").write_bytes("And then it was all that they have said of the place. Ann Roe".encode("utf-16"))
    found = read_material(files / "q.txt", [files / "k1.txt"], "utf-16")
    assert found == read_material(files / "q.txt", [files / "k1.txt"])  # the mark at their beginning names the encoding
    assert found.language == "en" and [text.role for text in found.texts] == ["questioned", "known"]
    assert [text.ending for text in found.texts] == ["Ann Roe"] * 2
    assert found.texts[0].quoted > 0.5 > found.texts[1].quoted
    assert found.texts[0].words == 14 and "\r" not in found.questioned
    assert len(found.notes) == 4


def test_the_order_of_known_texts_does_not_matter(files):
    known = [files / "k1.txt", files / "k2.txt"]
    one, other = (read_material(files / "q.txt", given) for given in (known, known[::-1]))
    assert one.known == other.known


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("  \n", "no text"),
        (None, "same text"),
        ("Das ist ein Brief, den ich nicht gesehen habe, und der für ihn bestimmt war, als er kam. " * 9, "de"),
    ],
)
def test_material_that_cannot_be_compared_is_refused(files, content, message):
    text = (files / "q.txt").read_text(encoding="utf-8") if content is None else content
    (files / "k2.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_material(files / "q.txt", [files / "k1.txt", files / "k2.txt"])


def test_the_command_writes_a_report_without_the_population_s_authors(files, capsys):
    own = [writes(99, text) for text in range(3)]
    for name, text in zip(("q", "k1", "k2"), own, strict=True):
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
    others = texts_of(50, 8).with_columns("Mary Roe " + pl.col("author"))
    pl.concat([others, others.head(1).with_columns(text=pl.lit(own[0]))]).write_csv("people.csv")
    line = "case --questioned q.txt --known k2.txt k1.txt --population people.csv --out out --verifier"
    assert main([*line.split(), "lambdag", "--verifier", "naive"]) == 0
    page, said = Path("out/index.html").read_text(encoding="utf-8"), capsys.readouterr()
    found = json.loads(Path("out/case.json").read_bytes())
    assert "Mary Roe" not in page + json.dumps(found) + said.out + said.err
    for name, result in found["verifiers"].items():
        calibrated = result["cllr"] <= result["cllr_min"] + ratios.WORST and not result["level"]
        assert result["calibrated"] == calibrated and (result["verbal"] is None) == (not calibrated)
        assert (f"{name}: log10 LR {result['log10_lr']:+.2f}") in said.out
    uncalibrated = any(not result["calibrated"] for result in found["verifiers"].values())
    assert ("Not calibrated:" in page) == uncalibrated
    assert all(text["sha256"] in page for text in found["material"]["texts"]) and "no release" in said.err
    assert page.count('class="same"') + page.count('class="other"') > 60
    assert {path.name for path in Path("out").rglob("*.svg")} == {"tippett.svg", "det.svg"}
    assert all(Path("out", "figures", f"{name}.svg").is_file() for name in ("tippett", "det"))


def test_the_command_refuses_a_population_that_does_not_fit(files, capsys):
    for number in range(3):
        for text in range(2):
            path = files / f"texts/a{number}/{text}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(writes(number, text), encoding="utf-8")
    line = "case --questioned q.txt --known k1.txt k2.txt --population texts --out out"
    assert main(line.split()) == 2
    assert "0 of its 3 authors" in capsys.readouterr().err and not (files / "out").exists()


def test_a_population_is_read_in_every_form_that_an_audit_reads(tmp_path):
    rows = texts_of(3, 2).select("author", "text")
    rows.write_csv(tmp_path / "people.csv")
    rows.write_ndjson(tmp_path / "people.jsonl")
    with ZipFile(tmp_path / "people.zip", "w") as packed:
        packed.write(tmp_path / "people.csv", "people.csv")
    said = [
        {
            "id": number,
            "type": "message",
            "date": "2020-01-01T00:00:00",
            "from": author,
            "from_id": author,
            "text": text,
        }
        for number, (author, text) in enumerate(rows.iter_rows())
    ]
    (tmp_path / "result.json").write_text(json.dumps({"name": "chat", "type": "private_group", "messages": said}))
    for name in ("people.csv", "people.jsonl", "people.zip", "result.json"):
        found = read_population(tmp_path / name, "en").texts
        assert sorted(found["text"]) == sorted(rows["text"]), name
        assert found["author"].n_unique() == 3, name


def test_a_release_is_a_population_and_its_authors_stay_unnamed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_scored_release(tmp_path / "release", 160)
    Path("q.txt").write_text("the habit of long words and topics", encoding="utf-8")
    Path("k.txt").write_text("very long words of the topic which I have and the habit, " * 2, encoding="utf-8")
    line = "case --questioned q.txt --known k.txt --population release --verifier naive --out out"
    assert main([*line.split(), "--genre", "blog"]) == 0
    found, page = Path("out/case.json").read_text(encoding="utf-8"), Path("out/index.html").read_text(encoding="utf-8")
    assert json.loads(found)["population"]["name"] == "release" and "no checksums" in capsys.readouterr().err
    texts = read_population(Path("release"), "en").texts
    authors = set(texts["author"])
    assert not texts.filter((pl.col("lang") == "en") == pl.col("text").is_null()).height
    assert len(authors) == 320 and not any(author in found + page for author in authors)
    before = Path("out/index.html").read_bytes(), Path("out/case.json").read_bytes()
    assert main([*line.split(), "--genre", "blog"]) == 0
    assert (Path("out/index.html").read_bytes(), Path("out/case.json").read_bytes()) == before
    assert main([*line.split(), "--genre", "news"]) == 2
    assert "blog 640" in capsys.readouterr().err and Path("out/case.json").is_file()
