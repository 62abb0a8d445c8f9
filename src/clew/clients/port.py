"""What every client family offers to the use cases. Members live in one folder each, with the same file names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from clew.core.records.context_parts import ContextPart
    from clew.core.records.transcript import Batch, FileVersion


class Transcript(NamedTuple):
    """A session on disk, found without reading it. `modified_ns` orders the newest first.

    `path` is its address: its file, or where many sessions lie in one file, a made-up path below that file. Only its
    client's reader opens an address. `size` grows when the session changes, and is 0 for one that holds nothing: bytes
    on disk where the file grows, the time of its last change in milliseconds where it is rewritten.
    """

    client: str
    session: str
    path: Path
    size: int
    modified_ns: int


class Reader(Protocol):
    """A session as lines, and lines as neutral records. Remembers nothing.

    `grows`: the session's file is lines that are only ever appended. What was read of it stays as it is, and so does a
    place in it. Of a session that is rewritten, or is no file of lines, `open` makes lines, which are read again when
    it has changed.
    """

    name: str
    grows: bool

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins with `head` (up to 64 KiB, possibly a torn line) is of this format."""
        ...

    def open(self, path: Path) -> BinaryIO:
        """The session at the address `path` as a seekable stream of lines: the same bytes for the same session.

        Raises `OSError` if it cannot be read.
        """
        ...

    def read(self, chunk: bytes, *, offset: int) -> Batch:
        """Turn the whole lines of `chunk` into records.

        `offset` is where `chunk` starts in the file. A last line without newline is left out; `Batch.offset` says
        where to go on. Never raises on content: what cannot be read becomes `Unreadable`, what is unknown is skipped.
        """
        ...

    def final(self, line: bytes, *, offset: int) -> Batch:
        """Like `read` for a last line without newline, once the file is known to grow no more.

        A torn line gives no records and no error: its `Batch.offset` stays at `offset`.
        """
        ...

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:
        """Whole file contents that this line proves: a full read, a write, or an edit whose original is on record."""
        ...

    def attended(self, head: bytes) -> bool:
        """Whether a person sat at the session, by the beginning of its record; True where it does not say."""
        ...

    def injected(self, line: bytes) -> Iterable[str]:
        """Texts that hooks put before the model, as this line records them."""
        ...


@runtime_checkable
class UsageReader(Protocol):
    """What a reader can offer beside: a quicker way for who only counts tokens."""

    def read_usage(self, chunk: bytes, *, offset: int) -> Batch:
        """As `Reader.read`, but of `Context`, `Model`, `Call` and `Usage` only what tells of responses. Of several
        `Usage` of one response that stand together the last one is enough; a `Call` has its tool's name and no more.
        """
        ...


@runtime_checkable
class ContextReader(Protocol):
    """What a reader can offer beside: what stands in the model's context and is no record of what happened."""

    def context_parts(self, line: bytes, at: int) -> Iterable[ContextPart]:
        """The parts in a line that begins at byte `at`, in their order. Never raises on content."""
        ...


@runtime_checkable
class UsageLocator(Protocol):
    """What a locator can offer beside: all files that tell of tokens, those of sub-agents as well."""

    def usage_files(self) -> Iterator[Transcript]:
        """The files of all sessions of the user, in no order; a sub-agent's has the session that it worked for, where
        its place tells, else its own name. Nothing is opened. Unreadable folders are skipped.
        """
        ...


class Locator(Protocol):
    """Where a client keeps its sessions. `problem`: why they could not be looked through the last time, a clause with
    the place, "" if they could. Places that are not there are no problem.
    """

    problem: str

    def sessions_of(self, folder: Path) -> Iterator[Transcript]:
        """Session files of runs started in `folder` (an absolute path) or below it, in no order.

        Sub-agents' files are left out. Unreadable folders are skipped.
        """
        ...
