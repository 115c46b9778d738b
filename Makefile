# SPDX-License-Identifier: Apache-2.0
# Forwards to the command line, after setting the checkout up. `make help` says what there is.

PYTHON ?= python3
EXTRAS ?=
ARGS ?=
TRME := .venv/bin/python -m trme

.PHONY: help setup sim test generate compare synth sweep estimate devices report doctor cache run bench lint clean

help:
	@echo "make setup [EXTRAS=...]  make the environment .venv; extras: synth torch dev lint"
	@echo "make sim                 simulate all units against their golden models, then solve a real problem"
	@echo "make test [ARGS=...]     run the tests; ARGS go to pytest"
	@echo "make generate ARGS=...   such as ARGS='systolic --rows 16 --cols 16 -o out'"
	@echo "make compare ARGS=...    such as ARGS='modmul --modulus 251 --vectors all'"
	@echo "make synth ARGS=...      such as ARGS='modmul --method fold --device ecp5-25k-8 --freq 550'; also sweep, estimate, devices"
	@echo "make report [ARGS=...]   the results tables of README.md and docs/results.md; ARGS=--measure makes the results first"
	@echo "make run ARGS=...        such as ARGS='shortest-paths --graph karate'"
	@echo "make doctor              try the tools"
	@echo "make cache [ARGS=--clear] what is kept of earlier builds"
	@echo "make bench               measure the figures that README.md and docs/ state"
	@echo "make lint                ruff and pyright"
	@echo "make clean               remove .venv and build"

setup:
	@command -v $(PYTHON) >/dev/null || { echo "trme: $(PYTHON) is not on PATH: apt install python3 python3-venv" >&2; exit 3; }
	@$(PYTHON) toolchain/bootstrap.py $(EXTRAS)

sim: setup
	@$(TRME) sim $(ARGS)
	@echo
	@$(TRME) run shortest-paths --graph karate

test: override EXTRAS += dev
test: setup
	@.venv/bin/python -m pytest -n 2 $(ARGS)

generate compare doctor cache run: setup
	@$(TRME) $@ $(ARGS)

synth sweep estimate devices report: override EXTRAS += synth
synth sweep estimate devices report: setup
	@$(TRME) $@ $(ARGS)

bench: setup
	@.venv/bin/python -m trme.benchmarks $(ARGS)

lint: override EXTRAS += lint
lint: setup
	@.venv/bin/ruff check
	@.venv/bin/ruff format --check
	@.venv/bin/pyright

clean:
	rm -rf .venv .venv.lock build
