"""`clew init`: make this folder a project."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import click

from clew import wiring
from clew.app.health.doctor import losses
from clew.app.importing.adopt import Adopted, AdoptionOffer, Offers, adopt, offers, title_for
from clew.app.install.init import take_in_rest
from clew.app.install.setup import Choices, Scope, SetUp, set_up
from clew.app.project.opening import ProjectHandle
from clew.app.results import to_json
from clew.clients.registry import CLIENTS
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.asking import at_terminal, confirmed
from clew.interfaces.cli.drafting import choose
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, of_kind, say_notes
from clew.interfaces.cli.options import json_option, wants_json
from clew.interfaces.cli.uninstall import told
from clew.interfaces.cli.waiting import Waiting
from clew.ledger.postgres.address import shown

_KINDS_MAX = 3
# So long may the sessions that are left take; what remains then is imported when sessions begin and end.
_BEHIND_S = 3600


class Adoption(NamedTuple):
    """What was found, and what was imported (None: nothing, nobody said so)."""

    offers: Offers
    adopted: Adopted | None


def adopting(project: ProjectHandle, *, yes: bool, quiet: bool) -> Adoption:
    """Offer what lies around in the project of `folder`, and take it in if a person at the terminal, or `yes`, says so.

    `quiet`: print nothing to stdout, and ask nothing.
    """
    found = offers(project)
    useful = [one for one in found.found if one.brings]
    title = one_line(clean(title_for(project, useful)))
    if not quiet:
        for line in _offered(found):
            print(line)
        if title and (project.dry_run or not yes):
            print(f"No task is bound here: a task “{title}” would be opened for it.")
    if project.dry_run or not useful or not (yes or (not quiet and _agreed(len(useful)))):
        return Adoption(found, None)
    done = adopt(project, useful)
    for line in _adopted(done) if not quiet else ():
        print(line)
    if done.left:
        names = ", ".join(one.name for one in done.left)
        say_notes([f"{names} came with the repository: a person takes that in (`clew init --adopt` at a terminal)."])
    if done.opened:
        say_notes(done.opened.notes)
    if done.taken:
        say_notes(done.taken.notes)
    return Adoption(found, done)


def _agreed(number: int) -> bool:
    """Whether a person at the terminal wants that; without one the answer is no."""
    if not at_terminal():
        say_notes(["Nothing was imported: at a terminal you are asked, --yes says so beforehand."])
        return False
    return confirmed(f"Import {count(number, 'file')}?")


def _offered(found: Offers) -> Iterator[str]:
    useful = [one for one in found.found if one.brings]
    rest = len(found.found) - len(useful) - sum(bool(one.problem) for one in found.found)
    if not useful:
        known = f": {count(rest, 'file')} known already" if rest else ""
        yield f"Nothing else to import{known}."
    for one in useful:
        yield one_line(clean(f"Found {one.name} ({one.sort}, {_size(one.size)}{_origin(one)}): {_brings(one)}"))
    for one in found.found:
        if one.problem:
            yield one_line(clean(f"Found {one.name}, which cannot be imported: {one.problem}"))
    if found.more:
        yield "There are more such files; `clew import FILE` imports any."


def _origin(one: AdoptionOffer) -> str:
    return ", came with the repository" if one.brought else ""


def _brings(one: AdoptionOffer) -> str:
    if one.reading is None:
        return "what is in it shows once this is a project"
    kinds = Counter({kind: number for kind, number in one.new.items() if kind != "note"})
    told = [of_kind(number, kind) for kind, number in kinds.most_common(_KINDS_MAX)]
    told += [f"{kinds.total() - sum(n for _, n in kinds.most_common(_KINDS_MAX)):,} more"] * (len(kinds) > _KINDS_MAX)
    notes = one.new.get("note", 0)
    told += [count(notes, "note")] if notes else []
    changed = sum(entry.did == "changed" for entry in one.reading.entries)
    told += [f"{changed:,} changed"] if changed else []
    return ", ".join(told)


def _adopted(done: Adopted) -> Iterator[str]:
    if done.opened:
        yield one_line(clean(f"{done.opened.said}."))
    for document in done.taken.documents if done.taken else ():
        new = sum(one.did == "new" for one in document.entries)
        yield one_line(clean(f"Imported {document.file}: {count(new, 'item')}."))


def _size(number: int) -> str:
    return f"{number / 1024:.1f} KiB" if number >= 1024 else count(number, "byte")


@click.command("init", cls=CliCommand)
@click.option("--dry-run", is_flag=True, help="Show what would be created, with the exact changes; create nothing.")
@click.option(
    "--client",
    "named",
    type=click.Choice([*CLIENTS, "all", "none"]),
    multiple=True,
    help="Whose settings get the hooks; may be repeated; default: each client that you have.",
)
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    help="Your own settings, or in this repository whatever works on any machine.",
)
@click.option("--statusline", is_flag=True, help="Add a status line, too, if there is none.")
@click.option(
    "--ledger",
    "server",
    metavar="ADDRESS",
    default="",
    help="Keep the ledger in a PostgreSQL database (postgres://USER@HOST/DATABASE) instead of a file; also brings one "
    "that an older clew made to this one's schema.",
)
@click.option("-v", "--verbose", is_flag=True, help="Name every file that is made.")
@click.option("--adopt", is_flag=True, help="Also offer hand-offs, plans and notes that lie here, to be taken in.")
@click.option("--yes", is_flag=True, help="Ask nothing: with --adopt take them in; hand-offs as built in.")
@json_option("What was done, as JSON (docs/reference/json.md).")
def command(
    dry_run: bool,
    named: tuple[str, ...],
    scope: Scope,
    statusline: bool,
    server: str,
    adopt: bool,
    yes: bool,
    verbose: bool,
) -> None:
    """Make this repository (or folder) a project: create its identity and ledger, add hooks to your own settings so
    that your agents' sessions use it, and import the sessions that were recorded here.

    All work trees of a repository share one ledger, and whoever has the same `.clew/config.toml` works on the same
    project. Running it again changes nothing. In folders without `clew init` a hook ends at once. `clew uninstall`
    takes everything out of your settings again.
    """
    project = find_project(dry_run=dry_run)
    if "none" in named and len(named) > 1:
        raise click.UsageError("--client none cannot be combined with another client")
    clients = CLIENTS if "all" in named else tuple(name for name in named if name != "none") if named else None
    with Waiting("Looking for sessions" if dry_run else "Taking in sessions") as waiting:
        done = set_up(
            project,
            wiring.machine(),
            wiring.installers(),
            Choices(clients, scope, statusline, server),
            find_program=shutil.which,
            progress=lambda taken, left: waiting.at(f"({taken:,} done, {left:,} left; Ctrl-C leaves them for later)"),
        )
    say_notes(done.notes)
    if not wants_json():
        every = verbose or dry_run
        for line in _told(done, _hooked(done, project.ports.redact, every=every), every=every):
            print(line)
        for line in losses(project, wiring.configurations()):
            print(line)
    asked = adopting(project, yes=yes, quiet=wants_json()) if adopt else None
    if done.clients and not (yes or dry_run or wants_json()):
        for line in choose():
            print(line)
    if wants_json():
        print(to_json(done.result(*(asked or ()))))
    if done.project.left:
        _go_on(project)


def _go_on(project: ProjectHandle) -> None:
    """Have the sessions that are left imported without anybody waiting; whoever ends that loses nothing."""
    from clew.interfaces.hook.wire import behind  # here: Windows has no `posix`

    sys.stdout.flush()
    sys.stderr.flush()
    own = os.getpid()
    if not behind():
        return
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_BEHIND_S)
        take_in_rest(project)
    finally:
        if os.getpid() != own:
            os._exit(0)


def _hooked(done: SetUp, redact: Callable[[str], str], *, every: bool) -> list[str]:
    """What was done for the clients: their settings by name, our own files too if `every` one is to be told."""
    would = done.project.dry_run
    kept = {change.path: change for one in done.installed for change in one.kept}  # of all clients, each file once
    changes = [change for one in done.installed for change in one.changes]
    named = [change for change in (*changes, *kept.values()) if every or change.settings]
    lines = list(told(named, would=would, redact=redact))
    if folded := len(changes) + len(kept) - len(named):
        lines.append(f"Made {count(folded, 'file')} of clew's own for {', '.join(done.clients)} (-v names them).")
    if done.live is not None:
        lines += [one_line(clean(f"{'Would make' if would else 'Made'} {done.live}"))] if every else []
        lines.append(f"{'Would let' if would else 'Let'} sessions in {done.project.plan.location.root} use it.")
    if done.clients and not lines:
        lines.append(f"Already installed for {', '.join(done.clients)}.")
    return lines


def _told(made: SetUp, hooked: list[str], *, every: bool) -> list[str]:
    """What was done, a sentence a line, and what to run next."""
    done = made.project
    location, would = done.plan.location, done.dry_run
    place = shown(done.plan.server) if done.plan.server else location.ledger
    lines = []
    if done.plan.joins and done.made:
        lines.append(f"{'Would join' if would else 'Joined'} the project that {place} keeps.")
    if done.made and not every:
        lines.append(f"Made {location.root} a project; its ledger is {place}.")
    else:
        lines += [f"{'Would make' if would else 'Made'} {path}" for path in done.made]
    if done.plan.alias:
        verb = "Would join" if would else "Joined"
        lines.append(f"{verb} the project {done.plan.alias} of .clew/config.toml with this one, {done.project}.")
    if not done.made and not done.plan.alias:
        lines.append(f"{location.root} is a project already; its ledger is {place}.")
    lines = [*(one_line(clean(line)) for line in lines), *hooked]
    if would:
        return [*lines, f"Would look at {count(done.sessions, 'session file')}."]
    lines.append(f"Imported {count(done.sessions, 'session')}." if done.sessions else "No session was waiting.")
    if done.checkpoint is not None:
        lines.append(one_line(clean(f"Created checkpoint {done.checkpoint.name} ({done.checkpoint.reason}).")))
    if done.made and not done.sessions:  # `clew resume` would have nothing to print
        lines.append('Next: work with an agent here, or say what you want: `clew note goal "…"`.')
    else:
        lines.append("Next: `clew status` shows what is known, `clew resume` prints what a new session needs.")
    if made.commands:
        lines.append(f"In {', '.join(made.clients)} you type {', '.join(made.commands)}.")
        lines.append("Clients that are open take it up at their next start.")
    return lines
