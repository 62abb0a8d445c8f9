"""After a tool call: leave marks of it, and look at the context's size when the session's record has grown enough."""

import posix
import time

from clew.core import runtime_dir as places
from clew.interfaces.hook import marks

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event

# Growth of a record after which its end is looked at again. A threshold is met this much late at most: by what its
# text can add to the context, some 10,000 tokens.
_GROWTH = 32 << 10
# The same for what a phase cost: some 4,000 to 8,000 tokens of text, or one large answer.
_COST_GROWTH = 32 << 10
# So much of a record's end may hold what a compaction left.
_COMPACTED = 4 << 20
# A token has some four bytes: by so many more of them a client that tells tokens has grown.
_TOKEN = 4
# They change nothing: what is watched need not be looked at behind them.
_LOOKS = ("Read", "Grep", "Glob", "LS", "TodoWrite", "TaskUpdate", "TaskCreate", "AskUserQuestion", "ExitPlanMode")
_FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
# Without one of these in its output a command has not failed, for clients that tell no exit code.
_FAILING = ("rror", "FAIL", "fail", "xit Code: ", "xit code: ", "panic", "fatal", "✕", "✗")
_SHELL_TOOLS = ("Bash", "PowerShell")
# Its result comes when a person has accepted the plan.
_PLAN_DIALOG = "ExitPlanMode"


def run(name: str, event: "Event", live: str, data: str) -> None:
    """Answer `PostToolUse` or `PostToolUseFailure`: nothing, unless a threshold was crossed that was not told yet, a
    compaction is seen in the record, or a warning waits from before the tool.
    """
    folder = marks.folder_of(event, live)
    if not folder or (name == "PostToolUseFailure" and event.get("tool_name") in _SHELL_TOOLS and _was_denied(event)):
        return
    is_known = event.get("tool_name") == _PLAN_DIALOG and marks.is_there(f"{folder}/{places.HEARD}")
    marks.touch(folder + "/pending")
    began_ns, line = _seen(name, event, folder)
    if line:
        marks.append(folder + "/seen", line)
    noted(name, event, live)
    is_accepted = event.get("tool_name") == _PLAN_DIALOG and name == "PostToolUse" and planned(event)
    if is_accepted or (event.get("tool_name") not in _LOOKS and _is_breached(live)):
        from clew.interfaces.hook import full

        if not is_accepted:
            event["began_ns"] = began_ns or _began(event, folder, time.time_ns())
        full.run(name, event, live, data, known=is_known)
        return
    later = getattr(marks.dialect(event), "ANSWERS", {}).get("later")
    if later and _warned(folder, later):
        return
    if "agent_id" not in event and _phase(event, live, folder):
        from clew.interfaces.hook import full

        full.run(name, event, live, data)
        return
    if "agent_id" not in event and grown(event, folder) and (compacted(event, folder) or crossed(event, live, folder)):
        from clew.interfaces.hook import full

        full.run(name, event, live, data)


def _was_denied(event: "Event") -> bool:
    """Whether a call never ran, for a gate denied it."""
    from clew.core.gate import repeats

    return repeats.was_denied(str(event.get("error", "")))


def noted(name: str, event: "Event", live: str) -> None:
    """Note a command that failed; while one has, note what is changed, and whether it passes again."""
    tool, given = event.get("tool_name"), event.get("tool_input")
    has_failed = bool(marks.holding(live, "tried"))
    if tool in _SHELL_TOOLS and isinstance(given, dict):
        if name == "PostToolUseFailure" or has_failed or _may_have_failed(event.get("tool_response")):
            from clew.interfaces.hook import failures

            failed, text = failures.output(name, event)
            failures.note(event, live, failed=failed, text=text)
    elif has_failed and tool not in _LOOKS and isinstance(given, dict):
        from clew.core.gate import decision
        from clew.interfaces.hook import failures

        deed = decision.edit(str(tool), given, str(event.get("cwd", "")))
        failures.changed([path for path, _ in deed.writes] if deed else [f"$ {tool}"], live)


def _may_have_failed(said: object) -> bool:
    """Whether an output is worth a second look: most say nothing of a failure."""
    text = said if isinstance(said, str) else "\n".join(map(str, said.values())) if isinstance(said, dict) else ""
    return any(mark in text for mark in _FAILING)


def _is_breached(live: str) -> bool:
    """Whether something that is watched is not as it was at the last look."""
    place = marks.holding(live, places.WATCH)
    if not place:
        return False
    from clew.workspace import stats

    watch = marks.read(f"{place}/{places.WATCH}").decode("utf-8", "surrogateescape")
    return bool(watch) and stats.looked(watch) != marks.read(f"{place}/{places.WATCHED}", most=64 << 20)


def _phase(event: "Event", live: str, folder: str) -> bool:
    """Whether the phase that is under way is to be looked at: a set of edits is complete, or its cost has grown."""
    place = marks.holding(live, places.PHASE)
    if not place:
        return False
    auto = marks.read(f"{place}/{places.PHASE}", most=64)
    tool = event.get("tool_name")
    if auto.startswith(b"change-set"):
        if tool in _FILE_TOOLS[1:] or tool == "apply_patch":
            marks.touch(folder + "/edited")
        elif marks.is_there(folder + "/edited"):
            return True
    size, looked = _size(event), marks.read(folder + "/cost", most=32).strip()
    if size < 0 or (looked.isdigit() and int(looked) <= size < int(looked) + _COST_GROWTH):
        return False
    marks.write(folder + "/cost", f"{size:>15}\n".encode(), flags=posix.O_CREAT)
    return bool(looked)


def planned(event: "Event") -> bool:
    """Whether a plan was accepted in the main chain; then `event` has it. Newer clients hand it over with the result,
    older ones with the call.
    """
    if "agent_id" in event:
        return False
    for part in ("tool_response", "tool_input"):
        given = event.get(part)
        text = given.get("plan") if isinstance(given, dict) else None
        if isinstance(text, str) and text.strip():
            event["plan"] = text
            return True
    return False


def _seen(name: str, event: "Event", folder: str) -> "tuple[int, bytes]":
    """When a shell command began (0: it was none), and the lines for the list of what the session has seen; empty if
    the call read and wrote no file."""
    tool, given = event.get("tool_name"), event.get("tool_input")
    if not isinstance(given, dict):
        return 0, b""
    from clew.core.records import seen

    if tool in _SHELL_TOOLS:
        now_ns = time.time_ns()
        began_ns = _began(event, folder, now_ns)
        return began_ns, seen.shell_line(began_ns, now_ns)
    if tool == "apply_patch" and name == "PostToolUse":
        return 0, _patched(str(given.get("command")), str(event.get("cwd", "")))
    path = given.get("file_path") or given.get("notebook_path")
    if tool not in _FILE_TOOLS or name != "PostToolUse" or not isinstance(path, str):
        return 0, b""
    return 0, _file(path, wrote=tool != "Read")


def _began(event: "Event", folder: str, now_ns: int) -> int:
    """When a shell command began: as the client tells, or as the hook before it noted."""
    took_ms = event.get("duration_ms")
    if isinstance(took_ms, int):
        return now_ns - took_ms * 1_000_000
    mark = marks.running(event, folder)
    try:
        began = posix.stat(mark).st_mtime_ns
        posix.unlink(mark)
    except OSError:
        return now_ns
    return began


def _patched(text: str, cwd: str) -> bytes:
    """The lines for what a patch wrote. What it took away was not taken away from outside: as after a command."""
    from clew.core.records import patch, seen

    files, now_ns = patch.files(text, cwd), time.time_ns()
    lines = b"".join(_file(path, wrote=True) for path, stays in files if stays)
    return lines + b"".join([seen.shell_line(now_ns, now_ns)] if not all(stays for _, stays in files) else [])


def _file(path: str, *, wrote: bool) -> bytes:
    from clew.core.records import seen

    try:
        found = posix.stat(path)
    except (OSError, ValueError):
        return b""
    return seen.file_line(found.st_mtime_ns, found.st_size, path, wrote=wrote)


def _warned(folder: str, later: str) -> bool:
    """Say what waits from before the tool, in the client's form for it; whether anything did."""
    taken = f"{folder}/later.{posix.getpid()}"
    try:
        posix.rename(folder + "/later", taken)  # no two hooks say it, and what comes now waits for the next one
    except OSError:
        return False
    text = marks.read(taken).decode("utf-8", "replace").rstrip("\n")
    posix.unlink(taken)
    from clew.interfaces.hook.wire import quoted, say

    say(later % quoted(text))
    return True


def grown(event: "Event", folder: str, *, least: int = _GROWTH) -> bool:
    """Whether the record has grown by so many bytes, or shrunk, since its end was last looked at."""
    size = _size(event)
    if size < 0:
        return False
    looked = marks.read(folder + "/pulse", most=64).split()
    before = int(looked[0]) if looked and looked[0].isdigit() else 0
    return not before <= size < before + least


def compacted(event: "Event", folder: str, *, known: bool = True) -> bool:
    """Whether the record shows a compaction of which nobody told: then `event` is its start, and its summary is kept.

    For clients without a hook for it. It is noted at once, for one hook of several to tell: what that one fails to say
    is left out, not tried at every tool again. Not `known`: the session is seen for the first time, so what was before
    is only noted.
    """
    find = getattr(marks.dialect(event), "compacted", None)
    if find is None:
        return False
    from clew.interfaces.hook.wire import parsed

    text = find(marks.tail(_transcript(event), _COMPACTED), parsed)
    if not text or not marks.first(f"{folder}/compacted-{marks.digest(text)}"):
        return False
    if known:
        from clew.interfaces.hook import summary

        summary.keep(folder, text)
        event["source"] = "compact"
    return known


def crossed(event: "Event", live: str, folder: str) -> bool:
    """Look at the record's end: is the context over a threshold that this session was not told of yet?

    Leaves `pulse`: the record's size, the tokens of its context, the model's name (`-` unknown) and its window, cut by
    spaces.
    """
    from clew.interfaces.hook.wire import parsed

    tokens, model, window = _looked(event)
    model = (model or str(event.get("model") or "")).replace(" ", "")[:60]
    # Of one length, so that a look that comes second cuts nothing off: hooks of a session run at the same time.
    line = f"{_size(event):>15} {tokens:>12} {model or '-':<60} {window:>12}\n"
    marks.write(folder + "/pulse", line.encode("utf-8", "replace"), flags=posix.O_CREAT)
    told = parsed(marks.read(folder + "/told.json"))
    if tokens and window and told.get("window") != window:  # the thresholds that are known are of another one
        return True
    over = [name for name, least in _thresholds(told, live).items() if tokens >= least]
    known = told.get("thresholds")
    return any(not isinstance(known, list) or name not in known for name in over) and not is_quiet(told, folder)


def _looked(event: "Event") -> "tuple[int, str, int]":
    """Tokens, model and window: as the event tells them, else as the end of the record does."""
    if isinstance(event.get("tokens"), int):
        window = event.get("window")
        return event["tokens"], "", window if isinstance(window, int) else 0
    from clew.core.context import context_size as pulse
    from clew.core.runtime_dir import CANONICAL
    from clew.interfaces.hook.wire import dialect_of, parsed

    says, path = dialect_of(event.get("client", CANONICAL)), _transcript(event)
    return pulse.look(lambda most: marks.tail(path, most), parsed, says) or (0, "", 0)


def is_quiet(told: "Event", folder: str) -> bool:
    """Whether the session has heard enough: `told` (told.json) names the prompt until which it is left alone."""
    until = told.get("quiet_until")
    try:
        return isinstance(until, int) and posix.stat(folder + "/prompts").st_size < until
    except OSError:
        return False


def _thresholds(told: "Event", live: str) -> "dict[str, int]":
    """Tokens by the threshold's name: what holds for the session's model, if that is known, else for the place."""
    found = told.get("pressure")
    if not found:
        from clew.interfaces.hook import before

        try:
            found = before.rules(live).get("pressure")
        except ValueError:  # of another version
            return {}
    named = found.items() if isinstance(found, dict) else ()
    return {name: least for name, least in named if isinstance(least, int) and least > 0}


def _size(event: "Event") -> int:
    """The size of the record in bytes, or something that grows like it; -1 if there is none."""
    tokens = event.get("tokens")
    if isinstance(tokens, int):
        return max(0, tokens) * _TOKEN
    try:
        return posix.stat(_transcript(event)).st_size
    except (OSError, ValueError):
        return -1


def _transcript(event: "Event") -> str:
    path = event.get("transcript_path")
    return path if isinstance(path, str) and path.startswith("/") else ""
