"""Our plugin, as it is installed, run by node in the place of the client: what it tells the program, and what it does
with the answers. That the client really calls it so is proved with the client (`tests/live`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import pytest

from clew.clients.installing import HookCommand
from clew.clients.opencode.settings import OpenCodeInstaller

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None and not os.environ.get("CI"), reason="there is no node")

DRIVER: Final = Path(__file__).with_name("driver.mjs")
MAIN: Final = "ses_main"
CHILD: Final = "ses_child"
# Stands in for the program: writes down what it is told, and answers by the event's name with what the test says.
_PROGRAM: Final = """
import json, os, sys, time
told = json.load(sys.stdin)
answer = json.loads(os.environ["ANSWERS"]).get(sys.argv[2], "")
with open(os.environ["TOLD"], "a") as file:
    file.write(json.dumps([sys.argv[1:], told, os.environ["CLEW_PLACE"]]) + chr(10))
if answer == "hang":
    time.sleep(60)
sys.stdout.write(answer if isinstance(answer, str) else json.dumps(answer))
"""


# A hook of the plugin, what the client gives to it, and what it may change.
Step: TypeAlias = tuple[str, dict[str, Any], dict[str, Any]]


class Driven(NamedTuple):
    """What came of each step, what the person was shown, and what the program was told: (event, event's JSON)."""

    results: list[dict[str, Any]]
    shown: list[str]
    told: list[tuple[str, dict[str, Any]]]


class Driver:
    """Runs the plugin in a folder; `sessions` are those that the client knows already."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sessions: dict[str, Any] = {MAIN: {}, CHILD: {"info": {"parentID": MAIN}}}
        self.answers: dict[str, Any] = {}
        self.arguments: list[str] = []
        self.command = HookCommand(sys.executable, ("-c", _PROGRAM))

    def run(self, *steps: Step, **variables: str) -> Driven:
        parts = OpenCodeInstaller(self.folder / "config").user(self.command)
        plugin, told = self.folder / "clew.mjs", self.folder / "told"
        plugin.write_text(next(own.text for own in parts.placed if own.path.name == "clew.js"))
        given = {"directory": str(self.folder), "sessions": self.sessions, "steps": steps}
        environment = {
            "ANSWERS": json.dumps(self.answers),
            "TOLD": str(told),
            "HOME": "/home/dev",
            "PATH": "/usr/bin:/bin",
        }
        assert NODE is not None
        done = subprocess.run(
            [NODE, str(DRIVER), str(plugin), json.dumps(given), *self.arguments],
            capture_output=True,
            env={**environment, **variables},
            timeout=60,
            check=True,
        )
        assert done.stderr == b""
        rows = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
        assert all(row[0] == ["opencode", row[1]["hook_event_name"]] and row[2] == str(self.folder) for row in rows)
        out = json.loads(done.stdout)
        return Driven(out["results"], out["shown"], [(row[1]["hook_event_name"], row[1]) for row in rows])


@pytest.fixture
def driver(tmp_path: Path) -> Driver:
    return Driver(tmp_path)


def message(session: str = MAIN, text: str = "go") -> Step:
    part = {"type": "text", "text": text, "id": "prt_202e39222001Q2jhvaJOPmYQJh"}
    return "chat.message", {"sessionID": session}, {"message": {"id": "msg_1"}, "parts": [part]}


def before(tool: str = "bash", session: str = MAIN) -> Step:
    call = {"tool": tool, "sessionID": session, "callID": "c1"}
    return "tool.execute.before", call, {"args": {"command": "make"}}


def after(tool: str = "bash", session: str = MAIN) -> Step:
    call = {"tool": tool, "sessionID": session, "callID": "c1", "args": {"command": "make"}}
    return "tool.execute.after", call, {"title": "make", "output": "done", "metadata": {}}


def event(kind: str, **properties: Any) -> Step:
    return "event", {"event": {"type": kind, "properties": properties}}, {}


def request(session: str = MAIN, first: str = "You are opencode") -> Step:
    return "experimental.chat.system.transform", {"sessionID": session}, {"system": [first]}


def context(text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"additionalContext": text}}


def test_the_first_message_gets_the_document_as_a_part_of_its_own(driver: Driver) -> None:
    """It has to stand behind the user's words, be kept with them, and be no words of the user's."""
    driver.answers = {"SessionStart": context("the document"), "UserPromptSubmit": context("advice")}
    done = driver.run(message(), message(text="more"))
    first, second = (result["output"]["parts"] for result in done.results)
    assert [part["text"] for part in first] == ["go", "the document"]
    assert [part["text"] for part in second] == ["more", "advice"]
    assert first[1]["synthetic"] is True
    assert (first[1]["type"], first[1]["messageID"], first[1]["sessionID"]) == ("text", "msg_1", MAIN)
    assert len(first[1]["id"]) == len(first[0]["id"]) and first[1]["id"] > first[0]["id"]
    (start, said), (prompt, _) = done.told
    assert (start, said["source"], prompt) == ("SessionStart", "startup", "UserPromptSubmit")
    assert said["transcript_path"] == f"/home/dev/.local/share/opencode/opencode.db/{MAIN}"
    assert said["cwd"] == str(driver.folder) and said["session_id"] == MAIN and said["prompt"] == "go"


@pytest.mark.parametrize(
    ("created", "messages", "source"), [(True, 0, "startup"), (False, 4, "resume"), (True, 4, "fork")]
)
def test_how_a_session_begins(driver: Driver, created: bool, messages: int, source: str) -> None:
    """A session that goes on needs less than a new one."""
    driver.sessions[MAIN] = {"messages": messages}
    steps = [event("session.created", info={"id": MAIN})] if created else []
    assert driver.run(*steps, message()).told[0][1]["source"] == source


def test_a_sub_agent_is_told_nothing_of_ours(driver: Driver) -> None:
    """It was given all that it needs. What it does is told as its parent's."""
    driver.answers = dict.fromkeys(("SessionStart", "UserPromptSubmit"), context("the document"))
    driver.answers["PreToolUse"] = {
        "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    }
    spawned = event("session.created", info={"id": "ses_new", "parentID": CHILD})
    done = driver.run(message(CHILD), spawned, message("ses_new"), before(session="ses_new"), request("ses_new"))
    assert [part["text"] for part in done.results[0]["output"]["parts"]] == ["go"]
    assert [part["text"] for part in done.results[2]["output"]["parts"]] == ["go"]
    assert done.results[3]["thrown"] == "no"
    ((name, told),) = done.told
    assert (name, told["session_id"], told["agent_id"]) == ("PreToolUse", MAIN, "ses_new")


def test_a_session_of_which_nobody_knows_whose_it_is_gets_nothing(driver: Driver) -> None:
    """It could be a sub-agent's."""
    driver.answers = {"SessionStart": context("the document")}
    done = driver.run(message("ses_unknown"))
    assert done.told == []
    assert len(done.results[0]["output"]["parts"]) == 1


def test_a_denied_call_says_why(driver: Driver) -> None:
    """The model reads the error."""
    denied = {"permissionDecision": "deny", "permissionDecisionReason": "clew: that file is off limits"}
    driver.answers = {"PreToolUse": {"hookSpecificOutput": denied}}
    assert driver.run(before()).results[0]["thrown"] == "clew: that file is off limits"


def test_a_warning_comes_with_the_result(driver: Driver) -> None:
    """Before the call there is no place for words."""
    driver.answers = {"PreToolUse": context("mind the cursor"), "PostToolUse": context("half full")}
    done = driver.run(before(), after(), after())
    assert done.results[1]["output"]["output"] == "done\n\nmind the cursor\n\nhalf full"
    assert done.results[2]["output"]["output"] == "done\n\nhalf full"
    assert [name for name, _ in done.told] == ["PreToolUse", "PostToolUse", "PostToolUse"]
    assert done.told[1][1]["tool_input"] == {"command": "make"} and done.told[1][1]["duration_ms"] >= 0


def test_a_tool_that_changes_nothing_waits_for_nobody_before_it(driver: Driver) -> None:
    """Half of all calls only look."""
    assert [name for name, _ in driver.run(before("read"), after("read")).told] == ["PostToolUse"]


def test_how_full_the_context_is_goes_with_every_event(driver: Driver) -> None:
    """Nobody else can tell before the answer is in the database."""
    used = {"input": 400, "output": 15, "cache": {"read": 100, "write": 20}}
    info = {"role": "assistant", "sessionID": MAIN, "tokens": used, "modelID": "m"}
    model = {"limit": {"context": 100_000}}
    title: Step = ("chat.params", {"sessionID": MAIN, "agent": "title", "model": {"limit": {"context": 9}}}, {})
    main: Step = ("chat.params", {"sessionID": MAIN, "agent": "build", "model": model}, {})
    summary = event("message.updated", info={**info, "summary": True, "tokens": {"input": 9}})
    (_, told), *_ = driver.run(event("message.updated", info=info), title, main, summary, after()).told
    assert (told["tokens"], told["model"], told["window"]) == (520, "m", 100_000)


def test_what_was_used_is_added_up(driver: Driver) -> None:
    """A message that is told again counts once, with its last numbers; sub-agents' are the session's, by model."""

    def used(name: str, session: str, model: str, *tokens: int) -> Step:
        given, output, thought, read, written = tokens
        told = {"input": given, "output": output, "reasoning": thought, "cache": {"read": read, "write": written}}
        info = {"id": name, "role": "assistant", "sessionID": session, "modelID": model, "tokens": told}
        return event("message.updated", info=info)

    steps = (
        used("m1", MAIN, "a", 0, 0, 0, 0, 0),
        used("m1", MAIN, "a", 10, 1, 0, 100, 3),
        before(),
        used("m1", MAIN, "a", 10, 5, 2, 100, 3),
        used("m2", MAIN, "a", 20, 1, 0, 0, 0),
        used("m3", CHILD, "a", 30, 1, 0, 0, 0),
        used("m4", CHILD, "b", 7, 1, 0, 0, 0),
        used("m5", "ses_unknown", "a", 999, 9, 9, 9, 9),
        before(session=CHILD),
    )
    first, second = (told["used"] for _, told in driver.run(*steps).told)
    assert [("a", [10, 3, 100, 1])] == [(one["model"], one["tokens"]) for one in first.values()]
    assert {"a": [60, 3, 100, 9], "b": [7, 0, 0, 1]} == {one["model"]: one["tokens"] for one in second.values()}
    assert first.keys() < second.keys()
    assert all(one["since"] <= one["at"] and one["at"].endswith("Z") for one in second.values())


def test_what_came_behind_the_last_tool_is_told_at_the_end(driver: Driver) -> None:
    """Of a turn, and of the session: no tool is asked about there, so nothing else counts it."""
    tokens = {"input": 10, "output": 1, "reasoning": 0, "cache": {"read": 100, "write": 3}}
    info = {"id": "m1", "role": "assistant", "sessionID": MAIN, "modelID": "a", "tokens": tokens}
    last = event("message.updated", info=info)
    told = _settled(driver, driver.run(message(), last, event("session.idle", sessionID=MAIN), ("dispose", {}, {})))
    ends = [fields["used"].values() for name, fields in told if name in ("Stop", "SessionEnd")]
    assert [[[10, 3, 100, 1]]] * 2 == [[one["tokens"] for one in used] for used in ends]


def test_what_a_compaction_lost_is_said_until_the_next_message(driver: Driver) -> None:
    """The same bytes in each request, for the client's cache; in no request for a title, in no sub-agent."""
    driver.answers = {"SessionStart": context("what was lost"), "UserPromptSubmit": {}}
    summary: Step = ("experimental.text.complete", {"sessionID": MAIN}, {"text": "## Objective"})
    compacting: Step = ("experimental.session.compacting", {"sessionID": MAIN}, {"context": []})
    compacted = event("session.compacted", sessionID=MAIN)
    title = request(first="You are a title generator. You output ONLY a thread title.")
    steps = (message(), request(), compacting, summary, compacted, request(), request(), title, request(CHILD))
    done = driver.run(*steps, message(), request())
    systems = [result["output"]["system"][1:] for result in done.results if "system" in result["output"]]
    assert systems == [[], ["what was lost"], ["what was lost"], [], [], []]
    assert [name for name, _ in done.told] == ["SessionStart", "PreCompact", "SessionStart", "UserPromptSubmit"]
    told = done.told[2][1]
    assert (told["source"], told["summary"], told["tokens"]) == ("compact", "## Objective", 0)


def test_the_end_of_a_turn_and_of_the_client_are_told(driver: Driver) -> None:
    """Nobody waits for that, and what was started lives on."""
    done = driver.run(message(), event("session.idle", sessionID=MAIN), ("dispose", {}, {}))
    names = [name for name, _ in _settled(driver, done)]
    assert sorted(names) == ["SessionEnd", "SessionStart", "Stop"]


@pytest.mark.parametrize(
    "command",
    [
        HookCommand("/nowhere/python3", ("-c", "pass")),
        HookCommand(sys.executable, ("-c", "import sys; sys.exit(2)")),
        HookCommand(sys.executable, ("-c", "print('{')")),
        HookCommand(sys.executable, ("-c", "print('[1]')")),
        HookCommand(sys.executable, ("-c", "print('null')")),
        HookCommand(sys.executable, ("-c", 'print(\'{"hookSpecificOutput": 7, "systemMessage": []}\')')),
        HookCommand(sys.executable, ("-c", "import sys; sys.stdin.close(); print('x' * (3 << 20))")),
        HookCommand(sys.executable, ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")),
    ],
    ids=["missing", "exit 2", "torn", "array", "null", "other types", "too much", "killed"],
)
def test_whatever_fails_the_client_goes_on(driver: Driver, command: HookCommand) -> None:
    """A throw of ours would end the user's turn."""
    driver.command = command
    steps = (message(), before(), after(), request(), event("session.compacted", sessionID=MAIN), request())
    odd: tuple[Step, ...] = (
        ("event", {}, {}),
        ("chat.message", {}, {}),
        ("tool.execute.after", {}, {}),
        ("chat.params", {}, {}),
    )
    done = driver.run(*steps, *odd, ("dispose", {}, {}))
    assert not [result for result in done.results if "thrown" in result]
    assert len(done.results[0]["output"]["parts"]) == 1
    assert done.results[2]["output"]["output"] == "done"


def test_a_program_that_hangs_is_ended_with_all_that_it_started(driver: Driver) -> None:
    """The call goes on after five seconds, and nothing is left behind."""
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(77.25)'])"
    driver.command = HookCommand(sys.executable, ("-c", script))
    (result,) = driver.run(before()).results
    assert "thrown" not in result
    assert 4_500 < result["took"] < 20_000
    assert (
        "sleep(77.25)" not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    )


@pytest.mark.parametrize(
    ("arguments", "attended"),
    [([], True), (["run", "go"], False), (["serve"], False), (["--log-level", "DEBUG", "run"], False), (["web"], True)],
)
def test_whether_somebody_sits_there(driver: Driver, arguments: list[str], attended: bool) -> None:
    """A program that runs the client must not find words in its prompts that it did not write."""
    driver.arguments = arguments
    driver.answers = {"SessionStart": {"systemMessage": "one word to the person"}}
    done = driver.run(message())
    assert done.told[0][1]["attended"] is attended
    assert done.shown == (["one word to the person"] if attended else [])


def test_commands_are_told_which_session_asks(driver: Driver) -> None:
    """`clew resume` in a session is not about that session."""
    done = driver.run(("shell.env", {"sessionID": MAIN}, {"env": {}}), ("shell.env", {"cwd": "/"}, {"env": {}}))
    assert [result["output"]["env"] for result in done.results] == [{"OPENCODE_SESSION_ID": MAIN}, {}]


@pytest.mark.parametrize(
    ("variables", "database"),
    [
        ({"XDG_DATA_HOME": "/d"}, "/d/opencode/opencode.db"),
        ({"XDG_DATA_HOME": "/d", "OPENCODE_DB": "b.db"}, "/d/opencode/b.db"),
        ({"OPENCODE_DB": "/e/b.db"}, "/e/b.db"),
    ],
)
def test_the_address_is_where_the_client_keeps_the_session(
    driver: Driver, variables: dict[str, str], database: str
) -> None:
    """Else nothing of it is found."""
    assert driver.run(message(), **variables).told[0][1]["transcript_path"] == f"{database}/{MAIN}"


def _settled(driver: Driver, done: Driven) -> list[tuple[str, dict[str, Any]]]:
    """What the program was told, with what nobody waited for."""
    import time

    for _ in range(100):
        told = driver.folder / "told"
        rows = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
        if len(rows) >= 3 or not done.told:
            break
        time.sleep(0.05)
    return [(row[1]["hook_event_name"], row[1]) for row in rows]
