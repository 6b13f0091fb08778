# Meadhall. `make play` plays, `make test` tests, `make help` lists the rest.
# Everything is installed inside this folder: uv in .uv/, the locked dependencies in .venv/.

UV_VERSION := 0.13.9
UV := .uv/bin/uv
UV_STAMP := .uv/uv-$(UV_VERSION)
BIN := .venv/bin

# The first Python here that is new enough; `make play PYTHON=/path/to/python3` chooses another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)

# An environment that is there is kept; a new one is made with that Python. Nothing is removed that another group needs.
# It says something only if there is something to install, and then uv shows its progress.
SYNC_OPTIONS = --locked --inexact $(if $(wildcard .venv/pyvenv.cfg),,--python $(PYTHON))
sync = @$(UV) sync --quiet --check $(SYNC_OPTIONS) $(1) 2>/dev/null || { echo "Installing packages into .venv, only this once:"; \
	$(UV) sync $(SYNC_OPTIONS) $(1); } || { echo "They can't be installed here, see above. $(MACHINES)" >&2; exit 1; }
MACHINES = Meadhall runs on Linux with glibc 2.28 or newer (x86-64, ARM64), macOS 12 or newer (Apple silicon) and Windows, with \
Python 3.11 to 3.14. Numba, which compiles the rules, has no package for others: macOS on Intel, Alpine, 32-bit ARM.

export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := .venv
unexport VIRTUAL_ENV

.DEFAULT_GOAL := help
.PHONY: help play setup test test-long coverage chaos lint docs bench screenshots clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

play: $(UV_STAMP) ## install what is needed, start the hall and open it in the browser; LAN=1 lets in others in your network
	$(call sync,--no-dev --extra hall)
	@exec $(BIN)/meadhall serve $(if $(LAN),--lan)

setup: $(UV_STAMP) ## install everything, tests and benchmarks too; the command is .venv/bin/meadhall
	$(call sync,--all-groups)

test: $(UV_STAMP) ## install what the tests need, a browser too, and run them all
	$(call sync,)
	@MEADHALL_CHROMIUM="$$(tools/browser)" && export MEADHALL_CHROMIUM && exec tools/test

test-long: $(UV_STAMP) ## the tests in full sizes, with those that make test leaves out: hours
	$(call sync,)
	@MEADHALL_CHROMIUM="$$(tools/browser)" && export MEADHALL_CHROMIUM && exec tools/test --long

coverage: $(UV_STAMP) ## the tests again, with branch coverage; it fails below the limit
	$(call sync,)
	@MEADHALL_CHROMIUM="$$(tools/browser)" && export MEADHALL_CHROMIUM && exec tools/test --coverage

chaos: $(UV_STAMP) ## a long run: kill a hall under load, lock its database, fill its disk, and check that nothing is lost
	$(call sync,)
	PYTHONPATH=tests $(BIN)/python -m chaos

lint: docs ## style, types, which package may import which, and the documentation
	$(call sync,--group lint)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/lint-imports

docs: $(UV_STAMP) ## build the documentation into build/docs; warnings, dead links and missing anchors are errors
	$(call sync,--group docs)
	tools/docs

bench: $(UV_STAMP) ## measure: rules against C, plain Python and OpenSpiel; the hall under load
	$(call sync,--all-groups)
	$(BIN)/python benchmarks/playouts.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/hall.py

screenshots: $(UV_STAMP) ## take the pictures in docs/screenshots anew
	$(call sync,)
	@MEADHALL_CHROMIUM="$$(tools/browser)" && export MEADHALL_CHROMIUM && exec tools/screenshots

clean: ## remove what was installed and built here
	rm -rf .uv .venv build dist benchmarks/build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(UV_STAMP):
	@test -n "$(PYTHON)" || { echo "Meadhall needs Python 3.11 or newer; found: $$(python3 --version 2>&1)." \
	"Install one, or name it: make play PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv .uv || { echo "$(PYTHON) can't make virtual environments; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Installing uv $(UV_VERSION), which installs the rest, into .uv: 18 MB."
	@.uv/bin/python -m pip install --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@
