"""The real clients at work with nobody at them: what they may do happens, what they may not does not, limits are seen,
and nothing of them stays.
"""

from __future__ import annotations

import time
from pathlib import Path

from clew import wiring
from clew.app.launching.worker import Result, gaps, work
from clew.clients.working import Began, Called, Happening, Job, Permissions, Used
from tests.live import people
from tests.live.endpoint import Endpoint, bash, edit, read, said_to_model, say, write
from tests.live.projects import changes
from tests.live.stories import NEW, OLD, PROMPT

ALLOWED = "python3 -c"


def at_work(
    person: people.Person, endpoint: Endpoint, job: Job, *, seconds: float = 120, until: str = ""
) -> tuple[Result, list[Happening]]:
    """The client does a job; what happened. `until`: it is ended as soon as it calls a tool about that."""
    ports = wiring.ports(person.variables(endpoint))
    launcher = wiring.launchers(ports.environment)[person.name]
    limit = time.monotonic() + seconds
    happened: list[Happening] = []

    def reason() -> str:
        if until and any(isinstance(one, Called) and until in one.target for one in happened):
            return "enough"
        return "too long" if time.monotonic() > limit else ""

    told = model_of(person)
    result = work(
        ports,
        launcher,
        job._replace(model=told),
        on=happened.append,
        until=reason,
        find_program=lambda _: str(person.client),
    )
    return result, happened


def model_of(person: people.Person) -> str:
    return {"claude-code": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro", "opencode": "lab/scripted"}.get(
        person.name, ""
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
        say("I mend it.", edit(path, OLD, NEW)),
        say("I check.", bash(f'{ALLOWED} "print(40 + 2)"')),
        say("One more.", bash("touch made.txt")),
        say("Both.", bash(f'{ALLOWED} "print(1)" && touch both.txt')),
        say("Outside.", write(outside, "x")),
        say("The parts add up."),
    ]
    allow = Permissions(edit=True, commands=(ALLOWED,))
    with Endpoint(script) as endpoint:
        lead(anyone, endpoint)
        job = Job(PROMPT, str(project), allow=allow, appended="APPENDED-WORDS")
        result, happened = at_work(anyone, endpoint, job)
        seen = said_to_model(endpoint.main[0])
    assert (True, "The parts add up.", "", "") == (result.ok, result.text, result.error, result.stopped)
    assert 0 == endpoint.left and "APPENDED-WORDS" in seen and "HOUSE-RULE" in seen and PROMPT in seen
    assert NEW in path.read_text(encoding="utf-8") and not outside.exists()
    made = [line for line in changes(project) if not line.endswith((".md", "refunds.py"))]
    if anyone.name == "codex":  # its sandbox knows no commands, and it says so
        assert ["?? both.txt", "?? made.txt"] == made
        assert any("any command" in one for one in gaps(wiring.launchers()["codex"], job))
    else:
        assert [] == made
        assert 2 <= len(result.denied)
    assert any(isinstance(one, Called) and one.target.endswith("refunds.py") for one in happened)
    assert result.session and isinstance(happened[0], Began)
    assert (7070, True) == (result.tokens, any(isinstance(one, Used) for one in happened))
    assert result.clean and {} == anyone.settled(5)
