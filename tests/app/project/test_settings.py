"""Settings of a project and a user: read from their files, written back into them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.app.project.settings import PROJECT_FILE, SettingsFiles, change, load
from clew.core.errors import InputError, NotFound
from clew.core.settings import SETTINGS, Setting, Settings
from clew.core.state.items import Authority

BUDGET = "resume.budget_tokens"
TABLE = (
    *SETTINGS,
    Setting("gates.plan", "gate", "warn", "Whether edits are stopped while a plan is made"),
    Setting("view.pager", "program", "", "What shows long texts"),
    Setting("archive.on", "switch", False, "Whether transcripts are kept", project=False),
)
PERSON = Authority("human", "it was typed")


class Home:
    """A project and a user, and what holds for them."""

    def __init__(self, folder: Path) -> None:
        self.files = SettingsFiles(folder / "project", folder / "config" / "clew" / "config.toml")
        (self.files.root / ".clew").mkdir(parents=True)
        self.project = self.files.root / PROJECT_FILE

    def load(self, environment: dict[str, str] | None = None, **flags: int) -> Settings:
        return load(self.files, environment or {}, trusted=lambda *_: False, flags=flags, table=TABLE)

    def change(self, name: str, text: str, *, project: bool = False, said: Authority = PERSON) -> object:
        return change(self.files, name, text, project=project, said=said, reload=self.load, table=TABLE)

    def user(self, text: str) -> None:
        self.files.user.parent.mkdir(parents=True, exist_ok=True)
        self.files.user.write_text(text)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Nobody has set anything."""
    return Home(tmp_path)


def test_each_source_beats_the_one_before(home: Home) -> None:
    """From the files themselves, with the place of what holds."""
    home.project.write_text('project = "01JD0000000000000000000000"\n[resume]\nbudget_tokens = 201\n')
    assert home.load().rows[0][1:] == (201, "project", PROJECT_FILE)
    home.user("[resume]\nbudget_tokens = 202\n")
    assert home.load().rows[0][1:] == (202, "user", str(home.files.user))
    variable = {"CLEW_RESUME_BUDGET_TOKENS": "203"}
    assert home.load(variable).rows[0][1:] == (203, "environment", "CLEW_RESUME_BUDGET_TOKENS")
    assert home.load(variable, **{BUDGET: 204}).number(BUDGET) == 204


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[resume]\n\nbudget_tokens = 5\n", f"{PROJECT_FILE}, line 3: {BUDGET} cannot be “5”"),
        ("[resume\n", f"{PROJECT_FILE} cannot be used: it is not TOML: "),
        ("a = " + "[" * 5000, f"{PROJECT_FILE} cannot be used: it is not TOML: "),
    ],
)
def test_what_cannot_be_used_is_said_with_its_place(home: Home, text: str, message: str) -> None:
    """A file that is passed over as a whole would be believed to hold."""
    home.project.write_text(text)
    with pytest.raises(InputError) as caught:
        home.load()
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("text", ["", "# only a word\n", 'project = "01JD0000000000000000000000"\n', "\ufeff"])
def test_a_file_without_settings_costs_no_parser(home: Home, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is most of them, and `clew resume` waits for it."""
    home.project.write_text(text, encoding="utf-8")
    monkeypatch.setattr("clew.app.project.settings.parse", lambda *_: pytest.fail("parsed"))
    assert home.load().notes == ()


@pytest.mark.parametrize("text", ['project = "x"\nproject = "y"', 'project = "x" y', 'project = """\nresume = 1\n'])
def test_what_only_looks_plain_is_parsed(home: Home, text: str) -> None:
    """The short way must not hide what the long one finds."""
    home.project.write_text(text)
    with pytest.raises(InputError) as caught:
        home.load()
    assert caught.value.code == "E-settings-file"


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_projects_file_that_is_a_link_is_not_followed(home: Home, tmp_path: Path) -> None:
    """It may point anywhere."""
    (tmp_path / "elsewhere.toml").write_text("[resume]\nbudget_tokens = 201\n")
    home.project.symlink_to(tmp_path / "elsewhere.toml")
    found = home.load()
    assert found.number(BUDGET) == 1500
    assert found.notes == (f"{PROJECT_FILE} was ignored: it is a symbolic link",)
    with pytest.raises(InputError):
        home.change(BUDGET, "300", project=True)
    assert "201" in (tmp_path / "elsewhere.toml").read_text()


def test_writing_keeps_comments_order_and_what_clew_does_not_know(home: Home) -> None:
    """It is a person's file."""
    before = '# mine\nproject = "01J"\n\n[[validate.commands]] # all\nname = "unit"\nrun = "make"\n\n[resume] # how\n'
    home.project.write_text(before + "budget_tokens = 201 # small\nodd = 1\n")
    home.change(BUDGET, "300", project=True)
    assert home.project.read_text() == before + "budget_tokens = 300 # small\nodd = 1\n"


def _unknown(home: Home) -> object:
    return home.change("resume.budget", "300")


def _for_no_project(home: Home) -> object:
    return home.change("archive.on", "on", project=True)


def _no_value(home: Home) -> object:
    return home.change(BUDGET, "many")


def _no_toml(home: Home) -> object:
    home.user("[")
    return home.change(BUDGET, "300")


def _other_form(home: Home) -> object:
    home.user("resume = 5\n")
    return home.change(BUDGET, "300")


def _no_text(home: Home) -> object:
    home.user("")
    home.files.user.write_bytes(b"\xff\xfe")
    return home.change(BUDGET, "300")


@pytest.mark.parametrize("case", [_unknown, _for_no_project, _no_value, _no_toml, _other_form, _no_text])
def test_what_cannot_be_written_changes_nothing(home: Home, case: Callable[[Home], object]) -> None:
    """A file that cannot be understood is never written over."""
    with pytest.raises((InputError, NotFound)):
        case(home)
    assert not home.project.exists()
    if home.files.user.exists():
        assert home.files.user.read_bytes() in (b"[", b"resume = 5\n", b"\xff\xfe")


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_the_users_own_link_is_written_through(home: Home, tmp_path: Path) -> None:
    """People keep such files in a repository of their own."""
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "clew.toml").write_text("# mine\n")
    home.files.user.parent.mkdir(parents=True)
    home.files.user.symlink_to(tmp_path / "dotfiles" / "clew.toml")
    home.change(BUDGET, "300")
    assert home.files.user.is_symlink()
    assert "budget_tokens = 300" in (tmp_path / "dotfiles" / "clew.toml").read_text()


@pytest.mark.parametrize("project", [True, False])
def test_who_sets_something_at_the_same_time_loses_nothing(home: Home, project: bool) -> None:
    """Each has read the file before the others wrote it; all of them were told that theirs was written."""
    table = tuple(Setting(f"view.rows{number}", "number", 1, "How many rows", most=99) for number in range(8))

    def set_(number: int) -> None:
        said = (PERSON, lambda: load(home.files, {}, trusted=lambda *_: False, table=table))
        name = table[number].name
        change(home.files, name, str(number + 10), project=project, said=said[0], reload=said[1], table=table)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(set_, range(8)))
    held = load(home.files, {}, trusted=lambda *_: False, table=table)
    assert [row.value for row in held.rows] == list(range(10, 18))
