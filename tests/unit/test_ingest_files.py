"""Raw files: every compression read as it is, every broken file refused with its name and what to do."""

import bz2
import gzip
import lzma
import tracemalloc
import zipfile

import pytest
import zstandard
from cases import cases

from authbench.core.errors import InputError
from authbench.core.storage.raw_files import RawFile
from authbench.core.storage.raw_paths import match_files

TEXT = "id,text\r\n1,né à Köln\r\n" * 2000


def raw(path, content):
    path.write_bytes(content)
    return RawFile(path, path.name, "0" * 64)


def text_of(file, encoding="utf-8"):
    with file.open_text(encoding) as text:
        return text.read()


def refusal(file, encoding="utf-8"):
    with pytest.raises(InputError) as error:
        text_of(file, encoding)
    return str(error.value)


PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}


@pytest.mark.parametrize("suffix", ["", *PACKED])
def test_compressed_files_are_read_as_they_are(tmp_path, suffix):
    assert text_of(raw(tmp_path / f"a.csv{suffix}", PACKED.get(suffix, bytes)(TEXT.encode()))) == TEXT


@pytest.mark.parametrize("suffix", PACKED)
def test_a_truncated_file_is_refused_by_name(tmp_path, suffix):
    message = refusal(raw(tmp_path / f"a.csv{suffix}", PACKED[suffix](TEXT.encode())[:-9]))
    assert message.startswith(f"a.csv{suffix} is truncated or damaged") and "fetch it again" in message


def test_several_zstandard_frames_are_one_text(tmp_path):
    assert text_of(raw(tmp_path / "a.zst", zstandard.compress(b"one ") + zstandard.compress(b"two"))) == "one two"


def test_an_empty_file_is_refused(tmp_path):
    assert "a.csv is empty" in refusal(raw(tmp_path / "a.csv", b""))


def test_a_git_lfs_pointer_is_refused_by_name(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    assert "train.csv is a Git LFS pointer" in refusal(raw(tmp_path / "train.csv", pointer))


def test_an_undecodable_byte_is_named_with_its_place(tmp_path):
    good = "é\n" * 70_000
    message = refusal(raw(tmp_path / "a.txt", good.encode() + "naïve".encode("cp1252")))
    assert "a.txt is not utf-8: byte 0xef at offset 210002, line 70001" in message


def test_the_place_of_an_undecodable_byte_is_right_where_characters_straddle_blocks(tmp_path):
    good = "x" + "漢" * 50_000
    message = refusal(raw(tmp_path / "a.txt", good.encode() + b"\xff"))
    assert f"byte 0xff at offset {1 + 150_000}, line 1" in message


@pytest.mark.parametrize("name", ["utf-9", "base64", "rot13", "punycode", "undefined", "unicode_escape", "utf\0"])
def test_an_encoding_that_is_none_of_files_is_named(tmp_path, name):
    assert f"no encoding is named {name!a}" in refusal(raw(tmp_path / "a.txt", b"x"), name)


def test_the_first_encoding_that_fits_the_whole_file_is_used(tmp_path):
    assert text_of(raw(tmp_path / "a", "汉字é".encode()), ["utf-8", "gb18030"]) == "汉字é"
    assert text_of(raw(tmp_path / "b", "汉字é".encode("gb18030")), ["utf-8", "gb18030"]) == "汉字é"


@pytest.mark.parametrize("encoding", ["latin-1", "cp437", "gb18030", "cp932"])
def test_an_encoding_that_takes_others_for_its_own_is_tried_last_or_not_at_all(tmp_path, encoding):
    message = refusal(raw(tmp_path / "a", b"x"), [encoding, "utf-8"])
    assert f"{encoding} takes other encodings for its own" in message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_byte_order_mark_is_no_text(tmp_path, encoding):
    mark = "" if encoding in ("utf-16", "utf-32", "utf-8-sig") else "\ufeff"
    assert text_of(raw(tmp_path / "a", f"{mark}名".encode(encoding)), encoding) == "名"


def test_a_decompression_bomb_is_not_read_to_its_end(tmp_path):
    assert "decompression bomb" in refusal(raw(tmp_path / "a.gz", gzip.compress(bytes(80 << 20))))


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return RawFile(path, path.name, "0" * 64)


def test_the_matching_members_of_a_zip_file_are_read_in_order(tmp_path):
    file = zipped(tmp_path / "a.zip", {"b/two.csv": "2", "readme.md": "no", "a/one.csv": "1"})
    parts = file.members(["**/*.csv", "**/*.zip"])
    assert [(part.relative, text_of(part)) for part in parts] == [("a.zip/a/one.csv", "1"), ("a.zip/b/two.csv", "2")]


@pytest.mark.parametrize("name", ["../evil.csv", "/etc/evil.csv", "a/../../evil.csv", "C:/evil.csv"])
def test_a_zip_member_that_points_outside_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="points outside the archive"):
        zipped(tmp_path / "a.zip", {name: "x"}).members(["**/*.csv"])


def test_a_truncated_zip_file_is_refused(tmp_path):
    file = zipped(tmp_path / "a.zip", {"a.csv": TEXT})
    with pytest.raises(InputError, match=r"a\.zip is not a whole zip file"):
        raw(file.path, file.path.read_bytes()[:-30]).members(["**/*.csv"])


def test_patterns_see_through_compression_and_leave_out_what_they_are_told(tmp_path):
    for name in ("a.csv", "b/c.csv.gz", "b/d.csv.zip", "b/damaged.csv", "e.json", ".hidden.csv", "b/.h/f.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert match_files(tmp_path, ["**/*.csv", "!**/damaged*"]) == ["a.csv", "b/c.csv.gz", "b/d.csv.zip"]
    assert match_files(tmp_path, ["*.csv"]) == ["a.csv"]


def test_a_zstandard_bomb_is_not_held_in_memory(tmp_path):
    file = raw(tmp_path / "t.txt.zst", zstandard.ZstdCompressor(level=1).compress(bytes(300 << 20)))
    tracemalloc.start()
    assert "decompression bomb" in refusal(file)
    assert tracemalloc.get_traced_memory()[1] < 200 << 20
    tracemalloc.stop()


def test_a_file_name_that_is_not_utf_8_is_told(tmp_path):
    (tmp_path / "caf\udce9.txt").write_text("text")
    with pytest.raises(InputError, match="not UTF-8; rename"):
        match_files(tmp_path, ["*.txt"])


@pytest.mark.parametrize(
    ("record", "place", "value"),
    [(b"PK\1\2", 6, 148), (b"PK\5\6", 16, 255), (b"PK\1\2", 10, 99), (b"PK\1\2", 8, 1), (b"PK\3\4", 26, 200)],
    ids=["version", "offset of the list", "compression", "encryption", "length of a name"],
)
def test_a_damaged_zip_file_is_refused_by_name(tmp_path, record, place, value):
    file = zipped(tmp_path / "a.zip", {"a.csv": "1"})
    content = bytearray(file.path.read_bytes())
    content[content.index(record) + place] = value
    with pytest.raises(InputError, match=r"a\.zip"):
        for member in raw(file.path, bytes(content)).members(["*"]):
            text_of(member)


@cases
def test_the_byte_order_mark_of_another_encoding_is_told(tmp_path, written, declared):
    message = refusal(raw(tmp_path / "a.txt", "\ufeffname".encode(written)), declared)
    assert f"byte order mark of {written}, but is declared as {declared}; declare {written}" in message


def test_two_members_of_one_name_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for content in ("1", "2"):
            archive.writestr("a.csv", content)
    file = RawFile(tmp_path / "a.zip", "a.zip", "0" * 64)
    with pytest.raises(InputError, match=r"a\.zip holds 'a\.csv' more than once"):
        file.members(["*.csv"])
    assert [part.relative for part in file.members(["*.txt"])] == []


def test_endings_match_whatever_their_case(tmp_path):
    for name in ("a.csv", "B.CSV", "c.Csv.GZ", "d.csvx", "Damaged.CSV"):
        (tmp_path / name).write_bytes(b"x")
    assert match_files(tmp_path, ["*.csv", "!Damaged.csv"]) == ["B.CSV", "a.csv", "c.Csv.GZ"]
    assert match_files(tmp_path, ["b.csv"]) == []


def test_files_of_a_linked_folder_are_read_once_or_the_link_is_told(tmp_path):
    folder, elsewhere = tmp_path / "letters", tmp_path / "elsewhere"
    for path in (folder / "one/a.csv", folder / ".store/b.csv", elsewhere / "c.csv"):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    (folder / "one/loop").symlink_to(folder)
    (folder / "again").symlink_to(folder / "one")
    (folder / "hidden").symlink_to(folder / ".store")
    assert match_files(folder, ["**/*.csv"]) == ["hidden/b.csv", "one/a.csv"]
    (folder / "two").symlink_to(elsewhere)
    with pytest.raises(InputError, match=r"letters/two is a link to .*elsewhere, outside of the source's folder"):
        match_files(folder, ["**/*.csv"])
    assert match_files(folder, ["*.csv"]) == []


@pytest.mark.parametrize("declared", ["utf-16", "UTF-32"])
def test_an_encoding_of_either_order_of_bytes_needs_a_byte_order_mark(tmp_path, declared):
    message = refusal(raw(tmp_path / "a.txt", "text".encode(f"{declared}-be")), declared)
    assert "a.txt has no byte order mark" in message
    assert f"declare {declared.lower()}-le or {declared.lower()}-be" in message
