"""The live folder: where the hooks of a place find at once what they need, and leave marks. Pure names, no imports.

    <user data>/live/<the place's absolute path, mirrored as folders>/=clew/

It stands in the user's own data, never in the repository: that it is there says that a person ran `clew init` for this
place, and one `stat` tells. Mirrored paths need no hash and no escapes. docs/reference/hooks.md tells what files hold.
"""

LEAF = "=clew"
FOLDER = "live"
ROOT = "root"
GATES = "gates.json"
GATES_VERSION = 1  # of what stands in it
BEATS = "beats"
PREPARED = "start.json"
PREPARED_VERSION = 1  # of what stands in it
CANONICAL = "claude-code"  # the client whose form of events is the canonical one
BROKEN = "broken"
# What is told of a failure of which it holds nothing: the disk was full.
NO_WORD = "there was no room for a word of it"
SESSIONS = "sessions"
# In a session's folder: the client itself told of the session, so that its prompts are a person's.
HEARD = "heard"
CONFIRM = "confirm"
WATCH = "watch"
WATCHED = "watched"
FAILURES = "failures"
# Checks are run behind edits: hooks look at it now and then.
PHASE = "phase"
# Only where several sessions are live in one work tree: the path of the reflog of its HEAD and how long that was when
# the first two met, then a line for each session: its folder, its client's process, and who it is. Tabs stand between.
PARALLEL = "parallel"
# In a session's folder, only beside others: who it is in the words of a warning, and how long the reflog was when it
# last used git.
LABEL = "label"
REFLOG_SIZE = "reflog-size"


def parse_parallel(mark: str, folder: str) -> "tuple[str, str, dict[str, str]]":
    """What the text of `PARALLEL` tells the session with this folder: the path of the reflog ("" none), its length, and
    the folders of the others with who they are. Sessions of one process count as one: clients run sub-agents as
    sessions of their own.
    """
    head, *rows = mark.split("\n")
    log, _, size = head.partition("\t")
    found = [[*row.split("\t"), "", ""][:3] for row in rows if row]
    own = next((process for place, process, _ in found if place == folder), "")
    return log, size, {place: who for place, process, who in found if place != folder and not (own and process == own)}


def live_folder(data: str, place: str) -> str:
    """The live folder of `place` (an absolute path) below the user's data folder `data`. "" for a path that is none."""
    parts = [part for part in place.replace("\\", "/").replace(":", "").split("/") if part]
    if not parts or not (place.startswith(("/", "\\")) or place[1:2] == ":") or ".." in parts or LEAF in parts:
        return ""
    return "/".join([data.rstrip("/\\"), FOLDER, *parts, LEAF])


def session_folder(live: str, session: str) -> str:
    """The folder of a client's session in a live folder; "" where the id could name anything but one folder."""
    plain = session.isascii() and session.replace("-", "").replace("_", "").isalnum() and len(session) <= 128
    return f"{live}/{SESSIONS}/{session}" if plain else ""


def beat(client: str, event: str) -> str:
    """Where in a live folder the hook of an event leaves its mark; those of `CANONICAL` have no name before them."""
    return f"{BEATS}/{event}" if client == CANONICAL else f"{BEATS}/{client}-{event}"
