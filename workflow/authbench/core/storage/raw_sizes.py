"""Estimate the size of a raw file after decompression without reading it."""

import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from authbench.core.storage.raw_files import NO_ZIP
from authbench.core.storage.raw_paths import COMPRESSED

PACKED = (*COMPRESSED, ".zip", ".parquet")
UNPACKED = 4  # typical ratio of text to its compressed size
WRAPS_AT = 1 << 32  # gzip stores the size of its last member modulo this


def expanded_bytes(path: Path) -> int:
    """Return the bytes of a raw file; for a compressed file, the bytes that it declares.

    A compressed file is estimated at UNPACKED times its size if it declares none, is damaged, or declares less than its
    compressed size (it has several parts and declares the size of one).
    """
    stored = path.stat().st_size
    suffix = path.suffix.lower()
    if suffix not in PACKED:
        return stored
    said = _says(path, suffix, stored)
    return said if said >= stored else UNPACKED * stored


def _says(path: Path, suffix: str, stored: int) -> int:
    try:
        if suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                return sum(entry.file_size for entry in archive.infolist())
        if suffix == ".parquet":
            metadata = pq.read_metadata(path)
            return sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        with path.open("rb") as file:
            if suffix == ".zst":
                return int(zstandard.frame_content_size(file.read(18)))
            if suffix == ".gz":
                file.seek(-4, 2)
                low = int.from_bytes(file.read(4), "little")
                return low + WRAPS_AT * max(0, round((UNPACKED * stored - low) / WRAPS_AT))
    except (OSError, zstandard.ZstdError, pa.ArrowException, *NO_ZIP):
        pass
    return 0
