"""Who may look at the page and who may act on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.core.errors import NotAllowed
from clew.interfaces.web.access import Access, Browser, ConfirmationNeeded, by_person, digest
from clew.testing.clock import Chance
from tests.interfaces.web.house import HOST, House

MINUTE = 60.0


class Terminal:
    """A terminal that remembers what stood on it, and a clock."""

    def __init__(self, *, barred: str = "", front: bool = True) -> None:
        self.lines: list[str] = []
        self.now_s = 1000.0
        self.links: list[str] = []
        self.front = front
        self.access = Access(Chance("access"), lambda: self.now_s, self.show, barred, self.links.append)

    def show(self, text: str) -> bool:
        self.lines += [text] if self.front else []
        return self.front

    @property
    def code(self) -> str:
        found = re.search(r"type (\w{6}) there", self.lines[-1])
        assert found is not None
        return found[1]


def test_a_link_works_once_and_the_next_one_is_told() -> None:
    """Whoever reads it off a process list or a log comes too late."""
    here = Terminal()
    first = here.access.ticket
    cookie = here.access.enter(first)
    assert cookie and here.access.browser(cookie) is not None
    assert ("", [here.access.ticket]) == (here.access.enter(first), here.links)
    assert here.access.enter(here.access.ticket) not in ("", cookie)
    assert None is here.access.browser("") and None is here.access.browser(first)
    here.now_s += 31 * 24 * 60 * MINUTE
    assert None is here.access.browser(cookie)


def _entered(here: Terminal) -> Browser:
    found = here.access.browser(here.access.enter(here.access.ticket))
    assert found is not None
    return found


def test_a_code_is_typed_within_three_tries_and_three_minutes() -> None:
    """It is shown on the terminal alone, makes this browser a person's, and nothing else does."""
    here = Terminal()
    browser, other = _entered(here), _entered(here)
    here.access.ask(browser)
    assert not here.access.acts(browser, "") and not here.access.acts(browser, here.code)
    with pytest.raises(NotAllowed, match="not valid any more"):
        here.access.take_code(other, here.code)
    key = here.access.take_code(browser, f" {here.code.upper()} ")
    assert here.access.acts(browser, key) and not here.access.acts(other, key)
    with pytest.raises(NotAllowed, match="not valid any more"):
        here.access.take_code(browser, here.code)
    here.now_s += 13 * 60 * MINUTE
    assert not here.access.acts(browser, key)

    here.access.ask(browser)
    for _ in range(3):
        with pytest.raises(NotAllowed, match="that is not the code"):
            here.access.take_code(browser, "nope")
    with pytest.raises(NotAllowed, match="not valid any more"):
        here.access.take_code(browser, here.code)

    here.access.ask(browser)
    here.now_s += 4 * MINUTE
    with pytest.raises(NotAllowed, match="not valid any more"):
        here.access.take_code(browser, here.code)


def test_guessing_ends() -> None:
    """A program that asks for code after code is stopped; and a person sees each of them."""
    here = Terminal()
    browser = _entered(here)
    for _ in range(10):
        here.access.ask(browser)
    with pytest.raises(NotAllowed, match="start `clew serve` again"):
        here.access.ask(browser)
    assert 10 == len(here.lines)


def test_nobody_acts_where_no_person_started_the_server_or_sees_its_terminal() -> None:
    """An agent that starts `clew serve` gets reading."""
    for here in (Terminal(barred="it runs without a terminal"), Terminal(front=False)):
        with pytest.raises(NotAllowed):
            here.access.ask(_entered(here))
        assert not here.lines


def test_a_deed_is_confirmed_for_exactly_the_words_that_were_seen() -> None:
    """Words that somebody changes meanwhile are shown again."""
    with pytest.raises(ConfirmationNeeded) as asked:
        by_person("").prove("approve a plan", "one phase")
    assert "" == by_person(f"x,{asked.value.seen}").prove("approve a plan", "one phase")
    assert "" == by_person("").prove("raise a budget", "")  # what was typed is all that it is about
    for says, about in (("approve a plan", "two phases"), ("drop a plan", "one phase")):
        with pytest.raises(ConfirmationNeeded):
            by_person(asked.value.seen).prove(says, about)


@pytest.mark.parametrize("path", ["/", "/p/{key}/", "/p/{key}/search?q=bank", "/events"])
def test_a_stranger_sees_nothing(shared: House, path: str) -> None:
    """Neither without a cookie nor with a made one."""
    for cookie in ("", "clew=", f"clew={'0' * 64}", "clew", ";;=", f"clew={digest('x')}"):
        answer = shared.browser(enters=False).get(path.replace("{key}", shared.key), headers={"cookie": cookie})
        assert 401 == answer.status_code
        assert "ledgerline" not in answer.text and "bank" not in answer.text


def test_the_cookie_is_for_this_site_alone(house: House) -> None:
    """Scripts do not see it, other sites do not send it."""
    answer = house.browser(enters=False).post(
        "/enter", data={"ticket": house.site.access.ticket}, follow_redirects=False
    )
    told = answer.headers["set-cookie"].lower()
    assert 303 == answer.status_code and "httponly" in told and "samesite=strict" in told
    assert 403 == house.browser(enters=False).post("/enter", data={"ticket": "0" * 64}).status_code


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:7415", "localhost.evil.example:7414", ""])
def test_a_name_that_is_not_its_own_is_not_answered(shared: House, host: str) -> None:
    """A page elsewhere whose name is made to lead here (DNS rebinding) gets nothing, whoever looks at it."""
    browser = shared.browser(enters=False)
    for path in ("/", "/static/page.js", f"/p/{shared.key}/"):
        assert 403 == browser.get(path, headers={"host": host}).status_code
    assert 200 == browser.get("/static/page.js", headers={"host": HOST}).status_code


def test_every_answer_has_the_policy(shared: House) -> None:
    """Also those of errors."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-ancestors 'none'"
    )
    browser = shared.browser()
    for path in ("/", "/static/page.css", "/static/none", f"/p/{shared.key}/", "/p/none/", f"/p/{shared.key}/none"):
        headers = browser.get(path).headers
        assert (policy, "nosniff", "no-store") == (
            headers["content-security-policy"],
            headers["x-content-type-options"],
            headers["cache-control"],
        )


def test_only_the_page_of_a_person_changes_something(house: House) -> None:
    """Not a cookie that another port's server was sent, not another site's form, not a page that may only look."""
    browser, headers = house.acting()
    question = next(item for item in house.live() if item.kind == "question")
    address, fields = f"/p/{house.key}/do/answer", {"item": question.id, "answer": "Yes"}
    before = len(house.events())
    stolen = {**headers, "x-clew-key": ""}
    attacks: list[tuple[dict[str, str], int]] = [
        ({}, 403),
        (stolen, 403),
        ({**headers, "x-clew-key": "0" * 64}, 403),
        ({**headers, "x-clew-token": ""}, 403),
        ({**headers, "origin": "http://evil.example"}, 403),
        ({**headers, "origin": "http://127.0.0.1:3000"}, 403),
        ({**headers, "origin": "null"}, 403),
        ({**headers, "sec-fetch-site": "same-site"}, 403),
        ({**headers, "sec-fetch-site": "cross-site"}, 403),
    ]
    for given, status in attacks:
        assert status == browser.post(address, json=fields, headers=given).status_code
    assert 403 == browser.post(address, data=fields).status_code
    assert 404 == browser.get(address).status_code
    assert 403 == browser.put(address, json=fields, headers=headers).status_code
    other = house.browser()
    assert 403 == other.post(address, json=fields, headers=headers).status_code
    assert before == len(house.events())


def test_a_server_that_an_agent_started_is_for_reading(tmp_path: Path) -> None:
    """It says so, and shows no code."""
    house = House(tmp_path, barred="it was started below claude, an agent's client")
    browser = house.browser()
    page = browser.get("/")
    assert 200 == page.status_code and "Reading only" in page.text and 'id="act"' not in page.text
    token = re.search(r'name="clew-token" content="(\w+)"', page.text)
    assert token is not None
    answer = browser.post("/person", json={}, headers={"x-clew-token": token[1]})
    assert (403, "E-page-person", []) == (answer.status_code, answer.json()["code"], house.shown)
