"""Examples of each command, for its `--help`."""

from collections.abc import Mapping, Sequence

EXAMPLES: Mapping[str, Sequence[str]] = {
    "sources acquire": (
        "sources acquire blog_authorship arxiv",
        "sources acquire exorde --share .01 --raw /data/corpora",
        "sources acquire exorde --bytes 2e9",
        "sources acquire exorde --rows 1e5",
    ),
    "release attest": (
        "release attest results/demo/release",
        "release attest results/demo/release --key key.pem --out demo.intoto.json",
    ),
    "audit": (
        "audit results/demo/release --out audit",
        "audit release/dev release/test --out audit --scores published.csv",
        "audit posts.csv --column author=user --column content=body --strict",
        "audit pan20 --scores answers.jsonl --out audit",
        "audit hf:owner/name@v1.0.0:config --out audit",
        "audit beir/test --clean beir-clean --out audit",
    ),
    "build": ("build", "build --configfile mine.yaml --cores 4", "build pan --configfile mine.yaml --dry-run"),
    "case": (
        "case --questioned letter.txt --known one.txt two.txt --population release --out case",
        "case --questioned q.txt --known k.txt --population posts.csv --genre blog --verifier impostors --out case",
    ),
    "check": ("check results/demo/release", "check results/demo/release --json", "check hf:owner/name"),
    "release diff": ("release diff results/before/release results/demo/release",),
    "evaluate": (
        "evaluate results/demo/release --model tfidf --model masked --out scores",
        "evaluate results/demo/release --model config/models/mine.yaml --out scores --split dev",
        "evaluate results/demo/release --model ./checkpoint --sanity --out scores",
        "evaluate results/demo/release --model e5-large-v2 --model as-published=e5-large-v2 --out scores",
        "evaluate results/demo/release --model owner/name --model my_module:encode --out scores",
        "evaluate hf:owner/name@v1.0.0 --model tfidf --out scores",
        "evaluate results/demo/release --model tfidf --max-queries 100 200 --max-candidates 1000 2000 --out parts",
        "evaluate results/demo/release --vectors mine.npz --run mine.run --pairs mine.csv --out scores",
    ),
    "explore": (
        "explore scores --out explorer",
        "explore results/demo/evaluate --release results/demo/release --out explorer",
    ),
    "release export": (
        "release export results/demo/release --form huggingface --out huggingface",
        "release export results/demo/release --form public --out public",
        "release export results/demo/release --form public --scores results/demo/evaluate --out public",
    ),
    "release freeze": ("release freeze results/open-corpora/release --config config/recipes/open-corpora.yaml",),
    "release languages": (
        "release languages results/demo --out languages",
        "release languages results/demo/release --out languages",
    ),
    "leaderboard": (
        "leaderboard scores",
        "leaderboard scores others --out board --pdf --metric roc_auc",
        "leaderboard scores --hub-dataset owner/name",
        "leaderboard submissions --release public",
    ),
    "release lookup": (
        "release lookup results/demo/release --handle NAME",
        "release lookup public --handle NAME --source exorde",
    ),
    "release merge": (
        "release merge results/first/release results/second/release --out merged",
        "release merge results/first/release results/second/release --out merged --name both --takedown takedown.txt",
    ),
    "new": (
        "new source letters.csv",
        "new source letters --name letters --column author=writer --yes",
        "new source posts.jsonl --yes --dry-run",
    ),
    "pan evaluate": (
        "pan evaluate --truth test --answers naive --answers mine --out report",
        "pan evaluate --truth test --answers naive --answers mine --compare auc --compare overall --holm",
        "pan evaluate --truth pan24/truth.jsonl --answers mine.jsonl --year 2024 --json",
    ),
    "pan pairs": (
        "pan pairs results/demo/release --out pairs",
        "pan pairs results/demo/release --out pairs --setting matched",
        "pan pairs mine.csv --out pairs --topics theme",
    ),
    "pan ratios": (
        "pan ratios results/demo/evaluate --out ratios",
        "pan ratios scores --pool topic_matched --out ratios",
    ),
    "pan run": (
        "pan run --train pairs/train-large --test pairs/test --verifier naive --verifier ppm --out runs",
        "pan run --train pairs/train-large --test pairs/test --verifier vectors=mine.npz --out runs",
        "pan run --train train --likelihood-ratios held-out --test questioned --verifier lambdag --out runs",
    ),
    "plan": (
        "plan --documents 1e8 --mean-chars 600 --cores 64",
        "plan --documents 3e5 --mean-chars 4e5 --release 150000 --cores 16",
        "plan --documents 3e6 --mean-chars 600 --cores 16 --configfile mine.yaml",
        "plan --power results/demo --difference .1",
    ),
    "raven run": (
        "raven run --out raven",
        "raven run results/demo/release --out raven --verifier naive --verifier ppm",
    ),
    "raven folds": (
        "raven folds raven --out folds",
        "raven folds raven --subset random-0 --out folds-random-0",
    ),
    "release rebuild": (
        "release rebuild public --raw resources/raw --out release",
        "release rebuild public --raw resources/raw --out part --partial",
        "release rebuild hf:owner/name --raw resources/raw --out release",
    ),
    "release notes": (
        "release notes results/before/release results/demo/release",
        "release notes public-1.0.0 public --out NOTES.md",
    ),
    "sources list": ("sources list", "sources list --markdown"),
    "style steb": (
        "style steb style/report/steb --out board",
        "style steb style/report/steb submitted_results --out board",
    ),
    "style run": (
        "style run data --model tfidf --out style",
        "style run data --model tfidf --dataset amazon --out style",
    ),
    "publish submit": ('publish submit scores/mine --contributor "Who made it" --model owner/name --out mine.zip',),
    "publish tables": (
        "publish tables scores --release results/demo/release --out paper",
        "publish tables scores --release results/demo/release --out paper --model tfidf --metric success@1",
        "publish tables --release results/demo/release --out paper",
    ),
    "train": (
        "train results/demo/release --model all-minilm-l6-v2 --out trained",
        "train results/demo/release --model all-minilm-l6-v2 --model my-encoder.yaml --epochs 20 --max-tokens 128 "
        "--out trained",
    ),
    "release verify": (
        "release verify results/demo/release --raw resources/raw",
        "release verify release --raw /data/raw --statement demo.intoto.json --key publisher.pub --countersign key.pem",
    ),
    "publish validate": (
        "publish validate mine.zip --release results/demo/release",
        "publish validate submissions/*.zip --release release",
    ),
}


def examples(command: str) -> str:
    """Return the end of a command's help; empty if it has no examples."""
    lines = [f"  authbench {line}" for line in EXAMPLES.get(command, ())]
    return "\n".join(["examples:", *lines]) if lines else ""
