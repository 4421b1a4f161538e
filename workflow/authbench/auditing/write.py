"""Write an audit: index.html, audit.json and audit.md."""

from pathlib import Path

from authbench.auditing.page import markdown, render
from authbench.auditing.run import Audit
from authbench.storage.atomic import write_text
from authbench.storage.json_files import write_plain_json


def write_audit(audit: Audit, out: Path, brief: bool = False) -> None:
    """Write the files into a folder, which is created if necessary; `brief`: without ids in audit.json."""
    out.mkdir(parents=True, exist_ok=True)
    write_plain_json(out / "audit.json", audit.as_dict(brief))
    write_text(out / "audit.md", markdown(audit))
    write_text(out / "index.html", render(audit))
