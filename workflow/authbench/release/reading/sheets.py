"""Read the rows of workbooks (.xlsx, .ods) by the extra `sheets`.

The parser holds a whole sheet with all cells between the first and the last, so it runs in a process of limited memory.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import orjson
import pyarrow as pa

from authbench.config.registry.readers import SheetReader
from authbench.core.errors import InputError
from authbench.core.extras import absent
from authbench.core.storage.bounds import room, too_large
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.rows import BadRow, Block, Sized, Wanted, counting, in_blocks
from authbench.release.reading.units import Units

_OF_THE_PROCESS = 512 << 20  # bytes
_PARSE = "from authbench.release.reading.sheets import parse; parse()"
_UNREADABLE = 3  # exit status


@counting("rows")
def read(file: RawFile, options: SheetReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the rows of each sheet, by the names in its first row, and `sheet`: values as text, of formulas the result.

    Raises:
        InputError: the extra is not installed, the file is damaged or needs too much memory.
    """
    if problem := absent("fastexcel"):
        raise problem
    yield from in_blocks(_rows(replace(file, at_most=None), units))


def _rows(file: RawFile, units: Units) -> Iterator[Sized]:
    with file.open_seekable() as stream:
        stored = os.fstat(stream.fileno()).st_size
        command = [sys.executable, "-c", _PARSE, str(_OF_THE_PROCESS + 2 * room(stored))]
        found = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with subprocess.Popen(
            command, stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=found
        ) as process:
            try:
                assert process.stdout
                for number, line in enumerate(process.stdout, 1):
                    units.found += 1
                    if len(line) > file.max_record_bytes:
                        units.bad += 1
                        yield BadRow(f"row {number}", f"is longer than max_record_bytes ({file.max_record_bytes})"), 0
                    elif line == b"null\n":
                        units.blank += 1
                    else:
                        units.records += 1
                        yield orjson.loads(line), len(line)
                status = process.wait()
            finally:
                process.kill()
    if status == _UNREADABLE:
        raise InputError(f"{file.relative}: is no readable workbook. Open it, and save it again.")
    if status:
        raise too_large(file.relative, stored)


def parse() -> None:
    """Write the rows of the workbook on standard input as JSON lines, `null` for empty rows."""
    import fastexcel

    most = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    os.lseek(0, 0, os.SEEK_SET)
    try:
        workbook = fastexcel.read_excel(sys.stdin.buffer.read())
        for name in workbook.sheet_names:
            sheet = workbook.load_sheet(name, dtypes="string")
            batch = pa.record_batch(sheet) if sheet.width else pa.record_batch([], [])
            for start in range(0, batch.num_rows, 1_000):
                for row in batch.slice(start, 1_000).to_pylist():
                    line = {"sheet": name, **row} if set(row.values()) != {None} else None
                    sys.stdout.buffer.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
    except fastexcel.FastExcelError:
        sys.exit(_UNREADABLE)
