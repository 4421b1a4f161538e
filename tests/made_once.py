"""What all processes of the tests share: the first that asks for it makes it."""

import fcntl
import shutil


def made_once(name, make, config, tmp_path_factory):
    """Return the folder of a name that all processes of the tests share, made by the first that asks for it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(config, "workerinput") else base) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.with_suffix(".built").exists():
            shutil.rmtree(folder, ignore_errors=True)  # what a process left that failed
            folder.mkdir()
            make(folder)
            folder.with_suffix(".built").touch()
    return folder
