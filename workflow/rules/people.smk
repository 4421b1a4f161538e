"""People: how well do they distinguish authors, on the pairs on which models are scored?

Takes   release/, saved verdicts, evaluate/<model>/released_pairs.parquet
Gives   human_pairs/ (a sheet per language, for a browser, without answers), people/people.json (people and models on
        the judged pairs), which the leaderboard shows
"""


rule human_pairs:
    """Write the sheets of pairs, on demand."""
    input:
        result("human_pairs"),


rule write_pair_sheets:
    """Draw pairs of the pool `matched`, half by one author, and write the pages for judging them."""
    input:
        **RELEASED,
    output:
        sheets=directory(result("human_pairs")),
    log:
        result("logs/write_pair_sheets.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(900),
        runtime=duration(10),
        in_series=1,
    params:
        name=SETTINGS["name"],
        split=SETTINGS["evaluate"]["split"],
        pairs_per_language=SETTINGS["people"]["pairs_per_language"],
        seed=SETTINGS["seed"],
        template=data_files(*SHEET_TEMPLATES, "templates/pairs.html.j2", "templates/pairs_index.html.j2"),
        code=code("write_pair_sheets"),
    script:
        "../scripts/write_pair_sheets.py"


rule score_people:
    """Score the verdicts of people, and every model on the judged pairs."""
    input:
        **RELEASED,
        released=expand(result("evaluate/{model}/released_pairs.parquet"), model=MODELS),
        verdicts=here(*SETTINGS["people"]["verdicts"]),
    output:
        scores=result("people/people.json"),
    log:
        result("logs/score_people.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(900),
        runtime=duration(10),
        in_series=1,
    params:
        split=SETTINGS["evaluate"]["split"],
        pairs_per_language=SETTINGS["people"]["pairs_per_language"],
        verdicts=SETTINGS["people"]["verdicts"],
        contents=[file_hash(path) for path in SETTINGS["people"]["verdicts"]],
        models=list(MODELS),
        seed=SETTINGS["seed"],
        code=code("score_people"),
    script:
        "../scripts/score_people.py"
