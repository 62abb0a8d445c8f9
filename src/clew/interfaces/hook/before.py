"""Before a tool call: ask the gate, and answer as the client understands it. Says nothing where no rule speaks.

A block is said in JSON. A call that cannot be judged while a gate stands is denied; where clew is broken, that ends in
the shim: the call goes ahead, and the next prompt tells the person.
"""

import posix

from clew.core import runtime_dir as places
from clew.core.gate import decision as gate
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import quoted

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from clew.core.gate.shell.effects import Line
    from clew.interfaces.hook.wire import Event

# What the judge needs of `gates.json`.
_SHAPE = (
    ("levels", dict), ("root", str), ("guards", dict), ("protected", list), ("offlimits", list), ("deferred", list),
)  # fmt: skip
# Of more files than these nobody asks where links lead; a link more than so often is a loop.
_LINKS_MAX = 32
_ORDER = ("off", "warn", "deny")

# How a client is told: with the reason as a JSON text in place of the %s.
_HEAD = '{"hookSpecificOutput":{"hookEventName":"PreToolUse",'
ANSWERS = {
    "deny": _HEAD + '"permissionDecision":"deny","permissionDecisionReason":%s}}\n',
    "warn": _HEAD + '"additionalContext":%s}}\n',
}
# Less than the shortest time that a client waits for a hook before it lets the tool run.
_SECONDS_MAX = 3
_UNJUDGED = (
    "clew: nobody can tell what this call would do (%s), and while a gate stands such a call does not run. Make it "
    "shorter or plainer; if the work needs it as it is, ask the person you work for."
)
# No hook may follow a command that writes by a patch of its own. So long after it, what changed was its work.
_PATCHED_NS = 60_000_000_000


class _JudgeError(Exception):
    """Why a call cannot be judged, as a clause."""


def run(event: "Event", live: str, out: "Callable[[str], object]") -> None:
    """Answer `PreToolUse` through `out`, if a gate of the place with the live folder `live` has something to say.

    Where a client's dialect has no form for a warning, it is left for the hook behind the tool. A call that cannot be
    judged while a gate stands is denied: whatever fails then, an event nobody can read ({}), more time than a client
    waits. Where clew itself is broken nobody is blocked: raises what fails before the judge is there, such as a
    `gates.json` that cannot be read or a module that is gone.
    """
    gates = rules(live)
    dialect, folder, tool = marks.dialect(event), marks.folder_of(event, live), event.get("tool_name")
    denied = False
    if gates and any(level != "off" for level in gates["levels"].values()):
        if any(not isinstance(gates[name], kind) for name, kind in _SHAPE):
            raise ValueError
        answers = getattr(dialect, "ANSWERS", ANSWERS)
        try:
            _limit_time(_SECONDS_MAX)
            denied = _judged(event, live, out, gates, answers)
        except (ImportError, SyntaxError):
            raise
        except Exception as error:
            denied = True
            why = str(error) if isinstance(error, _JudgeError) else f"it ends in {type(error).__name__}"
            out(answers["deny"] % quoted(_UNJUDGED % why))
        finally:
            _limit_time(0)
    if tool in gate.SHELLS and folder and not denied and getattr(dialect, "UNTIMED", False):
        _begun(event, folder)


def _limit_time(seconds: int) -> None:
    """Raise `_JudgeError` after so many seconds; 0: no more."""
    import _signal  # type: ignore[import-not-found]  # the built-in one: `signal` imports more than all this

    def end(*_: object) -> None:
        raise _JudgeError(f"it takes more than {_SECONDS_MAX} seconds to read")

    _signal.signal(_signal.SIGALRM, end)
    _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _judged(
    event: "Event",
    live: str,
    out: "Callable[[str], object]",
    gates: "dict[str, Any]",
    answers: "dict[str, str]",
) -> bool:
    """Ask the gate, and say what it says; whether it denied."""
    tool, given, folder, cwd = (
        event.get("tool_name"),
        event.get("tool_input"),
        marks.folder_of(event, live),
        event.get("cwd"),
    )
    if not (isinstance(cwd, str) and cwd.startswith("/")):
        cwd = posix.getcwd()  # clients start hooks where the session is
    if not (isinstance(tool, str) and isinstance(given, dict)):
        raise _JudgeError("its input cannot be read")
    deed = gate.edit(tool, given, cwd)
    if deed is None and tool not in gate.SHELLS and not gates.get("plan"):
        return False
    named = {gate.normal(path): path for path, _ in deed.writes} if deed is not None else {}
    if deed is None:
        deed = _shell(given, cwd) if tool in gate.SHELLS else gate.Deed([], "", edits=False)
    deed.writes = [(path, deep) for target, deep in dict.fromkeys(deed.writes) for path in _ways(target, cwd)]
    if gates.get("plan"):
        edits = deed
        deed.doubt = lambda plan: _doubt(tool, given, cwd, gates["root"], plan, edits)
    verdict, rule, reason = gate.decide(gates, deed, _facts(folder, named, lambda: _repeat(event, live, folder, deed)))
    if verdict == "deny" or (verdict == "warn" and folder and marks.first(f"{folder}/warned-{rule}")):
        told = f"clew: {reason}"
        if verdict in answers:
            out(answers[verdict] % quoted(told))
        else:
            marks.append(folder + "/later", f"{told}\n".encode("utf-8", "replace"))
    return verdict == "deny"


def _begun(event: "Event", folder: str) -> None:
    """Note when a shell command begins, for a client that does not tell how long one took. One that writes by a patch
    may not be followed by any hook, so what it changes is expected here.
    """
    marks.touch(marks.running(event, folder))
    command = str(event["tool_input"].get("command"))
    if any(name in command for name in gate.PATCHING):
        import time

        from clew.core.records import seen

        now_ns = time.time_ns()
        marks.append(folder + "/seen", seen.shell_line(now_ns, now_ns + _PATCHED_NS))


def rules(live: str) -> "dict[str, Any]":
    """The rules of the place, or of the work tree that it lies in; with what the environment tightens. {}: none."""
    place = marks.holding(live, places.GATES)
    data = marks.read(f"{place}/{places.GATES}") if place else b""
    if not data:
        return {}
    from clew.interfaces.hook.wire import parsed

    gates: dict[str, Any] = parsed(data)
    if gates.get("v") != gate.VERSION:
        raise ValueError
    for name in gate.GATES:
        gates["levels"].setdefault(name, "off")  # a file of the version before
        given = posix.environ.get(b"CLEW_GATE_" + name.upper().encode(), b"").decode("ascii", "replace").strip().lower()
        if given in _ORDER and _ORDER.index(given) > _ORDER.index(gates["levels"][name]):
            gates["levels"][name] = given
    return gates


def _shell(given: "dict[str, Any]", cwd: str) -> gate.Deed:
    from clew.core.gate.shell import effects

    text = given.get("command")
    text = text if isinstance(text, str) else ""
    line = effects.read(text, cwd, posix.environ.get(b"HOME", b"").decode("utf-8", "surrogateescape"))
    # Who looks for a word in the files tries nothing again.
    deed = gate.Deed(line.writes, text if line.changes or not line.understood else "", edits=False)
    deed.tried = lambda: _tried(deed.text, line)
    deed.commands, deed.rewrites, deed.is_unread = line.commands, line.rewrites, line.is_unread
    return deed


def _doubt(tool: str, given: "dict[str, Any]", cwd: str, root: str, plan: "dict[str, Any]", deed: gate.Deed) -> str:
    """Why a tool call is not known to only read, "" if it is."""
    if deed.edits:
        own = [folder + "/" for folder in plan["own"]]
        path = next((path for path, _ in deed.writes if not any(path.startswith(folder) for folder in own)), "")
        return f"`{tool}` writes {path.removeprefix(root + '/')}" if path else ""
    if tool not in gate.SHELLS:
        from clew.core.gate import tools

        return tools.refusal(tool, plan["tools"])
    from clew.core.gate import readonly
    from clew.interfaces.hook import which

    text, trusted = given.get("command"), [command.split() for command in plan["commands"]]
    if not isinstance(text, str):
        return "nobody can tell what it would run"
    if cwd == root and text.strip() in plan["commands"]:
        return ""

    def trusts(words: "list[str]", folders: "list[str]") -> bool:
        return cwd == root and words in trusted and all(folder == root for folder in folders)

    return which.strange_shell() or readonly.refusal(text, lambda name: which.impostor(name, root), trusts)


def _tried(text: str, line: "Line") -> str:
    """Of a line that changes something what may be tried by it: no message of a commit, nothing that is taken away."""
    from clew.core.gate import variants
    from clew.core.gate.shell.effects import reads

    told = [word for words in line.commands for word in variants.quiet(words)]
    if told and not line.writes and all(reads(words[0]) or variants.is_told(words) for words in line.commands):
        return ""  # a message may also stand in a here-document
    for word, left in told:
        text = text.replace(word, left, 1) if word else text  # as often as it is told: elsewhere it may be tried
    return text


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


def _repeat(event: "Event", live: str, folder: str, deed: "gate.Deed | None") -> "tuple[str, str]":
    """Which failure a shell line would repeat, and what to say of it."""
    if deed is None or not marks.holding(live, places.FAILURES):
        return "", ""
    from clew.interfaces.hook import failures

    return failures.repeat(event, live, folder, deed.commands)


def _facts(folder: str, named: "dict[str, str]", repeats: "Callable[[], tuple[str, str]]") -> gate.Facts:
    """What the session's folder tells. `named` leads from the path of a file to what an editing tool called it: so it
    stands in the list of what was seen.
    """

    def changed(path: str) -> str:
        name = named.get(path, "")
        data = marks.read(folder + "/seen", most=16 << 20) if folder and name else b""
        if not data:
            return ""
        from clew.core.records import seen

        now = seen.changed(data, marks.state, only=name).get(name)
        return f"stale-{now[0]}-{now[1]}" if now else ""

    closed = False
    if folder:
        from clew.interfaces.hook.wire import parsed

        state = parsed(marks.read(f"{folder}/{places.CONFIRM}"))
        closed = bool(state) and not state.get("open")
    return gate.Facts(closed, lambda rule: marks.is_there(f"{folder}/warned-{rule}"), changed, repeats)
