"""A client at work: what it tells on the way, why it is ended, and what comes of it. The client is a script of ours
that prints what Claude Code prints.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clew import wiring
from clew.app.launching.worker import JobResult, work
from clew.clients.launching import Called, Happening, Job, Limited, Permissions, Used
from clew.core.errors import InputError, NotAllowed, NotFound
from clew.core.text.receipt import without_documents
from tests.app.worlds import ports, secrets

BEGINS = {"type": "system", "subtype": "init", "session_id": "s1"}


def says(text: str, request: str, *calls: str, tokens: int = 1000) -> dict[str, object]:
    blocks: list[dict[str, object]] = [{"type": "text", "text": text}]
    blocks += [{"type": "tool_use", "name": "Read", "input": {"file_path": path}} for path in calls]
    usage = {"input_tokens": tokens, "output_tokens": 10}
    return {"type": "assistant", "message": {"id": request, "model": "m", "content": blocks, "usage": usage}}


def ends(text: str, cost: float, **more: object) -> dict[str, object]:
    usage = {"input_tokens": 3000, "output_tokens": 30}
    told = {"type": "result", "subtype": "success", "is_error": False, "result": text}
    return {**told, "total_cost_usd": cost, "usage": usage, **more}


class Client:
    """Prints rows, one each `pause` seconds, then does `last`."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "claude"
        self.happened: list[Happening] = []
        self.work = folder / "work"
        self.work.mkdir()

    def prints(self, *rows: object, last: str = "", err: str = "") -> None:
        code = f"""#!{sys.executable}
import json, os, sys, time
print({err!r}, file=sys.stderr)
open("given", "w").write(sys.stdin.read()); open("argv", "w").write(json.dumps(sys.argv))
open("environment", "w").write(json.dumps(dict(os.environ)))
for row in json.loads({json.dumps(json.dumps(rows))}):
    print(json.dumps(row), flush=True)
{last}
"""
        self.program.write_text(code, encoding="utf-8")
        self.program.chmod(0o755)

    def do(self, job: Job, *, until: Callable[[], str] = lambda: "", home: str = "", **environment: str) -> JobResult:
        own = ports(self.work.parent / "home", **environment)
        return work(
            own._replace(now_ms=lambda: time.time_ns() // 1_000_000),
            wiring.launchers({})["claude-code"],
            job._replace(folder=str(self.work)),
            on=self.happened.append,
            until=until,
            find_program=lambda _: str(self.program),
        )

    def read(self, name: str) -> str:
        return (self.work / name).read_text(encoding="utf-8")


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


JOB = Job("Fix it.", "")


def test_what_is_done_is_told_and_counted_once(client: Client) -> None:
    """Lines of one request repeat its usage, and the end tells all of it again."""
    twice = [says("I look.", "r1", "a.py"), says("And.", "r1"), says("Done.", "r2", tokens=2000)]
    client.prints(BEGINS, *twice, ends("Done.", 0.04))
    result = client.do(JOB)
    assert (True, "Done.", "", "s1", 3030, 0.04, 2000) == (
        result.ok,
        result.text,
        result.error,
        result.session,
        result.tokens,
        result.cost_usd,
        result.context,
    )
    assert Called("Read", "a.py") in client.happened
    given = client.read("given")
    assert given.startswith("Fix it.\n") and "" == without_documents(given), "nobody said it"


def test_its_environment_is_nobodys_child_and_its_own_folder_goes(client: Client) -> None:
    client.prints(BEGINS, ends("Done.", 0))
    job = JOB._replace(environment=(("CLEW_TASK", "T1"),), allow=Permissions(edit=True))
    assert client.do(job, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="s0", KEPT="yes").ok
    environment = json.loads(client.read("environment"))
    assert ("T1", "yes", str(client.work)) == (environment["CLEW_TASK"], environment["KEPT"], environment["PWD"])
    assert not {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID"} & set(environment)
    argv = json.loads(client.read("argv"))
    settings = Path(argv[argv.index("--settings") + 1])
    assert settings.is_absolute() and not settings.parent.exists()


def test_the_rules_of_the_folder_are_given(client: Client) -> None:
    (client.work / "AGENTS.md").write_text("Whole cents.\n", encoding="utf-8")
    client.prints(BEGINS, ends("Done.", 0))
    client.do(JOB._replace(appended="First."))
    argv = json.loads(client.read("argv"))
    given = argv[argv.index("--append-system-prompt") + 1]
    assert given.startswith("First.") and "AGENTS.md" in given and given.endswith("Whole cents.")


def test_no_file_is_put_in_the_place_of_a_word(client: Client) -> None:
    """A prompt holds words of anybody's, and a client would put any file of the user's there."""
    client.prints(BEGINS, ends("Done.", 0))
    client.do(JOB._replace(prompt="See @/etc/passwd, ask me@till.py\n"))
    assert "See @ /etc/passwd, ask me@ till.py" == client.read("given").split("\n")[0]


def test_rules_that_lead_out_of_the_folder_are_none(client: Client, tmp_path: Path) -> None:
    """A repository may bring a link to what only its owner may read; one to a file of its own is as good as that."""
    (tmp_path / "key").write_text("not for a model", encoding="utf-8")
    (client.work / "CLAUDE.md").symlink_to(tmp_path / "key")
    (client.work / "RULES.md").write_text("Whole cents.\n", encoding="utf-8")
    (client.work / "AGENTS.md").symlink_to("RULES.md")
    client.prints(BEGINS, ends("Done.", 0))
    client.do(JOB)
    argv = json.loads(client.read("argv"))
    given = argv[argv.index("--append-system-prompt") + 1]
    assert given.endswith("Whole cents.") and "not for a model" not in given


def test_tokens_over_the_budget_end_it(client: Client) -> None:
    client.prints(BEGINS, says("I read.", "r1", "a.py", tokens=50_000), last="time.sleep(60)")
    result = client.do(JOB._replace(budget_tokens=40_000))
    assert ("budget", False, 50_010, True) == (result.stopped, result.ok, result.tokens, result.clean)


def test_a_limit_that_it_waits_for_itself_ends_it(client: Client) -> None:
    """Whoever started it knows what else there is to do."""
    waits = {"type": "system", "subtype": "api_retry", "error_status": 429, "retry_delay_ms": 7_200_000}
    client.prints(BEGINS, says("I look.", "r1"), waits, last="time.sleep(60)")
    result = client.do(JOB)
    assert ("limit", False, "s1") == (result.stopped, result.ok, result.session)
    assert result.limited is not None and 7200 == result.limited.retry_s


def test_a_limit_that_ends_it_is_dated_and_one_that_it_crossed_is_none(client: Client) -> None:
    text = "You've hit your limit · resets 2099-01-02 at 03:00 UTC"
    rejected = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 4070919600}}
    client.prints(BEGINS, rejected, says("I look.", "r1"), ends("Done.", 0))
    result = client.do(JOB)
    assert (True, None) == (result.ok, result.limited)
    assert any(isinstance(one, Limited) for one in client.happened)
    client.prints(BEGINS, ends(text, 0, is_error=True))
    result = client.do(JOB)
    assert result.limited is not None
    assert (False, "2099-01-02T03:00:00+00:00") == (result.ok, result.limited.resets_at)


def test_why_it_failed_is_told(client: Client) -> None:
    client.prints(last="sys.exit(7)", err="\x1b[31mno such model\x1b[0m")
    result = client.do(JOB)
    assert (False, "it ended with exit code 7: no such model", "") == (result.ok, result.error, result.session)
    client.prints(BEGINS, ends("API Error: Connection error.", 0, is_error=True))
    assert client.do(JOB).offline
    client.prints(BEGINS, says("I look.", "r1"))
    assert "it ended with exit code 0" == client.do(JOB).error


def test_it_is_ended_when_somebody_says_so(client: Client) -> None:
    client.prints(BEGINS, says("I look.", "r1", "a.py"), last="time.sleep(60)")
    result = client.do(JOB, until=lambda: "enough" if any(isinstance(one, Used) for one in client.happened) else "")
    assert ("enough", False, "", True) == (result.stopped, result.ok, result.error, result.clean)


def test_what_cannot_be_started_is_told(client: Client) -> None:
    client.program.write_text("no program", encoding="utf-8")
    client.program.chmod(0o755)
    with pytest.raises(InputError) as found:
        client.do(JOB)
    assert "E-worker-start" == found.value.code
    with pytest.raises(NotFound):
        work(
            ports(client.work),
            wiring.launchers({})["claude-code"],
            JOB,
            on=print,
            until=lambda: "",
            find_program=lambda _: None,
        )


def test_a_client_that_does_not_work_so_is_refused(client: Client) -> None:
    launcher = wiring.launchers({})["claude-code"]._replace(command=None)
    with pytest.raises(InputError) as found:
        work(ports(client.work), launcher, JOB, on=print, until=lambda: "", find_program=lambda _: os.devnull)
    assert "E-worker-client" == found.value.code


@pytest.mark.parametrize("job", [JOB._replace(prompt="It is {}"), JOB._replace(appended="It is {}")])
def test_a_prompt_with_a_secret_is_not_handed_over(client: Client, job: Job) -> None:
    """What a client is given goes to its model: a secret in it is refused before anything is started."""
    token = secrets()["github"]
    client.prints(BEGINS, ends("Done.", 0.01))
    with pytest.raises(NotAllowed) as refused:
        client.do(job._replace(prompt=job.prompt.format(token), appended=job.appended.format(token)))
    assert refused.value.code == "E-egress-secret" and token not in refused.value.message
    assert "--allow" not in refused.value.hint
    assert not (client.work / "given").exists()


def test_rules_with_a_secret_are_not_handed_over(client: Client) -> None:
    """They go to the model as the prompt does."""
    (client.work / "AGENTS.md").write_text(f"Log in with {secrets()['github']}\n", encoding="utf-8")
    client.prints(BEGINS, ends("Done.", 0.01))
    with pytest.raises(NotAllowed) as refused:
        client.do(JOB)
    assert "rules for agents" in refused.value.hint
    assert not (client.work / "given").exists()
