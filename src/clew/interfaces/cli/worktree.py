"""`clew worktree`: work trees for independent work, merged when clean and valid, removed when they hold none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click
from msgspec.structs import replace

from clew import wiring
from clew.app import worktree
from clew.app.phase.checking import validate_here
from clew.app.project.opening import ProjectHandle
from clew.app.results import to_json
from clew.app.validate.validation import Validation, ValidationRequest
from clew.core.errors import ClewError, InputError, NotAllowed, NotFound
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import aside, here, present, print_lines, remark
from clew.interfaces.cli.options import json_option, wants_json
from clew.interfaces.cli.screen import show_table
from clew.interfaces.cli.validate import told
from clew.interfaces.cli.waiting import Waiting
from clew.workspace.repository import Repository, find
from clew.workspace.worktree_safety import Reason

_PORTS = "CLEW_PORT_OFFSET"
_GONE = (
    "If it was moved, `git worktree repair PATH` tells git where to; if it is deleted for good, `git worktree prune` "
    "has git forget it, and its branch stays."
)


@click.group("worktree", cls=Group)
def command() -> None:
    """Keep independent work apart, each in its own git work tree, on its own branch, with its own ports.

    They are in `.clew/worktrees`. One that holds work which is nowhere else is never removed.
    """


@command.command("list")
@json_option()
def list_command() -> None:
    """List the work trees here, and why each may not be removed."""
    present(worktree.trees(wiring.ports(), _repository()), _list)


def _list(found: worktree.TreeList) -> None:
    rows = []
    for one in found.worktrees:
        state = "; ".join(reason.text for reason in one.reasons) or "holds nothing that is not elsewhere"
        rows.append((one.name, one.on or "(no branch)", one.base or "?", state))
    show_table(("name", "branch", "for", "state"), rows, spare=(2, 1))
    if not rows:
        aside("There are no work trees. `clew worktree new NAME` makes one.")


@command.command("new", short_help="Create a work tree.")
@click.argument("name")
@click.option("--base", metavar="BRANCH", default="", help="The branch to merge into later; default: the current one.")
@json_option()
def new_command(name: str, base: str) -> None:
    """Create the work tree NAME in `.clew/worktrees`, on the new branch clew/NAME.

    Ignored files that `worktree.copy` names are copied, with their ports shifted as `worktree.ports` says. An
    interrupted creation is completed.
    """
    with Waiting("Checking out"):
        tree = worktree.create(wiring.ports(), _repository(), name, base=base)
    present(worktree.TreeRow.of(tree), _tell_new)


def _tell_new(tree: worktree.TreeRow) -> None:
    print(_plain(f"Made {tree.path} on {tree.branch}, for {tree.base}; ports are {tree.port_offset} higher there."))
    remark(f"`clew worktree open {tree.name}` goes there, `clew worktree merge {tree.name}` brings it back.")


@command.command("open", short_help="Open a shell in a work tree, or run a command there.")
@click.argument("name")
@click.argument("argv", metavar="[-- COMMAND…]", nargs=-1)
@click.option("--path", "only_path", is_flag=True, help="Only print its path.")
@json_option()
def open_command(name: str, argv: tuple[str, ...], only_path: bool) -> None:
    """Start your shell in the work tree NAME, or COMMAND; print its path if stdout is not a terminal.

    `CLEW_PORT_OFFSET` holds by how much its ports are shifted.
    """
    tree = worktree.tree_of(_repository(), name)
    if not tree.path.is_dir():
        raise NotFound(f"the folder of {name} is not there: {tree.path}", code="E-worktree-gone", hint=_GONE)
    if wants_json():
        print(to_json(worktree.TreeRow.of(tree)))
        return
    if only_path or not (argv or sys.stdout.isatty()):
        print(tree.path)
        return
    shell = os.environ.get("SHELL" if os.name == "posix" else "COMSPEC") or "/bin/sh"
    _started(argv or (shell,), tree.path, tree.port_offset)


@command.command("merge", short_help="Merge a work tree's work into its base.")
@click.argument("name")
@json_option()
def merge_command(name: str) -> None:
    """Merge the work tree NAME into its base, if it is clean, nothing conflicts, and `clew validate` passes on the
    result.

    If anything fails, both sides stay as they were.
    """
    ports = wiring.ports()
    found: list[Validation] = []

    def passes(folder: Path) -> bool:
        with Waiting("Running the checks"):
            found.append(validate_here(ProjectHandle(ports, folder), ValidationRequest()))
        return found[-1].exit_code == 0

    done = worktree.merge(ports, _repository(), name, validate=passes)
    if wants_json():
        print(to_json(replace(done, validation=found[-1] if found else None)))
        raise SystemExit(0 if done.outcome == "merged" else ClewError.exit_code)
    if found:
        print_lines(told(found[-1]))
    if done.outcome == "invalid" and found and found[-1].word == "NOT_RUN":
        raise InputError(
            f"nothing proves what {name} would make of {done.base}: {found[-1].reason}",
            code="E-worktree-invalid",
            hint=f"`clew validate` in {done.path} tells more; `git merge {done.branch}` is yours.",
        )
    if done.outcome != "merged":
        raise _failed(done)
    if done.commit == done.was:
        print(_plain(f"{done.base} has all of {name} already."))
        return
    print(_plain(f"Merged: {done.base} is at {done.commit[:10]} now. `clew worktree remove {name}` tidies up."))


def _failed(done: worktree.MergeResult) -> ClewError:
    if done.outcome == "conflict":
        return InputError(
            f"{done.name} and {done.base} changed the same lines: {_listed(done.files)}; neither was touched",
            code="E-worktree-conflict",
            hint=f"In {done.path}: `git merge {done.base}`, resolve and commit; then merge again.",
        )
    if done.outcome == "not clean":
        return InputError(
            f"{done.name} cannot be merged now: {_reasons(done.reasons)}",
            code="E-worktree-unclean",
            hint=f"Settle that in {done.path}, and merge again." if done.path.is_dir() else _GONE,
        )
    left = "" if done.undone else f"; {done.branch} has {done.base} merged in, since its files changed meanwhile"
    return InputError(
        f"what {done.name} would make of {done.base} does not pass its checks; {done.base} was not touched{left}",
        code="E-worktree-invalid",
        hint=f"Fix it in {done.path}, and merge again; `clew validate --init` proposes checks where there are none.",
    )


@command.command("remove", short_help="Remove a work tree that holds no work.")
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Show whether it would be removed; remove nothing.")
@json_option()
def remove_command(name: str, dry_run: bool) -> None:
    """Remove the work tree NAME and its branch, if nothing would be lost: no uncommitted file, no commit that is
    nowhere else, no phase under way, nobody in it. It cannot be forced.
    """
    done = worktree.remove(wiring.ports(), _repository(), name, dry_run=dry_run)
    what = f"{done.path} and the branch {done.branch}"
    if wants_json():
        print(to_json(done))
        raise SystemExit(ClewError.exit_code if done.reasons else 0)
    if done.reasons:
        raise NotAllowed(
            f"{name} stays: {_reasons(done.reasons)}",
            code="E-worktree-kept",
            hint=f"Commit and merge what is of use in {done.path}; delete the rest there by hand."
            if done.path.is_dir()
            else _GONE,
        )
    if not done.removed:
        print(_plain(f"Dry run, nothing was removed. It would remove {what}."))
        return
    print(_plain(f"Removed {what}."))
    if done.kept_refs:
        remark(_plain(f"Commits that were on no branch any more are kept as {', '.join(done.kept_refs)}."))


def _repository() -> Repository:
    found = find(here())
    if found is None:
        raise InputError("this folder is in no git repository", code="E-no-repository", hint="Go to one.")
    return found


def _started(argv: Sequence[str], folder: Path, offset: int) -> NoReturn:
    environment = {**os.environ, _PORTS: str(offset)}
    os.chdir(folder)
    sys.stdout.flush()
    try:
        if os.name == "posix":
            os.execvpe(argv[0], list(argv), environment)
        raise SystemExit(subprocess.call(argv, env=environment))
    except OSError as error:
        raise InputError(
            f"{one_line(clean(argv[0]))} cannot be started: {error.strerror}",
            code="E-worktree-command",
            hint="Name a program that is installed.",
        ) from error


def _reasons(reasons: Sequence[Reason]) -> str:
    return "; ".join(f"{one.text} ({_listed(one.paths)})" if one.paths else one.text for one in reasons)


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:3])
    return one_line(clean(f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown))


def _plain(text: str) -> str:
    return one_line(clean(text))
