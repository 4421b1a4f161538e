"""The Snakemakes that a cluster starts for its jobs and their steps, as forks of one process that has imported them.

SLURM starts, counts and ends a program that asks for a fork and waits for it, in place of an interpreter that takes
seconds to import Snakemake. Folder, arguments, environment and output are those of the step. Run as a program it
serves, until its standard input ends.
"""

import json
import os
import select
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "pipeline"))
import warm_snakemake  # noqa: E402

PYTHON = "AUTHBENCH_TEST_PYTHON"  # names the program that takes the place of Python in the commands of jobs
CLIENT = """\
#!{python} -IS
import json, os, socket, sys
assert sys.argv[1:3] == ["-m", "snakemake"], sys.argv
request = {{"arguments": sys.argv[3:], "folder": os.getcwd(), "environment": dict(os.environ)}}
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect({address!r})
socket.send_fds(server, [json.dumps(request).encode()], [1, 2])
sys.exit(int(server.recv(64) or b"1"))
"""


@contextmanager
def warm_steps(folder):
    """Serve from a folder whose path has no blank; yield the environment in which a run's jobs are served."""
    client, address = folder / "python", folder / "socket"
    client.write_text(CLIENT.format(python=sys.executable, address=str(address)), encoding="utf-8")
    client.chmod(0o755)
    command = [sys.executable, __file__, str(address)]
    environment = {**os.environ, PYTHON: str(client)}
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert server.stdin and server.stdout
    try:
        assert server.stdout.readline() == b"ready\n"
        yield {PYTHON: str(client)}
    finally:
        server.stdin.close()
        server.wait()


def let_jobs_be_served():
    """Let Snakemake name the program that asks for forks, not Python, in the commands of jobs."""
    if PYTHON in os.environ:
        from snakemake_executor_plugin_slurm import Executor
        from snakemake_executor_plugin_slurm_jobstep import Executor as StepExecutor

        for executor in (Executor, StepExecutor):
            executor.get_python_executable = lambda self: os.environ[PYTHON]


def serve(address):
    """Fork for each request, and answer it with the exit status."""
    snakemake = warm_snakemake.import_all()
    let_jobs_be_served()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(address)
    listener.listen()
    print("ready", flush=True)
    answers = {}
    while True:
        ready, _, _ = select.select([sys.stdin, listener, *answers], [], [])
        for one in ready:
            if one is sys.stdin:
                return
            if one is listener:
                asking, _ = listener.accept()
                message, files, _, _ = socket.recv_fds(asking, warm_snakemake.LONGEST_REQUEST, 2)
                child = os.fork()
                if child == 0:
                    listener.close()
                    _run(snakemake, json.loads(message), files)
                for file in files:
                    os.close(file)
                answers[os.pidfd_open(child)] = child, asking
            else:
                child, asking = answers.pop(one)
                os.close(one)
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                with asking, suppress(BrokenPipeError, ConnectionResetError):
                    asking.send(str(status if status >= 0 else 128 - status).encode())


def _run(snakemake, request, files):
    """Run Snakemake as a step; ends the process."""
    warm_snakemake.become(request, *files)
    warm_snakemake.fork_jobs()
    snakemake.cli.main(request["arguments"])
    sys.exit()


if __name__ == "__main__":
    serve(sys.argv[1])
