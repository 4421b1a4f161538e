"""What did each stage of a finished run cost? Prints a table from the run's own benchmark files.

    python benchmarks/stages.py results/open-corpora

Snakemake takes a job's CPU seconds and memory by looking every half second at first, and every half minute later: what
comes after its last look is missing. `benchmarks/build.py` prints the same table from what the processes say
themselves at their end.
"""

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

# The stage whose counts say how many documents a rule took in, where it is not the stage the rule is named after.
COUNTED = {
    "ingest_source": "ingest",
    "normalize_text": "normalize",
    "count_endings": "normalize",
    "find_signatures": "normalize",
    "cut_signatures": "normalize",
    "count_labels": "chunk",
    "judge_labels": "chunk",
    "find_shared_texts": "dedup_documents",
    "chunk_documents": "chunk",
    "measure_texts": "filter",
    "measure_authors": "filter",
    "apply_filters": "filter",
    "sign_texts chunks": "filter",
    "draw_authors": "normalize",
    "fill_reservoirs": "sample",
    "ask_scores": "sample",
    "score_texts": "sample",
    "select_documents": "sample",
    "assign_splits": "split",
    "write_release": "release",
    "check_release": "release",
    "publish_release": "release",
    "render_report": "release",
}
# Rules that run for whole documents and for chunks.
TWICE = {"documents": "dedup_documents", "chunks": "dedup_chunks"}


@dataclass(frozen=True)
class Job:
    """One job of a run: seconds it ran, CPU seconds, peak memory in MiB."""

    rule: str
    wall: float
    cpu: float
    peak: float


def documents_in(results: Path) -> dict[str, int]:
    """Documents that entered each stage."""
    entered: defaultdict[str, int] = defaultdict(int)
    with (results / "release/funnel.csv").open(encoding="utf-8") as funnel:
        for row in csv.DictReader(funnel):
            if row["reason"] == "in":
                entered[row["stage"]] += int(row["documents"])
    return dict(entered)


def rule_of(place: str) -> str:
    """The rule, and of one that runs twice the unit: of `sign_texts/chunks-1-of-2`, `sign_texts chunks`."""
    rule, _, part = place.partition("/")
    unit = part.partition("-")[0].partition("/")[0]
    return f"{rule} {unit}" if unit in TWICE else rule


def jobs_of(results: Path) -> list[Job]:
    """The jobs of a run by its benchmark files, in the order of their end."""
    jobs = []
    for path in sorted((results / "benchmarks").rglob("*.tsv"), key=lambda path: (path.stat().st_mtime_ns, path)):
        with path.open(encoding="utf-8") as table:
            row = next(csv.DictReader(table, delimiter="\t"))
        wall, cpu, peak = (0.0 if row[key] == "NA" else float(row[key]) for key in ("s", "cpu_time", "max_rss"))
        jobs.append(Job(rule_of(path.relative_to(results / "benchmarks").with_suffix("").as_posix()), wall, cpu, peak))
    return jobs


def entering(rule: str, entered: Mapping[str, int]) -> int:
    """Documents that entered the stage of a rule; 0 if it is not known."""
    return entered.get(COUNTED.get(rule, TWICE.get(rule.partition(" ")[2], "")), 0)


def table(jobs: Iterable[Job], entered: Mapping[str, int]) -> str:
    """A line per rule, in Markdown."""
    by_rule: defaultdict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        by_rule[job.rule].append(job)
    lines = [
        "| rule | jobs | documents in | CPU s | documents per CPU s | wall s, summed | peak MiB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for rule, runs in by_rule.items():
        documents, cpu, wall = entering(rule, entered), sum(run.cpu for run in runs), sum(run.wall for run in runs)
        rate = f"{documents / cpu:,.0f}" if documents and cpu else ""
        peak = max(run.peak for run in runs)
        given = f"{documents:,}" if documents else ""
        lines.append(f"| {rule} | {len(runs)} | {given} | {cpu:.1f} | {rate} | {wall:.1f} | {peak:,.0f} |")
    whole = sum(run.cpu for runs in by_rule.values() for run in runs)
    count = sum(map(len, by_rule.values()))
    rate = f"{entered['ingest'] / whole:,.0f}" if whole else ""
    return "\n".join([*lines, f"| all | {count} | {entered['ingest']:,} | {whole:.1f} | {rate} | | |"])


def main(results: Path) -> None:
    print(table(jobs_of(results), documents_in(results)))
    print(json.loads((results / "check.json").read_text(encoding="utf-8"))["summary"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
