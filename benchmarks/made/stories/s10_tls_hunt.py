"""Codex, Rust: a hunt with eliminated hypotheses, an aborted turn, a finding taken back, a question answered late."""

from benchmarks.made.record import Codex, filler

W = ["session", "stream", "peer", "ticket", "cert", "frame"]


def session():
    s = Codex("rs-tls-hunt", "/home/dev/ferrypost", "main", "2026-10-13T09:45:00", "quayside/ferrypost")
    s.user(
        "since we moved ferrypost to rustls 0.23, about 1 in 200 connections from the handheld scanners hangs for exactly 60s and then drops. desktop clients are fine. find the cause. dont downgrade rustls, 0.22 has the CVE. logs are in logs/ (read only, they are evidence for the supplier)"
    )
    s.say("I’m looking at the logs for what the hanging connections have in common, then at the handshake code.")
    s.bash(
        "ls -la logs && rg -c 'handshake timeout' logs",
        "-r--r--r-- 1 dev dev 8812031 gw-1012.log\n-r--r--r-- 1 dev dev 9120043 gw-1013.log\nlogs/gw-1012.log:117\nlogs/gw-1013.log:131",
    )
    s.bash(
        "rg -B6 'handshake timeout' logs/gw-1013.log | head -80",
        "\n".join(
            f"2026-10-13T06:{i:02d}:11Z DEBUG peer=10.8.{i}.{i * 7 % 250} ua=scan/{'3.1' if i % 5 else '2.9'} accept\n2026-10-13T06:{i:02d}:11Z DEBUG peer=10.8.{i}.{i * 7 % 250} client_hello len={1740 + i} resumption=ticket\n2026-10-13T06:{i + 1:02d}:11Z WARN  peer=10.8.{i}.{i * 7 % 250} handshake timeout after 60s"
            for i in range(12)
        ),
    )
    s.read("src/tls.rs", filler("rs", W, 190, 81))
    s.read("src/listener.rs", filler("rs", W, 140, 82))
    s.say(
        "All hanging connections have `resumption=ticket`. Hypotheses:\n- H1 MTU: the ClientHello is now larger than one packet (post-quantum key share)\n- H2 ticket key rotation: tickets older than one rotation can’t be decrypted\n- H3 the listener reads only once and waits for a second readiness event\n- H4 the scanners’ clock is wrong"
    )
    s.bash(
        "rg -o 'client_hello len=[0-9]+' logs/gw-1013.log | sort | uniq -c | sort -rn | head; rg -c 'resumption=ticket' logs/gw-1013.log",
        "  9120 client_hello len=517\n  8804 client_hello len=1742\n  4011 client_hello len=1751\n26210",
    )
    s.say(
        "Scanners send about 1742 bytes, desktops 517. That fits H1: with an MTU of 1400 on the warehouse wifi the ClientHello comes in two segments.\n\nOne question while I go on: do the scanners go through the VPN concentrator, or straight to the gateway?"
    )
    s.bash("sudo tcpdump -ni any -c 200 port 8443 -w /tmp/h.pcap", "sudo: a password is required", exit=1)
    s.bash(
        "cargo test --test handshake 2>&1 | tail -40",
        "    Finished `test` profile in 22.10s\nrunning 9 tests\ntest full_handshake ... ok\ntest resumption_by_ticket ... ok\ntest expired_ticket_falls_back ... ok\ntest two_segments ... ok\ntest slow_client ... ok\ntest wrong_sni ... ok\ntest alpn ... ok\ntest big_cert_chain ... ok\ntest close_notify ... ok\n\ntest result: ok. 9 passed; 0 failed; 0 ignored; finished in 1.20s",
    )
    s.say(
        "`two_segments` is green, so split hellos work in principle and H1 alone can’t be it. H2: `expired_ticket_falls_back` is green as well, and a failed ticket falls back to a full handshake instead of hanging. **H2 is out.**"
    )
    s.bash(
        "rg -n 'readable|try_read|read_tls' src",
        "src/listener.rs:66:        stream.readable().await?;\nsrc/listener.rs:67:        let n = conn.read_tls(&mut stream)?;\nsrc/listener.rs:71:        if conn.wants_read() {\nsrc/tls.rs:120:    conn.process_new_packets()?;",
    )
    s.bash(
        "sed -n 55,95p src/listener.rs",
        "    async fn shake(&self, stream: &mut TcpStream) -> Result<()> {\n        let mut conn = self.accept()?;\n        loop {\n            // edge triggered: one readiness event per arrival\n            stream.readable().await?;\n            let n = conn.read_tls(stream)?;\n            if n == 0 {\n                return Err(Error::Closed);\n            }\n            conn.process_new_packets()?;\n            while conn.wants_write() {\n                conn.write_tls(stream)?;\n            }\n            if !conn.is_handshaking() {\n                return Ok(());\n            }\n        }\n    }",
    )
    s.say(
        "**Found it, I think (H3):** `read_tls` reads at most 4096 bytes per call, and if both segments arrive together the second part stays unread in the socket while the loop waits for an edge that never comes."
    )
    s.write(
        "tests/one_event.rs",
        "#[tokio::test]\nasync fn both_segments_in_one_event() {\n    let hello = client_hello(1742);\n    let out = shake_with(&[&hello]).await;\n    assert!(out.is_ok());\n}\n",
    )
    s.bash(
        "cargo test --test one_event 2>&1 | tail -12",
        "running 1 test\ntest both_segments_in_one_event ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; finished in 0.31s",
    )
    s.say(
        "The test is green, so that’s wrong: 1742 bytes fit in one `read_tls` of 4096, nothing stays behind. I take H3 in this form back. I’m running a long soak with ticket resumption to catch the hang itself."
    )
    s.bash("cargo run --release --example soak -- --resume --n 20000", None)
    s.abort()
    s.user(
        "stop, that was eating the whole machine and i have a call. max 4 threads pls. and to your question: yes scanners go through the VPN concentrator, it has its own tcp proxy thing (i think it does 'early data optimization' or so)"
    )
    s.say(
        "Sorry about that; I’ll use `--threads 4`. The proxy is an important piece: if it holds back the first bytes, the server’s order of events differs from my tests."
    )
    s.bash(
        "cargo run --release --example soak -- --resume --n 20000 --threads 4 2>&1 | tail -8",
        "done 20000 handshakes, 0 hangs, p99 11 ms",
        secs=95,
    )
    s.bash(
        "rg -n 'early' logs/gw-1013.log | head -12; rg -n 'max_early_data|early_data' src Cargo.toml",
        "logs/gw-1013.log:8812:2026-10-13T06:04:11Z DEBUG peer=10.8.4.28 early_data offered=true\nlogs/gw-1013.log:9120:2026-10-13T06:09:11Z DEBUG peer=10.8.9.63 early_data offered=true\nsrc/tls.rs:44:    config.max_early_data_size = 16_384;",
    )
    s.bash(
        "for w in 'handshake timeout' ; do rg -B4 \"$w\" logs/gw-1013.log | rg -c 'early_data offered=true'; done; rg -c 'early_data offered=true' logs/gw-1013.log",
        "131\n140",
    )
    s.say(
        "131 of 131 hangs offered **early data**, and only 140 connections did so at all. So 94 % of the early-data connections hang, none of the others. H1 is just a companion (the same clients have the large hello)."
    )
    s.bash(
        "git log -S max_early_data_size --oneline -- src/tls.rs", "ab1f2c0 Move to rustls 0.23\n77c0d19 Session tickets"
    )
    s.bash(
        "git show ab1f2c0 -- src/tls.rs src/listener.rs | head -60",
        "-    let mut conn = Acceptor::new_with_early(config)?;\n-    if let Some(mut early) = conn.early_data() {\n-        early.read_to_end(&mut self.first)?;\n-    }\n+    let mut conn = ServerConnection::new(config)?;\n     config.max_early_data_size = 16_384;",
    )
    s.write(
        "tests/early_data.rs",
        '#[tokio::test]\nasync fn resumed_client_with_early_data() {\n    let ticket = first_connection().await;\n    let out = shake_early(ticket, b"SCAN 0012").await;\n    assert!(out.is_ok(), "{out:?}");\n}\n',
    )
    s.bash(
        "cargo test --test early_data 2>&1 | tail -14",
        "running 1 test\ntest resumed_client_with_early_data ... FAILED\n\n---- resumed_client_with_early_data stdout ----\nthread panicked at tests/early_data.rs:5:5:\nErr(Timeout(60s))\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; finished in 60.02s",
        secs=61,
    )
    s.say(
        "## Cause\n\nReproduced: a resumed client with early data hangs for 60 s, every time.\n\nThe move to rustls 0.23 (`ab1f2c0`) dropped the code that **reads** early data, but left `max_early_data_size = 16_384` (src/tls.rs:44). So the server still offers it, the concentrator uses it, nobody drains it, and the handshake waits.\n\n| option | effect |\n| --- | --- |\n| A `max_early_data_size = 0` | one line; scanners do one more round trip |\n| B read early data in `shake` | keeps 0-RTT, but replay protection would be ours |\n\nI recommend A: scans aren’t idempotent (`SCAN` books stock), so 0-RTT could book twice.\n\nNot done yet: no fix, `tests/one_event.rs` is left over from the wrong H3 and can go, `tests/early_data.rs` is red until the fix. Both are uncommitted.",
        end=True,
    )
    s.user("A. do it, but behind nothing, no config switch. then tell me what i write to the supplier")
    s.edit(
        "src/tls.rs",
        "    config.max_early_data_size = 16_384;",
        "    // scans are not idempotent: no 0-RTT\n    config.max_early_data_size = 0;",
    )
    s.bash(
        "rm tests/one_event.rs && cargo test 2>&1 | tail -16",
        "running 10 tests\ntest full_handshake ... ok\ntest resumption_by_ticket ... ok\ntest expired_ticket_falls_back ... ok\ntest two_segments ... ok\ntest slow_client ... ok\ntest wrong_sni ... ok\ntest alpn ... ok\ntest big_cert_chain ... ok\ntest close_notify ... ok\ntest resumed_client_with_early_data ... ok\n\ntest result: ok. 10 passed; 0 failed; 0 ignored; finished in 1.61s",
    )
    s.bash(
        "git add -A src tests && git commit -m 'TLS: offer no early data'",
        "[main 6e10bd4] TLS: offer no early data\n 2 files changed, 9 insertions(+), 1 deletion(-)",
    )
    s.say(
        "Fixed in `6e10bd4` (local, not pushed); 10 tests pass, among them `resumed_client_with_early_data`.\n\nFor the supplier:\n\n> The concentrator sends TLS early data to servers that offer it. From 2026-10-14 our gateway no longer offers it. Please confirm that the concentrator falls back to 1-RTT without a retry, and which firmware introduced this.\n\nOpen on your side: **the old tickets** still carry the early-data permission until they expire (12 h), so some hangs may go on for half a day after the deploy. Rotating the ticket key at the deploy would end that at once. Shall I add the rotation to the deploy script?",
        end=True,
    )
    return s


KEY = {
    "end_state": "Cause found and fixed in 6e10bd4 (local): rustls move dropped the reading of early data but went on offering it. The offer to rotate the ticket key is unanswered.",
    "goal": (
        "Why scanner connections hang for 60 s since rustls 0.23, fix it, and a text for the supplier",
        "hangs for exactly 60s",
        [["60s"], ["60 s"], ["scanner", "hang"], ["supplier"]],
    ),
    "decisions": [
        (
            "Cause: ab1f2c0 dropped the reading of early data but kept max_early_data_size = 16_384",
            "dropped the code that **reads** early data",
            [["early data"], ["early_data"], ["ab1f2c0"]],
        ),
        (
            "Option A: max_early_data_size = 0, no switch; scans aren't idempotent",
            "A. do it, but behind nothing",
            [
                ["max_early_data_size = 0"],
                ["idempotent"],
                ["no 0-rtt"],
                ["no config switch"],
                ["max_early_data_size", "0"],
            ],
            {"by": "user"},
        ),
        (
            "Test resumed_client_with_early_data added, the one for H3 removed",
            "rm tests/one_event.rs",
            [["resumed_client_with_early_data"], ["tests/early_data.rs"], ["one_event.rs"]],
        ),
    ],
    "failed": [
        (
            "H1 (MTU, two segments) alone isn't it: two_segments is green",
            "H1 alone can’t be it",
            [
                ["two_segments"],
                ["h1 alone"],
                ["mtu", "not it alone"],
                ["h1", "eliminated"],
                ["mtu", "ruled out"],
                ["h1", "companion"],
            ],
        ),
        (
            "H2 (ticket keys) is out",
            "H2 is out",
            [["h2 is out"], ["expired_ticket_falls_back"], ["h2", "eliminated"], ["h2", "ruled out"], ["h2", ", out"]],
        ),
        (
            "H3 (edge left unread) was taken back, the test is green",
            "I take H3 in this form back",
            [
                ["take h3"],
                ["both_segments_in_one_event"],
                ["h3", "took it back"],
                ["h3", "wrong"],
                ["h3", "retracted"],
                ["4096", "fit"],
            ],
        ),
        (
            "The soak without a limit took the whole machine and was stopped; --threads 4",
            "eating the whole machine",
            [["--threads 4"], ["4 threads"], ["max 4"]],
        ),
    ],
    "constraints": [
        ("Don't downgrade rustls (0.22 has the CVE)", "dont downgrade rustls", [["downgrade"], ["0.22"]]),
        ("logs/ is read only, evidence", "they are evidence", [["read only", "log"], ["evidence"], ["logs/"]]),
        ("At most 4 threads", "max 4 threads", [["4 threads"], ["max 4"], ["threads 4"]]),
    ],
    "open": [
        (
            "Old tickets still allow early data for up to 12 h after the deploy",
            "the old tickets",
            [["old ticket"], ["12 h"], ["12h"]],
        ),
        (
            "The supplier is to confirm the fallback and the firmware",
            "which firmware introduced",
            [["firmware"], ["supplier"]],
        ),
    ],
    "next": (
        "Answer on rotating the ticket key in the deploy script; then push and deploy",
        "Shall I add the rotation",
        [["rotat", "deploy"], ["ticket key", "deploy"], ["rotation"]],
    ),
    "needed": [
        ("Fixed in 6e10bd4, local, not pushed", "6e10bd4", [["6e10bd4"]], {"weight": 3}),
        (
            "131 of 131 hangs offered early data; scanners go through the VPN concentrator",
            "131 of 131",
            [["131"], ["concentrator"]],
            {"weight": 2},
        ),
        ("10 tests pass after the fix", "10 passed", [["10 tests"], ["10 passed"]], {"weight": 1}),
    ],
    "checks": [
        ("cargo test", "10 passed", "pass"),
        ("cargo test --test early_data (before the fix)", "finished in 60.02s", "fail"),
    ],
    "traps": [
        (
            "The loop waits for an edge that never comes (taken back)",
            None,
            [
                ["found it, i think"],
                ["the second part stays unread in the socket"],
                ["waits for an edge that never comes"],
            ],
        ),
        (
            "How the scanners connect is open (answered)",
            None,
            [["do the scanners go through the vpn concentrator, or"]],
        ),
        ("No fix yet / early_data.rs is red (fixed)", None, [["not done yet: no fix"], ["is red until the fix"]]),
        ("one_event.rs is left over (removed)", None, [["is left over from the wrong h3"]]),
        ("A or B is open (A chosen)", None, [["i recommend a:"], ["b read early data in `shake`"]]),
        ("It is pushed", None, [["fix is pushed"], ["committed and pushed"], ["pushed as 6e10bd4"]]),
    ],
}
NEXT = {
    "goal": {
        "text": "End the 60 s hangs of the scanners: no early data any more (6e10bd4), and tell the supplier.",
        "match": [["early data"], ["early_data"], ["60s"], ["60 s"]],
    },
    "next": {
        "text": "Get the answer on rotating the ticket key at the deploy, then push 6e10bd4.",
        "match": [["rotat"], ["ticket key"], ["push", "6e10bd4"]],
    },
}
