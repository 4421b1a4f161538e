"""Commands as forks of a process that has imported what they import, each measured, and ended where it takes too long.

Run as a program it serves: one JSON object a line asks for a run, one line answers: status, seconds, MiB at the peak.
"""

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1] / "pipeline"))
import warm_snakemake  # noqa: E402

# Importing these starts no thread that a fork would miss.
OF_COMMANDS = ("authbench.app.cli", "jinja2", "jsonschema", "matplotlib.figure", "numba", "orjson", "polars",
               "pyarrow.compute", "pyarrow.parquet", "regex", "scipy.sparse.csgraph",
               "sklearn.feature_extraction.text", "sklearn.linear_model", "tiktoken", "yaml")  # fmt: skip
SECONDS = 60
MOST = 4 << 30  # bytes of addresses, beyond what is imported, so that a fault harms no other process
EXIT_NOW = os._exit  # which a command replaces


class Ended(NamedTuple):
    status: int  # negative: the signal that ended it
    seconds: float
    mib: int
    said: str


def run(server, words, folder):
    """Run a command in a folder."""
    assert server.stdin and server.stdout
    server.stdin.write(json.dumps([list(words), str(folder)]) + "\n")
    server.stdin.flush()
    status, seconds, mib = json.loads(server.stdout.readline())
    said = folder / "said.txt"
    text = said.read_bytes().decode("utf-8", "replace")
    said.unlink()
    return Ended(status, seconds, mib, text)


@contextlib.contextmanager
def serving():
    """Give the process whose forks are commands."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as server:
        yield server
        assert server.stdin
        server.stdin.close()


def serve():
    """Answer requests until the input ends."""
    package = importlib.import_module("authbench")
    ours = (found.name for found in pkgutil.walk_packages(package.__path__, "authbench."))
    for module in (*OF_COMMANDS, *(name for name in ours if ".shipped" not in name and "__main__" not in name)):
        with contextlib.suppress(ImportError):  # what an extra would bring
            importlib.import_module(module)
    warm_snakemake.import_all()
    gc.freeze()
    for line in sys.stdin:
        words, folder = json.loads(line)
        child = os.fork()
        if not child:
            _become(words, folder)
        print(json.dumps(_waited(child)), flush=True)


def _waited(child):
    began = time.monotonic()
    while True:
        found, status, usage = os.wait4(child, os.WNOHANG)
        seconds = time.monotonic() - began
        if found:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what it has left
            return os.waitstatus_to_exitcode(status), round(seconds, 2), usage.ru_maxrss >> 10
        if seconds > SECONDS:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.002 if seconds < 1 else 0.05)


def _become(words, folder):
    """Run a command in this fork, and end with its status."""
    os.setpgid(0, 0)
    os.chdir(folder)
    output = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((nothing, output, output)):
        os.dup2(file, number)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.argv = ["authbench", *words]
    os.execve = _go_on_as_snakemake
    status = 99
    try:
        status = sys.modules["authbench.app.cli"].main(words)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 98
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        EXIT_NOW(status)


def _go_on_as_snakemake(_, command, environment):
    """Run Snakemake in this process, as the program that a command becomes; its jobs are processes of their own."""
    os.environ.update(environment)
    sys.argv = ["snakemake", *command[3:]]
    status = 97
    try:
        sys.modules["snakemake.cli"].main(command[3:])
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 98
    finally:
        EXIT_NOW(status)


if __name__ == "__main__":
    serve()
