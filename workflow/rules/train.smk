"""Train: does a model get better at authorship by the benchmark's own train split?

Takes   release/ and config/models/<model>.yaml
Gives   train/ (curves.csv, curves.svg, a model and its config entry for each seed)
"""


rule train:
    """Everything: run this."""
    input:
        result("train/curves.svg"),


rule train_model:
    """Tune a model, once per seed, and score the dev split on the way."""
    input:
        data=result("release_data.json"),
        release=RELEASED,
    output:
        curves=result("train/curves.csv"),
    log:
        result("logs/train_model.log"),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=duration(600),
    params:
        train=SETTINGS["train"],
        model=SETUP.models[SETTINGS["train"]["model"]].as_dict(),
        code=code("train_model"),
    script:
        "../scripts/train_model.py"


rule draw_curves:
    """Draw loss and scores by step, a line per seed."""
    input:
        curves=result("train/curves.csv"),
    output:
        picture=result("train/curves.svg"),
    log:
        result("logs/draw_curves.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=duration(10),
        in_series=1,
    params:
        model=SETUP.models[SETTINGS["train"]["model"]].name,
        code=code("draw_curves"),
    script:
        "../scripts/draw_curves.py"
