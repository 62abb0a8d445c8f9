"""A hand-off that is written afterwards: what it costs is known before, it runs bare, and it is paid for once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from clew import wiring
from clew.app.draft.newest import drafts
from clew.app.launching.ask_for_draft import Asking, DraftAnswer, DraftOffer, ask
from clew.app.project.opening import ProjectHandle
from clew.core.errors import ClewError, InputError, NotFound
from clew.documents.draft import REQUEST
from clew.workspace.process import Finished, LimitExceeded
from tests.app.draft.test_keep import DRAFT, KEPT
from tests.app.hooks.hooked import EARLIER, LATELY, NOW, Hooked
from tests.recordings.sessions import Recorder

LAUNCHERS = wiring.launchers()


class Client:
    """A client that answers `text`; what it was started with is kept."""

    def __init__(self, text: str = DRAFT, *, code: int = 0, err: str = "", fails: Exception | None = None) -> None:
        self.text, self.code, self.err, self.fails = text, code, err, fails
        self.runs: list[tuple[Sequence[str], Mapping[str, str], float, str, str]] = []

    def __call__(
        self, argv: Sequence[str], *, environment: Mapping[str, str], timeout_s: float, given: str, folder: str
    ) -> Finished:
        assert Path(folder).is_dir()
        self.runs.append((argv, environment, timeout_s, Path(given).read_text(encoding="utf-8"), folder))
        if self.fails is not None:
            raise self.fails
        told = {
            "type": "result",
            "subtype": "success",
            "result": self.text,
            "usage": {"input_tokens": 900, "output_tokens": 70},
        }
        return Finished(self.code, json.dumps(told).encode() if self.text else b"", self.err.encode())


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
    return ask(
        ProjectHandle(world.ports, world.top),
        asking,
        agreed=agreed,
        find_program=lambda name: f"/usr/bin/{name}",
        runs=client,
    )


def kept(world: Hooked) -> list[str]:
    with world.desk(write=False) as at:
        return [one.id for one in drafts(at.ledger)]


def test_a_killed_session_is_asked_from_its_record(world: Hooked) -> None:
    """It broke off in a command; what it knew is in the record, and a client that never saw it writes it down."""
    client = Client()
    found = asked(world, client)
    assert found is not None and found.judged is not None
    [(argv, environment, limit_s, prompt, folder)] = client.runs
    assert "/usr/bin/claude" == argv[0] and "--fork-session" not in argv
    assert REQUEST in prompt and "Fix the tide in src/a.py" in prompt and "the loader needs it" in prompt
    assert "pytest tests/test_a.py → exit code 1 FAILED tests/test_a.py::test_x - AssertionError" in prompt
    assert "1" == environment["CLEW_ASKED"]
    assert 180 == limit_s
    assert not Path(folder).exists() and world.top not in [Path(folder), *Path(folder).parents]
    assert (EARLIER, "asked", "claude-code") == (found.draft.session, found.draft.source, found.draft.client)
    assert [found.draft.id] == kept(world)
    assert found.said is not None and (900, 70) == (found.said.tokens_in, found.said.tokens_out)


def test_what_it_writes_is_proved_and_never_a_persons_word(world: Hooked) -> None:
    """The person asked for it, and wrote none of it."""
    found = asked(world, Client())
    assert found is not None and found.judged is not None
    assert ["Everything was pushed to origin"] == [one.claim.text for one in found.judged.struck]
    with world.desk(write=False) as at:
        stated = [one.event for one in at.ledger.events(kinds=("item.stated",))]
    assert {"agent", "verified"} >= {event.provenance for event in stated}
    assert KEPT in {event.data["text"] for event in stated}


def test_it_tells_of_the_sessions_end_not_of_now(world: Hooked) -> None:
    """What the next session does meanwhile comes behind it."""
    found = asked(world, Client())
    assert found is not None
    assert found.draft.time.startswith(LATELY[:14])


def test_the_same_again_costs_nothing(world: Hooked) -> None:
    """Until the session goes on, or another client or model is asked."""
    client = Client()
    first = asked(world, client)
    offers: list[DraftOffer] = []
    again = asked(world, client, agreed=lambda offer: not offers.append(offer))
    assert first is not None and again is not None
    assert (first.draft.id, None) == (again.draft.id, again.said)
    assert offers[0].is_kept and 1 == len(client.runs)
    asked(world, client, model="large")
    world.story().result("").reply("I go on.").save(world.home)
    asked(world, client)
    assert 3 == len(client.runs)


def test_nothing_is_spent_before_somebody_agrees(world: Hooked) -> None:
    """And what it costs is told to whoever is asked."""
    client, offers = Client(), []

    def refuses(offer: DraftOffer) -> bool:
        offers.append(offer)
        return False

    assert asked(world, client, agreed=refuses) is None
    assert [] == client.runs and [] == kept(world)
    assert 100 < offers[0].tokens_in < 2_000 and not offers[0].is_kept


def test_a_record_of_any_length_is_cut_to_the_budget(world: Hooked) -> None:
    """The first prompt and the newest lines stay."""
    world.setting("draft.record_tokens", 1000)
    made = Recorder(world.top, session=NOW, start=LATELY).user("Fix the tide in src/a.py")
    for number in range(300):
        made.reply(f"Step {number}: the moon of src/moon_{number}.py was moved by {number} degrees.")
    made.save(world.home)
    client = Client()
    asked(world, client, session=NOW)
    prompt = client.runs[0][3]
    assert "user: Fix the tide" in prompt and "Step 299" in prompt and "Step 10:" not in prompt
    assert " lines left out …" in prompt


def test_a_fork_goes_on_where_the_session_ran(world: Hooked) -> None:
    """It knows all that the session knew, and the session itself does not grow."""
    client = Client()
    asked(world, client, forks=True)
    [(argv, _, _, prompt, folder)] = client.runs
    assert [*argv][-3:] == ["--resume", EARLIER, "--fork-session"]
    assert str(world.top) == folder
    assert "clew-data" not in prompt and REQUEST in prompt


def test_not_every_client_can_go_on_from_every_session(world: Hooked) -> None:
    """To go on in the session itself would put our words into it."""
    for name in ("codex", "gemini", "opencode"):
        with pytest.raises(InputError) as caught:
            ask(
                ProjectHandle(world.ports, world.top),
                Asking(LAUNCHERS[name], forks=True),
                agreed=lambda _: True,
                find_program=lambda one: f"/usr/bin/{one}",
                runs=Client(),
            )
        assert "E-draft-fork" == caught.value.code


@pytest.mark.parametrize(
    ("client", "told"),
    [
        (Client("", code=1, err="one\nPlease run /login\n"), "exit code 1: Please run /login"),
        (Client(fails=LimitExceeded("no end after 180 s")), "no end after 180 s"),
        (Client(fails=OSError(13, "Permission denied")), "Permission denied"),
        (Client(""), "it printed nothing"),
    ],
)
def test_a_client_that_fails_leaves_nothing(world: Hooked, client: Client, told: str) -> None:
    """Its last words say what is to be done about it."""
    with pytest.raises(InputError) as caught:
        asked(world, client)
    assert "E-draft-failed" == caught.value.code and told in caught.value.message
    assert [] == kept(world)


def test_an_excuse_is_no_hand_off(world: Hooked) -> None:
    """It would stand in the place of what rules know."""
    with pytest.raises(ClewError) as caught:
        asked(world, Client("I am sorry, but I cannot write a hand-off for that."))
    assert "E-draft-empty" == caught.value.code
    assert [] == kept(world)


def test_a_fence_around_all_of_it_is_taken_off(world: Hooked) -> None:
    """Some models hand over a file."""
    found = asked(world, Client(f"```markdown\n{DRAFT}```"))
    assert found is not None and DRAFT.strip() == found.draft.text


def test_a_session_or_a_program_that_is_not_there_is_named(world: Hooked) -> None:
    """Before anything is asked."""
    with pytest.raises(NotFound) as caught:
        asked(world, Client(), session="77777777")
    assert "E-session-unknown" == caught.value.code
    with pytest.raises(NotFound) as caught:
        ask(
            ProjectHandle(world.ports, world.top),
            Asking(LAUNCHERS["codex"]),
            agreed=lambda _: pytest.fail("nobody is asked to agree to what cannot be done"),
            find_program=lambda _: None,
            runs=Client(),
        )
    assert "E-client-missing" == caught.value.code
