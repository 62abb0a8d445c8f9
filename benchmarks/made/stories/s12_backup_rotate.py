"""Shell and Terraform: prohibitions about production, a background restore with a later result, dead ends in prose, a question left open."""

from benchmarks.made.record import Claude, listing


def session():
    s = Claude(
        "ops-backup-rotate",
        "/home/dev/cellar",
        "backup-retention",
        "2026-09-02T06:40:00",
        "stonebarn/cellar",
        version="2.1.200",
        model="claude-opus-4-6",
    )
    s.user(
        "backups: we keep every nightly pg dump since 2023 in s3, 41 TB, bill is silly. i want retention 14 daily / 8 weekly / 12 monthly. "
        "rules: NEVER delete anything in cellar-prod-backups yourself, also not with --dryrun forgotten, i run it. you may read it. staging bucket cellar-stage-backups you can do what you want. "
        "use lifecycle rules if possible and not a script, scripts rot. terraform in infra/. no terraform apply, plan only. "
        "and before anything is deleted i want PROOF that a restore of an old dump works, nobody ever tried"
    )
    s.say(
        "Three parts then: what's there, whether lifecycle rules can express 14/8/12, and a restore test. I start with reading."
    )
    s.bash(
        "ls infra && cat infra/backups.tf",
        'backups.tf\nmain.tf\nproviders.tf\nvariables.tf\nresource "aws_s3_bucket" "backups" {\n  bucket = "cellar-${var.env}-backups"\n}\n\nresource "aws_s3_bucket_versioning" "backups" {\n  bucket = aws_s3_bucket.backups.id\n  versioning_configuration { status = "Enabled" }\n}',
        desc="Terraform of the backups",
    )
    s.bash(
        "cat bin/backup.sh",
        '#!/bin/sh\nset -eu\nstamp=$(date -u +%Y-%m-%d)\npg_dump -Fc -Z 6 "$DATABASE_URL" | aws s3 cp - "s3://$BUCKET/nightly/$stamp.dump"\n',
        desc="Backup script",
    )
    s.bash(
        "aws s3 ls s3://cellar-prod-backups/nightly/ | tail -120",
        listing(
            [
                f"2026-{5 + i // 30:02d}-{1 + i % 30:02d} 02:14:{i % 60:02d}  {38_000_000_000 + i * 7_000_000} 2026-{5 + i // 30:02d}-{1 + i % 30:02d}.dump"
                for i in range(118)
            ]
        ),
        desc="List prod (read only)",
    )
    s.bash(
        "aws s3 ls s3://cellar-prod-backups/ --recursive --summarize | tail -3",
        "2026-09-01 02:14:10 38911020033 nightly/2026-09-01.dump\nTotal Objects: 1094\n   Total Size: 41203991028114",
        desc="Sum",
    )
    s.bash(
        "aws s3api list-object-versions --bucket cellar-prod-backups --query 'length(Versions[?IsLatest==`false`])'",
        "212",
        desc="Old versions",
    )
    s.say(
        "## What is there\n\n| | |\n| --- | --- |\n| objects | 1094 current, **212 non-current versions** |\n| size | 41.2 TB |\n| prefix | everything under `nightly/` |\n| versioning | on, so a delete alone frees nothing |\n\n"
        "Lifecycle rules know only an age and a prefix or tag. \"One per week\" can't be said with an age, so the **dump itself must be tagged or placed** at the time it's written: `daily/`, `weekly/` (Sundays), `monthly/` (the 1st), each with its own expiry.\n\n"
        "I thought about three ways and dropped two:\n- Lifecycle with tags set afterwards by S3 Batch: needs an inventory and a manifest for 1094 objects, a one-off, but it works for the **old** ones.\n- A Lambda that thins out: that's the script that rots.\n- Three prefixes in `backup.sh`: simple, only for new dumps.\n"
    )
    s.user("three prefixes for new ones + tags by batch for the old ones then. restore first")
    s.bash(
        "aws s3 cp s3://cellar-prod-backups/nightly/2023-11-05.dump - | pg_restore --list | head -8",
        "pg_restore: error: could not read from input file: unsupported version (1.15) in file header",
        exit=1,
        desc="Look into an old dump",
    )
    s.bash(
        "pg_restore --version; psql --version; ls /usr/lib/postgresql",
        "pg_restore (PostgreSQL) 14.11\npsql (PostgreSQL) 14.11\n14\n16",
        desc="Versions here",
    )
    s.bash(
        "aws s3 cp s3://cellar-prod-backups/nightly/2023-11-05.dump - | /usr/lib/postgresql/16/bin/pg_restore --list | head -8",
        ";\n; Archive created at 2023-11-05 02:00:04 UTC\n;     dbname: cellar\n;     TOC Entries: 812\n;     Compression: gzip\n;     Dump Version: 1.15-0\n;     Format: CUSTOM",
        desc="With the 16 client",
    )
    s.say(
        "The default `pg_restore` is 14 and can't read the newer dumps; `/usr/lib/postgresql/16/bin/pg_restore` can. I restore the dump of 2023-11-05 into a local Postgres 16, in the background (38 GB compressed)."
    )
    s.bash(
        "createdb -p 5416 restore_2023 && aws s3 cp s3://cellar-prod-backups/nightly/2023-11-05.dump - | /usr/lib/postgresql/16/bin/pg_restore -p 5416 -d restore_2023 --no-owner",
        background="rst4x9",
        desc="Restore in the background",
    )
    s.say("While that runs: the Terraform.")
    s.edit(
        "infra/backups.tf",
        '  versioning_configuration { status = "Enabled" }\n}',
        '  versioning_configuration { status = "Enabled" }\n}\n\nlocals {\n  keep = { daily = 14, weekly = 56, monthly = 366 }\n}\n\nresource "aws_s3_bucket_lifecycle_configuration" "backups" {\n  bucket = aws_s3_bucket.backups.id\n  dynamic "rule" {\n    for_each = local.keep\n    content {\n      id     = rule.key\n      status = "Enabled"\n      filter { prefix = "${rule.key}/" }\n      expiration { days = rule.value }\n      noncurrent_version_expiration { noncurrent_days = 7 }\n    }\n  }\n}',
    )
    s.bash(
        "cd infra && terraform init -backend=false && terraform validate",
        "Terraform has been successfully initialized!\nSuccess! The configuration is valid.",
        desc="Validate",
    )
    s.bash(
        "cd infra && terraform plan -var env=stage",
        "Error: Error acquiring the state lock\n\nError message: ConditionalCheckFailedException\nLock Info:\n  ID:        6c1f7a80\n  Who:       ci@runner-3\n  Created:   2026-08-30 03:11:09 UTC",
        exit=1,
        desc="Plan for staging",
    )
    s.say(
        "The state is locked by a CI run of three days ago. I won't `force-unlock`, that's yours to decide; `-lock=false` is safe for a plan."
    )
    s.bash(
        "cd infra && terraform plan -lock=false -var env=stage",
        "Plan: 1 to add, 0 to change, 0 to destroy.\n  + aws_s3_bucket_lifecycle_configuration.backups",
        desc="Plan without lock",
    )
    s.edit(
        "bin/backup.sh",
        'pg_dump -Fc -Z 6 "$DATABASE_URL" | aws s3 cp - "s3://$BUCKET/nightly/$stamp.dump"',
        'case $(date -u +%d-%u) in\n01-*) kind=monthly ;;\n*-7) kind=weekly ;;\n*) kind=daily ;;\nesac\n/usr/lib/postgresql/16/bin/pg_dump -Fc -Z 6 "$DATABASE_URL" | aws s3 cp - "s3://$BUCKET/$kind/$stamp.dump"',
    )
    s.bash(
        "shellcheck bin/backup.sh && bats test/backup.bats",
        "1..5\nok 1 first of month goes to monthly\nok 2 sunday goes to weekly\nok 3 other days go to daily\nok 4 first of month on a sunday goes to monthly\nok 5 fails when pg_dump fails # skip pipefail needs bash",
        desc="Shell tests",
    )
    s.say(
        "Test 5 is skipped: with `#!/bin/sh` (dash) there's no `pipefail`, so **a failing pg_dump uploads a truncated file and exits 0**. That was so before my change. I make it bash."
    )
    s.edit("bin/backup.sh", "#!/bin/sh\nset -eu", "#!/usr/bin/env bash\nset -euo pipefail")
    s.bash(
        "shellcheck bin/backup.sh && bats test/backup.bats",
        "1..5\nok 1 first of month goes to monthly\nok 2 sunday goes to weekly\nok 3 other days go to daily\nok 4 first of month on a sunday goes to monthly\nok 5 fails when pg_dump fails",
        desc="Shell tests",
    )
    s.bash(
        "git add infra/backups.tf bin/backup.sh test/backup.bats && git commit -m 'Backups: daily, weekly and monthly prefixes with expiry'",
        "[backup-retention 2c94d1e] Backups: daily, weekly and monthly prefixes with expiry\n 3 files changed, 61 insertions(+), 4 deletions(-)",
        desc="Commit",
    )
    s.notify("rst4x9", "createdb -p 5416 restore_2023 && aws s3 cp ...", "failed with exit code 1")
    s.bash(
        "tail -6 /tmp/claude-1000/tasks/rst4x9.output",
        'pg_restore: error: could not execute query: ERROR:  extension "timescaledb" is not available\nDETAIL:  Could not open extension control file "/usr/share/postgresql/16/extension/timescaledb.control"\npg_restore: warning: errors ignored on restore: 41',
        desc="Restore output",
    )
    s.say(
        "The restore ended with 41 errors: the 2023 database used **timescaledb**, which is gone from today's schema and not installed here. Everything that isn't a hypertable came back; the `readings` hypertable did not. So as things stand an old dump is **not** fully restorable with our present set-up.\n\nSecond try with the timescale image, which has 16 and the extension."
    )
    s.bash(
        "podman run -d --name ts -p 5417:5432 -e POSTGRES_HOST_AUTH_METHOD=trust docker.io/timescale/timescaledb:2.11.2-pg15 && sleep 5 && psql -h localhost -p 5417 -U postgres -c 'select timescaledb_pre_restore()'",
        "7b10e2\nERROR:  function timescaledb_pre_restore() does not exist",
        exit=1,
        desc="Timescale container",
    )
    s.bash(
        "psql -h localhost -p 5417 -U postgres -c 'create database r; ' && psql -h localhost -p 5417 -U postgres -d r -c 'create extension timescaledb; select timescaledb_pre_restore()'",
        "CREATE DATABASE\nCREATE EXTENSION\n timescaledb_pre_restore\n-------------------------\n t",
        desc="Extension first",
    )
    s.bash(
        "aws s3 cp s3://cellar-prod-backups/nightly/2023-11-05.dump - | /usr/lib/postgresql/16/bin/pg_restore -h localhost -p 5417 -U postgres -d r --no-owner",
        background="rst7m2",
        desc="Second restore in the background",
    )
    s.user("how is it going, i have 10 min before standup")
    s.bash(
        "psql -h localhost -p 5417 -U postgres -d r -Atc \"select pg_size_pretty(pg_database_size('r'))\"",
        "61 GB",
        desc="Progress",
    )
    s.say(
        "The second restore is at 61 GB of about 190. The first one failed on timescaledb (41 errors), with the extension created first and `timescaledb_pre_restore()` it runs without an error so far."
    )
    s.notify("rst7m2", "aws s3 cp ... | pg_restore -p 5417", "completed (exit code 0)")
    s.bash(
        "psql -h localhost -p 5417 -U postgres -d r -c 'select timescaledb_post_restore()' && psql -h localhost -p 5417 -U postgres -d r -Atc 'select count(*) from readings; select max(at) from readings; select count(*) from customers'",
        " timescaledb_post_restore\n--------------------------\n t\n1880412231\n2023-11-05 01:59:57+00\n20417",
        desc="Check the restore",
    )
    s.say(
        "## Restore proven\n\nThe dump of 2023-11-05 restores fully: 1,880,412,231 readings up to 2023-11-05 01:59:57, 20,417 customers, no errors. It needs timescaledb **2.11** on pg15 and the order *extension → pre_restore → pg_restore 16 → post_restore*. I'd write that into `docs/restore.md`; it isn't written yet.\n\n"
        "| part | state |\n| --- | --- |\n| prefixes + lifecycle | committed `2c94d1e`, planned for stage only, **not applied** |\n| plan for prod | not run |\n| tags for the old dumps (S3 Batch) | not started |\n| state lock 6c1f7a80 | still there, from ci@runner-3 |\n\n"
        "One trap: `expiration` on a versioned bucket only sets a delete marker; the space is freed 7 days later by `noncurrent_version_expiration`. And `monthly = 366` days keeps 12 or 13 dumps, not exactly 12.\n\n"
        "**Question:** the monthly dumps before timescaledb was removed (2024-03) need the old image to be restorable. Keep them as they are, or convert them once to plain SQL while we know how?",
        end=True,
    )
    return s


KEY = {
    "end_state": "Prefixes and lifecycle committed (2c94d1e), planned for stage only. A restore of 2023-11-05 is proven on the second try. Tags for the old dumps not begun, a question is open.",
    "goal": (
        "Retention 14 daily, 8 weekly, 12 monthly for the dumps, after proof of a restore",
        "14 daily / 8 weekly / 12 monthly",
        [["14 daily"], ["retention"], ["14/8/12"]],
    ),
    "decisions": [
        (
            "Three prefixes daily/, weekly/, monthly/ written by backup.sh, lifecycle rules per prefix",
            "three prefixes for new ones",
            [["three prefixes"], ["daily/", "monthly/"], ["prefix", "lifecycle"], ["prefixes"]],
            {"by": "user"},
        ),
        (
            "Old dumps get tags through S3 Batch",
            "tags by batch for the old ones",
            [["s3 batch"], ["by batch"], ["tags", "old"]],
            {"by": "user"},
        ),
        (
            "backup.sh is bash with pipefail now: before, a failing pg_dump uploaded a truncated file",
            "uploads a truncated file",
            [["pipefail"], ["truncated"]],
        ),
        (
            "A restore of 2023-11-05 is proven: 1,880,412,231 readings, 20,417 customers",
            "restores fully",
            [
                ["1,880,412,231"],
                ["1880412231"],
                ["20,417"],
                ["restore proven"],
                ["restores fully"],
                ["restore", "proven"],
            ],
        ),
    ],
    "failed": [
        (
            "pg_restore 14 can't read the dump, /usr/lib/postgresql/16/bin/pg_restore can",
            "unsupported version (1.15)",
            [["unsupported version"], ["postgresql/16/bin"], ["pg_restore", "14"]],
        ),
        (
            "First restore: 41 errors, timescaledb isn't available",
            "errors ignored on restore: 41",
            [["41 errors"], ["timescaledb"]],
        ),
        (
            "terraform plan: state lock 6c1f7a80 of CI; -lock=false for a plan",
            "Error acquiring the state lock",
            [["-lock=false"], ["6c1f7a80"], ["state lock"]],
        ),
    ],
    "constraints": [
        (
            "Never delete anything in cellar-prod-backups; the user runs it",
            "NEVER delete anything",
            [["never delete"], ["cellar-prod-backups"]],
        ),
        ("No terraform apply, plan only", "no terraform apply", [["terraform apply"], ["plan only"]]),
        ("Lifecycle rules rather than a script", "scripts rot", [["lifecycle"], ["scripts rot"]]),
    ],
    "open": [
        (
            "Tags for the old dumps (S3 Batch) not begun, plan for prod not run",
            "not started",
            [["s3 batch", "not started"], ["tags", "not"], ["plan for prod"], ["prod", "not run"]],
        ),
        (
            "docs/restore.md isn't written: extension, pre_restore, pg_restore 16, post_restore",
            "it isn't written yet",
            [["docs/restore.md"]],
        ),
        (
            "expiration only sets a delete marker; space is freed 7 days later",
            "delete marker",
            [["delete marker"], ["noncurrent"]],
        ),
    ],
    "next": (
        "Answer of the user: keep the monthly dumps from before 2024-03 or convert them; then tag the old dumps",
        "convert them once to plain SQL",
        [["plain sql"], ["convert"], ["2024-03"], ["s3 batch"]],
    ),
    "needed": [
        (
            "Restore needs timescaledb 2.11 on pg15 and the order extension, pre_restore, pg_restore 16, post_restore",
            "*extension → pre_restore",
            [["pre_restore"], ["2.11"]],
            {"weight": 3},
        ),
        (
            "2c94d1e committed, planned for stage only, not applied",
            "2c94d1e",
            [["2c94d1e"], ["not applied"]],
            {"weight": 2},
        ),
    ],
    "checks": [
        ("shellcheck bin/backup.sh && bats test/backup.bats", "last:ok 5 fails when pg_dump fails", "pass"),
        ("terraform plan -lock=false -var env=stage", "Plan: 1 to add", "pass"),
    ],
    "traps": [
        ("Old dumps can't be restored (proven since)", None, [["not** fully restorable"], ["is not fully restorable"]]),
        (
            "The restore is still running (done)",
            None,
            [["61 gb of about 190"], ["restore is running"], ["restore still running"]],
        ),
        ("Test 5 is skipped (runs)", None, [["test 5 is skipped"], ["# skip pipefail"]]),
        ("It is applied", None, [["terraform applied"], ["lifecycle rules are active"], ["applied to prod"]]),
        ("The state lock was removed", None, [["lock was removed"], ["force-unlocked"], ["lock released"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "Retention 14/8/12 for the backups by lifecycle rules; restore is proven, the rest of the old dumps is to be tagged.",
        "match": [["retention"], ["14 daily"], ["14/8/12"], ["lifecycle"]],
    },
    "next": {
        "text": "Get the answer on the monthly dumps of before 2024-03 (keep or plain SQL); write docs/restore.md and prepare the S3 Batch tags.",
        "match": [["plain sql"], ["2024-03"], ["docs/restore.md"], ["s3 batch"]],
    },
}
