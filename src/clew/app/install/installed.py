"""The record of what `clew init` put into clients' folders, so that `clew uninstall` takes out exactly that.

One file in the user's data. It holds our own texts and hashes of files, nothing that stands in anybody's settings.
"""

import hashlib
import os
from pathlib import Path
from typing import Final

import msgspec

from clew.clients.registry import specs
from clew.clients.splice import SpliceSpan
from clew.core.errors import InputError
from clew.workspace.atomic import replace

RECORD: Final = "installed.json"
_VERSION: Final = 1


class EditedFile(msgspec.Struct, frozen=True):
    """A settings file that entries were put into. `before` and `after` are the SHA-256 of its bytes; `spans` what was
    inserted, at its place in the text after it; `made` the objects and arrays that were made. `existed`: the file was
    there before."""

    existed: bool
    before: str
    after: str
    spans: tuple[SpliceSpan, ...]
    made: tuple[tuple[str, ...], ...]


class Record(msgspec.Struct, frozen=True):
    """By path: `edited` files, the hash of each file that was `placed` whole; and the `folders` that were made."""

    edited: dict[str, EditedFile]
    placed: dict[str, str]
    folders: tuple[str, ...]
    v: int = _VERSION

    def plugins(self, client: str = "") -> tuple[Path, ...]:
        """The folders of plugins that were made for a client, or for any; there or not."""
        marks = [spec.plugin_mark for spec in specs() if spec.plugin_mark and client in ("", spec.name)]
        paths = [Path(os.path.normpath(name)) for name in self.placed]
        found = (path.parents[len(mark) - 1] for path in paths for mark in marks if path.parts[-len(mark) :] == mark)
        return tuple(dict.fromkeys(found))


NOTHING: Final = Record({}, {}, ())


def digest(data: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def read_record(data: Path) -> Record:
    """The record in the user's data folder. One that cannot be understood is an error, never empty: `InputError`."""
    path = data / RECORD
    try:
        held = path.read_bytes()
        if msgspec.convert(msgspec.json.decode(held, type=dict)["v"], int) > _VERSION:
            raise _unusable(path, "a newer clew wrote it", "Use that version, or a newer one.")
        return msgspec.json.decode(held, type=Record)
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    except OSError as error:
        raise _unusable(path, f"it cannot be read ({error.strerror})", "Fix its permissions.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, RecursionError):
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
        raise _unusable(
            path, f"it cannot be written ({error.strerror})", "Fix its permissions, or free room."
        ) from None


def packed(record: Record) -> bytes:
    """The record as its file holds it."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def _unusable(path: Path, why: str, hint: str) -> InputError:
    return InputError(f"the record of what was installed, {path}, cannot be used: {why}", code="E-installed", hint=hint)
