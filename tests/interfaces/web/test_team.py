"""A team with a hub: what one types on their page appears on the others' pages. Over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path

from clew.app.team.hub_client import join_hub
from clew.testing.clock import Chance
from tests.app.projects import World
from tests.app.team.conftest import ada, bea  # noqa: F401 - fixtures
from tests.app.team.hubs import served
from tests.app.team.test_story import of, question_of
from tests.interfaces.web.house import NOW_MS, House

SECONDS = 30


class Desk(House):
    """The page of somebody in a team."""

    def __init__(self, world: World) -> None:
        self.home, self.top, self.ports = world.home, world.top, world.ports
        self.shown: list[str] = []
        self._now_ms, self._chance = NOW_MS, Chance(str(world.home))
        self.site = self.site_of()

    def open_until(self, is_so: Callable[[], bool]) -> None:
        """A page is open, until something is so."""
        limit = time.monotonic() + SECONDS

        async def never() -> bool:
            return False

        async def story() -> None:
            told = self.site.watch(self.key).changes(never)
            waiting = asyncio.ensure_future(anext(told))
            while not await asyncio.to_thread(is_so):
                assert time.monotonic() < limit
                if waiting.done():
                    waiting = asyncio.ensure_future(anext(told))
                await asyncio.wait([waiting], timeout=0.05)
            waiting.cancel()

        asyncio.run(story())

    def text(self, path: str = "") -> str:
        """A page of the project, or with "/" the first one."""
        return unescape(self.browser().get(path if path.startswith("/") else f"/p/{self.key}/{path}").text)


def test_an_answer_on_one_page_appears_on_the_other(tmp_path: Path, ada: World, bea: World) -> None:  # noqa: F811
    """By the hub while they are open, with the name of who gave it. Without the hub a page says so and goes on."""
    bea.ports = bea.ports._replace(actor="bea")
    with served(tmp_path / "hub/hub.db") as hub:
        join_hub(ada.ports, ada.top, f"{hub.url}#{hub.code}", past=True)
        hub.synced(ada)
        hub.lets_in(bea, "Bea")
        here, there = Desk(ada), Desk(bea)
        assert "Spring tides" not in there.text("/")
        there.open_until(lambda: "Spring tides" in there.text("/"))
        assert "for bea" in here.text("/") and "for bea" not in there.text("/")
        browser, headers = there.acting()
        given = {"item": question_of(bea), "was": "Spring tides as well?", "answer": "Only at new moon"}
        answer = browser.post(f"/p/{there.key}/do/answer", json=given, headers=headers)
        while answer.status_code == 409:
            given["seen"] = answer.json()["seen"]
            answer = browser.post(f"/p/{there.key}/do/answer", json=given, headers=headers)
        assert 200 == answer.status_code
        assert "1 event to send" in Desk(bea).text("/")
        again = Desk(bea)
        again.open_until(lambda: "to send" not in again.text("/"))
        page = f"item/{question_of(ada)}"
        assert "Only at new moon" not in here.text(page)
        here.open_until(lambda: "Only at new moon" in here.text(page))
        assert "Bea" in here.text(page).partition("What was said of it")[2]
        assert f"{hub.url}: the same there" in here.text(page)
        decided = here.text(f"item/{_decision(ada)}"), again.text(f"item/{_decision(bea)}")
        assert "by you" in decided[0] and "by Ada" in decided[1]
    alone = Desk(ada)
    alone.open_until(lambda: "not exchanged" in alone.text())
    assert "Ten it is" in alone.text()


def _decision(world: World) -> str:
    with of(world).open(write=False) as at:
        return next(name for name in at.known(at.tasks()[0].id) if name.startswith("D-"))
