"""Step 2 before a tool: ask the gate, and answer as the client understands it.

A block is said in JSON. A call that cannot be judged while a gate stands is denied; where clew is broken, that ends in
the shim: the call goes ahead, and the next prompt tells the person.
"""

from __future__ import annotations

import json
import os
import posix
import signal
from collections.abc import Callable
from typing import Any

from clew.core import runtime_dir as places
from clew.core.gate import decision as gate
from clew.core.gate import guards, readonly
from clew.core.gate.shell import effects
from clew.core.gate.shell.programs import READING
from clew.core.gate.shell.words import normal
from clew.core.records import seen
from clew.interfaces.hook import clues, marks, parallel, which
from clew.interfaces.hook.wire import parsed

# What the judge needs of `gates.json`.
_SHAPE = (
    ("levels", dict), ("root", str), ("guards", dict), ("protected", list), ("offlimits", list), ("deferred", list),
)  # fmt: skip
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
    "nobody can tell what this call would do (%s), and while a gate applies, such a call is not run. Make it "
    "shorter or plainer; if the work needs it as it is, ask the person you work for."
)


class _JudgeError(Exception):
    """Why a call cannot be judged, as a clause."""


def run(event: dict[str, Any], live: str, out: Callable[[str], object]) -> bool:
    """Answer `PreToolUse` through `out`, if a gate of the place with the live folder `live` has something to say;
    whether it denied.

    A call that cannot be judged while a gate stands is denied: whatever fails then, an event nobody can read ({}), more
    time than a client waits. Where clew itself is broken nobody is blocked: raises what fails before the judge is
    there, such as a `gates.json` that cannot be read or a module that is gone.
    """
    gates = _tighten(clues.rules(live))
    if not gates or all(level == "off" for level in gates["levels"].values()):
        return False
    if any(not isinstance(gates[name], kind) for name, kind in _SHAPE):
        raise ValueError
    try:
        _limit_time(_SECONDS_MAX)
        verdict, rule, reason = _judge(event, live, gates)
    except (ImportError, SyntaxError):
        raise
    except Exception as error:
        why = str(error) if isinstance(error, _JudgeError) else f"it ends in {type(error).__name__}"
        verdict, rule, reason = "deny", "", _UNJUDGED % why
    finally:
        _limit_time(0)
    if verdict:
        tell(event, live, out, verdict, rule, reason)
    return verdict == "deny"


def tell(event: dict[str, Any], live: str, out: Callable[[str], object], verdict: str, rule: str, reason: str) -> bool:
    """Say a verdict in the client's form, a warning of a rule once a session; whether anything was said. Where a
    client's dialect has no form for a warning, it is left for the hook behind the tool.
    """
    folder, answers = marks.folder_of(event, live), getattr(marks.dialect(event), "ANSWERS", ANSWERS)
    if verdict == "warn" and not (folder and marks.first(f"{folder}/warned-{rule}")):
        return False
    told = f"clew: {reason}"
    if verdict in answers:
        out(answers[verdict] % json.dumps(told))
    else:
        marks.append(folder + "/later", f"{told}\n".encode("utf-8", "replace"))
    return True


def _tighten(gates: dict[str, Any]) -> dict[str, Any]:
    """The rules with what the environment tightens."""
    for name in gate.GATES if gates else ():
        gates["levels"].setdefault(name, "off")  # a file of the version before
        given = os.environ.get(f"CLEW_GATE_{name.upper()}", "").strip().lower()
        if given in _ORDER and _ORDER.index(given) > _ORDER.index(gates["levels"][name]):
            gates["levels"][name] = given
    return gates


def _limit_time(seconds: float) -> None:
    """Raise `_JudgeError` after so many seconds; 0: no more."""

    def end(*_: object) -> None:
        raise _JudgeError(f"it takes more than {_SECONDS_MAX} seconds to read")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _judge(event: dict[str, Any], live: str, gates: dict[str, Any]) -> tuple[str, str, str]:
    """What the gate says: as `decision.decide`."""
    tool, given, cwd = event.get("tool_name"), event.get("tool_input"), event.get("cwd")
    if not (isinstance(cwd, str) and cwd.startswith("/")):
        cwd = posix.getcwd()  # clients start hooks where the session is
    if not (isinstance(tool, str) and isinstance(given, dict)):
        raise _JudgeError("its input cannot be read")
    deed = gate.edit(tool, given, cwd)
    if deed is None and tool not in gate.SHELLS and not gates.get("plan"):
        return "", "", ""
    named = {normal(path): path for path, _ in deed.writes} if deed is not None else {}
    if deed is None:
        deed = _shell(given, cwd) if tool in gate.SHELLS else gate.Deed([], "", edits=False)
    deed.writes = [(path, deep) for target, deep in dict.fromkeys(deed.writes) for path in _ways(target, cwd)]
    edits = deed
    deed.doubt = lambda plan: _doubt(tool, given, cwd, gates["root"], plan, edits)
    return gate.decide(gates, deed, _facts(event, live, gates["root"], named, deed))


def _shell(given: dict[str, Any], cwd: str) -> gate.Deed:
    text = given.get("command")
    text = text if isinstance(text, str) else ""
    line = effects.read(text, cwd, os.environ.get("HOME", ""))
    # Who looks for a word in the files tries nothing again.
    deed = gate.Deed(line.writes, text if line.changes or not line.understood else "", edits=False)
    deed.tried = lambda: _tried(deed.text, line)
    deed.commands, deed.rewrites, deed.is_unread = line.commands, line.rewrites, line.is_unread
    return deed


def _doubt(tool: str, given: dict[str, Any], cwd: str, root: str, plan: dict[str, Any], deed: gate.Deed) -> str:
    """Why a tool call is not known to only read, "" if it is."""
    if deed.edits:
        own = tuple(folder + "/" for folder in plan["own"])
        path = next((path for path, _ in deed.writes if not path.startswith(own)), "")
        return f"`{tool}` writes {path.removeprefix(root + '/')}" if path else ""
    if tool not in gate.SHELLS:
        return readonly.tool_refusal(tool, plan["tools"])
    text, trusted = given.get("command"), [command.split() for command in plan["commands"]]
    if not isinstance(text, str):
        return "nobody can tell what it would run"
    if cwd == root and text.strip() in plan["commands"]:
        return ""

    def trusts(words: list[str], folders: list[str]) -> bool:
        return cwd == root and words in trusted and all(folder == root for folder in folders)

    return which.strange_shell() or readonly.refusal(text, lambda name: which.impostor(name, root), trusts)


def _tried(text: str, line: effects.ShellLine) -> str:
    """Of a line that changes something what may be tried by it: no message of a commit, nothing that is taken away."""
    told = [word for words in line.commands for word in guards.quiet(words)]
    if told and not line.writes and all(words[0] in READING or guards.is_told(words) for words in line.commands):
        return ""  # a message may also stand in a here-document
    for word, left in told:
        text = text.replace(word, left, 1) if word else text  # as often as it is told: elsewhere it may be tried
    return text


def _ways(target: str, cwd: str) -> set[str]:
    """The absolute paths that a target goes by: as it is said, and where links lead it."""
    path = normal(target if target.startswith("/") else f"{cwd}/{target}")
    try:
        return {path, os.path.realpath(path)}
    except (OSError, ValueError):
        return {path}


def _facts(event: dict[str, Any], live: str, root: str, named: dict[str, str], deed: gate.Deed) -> gate.Facts:
    """What the session's folder tells. `named` leads from the path of a file to what an editing tool called it: so it
    stands in the list of what was seen.
    """
    folder = marks.folder_of(event, live)

    def changed(path: str) -> str:
        name = named.get(path, "")
        data = marks.read(folder + "/seen", most=16 << 20) if folder and name else b""
        now = seen.changed(data, marks.state, only=name).get(name) if data else None
        return f"stale-{now[0]}-{now[1]}" if now else ""

    def repeats() -> tuple[str, str]:
        if not marks.holding(live, marks.REPEATING):
            return "", ""
        from clew.interfaces.hook import failures  # here: most places have no failure that was repeated

        return failures.repeat(event, live, folder, deed.commands)

    is_parallel = bool(folder and marks.holding(live, places.PARALLEL))

    def elsewhere(path: str) -> tuple[str, str]:
        if not is_parallel:
            return "", ""
        wrote_ns, other = parallel.edited(live, folder, path, named.get(path, path))
        if other:
            return (
                f"parallel-{marks.digest(path)}-{wrote_ns}",
                f"was changed {parallel.told(live, folder, other, wrote_ns)}.",
            )
        now, version = marks.state(path), changed(path)
        other = parallel.ran(live, folder, now[2]) if now is not None and version else ""
        if now is None or not other:
            return "", ""
        return version, f"was changed while a command ran, {parallel.told(live, folder, other, now[2])}."

    def gathers() -> tuple[str, str]:
        kinds = {guards.gathers(words): words for words in deed.commands} if is_parallel else {}
        kind = next((kind for kind in ("all", "tracked") if kind in kinds), "")
        into = "away from it" if "stash" in kinds.get(kind, ()) else "into your commit"
        return parallel.gathered(live, folder, root, kind, into=into) if kind else ("", "")

    state = parsed(marks.read(f"{folder}/{places.CONFIRM}")) if folder else {}
    closed = bool(state) and not state.get("open")
    return gate.Facts(
        closed, lambda rule: marks.is_there(f"{folder}/warned-{rule}"), changed, repeats, elsewhere, gathers
    )
