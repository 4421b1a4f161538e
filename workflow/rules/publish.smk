"""Publish: in which formats do others use the release?

Takes   release/, config/sources/<source>.yaml, and evaluate/<model>/scores.json for the risk of re-identification
Gives   publish/public/ (the release without texts of tier B), publish/<form>/ (of the public bundle; a new bundle
        removes the forms of the one before)
"""

from authbench.config.settings.publish import FORMS as BUILT_IN_FORMS

FORMS = SETTINGS["publish"]["forms"]
PLUGGED_FORMS = identities("exports", set(FORMS) - set(BUILT_IN_FORMS))


wildcard_constraints:
    form="|".join(FORMS),


rule bundle_release:
    """Leave out the texts that may not be redistributed, and record how to restore them."""
    input:
        sums=result("release/SHA256SUMS"),
        release=rules.publish_release.output,
        report=rules.render_report.output,
        scores=expand(result("evaluate/{model}/scores.json"), model=MODELS),
    output:
        folder=directory(result("publish/public")),
    log:
        result("logs/bundle_release.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000 + released_mb(DOCUMENTS, 1.2), per_mb=0.03),
        runtime=duration(20),
    params:
        publish=SETTINGS["publish"],
        sources={tag: source.entry for tag, source in SETUP.sources.items()},
        template=data_files("templates/card.md.j2", "templates/data_protection.md.j2", "templates/report.html.j2"),
        words=data_files("text/function_words.yaml"),
        code=code("bundle_release"),
    script:
        "../scripts/bundle_release.py"


rule export_release:
    """Write the public bundle in another format."""
    input:
        bundle=result("publish/public"),
    output:
        folder=directory(result("publish/{form}")),
    log:
        result("logs/export_release/{form}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1500),
        runtime=duration(20),
    params:
        publish=SETTINGS["publish"],
        plugin=lambda wildcards: PLUGGED_FORMS.get(wildcards.form),
        template=data_files("templates/card.md.j2", "templates/data_protection.md.j2", "templates/mteb_task.py.j2"),
        words=data_files("text/croissant_context.json", "text/publishing.yaml", "text/responsible.yaml"),
        code=code("export_release"),
    script:
        "../scripts/export_release.py"


rule publish:
    """Make the public bundle and all its formats in `publish.forms`."""
    input:
        result("publish/public"),
        expand(result("publish/{form}"), form=FORMS),
