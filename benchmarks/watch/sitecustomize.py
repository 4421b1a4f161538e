"""What does this process use? Python loads this file at the start of every process that has its folder in PYTHONPATH.

At its end a process writes one line of JSON into the folder $WATCHED: the log it opened as a job (null: it is no job);
seconds since the epoch at its start, when it opened that log (its imports are behind it then) and at its end; CPU
seconds of its own until it opened the log, of its own in all, and of its children; the peak of its memory in MiB
(VmHWM of Linux).
"""

import atexit
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any


def watch(folder: str) -> None:
    told: dict[str, Any] = {"log": None, "start": time.time(), "begin": None}

    def opened(event: str, given: tuple[Any, ...]) -> None:
        if event != "open" or told["log"] is not None or given[1] != "w":
            return
        if isinstance(given[0], str) and "/logs/" in given[0] and given[0].endswith(".log"):
            told.update(log=given[0], begin=time.time(), starting=time.process_time())

    def tell() -> None:
        own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        told["end"] = time.time()
        told["cpu"] = own.ru_utime + own.ru_stime
        told["children"] = children.ru_utime + children.ru_stime
        status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        told["peak"] = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
        Path(folder, f"{os.getpid()}-{told['start']}.json").write_text(json.dumps(told), encoding="utf-8")

    sys.addaudithook(opened)
    atexit.register(tell)


if "WATCHED" in os.environ:
    watch(os.environ["WATCHED"])
