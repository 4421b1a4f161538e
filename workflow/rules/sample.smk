"""Sample whole authors, for targets of language, genre and length; only texts considered are scored for safety.

Takes   chunk/<shard>.parquet less filter/<shard>.parquet and dedup/chunks/removed.parquet, labels/authors.parquet
Gives   sample/selected.parquet (DOCUMENT and `toxicity`), toxic.parquet (REMOVED), counts.json, deviation.json, facts.json
With `sample.early_authors`  sample/drawn.parquet (DRAWN, of ingest/*/<shards>.parquet)
Keeps   sample/scores.parquet: no text is scored twice
With Detoxify  sample/asked/<round>.parquet (ASKED: texts whose scores a selection lacks), sample/scored/<round>/<batch>.parquet
"""

DETOXIFY_ASKED = "detoxify" in SETTINGS["safety"]["scorers"]
ON_GPU = DETOXIFY_ASKED and SETTINGS["safety"]["detoxify"]["device"].startswith("cuda")
GPU = {"gpu": 1} if ON_GPU else {}  # the executor for Kubernetes refuses a request of 0
SCORING = Scoring()
if DETOXIFY_ASKED:
    SCORING = request_to_score(
        SETTINGS["sample"]["documents"] if SETTINGS["safety"]["scope"] == "consulted" else None, CORPUS_MB
    )
COUNTS_BEFORE_SAMPLING = [
    *expand(result("ingest/{source}/counts.json"), source=SOURCES),
    *gather.shards(result("normalize/counts/{scatteritem}.json")),
    *gather.shards(result("chunk/counts/{scatteritem}.json")),
    *gather.shards(result("filter/counts/{scatteritem}.json")),
    *expand(result("dedup/{unit}/counts.json"), unit=["documents", "chunks"]),
]
SCORERS = {
    "safety": SETTINGS["safety"],
    "words": file_hash(shipped("text/toxic_words.yaml"), SETTINGS["safety"]["wordlist"]["extra"]),
    "weights": weights(),
}
SCORERS_FILES = here(
    SETTINGS["safety"]["wordlist"]["extra"],
    *(SETTINGS["safety"]["detoxify"][key] for key in ("checkpoint", "huggingface_config_path")),
)
RESERVOIRS = {
    "reservoirs": gather.shards(result("sample/reservoirs/{scatteritem}.parquet")),
    "authors": gather.shards(result("sample/authors/{scatteritem}.parquet")),
    "lengths": gather.shards(result("sample/lengths/{scatteritem}.parquet")),
    "counts": COUNTS_BEFORE_SAMPLING,
}
SELECTION = {
    "sample": SETTINGS["sample"],
    "authors": SETTINGS["authors"],
    "splits": SETTINGS["split"]["splits"],
    "seed": SETTINGS["seed"],
}
SCORED = [  # by round
    [result(f"sample/scored/{number}/{batch}.parquet") for batch in range(batches)]
    for number, batches in enumerate(SCORING.batches)
]


rule load_scorers:
    """Load the toxicity scorers before any other job: their weights are downloaded, or reported missing, now."""
    input:
        given=SCORERS_FILES,
    output:
        scorers=result("sample/scorers.json"),
    log:
        result("logs/load_scorers.log"),
    priority: 100
    conda:
        "../../envs/models.yaml"
    resources:
        **GPU,
        mem_mb=memory(700 + SCORING.mb),
        runtime=duration(30),
        in_series=1,
    params:
        **SCORERS,
        code=code("load_scorers"),
    script:
        "../scripts/load_scorers.py"


rule draw_authors:
    """Draw the authors whose texts are processed at all, by hash."""
    input:
        records=expand(result("ingest/{source}/{file}.parquet"), source=SOURCES, file=dict.fromkeys(SHARD_FILES)),
    output:
        authors=result("sample/drawn.parquet"),
    log:
        result("logs/draw_authors.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(500, per_mb=0.02),
        runtime=duration(10, per_mb=0.005),
        in_series=1,
    params:
        most=SETTINGS["sample"]["early_authors"],
        seed=SETTINGS["seed"],
        code=code("draw_authors"),
    script:
        "../scripts/draw_authors.py"


rule fill_reservoirs:
    """Keep the documents of every author that may be needed, chosen by hash."""
    input:
        documents=result("chunk/{scatteritem}.parquet"),
        filtered=result("filter/{scatteritem}.parquet"),
        duplicates=result("dedup/chunks/removed.parquet"),
        labels=result("labels/authors.parquet"),
    output:
        reservoir=result("sample/reservoirs/{scatteritem}.parquet"),
        authors=result("sample/authors/{scatteritem}.parquet"),
        lengths=result("sample/lengths/{scatteritem}.parquet"),
    log:
        result("logs/fill_reservoirs/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=0.5, per_corpus_mb=0.05),
        runtime=duration(5, per_mb=0.02),
        in_series=1,
    params:
        reservoir=SETTINGS["sample"]["reservoir"],
        min_origins=SETTINGS["sample"]["min_origins"],
        spread=SETTINGS["sample"]["spread"],
        seed=SETTINGS["seed"],
        code=code("fill_reservoirs"),
    script:
        "../scripts/fill_reservoirs.py"


rule ask_scores:
    """List the texts whose toxicity a selection by the scores of earlier rounds lacks."""
    input:
        **RESERVOIRS,
        scored=lambda wildcards: sum(SCORED[: int(wildcards.round)], []),
    output:
        asked=result("sample/asked/{round}.parquet"),
    log:
        result("logs/ask_scores/{round}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(700, per_mb=1.2 if SETTINGS["sample"]["documents"] else 3.5),
        runtime=duration(30, per_mb=0.02),
        in_series=1,
    params:
        **SELECTION,
        safety=SETTINGS["safety"],
        batches=lambda wildcards: SCORING.batches[int(wildcards.round)],
        code=code("ask_scores"),
    script:
        "../scripts/ask_scores.py"


rule score_texts:
    """Score the toxicity of a batch of the texts that a selection lacks."""
    input:
        documents=gather.shards(result("chunk/{scatteritem}.parquet")),
        asked=result("sample/asked/{round}.parquet"),
        scorers=result("sample/scorers.json"),
        given=SCORERS_FILES,
    output:
        scored=result("sample/scored/{round}/{batch}.parquet"),
    log:
        result("logs/score_texts/{round}-{batch}.log"),
    conda:
        "../../envs/models.yaml"
    resources:
        **GPU,
        mem_mb=memory(700 + SCORING.mb),
        runtime=duration(30 + SCORING.minutes),
        in_series=1,
    params:
        **SCORERS,
        scores=result("sample/scores.parquet"),
        batch=lambda wildcards: int(wildcards.batch),
        code=code("score_texts"),
    script:
        "../scripts/score_texts.py"


rule select_documents:
    """Select whole authors that best meet the targets, and score the toxicity of the texts considered."""
    input:
        **RESERVOIRS,
        documents=gather.shards(result("chunk/{scatteritem}.parquet")),
        scored=sum(SCORED, []),
        scorers=result("sample/scorers.json") if DETOXIFY_ASKED else [],
        given=SCORERS_FILES,
    output:
        selected=result("sample/selected.parquet"),
        toxic=result("sample/toxic.parquet"),
        counts=result("sample/counts.json"),
        deviation=result("sample/deviation.json"),
        facts=result("sample/facts.json"),
    log:
        result("logs/select_documents.log"),
    conda:
        "../../envs/models.yaml"
    resources:
        **GPU,
        mem_mb=memory(700 + SCORING.mb, per_mb=1.2 if SETTINGS["sample"]["documents"] else 3.5),
        runtime=duration(30 + SCORING.rest, per_mb=0.02),
        in_series=1,
    params:
        **SCORERS,
        **SELECTION,
        scores=result("sample/scores.parquet"),
        code=code("select_documents"),
    script:
        "../scripts/select_documents.py"
