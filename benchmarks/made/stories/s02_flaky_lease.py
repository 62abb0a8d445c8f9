"""Go: a hunt for a flaky test. Hypotheses are eliminated, one finding is taken back, the fix waits on purpose."""

from benchmarks.made.record import Claude, filler, go_out, names

W = ["lease", "owner", "epoch", "node", "shard", "holder"]
L = names("TestLease", ["Acquire", "Renew", "Expire", "Steal", "Release", "Watch"], 18)
RACE = """==================
WARNING: DATA RACE
Write at 0x00c0001a4088 by goroutine 41:
  moorhen/lease.(*Keeper).extend()
      /home/dev/moorhen/lease/keeper.go:118 +0x1c4
  moorhen/lease.(*Keeper).loop()
      /home/dev/moorhen/lease/keeper.go:87 +0x2b1

Previous read at 0x00c0001a4088 by goroutine 38:
  moorhen/lease.(*Keeper).Held()
      /home/dev/moorhen/lease/keeper.go:61 +0x64
  moorhen/lease.TestLeaseRenew_Steal()
      /home/dev/moorhen/lease/keeper_test.go:204 +0x3aa
=================="""


def session():
    s = Claude(
        "go-flaky-lease",
        "/home/dev/moorhen",
        "main",
        "2026-09-14T13:40:00",
        "saltmarsh/moorhen",
        model="claude-opus-4-6",
    )
    s.user(
        "TestLeaseRenew_Steal fails on CI maybe 1 in 30, never on my machine. pls find out WHY. i dont want a bigger timeout or a retry or t.Skip, last person did that with TestShardMove and it came back as an outage. "
        "read only please until we know the cause, no code changes"
    )
    s.say("I'll look at the test and what the last red runs printed.")
    s.read("lease/keeper_test.go", filler("go", W, 210, 5))
    s.read("lease/keeper.go", filler("go", W, 130, 6))
    s.bash(
        "gh run list --workflow ci --status failure --limit 6",
        "completed\tfailure\tBump grpc\tci\tmain\tpush\t8841120931\t4m2s\ncompleted\tfailure\tShard docs\tci\tmain\tpush\t8839004417\t4m11s\ncompleted\tfailure\tTidy lints\tci\tmain\tpush\t8822190002\t3m58s",
        desc="Failed CI runs",
    )
    s.bash(
        "gh run view 8841120931 --log-failed | tail -40",
        "test\tRun go test ./...\t"
        + go_out(
            "moorhen/lease",
            L[:9],
            failed=("TestLeaseRenew_Steal",),
            detail="    keeper_test.go:211: keeper still holds epoch 7 after it was stolen by node-b (epoch 8)",
        ).replace("\n", "\ntest\tRun go test ./...\t"),
        desc="Log of one",
    )
    s.bash(
        "go test ./lease -run TestLeaseRenew_Steal -count=300",
        "ok  \tmoorhen/lease\t41.220s",
        desc="300 times here",
        secs=42,
    )
    s.say(
        "300 runs, all green here. Hypotheses, in the order in which I'll test them:\n\n| # | hypothesis | how to tell |\n| --- | --- | --- |\n| H1 | the CI machine's clock steps (NTP) and the lease looks unexpired | run with a stepped fake clock |\n| H2 | a goroutine of an **earlier** test still renews the same key | goleak / run the test alone on a slow box |\n| H3 | `time.Ticker` drops ticks under load and the renew comes late | throttle the CPU |\n| H4 | a data race on the epoch | `-race` |"
    )
    s.bash(
        "go test -race ./lease -run TestLeaseRenew_Steal -count=50",
        "go: -race requires cgo; enable cgo by setting CGO_ENABLED=1",
        exit=2,
        desc="Race detector",
    )
    s.bash(
        "go env CGO_ENABLED CC && which gcc clang zig",
        "0\ngcc\n/home/dev/.local/bin/zig",
        exit=1,
        desc="Which compiler is there",
    )
    s.bash(
        "CGO_ENABLED=1 CC='zig cc' go test -race ./lease -run TestLeaseRenew_Steal -count=50",
        "ok  \tmoorhen/lease\t19.874s",
        desc="Race detector with zig",
        secs=21,
    )
    s.say(
        "No gcc here; `CGO_ENABLED=1 CC='zig cc' go test -race` works. 50 runs, no race reported, so **H4 is out**. Now H1."
    )
    s.bash(
        "grep -n 'clock' lease/keeper.go lease/keeper_test.go | head -20",
        "lease/keeper.go:31:\tclock clockwork.Clock\nlease/keeper.go:84:\t\tcase <-k.clock.After(k.every):\nlease/keeper_test.go:33:\tfake := clockwork.NewFakeClock()\nlease/keeper_test.go:188:\tfake.Advance(ttl / 2)\nlease/keeper_test.go:203:\tfake.Advance(ttl / 2)",
        desc="Clock use",
    )
    s.say("The test uses a fake clock, the machine's clock isn't read at all. **H1 is eliminated.**")
    s.bash(
        "go test ./lease -count=1 -v -run 'TestLease' 2>&1 | tail -60",
        go_out("moorhen/lease", L),
        desc="The whole package",
    )
    s.bash(
        "grep -rn 'goleak' go.mod lease/ || echo none; go test ./lease -run 'TestLeaseRenew_Steal$' -count=200 -cpu 1",
        "none\nok  \tmoorhen/lease\t28.100s",
        desc="Alone on one cpu",
        secs=29,
    )
    s.think(
        "Alone on one CPU still green. If H2 was right, alone would never fail; need failing condition first. Throttle."
    )
    s.bash(
        "systemd-run --user --scope -p CPUQuota=20% go test ./lease -run TestLeaseRenew_Steal -count=100",
        "Failed to connect to bus: No medium found",
        exit=1,
        desc="Throttle the CPU",
    )
    s.bash(
        "taskset -c 0 nice -n 19 sh -c '(for i in 1 2 3 4; do yes >/dev/null & done; go test ./lease -run TestLeaseRenew_Steal -count=100; kill $(jobs -p))'",
        go_out(
            "moorhen/lease",
            ["TestLeaseRenew_Steal"] * 3,
            failed=("TestLeaseRenew_Steal",),
            detail="    keeper_test.go:211: keeper still holds epoch 7 after it was stolen by node-b (epoch 8)",
            secs="63.772",
        ),
        exit=1,
        desc="One core with four busy loops",
        secs=66,
    )
    s.say(
        "Reproduced: with one core and four busy loops it fails **3 of 100**. `systemd-run` can't be used in this container, `taskset` + `yes` does the same job.\n\n### Finding\nIt is the ticker (H3): under load `k.clock.After` fires late, `loop()` renews *after* node-b has stolen the lease, and `extend()` writes the old epoch back. The fix would be to compare the epoch before the write."
    )
    s.user("hm. but you said its a fake clock. how can a fake clock fire late")
    s.say(
        "You're right, and that finding doesn't hold: with the fake clock `After` fires exactly at `Advance`. I take the ticker explanation back. What's late is not the tick but the goroutine that **receives** it. Let me look at which order the two run in."
    )
    s.grep("BlockUntil", "lease/keeper_test.go:187:\tfake.BlockUntil(1)", path="lease")
    s.bash(
        "sed -n 180,215p lease/keeper_test.go",
        'func TestLeaseRenew_Steal(t *testing.T) {\n\tk := newKeeper(t, fake, "node-a")\n\trequire.NoError(t, k.Start(ctx))\n\n\t// first renew\n\tfake.BlockUntil(1)\n\tfake.Advance(ttl / 2)\n\n\t// node-b takes it\n\tstore.Put(ctx, key, lease{owner: "node-b", epoch: 8})\n\tk.onChange(lease{owner: "node-b", epoch: 8})\n\n\t// second renew must see it\n\tfake.Advance(ttl / 2)\n\trequire.Eventually(t, func() bool { return !k.Held() }, time.Second, 5*time.Millisecond)\n\trequire.Equal(t, 8, k.Epoch())\n}',
        desc="The test itself",
    )
    s.bash(
        "sed -n 80,125p lease/keeper.go",
        "func (k *Keeper) loop(ctx context.Context) {\n\tfor {\n\t\tselect {\n\t\tcase <-ctx.Done():\n\t\t\treturn\n\t\tcase <-k.clock.After(k.every):\n\t\t\tk.extend(ctx)\n\t\t}\n\t}\n}\n\nfunc (k *Keeper) extend(ctx context.Context) {\n\tcur, err := k.store.Get(ctx, k.key)\n\tif err != nil || cur.owner != k.id {\n\t\tk.drop()\n\t\treturn\n\t}\n\tcur.expires = k.clock.Now().Add(k.ttl)\n\tif err := k.store.Put(ctx, k.key, cur); err != nil {\n\t\tk.drop()\n\t\treturn\n\t}\n\tk.mu.Lock()\n\tk.epoch = cur.epoch\n\tk.mu.Unlock()\n}",
        desc="extend()",
    )
    s.say(
        "`extend()` is **Get, then Put without a condition**. If node-b's `Put` lands between the two, node-a overwrites it with epoch 7 — a lost update. On a fast machine the first renew is long done when the test goes on; with a busy core the goroutine is stopped between `Get` and `Put`.\n\nI'll prove it without touching the code: a store wrapper in a scratch file outside of the repo would need the unexported type, so I use delve to hold the goroutine there."
    )
    s.bash(
        "dlv test ./lease --init /tmp/hold.dlv -- -test.run TestLeaseRenew_Steal 2>&1 | tail -20",
        "> moorhen/lease.(*Keeper).extend() ./lease/keeper.go:97 (hits goroutine(41):1 total:1)\nBreakpoint 1 reached, goroutine 41 held 300ms\n--- FAIL: TestLeaseRenew_Steal (1.31s)\n    keeper_test.go:211: keeper still holds epoch 7 after it was stolen by node-b (epoch 8)\nFAIL\nProcess 51877 has exited with status 1",
        desc="Hold goroutine between Get and Put",
        secs=12,
    )
    s.bash(
        "for i in 1 2 3 4 5; do dlv test ./lease --init /tmp/hold.dlv -- -test.run TestLeaseRenew_Steal 2>&1 | grep -c 'FAIL: Test'; done",
        "1\n1\n1\n1\n1",
        desc="Five times",
        secs=40,
    )
    s.grep(
        "CompareAndPut",
        "store/store.go:44:\tCompareAndPut(ctx context.Context, key string, old, new lease) error\nstore/mem.go:71:func (m *Mem) CompareAndPut(ctx context.Context, key string, old, new lease) error {\nstore/raft.go:120:func (r *Raft) CompareAndPut(ctx context.Context, key string, old, new lease) error {",
    )
    s.say(
        "## Cause, proven\n\n`Keeper.extend` (lease/keeper.go:92-107) does a read-modify-write with no compare. Held between `Get` and `Put` it fails **5 of 5**.\n\n- It is **not** a test problem: in production two nodes can both believe they hold the lease until the next renew. That may well be your `TestShardMove` outage, but I have not looked at that one, so this is a guess.\n- Both stores have `CompareAndPut` (store/store.go:44), so the fix is small: `CompareAndPut(ctx, key, old, cur)` and `drop()` on a conflict.\n- H2 (leaked goroutine) I did not have to test; nothing hints at it any more.\n\nDo you want me to write the fix?",
        end=True,
    )
    s.user(
        "wow ok. NOT now: i need to ask the raft people first whether CompareAndPut is linearizable with follower reads, else we make it worse. leave the code as is. but write down how to reproduce in docs/flaky-lease.md, and open nothing on github"
    )
    s.bash("ls docs | head -30", "architecture.md\nfollower-reads.md\nrelease.md\nsharding.md", desc="Docs")
    s.read(
        "docs/follower-reads.md",
        "# Follower reads\n\nFollowers answer `Get` from their applied index. A read may be stale by up to `max_lag` (default 150 ms).\n`CompareAndPut` goes through the leader.\n\nOpen: whether the compare uses the leader's applied state or the log's head. See the raft group.\n",
    )
    s.write(
        "docs/flaky-lease.md",
        "# TestLeaseRenew_Steal: lost update in Keeper.extend\n\nCause: `extend` reads and writes without a compare.\n\nReproduce (3 of 100):\n\n    taskset -c 0 nice -n 19 sh -c '(4 x yes; go test ./lease -run TestLeaseRenew_Steal -count=100)'\n\nReproduce always: hold the goroutine at keeper.go:97 for 300 ms with delve.\n\nNot the cause: clock steps (fake clock), data race (-race is clean), the ticker.\n",
    )
    s.bash("git status --short", "?? docs/flaky-lease.md", desc="State")
    s.say(
        '`docs/flaky-lease.md` is written and uncommitted, the code is untouched and the test is as flaky as before. One thing for your talk: `docs/follower-reads.md` itself lists as open whether the compare uses the leader\'s applied state or the log\'s head. That is exactly your question.\n\nIf the answer is "log\'s head", `CompareAndPut` is safe here. If it is "applied state", the keeper would need the epoch as a fencing token in the writes themselves.',
        end=True,
    )
    return s


KEY = {
    "end_state": "Cause proven: lost update in Keeper.extend. On purpose no fix; how to reproduce is in docs/flaky-lease.md, uncommitted. The user asks the raft people first.",
    "goal": (
        "Find why TestLeaseRenew_Steal fails about once in 30 on CI",
        "TestLeaseRenew_Steal fails on CI",
        [["testleaserenew_steal"], ["flaky", "lease"]],
    ),
    "decisions": [
        (
            "Cause: extend reads and writes without a compare, node-b's Put between the two is lost",
            "**Get, then Put without a condition**",
            [
                ["extend", "lost update"],
                ["read-modify-write"],
                ["get, then put"],
                ["extend", "without a compare"],
                ["extend", "no compare"],
                ["between get and put"],
                ["between `get` and `put`"],
            ],
        ),
        (
            "Candidate fix: CompareAndPut, drop() on conflict; both stores have it",
            "Both stores have",
            [["compareandput"]],
        ),
        (
            "It is a production fault, not one of the test",
            "not** a test problem",
            [["not** a test problem"], ["not a test"], ["two nodes", "both"], ["production"]],
        ),
        (
            "No code change now, by the user: ask the raft group first",
            "leave the code as is",
            [["leave the code as is"], ["raft people"], ["raft group"], ["linearizable"]],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "Clock steps are out: the test has a fake clock",
            "H1 is eliminated",
            [["fake clock"], ["h1", "eliminated"], ["clock", "not the cause"]],
        ),
        (
            "A data race is out: 50 runs with -race were clean",
            "H4 is out",
            [["-race", "clean"], ["h4 is out"], ["no race"], ["race", "50"], ["data race", "not"]],
        ),
        (
            "The ticker explanation was taken back",
            "I take the ticker explanation back",
            [
                ["ticker", "back"],
                ["ticker", "doesn't hold"],
                ["ticker", "wrong"],
                ["not the cause", "ticker"],
                ["ticker", "eliminated"],
                ["ticker", "retracted"],
                ["ticker", "disproved"],
            ],
        ),
        (
            "-race needs cgo; with CGO_ENABLED=1 CC='zig cc' it works",
            "-race requires cgo",
            [["zig cc"], ["cgo_enabled=1"]],
        ),
        (
            "systemd-run can't throttle in this container; taskset with busy loops does",
            "Failed to connect to bus",
            [["taskset"], ["systemd-run"], ["busy loop"]],
        ),
    ],
    "constraints": [
        (
            "No bigger timeout, no retry, no t.Skip",
            "bigger timeout",
            [["bigger timeout"], ["t.skip"], ["no retry", "timeout"]],
        ),
        (
            "Open nothing on GitHub",
            "open nothing on github",
            [["open nothing on github"], ["nothing on github"], ["no issue"], ["no github"]],
        ),
    ],
    "open": [
        (
            "Whether TestShardMove has the same cause is a guess, not looked at",
            "I have not looked at that one",
            [["testshardmove"], ["shardmove"]],
        ),
        (
            "If the compare uses the applied state: the epoch as a fencing token is needed",
            "fencing token",
            [["fencing"], ["applied state"]],
        ),
    ],
    "next": (
        "Wait for the raft group's answer (is CompareAndPut linearizable with follower reads), then fix extend",
        "linearizable with follower reads",
        [
            ["linearizable"],
            ["raft", "compareandput"],
            ["raft people"],
            ["raft group"],
            ["follower reads", "compareandput"],
        ],
    ),
    "needed": [
        (
            "How to reproduce: one core with four busy loops 3 of 100, or holding the goroutine at keeper.go:97 5 of 5",
            "fails **5 of 5**",
            [["keeper.go:97"], ["5 of 5"], ["3 of 100"], ["taskset"], ["delve"]],
            {"weight": 3},
        ),
        (
            "docs/flaky-lease.md is written and uncommitted, code untouched",
            "is written and uncommitted",
            [["docs/flaky-lease.md"], ["flaky-lease.md"]],
            {"weight": 2},
        ),
    ],
    "checks": [
        ("CGO_ENABLED=1 CC='zig cc' go test -race ./lease -run TestLeaseRenew_Steal -count=50", "19.874s", "pass"),
        ("go test ./lease -run TestLeaseRenew_Steal (held goroutine)", "goroutine 41 held 300ms", "fail"),
    ],
    "traps": [
        (
            "The ticker under load is the cause (taken back)",
            None,
            [
                ["it is the ticker (h3)"],
                ["`k.clock.after` fires late, `loop()` renews"],
                ["cause: the ticker"],
                ["cause is the ticker"],
            ],
        ),
        (
            "Clock, leak, ticker and race are still to be tested",
            None,
            [["hypotheses, in the order in which i'll test them"], ["a goroutine of an **earlier** test still renews"]],
        ),
        ("The fix is written", None, [["fix is applied"], ["extend now uses compareandput"], ["fixed in keeper.go"]]),
        (
            "Whether to write the fix is unanswered (the user said: not now)",
            None,
            [["do you want me to write the fix?"], ["unanswered: write the fix"]],
        ),
        (
            "It can't be reproduced here",
            None,
            [["cannot be reproduced"], ["can't be reproduced here"], ["not reproducible"]],
        ),
    ],
}
NEXT = {
    "goal": {
        "text": "Know why TestLeaseRenew_Steal is flaky (found: lost update in Keeper.extend) and keep the fix until the raft people have answered.",
        "match": [["testleaserenew_steal"], ["keeper.extend"], ["flaky", "lease"]],
    },
    "next": {
        "text": "Nothing in the code before the raft people say whether CompareAndPut is linearizable with follower reads; then change extend in lease/keeper.go.",
        "match": [["compareandput"], ["raft"], ["linearizable"]],
    },
}
