"""Who wrote this line? The session whose own edit put it there, and nobody where that is not proven."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from clew.app.look.why import LineHistory, why
from clew.app.resume.payload import resume
from clew.core.errors import InputError, NotFound
from tests.app.projects import World
from tests.recordings.sessions import Recorder

FEE = "def fee(price, days):\n    return price * days * RATE_PER_DAY\n"
TAX = "def tax(price, country):\n    return price * RATES[country].standard\n"


class Shop(World):
    """A project in which people commit with git, and sessions edit; minutes go by from nine."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.made = Recorder(self.top, start="2026-03-02T09:00:00")

    def commit(self, when: str, *paths: str) -> None:
        date = f"2026-03-02T{when}:00+0000"
        who = {
            "GIT_AUTHOR_NAME": "Mia",
            "GIT_AUTHOR_EMAIL": "m@x.y",
            "GIT_COMMITTER_NAME": "M",
            "GIT_COMMITTER_EMAIL": "m@x.y",
        }
        environment = {**self.by_person.ports.environment, **who, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        for words in (["add", "--", *paths] if paths else ["add", "-A"], ["commit", "-q", "-m", f"At {when}"]):
            subprocess.run(["git", *words], cwd=self.top, check=True, env=environment)

    def at(self, when: str) -> Recorder:
        """The session at that time."""
        from calendar import timegm

        self.made._clock = timegm(time.strptime(f"2026-03-02T{when}:00", "%Y-%m-%dT%H:%M:%S"))
        return self.made

    def put(self, name: str, text: str) -> None:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def why(self, place: str) -> LineHistory:
        self.made.save(self.home)
        return why(self.by_person, place)

    def known(self, name: str) -> list[int]:
        """The lines of which the author is known."""
        return [number for one in self.why(name).authors for number in range(one.first, one.last + 1)]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    found = Shop(tmp_path)
    found.put("src/till.py", TAX)
    found.commit("08:00")
    return found


def test_a_line_leads_to_the_request_and_the_session_that_wrote_it(shop: Shop) -> None:
    shop.at("09:00").user("Charge rent by the day").edit("src/till.py", TAX, TAX + FEE, original=TAX)
    shop.made.user("Thanks")
    shop.put("src/till.py", TAX + FEE)
    [one] = shop.why("src/till.py:4").authors
    assert ("Charge rent by the day", "", "claude-code", 4, 4) == (
        one.request,
        one.commit,
        one.client,
        one.first,
        one.last,
    )
    assert one.place.startswith(f"{shop.made.session}@") and one.session == shop.made.session
    shop.commit("10:00")
    [one] = shop.why("src/till.py").authors
    assert (3, 4) == (one.first, one.last) and one.commit
    assert (4, 2) == ((found := shop.why("src/till.py")).asked, found.unknown)


def test_the_decisions_of_that_request_are_told_and_no_others(shop: Shop) -> None:
    shop.at("09:00").user("Charge rent by the day").edit("src/till.py", TAX, TAX + FEE, original=TAX)
    shop.made.reply("Decision: rent counts whole days in `fee()` because tills close at midnight.")
    shop.made.user("And the docs").reply("Decision: docs stay in one page because readers search it.")
    shop.put("src/till.py", TAX + FEE)
    shop.made.save(shop.home)
    resume(shop.by_person)
    [one] = shop.why("src/till.py:4").authors
    assert ["rent counts whole days" in made.text for made in one.decisions] == [True]


def test_through_a_rename_and_a_formatter(shop: Shop) -> None:
    shop.at("09:00").user("Charge rent by the day").write("src/fee.py", FEE)
    shop.put("src/fee.py", FEE.replace("    return", "  return"))
    shop.commit("10:00")
    (shop.top / "src/fee.py").rename(shop.top / "src/rent.py")
    shop.commit("11:00")
    assert [1, 2] == shop.known("src/rent.py")


def test_what_people_and_bots_wrote_is_not_known(shop: Shop) -> None:
    """The same words before the session came, and after what it wrote was committed and taken out again."""
    assert [] == shop.known("src/till.py")
    shop.at("09:00").user("Charge rent").edit("src/till.py", TAX, TAX + FEE, original=TAX)
    shop.put("src/till.py", TAX + FEE)
    shop.commit("10:00")
    shop.put("src/till.py", TAX)
    shop.commit("11:00")
    shop.put("src/till.py", TAX + FEE)
    assert [] == shop.known("src/till.py"), "a person typed it again"
    shop.commit("12:00")
    assert [] == shop.known("src/till.py")


def test_a_refused_edit_and_one_of_another_file_wrote_nothing(shop: Shop) -> None:
    shop.at("09:00").user("Charge rent").refuse("Edit", {"file_path": str(shop.top / "src/till.py"), "new_string": FEE})
    shop.made.write("src/other.py", FEE)
    shop.put("src/till.py", TAX + FEE)
    assert [] == shop.known("src/till.py")


def test_a_session_that_writes_a_file_again_owns_only_what_it_brought(shop: Shop) -> None:
    shop.put("notes.py", TAX)
    shop.at("09:00").user("Add the fee").read("notes.py", TAX).write("notes.py", TAX + FEE)
    shop.put("notes.py", TAX + FEE)
    assert [3, 4] == shop.known("notes.py")


@pytest.mark.parametrize(
    ("place", "code"), [("gone.py", "E-why-path"), ("../x", "E-why-path"), ("src/till.py:99", "E-why-line")]
)
def test_a_place_that_is_none_is_refused(shop: Shop, place: str, code: str) -> None:
    with pytest.raises((InputError, NotFound)) as caught:
        shop.why(place)
    assert code == caught.value.code
