"""Which device a ledger is, and what it knows of the others: the file `exchange.json` beside the ledger. Never sent."""

import os
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec

from clew.app.ports import Ports
from clew.core.errors import LedgerError
from clew.core.state.ids import ulid
from clew.ledger.exchange import count_waiting
from clew.ledger.port import Ledger
from clew.workspace.atomic import replace
from clew.workspace.times import nanoseconds

if TYPE_CHECKING:
    import subprocess

T = TypeVar("T")
_KEY_BYTES: Final = 32
_AHEAD_MS_MAX: Final = 7 * 86_400_000
_MACHINE_FILES: Final = ("/etc/machine-id", "/var/lib/dbus/machine-id")


class Peer(msgspec.Struct):
    """Another device. `key` (hexadecimal) is what it hashes redacted values under, `others` are keys of devices that
    it knows: their redactions may come by way of this one. `admitted`: a person here said that it may exchange by way
    of `clew sync --stdio`.
    """

    name: str
    key: str
    others: list[str] = []
    admitted: bool = False


class SyncPlace(msgspec.Struct):
    """A place that a person joined. `project` is the project's id there. `confirmed_at` is the time of the last
    exchange that the other side confirmed ("" none), `position` the newest event of ours that it held then.
    `holds` (see `ledger.exchange.Holdings`) and `files` (sizes by name) say what both sides held. What came to the
    ledger up to `since` goes there only if somebody shares it (`ledger.exchange.TaskReach`).
    """

    project: str
    confirmed_at: str = ""
    position: int = 0
    holds: str = ""
    files: dict[str, int] = {}
    since: int = 0


class Device(msgspec.Struct):
    """`id` is a ULID that was made for this store on this machine (`mark`); `places` go by how they are typed.

    `person` is what a hub calls who uses this device, "" where none was joined. `ahead_ms` is by how much the latest
    event was ahead of this machine's clock at the last exchange, 0 if it was not.
    """

    id: str = ""
    mark: str = ""
    name: str = ""
    ahead_ms: int = 0
    person: str = ""
    peers: dict[str, Peer] = {}
    places: dict[str, SyncPlace] = {}

    def __post_init__(self) -> None:
        if not all(are_keys([peer.key, *peer.others]) for peer in self.peers.values()):
            raise ValueError("a key of a device is none")

    @property
    def keys(self) -> tuple[bytes, ...]:
        """What the other devices hash redacted values under."""
        told = (key for peer in self.peers.values() for key in (peer.key, *peer.others))
        return tuple(bytes.fromhex(key) for key in dict.fromkeys(told))

    def meet(self, name: str, peer: Peer) -> Peer:
        """The device `name` as it is known from now on. Only who has its key can tell anything new of it."""
        known = self.peers.setdefault(name, Peer(peer.name, peer.key))
        if known.key == peer.key:
            known.name, known.others = peer.name, peer.others
        return known


class PlaceStatus(NamedTuple):
    """How this device stands with a place: when it confirmed last ("" never), seconds since, and events that wait."""

    place: str
    confirmed_at: str
    age_s: int
    waiting: int


def are_keys(told: list[str]) -> bool:
    """Whether these are keys under which devices hash."""
    try:
        return all(len(bytes.fromhex(key)) == _KEY_BYTES for key in told)
    except ValueError:
        return False


def load_kept(path: Path, kind: type[T], *, code: str, hint: str) -> T | None:
    """What the private file `path` says, None where there is none. Raises `LedgerError` for one that says nothing."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LedgerError(f"{path} cannot be read ({type(error).__name__})", code=code, hint=hint) from error


def load_device(path: Path) -> Device:
    """What the file `path` says, an empty device where there is none. Raises `LedgerError` (E-sync-state)."""
    hint = "It says which device this is. Delete it, and `clew sync` joins its places anew; no event is lost."
    return load_kept(path, Device, code="E-sync-state", hint=hint) or Device()


def save_device(path: Path, device: Device) -> None:
    """Put `device` in place of what the file `path` said. Raises OSError."""
    replace(path, msgspec.json.format(msgspec.json.encode(device)) + b"\n", mode=0o600)


def identify_device(path: Path, ledger: Path, *, now_ms: int, chance: Callable[[int], bytes]) -> tuple[Device, str]:
    """The device that the `ledger` is here, and what a person is to be told of it ("" nothing).

    A store that was copied, moved or put back from a backup gets an id of its own: the copy may be at work elsewhere.
    It keeps its places and peers, since a person joined and admitted them, but not what the places confirmed.
    """
    device = load_device(path)
    mark = store_mark(ledger)
    if device.mark == mark:
        return device, ""
    told = "This store was copied, moved or restored: it is a device of its own from now on." if device.id else ""
    places = {name: SyncPlace(place.project, since=place.since) for name, place in device.places.items()}
    made = Device(ulid(now_ms, chance(10)), mark, platform.node(), device.ahead_ms, device.person, device.peers, places)
    return made, told


def place_status(path: Path, ledger: Ledger, now_ms: int) -> tuple[PlaceStatus, ...]:
    """How this device stands with each place in the file `path`. Raises `LedgerError`."""
    told = []
    for name, place in load_device(path).places.items():
        confirmed_ns = nanoseconds(place.confirmed_at)
        age_s = max(0, now_ms // 1000 - confirmed_ns // 1_000_000_000) if confirmed_ns is not None else 0
        told.append(PlaceStatus(name, place.confirmed_at, age_s, count_waiting(ledger, place.position, place.since)))
    return tuple(told)


def start_sync(ports: Ports, folder: Path, exchange_file: Path) -> "subprocess.Popen[bytes] | None":
    """Let a process of its own exchange with the places that were joined, if the user wants that at a session's begin
    and end: that process, None where there is none. Nobody has to wait for it, and what it says is not heard.
    """
    if not exchange_file.exists() or ports.settings(folder).text("sync.auto") != "sessions":
        return None
    import subprocess  # here: hooks load this module

    code = f"import sys; sys.path[:] = {sys.path!r}; from clew.interfaces.cli.main import run; run(['sync'])"
    with suppress(OSError):
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code],
            cwd=folder,
            env=dict(ports.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return None


def follow_clock(device: Device, now_ms: Callable[[], int]) -> Callable[[], int]:
    """`now_ms`, as far ahead as the devices that this one exchanges with: who answers what one said whose clock is
    ahead has the last word. One that is more than a week ahead is not followed: everybody would be, for ever.
    """
    ahead_ms = device.ahead_ms
    ahead_ms = ahead_ms if ahead_ms <= _AHEAD_MS_MAX else 0
    return lambda: now_ms() + ahead_ms


def store_mark(ledger: Path) -> str:
    """What tells this store from its copies: the machine, the file's place on it, and the file itself."""
    machine = platform.node()
    for name in _MACHINE_FILES:
        try:
            machine += Path(name).read_text(encoding="ascii", errors="replace")
            break
        except OSError:
            continue
    told = f"{machine}\0{os.path.realpath(ledger)}\0{ledger.stat().st_ino}"
    return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
