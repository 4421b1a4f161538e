"""Hosts on loopback that speak the protocols of those a corpus comes from, and fail as they do."""

import hashlib
import io
import json
import tarfile
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "4f2c8e1a9b3d5f6071829a3b4c5d6e7f80912a3b"


@dataclass
class Fault:
    """What goes wrong with one request: a status, or the line after so many bytes, or a wrong length."""

    status: int = 0
    cut_after: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Host:
    """Files by path, faults that wait for a path (one per GET), the requests that came, and what each GET waits for."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    seen: list[tuple[str, str, str | None]] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    ranges: bool = True
    etag: bool = True
    heeds_if_range: bool = True
    length: bool = True
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    gate: Callable[[str], None] = lambda path: None
    url: str = ""

    def asked_for(self, path, method="GET"):
        """The ranges of the requests for a path, None for the whole."""
        return [asked for how, where, asked in self.seen if how == method and where == path]


@contextmanager
def serving(host):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):  # noqa: N802
            host.gate(self.path)
            self._answer(with_body=True)

        def do_POST(self):  # noqa: N802
            host.sent.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            self._answer(with_body=True)

        def do_HEAD(self):  # noqa: N802
            self._answer(with_body=False)

        def _answer(self, with_body):
            path = unquote(urlsplit(self.path).path)
            asked = self.headers.get("Range")
            host.seen.append((self.command, path, asked))
            fault = host.faults[path].pop(0) if with_body and host.faults[path] else Fault()
            body = host.files.get(path)
            if fault.status or body is None:
                self._send(fault.status or 404, b"no", {**host.headers.get(path, {}), **fault.headers}, with_body)
                return
            tag = f'"{hashlib.sha256(body).hexdigest()}"' if host.etag else None
            headers = {**({"ETag": tag} if tag else {}), **host.headers.get(path, {})}
            same = self.headers.get("If-Range") in (None, tag) or not host.heeds_if_range
            if asked and host.ranges and same:
                start, _, end = asked.removeprefix("bytes=").partition("-")
                start, end = int(start), min(int(end or len(body)), len(body) - 1)
                if start >= len(body):
                    self._send(416, b"", {"Content-Range": f"bytes */{len(body)}"}, with_body)
                    return
                headers["Content-Range"] = f"bytes {start}-{end}/{len(body)}"
                self._send(206, body[start : end + 1], headers, with_body, fault.cut_after)
                return
            self._send(200, body, headers, with_body, fault.cut_after)

        def _send(self, status, body, headers, with_body, cut_after=None):
            self.send_response(status)
            if host.length:
                self.send_header("Content-Length", str(len(body)))
            else:
                self.close_connection = True
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(body[:cut_after])
            if cut_after is not None:
                self.close_connection = True
                self.wfile.flush()
                self.connection.close()

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    host.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()


def hub(host, repository, files, commit=COMMIT, lfs=True):
    """Let a host be a Hugging Face Hub with one data set."""
    siblings = []
    for name, body in files.items():
        sha256 = hashlib.sha256(body).hexdigest()
        pointer = {"lfs": {"sha256": sha256, "size": len(body), "pointerSize": 130}} if lfs else {}
        siblings.append({"rfilename": name, "size": len(body), "blobId": sha256[:40], **pointer})
        path = f"/datasets/{repository}/resolve/{commit}/{name}"
        host.files[path] = body
        host.headers[path] = {"X-Repo-Commit": commit, "X-Linked-Size": str(len(body)), "Accept-Ranges": "bytes"}
    told = {"id": repository, "sha": commit, "private": False, "gated": False, "tags": [], "siblings": siblings}
    listing = json.dumps(told).encode()
    for revision in ("", "/revision/main", f"/revision/{commit}"):
        host.files[f"/api/datasets/{repository}{revision}"] = listing
    return host


def archive(files, more=()):
    """A repository as GitHub packs it: all below one folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, body in files.items():
            member = tarfile.TarInfo(f"repository-{COMMIT}/{name}")
            member.size = len(body)
            tar.addfile(member, io.BytesIO(body))
        for member, body in more:
            tar.addfile(member, io.BytesIO(body))
    return packed.getvalue()
