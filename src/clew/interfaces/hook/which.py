"""Which program a name leads to on the PATH: the one that is meant, or another that only has its name. And which shell
a client runs its lines in.
"""

import posix

# Folders that belong to the system or its package managers. Before them nothing else should stand.
_SYSTEM = tuple("/bin/ /sbin/ /usr/ /opt/ /nix/ /snap/ /run/current-system/ /Library/ /System/ /Applications/".split())
_ANYBODYS = ("/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/")
_KIND, _REGULAR, _MAY_RUN = 0o170000, 0o100000, 0o111


# What `core/gate/readonly.py` knows how they read a line.
_SHELLS = ("bash", "dash", "zsh")


def strange_shell() -> str:
    """Why nobody can tell how the client's shell reads a line; "" where it is bash, dash or zsh.

    No event tells which shell it is. Clients take the user's: what `SHELL` names, else the account's. An `sh` that is a
    link is what that leads to.
    """
    path = posix.environ.get(b"SHELL", b"").decode("utf-8", "replace")
    if not path:
        import pwd

        try:
            path = pwd.getpwuid(posix.getuid()).pw_shell
        except KeyError:
            path = ""
    name = path.rpartition("/")[2]
    if name == "sh":
        try:
            name = posix.readlink(path).rpartition("/")[2]
        except (OSError, ValueError):
            name = "bash"  # no link: macOS, where it is one of the three
    if name in _SHELLS:
        return ""
    known = "only lines for bash, dash and zsh can be read (a person can start the client with one of them in SHELL)"
    return f"the user's shell is `{name[:40]}`, and {known}" if name else f"nobody knows the user's shell, and {known}"


def impostor(name: str, root: str) -> str:
    """Why the program that the PATH leads to is not the one that is meant; "" where it is. `root` is the work tree:
    what stands in there came with the repository.
    """
    found = ""
    for part in posix.environ.get(b"PATH", b"").decode("utf-8", "surrogateescape").split(":"):
        if not part.startswith("/"):
            return f"the PATH has a relative folder before the system's, so `{name}` may be any program"
        file = f"{part.rstrip('/')}/{name}"
        if not _may_run(file):
            continue
        if file.startswith(_SYSTEM) and not file.startswith((root + "/", *_ANYBODYS)):
            why = f"`{name}` would be {found}, which comes before the system's; {file} is the one that only reads"
            return why if found else ""
        if file.startswith((root + "/", *_ANYBODYS)):
            return f"`{name}` would be {file}, which is not the system's"
        found = found or file
    return ""


def _may_run(file: str) -> bool:
    try:
        mode = posix.stat(file).st_mode
    except (OSError, ValueError):
        return False
    return mode & _KIND == _REGULAR and bool(mode & _MAY_RUN)
