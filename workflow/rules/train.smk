"""Train: does a model get better at authorship by the benchmark's own train split?

Takes   release/ and config/models/<model>.yaml
Gives   train/ (curves.csv, curves.svg, a model and its page for each seed)
"""


rule train_model:
    """Tune a model, once per seed, and score the dev split on the way."""
    input:
        sums=result("release/SHA256SUMS"),
    output:
        curves=result("train/curves.csv"),
        picture=result("train/curves.svg"),
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
