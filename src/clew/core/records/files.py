"""Values about files: what was known of one when it was last seen, and how the disk differs from that now."""

from typing import Literal, NamedTuple


class Stat(NamedTuple):
    """Cheap evidence that a file is untouched. A file changed within the clock's grain of the save is not trusted."""

    size: int
    mtime_ns: int
    inode: int


class Seen(NamedTuple):
    """What was known of a file when a session last saw it.

    `path` is relative to the project's root, with "/". `blob` is the git blob id of the content ("" unknown).
    `content` is the content itself where it is at hand (for line counts), else None. `time` is when (RFC 3339 UTC).
    """

    path: str
    blob: str
    stat: Stat | None
    content: bytes | None
    time: str


FileStatus = Literal["unchanged", "changed", "moved", "gone", "unknown"]


class FileCommit(NamedTuple):
    """A commit that touched a file since it was seen. `id` is abbreviated, `time` RFC 3339, `mine`: the user's own."""

    id: str
    subject: str
    author: str
    time: str
    mine: bool


class FileDrift(NamedTuple):
    """How one file differs. `added`/`removed` are lines, -1 unknown; `moved_to` only for moved; newest commit first."""

    path: str
    status: FileStatus
    added: int
    removed: int
    moved_to: str
    commits: tuple[FileCommit, ...]


class TreeState(NamedTuple):
    """The work tree as it stands. Outside git only `root` is set. `dirty` = changed or untracked paths, sorted."""

    root: str
    branch: str
    head: str
    head_subject: str
    dirty: tuple[str, ...]
    is_git: bool


class Drift(NamedTuple):
    """The work tree against what a session saw. `commits_since`: on this branch since then, newest first."""

    tree: TreeState
    files: tuple[FileDrift, ...]
    commits_since: tuple[FileCommit, ...]
