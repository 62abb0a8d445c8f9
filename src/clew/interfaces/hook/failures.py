"""What failed in a place, as the hooks behind shell commands note it, and whether a command would fail like that again.

The list is `failures` in the place's live folder (`core/gate/repeats.py`), `tried` beside it what was changed since the
last one. Nothing of this is loaded while commands succeed and none has failed.
"""

import posix
import time

from clew.core import runtime_dir as places
from clew.core.gate import repeats
from clew.core.gate.shell import effects
from clew.interfaces.hook import marks

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from clew.interfaces.hook.wire import Event

TRIED = "tried"
_READ_MAX = 256 << 10
_KEEP_MAX = 1 << 20
_TEXT_CHARS = 300
_JOINTS = ("|", ";", "\n", "&")


def note(event: "Event", live: str, *, failed: bool, text: str) -> None:
    """Keep that a shell command failed, or passed again. `text` is what it printed."""
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str) or event.get("is_interrupt") is True:
        return
    if repeats.was_denied(text):
        return
    line = effects.read(command, str(event.get("cwd", "")))
    families = repeats.families(line.commands, effects.only_reads)
    failed = failed or (any(sign in command for sign in _JOINTS) and repeats.failed_within(text))
    listed, now_ns = _list(live), time.time_ns()
    records = repeats.known(marks.tail(listed, _READ_MAX), now_ns)
    if not families or not failed:
        _passed(line, families, records, live, now_ns, event)
        return
    digests = repeats.digests(text)
    if not digests:
        return
    now = repeats.Failure(repeats.FAILED, now_ns, _session(event), families, digests, _tried(live))
    if repeats.same(records, now):
        from clew.secrets.redact import Redactor  # here: an output may hold what no file of ours may

        now.text = Redactor(key=None).redact(repeats.first_error(text))[:_TEXT_CHARS]
    _append(listed, now.line())
    marks.write(_beside(live), b"", flags=posix.O_CREAT | posix.O_TRUNC)


def _passed(
    line: effects.Line,
    families: "list[str]",
    records: "list[repeats.Failure]",
    live: str,
    now_ns: int,
    event: "Event",
) -> None:
    """A command that succeeded: what it changed counts as tried, and one that had failed is over."""
    last = next((one for one in reversed(records) if one.families & frozenset(families)), None)
    if last is not None and last.kind == repeats.FAILED:
        passed = repeats.Failure(repeats.PASSED, now_ns, _session(event), families, (), _tried(live))
        _append(_list(live), passed.line())
        marks.write(_beside(live), b"", flags=posix.O_CREAT | posix.O_TRUNC)
        return
    if line.changes or not line.understood:
        changed([path for path, _ in line.writes] + [f"$ {family}" for family in families], live)


def changed(paths: "list[str]", live: str) -> None:
    """Keep what was changed, if something has failed in the place."""
    if paths and marks.is_there(_beside(live)):
        lines = "".join(f"{path}\n" for path in paths if "\n" not in path)
        marks.append(_beside(live), lines.encode("utf-8", "surrogateescape"))


def repeat(event: "Event", live: str, folder: str, commands: "list[list[str]]") -> "tuple[str, str]":
    """The failure that these commands would repeat, as a rule's name, and what to say of it; "" and "" for none."""
    data = marks.tail(_list(live), _READ_MAX) if folder else b""
    if not data:
        return "", ""
    families = repeats.families(commands, effects.only_reads)
    records = repeats.known(data, time.time_ns())
    found = repeats.repeated(records, families, _session(event), _tried(live), _is_as_then)
    if found is None:
        return "", ""
    last, same, tried = found
    name = f"failed-{min(last.digests)}-{len(same)}"
    return name, repeats.told(last, same, tried, repeats.learned(records, last))


def output(name: str, event: "Event") -> "tuple[bool, str]":
    """Whether a shell command failed, as far as the client tells, and what it printed."""
    if name == "PostToolUseFailure":
        return True, str(event.get("error", ""))
    said = event.get("tool_response")
    if isinstance(said, str):
        return _exit_of(said), said
    if not isinstance(said, dict):
        return False, ""
    parts = [said.get(name) for name in ("stdout", "stderr", "llmContent", "output")]
    text = "\n".join(part for part in parts if isinstance(part, str))
    code = said.get("exit")
    return (isinstance(code, int) and code != 0) or _exit_of(text), text


def _exit_of(text: str) -> bool:
    """Whether a text names an exit code that is not 0, in the words of a client."""
    for mark in ("\nExit Code: ", "\nExit code: ", "Exit code: "):
        at = text.find(mark) if mark[0] == "\n" else (0 if text.startswith(mark) else -1)
        if at >= 0:
            return text[at + len(mark) : at + len(mark) + 1] not in ("0", "(", "")
    return False


def _list(live: str) -> str:
    return f"{marks.holding(live, places.GATES) or live}/{places.FAILURES}"


def _session(event: "Event") -> str:
    return str(event.get("session_id", ""))


def _beside(live: str) -> str:
    return f"{marks.holding(live, places.GATES) or live}/{TRIED}"


def _tried(live: str) -> "list[str]":
    return marks.read(_beside(live), most=64 << 10).decode("utf-8", "surrogateescape").split("\n")[:-1]


def _is_as_then(path: str, time_ns: int) -> bool:
    try:
        return posix.stat(path).st_mtime_ns <= time_ns
    except (OSError, ValueError):
        return False


def _append(listed: str, line: bytes) -> None:
    try:
        if posix.stat(listed).st_size > _KEEP_MAX:
            kept = marks.tail(listed, _READ_MAX)
            marks.write(listed, kept[kept.find(b"\n") :], flags=posix.O_CREAT | posix.O_TRUNC)
    except OSError:
        pass
    marks.append(listed, line)
