"""A build with Detoxify beside the word list, through the graph, with a tiny random checkpoint in its own format."""

import json

from extras import needs
from tiny import RECIPE

pytestmark = needs("detoxify", extra="toxicity")


def tiny_checkpoint(folder):
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "la"]) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    config = BertConfig(
        vocab_size=7, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_labels=2
    )
    config.save_pretrained(folder)
    torch.manual_seed(3)
    model = BertForSequenceClassification(config)
    arguments = {
        "model_type": str(folder),
        "model_name": "BertForSequenceClassification",
        "tokenizer_name": "BertTokenizer",
        "num_classes": 2,
    }
    told = {"arch": {"args": arguments}, "dataset": {"args": {"classes": ["toxic", "insult"]}}}
    torch.save({"config": told, "state_dict": model.state_dict()}, folder / "tiny.ckpt")
    return folder / "tiny.ckpt"


def test_both_scorers_are_asked_and_named_in_the_manifest(tiny, tmp_path):
    checkpoint = str(tiny_checkpoint(tmp_path / "model"))
    project = tiny.copy(tmp_path / "copy")
    safety = {"scorers": ["wordlist", "detoxify"], "threshold": 0.9, "detoxify": {"checkpoint": checkpoint}}
    project.build("release", *project.recipe(RECIPE | {"safety": safety}))
    manifest = json.loads((project.release / "manifest.json").read_text())
    assert sorted(path.parent.name for path in project.results.glob("sample/scored/*/0.parquet")) == ["0", "1"]
    identities = [scorer["identity"] for scorer in manifest["scorers"]]
    assert [identity.split()[0].partition(":")[0] for identity in identities] == ["wordlist", "detoxify"]
    assert {"detoxify", "torch", "transformers"} <= set(manifest["versions"])
    assert not any("word list only" in warning for warning in manifest["warnings"])


def test_on_cuda_the_jobs_that_load_the_model_ask_for_a_gpu(tiny, tmp_path):
    project = tiny.copy(tmp_path / "copy")
    safety = {"scorers": ["detoxify"], "threshold": 0.9, "detoxify": {"device": "cuda"}}
    recipe = project.recipe(RECIPE | {"safety": safety})
    status, said = project.snakemake("release", "--dry-run", "--quiet", "host", *recipe)
    assert status == 0, said
    asking = {block.split(":")[0] for block in said.split("\nrule ")[1:] if "gpu=1" in block}
    assert asking == {"load_scorers", "score_texts", "select_documents"}
