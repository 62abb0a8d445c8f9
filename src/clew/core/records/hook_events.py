"""Hooks: what a client tells when something happens in a session, and what is answered. Neutral of every client."""

from typing import Final, Literal, NamedTuple

# "other" is an event that nothing of ours listens to.
HookName = Literal[
    "session_start", "prompt", "before_tool", "after_tool", "before_compaction", "stop", "session_end", "other"
]
# How a session begins. "compact": the same session goes on after its context was dropped. "" unknown.
StartSource = Literal["startup", "resume", "fork", "clear", "compact", ""]
START_SOURCES: Final[tuple[StartSource, ...]] = ("startup", "resume", "fork", "clear", "compact")


class HookEvent(NamedTuple):
    """One event. Texts are as the client gave them, "" where it gave none; nothing of it can be trusted.

    `session` is the client's session id, `transcript` the path of its session file (which may not be there yet),
    `folder` the one that the client was started in. `agent` is the id of the sub-agent in which it happened, "" in the
    main chain. `attended`: a person sits at the session (it is no headless run). `source`: of a session start;
    `idle_s`: how many seconds ago a session that goes on heard its last answer, -1 unknown. `trigger`: of a compaction,
    "manual" or "auto"; of a session's end, why it ended. `stop_hook_active`: the turn goes on only because a stop hook
    wanted it. `pid` is the client's process, 0 unknown. `unseen`: the session's record will not show what is answered.
    `tool` that was called, with the shell's `command`, since `began_ns` (0: nothing that is watched has changed).
    `plan` is the Markdown of a plan that the agent put forward, `accepted`: a person agreed to it in the client's own
    dialog. `prompt` is what the user said.
    """

    client: str
    name: HookName
    session: str
    transcript: str = ""
    folder: str = ""
    agent: str = ""
    attended: bool = True
    source: StartSource = ""
    idle_s: int = -1
    trigger: str = ""
    stop_hook_active: bool = False
    pid: int = 0
    unseen: bool = False
    tool: str = ""
    command: str = ""
    began_ns: int = 0
    plan: str = ""
    accepted: bool = False
    prompt: str = ""


class Answer(NamedTuple):
    """What a hook answers. `context` is for the agent, `message` for the person at the screen, `deny` a reason why the
    tool must not run, `block` what the agent is to do before its turn ends; "" is nothing.
    """

    context: str = ""
    message: str = ""
    deny: str = ""
    block: str = ""


SILENCE: Final = Answer()

# What clients put before the model whole; of more they keep a preview. They count UTF-16 units, as their strings do.
CONTEXT_UNITS_MAX: Final = 10_000


def units(text: str) -> int:
    """The length of `text` as clients count it."""
    return len(text) + sum(character > "\uffff" for character in text)
