"""By which way a command came: the processes above it, its terminal, its environment. Decides nothing.

Linux: `/proc` (proc(5)), no process started. Elsewhere `ps` as POSIX and the BSDs have it. What cannot be read is not
there, and `core/state/authority.py` takes that for an agent's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from clew.core.state.authority import LOADING, Channel, Process, marks_in

_ANCESTORS_MAX = 64
_STAT_BYTES_MAX = 4 << 10
_ARGV_BYTES_MAX = 64 << 10
_ENVIRONMENT_BYTES_MAX = 1 << 20
_PROC = Path("/proc")
# No search along PATH: the project may have put a `ps` there.
_PS = ("/bin/ps", "/usr/bin/ps")
_PS_SECONDS = 2.0
# Device number of /dev/tty, which stands for the controlling terminal of whoever opens it.
_OWN_TERMINAL = (5, 0)


def channel(environment: Mapping[str, str], *, pid: int | None = None, proc: Path = _PROC) -> Channel:
    """What is seen of the channel of the process `pid` (default: this one) whose environment is `environment`.

    stdin, stdout and stderr are those of this process. Never raises.
    """
    pid = os.getpid() if pid is None else pid
    processes = _by_proc(pid, proc) if (proc / "self" / "stat").exists() else _by_ps(pid)
    complete = bool(processes) and processes[-1].parent == 0
    terminal = processes[0].terminal if processes else ""
    return Channel(
        processes=processes,
        complete=complete,
        marks=marks_in(name for name, value in environment.items() if value),
        reads=_is_terminal(0, terminal),
        writes=_is_terminal(1, terminal) or _is_terminal(2, terminal),
        loads=tuple(sorted(name for name, value in environment.items() if value and name in LOADING)),
    )


def _by_proc(pid: int, proc: Path) -> tuple[Process, ...]:
    """The process and its ancestors, as far as they can be seen."""
    found: list[Process] = []
    while pid > 0 and len(found) < _ANCESTORS_MAX:
        process = _read(pid, f"{proc}/{pid}")
        if process is None:
            break
        found.append(process)
        pid = process.parent
    return tuple(found)


def _read(pid: int, folder: str) -> Process | None:
    stat = _start_of(f"{folder}/stat", _STAT_BYTES_MAX)
    # "PID (NAME) STATE PARENT GROUP SESSION TERMINAL FOREGROUND …", and NAME may hold brackets and spaces.
    front, bracket, back = stat.rpartition(b")")
    fields = back.split()
    if not bracket or len(fields) < 6:
        return None
    try:
        parent, group, session, terminal, foreground = (int(field) for field in fields[1:6])
    except ValueError:
        return None
    argv = _start_of(f"{folder}/cmdline", _ARGV_BYTES_MAX)
    # What was cut off may be what matters: then the last word says that there was more.
    argv = argv + b"\0..." if len(argv) == _ARGV_BYTES_MAX else argv.rstrip(b"\0")
    file = _link(f"{folder}/exe")
    return Process(
        pid=pid,
        parent=parent,
        group=group,
        session=session,
        terminal=str(terminal) if terminal else "",
        foreground=foreground,
        name=os.fsdecode(front.partition(b"(")[2]),
        argv=tuple(os.fsdecode(word) for word in argv.split(b"\0")) if argv else (),
        marks=_marks(_start_of(f"{folder}/environ", _ENVIRONMENT_BYTES_MAX)),
        fed=bool(terminal) and _is_fed(f"{folder}/fd/0", str(terminal)),
        file=file,
        veiled=not file and _is_ours(f"{folder}/status"),
    )


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - of a program that was removed it names no path
    except OSError:
        return ""


def _is_ours(status: str) -> bool:
    """Whether a process runs for this user. The owner of its files in `/proc` is root if it hides itself."""
    lines = _start_of(status, _STAT_BYTES_MAX).split(b"\n")
    uid = next((line.split()[1] for line in lines if line.startswith(b"Uid:")), b"")
    return uid == str(os.getuid()).encode()


def _is_fed(path: str, terminal: str) -> bool:
    """Whether an open file of a process is there and is not its terminal."""
    try:
        device = Path(path).stat().st_rdev
    except OSError:
        return False  # another user's, or closed
    return not _is_device(device, terminal)


def _marks(environ: bytes) -> tuple[str, ...]:
    names = (name for name, _, value in (entry.partition(b"=") for entry in environ.split(b"\0")) if value)
    return marks_in(os.fsdecode(name) for name in names)


def _start_of(path: str, limit: int) -> bytes:
    """At most `limit` bytes of a file of the system, none if it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    data = b""
    try:
        while len(data) < limit:
            block = os.read(descriptor, min(limit - len(data), 1 << 16))
            if not block:
                break
            data += block
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return data


def _by_ps(pid: int) -> tuple[Process, ...]:
    """The same by `ps`, which tells no environments."""
    program = next((path for path in _PS if os.access(path, os.X_OK)), "")
    if os.name != "posix" or not program:
        return ()
    fields = "pid=,ppid=,pgid=,tpgid=,tty=,args="
    rows = {}
    for line in _ask([program, "-A", "-ww", *_columns(fields)]):
        words = line.split(None, 5)
        if len(words) >= 5 and all(word.lstrip("-").isdigit() for word in words[:4]):
            rows[int(words[0])] = words
    chain: list[list[str]] = []
    while pid in rows and len(chain) < _ANCESTORS_MAX:
        chain.append(rows.pop(pid))
        pid = int(chain[-1][1])
    if not chain:
        return ()
    names = {}
    for line in _ask([program, "-ww", *_columns("pid=,ucomm="), "-p", ",".join(words[0] for words in chain)]):
        number, _, name = line.strip().partition(" ")
        names[number] = name.strip()
    return tuple(_from_row(words, names.get(words[0], "")) for words in chain)


def _columns(fields: str) -> list[str]:
    return [word for field in fields.split(",") for word in ("-o", field)]


def _ask(argv: list[str]) -> list[str]:
    from clew.workspace.process import LimitExceeded, run  # here: Linux has /proc, and hooks ask on every system

    try:
        done = run(argv, environment={"LC_ALL": "C"}, timeout_s=_PS_SECONDS)
    except (OSError, LimitExceeded):
        return []
    return os.fsdecode(done.out).split("\n")


def _from_row(words: list[str], name: str) -> Process:
    session = 0
    with suppress(OSError):
        session = os.getsid(int(words[0]))
    return Process(
        pid=int(words[0]),
        parent=int(words[1]),
        group=int(words[2]),
        session=session,
        terminal="" if words[4].strip("?-") == "" else words[4],
        foreground=int(words[3]),
        name=name,
        argv=tuple(words[5].split()) if len(words) > 5 else (),
        marks=(),
    )


def _is_terminal(descriptor: int, terminal: str) -> bool:
    """Whether an open file is the controlling terminal that the system calls `terminal`."""
    if not terminal:
        return False
    try:
        if not os.isatty(descriptor):
            return False
        if os.ttyname(descriptor) in {"/dev/tty", f"/dev/{terminal}"}:
            return True
        return _is_device(os.fstat(descriptor).st_rdev, terminal)
    except (OSError, AttributeError):
        return False


def _is_device(device: int, terminal: str) -> bool:
    """Whether this is the number of `/dev/tty` or of the terminal that Linux calls `terminal`."""
    major, minor = os.major(device), os.minor(device)
    if (major, minor) == _OWN_TERMINAL:
        return True
    # The kernel's `new_encode_dev`, printed as a signed number.
    encoded = (minor & 0xFF) | (major << 8) | ((minor & ~0xFF) << 12)
    return terminal.lstrip("-").isdigit() and encoded == int(terminal) & 0xFFFFFFFF
