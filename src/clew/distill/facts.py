"""Facts by rule, as lines: what tools prove, what the user forbade, refused and answered, what was left open."""

from __future__ import annotations

from collections.abc import Iterator

from clew.core.records.file_names import PROSE_FILES, is_inside
from clew.core.records.transcript import Prompt, Reply
from clew.core.state.items import Provenance
from clew.core.state.requests import STATE
from clew.core.text.cleaning import one_line, shorten, shorten_code
from clew.distill import asking, prompts
from clew.distill.asking import UserRequest
from clew.distill.checks import CheckRun
from clew.distill.demands import demands
from clew.distill.fact import SessionFact, paced
from clew.distill.session import Session
from clew.distill.standing import Since
from clew.distill.work import SessionWork, TodoSeen

_REASON_CHARS = 360
_ANSWER_CHARS = 240
_DEMANDS_CHARS = 900
_COMMAND_CHARS, _VARIANT_CHARS = 90, 140
_FILES_MAX = 20
# A list of to-dos that nobody touched while so many later requests were seen to is over.
_LATER_REQUESTS_MIN = 2
_STATE_RANK, _CONSTRAINT_RANK, _RULING_RANK, _TODO_RANK, _DEAD_RANK, _FILE_RANK, _READ_RANK = 2, 3, 4, 5, 5, 11, 14
# What the state line tells in short stands here for documents that list it.
_LISTED_RANK = 9
_PACE = 300


def gather(session: Session, work: SessionWork) -> list[SessionFact]:
    """All facts but those of requests, each with its rank."""
    return [
        *_state(session, work),
        *_demands(session),
        *paced(_rulings(session, work), _PACE),
        *_commits(work),
        *_checks(session, work),
        *_files(work),
        *paced(_failing(work), _PACE),
    ]


def open_todos(session: Session, work: SessionWork, since: Since, asked: list[UserRequest]) -> list[TodoSeen]:
    """The entries of the to-do list that are still to be done; none where the list was left."""
    listed = max((todo.event for todo in work.todos), default=-1)
    is_over = sum(ask.event > listed for ask in asked) >= _LATER_REQUESTS_MIN  # one may be an aside
    # Who edits, commits and reports without touching the list has left it.
    is_over |= asking.ended(session) and bool(work.edited(listed, work.commits[-1].event if work.commits else listed))
    is_open = [todo for todo in work.todos if todo.status != "completed" and not is_over]
    return [todo for todo in is_open if not since.closes(todo.text, todo.event)]


def listed(todos: list[TodoSeen]) -> Iterator[SessionFact]:
    """Open to-dos as lines."""
    for todo in todos[:8]:
        text = shorten(one_line(todo.text), 100)
        yield SessionFact("step", text, todo.event, _TODO_RANK, status=todo.status, provenance="agent")


_STATE_CHECKS_MAX = 5
_STATE_COMMITS_MAX = 4


def _state(session: Session, work: SessionWork) -> Iterator[SessionFact]:
    """Where the work stands, in one line, as tools prove it: branch and commit, pushed or not, what is uncommitted,
    what was opened, the checks that the last report names or that count now. Then the newest commits.
    """
    made, git = work.commits[-1] if work.commits else None, work.git
    place = f"branch {session.branch}" if session.branch else ""
    head = git.head or (made.id if made else "")
    place += f" @ {head[:8]}" if head else ""
    if git.is_pushed is not None or made:
        pushed = max(work.pushed, work.even)
        behind = sum(one.event > pushed for one in work.commits) if work.pushed >= 0 else 0
        place += ", pushed" if git.is_pushed else f", {behind} not pushed" if behind else ", not pushed in this session"
    told = [place.strip(" ,@")] if place else []
    own = [file for file in sorted(work.files, key=lambda file: -file.last) if is_inside(file.path)]
    edited = [file.path for file in own if file.status == "edited"]
    if edited:
        more = f" and {len(edited) - 3} more" if len(edited) > 3 else ""
        told.append(f"not committed: {', '.join(edited[:3])}{more}")
    elif git.is_clean:
        told.append("tree clean")
    elif own:
        told.append("all edits committed" if made else "no edit left uncommitted")
    pulls = work.pulls[-1:]
    for pull in pulls:
        told.append(f"{pull.text} ({pull.state}) {pull.url}")
    shown = _shown_checks(session, work)
    if not work.checks and any(not edit.path.endswith(PROSE_FILES) for edit in work.edits):
        told.append("no test, build or linter seen to end")
    told += [_as_words(check) for check in shown[:_STATE_CHECKS_MAX] if _counts(check)]
    if not told or not (work.edits or made or pulls or shown):
        return
    commits = [one_line(f"{one.id[:8]} {shorten(one.subject, 70)}") for one in reversed(work.commits)]
    more = f" and {len(commits) - _STATE_COMMITS_MAX} more" if len(commits) > _STATE_COMMITS_MAX else ""
    why = f"committed here: {'; '.join(commits[:_STATE_COMMITS_MAX])}{more}" if commits else ""
    done = (shown, work.commits, work.edits)
    at = max((*(one.last for one in pulls), *(one.event for events in done for one in events)))
    yield SessionFact("step", "; ".join(told), at, _STATE_RANK, why, provenance="verified", label=STATE)


def _counts(check: CheckRun) -> bool:
    """Whether a check tells how things are; a test that failed does until one runs again."""
    return not check.stale or check.outcome == "passed" or (check.outcome == "failed" and check.purpose == "test")


def _as_words(check: CheckRun) -> str:
    how = {"passed": "passed", "failed": "failed"}.get(check.outcome, "result not seen")
    how += f" ({count})" if (count := check.tests()) else ""
    error = f": {shorten(check.error, 140)}" if check.outcome == "failed" and check.error else ""
    return f"{_command(check.command)} {how}{f' before {check.stale}' if check.stale else ''}{error}"


def _command(command: str) -> str:
    """A check is there to be run again, so it is told whole. One that is too long for that is only named."""
    return f"`{command if len(command) <= _CHECK_CHARS_MAX else shorten_code(command, 80)}`"


def _shown_checks(session: Session, work: SessionWork) -> list[CheckRun]:
    """What fails as the files are, what the last report names, the newest of each kind; what failed before later work
    only where nothing of its kind ran since.
    """
    newest = {check.purpose: check for check in work.checks if check.outcome != "hidden"}
    for check in work.checks:
        newest.setdefault(check.purpose, check)
    finals = [event.text for at in sorted(session.finals) if isinstance(event := session.events[at], Reply)]
    report = "\n".join(finals[-1:])
    named = [c for c in work.checks if c.command in report and c.outcome == "passed"]
    shown = [c for c in work.checks if newest[c.purpose] is c or c in named or (c.outcome == "failed" and not c.stale)]
    return sorted(shown, key=lambda c: (c.outcome != "failed", bool(c.stale), c not in named, -c.event))


def _demands(session: Session) -> Iterator[SessionFact]:
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
                yield SessionFact("constraint", text, index, _CONSTRAINT_RANK, provenance="human")


def _rulings(session: Session, work: SessionWork) -> Iterator[SessionFact]:
    """What the user turned down and answered, the newest first: an approach when it was an edit or a plan, else
    something that was not done. A plan that came back changed was not turned down as a whole: the user's words on it
    are a demand.
    """
    facts: list[SessionFact] = []
    for number, plan in enumerate(work.plans):
        if plan.status != "rejected":
            continue
        reason, goal = shorten(one_line(plan.reason), _REASON_CHARS), prompts.plan_goal(plan.text)
        title = shorten(goal, 120)
        if any(prompts.plan_goal(later.text) == goal for later in work.plans[number + 1 :]):
            why = f"on the plan “{title}”"
            facts.append(SessionFact("constraint", reason, plan.event, _RULING_RANK, why, provenance="human"))
        else:
            who = " by the user" if session.is_persons(session.events[plan.event]) else ""
            why = f"rejected{who}: “{reason}”"
            facts.append(SessionFact("failed", f"Plan “{title}”", plan.event, _RULING_RANK, why, provenance="human"))
    for refusal in work.refusals:
        reason, what = shorten(one_line(refusal.reason), _REASON_CHARS), shorten_code(refusal.what, 100)
        is_persons = session.is_persons(session.events[refusal.event])
        who = "the user rejected it" if is_persons else "it was rejected"
        said = f"{who}: “{reason}”" if reason else f"rejected or stopped{' by the user' if is_persons else ''}"
        if refusal.command:
            # Without a word it may be that the user only wanted to be asked something else.
            rank = _RULING_RANK if reason else _LISTED_RANK
            facts.append(SessionFact("validation", what, refusal.event, rank, said, "not run", "human"))
        elif reason:
            facts.append(SessionFact("failed", what, refusal.event, _RULING_RANK, said, "", "human", refusal.files))
    for answer in (answer for answer in work.answers if answer.answer):
        why = f"asked: {shorten(one_line(answer.question), 140)}"
        if answer.others:
            # Who answers in words of their own may mean much the same as something that was offered.
            how = "not" if answer.is_pick else "offered"
            why += f"; {how}: {shorten(one_line(', '.join(answer.others)), 100)}"
        text = shorten(one_line(answer.answer), _ANSWER_CHARS)
        facts.append(SessionFact("decision", text, answer.event, _RULING_RANK, why, provenance="human"))
    yield from sorted(facts, key=lambda one: (one.rank, -one.event))


_COMMITS_MAX = 8


def _commits(work: SessionWork) -> Iterator[SessionFact]:
    """Each commit and what was opened, for documents that list what is done; the state line tells them in short."""
    for commit in work.commits[-_COMMITS_MAX:]:
        text = shorten(one_line(f"{commit.id[:8]} {commit.subject}"), 120)
        yield SessionFact("step", text, commit.event, _LISTED_RANK, "", "committed", "verified", commit.files)
    for made in work.opened:
        text = f"opened {made.text} {made.url}"
        yield SessionFact("step", text, made.event, _LISTED_RANK, status="opened", provenance="verified")


_CHECKS_MAX = 5
_CHECK_CHARS_MAX = 140
# So many other checks that passed settle what failed in the session before.
_PASSED_MAX = 5


def _checks(session: Session, work: SessionWork) -> Iterator[SessionFact]:
    """The checks that the state line tells, each by itself, and what else passed."""
    shown = _shown_checks(session, work)
    passed = [check for check in work.checks if check.outcome == "passed" and check not in shown]
    for check in [*shown[:_CHECKS_MAX], *passed[-_PASSED_MAX:]]:
        status = f"{check.outcome}, before {check.stale}" if check.stale else check.outcome
        provenance: Provenance = "inferred" if check.outcome == "hidden" else "verified"
        why = shorten(check.error, 140)
        yield SessionFact("validation", _command(check.command), check.event, _LISTED_RANK, why, status, provenance)


def _files(work: SessionWork) -> Iterator[SessionFact]:
    """The edited files, and of a session that changed little those it read."""
    for number, file in enumerate(sorted(work.files, key=lambda file: -file.last)[:_FILES_MAX]):
        is_own = is_inside(file.path)  # of another no commit of this project tells
        files, status = ((file.path,), file.status) if is_own else ((), "")
        yield SessionFact("file", file.path, file.last, _FILE_RANK + number // 3, "", status, "verified", files)
    if len(work.files) < 3:
        for path, at in [*work.read.items()][:5]:
            yield SessionFact("file", path, at, _READ_RANK, status="read", provenance="verified", files=(path,))


def _failing(work: SessionWork) -> Iterator[SessionFact]:
    """What fails in this environment: programs that are not there, and what failed behind the last edit."""
    last_edit = work.edits[-1].event if work.edits else -1
    absent = [run for run in work.failed_runs if run.works]
    others = [run for run in work.failed_runs if not run.works and run.event > last_edit]  # else it may be mended
    for run in (*absent[-3:], *others[-2:]):
        text, rank = f"`{shorten_code(run.command, _COMMAND_CHARS)}` failed", _LISTED_RANK
        if run.works:
            failing, working = (shorten_code(one, _VARIANT_CHARS) for one in (run.command, run.works))
            text, rank = f"`{failing}` fails here; `{working}` works", _DEAD_RANK
        yield SessionFact("finding", text, run.event, rank, shorten(run.error, 120), provenance="verified")
