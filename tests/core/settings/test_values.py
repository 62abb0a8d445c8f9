"""Which of several settings holds, and what is said about those that do not."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given as given_by
from hypothesis import strategies as st

from clew.core.errors import InputError
from clew.core.settings import (
    FAMILIES,
    GATE,
    SETTINGS,
    Given,
    Setting,
    Source,
    checked,
    from_file,
    from_variables,
    line_of,
    meant,
    resolve,
    unknown,
)
from tests.accept import SETTINGS_PAGE, settings_page, settings_table

ROOT = Path(__file__).parents[3]
BUDGET = "resume.budget_tokens"
# The table with one of each sort in it.
TABLE = (
    *SETTINGS,
    Setting("gates.plan", "gate", "warn", "Whether edits are stopped while a plan is made"),
    Setting("view.pager", "program", "less", "What shows long texts"),
    Setting("archive.on", "switch", False, "Whether transcripts are kept", project=False),
)


def _held(name: str, *given: Given, trusted: bool = False) -> tuple[object, str]:
    found = resolve(given, trusted=lambda setting, program: trusted, table=TABLE)
    row = next(row for row in found.rows if row.setting.name == name)
    return row.value, row.source


def _at(source: Source, name: str, value: object) -> Given:
    return Given(source, name, value, f"the {source}")


def test_the_stronger_source_holds_in_whatever_order_they_come() -> None:
    """built-in < project < user < environment < flag."""
    sources: tuple[Source, ...] = ("project", "user", "environment", "flag")
    assert _held(BUDGET) == (1500, "built-in")
    for count, source in enumerate(sources, start=1):
        given = [_at(one, BUDGET, 200 + place) for place, one in enumerate(sources[:count])]
        for order in permutations(given):
            assert _held(BUDGET, *order) == (200 + count - 1, source)


@pytest.mark.parametrize("source", ["project", "environment", "flag"])
def test_a_gate_is_tightened_by_anybody_and_loosened_by_none_but_the_user(source: Source) -> None:
    """Else the repository, or the agent that is to be held back, opens it for itself."""
    assert _held("gates.plan", _at(source, "gates.plan", "deny")) == ("deny", source)
    assert _held("gates.plan", _at(source, "gates.plan", "off")) == ("warn", "built-in")
    assert _held("gates.plan", _at("user", "gates.plan", "off")) == ("off", "user")
    assert _held("gates.plan", _at("user", "gates.plan", "deny"), _at(source, "gates.plan", "off")) == ("deny", "user")
    assert _held("gates.plan", _at("user", "gates.plan", "off"), _at(source, "gates.plan", "warn")) == ("warn", source)


@given_by(
    st.lists(
        st.tuples(st.sampled_from(["project", "user", "environment", "flag"]), st.sampled_from(GATE)),
        unique_by=lambda entry: entry[0],
    )
)
def test_no_gate_is_ever_laxer_than_what_the_user_said(given: list[tuple[Source, str]]) -> None:
    """Whatever else says something."""
    value, _ = _held("gates.plan", *(_at(source, "gates.plan", word) for source, word in given))
    base = next((word for source, word in given if source == "user"), "warn")
    assert GATE.index(str(value)) == max(GATE.index(word) for word in [base, *(word for _, word in given)])


def test_a_project_names_no_program_before_it_is_trusted() -> None:
    """A cloned repository would run it."""
    program = _at("project", "view.pager", "./evil")
    assert _held("view.pager", program) == ("less", "built-in")
    assert _held("view.pager", program, trusted=True) == ("./evil", "project")
    assert _held("view.pager", _at("user", "view.pager", "less")) == ("less", "user")
    assert "clew trust" in resolve([program], trusted=lambda *_: False, table=TABLE).notes[0]


def test_what_is_not_a_projects_to_set_is_not_heeded() -> None:
    """And it says so, so that nobody wonders."""
    found = resolve([_at("project", "archive.on", True)], trusted=lambda *_: True, table=TABLE)
    assert not found.on("archive.on")
    assert "cannot be set by a project" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        (BUDGET, 800, 800),
        (BUDGET, " 800 ", 800),
        ("archive.on", True, True),
        ("archive.on", "On", True),
        ("archive.on", "0", False),
        ("gates.plan", "DENY", "deny"),
        ("view.pager", " less -R ", "less -R"),
    ],
)
def test_values_are_understood_as_people_write_them(name: str, value: object, expected: object) -> None:
    """TOML has types, the environment has texts."""
    setting = next(one for one in TABLE if one.name == name)
    assert checked(setting, value, place="x") == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((BUDGET, value) for value in (True, 1.5, "many", 119, 100_001, None, "９" * 400)),
        *(("archive.on", value) for value in (1, "maybe", "", None)),
        *(("gates.plan", value) for value in (True, "on", "", 1)),
        *(("view.pager", value) for value in ("", "  ", 3, ["less"])),
    ],
)
def test_what_cannot_be_taken_names_the_place_and_what_is_expected(name: str, value: object) -> None:
    """A value that is passed over in silence is believed to hold."""
    setting = next(one for one in TABLE if one.name == name)
    with pytest.raises(InputError) as caught:
        checked(setting, value, place="config.toml", line=3)
    assert caught.value.message.startswith(f"config.toml, line 3: {name} cannot be ")
    assert setting.expected in caught.value.hint


def test_a_family_has_rows_for_names_that_people_choose() -> None:
    """A tier and a client; a client, or the beginning of a model's name, dots and all."""
    text = '[route.build]\ncodex = "gpt-5.2"\n[pressure."gpt-5.2"]\ncompact_tokens = 90_000\n'
    values = {"route": {"build": {"codex": "gpt-5.2"}}, "pressure": {"gpt-5.2": {"compact_tokens": 90_000}}}
    given = from_file(text, values, source="user", place="f")
    assert [(one.name, one.line) for one in given] == [("route.build.codex", 2), ("pressure.gpt-5.2.compact_tokens", 4)]
    found = resolve([*given, _at("project", "route.build.codex", "mini")], trusted=lambda *_: False)
    assert {("build", "codex"): "gpt-5.2"} == {name: row.value for name, row in found.family("route.*.*").items()}
    assert [("gpt-5.2",)] == list(found.family("pressure.*.compact_tokens"))
    assert not found.family("pressure.*.checkpoint_tokens") and not found.notes
    assert {"", "CLEW_PRESSURE_COMPACT_TOKENS"} == {
        row.setting.variable for row in found.rows if row.setting.name.endswith("compact_tokens")
    }


@pytest.mark.parametrize(
    "name", ["route.build", "route..codex", "route.build.", "pressure..compact_tokens", f"route.{'x' * 200}.y"]
)
def test_a_name_that_lacks_a_word_is_of_no_family(name: str) -> None:
    """What is not understood is said, and not guessed."""
    assert f"there is no setting {name}" in resolve([_at("user", name, "x")], trusted=lambda *_: False).notes[0]


@pytest.mark.parametrize("model", ["--yolo", "a b", "$(x)", "", "x" * 101])
def test_a_model_is_a_word_that_no_client_reads_as_an_option(model: str) -> None:
    """The project's file comes with the repository, and its words stand on a command line."""
    with pytest.raises(InputError):
        resolve([_at("project", "route.build.codex", model)], trusted=lambda *_: False)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """Most of them are slips."""
    assert unknown("resume.budget_token", "x") == (
        "x: there is no setting resume.budget_token; did you mean resume.budget_tokens?"
    )
    assert unknown("zzz", "x") == "x: there is no setting zzz"
    assert resolve([_at("user", "zzz", 1)], trusted=lambda *_: False).notes == ("the user: there is no setting zzz",)


def test_the_environment_sets_by_name() -> None:
    """CLEW_RESUME_BUDGET_TOKENS; an empty variable is none, and other variables of clew are not ours."""
    given, notes = from_variables({"CLEW_RESUME_BUDGET_TOKENS": "300", "CLEW_TASK": "T-1", "HOME": "/"})
    assert [(one.name, one.value, one.place) for one in given] == [(BUDGET, "300", "CLEW_RESUME_BUDGET_TOKENS")]
    assert notes == []
    assert from_variables({"CLEW_RESUME_BUDGET_TOKENS": ""}) == ([], [])
    _, notes = from_variables({"CLEW_RESUME_BUDGET": "300"})
    assert notes == ["the environment's CLEW_RESUME_BUDGET is no setting; did you mean CLEW_RESUME_BUDGET_TOKENS?"]


def test_a_file_sets_by_tables_and_by_dotted_names() -> None:
    """And its other tables are somebody else's."""
    values = {"project": "01J", "validate": {"commands": [{"run": "x"}]}, "resume": {"budget_tokens": 5, "a": {"b": 1}}}
    given = from_file("[resume]\nbudget_tokens = 5\n", values, source="user", place="f")
    assert [(one.name, one.value, one.line) for one in given] == [(BUDGET, 5, 2), ("resume.a.b", 1, 0)]


def test_a_setting_that_was_renamed_is_still_understood_by_its_old_name() -> None:
    """In files and the environment; what is said under the new one holds."""
    old, new = "retention.telemetry_days", "retention.activity_days"
    text = "[retention]\nactivity_days = 7\ntelemetry_days = 5\n"
    given = from_file(text, {"retention": {"activity_days": 7, "telemetry_days": 5}}, source="user", place="f")
    assert [(one.name, one.value, one.line) for one in given] == [(new, 5, 3), (new, 7, 2)]
    assert resolve(given, trusted=lambda *_: False).number(new) == 7
    assert from_variables({"CLEW_RETENTION_TELEMETRY_DAYS": "5"})[0][0][:3] == ("environment", new, "5")
    both = {"CLEW_RETENTION_TELEMETRY_DAYS": "5", "CLEW_RETENTION_ACTIVITY_DAYS": "7"}
    assert [one.value for one in from_variables(both)[0]] == ["7"]
    assert meant(old) == meant(new) is not None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# x\n[resume]\n\nbudget_tokens=1", 4),
        ("[other]\nbudget_tokens = 1\n[ resume ]  # y\nbudget_tokens = 2", 4),
        ("resume = { budget_tokens = 1 }", 0),
    ],
)
def test_the_line_of_a_setting_is_found(text: str, line: int) -> None:
    """Or none is said."""
    assert line_of(text, BUDGET) == line


def test_the_page_holds_the_table_as_it_is() -> None:
    """`python -m tests.accept` writes it."""
    assert settings_page(SETTINGS_PAGE.read_text(encoding="utf-8")) == SETTINGS_PAGE.read_text(encoding="utf-8")


def test_every_row_is_sound() -> None:
    """A default that its own check refuses could not be written down."""
    for setting in SETTINGS:
        assert checked(setting, setting.default, place="x") == setting.default
        assert setting.name.count(".") == 1
        assert (setting.kind == "number") == bool(setting.unit)
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
    assert settings_table().count("\n") == len(SETTINGS) + len(FAMILIES) + 2


def test_each_setting_is_read_and_each_name_that_is_read_is_a_setting() -> None:
    """A name in the program that the table lacks would fail only where somebody comes by; a row nobody reads lies."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/clew").rglob("*.py"))
    names = {setting.name for setting in SETTINGS}
    assert not [name for name in names if source.count(f'"{name}"') < 2]
    asked = re.findall(r'\.(?:number|on|gate|text|words)\(\s*f?"([a-z]+\.[^"]+)"', source)
    assert len(asked) > 20
    assert not set(asked) - names
