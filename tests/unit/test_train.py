"""Claims about training: what is learnt from, that a stopped training goes on, and that a trained model is a model."""

import json
import random
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import yaml
from defaults import section
from extras import needs
from hypothesis import given
from hypothesis import strategies as st
from scored_release import write_scored_release
from small_split import a_split
from split_folder import write_release
from tiny_checkpoint import write_checkpoint

from authbench.app.cli import main
from authbench.config.registry.entries import fidelity_settings
from authbench.config.registry.typed_schema import part_for
from authbench.config.settings.evaluate import Training
from authbench.core.errors import InputError
from authbench.core.presentation.charts import as_svg
from authbench.models.parameters import OWN_LENGTH
from authbench.models.requested import load_model, model_of_build
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.split import read_split
from authbench.scoring.train import run, tune
from authbench.scoring.train.curves import training_chart
from authbench.scoring.train.pairs import NEAREST, Examples
from authbench.scoring.train.planned import planned_trainings, with_tuned
from authbench.scoring.train.records import CURVES, MEASURED, read_curves

LETTERS = str.maketrans("0123456789_", "abcdefghij ")
TINY = part_for(Training, section("train", epochs=2, batch=8, learning_rate=1e-3, evaluations=4))


def texts_of(authors, each=3, ignored=None, **columns):
    """A split of texts `a<author>-<k>`, whose author is known by `columns` as all else."""
    ids = [f"a{a:02d}-{k}" for a in range(authors) for k in range(each)]
    columns.setdefault("author_id", {ident: ident.partition("-")[0] for ident in ids})
    return a_split(ids, sorted(ignored or ids[:1]), {}, ignored, **columns)


def author_of(row, split):
    return split.documents["author_id"][row]


def test_an_author_is_in_an_epoch_once_with_two_texts_of_their_own():
    split = texts_of(20)
    pairs = Examples(split, seed=1).pairs(epoch=0)
    assert len({author_of(one, split) for one, _ in pairs}) == len(pairs) == 20
    assert all(author_of(one, split) == author_of(other, split) and one != other for one, other in pairs)
    turned = replace(split, documents=split.documents.reverse())
    last = split.documents.height - 1
    assert [(last - one, last - other) for one, other in Examples(turned, seed=1).pairs(epoch=0)] == pairs
    assert Examples(split, seed=1).pairs(epoch=1) != pairs != Examples(split, seed=2).pairs(epoch=0)


def test_both_texts_of_a_pair_are_of_different_works_where_works_are_known():
    split = texts_of(12)
    origins = [f"{author}-{k % 2}" for author in range(10) for k in range(3)] + ["one work"] * 6
    known = replace(split, documents=split.documents.with_columns(origin=pl.Series(origins)))
    pairs = Examples(known, seed=0).pairs(epoch=0)
    assert len(pairs) == 10 and all(origins[one] != origins[other] for one, other in pairs)


def test_authors_with_one_text_are_left_out_and_no_batch_holds_two_epochs():
    assert Examples(texts_of(5, each=1), 0).batches(1, 2, matched=True) == []
    split = texts_of(10)
    batches = Examples(split, seed=0).batches(epochs=3, batch=4, matched=False)
    assert [len(batch) for batch in batches] == [4] * 6
    assert all(len({author_of(example.anchor, split) for example in batch}) == 4 for batch in batches)
    assert all(example.negative is None for batch in batches for example in batch)


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(6, 16))
def test_a_negative_is_like_its_positive_and_by_nobody_who_asks_in_the_batch(seed, batch, authors):
    chance = random.Random(seed)
    ids = [f"a{a:02d}-{k}" for a in range(authors) for k in range(3)]
    columns = {
        "lang": {ident: chance.choice(["en", "de"]) for ident in ids},
        "source": {ident: chance.choice("st") for ident in ids},
        "token_length": {ident: chance.randint(20, 400) for ident in ids},
    }
    split = texts_of(authors, **columns)
    rows = split.documents.to_dicts()
    for examples in Examples(split, seed).batches(epochs=1, batch=batch, matched=True):
        asking = {rows[example.anchor]["author_id"] for example in examples}
        for example in examples:
            positive = rows[example.positive]
            others = [row for row in rows if row["author_id"] not in asking]
            for shared in (("lang", "source"), ("lang",), ()):
                like = [row for row in others if all(row[name] == positive[name] for name in shared)]
                if like:
                    break
            assert (example.negative is None) == (not like)
            if like:
                away = sorted(abs(row["token_length"] - positive["token_length"]) for row in like)
                negative = rows[example.negative]
                assert negative in like
                assert abs(negative["token_length"] - positive["token_length"]) <= away[:NEAREST][-1]


def test_no_negative_is_by_somebody_who_may_be_the_author():
    ignored = {"a00-0": ["a01-0"], "a01-2": ["a02-1"]}
    split = texts_of(4, ignored=ignored)
    drawn = set()
    for seed in range(30):
        for batch in Examples(split, seed).batches(epochs=2, batch=2, matched=True):
            drawn |= {(author_of(one.anchor, split), author_of(one.negative, split)) for one in batch if one.negative}
    assert ("a00", "a03") in drawn and ("a03", "a01") in drawn
    assert not drawn & {("a00", "a01"), ("a01", "a00"), ("a01", "a02"), ("a02", "a01")}


def test_a_classifier_is_refused_before_the_release_is_read(tmp_path, capsys):
    assert main(["train", str(tmp_path / "nowhere"), "--model", "neurobiber", "--out", str(tmp_path / "out")]) == 2
    assert "neurobiber: pooling: labels" in capsys.readouterr().err


def curves_of(models, seeds=(0, 1)):
    rows = [
        (model, seed, step, "dev", "overall", "all", 1.0 / (step + 1), 0.1 * step, None, 0.5 - 0.1 * step)
        for model in models for seed in seeds for step in range(4)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=CURVES, orient="row")


def test_curves_are_drawn_with_a_line_per_seed_and_those_of_all_models_in_one_picture():
    drawn = as_svg(training_chart(curves_of(["mine <b>"])))
    assert drawn.count("<title>seed 0</title>") == drawn.count("<title>seed 1</title>") == 3
    assert "<b>" not in drawn
    both = as_svg(training_chart(curves_of(["e5", "mine"])))
    titles = [f"<title>{model}, seed {seed}</title>" for model in ("e5", "mine") for seed in (0, 1)]
    assert all(both.count(title) == 3 for title in titles)


def test_a_table_with_other_columns_is_no_curve(tmp_path):
    (tmp_path / "old.csv").write_text("seed,step,loss,success@5,eer\n0,1,2.0,0.1,0.4\n")
    with pytest.raises(InputError, match="has the columns"):
        read_curves(tmp_path / "old.csv")


def test_a_build_knows_its_trainings_and_lists_models_before_and_after():
    models = [load_model("all-minilm-l6-v2"), load_model("multilingual-e5-base")]
    trainings = planned_trainings(models, 2)
    assert list(trainings) == [f"{model.name}-seed-{seed}" for model in models for seed in (0, 1)]
    tfidf = load_model("tfidf")
    listed = with_tuned({"tfidf": tfidf}, trainings, "results/x/train")
    assert list(listed) == ["tfidf", *(model.name for model in models), *trainings]
    e5 = listed["multilingual-e5-base-seed-1"]
    assert (e5.name, e5.parameters.checkpoint) == (
        "multilingual-e5-base-seed-1", "results/x/train/multilingual-e5-base-seed-1",
    )  # fmt: skip
    assert (e5.parameters.query_prompt, e5.parameters.document_prompt) == ("query: ", "passage: ")
    assert with_tuned({"tfidf": tfidf}, {}, "results/x/train") == {"tfidf": tfidf}


# --- with a tiny checkpoint ---


@pytest.fixture
def tiny(checkpoint, tmp_path):
    """A release to train on, the page of a tiny model with prompts, and its entry."""
    pytest.importorskip("datasets", reason="the extra `models` is not installed")
    release = write_release(tmp_path / "release", authors=24)
    for split in ("train", "dev"):
        (release / split).symlink_to(release / "test")
    page = tmp_path / "tiny.yaml"
    prompts = {"query_prompt": "ask a: ", "document_prompt": "tell b: "}
    parameters = {"checkpoint": str(checkpoint), "pooling": "mean", "max_tokens": 32, **prompts}
    entry = {"title": "tiny", "group": "embedding", "kind": "transformer", "parameters": parameters}
    page.write_text(yaml.safe_dump(entry))
    return release, page, load_model(str(page))


def trained(tiny, out, settings=TINY, seed=0, entry=None):
    release, _, model = tiny
    learnt, dev = (read_split(open_release(release), name) for name in ("train", "dev"))
    return run.train_one(entry or model, learnt, [dev], settings, seed, 0, out)


def in_letters(release):
    """Write digits as letters: a tiny model knows none, so that texts would be equal to it, and their order chance."""
    for path in (path for path in release.rglob("*.jsonl") if path.stem != "ground_truth"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            row["content"] = f"{row.get('candidate_id') or row['query_id']} {row['content']}".translate(LETTERS)
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def states_of_libraries():
    """What other libraries keep for the whole process and a training changes."""
    import datasets
    import torch
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled(), datasets.are_progress_bars_disabled()
    numpy = np.random.get_state()
    return bars, random.getstate(), (numpy[1].tolist(), *numpy[2:]), torch.get_rng_state().tolist()


def test_a_trained_model_has_curves_and_evaluates_like_any_other(tiny, tmp_path, capsys):
    release, page, _ = tiny
    command = ["train", str(release), "--model", str(page), "--out", str(tmp_path / "out")]
    states = states_of_libraries()
    assert main([*command, "--seeds", "2", "--batch", "8", "--epochs", "2", "--learning-rate", "1e-3"]) == 0
    assert states_of_libraries() == states
    assert "tiny, dev, mean of 2 seeds: loss " in capsys.readouterr().out
    curves = read_curves(tmp_path / "out/curves.csv").filter(facet="overall")
    assert curves.group_by("seed").len().sort("seed")["len"].to_list() == [7, 7]
    assert curves.filter(pl.col("step") == 0)["success@5"].n_unique() == 1
    stated = json.loads((tmp_path / "out/release.json").read_text())
    assert (stated["verified"], stated["reason"]) == (False, "no checksums")
    assert run.read_json(tmp_path / "out/tiny-seed-0.json")["release"]["verified"] is False
    trained = tmp_path / "out/tiny-seed-0.yaml"
    assert yaml.safe_load(trained.read_text())["parameters"]["query_prompt"] == "ask a: "
    of_build = model_of_build({}, [str(trained), str(trained.with_suffix(""))])
    assert (of_build.name, of_build.trained_on, of_build.parameters.max_tokens) == ("tiny-seed-0", ("s",), 32)
    assert main(["evaluate", str(release), "--model", str(trained), "--out", str(tmp_path / "scores")]) == 0
    assert (tmp_path / "scores/tiny-seed-0/scores.json").is_file()
    assert not list((tmp_path / "out").glob("*.unfinished"))


@needs("tensorboard", "tensorboard")
def test_tensorboard_reads_every_value_of_the_curves(tiny, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import SCALARS, EventAccumulator

    release, page, _ = tiny
    in_letters(release)
    out = tmp_path / "out"
    command = ["train", str(release), "--model", str(page), "--out", str(out), "--watch", "train", "dev", "test"]
    command += ["--tensorboard", "--seeds", "1", "--batch", "8", "--evaluations", "2"]
    assert main(command) == 0
    found = {}
    for run_of_split in (out / "tensorboard/tiny-seed-0").iterdir():
        events = EventAccumulator(str(run_of_split), {SCALARS: 0}).Reload()
        for tag in events.Tags()["scalars"]:
            found |= {(run_of_split.name, tag, one.step): one.value for one in events.Scalars(tag)}
    curves = read_curves(out / "curves.csv").unpivot(MEASURED, index=["step", "split", "facet", "slice"])
    expected = {
        (split, name if facet == "overall" else f"{name}/{facet}/{label}", step): value
        for step, split, facet, label, name, value in curves.drop_nulls("value").iter_rows()
    }
    assert {split for split, _, _ in found} == {"train", "dev", "test"} and found.keys() == expected.keys()
    assert len(set(found.values())) > 4 and any(tag == "eer/by_primary_genre/blog" for _, tag, _ in found)
    assert found == pytest.approx(expected, rel=1e-6)
    before = {path: path.read_bytes() for path in out.rglob("events.*")}
    assert main(command) == 0 and before == {path: path.read_bytes() for path in out.rglob("events.*")}


PAPER = fidelity_settings("paper")["train"]["models"]
KINDS = {
    "bge-large-en-v1.5": "bert", "multilingual-e5-large": "xlm-roberta", "e5-large-v2": "bert",
    "qwen3-embedding-0.6b": "qwen3",
}  # fmt: skip


def test_the_paper_s_four_models_are_tuned_and_figures_3_and_4_are_drawn(tiny, tmp_path):
    """With random weights of their architectures, and their entries in all else."""
    from safetensors.numpy import load_file

    release, _, _ = tiny
    (release / "dev").unlink()
    in_letters(release)
    shutil.copytree(release / "test", release / "dev")
    command = ["train", str(release), "--out", str(tmp_path / "out"), "--seeds", "1", "--batch", "8"]
    for name in PAPER:
        entry = load_model(name)
        write_checkpoint(tmp_path / name, KINDS[name], positions=128)
        found = replace(entry.parameters, checkpoint=str(tmp_path / name), revision=None).as_dict()
        shown = {"title": entry.title, "group": entry.group, "kind": "transformer", "parameters": found}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(shown))
    models = [part for name in PAPER for part in ("--model", str(tmp_path / f"{name}.yaml"))]
    command += ["--evaluations", "1", "--learning-rate", "1e-3", "--watch", "dev", "test"]
    assert main([*command, *models]) == 0
    curves = read_curves(tmp_path / "out/curves.csv")
    overall = curves.filter(facet="overall")
    assert set(overall["model"]) == set(PAPER) == set(KINDS)
    assert overall.group_by("model", "split").agg(pl.col("step").sort())["step"].to_list() == [[0, 3]] * 8
    assert overall.select("loss", "success@5", "eer").null_count().sum_horizontal().item() == 0
    for name in PAPER:
        before, after = (
            load_file(path / "model.safetensors") for path in (tmp_path / name, tmp_path / f"out/{name}-seed-0")
        )
        assert all(np.isfinite(after[key]).all() for key in after)
        assert any(not np.array_equal(before[key], after[key]) for key in before.keys() & after.keys())
    board = ["tables", "--release", str(release), "--curves", str(tmp_path / "out/curves.csv"), "--out"]
    assert main([*board, str(tmp_path / "tables")]) == 0
    drawn = "".join(path.read_text() for path in (tmp_path / "tables").rglob("*training*.svg"))
    assert all(name in drawn for name in PAPER)
    assert all(f">{plot}, {split}<" in drawn for plot in ("S@5", "EER", "loss") for split in ("dev", "test"))


def test_prompts_are_those_of_the_entry_in_training_and_on_dev_as_in_evaluation(tiny, tmp_path, monkeypatch):
    seen = {"asked": set(), "told": set()}
    embed, arguments = tune.TransformerModel.embed_with, tune._arguments

    def embedded(self, checkpoint, texts, prompt):
        seen["asked" if len(texts) == 24 else "told"].add(prompt)
        return embed(self, checkpoint, texts, prompt)

    def argued(*given):
        seen["trained"] = arguments(*given).prompts
        return arguments(*given)

    monkeypatch.setattr(tune.TransformerModel, "embed_with", embedded)
    monkeypatch.setattr(tune, "_arguments", argued)
    record = trained(tiny, tmp_path / "out")
    assert (seen["asked"], seen["told"]) == ({"ask a: "}, {"tell b: "})
    assert seen["trained"] == {"anchor": "ask a: ", "positive": "tell b: ", "negative": "tell b: "}
    last = run.read_json(record)["curve"][-1]
    command = ["evaluate", str(tiny[0]), "--split", "dev", "--model", str(tmp_path / "out/tiny-seed-0.yaml")]
    assert main([*command, "--out", str(tmp_path / "scores")]) == 0
    overall = json.loads((tmp_path / "scores/tiny-seed-0/scores.json").read_text())["overall"]
    assert overall["success@5"] == pytest.approx(last["success@5"])


def test_each_watched_split_has_the_scores_of_evaluation_overall_and_by_slice_and_changes_no_weight(tiny, tmp_path):
    release = write_scored_release(tmp_path / "scored", authors=44, splits=("train", "dev", "test"))
    in_letters(release)
    (release / "manifest.json").write_text('{"config": {"seed": 7}}')
    command = ["train", str(release), "--unverified", "--model", str(tiny[1]), "--seeds", "1", "--batch", "8"]
    watching = [*command, "--evaluations", "2", "--watch"]
    assert main([*watching, "dev", "test", "--out", str(tmp_path / "out")]) == 0
    assert main([*watching, "dev", "--out", str(tmp_path / "dev")]) == 0
    weights = "tiny-seed-0/model.safetensors"
    assert (tmp_path / "out" / weights).read_bytes() == (tmp_path / "dev" / weights).read_bytes()
    curves = read_curves(tmp_path / "out/curves.csv")
    places = {"overall": {"all"}, "by_language": {"de", "en"}, "by_primary_genre": {"blog"}, "by_length": {"medium"}}
    for step in curves["step"].unique():
        for split in ("dev", "test"):
            rows = curves.filter(pl.col("facet") != "training", step=step, split=split)
            assert {facet: set(found["slice"]) for (facet,), found in rows.group_by("facet")} == places
    last = curves.filter(step=curves["step"].max())
    model = ["--model", str(tmp_path / "out/tiny-seed-0.yaml")]
    for split in ("dev", "test"):
        out = tmp_path / f"scores-{split}"
        assert main(["evaluate", str(release), "--unverified", "--split", split, *model, "--out", str(out)]) == 0
        scores = json.loads((out / "tiny-seed-0/scores.json").read_text())
        for facet, name, found in (("overall", "all", scores["overall"] | {"headline": scores["headline"]}),
                                   ("by_language", "de", scores["by_language"]["de"])):  # fmt: skip
            (row,) = last.filter(split=split, facet=facet, slice=name).rows(named=True)
            assert row["success@5"] == pytest.approx(found["success@5"], abs=1e-6)
            assert row["eer"] == pytest.approx(found["eer"], abs=1e-6)
            assert row["auc_matched"] == pytest.approx(found["headline"]["auc_matched"]["value"], abs=1e-6)
            assert row["loss"] > 0
    drawn = (tmp_path / "out/curves.svg").read_text()
    assert all(f">{plot}<" in drawn for plot in ("S@5, dev", "EER, test", "loss, batches", "loss, test"))
    charts = {path.name for path in (tmp_path / "out/curves").iterdir()}
    assert charts == {f"tiny_{facet}.svg" for facet in places if facet != "overall"}


def test_the_loss_on_a_split_is_that_of_the_library(tiny):
    import torch

    dev = texts_of(20)
    scorer = tune._Scorer(tiny[2], "train", [tune._Watched(dev, TINY, 0)], TINY, 0, 1)
    (watched,) = scorer.watched
    _, anchors, known = scorer._vectors(watched)
    found = watched.losses(anchors, known, scorer.objective.scale)
    assert found.shape == (16,)
    for number, batch in enumerate(watched.batches):
        sides = [known[[getattr(one, side) for one in batch]] for side in ("positive", "negative")]
        part = slice(8 * number, 8 * number + 8)
        vectors = [torch.tensor(side) for side in (anchors[part], *sides)]
        expected = scorer.objective.compute_loss_from_embeddings(vectors, None)
        assert found[part].mean() == pytest.approx(float(expected), rel=1e-5)


def test_a_training_that_is_killed_goes_on_and_ends_as_one_that_was_not(tiny, tmp_path, monkeypatch):
    whole = trained(tiny, tmp_path / "whole")
    measure = tune._Scorer.measure
    made = []

    def killed(self, step, loss):
        if step == 3:
            raise KeyboardInterrupt
        made.append(step)
        return measure(self, step, loss)

    monkeypatch.setattr(tune._Scorer, "measure", killed)
    with pytest.raises(KeyboardInterrupt):
        trained(tiny, tmp_path / "out")
    assert made == [0, 1, 2] and not (tmp_path / "out/tiny-seed-0").exists()
    broken = tmp_path / "out/tiny-seed-0.unfinished/checkpoint-3"
    broken.mkdir()
    (broken / "trainer_state.json").write_text('{"global_step": 3')  # as a kill while it is written leaves it
    made.clear()
    monkeypatch.setattr(
        tune._Scorer, "measure", lambda self, step, loss: made.append(step) or measure(self, step, loss)
    )
    again = trained(tiny, tmp_path / "out")
    assert made == [3, 4, 5, 6]
    assert run.read_json(again)["curve"] == run.read_json(whole)["curve"]
    weights = "tiny-seed-0/model.safetensors"
    assert (tmp_path / "out" / weights).read_bytes() == (tmp_path / "whole" / weights).read_bytes()
    made.clear()
    assert trained(tiny, tmp_path / "out") == again and made == []
    trained(tiny, tmp_path / "out", {**TINY, "learning_rate": 2e-3})
    assert made[0] == 0
    assert (tmp_path / "out" / weights).read_bytes() != (tmp_path / "whole" / weights).read_bytes()


def test_a_training_that_diverges_says_when_and_leaves_nothing(tiny, tmp_path):
    with pytest.raises(InputError, match="the training has diverged"):
        trained(tiny, tmp_path / "out", {**TINY, "epochs": 4, "learning_rate": 1e38})
    assert not list((tmp_path / "out").glob("tiny-seed-0*"))


def test_texts_are_cut_while_they_are_trained_on_and_not_where_splits_are_scored(tiny, tmp_path):
    """Of a model whose checkpoint states its length: where training changes nothing, no score changes."""
    in_letters(tiny[0])
    entry = replace(tiny[2], parameters=replace(tiny[2].parameters, max_tokens=OWN_LENGTH))
    record = trained(tiny, tmp_path / "out", {**TINY, "max_tokens": 8, "learning_rate": 1e-12}, entry=entry)
    curve = [row for row in run.read_json(record)["curve"] if row["facet"] == "overall"]
    assert len(curve) > 2 and all(row == {**curve[0], "step": row["step"]} for row in curve)


@pytest.mark.parametrize(("authors", "said"), [(8, True), (24, False)])
def test_a_training_without_matched_negatives_says_so(tiny, tmp_path, capsys, authors, said):
    """Where a batch has all authors, nobody is left to write a negative."""
    shutil.rmtree(tiny[0] / "test")
    write_release(tiny[0], authors=authors)
    record = trained(tiny, tmp_path / "out", {**TINY, "epochs": 1})
    assert record.is_file() and ("no matched negatives" in capsys.readouterr().err) == said


def test_no_record_vouches_for_weights_of_a_training_that_was_killed_at_its_end(tiny, tmp_path, monkeypatch):
    out = tmp_path / "out"
    trained(tiny, out)
    weights = (out / "tiny-seed-0/model.safetensors").read_bytes()
    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr(run, "write_text", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        trained(tiny, out, {**TINY, "learning_rate": 2e-3})
    trained(tiny, out)
    assert (out / "tiny-seed-0/model.safetensors").read_bytes() == weights


@pytest.mark.parametrize(
    ("option", "value"),
    [("batch", "1"), ("max-tokens", "7"), ("learning-rate", "1.5"), ("epochs", "1001"), ("seeds", "1001")],
)
def test_a_command_takes_the_amounts_that_a_recipe_takes(option, value, tiny, tmp_path, refused):
    command = ["train", str(tiny[0]), "--model", str(tiny[1]), "--out", str(tmp_path / "out")]
    assert f"train.{option.replace('-', '_')}" in refused([*command, f"--{option}", value])


def test_weights_are_trained_in_32_bits_where_the_model_computes_in_16(tiny, tmp_path):
    from safetensors.numpy import load_file

    entry = replace(tiny[2], parameters=replace(tiny[2].parameters, dtype="bfloat16"))
    trained(tiny, tmp_path / "out", {**TINY, "epochs": 1}, entry=entry)
    kinds = {str(one.dtype) for one in load_file(tmp_path / "out/tiny-seed-0/model.safetensors").values()}
    assert kinds == {"float32"}
    assert yaml.safe_load((tmp_path / "out/tiny-seed-0.yaml").read_text())["parameters"]["dtype"] == "bfloat16"
    with pytest.raises(InputError, match="float16 needs a GPU"):
        trained(tiny, tmp_path / "half", {**TINY, "precision": "float16"})


def test_a_model_without_weights_and_a_batch_without_authors_are_refused(tiny, tmp_path, refused):
    release, page, _ = tiny
    assert "cannot be tuned" in refused(["train", str(release), "--model", "tfidf", "--out", str(tmp_path / "out")])
    assert "not one batch" in refused(["train", release, "--model", page, "--out", tmp_path / "out", "--batch", "25"])
