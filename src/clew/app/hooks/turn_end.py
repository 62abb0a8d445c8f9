"""A turn or a session ends, or a client is about to drop its context: what was said is imported. Only a turn may be
answered. Where its person wants that, a session that did real work since its last draft is asked for one; quick checks
of a phase are run, and a turn is held that claims to be done while checks fail or were not run. Each is said once for a
state of the work, and a turn that goes on only because of a stop hook is left alone.

Nothing depends on these hooks: what they miss, the next session's start takes in.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clew.app.cost.budgets import budgets
from clew.app.draft.due import Mark, last_mark, mark, used, work_since
from clew.app.hooks.receipts import DUE, owed, settle
from clew.app.hooks.session_task import count_for_named, keep_line
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports, runtime_dir
from clew.app.project import runtime_dirs as places
from clew.app.project.gates import AT_STOP, AUTO, STOP_GATE, refresh
from clew.app.project.location import locate
from clew.app.project.notify import COMMAND, Notice, notify
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.runtime_dirs import is_quiet, read_small, write_small
from clew.app.project.session import ProjectSession
from clew.app.resume.catchup import catch_up
from clew.core.cost.budget import BUDGET
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.core.records.transcript import Prompt, Reply
from clew.core.runtime_dir import PARALLEL, session_folder
from clew.core.settings import Settings
from clew.core.state.events import timestamp
from clew.core.state.ids import short_session
from clew.workspace.process import MARK

if TYPE_CHECKING:
    from clew.app.validate.tree import Ground
    from clew.core.plan.plan import Phase

# Of the second that a client waits for the hook of a session's end.
_END_MS: Final = 800
# In a session's live folder: the budgets of which the person was told that they are used up.
_TOLD: Final = "spent"


def ended(ports: Ports, event: HookEvent, live: str) -> Answer:
    """Take in what there is, and take a checkpoint if it is worth one. Before a compaction all of it, else within the
    time that the client gives. What is answered is mostly silence.

    Nothing happens in a turn that goes on only because of a stop hook: its end comes again. Raises `ClewError` and
    `OSError`.
    """
    folder = Path(event.folder)
    if event.agent or event.stop_hook_active or not folder.is_absolute():
        return SILENCE
    if event.name == "session_end":
        places.leave(live, event.session)
    if not locate(folder).has_ledger:
        return SILENCE
    with open_project(ports, folder, write=True, spool=False) as at:
        sessions = Sessions(ports, at)
        done = catch_up(ports, at, sessions, deadline_ms=None if event.name == "before_compaction" else _END_MS)
        if done.intake.taken:
            refresh(ports, at)  # what a person forbade in a prompt warns from now on
        count_for_named(at, live)
        here = session_folder(live, event.session)
        has_folder = bool(here) and Path(here).is_dir()
        if event.name != "before_compaction":  # somebody waits for that
            missed = owed(settle(ports, at, sessions), event.session)
            if missed is not None and has_folder:
                with suppress(OSError):
                    write_small(f"{here}/{DUE}", "")
        if has_folder:
            keep_line(at, here)
        if event.name == "session_end":
            from clew.app.handoff.protocol import end_of_session  # here: most turns end in the middle of a session

            end_of_session(ports, at, sessions, event.session)
            _leave_others(ports, at, event, live)
        answer = SILENCE
        if event.name == "stop" and has_folder and MARK not in ports.environment:
            # A run has checks and hand-off of its own, and asks for one last line.
            settings = ports.settings(at.location.root)
            answer = _checked(ports, event, at, sessions, here, settings)
            answer = answer if answer != SILENCE else _asked(ports, event, at, sessions, here, settings)
        _tell_spent(ports, at, live, here)
        if event.name != "stop" and ports.settings(at.location.root).on("archive.on"):  # last: nothing waits for it
            from clew.app.archive.archiving import archive  # here: few people have an archive

            archive(ProjectHandle(ports, folder), session=event.session)
        if event.name == "session_end" and at.location.exchange_file.exists():
            from clew.app.project.device import start_sync  # here: few exchange

            start_sync(ports, at.location.root, at.location.exchange_file)
        return answer


def _leave_others(ports: Ports, at: ProjectSession, event: HookEvent, live: str) -> None:
    """Let the sessions that are still live in this work tree know that this one is over."""
    if any(Path(place, PARALLEL).exists() for place in (live, runtime_dir(ports, at.location.root))):
        from clew.app.hooks.parallel import mark_parallel

        data, now_s = str(ports.trust_store.parent), ports.now_ms() / 1000
        mark_parallel(at, data, places.running(data, at.location, now_s, but=event.session, rests=at.rests), "")


def _tell_spent(ports: Ports, at: ProjectSession, live: str, folder: str) -> None:
    """Tell the person, where they want that, of a budget that is used up: once a session, whose live `folder` it is."""
    if not folder or not Path(live, BUDGET).exists() or not ports.settings(at.location.root).text(COMMAND):
        return
    day = time.strftime("%Y-%m-%d", time.localtime(ports.now_ms() / 1000))
    held = budgets(ProjectHandle(ports, at.location.root), day).budgets
    spent = [one for one in held if one.stands == "stopped" and (one.scope != "session" or folder.endswith(one.name))]
    marks = " ".join(f"{one.scope}:{one.name}:{one.most_tokens}:{one.most_usd}" for one in spent)
    with suppress(OSError):
        if spent and read_small(f"{folder}/{_TOLD}") == marks:
            return
    with suppress(OSError):
        write_small(f"{folder}/{_TOLD}", marks)
        names = ", ".join(" ".join(filter(None, (one.scope, one.title or short_session(one.called)))) for one in spent)
        notify(ports, at.location.root, [Notice("budget", f"A budget is used up: {names}")] if spent else [])


_SEND: Final = (
    "clew: before you stop, hand over what the next session could not know. Call clew's tool `checkpoint` with it as "
    "`draft` (without that tool: `clew checkpoint --draft - <<'END'`); correct what it strikes; say nothing else."
)


def _asked(
    ports: Ports, event: HookEvent, at: ProjectSession, sessions: Sessions, folder: str, settings: Settings
) -> Answer:
    """The request for a draft; the session was imported, `folder` is its live folder."""
    if not settings.on(AT_STOP) or is_quiet(ports, event, settings, folder):
        return SILENCE
    file = sessions.files.get(event.session)
    facts = sessions.facts(file) if file is not None else None
    if facts is None:
        return SILENCE
    extracts = at.ledger.extracts(session=event.session)
    if not work_since(facts, extracts, last_mark(at.ledger, folder, event.session)).is_worth_a_draft:
        return SILENCE
    now = Mark(timestamp(ports.now_ms()), used(facts))
    mark(folder, now)
    if last_mark(at.ledger, folder, event.session) != now:
        return SILENCE  # what cannot be marked would be asked at every turn
    from clew.documents.draft import REQUEST  # here: most turns end without a question

    return Answer(block=f"{_SEND} {REQUEST}")


# What a hook may take for all quick commands together, of the time that clients give it.
QUICK_S: Final = 20
_JUDGED: Final = "auto-tree"
_HELD: Final = "held-"
_DENY: Final = "deny"


def _checked(
    ports: Ports, event: HookEvent, at: ProjectSession, sessions: Sessions, folder: str, settings: Settings
) -> Answer:
    """What a turn that ends is answered about its checks. `folder` is the session's live folder."""
    level, auto = settings.gate(STOP_GATE), settings.text(AUTO)
    if level == "off" and auto == "off":
        return SILENCE
    from clew.app.phase.checking import under_way
    from clew.app.validate.configured import configured

    phase = under_way(at.plan())
    if auto == "off" and (phase is None or (not phase.validate and not configured(at.location.root))):
        return SILENCE
    from clew.app.validate.tree import ground

    with ground(at.location, ports.environment, lasting=True) as here:
        if auto != "off":
            said = quick_failure(ports, at, here, folder)
            if said:
                return Answer(block=said)
        if phase is None or level == "off" or not _claims(sessions, event.session):
            return SILENCE
        return _held(phase, here.tree(), folder, level)


def quick_failure(ports: Ports, at: ProjectSession, here: Ground, folder: str) -> str:
    """What failed first of the quick commands on the files as they are, "" if nothing did or it was told before."""
    tree = here.tree()
    mark = f"{folder}/{_JUDGED}"
    with suppress(OSError):
        if read_small(mark).strip() == tree:
            return ""
    with suppress(OSError):
        write_small(mark, f"{tree}\n")
        return _first_failure(ports, at, here)
    return ""  # what cannot be marked would be told for ever


def _first_failure(ports: Ports, at: ProjectSession, here: Ground) -> str:
    from clew.app.phase.checking import known_of, under_way
    from clew.app.validate.validation import LedgerFacts, ValidationRequest, validated

    plan = at.plan()
    phase = under_way(plan)
    known = known_of(at, plan, phase) if phase is not None else LedgerFacts()
    request = ValidationRequest(quick=True, timeout_s=QUICK_S)
    found = validated(ports, at.location, here, request, known, redact=at.redact)
    failed = next((one for one in found.results if one.status in ("failed", "timed-out")), None)
    if failed is None:
        return ""
    lines = "\n".join(failed.failure or (failed.reason,))
    return f"clew: the check {failed.name} {failed.status.replace('-', ' ')} on the files as they are now:\n{lines}"


def _claims(sessions: Sessions, session: str) -> bool:
    """Whether the session's last words claim that the work is done."""
    from clew.core.validation.claims import claims_done

    file = sessions.files.get(session)
    gathered = sessions.gather(file) if file is not None else None
    last = ""
    for record in gathered.kept if gathered is not None else ():
        if isinstance(record, Reply) and not record.agent:
            last = record.text
        elif isinstance(record, Prompt):
            last = ""
    return claims_done(last)


def _held(phase: Phase, tree: str, folder: str, level: str) -> Answer:
    """The one question for these files; nothing where they passed."""
    check = phase.check_on(tree)
    if check is not None and check.verdict == "passed":
        return SILENCE
    mark = f"{folder}/{_HELD}{tree[:20]}"
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:  # it was asked before, or nobody could note that it was
        return SILENCE
    how = "were not run" if check is None or check.verdict == "not-run" else "fail"
    said = f"clew: phase {phase.number} ({phase.title}) is not done: its checks {how} on the files as they are."
    if level != _DENY:
        return Answer(message=said)
    first = f" First failure: {check.failure}" if check is not None and check.failure else ""
    ask = f'Run `clew phase done {phase.number} --outcome "…"`, or say plainly what is not done; then end the turn.'
    return Answer(block=f"{said}{first} {ask}")
