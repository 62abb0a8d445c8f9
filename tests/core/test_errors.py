"""Errors that tell people what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import clew
from clew.core.errors import BudgetError, ClewError, InputError, NotFound, Unavailable

PACKAGE = Path(clew.__file__).parent
CODES = sorted(
    {code for path in PACKAGE.rglob("*.py") for code in re.findall(r'code="([^"]+)"', path.read_text("utf-8"))}
)


@pytest.mark.parametrize(("kind", "exit_code"), [(InputError, 1), (NotFound, 1), (BudgetError, 1), (Unavailable, 1)])
def test_exit_codes(kind: type[ClewError], exit_code: int) -> None:
    """Scripts tell it from a bug of ours (70) by it; 2 would be read as "block" by every client's hooks."""
    assert exit_code == kind.exit_code


def test_an_error_says_what_and_what_next() -> None:
    """Callers match the code, never the message."""
    error = NotFound("no item has the id D-7k2q", code="E-no-item", hint="`clew show` lists them.")
    assert "no item has the id D-7k2q" == str(error) == error.message
    assert (error.code, error.hint) == ("E-no-item", "`clew show` lists them.")
    assert isinstance(error, ClewError)


def test_codes_are_of_one_form() -> None:
    """A code is a heading of a page and a word to search for: lower case, with hyphens, "E-" in front."""
    assert CODES
    assert [code for code in CODES if not re.fullmatch(r"E-[a-z]+(?:-[a-z]+)*", code)] == []


def test_every_code_is_explained() -> None:
    """Each error prints its code so that it can be looked up; a code without a page sends people nowhere."""
    page = PACKAGE.parents[1] / "docs" / "reference" / "errors.md"
    assert [code for code in CODES if code not in page.read_text("utf-8")] == []
