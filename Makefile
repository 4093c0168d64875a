# make demo: crawl the demo site.  make test: run all tests.  make docs: build the documentation.  Each installs what is missing; PYTHON=python3.12 chooses another interpreter.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
WORKERS ?= 2
LOWEST = .venv-lowest
UV = VIRTUAL_ENV=$(LOWEST) $(BIN)/uv pip install --quiet --compile-bytecode
LOWEST_TESTS = tests/batch tests/crawl tests/document tests/examples tests/extractors/test_fusion.py tests/extractors/test_awce.py tests/fields tests/test_demo.py tests/test_zyte.py tests/test_jsonld.py

.PHONY: demo test test-lowest lint docs setup browser services

demo: $(VENV)/.installed browser
	$(BIN)/scrapy crawl demo -O items.jsonl

test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# The lowest versions that pyproject.toml allows of what a plain installation and its extras need, in an environment of their own.
test-lowest: services browser | $(BIN)/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	$(UV) --resolution lowest-direct --editable ".[parquet,poet,postgres,redis,warc]"
	$(UV) matplotlib psutil pytest pytest-xdist
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist loadfile $(LOWEST_TESTS)

docs: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	@mkdir -p build && $(BIN)/zensical build --strict --clean >build/docs.log 2>&1 || { cat build/docs.log; exit 1; }
	@echo "build/docs/index.html"

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict webcontent

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
