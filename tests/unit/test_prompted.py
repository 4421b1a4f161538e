"""Claims about language models that are asked for answers: what is scored, what is paid for, what is kept secret."""

import json
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import polars as pl
import pytest
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.build.acquire import transfer
from authbench.core.identity import sha256_of_text
from authbench.core.shipped import shipped
from authbench.models.chat import MOST_BYTES
from authbench.models.prompts import score_in, scores_in
from authbench.models.requested import load_model
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.split import read_split

AUTHORS = 24
KEY = "sk-Secret/123+x"
Reply = tuple[int, bytes]


def habits(message):
    """The habits of the query and of its candidates, in their order."""
    return re.findall(r"habit\d+", message)


def alike(message):
    query, candidate = habits(message)
    return "0.9" if query == candidate else "0.1"


def ranked(message, best=True):
    query, *others = habits(message)
    order = sorted(range(len(others)), key=lambda place: (others[place] == query) != best)
    return f"They differ in habits.\n{[place + 1 for place in order]}"


def completion(answer):
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": answer}}], "usage": usage}).encode()


@dataclass
class Stub:
    """A model on loopback: what it answers, the replies that come first, and the requests that came."""

    answer: Callable[[str], str | None]
    first: list[Reply] = field(default_factory=list)
    gate: Callable[[int], None] = lambda number: None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    paid: list[str] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def stub():
    here = Stub(alike)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):  # noqa: N802
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/chat/completions"
            here.bodies.append(body)
            here.keys.add(self.headers["Authorization"])
            here.gate(len(here.bodies))
            message = body["messages"][0]["content"]
            status, content = here.first.pop(0) if here.first else (200, completion(here.answer(message)))
            self.send_response(status)
            self.send_header("Location", f"{here.url}/elsewhere")
            self.end_headers()
            self.wfile.write(content.replace(b"/", rb"\/"))
            here.paid += [message] if status == 200 else []

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    here.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield here
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_scored_release(tmp_path_factory.mktemp("prompted") / "release", AUTHORS, ("test",))


@pytest.fixture(scope="module")
def split(release):
    return read_split(open_release(release), "test")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(transfer, "FIRST_PAUSE", 0.0)
    monkeypatch.setenv("STUB_KEY", KEY)


def entry(folder, url, **parameters):
    given = {"endpoint": url, "model": "stub-1", "prompt": "rank", "max_requests": 10_000, "key": "STUB_KEY"}
    plain = {"title": "A stub", "group": "instruct", "kind": "prompt", "parameters": {**given, **parameters}}
    (folder / "asked.yaml").write_text(json.dumps(plain))
    return folder / "asked.yaml"


def command(release, folder, model):
    return ["evaluate", str(release), "--model", str(model), "--out", str(folder / "out"), "--seed", "0",
            "--cache", str(folder / "cache")]  # fmt: skip


def scored(folder):
    return json.loads((folder / "out/asked/scores.json").read_text())


def test_answers_about_pairs_score_what_a_file_of_them_scores(release, split, stub, tmp_path):
    assert main(command(release, tmp_path, entry(tmp_path, stub.url, prompt="pair"))) == 0
    stated = split.released.lists
    texts, ids = split.documents["content"], split.documents["id"]
    assert len(stub.bodies) == len(stated.rows)
    assert {(body["model"], body["temperature"], body["seed"]) for body in stub.bodies} == {("stub-1", 0, 0)}
    queries = split.asks[stated.owners()]
    given = pl.DataFrame(
        {
            "query_id": ids.gather(queries),
            "candidate_id": ids.gather(stated.rows),
            "score": [
                float(alike(f"{texts[int(query)]} {texts[int(row)]}"))
                for query, row in zip(queries, stated.rows, strict=True)
            ],
        }
    )
    given.write_csv(tmp_path / "given.csv")
    assert main(["evaluate", str(release), "--pairs", str(tmp_path / "given.csv"), "--out", str(tmp_path / "out"),
                 "--seed", "0"]) == 0  # fmt: skip
    expected = json.loads((tmp_path / "out/given/scores.json").read_text())
    found = scored(tmp_path)
    assert {key for key in found if found[key] != expected[key]} == {"model"}
    assert found["headline"]["auc_matched"]["value"] > 0.9
    told = found["model"]["parameters"]
    assert told["prompt_sha256"] == sha256_of_text(shipped("text/prompts/pair.txt").read_text())
    count = len(stated.rows)
    assert told["answered"] == {
        "questions": count,
        "unreadable": 0,
        "prompt_tokens": 7 * count,
        "completion_tokens": 2 * count,
    }


@pytest.mark.parametrize(("best", "least", "most"), [(True, 0.95, 1.0), (False, 0.0, 0.05)])
def test_a_list_is_asked_about_once_for_each_query(release, split, stub, tmp_path, best, least, most):
    stub.answer = lambda message: ranked(message, best)
    assert main(command(release, tmp_path, entry(tmp_path, stub.url))) == 0
    assert len(stub.bodies) == (split.released.lists.lengths() > 0).sum()
    assert least <= scored(tmp_path)["headline"]["auc_matched"]["value"] <= most
    assert scored(tmp_path)["overall"]["success@5"] is None and "eer" in scored(tmp_path)["left_out"]


def test_an_answer_that_cannot_be_read_is_counted_and_scores_a_half(release, stub, tmp_path):
    stub.answer = lambda message: "I cannot tell."
    stub.first = [(200, completion(None)), (200, completion("\ud800"))]
    assert main(command(release, tmp_path, entry(tmp_path, stub.url))) == 0
    told = scored(tmp_path)["model"]["parameters"]["answered"]
    assert told["unreadable"] == told["questions"] == len(stub.bodies) > 0
    assert scored(tmp_path)["headline"]["auc_matched"]["value"] == 0.5


@pytest.mark.parametrize(
    "answer", ["", "maybe", "0.5 or so", "1.1", "-0.5", "nan", "\u0660", "0.9\nor less", "yes and no"]
)
def test_only_a_number_or_yes_or_no_answers_about_a_pair(answer):
    assert score_in(answer) is None
    known = {"0": 0.0, "1.0": 1.0, " .25\n": 0.25, "YES": 1.0, "Dashes.\n\nNo.": 0.0}
    assert {text: score_in(text) for text in known} == known


@pytest.mark.parametrize(
    "answer", ["", "1, 2", "[1]", "[1, 1]", "[0, 1]", "[1, 2, 3]", "[true, 2]", "[2.0, 1]", "{}", "2"]
)
def test_only_all_candidates_answer_about_a_list(answer):
    assert scores_in(answer, 2) is None
    assert scores_in("Dashes.\n[2, 1]", 2) == [0.0, 1.0]


def test_a_busy_host_is_asked_again(release, stub, tmp_path):
    stub.answer = ranked
    stub.first = [(429, b""), (503, b""), (200, completion("[1]")), (500, b"")]
    assert main(command(release, tmp_path, entry(tmp_path, stub.url))) == 0
    told = scored(tmp_path)["model"]["parameters"]["answered"]
    assert (told["unreadable"], len(stub.bodies)) == (1, told["questions"] + 3)


def test_the_limit_ends_a_run_and_the_next_goes_on(release, split, stub, tmp_path, capsys):
    stub.answer, limited = ranked, entry(tmp_path, stub.url, max_requests=60)
    stub.first = [(503, b"")]
    asked = int((split.released.lists.lengths() > 0).sum())
    assert 60 < asked < 119
    assert main(command(release, tmp_path, limited)) == 2
    assert len(stub.bodies) == 60 and not (tmp_path / "out").exists()
    assert "max_requests" in capsys.readouterr().err
    assert main(command(release, tmp_path, limited)) == 0
    assert len(stub.paid) == len(set(stub.paid)) == asked
    before = (tmp_path / "out/asked/scores.json").read_bytes()
    assert main(command(release, tmp_path, limited)) == 0
    assert len(stub.bodies) == asked + 1 and (tmp_path / "out/asked/scores.json").read_bytes() == before


def kill_at(fatal, running, number):
    """Kill the process that sends a request of this number, and do not answer it."""
    if number == fatal:
        running.get().send_signal(signal.SIGKILL)
        raise ConnectionAbortedError


def test_a_killed_run_pays_nothing_twice(release, split, stub, tmp_path):
    stub.answer, model = ranked, entry(tmp_path, stub.url)
    for fatal in (20, 40):
        running = queue.Queue[subprocess.Popen[bytes]]()
        stub.gate = partial(kill_at, fatal, running)
        process = subprocess.Popen([sys.executable, "-m", "authbench", *command(release, tmp_path, model)])
        running.put(process)
        assert process.wait(timeout=300) == -signal.SIGKILL
        assert not (tmp_path / "out").exists()
    assert len(stub.paid) == 38
    stub.gate = lambda count: None
    assert main(command(release, tmp_path, model)) == 0
    asked = int((split.released.lists.lengths() > 0).sum())
    assert len(stub.paid) == len(set(stub.paid)) == asked
    whole = tmp_path / "whole"
    whole.mkdir()
    assert main(command(release, whole, model)) == 0
    assert (whole / "out/asked/scores.json").read_bytes() == (tmp_path / "out/asked/scores.json").read_bytes()


def test_the_key_is_sent_and_written_nowhere(release, stub, tmp_path, capfd, monkeypatch):
    stub.answer = lambda message: f"Your key is {KEY}.\n{ranked(message)}"
    assert main(command(release, tmp_path, entry(tmp_path, stub.url))) == 0
    assert stub.keys == {f"Bearer {KEY}"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 100 and not [path for path in files if b"Secret" in path.read_bytes()]
    for status in (401, 403):
        stub.first = [(status, f"Incorrect API key provided: {KEY}".encode())]
        assert main(command(release, tmp_path, entry(tmp_path, stub.url, model="stub-2"))) == 2
        said = capfd.readouterr()
        assert str(status) in said.err and "Secret" not in said.out + said.err
    monkeypatch.setenv("STUB_KEY", "sk-Secret")
    stub.first = [(400, b"What is sk-Secret?")]
    assert main(command(release, tmp_path, entry(tmp_path, stub.url, model="stub-2"))) == 2
    said = capfd.readouterr()
    assert "400: What is ***?" in said.err and "Secret" not in said.out + said.err


@pytest.mark.parametrize(
    "reply",
    [
        (200, b"<html>"),
        (200, b"[" * 100_000),
        (200, b'{"choices": []}'),
        (200, b'{"choices": [{"message": {"content": 1}}]}'),
        (200, b" " * (MOST_BYTES + 1)),
        (200, completion("x" * MOST_BYTES)),
        (302, b""),
        (400, b'{"error": "too long"}'),
        (404, b""),
    ],
    ids=["html", "deep", "no choice", "no text", "blank", "long", "redirect", "refused", "absent"],
)
def test_a_hostile_reply_is_one_error_and_is_not_kept(release, stub, tmp_path, capsys, reply):
    stub.first = [reply]
    assert main(command(release, tmp_path, entry(tmp_path, stub.url))) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if "is not verified" not in line]
    assert len(said) == 1 and "127.0.0.1" in said[0]
    assert len(stub.bodies) == 1 and not (tmp_path / "out").exists()
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "parameters",
    [
        {"endpoint": "http://example.org/v1"},
        {"endpoint": "http://127.0.0.1.example.org/v1"},
        {"endpoint": "https://me:word@example.org/v1"},
        {"endpoint": "https://example.org/v1?key=1"},
        {"endpoint": "https://[::1"},
        {"key": KEY},
        {"key": "UNSET_KEY"},
        {"prompt": "absent.txt"},
        {"prompt": "no_places.txt"},
        {"prompt": "both_places.txt"},
        {"max_requests": 0},
    ],
    ids=str,
)
def test_an_entry_that_cannot_be_used_is_told_before_anything_is_asked(release, stub, tmp_path, parameters):
    (tmp_path / "no_places.txt").write_text("Same?")
    (tmp_path / "both_places.txt").write_text("{query} {candidate} {candidates}")
    assert main(command(release, tmp_path, entry(tmp_path, stub.url, **parameters))) == 2
    assert not stub.bodies and not (tmp_path / "out").exists()


def test_a_prompt_is_a_file_next_to_its_entry(release, stub, tmp_path):
    (tmp_path / "mine.txt").write_text("Q {query} | {candidates} | {Q}")
    stub.answer = ranked
    model = entry(tmp_path, stub.url, prompt="mine.txt", key=None, max_characters=9)
    assert main(command(release, tmp_path, model)) == 0
    first = stub.bodies[0]["messages"][0]["content"]
    assert re.match(r"Q habit\d.{1,3} \| Candidate 1:\n\n", first) and first.endswith("| {Q}")
    assert max(len(text) for text in first.split("\n\n")[1::2]) <= 9 + len(" | {Q}")
    assert stub.keys == {None}
    assert load_model(str(model)).files == [str(tmp_path / "mine.txt")]
    assert load_model(str(entry(tmp_path, stub.url))).files == []
