"""How are the raw files written, each in its distribution's own format, the same bytes every time?"""

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Rows = Sequence[Mapping[str, Any]]
KINDS = {"sentiment": pa.float64(), "word_count": pa.int64(), "page_count": pa.int64()}  # others are text


def write_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def write_csv(
    path: Path,
    rows: Rows,
    columns: Sequence[str],
    raw_lines: Mapping[int, str] | None = None,
    delimiter: str = ",",
    quote_all: bool = False,
    newline: str = "\n",
) -> None:
    """`raw_lines`: lines that no writer would write, each before the row of that number."""
    held = io.StringIO(newline="")
    writer = csv.DictWriter(
        held,
        columns,
        delimiter=delimiter,
        quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL,
        lineterminator=newline,
    )
    writer.writeheader()
    for number, row in enumerate(rows):
        if raw_lines and number in raw_lines:
            held.write(raw_lines[number] + newline)
        writer.writerow(row)
    write_bytes(path, held.getvalue().encode("utf-8"))


def write_json(path: Path, value: Any, ascii_only: bool = True) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    write_bytes(path, text.encode("utf-8"))


def write_json_lines(path: Path, rows: Rows, raw_lines: Mapping[int, str] | None = None) -> None:
    lines = []
    for number, row in enumerate(rows):
        if raw_lines and number in raw_lines:
            lines.append(raw_lines[number])
        lines.append(json.dumps(row, ensure_ascii=True, separators=(",", ":")))
    write_bytes(path, ("\n".join(lines) + "\n").encode("utf-8"))


def write_parquet(path: Path, rows: Rows) -> None:
    schema = pa.schema([(name, KINDS.get(name, pa.string())) for name in rows[0]])
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
    pq.write_table(table, path, compression="zstd", compression_level=9)


def write_zip(path: Path, members: Mapping[str, bytes]) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, date_time=(2004, 8, 31, 12, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, members[name])
    write_bytes(path, held.getvalue())
