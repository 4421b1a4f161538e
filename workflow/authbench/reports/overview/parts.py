"""List all results that the rules make for readers, with their targets, and link to their index."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A result of a run.

    Attributes:
        target: the Snakemake target; "" means the default target.
        made: the file below the run's folder that shows that it was made; readers open this file if it is a page, a
            figure or a text.
        files: patterns of other files worth opening, below the run's folder.
        of_release: whether it is made from the release, so a newer release makes it outdated.
        private: whether it contains raw ids, which must not be published.
        needs: the target's requirements besides a release, with the setting that names it.
    """

    title: str
    about: str
    target: str
    made: str
    files: tuple[str, ...] = ()
    of_release: bool = True
    private: bool = False
    needs: str = ""


PARTS = (
    Part(
        "The benchmark",
        "Where every document went, what an author is, what limits conclusions, and the files of the release.",
        "release",
        "release/report.html",
        (
            "release/*/candidates.jsonl",
            "release/*/queries.jsonl",
            "release/*/ground_truth.jsonl",
            "release/*/positives.parquet",
            "release/*/pairs.parquet",
            "release/provenance.parquet",
            "release/manifest.json",
            "release/sampling_deviation.json",
            "release/funnel.csv",
            "release/statistics/*.csv",
            "release/SHA256SUMS",
        ),
        of_release=False,
    ),
    Part(
        "Leaderboard",
        "Models on the benchmark: who tells authors apart, by how much more than rows that see no style.",
        "",
        "leaderboard/index.html",
        (
            "leaderboard/headline.*",
            "leaderboard/headline_macro.*",
            "leaderboard/overall.*",
            "leaderboard/scores.csv",
            "leaderboard/gains.csv",
            "leaderboard/pairwise.csv",
            "leaderboard/power.json",
        ),
        needs="of the models that evaluate.models names",
    ),
    Part(
        "Tables and figures of a paper",
        "Composition, sources, models, results and slices as CSV, LaTeX, SVG and PDF.",
        "tables",
        "tables/index.html",
        ("tables/contents.csv", "tables/slices.csv", "tables/examples.jsonl", "tables/paper.tex"),
        needs="of the models that evaluate.models names",
    ),
    Part(
        "Verification of pairs (PAN)",
        "Can verifiers tell whether two texts are by one author?",
        "pan",
        "pan/report/index.html",
        ("pan/report/scores.*", "pan/report/significance.csv", "pan/pairs/pairs.json"),
    ),
    Part(
        "Topic robustness (RAVEN)",
        "Which verifiers lean on what a text is about?",
        "raven",
        "raven/report/index.html",
        ("raven/report/table_*.csv", "raven/report/scores.csv"),
        of_release=False,
    ),
    Part(
        "Style (STEB)",
        "Does a model capture style, apart from what a text is about?",
        "style_report",
        "style/report/index.html",
        ("style/report/operational.*", "style/report/scores.csv"),
        of_release=False,
        needs="on the datasets in the folder that style.data names",
    ),
    Part(
        "Training",
        "Does a model get better by the benchmark's own train split?",
        "train",
        "train/curves.svg",
        ("train/curves.csv",),
    ),
    Part(
        "Published forms",
        "The release in the forms that others use, without texts that may not be passed on.",
        "publish",
        "publish/public/README.md",
        ("publish/*/README.md", "publish/*/SHA256SUMS"),
        needs="in the forms that publish.forms names",
    ),
    Part(
        "Review sheets",
        "Released texts for a person to read and rule out, a sheet a language.",
        "review",
        "review/index.html",
        ("review_summary/*.csv",),
        of_release=False,
        private=True,
    ),
    Part(
        "Pairs for people",
        "Sheets on which people say who wrote two texts: the row “people” of the leaderboard.",
        "human_pairs",
        "human_pairs/index.html",
        ("people/people.json", "leaderboard/people.csv"),
    ),
    Part(
        "Raw corpora",
        "What the corpora hold before anything is filtered.",
        "raw_statistics",
        "raw/index.html",
        ("raw/*.csv",),
        of_release=False,
    ),
    Part(
        "Removed documents",
        "Every document that went, with stage, reason, value and threshold.",
        "release",
        "dirty_docs.log",
        of_release=False,
        private=True,
    ),
)


INDEX = "index.html"  # below results/<name>/


def back_link(page: str) -> str:
    """Return the link from a page to the run's index.

    Args:
        page: the page's path below the run's folder.

    >>> back_link("pan/report/index.html")
    '../../index.html'
    """
    return "../" * page.count("/") + INDEX
