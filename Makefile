# Everything a newcomer needs: `make demo` and `make test` set themselves up; Python 3.11, pip and make suffice.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test test-servers check lint types imports bench chaos lock clean

setup: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing locked dependencies into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	@examples/reconcile/demo.sh

# A test process that dies ends the run with its test's name: a new one in its place leaves this way of sharing out waiting for ever.
test: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup --max-worker-restart 0

# The commands, too, on PostgreSQL, Valkey and workers that run beside them; POSTGRES=URL takes a PostgreSQL of your own.
test-servers: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup --max-worker-restart 0 --servers $(if $(POSTGRES),--postgres '$(POSTGRES)') tests/contracts tests/integration/flow tests/acceptance

check: lint types imports test

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/pyright

imports: setup
	$(BIN)/lint-imports

bench: setup
	@for file in bench/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done
	@echo "== bench/durability"; $(BIN)/python -m bench.durability

# Well above a thousand kills; `remit chaos` alone is a short one.
chaos: setup
	$(BIN)/remit chaos --rounds 36 --faults 80 --runs 3

lock:
	uv pip compile pyproject.toml --python-version 3.11 --generate-hashes --no-emit-index-url --universal --quiet --output-file requirements/run.txt
	uv pip compile pyproject.toml --group dev --python-version 3.11 --generate-hashes --no-emit-index-url --universal --quiet --output-file requirements/dev.txt

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache
