"""The page in a real browser: every page, every deed, both themes, small and large, keys, hostile words, without
JavaScript, and what axe says of it. Skipped where there is no chromium; CI installs one.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.app.handoff.made import handoffs
from clew.app.memory.use import show as memory_shown
from clew.app.plan.look import plan_show
from clew.app.stack.stack_file import read_stack
from tests.interfaces.web.house import SESSION, WORDS, House
from tests.interfaces.web.test_pages import EVIL
from tests.remotes.github.description import needed

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    assert not os.environ.get("CI"), "CI needs chromium: `apt-get install chromium`"
    pytest.skip("the page in a browser needs chromium, which is not installed", allow_module_level=True)
api = pytest.importorskip("playwright.sync_api", reason="the page in a browser needs playwright")

QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
AXE = ("axe-core", "4.14.1", "package/axe.min.js")
PAGES = (
    "", "plan", "sessions", f"sessions/{SESSION}", "cost", "memory", "handoff", "stacks", "stacks/matcher", "audit",
    "search?q=matcher", "doctor",
)  # fmt: skip
SECONDS = 15_000


class Seat:
    """Somebody at a browser, before the page of a house. `problems` is what the browser complained of."""

    def __init__(self, house: House, base: str, context: Any) -> None:
        self.house = house
        self.base = base
        self.context = context
        self.page = context.new_page()
        self.page.set_default_timeout(SECONDS)
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("dialog", lambda dialog: (self.problems.append(dialog.message), dialog.dismiss()))

    def _heard(self, message: Any) -> None:
        # A browser tells of each answer that is no success, also of those that a page asks for.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(message.text)

    def enter(self) -> None:
        """By the link that the terminal shows."""
        self.page.goto(f"{self.base}/#{self.house.site.access.ticket}")
        self.page.wait_for_selector("#waits", state="attached")

    def go(self, path: str) -> None:
        """To a page of the project."""
        self.page.goto(f"{self.base}/p/{self.house.key}/{path}")

    def act(self) -> None:
        """Type the code that the terminal shows."""
        before = len(self.house.shown)
        self.page.click("#act")
        self.page.wait_for_selector("#ask[open] #ask-code")
        assert before + 1 == len(self.house.shown)
        self.page.fill("#ask-code", self.house.code)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("html.acting")

    def agree(self) -> str:
        """To what the dialog shows; these words."""
        self.page.wait_for_selector("#ask[open] #ask-about:not([hidden])")
        words = self.page.inner_text("#ask-about")
        self.page.click("#ask-yes")
        return str(words)

    def told(self, words: str) -> None:
        """Wait until the page says so."""
        self.until(lambda: words in (self.page.text_content("#said") or ""))

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until that holds; the policy of the page keeps the browser from waiting for it."""
        limit = time.monotonic() + SECONDS / 1000
        while not holds():
            assert time.monotonic() < limit
            self.page.wait_for_timeout(20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield made
        made.close()


@pytest.fixture(scope="module")
def open_seat(browser: Any) -> Iterator[Callable[..., Seat]]:
    contexts: list[Any] = []

    def seat(house: House, base: str, **options: Any) -> Seat:
        contexts.append(browser.new_context(**options))
        return Seat(house, base, contexts[-1])

    yield seat
    for one in contexts:
        one.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    """A house that several stories look at."""
    house = House(tmp_path_factory.mktemp("served"))
    with house.served() as base:
        yield house, base


Served = tuple[House, str]
Open = Callable[..., Seat]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_page_fits_in_both_themes(served: Served, open_seat: Open, scheme: str, width: int) -> None:
    """Nothing is wider than the screen, no text has the colour of its ground, the browser complains of nothing."""
    seat = open_seat(*served, viewport={"width": width, "height": 800}, color_scheme=scheme)
    seat.enter()
    for path in PAGES:
        seat.go(path)
        sizes = seat.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert sizes[0] <= sizes[1], (path, sizes)
        ink, ground = seat.page.evaluate(
            "['color', 'backgroundColor'].map((of) => getComputedStyle(document.body)[of])"
        )
        assert ink != ground
    assert [] == seat.problems


def test_axe_finds_nothing_serious(served: Served, open_seat: Open) -> None:
    """In both themes, looking and acting."""
    script = needed(AXE).read_text("utf-8")
    seat = open_seat(*served)
    seat.enter()
    seat.act()
    found = []
    for scheme in ("light", "dark"):
        seat.page.emulate_media(color_scheme=scheme)
        for path in PAGES:
            seat.go(path)
            seat.page.evaluate(script)  # by the debugger, which the policy does not bind
            for one in seat.page.evaluate("axe.run().then((told) => told.violations)"):
                if one["impact"] in ("serious", "critical"):
                    found.append((scheme, path, one["id"], one["nodes"][0]["html"][:200]))
    assert [] == found


def test_what_happens_is_shown_at_once_but_not_under_the_pointer(served: Served, open_seat: Open) -> None:
    """A note of an agent's appears in the list; while the pointer is in it, it waits."""
    house, base = served
    seat = open_seat(house, base)
    seat.enter()
    seat.go("")
    house.note("decision", "Round to the cent at the end", agent=True)
    seat.page.wait_for_selector("#known >> text=Round to the cent at the end")
    seat.page.hover("#known")
    house.note("decision", "Keep the raw row beside the booking", agent=True)
    seat.page.wait_for_selector("#log >> text=Keep the raw row")
    assert 0 == seat.page.locator("#known >> text=Keep the raw row").count()
    seat.page.hover("h1")
    seat.page.wait_for_selector("#known >> text=Keep the raw row")
    assert [] == seat.problems


def test_what_is_new_since_the_last_visit_is_marked(served: Served, open_seat: Open) -> None:
    """Only that."""
    house, base = served
    seat = open_seat(house, base)
    seat.enter()
    seat.go("")
    assert 0 == seat.page.locator(".new").count()
    seat.go("plan")
    house.note("constraint", "Statements are never deleted", agent=True)
    seat.go("")
    marked = seat.page.locator("#known .new").all_inner_texts()
    assert 1 == len(marked) and "Statements are never deleted" in marked[0]


def test_keys_go_from_turn_to_turn(served: Served, open_seat: Open) -> None:
    """And leave fields alone."""
    seat = open_seat(*served)
    seat.enter()
    seat.go(f"sessions/{SESSION}")
    where = "document.activeElement.id"
    pressed = []
    for key in "jjjk":
        seat.page.keyboard.press(key)
        pressed.append(seat.page.evaluate(where))
    assert ["turn-1", "turn-2", "turn-2", "turn-1"] == pressed
    seat.page.fill("input[name=q]", "")
    seat.page.type("input[name=q]", "jk")
    assert "jk" == seat.page.input_value("input[name=q]")


def test_without_javascript_everything_can_be_read(served: Served, open_seat: Open) -> None:
    """The ticket is typed; nothing can be changed, and no button says otherwise."""
    house, base = served
    seat = open_seat(house, base, java_script_enabled=False)
    seat.page.goto(base)
    seat.page.fill("input[name=ticket]", house.site.access.ticket)
    seat.page.click("text=Open >> nth=-1")
    seat.page.wait_for_selector("#waits")
    for path in PAGES:
        seat.go(path)
        assert seat.page.locator("h1").is_visible()
        assert 0 == seat.page.locator("form.deed:visible, #act:visible").count()


def test_no_ones_words_run(tmp_path: Path, open_seat: Open) -> None:
    """Markup in a prompt, an item, a plan, a memory, a title stays text; no dialog opens, nothing is loaded."""
    house = House(tmp_path, words={name: f"{name} {EVIL}" for name in (*WORDS, "title")})
    with house.served() as base:
        seat = open_seat(house, base)
        asked: list[str] = []
        seat.page.on("request", lambda request: asked.append(request.url))
        seat.enter()
        seat.act()
        for path in PAGES:
            seat.go(path)
            assert 0 == seat.page.locator("img, script:not([src='/static/page.js'])").count()
        seat.go("plan")
        seat.page.fill("input[name=answer] >> nth=0", EVIL)
        seat.page.click("form[action$=answer] button >> nth=0")
        seat.told("Answered")
        assert [] == seat.problems
        assert not [url for url in asked if not url.startswith((base, "data:"))]


def test_a_person_does_every_deed(tmp_path: Path, open_seat: Open) -> None:  # noqa: PLR0915 - one way through all
    """From the question to the written hand-off, by the mouse; each is in the ledger as the person's."""
    house = House(tmp_path)

    def kinds() -> list[str]:
        return [one.spec.kind for one in read_stack(house.top, "matcher").entries]

    with house.served() as base:
        seat = open_seat(house, base, permissions=["clipboard-read", "clipboard-write"])
        page = seat.page
        seat.enter()
        assert 0 == page.locator("form.deed:visible").count()
        seat.act()

        page.fill("#waits input[name=answer]", "Yes, within a month")
        page.click("#waits form[action$=answer] button")
        seat.until(lambda: "Yes, within a month" == house.one("question").answer)

        seat.go("plan")
        page.click("text=Approve…")
        assert "Read rows with a streaming parser" in seat.agree()
        page.wait_for_selector("#how >> text=approved")
        page.click("[role=checkbox] >> nth=0")
        page.wait_for_selector("[role=checkbox][aria-checked=true]")
        assert plan_show(house.by_person).phases[0].steps[0].ticked

        item = house.one("decision").id
        seat.go(f"item/{item}")
        page.click("button:text-is('Pin')")
        assert WORDS["decision"] in seat.agree()
        page.wait_for_selector("#history >> text=pinned")

        seat.go("memory")
        page.fill("input[name=topic]", "format")
        page.click("#waiting >> text=Keep")
        page.wait_for_selector("#kept >> text=format")
        assert "format" in {one.topic for one in memory_shown(house.by_person, "project").facts}

        seat.go("stacks/matcher")
        page.click("[aria-label^='Move memory'] >> nth=0")
        page.wait_for_selector("[data-number='2'] >> text=memory >> nth=0")
        assert ["files", "memory", "git-log"] == kinds()
        page.drag_and_drop("[data-number='1'] .grip", "[data-number='3'] .moves")
        seat.until(lambda: ["memory", "git-log", "files"] == kinds())
        page.click("text=Build")
        page.wait_for_selector("#built-text:visible")
        page.click("#copy")
        seat.told("Copied")
        assert "def rows()" in page.evaluate("navigator.clipboard.readText()")

        seat.go("handoff")
        row = f"[data-row='{house.one('failed').id}']"
        page.click(f"{row} >> text=Cut")
        page.wait_for_selector(f"{row}.cut")
        page.click("text=Undo the last")
        page.wait_for_selector(f"{row}:not(.cut)")
        page.click(f"{row} >> text=Reword")
        page.fill(f"{row} input[name=text]", "Loading the whole file at once")
        page.click(f"{row} >> text=Save")
        page.wait_for_selector(f"{row}.edit")
        page.click("text=Write the hand-off")
        seat.told("Handed over")
        with house.by_person.open(write=False) as at:
            [made] = handoffs(at)
        assert "Loading the whole file at once" in made.text and "mira" == made.reviewer
        assert [] == seat.problems
