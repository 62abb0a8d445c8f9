"""OpenCode, Rails: a survey, an importer sped up twice, a compaction, an error report of a user as the last topic."""

from benchmarks.made.others import OpenCode
from benchmarks.made.record import explore, filler, log

W = ["stop", "trip", "route", "agency", "shape", "service"]


def rspec(bad=0, n=142, detail=""):
    return (
        "." * (n - bad)
        + "F" * bad
        + f"\n{detail}\nFinished in 21.4 seconds (files took 2.9 seconds to load)\n{n} examples, {bad} failure{'' if bad == 1 else 's'}"
    )


def session():
    s = OpenCode("rb-gtfs-import", "/home/lucie/halte", "gtfs-diff", "2026-09-29T08:15:00", "halte-app/halte")
    s.user(
        "our nightly GTFS import (feeds of 11 transit agencies) takes 6h now and blocks the db, riders see no departures 3-9am when it overruns. rails 7.1, postgres 15 w/ postgis, heroku standard-2x dynos (1GB mem!). goal: under 1h and no moment w/o departures. whats slow?"
    )
    s.agent(
        "Survey importer",
        "Read lib/gtfs/** and app/models/** and describe how a feed is imported: order, transactions, deletes, memory. Name file:line.",
        "- `lib/gtfs/importer.rb:30` deletes all rows of the agency in one transaction, then re-inserts, all within it (the table lock of `TRUNCATE stop_times` at :38 is held to the end)\n- `lib/gtfs/importer.rb:71` `StopTime.create!` row by row, 8.1 M rows for the biggest agency (`rnet`)\n- `CSV.read` of the whole file at :55, peak about 1.6 GB for stop_times.txt, dyno swaps\n- callbacks: `StopTime after_save :touch_departure` (app/models/stop_time.rb:12)",
    )
    s.say(
        "Three causes: `TRUNCATE` inside of the long transaction (so readers wait), row-by-row inserts with a callback, and `CSV.read` of files larger than the dyno's memory."
    )
    s.bash(
        "heroku logs -a halte -n 200 | grep -i 'R14\\|import' | tail -12",
        log(
            "2026-09-29T03:{n}:0{i}Z heroku[import.1]: Error R14 (Memory quota exceeded) Process running mem={n}M",
            W,
            9,
            91,
        )
        + "\n2026-09-29T08:51:11Z app[import.1]: rnet done in 17,204 s",
    )
    s.user("how would you do it? no big bang pls, agencies one by one")
    s.say(
        "1. stream the CSV and load with `COPY` into a *staging* table (unlogged)\n2. compare staging with live by key, apply only the difference (feeds change by 1–3 % a day)\n3. one short transaction per table, no TRUNCATE\n4. `departures` rebuilt per changed trip, not by callback",
        end=True,
    )
    s.user("👍 go, start w/ the smallest agency (tulp), feature flag per agency")
    explore(s, W, 4, "py", "rb", "lib")
    s.todo(
        ("COPY loader to staging", "in_progress"),
        ("diff apply", "pending"),
        ("departures per changed trip", "pending"),
        ("flag per agency", "pending"),
        ("roll out tulp", "pending"),
        ("roll out rnet", "pending"),
    )
    s.read("lib/gtfs/importer.rb", filler("py", W, 90, 92))
    explore(s, W, 4, "py", "rb", "app")
    s.write(
        "lib/gtfs/copy_loader.rb",
        "# Streams a GTFS file into an unlogged staging table with COPY.\nmodule Gtfs\n  class CopyLoader\n"
        + filler("py", W, 40, 93)
        + "\n  end\nend\n",
    )
    s.write(
        "lib/gtfs/diff_apply.rb",
        "# Applies the difference between staging and live, one short transaction per table.\nmodule Gtfs\n  class DiffApply\n"
        + filler("py", W, 60, 94)
        + "\n  end\nend\n",
    )
    s.write("spec/lib/gtfs/diff_apply_spec.rb", "require 'rails_helper'\n\n" + filler("py", W, 50, 95))
    s.bash(
        "bundle exec rspec",
        rspec(
            2,
            142,
            '  1) Gtfs::DiffApply keeps stop_times with the same key\n     ActiveRecord::RecordNotUnique: duplicate key value violates unique constraint "stop_times_pkey"',
        ),
        1,
    )
    s.say(
        "`stop_times` has no natural key that is unique: (trip_id, stop_sequence) repeats in the feed of `tulp` (two rows for a stop served twice by a loop). The key needs the arrival time as well."
    )
    s.edit(
        "lib/gtfs/diff_apply.rb",
        "KEYS = { stop_times: %i[trip_id stop_sequence] }",
        "KEYS = { stop_times: %i[trip_id stop_sequence arrival_time] }",
    )
    s.bash("bundle exec rspec", rspec(0))
    s.bash(
        "time bin/rails gtfs:import[tulp]",
        "staging 212,004 rows in 3.1 s\ndiff: +1,204 -1,188 ~0\napply 0.8 s, departures 2.2 s\n\nreal\t0m9.4s",
        secs=10,
    )
    s.bash(
        "git add -A && git commit -m 'GTFS: COPY to staging, apply the difference (flag gtfs_diff)'",
        "[gtfs-diff 18d0e6c] GTFS: COPY to staging, apply the difference (flag gtfs_diff)\n 5 files changed, 288 insertions(+), 3 deletions(-)",
    )
    s.user("nice from how long?")
    s.say("tulp took 11 minutes before. Now 9 seconds.")
    s.user("unlogged table = data lost on crash? sounds scary")
    s.say(
        "Only the staging table is unlogged, i.e. its content isn't in the write-ahead log and is empty after a crash of the database. For staging that's what you want: it's filled anew from the feed each night, and writing 8 million rows without the log is about three times as fast and doesn't flood the follower. The live tables are ordinary. If Postgres dies between COPY and apply, the next run finds an empty staging table …\n\n… and that made me look: an **empty staging table would delete everything**, because the difference is then *all rows are gone*. The same happens with a broken feed (we had 0-byte files from two agencies, says the log of August). So a guard: when more than 30 % of an agency's rows would go, the import stops and tells."
    )
    s.user("omg yes. 20% tho. and mail me")
    s.edit(
        "lib/gtfs/diff_apply.rb",
        "  class DiffApply",
        "  class DiffApply\n    MAX_GONE = 0.20 # a broken feed looks like everything is gone\n",
    )
    s.bash(
        "bundle exec rspec && git commit -qam 'GTFS: stops when more than 20 % would go, mails lucie'", rspec(0, 143)
    )
    s.say("Next the biggest, `rnet`, on a copy of the production database.", end=True)
    s.user(
        "some numbers from last weeks log if it helps:\n\n"
        + log("2026-09-2{i} {a} feed={n}MB rows={n}000 took={n}s", W, 9, 64)
        + "\n"
        + log("slow query {n}ms: SELECT * FROM departures WHERE stop_id = {i} -- {a}", W, 24, 65)
    )
    explore(s, W, 3, "py", "rb", "lib")
    s.say(
        "That helps, for two things. First, the order: rnet and fluvo are 78 % of all rows, the other nine together take less than 40 minutes with the old import already, so nothing is lost if they stay on it for a week. Second, the slow queries are `SELECT *` on departures by stop without the time window; they take 200 ms when the table is warm and 900 when the import has just rewritten it, since the pages are cold and the visibility map is gone. With the difference only 2 % of the pages change, so these queries should get better by themselves. I wouldn't touch them before that's measured.\n\nOne more observation: autovacuum runs on `stop_times` at 04:30 each day for 50 minutes because of the mass delete. That goes away, too.",
        end=True,
    )
    s.user("cool, didnt know that")
    s.user(
        "there's a follower db HEROKU_POSTGRESQL_COBALT_URL you can fork from, dont touch prod. fork costs money so destroy after"
    )
    s.bash(
        "heroku addons:create heroku-postgresql:standard-2 --fork HEROKU_POSTGRESQL_COBALT_URL -a halte-staging",
        "Creating heroku-postgresql:standard-2 on ⬢ halte-staging... $200/month\npostgresql-curved-31177 is being created in the background.",
    )
    s.bash(
        "heroku run:detached -a halte-staging 'bin/rails gtfs:import[rnet]' && sleep 600; heroku logs -a halte-staging -n 20",
        "staging 8,104,511 rows in 141 s\n"
        + log("heroku[run.1]: Error R14 (Memory quota exceeded) mem={n}M {a}", W, 6, 96)
        + "\nheroku[run.1]: Process killed R15 mem=2101M",
        0,
        secs=603,
    )
    s.say(
        "COPY is fine (141 s), but the diff dies at 2.1 GB: `diff_apply` plucks all keys into Ruby sets. For 8 million rows the difference must be done in SQL (`EXCEPT` between staging and live)."
    )
    s.edit(
        "lib/gtfs/diff_apply.rb",
        "    gone = live_keys - staging_keys",
        '    gone = sql("SELECT #{cols} FROM #{live} EXCEPT SELECT #{cols} FROM #{staging}")',
    )
    s.bash("bundle exec rspec && git commit -qam 'GTFS: the difference is made in SQL'", rspec(0, 144))
    s.bash(
        "heroku run -a halte-staging 'bin/rails gtfs:import[rnet]'",
        "staging 8,104,511 rows in 139 s\nexcept: 1,806 s\ndiff: +188,220 -190,004\napply 61 s, departures 402 s\ntotal 2,409 s",
        secs=2409,
    )
    s.say(
        "40 minutes, but `EXCEPT` alone takes 30: it hashes all columns of both tables. With a generated `row_hash` column (md5 of the columns) and an index on it, only the hashes are compared."
    )
    s.reject(
        "bash",
        {
            "command": "heroku pg:psql -a halte -c 'alter table stop_times add column row_hash uuid generated always as (...) stored'",
            "description": "Add hash column",
        },
        "NOT on -a halte!! thats production, adding a stored column rewrites 8M rows with a lock. do it via a migration in batches and only staging for now",
    )
    s.say(
        "Sorry, that was the wrong app, and a stored generated column would have locked the table. A nullable column filled in batches instead."
    )
    s.write(
        "db/migrate/20260929_add_row_hash.rb",
        "class AddRowHash < ActiveRecord::Migration[7.1]\n  disable_ddl_transaction!\n\n  def change\n    add_column :stop_times, :row_hash, :uuid\n    add_index :stop_times, :row_hash, algorithm: :concurrently\n  end\nend\n",
    )
    s.write(
        "lib/tasks/backfill_row_hash.rake",
        "# In batches of 20,000; safe to stop and start again.\nnamespace(:gtfs) { task(backfill: :environment) { Gtfs::Backfill.run(batch: 20_000) } }\n",
    )
    s.bash(
        "heroku run -a halte-staging 'bin/rails db:migrate gtfs:backfill gtfs:import[rnet]'",
        "backfill 8,104,511 rows in 1,140 s\nstaging 8,104,511 rows in 144 s\ndiff by hash: 38 s\napply 58 s, departures 399 s\ntotal 641 s",
        secs=1900,
    )
    s.say("rnet: **641 s** instead of 17,204. Of this 399 s are departures.")
    s.user("realtime updates (GTFS-RT) are matched by trip_id, will that break?")
    explore(s, W, 3, "py", "rb", "app")
    s.say(
        "Not by the import itself: trip ids come from the feed and unchanged trips keep their rows. What would break is the cache: `RealtimeMatcher` keeps `trip_id → departures` in Redis for 24 hours and was flushed by the old import as a whole (importer.rb:92). Without the flush a changed trip would show yesterday's times with today's delays. Flushing all eleven agencies' cache each time is what makes the app slow in the morning, by the way. I'd delete the keys of the changed trips only; the difference knows them."
    )
    s.edit(
        "lib/gtfs/diff_apply.rb",
        "    def after_apply",
        "    def after_apply\n      RealtimeMatcher.forget(changed_trip_ids)",
    )
    s.bash(
        "git add -A && git commit -qm 'GTFS: row hashes; backfill in batches' && git push -q -u origin gtfs-diff", ""
    )
    s.compact(
        "## Goal\nNightly GTFS import of 11 agencies under 1 h and never a moment without departures. Rails 7.1, Postgres 15, Heroku 1 GB dynos.\n\n## Instructions\n- agencies one by one, feature flag gtfs_diff per agency\n- never touch production (`-a halte`) from here; staging is `-a halte-staging`\n- the fork postgresql-curved-31177 costs money and must be destroyed after the tests\n\n## Discoveries\n- TRUNCATE in a long transaction blocked readers; row-by-row inserts; CSV.read beyond memory\n- key of stop_times: trip_id, stop_sequence, arrival_time\n- Ruby sets died at 2.1 GB; EXCEPT took 1,806 s; row_hash: 38 s\n- Lucie: agency `fluvo` sends its feed at 02:40, so the import mustn't start before 03:00\n\n## Accomplished\n18d0e6c and later on gtfs-diff, pushed. tulp 9 s, rnet 641 s on staging.\n\n## Next\n- departures for changed trips only in SQL (399 s now)\n- roll-out: tulp first\n"
    )
    s.say("I continue with the departures: they're rebuilt in Ruby trip by trip.")
    s.edit(
        "lib/gtfs/departures.rb",
        "    trips.find_each { |t| Departure.rebuild(t) }",
        "    sql(INSERT_DEPARTURES, trip_ids: changed)",
    )
    s.bash(
        "bundle exec rspec",
        rspec(
            1,
            146,
            '  1) Departures after midnight belong to the service day\n     expected: "2026-03-29 00:40" got: "2026-03-28 23:40"',
        ),
        1,
    )
    s.say(
        "GTFS times count from *noon minus 12 h* of the service day, not from midnight: on the day of the clock change that's an hour apart. In SQL it has to be `(date + time '12:00') AT TIME ZONE zone - interval '12 h'`."
    )
    s.edit(
        "lib/gtfs/departures.rb",
        "(date::timestamp AT TIME ZONE zone) + arrival",
        "((date + time '12:00') AT TIME ZONE zone) - interval '12 hours' + arrival",
    )
    s.bash(
        "bundle exec rspec && git commit -qam 'GTFS: departures in SQL, counted from noon minus twelve hours'",
        rspec(0, 146),
    )
    s.bash(
        "heroku run -a halte-staging 'bin/rails gtfs:import[rnet]'",
        "staging 8,104,511 rows in 140 s\ndiff by hash: 37 s\napply 59 s, departures 21 s\ntotal 259 s",
        secs=260,
    )
    s.say(
        "rnet 259 s. All eleven by sum of rows: about 14 minutes. I'd now migrate and backfill production (you), then flag on for tulp.",
        end=True,
    )
    s.user(
        "great, i do migrate+backfill on prod tonight. other thing, support ticket: a rider says line 14 stop Molenweg shows twice in the app. bug of your new import?"
    )
    s.bash(
        "psql $STAGING -c \"select id, agency, code, name, round(st_x(geom)::numeric,4) from stops where name = 'Molenweg'\"",
        "  id  | agency | code |   name   | round\n------+--------+------+----------+--------\n 4410 | rnet   | 3011 | Molenweg | 5.7812\n 9127 | fluvo  | 88-2 | Molenweg | 5.7813\n(2 rows)",
    )
    s.say(
        "Not from the import: production doesn't run it yet. Molenweg exists twice because two agencies (rnet 3011, fluvo 88-2) each have the stop, 7 m apart. Line 14 is operated by both. The app would have to merge stops of several agencies (same name, < 30 m); that's a thing of its own.",
        end=True,
    )
    s.say(
        "I can add what a fix would need, for the issue: the app's stop list groups by `stops.id`. Merging by name and distance is easy within one agency's `parent_station`, which neither of these two fills in. Across agencies I'd build a table `places` (id, name, centre) with a nightly job that clusters stops within 30 m *and* the same normalised name, and a manual override for the wrong ones: there will be some, e.g. two platforms called *Centraal* on both sides of a canal, 25 m apart and ten minutes on foot."
    )
    s.user("ah right. put in an issue, not now")
    s.bash(
        "gh issue create --title 'Stops of two agencies at one place show twice (Molenweg)' --body 'rnet 3011, fluvo 88-2, 7 m apart'",
        "https://github.com/halte-app/halte/issues/512",
    )
    s.say("Issue 512. The fork `postgresql-curved-31177` is still running, by the way.", end=True)
    return s


KEY = {
    "end_state": "Differential import done on branch gtfs-diff: rnet 259 s on staging. The last commit (departures) isn't pushed. The user migrates and backfills production tonight, then the flag for tulp. The paid fork still runs. Issue 512 filed.",
    "goal": (
        "Nightly GTFS import under one hour and never a moment without departures",
        "goal: under 1h",
        [["gtfs", "under 1h"], ["gtfs", "under 1 h"], ["nightly gtfs"], ["import", "departures", "takes 6h"]],
    ),
    "decisions": [
        (
            "rnet and fluvo are 78 % of the rows; the other nine may stay on the old import for a week",
            "the other nine together take less",
            [["78 %"], ["rnet and fluvo", "rows"], ["other nine"]],
        ),
        (
            "Guard: the import stops and mails when more than 20 % of an agency's rows would go",
            "20% tho. and mail me",
            [["20%", "mail"], ["20 %", "would go"], ["max_gone"], ["20 %", "stops"]],
            {"by": "user"},
        ),
        (
            "Only the Redis keys of changed trips are dropped (RealtimeMatcher.forget)",
            "delete the keys of the changed trips only",
            [["realtime", "changed trips"], ["redis", "trip"], ["realtimematcher", "forget"]],
        ),
        (
            "COPY into an unlogged staging table, then apply only the difference, one short transaction per table",
            "apply only the difference",
            [
                ["copy", "staging", "difference"],
                ["apply only the difference"],
                ["staging", "diff"],
                ["short transaction"],
            ],
        ),
        (
            "Feature flag gtfs_diff per agency, tulp first",
            "feature flag per agency",
            [["flag per agency"], ["gtfs_diff", "agency"], ["flag", "tulp"]],
        ),
        (
            "row_hash with an index, filled in batches",
            "A nullable column filled in batches",
            [["row_hash", "backfill"], ["row_hash", "index"], ["row hashes"], ["hashes", "batches"]],
        ),
        (
            "Key of stop_times: trip_id, stop_sequence, arrival_time",
            "The key needs the arrival time",
            [["stop_sequence", "arrival_time"], ["key", "arrival time"]],
        ),
        (
            "Departures in SQL, counted from noon minus twelve hours",
            "count from *noon minus 12 h*",
            [["noon minus"], ["departures in sql"], ["service day", "clock change"]],
        ),
    ],
    "failed": [
        (
            "An empty staging table (crash, broken feed) would have deleted everything",
            "would delete everything",
            [["empty staging"], ["delete everything"], ["broken feed"]],
        ),
        (
            "Ruby sets of all keys: killed at 2.1 GB",
            "the diff dies at 2.1 GB",
            [["2.1 gb"], ["ruby sets"], ["diff", "2101m"]],
        ),
        (
            "EXCEPT over all columns: 1,806 s",
            "`EXCEPT` alone takes 30",
            [["except", "1,806"], ["except alone", "30"], ["except", "all columns"]],
        ),
        (
            "A stored generated column would rewrite and lock the table",
            "rewrites 8M rows with a lock",
            [["stored column", "lock"], ["generated column"], ["rewrites 8m"]],
        ),
        (
            "The doubled stop Molenweg isn't the import's fault: two agencies",
            "Not from the import",
            [["molenweg", "agencies"], ["molenweg", "twice"], ["not from the import"]],
        ),
    ],
    "constraints": [
        (
            "Don't touch production (-a halte); only staging",
            "NOT on -a halte",
            [["-a halte", "production"], ["touch prod"], ["never touch production"], ["halte-staging", "production"]],
        ),
        ("1 GB dynos", "1GB mem", [["1gb", "dyno"], ["1 gb dyno"]]),
        (
            "fluvo's feed comes at 02:40, so not before 03:00",
            "`fluvo` sends its feed at 02:40",
            [["02:40", "feed"], ["fluvo", "03:00"], ["before 03:00"]],
        ),
        (
            "The fork costs money: destroy it afterwards",
            "fork costs money",
            [
                ["fork", "destroy"],
                ["fork", "money"],
                ["curved-31177", "fork"],
                ["curved-31177", "destroy"],
                ["fork", "still running"],
            ],
        ),
    ],
    "open": [
        (
            "The fork postgresql-curved-31177 still runs",
            "is still running, by the way",
            [["curved-31177", "fork"], ["curved-31177", "destroy"], ["fork", "still running"]],
        ),
        (
            "Issue 512: stops of two agencies show twice",
            "issues/512",
            [["issue 512"], ["stops of two agencies"], ["512", "molenweg"]],
        ),
        (
            "Agency roll-out: none is on the new import in production yet",
            "production doesn't run it yet",
            [
                ["not in production yet"],
                ["no agency", "production"],
                ["nothing is live"],
                ["production doesn't run"],
                ["flag on for tulp"],
                ["roll out", "tulp"],
                ["roll-out", "tulp"],
            ],
        ),
    ],
    "next": (
        "After the user's migration and backfill on production: flag on for tulp; destroy the fork",
        "then flag on for tulp",
        [
            ["flag on for tulp"],
            ["backfill", "prod", "tonight"],
            ["migrate", "backfill", "tulp"],
            ["roll-out", "tulp"],
            ["migrate+backfill", "prod"],
        ],
    ),
    "needed": [
        (
            "The user migrates and backfills production tonight",
            "migrate+backfill on prod tonight",
            [["migrate+backfill", "prod"], ["backfill", "tonight"], ["migrate and backfill production"]],
            {"weight": 3},
        ),
        (
            "rnet takes 259 s on staging, all eleven about 14 minutes",
            "rnet 259 s",
            [["259 s"], ["14 minutes"]],
            {"weight": 2},
        ),
        (
            "The fork has to be destroyed",
            "is still running, by the way",
            [["curved-31177", "fork"], ["curved-31177", "destroy"], ["fork", "still running"], ["fork", "destroy"]],
            {"weight": 2},
        ),
        (
            "The departures commit came after the push",
            "departures in SQL, counted",
            [
                ["departures", "not pushed"],
                ["departures", "unpushed"],
                ["departures", "after the push"],
                ["departures in sql", "commit"],
                ["counted from noon"],
            ],
            {"weight": 1},
        ),
        ("146 examples pass", "146 examples, 0", [["146 examples"]], {"weight": 1}),
    ],
    "checks": [("bundle exec rspec", "146 examples, 0", "pass")],
    "traps": [
        ("The guard stands at 30 %", None, [["when more than 30 % of an agency"], ["guard at 30 %"]]),
        ("rnet takes 641 s", None, [["rnet 641 s on staging"], ["rnet: 641 s instead"]]),
        (
            "Next: departures in SQL (done)",
            None,
            [["departures for changed trips only in sql (399 s now)"], ["i continue with the departures"]],
        ),
        ("The import shows stops twice", None, [["bug of your new import"], ["import duplicates stops"]]),
        ("Molenweg is the goal", None, [["goal: ah right"], ["goal\n- ah right"], ["request: great, i do migrate"]]),
        (
            "The hash column is generated stored",
            None,
            [["generated `row_hash` column (md5"], ["row_hash uuid generated always"]],
        ),
        ("It runs in production", None, [["rolled out to tulp"], ["tulp is live"]]),
    ],
}
NEXT = {
    "goal": "Nightly GTFS import of 11 agencies in under an hour, with departures always there.",
    "next": "When the user has migrated and backfilled production, switch the flag on for tulp; destroy the fork postgresql-curved-31177; push the last commit.",
    "state": "The differential import is done on gtfs-diff (rnet 259 s on staging, 146 examples pass); nothing is live; the last commit is unpushed; the fork still runs.",
}
CLAIMS = (
    ("State", "rnet takes 259 s on staging; 146 examples pass."),
    ("State", "The fork postgresql-curved-31177 is still running."),
    ("Decisions", "User runs migration and backfill on production tonight."),
    ("Dead ends", "EXCEPT over all columns took 1,806 s."),
    ("State", "Issue 512 is filed for the doubled stop Molenweg."),
    ("State", "`row_hash` was added on production with a stored generated column.", "run", "The user refused that."),
    ("State", "The flag is on for tulp in production.", "run", "Not yet."),
    ("State", "The fork was destroyed after the tests.", "run", "It still runs."),
    ("Dead ends", "Molenweg shows twice because of the new import.", "cause", "Two agencies have the stop."),
    ("Decisions", "The key of stop_times is trip_id and stop_sequence.", "file", "With arrival_time."),
)
