"""Codex with scripts, notebook to pipeline: a leak in the features, a compaction, a plan document that later work goes past."""

from benchmarks.made.record import CodexScripts, explore, filler, log

W = ["account", "invoice", "churn", "usage", "cohort", "month"]


def dag(n, tail):
    return log("[{i}/14] {a}_{b}.parquet  rows={n}000  ok", W, n, n) + "\n" + tail


def session():
    s = CodexScripts(
        "nb-churn-pipeline", "/home/oduya/work/churn", "pipeline", "2026-10-06T13:20:00", "tallyware/churn"
    )
    s.user(
        "we've a 90-cell notebook churn_v7_FINAL.ipynb that Marta ran by hand each month before she left. need it as a pipeline we can run with one command (make monthly MONTH=2026-09). numbers must be the same as her September report: AUC 0.871, 1,204 accounts flagged. data's in postgres dwh read only + a csv from sales. go slow, first tell me what the notebook does"
    )
    s.many(
        (
            "jq '.cells | length' churn_v7_FINAL.ipynb && jupyter nbconvert --to script churn_v7_FINAL.ipynb --stdout | head -120",
            "90\n" + filler("py", W, 100, 61),
        ),
        ("ls -la data reports", "data:\n-rw-r--r-- 1 oduya 8.1M sales_owner.csv\nreports:\nchurn_2026-09.xlsx"),
    )
    s.many(
        (
            "rg -n 'read_sql|read_csv|to_excel|fillna|train_test_split' nb.py",
            "14:df = pd.read_sql(Q_ACCOUNTS, con)\n31:inv = pd.read_sql(Q_INV, con)\n58:own = pd.read_csv('data/sales_owner.csv', sep=';')\n77:X = X.fillna(X.mean())\n91:tr, te = train_test_split(X, test_size=.25, random_state=7)\n140:out.to_excel('reports/churn_%s.xlsx' % M)",
        ),
        ("git log --oneline | head -3", "e00b1d7 notebook\n8f2210c data dictionary\n11aa209 first"),
    )
    s.say(
        "In short: (1) 3 queries, (2) joins with the sales CSV, (3) 22 features, (4) `fillna(X.mean())` over everything, (5) gradient boosting, (6) threshold 0.4, Excel. Cells 40–55 were run out of order (execution counts 112, 113, 98 …), so the saved outputs are no proof of what a clean run gives.\n\nI'd build plain Python modules with a Makefile, no Airflow.",
        end=True,
    )
    s.user("before you plan: pandas or polars, and can it run on my laptop (16gb)?")
    s.many(
        (
            "python - <<'P'\nimport pandas as pd\nprint(pd.read_csv('data/sales_owner.csv', sep=';').memory_usage(deep=True).sum()/1e6)\nP",
            "61.2",
        ),
        (
            "psql dwh -c \"select pg_size_pretty(pg_total_relation_size('usage_daily'))\"",
            " pg_size_pretty\n----------------\n 11 GB",
        ),
    )
    s.say(
        "The notebook is pandas and its 22 features are written in pandas idioms (`groupby().transform`, `merge_asof`); translating them to polars would mean that a difference in the numbers can come from the translation *or* from the data, and we couldn't tell which. So pandas for now.\n\nMemory: the biggest query is usage_daily (11 GB in the database for all years), for one month and 12 months back it's about 3.1 GB as a data frame, with float32 half of it. 16 GB are plenty. Chunked reading isn't worth the code.\n\nDuration: the query takes four minutes by Marta's cell timings, features two, training one. There's nothing to make parallel at first.",
        end=True,
    )
    s.user("pandas then. go on")
    s.user(
        "plain python + make is right. we're 2 people. polars or pandas i dont care. write the plan to docs/plan-pipeline.md so seb can comment"
    )
    s.write(
        "docs/plan-pipeline.md",
        "# Plan: churn notebook to pipeline\n\n1. [ ] `extract.py`: three queries to parquet, by month\n2. [ ] `features.py`: the 22 features, one function each\n3. [ ] `train.py`: same model, seed 7\n4. [ ] `report.py`: Excel as before\n5. [ ] compare with Marta's September report (AUC 0.871, 1,204 flagged)\n6. [ ] cron on the 2nd of each month\n\nOpen: who owns the sales CSV?\n",
    )
    s.update_plan(
        ("extract", "in_progress"),
        ("features", "pending"),
        ("train", "pending"),
        ("report", "pending"),
        ("compare", "pending"),
    )
    s.write("churn/extract.py", '"""Three queries to parquet, for one month."""\n' + filler("py", W, 48, 62))
    s.write("churn/features.py", '"""22 features, one function each."""\n' + filler("py", W, 90, 63))
    s.write("churn/train.py", '"""Gradient boosting as in the notebook, seed 7."""\n' + filler("py", W, 40, 64))
    run = s.start("make monthly MONTH=2026-09", "extract accounts ...")
    run = s.poll(run, dag(9, ""), None, 60)
    s.poll(run, dag(5, "AUC 0.868  flagged 1,187"), 0, 40)
    s.say("First full run: AUC 0.868, 1,187 flagged. Near, but not the same: 17 accounts fewer.")
    explore(s, W, 3, "py", "py", "churn")
    s.many(
        ("cut -d';' -f1 data/sales_owner.csv | sort | uniq -d", "A-10442\nA-11871\nA-20035"),
        ("grep -n 'A-10442' data/sales_owner.csv", "211:A-10442;Femi;2024-03-01\n1904:A-10442;Ruta;2026-05-11"),
    )
    s.say(
        "A side finding: the sales CSV has three accounts twice (A-10442, A-11871, A-20035), each with an old and a new owner. The merge doubles their rows, Marta's notebook dropped one of them by accident of sorting (`drop_duplicates` keeps the first). It doesn't explain the difference of 17, that would be 3 at most."
    )
    s.user("keep the newest by column since. tell me if there is ever more than 10 of them")
    s.user(
        'seb asks (slack, pasting): "why do you retrain each month? marta\'s model was fixed since march i think, she only scored. can you check, if we retrain the flagged list jumps around"'
    )
    s.many(
        ("rg -n 'fit\\(|joblib|pickle|load' nb.py", "97:clf.fit(tr, ytr)\n101:# joblib.dump(clf, 'model_march.pkl')\n"),
        (
            "ls -la *.pkl models 2>&1",
            "ls: cannot access '*.pkl': No such file or directory\nls: cannot access 'models': No such file or directory",
        ),
    )
    explore(s, W, 2, "py", "py", "churn")
    s.say(
        "The notebook trains each time it runs: line 97 fits, the line that would save the model is commented out, and there is no pickle file anywhere in the repository or in its history. So Marta did retrain monthly, perhaps without meaning to. Whether that's good is another question:\n\n- *retrain*: follows changes, but the list jumps; between her August and September lists 212 of about 1,200 accounts changed, of which I'd guess half is the model and half real\n- *fixed*: stable list, drifts silently\n- *retrain quarterly, score monthly*: a compromise that needs a place for the model file and a version in the report\n\nFor the comparison with September it has to be retrained, as she did.",
        end=True,
    )
    s.user("tell seb: monthly for now, quarterly maybe next year")
    s.edit(
        "churn/extract.py",
        "owners = pd.read_csv(path, sep=';')",
        "owners = pd.read_csv(path, sep=';').sort_values('since').drop_duplicates('account', keep='last')",
    )
    s.many(
        (
            "python scripts/diff_flagged.py reports/churn_2026-09.xlsx out/2026-09.xlsx",
            "only in notebook: 31\nonly in pipeline: 14\n" + log("acct {n}{i}  nb 0.4{i}  pl 0.3{i}", W, 9, 65),
        ),
        (
            "psql dwh -c \"select count(*), max(updated_at) from account where created < '2026-10-01'\"",
            " count |         max\n-------+---------------------\n 18422 | 2026-10-06 04:00:11",
        ),
    )
    s.say(
        "Found one reason: `Q_INV` has no upper bound on the date. Marta ran it on October 2nd, I on the 6th, so four more days of invoices are in. With `< '2026-10-03'` as the cut it should match."
    )
    s.edit("churn/extract.py", "where i.issued >= :start", "where i.issued >= :start and i.issued < :asof")
    run = s.start("make monthly MONTH=2026-09 ASOF=2026-10-03")
    s.poll(run, dag(14, "AUC 0.871  flagged 1,204"), 0, 90)
    s.say("AUC 0.871 and 1,204 flagged: the same as Marta's report.")
    s.bash(
        "git add -A && git commit -q -m 'Pipeline: extract, features, train, report; September reproduced' && git log --oneline -1",
        "b37a9e4 Pipeline: extract, features, train, report; September reproduced",
    )
    s.user("wow nice. seb looked at the features and says `days_since_last_login` looks off, can you check")
    s.many(
        (
            "rg -n -A9 'def days_since_last_login' churn/features.py",
            "41:def days_since_last_login(usage, month):\n42-    return (TODAY - usage.last_login).dt.days",
        ),
        (
            'psql dwh -c "select churned, avg(now()::date - last_login) from account group by 1"',
            " churned |  avg\n---------+-------\n f       |  11.2\n t       | 143.8",
        ),
    )
    s.say(
        "Seb is right, and it's worse than off: it's **leakage**. `TODAY - last_login` uses the login date as of *now*; an account that churned in September has of course not logged in since. The feature knows the answer. AUC 0.871 is inflated by it."
    )
    s.edit(
        "churn/features.py",
        "    return (TODAY - usage.last_login).dt.days",
        "    return (month_end(month) - usage.last_login_before(month_end(month))).dt.days",
    )
    run = s.start("make monthly MONTH=2026-09 ASOF=2026-10-03")
    s.poll(run, dag(14, "AUC 0.792  flagged 988"), 0, 90)
    s.say(
        "Without the leak: AUC 0.792, 988 flagged. So the pipeline no longer gives Marta's numbers, because hers were wrong.",
        end=True,
    )
    s.user("explain to me like to the boss why a better AUC is worse. short")
    s.say(
        "The old model was asked in September *who will leave in September*, and one of its inputs was the date of the last login as seen **in October**. People who have left don't log in. So it didn't predict anything, it read the answer. On real days, when October isn't known yet, that input isn't there and the model would be much worse than 0.871 promised.\n\nThe new figure is lower because it's the first one that could have been reached on September 1st. A rule of thumb for the boss: of the 1,204 accounts on the old list about 600 had already stopped using us when the list was made; calling them was too late anyway.\n\n(The 600 is my estimate from the last-login dates of the old list, I haven't counted it for the report.)",
        end=True,
    )
    s.user("good, i will steal that")
    s.user(
        "ouch. ok so the target 'same as marta' is dead, the honest number is the target now. i need to tell the boss. keep 0.871 reproducible behind a flag --as-2026-09 so i can show it"
    )
    s.edit(
        "churn/features.py",
        "def days_since_last_login(usage, month):",
        "def days_since_last_login(usage, month, leaky=False):\n    if leaky:  # --as-2026-09: as the notebook did it\n        return (TODAY - usage.last_login).dt.days",
    )
    s.bash(
        "python -m pytest -q",
        "............                                                             [100%]\n12 passed in 8.80s",
    )
    s.bash(
        "git commit -qam 'days_since_last_login: no leak; --as-2026-09 keeps the old figure' && git log --oneline -1",
        "5c10d2f days_since_last_login: no leak; --as-2026-09 keeps the old figure",
    )
    s.compact(
        "Goal: turn churn_v7_FINAL.ipynb into `make monthly MONTH=…`. Plain Python + make, two people maintain it.\n\nDone: extract/features/train/report; September reproduced (AUC 0.871, 1,204) with ASOF=2026-10-03 (invoices had no upper bound). Then leakage found in days_since_last_login (TODAY - last_login): honest figures AUC 0.792, 988 flagged. User: honest number is the target, --as-2026-09 keeps the old one. Commits b37a9e4, 5c10d2f on branch pipeline.\n\n"
        "User facts: boss meeting is on Thursday; database role dwh is read only and must not be used between 02:00 and 05:00 (loads). Seb reviews features.\n\nNext: check the other features for the same kind of leak; `fillna(X.mean())` is computed over train and test together.\n"
    )
    s.say("I go on with the other 21 features and the `fillna`.")
    s.many(
        (
            "rg -n 'TODAY|now\\(\\)|X.mean' churn",
            "churn/features.py:88:    open_tickets = tickets[tickets.closed.isna()]\nchurn/train.py:22:    X = X.fillna(X.mean())",
        ),
        (
            "psql dwh -c '\\d ticket'",
            "   Column   |  Type\n------------+--------\n id         | bigint\n opened     | date\n closed     | date",
        ),
    )
    s.say(
        "Two more: `open_tickets` counts tickets that are open *now*, not at the month's end; and the mean for missing values is taken over train and test. Both are mended the same way: as of the month's end, and fit on train only."
    )
    s.edit(
        "churn/features.py",
        "    open_tickets = tickets[tickets.closed.isna()]",
        "    open_tickets = tickets[(tickets.opened < end) & (tickets.closed.isna() | (tickets.closed >= end))]",
    )
    s.edit(
        "churn/train.py",
        "    X = X.fillna(X.mean())",
        "    means = train.mean()\n    train, test = train.fillna(means), test.fillna(means)",
    )
    run = s.start("make monthly MONTH=2026-09 ASOF=2026-10-03")
    s.poll(
        run, "Traceback (most recent call last):\n  File \"churn/train.py\", line 24, in fit\nKeyError: 'region'", 1, 70
    )
    s.say(
        "`region` is text, the mean of it fails; the old code had silently dropped it before. Only numeric columns then."
    )
    s.edit("churn/train.py", "    means = train.mean()", "    means = train.mean(numeric_only=True)")
    run = s.start("make monthly MONTH=2026-09 ASOF=2026-10-03")
    s.poll(run, dag(14, "AUC 0.781  flagged 1,011"), 0, 90)
    s.bash(
        "python -m pytest -q && git commit -qam 'open_tickets and means without a look ahead'",
        "..............                                                           [100%]\n14 passed in 9.02s",
    )
    s.say(
        "Now AUC **0.781**, 1,011 flagged. That's the figure for Thursday. \n\nThe threshold 0.4 was chosen by Marta on the leaky model; with the honest one precision at 0.4 is 0.31. I'd choose it anew by what sales can call (they said 600 accounts a month).",
        end=True,
    )
    s.say(
        "For your talk, how the figures came about, with the commit for each, in case somebody asks how it can be that the same month has four results:\n\n| step | AUC | flagged | why |\n| --- | ---: | ---: | --- |\n| first run | 0.868 | 1,187 | invoices without upper bound |\n| as of October 3rd | 0.871 | 1,204 | Marta's figures |\n| login leak mended | 0.792 | 988 | honest login date |\n| tickets and means mended | 0.781 | 1,011 | nothing looks ahead any more |\n\nThe last line is the one to name. Flagged went up again in the last step because more accounts have a filled-in value near the mean, which moves them over 0.4.",
        end=True,
    )
    s.user("yes but not before thursday, don't touch threshold. tick off the plan doc and tell me what is left")
    s.edit(
        "docs/plan-pipeline.md",
        "1. [ ] `extract.py`: three queries to parquet, by month\n2. [ ] `features.py`: the 22 features, one function each\n3. [ ] `train.py`: same model, seed 7\n4. [ ] `report.py`: Excel as before\n5. [ ] compare",
        "1. [x] `extract.py`: three queries to parquet, by month\n2. [x] `features.py`: the 22 features, one function each\n3. [x] `train.py`: same model, seed 7\n4. [x] `report.py`: Excel as before\n5. [x] compare",
    )
    s.say(
        "Ticked. Left: cron on the 2nd (6), and who owns the sales CSV. The plan's point 5 still says *the same as Marta's report*, which is no longer the aim."
    )
    s.user("cron pls: 2nd of month 06:30, on the box 'etl2', user churn. just write the file, i install")
    s.write(
        "deploy/churn.cron",
        "30 6 2 * * churn cd /srv/churn && make monthly MONTH=$(date -d 'last month' +\\%Y-\\%m) >> /var/log/churn.log 2>&1\n",
    )
    s.bash(
        "git add -A && git commit -q -m 'cron file; plan ticked' && git push -q -u origin pipeline && git status -sb | head -1",
        "## pipeline...origin/pipeline",
    )
    s.say(
        "Written, committed and pushed. Two things before you install it: `ASOF` isn't given there and defaults to *today*, which is right for the 2nd; and the job needs `data/sales_owner.csv`, which somebody has to put there each month.",
        end=True,
    )
    return s


KEY = {
    "end_state": "Pipeline done and pushed on branch pipeline: honest AUC 0.781, 1,011 flagged. Cron file written, to be installed by the user. Threshold unchanged by the user's wish until Thursday. The sales CSV has no owner.",
    "goal": (
        "The churn notebook becomes a pipeline: make monthly MONTH=…",
        "need it as a pipeline",
        [["make monthly"], ["notebook", "pipeline"]],
    ),
    "decisions": [
        (
            "Retrained monthly for now, quarterly maybe next year",
            "tell seb: monthly for now",
            [["monthly for now"], ["retrain", "quarterly"], ["quarterly", "next year"]],
            {"by": "user"},
        ),
        (
            "Of accounts that are twice in the sales CSV the newest owner counts; say so if there are more than ten",
            "keep the newest by column since",
            [["newest", "since"], ["sales csv", "twice"], ["keep='last'"]],
            {"by": "user"},
        ),
        (
            "pandas, because a translation could change numbers",
            "So pandas for now",
            [["pandas", "translat"], ["pandas", "polars"], ["pandas then"], ["pandas for now"]],
        ),
        (
            "Plain Python and make, no Airflow",
            "plain python + make is right",
            [["plain python"], ["python + make"], ["no airflow"]],
        ),
        (
            "The honest figure is the target, no longer Marta's 0.871",
            "the honest number is the target",
            [["honest", "target"], ["same as marta", "dead"], ["honest number"]],
            {"by": "user"},
        ),
        (
            "--as-2026-09 keeps the old figure reproducible",
            "keep 0.871 reproducible",
            [["--as-2026-09", "keep"], ["as-2026-09", "flag"]],
            {"by": "user"},
        ),
        (
            "Invoices get an upper bound (ASOF)",
            "no upper bound on the date",
            [["asof", "invoices"], ["upper bound"], ["asof=2026-10-03"]],
        ),
        (
            "Features as of the month's end; means fitted on train only",
            "fit on train only",
            [["train only"], ["month's end", "train"], ["without a look ahead"], ["open_tickets", "means"]],
        ),
        (
            "Cron on the 2nd at 06:30 on etl2; the user installs it",
            "2nd of month 06:30",
            [["2nd", "06:30"], ["cron", "etl2"], ["cron", "i install"], ["cron", "install it"]],
        ),
    ],
    "failed": [
        (
            "AUC 0.871 came from leakage in days_since_last_login",
            "it's **leakage**",
            [["leakage", "login"], ["leakage", "churned"], ["days_since_last_login", "leak"], ["0.871", "inflated"]],
        ),
        (
            "First run 0.868 / 1,187: four more days of invoices",
            "17 accounts fewer",
            [["1,187", "1,204"], ["four more days"], ["0.868", "invoices"]],
        ),
        (
            "Mean over a text column: KeyError region",
            "`region` is text",
            [["region", "mean"], ["keyerror", "region"], ["numeric columns"]],
        ),
        (
            "Saved notebook outputs are no proof, cells ran out of order",
            "were run out of order",
            [["out of order"], ["execution counts"]],
        ),
    ],
    "constraints": [
        (
            "Don't touch the threshold before Thursday",
            "don't touch threshold",
            [["don't touch threshold"], ["threshold", "thursday"], ["threshold", "not before"]],
        ),
        (
            "dwh is read only, not between 02:00 and 05:00",
            "between 02:00 and 05:00",
            [["02:00", "05:00"], ["dwh", "read only"]],
        ),
        (
            "Two people have to maintain it",
            "we're 2 people",
            [["two people", "maintain"], ["2 people"], ["two people maintain"]],
        ),
    ],
    "open": [
        (
            "Threshold 0.4 to be chosen anew (sales can call 600 a month)",
            "The threshold 0.4 was chosen",
            [["threshold", "0.4"], ["threshold", "600"], ["threshold", "anew"]],
        ),
        (
            "Nobody owns the sales CSV; the job needs it each month",
            "which somebody has to put there",
            [["sales_owner.csv", "month"], ["sales csv"]],
        ),
        ("Boss meeting on Thursday", "boss meeting is on Thursday", [["boss", "thursday"], ["figure for thursday"]]),
    ],
    "next": (
        "The user installs the cron file; find an owner of the sales CSV; after Thursday the threshold",
        "Two things before you install it",
        [
            ["before you install"],
            ["churn.cron", "month"],
            ["sales csv", "cron"],
            ["threshold", "thursday"],
            ["sales_owner.csv", "month"],
        ],
    ),
    "needed": [
        (
            "The figures are AUC 0.781 and 1,011 flagged",
            "AUC 0.781",
            [["0.781", "auc"], ["1,011 flagged"]],
            {"weight": 3},
        ),
        (
            "Everything is committed and pushed on branch pipeline",
            "## pipeline...origin/pipeline",
            [["committed and pushed"], ["pipeline", "pushed"], ["push", "cron file"]],
            {"weight": 2},
        ),
        (
            "The cron file isn't installed; it needs the sales CSV",
            "before you install it",
            [
                ["cron", "not installed"],
                ["cron", "isn't installed"],
                ["user installs", "cron"],
                ["before you install"],
                ["i install"],
                ["churn.cron", "install"],
                ["job needs", "sales_owner"],
            ],
            {"weight": 2},
        ),
        ("14 tests pass", "14 passed in 9.02s", [["14 tests pass"], ["14 passed"]], {"weight": 1}),
    ],
    "checks": [("python -m pytest -q", "14 passed in 9.02s", "pass")],
    "traps": [
        ("600 of the 1,204 had left: counted", None, [["600 accounts had already left, counted"], ["counted: 600"]]),
        (
            "Numbers must be the same as Marta's (given up)",
            None,
            [["the same as marta's report\n"], ["numbers must be the same"], ["must match marta"]],
        ),
        (
            "The figure is 0.792 / 988 (superseded)",
            None,
            [["honest figures auc 0.792"], ["now auc 0.792"], ["auc is 0.792"]],
        ),
        ("The figure is 0.871", None, [["auc 0.871 and 1,204 flagged: the same as"], ["auc is 0.871"]]),
        (
            "Next: check the other features for leaks (done)",
            None,
            [["next: check the other features"], ["i go on with the other 21 features"]],
        ),
        ("Cron is to be written", None, [["[ ] cron on the 2nd"], ["left: cron on the 2nd (6)"]]),
        ("KeyError region is open", None, [["keyerror: 'region'"]]),
    ],
}
NEXT = {
    "goal": "Marta's churn notebook as a monthly pipeline with one command and honest figures.",
    "next": "The user installs deploy/churn.cron; find who delivers data/sales_owner.csv each month; choose the threshold anew, but only after Thursday.",
    "state": "Pipeline, cron file and ticked plan are pushed on branch pipeline; AUC 0.781, 1,011 flagged; 14 tests pass; threshold 0.4 unchanged.",
}
CLAIMS = (
    ("State", "September without look-ahead: AUC 0.781, 1,011 accounts flagged."),
    ("State", "Branch `pipeline` is pushed; 14 tests pass."),
    ("Dead ends", "AUC 0.871 was inflated by leakage in `days_since_last_login`."),
    ("Decisions", "User: don't touch the threshold before Thursday."),
    ("State", "`deploy/churn.cron` is written; the user installs it."),
    ("State", "The pipeline gives Marta's numbers, AUC 0.871, by default.", "number", "Only with --as-2026-09."),
    ("Decisions", "The threshold was set to 600 accounts a month.", "user-said", "The user put it off."),
    ("State", "The cron job is installed on etl2 and ran once.", "run", "Only the file was written."),
    ("State", "Means for missing values are still taken over train and test.", "file", "Mended."),
    ("Decisions", "Airflow schedules the job.", "file", "Plain make and cron."),
)
