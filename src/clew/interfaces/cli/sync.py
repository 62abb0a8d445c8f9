"""`clew sync`: the project's events, exchanged with other devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clew import wiring
from clew.app.project.opening import ProjectHandle
from clew.app.team.side import SyncOptions, SyncResult, SyncResults
from clew.app.team.sync import admit, serve, sync_folder, sync_joined, sync_ssh
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, here, present, say_notes
from clew.interfaces.cli.options import allow_options, json_option, wants_json
from clew.interfaces.cli.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

_STDIN, _STDOUT = 0, 1


@click.command("sync", cls=CliCommand)
@click.argument("where", metavar="[DIR | ssh HOST[:FOLDER]]", nargs=-1)
@click.option("--dry-run", is_flag=True, help="List what would leave, by task; exchange nothing.")
@click.option("--join", is_flag=True, help="The project over there is this one, under another id (a person).")
@click.option("--apart", is_flag=True, help="What a hub has of this repository is another project (a person).")
@click.option("--admit", "device", metavar="DEVICE", help="Let a device that called here exchange (a person).")
@click.option("--stdio", is_flag=True, help="Be the other end of `clew sync ssh`, in the folder named.")
@allow_options
@json_option()
def command(
    where: tuple[str, ...],
    dry_run: bool,
    join: bool,
    apart: bool,
    device: str | None,
    stdio: bool,
    allow: tuple[str, ...],
    why: str,
) -> None:
    """Exchange what was recorded with your other machines, or a colleague's: with all devices that use the folder DIR
    (a stick, a share, a synchronised drive), or with the clew on HOST. Without a word: every place joined before, hubs
    too (`clew join`).

    Decisions, questions, plans, phases, checkpoints and hand-offs travel; prompts, records of sessions and what rules
    read off them stay. Joining a place is a person's act. It is done when the other side has said what it holds.
    """
    if stdio:
        if len(where) > 1 or dry_run or device is not None or wants_json():
            raise click.UsageError("--stdio goes with nothing but a folder")
        with open(_STDIN, "rb", closefd=False) as source, open(_STDOUT, "wb", closefd=False) as sink:
            serve(ProjectHandle(wiring.ports(), here().joinpath(*where)), source, sink)
        return
    if device is not None:
        if where or dry_run or wants_json():
            raise click.UsageError("--admit goes with nothing else")
        name, peer = admit(find_project(), device)
        print(f"Admitted {name} ({one_line(clean(peer.name))}).")
        return
    with Waiting("Exchanging", after_s=1.0) as waiting:
        project = find_project(dry_run=dry_run)
        project = project._replace(ports=waiting.around(project.ports))
        results = _sync(project, where, SyncOptions(join, apart, allow, why, waiting.at))
    present(SyncResults(tuple(results)), _tell)


def _tell(found: SyncResults) -> None:
    for result in found.places:
        _say(result)


def _sync(project: ProjectHandle, where: Sequence[str], options: SyncOptions) -> list[SyncResult]:
    if not where:
        return sync_joined(project, options)
    if where[0] == "ssh" and len(where) == 2:
        return [sync_ssh(project, where[1], options)]
    if len(where) > 1 or where[0] == "ssh":
        raise click.UsageError("name one folder, or `ssh` and one host (./ssh is a folder of that name)")
    return [sync_folder(project, (project.folder / where[0]).resolve(), options)]


def _say(done: SyncResult) -> None:
    say_notes(done.notes)
    place = one_line(clean(done.place))
    if done.dry_run:
        print(f"{place}: {count(done.sent, 'event')} would leave, {done.received:,} would come.")
    elif done.sent or done.received:
        print(f"{place}: {done.sent:,} sent, {done.received:,} received; it confirmed that it holds them.")
    else:
        print(f"{place}: nothing new" + ("." if done.private else "; it holds what is here."))
    for share in done.tasks:
        title = one_line(clean(share.title)) or "of no task"
        print(f"  {share.events:>6,}  {title}")
    if done.unnamed:
        print(f"  {count(done.unnamed, 'task')} opened without a name, and not shared: `clew task rename` shares one.")
    if done.private:
        print(f"  {count(done.private, 'task')} from before or kept private: `clew task share` shares one.")
    if done.waiting:
        print(f"  {count(done.waiting, 'event')} came meanwhile: run it again.")
