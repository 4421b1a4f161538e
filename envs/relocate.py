"""Repair a virtual environment whose folder was moved or renamed: `.venv/bin/python envs/relocate.py`.

Scripts, activation files and the editable install hold the absolute path of the environment. `.venv/folder` records
it; where the environment stands elsewhere now, every such path is replaced.
"""

import os
import sys
from pathlib import Path

HOLDING_PATHS = ("bin/*", "pyvenv.cfg", "lib/*/site-packages/*.pth", "lib/*/site-packages/*/direct_url.json")


def relocate(environment: Path) -> int:
    """Replace the recorded folder of the project by the present one, record that, and return the number of files."""
    record, here = environment / "folder", environment.resolve().parent
    before = Path(record.read_text(encoding="utf-8")) if record.exists() else here
    moved = 0
    if before != here:
        moved = sum(_replace(path, before, here) for part in HOLDING_PATHS for path in environment.glob(part))
    record.write_text(str(here), encoding="utf-8")
    return moved


def _replace(path: Path, before: Path, here: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    content = path.read_bytes()
    changed = _with_quoted_python(content, here)
    for end in (b"/", b'"'):  # not the beginning of another folder's name
        changed = changed.replace(os.fsencode(before) + end, os.fsencode(here) + end)
    if changed != content:
        path.write_bytes(changed)
    return changed != content


def _with_quoted_python(script: bytes, here: Path) -> bytes:
    """Return a Python script with a first line that also a path with spaces fits in, as pip writes it."""
    first, end, rest = script.partition(b"\n")
    if not first.startswith(b"#!") or b"/bin/python" not in first or b" " not in os.fsencode(here):
        return script
    return b"#!/bin/sh\n'''exec' \"" + first[2:].strip() + b'" "$0" "$@"\n' + b"' '''" + end + rest


if __name__ == "__main__":
    count = relocate(Path(sys.prefix))
    if count:
        print(f"This folder was moved: {count} files of {Path(sys.prefix).name} now name its new place.")
