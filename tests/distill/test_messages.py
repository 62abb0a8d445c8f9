"""A commit's words as git takes them, and its message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.distill.shell_lines import message_of

SUMMARY = '## Summary\n- keeps "totals" (it\'s faster)'


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
