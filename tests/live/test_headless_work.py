"""The real clients at work with nobody at them: what they may do happens, what they may not does not, limits are seen,
and nothing of them stays.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from clew import wiring
from clew.app.launching.worker import JobResult, work
from clew.clients.launching import Began, Called, Happening, Job, Limited, Permissions, Used
from tests.live import people
from tests.live.endpoint import Endpoint, Turn, asks, bash, edit, read, said_to_model, say, write
from tests.live.projects import changes
from tests.live.stories import NEW, OLD, PROMPT

ALLOWED = "python3 -c"
MODELS = {"claude-code": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro", "opencode": "lab/scripted"}
HOURS = 3600
PACIFIC = "America/Los_Angeles"


def at_work(person: people.Person, endpoint: Endpoint, job: Job) -> tuple[JobResult, list[Happening]]:
    """The client does a job; what happened."""
    happened: list[Happening] = []
    result = do(person, endpoint, job, on=happened.append)
    return result, happened


def do(
    person: people.Person,
    endpoint: Endpoint,
    job: Job,
    *,
    on: Callable[[Happening], None] = lambda _: None,
    until: Callable[[], str] = lambda: "",
    on_started: Callable[[int, str], None] = lambda _pid, _started: None,
) -> JobResult:
    ports = wiring.ports(person.variables(endpoint))
    limit = time.monotonic() + 150
    return work(
        ports,
        wiring.launchers(ports.environment)[person.name],
        job._replace(model=MODELS.get(person.name, "")),
        on=on,
        until=lambda: until() or ("too long" if time.monotonic() > limit else ""),
        on_started=on_started,
        find_program=lambda _: str(person.client),
    )


def lead(person: people.Person, endpoint: Endpoint) -> None:
    """Codex is led to the scripted model by its configuration: the worker's command is its own."""
    if person.name != "codex":
        return
    file = person.home / ".codex" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        'model = "gpt-6.1-sol"\nmodel_provider = "lab"\nmodel_context_window = 200000\n[model_providers.lab]\n'
        f'name = "lab"\nbase_url = "{endpoint.url}/v1"\nwire_api = "responses"\nenv_key = "LAB_API_KEY"\n'
        "request_max_retries = 0\nstream_max_retries = 0\n",
        encoding="utf-8",
    )


def test_what_is_allowed_happens_and_nothing_else(anyone: people.Person, project: Path) -> None:
    """Given a job that may edit in its folder and run one command: the edit and the command happen, another command, a
    chained one and a file outside do not; what was used is told.
    """
    path, outside = project / "refunds.py", project.parent / "outside.txt"
    (project / "CLAUDE.md").write_text("HOUSE-RULE: whole cents\n", encoding="utf-8")
    (project / "AGENTS.md").write_text("HOUSE-RULE: whole cents\n", encoding="utf-8")
    (project / "GEMINI.md").write_text("HOUSE-RULE: whole cents\n", encoding="utf-8")
    script = [
        say("I look.", read(path)),
        say("I fix it.", edit(path, OLD, NEW)),
        say("I check.", bash(f'{ALLOWED} "print(40 + 2)"')),
        say("One more.", bash("touch made.txt")),
        say("Both.", bash(f'{ALLOWED} "print(1)" && touch both.txt')),
        say("Outside.", write(outside, "x")),
        say("The parts add up."),
    ]
    allow = Permissions(edit=True, commands=(ALLOWED,))
    with Endpoint(script) as endpoint:
        lead(anyone, endpoint)
        secret = project.parent / "secret.txt"
        secret.write_text("THE-SECRET-WORD", encoding="utf-8")
        job = Job(f"{PROMPT} See @{secret}.", str(project), allow=allow, appended="APPENDED-WORDS")
        result, happened = at_work(anyone, endpoint, job)
        seen = said_to_model(endpoint.main[0])
    assert "THE-SECRET-WORD" not in seen
    assert (True, "The parts add up.", "", "") == (result.ok, result.text, result.error, result.stopped)
    assert 0 == endpoint.left and "APPENDED-WORDS" in seen and "HOUSE-RULE" in seen and PROMPT in seen
    assert NEW in path.read_text(encoding="utf-8") and not outside.exists()
    made = [line for line in changes(project) if not line.endswith((".md", "refunds.py"))]
    assert [] == made
    if anyone.name != "codex":  # which does not tell of it
        assert 2 <= len(result.denied)
    assert any(isinstance(one, Called) and one.target.endswith("refunds.py") for one in happened)
    assert result.session and isinstance(happened[0], Began)
    assert (7070, True) == (result.tokens, any(isinstance(one, Used) for one in happened))
    assert result.clean and {} == anyone.settled(5)


def test_what_is_ended_leaves_nothing(anyone: people.Person, project: Path) -> None:
    """Given a command that starts something in a session of its own and does not end: all of it is gone with the
    client."""
    inside = "import subprocess, time; subprocess.Popen(['sleep', '301'], start_new_session=True); time.sleep(300)"
    started: list[tuple[int, str]] = []
    with Endpoint([say("I wait.", bash(f'{ALLOWED} "{inside}"'))]) as endpoint:
        lead(anyone, endpoint)
        job = Job(PROMPT, str(project), allow=Permissions(edit=True, commands=(ALLOWED,)))

        def until() -> str:
            return "enough" if any("sleep 301" in line for line in anyone.strays().values()) else ""

        result = do(anyone, endpoint, job, until=until, on_started=lambda pid, when: started.append((pid, when)))
    assert ("enough", False, True) == (result.stopped, result.ok, result.clean)
    assert {} == anyone.strays()
    ((pid, when),) = started
    assert pid > 0 and when


def test_it_ends_with_whoever_started_it(anyone: people.Person, project: Path) -> None:
    """Given a worker that is killed while the client works: the client and what it started are gone soon after."""
    with Endpoint([say("I wait.", bash(f'{ALLOWED} "import time; time.sleep(302)"'))]) as endpoint:
        lead(anyone, endpoint)
        words = [sys.executable, "-m", "tests.live.one_job", anyone.name, str(anyone.client), str(project), ALLOWED]
        there = anyone.variables(endpoint) | {"PYTHONPATH": str(Path(__file__).parents[2])}
        with subprocess.Popen(words, env=there, stdin=subprocess.DEVNULL, start_new_session=True) as worker:
            limit = time.monotonic() + 60
            while not any("sleep(302)" in line for line in anyone.strays().values()):
                assert time.monotonic() < limit and worker.poll() is None
                time.sleep(0.1)
            worker.kill()
    assert {} == anyone.settled(20)


class Form(NamedTuple):
    """A limit as a provider tells it, and in how many seconds it lets go (None: it does not say)."""

    turn: Turn
    after_s: float | None


def forms(client: str) -> list[Form]:
    """Five limits of each client's provider."""
    now = time.time()
    if client == "claude-code":
        ahead = [datetime.fromtimestamp(now + hours * HOURS, UTC).replace(second=0) for hours in (2, 11, 20)]
        said = [(f"{at:%I:%M%p}".lstrip("0").lower(), at.timestamp() - now) for at in ahead]
        plain = [Form(refusal(f"You've hit your limit · resets {text} (UTC)"), after) for text, after in said]
        counted = Form(refusal("Wait.", retry_after=2 * HOURS), None)
        return [*plain, counted, Form(refusal("Please try again in 2h 13m."), 2 * HOURS + 780)]
    if client == "codex":
        kind = "usage_limit_reached"
        ahead = (2 * HOURS, 9 * HOURS, 26 * HOURS, 75 * HOURS)
        told = [
            Form(refusal("Over.", kind=kind, resets_at=int(now + after), plan_type="plus"), after) for after in ahead
        ]
        return [*told, Form(refusal("Rate limit reached", kind="rate_limit_exceeded"), None)]
    if client == "gemini":
        ahead = (400, 2 * HOURS, 5 * HOURS, 20 * HOURS)
        return [
            *(Form(quota("Minute", after), after) for after in ahead),
            Form(quota("Day", 60), _until(0, 0, PACIFIC)),
        ]
    later = datetime.fromtimestamp(now + 3 * HOURS, UTC).replace(second=0)
    said = [
        ("in 2h13m", 2 * HOURS + 780),
        ("in 45 minutes", 45 * 60),
        (f"at {later:%H:%M} UTC", later.timestamp() - now),
    ]
    told = [Form(refusal(f"Rate limit reached. Please try again {text}.", retry_after=7200), s) for text, s in said]
    return [
        *told,
        Form(refusal("Usage limit reached. It will reset in 3 hours 5 minutes.", retry_after=7200), 3 * HOURS + 300),
        Form(refusal("Daily quota is used up, it resets at midnight UTC.", retry_after=7200), _until(0, 0)),
    ]


def test_limits_are_seen_dated_and_crossed(anyone: people.Person, project: Path) -> None:
    """Given five limits of each client's provider, one after the other in one session: each is seen, with the moment
    when it lets go, and the session goes on when the last did.
    """
    with Endpoint([say("I look.", read(project / "refunds.py"))]) as endpoint:
        lead(anyone, endpoint)
        job = Job(PROMPT, str(project))
        for number in range(5):
            form, began = forms(anyone.name)[number], time.time()
            endpoint.then(form.turn)
            result, happened = at_work(anyone, endpoint, job)
            assert result.limited is not None and not result.ok, (number, result)
            assert any(isinstance(one, Limited) for one in happened)
            when = result.limited.resets_at
            assert (when is None) == (form.after_s is None), (number, result)
            if when is not None and form.after_s is not None:
                ahead_s = datetime.fromisoformat(when).timestamp() - began
                assert abs(ahead_s - form.after_s) < 90, (number, result, form.after_s)
            assert result.session and result.session == (job.session or result.session), (number, result)
            assert number + 2 == len(endpoint.main) and "I look." in said_to_model(endpoint.main[-1])
            job = Job("Go on.", str(project), session=result.session)
        endpoint.then(say("Now it is done."))
        again, _ = at_work(anyone, endpoint, job)
        assert (True, "Now it is done.", job.session) == (again.ok, again.text, again.session), again
    assert {} == anyone.settled(5)


def refusal(words: str, *, kind: str = "rate_limit_error", retry_after: int = 0, **details: object) -> Turn:
    headers = (("retry-after", str(retry_after)),) if retry_after else (("x-should-retry", "false"),)
    return Turn(error=(429, kind, words), headers=headers, details=details)


def quota(span: str, after_s: int, words: str = "You exceeded your quota.") -> Turn:
    quota = {"quotaMetric": "requests", "quotaId": f"GenerateRequestsPer{span}PerProjectPerModel-FreeTier"}
    details = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [quota]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{after_s}s"},
    ]
    return Turn(error=(429, "RESOURCE_EXHAUSTED", words), details={"code": 429, "details": details})


def _until(hour: int, minute: int, zone: str = "UTC") -> float:
    """Seconds to the next time of day."""
    now = datetime.now(ZoneInfo(zone))
    at = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if at <= now:  # what is just over ends with the minute
        at = at + timedelta(days=1) if now - at > timedelta(minutes=5) else now + timedelta(minutes=1)
    return at.timestamp() - now.timestamp()


ANSWER = """\
## Answer
`share` drops the rest of the division, so refunds are off by a cent.

## Evidence
- `refunds.py:2` "return [total // parts] * parts" the rest is dropped
- `till.py:40` "round(net)" amounts are rounded

## Rejected
- a wrong rate: it is one

## Not checked
- who calls it
"""
QUESTION = "Why are refunds off by a cent?"


def test_a_question_is_answered_by_a_fresh_agent(anyone: people.Person, project: Path) -> None:
    """Given a project with a ledger: the agent reads and cannot write, its answer comes back with the places looked at,
    and is recorded as its finding; a delegate of the delegate is refused.
    """
    anyone.clew("init", "--client", anyone.name, cwd=project)
    before = changes(project)
    script = [
        say("I look.", read(project / "refunds.py")),
        say("I try.", write(project / "made.txt", "x")),
        say(ANSWER),
    ]
    with Endpoint(script) as endpoint:
        lead(anyone, endpoint)
        model = MODELS.get(anyone.name, "")
        words = ["delegate", QUESTION, "--to", anyone.name, *(("--model", model) if model else ()), "--json"]
        own = dict(anyone.own(endpoint))
        done = anyone.clew(*words, cwd=project, **own)
        seen = [said for said in endpoint.main[0].seen if said.role != "tools"]
    found = json.loads(done.stdout)
    assert "share` drops the rest" in found["answer"] and 0 < found["tokens"] <= 800
    assert ["holds", "missing"] == [one["verdict"] for one in found["evidence"]]
    assert "✓ `refunds.py:2`" in found["text"] and "✗ `till.py:40`" in found["text"]
    assert (["a wrong rate: it is one"], ["who calls it"]) == (found["rejected"], found["unchecked"])
    assert before == changes(project) and any(QUESTION in said.text for said in seen)
    assert found["used_tokens"] > 0 and found["client"] == anyone.name
    shown = json.loads(anyone.clew("show", found["item"], "--json", cwd=project).stdout)["item"]
    assert ("finding", "agent", anyone.name) == (shown["kind"], shown["provenance"], shown["actor"])
    assert ["refunds.py"] == shown["files"] and QUESTION in shown["why"]
    again = anyone.clew(*words, cwd=project, code=1, **own, CLEW_DELEGATE_DEPTH="1")
    assert "E-delegate-depth" == json.loads(again.stdout)["error"]["code"]
    asked = anyone.clew("sessions", "--json", cwd=project).stdout
    assert not [one for one in json.loads(asked)["sessions"] if one.get("task")]
    assert {} == anyone.settled(5) and [] == anyone.broken()


def test_no_server_may_be_called(anyone: people.Person, project: Path) -> None:
    """Also not ours, which the client has: an unattended agent records by the command, where it is allowed."""
    anyone.clew("init", "--client", anyone.name, cwd=project)
    anyone.clew("task", "new", "Refunds", cwd=project)
    records = asks("clew", "record", kind="decision", text="Whole cents")
    with Endpoint([say("I record it.", records), say("Done.")]) as endpoint:
        if anyone.name == "codex":
            lead(anyone, endpoint)
            anyone.clew("init", "--client", anyone.name, cwd=project)
        result, _ = at_work(anyone, endpoint, Job(PROMPT, str(project), environment=(("CLEW_TASK", "Refunds"),)))
    assert result.ok, result
    shown = json.loads(anyone.clew("show", "--json", cwd=project, code=None).stdout).get("items", [])
    assert [] == [item["text"] for item in shown if item["kind"] == "decision"]
    assert {} == anyone.settled(5)
