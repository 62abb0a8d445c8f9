"""The status line: prepared parts of the session's folder and what the client says of itself. Reads no transcript."""

import time

from clew.core import runtime_dir as places
from clew.core.context import status_line
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import say

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event


def run(event: "Event", data: str) -> None:
    """Print one line for the place and session that `event` names; nothing in a place that nobody opted in."""
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
