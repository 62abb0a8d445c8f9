"""Claude Code, Rust, terse: external sort built and replaced by hash buckets, a compaction, cut off while Ctrl-C is being mended."""

from benchmarks.made.record import Claude, explore, filler, log

W = ["record", "header", "column", "field", "bucket", "writer"]
T = [
    "keeps_first",
    "two_key_columns",
    "header_kept",
    "empty_key",
    "crlf",
    "quoted_newline",
    "keeps_first_across_buckets",
    "unicode_key",
]


def cargo(failed=(), extra=(), detail=""):
    rows = [f"test dedupe::{t} ... {'FAILED' if t in failed else 'ok'}" for t in [*T, *extra]]
    rows = log("   Compiling {a}-{b} v0.{i}.{n}", W, 9, 3).splitlines() + [
        "   Compiling csvtidy v0.9.2 (/home/mk/csvtidy)",
        "",
        f"running {len(rows)} tests",
        *rows,
    ]
    if failed:
        rows += ["", "failures:", "", detail, "", "failures:"] + [f"    dedupe::{t}" for t in failed]
    bad = len(failed)
    return "\n".join(
        [
            *rows,
            "",
            f"test result: {'FAILED' if bad else 'ok'}. {len(T) + len(extra) - bad} passed; {bad} failed; 0 ignored; 0 measured; 31 filtered out",
        ]
    )


def session():
    s = Claude("rs-csv-dedupe", "/home/mk/csvtidy", "dedupe", "2026-09-14T19:02:00", "mkrl/csvtidy")
    s.user(
        "need --dedupe <cols> in csvtidy. keep first. files go to 40gb, box has 2gb ram. msrv 1.74, no nightly. look first dont code"
    )
    s.bash(
        "git log --oneline -4; ls src tests; cat Cargo.toml",
        'c01d9f4 0.9.2\n5e77a10 trim: keep BOM\n1b0f3d9 --select by index\n77c2a0e sniff delimiter\nmain.rs\npipeline.rs\nsniff.rs\ntrim.rs\ncli.rs\nselect.rs\ntrim.rs\n[package]\nname = "csvtidy"\nversion = "0.9.2"\nrust-version = "1.74"\n\n[dependencies]\ncsv = "1.3"\nclap = { version = "4.4", features = ["derive"] }\nsignal-hook = "0.3"\nanyhow = "1"',
    )
    s.read("src/pipeline.rs", filler("rs", W, 130, 11))
    s.read("src/main.rs", filler("rs", W, 60, 12))
    s.grep(
        "signal_hook", "src/main.rs:21:    signal_hook::flag::register(signal_hook::consts::SIGTERM, stop.clone())?;"
    )
    explore(s, W, 5, "rs", "rs")
    s.say(
        "Three ways:\n\n1. a set of 64-bit hashes in memory: simple, but every row costs about 16 bytes\n2. external merge sort by key, then sort back by row number\n3. spread rows over bucket files by hash of the key, dedupe each bucket alone\n\nHow many rows has such a file?",
        end=True,
    )
    s.user("dunno. orders_2026.csv in ~/data is a 4gb cut of one")
    s.bash(
        "wc -l ~/data/orders_2026.csv; head -c 400 ~/data/orders_2026.csv",
        "48112907 /home/mk/data/orders_2026.csv\norder_id,shop,sku,qty,ts\n"
        + log("{n}-{i},{a},{b},{i},2026-02-11T10:0{i}", W, 5, 4),
        secs=9,
    )
    s.say(
        "48 million rows in 4 GB, so about 480 million in 40 GB: option 1 needs roughly 7.7 GB. Out. I would take the external sort, it is the textbook way and its memory is bounded.",
        end=True,
    )
    s.user("ok go. output order = input order, thats the whole point")
    s.todo(
        ("extsort.rs: sorted runs, merge", "in_progress"),
        ("sort back by row number", "pending"),
        ("cli flag", "pending"),
        ("tests", "pending"),
        ("bench 4gb", "pending"),
    )
    s.write(
        "src/extsort.rs",
        "//! External merge sort of rows by key: runs of 64 MB, k-way merge, then back by row number.\n"
        + filler("rs", W, 84, 13),
    )
    s.edit("src/main.rs", "mod pipeline;", "mod extsort;\nmod pipeline;")
    s.edit(
        "src/pipeline.rs",
        "        Stage::Select(cols) => select(cols, rows),",
        "        Stage::Select(cols) => select(cols, rows),\n        Stage::Dedupe(cols) => extsort::dedupe(cols, rows, &self.tmp),",
    )
    s.write(
        "tests/dedupe.rs",
        "//! --dedupe keeps the first row of each key, in the order of the input.\n" + filler("rs", W, 70, 14),
    )
    s.bash("cargo test dedupe", cargo(), secs=14)
    s.say("All eight green. Now the 4 GB file.")
    s.bash(
        "cargo build -r -q && /usr/bin/time -v target/release/csvtidy --dedupe order_id,sku ~/data/orders_2026.csv -o /dev/null",
        background="b7k2m1",
    )
    s.poll("b7k2m1", "runs written: 31 of 64")
    s.notify(
        "b7k2m1", "cargo build -r -q && /usr/bin/time -v target/release/csvtidy --dedupe …", "completed (exit code 0)"
    )
    s.bash(
        "tail -25 /tmp/claude-1000/tasks/b7k2m1.output",
        "runs written: 64 of 64\nmerge 1: done\nmerge 2 (row order): done\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 41:07\n\tMaximum resident set size (kbytes): 151200\n\tFile system outputs: 50331648\n"
        + log("\t{a} {b} faults: {n}", W, 12, 5),
    )
    s.say(
        "Memory is fine (151 MB) but it took **41 minutes** for 4 GB: two full sorts write the data six times.",
        end=True,
    )
    s.user(
        "what does it do all the time? strace says:\n\n"
        + log('[pid 4411] {{{a}}} write(7, "{n},{b},{n}"..., 8192) = 8192 <0.000{n}>', W, 30, 61)
    )
    explore(s, W, 2, "rs", "rs")
    s.say(
        "Those are the run files: 8 KB at a time, which is the default of `BufWriter`, so for 24 GB that's three million system calls. A larger buffer helps a bit, but not by a factor of four:\n\n| step | bytes | share of the time |\n| --- | --- | --- |\n| read input | 4 GB | 6 % |\n| write runs, sorted by key | 4.4 GB | 17 % |\n| merge 1, write | 4.4 GB | 22 % |\n| sort by row number, runs | 4.4 GB | 19 % |\n| merge 2, write | 4 GB | 21 % |\n| parsing and comparing keys | – | 15 % |\n\nI tried `lz4` on the runs in my head only: it would trade writing for processor time and bring maybe 30 %. The sort itself isn't the problem, it's that every row is moved four times although 99.6 % of the rows are kept anyway. A method that moves only *keys* would write a tenth.",
        end=True,
    )
    s.user(
        "41 min lol no. i want <10. do the buckets (your 3). and put tmp files next to the input, /tmp is tmpfs on the box, learned that the hard way"
    )
    s.say(
        "Buckets then: 256 files by hash of the key, each deduped alone with a plain HashSet of keys, which gives the row numbers to drop; a second pass over the input writes all others in order. `extsort.rs` goes."
    )
    s.bash(
        "git rm -q --cached src/extsort.rs 2>/dev/null; rm src/extsort.rs && ls src",
        "main.rs\npartition.rs\npipeline.rs\nsniff.rs\ntrim.rs".replace("partition.rs\n", ""),
    )
    s.write(
        "src/partition.rs",
        "//! Dedupe by hash buckets: pass 1 spreads (key, row number) over 256 files, pass 2 copies what is kept.\n"
        + filler("rs", W, 92, 15),
    )
    s.edit("src/main.rs", "mod extsort;\nmod pipeline;", "mod partition;\nmod pipeline;")
    s.edit(
        "src/pipeline.rs",
        "extsort::dedupe(cols, rows, &self.tmp)",
        "partition::dedupe(cols, rows, &self.beside_input())",
    )
    s.bash(
        "cargo test dedupe",
        cargo(
            ("quoted_newline", "keeps_first_across_buckets"),
            detail='---- dedupe::quoted_newline stdout ----\nthread \'dedupe::quoted_newline\' panicked at tests/dedupe.rs:88:5:\nassertion `left == right` failed\n  left: "id,note\\n1,\\"a\\n"\n right: "id,note\\n1,\\"a\\nb\\"\\n"\n---- dedupe::keeps_first_across_buckets stdout ----\npanicked at tests/dedupe.rs:131:5: row 3 lost',
        ),
        101,
        secs=12,
    )
    s.say(
        "Two reds, two faults of mine. Pass 2 splits the input at `\\n`, which breaks quoted newlines; it has to go through the csv reader as well. And the row numbers restart with each chunk of 64k rows, so row 3 of chunk two counts as row 3 of chunk one."
    )
    s.edit(
        "src/partition.rs",
        "    for (n, line) in input.split(b'\\n').enumerate() {",
        "    for (n, record) in reader.byte_records().enumerate() {",
    )
    s.edit("src/partition.rs", "        let row = i as u64;", "        let row = base + i as u64;")
    s.bash("cargo test dedupe", cargo(), secs=11)
    s.bash(
        "cargo build -r -q && /usr/bin/time -v target/release/csvtidy --dedupe order_id,sku ~/data/orders_2026.csv -o /dev/null 2>&1 | grep -E 'Elapsed|Maximum|kept'",
        "kept 47909114 of 48112906\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 6:12\n\tMaximum resident set size (kbytes): 188416",
        secs=373,
    )
    s.say("6:12 and 184 MB. 203,792 duplicates dropped.", end=True)
    s.user("works with --select and --trim in one run? which order")
    explore(s, W, 3, "rs", "rs")
    s.say(
        "The stages have a fixed order, whatever the order of the flags: sniff, trim, select, dedupe, write. What follows from that:\n\n- trim comes first, so `' 17'` and `'17'` are the same key. I think that's what you want.\n- select comes **before** dedupe, so a key column that isn't selected is gone when dedupe looks for it. Today that is the error `no column order_id`.\n- with `--select` the bucket files get smaller, since only the selected columns... no, that's wrong: buckets hold the key and the row number only, never the row. So it makes no difference for disk use.\n- `--header-case` isn't a stage, it only changes the first line.\n\nThe README says nothing about any order, so changing it breaks no promise.",
        end=True,
    )
    s.user("dedupe before select then. dropping the key col afterwards is normal")
    s.edit(
        "src/pipeline.rs",
        "const ORDER: [Kind; 4] = [Trim, Select, Dedupe, Write];",
        "const ORDER: [Kind; 4] = [Trim, Dedupe, Select, Write];",
    )
    s.bash("cargo test dedupe", cargo(), secs=10)
    s.say("Dedupe runs before select now; `two_key_columns` selects a third column to hold that.")
    s.user("gz? stdin?")
    s.say(
        "Neither works at the moment, for the same reason: two passes.\n\n| input | pass 1 | pass 2 | today |\n| --- | --- | --- | --- |\n| plain file | read | read again | works |\n| .gz | decompress | decompress again | not recognised, reads garbage |\n| stdin | read | can't be rewound | hangs |\n\nFor gz it's just decompressing twice (about 40 s more per pass on the 4 GB file, by `zcat | wc`), `flate2` is not in Cargo.toml. For stdin the whole stream would have to be spooled to disk first, that is another 40 GB beside the input. I'd make stdin a clear error.",
        end=True,
    )
    s.user("stdin: error. gz later, not this branch")
    s.edit(
        "src/main.rs",
        "    let input = args.input;",
        '    if args.dedupe.is_some() && args.input.is_stdin() {\n        bail!("--dedupe reads its input twice, so it can\'t be stdin: name a file");\n    }\n    let input = args.input;',
    )
    s.user("nice. what about one giant bucket? shop sends order_id empty sometimes, thats millions of the same key")
    s.say(
        "Same key means one entry in the set, so that bucket's *set* stays small; only its file grows. What would hurt is millions of *different* keys that hash alike, which the hash (ahash with a fixed seed) doesn't give.\n\nBut empty keys raise another question: are two rows with an empty key duplicates at all?",
        end=True,
    )
    s.user("no. empty key = never a dup, keep all")
    s.edit(
        "src/partition.rs",
        "        buckets[slot(&key)].push(&key, row)?;",
        "        if key.is_empty() {\n            continue; // no key, no duplicate\n        }\n        buckets[slot(&key)].push(&key, row)?;",
    )
    s.edit(
        "tests/dedupe.rs",
        'fn empty_key() {\n    assert_eq!(run("id\\n\\n\\n"), "id\\n\\n");',
        'fn empty_key() {\n    assert_eq!(run("id,x\\n,1\\n,2\\n"), "id,x\\n,1\\n,2\\n");',
    )
    s.bash(
        "cargo test -q 2>&1 | tail -5",
        "running 39 tests\n.......................................\ntest result: ok. 39 passed; 0 failed; 0 ignored; 0 measured",
        secs=9,
    )
    s.bash(
        "git add -A && git commit -qm 'dedupe: hash buckets, empty keys are kept' && git log --oneline -1",
        "d2b8e61 dedupe: hash buckets, empty keys are kept",
    )
    s.compact("""1. Primary request: `--dedupe <cols>` for csvtidy, keep the first row per key, output in input order, 40 GB files on a box with 2 GB of RAM. MSRV 1.74, no nightly.
2. Done: src/partition.rs (256 hash buckets, row numbers to drop, second pass over the input), tests/dedupe.rs. The external sort (src/extsort.rs) was removed because 41 minutes for 4 GB was too slow.
3. Bench on ~/data/orders_2026.csv: 6:12, 184 MB.
4. Decisions by the user: empty key is never a duplicate; temporary files beside the input since /tmp is tmpfs on the box.
5. Committed d2b8e61 on branch dedupe.
6. Pending: clippy, changelog, push. User mentioned that a run on two files at once is not needed.""")
    s.user("clippy, changelog entry, push")
    s.bash(
        "cargo clippy --all-targets -- -D warnings",
        "error: this loop could be written as a `while let` loop\n  --> src/partition.rs:71:5\n   |\n71 |     loop {\n   |     ^^^^ help: try: `while let Some(chunk) = chunks.next()`\n\nerror: could not compile `csvtidy` (lib) due to 1 previous error",
        101,
    )
    s.edit(
        "src/partition.rs",
        "    loop {\n        let Some(chunk) = chunks.next() else { break };",
        "    while let Some(chunk) = chunks.next() {",
    )
    s.bash(
        "cargo clippy --all-targets -- -D warnings && cargo +1.74 check",
        "    Checking csvtidy v0.9.2 (/home/mk/csvtidy)\n    Finished `dev` profile\nerror[E0658]: use of unstable library feature 'lazy_cell'\n --> src/partition.rs:9:5\n  |\n9 | use std::sync::LazyLock;",
        101,
    )
    s.say("`LazyLock` is stable only since 1.80; with 1.74 it has to be `OnceLock`.")
    s.edit("src/partition.rs", "use std::sync::LazyLock;", "use std::sync::OnceLock;")
    s.bash(
        "cargo +1.74 check && cargo clippy --all-targets -- -D warnings && cargo test -q 2>&1 | tail -2",
        "    Finished `dev` profile\n    Finished `dev` profile\ntest result: ok. 39 passed; 0 failed; 0 ignored; 0 measured",
        secs=20,
    )
    s.edit(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n- `--dedupe COLS`: keeps the first row of each key, in input order, in bounded memory\n",
    )
    s.bash(
        "git commit -qam 'dedupe: clippy, 1.74, changelog' && git push -q -u origin dedupe && git status -sb | head -1",
        "## dedupe...origin/dedupe",
    )
    s.say("Pushed. No PR opened.", end=True)
    s.user("how sure are you about hash collisions btw. dropping a row that's no dup = bad day")
    explore(s, W, 3, "rs", "rs")
    s.say(
        "A collision can't drop a row. The hash only chooses the bucket; within a bucket the set holds the **whole key bytes**, joined with a 0x1f between columns, and compares those. Two different keys with the same hash land in one bucket and stay two keys.\n\nWhat can go wrong is the 0x1f itself: a field that contains that byte could make `a\\x1f` + `b` equal `a` + `\\x1fb`. In CSV from a shop I wouldn't expect it, but it's one line to put the length in front of each column instead. I haven't done that; say the word.\n\nWhile I was at it I looked at the size of keys: the longest in your file has 61 bytes, on average 22, so a bucket of 190,000 keys takes about 9 MB. The 184 MB at the peak are mostly 256 write buffers of 512 KB.",
        end=True,
    )
    s.user("fine. length prefix: leave it")
    s.say(
        "Left. Since you'll read the diff: the parts that deserve a look are `spread()` (who owns the write buffers), the `base` of row numbers per chunk, and the second pass, where the sorted list of rows to drop is walked along with the reader instead of being looked up. That list is 8 bytes a dropped row, so a file with 100 million duplicates needs 800 MB for it. For your 0.4 % it's nothing, but it's the one place where memory isn't bounded. The changelog says *bounded memory*, which is a bit too much.",
        end=True,
    )
    s.user("hm. how many dups max on the box?")
    s.say(
        "2 GB minus what's running, say 1.2 GB free: 150 million dropped rows. Above that it should spill that list as well, to one file per bucket, merged. I'd note it as a limit in the README for now.",
        end=True,
    )
    s.user("note in readme yes. spill when someone hits it")
    s.edit(
        "README.md", "## Limits\n", "## Limits\n\n- `--dedupe` keeps 8 bytes in memory for every row that it drops.\n"
    )
    s.command(
        "cost",
        "",
        "Total cost: $3.87\nTotal duration (API): 14m 2s\nTotal code changes: 402 lines added, 131 lines removed",
    )
    s.user("ctrl-c leaves 256 bucket files in the data dir. fix")
    s.say("The bucket folder is removed at the end of `dedupe()` only. A handler for SIGINT is missing.")
    s.reject(
        "Edit",
        {
            "file_path": "/home/mk/csvtidy/Cargo.toml",
            "old_string": 'anyhow = "1"',
            "new_string": 'anyhow = "1"\nctrlc = "3.4"',
            "replace_all": False,
        },
        "no new crate for that. signal-hook is already in there",
    )
    s.edit(
        "src/partition.rs",
        '    let dir = input.with_extension("buckets");',
        '    let dir = BucketDir::create(input.with_extension("buckets"))?; // removed on drop',
    )
    s.edit(
        "src/main.rs",
        "    signal_hook::flag::register(signal_hook::consts::SIGTERM, stop.clone())?;",
        "    for signal in [SIGTERM, SIGINT] {\n        signal_hook::flag::register(signal, stop.clone())?;\n    }",
    )
    s.edit(
        "tests/dedupe.rs",
        "fn unicode_key() {",
        'fn interrupt_cleans_up() {\n    let dir = scratch();\n    let child = spawn_slow(&dir);\n    kill(child, SIGINT);\n    assert!(!dir.join("in.buckets").exists());\n}\n\n#[test]\nfn unicode_key() {',
    )
    s.bash(
        "cargo test dedupe",
        cargo(
            ("interrupt_cleans_up",),
            ("interrupt_cleans_up",),
            '---- dedupe::interrupt_cleans_up stdout ----\npanicked at tests/dedupe.rs:160:5: assertion failed: !dir.join("in.buckets").exists()',
        ),
        101,
        secs=12,
    )
    s.say(
        "The flag is set, but `main` answers it with `std::process::exit(130)`, which runs no destructors, so the guard's `drop` never happens. `run()` has to return an error that `main` turns into the exit code."
    )
    s.edit("src/main.rs", "            std::process::exit(130);", "            return Err(Interrupted.into());")
    s.bash("cargo test dedupe::interrupt", None)
    return s


KEY = {
    "end_state": "--dedupe works by hash buckets, two commits pushed, no PR. Ctrl-C clean-up in hand, uncommitted: the last edit lets main return an error instead of exit(130); its test run has no result.",
    "goal": (
        "csvtidy gets --dedupe for 40 GB files on a box with 2 GB of RAM",
        "need --dedupe <cols>",
        [
            ["--dedupe", "keep first"],
            ["--dedupe", "40"],
            ["dedupe", "2gb"],
            ["--dedupe", "2 gb"],
            ["--dedupe", "csvtidy"],
        ],
    ),
    "decisions": [
        (
            "The list of dropped rows stays in memory (8 bytes each), noted as a limit in the README",
            "note in readme yes",
            [["8 bytes", "drop"], ["800 mb", "100 million"], ["spill", "someone hits"], ["limit", "readme"]],
            {"by": "user"},
        ),
        (
            "Dedupe runs before select, as the key column may be dropped afterwards",
            "dedupe before select then",
            [["dedupe before select"], ["dedupe runs before select"], ["before select", "key"]],
            {"by": "user"},
        ),
        (
            "stdin is a clear error, since the input is read twice",
            "reads its input twice",
            [["stdin", "error"], ["stdin", "twice"], ["stdin", "two passes"]],
            {"by": "user"},
        ),
        (
            "Hash buckets (256 files) instead of a sort",
            "do the buckets",
            [["256", "bucket"], ["hash bucket"], ["do the buckets"]],
        ),
        (
            "Two passes: buckets give the row numbers to drop, the second pass copies the rest in order",
            "gives the row numbers to drop",
            [["row numbers to drop"], ["second pass", "input"], ["pass 2", "kept"]],
        ),
        (
            "An empty key is never a duplicate",
            "empty key = never a dup",
            [["empty key", "never"], ["empty key", "keep all"], ["empty keys are kept"]],
            {"by": "user"},
        ),
        (
            "OnceLock, since LazyLock needs 1.80",
            "stable only since 1.80",
            [["oncelock", "lazylock"], ["lazylock", "1.80"], ["oncelock", "1.74"]],
        ),
        (
            "SIGINT beside SIGTERM through signal-hook, a guard removes the folder on drop",
            "removed on drop",
            [["sigint", "guard"], ["sigint", "signal-hook"], ["bucket folder", "removed"]],
        ),
        (
            "Pass 2 reads through the csv reader because of quoted newlines",
            "which breaks quoted newlines",
            [["quoted newline", "csv reader"], ["pass 2", "quoted"], ["newlines", "pass 2"]],
        ),
    ],
    "failed": [
        (
            "External merge sort: 41 minutes for 4 GB",
            "41 minutes",
            [["41 min", "sort"], ["extsort", "41"], ["extsort", "too slow"]],
        ),
        ("A set of hashes in memory: 7.7 GB for 480 million rows", "7.7 GB", [["7.7 gb"], ["480 million", "memory"]]),
        (
            "process::exit(130) runs no destructors",
            "runs no destructors",
            [["exit(130)", "destructors"], ["exit(130)", "drop"], ["exit", "no destructors"]],
        ),
    ],
    "constraints": [
        (
            "The length prefix for key columns is left out",
            "length prefix: leave it",
            [["length prefix"], ["0x1f", "length"]],
        ),
        ("MSRV 1.74, no nightly", "msrv 1.74", [["msrv 1.74"], ["1.74", "nightly"]]),
        (
            "Output in the order of the input",
            "output order = input order",
            [["output order"], ["input order"], ["order of the input"]],
        ),
        (
            "Temporary files beside the input, /tmp is tmpfs",
            "tmp files next to the input",
            [["next to the input"], ["beside the input"], ["/tmp is tmpfs"]],
        ),
        (
            "No new crate for the signal",
            "no new crate for that",
            [["no new crate"], ["signal-hook is already"], ["ctrlc", "no new"]],
        ),
        (
            "4 GB in less than ten minutes",
            "i want <10",
            [
                ["10 minutes", "4 gb"],
                ["ten minutes", "4 gb"],
                ["want <10"],
                ["<10", "41 min"],
                ["too slow", "41 minutes"],
            ],
        ),
    ],
    "open": [
        (
            "gz input is for later, not in this branch",
            "gz later, not this branch",
            [["gz later"], ["gz", "not this branch"], ["gz", "later"]],
        ),
        (
            "Ctrl-C leaves the bucket files",
            "ctrl-c leaves",
            [["ctrl-c", "bucket"], ["interrupt", "bucket"], ["sigint", "bucket"]],
        ),
        ("No PR opened yet", "No PR opened", [["no pr opened"], ["pushed", "pr opened"]]),
    ],
    "next": (
        "Run the interrupt test again after main returns Interrupted, then the suite, then commit",
        "last:cargo test dedupe::interrupt",
        [["dedupe::interrupt"], ["interrupt_cleans_up"], ["main", "interrupted"], ["main", "exit(130)"]],
    ),
    "needed": [
        (
            "The clean-up on Ctrl-C is uncommitted and its test's result unknown",
            "last:cargo test dedupe::interrupt",
            [
                ["ctrl-c", "uncommitted"],
                ["sigint", "uncommitted"],
                ["interrupt_cleans_up", "uncommitted"],
                ["interrupt_cleans_up", "no result"],
                ["ctrl-c", "not committed"],
                ["cargo test dedupe::interrupt"],
                ["interrupt_cleans_up", "failed"],
            ],
            {"weight": 3},
        ),
        (
            "main.rs: exit(130) became return Err(Interrupted)",
            "return Err(Interrupted.into())",
            [["main", "interrupted"], ["exit(130)", "main"], ["main", "exit code", "error"]],
            {"weight": 3},
        ),
        (
            "Two commits pushed on branch dedupe, d2b8e61 the first",
            "d2b8e61",
            [["pushed", "dedupe"], ["d2b8e61", "bucket"], ["origin/dedupe"]],
            {"weight": 2},
        ),
        (
            "39 tests, clippy and 1.74 green before the Ctrl-C work",
            "last:39 passed",
            [["39 passed"], ["39 tests"], ["clippy", "1.74"]],
            {"weight": 1},
        ),
        (
            "Bench: 6:12 and 184 MB on orders_2026.csv",
            "6:12",
            [["6:12", "4 gb"], ["6:12", "184"], ["184 mb", "bench"]],
            {"weight": 1},
        ),
    ],
    "checks": [("cargo test -q", "last:39 passed", "pass"), ("cargo test dedupe", "160:5", "fail")],
    "traps": [
        ("Select before dedupe", None, [["sniff, trim, select, dedupe, write"]]),
        ("stdin hangs / gz is to be built now", None, [["can't be rewound | hangs"], ["next: gz"]]),
        (
            "Items of the to-do list that was never brought up to date are open",
            None,
            [["sort back by row number"], ["bench 4gb"]],
        ),
        (
            "External sort is what is built",
            None,
            [["merge 2 (row order): done"], ["i would take the external sort"], ["extsort.rs: sorted runs, merge"]],
        ),
        ("Clippy, changelog, push are still to do", None, [["pending: clippy, changelog, push"], ["next: clippy"]]),
        (
            "Two tests are red (quoted newline): mended",
            None,
            [["two reds, two faults of mine"], ["quoted_newline: failed"], ["quoted_newline ... failed"]],
        ),
        ("LazyLock breaks 1.74 (mended)", None, [["unstable library feature 'lazy_cell'"]]),
        ("A PR is open", None, [["pr is open"], ["opened a pr"]]),
        (
            "interrupt_cleans_up passes",
            None,
            [["interrupt_cleans_up passes"], ["interrupt_cleans_up ... ok"], ["40 passed"]],
        ),
    ],
}
NEXT = {
    "goal": "csvtidy gets --dedupe COLS that keeps the first row per key, in input order, for 40 GB files in 2 GB of RAM.",
    "next": "Run cargo test dedupe::interrupt again (main now returns Err(Interrupted)), then the whole suite, then commit.",
    "state": "--dedupe by hash buckets is committed and pushed on branch dedupe (no PR); the Ctrl-C clean-up and the README limit are uncommitted, and the last test run has no result.",
}
CLAIMS = (
    ("State", "`--dedupe` works by 256 hash buckets in `src/partition.rs`; committed as `d2b8e61`."),
    ("State", "Branch `dedupe` is pushed to origin, there is no PR yet."),
    ("State", "39 tests passed before the Ctrl-C work."),
    ("Dead ends", "External merge sort: 41 minutes for the 4 GB file."),
    ("Decisions", "User: an empty key is never a duplicate, keep all such rows."),
    (
        "State",
        "`interrupt_cleans_up` passes now, 40 tests green.",
        "check",
        "Its only finished run failed; the last has no result.",
    ),
    ("State", "The Ctrl-C clean-up is committed and pushed.", "commit", "It is uncommitted."),
    ("Decisions", "Added the `ctrlc` crate for SIGINT.", "file", "The user refused that edit."),
    ("Decisions", "`src/extsort.rs` stays as a fallback for small files.", "file", "It was deleted."),
    ("Dead ends", "Buckets need 600 MB on the 4 GB file.", "number", "184 MB were measured."),
)
