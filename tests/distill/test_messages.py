"""A commit's words as git takes them, and its message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.distill.messages import message_of, options

SUMMARY = '## Summary\n- keeps "totals" (it\'s faster)'


@pytest.mark.parametrize(
    ("words", "flags", "values", "paths"),
    [
        ("-am Fix", "a", [("m", "Fix")], ""),
        ("-aSm Fix", "a S", [], "Fix"),
        ("-mFix sum.py", "", [("m", "Fix")], "sum.py"),
        ("-q --message=Fix --amend", "q amend", [("message", "Fix")], ""),
        ("--author A -- -a", "", [("author", "A")], "-a"),
        ("--fixup HEAD~1 sum.py", "", [("fixup", "HEAD~1")], "sum.py"),
        ("-m", "", [], ""),
        ("- a", "", [], "- a"),
    ],
)
def test_options_are_told_from_their_values(words: str, flags: str, values: list[tuple[str, str]], paths: str) -> None:
    """A message taken for an option stages everything; a value taken for a path commits what stayed open."""
    given = options(tuple(words.split()))
    assert (frozenset(flags.split()), values, paths.split()) == (given.flags, list(given.values), list(given.paths))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git commit -m 'Fix' -m 'It was wrong.'", "Fix\n\nIt was wrong."),
        ("git commit -m Fix", "Fix"),
        ("git commit -m $'Fix\\n\\nIt\\'s so.'", "Fix\n\nIt's so."),
        ('git commit -m "$(cat msg.txt)"', ""),
        ("cat > a.py <<'EOF'\nprint(1)\nEOF\ngit commit -m 'Fix'", "Fix"),
        ("cat > /tmp/m.txt <<'EOF'\nFix\n\nBecause.\nEOF\ngit commit -F /tmp/m.txt", "Fix\n\nBecause."),
        ("git commit -F - <<EOF && git push\nFix -m 'all'\nEOF", "Fix -m 'all'"),
        ("git add a.py && git commit --no-edit --amend", ""),
        (f"gh pr create --title T --body \"$(cat <<'EOF'\n{SUMMARY}\nEOF\n)\"", SUMMARY),
        ('gh issue comment 12 -b "so \\"be\\" it"', 'so "be" it'),
        ("gh pr view 12", ""),
        ("ls", ""),
    ],
)
def test_a_message_is_what_the_other_program_gets(command: str, expected: str) -> None:
    """It is the best text about the work; a file that the same line writes is none."""
    assert expected == message_of(command)


@given(st.text(st.sampled_from("git commit-mF'\"\\$(<EOF\n) =")))
def test_any_command_has_a_message_or_none(command: str) -> None:
    """Whatever was typed, half of it too."""
    message_of(command)
    message_of(f"git commit -m {command}")
