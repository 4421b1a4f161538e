"""Write the demo's raw corpora, their lock and the list of planted cases: `python resources/demo/make_demo.py`."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "workflow")]

import yaml  # noqa: E402
from generator.sources import everything  # noqa: E402

from authbench.build.acquire.lock import Entry, File, lock_path, lock_text  # noqa: E402
from authbench.core.storage.atomic import sha256_of_file  # noqa: E402


def make(out: Path) -> None:
    """Raw files below `out`/raw, their lock `out`/raw.lock.yaml, and `out`/planted.yaml."""
    ledger = everything(out / "raw")
    cases = [case.as_dict() for case in ledger.cases]
    text = yaml.safe_dump(cases, allow_unicode=True, sort_keys=False, width=120)
    head = "# Written by make_demo.py: what is planted in the raw files, how to find it, and what must become of it.\n"
    (out / "planted.yaml").write_text(head + text, encoding="utf-8")
    raw = out / "raw"
    files: dict[str, dict[str, File]] = {}
    for path in sorted(path for path in raw.rglob("*") if path.is_file()):
        tag, _, name = path.relative_to(raw).as_posix().partition("/")
        files.setdefault(tag, {})[name] = File(path.stat().st_size, sha256_of_file(path))
    entries = {tag: Entry({}, found) for tag, found in files.items()}
    lock_path(raw).write_text(lock_text(entries), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
