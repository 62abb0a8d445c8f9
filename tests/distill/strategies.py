"""Sessions by chance: sequences of things that happen, in words that the rules react to."""

from __future__ import annotations

from hypothesis import strategies as st

from tests import builders as b
from tests.builders import Piece

WORDS = st.sampled_from(
    """the parser total `sum.py` __init__.py src/web/app.ts drops lines because never actually reverted fails tests pass
    now let me next remaining instead SumCache --fast 42 e.g. (see it). Done. Why? decided not risk - **bold** a_b_c
    [x](y.md) don't only “quoted” …""".split()
)
PHRASES = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)
LINES = st.one_of(
    PHRASES,
    PHRASES.map("- {}".format),
    PHRASES.map("1. {}".format),
    PHRASES.map("## {}".format),
    PHRASES.map("| {} | cell |".format),
    PHRASES.map("{}:".format),
    st.sampled_from(["", "", "```", "|---|---|", "> quoted", "  wrapped on"]),
)
LONG_PASTE = "The parser drops lines because the reader waits. " * 18
PROSE = st.lists(LINES, min_size=1, max_size=8).map("\n".join)
PATHS = st.sampled_from(
    ["sum.py", "./sum.py", f"{b.ROOT}/web/app.ts", "/tmp/x.py", "~/y", "../z.go", "C:\\a\\b.ts", ".claude/plans/p.md"]
)
COMMANDS = PHRASES | st.sampled_from(
    [
        "make test",
        "pytest -q 2>&1 | tail -3",
        "uv run pytest -q",
        "cd web && npm test",
        "go build ./...",
        "ruff check .",
        "rg total src",
        "git add sum.py && git commit -m 'Fix the sum'",
        "git commit -am 'Fix: it' && git push",
        "git commit --amend --no-edit",
        "git checkout -- sum.py",
        "git restore .",
        "git rebase main",
        "git reset --hard",
        "cat > f <<'EOF'",
    ]
)
OUTPUTS = st.sampled_from(
    ["", "3 passed", "1 failed", "[main 1a2b3c4] Fix the sum\n 1 file", "zsh: command not found: pytest", "x" * 300]
)
STATUSES = st.sampled_from(["pending", "in_progress", "completed", "deleted", ""])
OPTIONS = st.lists(WORDS, max_size=3).map(tuple)

CALLS: st.SearchStrategy[Piece] = st.one_of(
    st.builds(b.run, COMMANDS, OUTPUTS, exit_code=st.sampled_from([0, 0, 1, 127])),
    st.builds(b.edit, PATHS, PROSE | PHRASES.map("# {}\ndef total(): pass".format), ok=st.booleans()),
    st.builds(b.read, PATHS, ok=st.booleans()),
    st.builds(b.plan, PROSE),
    st.lists(st.tuples(PHRASES, STATUSES), max_size=4).map(lambda entries: b.todo_list(*entries)),
    st.builds(b.new_task, PHRASES, st.sampled_from("12")),
    st.builds(b.set_task, st.sampled_from("123"), STATUSES),
    st.lists(st.tuples(PHRASES, OPTIONS, WORDS), min_size=1, max_size=3).map(lambda asked: b.ask_all(*asked)),
    st.builds(b.delegate, PHRASES, PROSE),
    st.builds(b.other, st.sampled_from(["Skill", "WebFetch"]), PHRASES, PHRASES),
)
PIECES: st.SearchStrategy[Piece] = st.one_of(
    st.builds(
        b.prompt,
        PROSE | st.sampled_from(["ok", "go on", "/clear", "exit", "", "don't touch it", LONG_PASTE]),
        source=st.sampled_from(["typed", "typed", "command", "plan"]),
        uid=st.sampled_from(["", "1", "2"]),
        parent=st.sampled_from(["", "0", "1"]),
    ),
    st.builds(b.reply, PROSE),
    st.builds(b.reply, PROSE),
    CALLS,
    CALLS,
    st.builds(b.refused, CALLS, PHRASES | st.just("")),
    CALLS.map(b.interrupted),
    CALLS.map(b.unanswered),
    st.builds(b.summary, PROSE),
    st.just(b.stop()),
    st.builds(b.link, PHRASES, st.just("https://example.org/pull/3")),
    st.builds(b.by, st.just("a1"), CALLS, st.builds(b.reply, PROSE)),
)
SESSIONS = st.lists(PIECES, max_size=14)
