"""Adapter of the rule pan."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.suites.pan.run import Texts, name_systems, read_systems, write_report

log_to(snakemake.log[0])
params = snakemake.params
answers = name_systems([Path(path) for path in snakemake.input.answers])
sets, out = Path(snakemake.input.pairs), Path(snakemake.output.folder)
pairs, train = (sets / name / "pairs.jsonl" for name in ("test", params.train))
systems, _ = read_systems(sets / "test/truth.jsonl", answers, params.baselines)
texts = Texts(pairs, params.topics, params.seed, train)
write_report(systems, out, params.name, texts=texts, back=params.back)
