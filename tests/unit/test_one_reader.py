"""Data of others is read in one layer: `release.reading`, and `core.storage` for JSON and checksums."""

import ast
from collections.abc import Mapping
from pathlib import Path

import authbench

LIBRARY = Path(authbench.__file__).parent
LAYER = ("release/reading/", "core/storage/")
CALLS: Mapping[str, tuple[str, ...]] = {
    "pl": ("read_", "scan_"),
    "orjson": ("loads",),
    "json": ("load",),
    "np": ("load",),
    "csv": ("reader", "DictReader"),
    "pq": ("read_table", "ParquetFile"),
    "pickle": ("load",),
}
OF_A_BUILD = "what a stage, an evaluation or a training of this package has written beside itself"
OF_A_RELEASE = "Parquet and lines of the format, held to format.columns"
CHECKED = "what the check reads for itself, as it shares no code"
PACKAGE = "what an installed package, a client or a model's checkpoint brings"
# Modules outside the layer that may parse, and why.
ALLOWED: Mapping[str, str] = {
    "build/acquire/kaggle.py": PACKAGE,
    "build/acquire/rows.py": "rows copied, for the layer to read later",
    "publish/attestation/statement.py": "a copy of what was parsed",
    "audit/auditing/languages.py": OF_A_BUILD,
    "release/checking/form.py": CHECKED,
    "release/checking/pairs.py": CHECKED,
    "release/checking/provenance.py": CHECKED,
    "release/checking/tables.py": CHECKED,
    "build/dedup/unique.py": OF_A_BUILD,
    "reports/diff/releases.py": OF_A_RELEASE,
    "publish/export/bundle.py": OF_A_RELEASE,
    "publish/export/huggingface.py": OF_A_RELEASE,
    "build/filter/language.py": OF_A_BUILD,
    "release/format/hub.py": OF_A_RELEASE,
    "release/format/release.py": OF_A_RELEASE,
    "release/format/tables.py": OF_A_RELEASE,
    "models/folder.py": PACKAGE,
    "models/hub.py": PACKAGE,
    "reports/overview/page.py": OF_A_BUILD,
    "suites/pan/run.py": OF_A_BUILD,
    "build/release/tables.py": OF_A_BUILD,
    "reports/report/verify.py": "tables of a release, compared with its figures",
    "core/runtime/code.py": OF_A_BUILD,
    "suites/style/collect.py": OF_A_BUILD,
    "suites/style/redundancy.py": OF_A_BUILD,
    "core/tokens.py": PACKAGE,
    "scoring/train/records.py": OF_A_BUILD,
    "scoring/train/unfinished.py": OF_A_BUILD,
    "core/vocabulary.py": PACKAGE,
}


def parses(path: Path) -> bool:
    """Return whether a module calls a parser of a library."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    named = (node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    return any(node.attr.startswith(CALLS.get(node.value.id, ("\0",))) for node in named)  # type: ignore[attr-defined]


def test_data_of_others_is_parsed_in_the_reading_layer_alone():
    found = {path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*.py") if parses(path)}
    outside = {name for name in found if not name.startswith(LAYER) and "shipped/" not in name}
    assert outside == set(ALLOWED), (sorted(outside - set(ALLOWED)), sorted(set(ALLOWED) - outside))
    assert {
        "release/reading/table_parquet.py",
        "core/storage/parquet_headers.py",
        "core/storage/exact_json.py",
    } <= found
