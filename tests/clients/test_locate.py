"""Finding where sessions lie."""

from __future__ import annotations

from pathlib import Path

from clew.clients.port import Locator
from clew.clients.registry import Family, Locators


def test_a_client_that_was_never_used_costs_nothing(tmp_path: Path) -> None:
    """Given no folder of a client, its locator is not even imported; once it is there, it is asked."""
    made: list[str] = []

    class Noted(Family):
        def locator(self) -> Locator | None:
            made.append(self.name)
            return super().locator()

    families = [Noted("claude-code", "clew.clients.claude_code", {}, tmp_path)]
    locators = Locators(lambda: families)
    assert not list(locators) and not made
    tmp_path.joinpath(".claude", "projects").mkdir(parents=True)
    assert len(list(locators)) == len(list(locators)) == 1
    assert made == ["claude-code"]
