"""Step 2 after a tool: look whether something has to be said: a threshold of the context, a compaction, a warning from
before the tool, a set of edits, a watched file. The full program says it. One call in a dozen comes here, so nothing is
imported which costs more than the look.
"""

import posix
import time

from clew.core import runtime_dir as places
from clew.core.context import context_size
from clew.core.runtime_dir import CANONICAL
from clew.interfaces.hook import marks
from clew.interfaces.hook.clues import rules
from clew.interfaces.hook.wire import dialect_of, parsed, say
from clew.workspace import stats

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from typing import Any

    from clew.interfaces.hook.wire import Event


def run(name: str, event: "Event", live: str, *, began_ns: int) -> bool:
    """Whether `PostToolUse` or `PostToolUseFailure` is to be answered by the full program: a threshold was crossed that
    was not told yet, a compaction is seen in the record, or a watched file was changed. A warning that waits from
    before the tool is said here. `began_ns`: when the tool's command began, 0 unknown.
    """
    folder, tool = marks.folder_of(event, live), event.get("tool_name")
    if tool == marks.PLAN_DIALOG and name == "PostToolUse" and is_plan_accepted(event):
        return True
    if tool not in marks.LOOKS and _is_breached(live):
        event["began_ns"] = began_ns or marks.begin_of(event, folder, time.time_ns())
        return True
    later = getattr(marks.dialect(event), "ANSWERS", {}).get("later")
    if (later and _warn(folder, later)) or "agent_id" in event:
        return False
    is_new = marks.grown(event, folder) and (marks.compacted(event, folder) or crossed(event, live, folder))
    return is_new or _is_set_complete(event, live, folder)


def _is_breached(live: str) -> bool:
    """Whether something that is watched is not as it was at the last look."""
    place = marks.holding(live, places.WATCH)
    watch = marks.read(f"{place}/{places.WATCH}").decode("utf-8", "surrogateescape") if place else ""
    return bool(watch) and stats.looked(watch) != marks.read(f"{place}/{places.WATCHED}", most=64 << 20)


def _is_set_complete(event: "Event", live: str, folder: str) -> bool:
    """Whether a set of edits is complete, behind which quick checks are to be run."""
    if not marks.holding(live, places.PHASE):
        return False
    tool = event.get("tool_name")
    if tool in marks.FILE_TOOLS[1:] or tool == "apply_patch":
        marks.touch(folder + "/edited")
        return False
    return marks.is_there(folder + "/edited")


def is_plan_accepted(event: "Event") -> bool:
    """Whether a plan was accepted in the main chain; then `event` has it. Newer clients hand it over with the result,
    older ones with the call.
    """
    for part in ("tool_response", "tool_input") if "agent_id" not in event else ():
        given = event.get(part)
        text = given.get("plan") if isinstance(given, dict) else None
        if isinstance(text, str) and text.strip():
            event["plan"] = text
            return True
    return False


def _warn(folder: str, later: str) -> bool:
    """Say what waits from before the tool, in the client's form for it; whether anything did."""
    taken = f"{folder}/later.{posix.getpid()}"
    try:
        posix.rename(folder + "/later", taken)  # no two hooks say it, and what comes now waits for the next one
    except OSError:
        return False
    text = marks.read(taken).decode("utf-8", "replace").rstrip("\n")
    posix.unlink(taken)
    from json import dumps  # here: hardly ever does anything wait

    say(later % dumps(text))
    return True


def crossed(event: "Event", live: str, folder: str) -> bool:
    """Look at the record's end: is the context over a threshold that this session was not told of yet?

    Leaves `pulse`: the record's size, the tokens of its context, the model's name (`-` unknown) and its window, cut by
    spaces.
    """
    tokens, model, window = _look(event)
    model = (model or str(event.get("model") or "")).replace(" ", "")[:60]
    # Of one length, so that a look that comes second cuts nothing off: hooks of a session run at the same time.
    line = f"{marks.record_size(event):>15} {tokens:>12} {model or '-':<60} {window:>12}\n"
    marks.write(folder + "/pulse", line.encode("utf-8", "replace"), flags=posix.O_CREAT)
    told = parsed(marks.read(folder + "/told.json"))
    if tokens and window and told.get("window") != window:  # the thresholds that are known are of another one
        return True
    over = [name for name, least in _thresholds(told, live).items() if tokens >= least]
    known = told.get("thresholds")
    return any(not isinstance(known, list) or name not in known for name in over) and not marks.is_quiet(told, folder)


def _look(event: "Event") -> tuple[int, str, int]:
    """Tokens, model and window: as the event tells them, else as the end of the record does."""
    if isinstance(event.get("tokens"), int):
        window = event.get("window")
        return event["tokens"], "", window if isinstance(window, int) else 0
    says, path = dialect_of(event.get("client", CANONICAL)), marks.transcript_of(event)
    return context_size.look(lambda most: marks.tail(path, most), parsed, says) or (0, "", 0)


def _thresholds(told: "dict[str, Any]", live: str) -> dict[str, int]:
    """Tokens by the threshold's name: what holds for the session's model, if that is known, else for the place."""
    found = told.get("pressure")
    if not found:
        try:
            found = rules(live).get("pressure")
        except ValueError:  # of another version
            return {}
    named = found.items() if isinstance(found, dict) else ()
    return {name: least for name, least in named if isinstance(least, int) and least > 0}
