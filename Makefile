# Photomat. `make run` starts everything, `make test` is the whole gate, `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_READY := $(VENV)/.uv-ready
RUN_READY := $(VENV)/.run-ready
TEST_READY := $(VENV)/.test-ready
PYTHONS_READY := $(VENV)/.pythons-ready
BENCH_READY := $(VENV)/.bench-ready

# Asked for by name (make PYTHON=python3.13 test), another Python than the environment's makes the environment anew.
ifneq ($(origin PYTHON),file)
  ANEW := $(shell [ ! -d $(VENV) ] || [ "$$($(BIN)/python -V 2>&1)" = "$$($(PYTHON) -V 2>&1)" ] || rm -rf $(VENV))
endif

# Extras of pyproject.toml that `make run` and the image install as well.
LOCKED_EXTRAS := sandbox
# Extras that are installed on request, each from a lock file of its own.
OPTIONAL_EXTRAS := audio sentry otel
PROGRAM := pyproject.toml $(addprefix --extra ,$(LOCKED_EXTRAS))
NEWER := $(addprefix --upgrade-package ,$(UPGRADE))
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

# Many tests wait for processes, not for the processor: three at once also on a machine with two. The folders come in turn, so
# that the short tests are last: by number of tests, the files with one long story would end the run alone.
TEST_WORKERS ?= $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$(( cores < 3 ? 3 : cores > 4 ? 4 : cores )))
PYTEST := $(BIN)/pytest -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder

# Migrations, the life of a job, claims, delivery, money, audit, backup and restore: what must hold on every PostgreSQL and layout.
CORE := $(addprefix tests/integration/test_,$(addsuffix .py,migrate schema_check create_job submit submit_answers callbacks \
  callback_tasks look look_endings settle orphans sweep newcomers buying_together delivery delivery_lock delivery_lease \
  delivery_moves completion ring inbox_lanes inbox_worker budget job_money wallet_moves wallet_races wallet_refunds \
  wallet_audit wallet_model payments_receive payments_refunds payments_model installation_claims restored backup retention \
  conversation))
LAYOUTS := 15 16 17 pgbouncer partitioned

# Every worker and every instance loads the same modules: compiled once, even where the environment says otherwise.
test types suite core prove coverage: export PYTHONDONTWRITEBYTECODE :=

# The release that a deploy replaces and a step back returns to.
PREVIOUS := tests/releases/photomat-0.4.0.zip

# The source that the targets of the bench were set for: the last commit before the work on them.
BASELINE := 10afba13
BASELINE_ZIP := $(VENV)/baseline.zip

# The time of the commit stands in what is built, not the time of the build.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800))

# Behind a company's proxy its certificate is the system's, and uv would not look there by itself.
export UV_SYSTEM_CERTS := 1

.DEFAULT_GOAL := help
.PHONY: help setup audio extra run test core prove coverage lint style types suite chaos bench mutants format screenshots package sbom docs lock

help: ## list what make can do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup: $(RUN_READY) ## make .venv with the locked dependencies; run and test do it by themselves

audio: setup ## convert voice notes and other sounds too: adds PyAV, which contains FFmpeg and LAME (LGPL)
	@$(PYTHON) scripts/bootstrap.py $(VENV) audio

extra: setup ## install optional parts: make extra EXTRAS=sentry,otel
	@$(PYTHON) scripts/bootstrap.py $(VENV) extra:$(or $(EXTRAS),$(error name them: make extra EXTRAS=sentry,otel))

run: setup ## start everything: without BOT_TOKEN the sandbox, with it the real bot
	@exec $(BIN)/photomat run

test: style ## the whole gate: format, lint, types, import contracts, tests, a sample of each proof
	@scripts/need_tools
	@$(MAKE) --no-print-directory --jobs=2 types suite

lint: style types ## the gate without the tests

style: $(TEST_READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/yamllint --strict .
	@$(BIN)/zizmor --offline --quiet --no-progress .github >$(VENV)/zizmor.txt 2>&1 || { cat $(VENV)/zizmor.txt; exit 1; }
	@$(BIN)/hadolint Dockerfile
	@[ ! -x $(BIN)/shellcheck ] || $(BIN)/shellcheck scripts/need_tools .ci/run deploy/install
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.renovate renovate.json
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec compose.yaml

types: $(TEST_READY)
	@$(BIN)/lint-imports
	@$(BIN)/mypy

suite: $(TEST_READY)
	@$(PYTEST)

core: $(TEST_READY) ## the core suite on another PostgreSQL or layout: make core POSTGRES=15|16|17|18|pgbouncer|partitioned
	@scripts/need_tools
	@$(PYTHON) scripts/postgres_versions.py $(VENV)/postgres
	@POSTGRES=$(or $(POSTGRES),18) $(PYTEST) $(CORE)

prove: $(TEST_READY) $(PYTHONS_READY) ## the long form, before a release (hours): every model, PostgreSQL 15-18, storms, fuzz, crash matrix, mutants, a long history (MINUTES=10 COUNT=50000 SHARD=1/1 HISTORY=10000000)
	@scripts/need_tools
	@$(PYTEST) -m prove
	@for layout in $(LAYOUTS); do $(MAKE) --no-print-directory core POSTGRES=$$layout || exit; done
	@$(BIN)/photomat bench --only "one instance on a history,one instance" --history-jobs $(or $(HISTORY),10000000) \
	  --require "flows/s on a history / on an empty database"
	@$(BIN)/photomat bench --only "one instance,one instance beside an open transaction" --rounds 1 --open-transaction 660 \
	  --require "flows/s beside an open transaction / without"
	@$(BIN)/photomat chaos explore
	@$(BIN)/photomat chaos storm --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1) --previous $(PREVIOUS)
	@$(BIN)/photomat chaos money --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)
	@$(BIN)/photomat chaos promote --seconds 60 --seed $(or $(SEED),1)
	@$(BIN)/photomat chaos promote --seconds 60 --seed $(or $(SEED),1) --replication async
	@$(BIN)/photomat chaos fuzz --count $(or $(COUNT),50000) --seed $(or $(SEED),1) --notes var/chaos/fuzz.jsonl
	@$(BIN)/photomat chaos matrix --shard $(or $(SHARD),1/1) --notes var/chaos/matrix.jsonl --html var/chaos/matrix.html
	@$(BIN)/photomat chaos mutants --shard $(or $(SHARD),1/1)

coverage: $(TEST_READY) ## which lines the tests run; not part of the gate, for it takes the tests twice the time
	@rm -rf var/coverage && mkdir -p var/coverage
	@$(BIN)/coverage run -m $(patsubst $(BIN)/%,%,$(PYTEST))
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

chaos: $(RUN_READY) ## the proof, in a few minutes: model, storm, fuzz, a part of the matrix (MINUTES=1 SEED=1 COUNT=5000 SHARD=1/40)
	@$(BIN)/photomat chaos explore
	@$(BIN)/photomat chaos storm --minutes $(or $(MINUTES),1) --seed $(or $(SEED),1)
	@$(BIN)/photomat chaos fuzz --count $(or $(COUNT),5000) --seed $(or $(SEED),1) --notes var/chaos/fuzz.jsonl
	@$(BIN)/photomat chaos matrix --shard $(or $(SHARD),1/40) --notes var/chaos/matrix.jsonl --html var/chaos/matrix.html

bench: $(RUN_READY) $(if $(SHORT),,$(BENCH_READY)) ## what a flow costs, beside baselines and other job engines (SHORT=1: five minutes; ROUNDS=3 SEED=1 SAVE=bench/figures.jsonl)
	@git archive --format=zip --prefix=photomat/ $(BASELINE):src/photomat -o $(BASELINE_ZIP) 2>/dev/null || rm -f $(BASELINE_ZIP)
	@$(BIN)/photomat bench $(if $(SHORT),--short) $(if $(ROUNDS),--rounds $(ROUNDS)) --seed $(or $(SEED),1) --previous $(PREVIOUS) \
	  --baseline $(BASELINE_ZIP) $(if $(SAVE),--save $(SAVE))

mutants: $(TEST_READY) ## do the tests notice? every seeded mistake must turn one red
	@$(BIN)/photomat chaos mutants

format: $(TEST_READY) ## let ruff tidy the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

screenshots: $(TEST_READY) ## take the pictures of the README anew
	@SCREENSHOTS=1 $(BIN)/pytest tests/browser/test_whole_product.py

package: $(RUN_READY) ## build the wheel and the source archive in dist/, the same bytes for the same commit
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$(EPOCH) $(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --out-dir dist
	@rm -f dist/.gitignore && ls dist

sbom: $(TEST_READY) ## write dist/photomat.cdx.json, the bill of materials: packages, hashes, licences, PostgreSQL
	@SOURCE_DATE_EPOCH=$(EPOCH) $(BIN)/python scripts/sbom.py dist/photomat.cdx.json

docs: $(RUN_READY) ## write docs/settings.md and .env.example anew from settings.py
	@$(BIN)/python scripts/settings_doc.py

lock: $(UV_READY) ## write requirements/*.txt anew from pyproject.toml and requirements/*.in (UPGRADE=package for a newer one)
	@$(BIN)/$(LOCK) $(NEWER) requirements/bootstrap.in -o requirements/bootstrap.txt
	@$(BIN)/$(LOCK) $(NEWER) $(PROGRAM) requirements/build.in -o requirements/run.txt
	@$(BIN)/$(LOCK) $(NEWER) $(PROGRAM) $(addprefix --extra ,$(OPTIONAL_EXTRAS)) requirements/build.in requirements/test.in -o requirements/test.txt
	@$(BIN)/$(LOCK) $(NEWER) requirements/bench.in -o requirements/bench.txt
	@$(BIN)/$(LOCK:3.11=3.12) $(NEWER) requirements/oban.in -o requirements/oban.txt
	@for extra in $(OPTIONAL_EXTRAS); do \
	  $(BIN)/$(LOCK) $(NEWER) $(PROGRAM) --extra $$extra requirements/build.in -c requirements/run.txt -c requirements/test.txt -o requirements/$$extra.txt || exit; \
	done

$(UV_READY): requirements/bootstrap.txt
	@$(PYTHON) scripts/bootstrap.py $(VENV) uv
	@touch $@

$(RUN_READY): $(UV_READY) requirements/run.txt pyproject.toml
	@$(PYTHON) scripts/bootstrap.py $(VENV) run
	@touch $@

$(TEST_READY): $(RUN_READY) requirements/test.txt
	@$(PYTHON) scripts/bootstrap.py $(VENV) test
	@touch $@

$(PYTHONS_READY): $(TEST_READY)
	@$(PYTHON) scripts/bootstrap.py $(VENV) pythons
	@touch $@

$(BENCH_READY): $(UV_READY) requirements/bench.txt requirements/oban.txt
	@$(PYTHON) scripts/bootstrap.py $(VENV) bench
	@touch $@
