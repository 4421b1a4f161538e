"""How is the difference of two releases told?"""

from typing import Any

import polars as pl

from authbench.diff.causes import causes
from authbench.diff.documents import changed_documents, changed_queries
from authbench.diff.releases import Told

HEADINGS = {
    "gone": "documents gone",
    "new": "documents new",
    "split": "documents in another split",
    "id": "documents under another id",
    "text": "documents with another text",
}
SHOWN = 5


def difference(a: Told, b: Told) -> dict[str, Any]:
    """What changed and why: `documents` (rows of CHANGES), `queries`, `causes` (place, before, after), `totals`."""
    return {
        "a": str(a.folder),
        "b": str(b.folder),
        "totals": {"a": a.manifest["totals"], "b": b.manifest["totals"]},
        "documents": changed_documents(a, b).to_dicts(),
        "queries": changed_queries(a, b),
        "causes": [{"what": what, "a": one, "b": other} for what, one, other in causes(a.manifest, b.manifest)],
    }


def same(told: dict[str, Any]) -> bool:
    return not (told["documents"] or told["causes"] or any(told["queries"].values()))


def in_words(told: dict[str, Any]) -> str:
    """The difference for a reader: counts by reason, the first ids of each, then what the builds differ in."""
    if same(told):
        return f"{told['a']} and {told['b']}: the same documents, queries and settings\n"
    lines = [
        f"{name}: {told['totals']['a'][name]:,} -> {told['totals']['b'][name]:,}"
        for name in ("documents", "authors", "languages", "queries")
    ]
    rows = pl.DataFrame(told["documents"], infer_schema_length=None) if told["documents"] else None
    for change, heading in HEADINGS.items() if rows is not None else ():
        found = rows.filter(pl.col("change") == change) if rows is not None else pl.DataFrame()
        for (source, reason), part in found.group_by("source", "reason", maintain_order=True):
            why = f" ({reason})" if reason else ""
            lines.append(f"{heading}: {part.height:,} of {source}{why}: {listed(part['id'].to_list())}")
    for change, ids in told["queries"].items():
        if ids:
            lines.append(
                f"queries {'with other answers' if change == 'answers' else change}: {len(ids):,}: {listed(ids)}"
            )
    lines += [f"why: {one['what']}: {one['a']} -> {one['b']}" for one in told["causes"]]
    return "\n".join(lines) + "\n"


def listed(ids: list[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (" …" if len(ids) > SHOWN else "")
