"""The command line as an interface: exit codes, what goes where, help, errors that say what to do."""

from __future__ import annotations

import json
import re

import pytest

import clew as library
from clew.interfaces.cli.group import _MEANT
from clew.interfaces.cli.main import COMMANDS
from tests.interfaces.cli.conftest import Clew, Desk
from tests.workspace.repos import Repo


def test_the_version_is_the_packages(clew: Clew) -> None:
    """The first thing a bug report asks for."""
    assert (0, f"clew {library.__version__}\n", "") == clew("--version") == clew("-V")


def test_without_a_command_there_is_help(clew: Clew) -> None:
    """And it is no failure to ask for it that way."""
    code, out, err = clew()
    assert (code, err) == (0, "")
    assert all(re.search(rf"^  {name} +{re.escape(line)}$", out, re.MULTILINE) for name, line in COMMANDS.items())


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=" ".join)
def test_every_command_has_help_that_fits_a_terminal(command: list[str], clew: Clew) -> None:
    """Commands are imported when they are run, so a broken one would be noticed only here."""
    code, out, err = clew(*command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: {' '.join(['clew', *command])}")
    assert max(len(line) for line in out.split("\n")) <= 100


@pytest.mark.parametrize(
    "arguments",
    [
        ["resumee"],
        ["resume", "--nonesuch"],
        ["resume", "--budget", "many"],
        ["resume", "--budget"],
        ["resume", "--profile", "nonesuch"],
        ["resume", "task", "--at", "last"],
        ["resume", ""],
        ["resume", "--from", ""],
        ["show", "--from", "-"],
        ["resume", "--ids", "--yes"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_64_and_never_2(arguments: list[str], clew: Clew) -> None:
    """Clients of agents read 2 as "block"."""
    code, out, err = clew(*arguments)
    assert (code, out) == (64, "")
    assert re.fullmatch(r"error: .*\[E-usage\]\nhint: run `clew.* --help`\n", err, re.DOTALL)


@pytest.mark.parametrize("command", ["resume", "show"])
def test_what_cannot_be_done_is_1_with_code_and_hint(command: str, clew: Clew, tmp_path: object) -> None:
    """One line of what happened, one of what to do, nothing on stdout that a pipe would take for data."""
    code, out, err = clew(command, "--from", f"{tmp_path}/nonesuch.jsonl")
    assert (code, out) == (1, "")
    error, hint, end = err.split("\n")
    assert re.fullmatch(r"error: there is no file .*nonesuch\.jsonl  \[E-transcript-missing\]", error)
    assert hint.startswith("hint: ")
    assert end == ""


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["show", "--json", "--from", "nonesuch.jsonl"], 1, "E-transcript-missing"),
        (["resume", "--json", "--copy"], 64, "E-usage"),
        (["settings", "--json", "--nonesuch"], 64, "E-usage"),
    ],
)
def test_whoever_asks_for_json_gets_json_also_of_an_error(
    arguments: list[str], exit_code: int, code: str, clew: Clew
) -> None:
    """A script reads one stream; a person reads the other, as ever."""
    ran = clew(*arguments)
    told = json.loads(ran.out)["error"]
    assert (ran.code, told["code"]) == (exit_code, code)
    assert ran.err == f"error: {told['message']}  [{code}]\nhint: {told['hint']}\n"


def test_a_fault_of_our_own_is_70_without_a_traceback(clew: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """People report one line; `--debug` is there for the rest."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a thing that cannot be")

    monkeypatch.setattr(library, "resume", broken, raising=False)
    code, out, err = clew("resume")
    assert (code, out) == (70, "")
    assert err.startswith("error: internal error: ZeroDivisionError  [E-fault]\n")
    assert "a thing that cannot be" not in err  # words of an exception may come out of a transcript
    assert "--debug" in err
    assert "Traceback" not in err


def test_debug_prints_the_two_lines_and_then_where_it_came_from(clew: Clew, tmp_path: object) -> None:
    """Who reports a problem reports the code as well."""
    code, out, err = clew("--debug", "resume", "--from", f"{tmp_path}/nonesuch.jsonl")
    assert (code, out) == (1, "")
    error, hint, begin, *_ = err.split("\n")
    assert "[E-transcript-missing]" in error
    assert hint.startswith("hint: ")
    assert begin.startswith("Traceback")


def test_an_error_is_two_lines_whatever_a_file_is_called(clew: Clew) -> None:
    """Who reads errors line by line must find the code on the first, and a name may be somebody else's text."""
    _, _, err = clew("resume", "--from", "a\nb\x1b[31m\x07\u202e.jsonl")
    assert not {"\x1b", "\x07", "\u202e"} & set(err)
    assert [line.partition(":")[0] for line in err.rstrip("\n").split("\n")] == ["error", "hint"]


def test_help_is_a_command_too(clew: Clew) -> None:
    """As of other programs; of a command within a group as well."""
    assert clew("help").out == clew("--help").out == clew().out
    assert clew("help", "task", "new").out == clew("task", "new", "--help").out == clew("task", "new", "-h").out
    assert clew("-h").out == clew().out and clew("show", "-h").out == clew("show", "--help").out
    code, out, err = clew("help", "tsk")
    assert (code, out) == (64, "") and "did you mean task?" in err
    assert 64 == clew("help", "resume", "more").code


@pytest.mark.parametrize(("typed", "meant"), [("resum", "resume"), ("history", "log"), ("config", "settings")])
def test_what_others_call_it_is_known(typed: str, meant: str, clew: Clew) -> None:
    """A slip of the finger, and the word of another program for the same."""
    assert f"there is no command '{typed}'; did you mean {meant}?" in clew(typed).err


def test_every_word_that_is_meant_leads_to_a_command() -> None:
    """A hint that leads nowhere is worse than none; and a command is not taken for another one."""
    assert set(_MEANT.values()) <= set(COMMANDS)
    assert not set(_MEANT) & set(COMMANDS)


def test_quiet_says_errors_and_no_notes(clew: Clew, desk: Desk) -> None:
    """For scripts: what is left on stderr is worth a look."""
    assert "note: " in desk.ada("log", "--kind", "nothing.such").err
    done = desk.ada("-q", "log", "--kind", "nothing.such")
    assert ("", 0) == (done.err, done.code)
    assert "error: " in clew("-q", "show", "nonesuch").err
    behind = desk.ada("log", "--kind", "nothing.such", "-q")
    assert ("", 0) == (behind.err, behind.code)


def test_a_wrong_task_of_the_environment_is_an_error(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks would give a session nothing for it, and nobody would know why."""
    assert 0 == desk.ada("task", "new", "Mind the tide").code
    monkeypatch.setenv("CLEW_TASK", "Mind the tide")
    assert 0 == desk.ada("status").code
    monkeypatch.setenv("CLEW_TASK", "nonesuch")
    for command in ("status", "resume", "checkpoint"):
        done = desk.ada(command)
        assert (1, "") == (done.code, done.out)
        assert done.err.startswith("error: CLEW_TASK is wrong: ")
