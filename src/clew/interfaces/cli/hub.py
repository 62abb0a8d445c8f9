"""`clew hub`: running a hub on this machine, and looking after it. What runs is in `interfaces/hub/`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from clew import wiring
from clew.app.project.authority import require_person
from clew.app.team.hub import LEVELS, Forgot, Hub, HubStatus, make_hub
from clew.app.team.hub_database import HubDatabase, back_up, hub_place, migrate_hub, open_database
from clew.core.errors import InputError, Unavailable
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import count, here, present, remark
from clew.interfaces.cli.options import json_option

_LISTEN = "127.0.0.1:8765"

command = Group(
    "hub",
    help="""Run a hub: a server by which several people and machines exchange what was recorded.

Its data is a SQLite file, or in a PostgreSQL database. The commands beside `up` work on that data, on the machine where
it is, while the hub runs or not. Set-up: docs/guide/14-teams.md; what is promised: docs/reference/hub.md.
""",
)


def _place(command: Callable[..., None]) -> Callable[..., Any]:
    """`--sqlite` and `--postgres`, given as `data`: the address that was named, "" none."""

    @wraps(command)
    def run(*, sqlite: str, postgres: str, **given: Any) -> None:
        if sqlite and postgres:
            raise click.UsageError("--sqlite and --postgres are two places; say one")
        command(data=postgres or (str((here() / sqlite).absolute()) if sqlite else ""), **given)

    file = click.option(
        "--sqlite",
        metavar="FILE",
        default="",
        help="Where its data is: a file (default: hub.db among your clew files).",
    )
    return file(click.option("--postgres", metavar="DSN", default="", help="Where its data is: postgres://…")(run))


@command.command("up", short_help="Run the hub.")
@_place
@click.option("--listen", metavar="HOST:PORT", default=_LISTEN, help="Where it listens.")
@click.option("--owner", metavar="NAME", default="", help="The first person (default: your user's name).")
@click.option("--url", metavar="URL", default="", help="By which address people reach it, for the line to join by.")
def up(data: str, listen: str, owner: str, url: str) -> None:
    """Run the hub until it is interrupted. The first time it makes its data, and prints the line by which its owner
    joins. It listens on this machine only, unless told otherwise; TLS is the business of a reverse proxy.
    """
    host, _, port = listen.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise click.UsageError(f"--listen {listen!r} is not HOST:PORT")
    if find_spec("uvicorn") is None or find_spec("starlette") is None:
        raise Unavailable(
            "a hub needs the packages `starlette` and `uvicorn`, which are not installed",
            code="E-hub-extra",
            hint="Install clew with them, from its checkout: `pipx install '.[web]'`.",
        )
    from clew.interfaces.hub.server import listening, server

    ports = wiring.ports()
    with _database(data) as database:
        database.hold()
        hub, code = make_hub(
            database, owner or ports.actor or "owner", now_ms=ports.now_ms, chance=ports.chance, deep=ports.deep_scan
        )
        try:
            listener = listening(host.strip("[]"), int(port))
        except OSError as error:
            raise InputError(
                f"the hub cannot listen on {listen}: {error.strerror}",
                code="E-hub-listen",
                hint="Name another port: `clew hub up --listen 127.0.0.1:8766`.",
            ) from error
        with listener:
            at = url.rstrip("/") or f"http://{host}:{listener.getsockname()[1]}"
            hub_place(_memory(), url=at)
            print(f"The hub is at {at}; its data is in {database.place}.")
            if code:
                print(f"To join as its owner, within 15 minutes:\n  clew join {at}#{code}")
            sys.stdout.flush()
            server(hub).run(sockets=[listener])


@command.command("invite", short_help="Make a code by which somebody joins (a person).")
@click.argument("name", metavar="NAME")
@click.option("--project", "projects", metavar="PROJECT", multiple=True, help="What it is for; may be repeated.")
@click.option("--rights", type=click.Choice(LEVELS[1:]), default="write", help="What NAME may do there.")
@click.option(
    "--url", metavar="URL", default="", help="By which address people reach it (default: that of the last `up`)."
)
@_place
def invite(name: str, projects: tuple[str, ...], rights: Any, url: str, data: str) -> None:
    """Print the line by which NAME joins: a new person, or one more device of somebody's. It counts once, for 15
    minutes. Nobody may do anything with a project until that is said, here or by `clew hub rights`.
    """
    with _hub(data) as hub:
        _require(f"{name}: {rights} {', '.join(projects)}" if projects else name)
        code = hub.invite(name)
        for project in projects:
            _, title = hub.grant(name, project, rights)
            print(f"{name} may {rights} {one_line(clean(title))}.")
        at = url.rstrip("/") or hub_place(_memory()).url or f"http://{_LISTEN}"
        print(f"Within 15 minutes:\n  clew join {at}#{code}")


@command.command("people", short_help="List people, their devices and rights.")
@_place
def people(data: str) -> None:
    """List the people of the hub, what each may do, and their devices."""
    with _hub(data) as hub:
        for person in hub.status().people:
            rights = ", ".join(person.rights) or ("no project yet" if person.owner else "no rights")
            print(one_line(clean(f"{person.name}{' (owner)' if person.owner else ''}: {rights}")))
            for device in person.devices:
                state = f"revoked {device.revoked[:10]}" if device.revoked else f"seen {device.seen[:16]} UTC"
                print(f"  {device.id}  {one_line(clean(device.name))}, {state}")


@command.command("revoke", short_help="End a device's key, or all of a person (a person).")
@click.argument("who", metavar="DEVICE|NAME")
@_place
def revoke(who: str, data: str) -> None:
    """End the key of a device (its id or the beginning), or all keys of the person NAME, at once. What came from them
    stays.
    """
    with _hub(data) as hub:
        _require(who)
        for device in hub.revoke(who):
            print(f"Revoked {device.id} ({one_line(clean(device.name))}).")


@command.command("rights", short_help="Say what a person may do with a project (a person).")
@click.argument("name", metavar="[NAME]", required=False)
@click.argument("project", metavar="PROJECT", required=False)
@click.argument("level", metavar="[none|read|write|own]", type=click.Choice(LEVELS), required=False)
@click.option("--session-days", type=click.IntRange(0, 3650), help="Keep sessions of PROJECT so long; 0: always.")
@_place
def rights(name: str | None, project: str | None, level: Any, session_days: int | None, data: str) -> None:
    """Say what NAME may do with PROJECT (its id or title) from now on. Nobody may do anything until it is said."""
    with _hub(data) as hub:
        if name and session_days is not None and project is None:
            _require(name)
            _, title = hub.keep_sessions(name, session_days)
            print(
                f"Sessions of {one_line(clean(title))} are kept {f'{session_days} days' if session_days else 'always'}."
            )
            return
        if not (name and project and level):
            raise click.UsageError("say NAME, PROJECT and one of none, read, write, own; or PROJECT and --session-days")
        _require(f"{name}: {level} {project}")
        one, title = hub.grant(name, project, level)
        print(f"{name} may {'do nothing with' if level == 'none' else level} {one_line(clean(title))} ({one}).")


@command.command("forget", short_help="Take out what a person said, or all of a task (a person).")
@click.argument("what", metavar="NAME|TASK")
@_place
def forget(what: str, data: str) -> None:
    """Take out of the hub what the person NAME said, with devices and rights, or all that was said of the task with the
    id TASK, and count what is left. Devices keep what they have, and the hub does not take it again.
    """
    with _hub(data) as hub:
        _require(what)
        is_task = what.startswith("T-") and len(what) == 18
        found: Forgot = hub.forget_task(what) if is_task else hub.forget_person(what)
    gone = ", ".join([count(found.events, "event"), count(found.devices, "device"), count(found.sessions, "session")])
    print(f"Forgot {one_line(clean(what))}: {gone}. Left: {found.left}.")
    if found.mentions:
        remark(f"note: {count(found.mentions, 'event')} of others still name it.")
    remark("note: Devices and backups keep what they have.")


@command.command("status", short_help="Show what the hub keeps.")
@_place
@json_option()
def status(data: str) -> None:
    """Show the hub's projects, people and version."""
    with _hub(data) as hub:
        present(hub.status(), _show)


def _show(found: HubStatus) -> None:
    print(f"hub {found.id}, schema {found.schema}, in {found.place}")
    for one in found.projects:
        kept = f", for {count(one.session_days, 'day')}" if one.session_days else ""
        told = f"{count(one.events, 'event')}, {count(one.sessions, 'session')}{kept}"
        print(one_line(clean(f"  {one.id}  {one.title}: {told}")))
    devices = sum(not device.revoked for person in found.people for device in person.devices)
    print(f"  people: {len(found.people)}, devices: {devices}")


@command.command("migrate", short_help="Bring the hub's data to this version of clew (a person).")
@click.option(
    "--backup", metavar="FILE", default="", help="Where the copy from before goes (default: beside the data)."
)
@click.option("--dry-run", is_flag=True, help="Say what would be done.")
@_place
def migrate(backup: str, dry_run: bool, data: str) -> None:
    """Bring the hub's data to this version of clew, after a backup. Nothing else does: a hub whose data is older says
    so and does not start. End the hub before.
    """
    with _database(data) as database:
        ports = wiring.ports()
        if not dry_run:
            _require(f"migrate {database.place}")
        own = ports.trust_store.with_name(f"hub-before-{ports.now_ms()}.db")
        file = here() / backup if backup else own
        before, after = migrate_hub(database, file, dry_run=dry_run)
    if before >= after:
        print(f"Nothing to do: the schema is {before}.")
    elif dry_run:
        print(f"It would copy the data to {file}, then bring it from schema {before} to {after}.")
    else:
        print(f"Brought from schema {before} to {after}. The data from before is in {file}.")


@command.command("backup", short_help="Copy the hub's data into a file, or fill a new hub from one.")
@click.argument("file", metavar="FILE")
@click.option("--restore", is_flag=True, help="The other way: fill the hub, which must be empty, from FILE (a person).")
@_place
def backup(file: str, restore: bool, data: str) -> None:
    """Copy all data of the hub into the new FILE, while it runs or not. FILE is the data of a hub itself: `clew hub up
    --sqlite FILE` runs it. After a hub was restored devices send again what came since.
    """
    path = here() / file
    with _database(data) as database:
        if not restore:
            back_up(database, path)
            print(f"Copied {database.place} to {path}.")
            return
        _require(f"fill {database.place} from {path}")
        if not path.is_file():
            raise InputError(f"{path} is no file", code="E-hub-there", hint="Name a file that `clew hub backup` wrote.")
        source = open_database(str(path))
        try:
            database.fill(source)
        finally:
            source.close()
        print(f"Filled {database.place} from {path}.")


@contextmanager
def _database(data: str) -> Iterator[HubDatabase]:
    database = open_database(hub_place(_memory(), data).address)
    try:
        yield database
    finally:
        database.close()


@contextmanager
def _hub(data: str) -> Iterator[Hub]:
    ports = wiring.ports()
    with _database(data) as database:
        yield Hub(database, now_ms=ports.now_ms, chance=ports.chance)


def _memory() -> Path:
    """The file that says where the hub of this machine is."""
    return wiring.ports().trust_store.with_name("hub.json")


def _require(about: str) -> None:
    ports = wiring.ports()
    require_person(ports.channel(), "hub", about=lambda: about)
