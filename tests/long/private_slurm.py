"""A SLURM of one's own: controller, one node and munge in one folder, on free ports of the loopback; no accounting.

What it needs of the system are the programs of Debian's slurmctld, slurmd, slurm-client and munge; it reads and
changes nothing under /etc, and several can run side by side. Memory that a job exceeds ends the job, as a cluster's
control groups would: the node looks once a second. Every task has a TMPDIR of its own, as if on a node of its own.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cases import read_cases

PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "sinfo", "scancel")
START_SECONDS = 30

CONFIGURATION = read_cases(Path(__file__))["CONFIGURATION"]


@dataclass(frozen=True)
class PrivateSlurm:
    """A running SLURM; `env` lets SLURM's programs, and Snakemake, find it and no other."""

    folder: Path
    env: dict[str, str]

    @property
    def tmpdirs(self):
        """The folders that were TMPDIR for a task, one each."""
        return sorted((self.folder / "tmp").iterdir())

    def ask(self, *command):
        """What one of SLURM's programs says."""
        done = subprocess.run(
            command, env={**os.environ, **self.env}, check=True, capture_output=True, text=True, timeout=60
        )
        return done.stdout

    def jobs(self):
        """All jobs since the start, the first first, with the fields that `scontrol show job` gives."""
        lines = self.ask("scontrol", "--oneliner", "show", "job").splitlines()
        jobs = [dict(field.split("=", 1) for field in line.split() if "=" in field) for line in lines]
        return sorted((job for job in jobs if "JobId" in job), key=lambda job: int(job["JobId"]))


def missing_programs():
    """Those of SLURM's programs that are not on the path (Debian's daemons are in /usr/sbin)."""
    return [name for name in PROGRAMS if not _find(name)]


@contextmanager
def private_slurm(folder, cpus=None):
    """Start a SLURM with its files in `folder`, and stop it in the end, with all its jobs."""
    for part in ("state", "spool", "log", "run", "bin", "tmp"):
        (folder / part).mkdir(parents=True)
    for part in folder, *folder.iterdir():
        part.chmod(0o755)
    _write_configuration(folder, cpus or os.cpu_count() or 1)
    path = os.pathsep.join([f"{folder}/bin", str(Path(sys.executable).parent), os.environ["PATH"]])
    slurm = PrivateSlurm(folder, {"SLURM_CONF": f"{folder}/slurm.conf", "PATH": path})
    started = []

    def start(command, ready):
        with (folder / "log" / f"{Path(command[0]).name}.out").open("wb") as said:
            daemon = subprocess.Popen(
                command,
                env={**os.environ, **slurm.env},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        started.append(daemon)
        _wait(ready, daemon, Path(said.name))

    try:
        munge = f"{folder}/run/munge.sock"
        start(_munged(folder, munge), lambda: _succeeds("munge", "-S", munge, "-n", env=slurm.env))
        start([_find("slurmctld"), "-D", "-i"], lambda: "is UP" in _answer("scontrol", "ping", env=slurm.env))
        start([_find("slurmd"), "-D"], lambda: "idle" in _answer("sinfo", "-h", "-o", "%T", env=slurm.env))
        yield slurm
    finally:
        if len(started) == 3:
            _answer("scancel", "--user", str(os.getuid()), "--full", "--signal=KILL", env=slurm.env)
            _answer("scancel", "--user", str(os.getuid()), env=slurm.env)
        for daemon in reversed(started):
            daemon.terminate()
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(timeout=10)
            daemon.kill()
            daemon.wait()


def _write_configuration(folder, cpus):
    controller_port, node_port = _free_ports(2)
    pages, page_bytes = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(
            folder=folder,
            host=socket.gethostname().split(".")[0],
            user=_answer("id", "-un").strip(),
            controller_port=controller_port,
            node_port=node_port,
            cpus=cpus,
            memory_mb=int(pages * page_bytes / 2**20 * 0.9),
        ),
        encoding="utf-8",
    )
    # A job of the executor plugin drops every SLURM_* variable before it calls srun, this one too.
    _write_program(folder / "bin/srun", f'SLURM_CONF={folder}/slurm.conf exec {_find("srun")} "$@"')
    # What a task's prolog prints is done to its environment.
    _write_program(folder / "bin/prolog", f'echo "export TMPDIR=$(mktemp --directory {folder}/tmp/XXXXXX)"')


def _write_program(path, command):
    path.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    path.chmod(0o755)


def _munged(folder, sock):
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(1024))
    files = {"key-file": key, "socket": sock, "pid-file": folder / "run/munged.pid"}
    files |= {"log-file": folder / "log/munged.log", "seed-file": folder / "run/munged.seed"}
    options = [f"--{name}={path}" for name, path in files.items()]
    return [_find("munged"), "--force", "--foreground", "--num-threads=2", *options]


def _find(program):
    return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or ""


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for sock in sockets:
        sock.bind(("127.0.0.1", 0))
    ports = [sock.getsockname()[1] for sock in sockets]
    for sock in sockets:
        sock.close()
    return ports


def _wait(ready, daemon, said):
    end = time.monotonic() + START_SECONDS
    while not ready():
        if daemon.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{said.stem} did not start:\n{said.read_text(encoding='utf-8', errors='replace')}")
        time.sleep(0.05)


def _succeeds(*command, env):
    return _run(command, env).returncode == 0


def _answer(*command, env=None):
    return _run(command, env or {}).stdout


def _run(command, env):
    try:
        return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=10)
    except subprocess.TimeoutExpired:  # SLURM's programs wait long for a daemon that does not answer
        return subprocess.CompletedProcess(command, 1, "", "")
