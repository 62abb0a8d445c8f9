"""Facts by rule, as lines: what the user asked, refused and answered; what was done, checked and left open."""

from __future__ import annotations

from posixpath import commonprefix

from clew.core.items import Provenance
from clew.core.records import Prompt, Reply, Run
from clew.core.text import one_line, shorten, shorten_code
from clew.distill import asking, contents, demands, prompts
from clew.distill.asking import Ask
from clew.distill.blocks import sentences
from clew.distill.commands import split
from clew.distill.cues import spoken
from clew.distill.fact import Fact, fact
from clew.distill.session import Session, Step
from clew.distill.talk import is_announcement
from clew.distill.tree import PROSE_FILES, is_inside
from clew.distill.work import TodoSeen, Work

# Room in characters, from the trial that worked best on many sessions (benchmarks/recall).
REASON_CHARS = 360
_COMMAND_CHARS = 90
# New names are told of the files edited last.
SYMBOL_FILES_MAX = 5
SYMBOLS_MAX = 3
ANSWER_CHARS = 240
# Requests up to this tier are told at every usual budget.
_SURE_TIER = 3


def gather(session: Session, work: Work, asked: list[Ask]) -> list[Fact]:
    """All facts of a session, by importance, within one importance in the order in which they happened."""
    requests = asking.gather(session, work, asked)
    told = " ".join(line.text for line in requests if line.tier <= _SURE_TIER)
    own = {ask.event: ask.own for ask in asked}
    facts = [
        *requests,
        *demands.gather(session, told, own),
        *_next(session, work, asked),
        *_refusals(session, work),
        *_answers(work),
        *_todos(session, work),
        *_done(work),
        *_checks(session, work),
        *_files(work),
        *_fixes(work),
        *contents.gather(session, work),
    ]
    last_edit = work.edits[-1].event if work.edits else -1
    facts += demands.rest(session, " ".join(line.text for line in facts), own, last_edit=last_edit)
    return sorted(facts, key=lambda line: line.tier)


def _next(session: Session, work: Work, asked: list[Ask]) -> list[Fact]:
    """The one next action, where the record proves one; what the agent meant to do is chosen with the sentences."""
    plan = work.plans[-1] if work.plans else None
    is_over = plan is not None and plan.status == "dismissed" and asking.latest_event(session) > plan.event
    is_open = plan is not None and plan.status != "rejected" and not is_over
    if plan is not None and is_open and not any(file.last > plan.event for file in work.files):
        title = shorten(prompts.plan_goal(plan.text), 200) or "see the record"
        if plan.status != "accepted":
            came = "not approved here" if plan.status == "proposed" else "turned down without a reason"
            text = f"Carry out the plan put forward last, if the user agrees (it was {came}): {title}"
            return [fact("next", text, plan.event, 2)]
        if asking.latest_event(session) <= plan.event:
            return [fact("next", f"Carry out the accepted plan: {title}", plan.event, 2)]
    if not asking.ended(session):
        act = asking.last_act(session)
        came = asking.outcome(session, work, asked[-1].event, asked[-1].end) if asked else ""
        go = "See whether anything is left" if came.startswith(("committed", "rebased")) else "Go on"
        text = f"{go} where the record stops; last act: {act}" if act else f"{go} where the record stops"
        meant = shorten(_meant(session), _MEANT_CHARS)
        return [fact("next", text, asking.latest_event(session), 2, why=f"it meant: {meant}" if meant else "")]
    if asking.proposes(session, work) and max(session.finals, default=-1) > asking.latest_event(session):
        text = "Carry out what was proposed last, if the user agrees"
        return [fact("next", text, asking.latest_event(session), 2)]
    todos = open_todos(session, work)
    if current := [todo for todo in todos if todo.status == "in_progress"] or todos:
        return [fact("next", shorten(one_line(current[0].text), 200), current[0].event, 2, provenance="agent")]
    return []


_MEANT_CHARS = 160


def _meant(session: Session) -> str:
    """What the agent said it would do behind its next act ("…, then push"), in the turn that broke off; "" if it did
    not. The act itself is told apart.
    """
    for index in range(len(session.events) - 1, asking.latest_event(session), -1):
        event = session.events[index]
        if isinstance(event, Reply):
            said = [one for one in sentences(one_line(event.text)) if is_announcement(one) and ", then " in one]
            return said[-1] if said else ""
    return ""


# A to-do of these words alone is done when the check or the commit is.
_CHECK_WORDS: dict[str, frozenset[str]] = {
    "test": frozenset({"test", "tests"}),
    "lint": frozenset({"lint", "linter", "linting", "fmt", "format", "formatter", "typecheck"}),
    "build": frozenset({"build", "compile"}),
}
_RUNNING = frozenset[str]().union(*_CHECK_WORDS.values()) | frozenset(
    """run execute check verify make sure commit push all the and it they that pass passes passing full whole suite
    changes again final work everything""".split()
)


def open_todos(session: Session, work: Work) -> list[TodoSeen]:
    """To-dos not done; one that asks for a check which has passed since is done, whatever the list says. A list that
    nobody touched while later requests were worked on to their end is over.
    """
    if work.todos and _is_over(max(todo.event for todo in work.todos), session, work):
        return []
    passed = {check.purpose: check.event for check in work.checks if check.outcome == "passed"}
    commit = max((commit.event for commit in work.commits), default=-1)
    found = []
    for todo in work.todos:
        if todo.status == "completed":
            continue
        words = spoken(todo.text).words
        if words <= _RUNNING:
            done = [event for purpose, event in passed.items() if not words.isdisjoint(_CHECK_WORDS[purpose])]
            done += [commit] if "commit" in words else []
            if done and max(done) > todo.event:
                continue
        found.append(todo)
    return found


# One may be an aside.
_LATER_REQUESTS_MIN = 2


def _is_over(listed: int, session: Session, work: Work) -> bool:
    """Whether files were edited after the event `listed` for several requests of their own, to the end of the turns."""
    worked, end = 0, -1
    for index in range(len(session.events) - 1, listed, -1):
        event = session.events[index]
        end = index if index in session.finals else end
        if isinstance(event, Prompt) and not prompts.goes_on(event.text):
            worked += work.edited(index, end)
    return worked >= _LATER_REQUESTS_MIN


def _refusals(session: Session, work: Work) -> list[Fact]:
    """What the user turned down: an approach when it was an edit or a plan, else something that was not done.

    A plan that came back changed was not turned down as a whole: the user's words on it are a demand.
    """
    facts = []
    for number, plan in enumerate(work.plans):
        if plan.status != "rejected":
            continue
        reason = shorten(one_line(plan.reason), REASON_CHARS)
        title = shorten(prompts.plan_goal(plan.text), 120)
        came_back = any(
            prompts.plan_goal(later.text) == prompts.plan_goal(plan.text) for later in work.plans[number + 1 :]
        )
        if came_back:
            facts.append(fact("constraint", reason, plan.event, 3, why=f"on the plan “{title}”", provenance="human"))
        else:
            who = " by the user" if session.is_persons(session.events[plan.event]) else ""
            why = f"rejected{who}: “{reason}”"
            facts.append(fact("failed", f"Plan “{title}”", plan.event, 3, why=why, provenance="human"))
    room = REASON_CHARS * 2
    for refusal in work.refusals:
        reason = shorten(one_line(refusal.reason), min(REASON_CHARS, max(40, room)))
        room -= len(reason)
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


def _answers(work: Work) -> list[Fact]:
    facts = []
    for answer in work.answers:
        if not answer.answer:
            continue
        why = f"asked: {shorten(one_line(answer.question), 140)}"
        if answer.others:
            # Who answers in words of their own may mean much the same as something that was offered.
            how = "not" if answer.is_pick else "offered"
            why += f"; {how}: {shorten(one_line(', '.join(answer.others)), 100)}"
        text = shorten(one_line(answer.answer), ANSWER_CHARS)
        facts.append(fact("decision", text, answer.event, 3, why=why, provenance="human"))
    return facts


def _todos(session: Session, work: Work) -> list[Fact]:
    room = 260
    facts = []
    for todo in open_todos(session, work)[:8]:
        text = shorten(one_line(todo.text), min(100, room))
        room -= len(text)
        facts.append(fact("step", text, todo.event, 4, status=todo.status, provenance="agent"))
        if room < 30:
            break
    return facts


_UNPUSHED_MAX = 5


def _done(work: Work) -> list[Fact]:
    facts = []
    room = 330
    for commit in reversed(work.commits):
        text = f"{commit.id[:8]} {commit.subject}".strip() if commit.id else commit.subject
        text = shorten(one_line(text), max(40, min(120, room)))
        room -= len(text)
        facts.append(fact("step", text, commit.event, 5, status="committed", provenance="verified", files=commit.files))
        if room < 40:
            break
    unpushed = [commit.id[:8] for commit in work.commits if commit.id and commit.event > work.pushed]
    if unpushed:
        before = "… " if len(unpushed) > _UNPUSHED_MAX else ""
        text = f"not pushed in this session: {before}{', '.join(unpushed[-_UNPUSHED_MAX:])}"
        facts.append(fact("step", text, work.commits[-1].event, 8))
    for made in work.opened:
        text = f"opened {made.text} {made.url}"
        if made.proved:
            facts.append(fact("step", text, made.event, 5, status="opened", provenance="verified"))
        else:
            facts.append(fact("finding", text, made.event, 5, provenance="agent"))
    return facts


_CHECKS_MAX = 5
# A check is there to be run again, so it is told whole. One that is too long for that is only named.
_CHECK_CHARS_MAX = 140
# So many other checks that passed are told where there is room, and settle what failed in the session before.
_PASSED_MAX = 5
_PASSED_TIER = 10
_PURPOSE_RANK = {"test": 0, "build": 1, "lint": 2}


def _tried_to_check(session: Session) -> bool:
    """Whether a check was begun, whatever came of it."""
    return any(
        part.purpose in _PURPOSE_RANK
        for event in session.events
        if isinstance(event, Step) and isinstance(event.call.action, Run)
        for part in split(event.call.action.command)
    )


def _checks(session: Session, work: Work) -> list[Fact]:
    """The newest outcome of each kind of check, every check that failed when it was last run, and what else passed."""
    newest = {check.purpose: check for check in work.checks if check.outcome != "hidden"}
    for check in work.checks:
        newest.setdefault(check.purpose, check)
    shown = [check for check in work.checks if check.outcome == "failed" or newest[check.purpose] is check]
    shown.sort(
        key=lambda check: (
            check.outcome != "failed",
            bool(check.stale),
            _PURPOSE_RANK.get(check.purpose, 3),
            -check.event,
        )
    )
    passed = [check for check in work.checks if check.outcome == "passed" and check not in shown]
    facts = []
    is_code = any(not change.path.endswith(PROSE_FILES) for change in work.edits)
    if is_code and not work.checks and not _tried_to_check(session):
        text = "no test, build or linter seen in this session"
        facts.append(fact("step", text, work.edits[-1].event, 8))
    for check in [*shown[:_CHECKS_MAX], *reversed(passed[-_PASSED_MAX:])]:
        text = f"`{check.command if len(check.command) <= _CHECK_CHARS_MAX else shorten_code(check.command, 80)}`"
        status = check.outcome if not check.stale else f"{check.outcome}, before {check.stale}"
        provenance: Provenance = "inferred" if check.outcome == "hidden" else "verified"
        facts.append(
            fact(
                "validation",
                text,
                check.event,
                _PASSED_TIER if check in passed else 6,
                why=shorten(check.error, 140),
                status=status,
                provenance=provenance,
            )
        )
    return facts


# What was only read is told of sessions that changed little, behind the checks and the best sentences.
_READ_TIER = 10


def _files(work: Work) -> list[Fact]:
    facts: list[Fact] = []
    for file in sorted(work.files, key=lambda file: -file.last)[:24]:
        names = ", ".join(file.symbols[:SYMBOLS_MAX]) if len(facts) < SYMBOL_FILES_MAX else ""
        facts.append(
            fact(
                "file",
                file.path,
                file.last,
                7,
                why=f"adds {names}" if names else "",
                status=file.status,
                provenance="verified",
                files=(file.path,) if is_inside(file.path) else (),
            )
        )
    if len(work.files) < 3:
        for path, at in zip(work.read[:5], work.read_at, strict=False):
            facts.append(fact("file", path, at, _READ_TIER, status="read", provenance="verified", files=(path,)))
    return facts


def _fixes(work: Work) -> list[Fact]:
    facts = []
    for fix in work.fixes[-3:]:
        failing, working = _apart(fix.failing, fix.working)
        text = f"`{failing}` fails here; `{working}` works"
        if not fix.error:
            text = f"{fix.failing} does not exist; the file is {fix.working}"
        facts.append(fact("finding", text, fix.event, 8, why=shorten(fix.error, 120), provenance="verified"))
    for missing in {entry.tool: entry for entry in work.failed_tools}.values():
        text = f"{shorten(missing.tool, 60)} fails here"
        facts.append(fact("finding", text, missing.event, 9, why=shorten(missing.error, 120), provenance="verified"))
    return facts


def _apart(failing: str, working: str) -> tuple[str, str]:
    """Two forms of a command, short, with the place where they part in sight."""
    same = len(commonprefix((failing, working)))
    if same < _COMMAND_CHARS * 2 // 3:
        return shorten_code(failing, _COMMAND_CHARS), shorten_code(working, _COMMAND_CHARS)
    start = failing.rfind(" ", 0, same) + 1
    rest = _COMMAND_CHARS // 2
    front = shorten_code(failing[:start], _COMMAND_CHARS)
    return f"{front} {shorten_code(failing[start:], rest)}", f"… {shorten_code(working[start:], rest)}"
