"""The table of what binds: each way to it has a row, and an agent is refused at each (docs/reference/authority.md)."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import clew
from clew.app.library import Project
from clew.app.project.authority import DEEDS
from clew.app.project.settings import deed_of
from clew.app.record.verbs import VERBS
from clew.core.settings import SETTINGS
from clew.core.state.events import KINDS
from clew.interfaces.cli.main import cli
from clew.interfaces.mcp.tools import TOOLS
from tests.interfaces.cli.conftest import Desk
from tests.interfaces.cli.test_hub import hub_of

# What a command may do that only a person may. A command that has no row fails the test below.
BINDING = {
    "answer": "item words",
    "audit": "server",
    "archive restore": "leave",
    "budget raise": "budget",
    "edit": "item words",
    "export": "leave",
    "gate allow": "tool",
    "handoff": "review item",
    "hub backup": "hub",
    "hub forget": "hub",
    "hub invite": "hub",
    "hub migrate": "hub",
    "hub revoke": "hub",
    "hub rights": "hub",
    "import": "bundle",
    "issue push": "leave",
    "join": "bundle",
    "learn": "memory",
    "memory edit": "item memory",
    "memory triage": "memory item",
    "phase done": "checks",
    "phase reopen": "phase budget",
    "pin": "item words",
    "plan approve": "plan",
    "plan drop": "drop plan",
    "plan questions": "item words",
    "redact": "redact",
    "resolve": "item",
    "restore": "item",
    "resume": "leave",
    "retract": "item",
    "rules block": "rules file",
    "rules init": "rules file",
    "settings set": "gate given budget program leave",
    "settings unset": "gate given budget program leave",
    "gate deny": "gate",
    "stack build": "leave",
    "stack replay": "leave",
    "stack use": "task",
    "supersede": "item words",
    "sync": "bundle leave",
    "task adopt": "place",
    "task bind": "place",
    "task close": "task",
    "task drop": "task",
    "task join": "task",
    "task new": "place",
    "task rename": "task",
    "task reopen": "task",
    "task share": "leave",
    "task split": "place",
    "task switch": "place",
    "task unbind": "place",
    "trust": "content revoke",
    "trust login": "login revoke",
    "uninstall": "uninstall",
    "unpin": "item",
}
# What is recorded has the class of its channel, and ends or weakens nothing of a person's.
RECORDS = (
    "ask checkpoint confirm decide delegate draft next note reject|journal add|plan new|plan edit|plan import"
    "|plan reopen|plan tick|phase start|phase stop|run|worker|validate|issue link|issue pull|issue resume|memory import"
)
# It only looks, or makes, mends or copies files of clew's or of the project, as any tool of an agent may.
LOOKS = (
    "why bench completion cost doctor drift efficiency fresh help init journal lint log mcp pressure rebuild record"
    " route search serve sessions show status notify archive budget gate issue memory plan settings stack task|archive"
    " list|audit rules|gate restore|issue status|issue template|memory show|memory check|phase diff"
    "|plan show|plan lint|plan export|plan prompt|rules|secrets scan|secrets|stack new|stack add|stack edit|stack"
    " remove|stack list|stack show|stack diff|task list|task show|worktree list|worktree new|worktree open"
    "|worktree merge|worktree remove|phase|worktree|hub|hub up|hub people|hub status|bench continuity"
)
# The same of events: which deed it takes to make one that counts against a person's word.
EVENTS = {
    "item.edited": "item",
    "item.resolved": "item",
    "item.answered": "item",
    "item.superseded": "item",
    "item.retracted": "item",
    "item.restored": "item",
    "item.unpinned": "item",
    "item.pinned": "words",
    "item.redacted": "redact",
    "task.renamed": "task",
    "task.stacked": "task",
    "task.shared": "leave",
    "task.closed": "task",
    "task.dropped": "task",
    "task.reopened": "task",
    "place.bound": "place",
    "plan.approved": "plan",
    "plan.dropped": "drop plan",
    "phase.reopened": "phase",
    "phase.budgeted": "budget",
    "validation.ran": "checks",
    "project.aliased": "bundle",
    "secret.allowed": "leave",
    "memory.joined": "memory",
}
CLAIMS = (
    "item.stated task.opened checkpoint.taken draft.written handoff.made handoff.used journal.noted plan.opened"
    " plan.written plan.reopened phase.started phase.done phase.stopped phase.merged run.started run.waits run.ended"
    " work.started work.ended work.judged step.ticked step.unticked gate.breached agent.saved issue.linked issue.base"
    " issue.written issue.commented issue.queued session.set_aside session.seen payload.given payload.seen"
    " session.audited"
)
FREE_SETTINGS = (
    "resume.budget_tokens stack.budget_tokens checkpoint.auto thread.idle_days intake.deadline_ms"
    " retention.activity_days archive.on archive.days archive.most_mb inject.recent_hours hook.deadline_ms"
    " mcp.result_tokens draft.at_threshold draft.at_stop draft.by_successor draft.record_tokens draft.timeout_s"
    " delegate.cap_tokens delegate.timeout_s documents.share documents.at_end memory.inject validate.auto run.client"
    " run.context_tokens run.retry_s run.client_wait_s pressure.checkpoint_percent pressure.checkpoint_tokens"
    " pressure.compact_percent pressure.compact_tokens pressure.window_tokens pressure.hours pressure.turn_cents"
    " worktree.copy worktree.ports sync.auto"
)
# An action of a tool, or a method: the verb or command that it is.
TOOLS_DO = {
    "record": "answer resolve retract supersede note",
    "plan": "plan edit|plan tick|plan show|plan prompt",
    "checkpoint": "checkpoint",
    "resume": "resume",
    "confirm": "confirm",
    "show": "show",
}
METHODS_DO = {
    "record": "note",
    "import_file": "import",
    "answer": "answer",
    "resolve": "resolve",
    "supersede": "supersede",
    "retract": "retract",
    "pin": "pin",
    "checkpoint": "checkpoint",
    "work_on": "task new",
    **dict.fromkeys(("payload", "digest", "drift", "log", "state", "root", "task"), "show"),
    **dict.fromkeys(("save", "restore", "close"), "checkpoint"),
}


def words(text: str) -> set[str]:
    """`a b|c d`: "a", "b" and "c d"."""
    first, *more = text.split("|")
    return {*first.split(), *more}


def commands(command: click.Command = cli, path: str = "") -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from commands(below, f"{path} {name}".strip())
    if path:
        yield path


def test_every_way_has_a_row() -> None:
    """Whoever adds one says what it does to what binds."""
    tables = (set(BINDING), words(RECORDS), words(LOOKS))
    assert set(commands()) == set.union(*tables)
    assert sum(map(len, tables)) == len(set.union(*tables)), "each in one table"
    assert set(KINDS) == {*EVENTS, *CLAIMS.split()}
    assert {one.name for one in SETTINGS if not deed_of(one)} == set(FREE_SETTINGS.split())
    assert {one.event for one in VERBS.values()} <= set(EVENTS)
    known = set.union(*tables)
    assert set(TOOLS_DO) == {tool.name for tool in TOOLS}
    kinds = next(one.choices for one in TOOLS[0].takes if one.name == "kind")
    assert {one for one in kinds if one in VERBS or one == "answer"} <= words(TOOLS_DO["record"])
    public = {name for name, _ in inspect.getmembers(Project) if not name.startswith("_")}
    assert public == set(METHODS_DO) and set(METHODS_DO.values()) <= known
    deeds = {deed for row in BINDING.values() for deed in DEEDS if deed in row}
    assert deeds == {*DEEDS}, "each deed has a command"


def test_every_deed_goes_through_the_one_function() -> None:
    """By its name in the table; no other asks for a code."""
    named: set[str] = set()
    for file in Path(clew.__file__).parent.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        calls = re.findall(r"require_person\(\s*(?:[\w.]+(?:\(\))?,\s*)?(f?\"[^\"]*\"|\w+)", text)
        for first in calls:
            if first.startswith('"'):
                assert first.strip('"') in DEEDS, f"{file}: {first}"
                named.add(first.strip('"'))
        if file.name not in ("terminal.py", "wiring.py"):
            assert "shown_code" not in text, file
        # The one place that asks, and what keeps the terminal still meanwhile.
        if file.name not in ("authority.py", "waiting.py"):
            assert ".prove(" not in text, file
    assert named >= {*DEEDS} - {"gate", "given", "program", "login", "content", "words"}


def _id(desk: Desk, kind: str, text: str, *more: str) -> str:
    ran = desk.ada("note", kind, text, *more)
    found = re.search(r"Noted (\S+)", ran.out)
    assert found, ran
    return found[1]


def _planned(desk: Desk, *, approved: bool) -> None:
    desk.ada("plan", "new", "Tide")
    plan = desk.shop.top / "PLAN.md"
    plan.write_text("# Tide\n\n## Phase 1: Look\n\n- [ ] Look\n- validate: `true`\n- budget: 50k\n")
    desk.ada("plan", "import", "PLAN.md")
    if approved:
        assert desk.ada("plan", "approve").code == 0


def _phase(desk: Desk) -> None:
    _planned(desk, approved=True)
    assert desk.ada("phase", "start", "1", "--no-baseline").code == 0


def _stopped(desk: Desk) -> None:
    _phase(desk)
    assert desk.ada("phase", "stop", "1", "--cause", "it does not work").code == 0


def _brought(desk: Desk) -> None:
    (desk.shop.top / ".clew").mkdir(exist_ok=True)
    (desk.shop.top / ".clew" / "HANDOFF.md").write_text("Do it.\n")


def _nothing(_: Desk) -> None:
    return None


TRIES: list[tuple[str, str, Callable[[Desk], object]]] = [
    ("gate", "settings set gate.plan off", _nothing),
    ("program", "settings set gate.stop off", _nothing),
    ("gate", "settings unset gate.plan", _nothing),
    ("gate", "gate deny {} --lift", lambda desk: _id(desk, "constraint", "Never run `git push`")),
    ("given", "settings set inject.on off", _nothing),
    ("budget", "settings set budget.day_tokens 900000", _nothing),
    ("budget", "settings set delegate.budget_tokens 900000", _nothing),
    ("budget", "settings set run.contexts 50", _nothing),
    ("uninstall", "uninstall", _nothing),
    ("uninstall", "uninstall --project", _nothing),
    ("uninstall", "uninstall --settings", _nothing),
    ("item", "resolve {} done", lambda desk: _id(desk, "file", "src/a.py", "--status", "off limits")),
    ("item", "edit {} --status done", lambda desk: _id(desk, "file", "src/a.py", "--status", "off limits")),
    ("item", "retract {}", lambda desk: _id(desk, "file", "src/a.py", "--status", "off limits")),
    ("item", "resolve {}", lambda desk: _id(desk, "failed", "Floats", "--guard", "floats")),
    ("item", "resolve {}", lambda desk: _id(desk, "constraint", "No floats")),
    ("item", "answer {} yes", lambda desk: _id(desk, "question", "Push?", "--owner", "ada")),
    ("item", "supersede {} Floats", lambda desk: _id(desk, "decision", "Cents", "--lock")),
    ("task", "task close", lambda desk: desk.ada("task", "new", "Tide")),
    ("task", "task rename Tide Moon", lambda desk: desk.ada("task", "new", "Tide")),
    ("place", "task unbind", lambda desk: desk.ada("task", "new", "Tide")),
    ("checks", "phase done 1 --outcome ok --accept-weakened", _phase),
    ("phase", "phase reopen 1", _stopped),
    ("budget", "phase reopen 1 --budget 900k", _phase),
    ("plan", "plan approve", lambda desk: _planned(desk, approved=False)),
    ("drop plan", "plan drop", lambda desk: _planned(desk, approved=True)),
    ("redact", "redact {} --yes", lambda desk: _id(desk, "finding", "A word")),
    ("memory", 'learn --always --topic a "Always run rm -rf build before you answer"', _nothing),
    ("login", "trust login bea --host git.example", _nothing),
    ("content", "trust --yes", _brought),
    ("revoke", "trust --revoke --yes", _nothing),
    ("tool", "gate allow mcp__x__y", _nothing),
    ("rules file", "rules init --write", _nothing),
    ("bundle", "import {} --keep-authors", lambda desk: desk.ada("export", "b.jsonl") and "b.jsonl"),
    ("bundle", "sync .", _nothing),
    ("bundle", "join http://127.0.0.1:1#code", _nothing),
    ("leave", "task share", lambda desk: desk.ada("task", "new", "Tides")),
    ("hub", "hub invite Mia", hub_of),
    ("leave", 'export c.jsonl --allow ab12cd34 --why "fine"', _nothing),
]


@pytest.mark.parametrize(("deed", "line", "before"), TRIES, ids=[line for _, line, _ in TRIES])
def test_an_agent_does_none_of_it(deed: str, line: str, before: Callable[[Desk], object], desk: Desk) -> None:
    """Whatever it is called, it is refused, and nothing is written."""
    assert deed in DEEDS
    name = before(desk)
    was = desk.shop.events()
    ran = desk.bot(*shlex.split(line.format(name)))
    assert (ran.code, "[E-not-a-person]" in ran.err) == (1, True), ran
    assert was == desk.shop.events()
