"""Takes the pictures of the page for the documents, of a made-up project, with Debian's chromium:

python scripts/page_pictures.py [FOLDER]     (docs/pictures)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.interfaces.web.house import SESSION, House
from tests.interfaces.web.test_browser import CHROMIUM, QUIET, Seat
from tests.recordings.sessions import Recorder

from clew.app.phase.lifecycle import phase_start
from clew.app.plan.lifecycle import plan_approve
from clew.app.plan.look import plan_tick
from clew.app.record.item import answer
from clew.app.resume.payload import resume

SIZE = {"width": 1000, "height": 640}
_WORK = (
    ("Read the bank's statement format", "The format has a header of four lines; amounts have a comma."),
    ("Write the reader, streaming", "The reader is there: 4,120 rows in 0.3 s."),
    ("Refuse rows without a date", "Done; the test for it passes."),
    ("What about two transactions with one amount?", "Both stay open until a person chooses."),
    ("Write the matcher", "It matches 3,980 of 4,120 rows; the rest goes to the report."),
)


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="mira-") as temporary:
        house = House(Path(temporary).resolve())
        _more(house)
        with house.served() as base, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            seat = Seat(house, base, browser.new_context(viewport=SIZE))
            seat.enter()
            seat.act()

            def take(name: str) -> None:
                seat.page.wait_for_timeout(200)
                seat.page.screenshot(path=folder / f"page-{name}.png")

            seat.page.goto(base)
            take("today")
            seat.go("")
            take("task")
            seat.go(f"sessions/{SESSION}")
            take("session")
            answer(house.by_person, house.one("question").id, "Yes, within a month")
            plan_approve(house.by_person)
            phase_start(house.by_person, "1", with_baseline=False)
            plan_tick(house.by_person, "1.1")
            seat.go("plan")
            take("plan")
            browser.close()


def _more(house: House) -> None:
    """Sessions of the days before, and one whose context grows, is compacted and grows again."""
    for day in range(8):
        session = f"{day + 1:08x}-0000-4000-8000-000000000001"
        story = Recorder(house.top, session=session, start=f"2026-02-{20 + day}T09:00:00", model="claude-sonnet-4-5")
        for asked, said in _WORK[: 2 + day * 3 % 4]:
            story.user(asked).run("python -m pytest -q", "12 passed").reply(said)
        _save(house, story)
    story = Recorder(house.top, session=SESSION, start="2026-03-02T15:00:00", model="claude-sonnet-4-5")
    for number in range(3):
        for asked, said in _WORK:
            story.user(asked).read("src/reader.py", "def rows():\n    return []\n")
            story.run("python -m pytest -q", "12 passed").pause(2).reply(said)
        if number < 2:
            story.compaction("The reader is done, the matcher is begun.")
    _save(house, story)
    resume(house.by_person)


def _save(house: House, story: Recorder) -> None:
    """With a context that grows from response to response, up to each compaction."""
    tokens = 18_000
    lines = []
    for number, line in enumerate(story.lines):
        tokens = 22_000 if "compact_boundary" in line else tokens + 1_700 + number % 5 * 700
        lines.append(line.replace('"cache_read_input_tokens": 20000', f'"cache_read_input_tokens": {tokens}'))
        lines[-1] = lines[-1].replace('"cache_read_input_tokens":20000', f'"cache_read_input_tokens":{tokens}')
    story.lines[:] = lines
    story.save(house.home)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[1] / "docs" / "pictures")
