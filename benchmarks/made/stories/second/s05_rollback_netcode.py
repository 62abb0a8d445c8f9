"""Claude Code, TypeScript game: rollback built and replaced by interpolation, notes outside the root, interrupted twice, a side topic last."""

from benchmarks.made.record import Claude, explore, filler, log

W = ["player", "snapshot", "input", "tick", "puck", "arena"]


def vitest(bad=0, n=58, detail=""):
    rows = log(" ✓ src/{a}/{b}.test.ts ({n} tests) {n}ms", W, 8, n)
    return f"{rows}\n{detail}\n Test Files  {'1 failed | ' if bad else ''}{9 - bool(bad)} passed (9)\n      Tests  {f'{bad} failed | ' if bad else ''}{n - bad} passed ({n})\n   Duration  3.41s"


def session():
    s = Claude("ts-puck-netcode", "/home/yuki/games/puckline", "netcode", "2026-08-20T21:14:00", "yukinet/puckline")
    s.user(
        "puckline online feels bad above 80ms. puck teleports. now: server sends full state 20/s, client just draws it. wanna do proper rollback netcode like fighting games. 2v2, server authoritative on a node vps. read the code + tell me if thats sane"
    )
    s.bash(
        "ls packages packages/*/src && wc -l packages/*/src/*.ts | tail -1",
        "client\nserver\nsim\n\npackages/client/src:\nmain.ts\nnet.ts\nrender.ts\n\npackages/server/src:\nroom.ts\nws.ts\n\npackages/sim/src:\narena.ts\nphysics.ts\nrng.ts\nworld.ts\n  2710 total",
    )
    s.read("packages/sim/src/physics.ts", filler("ts", W, 110, 41))
    s.read("packages/client/src/net.ts", filler("ts", W, 60, 42))
    s.grep(
        "Math.random|Date.now",
        "packages/sim/src/physics.ts:88:  puck.vy += (Math.random() - 0.5) * 0.02;\npackages/server/src/room.ts:31:  const now = Date.now();",
    )
    explore(s, W, 5, "ts", "ts", "packages/client/src")
    s.say(
        "Sane if the simulation is deterministic. It almost is: one `Math.random` in physics.ts:88 (wobble of the puck), and sin/cos differ between browsers in the last digit. Fixed-point or a table for sin would do.",
        end=True,
    )
    s.user("why is float a problem, isnt ieee the same everywhere")
    s.say(
        "Plus, minus, times, divide and sqrt are: IEEE 754 prescribes their result to the last bit, and JavaScript always uses doubles, so no 80-bit surprises like in C. What isn't prescribed is `Math.sin`, `cos`, `tan`, `exp`, `pow`, `atan2`: each engine has its own approximation. V8 uses a port of fdlibm, SpiderMonkey the system's or its own, JavaScriptCore the system's. They differ in the last digit for a few percent of inputs, and a game amplifies that: after 600 ticks a puck that was off by 1e-16 can be on the other side of the arena, since each bounce multiplies the error.\n\nOther sources, in the order in which they usually bite:\n\n1. iteration order of objects and sets (deterministic in JS, but depends on *insertion* order, which depends on who joined when)\n2. `Math.random`, `Date.now`\n3. `sort` with a comparator that returns 0 for things that aren't equal (stable since 2019, so fine)\n4. number to string and back (fine)\n5. NaN with different payloads (nobody sees them unless you hash the bytes)\n\nSo: a table for sin and cos, atan2 replaced by comparing vectors, and a hash over positions every 60 ticks that both sides compare."
    )
    s.user("wow ok")
    s.user("do it. rng seeded, sin table. physics 60hz. keep bundle <150kb gz, its an itch game")
    s.todo(
        ("deterministic sim", "in_progress"),
        ("input buffer + rollback in client", "pending"),
        ("server relays inputs", "pending"),
        ("desync check", "pending"),
    )
    s.edit(
        "packages/sim/src/physics.ts",
        "  puck.vy += (Math.random() - 0.5) * 0.02;",
        "  puck.vy += (world.rng.next() - 0.5) * 0.02;",
    )
    s.write(
        "packages/sim/src/trig.ts",
        "/** sin and cos by table: the same bits in every browser. */\nexport const N = 4096;\n"
        + filler("ts", W, 20, 43),
    )
    s.write(
        "packages/client/src/rollback.ts",
        "/** Predicts, rolls back to the last confirmed tick and simulates again. */\n" + filler("ts", W, 80, 44),
    )
    s.bash(
        "pnpm vitest run",
        vitest(
            2,
            detail=" FAIL src/sim/determinism.test.ts > 10,000 ticks give the same hash\nAssertionError: expected 'a91f03' to be '77c2b0'",
        ),
        1,
    )
    s.say(
        "Hash differs between two runs of the same inputs: `Set` of collisions is iterated in insertion order, which depends on who joined first. Sorting by id."
    )
    s.edit(
        "packages/sim/src/physics.ts",
        "  for (const hit of hits) {",
        "  for (const hit of [...hits].sort((a, b) => a.id - b.id)) {",
    )
    s.bash("pnpm vitest run", vitest(0))
    s.bash("git add -A && git commit -qm 'sim: deterministic; client: rollback'", "")
    s.bash("pnpm dev", background="bq91x")
    s.poll("bq91x", "  VITE v5.4.2  ready in 401 ms\n  ➜  Local:   http://localhost:5173/\n[server] ws on :8787")
    s.user(
        "tried it w/ my brother (vienna-osaka, 270ms). puck is ok but everyone else jumps around like crazy + fan goes brrr on his laptop"
    )
    s.bash(
        "node scripts/bench-rollback.mjs --rtt 270",
        "rollback depth p50 17 ticks, p95 23 ticks\nresim per frame p50 9.1 ms, p95 14.8 ms (budget 16.6)\nmispredicted inputs: 31 %\n"
        + log("frame {i}: {n} us {a}", W, 14, 45),
    )
    s.say(
        "At 270 ms each frame re-simulates 17 ticks (p95: 23, 14.8 of 16.6 ms), and 31 % of the guesses of others' inputs are wrong, hence the jumps. Rollback is right for fighting games with two players and < 150 ms; for 2v2 at 270 ms it isn't. \n\nWhat fits: **snapshot interpolation** for the others (drawn 100 ms in the past), **prediction only for your own paddle**, and the puck extrapolated when you touched it last.",
        end=True,
    )
    s.user("ugh ok. so 3 evenings for nothing? can we keep the deterministic stuff at least")
    s.say("Yes: own-paddle prediction uses the same deterministic sim, and replays for free. Only `rollback.ts` goes.")
    s.bash("git rm -q packages/client/src/rollback.ts && git status -s", "D  packages/client/src/rollback.ts")
    s.write(
        "packages/client/src/interp.ts",
        "/** Others are drawn DELAY ms in the past, between two snapshots. */\nexport const DELAY = 100;\n"
        + filler("ts", W, 60, 46),
    )
    s.write(
        "packages/client/src/predict.ts",
        "/** Own paddle: applied at once, corrected by the server's acknowledged tick. */\n" + filler("ts", W, 50, 47),
    )
    s.edit(
        "packages/server/src/room.ts",
        "  const RATE = 20;",
        "  const RATE = 30; // snapshots per second, quantised to 16 bit",
    )
    s.bash(
        "pnpm vitest run && pnpm build | tail -3",
        vitest(1, 63, " FAIL src/client/predict.test.ts > correction is smooth\nAssertionError: paddle jumped 41px"),
        1,
    )
    s.say("The correction sets the paddle at once. It should blend over 120 ms; above 80 px it may snap.")
    s.edit(
        "packages/client/src/predict.ts",
        "  paddle.x = confirmed.x;",
        "  paddle.x = blend(paddle.x, confirmed.x, BLEND_MS, SNAP_PX);",
    )
    s.bash(
        "pnpm vitest run && pnpm build | tail -3",
        vitest(0, 63) + "\ndist/assets/index-1d0f.js  402.11 kB │ gzip: 131.90 kB",
    )
    s.bash(
        "git add -A && git commit -qm 'client: interpolation and own prediction instead of rollback' && git log --oneline -2",
        "aa40c18 client: interpolation and own prediction instead of rollback\n1c7f9b2 sim: deterministic; client: rollback",
    )
    s.user(
        "bro says MUCH better. write down somewhere what we learned, not in the repo (public), i keep notes in ~/notes/puckline/"
    )
    s.user("before that: how much traffic is it now per player")
    s.bash(
        "node scripts/bench-net.mjs --seconds 30",
        "down 2.1 kB/s  up 0.4 kB/s  snapshots 30.0/s  inputs 20.0/s\n" + log("snap {i}: {n} bytes {a}", W, 10, 48),
    )
    s.say(
        "2.1 kB/s down and 0.4 up for each player. The old full state at 20 per second was 9.8 kB/s, so although there are more snapshots it's a fifth, because they're quantised and only what moved is in them.\n\nThe bench shows something else, though: inputs go up at **20 per second**, three ticks at a time. That's left from the old protocol and costs up to 50 ms of delay for everybody who plays, on top of the ping. Sending each tick's input at once is 60 small messages; with the header of a WebSocket frame that is 0.9 kB/s up. I'd do it."
    )
    s.user("yes obviously do it")
    s.edit(
        "packages/client/src/net.ts",
        "  if (pending.length >= 3) flush();",
        "  flush(); // each tick: waiting for three cost 50 ms",
    )
    s.bash("pnpm vitest run && git commit -qam 'client: inputs are sent each tick'", vitest(0, 63))
    s.user(
        "bro sent his console output when it lagged, anything?\n\n"
        + log("[net] tick {n} rtt {n}ms jitter {i}ms {a}={b}", W, 34, 63)
    )
    explore(s, W, 2, "ts", "ts", "packages/client/src")
    s.say(
        "Mostly an ordinary bad line: ping between 240 and 290, three gaps of half a second. What's ours: the clock offset is measured once when he joins, and his first ping was 610 ms (the page was still loading), so his client believes for the whole match that it's 170 ms ahead. Offset should be the *minimum* over the last ten pings, not the first one. Small change, in `net.ts`."
    )
    s.edit(
        "packages/client/src/net.ts",
        "  offset ??= serverTime - now() + rtt / 2;",
        "  offset = best(samples.push({ rtt, offset: serverTime - now() + rtt / 2 }));",
    )
    s.bash("pnpm vitest run && git commit -qam 'client: clock offset from the best of ten pings'", vitest(0, 63))
    s.user("can ppl cheat with the prediction stuff? like paddle teleport")
    s.say(
        "No more than before. The client predicts only for its own screen; the server takes *inputs* (up, down, dash), never positions, and its simulation decides. What a modified client can do: see the puck 100 ms earlier than others, since it needn't delay it, and send perfect inputs, i.e. be a bot. Both were possible before. Speed hacks don't work because the server takes one input per tick and player and drops the rest. I'd not spend an evening on it.",
        end=True,
    )
    s.write(
        "/home/yuki/notes/puckline/netcode.md",
        "# Netcode, state of 21 Aug\n\n- rollback tried, too deep at 270 ms (17 ticks p50, 31 % mispredicted), removed\n- now: interpolation 100 ms, own paddle predicted, snapshots 30/s\n- sim is deterministic (seeded rng, sin table, sorted hits): keep it so, replays need it\n\n## todo\n- [ ] puck: extrapolate when I touched it last\n- [ ] adaptive delay (100 ms is too little for jitter > 30 ms)\n- [ ] rejoin after disconnect\n",
    )
    s.user("now the puck thing")
    s.say("The puck: extrapolated while I touched it last, else interpolated as before.")
    s.edit(
        "packages/client/src/interp.ts",
        "  const shown = between(a, b, t);",
        "  const shown = world.lastTouch === me ? extrapolate(b, now) : between(a, b, t);",
    )
    s.bash("pnpm vitest run", vitest(0, 65))
    s.bash("git commit -qam 'client: puck extrapolated by its last toucher'", "")
    s.say(
        "The puck of the last toucher is extrapolated, 65 tests pass. When the last toucher changes, there is a jump from extrapolated to interpolated: I want to cross-fade over 150 ms."
    )
    s.edit("packages/client/src/interp.ts", "world.lastTouch === me ?", "fade(world.lastTouch === me,")
    s.interrupt()
    s.user(
        "wait no crossfade, it makes goals look wrong (puck in 2 places). hard switch is ok but only when puck is >1 paddle away"
    )
    s.bash("git checkout -q packages/client/src/interp.ts && git status -s", "")
    s.edit(
        "packages/client/src/interp.ts",
        "  const shown = world.lastTouch === me ?",
        "  const mine = world.lastTouch === me && distance(puck, paddle) > PADDLE;\n  const shown = mine ?",
    )
    s.bash(
        "pnpm vitest run",
        vitest(
            1,
            66,
            " FAIL src/client/interp.test.ts > switches only away from the paddle\nAssertionError: expected true to be false",
        ),
        1,
    )
    s.say(
        "My condition is the wrong way round: near the paddle it must **stay** what it was, not fall back to interpolation. It needs memory of the mode."
    )
    s.edit(
        "packages/client/src/interp.ts",
        "  const mine = world.lastTouch === me && distance(puck, paddle) > PADDLE;",
        "  if (distance(puck, paddle) > PADDLE) mode = world.lastTouch === me ? 'mine' : 'theirs';\n  const mine = mode === 'mine';",
    )
    s.bash("pnpm vitest run", vitest(0, 66))
    s.user("k. oh and itch wants a 630x500 cover, can you make one from the game? headless screenshot or so")
    s.bash(
        "ls scripts && node -e \"require('playwright')\"",
        "bench-rollback.mjs\nError: Cannot find module 'playwright'",
        1,
    )
    s.say(
        "Playwright isn't installed, and as a dev dependency it brings 300 MB of browsers. Chrome itself can do it: `chromium --headless --screenshot`."
    )
    s.bash(
        "chromium --headless --window-size=630,500 --virtual-time-budget=4000 --screenshot=cover.png http://localhost:5173/?demo=1",
        "[0821/002210.101:ERROR:gl_factory.cc(112)] Requested GL implementation not found\n48211 bytes written to file cover.png",
    )
    s.say(
        "`cover.png` is written (630×500), but WebGL isn't there in headless mode without `--use-gl=swiftshader`, so the arena may be black. Have a look; I haven't committed it, nor the mode switch in `interp.ts`.",
        end=True,
    )
    s.user("black yes. use the flag")
    s.bash(
        "chromium --headless --use-gl=swiftshader --window-size=630,500 --virtual-time-budget=4000 --screenshot=cover.png http://localhost:5173/?demo=1",
        "61877 bytes written to file cover.png",
    )
    s.say("61 KB now, so something is drawn. Still to do for the netcode: adaptive delay and rejoin.", end=True)
    return s


KEY = {
    "end_state": "Interpolation + own prediction replaced rollback; five commits, not pushed. The puck's mode switch (interp.ts) is green with 66 tests and uncommitted, cover.png too. Adaptive delay and rejoin are open.",
    "goal": (
        "Online play feels good above 80 ms (puck no longer teleports)",
        "puckline online feels bad",
        [
            ["online", "80 ms"],
            ["netcode", "latency"],
            ["online", "80ms"],
            ["netcode", "puckline"],
            ["puck teleports"],
            ["netcode", "feels bad"],
        ],
    ),
    "decisions": [
        (
            "Clock offset from the best of the last ten pings, not the first",
            "Offset should be the *minimum*",
            [["offset", "ten pings"], ["offset", "minimum"], ["clock offset"]],
        ),
        (
            "Inputs are sent each tick instead of three at a time (50 ms)",
            "Sending each tick's input at once",
            [["inputs are sent each tick"], ["inputs", "50 ms"], ["each tick", "20 per second"]],
        ),
        (
            "Snapshot interpolation for the others (100 ms in the past), prediction only for the own paddle",
            "What fits: **snapshot interpolation**",
            [["interpolation", "own paddle"], ["interpolation", "prediction"], ["interpolation 100 ms"]],
        ),
        (
            "The deterministic simulation stays (replays, prediction): seeded rng, sin table, sorted hits",
            "own-paddle prediction uses the same",
            [["deterministic", "replays"], ["seeded rng"], ["sin table", "sorted"], ["rng seeded"]],
        ),
        (
            "30 snapshots per second, 16 bit",
            "snapshots per second, quantised",
            [["snapshots 30"], ["snapshots", "16 bit"], ["30", "quantised"]],
        ),
        (
            "The puck is extrapolated by its last toucher; mode changes only away from the paddle",
            "hard switch is ok",
            [["puck", "extrapolate", "touch"], ["hard switch"], ["mode switch"], ["paddle away"]],
        ),
        (
            "Corrections blend over 120 ms, snap above 80 px",
            "It should blend over 120 ms",
            [["blend", "120"], ["blend", "snap"]],
        ),
    ],
    "failed": [
        (
            "Rollback: 17 ticks deep at 270 ms, 31 % mispredicted",
            "re-simulates 17 ticks",
            [["rollback", "17 ticks"], ["rollback", "31 %"], ["rollback", "270"], ["rollback", "too deep"]],
        ),
        (
            "Cross-fade of the puck: it is seen in two places",
            "no crossfade",
            [["crossfade"], ["cross-fade"], ["puck in 2 places"]],
        ),
        (
            "Iteration of the Set by insertion order broke determinism",
            "iterated in insertion order",
            [["insertion order"], ["hits", "sort"]],
        ),
        ("Headless Chrome without swiftshader: black", "use the flag", [["swiftshader"], ["headless", "black"]]),
        (
            "Playwright: 300 MB of browsers",
            "it brings 300 MB",
            [["playwright", "300 mb"], ["playwright", "isn't installed"]],
        ),
    ],
    "constraints": [
        ("Bundle below 150 KB gzipped", "keep bundle <150kb gz", [["150kb"], ["bundle", "gz"]]),
        ("Physics at 60 Hz, server authoritative, 2v2", "physics 60hz", [["60hz"], ["server authoritative"]]),
        (
            "Notes outside of the (public) repository, in ~/notes/puckline",
            "not in the repo (public)",
            [["notes/puckline"], ["not in the repo"]],
        ),
    ],
    "open": [
        ("Adaptive delay (jitter above 30 ms)", "adaptive delay (100 ms", [["adaptive delay"]]),
        ("Rejoin after a disconnect", "rejoin after disconnect", [["rejoin"]]),
        (
            "cover.png is uncommitted, to be looked at",
            "`cover.png` is written",
            [["cover.png", "committed"], ["cover", "630"]],
        ),
    ],
    "next": (
        "Commit the mode switch in interp.ts, then the adaptive delay",
        "nor the mode switch in",
        [["mode switch", "interp"], ["adaptive delay", "rejoin"], ["interp.ts", "committed"]],
    ),
    "needed": [
        (
            "The puck's mode switch in interp.ts is green and uncommitted",
            "nor the mode switch in",
            [
                ["mode switch", "uncommitted"],
                ["interp.ts", "uncommitted"],
                ["interp.ts", "not committed"],
                ["mode switch", "not committed"],
                ["mode switch", "committed"],
                ["interp.ts", "haven't committed"],
                ["interp.ts", "66"],
            ],
            {"weight": 3},
        ),
        ("66 tests pass", "last:66 passed (66)", [["66 tests"], ["66 passed"]], {"weight": 1}),
        (
            "rollback.ts is gone, interp.ts and predict.ts are in its place",
            "instead of rollback",
            [["instead of rollback"], ["rollback.ts", "goes"], ["rollback", "removed"], ["interp.ts", "predict.ts"]],
            {"weight": 2},
        ),
        (
            "Notes are in ~/notes/puckline/netcode.md; their puck item is done since",
            "netcode.md",
            [["notes/puckline"], ["netcode.md"]],
            {"weight": 1},
        ),
    ],
    "checks": [("pnpm vitest run", "last:66 passed (66)", "pass")],
    "traps": [
        ("Items of the old to-do list are open", None, [["server relays inputs"], ["desync check"]]),
        (
            "Rollback is the design",
            None,
            [["input buffer + rollback in client"], ["wanna do proper rollback"], ["uses rollback netcode"]],
        ),
        (
            "The puck's extrapolation is to do",
            None,
            [["[ ] puck: extrapolate"], ["todo: puck"], ["what is left: puck"]],
        ),
        ("A cross-fade is wanted", None, [["i want to cross-fade over"]]),
        ("The paddle jumps 41 px (mended)", None, [["paddle jumped 41px"]]),
        (
            "The cover is the goal",
            None,
            [["goal: k. oh and itch"], ["goal: black yes"], ["request: black yes"], ["goal\n- black yes"]],
        ),
        ("The interpolation test is red", None, [["my condition is the wrong way round"], ["1 failed | 65 passed"]]),
    ],
}
NEXT = {
    "goal": "Netcode of Puckline that feels good at high latency (80 to 270 ms).",
    "next": "Commit the mode switch in interp.ts (and cover.png if it looks right), then adaptive delay, then rejoin.",
    "state": "Interpolation and own-paddle prediction are committed; the puck's mode switch is green (66 tests) and uncommitted; nothing pushed.",
}
CLAIMS = (
    ("State", "The mode switch of the puck in `packages/client/src/interp.ts` is uncommitted; 66 tests pass."),
    ("Dead ends", "Rollback: 17 ticks re-simulated per frame at 270 ms, 31 % mispredicted."),
    ("Decisions", "User: no crossfade of the puck."),
    ("State", "`rollback.ts` was removed; `interp.ts` and `predict.ts` took its place, `aa40c18`."),
    ("Next", "Adaptive delay and rejoin are open."),
    ("State", "All of it is pushed to origin/netcode.", "push", "Nothing was pushed."),
    ("State", "cover.png is committed.", "commit", "It is not."),
    ("Decisions", "Playwright was added as a dev dependency for the cover.", "file", "It wasn't installed."),
    ("Decisions", "Interpolation delay is adaptive, 60 to 200 ms.", "file", "It is a fixed 100 ms."),
    ("State", "The bundle is 171 KB gzipped, above the limit.", "number", "131.90 KB."),
)
