"""One round: a client works at an attempt in one context, watched, bounded, and recorded before and behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.cost.budgets import budgets
from clew.app.launching.worker import LIMIT, JobResult
from clew.app.plan.look import phase_prompt
from clew.app.ports import TASK_VARIABLE
from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import resume
from clew.app.run.context import Run
from clew.app.run.leases import Name, Pulse
from clew.app.validate.configured import configured, of_phase
from clew.clients.launching import Job, Permissions
from clew.core.errors import ClewError
from clew.core.plan.next_actions import End, Round, WorkOnPhase, over_budget, spent
from clew.core.plan.plan import Phase, Plan
from clew.core.state.events import timestamp
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.escaping import claimed, safe
from clew.documents.plan.prompts import BLOCKED, CAUSE, OUTCOME, REVIEW

_OUTCOME_CHARS: Final = 300
_FAILURE_CHARS: Final = 1_500
# Models put such lines in bold, into code, behind a list's mark, and behind a sentence; clients join two messages
# without a blank. In the middle of a sentence it is no more than a word.
_WORD: Final = rf"(?:^[\s>*_`#-]*|(?<=[\w.!?:;)…])[*_]*|(?<=[.!?:;)…] )[*_`]*)(?:{OUTCOME}|{BLOCKED}|{CAUSE})"
_LINE: Final = re.compile(rf"({_WORD})[*_`]*[ \t]*(\S.*?)[*_`\s]*(?=$|{_WORD})", re.MULTILINE)
_GO_ON: Final = (
    "Go on where you were cut off. What you said and did before counts. The last line of your last message is "
    f"`{OUTCOME} …` or `{BLOCKED} …`, as you were told."
)
_BEFORE: Final = (
    "Another session worked at this phase before you, in this work tree, and came to no end. Look at what it changed "
    "(`git status`, `git diff`) before you do anything; keep what is good, and do not do it again."
)


class Ending(NamedTuple):
    """What a client's last words say. `blocked`: a person has to decide what `text` says. `told`: it said either."""

    text: str
    cause: str
    blocked: bool
    told: bool


def prompt_of(run: Run, plan: Plan, phase: Phase, work: WorkOnPhase) -> str:
    """The prompt of a round: the phase, what came of the round before, and where no hook brings it the payload."""
    if work.why == "resume" and work.session:
        return _GO_ON
    with run.open() as at:
        parts = [phase_prompt(at, run.task, plan, phase, unattended=True)]
    if work.why != "begin":
        parts.append(_part("Where it stands", _BEFORE))
    if work.why == "retry":
        told = (
            f"The checks failed on it. What failed first:\n\n{_quoted(work.told)}\n\nFind the cause; fix it with the "
        )
        parts.append(_part("What failed", f"{told}smallest change. It is checked once more, and not again."))
    if work.why == "changes":
        parts.append(
            _part("What the person wants", f"They looked through it, and want this changed:\n\n{_quoted(work.told)}")
        )
    if not run.worker.brings_payload(run.folder(phase)):
        parts.append(resume(ProjectHandle(run.ports, run.folder(phase)), task=run.task).document.text)
    return "\n".join(part for part in parts if part)


def _part(heading: str, text: str) -> str:
    return f"## {heading}\n\n{text}\n"


def _quoted(text: str) -> str:
    rows: Sequence[str] = text.split(" | ") if " | " in text else text.split("\n")
    return "\n".join(f"> {claimed(safe(one_line(row)))}" for row in rows)


def ending_of(text: str) -> Ending:
    """What the last words of a client say: of each of our words the last counts, which begins a line or stands behind
    a sentence. Without one, it says that it is done: what is true of that, the checks find out.
    """
    lines = [(head.strip(" \t\n>*_`#-"), said) for head, said in _LINE.findall(clean(text))]
    found = {word: shorten(one_line(said), _OUTCOME_CHARS) for word, said in lines}
    last = next((word for word, _ in reversed(lines) if word != CAUSE), "")
    cause = found.get(CAUSE, "")
    if last:
        return Ending(found[last], cause, last == BLOCKED, True)
    first = next(filter(None, map(str.strip, clean(text).split("\n"))), "")
    return Ending(shorten(one_line(first), _OUTCOME_CHARS), cause, False, False)


def reason_of(lines: Sequence[str], otherwise: str) -> str:
    """What failed first in one line, as it is kept."""
    return shorten(" | ".join(lines) or otherwise, _FAILURE_CHARS)


# What every phase needs: to look at what changed, and to record what was found out.
_LOOKING: Final = ("git status", "git diff", "git log", "git show")
_RECORDING: Final = tuple(
    f"clew {name}"
    for name in ("decide", "reject", "note", "ask", "next", "learn", "show", "search", "plan tick", "validate")
)


def permissions(top: Path, phase: Phase) -> Permissions:
    """What a client may do at a phase: change files of the work tree (not for a review), and run the commands that
    prove it, those that only look, and those of clew that record.
    """
    project = configured(top)
    proving = [check.run for check in (*of_phase(phase.validate, project), *project)]
    commands = tuple(dict.fromkeys((*proving, *_LOOKING, *_RECORDING)))
    return Permissions(edit=phase.tier != REVIEW, commands=commands)


_OF_ALL: Final = {"day": "today", "task": "the task"}


def budget_spent(run: Run, session: str = "") -> str:
    """Which budget lets no client of this run work any more, as a sentence without its full stop; "" none does. With a
    `session` which one of its own: another session has its own.
    """
    # The day of hooks is the machine's own.
    day = datetime.fromtimestamp(run.ports.now_ms() / 1000).astimezone().strftime("%Y-%m-%d")
    try:
        stopped = [one for one in budgets(ProjectHandle(run.ports, run.top), day).budgets if one.stands == "stopped"]
    except ClewError:
        return ""
    for one in stopped:
        if (one.scope == "session" and one.name == session) if session else one.scope in _OF_ALL:
            used = f"{one.used_tokens:,} tokens, {one.used_usd or 0:.2f} US dollars"
            return f"the budget of {_OF_ALL.get(one.scope, 'the session')} is spent ({used}): `clew budget` shows it"
    return ""


_REASON_CHARS: Final = 500
# Without a time that is told, it is tried again twice as late each time, up to this.
_BACKOFF_MAX_S: Final = 3600
# A limit lets go a little later than it says.
_SLACK_S: Final = 5
_OVER: Final = "budget: "
_FULL: Final = "context"
_TAKEN: Final = "taken"


def work(run: Run, action: WorkOnPhase) -> None:
    """Have a client work, and record how that ended. Where somebody else was first with this round, nothing is done."""
    name = Name(run.task, action.phase, action.attempt, action.number)
    plan, rounds = run.look()
    phase = plan.with_id(action.phase)
    if phase is None or not run.leases.claim(name):
        return
    before = rounds.get(phase.id, ())
    model = run.worker.model(phase, plan)
    data = {
        **_named(name),
        "run": run.identity,
        "client": run.worker.client,
        "why": action.why,
        **({"model": model} if model else {}),
    }
    if not run.record("work.started", data, key=_key(name, "began")):
        run.leases.complete(name)
        return
    run.told("work", phase.number, f"{run.worker.client} works: {_WHY[action.why]}", **_so_far(before))
    watch = _Watch(run, name, phase, before)
    report = _done(run, plan, phase, action, model, watch)
    end, reason, cause, until = _read(run, phase, before, report, watch)
    run.record(
        "work.ended",
        {
            **_named(name),
            "word": end,
            "reason": shorten(one_line(clean(reason)), _REASON_CHARS),
            "cause": cause,
            "until": until,
            "client_session": report.session,
            "spent_tokens": max(report.tokens, watch.pulse.tokens),
            "cents": max(report.cents, watch.pulse.cents),
            "duration_ms": int(watch.seconds * 1000),
        },
        key=_key(name, "ended"),
    )
    run.leases.complete(name)
    cost = _so_far((*before, Round(0, tokens=report.tokens, cents=report.cents)))
    run.told("worked", phase.number, f"{_ENDED[end]}{f': {reason}' if reason else ''}", **cost)


_WHY: Final = {
    "begin": "it begins",
    "again": "it continues from what is there",
    "resume": "the session continues",
    "context": "a new context continues",
    "retry": "once more, with what failed first",
    "changes": "with what the person wants",
}
_ENDED: Final[dict[End, str]] = {
    "finished": "the client says that it is done",
    "blocked": "a person has to decide",
    "outgrown": "its context is full",
    "limited": "a usage limit was met",
    "offline": "nobody answers",
    "failed": "the client failed",
    "killed": "the client was ended by something else",
    "lost": "it was cut off",
    "over": "the budget is spent",
}


def recovered(run: Run, phase: Phase, attempt: int, number: int) -> None:
    """End what is left of a round that nobody is at, and record that it is lost."""
    name = Name(run.task, phase.id, attempt, number)
    ended = run.leases.release(name)
    run.record("work.ended", {**_named(name), "word": "lost"}, key=_key(name, "ended"))
    left = "" if ended else "; what its client started could not all be ended"
    run.told("recovered", phase.number, f"what was under way when a run ended is lost{left}")


class _Watch:
    """What is seen of a client while it works, and whether it may go on."""

    def __init__(self, run: Run, name: Name, phase: Phase, before: tuple[Round, ...]) -> None:
        self.pulse = Pulse()
        self.taken = False
        self._run, self._name, self._phase = run, name, phase
        self._before = spent(before)
        self._began = run.outside.monotonic()

    @property
    def seconds(self) -> float:
        """How long it works; a machine that sleeps does not work."""
        return self._run.outside.monotonic() - self._began

    def seen(self, pulse: Pulse) -> None:
        run = self._run
        if pulse.act and pulse.act != self.pulse.act:
            tokens, cents, _ = self._before
            act = run.ports.redact(one_line(clean(pulse.act)))
            run.told("act", self._phase.number, act, tokens=tokens + pulse.tokens, cents=cents + pulse.cents)
            pulse = pulse._replace(act=act)
        self.pulse = pulse._replace(time=run.now)
        self.taken = not run.leases.heartbeat(self._name, self.pulse)

    def over(self, report: JobResult | None = None) -> str:
        """Which budget of the phase is spent, "" none."""
        tokens, cents, seconds = self._before
        tokens += max(self.pulse.tokens, report.tokens if report else 0)
        cents += max(self.pulse.cents, report.cents if report else 0)
        return over_budget(self._phase, self._run.limits, tokens, cents, seconds + self.seconds)

    def until(self) -> str:
        """Why it is to be ended now, "" it may go on."""
        if why := self._run.barred or self._run.sharing.lost():
            return why
        if spent_now := self.over():
            return f"{_OVER}{spent_now}"
        if self.taken:
            return _TAKEN
        full = self._run.context_tokens
        return _FULL if full and self.pulse.context >= full else ""


def _done(run: Run, plan: Plan, phase: Phase, action: WorkOnPhase, model: str, watch: _Watch) -> JobResult:
    name = Name(run.task, action.phase, action.attempt, action.number)
    cents = spent(run.look()[1].get(phase.id, ()))[1]
    job = Job(
        prompt=prompt_of(run, plan, phase, action),
        folder=str(run.folder(phase)),
        model=model,
        session=action.session,
        allow=permissions(run.top, phase),
        budget_usd=max(1, run.limits.cents - cents) / 100 if run.limits.cents else 0,
        environment=((TASK_VARIABLE, run.task),),
        mark=name.mark,
        patience_s=run.ports.settings(run.top).number("run.client_wait_s"),
    )
    try:
        return run.worker(job, began=partial(run.leases.began, name), seen=watch.seen, until=watch.until)
    except ClewError as error:
        return JobResult(False, error=error.message)


def _read(
    run: Run, phase: Phase, before: tuple[Round, ...], report: JobResult, watch: _Watch
) -> tuple[End, str, str, str]:
    """How the round ended: the word, what was said, the cause of a failure before, until when to wait ("" not)."""
    if report.limited is not None and report.stopped in ("", LIMIT):
        return "limited", report.limited.text, "", _until(run, before, report.limited.resets_at)
    if report.stopped.startswith(_OVER):
        return "over", report.stopped.removeprefix(_OVER), "", ""
    if report.stopped:
        return ("outgrown", "", "", "") if report.stopped == _FULL else ("lost", report.stopped, "", "")
    if report.offline:
        return "offline", report.error, "", _until(run, before, None)
    if report.outgrown:
        return "outgrown", report.error, "", ""
    if report.killed:
        return "killed", report.error, "", ""
    if not report.ok:
        return "failed", report.error or "it did not say why", "", ""
    ending = ending_of(report.text)
    if not ending.told and (why := watch.over(report) or budget_spent(run)):  # a hook of ours ended it
        return "over", why, "", ""
    if not ending.told and (why := budget_spent(run, report.session)):
        return "outgrown", why, "", ""
    return ("blocked" if ending.blocked else "finished"), ending.text or phase.title, ending.cause, ""


def _until(run: Run, before: tuple[Round, ...], resets_at: str | None) -> str:
    now_s = run.ports.now_ms() / 1000
    lets_go_s = datetime.fromisoformat(resets_at).timestamp() + _SLACK_S if resets_at else 0.0
    if lets_go_s > now_s:
        return timestamp(int(lets_go_s * 1000))
    waited = 0
    for one in reversed(before):
        if one.end not in ("limited", "offline"):
            break
        waited += 1
    return timestamp(int((now_s + min(_BACKOFF_MAX_S, run.retry_s * 2 ** min(waited, 12))) * 1000))


def _named(name: Name) -> dict[str, str | int]:
    return {"phase": name.phase, "attempt": name.attempt, "round": name.number}


def _key(name: Name, what: str) -> str:
    return f"work:{name.phase}:{name.attempt}:{name.number}:{what}"


def _so_far(rounds: tuple[Round, ...]) -> dict[str, int]:
    tokens, cents, _ = spent(rounds)
    return {"tokens": tokens, "cents": cents}
