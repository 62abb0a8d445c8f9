"""From the shim to the module that answers an event. What stands here runs at every tool call: imports are counted."""

from clew.core.runtime_dir import CANONICAL
from clew.interfaces.hook.wire import UNREAD, dialect_of, given, parsed, say

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event

# What clients call the event of a tool that is about to run.
_BEFORE_TOOL = ("PreToolUse", "BeforeTool")
FULL = ("SessionStart", "PreCompact", "Stop", "SessionEnd")


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
    from clew.interfaces.hook import marks

    event["client"], called = client, name
    if client != CANONICAL:
        name = dialect_of(client).heard(name, event, marks.tail, parsed)
    if name == "PreToolUse":
        if marks.is_there(f"{data}/spent"):  # somebody set a budget
            from clew.interfaces.hook import budget

            budget.run(event, live, data, say)
        else:
            from clew.interfaces.hook import before

            before.run(event, live, say)
    elif name in ("PostToolUse", "PostToolUseFailure"):
        from clew.interfaces.hook import after

        after.run(name, event, live, data)
    elif name == "statusline":
        from clew.interfaces.hook import line

        line.run(event, data)
        return
    elif name == "SubagentStop":
        from clew.interfaces.hook import summary

        summary.run(event, live)
    elif name == "UserPromptSubmit" or name in FULL:
        if not marks.is_there(live) and not _begins(name, live, data):
            return
        _whole(name, event, live, data)
    else:
        return
    from clew.core.runtime_dir import beat

    marks.touch(f"{live}/{beat(client, called)}")
    if name == "SessionStart" and (folder := marks.folder_of(event, live)) and marks.is_there(live):
        marks.touch(folder + "/started")


def _begins(name: str, live: str, data: str) -> bool:
    """Whether a session begins in a place that belongs to one which a person opted in."""
    from clew.interfaces.hook import opt_in_check

    return name in ("SessionStart", "UserPromptSubmit") and opt_in_check.wanted(live, data)


def _whole(name: str, event: "Event", live: str, data: str) -> None:
    """Answer an event for which the full program may be needed."""
    if name == "UserPromptSubmit":
        from clew.interfaces.hook import prompt

        prompt.run(event, live, data)
        return
    if name == "Stop":
        from clew.interfaces.hook import stop

        stop.run(event, live, data)
        return
    if "summary" in event:
        from clew.interfaces.hook import marks, summary

        summary.keep(marks.folder_of(event, live), event["summary"])
    from clew.interfaces.hook import full

    full.run(name, event, live, data)
