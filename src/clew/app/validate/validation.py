"""Validation: run what checks a project, and say what it comes to. What a ledger knows is handed in; none is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import command_content, project_at, trusted
from clew.app.results import JsonResult
from clew.app.validate.configured import ConfiguredCheck, configured
from clew.app.validate.running import INSIDE, CommandResult, EarlierResult, RunPlace, run_all, uncovered
from clew.app.validate.tree import Ground, ground
from clew.core.errors import InputError, NotAllowed, Unavailable
from clew.core.validation.changes import WeakenedCheck
from clew.core.validation.verdict import EXITS, Status, Word, flaw, word
from clew.core.validation.weakened import Weakened, weakened

_NAMES_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class ValidationRequest:
    """What is to be run: the commands that are named (() all), on what changed since the revision `since` (HEAD).

    `everything`: also what is about files that were not touched. `unattended`: a CI runs it, which has nobody to ask:
    what stands in the checked-out file is run, trusted or not. `timeout_s` is for all commands together, 0 none.
    """

    names: tuple[str, ...] = ()
    since: str = ""
    everything: bool = False
    keep_going: bool = False
    unattended: bool = False
    quick: bool = False
    timeout_s: int = 0


@dataclass(frozen=True, slots=True)
class LedgerFacts:
    """What a ledger adds: the state of the work tree when the phase began, what was known of the commands then, the
    phase's own commands (None: the project's), the numbers of the phases that are done. `approved`: a person approved
    the lines of the phase.
    """

    base: str = ""
    before: Mapping[str, EarlierResult] = field(default_factory=dict)
    checks: tuple[ConfiguredCheck, ...] | None = None
    done: tuple[int, ...] = ()
    approved: bool = False


class Validation(JsonResult, frozen=True):
    """What it came to: `word` and the clause `reason`. `tree` is what it ran on, "" where nothing stands for that.
    `weakened` are changes by which the checks ask less since the work began, `not_judged` sentences on what was not
    judged. `uncovered` are touched files that no command is about. `exit_code` goes with the word. `notes` are for the
    person.
    """

    word: Word
    reason: str
    tree: str
    base: str
    results: tuple[CommandResult, ...]
    weakened: tuple[WeakenedCheck, ...]
    not_judged: tuple[str, ...]
    uncovered: tuple[str, ...]
    exit_code: int
    notes: tuple[str, ...]

    @property
    def failure(self) -> tuple[str, ...]:
        """What failed first, in lines."""
        return next((one.failure for one in self.results if one.failure), ())


def validate(
    project: ProjectHandle,
    request: ValidationRequest | None = None,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> Validation:
    """Run the commands of the project that `folder` is in, without a ledger. Raises `InputError`, `Unavailable`."""
    location = locate(project.folder)
    with ground(location, project.ports.environment, lasting=False) as here:
        return validated(
            project.ports,
            location,
            here,
            request or ValidationRequest(),
            LedgerFacts(),
            redact=project.ports.redact,
            progress=progress,
        )


def validated(
    ports: Ports,
    location: ProjectLocation,
    here: Ground,
    request: ValidationRequest,
    known: LedgerFacts,
    *,
    redact: Callable[[str], str],
    progress: Callable[[str], None] = lambda _: None,
) -> Validation:
    """As `validate`, on a ground that is open, with what a ledger knows."""
    if ports.environment.get(INSIDE):
        raise InputError(
            "a validation command runs `clew validate` itself",
            code="E-validate-nested",
            hint="Have the command run the checks, and `clew validate` run the command.",
        )
    checks = _wanted(known.checks if known.checks is not None else configured(location.root), request)
    tree = here.tree()
    base, notes = _base(here, request, known)
    changed = here.changed(base, tree) if here.snapshots else ()
    touched = [one.path for one in changed]
    place = RunPlace(
        location.root,
        ports.environment,
        redact,
        _may_run(ports, location, request, known),
        files=here.files(),
        touched=None if request.everything else touched,
        done=known.done,
        before=known.before,
        timeout_s=request.timeout_s,
    )
    results = run_all(checks, place, keep_going=request.keep_going, progress=progress)
    found = (
        weakened(here.texts(changed)) if here.snapshots else Weakened((), ("outside git nothing tells what changed",))
    )
    findings = [*found.findings, *_fewer(results, known.before), *_cannot_fail(checks)]
    after = here.tree() if results else tree
    if after != tree and here.snapshots and not any(one.before for one in here.changed(tree, after)):
        tree = after  # what the commands made and git does not ignore (caches, reports) is no change of the work
    elif after != tree:
        notes.append("The commands changed files of the project: what passed, passed on the files as they were before.")
    statuses = [one.status for one in results]
    said = word(statuses, weakened=bool(findings))
    return Validation(
        said,
        _reason(said, results, checks),
        tree,
        base,
        results,
        tuple(one._replace(path=redact(one.path), what=redact(one.what)) for one in findings),
        tuple(redact(one) for one in found.untold),
        uncovered(checks, touched) if checks else (),
        EXITS[said],
        tuple(notes),
    )


def _wanted(checks: Sequence[ConfiguredCheck], request: ValidationRequest) -> tuple[ConfiguredCheck, ...]:
    """The commands that are meant. Raises `InputError` for a name that none has."""
    odd = next((name for name in request.names if name not in {check.name for check in checks}), "")
    if odd:
        there = ", ".join(check.name for check in checks[:_NAMES_MAX]) or "none"
        raise InputError(
            f"no validation command is called {odd[:60]}",
            code="E-validate-name",
            hint=f"There are: {there}. `clew validate --init` proposes some.",
        )
    found = [check for check in checks if not request.names or check.name in request.names]
    return tuple(check for check in found if check.quick or not request.quick)


def _base(here: Ground, request: ValidationRequest, known: LedgerFacts) -> tuple[str, list[str]]:
    """The tree that the work began with, and notes. Raises `InputError` for a revision that there is none of."""
    if here.snapshots is None or here.git is None:
        return "", ["This folder is in no git repository: nobody can tell what was touched."]
    if request.since:
        try:
            return here.tree_of(request.since), []
        except Unavailable as error:
            raise InputError(
                f"there is no revision {request.since[:60]} here",
                code="E-validate-since",
                hint="Name a commit, a branch or a tag that this clone has.",
            ) from error
    if known.base:
        try:
            here.changed(known.base, known.base)
        except Unavailable:
            return _head(here), ["The state in which the phase began is gone; it is compared with HEAD."]
        return known.base, []
    return _head(here), []


def _head(here: Ground) -> str:
    try:
        return here.tree_of("HEAD")
    except Unavailable:  # no commit yet
        return ""


def _may_run(
    ports: Ports, location: ProjectLocation, request: ValidationRequest, known: LedgerFacts
) -> Callable[[ConfiguredCheck], bool]:
    project = project_at(location.root)

    def may(check: ConfiguredCheck) -> bool:
        if request.unattended:
            return True
        if not check.table:
            return known.approved
        return trusted(ports.trust_store, project, "command", command_content(check.table))

    return may


def check_unattended(below: str) -> None:
    """Raise `NotAllowed` where commands are to be run that nobody trusted, and an agent's client stands above."""
    if below:
        raise NotAllowed(
            f"what nobody trusted is not run for an agent: {below}",
            code="E-validate-trust",
            hint="A person runs `clew trust` once; `--ci` is for a machine that has nobody to ask.",
        )


def _fewer(results: Sequence[CommandResult], before: Mapping[str, EarlierResult]) -> list[WeakenedCheck]:
    """Commands that ran fewer tests than when the work began."""
    found = []
    for one in results:
        was = before.get(one.name, EarlierResult()).ran
        if one.status == "passed" and was is not None and one.tests is not None and was > one.tests:
            what = f"{one.name} ran {one.tests} tests, {was} when the work began"
            found.append(WeakenedCheck("fewer", "", 0, what))
    return found


def _cannot_fail(checks: Sequence[ConfiguredCheck]) -> list[WeakenedCheck]:
    return [
        WeakenedCheck("hidden", "", 0, f"{check.name} proves nothing: {why}")
        for check in checks
        if (why := flaw(check.run))
    ]


_STATUSES: Final[Mapping[Word, Status]] = {
    "TEST_FAILURE": "failed",
    "TIMED_OUT": "timed-out",
    "KNOWN_FAILURE": "known",
    "NO_TEST_RAN": "no-test",
}


def _reason(said: Word, results: Sequence[CommandResult], checks: Sequence[ConfiguredCheck]) -> str:
    if not checks:
        return "no commands are configured; `clew validate --init` proposes some"
    if said == "NOT_RUN":
        first = next((one for one in results if one.status in ("not-run", "hidden")), None)
        return first.reason if first else "nothing was touched that a command is about"
    status = _STATUSES.get(said)
    return next(one.name for one in results if one.status == status) if status else ""
