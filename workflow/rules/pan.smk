"""PAN: can verifiers tell whether two texts are by one author, on pairs of the release?

Takes   release/ and config/verifiers/<verifier>.yaml
Gives   pan/pairs/ (train-large/, train-small/, test/: PAN's format), pan/answers/<verifier>/, pan/report/index.html
Keeps   results/embeddings/: a model never embeds a text twice
"""

from authbench.scoring.verifiers.requested import controls, files_behind

VERIFIERS = {SETUP.verifiers[asked].name: SETUP.verifiers[asked] for asked in SETTINGS["pan"]["verifiers"]}


wildcard_constraints:
    verifier="|".join(VERIFIERS),


rule build_pairs:
    """Draw pairs on two topics each, keep test authors and topics separate, and verify it."""
    input:
        **RELEASED,
    output:
        pairs=directory(result("pan/pairs")),
    log:
        result("logs/build_pairs.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=duration(30),
    params:
        topics=SETTINGS["pan"]["topics"],
        settings=part_for(Pairs, SETTINGS["pan"]),
        seed=SETTINGS["seed"],
        code=code("build_pairs"),
    script:
        "../scripts/build_pairs.py"


rule answer_pairs:
    """Train a verifier on the train pairs and score the test pairs."""
    input:
        pairs=result("pan/pairs"),
        given=lambda wildcards: local(files_behind(VERIFIERS[wildcards.verifier], HERE)),
    output:
        answers=result("pan/answers/{verifier}/answers.jsonl"),
    log:
        result("logs/answer_pairs/{verifier}.log"),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=duration(240),
    params:
        train=f"train-{SETTINGS['pan']['train']}",
        verifier=lambda wildcards: VERIFIERS[wildcards.verifier].as_dict(),
        seed=SETTINGS["seed"],
        words=data_files("text/function_words.yaml"),
        half=SETTINGS["evaluate"]["half"],
        embeddings="results/embeddings",
        code=code("answer_pairs"),
    script:
        "../scripts/answer_pairs.py"


rule pan:
    """Evaluate the answers, test differences for significance, and measure whether answers follow topics."""
    input:
        pairs=result("pan/pairs"),
        answers=expand(result("pan/answers/{verifier}/answers.jsonl"), verifier=VERIFIERS),
    output:
        folder=directory(result("pan/report")),
    log:
        result("logs/pan.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=duration(60),
        in_series=1,
    params:
        name=SETTINGS["name"],
        baselines=controls(VERIFIERS.values(), HERE),
        train=f"train-{SETTINGS['pan']['train']}",
        topics=SETTINGS["pan"]["topic_model"],
        seed=SETTINGS["seed"],
        words=data_files("text/function_words.yaml"),
        back=back_link("pan/report/index.html"),
        template=page_templates("pan.html.j2"),
        code=code("pan"),
    script:
        "../scripts/pan.py"
