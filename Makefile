# `make demo` and `make test` do all their own set-up, in .venv.
PYTHON ?= python3
CORES ?= 2
# e.g. EXTRAS=toxicity: Detoxify, with torch and transformers
EXTRAS ?=

BIN := .venv/bin
READY := .venv/ready-$(EXTRAS)

.PHONY: demo test check plan clean

demo: $(READY)          ## build the demo benchmark from the corpora in resources/demo
	$(BIN)/snakemake --cores $(CORES)

test: $(READY)          ## run all tests
	$(BIN)/python -m pytest

check: $(READY)         ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

plan: $(READY)          ## what would run, and why
	$(BIN)/snakemake --cores $(CORES) --dry-run --quiet progress

clean:                  ## remove results, keep the environment
	rm -rf results .snakemake

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --requirement requirements.lock
	$(BIN)/pip install --quiet --editable '.$(if $(EXTRAS),[$(EXTRAS)],)'
	$(BIN)/python -m authbench.vocabulary
	touch $@
