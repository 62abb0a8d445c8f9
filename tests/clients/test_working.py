"""How each client is told what it may do, and what is read of the lines that it prints while it works."""

from __future__ import annotations

import json
import shlex
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import wiring
from clew.clients.codex.settings import trust_digest
from clew.clients.fields import line_of
from clew.clients.launching import (
    OWN,
    Began,
    Called,
    Denied,
    Ended,
    Happening,
    Job,
    Launcher,
    Limited,
    Permissions,
    Spoke,
    Used,
)

RECORDINGS = Path(__file__).parents[1] / "recordings"
CLIENTS = ("claude-code", "codex", "copilot", "gemini", "opencode")
SESSION = "22222222-2222-4222-8222-222222222220"


def working(client: str) -> Launcher:
    return wiring.launchers({})[client]


def command(client: str, job: Job) -> tuple[str, ...]:
    made = working(client).command
    assert made is not None
    return made(job)


def happenings(client: str, name: str) -> list[Happening]:
    """What the client's recording of that name tells."""
    (path,) = (RECORDINGS / client / "headless").glob(f"*-{name}.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [one for line in lines for one in working(client).read(line)]


@pytest.mark.parametrize("client", CLIENTS)
def test_work_is_told_while_it_is_done(client: str) -> None:
    """A read, an edit, a command, one that is not allowed, and the end."""
    found = happenings(client, "work")
    assert Began(SESSION) in found
    assert working(client).naming or Began(SESSION) == found[0]  # else the worker names it, and tells
    targets = [one.target for one in found if isinstance(one, Called)]
    assert ["/repo/refunds.py", 'python3 -c "print(42)"', "touch made.txt"] == targets[1:]
    assert "/repo/refunds.py" in targets[0]
    assert "The parts add up." == [one.text for one in found if isinstance(one, Spoke)][-1]
    assert [True] == [one.ok for one in found if isinstance(one, Ended)]
    used = [one for one in found if isinstance(one, Used)]
    whole = [one for one in used if not one.request] or used
    assert (5000, 50) == (sum(one.tokens_in for one in whole), sum(one.tokens_out for one in whole))
    denied = [one for one in found if isinstance(one, Denied)]
    assert len(denied) == (0 if client == "codex" else 1)  # whose sandbox lets commands run


@pytest.mark.parametrize("client", CLIENTS)
def test_a_limit_is_seen(client: str) -> None:
    found = happenings(client, "limit")
    assert any(isinstance(one, Limited) for one in found)
    assert not any(isinstance(one, Ended) and one.ok for one in found)


def test_a_try_that_waits_is_seen() -> None:
    """Gemini CLI tells only its stderr how long it waits."""
    waits = [one for one in happenings("gemini", "retry") if isinstance(one, Limited)]
    assert [None, 37.927] == [one.retry_s for one in waits]


def test_a_limit_with_its_moment_is_read_as_it_stands() -> None:
    told = {"status": "rejected", "resetsAt": 1795650000, "rateLimitType": "five_hour"}
    row = {"type": "rate_limit_event", "rate_limit_info": told}
    (found,) = working("claude-code").read(json.dumps(row))
    assert isinstance(found, Limited) and "2026-11-25T23:40:00+00:00" == found.resets_at
    row["rate_limit_info"] = {**told, "status": "allowed_warning"}
    assert [] == [*working("claude-code").read(json.dumps(row))]


@pytest.mark.parametrize("at", ["1795650000000", "1e300", "NaN", "Infinity", "9" * 400, "-1e15"])
def test_a_moment_that_no_calendar_has_is_unknown(at: str) -> None:
    """The limit stands all the same."""
    told = f'{{"type": "rate_limit_event", "rate_limit_info": {{"status": "rejected", "resetsAt": {at}}}}}'
    (found,) = working("claude-code").read(told)
    assert isinstance(found, Limited) and found.resets_at is None


def test_a_spent_budget_is_no_limit() -> None:
    (_, found) = working("claude-code").read('{"type": "result", "subtype": "error_max_budget_usd", "is_error": true}')
    assert Ended(False, "", "error max budget usd") == found


@pytest.mark.parametrize(
    ("client", "row", "error"),
    [
        ("claude-code", {"type": "result", "subtype": "success", "is_error": True, "result": "no key"}, "no key"),
        ("codex", {"type": "turn.failed", "error": {"message": "status 401"}}, "status 401"),
        ("copilot", {"type": "session.error", "data": {"message": "401 no"}}, "401 no"),
        ("gemini", {"type": "result", "error": {"message": "no such model"}}, "no such model"),
        ("opencode", {"type": "error", "error": {"name": "APIError"}}, "APIError"),
    ],
)
def test_a_failure_is_no_answer(client: str, row: object, error: str) -> None:
    assert Ended(False, "", error) == [*working(client).read(json.dumps(row))][-1]


def test_who_only_answers_has_no_tools_and_no_hooks(tmp_path: Path) -> None:
    """A copy of the session is gone on with where the client can do that, and nothing of it is kept."""
    job = Job("x", "", session="s1", allow=Permissions(read=False), keeps=False)
    claude, codex = (command(name, job._replace(forks=True)) for name in ("claude-code", "codex"))
    assert "" == dict(pairwise(claude))["--tools"] and "1" == dict(pairwise(claude))["--max-turns"]
    assert "s1" == dict(pairwise(claude))["--resume"] and {"--fork-session", "--no-session-persistence"} <= {*claude}
    assert {"disableAllHooks": True} == json.loads(working("claude-code").files(job)["settings.json"])
    assert ("fork", "s1", "-") == codex[-3:] and {"--ephemeral", "read-only"} <= {*codex}
    assert {("--disable", "hooks"), ("--disable", "shell_tool")} <= {*pairwise(codex)}
    assert "none" == dict(pairwise(command("copilot", job)))["--available-tools"]
    gemini = working("gemini").files(job)
    assert ["none"] == json.loads(gemini[".gemini/settings.json"])["tools"]["core"]
    assert 1 == len(tomllib.loads(gemini["policy.toml"])["rule"])
    assert {"*": False} == json.loads(working("opencode").files(job)["opencode.json"])["tools"]


@pytest.mark.parametrize("client", CLIENTS)
@given(
    line=st.one_of(
        st.text(max_size=80), st.recursive(st.none() | st.text(max_size=8), st.lists, max_leaves=5).map(json.dumps)
    )
)
def test_no_line_fails(client: str, line: str) -> None:
    list(working(client).read(line))


@pytest.mark.parametrize("client", CLIENTS)
@given(data=st.data())
def test_no_shape_fails(client: str, data: st.DataObject) -> None:
    """Lines of the client's own, with anything in the place of any value."""
    (path,) = (RECORDINGS / client / "headless").glob("*-work.jsonl")
    row = line_of(data.draw(st.sampled_from(path.read_text(encoding="utf-8").splitlines())))
    assert row is not None
    at = row
    while True:
        name = data.draw(st.sampled_from(sorted(at)))
        inner = at[name]
        if not isinstance(inner, dict) or not inner or data.draw(st.booleans()):
            at[name] = data.draw(st.none() | st.integers() | st.text(max_size=5) | st.just([1]) | st.just({"a": []}))
            break
        at = inner
    list(working(client).read(json.dumps(row)))


ALLOW = Permissions(edit=True, commands=("python3 -m pytest", "rm -rf $HOME; echo"))


def test_claude_code_is_denied_what_no_rule_allows() -> None:
    job = Job("x", "/home/[a]", allow=ALLOW, budget_usd=1.5, appended="more", session="s1", model="m")
    words = command("claude-code", job)
    told = dict(pairwise(words))
    assert ("dontAsk", "user", "1.5000", "more", "s1") == (
        told["--permission-mode"],
        told["--setting-sources"],
        told["--max-budget-usd"],
        told["--append-system-prompt"],
        told["--resume"],
    )
    assert f"{OWN}/settings.json" == told["--settings"] and "WebFetch" not in told["--tools"]
    rules = json.loads(working("claude-code").files(job)["settings.json"])["permissions"]["allow"]
    assert ["Bash(python3 -m pytest:*)", "Edit(//home/\\[a\\]/**)"] == rules


def test_claude_code_that_reads_has_no_tool_that_writes() -> None:
    words = command("claude-code", Job("x", "/home"))
    tools = words[words.index("--tools") + 1].split(",")
    assert {"Read", "Glob", "Grep", "ToolSearch"} == set(tools)
    assert '{"mcpServers":{}}' in words


def test_codex_writes_in_its_folder_only_and_asks_nobody() -> None:
    words = command("codex", Job("x", "/home", allow=ALLOW, appended='say "no"\n'))
    settings = tomllib.loads("\n".join(words[at + 1] for at, word in enumerate(words) if word == "-c"))
    assert ("never", "disabled", 'say "no"\n') == (
        settings["approval_policy"],
        settings["web_search"],
        settings["developer_instructions"],
    )
    sandbox = settings["sandbox_workspace_write"]
    assert (False, True, True, [OWN]) == (
        sandbox["network_access"],
        sandbox["exclude_slash_tmp"],
        sandbox["exclude_tmpdir_env_var"],
        sandbox["writable_roots"],
    )
    assert "workspace-write" in words and "--ignore-rules" in words
    (group,) = settings["hooks"]["PreToolUse"]
    (hook,) = group["hooks"]
    assert shlex.split(hook["command"])[4:] == [*("clew.interfaces.hook.permit", "/home", "edit", "python3 -m pytest")]
    (trusted,) = settings["hooks"]["state"].values()
    assert trust_digest("PreToolUse", group["matcher"], hook) == trusted["trusted_hash"]
    assert "read-only" in command("codex", Job("x", "/home"))


def test_copilot_s_commands_are_judged_by_a_hook_of_the_run() -> None:
    """Its own rules know a command by its first word alone."""
    job = Job("x", "/home", allow=ALLOW, session="s1")
    words = command("copilot", job)
    assert {"--allow-tool=write", "--allow-tool=shell", "--no-ask-user"} <= set(words)
    assert (OWN, "s1") == (dict(pairwise(words))["--plugin-dir"], dict(pairwise(words))["--resume"])
    files = working("copilot").files(job)
    (group,) = json.loads(files[json.loads(files["plugin.json"])["hooks"]])["hooks"]["PreToolUse"]
    assert shlex.split(group["hooks"][0]["command"])[-3:] == ["/home", "edit", "python3 -m pytest"]
    reading = Job("x", "/home")
    assert {} == working("copilot").files(reading)
    assert not [word for word in command("copilot", reading) if word.startswith("--allow")]


def test_gemini_cli_has_a_policy_that_denies_the_rest() -> None:
    rules = tomllib.loads(working("gemini").files(Job("x", "/home", allow=ALLOW))["policy.toml"])["rule"]
    assert ("*", "deny") == (rules[0]["toolName"], rules[0]["decision"])
    assert all(one["priority"] > rules[0]["priority"] and one["decision"] == "allow" for one in rules[1:])
    assert ["python3 -m pytest"] == rules[2]["commandPrefix"]
    reading = tomllib.loads(working("gemini").files(Job("x", "/home"))["policy.toml"])["rule"]
    assert 2 == len(reading) and "replace" not in reading[1]["toolName"]


def test_opencode_has_rules_that_deny_the_rest() -> None:
    rules = json.loads(working("opencode").environment(Job("x", "/home", allow=ALLOW))["OPENCODE_PERMISSION"])
    assert ("deny", "deny", "allow") == (rules["*"], rules["external_directory"], rules["edit"])
    assert {"*": "deny", "python3 -m pytest": "allow", "python3 -m pytest *": "allow"} == rules["bash"]
    assert "*" == next(iter(rules)) == next(iter(rules["bash"]))  # the last that fits holds
    reading = json.loads(working("opencode").environment(Job("x", "/home"))["OPENCODE_PERMISSION"])
    assert ("deny", {"*": "deny"}) == (reading["edit"], reading["bash"])


@pytest.mark.parametrize("client", CLIENTS)
def test_a_beginning_that_is_no_plain_words_is_not_allowed_and_told(client: str) -> None:
    """Every client would read a pattern of its own into it."""
    told = working(client).gaps(Job("x", "/home", allow=ALLOW))
    assert any("rm -rf $HOME; echo" in one and "not allowed" in one for one in told)
    assert not any("rm -rf" in word for word in command(client, Job("x", "/home", allow=ALLOW)))
