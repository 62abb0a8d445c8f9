"""`clew rules`: the lines that tell an agent without hooks how to use clew, and rules proposed for a project."""

from __future__ import annotations

from pathlib import Path

import click

from clew import wiring
from clew.app.audit.rules_init import ProposedRules, propose_rules
from clew.app.launching.rules import Ruled, rules
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import aside, find_project, present, remark, say_notes
from clew.interfaces.cli.options import json_option

_SAID = {
    "written": "Put the block into",
    "removed": "Took the block out of",
    "present": "The block is in",
    "absent": "The block is not in",
}


class _RulesGroup(Group):
    """What names no command below it is the rules FILE that the block is for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        word = next((one for one in args if not one.startswith("-")), "")
        if word not in self.commands and not {"-h", "--help"}.intersection(args) and not ctx.resilient_parsing:
            args = ["block", *args]
        return super().parse_args(ctx, args)


command = _RulesGroup(
    "rules",
    help="""The lines that tell an agent without hooks how to use clew (`clew rules [FILE] …` is `clew rules block
[FILE] …`), and rules proposed for a project.
""",
)


@command.command("init", short_help="Propose a rules file for this project, as a diff.")
@click.option("--write", is_flag=True, help="Write it (a person).")
@click.option("--dry-run", is_flag=True, help="Write nothing (the default).")
@json_option()
def init(write: bool, dry_run: bool) -> None:
    """Propose AGENTS.md, or what the existing rules file lacks: hard constraints, how to make changes, the commands
    that check this project, style.

    Prints a diff. With --write it is applied, which only a person may do.
    """
    found = propose_rules(find_project(), write=write and not dry_run)
    present(found, _tell_proposed)


def _tell_proposed(found: ProposedRules) -> None:
    if found.diff:
        print("\n".join(clean(line) for line in found.diff.split("\n")))
    say_notes(found.notes)
    if found.written:
        remark(f"Written to {found.file}.")
    elif found.diff:
        remark("Nothing was written: `clew rules init --write` writes it.")
    else:
        remark(f"{found.file.name} lacks none of it: `clew audit rules` checks it.")


@command.command("block", short_help="Print the block, add it to a rules file, or remove it.")
@click.argument("file", metavar="[FILE]", type=click.Path(path_type=Path), required=False)
@click.option("--write", is_flag=True, help="Add them to the end of FILE, which must exist, between two marks.")
@click.option("--remove", is_flag=True, help="Remove them from FILE: it is as it was before.")
@json_option()
def block(file: Path | None, write: bool, remove: bool) -> None:
    """For agents that can run commands and have no hooks of clew: a few lines for the rules file that they read
    (AGENTS.md, GEMINI.md, .cursorrules …).

    Without --write and --remove nothing is changed: it prints the block and lists the rules files. It never creates a
    rules file. Running it again changes nothing.
    """
    if (write or remove) and file is None:
        raise click.UsageError("name the rules FILE")
    if write and remove:
        raise click.UsageError("--write and --remove exclude each other")
    project = find_project()
    done = rules(
        project,
        wiring.machine(),
        wiring.configurations(),
        project.folder / file if file is not None else None,
        wanted="write" if write else "remove" if remove else "look",
    )

    def tell(done: Ruled) -> None:
        if not write and not remove:
            print(done.block)
        for line in _told(done):
            (print if write or remove else aside)(one_line(clean(line)))
        say_notes(done.notes)

    present(done, tell)


def _told(done: Ruled) -> list[str]:
    """What was done in the file that was named, or which rules files there are."""
    if done.file is not None:
        return [f"{_SAID[done.did]} {done.file}."]
    told = []
    for one in done.files:
        has = "has the block" if one.has_block else f"can take it: clew rules {one.file} --write"
        hooked = f" (not needed by {', '.join(one.hooked)}: hooks of clew run there)" if one.hooked else ""
        told.append(f"{one.file} {has}{hooked}")
    return told or ["There is no rules file here."]
