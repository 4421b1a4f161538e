"""Data of others is read in one layer: `authbench.reading`, and `authbench.storage` for JSON and checksums."""

import ast
from collections.abc import Mapping
from pathlib import Path

import authbench

LIBRARY = Path(authbench.__file__).parent
LAYER = ("reading", "storage")
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
    "acquire/kaggle.py": PACKAGE,
    "attestation/statement.py": "a copy of what was parsed",
    "auditing/languages.py": OF_A_BUILD,
    "checking/form.py": CHECKED,
    "checking/pairs.py": CHECKED,
    "checking/provenance.py": CHECKED,
    "checking/tables.py": CHECKED,
    "dedup/unique.py": OF_A_BUILD,
    "diff/releases.py": OF_A_RELEASE,
    "export/bundle.py": OF_A_RELEASE,
    "export/huggingface.py": OF_A_RELEASE,
    "filter/language.py": OF_A_BUILD,
    "format/hub.py": OF_A_RELEASE,
    "format/release.py": OF_A_RELEASE,
    "format/tables.py": OF_A_RELEASE,
    "models/folder.py": PACKAGE,
    "models/hub.py": PACKAGE,
    "overview/page.py": OF_A_BUILD,
    "pan/run.py": OF_A_BUILD,
    "release/tables.py": OF_A_BUILD,
    "report/verify.py": "tables of a release, compared with its figures",
    "runtime/code.py": OF_A_BUILD,
    "style/collect.py": OF_A_BUILD,
    "style/redundancy.py": OF_A_BUILD,
    "tokens.py": PACKAGE,
    "train/records.py": OF_A_BUILD,
    "train/unfinished.py": OF_A_BUILD,
    "vocabulary.py": PACKAGE,
}


def parses(path: Path) -> bool:
    """Return whether a module calls a parser of a library."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    named = (node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    return any(node.attr.startswith(CALLS.get(node.value.id, ("\0",))) for node in named)  # type: ignore[attr-defined]


def test_data_of_others_is_parsed_in_the_reading_layer_alone() -> None:
    found = {path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*.py") if parses(path)}
    outside = {name for name in found if not name.startswith(LAYER) and "shipped/" not in name}
    assert outside == set(ALLOWED), (sorted(outside - set(ALLOWED)), sorted(set(ALLOWED) - outside))
    assert {"reading/table_parquet.py", "storage/parquet_headers.py", "storage/exact_json.py"} <= found
