"""A session begins where its text was prepared (`app/hooks/prepared.py`): it is given if nothing changed since, and all
else that a start does is done behind the client's back.
"""

import posix
import time

from clew.core import runtime_dir as places
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import parsed, say
from clew.workspace import stats

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event

_SOURCES = ("startup", "clear")
# What a text may depend on of the hook's environment, by how its names begin.
_NAMES = (
    b"CLEW_ CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_ OPENCODE_ XDG_ "
    b"HOME GIT_ PATH TZ"
)
_BYTES_MAX = 16 << 20


def told(event: "Event", live: str) -> "Event":
    """What was prepared for the session that begins, if it is what the full program would say; else nothing."""
    folder = marks.folder_of(event, live)
    if event["client"] != places.CANONICAL or event.get("source") not in _SOURCES or "agent_id" in event or not folder:
        return {}
    found = parsed(marks.read(f"{live}/{places.PREPARED}", most=_BYTES_MAX))
    try:
        return found if _holds(found, folder) else {}
    except (KeyError, TypeError):  # what is not as it was written
        return {}


def _holds(found: "Event", folder: str) -> bool:
    """Whether what was prepared is good for the session with this folder. Raises for what is not as it was written."""
    return bool(
        found.get("v") == places.PREPARED_VERSION
        and isinstance(found["out"], str)
        and found["since_s"] <= time.time() < found["until_s"]
        and found["variables"] == variables()
        and not marks.is_there(folder)
        and not any(_is_at_work(one, but=folder) for one in found["lives"])
        and found["seen"] == stats.digest(stats.each(found["paths"]))
    )


def give(found: "Event", event: "Event", live: str) -> None:
    """Answer with what was prepared, and note that the session's start was heard: a prompt may come at once."""
    say(found["out"])
    marks.touch(marks.folder_of(event, live) + "/started")


def variables() -> str:
    """A digest of the part of this process' environment that texts may depend on: the values may be secrets."""
    names = tuple(_NAMES.split())
    own = sorted(name + b"=" + value for name, value in posix.environ.items() if name.startswith(names))
    return stats.digest(b"\0".join(own))


def _is_at_work(live: str, *, but: str) -> bool:
    """Whether a session of a live folder may be at work: its client's process is there, or was not known."""
    try:
        names = posix.listdir(f"{live}/{places.SESSIONS}")
    except OSError:
        return False
    for name in names:
        folder = f"{live}/{places.SESSIONS}/{name}"
        note = marks.read(f"{folder}/client", most=256) if folder != but else b""
        for line in note.splitlines():
            pid = line.partition(b" ")[0]
            if not pid.isdigit() or pid == b"0" or _is_running(int(pid)):
                return True
    return False


def _is_running(pid: int) -> bool:
    try:
        posix.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
