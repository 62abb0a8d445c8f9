"""What people and agents type, in the ways they type it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest

from clew.interfaces.cli import group
from clew.interfaces.cli.group import CliCommand, Group, LazyGroup, documentation, with_pages

HELP = {"help_option_names": ["-h", "--help"]}


@click.command("x", cls=CliCommand, context_settings=HELP)
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@click.option("--why", default="")
@click.option("-m", "--message", default="")
@click.option("--guard", multiple=True)
@click.option("--limit", type=click.IntRange(min=1), default=5)
@click.option("--json", "as_json", is_flag=True)
@click.option("--lock/--unlock", "locked", default=None)
def command(**given: Any) -> dict[str, Any]:
    """What was given."""
    return given


def parsed(*words: str) -> dict[str, Any]:
    found = command.main(list(words), prog_name="clew x", standalone_mode=False)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    "words",
    [
        ["a", "b", "--why", "w", "--json"],
        ["--json", "--why=w", "a", "b"],
        ["a", "--why", "w", "b", "--json"],
        ["--why", "w", "--json", "--", "a", "b"],
    ],
    ids=" ".join,
)
def test_options_and_words_come_in_any_order(words: list[str]) -> None:
    """Nobody remembers whether the text comes first."""
    found = parsed(*words)
    assert (("a", "b"), "w", True) == (found["text"], found["why"], found["as_json"])


@pytest.mark.parametrize("value", ["--force", "-x", "-", "--json", "- a list", "", "a=b", "--why=x"])
def test_a_value_may_look_like_an_option(value: str) -> None:
    """Given a dead end that is a flag, when it is noted with `--guard --force`, then that is what is kept."""
    found = parsed("a", "--guard", value, "--why", value, "-m", value)
    assert (("a",), (value,), value, value, False) == (
        *(found["text"], found["guard"], found["why"], found["message"], found["as_json"]),
    )


def test_a_text_may_begin_with_a_dash() -> None:
    """An entry of a list is pasted as it is, and what is one word stands behind `--`, whatever it is."""
    assert ("- [ ] one",) == parsed("- [ ] one")["text"]
    assert ("--force",) == parsed("--", "--force")["text"]
    assert ("a", "--", "-5", "b") == parsed("a", "--", "--", "-5", "b")["text"]
    assert ("-",) == parsed("-")["text"]
    assert ("foo bar", ("a",)) == (parsed("a", "-mfoo bar")["message"], parsed("a", "-mfoo bar")["text"])


def test_help_is_told_whatever_else_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks for help is mostly somebody whose command line was refused."""
    command.main(["--limit", "none", "--help", "--nonesuch"], prog_name="clew x", standalone_mode=False)
    assert capsys.readouterr().out.startswith("Usage: clew x")
    assert "-h" == parsed("a", "--why", "-h")["why"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a", "--nonesuch"], "No such option"),
        (["a", "--wh", "w"], "'--why'"),
        (["a", "--jsom=x"], "Did you mean '--json'?"),
        (["a", "-5"], "No such option"),
        (["--json"], "Missing argument 'TEXT…'"),
        (["a", "--why"], "--why takes a value"),
        (["a", "--limit", "many"], "'--limit': 'many' is not a valid integer range"),
        (["a", "--limit", "0"], "'--limit': 0 is not in the range"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)
def test_what_is_wrong_is_said(words: list[str], said: str) -> None:
    """An abbreviation would mean something else the day a second option begins so."""
    with pytest.raises(click.UsageError) as error:
        parsed(*words)
    assert said in error.value.format_message()


@pytest.mark.parametrize(("word", "locked"), [("--lock", True), ("--unlock", False)])
def test_an_option_without_a_value_takes_none(word: str, locked: bool) -> None:
    """The word behind it is a word, whichever way it turns something."""
    for words in ([word, "a"], ["a", word], [word, "--json", "a"]):
        found = parsed(*words)
        assert (locked, ("a",)) == (found["locked"], found["text"])
    assert parsed("a")["locked"] is None


def test_an_error_of_the_commands_own_tells_of_which() -> None:
    """The hint names the command whose help is to be read."""

    @click.command("y", cls=CliCommand)
    def wrong() -> None:
        raise click.UsageError("no")

    root = Group("clew", commands={"y": wrong})
    with pytest.raises(click.UsageError) as error:
        root.main(["y"], prog_name="clew", standalone_mode=False)
    assert error.value.ctx is not None and "clew y" == error.value.ctx.command_path


def test_a_group_without_a_command_tells_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """In the order in which they were made, and with the name that was meant by one that is not there."""
    group = Group("g", commands={"switch": command, "bind": command})
    group.main([], prog_name="g", standalone_mode=False)
    assert re.search(r"switch.*bind", capsys.readouterr().out, re.DOTALL)
    with pytest.raises(click.UsageError, match="there is no command 'bnd'; did you mean bind"):
        group.main(["bnd"], prog_name="g", standalone_mode=False)


def test_the_help_of_a_lazy_group_loads_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """One that is broken, or dear to load, is no matter to the others."""
    lists = {"All": {"nonesuch": "Is not there."}}
    group = LazyGroup("clew", package="clew.interfaces.cli", lists=lists, homes={})
    group.main(["--help"], prog_name="clew", standalone_mode=False)
    assert "All:\n  nonesuch  Is not there.\n" in capsys.readouterr().out
    with pytest.raises(ModuleNotFoundError):
        group.main(["nonesuch"], prog_name="clew", standalone_mode=False)


def test_a_wheel_has_no_pages_so_their_addresses_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A path that is only there in a checkout helps nobody who installed clew."""
    told = "Set one (docs/reference/settings.md)."
    assert told == with_pages(told)
    monkeypatch.setattr(group, "__file__", str(tmp_path / "site-packages/clew/interfaces/cli/group.py"))
    assert f"Set one ({documentation()}reference/settings/)." == with_pages(told)
