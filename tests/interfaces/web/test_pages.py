"""What the pages show: the same as the command line, escaped, light, and with a word where there is nothing."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clew.app.project.location import locate
from clew.app.resume.payload import resume
from tests.interfaces.web.house import PLAN, SESSION, WORDS, House

PAGES = (
    "", "plan", "sessions", f"sessions/{SESSION}", "cost", "cost?by=session&all=1", "memory", "memory?scope=user",
    "handoff", "stacks", "stacks/matcher", "audit", "search", "search?q=matcher", "doctor",
)  # fmt: skip
EVIL = '</textarea></script><script>alert(1)</script><img src=x onerror=alert(2)>" onload="x\' \u202e\x1b[31m{{7*7}}'


class Seen(HTMLParser):
    """The tags of a page, with the attributes that could run or load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.acts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.scripts += [value or "" for name, value in attrs if tag == "script" and name == "src"]
        self.acts += [name for name, _ in attrs if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_whole_and_light(shared: House, page: str) -> None:
    """One script and one style sheet of our own, nothing inline; with both no more than 60 KB."""
    browser = shared.browser()
    answer = browser.get(f"/p/{shared.key}/{page}")
    seen = Seen(answer.text)
    files = sum(len(browser.get(f"/static/{name}").content) for name in ("page.js", "page.css"))
    assert 200 == answer.status_code and 1 == seen.tags.count("h1") and "main" in seen.tags
    assert (["/static/page.js"], [], 0) == (seen.scripts, seen.acts, seen.tags.count("style"))
    assert len(answer.content) + files <= 60_000


@pytest.mark.parametrize("page", PAGES)
def test_a_text_is_never_markup(hostile: House, page: str) -> None:
    """Whatever stands in a prompt, an item, a plan, a memory."""
    text = hostile.browser().get(f"/p/{hostile.key}/{page}").text
    seen = Seen(text)
    assert (1, 0, []) == (seen.tags.count("script"), seen.tags.count("img"), seen.acts)
    assert "\x1b" not in text and "\u202e" not in text and "49" not in re.findall(r"\{\{7\*7\}\}|\b49\b", text)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house in which every word wants to be markup."""
    names = (*WORDS, "title")
    return House(tmp_path_factory.mktemp("hostile"), words={name: f"{name} {EVIL}" for name in names})


def test_today_says_first_what_waits(shared: House) -> None:
    """The blocking question and the plan, before how the project stands; with the project's name and the task."""
    text = unescape(shared.browser().get("/").text)
    places = [text.index(one) for one in ("Plan to approve", WORDS["question"], "Projects", "Last session")]
    assert places == sorted(places)


def test_the_task_shows_what_the_next_session_is_given(shared: House) -> None:
    """To the word, with a link to the evidence of each line."""
    given = resume(shared.by_person, budget_tokens=1500, with_ids=True)
    text = unescape(re.sub(r"<[^>]+>", "", shared.browser().get(f"/p/{shared.key}/").text))
    for entry in given.document.entries:
        assert (entry.text.replace("`", "") in text and entry.id in text) or not entry.id
    marked = shared.browser().get(f"/p/{shared.key}/").text
    assert "<code>python -m pytest -q</code>" in marked and "<li>- " not in marked and ">- " not in marked
    item = shared.one("decision")
    page = unescape(shared.browser().get(f"/p/{shared.key}/item/{item.id}").text)
    assert WORDS["decision"] in page and WORDS["why"] in page and "claude-code" in page
    assert 404 == shared.browser().get(f"/p/{shared.key}/item/D-0000").status_code


def test_a_session_from_prompt_to_prompt(shared: House) -> None:
    """With its compaction, its tools folded, and a search in it."""
    browser, address = shared.browser(), f"/p/{shared.key}/sessions/{SESSION}"
    text = unescape(browser.get(address).text)
    assert WORDS["prompt"] in text and "compacted" in text and "python -m pytest -q" in text
    assert "1 compaction" in text and "<svg" in text
    found = unescape(browser.get(f"{address}?q=matcher+march").text)
    assert "1 turn with these words" in found and "No turn" in unescape(browser.get(f"{address}?q=nowhere").text)
    whole = re.search(rf'href="(/p/{shared.key}/sessions/[^"]+@\d+)"', text)
    assert whole is not None and 200 == browser.get(whole[1]).status_code


def test_nothing_yet_says_what_to_type(tmp_path: Path) -> None:
    """A fresh project has no empty boxes."""
    house = House(tmp_path, empty=True)
    browser = house.browser()
    for page, word in (("plan", "clew plan new"), ("sessions", "Start one"), ("stacks", "clew stack new")):
        assert word in browser.get(f"/p/{house.key}/{page}").text
    for page in PAGES:
        if "/" not in page:
            assert browser.get(f"/p/{house.key}/{page}").status_code in (200, 404)


def test_an_error_says_what_and_what_next(shared: House) -> None:
    """With its code, and without a trace."""
    browser = shared.browser()
    for path, status, code in (
        ("/p/none/", 404, "E-page-project"),
        (f"/p/{shared.key}/none", 404, "E-page-missing"),
        (f"/p/{shared.key}/stacks/none", 404, "E-stack-missing"),
        (f"/p/{shared.key}/cost?by=moon", 400, "E-cost-date"),
        (f"/p/{shared.key}/sessions/none", 404, "E-"),
        (f"/p/{shared.key}/search?q=...", 400, "E-search-empty"),
    ):
        answer = browser.get(path)
        assert (status, True) == (answer.status_code, code in answer.text), path


def test_a_page_that_is_looked_at_writes_nothing(shared: House) -> None:
    """But what clients left is imported, as it is by `clew resume`."""
    browser = shared.browser()
    before = [one.kind for one in shared.events()]
    stacks = {path: path.read_bytes() for path in (shared.top / ".clew").rglob("*") if path.is_file()}
    for page in PAGES:
        browser.get(f"/p/{shared.key}/{page}")
    kinds = [one.kind for one in shared.events()][len(before) :]
    assert {"session.audited"} >= set(kinds)
    assert stacks == {path: path.read_bytes() for path in (shared.top / ".clew").rglob("*") if path.is_file()}
    assert locate(shared.top).has_ledger and PLAN
