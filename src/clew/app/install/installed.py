"""The record of what `clew init` put into clients' folders, so that `clew uninstall` takes out exactly that.

One file in the user's data. It holds our own texts and hashes of files, nothing that stands in anybody's settings.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.clients.registry import facts
from clew.clients.splice import Span
from clew.core.errors import InputError
from clew.workspace.atomic import replace

RECORD: Final = "installed.json"
_VERSION: Final = 1


class EditedFile(NamedTuple):
    """A settings file that entries were put into. `before` and `after` are the SHA-256 of its bytes; `spans` what was
    inserted, at its place in the text after it; `made` the objects and arrays that were made. `existed`: the file was
    there before."""

    existed: bool
    before: str
    after: str
    spans: tuple[Span, ...]
    made: tuple[tuple[str, ...], ...]


class Record(NamedTuple):
    """By path: `edited` files, the hash of each file that was `placed` whole; and the `folders` that were made."""

    edited: Mapping[str, EditedFile]
    placed: Mapping[str, str]
    folders: tuple[str, ...]

    def plugins(self, client: str = "") -> tuple[Path, ...]:
        """The folders of plugins that were made for a client, or for any; there or not."""
        found: dict[Path, None] = {}
        marks = facts("PLUGIN_MARK")
        for name in self.placed:
            path = Path(os.path.normpath(name))
            for owner, mark in marks.items():
                if client in ("", owner) and path.parts[-len(mark) :] == mark:
                    found[path.parents[len(mark) - 1]] = None
        return tuple(found)


NOTHING: Final = Record({}, {}, ())


def digest(data: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def read_record(data: Path) -> Record:
    """The record in the user's data folder. One that cannot be understood is an error, never empty: `InputError`."""
    path = data / RECORD
    try:
        found: Any = json.loads(path.read_bytes())
        if found["v"] > _VERSION:
            raise _unusable(path, "a newer clew wrote it", "Use that version, or a newer one.")
        return Record(
            {str(name): _edited(row) for name, row in found["edited"].items()},
            {str(name): str(hashed) for name, hashed in found["placed"].items()},
            tuple(str(folder) for folder in found["folders"]),
        )
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    except OSError as error:
        raise _unusable(path, f"it cannot be read ({error.strerror})", "Mend its rights.") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hint = "Move it away; then clew knows its own entries by what they are, and cannot restore a file to the byte."
        raise _unusable(path, "it is damaged", hint) from None


def write_record(data: Path, record: Record) -> None:
    """Put the record in the place of the one that was there; an empty one takes it away. Raises `InputError`."""
    path = data / RECORD
    try:
        if record == NOTHING:
            path.unlink(missing_ok=True)
        else:
            replace(path, packed(record), mode=0o600)
    except OSError as error:
        raise _unusable(path, f"it cannot be written ({error.strerror})", "Mend its rights, or free room.") from None


def packed(record: Record) -> bytes:
    """The record as its file holds it."""
    shape = {
        "v": _VERSION,
        "edited": {name: row._asdict() for name, row in record.edited.items()},
        "placed": dict(record.placed),
        "folders": list(record.folders),
    }
    return json.dumps(shape, indent=1).encode() + b"\n"


def _edited(row: Mapping[str, Any]) -> EditedFile:
    spans = tuple(Span(int(start), str(text)) for start, text in row["spans"])
    made = tuple(tuple(str(key) for key in path) for path in row["made"])
    return EditedFile(bool(row["existed"]), str(row["before"]), str(row["after"]), spans, made)


def _unusable(path: Path, why: str, hint: str) -> InputError:
    return InputError(f"the record of what was installed, {path}, cannot be used: {why}", code="E-installed", hint=hint)
