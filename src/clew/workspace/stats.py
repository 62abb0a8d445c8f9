"""What the file system says of many files at once, as bytes that can be compared: a hook does, after a tool.

A line is the path, a NUL, then `mtime_ns ctime_ns size mode inode`. It imports nothing but `posix`: it runs at every
tool call while something is watched.
"""

import posix

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_KIND, _FOLDER, _LINK = 0o170000, 0o040000, 0o120000
# More files than these are looked at at no tool call.
FILES_MAX = 20_000


def looked(watch: str) -> bytes:
    """The lines of what a watch is about: the work tree's top, `tree` or `named`, then lines with `-` and a folder that
    is left out, or `+` and a path.
    """
    root, how, *rest = watch.split("\n")
    found = tree(root, frozenset(line[1:] for line in rest if line[:1] == "-")) if how == "tree" else b""
    return found + named(root, [line[1:] for line in rest if line[:1] == "+"])


def tree(root: str, skipped: "Collection[str]") -> bytes:
    """The lines of every file below `root`, in an order that does not depend on the disk. `skipped` are folders (paths
    relative to `root`) that are left out. Of more than `FILES_MAX` files only as many are told.
    """
    lines: list[bytes] = []
    waiting = [""]
    while waiting and len(lines) < FILES_MAX:
        folder = waiting.pop()
        try:
            entries = sorted(posix.scandir(f"{root}/{folder}"), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}{entry.name}"
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if found.st_mode & _KIND == _FOLDER:
                if path not in skipped:
                    waiting.append(path + "/")
                continue
            lines.append(_line(path, found))
    return b"".join(lines)


def named(root: str, paths: "Iterable[str]") -> bytes:
    """The lines of these files and of what lies below those that are folders; links are told with what they lead to.
    Paths are relative to `root`, or absolute.
    """
    lines: list[bytes] = []
    for path in paths:
        whole = path if path.startswith("/") else f"{root}/{path}"
        try:
            found = posix.lstat(whole)
            if found.st_mode & _KIND == _LINK:
                lines.append(_line(path, found))
                path, found = path + "/.", posix.stat(whole)  # noqa: PLW2901 - what it leads to
        except OSError:
            continue
        if found.st_mode & _KIND != _FOLDER:
            lines.append(_line(path, found))
        else:
            inside = path.encode("utf-8", "surrogateescape") + b"/"
            lines += [inside + line + b"\n" for line in tree(whole, ()).split(b"\n")[:-1]]
    return b"".join(lines)


def _line(path: str, found: posix.stat_result) -> bytes:
    stamp = f"{found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {found.st_mode:o} {found.st_ino}\n"
    # A line end in a name would be two lines.
    return path.replace("\n", "\r").encode("utf-8", "surrogateescape") + b"\0" + stamp.encode()


def parsed(lines: bytes) -> "dict[str, tuple[int, int, int]]":
    """Paths with (mtime_ns, ctime_ns, size) of lines."""
    found: dict[str, tuple[int, int, int]] = {}
    for line in lines.split(b"\n"):  # and not at a CR, which a name may hold
        path, cut, stamp = line.partition(b"\0")
        parts = stamp.split()
        if cut and len(parts) == 5:
            found[path.decode("utf-8", "surrogateescape")] = int(parts[0]), int(parts[1]), int(parts[2])
    return found


def each(paths: "Iterable[str]") -> bytes:
    """The lines of these files and folders themselves; of one that ends in "/" those of all that lies below it. What is
    not there has no line.
    """
    lines: list[bytes] = []
    for path in paths:
        try:
            lines.append(_line(path, posix.stat(path)) if path[-1:] != "/" else named("/", (path[:-1],)))
        except (OSError, ValueError):
            continue
    return b"".join(lines)


def digest(lines: bytes) -> str:
    """A short name for lines: a digest in the library would cost more than looking at a thousand files."""
    return str(int.from_bytes(lines, "little") % ((1 << 61) - 1))
