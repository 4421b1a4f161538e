# `make demo` and `make test` do all their own set-up, in .venv.
PYTHON ?= python3
CORES ?= 2
# of tests: half as many again as cores, as some wait for a SLURM, a kill or a download
PROCESSES ?= $(shell echo $$(( ($(CORES) * 3 + 1) / 2 )))
# e.g. EXTRAS=toxicity: Detoxify, with torch and transformers
EXTRAS ?=

# the scripts of `make bench`, and the sizes they are run at
BENCHMARKS := "measures.py" "language.py" "dedup.py 50000 200000" "dedup_peers.py --documents 50000" \
	"check.py" "retrieval.py" "build.py --demo" "build.py --documents 20000 100000"

# Tools start as modules of this Python: their scripts name the folder in which they were installed.
RUN := .venv/bin/python -m
READY := .venv/ready-$(EXTRAS)

# Tests run in random order, whose seed pytest prints first; --randomly-seed repeats it. What takes longest begins.
# Any process takes any test of a function; tests that share what is costly to make, as modules of whole runs do, stay in
# one (tests/order.py). With DIST=loadfile every module stays in one.
DIST ?= loadgroup
PYTEST = $(RUN) pytest --numprocesses $(PROCESSES) --dist $(DIST) --no-loadscope-reorder --durations 30 --durations-min 5
# Hundreds of processes import the library: they keep what they compiled, whatever the machine says.
test test-all test-unit test-thorough: export PYTHONDONTWRITEBYTECODE :=

.PHONY: environment demo test test-all test-unit test-thorough check docs plan board bench fuzz clean

demo: environment       ## build the demo benchmark from the corpora in resources/demo
	$(RUN) snakemake --cores $(CORES)

test: environment       ## every function, and every stage and suite on one demo
	$(PYTEST) tests/unit tests/pipeline

# other settings, kills, full disks, a private SLURM, browsers, fuzzing at size, real corpora, a wheel, a build elsewhere
test-all: environment   ## those tests and the long ones, on one demo
	$(PYTEST) tests

test-unit: environment  ## single functions alone
	$(PYTEST) tests/unit

# how many times the examples of every property are tried, drawn anew; ONLY=tests/unit/test_sample.py for one module
TIMES ?= 20
ONLY ?= tests/unit
test-thorough: environment  ## properties alone, each with many more examples
	EXAMPLES_TIMES=$(TIMES) $(PYTEST) $(ONLY) -m hypothesis

check: environment      ## format, lint, types
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy
	$(RUN) snakefmt --check Snakefile workflow
	$(RUN) snakemake --lint

docs:                   ## make the site of the documentation, results/docs/index.html
	@$(MAKE) --no-print-directory environment EXTRAS=docs
	$(RUN) sphinx -W --keep-going --quiet -c envs/site . results/docs
	@echo "The documentation: results/docs/index.html"

plan: environment       ## what would run, and why
	$(RUN) snakemake --cores $(CORES) --dry-run --quiet progress

# resources/submissions/README.md; e.g. BENCHMARK=open-corpora RELEASE=/data/open-corpora
BENCHMARK ?= demo
RELEASE ?= results/$(BENCHMARK)/release
SUBMISSIONS = resources/submissions/$(BENCHMARK)
board: environment      ## check the submissions to a benchmark against its release, and write its board
	$(RUN) authbench publish validate $(SUBMISSIONS)/*.zip --release $(RELEASE)
	$(RUN) authbench leaderboard $(SUBMISSIONS) --out results/board/$(BENCHMARK)

bench: environment      ## measure every stage and whole builds, at modest sizes, and print all tables
	@.venv/bin/python benchmarks/machine.py
	@for one in $(BENCHMARKS); do \
		echo; echo "# $$one"; \
		PYTHONPATH=workflow:benchmarks .venv/bin/python benchmarks/$$one || exit 1; \
	done

# coverage-guided, of every reader of foreign files; `make fuzz MINUTES=60 EXTRAS=fuzz`
MINUTES ?= 5
fuzz: environment       ## feed readers with damaged files, as many minutes as MINUTES says
	.venv/bin/python benchmarks/fuzz.py --minutes $(MINUTES)

clean:                  ## remove results, keep the environment
	rm -rf results .snakemake

environment: $(READY)   ## set up .venv, and repair it where the folder was moved or renamed
	@.venv/bin/python envs/relocate.py

$(READY): requirements.lock requirements-extras.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(RUN) pip install --quiet --requirement requirements.lock
	$(RUN) pip install --quiet --constraint requirements-extras.lock --editable '.$(if $(EXTRAS),[$(EXTRAS)],)'
	$(RUN) authbench.core.vocabulary
	touch $@
