"""The one way out: what is refused, what is told of it, and what a person lets pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.app.egress.clean_texts import CACHE_NAME, CleanTexts
from clew.app.egress.guard import EXITS, Exit, leaving, require_clean
from clew.app.project.opening import ProjectHandle
from clew.core.errors import InputError, NotAllowed
from clew.secrets.deep import Engine
from clew.secrets.scanner import Finding
from tests.app.projects import World
from tests.app.worlds import secrets
from tests.samples import text

KEY = b"k" * 32


class Words:
    """An engine that takes one word for a secret."""

    name = "words 1"

    def __init__(self, word: str) -> None:
        self._word = word

    def scan(self, text: str) -> Sequence[Finding]:
        at = text.find(self._word)
        return [Finding("a-word", at, at + len(self._word))] if at >= 0 else []


class Broken:
    """An engine that fails, and says in its error what it looked at."""

    name = "broken 1"

    def scan(self, text: str) -> Sequence[Finding]:
        raise RuntimeError(text)


def refused(*texts: tuple[str, str], exit: Exit = "file", engine: Engine | None = None, **more: object) -> NotAllowed:
    with pytest.raises(NotAllowed) as caught:
        require_clean(texts, KEY, exit=exit, deep=lambda: engine, **more)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize("exit", EXITS)
def test_a_refusal_names_rule_and_place_and_never_the_value(exit: Exit) -> None:
    """Given a token in the second of two texts, both say where it stands, and none of its characters."""
    token = secrets()["github"]
    error = refused(("the title", "Tides"), ("the body", f"one\ntwo {token}"), exit=exit)
    assert error.code == "E-egress-secret"
    assert "github" in error.message and "the body, line 2" in error.message and "Nothing was sent" in error.hint
    assert token[4:14] not in error.message + error.hint


def test_many_findings_are_named_in_part_and_counted() -> None:
    """Given seven secrets, five are named."""
    error = refused(*((f"text {number}", f"API_KEY={text(30 + number)}") for number in range(7)))
    assert error.message.count("(text") == 5 and error.message.endswith("and 2 more")


def test_one_finding_passes_by_its_digits_and_no_other_with_it() -> None:
    """Given two secrets and the digits of one, the other still refuses; with both, both are told."""
    one, other = (f"API_KEY={text(size)}" for size in (30, 40))
    first = _digits(refused(("a", one)))
    assert "(b)" in refused(("a", one), ("b", other), allow=[first]).message
    second = _digits(refused(("b", other)))
    scanned = require_clean([("a", one), ("b", other)], KEY, exit="file", allow=[first, second])
    assert [leak.digits for leak in scanned.allowed] == [first, second]
    assert first in scanned.notes[0]


def test_without_a_key_nothing_can_be_let_pass() -> None:
    """Digits that need no key could be tried out; and no digits are never allowed digits."""
    with pytest.raises(NotAllowed) as caught:
        require_clean([("a", f"API_KEY={text(30)}")], b"", exit="clipboard", allow=[""])
    assert "--allow" not in caught.value.hint and "clew init" in caught.value.hint


def test_the_deep_engine_refuses_what_our_rules_do_not_know() -> None:
    """Given a word only the engine knows, it refuses; what both know is told once, under our name."""
    token = secrets()["github"]
    assert "a-word" in refused(("a", "the xyzzy word"), engine=Words("xyzzy")).message
    assert "a-word" not in refused(("a", f"it is {token}"), engine=Words(token)).message
    assert require_clean([("a", "plain")], KEY, exit="file", deep=lambda: Words("xyzzy")).engine == "clew + words 1"


def test_an_engine_that_fails_lets_nothing_out() -> None:
    """Given an engine that fails while it scans, or cannot be opened, the text stays; its words are not repeated."""

    def unopened() -> Engine | None:
        raise ImportError("libvectorscan.so is missing")

    error = refused(("the body", "plain words"), engine=Broken())
    assert (error.code, "the body" in error.message) == ("E-egress-engine", True)
    assert "plain words" not in error.message + error.hint and "[secrets]" in error.hint
    with pytest.raises(NotAllowed) as caught:
        require_clean([("a", "plain")], KEY, exit="issue", deep=unopened)
    assert caught.value.code == "E-egress-engine"


def test_our_own_rules_that_fail_let_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for a fault of ours."""
    monkeypatch.setattr("clew.app.egress.guard.scan", Broken().scan)
    assert refused(("a", "plain")).code == "E-egress-engine"


def test_personal_data_warns_and_leaves() -> None:
    """Given two addresses and an IBAN, they leave; how many and where is told, the first of each sort."""
    body = "Ask ann@harbour.fr\nor bob@harbour.fr: " + "DE89 3704 0044 0532 0130 00"
    scanned = require_clean([("the body", body)], KEY, exit="issue")
    assert [(one.sort, one.line, one.count) for one in scanned.warnings] == [("mail", 1, 2), ("iban", 2, 1)]
    assert "ann@" not in "".join(scanned.notes) and "the first of 2" in scanned.notes[0]


def test_a_person_lets_a_finding_pass_with_a_reason_that_is_kept(tmp_path: Path) -> None:
    """Given a finding, an agent cannot let it pass, nor a person without a reason; who did it and why is an event."""
    world = World(tmp_path)
    texts = [("the text", f"API_KEY={text(30)}")]
    with pytest.raises(NotAllowed) as caught:
        leaving(ProjectHandle(world.ports, world.top), texts, exit="clipboard")
    digits = _digits(caught.value)
    with pytest.raises(NotAllowed) as agents:
        leaving(ProjectHandle(world.as_agent, world.top), texts, exit="clipboard", allow=[digits], why="a fixture")
    assert agents.value.code == "E-not-a-person"
    with pytest.raises(InputError) as silent:
        leaving(ProjectHandle(world.ports, world.top), texts, exit="clipboard", allow=[digits], why=" ")
    assert silent.value.code == "E-egress-why"
    leaving(ProjectHandle(world.ports, world.top), texts, exit="clipboard", allow=[digits], why="a fixture")
    with world.desk(write=False) as at:
        (kept,) = [one.event for one in at.ledger.events() if one.event.kind == "secret.allowed"]
    assert (kept.actor, kept.provenance) == ("ada", "human")
    assert (kept.data["digits"], kept.data["exit"], kept.data["why"]) == (digits, "clipboard", "a fixture")
    assert text(30)[:12] not in str(kept.data)


def test_what_was_found_clean_is_not_scanned_again(tmp_path: Path) -> None:
    """Given three texts that left, they leave again without a look, and what was warned of is warned of again; not so
    one that changed, and none where another engine or another ledger's key asks.
    """
    seen: list[str] = []
    warned: list[str] = []

    class Counting(Words):
        def scan(self, text: str) -> Sequence[Finding]:
            seen.append(text)
            return super().scan(text)

    def leave(*texts: str, key: bytes = KEY, name: str = "words 1") -> Sequence[str]:
        seen.clear()
        engine = Counting("xyzzy")
        engine.name = name
        scanned = require_clean(
            [(one, one) for one in texts],
            key,
            exit="file",
            deep=lambda: engine,
            remembered=lambda by: CleanTexts(tmp_path, key, by),
        )
        warned[:] = [one.sort for one in scanned.warnings]
        return list(seen)

    texts = ("one", "two", "Ask ann@harbour.fr")
    assert [*texts] == leave(*texts)
    assert ([], ["mail"]) == (leave(*texts), warned)
    assert ["one!"] == leave("one!", "two")
    assert ["one"] == leave("one", name="words 2") == leave("one", key=b"o" * 32)
    with pytest.raises(NotAllowed):
        leave("xyzzy")
    with pytest.raises(NotAllowed):
        leave("xyzzy")
    (tmp_path / CACHE_NAME).unlink()
    (tmp_path / CACHE_NAME).mkdir()
    assert ["one"] == leave("one")


def _digits(error: NotAllowed) -> str:
    return error.hint.partition("--allow ")[2][:6]
