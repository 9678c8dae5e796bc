# memtrigd: `make help` lists what can be made. Needs Python 3.11 or newer and make; all else is set up in .venv.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
HOME_OPTION := $(if $(MEMTRIG_HOME),--home $(MEMTRIG_HOME),)

.DEFAULT_GOAL := help

.PHONY: help
help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(INSTALLED): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "memtrigd needs Python 3.11 or newer; name one with PYTHON=…"; exit 1; }
	@echo "Setting up .venv, once: this takes a minute or two."
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: install
install: $(INSTALLED) ## set up .venv with everything

.PHONY: run
run: $(INSTALLED) ## run the daemon in the foreground on your own memories
	@$(BIN)/memtrigd $(HOME_OPTION)

.PHONY: demo
demo: $(INSTALLED) ## play the whole story on a throw-away home
	@$(BIN)/python -m tests.demo

.PHONY: test
test: $(INSTALLED) ## run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not crash and not deep and not slow and not soak and not mcp"

.PHONY: test-slow
test-slow: $(INSTALLED) ## run the tests that take long: files and journals under many real daemons, guards of the histories
	$(BIN)/python -m pytest -n auto --dist worksteal -m "slow and not crash and not deep and not soak and not mcp"

.PHONY: test-deep
test-deep: $(INSTALLED) ## run the property tests for long: 5,000 histories of non-interference
	MEMTRIG_EXAMPLES=5000 $(BIN)/python -m pytest -n auto -m "deep" --timeout 3600

.PHONY: test-crash
test-crash: $(INSTALLED) ## kill, cut the power and let the disk fail, 10,000 times and more (half an hour and more)
	MEMTRIG_CRASH=full $(BIN)/python -m pytest -n auto --dist worksteal -m crash tests/crash

.PHONY: test-crash-short
test-crash-short: $(INSTALLED) ## the same a few hundred times
	$(BIN)/python -m pytest -n auto --dist worksteal -m crash tests/crash

.PHONY: test-soak
test-soak: $(INSTALLED) ## run 50 clients at once for half a minute, and 1,000 connections
	$(BIN)/python -m pytest -m soak --timeout 600

.PHONY: fuzz
fuzz: $(INSTALLED) ## send hostile bytes to real daemons for ten minutes (MINUTES=), then what hypothesis makes up
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED),)
	$(BIN)/python -m pytest -m deep tests/serve/test_fuzz.py --timeout 3600

.PHONY: soak
soak: $(INSTALLED) ## run 32 clients of all kinds for 20 minutes (MINUTES=) and draw docs/soak.png
	$(BIN)/python -m tests.soak --minutes $(or $(MINUTES),20)

.PHONY: test-mcp
test-mcp: $(INSTALLED) ## run MCP's official clients and suites through the pump (installs Node and them in build/)
	@$(BIN)/python -m tests.mcp.suites
	$(BIN)/python -m pytest -n auto --dist worksteal -m mcp tests/mcp

.PHONY: test-agmi
test-agmi: $(INSTALLED) ## edit the files as agent-memory-integrity does (T1 to T9) and see that each edit is reported
	$(BIN)/python -m agmi.check --adapter tests.agmi.adapter:Memtrigd

.PHONY: test-mutants
test-mutants: $(INSTALLED) ## break the code on purpose and see that the tests notice
	$(BIN)/python -m tests.mutants

.PHONY: check
check: $(INSTALLED) ## lint, format, types and layering
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: bench
bench: $(INSTALLED) ## measure the wire beside an echo server in C, saves beside a dream cycle, MCP beside its SDK, a quiet agent beside floods
	$(BIN)/python -m tests.bench.rpc
	$(BIN)/python -m tests.bench.dream
	$(BIN)/python -m tests.bench.mcp
	$(BIN)/python -m tests.bench.fairness

.PHONY: bench-search
bench-search: $(INSTALLED) ## measure searches among 100,000 memories beside SQLite's own full text (takes minutes)
	$(BIN)/python -m tests.bench.search

.PHONY: bench-import
bench-import: $(INSTALLED) ## measure an import beside bare inserts, and what an agent feels of it (RECORDS=100000 takes minutes)
	$(BIN)/python -m tests.bench.moving_in $(if $(RECORDS),--records $(RECORDS))

.PHONY: bench-recall
bench-recall: $(INSTALLED) ## measure how well searches find what answers, in the corpora of DATA=… (a file, or a folder of them)
	$(BIN)/python -m tests.bench.recall $(DATA) $(if $(LEXICAL),--lexical) $(if $(ABLATE),--ablate)

.PHONY: lock
lock: $(INSTALLED) ## pin the newest versions of what we depend on, with hashes
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --group dev --extra semantic pyproject.toml -o requirements.lock

.PHONY: clean
clean: ## remove what was set up and built
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
