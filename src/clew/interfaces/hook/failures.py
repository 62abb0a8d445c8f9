"""What failed in a place, as the hooks behind shell commands note it, and whether a command would fail like that again.

In the place's live folder `failures` is the list (`core/gate/repeats.py`), `tried` what was changed since the last one,
while a command that failed has not passed again, and `repeating` a mark while one failed in the same way again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import Any

from clew.core import runtime_dir as places
from clew.core.gate import decision, repeats
from clew.core.gate.shell import effects
from clew.interfaces.hook import marks

_READ_MAX = 256 << 10
_KEEP_MAX = 1 << 20
_TEXT_CHARS = 300
_JOINTS = ("|", ";", "\n", "&")
# A client's words for an exit code that is not 0.
_EXIT = re.compile(r"(?:^Exit code: |\nExit [Cc]ode: )(?![0(]|$)")


def note_call(name: str, event: dict[str, Any], live: str) -> None:
    """Note a command that failed; while one has, note what is changed, and whether it passes again."""
    tool, given = event.get("tool_name"), event.get("tool_input")
    if not isinstance(given, dict):
        return
    if tool in marks.SHELLS:
        failed, text = output(name, event)
        note(event, live, failed=failed, text=text)
    elif tool not in marks.LOOKS:
        deed = decision.edit(str(tool), given, str(event.get("cwd", "")))
        note_changes([path for path, _ in deed.writes] if deed else [f"$ {tool}"], live)


def note(event: dict[str, Any], live: str, *, failed: bool, text: str) -> None:
    """Keep that a shell command failed, or passed again. `text` is what it printed."""
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str) or event.get("is_interrupt") is True or marks.was_denied(text):
        return
    line = effects.read(command, str(event.get("cwd", "")))
    families = frozenset(repeats.families(line.commands, effects.only_reads))
    failed = failed or (any(sign in command for sign in _JOINTS) and repeats.failed_within(text))
    records, now_ns = _records(live), time.time_ns()
    digests = frozenset(repeats.digests(text)) if failed and families else frozenset()
    if failed and families and not digests:
        return
    last = next((one for one in reversed(records) if one.families & families), None)
    if not digests and (last is None or not last.has_failed):
        if line.changes or not line.understood:  # it succeeded: what it changed counts as tried
            note_changes([path for path, _ in line.writes] + [f"$ {family}" for family in sorted(families)], live)
        return
    session, changed = str(event.get("session_id", "")), frozenset(_tried(live))
    now = repeats.FailureRecord(bool(digests), now_ns, session, families, digests, changed)
    error = ""
    if digests and repeats.same(records, now):
        from clew.secrets.redact import Redactor  # here: an output may hold what no file of ours may

        error = Redactor(key=None).redact(repeats.first_error(text))[:_TEXT_CHARS]
    _keep(live, records, repeats.FailureRecord(bool(digests), now_ns, session, families, digests, changed, error))


def note_changes(paths: Iterable[str], live: str) -> None:
    """Keep what was changed, if something has failed in the place and did not pass since."""
    lines = "".join(f"{path}\n" for path in paths if "\n" not in path)
    if lines and marks.is_there(_file(live, marks.TRIED)):
        marks.append(_file(live, marks.TRIED), lines.encode("utf-8", "surrogateescape"))


def repeat(event: dict[str, Any], live: str, folder: str, commands: list[list[str]]) -> tuple[str, str]:
    """The failure that these commands would repeat, as a rule's name, and what to say of it; "" and "" for none."""
    records = _records(live) if folder else []
    families = repeats.families(commands, effects.only_reads)
    session = str(event.get("session_id", ""))
    found = repeats.repeated(records, families, session, _tried(live), _is_as_then)
    if found is None:
        return "", ""
    last, same, tried = found
    name = f"failed-{min(last.digests)}-{len(same)}"
    return name, repeats.told(last, same, tried)


def output(name: str, event: dict[str, Any]) -> tuple[bool, str]:
    """Whether a shell command failed, as far as the client tells, and what it printed."""
    if name == "PostToolUseFailure":
        return True, str(event.get("error", ""))
    said = event.get("tool_response")
    if isinstance(said, str):
        return _EXIT.search(said) is not None, said
    if not isinstance(said, dict):
        return False, ""
    parts = [said.get(name) for name in ("stdout", "stderr", "llmContent", "output")]
    text = "\n".join(part for part in parts if isinstance(part, str))
    code = said.get("exit")
    return (isinstance(code, int) and code != 0) or _EXIT.search(text) is not None, text


def _file(live: str, name: str) -> str:
    return f"{marks.holding(live, places.GATES) or live}/{name}"


def _records(live: str) -> list[repeats.FailureRecord]:
    return repeats.known(marks.tail(_file(live, places.FAILURES), _READ_MAX), time.time_ns())


def _tried(live: str) -> list[str]:
    return marks.read(_file(live, marks.TRIED), most=64 << 10).decode("utf-8", "surrogateescape").split("\n")[:-1]


def _is_as_then(path: str, time_ns: int) -> bool:
    found = marks.state(path)
    return found is not None and found[0] <= time_ns


def _keep(live: str, records: list[repeats.FailureRecord], new: repeats.FailureRecord) -> None:
    """Add a record to the list, and leave the marks by which the first step of a hook goes."""
    file, records = _file(live, places.FAILURES), [*records, new]
    found = marks.state(file)
    if found is not None and found[1] > _KEEP_MAX:
        kept = marks.tail(file, _READ_MAX)
        marks.replace(file, kept[kept.find(b"\n") :])
    marks.append(file, repeats.encode(new))
    marks.replace(_file(live, marks.TRIED), None if repeats.is_over(records) else b"")
    marks.replace(_file(live, marks.REPEATING), b"" if repeats.is_stuck(records) else None)
