"""Write what the Hugging Face hub requires of a dataset apart from its files: terms and the benchmark's tasks."""

from collections.abc import Sequence
from typing import Any

import yaml

from authbench.export.licences import licence_table
from authbench.format.release import Release
from authbench.printable import inert_markdown

LICENSE = "LICENSE.md"
FRAMEWORK = "authbench"
# Scores that are tasks of the benchmark, by the id of the task: the configuration with the questions.
TASKS = {
    "auc_matched": "pairs",
    "auc_topic": "pairs",
    "auc_time": "pairs",
    "success_at_5_other_work": "positives",
    "ndcg_at_10": "ground_truth",
}
_POOLS = {"auc_matched": "matched", "auc_topic": "topic_matched", "auc_time": "time_matched"}  # that a task needs
# The hub's identifiers of licences that SPDX has, too (huggingface.co/docs/hub/repositories-licenses).
_IDENTIFIERS = """
afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsl-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0
cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-
sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0 cdla-permissive-2.0 cdla-sharing-1.0
ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 gpl-2.0 gpl-3.0 isc lgpl-2.1 lgpl-3.0 lppl-1.3c mit mpl-2.0 ms-
pl ncsa ofl-1.1 osl-3.0 postgresql unlicense wtfpl zlib
"""
_KNOWN = frozenset(_IDENTIFIERS.split())
_LICENSE_TEXT = """# Terms

Each text stays under the terms of the corpus that it is from; no other terms are added. A document's `source` says
which corpus that is. Identifiers are SPDX's, with a link to the text of the licence, or a LicenseRef where it has none.

| source | licence | identifier | texts here |
| --- | --- | --- | ---: |
{rows}
"""


def terms(identifiers: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a card that state terms, given the SPDX identifiers of the texts.

    The value is a licence or a list of licences; terms without an identifier of the hub are `other`, with a name and
    file.
    >>> terms(["CC-BY-4.0"]), terms(["CC-BY-4.0", "MIT"])
    ({'license': 'cc-by-4.0'}, {'license': ['cc-by-4.0', 'mit']})
    >>> terms(["LicenseRef-2", "MIT"])["license"]
    ['mit', 'other']
    """
    known = sorted({one.lower() for one in identifiers} & _KNOWN)
    others = [one for one in identifiers if one.lower() not in _KNOWN]
    named = [*known, *(["other"] if others or not known else [])]
    stated: dict[str, Any] = {"license": named[0] if len(named) == 1 else named}
    if "other" in named:
        stated |= {"license_name": "per-source", "license_link": LICENSE}
    return stated


def license_file(release: Release) -> str:
    """Return LICENSE.md: the terms of every source with texts here, or of all sources if there are no texts."""
    table = licence_table(release)
    here = table.filter("texts_here") if table["texts_here"].any() else table
    rows = [
        f"| {row['source']} | {inert_markdown(row['licence'])} | {_linked(row['spdx'])} "
        f"| {row['documents'] if row['texts_here'] else 0:,} |"
        for row in here.to_dicts()
    ]
    return _LICENSE_TEXT.format(rows="\n".join(rows))


def _linked(identifier: str) -> str:
    if identifier.startswith("LicenseRef-") or " " in identifier:
        return f"`{identifier}`"
    return f"[`{identifier}`](https://spdx.org/licenses/{identifier}.html)"


def eval_yaml(release: Release, configs: Sequence[str]) -> str:
    """Return eval.yaml: the tasks of the benchmark whose configuration exists, on its evaluated split."""
    split = "test" if "test" in release.splits else release.splits[-1]
    content = {
        "name": release.name,
        "description": "Authorship attribution and verification: which texts share an author, whatever their topic?",
        "evaluation_framework": FRAMEWORK,
        "tasks": [
            {"id": ident, "config": config, "split": split}
            for ident, config in TASKS.items()
            if config in configs and _POOLS.get(ident, config) in configs
        ],
    }
    return yaml.safe_dump(content, sort_keys=False, width=1000)
