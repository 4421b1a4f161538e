"""Are scores equal on a public bundle, on its dataset for Hugging Face, and on the complete release of the same texts?

    PYTHONPATH=workflow:benchmarks:tests python benchmarks/bundle.py results/mine/release [--model tfidf]

The complete release is restricted to the documents, queries and pairs of the bundle (tests/restricted.py); the scores
of every query are compared. The bundle is checked, too. Seconds are of wall time.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from restricted import restricted

from authbench.config.registry.load import load_entry
from authbench.config.registry.sources import find_sources
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.publish.export.freeze import read_publication
from authbench.publish.export.run import export, export_public
from authbench.release.checking import check_release
from authbench.release.format.verify import open_verified
from authbench.reports.report.verify import check_drawings
from authbench.scoring.evaluation.run import evaluate
from authbench.scoring.evaluation.split import read_split


def scores(place: Path, model: str, out: Path) -> pl.DataFrame:
    """Every query's scores on the test split of a release or dataset."""
    split = read_split(open_verified(place, unverified=True), "test")
    evaluate(load_entry(MODELS, model), split, 0, out, VectorCache(out / "vectors"))
    return pl.read_parquet(next(out.rglob("queries.parquet")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", type=Path)
    parser.add_argument("--model", default="tfidf")
    asked = parser.parse_args()
    about = read_publication(None)
    with TemporaryDirectory() as folder:
        work = Path(folder)
        began = time.perf_counter()
        export_public(open_verified(asked.release, complete=True), work / "public", about, find_sources())
        print(f"bundle written in {time.perf_counter() - began:.1f} s", flush=True)
        bundle = open_verified(work / "public", complete=True)
        here, absent = bundle.provenance.height, bundle.absent.height
        print(f"{here:,} of {here + absent:,} documents; withheld: {bundle.manifest.get('withheld')}", flush=True)
        broken = [str(one) for one in [*check_release(work / "public"), *check_drawings(work / "public")]]
        print("\n".join(broken) or "sound", flush=True)
        began = time.perf_counter()
        export(bundle, "huggingface", work / "dataset", about)
        print(f"dataset written in {time.perf_counter() - began:.1f} s", flush=True)
        restricted(asked.release, work / "public", work / "restricted")
        found = {
            name: scores(work / name, asked.model, work / f"scores-{name}")
            for name in ("public", "dataset", "restricted")
        }
        equal = all(found["public"].equals(one) for one in found.values())
        print(f"{found['public'].height:,} queries, {asked.model}: {'equal' if equal else 'NOT equal'} in all three")


if __name__ == "__main__":
    main()
