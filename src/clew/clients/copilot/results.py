"""What the end of a call says (`tool.execution_complete`), and which file contents it proves.

For the client a command that ended is a success, whatever its exit code. The last line of its output names the shell
that it ran in and how it ended there. Forms: docs/clients/copilot.md, "Results".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from clew.clients.fields import inner, text
from clew.core.records.transcript import FileVersion

# What the client puts behind the output of a tool that a hook had something to say of.
_GUIDANCE: Final = re.compile(r'\n\nTool "[^"\n]+" succeeded\. Additional guidance from postToolUse hooks:\n')
_ENDED: Final = re.compile(r"\n?<shellId: (\S+) completed with exit code (-?\d{1,9})>\s*\Z")
_RUNS: Final = re.compile(
    r"\n?<command (?:started in background )?with shellId: (\w+)"
    r"(?:>| is still running[^>]*>| moved to background[^>]*>)\s*\Z"
)
_STOPPED: Final = re.compile(r"<command with id: \S+ stopped>\s*\Z")
_OUTCOMES: Final = {"denied": "denied", "rejected": "rejected"}
_BY_HOOK: Final = "Denied by "
# Before the lines of a new file in the difference that the client keeps.
_NEW: Final = re.compile(r"\ndiff --git [^\n]*\ncreate file mode [^\n]*\n(?:index [^\n]*\n)?--- a?/dev/null\n\+\+\+ b")
_SHOWN: Final = re.compile(r"\ndiff --git [^\n]*\n(?:index [^\n]*\n)?--- a[^\n]*\n\+\+\+ b([^\n]+)\n")


class CopilotOutcome(NamedTuple):
    """The fields of a `Result`. `outcome` is "running" when a command goes on behind the answer, as `process`."""

    outcome: str
    exit_code: int | None
    text: str
    process: str = ""


def outcome(data: Mapping[str, Any]) -> CopilotOutcome:
    """How a call ended."""
    if data.get("success") is not True:
        error = inner(data, "error")
        said = text(error, "message")
        came = "denied" if said.startswith(_BY_HOOK) else _OUTCOMES.get(text(error, "code"), "error")
        return CopilotOutcome(came, None, said)
    said = text(inner(data, "result"), "content")
    if found := _GUIDANCE.search(said):
        said = said[: found.start()]
    if runs := _RUNS.search(said):
        return CopilotOutcome("running", None, said[: runs.start()], runs[1])
    ended = _ENDED.search(said)
    code = inner(data, "shellExecution").get("exitCode", int(ended[2]) if ended else None)
    said = said[: ended.start()] if ended else said
    if isinstance(code, int) and not isinstance(code, bool):
        return CopilotOutcome("error" if code else "ok", code, said)
    return CopilotOutcome("interrupted" if _STOPPED.search(said) else "ok", None, said)


def file_versions(data: Mapping[str, Any]) -> Iterator[FileVersion]:
    """The file that a call made, by the difference that is kept with it; or one that was shown whole."""
    result, telemetry = inner(data, "result"), inner(data, "toolTelemetry")
    kept = text(result, "detailedContent")
    if data.get("success") is not True or not kept:
        return
    if found := _NEW.match(kept):
        path, _, rest = kept[found.end() :].partition("\n")
        lines = rest.rstrip("\n").split("\n")[1:]
        if all(line.startswith("+") for line in lines):
            yield FileVersion(path, "".join(f"{line[1:]}\n" for line in lines).encode("utf-8", "replace"))
    elif _is_whole(telemetry) and (shown := _SHOWN.match(kept)):
        content = text(result, "content")
        if guided := _GUIDANCE.search(content):
            content = content[: guided.start()]
        yield FileVersion(shown[1], content.encode("utf-8", "replace"))


def _is_whole(telemetry: Mapping[str, Any]) -> bool:
    """Whether a file was shown from its beginning to its end, uncut."""
    properties, metrics = inner(telemetry, "properties"), inner(telemetry, "metrics")
    shown, length = metrics.get("resultForLlmLength"), metrics.get("resultLength")
    is_file = (properties.get("command"), properties.get("viewType")) == ("view", "file")
    return is_file and "view_range" not in text(properties, "inputs") and shown is not None and shown == length
