# One place for every command. On a machine with Python >= 3.11, git and make, `make demo` and `make test` need
# nothing else: they build .venv with uv if it is there, else with venv and pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SAMPLES ?=
DRAFTS ?=
GENERATOR ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo picture docs reference test check format nightly smoke clean bench-recall bench-resume bench-facts bench-cost bench-secrets bench-drift bench-growth bench-tokens bench-ledger bench-documents bench-compactions bench-install bench-proof bench-hooks bench-memory bench-validation bench-audit bench-continuity bench-page bench-run test-clients

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

$(READY): pyproject.toml scripts/setup.sh
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh scripts/setup.sh
	@touch $(READY)

setup: $(READY)  ## make .venv with clew and the tools of development

demo: $(READY)  ## run the main job: a killed session, a file changed behind its back, the payload for the next one
	@$(BIN)/python examples/demo/run.py

picture: $(READY)  ## the pictures in the README and the guide, taken from real runs (those of the page with chromium)
	@$(BIN)/python examples/demo/picture.py docs/terminal.svg
	@PYTHONPATH=. $(BIN)/python examples/run/picture.py docs/pictures/run.svg
	@$(BIN)/python scripts/page_pictures.py

docs: $(READY)  ## the documentation as a website, in build/site (fetches Zensical the first time)
	@sh scripts/docs.sh "$(VENV)"

reference: $(READY)  ## what the code knows, into the reference pages and the plugins
	@$(BIN)/python scripts/reference.py
	@$(BIN)/python scripts/plugins.py

test: $(READY)  ## all tests, on every core
	@$(BIN)/python -m pytest -n auto --dist worksteal

test-clients: $(READY)  ## the real clients, from npm, against a scripted model on loopback
	@$(BIN)/python -m pytest -n auto --dist worksteal tests/live || { echo "== once more, what failed: a client on a busy machine may be late" >&2; \
	$(BIN)/python -m pytest tests/live --last-failed --last-failed-no-failures none; }

check: $(READY)  ## format, lint, types, import contract
	@$(BIN)/ruff format --check src tests benchmarks examples
	@$(BIN)/ruff check src tests benchmarks examples
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY)  ## put the code into its form
	@$(BIN)/ruff check --fix-only src tests benchmarks examples
	@$(BIN)/ruff format src tests benchmarks examples

smoke: $(READY)  ## every benchmark once, small, so that none rots
	@$(BIN)/python -m benchmarks.smoke

nightly: $(READY)  ## what is too long for `make test`: the long fuzz of the reader, what passes in plan mode run in a box, the long trials of the ledger, kills at random moments, properties with many examples
	@$(BIN)/python tests/fuzz/fuzz_reader.py --seconds 600
	@$(BIN)/python -m tests.fuzz.fuzz_ledger --rounds 300
	@$(BIN)/python -m tests.fuzz.fuzz_readonly --lines 20000
	@$(BIN)/python -m tests.live.nightly_kills --rounds 100
	@$(BIN)/python -m tests.live.nightly_run_kills --rounds 500
	@$(BIN)/python -m tests.live.nightly_workers --rounds 200
	@$(BIN)/python -m benchmarks.worktrees.fuzz --rounds 10000
	@$(BIN)/python -m benchmarks.worktrees.kills --rounds 200
	@$(BIN)/python -m benchmarks.secrets.speed
	@$(BIN)/python -m tests.live.pairs
	@$(BIN)/python -m tests.app.team.histories --rounds 2000
	@CLEW_TEST_EXAMPLES=1000 $(BIN)/python -m pytest -n auto --dist worksteal -m hypothesis

bench-recall: $(READY)  ## payloads against answer keys: make bench-recall SAMPLES=DIR
	@test -n "$(SAMPLES)" || { echo "make bench-recall: say SAMPLES=DIR, the folder of the samples" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.recall.run "$(SAMPLES)"

bench-resume: $(READY)  ## whole `clew resume` on a 4 MB transcript against a bare interpreter
	@$(BIN)/python -m benchmarks.resume.run

bench-memory: $(READY)  ## merges of memory, and a hand-off of every session: make bench-memory SAMPLES=DIR (of sessions)
	@$(BIN)/python -m benchmarks.memory.run merges
	@test -z "$(SAMPLES)" || $(BIN)/python -m benchmarks.memory.run handoffs "$(SAMPLES)"

bench-facts: $(READY)  ## every fact of a large corpus against ccusage: make bench-facts GENERATOR=FILE
	@test -n "$(GENERATOR)" || { echo "make bench-facts: say GENERATOR=FILE, the script that makes the corpus" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.facts.run --generator "$(GENERATOR)"

bench-cost: $(READY)  ## tokens and cost of a large corpus against ccusage: make bench-cost GENERATOR=FILE
	@test -n "$(GENERATOR)" || { echo "make bench-cost: say GENERATOR=FILE, the script that makes the corpus" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.cost.run --generator "$(GENERATOR)"

bench-audit: $(READY)  ## what the bill explains of real sessions: make bench-audit SESSIONS=DIR [RULES=DIR]
	@test -n "$(SESSIONS)" || { echo "make bench-audit: say SESSIONS=DIR, a folder with session files" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.audit.run "$(SESSIONS)"
	@test -z "$(RULES)" || $(BIN)/python -m benchmarks.audit.rules --samples "$(RULES)"

bench-secrets: $(READY)  ## recall, false positives and speed of the secret rules
	@$(BIN)/python -m benchmarks.secrets.speed
	@$(BIN)/python -m benchmarks.secrets.compare

bench-drift: $(READY)  ## drift of 10,000 unchanged files against git status
	@$(BIN)/python -m benchmarks.drift.run

bench-growth: $(READY)  ## what commands cost as sessions, a transcript, items and files grow
	@$(BIN)/python -m benchmarks.growth --check

bench-tokens: $(READY)  ## the token estimator against exact counts
	@$(BIN)/python -m benchmarks.tokens.check

bench-ledger: $(READY)  ## append, restore, fold and checkpoints of the ledger: make bench-ledger PEER_PYTHON=PYTHON
	@PEER_PYTHON="$(PEER_PYTHON)" $(BIN)/python -m benchmarks.ledger.run

bench-documents: $(READY)  ## items read off hand-offs against marks, lint, time: make bench-documents SAMPLES=DIR
	@test -n "$(SAMPLES)" || { echo "make bench-documents: say SAMPLES=DIR, the folder of the samples" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.documents.score --samples "$(SAMPLES)/handoffs" --marks benchmarks/documents/marks/developed-*.jsonl
	@$(BIN)/python -m benchmarks.documents.speed "$(SAMPLES)/handoffs/Achos0190__Cartalith_GDT/docs/HANDOFF.md"
	@$(BIN)/python -m benchmarks.documents.lint --samples "$(SAMPLES)" --today 2026-11-22
	@$(BIN)/python -m benchmarks.documents.hostile

bench-compactions: $(READY)  ## what real compactions lost, against marks: make bench-compactions SAMPLES=DIR
	@test -n "$(SAMPLES)" || { echo "make bench-compactions: say SAMPLES=DIR, the folder of the samples" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.compactions.score "$(SAMPLES)/transcripts"

bench-install: $(READY)  ## settings of others come back to the byte: make bench-install SAMPLES=DIR
	@test -n "$(SAMPLES)" || { echo "make bench-install: say SAMPLES=DIR, the folder of the samples" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.install.configs "$(SAMPLES)/config"

bench-proof: $(READY)  ## planted lies found and true claims struck: make bench-proof DRAFTS=DIR [SAMPLES=DIR]
	@test -n "$(DRAFTS)" || { echo "make bench-proof: say DRAFTS=DIR, the folder of drafts, sessions and claims" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.proof.run "$(DRAFTS)" $(if $(SAMPLES),--samples "$(SAMPLES)") --show

bench-validation: $(READY)  ## first failures of real runners, planted cheats, false alarms on this history
	@$(BIN)/python -m benchmarks.validation.first
	@$(BIN)/python -m benchmarks.validation.cheats
	@$(BIN)/python -m benchmarks.validation.history . --true benchmarks/validation/weakened-here.txt

bench-hooks: $(READY)  ## whole hook processes against a bare interpreter
	@$(BIN)/python -m benchmarks.hooks.run

bench-continuity: $(READY)  ## what compactions lose and successors pay, with and without clew: make bench-continuity [SAMPLES=DIR]
	@$(BIN)/python -m benchmarks.continuity $(if $(SAMPLES),--samples "$(SAMPLES)")

bench-page: $(READY)  ## the page with 5,000 sessions: first page, event to page, idle
	@$(BIN)/python -m benchmarks.page --check

bench-run: $(READY)  ## what a run costs beside its client
	@$(BIN)/python -m benchmarks.run.run

clean:  ## remove what the build made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
