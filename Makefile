# Two commands to a result: `make demo` and `make test`. Each makes the environment it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find cpp -type f) $(shell find src -type f -name '*.py') CMakeLists.txt pyproject.toml

.PHONY: demo test lint benchmark numbers picture stub clean

demo: $(VENV)/.installed
	$(BIN)/python -m fastpd.demo

test: $(VENV)/.tested
	$(BIN)/python -m pytest

lint: $(VENV)/.linted
	$(BIN)/ruff check src tests tools benchmarks
	$(BIN)/ruff format --check src tests tools benchmarks
	$(BIN)/mypy
	$(BIN)/python tools/check_stub.py

benchmark: $(VENV)/.measured
	$(BIN)/python -m benchmarks --save

# Copy the kept results to the front page.
numbers: $(VENV)/.measured
	$(BIN)/python -m benchmarks.readme

picture: $(VENV)/.measured
	$(BIN)/python tools/make_picture.py

# The stub of the compiled core, made from the core itself.
stub: $(VENV)/.linted
	$(BIN)/python tools/check_stub.py --write

clean:
	rm -rf $(VENV) build demo-output

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/pip $(SOURCES)
	$(BIN)/pip install --quiet ".[xgboost]"
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/pip install --quiet ".[test]"
	touch $@

$(VENV)/.linted: $(VENV)/.tested
	$(BIN)/pip install --quiet ".[lint]"
	touch $@

$(VENV)/.measured: $(VENV)/.installed
	$(BIN)/pip install --quiet ".[benchmark,plot]"
	touch $@
