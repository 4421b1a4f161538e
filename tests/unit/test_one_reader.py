"""Data of others is read in one layer: `release.reading`, and `core.storage` for JSON and checksums."""

import ast
from pathlib import Path

import authbench

LIBRARY = Path(authbench.__file__).parent
LAYER = ("release/reading/", "core/storage/")
CALLS = {
    "pl": ("read_", "scan_"),
    "orjson": ("loads",),
    "json": ("load",),
    "np": ("load",),
    "csv": ("reader", "DictReader"),
    "pq": ("read_table", "ParquetFile"),
    "pickle": ("load",),
}
# Modules outside the layer that may parse, by the reason for it.
ALLOWED = {
    "what a stage, an evaluation or a training of this package has written beside itself": {
        *("audit/auditing/languages.py", "build/dedup/unique.py", "build/filter/language.py"),
        *("build/release/tables.py", "core/runtime/code.py", "reports/overview/page.py", "suites/pan/run.py"),
        *("scoring/train/records.py", "scoring/train/unfinished.py"),
        *("suites/style/collect.py", "suites/style/redundancy.py"),
    },
    "Parquet and lines of the format, held to format.columns": {
        *("publish/export/bundle.py", "publish/export/huggingface.py", "reports/diff/releases.py"),
        *("release/format/hub.py", "release/format/release.py", "release/format/tables.py"),
    },
    "what the check reads for itself, as it shares no code": {
        f"release/checking/{name}.py" for name in ("form", "provenance", "tables")
    },
    "what an installed package, a client or a model's checkpoint brings": {
        *("build/acquire/kaggle.py", "core/tokens.py", "core/vocabulary.py", "models/folder.py", "models/hub.py"),
    },
    "rows copied, for the layer to read later": {"build/acquire/rows.py"},
    "a copy of what was parsed or computed": {"publish/attestation/statement.py", "build/release/write.py"},
    "tables of a release, compared with its figures": {"reports/report/verify.py"},
}


def parses(path):
    """Return whether a module calls a parser of a library."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    named = (node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    return any(node.attr.startswith(CALLS.get(node.value.id, ("\0",))) for node in named)


def test_data_of_others_is_parsed_in_the_reading_layer_alone():
    found = {path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*.py") if parses(path)}
    outside = {name for name in found if not name.startswith(LAYER) and "shipped/" not in name}
    allowed = set().union(*ALLOWED.values())
    assert outside == allowed, (sorted(outside - allowed), sorted(allowed - outside))
    assert {
        "release/reading/table_parquet.py",
        "core/storage/parquet_headers.py",
        "core/storage/exact_json.py",
    } <= found
