# `make demo` and `make test` do all their own set-up, in .venv.
PYTHON ?= python3
CORES ?= 2
# e.g. EXTRAS=toxicity: Detoxify, with torch and transformers
EXTRAS ?=

# the scripts of `make bench`, and the sizes they are run at
BENCHMARKS := "ingest.py 50000" "normalize.py" "chunk.py" "measures.py" "language.py" "dedup.py 50000 200000" \
	"dedup_peers.py --documents 50000" "release.py 30000" "check.py" "retrieval.py" "build.py --demo" \
	"build.py --documents 20000 100000"

BIN := .venv/bin
READY := .venv/ready-$(EXTRAS)

.PHONY: demo test check plan bench clean

demo: $(READY)          ## build the demo benchmark from the corpora in resources/demo
	$(BIN)/snakemake --cores $(CORES)

test: $(READY)          ## run all tests, those of single functions first
	$(BIN)/python -m pytest tests/unit --numprocesses $(CORES) --dist loadfile
	$(BIN)/python -m pytest --ignore tests/unit --numprocesses $(CORES) --dist loadfile

check: $(READY)         ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

plan: $(READY)          ## what would run, and why
	$(BIN)/snakemake --cores $(CORES) --dry-run --quiet progress

bench: $(READY)         ## measure every stage and whole builds, at modest sizes, and print all tables
	@$(BIN)/python benchmarks/machine.py
	@for one in $(BENCHMARKS); do \
		echo; echo "# $$one"; \
		PYTHONPATH=workflow:benchmarks $(BIN)/python benchmarks/$$one || exit 1; \
	done

clean:                  ## remove results, keep the environment
	rm -rf results .snakemake

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --requirement requirements.lock
	$(BIN)/pip install --quiet --editable '.$(if $(EXTRAS),[$(EXTRAS)],)'
	$(BIN)/python -m authbench.vocabulary
	touch $@
