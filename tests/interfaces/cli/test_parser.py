"""What people and agents type, in the ways they type it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clew.interfaces.cli.parser import Command, HelpWanted, Parser, UsageError, at_least


def _arguments(parser: Parser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT…")
    parser.add_argument("--why", default="")
    parser.add_argument("-m", "--message", default="")
    parser.add_argument("--guard", action="append", default=[])
    parser.add_argument("--limit", type=at_least(1), default=5)
    parser.add_argument("--json", dest="as_json", action="store_true")
    parser.add_argument("--lock", dest="locked", action="store_true", default=None)
    parser.add_argument("--unlock", dest="locked", action="store_false", default=None)


def parsed(*words: str) -> dict[str, Any]:
    return Parser("clew x", Command("", None, _arguments)).parsed(list(words))


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


def few(parser: Parser) -> None:
    parser.add_argument("item", metavar="ID")
    parser.add_argument("kind", nargs="?", choices=["goal", "risk"], metavar="[KIND]")


def test_words_go_to_their_places() -> None:
    """One word too many is a mistake, and one that is missing is named."""
    parser = Parser("clew x", Command("", None, few))
    assert {"item": "a", "kind": None} == parser.parsed(["a"])
    assert {"item": "a", "kind": "risk"} == parser.parsed(["a", "risk"])
    for words, said in (
        ([], "ID is missing"),
        (["a", "risk", "b"], "'b' is one word too many"),
        (["a", "b"], "[KIND] is one of goal, risk, and not 'b'"),
    ):
        with pytest.raises(UsageError, match=re.escape(said)):
            parser.parsed(words)
    with pytest.raises(UsageError, match="'extra' is one word too many"):
        Parser("clew x", Command("", None)).parsed(["extra"])


def test_help_is_told_whatever_else_is_wrong() -> None:
    """Who asks for help is mostly somebody whose command line was refused."""
    with pytest.raises(HelpWanted, match="Usage: clew x"):
        parsed("--limit", "none", "--help", "--nonesuch")
    assert "-h" == parsed("a", "--why", "-h")["why"]


def test_what_may_be_given_again_is_kept_in_order() -> None:
    """Nothing is carried over from one command line to the next."""
    assert ("b", "a") == parsed("x", "--guard", "b", "--guard", "a")["guard"]
    assert () == parsed("x")["guard"]


@pytest.mark.parametrize(
    ("words", "said", "option"),
    [
        (["a", "--nonesuch"], "there is no option --nonesuch", "--nonesuch"),
        (["a", "--wh", "w"], "there is no option --wh; did you mean --why?", "--wh"),
        (["a", "--jsom=x"], "there is no option --jsom; did you mean --json?", "--jsom"),
        (["a", "-5"], "there is no option -5", "-5"),
        (["a", "--why", "--"], "--why takes a value, and -- is none", ""),
        (["--json"], "TEXT… is missing", ""),
        (["a", "--why"], "--why: expected one argument", ""),
        (["a", "--limit", "many"], "--limit: 'many' is no whole number from 1 on", ""),
        (["a", "--limit", "0"], "'0' is no whole number from 1 on", ""),
        (["a", "--limit", "-3"], "'-3' is no whole number from 1 on", ""),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)
def test_what_is_wrong_is_said(words: list[str], said: str, option: str) -> None:
    """An abbreviation would mean something else the day a second option begins so."""
    with pytest.raises(UsageError) as error:
        parsed(*words)
    assert said in error.value.message
    assert option == error.value.option


@pytest.mark.parametrize(("word", "locked"), [("--lock", True), ("--unlock", False)])
def test_an_option_without_a_value_takes_none(word: str, locked: bool) -> None:
    """The word behind it is a word, whichever way it turns something."""
    for words in ([word, "a"], ["a", word], [word, "--json", "a"]):
        found = parsed(*words)
        assert (locked, ("a",)) == (found["locked"], found["text"])
    assert parsed("a")["locked"] is None
