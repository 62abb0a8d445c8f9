"""Looking after a hub's data: where it is, making it, bringing it to this version of clew, copying it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from clew.app.team.hub import Hub
from clew.app.team.hub_database import MIGRATIONS, HubDatabase, open_database
from clew.core.errors import InputError, LedgerError
from clew.core.state.ids import ulid
from clew.secrets.deep import DeepScan
from clew.workspace.atomic import private_folder, replace

_KEY_BYTES: Final = 32


def make_hub(
    database: HubDatabase,
    owner: str,
    *,
    now_ms: Callable[[], int],
    chance: Callable[[int], bytes],
    deep: DeepScan = lambda: None,
) -> tuple[Hub, str]:
    """The hub in `database`, and where it is new the code by which its owner joins, else "". Raises `LedgerError` where
    its schema is another: it moves by `migrate_hub` alone.
    """
    code = ""
    if not database.version:
        database.migrate()
        database.rows("INSERT INTO hub VALUES (?, ?)", ulid(now_ms(), chance(10)), chance(_KEY_BYTES).hex())
    hub = Hub(database, now_ms=now_ms, chance=chance, deep=deep)
    if not database.rows("SELECT 1 FROM devices"):
        code = hub.invite(owner, owner=True)
    return hub, code


def migrate_hub(database: HubDatabase, backup: Path, *, dry_run: bool) -> tuple[int, int]:
    """Bring a hub's schema to this clew's, after a copy of it was put into the file `backup`: the versions before and
    after. Raises as `back_up`.
    """
    before, after = database.version, len(MIGRATIONS)
    if before < after and not dry_run:
        back_up(database, backup)
        database.migrate()
    return before, after


class HubPlace(msgspec.Struct):
    """Where the hub of this machine keeps its data, and by which URL it was last reached ("" it never ran)."""

    address: str
    url: str = ""


def hub_place(memory: Path, address: str = "", url: str = "") -> HubPlace:
    """What the file `memory` says of the hub of this machine, with what is given in its place from now on. Without
    either its data is a file beside `memory`. Raises `LedgerError` (E-hub-keys), OSError.
    """
    try:
        known = msgspec.json.decode(memory.read_bytes(), type=HubPlace) if memory.exists() else HubPlace("")
    except (OSError, ValueError) as error:
        raise LedgerError(
            f"{memory} cannot be read ({type(error).__name__})",
            code="E-hub-keys",
            hint="It says where this machine's hub keeps its data: delete it, and say so with --sqlite or --postgres.",
        ) from error
    place = HubPlace(address or known.address or str(memory.with_suffix(".db")), url or known.url)
    if place != known:
        private_folder(memory.parent)
        replace(memory, msgspec.json.encode(place), mode=0o600)
    return place


def back_up(database: HubDatabase, file: Path) -> None:
    """Copy a hub, as it is at one moment, into a new `file`. Raises `InputError` where there is one, OSError."""
    if file.exists():
        raise InputError(f"{file} is there already", code="E-hub-there", hint="Nothing was written. Name a new file.")
    copy = open_database(str(file))
    try:
        copy.fill(database)
        copy.forget_bytes()
    finally:
        copy.close()
