"""Read the bytes and characters of a source's raw files.

Compressed files (.gz .zst .bz2 .xz) and zip members are read as streams, without being unpacked to disk. Encodings are
declared, never guessed; a byte order mark is never part of the text.
"""

import bz2
import codecs
import errno
import functools
import gzip
import io
import lzma
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

import zstandard

from authbench.core.errors import InputError, first_line
from authbench.core.storage.raw_paths import COMPRESSED, matches

MAX_EXPANSION = 1000  # times the compressed size,
FREE_EXPANSION = 64 << 20  # beyond this many bytes
MAX_RECORD_BYTES = 32 << 20
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
CHUNK = 1 << 20
ZSTANDARD_BLOCK = 1 << 11  # decompresses to at most 30,000 times as many bytes, all in memory
# Raised for damaged zip files.
NO_ZIP = (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, OverflowError, struct.error)
# Two-byte encodings, each of which decodes most texts in the other encodings, to nonsense. Longer marks first: the mark
# of UTF-32 begins with the mark of UTF-16.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    "\ufeff".encode("gb18030"): "gb18030",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Codecs of Python that are not file encodings: escapes, and host names.
NO_ENCODINGS = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
EAST_ASIAN = {"gb18030", "gbk", "gb2312", "big5", "cp950", "cp932", "shift_jis", "euc_jp", "cp949", "euc_kr"}


class UnreadableFile(InputError):
    """Report an empty file, or a file that is not in the declared encoding."""


class EmptyFile(UnreadableFile):
    """Report a file without any byte."""


class EnoughRead(Exception):
    """Report that the requested part of the file has been read (`RawFile.at_most`)."""


@dataclass(frozen=True)
class RawFile:
    """Represent a raw file, or a member of a raw zip file.

    Attributes:
        relative: the path below the source's folder; a member's path is appended to its archive's.
        sha256: the checksum of the file on disk.
        max_record_bytes: the most bytes of a record that a reader may hold.
        option: where a user declares the encoding, for messages; empty: nowhere.
        at_most: bytes after which reading stops with EnoughRead each time that the file is opened; None: its end.
    """

    path: Path
    relative: str
    sha256: str
    member: str | None = None
    max_record_bytes: int = MAX_RECORD_BYTES
    option: str = "reader.encoding"
    at_most: int | None = None

    @contextmanager
    def open_binary(self) -> Iterator[IO[bytes]]:
        """Yield a stream of the decompressed bytes.

        Raises:
            InputError: the file is empty, truncated, damaged or a Git LFS pointer.
            EnoughRead: the block reads beyond `at_most` bytes.
        """
        try:
            with self._raw() as (raw, size):
                stream = _decompressed(raw, self.member or self.path.name)
                if stream is not raw or self.member:
                    stream = io.BufferedReader(_Bounded(stream, size, self.relative), CHUNK)
                if self.at_most is not None:
                    stream = io.BufferedReader(_Head(stream, self.at_most))
                head = stream.peek(len(LFS_POINTER))
                if not head:
                    raise EmptyFile(f"{self.relative} is empty; fetch it again, or leave it out of `files`.")
                if head.startswith(LFS_POINTER):
                    raise InputError(
                        f"{self.relative} is a Git LFS pointer, not the data; fetch the file itself (git lfs pull)."
                    )
                yield stream
        except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile, gzip.BadGzipFile) as e:
            raise InputError(f"{self.relative} is truncated or damaged ({first_line(e)}); fetch it again.") from e
        except OSError as e:
            if e.errno in (None, errno.EINVAL):  # bz2 and gzip for damaged data, zip for wrong offsets
                raise InputError(f"{self.relative} is truncated or damaged ({first_line(e)}); fetch it again.") from e
            raise

    @contextmanager
    def open_text(self, encoding: str | Sequence[str] = "utf-8", newline: str = "") -> Iterator[io.TextIOWrapper]:
        """Yield a stream of the characters, without byte order mark; line ends are unchanged unless `newline` is given.

        Args:
            encoding: the declared encoding; if several, the first that decodes the complete file.

        Raises:
            UnreadableFile: the bytes do not fit the encoding; the message gives the position.
        """
        chosen = encoding if isinstance(encoding, str) else self._fitting(encoding)
        known_codec(chosen)
        try:
            with self.open_binary() as binary:
                self._skip_byte_order_mark(binary, chosen)
                text = io.TextIOWrapper(binary, encoding=chosen, newline=newline)
                try:
                    yield text
                finally:
                    text.detach()
        except UnicodeDecodeError as error:
            raise UnreadableFile(self._undecodable(chosen)) from error

    @contextmanager
    def open_seekable(self) -> Iterator[IO[bytes]]:
        """Yield a seekable stream of the decompressed bytes; compressed files are copied to a temporary file."""
        with self.open_binary() as stream:
            if not self.member and self.path.suffix.lower() not in COMPRESSED:
                stream.seek(0)
                yield stream
                return
            with tempfile.TemporaryFile() as whole:
                shutil.copyfileobj(stream, whole, CHUNK)
                whole.seek(0)
                yield whole

    def members(self, patterns: Sequence[str]) -> "list[RawFile]":
        """Return the matching files of a zip file, sorted by path; for any other file, the file itself.

        Raises:
            InputError: the archive is damaged, or holds a path twice.
        """
        if self.member or self.path.suffix.lower() != ".zip":
            return [self]
        try:
            with zipfile.ZipFile(self.path) as archive:
                entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
        except NO_ZIP as error:
            with self.open_binary():  # raises for an empty file or a Git LFS pointer
                raise InputError(f"{self.relative} is not a whole zip file ({error}); fetch it again.") from error
        for entry in entries:
            _refuse_unsafe(self.relative, entry)
        visible = [entry.filename for entry in entries if "/." not in f"/{entry.filename}"]
        chosen = [name for name in visible if matches(name, patterns)]
        if not chosen and len(entries) == 1:
            chosen = [entries[0].filename]
        if repeated := sorted(name for name, number in Counter(chosen).items() if number > 1):
            raise InputError(
                f"{self.relative} holds {', '.join(map(repr, repeated))} more than once, and nothing says which is "
                "right; pack the archive again."
            )
        return [replace(self, relative=f"{self.relative}/{name}", member=name) for name in sorted(chosen)]

    @contextmanager
    def _raw(self) -> Iterator[tuple[IO[bytes], int]]:
        """Yield a stream of the stored bytes, and their number."""
        if self.member is None:
            if not self.path.exists():
                was = "It was there when its checksum was taken" if self.sha256 else "Expected a file"
                raise InputError(f"{self.path}: there is no such file. {was}.")
            if not self.path.is_file():
                raise InputError(f"{self.path} is no regular file. Expected one.")
            with self.path.open("rb") as raw:
                yield raw, self.path.stat().st_size
            return
        stat = self.path.stat()
        try:
            archive = _archive(self.path, stat.st_size, stat.st_mtime_ns)
            entry = archive.getinfo(self.member)
            _refuse_unsafe(self.relative, entry)
            member = archive.open(entry)
        except NO_ZIP as error:
            raise InputError(f"{self.relative} cannot be had of its zip file ({error}); fetch it again.") from error
        with member:
            yield member, min(entry.compress_size, stat.st_size)

    def _skip_byte_order_mark(self, stream: IO[bytes], encoding: str) -> None:
        """Skip the mark of the declared encoding. Raises UnreadableFile if it is missing or another encoding's."""
        head, codec = stream.peek(4)[:4], known_codec(encoding)  # type: ignore[attr-defined]
        for mark, name in BYTE_ORDER_MARKS.items():
            if head.startswith(mark):
                if codec.removesuffix("-sig") == name:
                    stream.read(len(mark))
                elif codec != name.rpartition("-")[0]:  # utf-16 and utf-32 take the mark themselves
                    raise UnreadableFile(
                        f"{self.relative} begins with the byte order mark of {name}, but is declared as {encoding}; "
                        f"declare {name} under {self.option}."
                    )
                return
        if codec in ("utf-16", "utf-32"):
            raise UnreadableFile(
                f"{self.relative} has no byte order mark, without which {codec} does not say which byte comes first; "
                f"declare {codec}-le or {codec}-be under {self.option}."
            )

    @property
    def _cure(self) -> str:
        return f"declare the file's encoding under {self.option}" if self.option else "save it in UTF-8"

    def _fitting(self, encodings: Sequence[str]) -> str:
        for encoding in encodings[:-1]:
            if not _notices(encoding):
                raise InputError(
                    f"reader.encoding: {encoding} takes other encodings for its own, so what follows it would never be "
                    "tried; declare it alone, or last."
                )
            decoder = codecs.getincrementaldecoder(known_codec(encoding))()
            with self.open_binary() as binary:
                try:
                    while block := binary.read(CHUNK):
                        decoder.decode(block)
                    decoder.decode(b"", final=True)
                    return encoding
                except UnicodeDecodeError:
                    continue
                except EnoughRead:
                    return encoding
        return encodings[-1]

    def _undecodable(self, encoding: str) -> str:
        """Return a message with the position of the first byte that does not decode, found by a second read."""
        decoder = codecs.getincrementaldecoder(known_codec(encoding))()
        before, line = 0, 1
        with self.open_binary() as binary:
            while True:
                block = binary.read(1 << 16)
                pending = len(decoder.getstate()[0])
                try:
                    line += decoder.decode(block, final=not block).count("\n")
                except UnicodeDecodeError as error:
                    line += error.object[: error.start].count(b"\n")
                    byte, where = error.object[error.start], before - pending + error.start
                    return (
                        f"{self.relative} is not {encoding}: byte 0x{byte:02x} at offset {where}, line {line} "
                        f"({error.reason}); {self._cure}."
                    )
                if not block:
                    return f"{self.relative} is not {encoding}; {self._cure}."
                before += len(block)


@functools.lru_cache(maxsize=1)
def _archive(path: Path, size: int, changed: int) -> zipfile.ZipFile:
    """Return an open zip file, cached between members: reading a list of 20,000 members takes a tenth of a second."""
    return zipfile.ZipFile(path)


def _notices(encoding: str) -> bool:
    """Return whether decoding fails on other encodings: some bytes are undefined, and it is not East Asian."""
    try:
        bytes(range(256)).decode(encoding)
    except UnicodeDecodeError:
        return known_codec(encoding) not in EAST_ASIAN
    return False


def known_codec(encoding: str) -> str:
    """Return the name of an encoding of files. Raises InputError for what Python knows as another codec, or not."""
    try:
        found = codecs.lookup(encoding)
        if found._is_text_encoding and found.name.replace("_", "-") not in NO_ENCODINGS:
            return found.name
    except (LookupError, ValueError):  # the latter of a name with NUL
        pass
    raise InputError(f"no encoding is named {encoding!a:.40}; try utf-8, cp1252, gb18030.")


def _decompressed(stream: IO[bytes], name: str) -> Any:
    """Return the stream without the compression that a file's name states; the stream itself if it states none."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=stream)
    if suffix == ".bz2":
        return bz2.BZ2File(stream)
    if suffix == ".xz":
        return lzma.LZMAFile(stream)
    return _Zstandard(stream) if suffix == ".zst" else stream


class _Zstandard(io.RawIOBase):
    """A Zstandard stream that fails on a truncated last frame, which the library's reader would accept."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.frame, self.started = stream, zstandard.ZstdDecompressor().decompressobj(), False
        self.pending = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.pending:
            block = self.frame.unused_data if self.frame.eof else b""
            if self.frame.eof:
                self.frame, self.started = zstandard.ZstdDecompressor().decompressobj(), False
            block = block or self.stream.read(ZSTANDARD_BLOCK)
            if not block:
                if self.started:
                    raise EOFError("the compressed data end in the middle")
                return 0
            self.started = True
            self.pending = memoryview(self.frame.decompress(block))
        size = min(len(buffer), len(self.pending))
        buffer[:size], self.pending = self.pending[:size], self.pending[size:]
        return size


class _Bounded(io.RawIOBase):
    """Wrap a stream and fail if it grows to more than MAX_EXPANSION times the stored bytes."""

    def __init__(self, stream: Any, stored: int, name: str) -> None:
        self.stream, self.name, self.given = stream, name, 0
        self.limit = max(FREE_EXPANSION, MAX_EXPANSION * stored)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        size = int(self.stream.readinto(buffer))
        self.given += size
        if self.given > self.limit:
            raise InputError(
                f"{self.name} grows to more than {MAX_EXPANSION} times its size when it is decompressed; "
                "it looks like a decompression bomb and is not read further."
            )
        return size


class _Head(io.RawIOBase):
    """Wrap the beginning of a stream, readable in any order up to a number of bytes in total."""

    def __init__(self, stream: Any, most: int) -> None:
        self.stream, self.left = stream, most

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self.stream.seekable())

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return int(self.stream.seek(place, whence))

    def tell(self) -> int:
        return int(self.stream.tell())

    def readinto(self, buffer: object) -> int:
        size = int(self.stream.readinto(buffer))
        self.left -= size
        if self.left < 0:
            raise EnoughRead
        return size


def _refuse_unsafe(archive: str, entry: zipfile.ZipInfo) -> None:
    name = entry.filename
    if name.startswith("/") or "\\" in name or ":" in name[:2] or ".." in name.split("/"):
        raise InputError(f"{archive}: the member {name!r} points outside the archive; remove it from the archive.")
    if entry.flag_bits & 1:
        raise InputError(f"{archive}: the member {name!r} is encrypted; unpack it with its password first.")
