"""Transfer bytes over a connection that may break, from a host that may be busy.

A download resumes where it stopped if the host confirms that the file is the same (by its ETag or date, stored with the
part); otherwise it restarts. Temporary failures (a broken connection, 429, 5xx) are retried after a pause that doubles
each time; permanent failures are reported at once.
"""

import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import HTTPError

from authbench.build.acquire.offers import Advance, ByHand
from authbench.core.errors import InputError
from authbench.core.storage.atomic import write_text
from authbench.core.storage.raw_files import FREE_EXPANSION
from authbench.core.version import VERSION

ATTEMPTS = 6  # consecutive ones without new bytes
FIRST_PAUSE = 1.0  # seconds, doubled each time: 31 s in total
LONGEST_PAUSE = 600.0
TIMEOUT = (20, 60)  # seconds to connect, and between bytes
BLOCK = 1 << 18
CODINGS = ("gzip", "x-gzip", "deflate")
MOST_EXPANSION = 100  # bytes that an encoded byte may become, where they are more than FREE_EXPANSION
MOST_UNDECLARED = 16 << 30  # bytes of a body without a length
BUSY = (408, 425, 429)
Result = TypeVar("Result")
Pause = Callable[[float], None]


class Passing(Exception):
    """A temporary failure; `after` is how many seconds the host asks to wait."""

    def __init__(self, what: str, after: float = 0.0) -> None:
        super().__init__(what)
        self.after = after


def download(url: str, part: Path, advance: Advance, pause: Pause = time.sleep) -> None:
    """Fetch the complete file at `url` to `part`. Memory: a block.

    Raises ByHand for 401 and 403, InputError if the file does not exist, fails ATTEMPTS times, or exceeds a bound.
    """
    patiently(lambda: _go_on(url, part, advance), f"{shown(url)}", lambda: _size(part), pause)
    _mark(part).unlink(missing_ok=True)


def patiently(
    call: Callable[[], Result], what: str, reached: Callable[[], int] = lambda: 0, pause: Pause = time.sleep
) -> Result:
    """Return the result of the call, retried while failures are Passing; progress in `reached` resets the count.

    Raises:
        InputError: it failed too often in a row, or the host asks to wait for too long.
    """
    failed, furthest = 0, reached()
    while True:
        try:
            return call()
        except Passing as trouble:
            failed, furthest = (0, reached()) if reached() > furthest else (failed + 1, furthest)
            if failed >= ATTEMPTS or trouble.after > LONGEST_PAUSE:
                wait = f" The host asks to wait {trouble.after:.0f} s." if trouble.after > LONGEST_PAUSE else ""
                raise InputError(
                    f"{what}: {trouble}.{wait} Run the same command again later: what has come stays."
                ) from trouble
            pause(max(trouble.after, FIRST_PAUSE * 2 ** max(failed - 1, 0)))


def _go_on(url: str, part: Path, advance: Advance) -> None:
    """Make a single attempt. Bytes kept from an earlier attempt are not reported again."""
    part.parent.mkdir(parents=True, exist_ok=True)
    mark = _mark(part).read_text(encoding="utf-8") if _mark(part).exists() else ""
    have = _size(part) if mark else 0
    headers = {"User-Agent": f"authbench/{VERSION}", "Accept-Encoding": "identity"}
    if have:
        headers.update({"Range": f"bytes={have}-", "If-Range": mark})
    try:
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
            if answer.status_code == 416:
                if answer.headers.get("Content-Range") == f"bytes */{have}":
                    return
                _forget(part, advance)
                raise Passing("the host has less than has come")
            refuse(answer.status_code, answer.headers.get("Retry-After"), shown(url))
            goes_on = answer.status_code == 206
            coding = answer.headers.get("Content-Encoding", "identity").strip().lower()
            encoded = coding not in ("", "identity") and not _is_packed(url)
            if goes_on and (encoded or not _is_rest(answer.headers, have, mark)):
                _forget(part, advance)
                raise Passing("the host sent another part than was asked for")
            if not goes_on:
                _forget(part, advance)
                have = 0
                if not encoded and (version := _version(answer.headers)):
                    write_text(_mark(part), version)
            length = answer.headers.get("Content-Length")
            blocks = _bounded(answer.raw.stream(BLOCK, decode_content=False), length)
            with part.open("ab" if goes_on else "wb") as file:
                for block in _decoded(blocks, coding) if encoded else blocks:
                    file.write(block)
                    advance(len(block))
            come = answer.raw.tell()
    except _Refused as error:
        _forget(part, advance)
        raise InputError(f"{shown(url)} {error}") from None
    except (requests.ConnectionError, requests.Timeout, HTTPError) as error:  # their messages contain the whole address
        raise Passing(f"the line broke ({type(error).__name__})") from None
    except requests.RequestException as error:
        raise InputError(f"{shown(url)} cannot be fetched: {without_secrets(str(error))}") from None
    if length is not None and length.isdigit() and come != int(length):
        raise Passing(f"{have + come} of {have + int(length)} bytes came")


class _Refused(Exception):
    """The body cannot be accepted, with the reason."""


def _bounded(blocks: Iterable[bytes], length: str | None) -> Iterator[bytes]:
    """Yield the blocks of a body; without a declared length at most MOST_UNDECLARED bytes."""
    come = 0
    for block in blocks:
        come += len(block)
        if length is None and come > MOST_UNDECLARED:
            raise _Refused(
                f"declares no length and has more than {MOST_UNDECLARED:,} bytes. Download it yourself and put it into "
                "the folder of the source."
            )
        yield block


def _decoded(blocks: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Yield a body without its content encoding, in blocks; fail if the encoded stream ends at the wrong place.

    Requests ask for the identity encoding; some hosts encode nevertheless.
    """
    if coding not in CODINGS:
        raise _Refused(f"comes with the content encoding {coding!a}, which was not asked for; known: gzip, deflate")
    decoder, come, made = _decoder(), 0, 0
    for block in blocks:
        come += len(block)
        while block:
            if decoder.eof:
                decoder = _decoder()  # a further member of gzip
            try:
                plain = decoder.decompress(block, BLOCK)
            except zlib.error:
                raise _Refused(f"cannot be decoded: its {coding} stream is damaged") from None
            block = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
            made += len(plain)
            if made > max(FREE_EXPANSION, MOST_EXPANSION * come):
                raise _Refused(
                    f"expands to more than {MOST_EXPANSION} times the bytes that came ({come:,}); it is not taken"
                )
            yield plain
    if not decoder.eof:
        raise Passing(f"the {coding} stream is cut off after {come:,} bytes")


def _decoder() -> "zlib._Decompress":
    return zlib.decompressobj(zlib.MAX_WBITS | 32)  # accepts the headers of gzip and of zlib


def _is_rest(headers: Mapping[str, str], have: int, mark: str) -> bool:
    """Return whether a part continues at `have` and is of the version that the mark names.

    A host need not repeat a date, but must repeat an ETag (RFC 9110, 15.3.7).
    """
    same = headers.get("ETag") == mark if mark.startswith('"') else headers.get("Last-Modified", mark) == mark
    return same and headers.get("Content-Range", "").startswith(f"bytes {have}-")


def _version(headers: Mapping[str, str]) -> str:
    """Return the version of a file: its ETag if that is strong, else its date, else an empty text."""
    etag = headers.get("ETag", "")
    return etag if etag.startswith('"') else headers.get("Last-Modified", "")


def _is_packed(url: str) -> bool:
    """Return whether the file is compressed itself, in which case an encoding describes the file, not the transfer."""
    return urlsplit(url).path.lower().endswith((".gz", ".tgz")) or "/tar.gz/" in urlsplit(url).path


def refuse(status: int, retry_after: str | None, what: str) -> None:
    """Raise the error of a status, unless it is a success."""
    if status in BUSY or status >= 500:
        after = _seconds(retry_after or "")
        raise Passing("too many requests" if status == 429 else f"the host answers {status}", after)
    if status in (401, 403):
        raise ByHand(f"{what} is not given to everyone (the host answers {status})")
    if status in (404, 410):
        raise InputError(f"{what} is not there (the host answers {status}); has it moved?")
    if status >= 400:
        raise InputError(f"{what} cannot be fetched: the host answers {status}")


def shown(url: str) -> str:
    """Return an address without the parts that may be secret.

    >>> shown("https://me:word@example.org/a.zip?token=1")
    'https://example.org/a.zip'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def without_secrets(words: str) -> str:
    """Return a message with each address in it shortened as in `shown`.

    >>> without_secrets("403 for url: https://cdn.example.org/a?Signature=abc")
    '403 for url: https://cdn.example.org/a'
    """
    return re.sub(r"\w+://[^\s'\"<>)]+", lambda found: shown(found[0]), words)


def _seconds(retry_after: str) -> float:
    """Return the seconds that a host asks to wait, which it states as a number or as a date."""
    if retry_after.isdigit():
        return float(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    return max((at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)


def _mark(part: Path) -> Path:
    return part.with_name(f"{part.name}.is")


def _forget(part: Path, advance: Advance) -> None:
    """Restart: subtract the reported bytes."""
    advance(-_size(part))
    for gone in (part, _mark(part)):
        with suppress(FileNotFoundError):
            gone.unlink()


def _size(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0
