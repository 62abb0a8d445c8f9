"""A tick is for the whole of an entry: what stands beside a known commit, command or file takes it away."""

from __future__ import annotations

from typing import Final

import pytest

from clew.app.proof.facts import DiskFacts
from clew.app.proof.prove import prove
from clew.core.state.draft import JudgedClaim
from clew.documents.draft import claims_in
from tests.app.proof.records import facts_in_records
from tests.builders import ROOT, Piece, edit, laid_out, prompt, reply, run

_NO_DISK: Final = DiskFacts()
STORY: Final[tuple[Piece, ...]] = (
    prompt("Cache what load() reads. Never delete the fixtures, and keep `read_rows` as it is."),
    edit(f"{ROOT}/src/store.py", "def load(): ...\n"),
    edit(f"{ROOT}/src/rows.py", "def read_rows(): ...\n"),
    run("pytest -q tests/test_store.py", "12 passed in 0.31s"),
    run("ruff check", "All checks passed!"),
    run("git commit -m 'Cache load()' src/store.py", "[main 7c41e9a] Cache load()\n 1 file changed, 4 insertions(+)"),
    run("git tag -l | cat deploy.md", "v1"),
    reply("Done."),
)


def judged(heading: str, entry: str, *pieces: Piece, disk: DiskFacts = _NO_DISK) -> JudgedClaim:
    claims = claims_in(f"## {heading}\n- {entry}")
    facts = facts_in_records(laid_out(*(pieces or STORY)), claims, client="claude-code", root=ROOT)
    (one,) = prove(claims, facts, disk)
    return one


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("State", "7c41e9a Cache load()"),
        ("State", "Committed: 7c41e9a (Cache load) on main, not pushed"),
        ("State", "src/store.py: committed in 7c41e9a"),
        ("State", "Cache load() [commit 7c41e9a] [file src/store.py]"),
        ("Checks", "12 passed [check pytest -q tests/test_store.py]"),
        ("State", "src/rows.py is uncommitted, not pushed"),
        ("Checks", "`ruff check` clean, after the last edit"),
        ("Checks", "`mypy` was never run"),
        ("Constraints", "“Never delete the fixtures” (user)"),
    ],
)
def test_what_is_wholly_told_by_tools_or_the_user_has_one(heading: str, entry: str) -> None:
    """A proof that nobody passes is worth nothing."""
    one = judged(heading, entry)
    assert one.verdict == "proved", one.reason


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("State", "7c41e9a introduces a race"),
        ("State", "The race is gone [commit 7c41e9a] [file src/store.py]"),
        ("State", "7c41e9a “Cache load()”: committed, 1 file changed, 4 insertions"),
        ("Checks", "`pytest tests/test_store.py` passed, no failures"),
        ("Checks", "12 passed, the whole suite [check pytest]"),
        ("State", "7c41e9a Cache load(), pinned to the old schema"),
        ("Checks", "`pytest -q`: the whole suite passed"),
        ("Checks", "`ruff check`: passed on CI"),
        ("Constraints", "Always use 7c41e9a"),
        ("Constraints", "“Never delete the fixtures”, since nothing else covers the parser"),
        ("Goal", "“Cache what load() reads.” — not done"),
        ("Decisions", "7c41e9a is the last commit"),
        ("Findings", "7c41e9a Cache load()"),
    ],
)
def test_what_says_more_stands_without_one(heading: str, entry: str) -> None:
    """One known name in a line is no proof of the line."""
    one = judged(heading, entry)
    assert one.verdict == "anchored", one.reason


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("State", "7c41e9a Cache load(): not committed"),
        ("Checks", "`ruff check` never passed"),
        ("State", "There is no commit 7c41e9a"),
        ("State", "src/rows.py: committed in 7c41e9a"),
        ("State", "Cached [commit 7c41e9a] [file src/store.py] [file src/rows.py]"),
        ("State", "Committed 7c41e9a and 0bad0ca"),
    ],
)
def test_what_is_wrong_beside_a_known_commit_is_struck(heading: str, entry: str) -> None:
    """A commit that is there makes the lie beside it credible."""
    one = judged(heading, entry)
    assert not one.stands, one.reason


@pytest.mark.parametrize(
    "entry",
    [
        "7c41e9a Cache load() is committed, uncommitted: src/rows.py",
        "src/rows.py is not in 7c41e9a",
        "7c41e9a on main: src/store.py (load), src/rows.py stays uncommitted",
    ],
)
def test_what_is_said_of_another_thing_is_not_held_against_a_commit(entry: str) -> None:
    """A true entry that is struck is lost."""
    one = judged("State", entry)
    assert one.stands, one.reason


def test_a_commit_that_was_taken_back_is() -> None:
    """Told as reverted, and reverted: nothing is wrong with it."""
    story = (*STORY, run("git revert --no-edit 7c41e9a", '[main 8d52f0b] Revert "Cache load()"\n 1 file changed'))
    assert judged("State", "7c41e9a Cache load(): reverted", *story).stands


def test_git_says_which_files_a_commit_holds() -> None:
    """A commit from another window is known to git alone."""
    disk = DiskFacts(
        True,
        commits={"5f00ba4aaa": "Tune"},
        exists=frozenset(("src/a.py", "src/b.py")),
        touched={"src/a.py": frozenset(("5f00ba4aaa",))},
    )
    assert judged("State", "src/a.py: committed in 5f00ba4", disk=disk).verdict == "proved"
    assert judged("State", "src/b.py: committed in 5f00ba4", disk=disk).verdict == "contradicted"


def test_words_cut_out_of_a_denial_are_in_doubt() -> None:
    """ "Never delete the fixtures" holds "delete the fixtures" to the letter."""
    one = judged("Constraints", "“delete the fixtures”")
    assert (one.verdict, "denial" in one.reason) == ("anchored", True)
