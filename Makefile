# Every target builds what it needs in its own virtual environment, from Python 3.11, pip and make alone.
PYTHON ?= python3.11
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-lowest test-slow test-system fuzz crossings bench results audit docs paper lint package clean

demo: $(VENV)/demo.stamp
	$(BIN)/geomdp demo demo-output

# A process a core: their linear algebra needs no threads of its own.
test test-slow: export OPENBLAS_NUM_THREADS = 1
test: lint
	$(BIN)/python -m pytest -n auto -m "not slow and not system"

test-slow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto -m slow

# The lowest versions that pyproject.toml allows, in an environment of their own, found by uv.
test-lowest: export OPENBLAS_NUM_THREADS = 1
test-lowest:
	rm -rf $(VENV)-lowest && $(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet uv
	$(VENV)-lowest/bin/uv pip install --python $(VENV)-lowest/bin/python --resolution lowest-direct \
	  --editable ".[test]" --editable papers
	$(VENV)-lowest/bin/python -m pytest -n auto -m "not slow and not system"

# axe-core, which looks at pages as screen readers do: for tests alone, from npm where that is.
AXE = $(CURDIR)/$(VENV)/axe/package/axe.min.js
test-system: $(VENV)/test.stamp
	command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  (apt-get update -q && apt-get install -q -y chromium chromium-driver fonts-dejavu-core)
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	  (apt-get update -q && apt-get install -q -y postgresql)
	command -v Rscript >/dev/null && Rscript -e 'library(jsonlite); library(knitr)' >/dev/null 2>&1 || \
	  (apt-get update -q && apt-get install -q -y --no-install-recommends r-base-core r-cran-jsonlite r-cran-knitr)
	test -f $(AXE) || ! command -v npm >/dev/null || (mkdir -p $(VENV)/axe && \
	  npm pack --silent --pack-destination $(VENV)/axe axe-core@4 && \
	  tar xzf $(VENV)/axe/axe-core-*.tgz -C $(VENV)/axe)
	GEOMDP_AXE=$(AXE) $(BIN)/python -m pytest -m "system and not slow"

# A million damaged files: about half an hour. Another seed makes other files: make fuzz SEED=1
fuzz: $(VENV)/test.stamp
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.fuzz --seed $(or $(SEED),0) --count $(or $(COUNT),1000000)

# Whole lives of cases in which features meet; other cases by another seed: make crossings SEED=1
crossings: $(VENV)/test.stamp
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.crossings --seed $(or $(SEED),0) --count $(or $(COUNT),300)

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tools.house

bench: $(VENV)/test.stamp
	$(BIN)/python -m benchmarks

# The page of results from the outputs of full runs: geomdp study NAME --seed 1 --out docs/results
# Verdicts are computed again by other code, and pages that quote numbers get those of the files.
results: $(VENV)/test.stamp
	$(BIN)/python -m tools.check_verdicts docs/results docs/results/second
	$(BIN)/python -m tools.results_page
	$(BIN)/python -m tools.page_numbers

audit: $(VENV)/test.stamp
	$(BIN)/python -m benchmarks.audit

# What is published is what is tried: wheels and sdists, each kind in an environment of its own, first
# the package alone, then with the papers beside it.
package: $(VENV)/test.stamp
	rm -rf dist $(VENV)-package
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --outdir dist/papers papers
	for kind in .whl .tar.gz; do \
	  rm -rf $(VENV)-package && $(PYTHON) -m venv $(VENV)-package && \
	  $(VENV)-package/bin/python -m pip install --quiet dist/*$$kind && \
	  (cd dist && ../$(VENV)-package/bin/geomdp demo demo-of$$kind-made && \
	    ! ../$(VENV)-package/bin/geomdp study --list) && \
	  $(VENV)-package/bin/python -m pip install --quiet dist/*$$kind dist/papers/*$$kind && \
	  $(VENV)-package/bin/geomdp study --list || exit 1; \
	done

# The long paper as a PDF, with typst from PyPI; its numbers are read from files.
paper: $(VENV)/docs.stamp
	$(BIN)/python -m tools.paper

docs: $(VENV)/docs.stamp
	$(BIN)/mkdocs build --strict

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/demo.stamp: pyproject.toml papers/pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable . --editable papers
	touch $@

$(VENV)/test.stamp: pyproject.toml papers/pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test]" --editable papers
	touch $@

$(VENV)/docs.stamp: pyproject.toml papers/pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]" --editable papers
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-package $(VENV)-lowest demo-output site dist
