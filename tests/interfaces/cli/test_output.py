"""What is printed is what may be kept: no text gets to the terminal or a pipe with a secret in it."""

from __future__ import annotations

import json
import sys

import click
import pytest

from clew.interfaces.cli.screen import redacted_output
from tests.interfaces.cli.conftest import Clew
from tests.samples import text
from tests.workspace.repos import Repo

TOKEN = "ghp_" + text(36)


def test_whatever_prints_prints_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    """By `print`, by click, on both streams, and with colours in it."""
    with redacted_output():
        print(f"the client said {TOKEN}")
        click.echo(f"API_KEY=\x1b[1m{text(40)}\x1b[0m")
        print(json.dumps({"text": f"token: {TOKEN}", "n": 1}))
        print(f"note: {TOKEN}", file=sys.stderr)
    said = capsys.readouterr()
    assert TOKEN not in said.out + said.err and text(40) not in said.out
    assert json.loads(said.out.splitlines()[2])["n"] == 1
    assert "[redacted:" in said.err


def test_the_streams_are_given_back(capsys: pytest.CaptureFixture[str]) -> None:
    """Also when the command fails."""
    before = sys.stdout
    with pytest.raises(ValueError, match="no"), redacted_output():
        raise ValueError("no")
    assert sys.stdout is before


def test_a_fact_is_told_as_it_was_kept(clew: Clew, repo: Repo) -> None:
    """Its topic becomes a file's name, and `repo` is where we stand."""
    assert repo.top.samefile(".")
    clew("init", "--client", "none", "--yes")
    told = clew("learn", "--topic", TOKEN, f"The runner logs in with {TOKEN}")
    assert TOKEN not in told.out and TOKEN.lower() not in told.out.lower()
    assert "[redacted:github-" in told.out
    listed = clew("memory", "show")
    assert TOKEN.lower() not in (listed.out + listed.err).lower()
