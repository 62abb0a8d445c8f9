"""`clew cost` and `clew budget`: what is shown."""

from __future__ import annotations

import json

import pytest

from clew.interfaces.cost_rows import money
from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def test_cost_of_this_project(repo: Repo, clew: Clew) -> None:
    """A line a session and the whole, with the tokens that stand in the record."""
    done = clew("cost")
    assert 0 == done.code
    session, total, *_ = done.out.splitlines()
    assert session.split()[2:7] == total.split()[1:6]
    told = json.loads(clew("cost", "--json").out)
    (part,) = told["parts"]
    assert (told["total"]["total"], "claude-code") == (part["total"], part["about"])
    assert part["input"] + part["cache_write"] + part["cache_read"] + part["output"] == part["total"] > 0
    assert str(repo.top) == told["scope"]


def test_filters_that_leave_nothing(repo: Repo, clew: Clew) -> None:
    """It is not said that no session tells of tokens."""
    assert (
        "No session of any project tells of tokens that you asked for.\n"
        == clew("cost", "--all", "--session", "f0f").err
    )
    assert "No session of this project" in clew("cost", "--until", "2020-01-01").err


def test_a_model_without_a_price_is_said(repo: Repo, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tokens are told all the same, and a person's own price is taken."""
    monkeypatch.setattr("clew.app.cost.prices.table_files", lambda _: ())
    done = clew("cost", "--by", "model")
    assert "price unknown" in done.out and "price unknown: " in done.err
    model = done.out.split()[0]
    config = repo.top.parent / "home" / ".config" / "clew" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[prices."{model}"]\ninput = 1000\noutput = 1000\n', encoding="utf-8")
    done = clew("cost", "--by", "model")
    assert ("", True, True) == (done.err, "$" in done.out, "1 of your own" in done.out)


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("--since", "soon"), "E-cost-date", 1),
        (("--as", "nobody-9"), "E-price-unknown", 1),
        (("--self",), "E-no-ledger", 1),
        (("--by", "moon"), "E-usage", 64),
        (("--client", "moon"), "E-client-unknown", 1),
        (("--self", "--curve"), "E-usage", 64),
        (("--restarts", "--all"), "E-usage", 64),
        (("--html", "x.html", "--json"), "E-usage", 64),
    ],
)
def test_what_cannot_be_told(repo: Repo, clew: Clew, words: tuple[str, ...], code: str, exit_code: int) -> None:
    """With a code that has its page."""
    done = clew("cost", *words)
    assert (exit_code, True) == (done.code, code in done.err)


def test_restarts_and_what_clew_gave(repo: Repo, clew: Clew) -> None:
    """The story reads once and edits."""
    done = clew("cost", "--restarts")
    assert (0, True) == (done.code, "without a payload, 1 session: in the middle" in done.out)
    told = json.loads(clew("cost", "--restarts", "--json").out)
    assert (1, None, False) == (told["sessions"][0]["reads"], told["with_payload"], told["sessions"][0]["given"])
    assert 0 == clew("init").code
    assert "given to 0 sessions: 0 tokens" in clew("cost", "--self").out
    assert [] == json.loads(clew("cost", "--self", "--json").out)["given"]


def test_a_budget_that_nobody_set(repo: Repo, clew: Clew) -> None:
    """It says how one is set; raising names what is missing."""
    assert "No budget is set" in clew("budget").err
    assert not json.loads(clew("budget", "--json").out)["is_set"]
    assert "E-budget-none" in clew("budget", "raise", "--day").err
    assert "E-budget-none" in clew("budget", "raise", "--session", "ffff").err
    assert 64 == clew("budget", "raise").code
    assert 64 == clew("budget", "raise", "--day", "--tokens", str(10**12)).code


def test_amounts_of_money() -> None:
    """Of less than a cent what is there."""
    assert ["$0.00", "$0.0042", "$1,234.50"] == [money(usd) for usd in (0, 0.0042, 1234.5)]


def test_the_context_of_a_session(repo: Repo, clew: Clew) -> None:
    """A curve of the newest session, or of one that is named."""
    done = clew("cost", "--curve")
    assert (0, True) == (done.code, "┤" in done.out and "responses, at most" in done.out)
    told = json.loads(clew("cost", "--curve", "--json").out)
    assert len(told["tokens"]) > 1 and told["compactions"] == []
    assert done.out == clew("cost", "--curve", "--session", told["session"][:6]).out
    assert "E-transcript-missing" in clew("cost", "--curve", "--session", "ffff").err


def test_a_page(repo: Repo, clew: Clew) -> None:
    """One file that loads nothing, written again each time; a file of somebody's stays."""
    place = repo.top / "cost.html"
    for _ in range(2):
        done = clew("cost", "--html", "cost.html")
        assert (0, "Wrote cost.html.\n") == (done.code, done.out)
    text = place.read_text(encoding="utf-8")
    assert (text.strip(), False) == (clew("cost", "--html", "-").out.strip(), (repo.top / "-").exists())
    assert "<table>" in text and "<script" not in text and 0o600 == place.stat().st_mode & 0o777
    assert clew("cost", "--curve", "--html", str(place)).code == 0
    assert "<path" in place.read_text(encoding="utf-8")
    place.write_text("<!doctype html><p>mine</p>", encoding="utf-8")
    assert "E-export-exists" in clew("cost", "--html", "cost.html").err
    assert "mine" in place.read_text(encoding="utf-8")
    assert "E-export-unwritable" in clew("cost", "--html", "src").err
    assert 64 == clew("cost", "--restarts", "--html", "cost.html").code
