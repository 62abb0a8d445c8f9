"""Limits and a network that is down, met by real clients that work for `clew run`, and crossed unattended."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from clew.core.state.events import timestamp
from tests.live import people
from tests.live.claude import Person
from tests.live.endpoint import Endpoint, Request, Scripted, Turn, read, said_to_model, say, write
from tests.live.test_headless_work import lead, quota, refusal
from tests.live.test_run import GOOD, commits, planned, run, statuses

SOON_S = 2
# Limits without a moment are tried again after so long, and a client that waits for longer by itself is ended.
IMPATIENT = {"CLEW_RUN_RETRY_S": "2", "CLEW_RUN_CLIENT_WAIT_S": "2"}


def soon() -> int:
    return int(time.time()) + SOON_S


def this_minute() -> str:
    """As clients tell the time: "9:45pm"."""
    return f"{datetime.now(UTC):%I:%M%p}".lstrip("0").lower()


def forms(client: str) -> list[Callable[[], Turn]]:
    """Five limits that let go soon, as the client's provider tells of them. One that names no moment is the first: the
    times without one double.
    """
    if client == "claude-code":
        return [
            lambda: refusal("This request would exceed your rate limit."),
            lambda: refusal(f"Claude AI usage limit reached|{soon()}"),
            lambda: refusal(f"Rate limited. Please try again in {SOON_S}s."),
            lambda: refusal(f"Fast limit reached · resets in 0m {SOON_S}s"),
            lambda: refusal(f"You've hit your limit · resets {this_minute()} (UTC)"),
        ]
    if client == "codex":
        words = "Rate limit reached for the model (TPM): Limit 30000."
        return [
            lambda: refusal("Rate limit reached", kind="rate_limit_exceeded"),
            lambda: Turn(error=(200, "rate_limit_exceeded", f"{words} Please try again in {SOON_S}s.")),
            lambda: Turn(error=(200, "rate_limit_exceeded", f"{words} Please try again in {SOON_S * 1000}ms.")),
            lambda: Turn(error=(200, "rate_limit_exceeded", f"{words} Please try again in 0m{SOON_S}s.")),
            # It tells its user the minute.
            lambda: refusal("Over.", kind="usage_limit_reached", resets_at=soon(), plan_type="plus"),
        ]
    if client == "gemini":
        return [
            lambda: Turn(error=(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).")),
            lambda: quota("Minute", SOON_S),
            lambda: quota("Minute", SOON_S, f"You exceeded your quota.\nPlease retry in {SOON_S}.5s."),
            lambda: quota("Minute", SOON_S, f"Your quota will reset after 0h0m{SOON_S}s."),
            lambda: refusal(f"Usage limit reached. Access resets at {this_minute()} UTC.", kind="RESOURCE_EXHAUSTED"),
        ]
    # It waits for them all by itself, as its header says: too long for a run.
    return [
        lambda: refusal("Too many requests", retry_after=7200),
        lambda: refusal(f"Rate limit reached. Please try again in {SOON_S + 2}s.", retry_after=7200),
        lambda: refusal(f"Usage limit reached. It will reset in {SOON_S + 2} seconds.", retry_after=7200),
        lambda: refusal(f"429, resets at {datetime.fromtimestamp(soon(), UTC):%Y-%m-%dT%H:%M:%SZ}", retry_after=7200),
        lambda: refusal(f"Daily quota is used up, it resets at {this_minute()} UTC.", retry_after=7200),
    ]


def plays(limits: list[Callable[[], Turn]], project: Path) -> list[Scripted]:
    """A model that reads, is refused, writes the part, and says that it is done."""
    return [
        say("I look.", read(project / "test_part1.py")),
        *(lambda _, limit=limit: limit() for limit in limits),
        say("I write it.", write(project / "part1.py", GOOD.format(1))),
        say("It is written.\nOUTCOME: answer 1 is there"),
    ]


def timed(one: Scripted, arrived: list[float]) -> Scripted:
    """The same answer; when it was asked for is noted."""

    def answer(request: Request) -> Turn:
        arrived.append(time.time())
        return one if isinstance(one, Turn) else one(request)

    return answer


def impatient(someone: people.Person) -> None:
    """Have the client give up at once, by its own settings, and the run try again soon."""
    someone.environment |= IMPATIENT
    if someone.name == "claude-code":
        someone.environment["CLAUDE_CODE_MAX_RETRIES"] = "0"
    if someone.name == "gemini":
        file = someone.home / ".gemini" / "settings.json"
        settings = json.loads(file.read_text(encoding="utf-8"))
        settings["general"]["maxAttempts"] = 1
        file.write_text(json.dumps(settings), encoding="utf-8")


def waited(someone: people.Person, project: Path) -> list[dict[str, str]]:
    """What the ledger has of waiting, oldest first."""
    told = someone.clew("log", "--kind", "run.waits", "--json", cwd=project).stdout
    return [one["data"] for one in json.loads(told)["events"]]


def test_five_limits_are_crossed_in_one_session(anyone: people.Person, project: Path, tmp_path: Path) -> None:
    """The client is refused five times in a row. Each time the run says until when it waits, and goes on in the same
    session, to the same end as without: the phase is done, with one commit.
    """
    planned(anyone, project, tmp_path, phases=1)
    impatient(anyone)
    began = time.time()
    arrived: list[float] = []
    script = [timed(one, arrived) for one in plays(forms(anyone.name), project)]
    with Endpoint(script) as endpoint:
        lead(anyone, endpoint)
        done = run(anyone, project, endpoint)
        assert 0 == endpoint.left
        assert "I look." in said_to_model(endpoint.main[-1]), "it is the same session"
    waits = waited(anyone, project)
    assert 5 == len(waits), done.stderr
    for one, came in zip(waits, arrived[2:], strict=False):
        assert one["until"] <= timestamp(int(came * 1000)), "it waited so long"
        assert began < datetime.fromisoformat(one["until"]).timestamp() < time.time() + 1, one
        assert f"until {one['until']}" in done.stdout + done.stderr
    assert done.stdout.endswith("DONE\n")
    assert ["done"] == statuses(anyone, project)
    assert ["answer 1 is there"] == commits(project)
    assert {} == anyone.settled(10)


def test_a_network_that_is_down_is_crossed(me: Person, project: Path, tmp_path: Path) -> None:
    """In the midst of the session the connection breaks and nobody listens any more, for some seconds: the run tries
    again, and goes on in the same session.
    """
    planned(me, project, tmp_path, phases=1)
    impatient(me)
    script = plays([], project)
    with Endpoint() as endpoint:
        gone = Turn(wait=lambda: endpoint.away(5))
        endpoint.then(script[0], gone, *script[1:])
        done = run(me, project, endpoint)
        assert 0 == endpoint.left
        assert "I look." in said_to_model(endpoint.main[-1]), "it is the same session"
    waits = waited(me, project)
    assert waits and all(f"until {one['until']}" in done.stderr for one in waits)
    assert done.stdout.endswith("DONE\n")
    assert ["done"] == statuses(me, project)
    assert ["answer 1 is there"] == commits(project)
    assert {} == me.settled(10)
