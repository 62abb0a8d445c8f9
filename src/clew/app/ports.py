"""What use cases need from outside, as values: the wiring picks it, nothing below reads the environment."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from clew.clients.detect import Locators, Readers
from clew.core.runtime_dir import live_folder

if TYPE_CHECKING:  # every hook loads this
    from clew.core.context.pressure import ToldWindow
    from clew.core.settings import Settings
    from clew.core.state.items import Authority
    from clew.ledger.port import Ledger
    from clew.secrets.deep import DeepScan

TASK_VARIABLE: Final = "CLEW_TASK"


class OpenLedger(Protocol):
    """How a ledger is opened. Raises `LedgerError`."""

    def __call__(self, path: Path, *, project: str, write: bool) -> "Ledger":
        """The ledger in the file `path`. With a `project` (a ULID) it is made where there is none; with `write` it can
        be appended to, or it is an error; without, reading needs no right to write.
        """
        ...


def _nothing_told(_root: Path, _client: str) -> "ToldWindow":
    from clew.core.context.pressure import ToldWindow  # here: few commands ask

    return ToldWindow()


class Ports(NamedTuple):
    """Clients to read from, how to redact, and what the environment says.

    `session_folders()` are where the locators look, to be named when nothing is there. `asking_session` is the id of
    the session that asks ("" none). `environment` is handed to the processes that are started. `redactor` makes a
    `redact` whose placeholders are stable under a ledger's key. `channel` tells who is at the keyboard, and is asked
    only when something is recorded. `actor` is the user's name. `now_ms`: the time in milliseconds since 1970.
    `chance(n)`: n random bytes. `settings(root)` are those that hold in the project whose top is `root`; `trust_store`
    is the file in which the user keeps what is trusted (`app/project/trust.py`).
    `task` is the id of the task that is meant ("" none); None: the one that is bound to the place.
    `protected(root)` are files and folders beside the ledger's that only people change while a gate is on.
    `told_window(root, client)` is what people told that client of the context window there ("": any client).
    `cache_folder` is where of this user's is kept what can be made again (the index of searches).
    `price_tables()` are the user's own prices and the files of price lists, the strongest first. Raises `InputError`.
    `spools`: what cannot be recorded just now waits in the work tree's spool; else it is an error.
    `deep_scan()` is the engine that looks for secrets beside our rules in what leaves (None: none is installed).
    """

    readers: Readers
    locators: Locators
    session_folders: Callable[[], tuple[Path, ...]]
    redact: Callable[[str], str]
    asking_session: str
    environment: Mapping[str, str]
    redactor: Callable[[bytes], Callable[[str], str]]
    open_ledger: OpenLedger
    channel: Callable[[], "Authority"]
    actor: str
    now_ms: Callable[[], int]
    chance: Callable[[int], bytes]
    settings: Callable[[Path], "Settings"]
    trust_store: Path
    task: str | None = None
    protected: Callable[[Path], tuple[Path, ...]] = lambda _: ()
    told_window: Callable[[Path, str], "ToldWindow"] = _nothing_told
    cache_folder: Path = Path()
    price_tables: "Callable[[], tuple[dict[str, Any], tuple[Path, ...]]]" = lambda: ({}, ())
    deep_scan: "DeepScan" = lambda: None
    spools: bool = True


def wanted_task(ports: Ports) -> str:
    """The task that whoever started the client named, "" none."""
    return ports.environment.get(TASK_VARIABLE, "").strip()


def runtime_dir(ports: Ports, root: Path) -> str:
    """The live folder of the place `root`, where hooks look for what they need; there only if a person opted in."""
    return live_folder(str(ports.trust_store.parent), str(root))
