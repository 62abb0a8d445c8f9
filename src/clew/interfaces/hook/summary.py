"""The client's own summary of a compaction: kept for what follows it, which can see it nowhere else.

Claude Code says it once before that start: as the last words of a sub-agent without a type. Of other clients the event
tells it, or their record does by then (their dialects). A summary can quote what no file of ours may hold, so it is
redacted first; a compaction takes so long that nobody notices.
"""

from clew.interfaces.hook import marks

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event

SIZE_MAX = 256 << 10


def run(event: "Event", live: str) -> None:
    """Answer `SubagentStop` with nothing; keep what is a compaction's summary."""
    if event.get("agent_type") == "":
        keep(marks.folder_of(event, live), event.get("last_assistant_message"))


def keep(folder: str, words: object) -> None:
    """Keep the summary that a client's `words` hold in the session's `folder`, at most 256 KB of it."""
    if not folder or not isinstance(words, str) or not words:
        return
    _, opened, inside = words.partition("<summary>")
    text = inside.rpartition("</summary>")[0] or inside if opened else words
    from clew.secrets.redact import Redactor

    data = Redactor(key=None).redact(text.strip()[:SIZE_MAX]).encode("utf-8", "replace")[:SIZE_MAX]
    marks.replace(folder + "/summary", data.decode("utf-8", "ignore").encode())
