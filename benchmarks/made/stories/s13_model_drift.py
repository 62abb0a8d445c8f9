"""Python and SQL: measured numbers, the first of them wrong and corrected, a question answered late, deferrals."""

from benchmarks.made.record import Claude, filler, names, pytest_out

W = ["score", "order", "claim", "feature", "bucket", "month"]
T = {
    "tests/test_drift.py": names("test_", ["psi", "bins", "nulls", "window"], 13),
    "tests/test_features.py": names("test_", ["join", "late", "dedupe"], 8),
}


def session():
    s = Claude(
        "py-model-drift",
        "/home/dev/fraudlet",
        "drift-report",
        "2026-10-01T11:22:00",
        "copperpine/fraudlet",
        model="claude-opus-4-6",
    )
    s.user(
        "fraud model v12: precision went from .81 to .68 in september according to the dashboard. is it drift, a labelling problem or is the dashboard wrong? "
        "i need an answer for the 15h meeting. only read from the warehouse (the reader role), never write there, and no customer data in the repo or in your output, aggregate everything. use duckdb on the exports in /home/dev/exports if you can, the warehouse costs"
    )
    s.say("I'll start with how the dashboard computes precision, then check it against the exports.")
    s.bash(
        "ls -la /home/dev/exports && ls fraudlet sql tests",
        "-rw-r--r-- 1 dev dev  81203311 claims_2026-07.parquet\n-rw-r--r-- 1 dev dev  83310221 claims_2026-08.parquet\n-rw-r--r-- 1 dev dev  79120031 claims_2026-09.parquet\nfraudlet:\ndrift.py\nfeatures.py\nscore.py\n\nsql:\nprecision_dashboard.sql\n\ntests:\ntest_drift.py\ntest_features.py",
        desc="Exports and layout",
    )
    s.read(
        "sql/precision_dashboard.sql",
        "-- precision of v12 per month\nselect date_trunc('month', scored_at) m,\n       sum(case when label = 'fraud' then 1 end) * 1.0 / count(*) as precision\nfrom claims\nwhere flagged\ngroup by 1\n",
    )
    s.read("fraudlet/drift.py", filler("py", W, 120, 101))
    s.read("fraudlet/features.py", filler("py", W, 150, 102))
    s.bash(
        "python - <<'EOF'\nimport duckdb\nprint(duckdb.sql(open('sql/precision_dashboard.sql').read().replace('claims', \"'/home/dev/exports/claims_*.parquet'\")))\nEOF",
        "ModuleNotFoundError: No module named 'duckdb'",
        exit=1,
        desc="Try duckdb",
    )
    s.bash(
        "ls .venv/bin | head; .venv/bin/python -c 'import duckdb; print(duckdb.__version__)'",
        "activate\npython\npytest\n1.1.1",
        desc="Is it in the venv",
    )
    s.bash(
        ".venv/bin/python scripts/q.py sql/precision_dashboard.sql",
        "┌────────────┬───────────┐\n│ m          │ precision │\n├────────────┼───────────┤\n│ 2026-07-01 │ 0.8094    │\n│ 2026-08-01 │ 0.8121    │\n│ 2026-09-01 │ 0.6804    │\n└────────────┴───────────┘",
        desc="Dashboard query on the exports",
    )
    s.say(
        "The system python has no duckdb, `.venv/bin/python` has (1.1.1). The exports give the dashboard's numbers: 0.81, 0.81, **0.68**. So the dashboard computes what it says. Is it what we want?\n\nA question meanwhile: how long does it take until a claim gets its final label?"
    )
    s.bash(
        ".venv/bin/python scripts/q.py -c \"select date_trunc('month', scored_at) m, label, count(*) n from claims where flagged group by all order by all\"",
        "2026-07-01  fraud    4102\n2026-07-01  ok        966\n2026-08-01  fraud    4310\n2026-08-01  ok        997\n2026-09-01  fraud    3004\n2026-09-01  ok        702\n2026-09-01  NULL      709",
        desc="Labels by month",
    )
    s.say(
        "## First result\n\nSeptember has **709 flagged claims without a label**. The query counts them as not fraud (`count(*)` in the denominator). Without them: 3004 / 3706 = **0.81**. So there is no drop at all; the dashboard divides by unlabelled claims."
    )
    s.think("Need to check whether unlabelled are missing at random. Also features drift.")
    s.bash(
        ".venv/bin/python scripts/q.py -c \"select week(scored_at) w, count(*) n, count(label) labelled, avg((label='fraud')::int) p from claims where flagged and month(scored_at)=9 group by 1 order by 1\"",
        "36   941   930   0.812\n37   955   921   0.809\n38   940   801   0.811\n39   920   610   0.806\n40   659   444   0.817",
        desc="By week",
    )
    s.user(
        "labels take up to 45 days, so july is final and august nearly. but pls check it isnt also drifting, the board will ask"
    )
    s.bash(
        ".venv/bin/python -m fraudlet.drift --base 2026-07 --against 2026-09",
        "feature            psi\nclaim_amount       0.04\ndays_to_claim      0.03\ndevice_age         0.31\nmerchant_group     0.07\nn_prev_claims      0.02\nscore              0.05",
        desc="PSI July against September",
    )
    s.say(
        "### Drift\n\nPSI of all features is below 0.1 except **`device_age` 0.31** (above 0.25 counts as strong drift). That needs an explanation before the meeting."
    )
    s.bash(
        '.venv/bin/python scripts/q.py -c "select month(scored_at) m, count(*) n, count(device_age) known, median(device_age) med from claims group by 1 order by 1"',
        "7   210331  209984  412\n8   214002  213655  415\n9   205114  143310  418",
        desc="device_age by month",
    )
    s.bash(
        "git log --since 2026-08-25 --oneline -- fraudlet/features.py; sed -n 60,84p fraudlet/features.py",
        "b7710ce Features: device age from the new device service\ndef device_age(row, devices):\n    found = devices.get(row.device_id)\n    return (row.scored_at - found.first_seen).days if found else None",
        desc="What changed",
    )
    s.say(
        "I have to correct the drift finding: it's **not drift of the population**. The median is the same (412 → 418 days), but 30 % of the values are NULL in September (143,310 known of 205,114; before: 99.8 %). `b7710ce` switched to the new device service, whose ids have a prefix `d:`; ids without it aren't found. The PSI bins count NULL as a bin of its own, hence 0.31."
    )
    s.bash(
        ".venv/bin/python scripts/q.py -c \"select device_id like 'd:%' as prefixed, count(*), count(device_age) from claims where month(scored_at)=9 group by 1\"",
        "true   143402  143310\nfalse   61712       0",
        desc="Check the prefix",
    )
    s.say(
        "Confirmed: **61,712** claims without the prefix, none of them has a device age; with the prefix 99.9 % have.\n\n| statement | verdict |\n| --- | --- |\n| precision fell to 0.68 | no, 0.81 over the labelled ones |\n| population drifted | no |\n| a feature is broken since `b7710ce` | **yes**, `device_age` is NULL for 30 % |\n\nWhat I can't say: whether the broken feature cost **recall**, since missed fraud is only known after the 45 days."
    )
    s.user(
        "very good, thats my slide. fix the feature (accept both forms) and the dashboard sql. retraining NOT now, that is a quarter-end thing, and the backfill of september scores neither, legal has to say yes first"
    )
    s.edit(
        "fraudlet/features.py",
        "    found = devices.get(row.device_id)",
        '    found = devices.get(row.device_id) or devices.get(f"d:{row.device_id}")',
    )
    s.edit(
        "sql/precision_dashboard.sql",
        "       sum(case when label = 'fraud' then 1 end) * 1.0 / count(*) as precision",
        "       sum(case when label = 'fraud' then 1 end) * 1.0 / count(label) as precision,\n       count(*) - count(label) as unlabelled",
    )
    s.bash(
        ".venv/bin/pytest -v",
        pytest_out(
            T,
            failed=("test_join_late",),
            detail="    def test_join_late(devices):\n>       assert device_age(row, devices) is None\nE       AttributeError: 'list' object has no attribute 'get'\n\ntests/test_features.py:33: AttributeError",
        ),
        exit=1,
        desc="Tests",
    )
    s.say(
        "That test gave a list instead of the dict; with the old code an empty list never reached `.get`… it did, but behind a `pytest.mark.xfail` that was removed in `b7710ce`. I fix the fixture."
    )
    s.edit("tests/test_features.py", "devices = []", "devices = {}")
    s.edit(
        "tests/test_features.py",
        "def test_join_late(devices):",
        'def test_device_age_accepts_both_ids():\n    devices = {"d:7": Device(first_seen=DAY)}\n    assert device_age(Row("7", DAY), devices) == device_age(Row("d:7", DAY), devices) == 0\n\n\ndef test_join_late(devices):',
    )
    T2 = {**T, "tests/test_features.py": ["test_device_age_accepts_both_ids", *T["tests/test_features.py"]]}
    s.bash(".venv/bin/pytest -v", pytest_out(T2), desc="Tests")
    s.bash(
        ".venv/bin/python scripts/q.py sql/precision_dashboard.sql",
        "2026-07-01  0.8094  0\n2026-08-01  0.8121  0\n2026-09-01  0.8106  709",
        desc="New dashboard query",
    )
    s.commit(
        "device_age: accept ids with and without the prefix; precision over labelled claims",
        ["fraudlet/features.py", "sql/precision_dashboard.sql", "tests/test_features.py"],
        15,
        4,
        sha="f20ab61",
        add="fraudlet sql tests",
    )
    s.bash(
        "git push -u origin drift-report && gh pr create --fill --base main",
        "branch 'drift-report' set up to track 'origin/drift-report'.\nhttps://git.example.org/copperpine/fraudlet/pull/318",
        desc="Push and PR",
    )
    s.say(
        "Fix and query are in **PR #318** (`f20ab61`); 22 tests pass. Not reviewed, CI hadn't started when I looked.\n\nLeft open on purpose: retraining (quarter end), backfill of the September scores (legal first). Two things nobody has asked for yet:\n\n- the dashboard should show `unlabelled`, the query returns it now but the **panel** doesn't plot it\n- there's no alert on the share of NULLs per feature; it would have caught `b7710ce` on day one\n\nShall I write that alert as a check in `fraudlet/drift.py`?",
        end=True,
    )
    s.user("yes but in its own PR, threshold 5% nulls. i'm in the meeting now, go ahead")
    s.bash("git checkout -b null-alert main", "Switched to a new branch 'null-alert'", desc="Branch")
    s.edit(
        "fraudlet/drift.py",
        "def psi(base, against, bins=10):",
        'NULL_LIMIT = 0.05\n\n\ndef too_many_nulls(frame):\n    """Features whose share of NULLs is above the limit."""\n    return {c: s for c in frame.columns if (s := frame[c].isna().mean()) > NULL_LIMIT}\n\n\ndef psi(base, against, bins=10):',
    )
    s.bash(
        ".venv/bin/pytest tests/test_drift.py -q",
        ".............                                                            [100%]\n13 passed in 0.91s",
        desc="Old drift tests",
    )
    s.bash(
        ".venv/bin/python -c \"from fraudlet.drift import too_many_nulls; from fraudlet.io import month; print(too_many_nulls(month('2026-09')))\"",
        "{'device_age': 0.3013, 'merchant_country': 0.0612}",
        desc="On September",
    )
    s.say(
        "`too_many_nulls` finds `device_age` (30.1 %) and one more: **`merchant_country` with 6.1 %**. On July that one is at 5.9 %, so it's an old state, not a new fault; with a limit of 5 % the alert would be red from the first day.\n\nThe branch `null-alert` has the function uncommitted, without a test and without a caller. Before I go on: is 5 % meant absolutely, or as a rise against the month before? With the rise `merchant_country` stays quiet.",
        end=True,
    )
    return s


KEY = {
    "end_state": "Fix and dashboard query are in PR #318. On null-alert a function is uncommitted, without test and caller; the question absolute or rise is open.",
    "goal": (
        "Why precision of v12 fell in September; now a null alert in its own PR",
        "precision went from .81 to .68",
        [["precision"], ["null", "alert"], ["too_many_nulls"]],
    ),
    "decisions": [
        (
            "No drop: 709 unlabelled claims in the denominator; 0.81 over the labelled ones",
            "709 flagged claims without a label",
            [["709"], ["unlabelled"], ["0.8106"], ["without a label"]],
        ),
        (
            "device_age is NULL for 30 % since b7710ce: ids without the prefix d:",
            "30 % of the values are NULL",
            [["b7710ce"], ["device_age"]],
        ),
        (
            "Fix: both forms of the id; query divides by count(label); f20ab61, PR #318",
            "PR #318",
            [["#318"], ["f20ab61"], ["both forms"]],
        ),
        (
            "Null alert in its own PR, threshold 5 %",
            "threshold 5% nulls",
            [["5%"], ["5 %"], ["null_limit"]],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "PSI 0.31 of device_age isn't drift: NULLs are a bin",
            "not drift of the population",
            [
                ["not drift"],
                ["no drift"],
                ["psi", "null"],
                ["0.31", "null"],
                ["drift", "took that back"],
                ["drift finding", "correct"],
            ],
        ),
        (
            "duckdb isn't in the system python, .venv/bin/python has it",
            "No module named 'duckdb'",
            [[".venv/bin/python"], ["duckdb"]],
        ),
    ],
    "constraints": [
        (
            "Read only from the warehouse (reader role)",
            "only read from the warehouse",
            [["read from the warehouse"], ["reader role"], ["warehouse", "read"]],
        ),
        ("No customer data in repo or output, aggregates only", "no customer data", [["customer data"], ["aggregate"]]),
    ],
    "open": [
        ("Retraining waits for the quarter end", "quarter-end thing", [["retrain"]]),
        ("Backfill of the September scores waits for legal", "legal has to say yes", [["backfill"], ["legal"]]),
        ("The dashboard panel doesn't plot unlabelled", "doesn't plot it", [["panel"], ["unlabelled", "plot"]]),
        (
            "Whether recall suffered can't be said before the 45 days are over",
            "cost **recall**",
            [["recall"], ["45 days"]],
        ),
    ],
    "next": (
        "Answer: 5 % absolute or as a rise against the month before; then test and caller for too_many_nulls",
        "is 5 % meant absolutely",
        [["absolut"], ["rise"], ["month before"]],
    ),
    "needed": [
        (
            "merchant_country has 6.1 % NULLs (July 5.9 %): with an absolute 5 % the alert is red from day one",
            "with 6.1 %",
            [["merchant_country"], ["6.1"]],
            {"weight": 3},
        ),
        (
            "Branch null-alert: too_many_nulls in fraudlet/drift.py, uncommitted, no test, no caller",
            "uncommitted, without a test",
            [["null-alert"], ["too_many_nulls"]],
            {"weight": 3},
        ),
        ("PR #318 is open, not reviewed, CI not seen", "Not reviewed", [["#318"]], {"weight": 2}),
    ],
    "checks": [
        (".venv/bin/pytest -v", "22 passed", "pass"),
        (".venv/bin/pytest tests/test_drift.py -q", "13 passed in 0.91s", "pass"),
    ],
    "traps": [
        (
            "Precision fell to 0.68 (it did not)",
            None,
            [["precision dropped to 0.68"], ["precision is 0.68"], ["the model got worse"]],
        ),
        (
            "device_age drifts strongly (taken back)",
            None,
            [["counts as strong drift"], ["that needs an explanation before the meeting"]],
        ),
        (
            "How long labels take is open (answered)",
            None,
            [["how long does it take until a claim gets its final label"]],
        ),
        ("test_join_late is red (green)", None, [["test_join_late is red"], ["test_join_late still fails"]]),
        ("Whether to write the alert is open (the user said yes)", None, [["shall i write that alert"]]),
        (
            "The alert is committed or in PR #318",
            None,
            [["alert is in pr #318"], ["alert is committed"], ["too_many_nulls is committed"]],
        ),
    ],
}
NEXT = {
    "goal": {
        "text": "A null alert for features in its own PR (branch null-alert), after the drift question was settled in PR #318.",
        "match": [["null-alert"], ["null", "alert"], ["too_many_nulls"]],
    },
    "next": {
        "text": "Get the answer absolute or rise, then add a test and a caller for too_many_nulls in fraudlet/drift.py.",
        "match": [["absolut"], ["rise"], ["too_many_nulls"]],
    },
}
