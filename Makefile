# Each target sets up what it needs. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := locks/requirements.lock
LAB_ARGS ?=

ifdef GPU
LOCK := locks/requirements-gpu.lock
export TF_DETERMINISTIC_OPS := 1
export NVIDIA_TF32_OVERRIDE := 0
endif
# Named by what was installed: the files of a release carry no time that make could go by.
INSTALLED := $(VENV)/.installed-$(notdir $(LOCK))
STAMP := $(INSTALLED)-$(shell cat $(LOCK) pyproject.toml | cksum | cut -d ' ' -f 1)

.DEFAULT_GOAL := help
.PHONY: help setup lab clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  Options:"
	@echo "    make lab LAB_ARGS=\"--no-browser --port 8899\"   pass options to JupyterLab"
	@echo "    make lab GPU=1                                 install TensorFlow with CUDA"
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
	@rm -f $(INSTALLED)*
	@touch $@

lab: $(STAMP) ## Open the course in JupyterLab
	@$(BIN)/course lab $(LAB_ARGS)

clean: ## Remove .venv and caches; your notebooks and progress stay
	rm -rf $(VENV) .pytest_cache .ruff_cache build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# For authors and instructors from here on; `course release` gives students what stands above.

WORKERS ?= 2
# Where there is no network, MNIST may stand in a folder beside the clone.
ifneq ($(wildcard ../shared/data/mnist.npz),)
export COURSE_DATA_DIR ?= $(abspath ../shared/data)
endif
# A GPU's sums come in another order, so notebooks are compared by their assertions alone.
ifdef GPU
NOTEBOOKS := --nbval-lax
else
NOTEBOOKS := --nbval
endif
NOTEBOOKS += --nbval-cell-timeout 120 solutions
UNIT := tests --ignore tests/untrained --doctest-modules gradient_tools course_utils course_staff
# A file, or a notebook, goes to one worker as a whole.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadscope
# nbgrader puts menus into the JupyterLab beside which it is installed, so it stands apart.
NBGRADER := $(VENV)/nbgrader/.installed

CLUSTER := $(VENV)/.installed-requirements-cluster.lock

.PHONY: test test-all lint unit untrained notebooks prove coverage browser-test hub-test site site-test build bench bench-quick lock

# One run for both: a kernel starts while the other worker tests. Where the time went is written to
# build/durations.txt.
test: lint ## Run the tests and every notebook
	$(PYTEST) -m "not nightly" --durations=40 $(UNIT) $(NOTEBOOKS)
	@echo "Left out: the tests of the wheel, of releases, of nbgrader, of a Dask cluster and of two workers, and more random seeds. \`make test-all\` runs them too."

test-all: lint $(NBGRADER) $(CLUSTER) ## Run those that `make test` leaves out, too
	$(PYTEST) --durations=40 $(UNIT) $(NOTEBOOKS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/course build --check

unit: $(STAMP)
	$(PYTEST) -m "not nightly" $(UNIT)

$(NBGRADER): locks/requirements-nbgrader.lock $(STAMP)
	@rm -rf $(@D)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
	    --target $(@D) -r $<
	@touch $@

$(CLUSTER): locks/requirements-cluster.lock $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@touch $@

untrained: $(STAMP) ## Run each lesson with its updates left out: an assertion must miss each training (three minutes, no part of `make test`)
	$(BIN)/python -m pytest -n $(WORKERS) tests/untrained

notebooks: $(STAMP)
	$(PYTEST) $(NOTEBOOKS)

prove: $(STAMP) ## Judge every answer of answers.py; until something changes, make test need not
	$(PYTEST) tests/exercises/test_answers_of_lessons.py
	$(BIN)/python tests/exercises/proven.py

coverage: $(STAMP) ## Hold the floor under the lines of gradient_tools that its tests reach
	@$(BIN)/coverage run -m pytest tests/gradient_tools
	@$(BIN)/coverage report

# Pictures of what failed are left in build/browser.
browser-test: $(STAMP) ## Use the course in JupyterLab, in a browser
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
	    -r locks/requirements-browser.lock
	@COURSE_BROWSER=required $(BIN)/python -m pytest tests/browser

# Real accounts, with homes of their own, are made for it and removed: it is for root, on Linux, in
# a container or a virtual machine. Pictures and logs of what failed are left in build/hub.
HUB := $(VENV)/.installed-requirements-hub.lock
PROXY := configurable-http-proxy@5.3.0

$(HUB): locks/requirements-hub.lock $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@npm install --silent --no-fund --no-audit --prefix $(VENV)/proxy $(PROXY)
	@touch $@

hub-test: $(HUB) ## Use the course on a JupyterHub, with two students and a teacher (for root)
	@COURSE_HUB=required COURSE_BROWSER=required $(BIN)/python -m pytest tests/hub

# Beside what stands in locks/requirements.lock; Python 3.11 or newer.
SITE := $(VENV)/.installed-requirements-site.lock

$(SITE): locks/requirements-site.lock $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@touch $@

# COURSE_REPOSITORY=https://github.com/owner/name adds links to the repository.
site: $(SITE) ## Write the course as pages to build/site/html
	@mkdir -p build/site/source
	@$(BIN)/sphinx-build -E -W --keep-going -q -c docs/site build/site/source build/site/html

# `make test` needs none of this, and skips it where it is missing; the workflow `site` runs it.
# Pictures of what failed are left in build/site.
site-test: $(SITE) ## Build and test the pages in a browser (no part of `make test`)
	@COURSE_BROWSER=required $(BIN)/python -m pytest tests/site

build: $(STAMP) ## Write notebooks/ and solutions/ from lessons/
	@$(BIN)/course build

bench: $(STAMP) $(CLUSTER) $(NBGRADER) ## Run the side-by-side measurements
	@missed=0; for script in $(filter-out %_cases.py, $(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python $$script || missed=1; done; exit $$missed

# Those whose figures the README and the site name.
QUICK := "gradient_check.py --only speed" time_to_accuracy.py grading.py

bench-quick: $(STAMP) $(NBGRADER) ## Run those of the README, in about half an hour
	@missed=0; for script in $(QUICK); do echo "== $$script"; $(BIN)/python benchmarks/$$script || missed=1; done; exit $$missed

# uv resolves for every platform at once, which pip cannot. With extras in a lock, older versions of
# pip take a version from it that is not the newest.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes \
    --no-emit-index-url --no-emit-find-links --no-header --no-annotate --no-strip-extras --upgrade pyproject.toml

lock: $(STAMP) ## Resolve the lock files anew, for every platform
	@$(BIN)/python -m pip install --quiet uv
	@for lock in "locks/requirements.lock" "locks/requirements-gpu.lock --extra gpu"; do \
	    $(COMPILE) --extra course --extra author --extra classroom --extra test --output-file $$lock; done
	@# What these need beyond locks/requirements.lock, in versions that go with it.
	@for extra in nbgrader browser cluster site hub; do \
	    $(COMPILE) --extra $$extra --constraint locks/requirements.lock \
	    --output-file locks/requirements-$$extra.lock \
	    $$(sed -n 's/^\([a-z0-9._-]*\)[^=]*==.*/--no-emit-package \1/p' locks/requirements.lock | sort -u) \
	    || exit 1; done
