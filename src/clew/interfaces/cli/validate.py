"""`clew validate`: run what checks the project; the step for people, agents and CI."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.phase.checking import validate_here
from clew.app.validate.configured import Proposal
from clew.app.validate.configured import propose as propose_commands
from clew.app.validate.running import CommandResult
from clew.app.validate.validation import Validation, ValidationRequest, check_unattended
from clew.core.text.cleaning import clean
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, here, present, print_lines, remark, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting


def propose(*, write: bool) -> None:
    """Print what is proposed; write it if told to."""
    present(propose_commands(here(), write=write), _propose)


def _propose(found: Proposal) -> None:
    if not found.commands:
        remark("Nothing new was found to propose; `[[validate.commands]]` takes a name and a line to run.")
        return
    print("\n".join(clean(line) for line in found.diff.split("\n")))
    if found.written:
        remark(f"Written to {found.file}. Nothing of it runs before a person trusts it: `clew trust`.")
    else:
        remark("Nothing was written: `clew validate --init --yes` writes it.")


_SHOWN_MAX = 8


@click.command("validate", cls=CliCommand)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--init", "proposes", is_flag=True, help="Propose commands that fit the project, as a diff.")
@click.option("--yes", "-y", is_flag=True, help="With --init: write them.")
@click.option(
    "--since", metavar="REVISION", default="", help="Compare with this commit, not with HEAD or the phase's start."
)
@click.option("--all", "everything", is_flag=True, help="Report untouched files, too.")
@click.option("--keep-going", is_flag=True, help="Continue after a failure.")
@click.option("--ci", is_flag=True, help="On a CI machine: run commands that were never trusted.")
@json_option()
def command(
    names: tuple[str, ...], proposes: bool, yes: bool, since: str, everything: bool, keep_going: bool, ci: bool
) -> None:
    """Run the commands that check this project (`[[validate.commands]]` in `.clew/config.toml`), up to the first that
    fails, and show its first failure: test, location, assertion, both values.

    The last line is one of VALIDATION_OK (0), TEST_FAILURE, TIMED_OUT, KNOWN_FAILURE (3), NO_TEST_RAN, NOT_RUN (4) and
    CHECKS_WEAKENED (5). Only commands that a person trusted are run (`clew trust`). While a phase is under way its own
    commands run as well, and the result is recorded.
    """
    if yes and not proposes:
        raise click.UsageError("--yes needs --init")
    if proposes:
        if names or since or everything or ci:
            raise click.UsageError("--init can be combined with --yes and --json only")
        propose(write=yes)
        return
    if ci:
        check_unattended(wiring.below_client())
    request = ValidationRequest(names, since, everything, keep_going, ci)
    with Waiting("Running the checks"):
        found = validate_here(find_project(), request)
    say_notes(found.notes)
    present(found, lambda _: print_lines(told(found)))
    raise SystemExit(found.exit_code)


def told(found: Validation) -> list[str]:
    """The result as people and agents read it; the last line is for programs."""
    lines = [line for one in found.results for line in _result(one)]
    if found.weakened:
        lines.append("The checks were made weaker:")
        for one in found.weakened[:_SHOWN_MAX]:
            place = f"{one.path}:{one.line}: " if one.line else f"{one.path}: " if one.path else ""
            lines.append(f"  {place}{one.what}")
        if len(found.weakened) > _SHOWN_MAX:
            lines.append(f"  … and {len(found.weakened) - _SHOWN_MAX} more")
    if found.uncovered:
        named = ", ".join(found.uncovered[:_SHOWN_MAX])
        more = f" and {len(found.uncovered) - _SHOWN_MAX} more" if len(found.uncovered) > _SHOWN_MAX else ""
        lines.append(f"No command is about: {named}{more}")
    lines += [f"Not judged: {one}" for one in found.not_judged[:_SHOWN_MAX]]
    last = f"{found.word}: {found.reason}" if found.reason else found.word
    return [*lines, last]


def _result(one: CommandResult) -> list[str]:
    mark = {"passed": "ok", "skipped": "--"}.get(one.status, "no")
    line = f"{mark}  {one.name}: {one.status}"
    parts = [one.reason] if one.reason else []
    if one.run:
        parts += [count(one.tests, "test")] if one.tests is not None else []
        parts.append(f"{one.seconds:.1f} s")
    lines = [f"{line} ({', '.join(parts)})" if parts else line]
    lines += [f"    {row}" for row in one.failure]
    if one.reason == "not trusted":
        lines.append("    a person lets it run: `clew trust`, for a plan's own lines `clew plan approve`")
    if one.known:
        lines.append(f"    failed before the work began: {', '.join(one.known[:_SHOWN_MAX])}")
    if one.expected:
        lines.append(f"    failed as expected: {', '.join(one.expected[:_SHOWN_MAX])}")
    if one.mended:
        lines.append(
            f"    expected to fail, and passes now: {', '.join(one.mended[:_SHOWN_MAX])}: take it out of `expected`"
        )
    return lines
