"""Rust: a compaction whose open points are closed afterwards, a benchmark in the background, an approach that lost by numbers."""

from benchmarks.made.record import Claude, filler

W = ["frame", "cursor", "segment", "reader", "offset", "index"]


def cargo(n, failed=None, detail="", more=0, secs="0.84"):
    parts = ["merge", "cursor", "segment", "order", "ties", "empty", "gzip", "skip", "utf8", "limit"]
    rows = [
        f"test {parts[i % 10]}::tests::{parts[(i * 3 + 1) % 10]}_{i:02d} ... ok"
        for i in range(n - (1 if failed else 0))
    ]
    if failed:
        rows.insert(n // 2, f"test {failed} ... FAILED")
    out = [
        "   Compiling braidlog v0.9.1 (/home/dev/braidlog)",
        f"    Finished `test` profile [unoptimized + debuginfo] target(s) in 6.{n % 60:02d}s",
        "     Running unittests src/lib.rs",
        "",
        f"running {n} tests",
        *rows,
    ]
    if failed:
        out += ["", "failures:", "", f"---- {failed} stdout ----", detail, "", "failures:", f"    {failed}"]
    out += [
        "",
        f"test result: {'FAILED' if failed else 'ok'}. {n - bool(failed)} passed; {int(bool(failed))} failed; 0 ignored; 0 measured; 0 filtered out; finished in {secs}s",
    ]
    return "\n".join(out)


def session():
    s = Claude(
        "rs-log-merge",
        "/home/dev/braidlog",
        "kway-merge",
        "2026-08-31T09:05:00",
        "oddfellow/braidlog",
        model="claude-opus-4-6",
    )
    s.user(
        "braidlog merges n log files by timestamp. today it loads all of them into a Vec and sorts. it needs to be a streaming k-way merge so that 40 GB doesnt need 40 GB of RAM. "
        "constraints: stable for equal timestamps (file order on the command line), no unsafe, MSRV stays 1.74. --follow is not part of this"
    )
    s.say("I'll read the merge as it is first.")
    s.bash(
        "wc -l src/*.rs && cat rust-toolchain.toml && cargo --version",
        '  212 src/cursor.rs\n   88 src/lib.rs\n  340 src/main.rs\n  161 src/merge.rs\n  274 src/segment.rs\n 1075 total\n[toolchain]\nchannel = "1.74.1"\ncargo 1.74.1 (ecb9851af 2023-10-18)',
        desc="Size and toolchain",
    )
    s.read("src/merge.rs", filler("rs", W, 161, 21))
    s.read("src/segment.rs", filler("rs", W, 180, 22))
    s.read("src/cursor.rs", filler("rs", W, 120, 23))
    s.bash("cargo test 2>&1 | tail -60", cargo(44), desc="Tests before")
    s.say(
        "44 tests are green before I start. Plan:\n\n1. `Cursor` yields lines lazily, one per file\n2. `BinaryHeap<Reverse<(Timestamp, usize)>>`, the `usize` is the file's index: that makes equal timestamps stable\n3. lines without a timestamp (stack traces) stick to the line before them\n4. gz files through the streaming decoder"
    )
    s.edit(
        "src/cursor.rs",
        "    pub fn read_all(&self) -> Result<Vec<Line>, Error> {",
        "    pub fn next_line(&mut self) -> Result<Option<Line>, Error> {",
    )
    s.write(
        "src/merge.rs",
        "use std::cmp::Reverse;\nuse std::collections::BinaryHeap;\n\nuse crate::cursor::Cursor;\n\npub struct Merge {\n    cursors: Vec<Cursor>,\n    heap: BinaryHeap<Reverse<(i64, usize)>>,\n}\n\nimpl Iterator for Merge {\n    type Item = Result<Line, Error>;\n\n    fn next(&mut self) -> Option<Self::Item> {\n        let Reverse((_, i)) = self.heap.pop()?;\n        let line = self.cursors[i].take();\n        if let Err(e) = self.refill(i) {\n            return Some(Err(e));\n        }\n        Some(Ok(line))\n    }\n}\n",
    )
    s.bash(
        "cargo test 2>&1 | tail -70",
        cargo(
            47,
            "merge::tests::continuation_lines_stay",
            'thread \'merge::tests::continuation_lines_stay\' panicked at src/merge.rs:188:9:\nassertion `left == right` failed\n  left: ["a1", "b1", "  at foo"]\n right: ["a1", "  at foo", "b1"]',
        ),
        desc="Tests",
    )
    s.say(
        "`continuation_lines_stay` is red: a stack trace is torn from its first line, because `refill` gives every physical line its own heap entry. A cursor must hand over **records** (first line + continuations)."
    )
    s.edit(
        "src/cursor.rs",
        "pub fn next_line(&mut self) -> Result<Option<Line>, Error> {",
        "pub fn next_record(&mut self) -> Result<Option<Record>, Error> {\n        // first line plus every following line without a timestamp",
    )
    s.bash("cargo test 2>&1 | tail -70", cargo(47), desc="Tests")
    s.commit("Streaming k-way merge over records", ["src/merge.rs", "src/cursor.rs"], 164, 139, sha="3fa2c81")
    s.user(
        "good. now i want numbers, is it slower than the old one on small inputs? 1 GB in 8 files e.g. and please also try a loser tree instead of BinaryHeap, i read its faster"
    )
    s.write(
        "benches/merge.rs",
        'use criterion::{criterion_group, criterion_main, Criterion};\n\nfn merge_8x128m(c: &mut Criterion) {\n    let files = generate(8, 128 << 20);\n    c.bench_function("merge_8x128m", |b| b.iter(|| Merge::open(&files).count()));\n}\n\ncriterion_group!(benches, merge_8x128m);\ncriterion_main!(benches);\n',
    )
    s.bash(
        "cargo bench --bench merge 2>&1 | tail -20",
        "error: package `clap_lex v0.7.4` cannot be built because it requires rustc 1.74 or newer... \nerror: failed to compile: package `criterion v0.6.0` requires rustc 1.80, while the currently active rustc version is 1.74.1\nhint: use `cargo update criterion --precise 0.5.1`",
        desc="Bench",
    )
    s.bash(
        "cargo update criterion --precise 0.5.1 && cargo bench --bench merge --no-run 2>&1 | tail -3",
        " Downgrading criterion v0.6.0 -> v0.5.1\n    Finished `bench` profile [optimized] target(s) in 48.10s\n  Executable benches/merge.rs (target/release/deps/merge-77aa)",
        desc="Pin criterion",
        secs=50,
    )
    s.say("criterion 0.6 needs rustc 1.80; pinned to **0.5.1**, which builds with 1.74.")
    s.bash("cargo bench --bench merge", background="bm3kq1", desc="Heap benchmark in the background")
    s.write(
        "src/loser_tree.rs",
        "//! Tournament tree of losers over k cursors.\n\npub struct LoserTree {\n    losers: Vec<usize>,\n    keys: Vec<Option<(i64, usize)>>,\n}\n\nimpl LoserTree {\n    pub fn new(keys: Vec<Option<(i64, usize)>>) -> Self {\n        let k = keys.len().next_power_of_two();\n        let mut tree = Self { losers: vec![0; k], keys };\n        tree.build();\n        tree\n    }\n}\n",
    )
    s.notify("bm3kq1", "cargo bench --bench merge", "completed (exit code 0)")
    s.bash(
        "tail -12 /tmp/claude-1000/tasks/bm3kq1.output",
        "Benchmarking merge_8x128m: Analyzing\nmerge_8x128m/sort       time:   [2.9012 s 2.9277 s 2.9581 s]\nmerge_8x128m/heap       time:   [3.3310 s 3.3544 s 3.3820 s]\nFound 2 outliers among 20 measurements (10.00%)",
        desc="Read the result",
    )
    s.say(
        "First numbers, 1 GB in 8 files:\n\n| variant | time | peak RSS |\n| --- | --- | --- |\n| sort (old) | 2.93 s | not measured yet |\n| heap (new) | 3.35 s | not measured yet |\n\nThe heap is 14 % slower on this size. The loser tree comes next, then memory."
    )
    s.compact(
        "1. Request: streaming k-way merge for braidlog; stable for equal timestamps, no unsafe, MSRV 1.74; --follow is out of scope. Then: numbers for 1 GB in 8 files, and try a loser tree.\n"
        "2. Done: Merge with BinaryHeap over records (commit 3fa2c81), 47 tests pass. criterion pinned to 0.5.1.\n"
        "3. Numbers: sort 2.93 s, heap 3.35 s (14 % slower).\n"
        "4. Open:\n   - src/loser_tree.rs is begun, not wired in, not tested\n   - peak RSS of both variants is not measured\n   - gz input: not tested with the new cursor\n   - README still says everything is loaded into memory\n"
        "5. Next: finish the loser tree and measure it against the heap."
    )
    s.bash(
        "cargo test loser 2>&1 | tail -12",
        "running 5 tests\ntest loser_tree::tests::one ... ok\ntest loser_tree::tests::two ... ok\ntest loser_tree::tests::not_a_power_of_two ... ok\ntest loser_tree::tests::ties_by_index ... ok\ntest loser_tree::tests::exhausted ... ok\n\ntest result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 47 filtered out; finished in 0.01s",
        desc="Loser tree tests",
    )
    s.edit("src/merge.rs", "    heap: BinaryHeap<Reverse<(i64, usize)>>,", "    tree: LoserTree,")
    s.bash(
        "cargo bench --bench merge 2>&1 | grep time",
        "merge_8x128m/sort       time:   [2.9101 s 2.9300 s 2.9512 s]\nmerge_8x128m/heap       time:   [3.3295 s 3.3510 s 3.3788 s]\nmerge_8x128m/loser      time:   [3.2866 s 3.3121 s 3.3390 s]",
        desc="All three",
        secs=210,
    )
    s.say(
        "The loser tree is **1 % faster** than the heap at k = 8: 3.31 s against 3.35 s. The time is in parsing timestamps, not in the merge."
    )
    s.bash(
        "perf record -o /tmp/p.data target/release/braidlog f*.log >/dev/null && perf report -i /tmp/p.data --stdio | head -30",
        "# Overhead  Symbol\n    61.20%  braidlog::segment::parse_timestamp\n    11.75%  memchr::memchr\n     9.02%  std::io::BufReader::fill_buf\n     4.33%  braidlog::loser_tree::LoserTree::replay\n     3.10%  core::str::from_utf8",
        desc="Profile",
    )
    s.user("1% isnt worth 200 lines. drop the loser tree")
    s.bash(
        "git checkout src/merge.rs && rm src/loser_tree.rs && git status --short",
        " M Cargo.lock\n M Cargo.toml\n?? benches/",
        desc="Back to the heap",
    )
    s.bash(
        "/usr/bin/time -v target/release/braidlog f*.log 2>&1 >/dev/null | grep Maximum; /usr/bin/time -v ./braidlog-0.9.0 f*.log 2>&1 >/dev/null | grep Maximum",
        "\tMaximum resident set size (kbytes): 9412\n\tMaximum resident set size (kbytes): 1318840",
        desc="Memory of both",
    )
    s.say("Memory: **9.4 MB** against 1.3 GB. Now the gz inputs and the README from the list.")
    s.write(
        "tests/gz.rs",
        '#[test]\nfn merges_gz_and_plain() {\n    let out = run(&["tests/data/a.log.gz", "tests/data/b.log"]);\n    assert_eq!(out, include_str!("data/merged.txt"));\n}\n',
    )
    s.bash("cargo test 2>&1 | tail -70", cargo(48), desc="Tests")
    s.edit(
        "README.md",
        "All inputs are read into memory and sorted.",
        "Inputs are merged as streams; memory does not depend on their size.",
    )
    s.commit(
        "Benchmark, gz test, README",
        ["benches/merge.rs", "tests/gz.rs", "README.md", "Cargo.toml", "Cargo.lock"],
        71,
        4,
        sha="b8d40e6",
    )
    s.say(
        "## Done\n\n- heap merge stays (3fa2c81), the loser tree is **dropped**\n- memory measured, gz tested, README corrected (b8d40e6); 48 tests pass\n\n## Worth knowing\n\n- 61 % of the time is `parse_timestamp` (src/segment.rs). A hand-written parser for the RFC 3339 case would win back more than the 14 %.\n- Inputs that are **not sorted in themselves** come out wrong now; the old sort repaired them silently. I did not handle this. Options: a warning on stderr at the first step back, or `--presort`.",
        end=True,
    )
    s.user(
        "hm the unsorted thing is bad, half of our customers logs are slightly out of order (few seconds). warning is not enough. a reorder buffer of N seconds? whats a good N"
    )
    s.bash(
        "python3 scripts/disorder.py samples/*.log",
        "file                  lines     steps back   worst\nsamples/edge-1.log    1201331   412          1.82 s\nsamples/edge-2.log    1188020   398          2.10 s\nsamples/gw.log        903311    61           0.40 s\nsamples/batch.log     40021     3            61.00 s",
        desc="How far lines go back",
    )
    s.say(
        "From your samples:\n\n| file | steps back | worst |\n| --- | --- | --- |\n| edge-1 | 412 | 1.82 s |\n| edge-2 | 398 | 2.10 s |\n| gw | 61 | 0.40 s |\n| batch | 3 | **61 s** |\n\n"
        "So N = 5 s covers everything but `batch.log`, whose three steps of 61 s look like a clock correction. I'd build a reorder buffer **per cursor** with `--reorder 5s` as default, and a warning with file and line when a record comes later than that.\n\nI have written no code for this yet. Is 5 s okay as default, or do you want it off by default?",
        end=True,
    )
    return s


KEY = {
    "end_state": "Streaming merge, benchmark, gz test and README committed. New: inputs slightly out of order come out wrong; a reorder buffer is proposed, its default is an open question.",
    "goal": (
        "A streaming k-way merge for braidlog; now also inputs that are slightly out of order",
        "streaming k-way merge",
        [["k-way merge"], ["kway", "merge"], ["streaming", "merge", "braidlog"], ["reorder"]],
    ),
    "decisions": [
        (
            "BinaryHeap keyed by timestamp and file index, so equal timestamps are stable",
            "BinaryHeap<Reverse<(Timestamp, usize)>>",
            [["binaryheap"], ["heap", "file index"], ["heap", "stable"], ["heap merge"]],
        ),
        (
            "A cursor gives records: a line and its continuation lines",
            "must hand over **records**",
            [["record", "continuation"], ["next_record"], ["hand over", "records"], ["over records"]],
        ),
        ("criterion pinned to 0.5.1, since 0.6 needs rustc 1.80", "pinned to **0.5.1**", [["criterion", "0.5.1"]]),
        (
            "The loser tree is dropped: 1 % is not worth 200 lines",
            "1% isnt worth 200 lines",
            [["loser tree", "drop"], ["1% isnt worth"], ["loser tree", "1 %"], ["loser tree", "1%"]],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "Every physical line as an entry tore stack traces from their line",
            "torn from its first line",
            [["continuation_lines_stay"], ["stack trace"], ["torn"]],
        ),
        (
            "Numbers: sort 2.93 s, heap 3.35 s, loser tree 3.31 s; memory 9.4 MB against 1.3 GB",
            "**9.4 MB**",
            [["9.4 mb"], ["3.35"], ["14 %"], ["1.3 gb"]],
        ),
    ],
    "constraints": [
        (
            "Equal timestamps keep the files' order",
            "stable for equal timestamps",
            [["stable for equal"], ["equal timestamps"], ["stable", "timestamp"]],
        ),
        ("No unsafe, MSRV 1.74", "MSRV stays 1.74", [["msrv"], ["1.74"], ["no unsafe"]]),
        ("--follow is not part of this", "--follow is not part", [["--follow"]]),
        (
            "A warning alone isn't enough for inputs out of order",
            "warning is not enough",
            [["warning is not enough"], ["warning alone"], ["half of our customers"]],
        ),
    ],
    "open": [
        (
            "Inputs not sorted in themselves come out wrong; not handled yet",
            "come out wrong now",
            [["not sorted"], ["unsorted"], ["out of order"], ["come out wrong"]],
        ),
        (
            "61 % of the time is parse_timestamp; a parser written by hand would win more",
            "61 % of the time",
            [["parse_timestamp"], ["61 %"], ["61%"]],
        ),
        (
            "batch.log goes back by 61 s three times, 5 s won't cover it",
            "worst",
            [["batch.log"], ["61 s"], ["batch", "61"]],
        ),
    ],
    "next": (
        "Build a reorder buffer per cursor (--reorder, 5 s) once the default is decided",
        "per cursor** with",
        [["--reorder"], ["reorder buffer"]],
    ),
    "needed": [
        (
            "Question to the user: 5 s by default, or off by default; no code yet",
            "off by default",
            [["5 s", "default"], ["5s", "default"], ["off by default"]],
            {"weight": 3},
        ),
        (
            "Commits 3fa2c81 and b8d40e6; 48 tests pass",
            "b8d40e6",
            [["b8d40e6"], ["3fa2c81"], ["48 tests"]],
            {"weight": 2},
        ),
    ],
    "checks": [("cargo test", "48 passed", "pass"), ("cargo bench --bench merge", "merge_8x128m/loser", "pass")],
    "traps": [
        (
            "loser_tree.rs is begun and has to be finished (dropped)",
            None,
            [["src/loser_tree.rs is begun"], ["finish the loser tree and measure"], ["next: finish the loser tree"]],
        ),
        ("Memory isn't measured (it is)", None, [["peak rss of both variants is not measured"], ["not measured yet"]]),
        ("gz isn't tested (it is)", None, [["gz input: not tested"]]),
        ("The README still says everything is loaded (corrected)", None, [["readme still says everything"]]),
        (
            "continuation_lines_stay is red (green)",
            None,
            [["`continuation_lines_stay` is red"], ["continuation_lines_stay still fails"]],
        ),
    ],
}
NEXT = {
    "goal": {
        "text": "braidlog merges as a stream; the open part is that inputs a few seconds out of order come out right.",
        "match": [["reorder"], ["out of order"], ["unsorted"], ["not sorted"]],
    },
    "next": {
        "text": "Get the answer on the default (5 s or off), then write the reorder buffer per cursor with a warning for later records.",
        "match": [["reorder"], ["5 s", "default"], ["off by default"]],
    },
}
