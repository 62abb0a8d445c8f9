"""A recorder of sessions of our own: writes what Claude Code would write, line by line, in the shape of 2.1.330.

Times and ids count up from the start, so one story gives the same bytes every time. Nothing is looked at: what a tool
"returned" is what the story says.
"""

from __future__ import annotations

import json
import time
from calendar import timegm
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clew.clients.claude_code.spec import slug

ID = "5e551011-0000-4000-8000-000000000001"
START = "2026-03-02T09:00:00"
STEP_S = 20

_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file)."
)
# What the client puts around the summary of a compaction (2.1.330).
_CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The summary below covers the"
    " earlier portion of the conversation.\n\n<system-reminder>\n<tools-used-before-summary>Bash, Edit,"
    " Read</tools-used-before-summary>\n</system-reminder>\nSummary:\n"
)
_GO_ON = (
    "\n\nIf you need specific details from before compaction (like exact code snippets, error messages, or content you"
    " generated), read the full transcript at: /home/mira/.claude/projects/-home-mira-tide/5e551011.jsonl\nContinue the"
    " conversation from where it left off without asking the user any further questions. Resume directly — do not"
    ' acknowledge the summary, do not recap what was happening, do not preface with "I\'ll continue" or similar. Pick'
    " up the last task as if the break never happened.\n\nThe messages after this summary are the most recent messages"
    " from before compaction, kept verbatim. The summary was written without seeing them, so something it says has not"
    " happened yet may already have happened in them."
)
_NOTE = "\n\nNote: The user's next message may contain a correction or preference."


class Recorder:
    """One session. Every method appends the lines of one thing that happened and returns the recorder."""

    def __init__(
        self, cwd: str | Path, *, session: str = ID, branch: str = "main", start: str = START, model: str = "made-1"
    ) -> None:
        self.cwd = str(cwd)
        self.session = session
        self.branch = branch
        self.model = model
        self.lines: list[str] = []
        self._clock = timegm(time.strptime(start, "%Y-%m-%dT%H:%M:%S"))
        self._uuid: str | None = None
        self._calls = 0
        self._torn = False

    @property
    def text(self) -> str:
        """The file as it stands."""
        return "\n".join(self.lines) + ("" if self._torn else "\n")

    def save(self, home: Path, *, project: str = "", modified: float | None = None) -> Path:
        """Write the file where the client keeps it below `home`. `project` overrides the name of the folder there."""
        folder = home / ".claude" / "projects" / (project or slug(self.cwd))
        folder.mkdir(parents=True, exist_ok=True)
        return self.write_to(folder / f"{self.session}.jsonl", modified=modified)

    def write_to(self, path: Path, *, modified: float | None = None) -> Path:
        """Write the file to `path`, with the modification time `modified` (seconds after 1970) if given."""
        import os

        path.write_bytes(self.text.encode("utf-8", "surrogatepass"))
        if modified is not None:
            os.utime(path, (modified, modified))
        return path

    def headless(self) -> Recorder:
        """All of it so far as a program's client writes it (`claude -p`)."""
        self.lines = [row.replace('{"parentUuid"', '{"entrypoint": "sdk-cli", "parentUuid"') for row in self.lines]
        return self

    def raw(self, line: str) -> Recorder:
        """A line as it is, whatever it is."""
        self.lines.append(line)
        return self

    def user(self, content: str | list[dict[str, Any]], **fields: Any) -> Recorder:
        """The user types; `fields` go on the line."""
        return self._line("user", {"role": "user", "content": content}, fields)

    def reply(self, text: str) -> Recorder:
        """The agent speaks."""
        return self._assistant({"type": "text", "text": text})

    def pause(self, minutes: int) -> Recorder:
        """Let so much time pass before the next line."""
        self._clock += 60 * minutes
        return self

    def think(self, text: str) -> Recorder:
        return self._assistant({"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"})

    def call(self, tool: str, given: Mapping[str, Any], *, id: str = "") -> Recorder:
        """The agent calls a tool; the result is another line (`result`), or never comes."""
        self._calls += 1
        return self._assistant(
            {"type": "tool_use", "id": id or f"toolu_{self._calls:04}", "name": tool, "input": dict(given)}
        )

    def result(self, text: str, *, error: bool = False, structured: Any = None, id: str = "") -> Recorder:
        """What the last call returned."""
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": id or f"toolu_{self._calls:04}", "content": text}
        if error:
            block["is_error"] = True
        return self.user([block], **({} if structured is None else {"toolUseResult": structured}))

    def run(self, command: str, output: str = "", *, code: int = 0) -> Recorder:
        """A shell command with its outcome."""
        self.call("Bash", {"command": command, "description": "made"})
        if code:
            return self.result(f"Exit code {code}\n{output}", error=True)
        return self.result(output, structured={"stdout": output, "stderr": "", "interrupted": False})

    def read(self, path: str, content: str) -> Recorder:
        """A file is read whole."""
        full = f"{self.cwd}/{path}"
        count = content.count("\n") + 1
        file = {"filePath": full, "content": content, "numLines": count, "startLine": 1, "totalLines": count}
        self.call("Read", {"file_path": full})
        return self.result(content, structured={"type": "text", "file": file})

    def edit(self, path: str, old: str, new: str, *, original: str) -> Recorder:
        """A part of a file is replaced; `original` is all that the file held before."""
        full = f"{self.cwd}/{path}"
        self.call("Edit", {"file_path": full, "old_string": old, "new_string": new})
        told = {"filePath": full, "oldString": old, "newString": new, "originalFile": original}
        return self.result(
            "The file has been updated.", structured={**told, "structuredPatch": [], "replaceAll": False}
        )

    def write(self, path: str, content: str) -> Recorder:
        """A file is written whole."""
        full = f"{self.cwd}/{path}"
        self.call("Write", {"file_path": full, "content": content})
        told = {"type": "create", "filePath": full, "content": content, "structuredPatch": []}
        return self.result("File created successfully.", structured=told)

    def refuse(self, tool: str, given: Mapping[str, Any], reason: str = "") -> Recorder:
        """The user refuses a call, with or without a reason."""
        said = f" To tell you how to proceed, the user said:\n{reason}" if reason else " STOP what you are doing."
        return self.call(tool, given).result(f"{_REFUSED}{said}{_NOTE}", error=True)

    def plan(self, text: str, *, refused: str = "") -> Recorder:
        """A plan is put before the user: refused with a reason, or accepted."""
        if refused:
            return self.refuse("ExitPlanMode", {"plan": text}, refused)
        return self.call("ExitPlanMode", {"plan": text}).result(
            "User has approved your plan. You can now start coding."
        )

    def todos(self, entries: Sequence[tuple[str, str]]) -> Recorder:
        """The whole to-do list: (text, status) pairs."""
        given = [{"content": text, "status": status, "activeForm": text} for text, status in entries]
        return self.call("TodoWrite", {"todos": given}).result("Todos have been modified successfully.")

    def ask(self, question: str, options: Sequence[str], answer: str) -> Recorder:
        """A question is put to the user and answered."""
        choices = [{"label": label, "description": ""} for label in options]
        asked = [{"question": question, "header": "made", "options": choices, "multiSelect": False}]
        self.call("AskUserQuestion", {"questions": asked})
        said = (
            f'User has answered your questions: "{question}"="{answer}". You can now continue with the answers in mind.'
        )
        return self.result(said, structured={"questions": asked, "answers": {question: answer}})

    def delegate(self, title: str, prompt: str, answer: str) -> Recorder:
        """A sub-agent is asked and answers."""
        return self.call("Task", {"description": title, "prompt": prompt}).result(answer)

    def compaction(self, summary: str) -> Recorder:
        """The client drops its context and goes on from its own summary, which it puts into words of its own."""
        metadata = {"trigger": "auto", "preTokens": 160000, "postTokens": 9000}
        self._line("system", None, {"subtype": "compact_boundary", "compactMetadata": metadata})
        return self.user(_CONTINUED + summary + _GO_ON, isCompactSummary=True)

    def torn(self) -> Recorder:
        """The process was killed while it wrote a line: the newline and the rest are missing. Nothing may follow."""
        self.lines[-1] = self.lines[-1][: len(self.lines[-1]) // 2]
        self._torn = True
        return self

    def _assistant(self, block: dict[str, Any]) -> Recorder:
        number = len(self.lines) + 1
        usage = {
            "input_tokens": 5,
            "cache_creation_input_tokens": 400,
            "cache_read_input_tokens": 20000,
            "output_tokens": 80,
        }
        message = {"id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": self.model}
        return self._line(
            "assistant", {**message, "content": [block], "usage": usage}, {"requestId": f"req_{number:04}"}
        )

    def _line(self, kind: str, message: dict[str, Any] | None, fields: dict[str, Any]) -> Recorder:
        number = len(self.lines) + 1
        uuid = f"{self.session[:8]}-0000-4000-9000-{number:012}"
        self._clock += STEP_S
        line = {
            "parentUuid": self._uuid,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.330",
            "gitBranch": self.branch,
            "type": kind,
            **({} if message is None else {"message": message}),
            "uuid": uuid,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self._clock)),
            **fields,
        }
        self._uuid = uuid
        return self.raw(json.dumps(line, ensure_ascii=False))
