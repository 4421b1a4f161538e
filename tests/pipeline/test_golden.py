"""The demo's release is the one that is kept here, by name and by content; `--update-golden` keeps a new one.

`manifest.json` is compared without the versions of libraries, `provenance.parquet` by its rows, and of `report.html`
only that it is there: it repeats the others.
"""

import csv
import difflib
import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

GOLDEN = Path(__file__).parent / "golden"
READABLE = ("funnel.csv", "statistics/languages.csv", "statistics/sources.csv")
UNHASHED = {"manifest.json", "report.html", "SHA256SUMS"}


def digests(release: Path) -> str:
    lines = []
    for path in sorted(release.rglob("*")):
        name = path.relative_to(release).as_posix()
        if path.is_file() and name not in UNHASHED:
            content = pl.read_parquet(path).write_ndjson().encode() if path.suffix == ".parquet" else path.read_bytes()
            lines.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
    return "".join(lines)


def manifest(release: Path) -> str:
    told = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    without_versions = {key: value for key, value in told.items() if key not in ("versions", "authbench")}
    return json.dumps(without_versions, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def summaries(release: Path) -> dict[str, str]:
    """What is kept, by file name; SHA256SUMS last, so that a difference is first told in words."""
    return {
        "manifest.json": manifest(release),
        **{Path(name).name: (release / name).read_text(encoding="utf-8") for name in READABLE},
        "SHA256SUMS": digests(release),
    }


def test_the_release_of_the_demo_is_the_golden_one(demo, request):
    names = {path.relative_to(demo.release).as_posix() for path in demo.release.rglob("*") if path.is_file()}
    assert names >= UNHASHED
    for split in ("train", "dev", "test"):
        assert (demo.release / split / "candidates.jsonl").read_bytes()
        assert (demo.release / split / "queries.jsonl").read_bytes()

    differences = []
    for name, found in summaries(demo.release).items():
        kept = GOLDEN / name
        before = kept.read_text(encoding="utf-8") if kept.exists() else ""
        differences += difflib.unified_diff(
            before.splitlines(), found.splitlines(), f"golden/{name}", f"release: {name}", lineterm="", n=1
        )
        if request.config.getoption("--update-golden"):
            GOLDEN.mkdir(exist_ok=True)
            kept.write_text(found, encoding="utf-8")
    told = "\n".join(differences[:200])
    if request.config.getoption("--update-golden"):
        print(told or "The golden release is as it was.")
    elif differences:
        pytest.fail(
            f"The release differs from the golden one (--update-golden keeps the new one):\n{told}", pytrace=False
        )


def test_the_checksums_of_the_release_are_true_and_name_every_file(demo):
    lines = (demo.release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    told = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    files = {path.relative_to(demo.release).as_posix(): path for path in demo.release.rglob("*") if path.is_file()}
    assert set(told) == set(files) - {"SHA256SUMS"}
    assert told == {name: hashlib.sha256(files[name].read_bytes()).hexdigest() for name in told}


def test_the_release_has_all_ten_languages_and_no_violations(demo):
    checked = json.loads((demo.results / "check.json").read_text(encoding="utf-8"))
    assert checked["violations"] == 0
    with (demo.release / "statistics/languages.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"en", "zh", "hi", "es", "fr", "ar", "ru", "de", "ja", "ko"} <= {row["language"] for row in rows}
