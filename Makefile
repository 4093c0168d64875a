# make demo: crawl the demo site.           make test: run all tests.     make test-fast: run those without browser, corpora, processes and training.
# make docs: build the documentation.       make lint: check style and types.
# Each target installs what is missing. test-fast, lint and fuzz need neither torch nor the other packages that train models.
# PYTHON=python3.12 chooses another interpreter.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# Four on two cores, since tests that crawl mostly wait.
WORKERS ?= 4
# Files run in the order of their paths.
PYTEST = -m pytest --dist loadfile --no-loadscope-reorder
# The tests start Python hundreds of times.
unexport PYTHONDONTWRITEBYTECODE
LOWEST = .venv-lowest
UV = VIRTUAL_ENV=$(LOWEST) $(BIN)/uv pip install --quiet --compile-bytecode
LOWEST_TESTS = tests/batch tests/crawl tests/demo tests/document tests/examples tests/extractors/ngfv tests/extractors/test_awce.py tests/extractors/test_fusion.py tests/fields tests/formats tests/inspect tests/saved_pages

FAST = --ignore tests/training --ignore webcontent/training --ignore tests/fuzz -m "not browser and not corpora and not process"

.PHONY: demo test test-fast test-lowest fuzz lint docs setup browser services

demo: $(VENV)/.installed browser
	$(BIN)/scrapy crawl demo -O items.jsonl

test: setup
	$(BIN)/python $(PYTEST) -n $(WORKERS)

test-fast: $(VENV)/.installed-test
	$(BIN)/python $(PYTEST) -n 2 $(FAST)

# Tests with the lowest versions that pyproject.toml allows for a plain installation and its extras, in an environment of their own.
test-lowest: services browser | $(BIN)/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	$(UV) --resolution lowest-direct --editable ".[parquet,poet,postgres,redis,warc]"
	$(UV) matplotlib psutil pytest pytest-xdist
	$(LOWEST)/bin/python $(PYTEST) -n $(WORKERS) $(LOWEST_TESTS)

# The fuzzers of tests/fuzz, for SECONDS of CPU time together. SEED chooses other pages and texts.
SECONDS ?= 1800
SEED ?= 19
fuzz: $(VENV)/.installed-test
	WEBCONTENT_FUZZ_S=$(SECONDS) WEBCONTENT_FUZZ_SEED=$(SEED) $(BIN)/python -m pytest -n 0 -q tests/fuzz

# The tables of names in docs/zh are brought up to date first.
docs: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	$(BIN)/python -m tests.docs.chinese
	@mkdir -p build && $(BIN)/zensical build --strict --clean >build/docs.log 2>&1 || { cat build/docs.log; exit 1; }
	@echo "build/docs/index.html; with search: $(BIN)/python -m http.server --directory build/docs --bind 127.0.0.1"

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict webcontent benchmarks

setup: $(VENV)/.installed-test-train browser services

browser:
	@sh .ci/browser

services:
	@sh .ci/services

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "webcontent needs Python 3.11 or later: make PYTHON=python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-test-train: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test-train]"
	@touch $@ $(VENV)/.installed-test $(VENV)/.installed
