"""Exchanging a project's events with other devices: by a shared folder, a hub, or over ssh."""

import os
import shlex
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from clew.app.project import Outcome
from clew.app.project.authority import require_person
from clew.app.project.device import Peer, load_device, save_device
from clew.app.project.opening import ProjectHandle
from clew.app.tasks import lifecycle as tasks
from clew.app.team.shared_folder import SharedFolder, exchange_by_folder, find_projects
from clew.app.team.side import HUB_WAY, SYNC_AS_USUAL, Side, SyncOptions, SyncResult
from clew.core.errors import ClewError, InputError, NotFound
from clew.ledger.exchange import (
    MESSAGE_BYTES_MAX,
    Exchanged,
    Holdings,
    Talk,
    answer_call,
    call,
    decode_message,
    encode_message,
    refusal_of,
)
from clew.workspace.atomic import alone

SSH_VARIABLE: Final = "CLEW_SSH"
_ADMIT: Final = "admit a device: what it says counts as said by whom it names"


def sync_folder(project: ProjectHandle, shared: Path, options: SyncOptions = SYNC_AS_USUAL) -> SyncResult:
    """Exchange with all devices that use the folder `shared` (absolute).

    The first time is a person's to say. Raises `NotAllowed`, `NotFound`, `InputError`, `LedgerError`, OSError.
    """
    if not shared.is_dir():
        raise NotFound(
            f"{shared} is no folder",
            code="E-sync-place",
            hint="Make it, or attach its disk; clew makes only what is below it.",
        )
    with Side.open(project, str(shared), options) as side:
        known = "" if options.join else side.place.project
        side.agree(known or side.choose(find_projects(shared)))
        part = SharedFolder(shared / "clew" / side.place.project, side.place.project, side.device.id)
        for name, peer in part.peers().items():
            side.device.meet(name, peer)
        if not project.dry_run:
            side.save()
            part.introduce(side.introduction)
        done, left = exchange_by_folder(
            side.store, part, side.place, dry_run=project.dry_run, progress=options.progress
        )
        for name in left:
            side.at.note(f"{name} is not whole, or not whole yet: it was passed over.")
        return side.finish(done, part.sizes())


def sync_ssh(project: ProjectHandle, target: str, options: SyncOptions = SYNC_AS_USUAL) -> SyncResult:
    """Exchange with the clew at `target`, HOST or HOST:FOLDER: over the input and output
    of `ssh HOST clew sync --stdio`.

    Without a FOLDER it is the same as here, below the home over there if it is below the home here. `CLEW_SSH` is
    another command for ssh. Raises as `sync_folder` does.
    """
    host, _, there = target.partition(":")
    if not host or host.startswith("-"):
        raise InputError(
            f"{target!r} names no host",
            code="E-sync-place",
            hint="Say `clew sync ssh HOST` or `clew sync ssh HOST:FOLDER`.",
        )
    with Side.open(project, f"ssh {target}", options) as side:
        words = shlex.split(project.ports.environment.get(SSH_VARIABLE, "")) or ["ssh"]
        where = there or _below_home(side.at.location.root, project.ports.environment.get("HOME", ""))
        remote = f"clew sync --stdio {shlex.quote(where)}"
        try:
            process = subprocess.Popen(
                [*words, host, remote],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=dict(project.ports.environment),
            )
        except OSError as error:
            raise InputError(
                f"{words[0]} cannot be started: {error.strerror}",
                code="E-sync-place",
                hint=f"Install ssh, or name another command in {SSH_VARIABLE}.",
            ) from error
        assert process.stdin is not None and process.stdout is not None
        talk = call(side.store, side.hello(), side.meet, dry_run=project.dry_run)
        try:
            done = _run(talk, process.stdout, process.stdin, options.progress)
        finally:
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    stream.close()
            process.wait()
        return side.finish(done, {})


def joined_hubs(exchange_file: Path) -> dict[str, str]:
    """The addresses of the hubs that a project has joined, each with the time of the last exchange that it confirmed
    ("" none). Raises `LedgerError`.
    """
    told = ((*name.partition(" "), place.confirmed_at) for name, place in load_device(exchange_file).places.items())
    return {url: confirmed_at for way, _, url, confirmed_at in told if way == HUB_WAY}


def sync_joined(project: ProjectHandle, options: SyncOptions = SYNC_AS_USUAL) -> list[SyncResult]:
    """Exchange with every place that was joined, in turn. Raises `NotFound` where there is none."""
    with project.open(write=False) as at:
        places = list(load_device(at.location.exchange_file).places)
    if not places:
        raise NotFound(
            "this project exchanges with no place yet",
            code="E-sync-place",
            hint="Name one: `clew sync DIR` for a folder that devices share, `clew sync ssh HOST` for another machine; "
            "`clew join URL` for a hub.",
        )
    results = []
    for place in places:
        way, _, target = place.partition(" ")
        if place.startswith(os.sep):
            results.append(sync_folder(project, Path(place), options))
        elif way == HUB_WAY:
            from clew.app.team.hub_client import sync_hub  # here: it loads HTTP

            results.append(sync_hub(project, target, options))
        else:
            results.append(sync_ssh(project, target, options))
    return results


def serve(project: ProjectHandle, source: IO[bytes], sink: IO[bytes]) -> Exchanged:
    """Be the other end of `sync_ssh`: answer on `sink` to what comes from `source`.

    Only a device that a person here admitted is answered. Raises as `sync_folder` does, after the other side was told.
    """
    try:
        with Side.open(project, "", SyncOptions()) as side:
            talk = answer_call(side.store, side.answer)
            done = _run(talk, source, sink, lambda _: None)
            side.save()
            return done
    except ClewError as error:
        with suppress(OSError):
            sink.write(encode_message(refusal_of(error)))
            sink.flush()
        raise


def admit(project: ProjectHandle, wanted: str) -> tuple[str, Peer]:
    """Let the device that `wanted` begins the id of exchange by way of `serve`. Only a person may.

    Raises `NotAllowed`, `NotFound` (E-sync-device).
    """
    with project.open(write=True, spool=False) as at, alone(at.location.exchange_file):
        device = load_device(at.location.exchange_file)
        found = [
            one
            for one, peer in device.peers.items()
            if wanted and (one.startswith(wanted.upper()) or peer.name == wanted)
        ]
        if len(found) != 1:
            known = ", ".join(f"{one} ({peer.name})" for one, peer in device.peers.items()) or "none"
            raise NotFound(
                f"{wanted!r} names {'no device' if not found else 'several devices'} that called here",
                code="E-sync-device",
                hint=f"Known are: {known}. A device is known after its first `clew sync ssh`.",
            )
        peer = device.peers[found[0]]
        require_person(project.ports.channel(), "bundle", _ADMIT, about=lambda: f"{peer.name} {found[0]}")
        peer.admitted = True
        save_device(at.location.exchange_file, device)
        return found[0], peer


def share_task(project: ProjectHandle, wanted: str | None, *, private: bool = False) -> Outcome:
    """Let a task go to the places where this project is exchanged, though it was there before they were joined, or
    (`private`) keep it here. A person shares it. Raises `InputError` (E-task-shared) where it went already.
    """
    with project.open(write=True, spool=False) as at:
        task = tasks.named_task(at, wanted)
        places = load_device(at.location.exchange_file).places if private else {}
        for name, place in places.items():
            there = Holdings(at.ledger, place.since).travelling(place.position)
            if place.confirmed_at and task.id in there.values():
                raise InputError(
                    f"{at.short(task.id)} is at {name} already",
                    code="E-task-shared",
                    hint="What others have cannot be called back. `clew redact` takes words out, there too.",
                )
        if not private:
            at.require_person("leave", "let a task go to others", of=task.id)
        events = [at.event("task.shared", {"task": task.id, "shared": not private}, task="")]
        said = "{} stays on this machine" if private else "{} goes to others with the next `clew sync`"
        return tasks.done(at, events, task.id, f"{said}: {task.title}", "clew task list" if private else "clew sync")


def _run(talk: Talk, source: IO[bytes], sink: IO[bytes], progress: Callable[[str], None]) -> Exchanged:
    """Let a talk go on over two streams until it ends. Raises `ClewError`."""
    progress("with the other side")
    try:
        sending = next(talk)
        while True:
            with suppress(OSError):  # what it said before it went is read below
                sink.writelines(map(encode_message, sending))
                sink.flush()
            sending = talk.send(decode_message(source.readline(MESSAGE_BYTES_MAX)))
    except StopIteration as end:
        done: Exchanged = end.value
        return done


def _below_home(root: Path, home: str) -> str:
    return str(root.relative_to(home)) if home and root.is_relative_to(home) else str(root)
