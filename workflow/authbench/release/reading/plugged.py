"""Read the records that a reader of an installed package yields (docs/plug-ins.md)."""

from collections.abc import Iterator
from typing import Any

from authbench.config.plugins import PlugIn, called, find_plugin, load_plugin, unusable
from authbench.config.registry.readers import PluginReader
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.rows import BadRow, Block, Row, Sized, Wanted, counting, in_blocks, nested_deeper
from authbench.release.reading.units import Units

_EXPECTED = "read(stream, options) to yield a dictionary with text as keys for each record, or text that says why not"
_END = object()


@counting("records")
def read(file: RawFile, options: PluginReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the records of a file; text in place of a record is the reason of a bad row.

    A record whose texts have more than `max_record_bytes` characters together is a bad row, too.

    Raises:
        InputError: no package has this reader, or it fails or yields something else.
    """
    yield from in_blocks(_rows(file, options), units)


def _rows(file: RawFile, options: PluginReader) -> Iterator[Sized]:
    plugin = find_plugin("readers", options.name)
    reader = load_plugin(plugin)
    number = 0
    with file.open_binary() as stream:
        records = called(plugin, _EXPECTED, lambda: iter(reader(stream, dict(options.options))))
        while (record := called(plugin, _EXPECTED, lambda: next(records, _END))) is not _END:
            number += 1
            yield _row(plugin, record, f"record {number}", file.max_record_bytes)


def _row(plugin: PlugIn, record: Any, position: str, limit: int) -> Sized:
    if isinstance(record, str):
        return BadRow(position, record), len(record)
    if not isinstance(record, dict) or not all(isinstance(name, str) for name in record):
        raise unusable(plugin, f"yielded {record!r:.200}", _EXPECTED)
    if nested_deeper(record):
        return BadRow(position, "is nested too deeply"), 0
    size = _characters(record)
    if size > limit:
        return BadRow(position, f"is longer than max_record_bytes ({limit})"), 0
    return Row(record), size


def _characters(value: object) -> int:
    """Return the number of characters of all texts in a record."""
    if isinstance(value, dict):
        return sum(_characters(name) + _characters(inner) for name, inner in value.items())
    return sum(map(_characters, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 0
