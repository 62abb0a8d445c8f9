"""Pages hear that something changed, and no text makes an event of its own."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from clew.app.record.item import answer
from clew.interfaces.web.site import event
from tests.interfaces.web.house import SESSION, House
from tests.recordings.sessions import Recorder

SECONDS = 20


@given(st.text(max_size=20), st.text(alphabet="ab:\r\n \u2028\x0b\x85", max_size=60))
def test_a_text_stays_in_its_field(name: str, data: str) -> None:
    """Read as browsers read it: lines end at CR, LF and CRLF, an empty line ends the event."""
    lines = re.split("\r\n|\r|\n", event(name, data))
    assert ["", ""] == lines[-2:] and "" not in lines[:-2]
    fields = [line.partition(": ") for line in lines[:-2]]
    assert "event" == fields[0][0] and {"data"} == {field for field, _, _ in fields[1:]}
    assert re.split("\r\n|\r|\n", data) == [value for _, _, value in fields[1:]]


def test_what_happens_is_heard_and_nothing_else(house: House) -> None:
    """A note, a live session that goes on; the end of the server."""
    over: list[bool] = []

    async def never() -> bool:
        return False

    async def story() -> list[str]:
        house.site.is_over = lambda: bool(over)
        told = house.site.watch(house.key).changes(never)
        heard = [await _next(told)]
        waiting = asyncio.ensure_future(_next(told))
        done, _ = await asyncio.wait([waiting], timeout=0.5)
        assert not done  # nothing happened
        house.note("decision", "Ask the bank")
        heard.append(await waiting)
        Recorder(house.top, session=SESSION).user("Go on").save(house.home)
        heard.append(await _next(told))
        over.append(True)
        assert [] == [one async for one in told]
        return heard

    names = [one.partition("\n")[0] for one in asyncio.run(story())]
    assert ["event: ready", "event: changed", "event: changed"] == names


def test_what_happened_before_the_page_listened_is_heard(house: House) -> None:
    """Between the making of a page and its first ear there is time enough for a note."""

    async def never() -> bool:
        return False

    async def story() -> list[str]:
        told = house.site.watch(house.key).changes(never, is_behind=True)
        heard = [await _next(told), await _next(told)]
        await told.aclose()  # type: ignore[attr-defined]
        return heard

    assert ["event: ready", "event: changed"] == [one.partition("\n")[0] for one in asyncio.run(story())]


async def _next(told: AsyncIterator[str]) -> str:
    return await asyncio.wait_for(anext(told), SECONDS)


def test_how_a_project_stands_is_soon_as_it_is(house: House) -> None:
    """What was known is shown meanwhile; what waits is never late."""
    answer(house.by_person, house.one("question").id, "Yes")
    browser, limit = house.browser(), time.monotonic() + SECONDS
    assert "Plan to approve" in browser.get("/").text
    house.approve()
    assert "Plan to approve" not in browser.get("/").text
    while "phase 1, Read the file (started)" not in browser.get("/").text:
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_what_sessions_cost_is_shown_when_it_is_counted(house: House) -> None:
    """The list does not wait for it."""
    browser, limit = house.browser(), time.monotonic() + SECONDS
    first = browser.get(f"/p/{house.key}/sessions").text
    assert SESSION in first and " tokens</span>" not in first
    while " tokens</span>" not in browser.get(f"/p/{house.key}/sessions").text:
        assert time.monotonic() < limit
        time.sleep(0.02)
