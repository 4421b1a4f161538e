"""Style: does a model capture style independently of topic?

Takes   style.data, config/style/<dataset>.yaml and config/models/<model>.yaml
Gives   style/<model>/<long texts>.json and its speed, style/report/ (index.html, tables, figures)
Keeps   results/embeddings/: a model never embeds a text, or scores a dataset, twice
"""

from authbench.config.registry.load import is_path
from authbench.core.shipped import config_folders
from authbench.suites.style.datasets import digest_of_entries, digests_of_run, find_datasets
from authbench.suites.style.entries import DATASETS

STYLE = SETTINGS["style"]
STYLE_FILES = here(
    *config_folders(DATASETS.folder),
    *filter(is_path, STYLE["datasets"]),
    *filter(os.path.isdir, [STYLE["data"]]),
)
STYLE_MODELS = {SETUP.models[asked].name: SETUP.models[asked] for asked in STYLE["models"]}


rule score_style:
    """Run a model on every task of every dataset whose files exist."""
    input:
        **RELEASED if STYLE["release"] else {},
        datasets=STYLE_FILES,
        given=lambda wildcards: local(STYLE_MODELS[wildcards.style_model].files),
    output:
        scores=expand(result("style/{{style_model}}/{long_texts}.json"), long_texts=STYLE["long_texts"]),
        speeds=expand(result("style/{{style_model}}/{long_texts}.speed.json"), long_texts=STYLE["long_texts"]),
    log:
        result("logs/score_style/{style_model}.log"),
    wildcard_constraints:
        style_model="|".join(STYLE_MODELS),
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=duration(240),
    params:
        style={key: STYLE[key] for key in ("data", "datasets", "protocols", "missing", "release", "long_texts")},
        model=lambda wildcards: STYLE_MODELS[wildcards.style_model].as_dict(),
        reads=lambda wildcards: digests_of_run(
            STYLE, HERE / result("release") if STYLE["release"] else None, HERE, KNOWN / "style.json"
        ),
        half=SETTINGS["evaluate"]["half"],
        seed=SETTINGS["seed"],
        embeddings="results/embeddings",
        words=data_files("text/function_words.yaml"),
        code=code("score_style"),
    script:
        "../scripts/score_style.py"


rule style_report:
    """Sum up the scores of the models, and list the datasets that were not run."""
    input:
        scores=expand(
            result("style/{style_model}/{long_texts}.json"), style_model=STYLE_MODELS, long_texts=STYLE["long_texts"]
        ),
        speeds=expand(
            result("style/{style_model}/{long_texts}.speed.json"),
            style_model=STYLE_MODELS,
            long_texts=STYLE["long_texts"],
        ),
        datasets=STYLE_FILES,
        clusters=here(STYLE["clusters"]),
    output:
        folder=directory(result("style/report")),
    log:
        result("logs/style_report.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=duration(10),
        in_series=1,
    params:
        style={key: STYLE[key] for key in ("datasets", "clusters", "release")},
        entries=lambda wildcards: digest_of_entries(find_datasets(STYLE["datasets"])),
        assignment=data_files("style/scores.yaml", "style/steb_scores.yaml"),
        back=back_link("style/report/index.html"),
        template=page_templates("style.html.j2"),
        code=code("style_report"),
    script:
        "../scripts/style_report.py"
