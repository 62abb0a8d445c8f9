"""The store of archived sessions: a folder of the user's data.

`objects/ab/ab….zst` are records, redacted and compressed, named by the SHA-256 of what is in them. `sessions/CLIENT/
SESSION.json` tells of a session which object it is: a file a session, so that no two processes write the same one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from clew.core.errors import InputError, NotFound
from clew.workspace.atomic import delete, replace
from clew.workspace.objects import Damaged, Objects

_LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class Archived:
    """A session in the archive. `path` is where its record was, `folder` where it ran ("" unknown). `size` is that of
    the record when it was archived (as `Transcript.size`), `digest` names the object. `packed_bytes` are on the disk.
    Times are RFC 3339 UTC: the record's last change, and when it was archived.
    """

    client: str
    session: str
    path: str
    folder: str
    size: int
    digest: str
    bytes: int
    packed_bytes: int
    changed_at: str
    archived_at: str


class Archive:
    """The archive in `folder`, which is made when something is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._objects = Objects(folder / "objects", level=_LEVEL)

    def sessions(self) -> list[Archived]:
        """All that is kept, the one that changed last first. What cannot be read is passed over."""
        found = []
        for path in self.folder.glob("sessions/*/*.json"):
            with suppress(OSError, ValueError, RecursionError):
                found.append(msgspec.json.decode(path.read_bytes(), type=Archived))
        return sorted(found, key=lambda one: (one.changed_at, one.session), reverse=True)

    def named(self, wanted: str) -> Archived:
        """The session whose id begins with `wanted`. Raises `NotFound`, and `InputError` where several do."""
        found = [one for one in self.sessions() if one.session.lower().startswith(wanted.lower())]
        if not found or not wanted:
            raise NotFound(
                f"no session {wanted} is in the archive",
                code="E-archive-missing",
                hint="`clew archive list` has all that is kept.",
            )
        if len(found) > 1:
            raise InputError(
                f"{wanted} is the beginning of {len(found)} archived sessions' ids",
                code="E-session-ambiguous",
                hint=f"Say one of: {', '.join(one.session for one in found[:8])}",
            )
        return found[0]

    def keep(self, lines: Iterable[bytes]) -> tuple[str, int, int]:
        """Put a record's lines into an object: its digest, its bytes, and those on the disk. Raises `OSError`."""
        return self._objects.keep(lines)

    def note(self, one: Archived) -> None:
        """Tell which object a session is; the one that it was before goes if nobody needs it. Raises `OSError`."""
        place = self._place(one)
        before = self._read(place)
        replace(place, msgspec.json.format(msgspec.json.encode(one)) + b"\n", mode=0o600)
        if before is not None and before.digest != one.digest:
            self._drop_object(before.digest)

    def known(self, client: str, session: str) -> Archived | None:
        """What is kept of a session, None for nothing."""
        return self._read(self.folder / "sessions" / _safe(client) / f"{_safe(session)}.json")

    def content(self, one: Archived) -> Iterator[bytes]:
        """The record, in pieces. Raises `NotFound` where its object is gone, `InputError` where it is damaged."""
        try:
            yield from self._objects.content(one.digest)
        except FileNotFoundError:
            raise NotFound(
                f"the archived record of {one.session} is gone from {self.folder}",
                code="E-archive-missing",
                hint="`clew archive` keeps it again if the client still has it.",
            ) from None
        except Damaged as error:
            raise _damaged(one) from error

    def path(self, one: Archived) -> Path:
        """The file that holds the record, compressed."""
        return self._objects.path(one.digest)

    def drop(self, one: Archived) -> None:
        """Take a session out. Raises `OSError`."""
        delete(self._place(one))
        self._drop_object(one.digest)

    def _drop_object(self, digest: str) -> None:
        if not any(one.digest == digest for one in self.sessions()):
            self._objects.drop(digest)

    def _place(self, one: Archived) -> Path:
        return self.folder / "sessions" / _safe(one.client) / f"{_safe(one.session)}.json"

    @staticmethod
    def _read(path: Path) -> Archived | None:
        try:
            return msgspec.json.decode(path.read_bytes(), type=Archived)
        except (OSError, ValueError, RecursionError):
            return None


def _safe(name: str) -> str:
    """A name from a client as the name of a file."""
    kept = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name).lstrip(".")[:120]
    return kept or hashlib.sha256(name.encode()).hexdigest()[:16]


def _damaged(one: Archived) -> InputError:
    return InputError(
        f"the archived record of {one.session} is damaged",
        code="E-archive-damaged",
        hint="Nothing is given out of it; `clew archive` keeps it again if the client still has it.",
    )
