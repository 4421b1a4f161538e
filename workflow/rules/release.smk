"""Release: what exactly is released, and is it sound?

Takes   split/documents.parquet, contained.parquet, possibly_one.parquet, filter/measures/*.parquet, report/facts.json
Gives   release/ (candidates, queries, ground truth per split; provenance, manifest, statistics, figures, report.html,
        SHA256SUMS), check.json, release_data.json (digests of only the data, on which jobs on the release depend),
        published.json (states that the draft with these digests is in release/; these jobs wait for it)
"""

from authbench.build.release.statement import make_statement
from authbench.config.registry.source_entry import Description
from authbench.release.format.files import CHECKED_SECTIONS, FIGURES, STATISTICS, data_files_of
from authbench.release.format.names import scored_splits

SPLITS = SETTINGS["split"]["splits"]
DOCUMENTS = SETTINGS["sample"]["documents"]  # documents; none: all that fit
SHARE_OF_SCORED = share_of(SPLITS, scored_splits(SPLITS))

# Jobs that read the release read its draft, once it is published; publishing it again with the same data reruns none.
RELEASED = {
    "data": result("release_data.json"),
    "draft": ancient(result("draft")),
    "published": ancient(result("published.json")),
}


rule write_release:
    """Number the documents, choose queries and the pairs to score, and write the draft of the release."""
    input:
        documents=result("split/documents.parquet"),
        contained=result("split/contained.parquet"),
        possibly_one=result("split/possibly_one.parquet"),
        measures=gather.shards(result("filter/measures/{scatteritem}.parquet")),
        facts=result("report/facts.json"),
        lists=here(SETTINGS["split"]["lock"], SETTINGS["release"]["takedown"]),
    output:
        draft=directory(result("draft")),
        data=result("release_data.json"),
        taken_down=result("report/taken_down.parquet"),
        findings=result("report/findings.json"),
    log:
        result("logs/write_release.log"),
    conda:
        "../../envs/text.yaml"
    threads: 2
    resources:
        mem_mb=memory(700 + released_mb(DOCUMENTS, 0.95 + 10 * SHARE_OF_SCORED), per_mb=0.06 if DOCUMENTS else 4),
        runtime=duration(20, per_mb=0.02),
        in_series=1,
    params:
        statement=make_statement(SETTINGS, SETUP.raw.inputs, SETUP.raw.lock.as_stated(), SETUP.skipped, READERS),
        plugins=PLUGGED_FILTERS,
        release=SETTINGS["release"],
        split=SETTINGS["split"],
        seed=SETTINGS["seed"],
        sources={
            tag: {part: source.entry[part] for part in ("title", "license", "author")}
            | {part: getattr(source, part) for part in ("fame", "cite", "legal_basis")}
            for tag, source in SETUP.sources.items()
        },
        lock=file_hash(SETTINGS["split"]["lock"]),
        takedown=file_hash(SETTINGS["release"]["takedown"]),
        words=data_files("text/function_words.yaml"),
        code=code("write_release"),
    script:
        "../scripts/write_release.py"


rule check_release:
    """Check every claim of the draft."""
    input:
        draft=result("draft"),
    output:
        checked=result("check.json"),
    log:
        result("logs/check_release.log"),
    priority: 1
    conda:
        "../../envs/text.yaml"
    threads: 2
    resources:
        mem_mb=memory(850 + released_mb(DOCUMENTS, 1.4 + 12 * SHARE_OF_SCORED), per_mb=0.05 if DOCUMENTS else 4),
        runtime=duration(20, per_mb=0.01),
        in_series=1,
    params:
        published=result("release"),
        settings={section: SETTINGS[section] for section in CHECKED_SECTIONS},
        code=code("check_release"),
    script:
        "../scripts/check_release.py"


rule publish_release:
    """Publish the draft as the release, once it is checked; a repeated check does not publish again."""
    input:
        draft=result("draft"),
        checked=ancient(result("check.json")),
    output:
        manifest=result("release/manifest.json"),
        data=[result(f"release/{name}") for name in data_files_of(SPLITS)],
        tables=report(
            expand(result("release/statistics/{table}.csv"), table=STATISTICS),
            category="Release",
            subcategory="Tables",
            caption="../report/captions/statistics.rst",
        ),
        funnel=report(
            result("release/funnel.csv"),
            category="Release",
            subcategory="Tables",
            caption="../report/captions/funnel.rst",
        ),
        published=result("published.json"),
    log:
        result("logs/publish_release.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(300),
        runtime=duration(10, per_mb=0.002),
        in_series=1,
    params:
        code=code("publish_release"),
    script:
        "../scripts/publish_release.py"


rule render_report:
    """Draw the figures, write the report, and list the digests of all files."""
    input:
        **RELEASED,
        manifest=result("release/manifest.json"),
        findings=result("report/findings.json"),
    output:
        report=report(
            result("release/report.html"),
            category="Release",
            caption="../report/captions/release.rst",
        ),
        figures=report(
            expand(result("release/figures/{figure}.svg"), figure=FIGURES),
            category="Release",
            subcategory="Figures",
            caption="../report/captions/figures.rst",
        ),
        sums=result("release/SHA256SUMS"),
    log:
        result("logs/render_report.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(650 + released_mb(DOCUMENTS, 1), per_mb=0.02),
        runtime=duration(10, per_mb=0.005),
        in_series=1,
    params:
        sources={tag: part_for(Description, source.entry) for tag, source in SETUP.sources.items()},
        template=data_files("templates/report.html.j2"),
        code=code("render_report"),
    script:
        "../scripts/render_report.py"
