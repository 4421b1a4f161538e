"""Evaluate: how well does a model capture authorship?

Takes   release/ and config/models/<model>.yaml, or folders, functions and files of results (evaluate.models);
        train/<model>.yaml and its checkpoint (train.in_leaderboard)
Gives   evaluate/<model>/ (scores.json, queries.parquet, pairs.parquet, released_pairs.parquet), leaderboard/
        (index.html and its tables)
Keeps   results/embeddings/: a model never embeds a text twice
"""

TRAININGS = planned_trainings(map(SETUP.models.get, SETTINGS["train"]["models"]), SETTINGS["train"]["seeds"])
LISTED_TRAININGS = TRAININGS if SETTINGS["train"]["in_leaderboard"] else {}
MODELS = {SETUP.models[asked].name: SETUP.models[asked] for asked in SETTINGS["evaluate"]["models"]}
MODELS = with_tuned(MODELS, LISTED_TRAININGS, result("train"))
PEOPLE_SCORES = [result("people/people.json")] if SETTINGS["people"]["verdicts"] else []
TUNED_FILES = {model: [result(f"train/{model}.yaml"), result(f"train/{model}")] for model in LISTED_TRAININGS}
EMBEDDED = [name for name, model in MODELS.items() if model.parameters.cached]
PLUGGED_METRICS = identities("metrics", SETTINGS["evaluate"]["metrics"])
SANITY_ROWS = evaluated_together(MODELS)
SHARE_OF_EVALUATED = share_of(SPLITS, [SETTINGS["evaluate"]["split"]])
GIVEN_FILES = {name: [] if name in LISTED_TRAININGS else model.files for name, model in MODELS.items()}
KNOWN_TEXTS = result("evaluate/familiarity.parquet")
FAMILIARITY = [KNOWN_TEXTS] if SETTINGS["evaluate"]["familiarity"] else []
RESULTS_OF_A_MODEL = ["own/scores.json", "own/queries.parquet", "pairs.parquet", "released_pairs.parquet"]


wildcard_constraints:
    model="|".join(map(re.escape, MODELS)),


rule embed_texts:
    """Embed the texts of the split without a vector: the only job that needs a GPU."""
    input:
        **RELEASED,
        given=lambda wildcards: local(GIVEN_FILES[wildcards.model]),
        tuned=lambda wildcards: TUNED_FILES.get(wildcards.model, []),
    output:
        done=result("evaluate/embedded/{model}.json"),
    log:
        result("logs/embed_texts/{model}.log"),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=duration(240),
    params:
        split=SETTINGS["evaluate"]["split"],
        model=lambda wildcards: MODELS[wildcards.model].as_dict(),
        half=SETTINGS["evaluate"]["half"],
        embeddings="results/embeddings",
        code=code("embed_texts"),
    script:
        "../scripts/embed_texts.py"


rule measure_familiarity:
    """Find the texts that a language model has read, by its loss on their sentences."""
    input:
        **RELEASED,
        given=lambda wildcards: local(SETUP.models[SETTINGS["evaluate"]["familiarity"]].files),
    output:
        texts=KNOWN_TEXTS,
    log:
        result("logs/measure_familiarity.log"),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=duration(240),
    params:
        split=SETTINGS["evaluate"]["split"],
        model=lambda wildcards: SETUP.models[SETTINGS["evaluate"]["familiarity"]].as_dict(),
        code=code("measure_familiarity"),
    script:
        "../scripts/measure_familiarity.py"


rule evaluate_sanity:
    """Score the sanity rows in one job, because reading the split takes longer than most of them."""
    input:
        **RELEASED,
        familiarity=FAMILIARITY,
    output:
        expand(result("evaluate/{model}/{file}"), model=SANITY_ROWS, file=RESULTS_OF_A_MODEL),
    log:
        result("logs/evaluate_sanity.log"),
    priority: 2
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(2000 + released_mb(SETTINGS["sample"]["documents"], 22.5 * SHARE_OF_EVALUATED)),
        runtime=duration(30),
        in_series=1,
    params:
        split=SETTINGS["evaluate"]["split"],
        dev=SETTINGS["evaluate"]["dev"],
        models=[model.as_dict() for model in SANITY_ROWS.values()],
        half=SETTINGS["evaluate"]["half"],
        metrics=PLUGGED_METRICS,
        seed=SETTINGS["seed"],
        embeddings="results/embeddings",
        words=data_files("text/function_words.yaml"),
        code=code("evaluate_models"),
    script:
        "../scripts/evaluate_models.py"


rule evaluate_model:
    """Rank the candidates of every query, and score the ranking by slice."""
    input:
        **RELEASED,
        familiarity=FAMILIARITY,
        embedded=lambda wildcards: (result("evaluate/embedded/{model}.json") if wildcards.model in EMBEDDED else []),
        given=lambda wildcards: local(GIVEN_FILES[wildcards.model]),
        tuned=lambda wildcards: TUNED_FILES.get(wildcards.model, []),
    output:
        scores=result("evaluate/{model}/own/scores.json"),
        queries=result("evaluate/{model}/own/queries.parquet"),
        pairs=result("evaluate/{model}/pairs.parquet"),
        released=result("evaluate/{model}/released_pairs.parquet"),
    log:
        result("logs/evaluate_model/{model}.log"),
    wildcard_constraints:
        model="|".join(map(re.escape, sorted(MODELS.keys() - SANITY_ROWS))),
    priority: 1
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(2000 + released_mb(SETTINGS["sample"]["documents"], 22.5 * SHARE_OF_EVALUATED)),
        runtime=duration(30),
        in_series=1,
    params:
        split=SETTINGS["evaluate"]["split"],
        dev=SETTINGS["evaluate"]["dev"],
        models=lambda wildcards: [MODELS[wildcards.model].as_dict()],
        half=SETTINGS["evaluate"]["half"],
        metrics=PLUGGED_METRICS,
        seed=SETTINGS["seed"],
        embeddings="results/embeddings",
        words=data_files("text/function_words.yaml"),
        code=code("evaluate_models"),
    script:
        "../scripts/evaluate_models.py"


rule join_results:
    """Compute what each model gains over the rows without style, and which of these solve a query."""
    input:
        scores=expand(result("evaluate/{model}/own/scores.json"), model=MODELS),
        queries=expand(result("evaluate/{model}/own/queries.parquet"), model=MODELS),
    output:
        scores=expand(result("evaluate/{model}/scores.json"), model=MODELS),
        queries=expand(result("evaluate/{model}/queries.parquet"), model=MODELS),
    log:
        result("logs/join_results.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=duration(10),
        in_series=1,
    params:
        code=code("join_results"),
    script:
        "../scripts/join_results.py"


rule leaderboard:
    """Compare the models in one table, and test which differences are significant."""
    input:
        scores=expand(result("evaluate/{model}/own/scores.json"), model=MODELS),
        queries=expand(result("evaluate/{model}/own/queries.parquet"), model=MODELS),
        people=PEOPLE_SCORES,
    output:
        folder=report(
            directory(result("leaderboard")),
            htmlindex="index.html",
            category="Leaderboard",
            caption="../report/captions/leaderboard.rst",
        ),
    log:
        result("logs/leaderboard.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=duration(10),
        in_series=1,
    params:
        back=back_link("leaderboard/index.html"),
        version=SETTINGS["publish"]["version"],
        url=SETTINGS["publish"]["url"],
        template=page_templates("leaderboard.html.j2"),
        code=code("leaderboard"),
    script:
        "../scripts/leaderboard.py"
