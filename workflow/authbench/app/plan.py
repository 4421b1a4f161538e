"""Estimate jobs, hours, memory and disk space for a corpus of a given size.

Estimates come from the rates that `benchmarks/build.py --rates` measured by building corpora of two sizes; the formulas
are in docs/scaling.md. Every cost is linear between the two sizes in the quantity that it depends on; the plan of a
measured size therefore gives the measured figures.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from authbench.app.rates import (
    CHARS_PER_TOKEN,
    MeasuredBuild,
    Rates,
    as_scored,
    line,
    score_jobs,
    scored_share,
    seconds_to_score,
)
from authbench.build.dedup.settings import part_count
from authbench.config.registry.entries import default_settings
from authbench.config.settings.chunk import Chunk
from authbench.config.settings.config import Config
from authbench.core.runtime.inventory import fitting_shards

DOCUMENTS, CHUNKS, RELEASE, BOTH = "documents", "chunks", "released documents", "documents and chunks, of any length"
# The rules of a build of a release, in order, and what their work grows with; rules that run for whole documents and
# for chunks are listed twice.
RULES = {
    "ingest_source": DOCUMENTS,
    "normalize_text": DOCUMENTS,
    "count_endings": DOCUMENTS,
    "find_signatures": DOCUMENTS,
    "cut_signatures": DOCUMENTS,
    "sign_texts documents": DOCUMENTS,
    "link_texts documents": DOCUMENTS,
    "compare_texts documents": DOCUMENTS,
    "find_duplicates documents": DOCUMENTS,
    "count_labels": DOCUMENTS,
    "chunk_documents": DOCUMENTS,
    "sign_texts chunks": CHUNKS,
    "measure_texts": CHUNKS,
    "apply_filters": CHUNKS,
    "judge_labels": CHUNKS,
    "link_texts chunks": CHUNKS,
    "compare_texts chunks": CHUNKS,
    "find_duplicates chunks": CHUNKS,
    "find_shared_texts": CHUNKS,
    "fill_reservoirs": CHUNKS,
    "select_documents": CHUNKS,
    "assign_splits": RELEASE,
    "count_survivors": CHUNKS,
    "write_release": RELEASE,
    "list_removed": CHUNKS,
    "check_release": RELEASE,
    "publish_release": RELEASE,
    "render_report": RELEASE,
}
# What folders of results grow with, if not with the documents.
_FOLDERS = {
    **dict.fromkeys(("split", "draft", "release"), RELEASE),
    **dict.fromkeys(("chunk", "filter", "labels", "sample"), CHUNKS),
    "dedup": BOTH,
}
SPARE = 10  # chunks per released chunk, as in the measured builds: most are removed by filters and limits per author
# Rules with one job per part of the search for near-duplicates.
IN_PARTS = ("link_texts", "compare_texts")
# Rules whose jobs hold at most one shard of a source in memory.
A_SHARD_AT_A_TIME = ("ingest_source",)
# Bytes per document of the corpus that a job holds, by the number of parts, where its stage states them
# (docs/how-it-works.md). Measured small corpora would mislead, as blocks of bounded size still grow there. Assumed are
# a candidate or a copy for a tenth of the documents, and a separate author for every document.
HELD: Mapping[str, Callable[[int], float]] = {
    "find_signatures": lambda parts: 60,
    "link_texts": lambda parts: 52,
    "compare_texts": lambda parts: 16 + 20 / parts,
    "find_duplicates": lambda parts: 40 + 30,
}
# Rules that no build has which keeps signatures.
OF_SIGNATURES = ("count_endings", "find_signatures", "cut_signatures")
# Folders whose tables are deleted without `keep_tables`.
_DELETED = ("ingest", "normalize", "dedup", "chunk")
# Tables of texts, and the share of their bytes that real texts take: a byte of made-up text takes .69 bytes in a table,
# of the open corpora .48, of the texts in docs/measured/recipes.md .54.
OF_TEXTS = ("ingest", "normalize", "chunk", "split")
REAL_TEXTS = 0.75
# Folders of results with messages, not documents.
UNCOUNTED = ("logs", "report")


@dataclass(frozen=True)
class Corpus:
    """Describe the size of a build, and its settings.

    `kinds` are numbers of documents and their mean length in characters: of posts and of books, say.
    """

    kinds: Sequence[tuple[float, float]]
    released: float
    cores: int
    settings: Config = field(default_factory=default_settings)

    @property
    def documents(self) -> float:
        return sum(number for number, _ in self.kinds)

    @property
    def mean_chars(self) -> float:
        return sum(number * chars for number, chars in self.kinds) / self.documents

    @property
    def chunks(self) -> float:
        """Return the number of chunks, at least 1 per document, and at most as many as `chunk` allows."""
        return sum(number * self._chunks_of_each(chars) for number, chars in self.kinds)

    @property
    def chunk_chars(self) -> float:
        """Return the mean length of a chunk in characters."""
        longest = _longest_mean(self.settings["chunk"])
        characters = sum(number * self._chunks_of_each(chars) * min(chars, longest) for number, chars in self.kinds)
        return characters / self.chunks

    def _chunks_of_each(self, chars: float) -> float:
        """Return how many chunks a document of so many characters has."""
        chunk = self.settings["chunk"]
        return max(1.0, min(chars / _longest_mean(chunk), chunk["max_chunks_per_document"]))


@dataclass(frozen=True)
class Stage:
    """Hold the costs of the jobs of a rule: CPU seconds of all, wall-clock seconds, peak MiB of the largest."""

    rule: str
    jobs: int
    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True)
class Plan:
    """Hold the costs of a build: its rules in order, bytes of raw files, and bytes on disk by folder of results.

    `at_once` is the most bytes that deleted tables take at a time.
    """

    corpus: Corpus
    shards: int
    raw_bytes: float
    stages: Sequence[Stage]
    disk: Mapping[str, float]
    at_once: float = 0

    @property
    def on_disk(self) -> float:
        """The most bytes at a time: tables are deleted before the release is written."""
        return self.raw_bytes + max(self.at_once, sum(self.disk.values()))


def _longest_mean(chunk: Chunk) -> float:
    """Return the mean length in characters of the chunks of a text much longer than any chunk.

    Of its tokens `extra_long_share` are in chunks of `extra_long_tokens`, the others in chunks of `min_tokens` to
    `max_tokens`; lengths are assumed to be uniform between these bounds.
    """
    usual = (chunk["min_tokens"] + chunk["max_tokens"]) / 2
    extra = sum(chunk["extra_long_tokens"]) / 2
    share = chunk["extra_long_share"]
    return CHARS_PER_TOKEN / ((1 - share) / usual + share / extra)


def make_plan(corpus: Corpus, rates: Rates, detoxify: bool = False) -> Plan:
    """Return the plan of a build with a process per core and the rules in sequence.

    With `detoxify` it scores every released text, on a core (`safety.scope: consulted`).
    """
    scored = scored_share(corpus.settings)
    sizes = [as_scored(size, scored) for size in sorted(rates["sizes"], key=lambda size: float(size["documents"]))]

    def grown(measured: Literal["expanded_bytes", "raw_bytes", "text_mb"]) -> float:
        return line([(size["characters"], size[measured]) for size in sizes], corpus.documents * corpus.mean_chars)

    same = [size["shards"] for size in sizes if size["documents"] == corpus.documents]
    shards = same[0] if same else fitting_shards(round(grown("expanded_bytes")), corpus.cores)
    text_mb = grown("text_mb")
    held = corpus.chunks * corpus.chunk_chars / (corpus.documents * corpus.mean_chars)
    settings = corpus.settings
    bands = settings["dedup"]["bands"]
    parts = {DOCUMENTS: part_count(text_mb, bands), CHUNKS: part_count(text_mb * held, bands)}
    disk = {
        folder: line(
            [(_work(folder, size), size["disk_bytes"].get(folder, 0)) for size in sizes], _planned(folder, corpus)
        )
        * (REAL_TEXTS if folder in OF_TEXTS else 1)
        for folder in sizes[-1]["disk_bytes"]
        if folder not in UNCOUNTED
    }
    cut = settings["normalize"]["signatures"] == "cut"
    if not cut:  # the measured builds hold every text with and without signatures
        disk["normalize"] /= 2
    rules = [rule for rule in sizes[-1]["rules"] if cut or rule not in OF_SIGNATURES]
    stages = [_stage(rule, corpus, shards, parts, sizes) for rule in rules]
    stages += [_scoring(corpus, rates)] if detoxify else []
    at_once = 0.0 if settings["keep_tables"] else _at_once(disk, cut)
    return Plan(corpus, shards, grown("raw_bytes"), stages, disk, at_once)


def _at_once(disk: dict[str, float], cut: bool) -> float:
    """Return the most bytes at a time of tables that are deleted once used, and take their folders out of `disk`."""
    ingested, normal, of_dedup, chunks = (disk.pop(folder, 0.0) for folder in _DELETED)
    signatures, texts = of_dedup / 2, normal / (1 + cut)  # of documents, then of chunks; with signatures and without
    return max(ingested + texts, normal, texts + signatures, texts + chunks, chunks + signatures)


def _scoring(corpus: Corpus, rates: Rates) -> Stage:
    """Return the costs of Detoxify in the jobs that use it."""
    known = rates["detoxify"]
    cpu = corpus.released * seconds_to_score(corpus.chunk_chars / CHARS_PER_TOKEN, known["cpu_s_by_tokens"])
    jobs = score_jobs(corpus.released)
    return Stage("score_texts, Detoxify", jobs, cpu, cpu / jobs * -(-jobs // corpus.cores), known["peak_mib"])


def _work(name: str, size: MeasuredBuild) -> float:
    """Return the characters that a rule processes, or that a folder holds, in a measured build.

    Its documents are short, hence each is a single chunk.
    """
    if _grows_with(name) == BOTH:
        return float(size["documents"])
    share = size["released"] / size["documents"] if _grows_with(name) == RELEASE else 1.0
    return float(size["characters"] * share)


def _planned(name: str, corpus: Corpus) -> float:
    """Return the same for the planned build."""
    return {
        DOCUMENTS: corpus.documents * corpus.mean_chars,
        CHUNKS: corpus.chunks * corpus.chunk_chars,
        RELEASE: corpus.released * corpus.chunk_chars,
        BOTH: (corpus.documents + corpus.chunks) / 2,
    }[_grows_with(name)]


def _grows_with(name: str) -> str:
    return RULES.get(name) or _FOLDERS.get(name, DOCUMENTS)


def _stage(
    rule: str, corpus: Corpus, shards: int, parts_of: Mapping[str, int], sizes: Sequence[MeasuredBuild]
) -> Stage:
    runs = [(size, size["rules"][rule]) for size in sizes if rule in size["rules"]]
    name = rule.partition(" ")[0]
    parts = parts_of[CHUNKS if _grows_with(rule) == CHUNKS else DOCUMENTS]
    by_shard = all(run["jobs"] == size["shards"] for size, run in runs)
    jobs = parts if name in IN_PARTS else shards if by_shard else runs[-1][1]["jobs"]
    if name == "compare_texts":  # each of whose jobs reads all texts
        cpu = jobs * line(
            [(_work(rule, size), run["cpu_s"] / run["jobs"]) for size, run in runs], _planned(rule, corpus)
        )
    else:
        among = [(run["jobs"] if by_shard else 1) for _, run in runs]
        costs = [(_work(rule, size) / n, run["cpu_s"] / n) for (size, run), n in zip(runs, among, strict=True)]
        equal = jobs if by_shard else 1
        cpu = equal * line(costs, _planned(rule, corpus) / equal)

    shared = by_shard or name in A_SHARD_AT_A_TIME
    if _grows_with(rule) == RELEASE:
        peaks, at = [(float(size["released"]), run["peak_mib"]) for size, run in runs], corpus.released
    elif shared:  # a job's memory grows with the characters of its shard
        peaks = [(size["characters"] / size["shards"], run["peak_mib"]) for size, run in runs]
        at = _planned(rule, corpus) / shards
    else:
        peaks = [(size["documents"], run["peak_mib"]) for size, run in runs]
        at = corpus.chunks if _grows_with(rule) == CHUNKS else corpus.documents
    most, last = peaks[-1]
    known = name in HELD and at > most
    peak = last + (at - most) * HELD[name](parts) / 2**20 if known else line(peaks, at)
    return Stage(rule, jobs, cpu, cpu / jobs * -(-jobs // corpus.cores), peak)
