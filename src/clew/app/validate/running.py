"""Commands run one after the other, up to the first that fails, and what each comes to."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from clew.app.results import JsonResult
from clew.app.validate.configured import FILES, ConfiguredCheck
from clew.core.text.cleaning import clean, one_line, shorten
from clew.core.validation.failure import Failure, told
from clew.core.validation.first_failure import first_failure, tally
from clew.core.validation.globs import matching
from clew.core.validation.verdict import CheckVerdict, Status, judged
from clew.workspace.streaming import EndedCommand, run_command

# Set for what is run, so that a command which runs `clew validate` again is stopped.
INSIDE: Final = "CLEW_VALIDATING"
_REQUIRES_S: Final = 60
_FILES_MAX: Final = 2_000
_NOT_FOUND: Final = 127
_REASON_CHARS: Final = 160
# All that `python -m NAME` says where the module is not installed.
_NO_MODULE: Final = re.compile(r"\S*python[\w.]*: No module named ([\w.]+)")


@dataclass(frozen=True, slots=True)
class EarlierResult:
    """How a command went before the work began: the tests that failed, and how many ran (None unknown)."""

    failed: tuple[str, ...] = ()
    ran: int | None = None


class CommandResult(JsonResult, frozen=True):
    """What a command came to. Texts are clean and redacted. `run` is the command line as it was run, "" where it was
    not. `tests`: how many ran, None unknown. `failure` is what failed first, in lines; `failed` are all tests that
    failed, as far as the output names them.
    """

    name: str
    status: Status
    reason: str = ""
    run: str = ""
    code: int = 0
    seconds: float = 0.0
    tests: int | None = None
    skipped: int = 0
    failure: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Where and how commands run. `touched` are the paths that changed, None where that is not known or nothing did;
    `files` all there are. `trusted` says whether a command may run here. `timeout_s` is for all commands together (0:
    each has its own time only).
    """

    root: Path
    environment: Mapping[str, str]
    redact: Callable[[str], str]
    trusted: Callable[[ConfiguredCheck], bool]
    files: Sequence[str] = ()
    touched: Sequence[str] | None = None
    done: Sequence[int] = ()
    before: Mapping[str, EarlierResult] = field(default_factory=dict)
    timeout_s: int = 0


def run_all(
    checks: Sequence[ConfiguredCheck],
    place: RunPlace,
    *,
    keep_going: bool,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[CommandResult, ...]:
    """Run `checks` in their order. What comes behind the first failure is not run, unless told to `keep_going`."""
    results: list[CommandResult] = []
    for check in checks:
        failed = next((one.name for one in results if one.status in ("failed", "timed-out")), "")
        if failed and not keep_going:
            results.append(CommandResult(check.name, "not-run", f"{failed} failed before it"))
            continue
        progress(check.name)
        spent = sum(one.seconds for one in results)
        if place.timeout_s and spent + 1 > place.timeout_s:
            results.append(CommandResult(check.name, "not-run", f"the {place.timeout_s} s for all of them are over"))
            continue
        left = place.timeout_s and place.timeout_s - math.ceil(spent)
        results.append(run_one(check, replace(place, timeout_s=left)))
    return tuple(results)


def run_one(check: ConfiguredCheck, place: RunPlace) -> CommandResult:
    """Run one command. What may not run, or cannot, is `not-run`."""
    about = _about(check, place)
    if about is None:
        return CommandResult(check.name, "skipped", "nothing was touched that it is about")
    if not place.trusted(check):
        return CommandResult(check.name, "not-run", "not trusted")
    folder = place.root / check.folder
    if not folder.is_dir():
        return CommandResult(check.name, "not-run", f"there is no folder {check.folder}")
    environment = {**place.environment, INSIDE: "1", "NO_COLOR": "1"}
    limit = min(check.timeout_s, place.timeout_s) if place.timeout_s else check.timeout_s
    line = check.run.replace(FILES, shlex.join(about))
    try:
        if check.requires:
            met = run_command(check.requires, folder=folder, environment=environment, timeout_s=min(limit, _REQUIRES_S))
            if met.code or met.timed_out:
                return CommandResult(
                    check.name, "not-run", f"what it needs is not there: `{place.redact(clean(check.requires))}`"
                )
        ended = run_command(line, folder=folder, environment=environment, timeout_s=limit)
    except OSError as error:
        return CommandResult(check.name, "not-run", f"it cannot be started ({error.strerror})")
    return _read(check, place, line, ended, limit)


def _about(check: ConfiguredCheck, place: RunPlace) -> list[str] | None:
    """The files that stand for `{files}`, from the command's folder; None where nothing of it was touched."""
    if not check.files:
        return []
    touched = place.touched if place.touched else None
    there = set(place.files)
    found = matching(touched if touched is not None else place.files, check.files)
    if touched is not None and not found:
        return None
    inside = f"{check.folder}/" if check.folder else ""
    names = [path.removeprefix(inside) for path in found if path in there and path.startswith(inside)][:_FILES_MAX]
    if FILES in check.run and not names:
        return None
    return names


def _read(check: ConfiguredCheck, place: RunPlace, line: str, ended: EndedCommand, limit: int) -> CommandResult:
    # Before anything is taken apart, so that no cut hides the rest of a secret.
    output = place.redact(clean(ended.output.decode("utf-8", "replace")))
    counts = tally(output)
    before = place.before.get(check.name, EarlierResult())
    known = counts._replace(known=False) if ended.timed_out else counts
    verdict = judged(check.run, ended.code, output, known, before=before.failed, expected=check.expects(place.done))
    status, reason = verdict.status, verdict.reason
    missing = _NO_MODULE.fullmatch(output.strip())
    if ended.timed_out:
        status, reason = "timed-out", f"no end after {limit} s; it and all that it started were ended"
    elif ended.code == _NOT_FOUND and "not found" in output:
        status, reason = "not-run", shorten(one_line(output.strip().split("\n")[-1]), _REASON_CHARS)
    elif missing and f"-m {missing[1]}" in check.run:
        status, reason = "not-run", shorten(one_line(output), _REASON_CHARS)
    failure: tuple[str, ...] = ()
    if status in ("failed", "timed-out", "known"):
        failure = told(_chosen(first_failure(output, root=str(place.root), files=place.files), verdict, check))
    return CommandResult(
        name=check.name,
        status=status,
        reason=reason,
        run=place.redact(clean(line)),
        code=ended.code,
        seconds=ended.seconds,
        tests=counts.ran,
        skipped=counts.skipped,
        failure=failure,
        failed=counts.ids,
        known=verdict.known,
        expected=verdict.expected,
        mended=verdict.mended,
    )


def _chosen(failure: Failure, told_so: CheckVerdict, check: ConfiguredCheck) -> Failure:
    """The failure; in a folder of its own its frame is told from the top."""
    if check.folder and failure.frame and not failure.frame.startswith(f"{check.folder}/"):
        return failure._replace(frame=f"{check.folder}/{failure.frame}")
    if told_so.new and failure.test and failure.test not in told_so.new and told_so.known + told_so.expected:
        return failure._replace(message=f"{failure.message}\nnew since the work began: {', '.join(told_so.new[:3])}")
    return failure


def uncovered(checks: Collection[ConfiguredCheck], touched: Sequence[str]) -> tuple[str, ...]:
    """The touched files that no command is about."""
    if any(not check.files for check in checks):
        return ()
    covered = {path for check in checks for path in matching(touched, check.files)}
    return tuple(path for path in touched if path not in covered and not path.lower().endswith((".md", ".txt", ".rst")))
