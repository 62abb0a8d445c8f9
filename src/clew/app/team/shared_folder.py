"""An exchange by way of a folder that several devices reach: a stick, a network share, a drive that is synchronised.

In it, below `clew/PROJECT/`: for each device `ID.device` (its name and key) and any number of `ID-HASH.events`, each a
bundle that is written whole under another name first, and never changed. Together they are a set of events, to which
each device adds what is missing. One that is cut, doubled or renamed does no harm: what cannot be read is missing, and
whoever has it adds it again.
"""

import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from clew.app.project.device import Peer, SyncPlace, are_keys
from clew.app.team.store import LedgerStore
from clew.core.errors import ClewError, InputError
from clew.core.state.events import Event
from clew.ledger.bundle import export_bundle, import_bundle
from clew.ledger.exchange import Exchanged, fingerprint
from clew.ledger.memory import MemoryLedger
from clew.workspace.atomic import delete, make_folder, replace

_EVENTS: Final = ".events"
_DEVICE: Final = ".device"
_DEVICE_BYTES_MAX: Final = 1 << 16
# So many files of its own a device leaves; then it makes one of them.
_OWN_FILES_MAX: Final = 16
# Who shares a folder with others by its rights wants them to read it.
_MODE: Final = 0o640


class SharedFolder(NamedTuple):
    """The part of a shared folder that is the project's (`root`), as the device `device` uses it."""

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
    name, held = shared.write(shared.device, [*_events_of(contents, merged), *events])
    for old in merged:
        del contents[old]
    contents[name] = held
    shared.drop(old for old in merged if old != name)


def _events_of(contents: Mapping[str, Mapping[str, Event]], names: Iterable[str]) -> Iterable[Event]:
    return {one: event for name in names for one, event in contents[name].items()}.values()


def _unconfirmed(path: Path) -> InputError:
    return InputError(
        f"{path} does not hold what was written there",
        code="E-sync-unconfirmed",
        hint="Nothing is lost here. See that its disk is sound and has room, then run `clew sync` again.",
    )
