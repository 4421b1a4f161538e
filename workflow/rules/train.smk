"""Train: do models improve at authorship by training on the benchmark's train split?

Takes   release/ and config/models/<model>.yaml
Gives   train/ (curves.csv, curves.svg, curves/ by slice; a model, its config entry and its record for each model and seed);
        with train.in_leaderboard, the leaderboard lists these models and the models that they start from
Keeps   train/<model>.unfinished/: a stopped training resumes from its last checkpoint
"""


wildcard_constraints:
    tuned="|".join(map(re.escape, TRAININGS)),


rule train:
    """Train all models and draw their curves, on demand."""
    input:
        result("train/curves.svg"),


rule train_model:
    """Tune one model with one seed, and score it on the splits of train.watch during training."""
    input:
        **RELEASED,
        given=lambda wildcards: local(TRAININGS[wildcards.tuned].model.files),
    output:
        folder=directory(result("train/{tuned}")),
        entry=result("train/{tuned}.yaml"),
        record=result("train/{tuned}.json"),
    log:
        result("logs/train_model/{tuned}.log"),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=duration(600),
    params:
        train=part_for(Training, SETTINGS["train"]),
        model=lambda wildcards: TRAININGS[wildcards.tuned].model.as_dict(),
        seed=lambda wildcards: TRAININGS[wildcards.tuned].seed,
        code=code("train_model"),
    script:
        "../scripts/train_model.py"


rule draw_curves:
    """Draw loss and scores of all trainings by step."""
    input:
        records=expand(result("train/{tuned}.json"), tuned=TRAININGS),
    output:
        curves=result("train/curves.csv"),
        picture=result("train/curves.svg"),
        slices=directory(result("train/curves")),
    log:
        result("logs/draw_curves.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=duration(10),
        in_series=1,
    params:
        code=code("draw_curves"),
    script:
        "../scripts/draw_curves.py"
