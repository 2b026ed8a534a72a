# Every target builds what it needs in its own virtual environment, from Python 3.11, pip and make alone.
PYTHON ?= python3.11
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-slow test-system bench audit docs lint clean

demo: $(VENV)/demo.stamp
	$(BIN)/python -m geomdp.demo demo-output

test: lint
	$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto -m slow

test-system: $(VENV)/test.stamp
	command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  (apt-get update -q && apt-get install -q -y chromium chromium-driver fonts-dejavu-core)
	$(BIN)/python -m pytest -m system

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/test.stamp
	$(BIN)/python -m benchmarks

audit: $(VENV)/test.stamp
	$(BIN)/python -m benchmarks.audit

docs: $(VENV)/docs.stamp
	$(BIN)/mkdocs build --strict

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/test.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

$(VENV)/docs.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) demo-output site
