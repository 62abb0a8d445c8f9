"""Where the items of sessions are at home."""

from __future__ import annotations

from clew.core.state.extract import owning_tasks
from tests.core.stories import read_off, session_of

ONE, OTHER = (read_off("finding", text, 1, session="s1") for text in ("The moon", "The sun"))


def test_a_foreign_extract_is_nobodys_home() -> None:
    """Anybody can write one, with the id of what a person pinned elsewhere: the pin would go where it says."""
    read = session_of(ONE, session="s1", first=1, last=2)
    adopted = session_of(ONE, OTHER, session="s2", first=1, last=2, task="T-2")._replace(rules=0)
    foreign = session_of(ONE, OTHER, session="zz", first=1, last=2, task="T-3")._replace(rules=-1)
    assert {ONE.id: {"T-1", "T-2"}, OTHER.id: {"T-2"}} == owning_tasks([read, adopted, foreign])
    assert {ONE.id: {"T-1", "T-2", "T-3"}, OTHER.id: {"T-2", "T-3"}} == owning_tasks(
        [read, adopted, foreign], foreign=True
    )
    assert [False, False, True] == [one.is_foreign for one in (read, adopted, foreign)]
