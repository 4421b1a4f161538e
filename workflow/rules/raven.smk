"""Raven: which verifiers rely on topics?

Takes   raven.documents (planted, a release, PAN's files, a table) and config/verifiers/<verifier>.yaml
Gives   raven/report/ (index.html, the tables of the RAVEN paper, scores.csv, figures)
Keeps   results/embeddings/: a model never embeds a text twice
"""

from authbench.config.settings.evaluate import Subsets, TopicLimits
from authbench.scoring.verifiers.requested import files_behind
from authbench.suites.raven.checks import load_verifiers
from authbench.suites.raven.documents import RELEASE, place_digest
from authbench.suites.raven.encoders import load_encoder
from authbench.suites.raven.subsets import batches, fold_parts, job_count

RAVEN = SETTINGS["raven"]
RAVEN_ENCODERS = {encoder.name: encoder for encoder in (load_encoder(name, HERE) for name in RAVEN["encoders"])}
RAVEN_VERIFIERS = load_verifiers(RAVEN, HERE)
RAVEN_BATCHES = batches(RAVEN, RAVEN["subsets_per_job"])
RAVEN_SUBSETS = [subset for subsets in RAVEN_BATCHES.values() for subset in subsets]
RAVEN_PARTS = fold_parts(RAVEN)


localrules:
    raven_duration,


rule raven:
    """Make the whole report, on demand."""
    input:
        result("raven/report"),


rule raven_documents:
    """Collect all texts with author and topic in one table."""
    input:
        **RELEASED if RAVEN["documents"] == RELEASE else {},
        place=here(*filter(os.path.exists, [RAVEN["documents"]])),
    output:
        documents=result("raven/documents.parquet"),
        verification=result("raven/release.json"),
    log:
        result("logs/raven_documents.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=duration(120),
    params:
        place=lambda wildcards, input: input.get("draft", RAVEN["documents"]),
        files=lambda wildcards: place_digest(RAVEN["documents"], KNOWN / "raven.json"),
        seed=SETTINGS["seed"],
        code=code("raven_documents"),
    script:
        "../scripts/raven_documents.py"


rule raven_topics:
    """Compute a vector for every topic."""
    input:
        documents=result("raven/documents.parquet"),
        given=lambda wildcards: local(RAVEN_ENCODERS[wildcards.encoder].files),
    output:
        topics=result("raven/topics/{encoder}.parquet"),
    log:
        result("logs/raven_topics/{encoder}.log"),
    wildcard_constraints:
        encoder="|".join(RAVEN_ENCODERS),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=duration(240),
    params:
        encoder=lambda wildcards: RAVEN_ENCODERS[wildcards.encoder].as_dict(),
        limits=part_for(TopicLimits, RAVEN),
        seed=SETTINGS["seed"],
        half=SETTINGS["evaluate"]["half"],
        embeddings="results/embeddings",
        code=code("raven_topics"),
    script:
        "../scripts/raven_topics.py"


rule raven_subsets:
    """Select the topics of every subset, and draw the pairs of its folds."""
    input:
        documents=result("raven/documents.parquet"),
        topics=expand(result("raven/topics/{encoder}.parquet"), encoder=RAVEN_ENCODERS),
    output:
        facts=result("raven/subsets.json"),
        pairs=expand(result("raven/pairs/{subset}.parquet"), subset=RAVEN_SUBSETS),
    log:
        result("logs/raven_subsets.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=duration(60),
    params:
        encoders=list(RAVEN_ENCODERS),
        subsets=part_for(Subsets, RAVEN),
        limits=part_for(TopicLimits, RAVEN),
        seed=SETTINGS["seed"],
        code=code("raven_subsets"),
    script:
        "../scripts/raven_subsets.py"


rule raven_duration:
    """Report how long the verifiers will take, before they start."""
    input:
        facts=result("raven/subsets.json"),
    output:
        estimate=result("raven/duration.txt"),
    log:
        result("logs/raven_duration.log"),
    priority: 100
    conda:
        "../../envs/text.yaml"
    params:
        verifiers=list(RAVEN_VERIFIERS),
        jobs=job_count(RAVEN),
        code=code("raven_duration"),
    script:
        "../scripts/raven_duration.py"


rule raven_answers:
    """Train a verifier on folds of subsets, calibrate it, and score the test pairs."""
    input:
        documents=result("raven/documents.parquet"),
        facts=result("raven/subsets.json"),
        pairs=lambda wildcards: expand(result("raven/pairs/{subset}.parquet"), subset=RAVEN_BATCHES[wildcards.batch]),
        given=lambda wildcards: local(files_behind(RAVEN_VERIFIERS[wildcards.verifier], HERE)),
    output:
        answers=result("raven/answers/{batch}/{verifier}/{part}.parquet"),
    log:
        result("logs/raven_answers/{batch}/{verifier}/{part}.log"),
    wildcard_constraints:
        batch="|".join(RAVEN_BATCHES),
        verifier="|".join(RAVEN_VERIFIERS),
        part="|".join(RAVEN_PARTS),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=duration(240),
    params:
        verifier=lambda wildcards: RAVEN_VERIFIERS[wildcards.verifier].as_dict(),
        folds=lambda wildcards: RAVEN_PARTS[wildcards.part],
        seed=SETTINGS["seed"],
        work=result("raven/work"),
        half=SETTINGS["evaluate"]["half"],
        embeddings="results/embeddings",
        code=code("raven_answers"),
    script:
        "../scripts/raven_answers.py"


rule raven_report:
    """Evaluate all answers, and write the tables of the paper."""
    input:
        verification=result("raven/release.json"),
        facts=result("raven/subsets.json"),
        estimate=result("raven/duration.txt"),
        pairs=expand(result("raven/pairs/{subset}.parquet"), subset=RAVEN_SUBSETS),
        answers=expand(
            result("raven/answers/{batch}/{verifier}/{part}.parquet"),
            batch=RAVEN_BATCHES,
            verifier=RAVEN_VERIFIERS,
            part=RAVEN_PARTS,
        ),
    output:
        folder=report(
            directory(result("raven/report")),
            htmlindex="index.html",
            category="Topic robustness",
            caption="../report/captions/raven.rst",
        ),
    log:
        result("logs/raven_report.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=duration(10),
    params:
        raven=RAVEN,
        verifiers=list(RAVEN_VERIFIERS),
        back=back_link("raven/report/index.html"),
        template=page_templates("raven.html.j2"),
        code=code("raven_report"),
    script:
        "../scripts/raven_report.py"
