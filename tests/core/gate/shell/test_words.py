"""Words of a command: options, their values, and the rest."""

from __future__ import annotations

import pytest

from clew.core.gate.shell.words import OptionWords


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
    given = OptionWords(words.split(), "commit")
    assert (set(flags.split()), values, paths.split()) == (given.flags, given.values, given.operands)
