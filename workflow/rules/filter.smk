"""Filter: measure texts once and apply thresholds to the measurements, which makes thresholds cheap to change.

Takes   chunk/<shard>.parquet
Gives   filter/measures/<shard>.parquet (MEASURES), filter/<shard>.parquet (REMOVED), counts/<shard>.json;
        filter/activity/<shard>.parquet (COUNTS) and authors.parquet (AUTHORS) if a threshold needs them
"""

from authbench.app.config import possible_languages
from authbench.config.languages import languages_file
from authbench.core.records import LANGUAGES

LANGUAGE_TABLE = file_hash(languages_file())
# Whatever a recipe requests, texts in a wrong language are in one of the ten.
MEASURED_LANGUAGES = [*LANGUAGES, *sorted(set(possible_languages(SETTINGS, SETUP.sources)) - {*LANGUAGES, "other"})]
PLUGGED_FILTERS = identities("filters", SETTINGS["filter"]["plugins"])
AUTHORS_ASKED = any(SETTINGS["filter"][name] is not None for name in ("posts_per_day", "template_share"))


rule measure_texts:
    """Measure repetition, symbols, scripts and language of every text."""
    input:
        documents=result("chunk/{scatteritem}.parquet"),
    output:
        measures=result("filter/measures/{scatteritem}.parquet"),
    log:
        result("logs/measure_texts/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(900),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        languages=MEASURED_LANGUAGES,
        table=LANGUAGE_TABLE,
        plugins=PLUGGED_FILTERS,
        backend=SETTINGS["backend"],
        code=code("measure_texts"),
    script:
        "../scripts/measure_texts.py"


rule count_activity:
    """Count each author's texts per day and per template."""
    input:
        documents=result("chunk/{scatteritem}.parquet"),
    output:
        counts=result("filter/activity/{scatteritem}.parquet"),
    log:
        result("logs/count_activity/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=2),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        code=code("count_activity"),
    script:
        "../scripts/count_activity.py"


rule measure_authors:
    """Measure the activity and uniformity of each author, over all texts."""
    input:
        counts=gather.shards(result("filter/activity/{scatteritem}.parquet")),
    output:
        authors=result("filter/authors.parquet"),
    log:
        result("logs/measure_authors.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1300, per_mb=0.05),
        runtime=duration(10, per_mb=0.005),
        in_series=1,
    params:
        code=code("measure_authors"),
    script:
        "../scripts/measure_authors.py"


rule apply_filters:
    """Decide from the measurements which texts to drop, with reasons."""
    input:
        documents=result("chunk/{scatteritem}.parquet"),
        measures=result("filter/measures/{scatteritem}.parquet"),
        authors=result("filter/authors.parquet") if AUTHORS_ASKED else [],
        exclude=here(SETTINGS["filter"]["exclude"]),
    output:
        removed=result("filter/{scatteritem}.parquet"),
        counts=result("filter/counts/{scatteritem}.json"),
    log:
        result("logs/apply_filters/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=0.5, per_corpus_mb=0.05),
        runtime=duration(5, per_mb=0.02),
        in_series=1,
    params:
        filter=SETTINGS["filter"],
        plugins=PLUGGED_FILTERS,
        table=LANGUAGE_TABLE,
        exclude=file_hash(SETTINGS["filter"]["exclude"]),
        code=code("apply_filters"),
    script:
        "../scripts/apply_filters.py"
