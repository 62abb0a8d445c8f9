"""A hand-off that is written afterwards: what it costs is known before, it runs bare, and it is paid for once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from clew import wiring
from clew.app.draft.newest import drafts
from clew.app.launching.ask_for_draft import Asking, DraftAnswer, DraftOffer, ask
from clew.app.project.opening import ProjectHandle
from clew.core.errors import ClewError, InputError, NotFound
from clew.documents.draft import REQUEST
from tests.app.draft.test_keep import DRAFT, KEPT
from tests.app.hooks.hooked import EARLIER, LATELY, NOW, Hooked
from tests.recordings.sessions import Recorder

LAUNCHERS = wiring.launchers()


class Run(NamedTuple):
    argv: list[str]
    environment: dict[str, str]
    prompt: str
    folder: str


class Client:
    """A client that answers `text` or does something else; what it was started with is kept."""

    def __init__(self, folder: Path, text: str = DRAFT, *, does: str = "") -> None:
        usage = {"input_tokens": 900, "output_tokens": 70}
        told = {"type": "result", "subtype": "success", "result": text, "usage": usage}
        self.program, self._runs = folder / "claude", folder / "runs"
        self._runs.mkdir()
        code = f"""#!{sys.executable}
import json, os, pathlib, sys, time
run = [sys.argv, dict(os.environ), sys.stdin.read(), os.getcwd()]
place = pathlib.Path({str(self._runs)!r})
(place / str(len(list(place.iterdir())))).write_text(json.dumps(run))
{does or f"print({json.dumps(told)!r})"}
"""
        self.program.write_text(code, encoding="utf-8")
        self.program.chmod(0o755)

    @property
    def runs(self) -> list[Run]:
        return [Run(*json.loads(path.read_text(encoding="utf-8"))) for path in sorted(self._runs.iterdir())]


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    world.story().save(world.home)
    return world


def asked(
    world: Hooked, client: Client, *, agreed: Callable[[DraftOffer], bool] = lambda _: True, **how: object
) -> DraftAnswer | None:
    world.clock.tick()
    asking = Asking(LAUNCHERS["claude-code"], **how)  # type: ignore[arg-type]
    return ask(ProjectHandle(world.ports, world.top), asking, agreed=agreed, find_program=lambda _: str(client.program))


def kept(world: Hooked) -> list[str]:
    with world.desk(write=False) as at:
        return [one.id for one in drafts(at.ledger)]


def test_a_killed_session_is_asked_from_its_record(world: Hooked, client: Client) -> None:
    """It broke off in a command; what it knew is in the record, and a client that never saw it writes it down."""
    found = asked(world, client)
    assert found is not None and found.judged is not None
    [(argv, environment, prompt, folder)] = client.runs
    assert "--fork-session" not in argv
    assert REQUEST in prompt and "Fix the tide in src/a.py" in prompt and "the loader needs it" in prompt
    assert "pytest tests/test_a.py → exit code 1 FAILED tests/test_a.py::test_x - AssertionError" in prompt
    assert "1" == environment["CLEW_ASKED"]
    assert not Path(folder).exists() and world.top not in [Path(folder), *Path(folder).parents]
    assert (EARLIER, "asked", "claude-code") == (found.draft.session, found.draft.source, found.draft.client)
    assert [found.draft.id] == kept(world)
    assert found.result is not None and 970 == found.result.tokens


def test_what_it_writes_is_proved_and_never_a_persons_word(world: Hooked, client: Client) -> None:
    """The person asked for it, and wrote none of it."""
    found = asked(world, client)
    assert found is not None and found.judged is not None
    assert ["Everything was pushed to origin"] == [one.claim.text for one in found.judged.struck]
    with world.desk(write=False) as at:
        stated = [one.event for one in at.ledger.events(kinds=("item.stated",))]
    assert {"agent", "verified"} >= {event.provenance for event in stated}
    assert KEPT in {event.data["text"] for event in stated}


def test_it_tells_of_the_sessions_end_not_of_now(world: Hooked, client: Client) -> None:
    """What the next session does meanwhile comes behind it."""
    found = asked(world, client)
    assert found is not None
    assert found.draft.time.startswith(LATELY[:14])


def test_the_same_again_costs_nothing(world: Hooked, client: Client) -> None:
    """Until the session goes on, or another client or model is asked."""
    first = asked(world, client)
    offers: list[DraftOffer] = []
    again = asked(world, client, agreed=lambda offer: not offers.append(offer))
    assert first is not None and again is not None
    assert (first.draft.id, None) == (again.draft.id, again.result)
    assert offers[0].is_kept and 1 == len(client.runs)
    asked(world, client, model="large")
    world.story().result("").reply("I go on.").save(world.home)
    asked(world, client)
    assert 3 == len(client.runs)


def test_nothing_is_spent_before_somebody_agrees(world: Hooked, client: Client) -> None:
    """And what it costs is told to whoever is asked."""
    offers: list[DraftOffer] = []

    def refuses(offer: DraftOffer) -> bool:
        offers.append(offer)
        return False

    assert asked(world, client, agreed=refuses) is None
    assert [] == client.runs and [] == kept(world)
    assert 100 < offers[0].tokens_in < 2_000 and not offers[0].is_kept


def test_a_record_of_any_length_is_cut_to_the_budget(world: Hooked, client: Client) -> None:
    """The first prompt and the newest lines stay."""
    world.setting("draft.record_tokens", 1000)
    made = Recorder(world.top, session=NOW, start=LATELY).user("Fix the tide in src/a.py")
    for number in range(300):
        made.reply(f"Step {number}: the moon of src/moon_{number}.py was moved by {number} degrees.")
    made.save(world.home)
    asked(world, client, session=NOW)
    prompt = client.runs[0].prompt
    assert "user: Fix the tide" in prompt and "Step 299" in prompt and "Step 10:" not in prompt
    assert " lines left out …" in prompt


def test_a_fork_goes_on_where_the_session_ran(world: Hooked, client: Client) -> None:
    """It knows all that the session knew, and the session itself does not grow."""
    asked(world, client, forks=True)
    [(argv, _, prompt, folder)] = client.runs
    assert EARLIER == argv[argv.index("--resume") + 1] and "--fork-session" in argv
    assert str(world.top) == folder
    assert "clew-data" not in prompt and REQUEST in prompt


def test_not_every_client_can_go_on_from_every_session(world: Hooked, client: Client) -> None:
    """To go on in the session itself would put our words into it."""
    for name in ("codex", "gemini", "opencode"):
        with pytest.raises(InputError) as caught:
            ask(
                ProjectHandle(world.ports, world.top),
                Asking(LAUNCHERS[name], forks=True),
                agreed=lambda _: True,
                find_program=lambda _: str(client.program),
            )
        assert "E-draft-fork" == caught.value.code


@pytest.mark.parametrize(
    ("does", "step_ms", "told"),
    [
        ('print("one\\nPlease run /login", file=sys.stderr); sys.exit(1)', 0, "exit code 1: Please run /login"),
        ("time.sleep(60)", 60_000, "no answer after 180 s"),
        ("pass", 0, "exit code 0"),
    ],
)
def test_a_client_that_fails_leaves_nothing(world: Hooked, tmp_path: Path, does: str, step_ms: int, told: str) -> None:
    """Its last words say what is to be done about it."""
    client, moments = Client(tmp_path, does=does), count(world.ports.now_ms(), step_ms)
    world.ports = world.ports._replace(now_ms=lambda: next(moments))
    with pytest.raises(InputError) as caught:
        asked(world, client)
    assert "E-draft-failed" == caught.value.code and told in caught.value.message
    assert [] == kept(world)


def test_an_excuse_is_no_hand_off(world: Hooked, tmp_path: Path) -> None:
    """It would stand in the place of what rules know."""
    with pytest.raises(ClewError) as caught:
        asked(world, Client(tmp_path, "I am sorry, but I cannot write a hand-off for that."))
    assert "E-draft-empty" == caught.value.code
    assert [] == kept(world)


def test_a_fence_around_all_of_it_is_taken_off(world: Hooked, tmp_path: Path) -> None:
    """Some models hand over a file."""
    found = asked(world, Client(tmp_path, f"```markdown\n{DRAFT}```"))
    assert found is not None and DRAFT.strip() == found.draft.text


def test_a_session_or_a_program_that_is_not_there_is_named(world: Hooked, client: Client) -> None:
    """Before anything is asked."""
    with pytest.raises(NotFound) as caught:
        asked(world, client, session="77777777")
    assert "E-session-unknown" == caught.value.code
    with pytest.raises(NotFound) as caught:
        ask(
            ProjectHandle(world.ports, world.top),
            Asking(LAUNCHERS["codex"]),
            agreed=lambda _: pytest.fail("nobody is asked to agree to what cannot be done"),
            find_program=lambda _: None,
        )
    assert "E-client-missing" == caught.value.code
