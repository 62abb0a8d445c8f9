"""The end of a turn. Where its person wants that, a session that did real work since its last draft is asked for one;
quick checks of a phase are run, and a turn is held that claims to be done while checks fail or were not run.

Each is said once for a state of the work: what was asked is marked before it is said, and a turn that goes on only
because of a stop hook is left alone.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clew.app.draft.due import Mark, last_mark, mark, used, work_since
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.app.project.gates import AT_STOP, AUTO, STOP_GATE
from clew.app.project.runtime_dirs import is_quiet, read_small, write_small
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.core.records.transcript import Prompt, Reply
from clew.core.state.events import timestamp

if TYPE_CHECKING:
    from clew.app.intake.sessions import Sessions
    from clew.app.validate.tree import Ground
    from clew.app.validate.validation import Validation
    from clew.core.plan.plan import Phase

_SEND: Final = (
    "clew: before you stop, hand over what the next session could not know. Call clew's tool `checkpoint` with it as "
    "`draft` (without that tool: `clew checkpoint --draft - <<'END'`); correct what it strikes; say nothing else."
)


def asked_at_stop(ports: Ports, event: HookEvent, at: ProjectSession, sessions: Sessions, folder: str) -> Answer:
    """What a turn that ends is answered; the session was imported. `folder` is its live folder, "" none."""
    if event.name != "stop" or event.agent or event.stop_hook_active or not folder or not Path(folder).is_dir():
        return SILENCE
    settings = ports.settings(at.location.root)
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


def checked_at_stop(ports: Ports, event: HookEvent, at: ProjectSession, sessions: Sessions, folder: str) -> Answer:
    """What a turn that ends is answered about its checks. `folder` is the session's live folder, "" none."""
    if event.name != "stop" or event.agent or event.stop_hook_active or not folder or not Path(folder).is_dir():
        return SILENCE
    settings = ports.settings(at.location.root)
    level, auto = settings.gate(STOP_GATE), settings.text(AUTO)
    if level == "off" and auto == "off":
        return SILENCE
    from clew.app.phase.checking import under_way

    phase = under_way(at.plan())
    if auto == "off" and (phase is None or (not phase.validate and not _has_commands(at))):
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
        return _told(_quick(ports, at, here))
    return ""  # what cannot be marked would be told for ever


def _quick(ports: Ports, at: ProjectSession, here: Ground) -> Validation:
    from clew.app.phase.checking import known_of, under_way
    from clew.app.validate.validation import LedgerFacts, ValidationRequest, validated

    plan = at.plan()
    phase = under_way(plan)
    known = known_of(at, plan, phase) if phase is not None else LedgerFacts()
    request = ValidationRequest(quick=True, timeout_s=QUICK_S)
    return validated(ports, at.location, here, request, known, redact=at.redact)


def _told(found: Validation) -> str:
    failed = next((one for one in found.results if one.status in ("failed", "timed-out")), None)
    if failed is None:
        return ""
    lines = "\n".join(failed.failure or (failed.reason,))
    return f"clew: the check {failed.name} {failed.status.replace('-', ' ')} on the files as they are now:\n{lines}"


def _has_commands(at: ProjectSession) -> bool:
    from clew.app.validate.configured import configured

    return bool(configured(at.location.root))


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
