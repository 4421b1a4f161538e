"""What did each stage of a finished run cost? Prints a table from the run's own benchmark files.

python benchmarks/stages.py results/open-corpora
"""

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

# The stage whose counts say how many documents a rule took in.
COUNTED = {
    "ingest_source": "ingest",
    "normalize_text": "normalize",
    "sign_texts documents": "dedup_documents",
    "find_duplicates documents": "dedup_documents",
    "chunk_documents": "chunk",
    "measure_texts": "filter",
    "measure_authors": "filter",
    "apply_filters": "filter",
    "sign_texts chunks": "filter",
    "find_duplicates chunks": "dedup_chunks",
    "fill_reservoirs": "sample",
    "select_documents": "sample",
    "assign_splits": "split",
    "write_release": "release",
    "check_release": "release",
}


def documents_in(results: Path) -> dict[str, int]:
    """Documents that entered each stage."""
    entered: defaultdict[str, int] = defaultdict(int)
    with (results / "release/funnel.csv").open(encoding="utf-8") as funnel:
        for row in csv.DictReader(funnel):
            if row["reason"] == "in":
                entered[row["stage"]] += int(row["documents"])
    return entered


def costs(results: Path) -> dict[str, list[dict[str, float]]]:
    """The jobs of each rule (of each unit, for the two de-duplications): seconds, CPU seconds, MiB."""
    jobs: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    for path in sorted((results / "benchmarks").rglob("*.tsv")):
        rule, _, part = path.relative_to(results / "benchmarks").with_suffix("").as_posix().partition("/")
        unit = part.partition("-")[0]
        name = f"{rule} {unit}" if unit in ("documents", "chunks") else rule
        with path.open(encoding="utf-8") as table:
            row = next(csv.DictReader(table, delimiter="\t"))
        jobs[name].append({key: float(row[key]) if row[key] != "NA" else 0.0 for key in ("s", "cpu_time", "max_rss")})
    return jobs


def main(results: Path) -> None:
    entered, jobs = documents_in(results), costs(results)
    print("| rule | jobs | documents in | CPU s | documents per CPU s | wall s, summed | peak MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    whole = 0.0
    for rule, stage in COUNTED.items():
        runs, documents = jobs.get(rule, []), entered[stage]
        cpu, wall = sum(run["cpu_time"] for run in runs), sum(run["s"] for run in runs)
        peak = max((run["max_rss"] for run in runs), default=0.0)
        rate = f"{documents / cpu:,.0f}" if cpu else ""
        whole += cpu
        print(f"| {rule} | {len(runs)} | {documents:,} | {cpu:.1f} | {rate} | {wall:.1f} | {peak:.0f} |")
    print(f"| all | | | {whole:.1f} | {entered['ingest'] / whole:,.0f} | | |")
    print(json.loads((results / "check.json").read_text())["summary"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
