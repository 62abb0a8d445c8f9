"""At the end of a turn: nobody waits for what is taken in, unless the session may be asked for a draft."""

import posix

from clew.interfaces.hook import clues

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event

# What Codex has its agent put around a plan.
_PROPOSED = "<proposed_plan>"
_ON = (b"on", b"true", b"yes", b"1")
# In the environment of a client that a run, or a question of clew's, started (`workspace/process_tree.py`).
_JOB = b"CLEW_JOB"


def run(event: "Event", live: str, data: str) -> None:
    """Answer `Stop`: by the full program. Where it has nothing to ask, the client does not wait for it."""
    last = event.get("last_assistant_message")
    if isinstance(last, str) and _PROPOSED in last and "agent_id" not in event:
        event["plan"] = last
    if may_ask(event, live) or _behind():
        from clew.interfaces.hook import full

        full.run("Stop", event, live, data)


def may_ask(event: "Event", live: str) -> bool:
    """Whether the setting `draft.at_stop` is on here, or checks have a say, and this is not the end of a turn that goes
    on by a stop hook; and not in a run, which has checks and hand-off of its own behind the turn.
    """
    if "agent_id" in event or event.get("stop_hook_active") or _JOB in posix.environ:
        return False
    given = posix.environ.get(b"CLEW_DRAFT_AT_STOP", b"").strip().lower()
    try:
        rules = clues.rules(live)
        return rules.get("checks") is True or (given in _ON if given else rules.get("at_stop") is True)
    except ValueError:  # of another version
        return False


def _behind() -> bool:
    """Go on behind the client's back: False in the process that it waits for, True in the one that it does not."""
    try:
        if posix.fork():
            return False
        posix.setsid()
        nothing = posix.open("/dev/null", posix.O_RDWR)
        for stream in (0, 1, 2):
            posix.dup2(nothing, stream)
    except OSError:  # no process can be made: then it waits
        return True
    return True
