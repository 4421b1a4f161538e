"""Files of vectors are held to what they state before room is made for it."""

import io
import resource
import warnings
import zipfile

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib import format as npy

from authbench.core.errors import InputError
from authbench.core.storage.bounds import ALWAYS, VARIABLE
from authbench.models.vector_file import read_vectors

IDS, VECTORS = ["a", "b", "c"], np.arange(6, dtype=np.float32).reshape(3, 2)


def header(shape, descr="<f4", version=(1, 0)):
    """Return the head of a .npy file that states a shape."""
    file = io.BytesIO()
    write = npy.write_array_header_1_0 if version == (1, 0) else npy.write_array_header_2_0
    write(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue()


def npz(path, members, kind=zipfile.ZIP_STORED):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", kind) as archive:
        warnings.simplefilter("ignore")  # of a name that comes twice
        for name, content in members:
            archive.writestr(name, content)
    return path


def plain(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def refused(path, *words):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError) as told:
        read_vectors(path)
    assert str(told.value).startswith(f"{path}: ") and "\n" not in str(told.value)
    assert all(word in str(told.value) for word in words)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10


@pytest.mark.parametrize("shape", [(10**12, 2), (3, 10**12), (10**6, 10**6), (2, 2), (4, 2), (10**30, 1), (-1, 2)])
@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_a_header_that_states_other_values_than_there_are_is_refused(shape, version, tmp_path):
    content = header(shape, version=version) + VECTORS.tobytes()
    (tmp_path / "v.npy").write_bytes(content)
    (tmp_path / "v.ids.txt").write_text("a\nb\nc\n")
    refused(tmp_path / "v.npy")
    refused(npz(tmp_path / "v.npz", [("ids.npy", plain(np.array(IDS))), ("vectors.npy", content)]))
    refused(npz(tmp_path / "i.npz", [("ids.npy", header(shape, "<U9")), ("vectors.npy", plain(VECTORS))]))


@pytest.mark.parametrize(
    "head",
    [
        b"{'descr': '<f4', 'fortran_order': False, 'shape': __import__('os').system('id'), }\n",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
        b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n",
        b"{'descr': '<f4', 'shape': (1,), }\n",
        b"(" * 9_000,
        b"",
    ],
    ids=["an expression", "objects", "records", "no order", "brackets", "nothing"],
)
def test_a_header_that_is_none_is_refused(head, tmp_path):
    (tmp_path / "v.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(64))
    (tmp_path / "v.ids.txt").write_text("a\n")
    refused(tmp_path / "v.npy")


@given(st.binary(max_size=200))
def test_any_bytes_are_vectors_or_refused(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("any")
    (folder / "v.ids.txt").write_text("a\n")
    for name, lead in (("v.npy", b"\x93NUMPY\x01\x00"), ("v.npz", b"PK\x03\x04")):
        (folder / name).write_bytes(lead + content)
        refused(folder / name)


def test_an_archive_that_would_expand_without_bound_is_refused_and_an_honest_one_read(tmp_path):
    many = np.zeros((ALWAYS // 4 + 1, 1), np.float32)
    members = [("ids.npy", plain(np.array(IDS))), ("vectors.npy", plain(many))]
    refused(npz(tmp_path / "v.npz", members, zipfile.ZIP_DEFLATED), VARIABLE, "MiB")
    np.savez_compressed(tmp_path / "w.npz", ids=np.array(IDS), vectors=VECTORS)
    ids, vectors = read_vectors(tmp_path / "w.npz")
    assert ids == IDS and np.array_equal(vectors, VECTORS)


def test_an_archive_with_any_byte_changed_is_refused_or_read(tmp_path):
    np.savez_compressed(path := tmp_path / "v.npz", ids=np.array(IDS), vectors=VECTORS)
    content, outcomes = path.read_bytes(), set[bool]()
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        try:
            read_vectors(path)
            outcomes.add(True)
        except InputError:
            outcomes.add(False)
    assert False in outcomes


def test_an_array_that_is_there_twice_is_refused(tmp_path):
    own = [("ids.npy", plain(np.array(IDS))), ("vectors.npy", plain(VECTORS)), ("vectors.npy", plain(VECTORS + 1))]
    refused(npz(tmp_path / "v.npz", own), "twice")


def test_an_array_in_the_order_of_fortran_is_read(tmp_path):
    np.save(tmp_path / "v.npy", np.asfortranarray(VECTORS))
    (tmp_path / "v.ids.txt").write_text("a\nb\nc\n")
    assert np.array_equal(read_vectors(tmp_path / "v.npy")[1], VECTORS)


@pytest.mark.parametrize("content", ["a\nb\nc\n", "\ufeffa\r\nb\r\nc", "a\rb\rc\r"])
def test_ids_beside_may_have_a_mark_and_any_ends_of_lines(content, tmp_path):
    np.save(tmp_path / "v.npy", VECTORS)
    (tmp_path / "v.ids.txt").write_bytes(content.encode())
    assert read_vectors(tmp_path / "v.npy")[0] == IDS


def test_an_id_may_hold_signs_that_some_take_for_ends_of_lines(tmp_path):
    np.save(tmp_path / "v.npy", VECTORS)
    odd = ["a\u2028b", "c\x85", "d\x1ce"]
    (tmp_path / "v.ids.txt").write_text("\n".join(odd), encoding="utf-8")
    assert read_vectors(tmp_path / "v.npy")[0] == odd


@pytest.mark.parametrize("ids", [[1.0, 2.0, 3.0], [True, False, None], [["a"], ["b"], ["c"]]])
def test_ids_that_identify_nothing_surely_are_refused(ids, tmp_path):
    pl.DataFrame({"id": ids, "vector": VECTORS.tolist()}).write_parquet(tmp_path / "v.parquet")
    refused(tmp_path / "v.parquet", "column id")


@pytest.mark.parametrize("ids", [[1, 2, 3], [1 << 63, (1 << 64) - 1, 0]])
def test_whole_numbers_are_ids_with_all_their_digits(ids, tmp_path):
    pl.DataFrame({"id": pl.Series(ids, dtype=pl.UInt64), "vector": VECTORS.tolist()}).write_parquet(
        tmp_path / "v.parquet"
    )
    np.savez(tmp_path / "v.npz", ids=np.array(ids, np.uint64), vectors=VECTORS)
    for name in ("v.parquet", "v.npz"):
        assert read_vectors(tmp_path / name)[0] == [str(one) for one in ids]
