"""A small project that fails, and what the first failure of it is, known by construction."""

from __future__ import annotations

from typing import NamedTuple

MARK = "@here"


class Case(NamedTuple):
    """`files` by path; the line with `@here` is the user's frame. `test` is what the failing test is called ("" where
    there is none; `|` between several names that are right), `says` stands in the message, `values` are the two that
    were compared (() none). `is_empty`: nothing fails, for no test is run.
    """

    runner: str
    name: str
    command: str
    files: dict[str, str]
    test: str = ""
    says: str = ""
    values: tuple[str, ...] = ()
    is_empty: bool = False

    @property
    def frame(self) -> str:
        """`path:line` of the mark, "" without one."""
        for path, text in self.files.items():
            for number, line in enumerate(text.split("\n"), start=1):
                if MARK in line:
                    return f"{path}:{number}"
        return ""
