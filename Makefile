# make demo       set up, show a generated gradient, train on handwritten digits
# make examples   every example, each with a picture in build/
# make test       everything that must hold: format, lint, types, layers, structure, tests
# make docs       the documentation as a site, in build/docs/index.html
# make pages      write those parts of docs that are made from the code and the tests
# make pictures   the pictures of the gallery, by running the examples
# make fuzz       10,000 random programs through both engines (a quarter of an hour)
# make bench      run and compile times, as ratios
# PYTHON=python3.12 make test    the same with another Python, in an environment of its own

ifdef PYTHON
VENV := .venv-$(notdir $(PYTHON))
else
VENV := .venv
endif
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo examples test lint docs pages pictures fuzz bench peers clean

help:
	@sed -n 's/^# \(make .*\)/\1/p; s/^# \(PYTHON.*\)/\1/p' Makefile

demo: $(VENV)/.examples
	@$(BIN)/python examples/digits.py

examples: $(VENV)/.examples
	@$(BIN)/python tools/run_examples.py

test: $(VENV)/.tests $(VENV)/.examples $(VENV)/.docs
	@$(BIN)/python tools/check.py

lint: $(VENV)/.tests
	@$(BIN)/python tools/check.py --no-tests

docs: $(VENV)/.docs
	@$(BIN)/python -m sphinx -q -W --keep-going -d build/doctrees docs build/docs
	@echo "written: build/docs/index.html"

pages: $(VENV)/.tests
	@$(BIN)/python -W ignore -m tests.docs.coverage
	@$(BIN)/python -W ignore -m tests.unit.rules.coverage_page
	@$(BIN)/python -m tools.pages
	@$(BIN)/python -m tests.text.page

pictures: examples
	@$(BIN)/python tools/pictures.py

fuzz: $(VENV)/.tests
	@SRCGRAD_RANDOM_PROGRAMS=2500 $(BIN)/python -m pytest -q tests/properties/test_random_programs.py \
		-k "right_gradient"

bench: $(VENV)/.examples
	@$(BIN)/python -m bench

peers: $(VENV)/.examples
	@echo "installing torch, jax and autograd into $(VENV), to compare with in make bench"
	@$(PIP) -e '.[peers]'

# an environment is made once, and an extra is installed again only when pyproject.toml changes
$(BIN)/python:
	@python=$$(tools/find-python $(PYTHON)) && \
		echo "setting up: $(VENV) with $$python" && \
		"$$python" -m venv $(VENV)

$(VENV)/.%: pyproject.toml | $(BIN)/python
	@echo "setting up: the packages for $* (a minute or two the first time)"
	@$(PIP) -e '.[$*]'
	@touch $@

clean:
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache \
		.hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
