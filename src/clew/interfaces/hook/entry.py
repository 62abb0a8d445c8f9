"""Step 1 of every hook: read the event, leave marks, and end at once where nothing could speak: nearly always.

It costs hardly more than a bare start of the interpreter, so it imports nothing but names and marks. Step 2 (`judge`,
`failures`, `after`, `budget`, `full`) is ordinary code, loaded where something may have to be said.
"""

import posix
import time

from clew.core import runtime_dir as places
from clew.core.records import seen
from clew.core.runtime_dir import CANONICAL
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import UNREAD, behind, dialect_of, given, parsed, say

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event

# What clients call the event of a tool that is about to run.
_BEFORE_TOOL = ("PreToolUse", "BeforeTool")
_FULL = ("SessionStart", "PreCompact", "Stop", "SessionEnd")
PATCH = "apply_patch"
# Without one of these in its output a command has not failed, for clients that tell no exit code.
_FAILING = ("rror", "FAIL", "fail", "xit Code: ", "xit code: ", "panic", "fatal", "✕", "✗")
# No hook may follow a command that writes by a patch of its own. So long after it, what changed was its work.
_PATCHED_NS = 60_000_000_000
# What Codex has its agent put around a plan.
_PROPOSED = "<proposed_plan>"
_ON = (b"on", b"true", b"yes", b"1")
# In the environment of a client that a run, or a question of clew's, started (`workspace/process_tree.py`).
_JOB = b"CLEW_JOB"


def run(client: str, name: str, live: str, data: str) -> None:
    """Answer the event `name` of `client`, as the client calls it, on stdout.

    `live` is the live folder of the place the client is in (it exists, except where a session begins), `data` the
    user's data folder. An event that is none of ours, or whose input cannot be read, is answered with nothing; but for
    that of a tool that is about to run, where a gate may stand.
    """
    if client != CANONICAL and dialect_of(client) is None:
        return
    event = given()
    if not event or (UNREAD in event and name not in _BEFORE_TOOL):
        return
    event["client"], called = client, name
    if client != CANONICAL:
        name = dialect_of(client).heard(name, event, marks.tail, parsed)
    if name == "PreToolUse":
        _before(event, live, data)
    elif name in ("PostToolUse", "PostToolUseFailure"):
        _after(name, event, live, data)
    elif name == "statusline":
        _status_line(event, data)
        return
    elif name == "SubagentStop":
        if event.get("agent_type") == "":  # as whose last words Claude Code says the summary of a compaction
            marks.keep_summary(marks.folder_of(event, live), event.get("last_assistant_message"))
    elif name == "UserPromptSubmit" or name in _FULL:
        is_start = name in ("SessionStart", "UserPromptSubmit")
        if not marks.is_there(live) and not (is_start and is_opted_in(live, data)):
            return
        _speak(name, event, live, data)
    else:
        return
    marks.touch(f"{live}/{places.beat(client, called)}")
    if name == "SessionStart" and (folder := marks.folder_of(event, live)) and marks.is_there(live):
        marks.touch(folder + "/started")


def _speak(name: str, event: "Event", live: str, data: str) -> None:
    """Answer an event for which the full program may be needed."""
    if name == "UserPromptSubmit":
        _prompt(event, live, data)
        return
    if name == "Stop":
        _end_turn(event, live, data)
        return
    if "summary" in event:
        marks.keep_summary(marks.folder_of(event, live), event["summary"])
    told: Event = {}
    above = 0
    if name == "SessionStart" and marks.is_there(f"{live}/{places.PREPARED}"):
        from clew.interfaces.hook import prepared

        told = prepared.told(event, live)
        if told:
            above = posix.getppid()  # of the process that does the rest nobody sees any more who started it
            prepared.give(told, event, live)
            if not behind():
                return
    _run_full(name, event, live, data, told=told, above=above)


def _run_full(
    name: str, event: "Event", live: str, data: str, *, known: bool = False, told: "Event | None" = None, above: int = 0
) -> None:
    import gc

    gc.disable()  # it would look through all that is loaded a dozen times, and the process is soon over
    from clew.interfaces.hook import full

    full.run(name, event, live, data, known=known, told=told, above=above)


# Before a tool.


def _before(event: "Event", live: str, data: str) -> None:
    """Let the judge answer where a gate or a budget could have something to say."""
    is_denied = False
    if marks.is_there(f"{data}/spent"):  # somebody set a budget
        from clew.interfaces.hook import budget

        is_denied = budget.run(event, live, data, say)
    else:
        from clew.interfaces.hook import clues

        if clues.may_speak(event, live):
            from clew.interfaces.hook import judge

            is_denied = judge.run(event, live, say)
    if not is_denied and event.get("tool_name") == "Bash" and getattr(marks.dialect(event), "UNTIMED", False):
        _note_begin(event, marks.folder_of(event, live))


def _note_begin(event: "Event", folder: str) -> None:
    """Note when a shell command begins, for a client that does not tell how long one took. One that writes by a patch
    may not be followed by any hook, so what it changes is expected here.
    """
    call = event.get("tool_input")
    if not folder or not isinstance(call, dict):
        return
    marks.touch(marks.running(event, folder))
    command = str(call.get("command"))
    if PATCH in command or "applypatch" in command:
        now_ns = time.time_ns()
        marks.append(folder + "/seen", seen.shell_line(now_ns, now_ns + _PATCHED_NS))


# After a tool.


def _after(name: str, event: "Event", live: str, data: str) -> None:
    folder, tool, call = marks.folder_of(event, live), event.get("tool_name"), event.get("tool_input")
    is_shell = tool in marks.SHELLS
    if not folder or (name == "PostToolUseFailure" and is_shell and marks.was_denied(str(event.get("error", "")))):
        return
    is_known = tool == marks.PLAN_DIALOG and marks.is_there(f"{folder}/{places.HEARD}")
    marks.touch(folder + "/pending")
    began_ns, line = _seen(name, event, live, folder)
    if line:
        marks.append(folder + "/seen", line)
    has_failed = bool(marks.holding(live, marks.TRIED))
    if isinstance(call, dict) and (
        (has_failed and tool not in marks.LOOKS) or (is_shell and _may_have_failed(name, event))
    ):
        from clew.interfaces.hook import failures

        failures.note_call(name, event, live)
    if (
        (tool == marks.PLAN_DIALOG and name == "PostToolUse")
        or (tool not in marks.LOOKS and marks.holding(live, places.WATCH))
        or marks.is_there(folder + "/later")
        or ("agent_id" not in event and (marks.grown(event, folder) or marks.holding(live, places.PHASE)))
    ):
        from clew.interfaces.hook import after

        if after.run(name, event, live, began_ns=began_ns):
            _run_full(name, event, live, data, known=is_known)


def _may_have_failed(name: str, event: "Event") -> bool:
    """Whether a command failed, or its output is worth a second look: most say nothing of a failure."""
    if name == "PostToolUseFailure":
        return True
    said = event.get("tool_response")
    text = said if isinstance(said, str) else "\n".join(map(str, said.values())) if isinstance(said, dict) else ""
    return any(mark in text for mark in _FAILING)


def _seen(name: str, event: "Event", live: str, folder: str) -> "tuple[int, bytes]":
    """When a shell command began (0: it was none), and the lines for the list of what the session has seen; empty if
    the call read and wrote no file."""
    tool, call = event.get("tool_name"), event.get("tool_input")
    if not isinstance(call, dict):
        return 0, b""
    if tool in marks.SHELLS:
        now_ns = time.time_ns()
        began_ns = marks.begin_of(event, folder, now_ns)
        line = seen.shell_line(began_ns, now_ns)
        if marks.holding(live, places.PARALLEL):
            from clew.interfaces.hook import parallel

            line += parallel.looked(str(call.get("command")), live, folder)
        return began_ns, line
    if name != "PostToolUse":
        return 0, b""
    if tool == PATCH:
        return 0, _patched(str(call.get("command")), str(event.get("cwd", "")))
    path = call.get("file_path") or call.get("notebook_path")
    return 0, _file(path, wrote=tool != "Read") if tool in marks.FILE_TOOLS and isinstance(path, str) else b""


def _patched(text: str, cwd: str) -> bytes:
    """The lines for what a patch wrote. What it took away was not taken away from outside: as after a command."""
    from clew.core.records import patch

    files, now_ns = patch.files(text, cwd), time.time_ns()
    lines = b"".join(_file(path, wrote=True) for path, stays in files if stays)
    return lines + b"".join([seen.shell_line(now_ns, now_ns)] if not all(stays for _, stays in files) else [])


def _file(path: str, *, wrote: bool) -> bytes:
    found = marks.state(path)
    return seen.file_line(found[0], found[1], path, wrote=wrote) if found else b""


# When a session begins, at the end of a turn, and of a compaction.


def is_opted_in(live: str, data: str) -> bool:
    """Whether `live` exists, or a folder above its place, or the main work tree of its linked one, is opted in."""
    if not live:
        return False
    if marks.is_there(live):
        return True
    head = data + "/" + places.FOLDER
    above = live[len(head) : -len(places.LEAF) - 1]
    while above:
        if marks.is_there(places.live_folder(data, above)):
            return True
        if marks.is_there(above + "/.git"):  # the top of a work tree: what lies above it is another project
            main = _main_tree(above)
            return bool(main) and marks.is_there(places.live_folder(data, main))
        above = above.rpartition("/")[0]
    return False


def _main_tree(top: str) -> str:
    """The main work tree of the linked one whose top is `top`; "" if it is none, or nothing there knows of it.

    `.git` of a linked work tree is a file that names its folder below the main one's; `gitdir` there names it back, so
    a file that somebody has put into an archive makes no place a part of somebody's project.
    """
    mark, _, folder = marks.read(top + "/.git", most=8192).decode("utf-8", "surrogateescape").partition(": ")
    folder = folder.strip("\r\n")
    main, cut, _ = folder.rpartition("/.git/worktrees/")
    back = marks.read(folder + "/gitdir", most=8192).decode("utf-8", "surrogateescape").strip("\r\n")
    if not (mark == "gitdir" and folder.startswith("/") and cut and back):
        return ""
    try:
        from pathlib import Path  # here: few places are linked work trees

        return main if Path(back).samefile(f"{top}/.git") else ""
    except (OSError, ValueError):
        return ""


def _end_turn(event: "Event", live: str, data: str) -> None:
    """Answer `Stop`: by the full program. Where it has nothing to ask, the client does not wait for it."""
    last = event.get("last_assistant_message")
    if isinstance(last, str) and _PROPOSED in last and "agent_id" not in event:
        event["plan"] = last
    folder = marks.folder_of(event, live)
    if folder and "agent_id" not in event:
        marks.note_import(event, folder)
    if _may_ask(event, live) or behind():
        _run_full("Stop", event, live, data)


def _may_ask(event: "Event", live: str) -> bool:
    """Whether the setting `draft.at_stop` is on here, or checks have a say, and this is not the end of a turn that goes
    on by a stop hook; and not in a run, which has checks and hand-off of its own behind the turn.
    """
    if "agent_id" in event or event.get("stop_hook_active") or _JOB in posix.environ:
        return False
    from clew.interfaces.hook import clues

    given = posix.environ.get(b"CLEW_DRAFT_AT_STOP", b"").strip().lower()
    try:
        rules = clues.rules(live)
        return rules.get("checks") is True or (given in _ON if given else rules.get("at_stop") is True)
    except ValueError:  # of another version
        return False


# At a prompt, and for the status line.


def _prompt(event: "Event", live: str, data: str) -> None:
    """Count a prompt, and see at once whether there is anything to say. There mostly is not."""
    folder = marks.folder_of(event, live)
    if not folder or "agent_id" in event:
        return
    is_known = marks.is_there(folder + "/prompts")
    marks.append(folder + "/prompts", b".")  # its size is the count: no two hooks can count the same
    marks.touch(folder + "/pending")
    speaks = (
        (marks.grown(event, folder, least=1) and marks.compacted(event, folder, known=is_known))
        or not marks.is_there(folder + "/started")  # no hook of the session's start ran, or it was ended since
        or marks.is_there(folder + "/due")
        or marks.is_there(live + "/broken")
        or _is_changed(folder)
        or (marks.holding(live, places.PARALLEL) and _is_news(live, folder))
    )
    if not speaks and marks.grown(event, folder):
        from clew.interfaces.hook import after

        speaks = after.crossed(event, live, folder)
    if speaks:
        _run_full("UserPromptSubmit", event, live, data)
        marks.touch(folder + "/started")
    elif event["client"] == CANONICAL and marks.is_left_over(event, folder) and behind():
        from clew.interfaces.hook import full

        full.prepare(event, live, data)


def _is_news(live: str, folder: str) -> bool:
    from clew.interfaces.hook import parallel  # here: mostly one session is live in a work tree

    return parallel.is_news(live, folder)


def _is_changed(folder: str) -> bool:
    """Whether a file that the session has seen was changed from outside, and this was not told yet."""
    lines = marks.tail(folder + "/seen", 16 << 20)
    changes = seen.changed(lines, marks.state) if lines else {}
    if not changes:
        return False
    told = parsed(marks.read(folder + "/told.json"))
    known = told.get("changed")
    new = not isinstance(known, dict) or any(known.get(path) != [*now] for path, now in changes.items())
    return new and not marks.is_quiet(told, folder)


def _status_line(event: "Event", data: str) -> None:
    """Print one line for the place and session that `event` names: prepared parts of the session's folder and what the
    client says of itself. Nothing in a place that nobody opted in; reads no transcript.
    """
    from clew.core.context import status_line

    workspace, window = event.get("workspace"), event.get("context_window")
    place = workspace.get("project_dir") if isinstance(workspace, dict) else None
    live = places.live_folder(data, place) if isinstance(place, str) else ""
    if not live or not marks.is_there(live):
        return
    folder = marks.folder_of(event, live)
    used = window.get("used_percentage") if isinstance(window, dict) else None
    text = status_line.shown(
        marks.read(folder + "/line", most=4096).decode("utf-8", "replace") if folder else "",
        now_s=int(time.time()),
        context_percent=int(used) if isinstance(used, (int, float)) and 0 <= used <= 1000 else None,
        broken=marks.is_there(live + "/broken"),
    )
    if text:
        say(text + "\n")
