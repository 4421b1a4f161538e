"""Snakemake and its jobs without their starts: a process that has imported what both import, and forks.

Run as a program it serves: one JSON object a line asks for a run, one line with the exit status answers. Of the
project it imports nothing, so that each run and each job reads the library of the folder that it runs in.
"""

import atexit
import contextlib
import gc
import hashlib
import importlib
import json
import os
import runpy
import select
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache, partial
from importlib import metadata
from pathlib import Path

# What most jobs import, and what takes long. Importing these starts no thread that a job would miss in a fork.
OF_JOBS = (
    "awkward",
    "jinja2",
    "jsonschema",
    "matplotlib.figure",
    "numba",
    "numpy",
    "orjson",
    "polars",
    "pyarrow.parquet",
    "regex",
    "requests",
    "scipy.sparse.csgraph",
    "scipy.special",
    "sklearn.feature_extraction.text",
    "sklearn.linear_model",
    "smart_open",
    "tiktoken",
    "yaml",
)
PLACE = '"the file of rules"'  # stands in what is kept of a file of rules for its path
LONGEST_REQUEST = 1 << 20  # bytes, of a job: its script's path and its environment


def run(arguments, folder, environment):
    """Run `snakemake` with arguments in a folder; return its exit status and all that it printed."""
    return _ask(_server(), arguments, folder, environment)


def run_as_started(arguments, folder, environment):
    """Run `snakemake` likewise, as a fork of a process that was itself started in the environment.

    Python and libraries read there, when they start, a seed of hashes, a locale, threads and folders of packages.
    """
    with _started(environment) as server:
        answered = _ask(server, arguments, folder, environment)
        assert server.stdin
        server.stdin.close()
    return answered


def _ask(server, arguments, folder, environment):
    with tempfile.NamedTemporaryFile() as said:
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
def _server():
    """Start the server of all runs; it ends with this process, which holds its standard input."""
    return _started(os.environ)


def _started(environment):
    command = [sys.executable, __file__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def serve():
    """Answer requests until the input ends."""
    snakemake = import_all()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            output = os.open(request["output"], os.O_WRONLY | os.O_APPEND)
            become(request, output, output)
            fork_jobs()
            snakemake.cli.main(request["arguments"])
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def import_all():
    """Import Snakemake with its plugins, and what its jobs import; return Snakemake."""
    import opencc
    import snakemake.cli
    import snakemake.workflow

    snakemake.cli.get_argument_parser()  # imports all plugins
    for module in OF_JOBS:
        importlib.import_module(module)
    for conversion in ("t2s", "jp2t"):
        opencc.OpenCC(conversion)  # whose dictionaries every run reads that checks names of persons
    kept = Path(os.environ.get("NUMBA_CACHE_DIR", tempfile.gettempdir()), "rules")
    snakemake.workflow.parse = partial(parsed, kept, snakemake.workflow.parse)
    gc.freeze()  # or each fork would copy the pages of all objects when it first collects
    return snakemake


def parsed(kept, parse, source, workflow, *, linemap, rulecount):
    """Translate a file of rules, as Snakemake does, where no run of the tests has translated one of its contents."""
    place = Path(source.get_path_or_uri(secret_free=True))
    if not place.is_file():  # of a repository
        return parse(source, workflow, linemap=linemap, rulecount=rulecount)
    key = hashlib.sha256(repr((metadata.version("snakemake"), place.read_bytes(), rulecount)).encode()).hexdigest()
    known = kept / key
    if not known.exists():
        lines = {}
        code, count = parse(source, workflow, linemap=lines, rulecount=rulecount)
        kept.mkdir(parents=True, exist_ok=True)
        written = known.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps([code.replace(repr(str(place)), PLACE), count, list(lines.items())]))
        written.rename(known)
    code, count, lines = json.loads(known.read_text())
    linemap |= dict(lines)
    return code.replace(PLACE, repr(str(place))), count


def become(request, output, errors):
    """Make this process as one that was started for the request: its folder, environment, input and outputs."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    tempfile.tempdir = None  # found anew, by TMPDIR
    sys.argv = ["snakemake", *request["arguments"]]
    for target, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, output), (2, errors)):
        os.dup2(source, target)


def fork_jobs():
    """Let a process beside this one, which has one thread only, fork for each Python script of Snakemake."""
    import snakemake.script

    mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        mine.close()
        _serve_jobs(other)
    other.close()

    def execute(self, script, edit=False):
        answer, asked = socket.socketpair()
        with answer, asked:
            request = {"script": script, "threads": self.threads}
            request |= {"folder": str(Path.cwd()), "environment": dict(os.environ)}
            socket.send_fds(mine, [json.dumps(request).encode()], [asked.fileno()])
            asked.close()
            status = int(answer.recv(64) or b"-9")
        if status:
            raise subprocess.CalledProcessError(status, script)

    snakemake.script.PythonScript.execute_script = execute


def _serve_jobs(requests):
    """Fork for each request, and answer it with the exit status, until Snakemake ends; never returns."""
    answers = {}
    while True:
        ready, _, _ = select.select([requests, *answers], [], [])
        for ended in ready:
            if ended is requests:
                message, files, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 1)
                if not message:
                    os._exit(0)
                job = os.fork()
                if job == 0:
                    _run_job(json.loads(message))
                answers[os.pidfd_open(job)] = job, socket.socket(fileno=files[0])
            else:
                job, answer = answers.pop(ended)
                os.close(ended)
                with answer, contextlib.suppress(BrokenPipeError):
                    answer.send(str(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])).encode())


def _run_job(request):
    """Run the script of a job as a process of its own would; never returns."""
    import threadpoolctl

    if hidden := request["environment"].get("HIDDEN_FROM_JOBS"):
        from confined import confine_next_job

        confine_next_job(hidden.split(os.pathsep))
    threadpoolctl.threadpool_limits(request["threads"])
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    os._exit(run_script(request["script"]))


def run_script(script):
    """Run the script of a job to its end, as a process of its own would; return its exit status."""
    sys.argv = [script]
    status = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    return status


if __name__ == "__main__":
    serve()
