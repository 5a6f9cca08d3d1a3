# make demo       set up, show a generated gradient, train on handwritten digits
# make examples   every example, each with a picture in build/
# make test       everything that must hold: format, lint, types, layers, structure, tests (SEED=7: in another order)
# make docs       the documentation as a site, in build/docs/index.html
# make pages      write those parts of docs that are made from the code and the tests
# make pictures   the pictures of the gallery, by running the examples
# make fuzz       20,000 random programs in every mode, or as many as SECONDS=600 allow
# make wild       the functions of packages by others, called as their docstrings call them
# make mutants    1,500 broken derivatives, and how many the checker rejects (some minutes)
# make mutants-code  300 mutants of our own code, and which the near tests do not find (COUNT=, SEED=)
# make soak       ten minutes of threads, processes and errors: nothing may grow (SECONDS=)
# make interpreters  the near tests with every Python and NumPy at hand
# make bench      run and compile times, as ratios
# make device     the corpus on a device, then gradients there beside PyTorch and JAX (needs CuPy)
# make kernels    measure 26 gradients beside those by hand, for the guide on performance
# PYTHON=python3.12 make test    the same with another Python, in an environment of its own

ifdef PYTHON
VENV := .venv-$(notdir $(PYTHON))
else
VENV := .venv
endif
BIN := $(VENV)/bin
WILD := fluids colour-science
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo examples test lint docs pages pictures fuzz wild mutants mutants-code soak interpreters \
	bench device kernels peers clean

help:
	@sed -n 's/^# \(make .*\)/\1/p; s/^# \(PYTHON.*\)/\1/p' Makefile

demo: $(VENV)/.examples
	@$(BIN)/python examples/digits.py

examples: $(VENV)/.examples
	@$(BIN)/python tools/run_examples.py

test: $(VENV)/.tests $(VENV)/.examples $(VENV)/.docs
	@$(if $(SEED),SEED=$(SEED)) $(BIN)/python tools/check.py

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
	@$(BIN)/python -W ignore -m tests.targets.where

pictures: examples
	@$(BIN)/python tools/pictures.py

fuzz: $(VENV)/.tests
	@$(BIN)/python -m tests.fuzz $(if $(SECONDS),--seconds $(SECONDS)) --seed $(or $(SEED),0)

wild:
	@$(MAKE) --no-print-directory VENV=.venv-wild .venv-wild/.examples
	@echo "installing packages by others into .venv-wild: $(WILD)"
	@.venv-wild/bin/python -m pip install --quiet --disable-pip-version-check $(WILD)
	@.venv-wild/bin/python -W ignore tools/wild.py fluids colour

mutants: $(VENV)/.tests
	@$(BIN)/python -W ignore -m tools.mutants

mutants-code: $(VENV)/.tests
	@$(BIN)/python -W ignore -m tools.mutation --count $(or $(COUNT),300) $(if $(SEED),--seed $(SEED))

soak: $(VENV)/.tests
	@$(BIN)/python tools/soak.py --seconds $(or $(SECONDS),600)

interpreters: $(VENV)/.tests
	@$(BIN)/python tools/interpreters.py

bench: $(VENV)/.examples
	@$(BIN)/python -m bench

device: $(VENV)/.tests $(VENV)/.examples
	@$(BIN)/python -W ignore -m tests.targets.spread
	@$(BIN)/python -m bench device

kernels: $(VENV)/.examples
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m bench.kernels.page

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
