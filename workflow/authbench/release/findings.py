"""Collect the findings of the stages and of the release: the base of manifest, statistics and report."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from authbench.format.findings import Findings
from authbench.funnel import FunnelRow
from authbench.registry.source_entry import Description
from authbench.release.contents import Contents
from authbench.report.warnings import warnings
from authbench.storage.json_files import finite_numbers


def make_findings(contents: Contents, sources: Mapping[str, Description], facts: Findings) -> Findings:
    """Return the facts of the earlier stages with the release's rows of the funnel and all warnings in words.

    Args:
        contents: the content of the release.
        sources: by tag.
        facts: the findings of the earlier stages (`report.facts`).
    """
    entered = Counter(contents.documents["source"]) + Counter(contents.removed["source"])
    taken = Counter(contents.removed["source"])
    own: list[FunnelRow] = [
        {"source": source, "stage": "release", "reason": reason, "documents": count}
        for source in sorted(entered)
        for reason, count in (
            ("in", entered[source]),
            ("taken_down", taken[source]),
            ("kept", entered[source] - taken[source]),
        )
        if count or reason != "taken_down"
    ]
    before = [row for row in facts["funnel"] if row["stage"] != "release"]
    pools: list[Any] = contents.pools.to_dicts()
    deviation: Any = finite_numbers(facts["deviation"])
    findings: Findings = {
        **facts,
        "funnel": before + own,
        "deviation": deviation,
        "takedown": contents.takedown,
        "pools": pools,
        "splits": list(contents.splits),
    }
    findings["warnings"] = warnings(findings, contents.documents, contents.queries, sources)
    return findings
