"""What a phase rests on: validation compared with its beginning and recorded, and its work as one commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from clew.app.plan.where import recorded
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.validate.configured import configured, of_phase
from clew.app.validate.running import EarlierResult
from clew.app.validate.tree import Ground, ground
from clew.app.validate.validation import LedgerFacts, Validation, ValidationRequest, validate, validated
from clew.core.errors import InputError, Unavailable
from clew.core.plan.phase_machine import CommandsRan
from clew.core.plan.plan import Check as Checked
from clew.core.plan.plan import Phase, Plan, Verdict
from clew.core.state.events import Data
from clew.core.text.cleaning import one_line, shorten
from clew.workspace.git_act import GitAct

KIND: Final = "validation.ran"
_FAILED_MAX: Final = 40
_NAME_CHARS: Final = 160
_FAILURE_CHARS: Final = 1_500


def validate_here(
    project: ProjectHandle, request: ValidationRequest, *, progress: Callable[[str], None] = lambda _: None
) -> Validation:
    """Run what checks the project, and the phase that is under way here. Recorded where a ledger is kept; it claims
    nothing. Raises `InputError`, `Unavailable`, `LedgerError`.
    """
    location = locate(project.folder)
    if not location.has_ledger or request.unattended:
        return validate(project, request, progress=progress)
    with project.open(write=True) as at, ground(location, project.ports.environment, lasting=True) as here:
        task = at.task()
        plan = at.plan(task)
        phase = under_way(plan)
        known = known_of(at, plan, phase) if phase is not None else LedgerFacts()
        found = validated(project.ports, location, here, request, known, redact=at.redact, progress=progress)
        if phase is not None:
            recorded(at, plan, run_of(phase, found), task=task)
        elif found.results:
            ran = run_of(Phase(0, ""), found)
            check, commands = ran.check, list(ran.commands)
            data: Data = {"tree": check.tree, "verdict": check.verdict, "commands": commands}
            data = {**data, "duration_ms": ran.duration_ms, **({"failure": check.failure} if check.failure else {})}
            at.keep([at.event(KIND, data, task=task)._replace(provenance="verified")])
        return found


def under_way(plan: Plan) -> Phase | None:
    """The phase that was started and has not ended, the first of several."""
    return next((one for one in plan.phases if one.status == "started"), None)


def known_of(at: ProjectSession, plan: Plan, phase: Phase) -> LedgerFacts:
    """What the ledger knows for a validation of this phase."""
    project = configured(at.location.root)
    own = of_phase(phase.validate, project)
    checks = (*own, *(check for check in project if check not in own))
    done = tuple(one.number for one in plan.phases if one.status == "done")
    before = before_of(at, phase)
    # What the phase's own commands fail with is what it is there to fix, whenever that began.
    before |= {check.name: EarlierResult((), before[check.name].ran) for check in own if check.name in before}
    return LedgerFacts(phase.tree, before, checks, done, plan.mode == "approved")


def before_of(at: ProjectSession, phase: Phase) -> dict[str, EarlierResult]:
    """How the commands went when this attempt at the phase began: the run that was recorded then."""
    for one in at.ledger.events(kinds=(KIND,)):
        data = one.event.data
        if (data.get("phase"), data.get("attempt"), data.get("tree")) != (phase.id, phase.attempt, phase.tree):
            continue
        rows = data.get("commands")
        found = {}
        for text in rows if isinstance(rows, list) else ():
            row = json.loads(text)
            found[str(row["name"])] = EarlierResult(tuple(row.get("failed", ())), row.get("ran"))
        return found
    return {}


def run_of(
    phase: Phase, found: Validation, *, counted: bool = False, cause: str = "", accepted: bool = False
) -> CommandsRan:
    """A validation as the phase machine takes it. `counted`: somebody claims that the phase is done."""
    verdict: Verdict = "failed" if found.word in ("TEST_FAILURE", "TIMED_OUT") else "not-run"
    if accepted or found.word == "VALIDATION_OK":
        verdict = "passed"
    check = Checked(found.tree, verdict, counted, cause, shorten(" | ".join(found.failure), _FAILURE_CHARS))
    commands = [
        {
            "name": one.name[:_NAME_CHARS],
            "status": one.status,
            "code": one.code,
            "seconds": round(one.seconds, 1),
            "ran": one.tests,
            "failed": [name[:_NAME_CHARS] for name in one.failed[:_FAILED_MAX]],
        }
        for one in found.results
    ]
    duration_ms = int(sum(one.seconds for one in found.results) * 1000)
    return CommandsRan(phase.id, check, tuple(json.dumps(one, ensure_ascii=False) for one in commands), duration_ms)


def baseline(ports: Ports, at: ProjectSession, here: Ground, plan: Plan, phase: Phase) -> Validation | None:
    """Run the commands as the phase begins, so that what fails already is known; None where none of them may run."""
    known = known_of(at, plan, phase)
    if not known.checks:
        return None
    request = ValidationRequest(everything=True, keep_going=True)
    return validated(ports, at.location, here, request, known, redact=at.redact)


TASK: Final = "Clew-Task"
PHASE: Final = "Clew-Phase"
_SUBJECT_CHARS: Final = 72


def message(outcome: str, *, task: str, phase: str, number: int, title: str) -> str:
    """The commit's message: the outcome as its subject, which phase it is, the trailers."""
    subject = shorten(one_line(outcome), _SUBJECT_CHARS)
    body = [one_line(outcome), ""] if subject != one_line(outcome) else []
    return "\n".join(
        [subject, "", *body, f"Phase {number}: {one_line(title)}", "", f"{TASK}: {task}", f"{PHASE}: {phase}", ""]
    )


def commit(here: Ground, paths: Sequence[str], text: str, environment: Mapping[str, str]) -> str:
    """Commit exactly `paths`, as they are in the work tree; the id of the commit, "" where there is nothing to commit.

    The user's own hooks run, as they do for a commit that is typed: to leave them out would be to pass by a check.
    Raises `InputError` where git refuses.
    """
    if here.git is None:
        raise Unavailable("this folder is in no git repository", code="E-no-repository", hint="Leave out --commit.")
    act = _git(here, environment)
    act.check_top()
    try:
        return act.commit(paths, text)
    except Unavailable as error:
        if error.code != "E-git-failed":
            raise
        raise InputError(
            f"git did not commit: {error.message.partition(' failed: ')[2]}",
            code="E-phase-commit",
            hint="The phase is still under way; fix what git says, and run `clew phase done` again.",
        ) from None


def committed(here: Ground, phase: str, since: str, environment: Mapping[str, str]) -> str:
    """The commit since the commit `since` whose trailer names the phase: it was made before whoever made it was killed.
    "" for none.
    """
    if here.git is None or not since:
        return ""
    trailer = f"--grep=^{PHASE}: {phase}$"
    done = _git(here, environment).run("log", "-1", "--format=%H", trailer, f"{since}..HEAD")
    return "" if done.code else done.out.decode("ascii", "replace").strip()


def _git(here: Ground, environment: Mapping[str, str]) -> GitAct:
    """Git that takes paths as they stand."""
    return GitAct(here.root, environment, GIT_LITERAL_PATHSPECS="1")
