"""After a tool call: leave marks of it, and look at the context's size when the transcript has grown enough."""

import posix
import time

from clew.interfaces.hook import marks

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.entry import Event

# Growth of a transcript after which its end is looked at again. A threshold is met this much late at most: by what its
# text can add to the context, some 10,000 tokens.
_GROWTH = 32 << 10
_FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
_SHELL_TOOLS = ("Bash", "PowerShell")


def run(name: str, event: "Event", live: str, data: str) -> None:
    """Answer `PostToolUse` or `PostToolUseFailure`: nothing, unless a threshold was crossed that was not told yet."""
    folder = marks.folder_of(event, live)
    if not folder:
        return
    marks.touch(folder + "/pending")
    line = _seen(name, event)
    if line:
        marks.append(folder + "/seen", line)
    if "agent_id" not in event and grown(event, folder) and crossed(event, live, folder):
        from clew.interfaces.hook import full

        full.run(name, event, live, data)


def _seen(name: str, event: "Event") -> bytes:
    """The line for the list of what the session has seen; empty if the call read and wrote no file."""
    tool, given = event.get("tool_name"), event.get("tool_input")
    if not isinstance(given, dict):
        return b""
    from clew.core import seen

    if tool in _SHELL_TOOLS:
        took_ms, now_ns = event.get("duration_ms"), time.time_ns()
        return seen.shell_line(now_ns - (took_ms if isinstance(took_ms, int) else 0) * 1_000_000, now_ns)
    path = given.get("file_path") or given.get("notebook_path")
    if tool not in _FILE_TOOLS or name != "PostToolUse" or not isinstance(path, str):
        return b""
    try:
        found = posix.stat(path)
    except (OSError, ValueError):
        return b""
    return seen.file_line(found.st_mtime_ns, found.st_size, path, wrote=tool != "Read")


def grown(event: "Event", folder: str) -> bool:
    """Whether the transcript has grown enough, or shrunk, since its end was last looked at."""
    try:
        size = posix.stat(_transcript(event)).st_size
    except (OSError, ValueError):
        return False
    looked = marks.read(folder + "/pulse", most=64).split()
    before = int(looked[0]) if looked and looked[0].isdigit() else 0
    return not before <= size < before + _GROWTH


def crossed(event: "Event", live: str, folder: str) -> bool:
    """Look at the transcript's end: is the context over a threshold that this session was not told of yet?

    Leaves `pulse`: the transcript's size, the tokens of its context and the model's name, cut by spaces.
    """
    from clew.core import pulse
    from clew.interfaces.hook.entry import parsed

    path = _transcript(event)
    size = posix.stat(path).st_size
    tokens, model = pulse.look(lambda most: marks.tail(path, most), parsed) or (0, "")
    # Of one length, so that a look that comes second cuts nothing off: hooks of a session run at the same time.
    line = f"{size:>15} {tokens:>12} {model.replace(' ', '')[:60]:<60}\n"
    marks.write(folder + "/pulse", line.encode("utf-8", "replace"), flags=posix.O_CREAT)
    told = parsed(marks.read(folder + "/told.json"))
    over = [name for name, least in _thresholds(told, live).items() if tokens >= least]
    known = told.get("thresholds")
    return any(not isinstance(known, list) or name not in known for name in over) and not is_quiet(told, folder)


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


def _transcript(event: "Event") -> str:
    path = event.get("transcript_path")
    return path if isinstance(path, str) and path.startswith("/") else ""
