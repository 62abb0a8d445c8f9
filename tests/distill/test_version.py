"""What is read off a session is kept in ledgers under the version of the rules that read it."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.distill.version import RULES_VERSION
from clew.sessions.capture import captured, gather

RECORDED = Path(__file__).parents[1] / "recordings" / "claude-code"
# What each version makes of the recorded sessions. Earlier versions stay: they are in ledgers.
MADE = {
    1: "94ce58a2776241eea20db517",
    2: "2114a5378bfa6cd9f8091761",
    3: "2cf8f401b320ffdff168698a",
    4: "9c1af33721004968f47222e6",
    5: "4867a9fcd469e807dd0ea702",
    6: "c3e44026c589752e50722dc9",
    7: "25d5a956a30e6fd4eb6f1376",
    8: "25d5a956a30e6fd4eb6f1376",
    9: "25d5a956a30e6fd4eb6f1376",
    10: "b245522a33d3f82b59393a18",
    11: "3242cf74182985390c41be04",
    12: "878550d00d83276b846fcb44",
    13: "46144b40e12de727af4314ae",
    14: "46144b40e12de727af4314ae",
    15: "4b6efc2276754827c3031835",
}


def made() -> str:
    """A hash of all that is read off the recorded sessions, but for the ranks and the words around."""
    digest = blake2b(digest_size=12)
    for path in sorted(RECORDED.glob("*.jsonl")):
        gathered = gather(path, ClaudeCodeReader(), redact=str)
        state = captured(gathered, client="claude-code", root_of=str).state
        for item in state.items:
            digest.update(repr((item.id, item.text, item.why, item.status, item.provenance, item.files)).encode())
    return digest.hexdigest()


def test_rules_that_read_otherwise_have_another_version() -> None:
    """Better rules replace what was inferred before only if their version is greater: forgotten, old readings stay.

    When this fails: raise `RULES_VERSION` in `distill/version.py` and add a line to `MADE`. A change before the first
    release of a version may replace its line.
    """
    assert max(MADE) == RULES_VERSION
    assert MADE[RULES_VERSION] == made()
