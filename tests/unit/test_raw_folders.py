"""Raw folders of any size: always the same ones, and each source reads its own."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import raw_folders  # noqa: E402
from ingested_files import Ingested  # noqa: E402

from authbench.config.registry.entries import read_yaml  # noqa: E402
from authbench.release.checking.settings import read_settings  # noqa: E402

RECIPE = read_settings(ROOT / "config/recipes/authbench-428k.yaml")
PARTS = {part.source: part for part in raw_folders.parts_of(RECIPE, 0.001, 5)}


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("source", RECIPE["sources"])
def test_each_source_reads_its_folder_which_is_always_the_same(source, tmp_path):
    made = [raw_folders.write_part(tmp_path / name, PARTS[source]) for name in ("one", "other")]
    files = files_of(tmp_path / "one" / source)
    assert files == files_of(tmp_path / "other" / source)
    entry = read_yaml(ROOT / f"config/sources/{source}.yaml")
    read = Ingested(tmp_path / "read", files, entry, max_bad_rows=0.2)
    assert made[0] == made[1]
    assert read.records.height > 0.5 * made[0][1]
    assert read.records["lang"].unique().to_list() == [PARTS[source].lang]


def test_a_recipe_has_files_of_bounded_size_in_all_its_languages():
    parts = list(raw_folders.parts_of(RECIPE, 1.0, 5))
    assert {part.source for part in parts} == set(RECIPE["sources"])
    assert {part.lang for part in parts} == set(RECIPE["sample"]["languages"])
    assert max(part.documents * part.mean_chars for part in parts) < 2 * raw_folders.PART
    assert sum(part.documents for part in parts) > 1_000_000
