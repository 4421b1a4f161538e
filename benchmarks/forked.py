"""Runs of Snakemake, and jobs of its rules, as forks of one process that has imported everything.

A job starts in milliseconds instead of a second, so that a small corpus is built hundreds of times. What a job reads,
writes and says is what it is in a process of its own; it imports the package of the project copy that was served first.
Run as a program it serves: one JSON object a line asks for a run or a script, two lines answer: process id, status.
"""

import contextlib
import ctypes
import gc
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parents[1] / "tests/pipeline"))
from warm_snakemake import parsed, run_script  # noqa: E402

COUNTS = re.compile(r"^calls: ([\d -]+)$\n?", re.MULTILINE)  # of each kind, of those that failed, and MiB taken
CURRENT = ".current_job"  # in the folder of a run: the process of its job
FAULT = "AUTHBENCH_TEST_FAULT"  # a JSON object: the `job` by its log, and which `call` of it fails (benchmarks/shim.c)
PR_SET_CHILD_SUBREAPER = 36  # sys/prctl.h: the orphans of forks become children of the process


@dataclass
class Server:
    """The process whose forks are runs and jobs, and what it needs to serve."""

    package: Path  # a folder that holds `authbench`
    preload: Path | None = None  # a shared library for the process and its forks
    warm: bool = False  # load compiled kernels and the tokenizer once, not in each job
    process: "subprocess.Popen[str]" = field(init=False)

    def __post_init__(self) -> None:
        env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SNAKEMAKE_PROFILE")}
        env |= {"PYTHONPATH": str(self.package), "POLARS_MAX_THREADS": "2", "AUTHBENCH_RUN": "1"}
        env |= {"MPLCONFIGDIR": str(self.package / ".matplotlib")}
        env.setdefault("NUMBA_CACHE_DIR", str(self.package / ".compiled"))
        env |= {"LD_PRELOAD": str(self.preload)} if self.preload else {}
        command = [sys.executable, str(HERE), *["--warm"] * self.warm]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def start(self, request: Mapping[str, Any]) -> int:
        """Ask for a run or a script; return the id of its process, which leads a group."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def status(self) -> int:
        """Wait for the end of what was started last, and of all that it started; return its exit status."""
        assert self.process.stdout
        return int(self.process.stdout.readline())

    def cpu_seconds(self) -> float:
        """Return the CPU seconds of the process and of all its forks that have ended."""
        numbers = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return sum(map(int, numbers[11:15])) / os.sysconf("SC_CLK_TCK")

    def snakemake(
        self, arguments: Sequence[str], folder: Path, env: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Run Snakemake in a folder; return its exit status and all that it printed."""
        with tempfile.NamedTemporaryFile() as said:
            self.start(run_request(arguments, folder, Path(said.name), env))
            status = self.status()
            return status, said.read().decode("utf-8", "replace")

    def script(
        self, script: Path, folder: Path, fault: str = "", seconds: float = 60.0, memory: int = 0
    ) -> tuple[int, str]:
        """Run the script of a job in a folder; return its exit status, -9 where it took too long, and what it said.

        Args:
            fault: the call that fails (benchmarks/shim.c).
            memory: the most bytes of address space beyond what the process has when it starts; 0 for any.
        """
        with tempfile.NamedTemporaryFile() as said:
            request = {"script": str(script), "folder": str(folder), "output": said.name, "fault": fault}
            self.start({**request, "seconds": seconds, "memory": memory})
            status = self.status()
            return status, said.read().decode("utf-8", "replace")

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def run_request(
    arguments: Sequence[str], folder: Path, output: Path, env: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the request of a run whose output goes to a file."""
    return {"arguments": list(arguments), "folder": str(folder), "output": str(output), "env": dict(env or {})}


def fault_in(job: str, call: str) -> dict[str, str]:
    """Return the environment of a run of Snakemake in which a call of one job fails."""
    return {FAULT: json.dumps({"job": job, "call": call})}


def serve() -> None:
    """Answer requests until the input ends; nothing here may start a thread, as forks would lack it."""
    import jsonschema  # noqa: F401
    import matplotlib.figure  # noqa: F401
    import smart_open  # noqa: F401
    import snakemake.cli

    snakemake.cli.get_argument_parser()  # imports all plugins
    _import_jobs()
    if "--warm" in sys.argv:
        _load_kernels()
        _read_package()
    gc.freeze()  # or each fork would copy the pages of all objects when it first collects
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.setsid()
            answers.close()
            _become(request)
            if "script" in request:
                _limit(request)
                _run_script(request["script"], request["fault"])
            _run_snakemake(request["arguments"])
        print(child, file=answers, flush=True)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-child, 0)  # what it started and left
        print(status, file=answers, flush=True)


def _import_jobs() -> None:
    """Import what the scripts of all jobs import."""
    import ast
    import importlib

    folder = Path(os.environ["PYTHONPATH"]) / "scripts"
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("authbench"):
                with contextlib.suppress(ImportError):  # of an optional package
                    importlib.import_module(node.module)


def _load_kernels() -> None:
    """Load the vocabulary, and those forms of compiled functions that are in the cache."""
    import awkward  # noqa: F401
    from numba.core.dispatcher import Dispatcher
    from numba.core.registry import cpu_target

    from authbench.core.tokens import load_tokenizer

    load_tokenizer()
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("authbench.")]
    for kernel in {id(one): one for module in modules for one in vars(module).values()}.values():
        if isinstance(kernel, Dispatcher):
            for signature, *_ in kernel._cache._cache_file._load_index():
                kernel.compile(signature)


def _read_package() -> None:
    """Read what every run reads of the package: the code of its modules, its schemas and names of authors."""
    from authbench.build.ingest.aliases import persons_file, read_aliases
    from authbench.config.registry.entries import _validator
    from authbench.core.runtime.code import PACKAGE, _read
    from authbench.core.shipped import shipped

    for module in PACKAGE.rglob("*.py"):
        _read(module)
    for schema in sorted(shipped("schemas").glob("*.yaml")):
        _validator(schema)
    read_aliases(persons_file())


def _become(request: Mapping[str, Any]) -> None:
    """Make this process as one that was started for the request: its folder, environment, input and output."""
    os.chdir(request["folder"])
    os.environ |= request.get("env", {})
    nothing, output = os.open(os.devnull, os.O_RDONLY), os.open(request["output"], os.O_WRONLY | os.O_APPEND)
    for target, source in ((0, nothing), (1, output), (2, output)):
        os.dup2(source, target)


def _limit(request: Mapping[str, Any]) -> None:
    """Hold this process to the seconds and the memory of the request."""
    signal.setitimer(signal.ITIMER_REAL, request["seconds"])  # SIGALRM ends it
    if request["memory"]:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + request["memory"]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _run_snakemake(arguments: Sequence[str]) -> None:
    """Run Snakemake, whose Python scripts a process beside it forks for; never returns."""
    import snakemake.cli
    import snakemake.script
    import snakemake.workflow

    kept = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]) / ".parsed"
    snakemake.workflow.parse = partial(parsed, kept, snakemake.workflow.parse)
    mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        mine.close()
        _run_jobs(other)
    other.close()

    def execute(self: Any, name: str, edit: bool = False) -> None:
        mine.send(json.dumps({"script": name, "env": dict(os.environ)}).encode())
        status = int(mine.recv(64) or b"-9")
        if status:
            raise subprocess.CalledProcessError(status, name)

    snakemake.script.PythonScript.execute_script = execute
    sys.argv = ["snakemake", *arguments]
    snakemake.cli.main(list(arguments))


def _run_jobs(requests: socket.socket) -> None:
    """Fork for each job until Snakemake ends; never returns."""
    fault = json.loads(os.environ.pop(FAULT, "{}"))
    while message := requests.recv(1 << 20):
        request = json.loads(message)
        child = os.fork()
        if child == 0:
            requests.close()
            os.environ |= request["env"]
            hit = fault and f"/logs/{fault['job']}.log" in Path(request["script"]).read_text(encoding="utf-8")
            _run_script(request["script"], fault["call"] if hit else "")
        Path(CURRENT).write_text(str(child), encoding="ascii")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        Path(CURRENT).unlink(missing_ok=True)
        try:
            requests.send(str(status).encode())
        except OSError:
            break
    os._exit(0)


def _run_script(script: str, fault: str) -> None:
    """Run the script of a job, with a call that fails where `fault` says so; never returns."""
    if keep := os.environ.get("AUTHBENCH_TEST_SCRIPTS"):
        (Path(keep) / Path(script).name).write_bytes(Path(script).read_bytes())
    before = _address_space()
    if fault:
        kind, *others = map(int, fault.split())
        _library().fault_arm(os.fsencode(f"{Path.cwd()}/results/"), kind, *others)
    status = run_script(script)
    if fault:
        counts = [_library().fault_count(kind) for kind in range(6)]
        os.write(2, f"\ncalls: {' '.join(map(str, counts))} {(_address_space() - before) >> 20}\n".encode())
    os._exit(status)


def _library() -> Any:
    library = ctypes.CDLL(None)
    library.fault_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int]
    library.fault_count.restype = ctypes.c_long
    return library


def _address_space() -> int:
    """Return the most bytes of address space that this process had."""
    found = re.search(r"VmPeak:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) << 10 if found else 0


if __name__ == "__main__":
    serve()
