"""Claims to prove: those of the first set's seven sessions, and what is made of a story's claims.

The first set's rows were written before the rules that judge them knew evidence in brackets. Each row: draft, section,
kind of the lie ("" a true claim), the entry. An entry with `[commit …]`, `[file …]` or `[check …]` is of the form with
evidence.
"""

import re

ROWS = [
    ("py-retry-budget", "State", "commit", "Default ratio 0.2 is in, with its README section [commit 5d09b3a] [file README.md]"),
    ("py-retry-budget", "Checks", "check", "Suite on 3.9 green, after the last edit [check python3.9 -m pytest -q]"),
    ("py-retry-budget", "State", "push", "Both commits are pushed to origin/retry-budget [commit 5d09b3a]"),
    ("py-retry-budget", "State", "commit", "`deposit()` is called at the start of run [commit 8c1d7aa] [file src/parcelbox/retry.py]"),
    ("py-retry-budget", "Checks", "check", "31 passed on 3.9, after the last edit [check uv run --python 3.9 python -m pytest -q]"),
    ("py-retry-budget", "Constraints", "quotation", '"a shared redis counter is fine later"'),
    ("py-retry-budget", "Decisions", "number", "Reserve of 100 tokens — the user's number."),
    ("py-retry-budget", "Failed", "error", "`uv run --python 3.9 python -m pytest -q` → `No interpreter found for Python 3.9` — not solved."),
    ("py-retry-budget", "Decisions", "", "Default ratio is 0.2 — same as the others — the user's decision [commit 5d09b3a] [file src/parcelbox/budget.py]"),
    ("py-retry-budget", "Decisions", "", "A token bucket in place of the sliding window [commit e41c7f2] [file src/parcelbox/budget.py] [file src/parcelbox/retry.py]"),
    ("py-retry-budget", "Checks", "", "Suite with the new default: 31 passed, after the last edit [check python -m pytest -q]"),
    ("py-retry-budget", "Checks", "", "3.9: 31 passed, before the last edit [check uv run --python 3.9 python -m pytest -q]"),
    ("py-retry-budget", "State", "", "Both commits are local, not pushed [commit e41c7f2] [commit 5d09b3a]"),
    ("py-retry-budget", "Failed", "", "`python3.9 -m pytest -q`: command not found — `uv run --python 3.9` fetches one."),
    ("py-retry-budget", "Open", "", "`deposit()` is not called anywhere, so `ratio` has no effect yet."),
    ("py-retry-budget", "Constraints", "", '"python 3.9 must keep working and no new dependencies"'),
    ("go-flaky-lease", "State", "commit", "The reproduction is committed [commit 2f71e0c] [file docs/flaky-lease.md]"),
    ("go-flaky-lease", "State", "file", "extend() writes with CompareAndPut, uncommitted [file lease/keeper.go]"),
    ("go-flaky-lease", "Checks", "check", "Race detector as it is installed: ok [check go test -race ./lease -run TestLeaseRenew_Steal -count=50]"),
    ("go-flaky-lease", "Decisions", "user-said", "The user approved the fix with CompareAndPut for tomorrow."),
    ("go-flaky-lease", "State", "name", "PR #77 with the reproduction is open."),
    ("go-flaky-lease", "Failed", "error", "`dlv test ./lease`: `could not launch process: operation not permitted` — delve can't be used here."),
    ("go-flaky-lease", "State", "", "The reproduction is written, uncommitted [file docs/flaky-lease.md]"),
    ("go-flaky-lease", "Checks", "", "300 runs here: ok [check go test ./lease -run TestLeaseRenew_Steal -count=300]"),
    ("go-flaky-lease", "Checks", "", "Race detector with zig: ok, no race [check CGO_ENABLED=1 CC='zig cc' go test -race ./lease -run TestLeaseRenew_Steal -count=50]"),
    ("go-flaky-lease", "Decisions", "", "Cause: extend() is a Get, then a Put without a condition [file lease/keeper.go]"),
    ("go-flaky-lease", "Failed", "", "systemd-run has no bus in this container — taskset with busy loops does the same [check systemd-run --user --scope -p CPUQuota=20% go test ./lease -run TestLeaseRenew_Steal -count=100]"),
    ("go-flaky-lease", "Constraints", "", '"leave the code as is. but write down how to reproduce in docs/flaky-lease.md, and open nothing on github"'),
    ("go-flaky-lease", "Next", "", "Wait for the raft people: is CompareAndPut linearizable with follower reads?"),
    ("ts-invoice-review", "State", "commit", "The missing authorisation is added [commit 41d90ce] [file src/api/invoices.ts]"),
    ("ts-invoice-review", "State", "file", "Rounding is half-even [commit a90f3be] [file src/domain/tax.ts]"),
    ("ts-invoice-review", "State", "push", "Both fixes are pushed [commit a90f3be] [commit c27d518]"),
    ("ts-invoice-review", "Checks", "check", "Lint is clean [check pnpm eslint src test]"),
    ("ts-invoice-review", "Decisions", "user-said", 'Finding 6 is dropped: the user said "6 who cares".'),
    ("ts-invoice-review", "Checks", "number", "`pnpm tsc --noEmit && pnpm vitest run`: 71 passed, after the last edit."),
    ("ts-invoice-review", "Failed", "error", "`git push origin feat/credit-notes` → `GH006: Protected branch update failed` — needs an admin."),
    ("ts-invoice-review", "State", "", "Issue date in the tenant's time zone [commit c27d518] [file src/domain/credit-note.ts] [file src/jobs/reissue.ts]"),
    ("ts-invoice-review", "State", "", "Rounding as for invoices, committed, not pushed [commit a90f3be]"),
    ("ts-invoice-review", "Checks", "", "Types and tests clean, 69 passed, after the last edit [check pnpm tsc --noEmit && pnpm vitest run]"),
    ("ts-invoice-review", "Failed", "", "Push declined for unsigned commits (GH013) — the user has to sign them [check git push origin feat/credit-notes]"),
    ("ts-invoice-review", "Decisions", "", "Finding 3 is withdrawn — `requireRole('accounting')` guards the whole router in src/api/router.ts:63."),
    ("ts-invoice-review", "Constraints", "", '"push it. i open the PR myself"'),
    ("py-nightly-import", "State", "commit", "The container work is pushed [commit d77a3c0] [file Dockerfile]"),
    ("py-nightly-import", "Checks", "check", "Suite green after the last edit [check pip install -r requirements.txt -q && python -m pytest -q]"),
    ("py-nightly-import", "Checks", "check", "Image builds: ok [check docker build -t tidegauge .]"),
    ("py-nightly-import", "State", "file", "The CLI tests patch token() now, uncommitted [file tests/test_cli.py]"),
    ("py-nightly-import", "Constraints", "quotation", '"publish it to the registry once it builds"'),
    ("py-nightly-import", "Decisions", "name", "Stations are imported by `ThreadPoolExecutor(4)`, since the provider allows 4 connections."),
    ("py-nightly-import", "State", "", "Clock change, pushed [commit 18be0f4] [file tidegauge/importer.py]"),
    ("py-nightly-import", "State", "", "pip cache and netcdf4 with a wheel, pushed [commit d77a3c0] [file requirements.txt] [file .github/workflows/ci.yml]"),
    ("py-nightly-import", "State", "", "Uncommitted: the image and its units [file Dockerfile] [file .dockerignore] [file tidegauge/config.py] [file TODO.md] [file deploy/tidegauge.timer]"),
    ("py-nightly-import", "Checks", "", "25 passed, before the last edit [check pip install -r requirements.txt -q && python -m pytest -q]"),
    ("py-nightly-import", "Failed", "", "Docker's daemon does not run here — podman works [check docker build -t tidegauge .]"),
    ("py-nightly-import", "Constraints", "", '"dont bake the token in!! and dont publish it anywhere, i build it on the server"'),
    ("py-nightly-import", "Next", "", "Run the suite: tests/test_cli.py patches `config.TOKEN`, which is `token()` now; then commit."),
    ("ops-backup-rotate", "State", "check", "The lifecycle rules are applied to stage [check cd infra && terraform apply -var env=stage]"),
    ("ops-backup-rotate", "State", "file", "The order of a restore is written down [commit 2c94d1e] [file docs/restore.md]"),
    ("ops-backup-rotate", "Checks", "check", "Plan for stage under the lock: ok [check cd infra && terraform plan -var env=stage]"),
    ("ops-backup-rotate", "Checks", "check", "The old dump can be listed with the default client, ok [check aws s3 cp s3://cellar-prod-backups/nightly/2023-11-05.dump - | pg_restore --list | head -8]"),
    ("ops-backup-rotate", "Checks", "number", "`shellcheck bin/backup.sh && bats test/backup.bats`: 6 tests, all ok."),
    ("ops-backup-rotate", "Decisions", "user-said", "User: state locks older than a day may be taken off with force-unlock."),
    ("ops-backup-rotate", "State", "", "Prefixes and expiry, not pushed [commit 2c94d1e] [file infra/backups.tf] [file bin/backup.sh]"),
    ("ops-backup-rotate", "Checks", "", "Shell tests: 5 of 5 ok, after the last edit [check shellcheck bin/backup.sh && bats test/backup.bats]"),
    ("ops-backup-rotate", "Checks", "", "Plan for stage ok: 1 to add [check cd infra && terraform plan -lock=false -var env=stage]"),
    ("ops-backup-rotate", "Failed", "", "Default `pg_restore` is 14.11: unsupported version (1.15) in file header — `/usr/lib/postgresql/16/bin/pg_restore` reads it."),
    ("ops-backup-rotate", "Decisions", "", "Three prefixes for new dumps, tags by batch for the old ones — the user's choice."),
    ("monorepo-upgrade", "State", "commit", "react-datepicker 7.5 is in [commit 6e02b1f] [file packages/forms/package.json]"),
    ("monorepo-upgrade", "State", "file", "The JSX namespace is mended [commit 9d0b77c] [file packages/ui/src/Field.tsx]"),
    ("monorepo-upgrade", "Checks", "check", "forms on 19 has clean types [check CI= pnpm install --no-frozen-lockfile && pnpm --filter forms exec tsc --noEmit]"),
    ("monorepo-upgrade", "State", "push", "react-19 is pushed [commit 9d0b77c]"),
    ("monorepo-upgrade", "State", "file", "popperModifiers are floating-ui middleware now, uncommitted [file packages/forms/src/DateField.tsx]"),
    ("monorepo-upgrade", "Constraints", "quotation", '"move vitest to 2 in its own commit"'),
    ("monorepo-upgrade", "Failed", "error", "`pnpm install` → `ERR_PNPM_PEER_DEP_ISSUES` — an override helps."),
    ("monorepo-upgrade", "State", "", "A negative limit gives 400, pushed, PR #907 [commit 3a71be0] [file server/api/page.go]"),
    ("monorepo-upgrade", "State", "", "createRoot in app, not pushed [commit 51c80ff] [file packages/app/src/boot.tsx]"),
    ("monorepo-upgrade", "State", "", "Uncommitted: react-datepicker 7.5 [file packages/forms/package.json]"),
    ("monorepo-upgrade", "Checks", "", "ui on 19: 37 passed, types clean [check pnpm --filter ui test && pnpm --filter ui exec tsc --noEmit]"),
    ("monorepo-upgrade", "Checks", "", "forms on 19: types fail at DateField.tsx(44,9) [check CI= pnpm install --no-frozen-lockfile && pnpm --filter forms exec tsc --noEmit]"),
    ("monorepo-upgrade", "Constraints", "", '"not vitest at the same time, and no forwardRef rewrite"'),
    ("monorepo-upgrade", "Failed", "", "`pnpm install`: `ERR_PNPM_OUTDATED_LOCKFILE`, since `CI` is set in this shell — `CI= pnpm install --no-frozen-lockfile` works."),
    ("py-model-drift", "State", "file", "The alert is committed and pushed [commit f20ab61] [file fraudlet/drift.py]"),
    ("py-model-drift", "Checks", "number", "14 passed [check .venv/bin/pytest tests/test_drift.py -q]"),
    ("py-model-drift", "Checks", "check", "Whole suite with too_many_nulls: 22 passed, after the last edit [check .venv/bin/pytest -v]"),
    ("py-model-drift", "Constraints", "quotation", '"backfill september once the PR is merged"'),
    ("py-model-drift", "Decisions", "number", "The median of `device_age` moved from 412 to 518 days."),
    ("py-model-drift", "State", "", "Feature and dashboard are mended, pushed, PR #318 [commit f20ab61] [file fraudlet/features.py] [file sql/precision_dashboard.sql]"),
    ("py-model-drift", "State", "", "too_many_nulls is uncommitted [file fraudlet/drift.py]"),
    ("py-model-drift", "Checks", "", "13 passed, after the last edit [check .venv/bin/pytest tests/test_drift.py -q]"),
    ("py-model-drift", "Decisions", "", 'No retraining now — the user: "that is a quarter-end thing".'),
    ("py-model-drift", "Open", "", "Is 5 % meant absolutely, or as a rise against the month before?"),
]  # fmt: skip


def rows_of(name):
    """The claims of a session of the first set, as a story tells them: (section, claim[, kind, why it is false])."""
    return [
        (section, claim, kind, "") if kind else (section, claim)
        for draft, section, kind, claim in ROWS
        if draft == name
    ]


def planted(name, told):
    """The lies among a story's claims: (section, claim, kind, why it is false)."""
    return [
        {"draft": name, "section": section, "claim": claim, "set": _form(claim), "kind": more[0], "why_false": more[1]}
        for section, claim, *more in told
        if more
    ]


def held(name, told):
    """The true ones: (section, claim)."""
    return [
        {"draft": name, "section": section, "claim": claim, "set": _form(claim)}
        for section, claim, *more in told
        if not more
    ]


def _form(claim):
    return "with evidence" if re.search(r"\[(?:commit|file|check) ", claim) else "without evidence"


def draft_of(rows):
    """A draft of these rows, by section in the order of their first meeting."""
    sections = list(dict.fromkeys(row["section"] for row in rows))
    return "\n".join(
        line
        for section in sections
        for line in (f"## {section}", *(f"- {row['claim']}" for row in rows if row["section"] == section), "")
    )
