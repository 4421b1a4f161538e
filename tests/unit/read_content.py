"""What a reader of raw files makes of a content."""

from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.readers import READERS
from authbench.release.reading.rows import EVERYTHING
from authbench.release.reading.units import Units


def read_content(path, content, reader, limit=1 << 20, wanted=EVERYTHING, **more):
    """Write a content; return the rows that the reader of these options gives of it, and what it counts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    file, units = RawFile(path, path.name, "0" * 64, max_record_bytes=limit, **more), Units()
    return [row for block in READERS[type(reader)](file, reader, wanted, units) for row in block], units
