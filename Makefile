# Each target sets up what it needs. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
EXTRAS := author,classroom,test
WORKERS ?= 2
LAB_ARGS ?=

# A GPU's sums come in another order, so notebooks are compared by their assertions alone.
ifdef GPU
LOCK := requirements-gpu.lock
EXTRAS := author,classroom,test,gpu
SOLUTIONS := --nbval-lax
export TF_DETERMINISTIC_OPS := 1
export NVIDIA_TF32_OVERRIDE := 0
else
SOLUTIONS := --nbval
endif
STAMP := $(VENV)/.installed-$(LOCK)
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help setup lab test lint unit notebooks build bench lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  Options:"
	@echo "    make lab LAB_ARGS=\"--no-browser --port 8899\"   pass options to JupyterLab"
	@echo "    make test GPU=1                                the same run on a GPU"
	@echo "    make lab PYTHON=python3.12                     choose the Python of a new .venv"

setup: $(STAMP) ## Create .venv with the locked versions

# Where Debian leaves out venv's own pip, the pip that is there installs into the environment.
$(STAMP): $(LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 10) <= v <= (3, 13) else \
	"This course needs Python 3.10 to 3.13, and $(PYTHON) is %d.%d. Name another: make lab PYTHON=python3.12" % v)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) 2>/dev/null || ( \
	    $(PYTHON) -m venv --clear --without-pip $(VENV) && \
	    $(PYTHON) -m pip --python $(BIN)/python install --quiet pip )
	@echo "Installing the locked versions into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
	    --no-build-isolation --editable .
	@touch $@

lab: $(STAMP) ## Open the course in JupyterLab
	@$(BIN)/course lab $(LAB_ARGS)

test: lint unit notebooks ## Run everything that CI runs

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/course build --check

unit: $(STAMP)
	$(PYTEST) tests --doctest-modules course_utils

notebooks: $(STAMP)
	$(PYTEST) $(SOLUTIONS) --nbval-cell-timeout 120 solutions
	$(PYTEST) --nbval-lax --nbval-cell-timeout 120 notebooks

build: $(STAMP) ## Write notebooks/ and solutions/ from lessons/
	@$(BIN)/course build

bench: $(STAMP) ## Run the side-by-side measurements
	@for script in $(filter-out %_cases.py, $(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# uv resolves for every platform at once, which pip cannot.
lock: $(STAMP) ## Resolve both lock files anew, for every platform
	@$(BIN)/python -m pip install --quiet uv
	@for lock in "requirements.lock" "requirements-gpu.lock --extra gpu"; do \
	    $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-header --no-annotate --upgrade \
	    pyproject.toml --extra author --extra classroom --extra test --output-file $$lock; done

clean: ## Remove .venv and caches; your notebooks and progress stay
	rm -rf $(VENV) .pytest_cache .ruff_cache build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
