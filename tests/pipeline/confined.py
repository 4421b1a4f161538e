"""Let a job see only the files that its rule declares, and keep only those: all others are lost with it.

Needs Linux's user namespaces. Hidden folders are empty for the job, except for its inputs, which it cannot change. What
it writes there without declaring it is listed in `undeclared.txt` of the project.
"""

import atexit
import ctypes
import os
import pickle
import shutil
from pathlib import Path

_NEW_MOUNTS, _NEW_USER = 0x20000, 0x10000000  # of unshare(2)
_READ_ONLY, _REMOUNT, _BIND, _PRIVATE = 0x1, 0x20, 0x1000, 0x44000  # of mount(2)
_LOCKED_FLAGS = 0b1110  # nosuid, nodev and noexec, which a user may not drop
_libc = ctypes.CDLL(None, use_errno=True)


def may_confine():
    """Whether this machine lets a process hide files from itself; tried in a process of its own."""
    if (child := os.fork()) == 0:
        try:
            _take_mounts()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def confine_next_job(hidden):
    """Confine this process, which has one thread, once it reads its job, the first thing that its script unpickles."""
    _take_mounts()
    loads = pickle.loads

    def first(data):
        pickle.loads = loads
        job = loads(data)
        _confine(job, [folder for folder in map(Path, hidden) if folder.is_dir()])
        return job

    pickle.loads = first


def _confine(job, hidden):
    real = {}
    for folder in hidden:
        real[folder.absolute()] = Path(f"/proc/{os.getpid()}/fd/{os.open(folder, os.O_PATH)}")  # leads below the mount
        _mount("tmpfs", folder, "tmpfs", 0)
    inputs, written = ([Path(path).absolute() for path in paths] for paths in (job.input, [*job.output, *job.log]))
    for path in (*inputs, *written):
        path.parent.mkdir(parents=True, exist_ok=True)
    for path in dict.fromkeys(inputs):
        if source := _behind(path, real):
            path.mkdir() if source.is_dir() else path.touch()
            _mount(source, path, None, _BIND)
            _mount(None, path, None, _BIND | _REMOUNT | _READ_ONLY | os.statvfs(path).f_flag & _LOCKED_FLAGS)
    atexit.register(_keep, job.rule, inputs, written, real)


def _keep(rule, inputs, written, real):
    """Copy what the job declares to where it is kept, and list what else it wrote."""
    for path in written:
        target = _behind(path, real)
        assert target, f"{path} is not in a hidden folder"
        if path.is_dir():
            shutil.copytree(path, target, dirs_exist_ok=True)
        elif path.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
    declared = {*inputs, *written}
    files = [path for folder in real for path in folder.rglob("*") if path.is_file()]
    with Path("undeclared.txt").open("a", encoding="utf-8") as file:
        file.writelines(f"{rule} {path}\n" for path in files if not declared & {path, *path.parents})


def _behind(path, real):
    """Return where a path in a hidden folder leads outside the job; None for other paths."""
    found = (place / path.relative_to(folder) for folder, place in real.items() if path.is_relative_to(folder))
    return next(found, None)


def _take_mounts():
    """Give this process mounts of its own."""
    user, group = os.getuid(), os.getgid()
    _expect(_libc.unshare(_NEW_MOUNTS | _NEW_USER), "unshare")
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(line)
    _mount(None, "/", None, _PRIVATE)


def _mount(source, target, kind, flags):
    arguments = (value if value is None else os.fsencode(value) for value in (source, target, kind))
    _expect(_libc.mount(*arguments, ctypes.c_ulong(flags), None), f"mount {target}")


def _expect(status, what):
    if status:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
