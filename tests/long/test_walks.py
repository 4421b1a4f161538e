"""A random walk over one folder of results ends in what a clean build gives; many more in benchmarks/walks.py."""

import sys

from project import ROOT

sys.path.append(str(ROOT / "benchmarks"))
import walks  # noqa: E402

STEPS = (walks.Walk.kill, walks.Walk.edit_setting, walks.Walk.damage)


def test_a_walk_ends_in_what_a_clean_build_gives(tmp_path, monkeypatch):
    monkeypatch.setattr(walks, "STEPS", STEPS)
    bench = walks.open_bench(tmp_path)
    try:
        found = walks.walk(bench, number=2, steps=3)
    finally:
        bench.server.close()
    assert found["wrong"] == "", found
