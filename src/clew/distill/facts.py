"""Facts by rule, as lines: what the user asked, forbade, refused and answered; what was done, checked and left open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import commonprefix

from clew.core.gate.shell.purposes import split
from clew.core.records.file_names import PROSE_FILES, is_inside
from clew.core.records.transcript import Edit, Plan, Prompt, Reply, Run
from clew.core.state.items import Provenance
from clew.core.text.cleaning import one_line, shorten, shorten_code
from clew.distill import ahead, asking, prompts
from clew.distill.asking import Ask
from clew.distill.demands import demands
from clew.distill.fact import Fact, fact
from clew.distill.session import Session, Step
from clew.distill.standing import Since
from clew.distill.work import TodoSeen, Work

# Room in characters, from the trial that worked best on many sessions (benchmarks/recall).
REASON_CHARS = 360
ANSWER_CHARS = 240
_DEMANDS_CHARS = 900
_COMMAND_CHARS = 90
# New names are told of the files edited last.
SYMBOL_FILES_MAX = 5
SYMBOLS_MAX = 3
_FILES_MAX = 20
# A list of to-dos that nobody touched while so many later requests were seen to is over.
_LATER_REQUESTS_MIN = 2


def gather(session: Session, work: Work, asked: list[Ask]) -> list[Fact]:
    """All facts of a session by importance, within one importance the newest first."""
    since = Since(session, work)
    listed = max((todo.event for todo in work.todos), default=-1)
    is_over = sum(ask.event > listed for ask in asked) >= _LATER_REQUESTS_MIN  # one may be an aside
    # Who edits, commits and reports without touching the list has left it.
    is_over |= asking.ended(session) and bool(work.edited(listed, work.commits[-1].event if work.commits else listed))
    is_open = [todo for todo in work.todos if todo.status != "completed" and not is_over]
    todos = [todo for todo in is_open if not since.closes(todo.text, todo.event)]
    requests = asking.gather(session, work, asked)
    facts = [
        *requests,
        *_demands(session),
        *asking.deferred(session, asked),
        *_addresses(session, " ".join(f"{line.text} {line.why}" for line in requests)),
        *ahead.proved(session, work, asked, todos),
        *_plan_files(session),
        *_refusals(session, work),
        *_dead_ends(work),
        *_answers(work),
        *_todos(todos),
        *_done(work),
        *_checks(session, work),
        *_files(work),
        *_fixes(work),
    ]
    goals = {line.text for line in facts if line.kind == "goal"}  # where the goal is a demand, it says so itself
    told = [line for line in facts if line.kind != "constraint" or line.text not in goals]
    return sorted(told, key=lambda line: (line.tier, -line.event))


def _demands(session: Session) -> Iterator[Fact]:
    """What a person forbade or demanded, in whole sentences, the newest first while they fit. What a program asks is no
    demand, nor is what the user quotes of the agent.
    """
    room = _DEMANDS_CHARS
    said = "\n".join(one_line(event.text) for event in session.events if isinstance(event, Reply))
    told = set[str]()
    for index in range(len(session.events) - 1, -1, -1):
        event = session.events[index]
        if not isinstance(event, Prompt) or event.source != "typed" or not session.is_persons(event):
            continue
        for text in demands(event.text):
            is_quoted = text in said or (": " in text and text.partition(": ")[2] in said)
            if text not in told and not is_quoted and len(text) <= room:
                told.add(text)
                room -= len(text)
                yield fact("constraint", text, index, 3, provenance="human")


_ADDRESS = re.compile(r"(?<![\"'`=])https?://[^\s<>\"')\]}]{4,120}")
_ADDRESSES_MAX = 2


def _addresses(session: Session, told: str) -> list[Fact]:
    """The web addresses that requests named last and that are not in what is `told` of them. One in quotes is a value
    in code that was pasted.
    """
    found: dict[str, int] = {}
    for index, event in enumerate(session.events):
        if isinstance(event, Prompt) and event.source == "typed":
            named = (address.rstrip(".,;:") for address in _ADDRESS.findall(event.text))
            found.update((address, index) for address in named if address not in told)
    newest = list(found.items())[-_ADDRESSES_MAX:]
    return [fact("finding", f"named in a request: {one}", index, 8, provenance="verified") for one, index in newest]


# Inside the root a folder `plans`, or a file that is called so; outside of it such a folder of a client's own (`~/.x`).
_PLAN_FILE = re.compile(r"(?:.{0,300}[/\\])?(?:plans?[/\\].{1,200}\.md|PLAN\.md)")
_CLIENTS_PLAN_FILE = re.compile(r".{0,300}[/\\]\.\w[^/\\]*[/\\](?:.{0,200}[/\\])?plans?[/\\].{1,200}\.md")


def _plan_files(session: Session) -> list[Fact]:
    """Where the newest plan is kept: the next session opens it instead of guessing."""
    for index in range(len(session.events) - 1, -1, -1):
        event = session.events[index]
        if not isinstance(event, Step) or event.failed or event.is_denied:
            continue
        action = event.call.action
        told = [action.path] if isinstance(action, Edit) else []
        if isinstance(action, Plan) and event.result is not None:
            told = event.result.text.split()
        for path in (word.strip("`'\"()<>.,;:") for word in told if ".md" in word):
            if _is_plan_file(path, session.root):
                return [fact("finding", f"the plan is in `{path}`", index, 3, provenance="verified")]
    return []


def _is_plan_file(path: str, root: str) -> bool:
    """Whether a file is a plan by where it lies; what folders above the root are called says nothing."""
    name = path.removeprefix(root.rstrip("/") + "/") if root else path
    return bool(_PLAN_FILE.fullmatch(name) if is_inside(name) else _CLIENTS_PLAN_FILE.fullmatch(name))


def _refusals(session: Session, work: Work) -> list[Fact]:
    """What the user turned down: an approach when it was an edit or a plan, else something that was not done.

    A plan that came back changed was not turned down as a whole: the user's words on it are a demand.
    """
    facts = []
    for number, plan in enumerate(work.plans):
        if plan.status != "rejected":
            continue
        reason, goal = shorten(one_line(plan.reason), REASON_CHARS), prompts.plan_goal(plan.text)
        title = shorten(goal, 120)
        if any(prompts.plan_goal(later.text) == goal for later in work.plans[number + 1 :]):
            facts.append(fact("constraint", reason, plan.event, 3, why=f"on the plan “{title}”", provenance="human"))
        else:
            who = " by the user" if session.is_persons(session.events[plan.event]) else ""
            why = f"rejected{who}: “{reason}”"
            facts.append(fact("failed", f"Plan “{title}”", plan.event, 3, why=why, provenance="human"))
    for refusal in work.refusals:
        reason = shorten(one_line(refusal.reason), REASON_CHARS)
        what = shorten_code(refusal.what, 100)
        is_persons = session.is_persons(session.events[refusal.event])
        who = "the user rejected it" if is_persons else "it was rejected"
        said = f"{who}: “{reason}”" if reason else f"rejected or stopped{' by the user' if is_persons else ''}"
        if refusal.command:
            tier = 5 if reason else 9  # without a word it may be that the user only wanted to be asked something else
            facts.append(fact("validation", what, refusal.event, tier, status="not run", why=said, provenance="human"))
        elif reason:
            facts.append(fact("failed", what, refusal.event, 3, why=said, provenance="human", files=refusal.files))
    return facts


_DEAD_ENDS_MAX = 3


def _dead_ends(work: Work) -> Iterator[Fact]:
    """Edits that a check refuted and that were replaced by what passed, the last ones."""
    for dead in work.dead_ends[-_DEAD_ENDS_MAX:]:
        more = f" and {len(dead.files) - 1} more" if len(dead.files) > 1 else ""
        text = f"`{shorten_code(dead.tried, _COMMAND_CHARS)}` in {dead.files[0]}{more}"
        why = f"`{shorten_code(dead.check, _COMMAND_CHARS)}` failed: {shorten(dead.error, 160)}; it was replaced"
        yield fact("failed", text, dead.event, 4, why=why, provenance="verified", files=dead.files)


def _answers(work: Work) -> Iterator[Fact]:
    for answer in work.answers:
        if answer.answer:
            why = f"asked: {shorten(one_line(answer.question), 140)}"
            if answer.others:
                # Who answers in words of their own may mean much the same as something that was offered.
                how = "not" if answer.is_pick else "offered"
                why += f"; {how}: {shorten(one_line(', '.join(answer.others)), 100)}"
            text = shorten(one_line(answer.answer), ANSWER_CHARS)
            yield fact("decision", text, answer.event, 3, why=why, provenance="human")


def _todos(todos: list[TodoSeen]) -> Iterator[Fact]:
    for todo in todos[:8]:
        yield fact("step", shorten(one_line(todo.text), 100), todo.event, 4, status=todo.status, provenance="agent")


_COMMITS_MAX = 8
_UNPUSHED_MAX = 5


def _done(work: Work) -> Iterator[Fact]:
    for commit in work.commits[-_COMMITS_MAX:]:
        text = shorten(one_line(f"{commit.id[:8]} {commit.subject}"), 120)
        yield fact("step", text, commit.event, 5, status="committed", provenance="verified", files=commit.files)
    unpushed = [commit.id[:8] for commit in work.commits if commit.id and commit.event > max(work.pushed, work.even)]
    if unpushed:
        before = "… " if len(unpushed) > _UNPUSHED_MAX else ""
        text = f"not pushed in this session: {before}{', '.join(unpushed[-_UNPUSHED_MAX:])}"
        yield fact("step", text, work.commits[-1].event, 6)
    for made in work.opened:
        text = f"opened {made.text} {made.url}"
        if made.proved:
            yield fact("step", text, made.event, 5, status="opened", provenance="verified")
        else:
            yield fact("finding", text, made.event, 5, provenance="agent")


_CHECKS_MAX = 5
# A check is there to be run again, so it is told whole. One that is too long for that is only named.
_CHECK_CHARS_MAX = 140
# So many other checks that passed are told where there is room, and settle what failed in the session before.
_PASSED_MAX = 5
_PASSED_TIER = 10
_PURPOSES = ("test", "build", "lint")


def _tried_to_check(session: Session) -> bool:
    """Whether a check was begun, whatever came of it."""
    return any(
        part.purpose in _PURPOSES
        for event in session.events
        if isinstance(event, Step) and isinstance(event.call.action, Run)
        for part in split(event.call.action.command)
    )


def _checks(session: Session, work: Work) -> Iterator[Fact]:
    """The newest outcome of each kind of check, what fails as the files are, and what else passed. What failed before
    later work is told only where nothing of its kind ran since.
    """
    newest = {check.purpose: check for check in work.checks if check.outcome != "hidden"}
    for check in work.checks:
        newest.setdefault(check.purpose, check)
    shown = [c for c in work.checks if newest[c.purpose] is c or (c.outcome == "failed" and not c.stale)]
    shown.sort(key=lambda check: (check.outcome != "failed", bool(check.stale), -check.event))
    passed = [check for check in work.checks if check.outcome == "passed" and check not in shown]
    is_code = any(not change.path.endswith(PROSE_FILES) for change in work.edits)
    if is_code and not work.checks and not _tried_to_check(session):
        yield fact("step", "no test, build or linter seen in this session", work.edits[-1].event, 8)
    for check in [*shown[:_CHECKS_MAX], *passed[-_PASSED_MAX:]]:
        text = f"`{check.command if len(check.command) <= _CHECK_CHARS_MAX else shorten_code(check.command, 80)}`"
        status = f"{check.outcome}, before {check.stale}" if check.stale else check.outcome
        provenance: Provenance = "inferred" if check.outcome == "hidden" else "verified"
        why, tier = shorten(check.error, 140), _PASSED_TIER if check in passed else 6
        yield fact("validation", text, check.event, tier, why=why, status=status, provenance=provenance)


# What was only read is told of sessions that changed little, behind the checks and the best sentences.
_READ_TIER = 10


def _files(work: Work) -> Iterator[Fact]:
    for number, file in enumerate(sorted(work.files, key=lambda file: -file.last)[:_FILES_MAX]):
        names = ", ".join(file.symbols[:SYMBOLS_MAX]) if number < SYMBOL_FILES_MAX else ""
        files = (file.path,) if is_inside(file.path) else ()
        why = f"adds {names}" if names else ""
        yield fact("file", file.path, file.last, 7, why=why, status=file.status, provenance="verified", files=files)
    if len(work.files) < 3:
        for path, at in zip(work.read[:5], work.read_at, strict=False):
            yield fact("file", path, at, _READ_TIER, status="read", provenance="verified", files=(path,))


def _fixes(work: Work) -> Iterator[Fact]:
    for fix in work.fixes[-3:]:
        failing, working = _apart(fix.failing, fix.working)
        text = f"`{failing}` fails here; `{working}` works"
        if not fix.error:
            text = f"{fix.failing} does not exist; the file is {fix.working}"
        yield fact("finding", text, fix.event, 8, why=shorten(fix.error, 120), provenance="verified")
    for missing in {entry.tool: entry for entry in work.failed_tools}.values():
        text = f"{shorten(missing.tool, 60)} fails here"
        yield fact("finding", text, missing.event, 9, why=shorten(missing.error, 120), provenance="verified")
    for run in work.failed_runs[-2:]:
        text = f"`{shorten_code(run.command, _COMMAND_CHARS)}` failed"
        yield fact("finding", text, run.event, 9, why=shorten(run.error, 120), provenance="verified")


def _apart(failing: str, working: str) -> tuple[str, str]:
    """Two forms of a command, short, with the place where they part in sight."""
    same = len(commonprefix((failing, working)))
    if same < _COMMAND_CHARS * 2 // 3:
        return shorten_code(failing, _COMMAND_CHARS), shorten_code(working, _COMMAND_CHARS)
    start = failing.rfind(" ", 0, same) + 1
    rest = _COMMAND_CHARS // 2
    front = shorten_code(failing[:start], _COMMAND_CHARS)
    return f"{front} {shorten_code(failing[start:], rest)}", f"… {shorten_code(working[start:], rest)}"
