"""Finding where sessions lie."""

from __future__ import annotations

from pathlib import Path

from clew.clients.claude_code.paths import ClaudeCodeLocator
from clew.clients.locate import Locators


def test_a_client_that_was_never_used_costs_nothing(tmp_path: Path) -> None:
    """Given no folder of a client, its locator is not even imported; once it is there, it is asked."""
    place = tmp_path / ".claude" / "projects"
    made: list[Path] = []

    def make() -> ClaudeCodeLocator:
        made.append(place)
        return ClaudeCodeLocator(place.parent)

    locators = Locators({place: make})
    assert not list(locators) and not made
    place.mkdir(parents=True)
    assert len(list(locators)) == len(list(locators)) == 1
    assert made == [place]
