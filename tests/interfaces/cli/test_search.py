"""`clew search …`, as people read it."""

from __future__ import annotations

from tests.interfaces.cli.conftest import Desk


def test_a_find_says_what_it_is_and_the_words_as_they_were_said(desk: Desk) -> None:
    """Given what was recorded: words that matched keep the spaces around them, and columns stand apart."""
    noted = desk.ada("decide", "Amounts are integer cents", "--why", "floats lose them").out.split()[1]
    ran = desk.ada("search", "integer")
    head, *words = ran.out.splitlines()
    assert ran.code == 0 and head.startswith(f"{noted}  decision  20")
    assert "    Amounts are integer cents" in words


def test_nothing_found_says_where_else_to_look(desk: Desk) -> None:
    assert "`--all` looks in all of them" in desk.ada("search", "nowhere").err
