# Two commands to a result: `make demo` and `make test`. Each makes the environment it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NEWEST = $(shell tools/newest_python.sh)
SOURCES := $(shell find cpp -type f) $(shell find src -type f -not -name '*.pyc' -not -name '*.so') CMakeLists.txt pyproject.toml

.PHONY: demo test test-newest baselines fuzz models lint docs benchmark numbers paper picture stub clean

demo: $(VENV)/.installed
	$(BIN)/python -m fastpd.demo

test: $(VENV)/.tested
	$(BIN)/python -m pytest

# The importers again, on the newest Python that is here and the newest releases of all libraries.
test-newest:
	@if [ -n "$(NEWEST)" ]; then $(MAKE) $(VENV)-newest/.tested && \
	  $(VENV)-newest/bin/python -m pytest tests/forest tests/models $(wildcard tests/test_*.py); \
	else printf '\n*** SKIPPED: no Python 3.12 or newer on this machine, so the importers were *not* \
	tested with the newest releases ***\n\n'; fi

# The pictures that tests compare with, drawn anew; look at each before it is kept. Their release of
# matplotlib is named in tests/plots/pictures.py.
baselines: $(VENV)/.tested
	$(BIN)/python -m pytest tests/plots --mpl-generate-path=tests/plots/baseline

# Thousands of damaged model files; a short run is part of the tests.
fuzz: $(VENV)/.tested
	$(BIN)/python tests/fuzz --files 3000

# The table of what is explained exactly and what is refused, from the cases.
models: $(VENV)/.tested
	$(BIN)/python tools/make_models_table.py

lint: $(VENV)/.linted
	$(BIN)/ruff check src tests tools benchmarks experiments
	$(BIN)/ruff format --check src tests tools benchmarks experiments
	$(BIN)/mypy
	$(BIN)/python tools/check_stub.py

# The documentation site, into build/docs; every warning is an error.
docs: $(VENV)/.tested
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs

benchmark: $(VENV)/.measured
	$(BIN)/python -m benchmarks --save

# The paper's figures and claims: all of them, one as in `make paper FIG=3`, or several by number or
# name; at the paper's size with OPTIONS="--repeats 100 --searches 50". OPTIONS=--help says more.
paper: $(VENV)/.measured
	$(BIN)/python -m experiments $(FIG) $(OPTIONS)

# Copy the kept results to the front page.
numbers: $(VENV)/.measured
	$(BIN)/python -m benchmarks.readme

picture: $(VENV)/.measured
	$(BIN)/python tools/make_picture.py

# The stub of the compiled core, made from the core itself.
stub: $(VENV)/.linted
	$(BIN)/python tools/check_stub.py --write

clean:
	rm -rf $(VENV) $(VENV)-newest build demo-output

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/pip $(SOURCES)
	$(BIN)/pip install --quiet ".[xgboost,cli]"
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/pip install --quiet ".[test,interop,docs]"
	touch $@

$(VENV)-newest/.tested: $(SOURCES)
	$(NEWEST) -m venv $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager ".[test]"
	touch $@

$(VENV)/.linted: $(VENV)/.tested
	$(BIN)/pip install --quiet ".[lint]"
	touch $@

$(VENV)/.measured: $(VENV)/.installed
	$(BIN)/pip install --quiet ".[benchmark,plot]"
	touch $@
