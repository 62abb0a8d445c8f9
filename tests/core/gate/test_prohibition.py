"""Prohibitions in words: what they name exactly, and nothing else."""

from __future__ import annotations

import pytest

from clew.core.gate.prohibition import forbidden


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Don't touch till/label.py until Mia is back.", ["till/label.py"]),
        ("src/gen/ must not be changed", ["src/gen/"]),
        ("Do not edit a.py, b.py or lib/c.py, please", ["a.py", "b.py", "lib/c.py"]),
        ("Do not edit src/a.py, write src/b.py instead", ["src/a.py"]),
        ("Die Datei till/label.py nicht anfassen", ["till/label.py"]),
        ("Finger weg von .github/workflows/ci.yml", [".github/workflows/ci.yml"]),
    ],
)
def test_files_that_are_not_to_be_changed(text: str, paths: list[str]) -> None:
    """In the clause that forbids."""
    assert (paths, ()) == (list(forbidden(text).paths), forbidden(text).commands)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("Never run `npm publish`", ["npm publish"]),
        ("Never push", ["git push"]),
        ("bitte nicht pushen", ["git push"]),
        ("do not run `pytest -x`", ["pytest -x"]),
    ],
)
def test_commands_that_are_not_to_be_run(text: str, commands: list[str]) -> None:
    """Word for word, but for what everybody says of git without its name."""
    assert ((), commands) == (forbidden(text).paths, list(forbidden(text).commands))


@pytest.mark.parametrize(
    "text",
    [
        "Don't change anything but src/api.py",
        "never edit a file without running tests/run.sh",
        "Keep `split()` in refunds.py",
        "Don't use math.ceil, and never use `print`",
        "don't push yet",
        "You do not need to run `npm install`",
        "It does not work: `npm test` fails in src/a.py",
    ],
)
def test_what_only_looks_like_it(text: str) -> None:
    """A warning that is wrong is soon not read."""
    assert not any(forbidden(text))
