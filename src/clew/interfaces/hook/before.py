"""Before a tool call: ask the gate, and answer as the client understands it. Says nothing where no rule speaks.

A block is said in JSON. What fails in here ends in the shim: the call goes ahead, and the next prompt tells the person.
"""

import posix

from clew.core import gate
from clew.core import live as places
from clew.interfaces.hook import marks

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from clew.interfaces.hook.entry import Event

# Of more files than these nobody asks where links lead; a link more than so often is a loop.
_LINKS_MAX = 32
_ORDER = ("off", "warn", "deny")

# How each client is told: with the reason as a JSON text in place of the %s.
_HEAD = '{"hookSpecificOutput":{"hookEventName":"PreToolUse",'
_ANSWERS = {
    "deny": _HEAD + '"permissionDecision":"deny","permissionDecisionReason":%s}}\n',
    "warn": _HEAD + '"additionalContext":%s}}\n',
}


def run(event: "Event", live: str, out: "Callable[[str], object]") -> None:
    """Answer `PreToolUse` through `out`, if a gate of the place with the live folder `live` has something to say.

    Raises whatever fails for reasons of ours, such as a `gates.json` that cannot be read.
    """
    tool, given = event.get("tool_name"), event.get("tool_input")
    if not (isinstance(tool, str) and isinstance(given, dict)):
        return
    deed = gate.edit(tool, given)
    if deed is None and tool not in gate.SHELLS:
        return
    gates = rules(live)
    if not gates:
        return
    cwd = event.get("cwd")
    cwd = cwd if isinstance(cwd, str) and cwd.startswith("/") else ""
    named = deed.writes[0][0] if deed is not None else ""
    deed = deed or _shell(given, cwd)
    deed.writes = [(path, deep) for target, deep in dict.fromkeys(deed.writes) for path in _ways(target, cwd)]
    folder = marks.folder_of(event, live)
    verdict, rule, reason = gate.decide(gates, deed, _facts(folder, named))
    if verdict == "deny" or (verdict == "warn" and folder and _first(f"{folder}/warned-{rule}")):
        out(_ANSWERS[verdict] % _quoted(f"clew: {reason}"))


def rules(live: str) -> "dict[str, Any]":
    """The rules of the place, or of the work tree that it lies in; with what the environment tightens. {}: none."""
    data = marks.read(f"{live}/{places.GATES}")
    if not data:
        root = marks.read(f"{live}/{places.ROOT}", most=8192).decode("utf-8", "surrogateescape").strip("\r\n")
        head, cut, _ = live.rpartition(f"/{places.FOLDER}{root}/")
        data = marks.read(f"{head}{cut}{places.LEAF}/{places.GATES}") if root and cut else b""
    if not data:
        return {}
    from clew.interfaces.hook.entry import parsed

    gates: dict[str, Any] = parsed(data)
    if gates.get("v") != gate.VERSION:
        raise ValueError
    for name in gate.GATES:
        given = posix.environ.get(b"CLEW_GATE_" + name.upper().encode(), b"").decode("ascii", "replace").strip().lower()
        if given in _ORDER and _ORDER.index(given) > _ORDER.index(gates["levels"][name]):
            gates["levels"][name] = given
    return gates


def _shell(given: "dict[str, Any]", cwd: str) -> gate.Deed:
    from clew.core import commandline

    text = given.get("command")
    text = text if isinstance(text, str) else ""
    line = commandline.read(text, cwd, posix.environ.get(b"HOME", b"").decode("utf-8", "surrogateescape"))
    # Who looks for a word in the files tries nothing again.
    deed = gate.Deed(line.writes, text if line.changes or not line.understood else "", edits=False)
    deed.commands, deed.rewrites = line.commands, line.rewrites
    return deed


def _ways(target: str, cwd: str) -> "set[str]":
    """The absolute paths that a target goes by: as it is said, and where links lead it."""
    path = gate.normal(target if target.startswith("/") else f"{cwd}/{target}")
    return {path, _real(path)}


def _real(path: str) -> str:
    """`path` without links, as far as it exists."""
    rest, found, links = path.split("/")[:0:-1], "", 0
    while rest:
        part = rest.pop()
        if part == "..":
            found = found.rpartition("/")[0]
            continue
        if part in ("", "."):
            continue
        try:
            to = posix.readlink(f"{found}/{part}")
        except (OSError, ValueError):
            found = f"{found}/{part}"
            continue
        links += 1
        if links > _LINKS_MAX:
            return path
        found = "" if to.startswith("/") else found
        rest += reversed(to.split("/"))
    return found or "/"


def _facts(folder: str, named: str) -> gate.Facts:
    """What the session's folder tells. `named` is the file as an editing tool named it: so it stands in the list."""

    def changed(path: str) -> str:  # noqa: ARG001 - of the ways to a file only the named one was seen
        data = marks.read(folder + "/seen", most=16 << 20) if folder else b""
        if not data:
            return ""
        from clew.core import seen
        from clew.interfaces.hook.prompt import state

        now = seen.changed(data, state, only=named).get(named)
        return f"stale-{now[0]}-{now[1]}" if now else ""

    closed = False
    if folder:
        from clew.interfaces.hook.entry import parsed

        state = parsed(marks.read(f"{folder}/{places.CONFIRM}"))
        closed = bool(state) and not state.get("open")
    return gate.Facts(closed, lambda rule: marks.is_there(f"{folder}/warned-{rule}"), changed)


def _first(mark: str) -> bool:
    """Whether nobody left this mark before; it is left now. Hooks of one session run at the same time."""
    try:
        posix.close(posix.open(mark, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    except FileNotFoundError:
        marks.touch(mark)
    return True


def _quoted(text: str) -> str:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json import dumps

        return dumps(text)
    return encode_basestring_ascii(text)
