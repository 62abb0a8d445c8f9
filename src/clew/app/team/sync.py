"""Exchanging a project's events with other devices: by a shared folder, a hub, or over ssh."""

import os
import shlex
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Final, NamedTuple

import msgspec

from clew.app.project.authority import require_person
from clew.app.project.device import Peer, SyncPlace, are_keys, load_device, save_device
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.tasks import lifecycle as tasks
from clew.app.team.side import HUB_WAY, SYNC_AS_USUAL, Side, SyncOptions, SyncResult
from clew.app.team.store import LedgerStore
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.state.events import Event
from clew.ledger.bundle import export_bundle, import_bundle
from clew.ledger.exchange import (
    MESSAGE_BYTES_MAX,
    Exchanged,
    Holdings,
    Talk,
    answer_call,
    call,
    decode_message,
    encode_message,
    fingerprint,
    refusal_of,
)
from clew.ledger.memory import MemoryLedger
from clew.workspace.atomic import alone, delete, make_folder, replace
from clew.workspace.streaming import converse

SSH_VARIABLE: Final = "CLEW_SSH"
_ADMIT: Final = "admit a device: what it says counts as said by whom it names"


_EVENTS: Final = ".events"
_DEVICE: Final = ".device"
_DEVICE_BYTES_MAX: Final = 1 << 16
# So many files of its own a device leaves; then it makes one of them.
_OWN_FILES_MAX: Final = 16
# Who shares a folder with others by its rights wants them to read it.
_MODE: Final = 0o640


class SharedFolder(NamedTuple):
    """The part of a shared folder (a stick, a network share, a synchronised drive) that is the project's, as the device
    `device` uses it: `root` is `clew/PROJECT/` in it.

    There lie for each device `ID.device` (its name and key) and any number of `ID-HASH.events`, each a bundle that is
    written whole under another name first, and never changed. Together they are a set of events, to which each device
    adds what is missing. One that is cut, doubled or renamed does no harm: what cannot be read is missing, and whoever
    has it adds it again.
    """

    root: Path
    project: str
    device: str

    def introduce(self, peer: Peer) -> None:
        """Tell the others who this device is. Raises OSError."""
        make_folder(self.root)
        told = msgspec.json.encode({"name": peer.name, "key": peer.key, "others": peer.others}) + b"\n"
        path = self.root / f"{self.device}{_DEVICE}"
        if not path.is_file() or path.read_bytes() != told:
            replace(path, told, mode=_MODE)

    def peers(self) -> dict[str, Peer]:
        """The other devices that use the folder. What is no such file is passed over."""
        found = {}
        for path in self._files(_DEVICE):
            try:
                with path.open("rb") as file:
                    peer = msgspec.json.decode(file.read(_DEVICE_BYTES_MAX), type=Peer)
            except (OSError, ValueError):
                continue
            if path.stem != self.device and are_keys([peer.key, *peer.others]):
                found[path.stem] = Peer(peer.name, peer.key, peer.others)
        return found

    def sizes(self) -> dict[str, int]:
        """The files of events with their sizes."""
        return {path.name: path.stat().st_size for path in self._files(_EVENTS)}

    def read(self, name: str) -> dict[str, Event] | None:
        """The events in a file by their ids; None for one that is gone or not whole."""
        ledger = MemoryLedger(self.project)
        try:
            with (self.root / name).open("rb") as lines:
                import_bundle(lines, ledger, ceiling="human", now="")
        except (OSError, ClewError):
            return None
        return {event.id: event for _, event in ledger.events()}

    def read_raw(self, name: str) -> str:
        """What can be read of a file that is not whole."""
        try:
            return (self.root / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def write(self, owner: str, events: Iterable[Event]) -> tuple[str, dict[str, Event]]:
        """A file of these events for the device `owner`: its name, and what it holds when it is read again. Raises
        OSError, `InputError` (E-sync-unconfirmed).
        """
        ledger = MemoryLedger(self.project)
        keys: set[str] = set()
        for event in events:
            ledger.append([event if event.key not in keys else event._replace(key=event.id)])
            keys.add(event.key)
        data = b"".join(export_bundle(ledger))
        name = f"{owner}-{blake2b(data, digest_size=8).hexdigest()}{_EVENTS}"
        replace(self.root / name, data, mode=_MODE)
        held = self.read(name)
        if held is None or held.keys() != {event.id for _, event in ledger.events()}:
            raise _unconfirmed(self.root / name)
        return name, held

    def drop(self, names: Iterable[str]) -> None:
        """Let go of files whose events are in others. Raises OSError."""
        for name in names:
            delete(self.root / name)

    def _files(self, ending: str) -> list[Path]:
        if not self.root.is_dir():
            return []
        found = [path for path in self.root.iterdir() if path.suffix == ending and not path.name.startswith(".")]
        return sorted(path for path in found if stat.S_ISREG(path.lstat().st_mode))


def find_projects(folder: Path) -> list[str]:
    """The projects that have a part in a shared folder."""
    place = folder / "clew"
    return sorted(path.name for path in place.iterdir() if path.is_dir()) if place.is_dir() else []


def exchange_by_folder(
    store: LedgerStore,
    shared: SharedFolder,
    known: SyncPlace,
    *,
    dry_run: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Exchanged, tuple[str, ...]]:
    """Take what is new in the folder, add what it lacks, and read it again; and the files that are not whole.

    `known` is what the last exchange found. Raises OSError, `ClewError` as `LedgerStore` does, E-sync-unconfirmed.
    """
    mine = store.holdings.travelling()
    if known.files and shared.sizes() == known.files and fingerprint(mine) == known.holds:
        return Exchanged((), (), frozenset(mine), confirmed=not dry_run), ()
    contents, damaged = _read_all(shared, progress)
    events = {name: event for content in contents.values() for name, event in content.items()}
    if dry_run:
        new = tuple(name for name in events if name not in store.holdings.ids)
        sent = tuple(name for name in mine if name not in events)
        store.give(sent)
        return Exchanged(sent, new, frozenset(mine | events.keys()), confirmed=False), damaged
    progress("what came")
    received = store.take(list(events.values()))
    _take_out_redacted(store, shared, contents)
    held = {name for content in contents.values() for name in content}
    mine = store.holdings.travelling()
    sent = tuple(name for name in mine if name not in held)
    progress("what goes")
    _add(shared, contents, store.give(sent))
    held = {name for content in contents.values() for name in content}
    if not mine.keys() <= held:
        raise _unconfirmed(shared.root)
    # What was cut here is whole elsewhere by now; what others wrote may still be on its way.
    left = tuple(
        name
        for name in damaged
        if not (name.startswith(f"{shared.device}-") or store.holds_redacted(shared.read_raw(name)))
    )
    shared.drop({*damaged} - {*left} - contents.keys())  # one may have been written anew, under its name
    return Exchanged(sent, received, frozenset(held), confirmed=True), left


def _read_all(
    shared: SharedFolder, progress: Callable[[str], None]
) -> tuple[dict[str, dict[str, Event]], tuple[str, ...]]:
    contents: dict[str, dict[str, Event]] = {}
    damaged = []
    for name in shared.sizes():
        progress(name)
        content = shared.read(name)
        if content is None:
            damaged.append(name)
        else:
            contents[name] = content
    return contents, tuple(damaged)


def _take_out_redacted(store: LedgerStore, shared: SharedFolder, contents: dict[str, dict[str, Event]]) -> None:
    """Write every file anew that holds what was redacted, whoever wrote it: that device may not come again."""
    for name, content in list(contents.items()):
        clean = [store.without_redacted(event) for event in content.values()]
        if clean != list(content.values()):
            written, held = shared.write(name.partition("-")[0], clean)
            del contents[name]
            contents[written] = held
            if written != name:
                shared.drop([name])


def _add(shared: SharedFolder, contents: dict[str, dict[str, Event]], events: Sequence[Event]) -> None:
    """Add a file of `events`, and make one of this device's files where there are many."""
    own = [name for name in contents if name.startswith(f"{shared.device}-")]
    merged = own if len(own) >= _OWN_FILES_MAX else []
    if not (events or merged):
        return
    old_events = {one: event for name in merged for one, event in contents[name].items()}
    name, held = shared.write(shared.device, [*old_events.values(), *events])
    for old in merged:
        del contents[old]
    contents[name] = held
    shared.drop(old for old in merged if old != name)


def _unconfirmed(path: Path) -> InputError:
    return InputError(
        f"{path} does not hold what was written there",
        code="E-sync-unconfirmed",
        hint="Nothing is lost here. See that its disk is sound and has room, then run `clew sync` again.",
    )


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
        root, home = side.at.location.root, project.ports.environment.get("HOME", "")
        where = there or str(root.relative_to(home) if home and root.is_relative_to(home) else root)
        remote = f"clew sync --stdio {shlex.quote(where)}"
        with ExitStack() as stack:
            try:
                program = converse([*words, host, remote], environment=project.ports.environment)
                sink, source = stack.enter_context(program)
            except OSError as error:
                raise InputError(
                    f"{words[0]} cannot be started: {error.strerror}",
                    code="E-sync-place",
                    hint=f"Install ssh, or name another command in {SSH_VARIABLE}.",
                ) from error
            talk = call(side.store, side.hello(), side.meet, dry_run=project.dry_run)
            done = _run(talk, source, sink, options.progress)
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
