# make demo: crawl the demo site.           make test: run all tests.     make test-fast: run those that need no browser, process or training.
# make docs: build the documentation.       make lint: check style and types.
# Each target installs what is missing. PYTHON=python3.12 chooses another interpreter.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
WORKERS ?= 2
LOWEST = .venv-lowest
UV = VIRTUAL_ENV=$(LOWEST) $(BIN)/uv pip install --quiet --compile-bytecode
LOWEST_TESTS = tests/batch tests/crawl tests/document tests/examples tests/extractors/test_fusion.py tests/extractors/test_awce.py tests/fields tests/demo tests/test_zyte.py tests/test_jsonld.py

FAST = not browser and not process and not training

.PHONY: demo test test-fast test-lowest lint docs setup browser services

demo: $(VENV)/.installed browser
	$(BIN)/scrapy crawl demo -O items.jsonl

test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

test-fast: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "$(FAST)"

# Tests with the lowest versions that pyproject.toml allows for a plain installation and its extras, in an environment of their own.
test-lowest: services browser | $(BIN)/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	$(UV) --resolution lowest-direct --editable ".[parquet,poet,postgres,redis,warc]"
	$(UV) matplotlib psutil pytest pytest-xdist
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist loadfile $(LOWEST_TESTS)

docs: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	$(BIN)/mkdocs build --quiet --site-dir build/docs
	@echo "build/docs/index.html"

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict webcontent benchmarks

setup: $(VENV)/.installed-test browser services

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
