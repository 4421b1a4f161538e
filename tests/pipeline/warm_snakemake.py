"""Snakemake without its start: a process that has imported it and forks one child for each run.

Run as a program it serves: one JSON object a line asks for a run, one line with the exit status answers. Of the
project it imports nothing, so that each run reads the library of the folder that it runs in.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any


def run(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run `snakemake` with arguments in a folder; return its exit status and all that it printed."""
    with NamedTemporaryFile() as said:
        server = _server()
        assert server.stdin and server.stdout
        request = {
            "arguments": arguments,
            "folder": str(folder),
            "environment": dict(environment),
            "output": said.name,
        }
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        assert answer, f"the process that runs Snakemake ended with status {server.wait()}"
        said.seek(0)
        return int(answer), said.read().decode("utf-8", "replace")


@cache
def _server() -> "subprocess.Popen[str]":
    """Start the server; it ends with this process, which holds its standard input."""
    return subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def serve() -> None:
    """Answer requests until the input ends; no thread of this process may hold a lock when it forks, so no Polars."""
    import jsonschema  # noqa: F401
    import smart_open  # noqa: F401
    import snakemake.cli

    snakemake.cli.get_argument_parser()  # imports all plugins
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(request)
            snakemake.cli.main(request["arguments"])
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(request: Mapping[str, Any]) -> None:
    """Make this process as one that was started for the request: its folder, environment, input and output."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv = ["snakemake", *request["arguments"]]
    nothing, output = os.open(os.devnull, os.O_RDONLY), os.open(request["output"], os.O_WRONLY | os.O_APPEND)
    for target, source in ((0, nothing), (1, output), (2, output)):
        os.dup2(source, target)


if __name__ == "__main__":
    serve()
