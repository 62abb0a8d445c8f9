"""Bytes of a Claude Code session file to neutral records. Opens nothing, remembers nothing between lines.

Every record is made from one line alone, which is what makes reading in pieces the same as reading at once.
Format: docs/clients/claude-code.md, seen in versions 2.0.14 to 2.1.330.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clew.clients.claude_code.context import context_parts, file_versions
from clew.clients.claude_code.prompts import said, summarised
from clew.clients.claude_code.results import ANSWERED, answers, outcome
from clew.clients.claude_code.usage import CALLS, SIDECHAIN, SYNTHETIC, count, progress_usages, read_usage, usages_of
from clew.clients.claude_code.wire import Attachment, CompactMetadata, ContentBlock, SessionLine, decode
from clew.clients.fields import detail, text
from clew.clients.lines import LineReader, NotALine, decode_any, object_of, time_of
from clew.clients.tools import Meaning, actions_of, ask, delegate, edit, edits, plan, poll, read, run, search, todos
from clew.core.records.transcript import (
    Action,
    Batch,
    Call,
    Compaction,
    Context,
    FileVersion,
    Interruption,
    Link,
    Other,
    Poll,
    Prompt,
    Record,
    Reply,
    Result,
    Running,
    Summary,
    Thought,
    Todo,
    Todos,
)

if TYPE_CHECKING:
    from clew.core.records.context_parts import ContextPart


def _task_create(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Todos((Todo("", text(fields, "subject", "description"), "pending"),), whole=False),)


def _task_update(fields: dict[str, Any]) -> tuple[Action, ...]:
    number = fields.get("taskId")
    task, subject, status = str(number) if isinstance(number, str | int) else "", text(fields, "subject"), ""
    status = text(fields, "status")
    if not task or not (subject or status):
        return (Other(detail(fields)),)
    return (Todos((Todo(task, subject, status),), whole=False),)


_TOOLS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(("Bash", "PowerShell"), run("command")),
    **dict.fromkeys(("Read", "NotebookRead"), read("file_path", "notebook_path")),
    "Edit": edit("file_path", "old_string", "new_string"),
    "MultiEdit": edits("file_path", "old_string", "new_string"),
    "Write": edit("file_path", "", "content"),
    "NotebookEdit": edit("notebook_path", "", "new_source"),
    **dict.fromkeys(("Grep", "Glob"), search("pattern", "path", "glob")),
    "LS": search("", "path"),
    **dict.fromkeys(("ExitPlanMode", "exit_plan_mode"), plan("plan")),
    "TodoWrite": todos("todos", "content"),
    "TaskCreate": _task_create,
    "TaskUpdate": _task_update,
    "AskUserQuestion": ask,
    **dict.fromkeys(("Task", "Agent"), delegate("description")),
    **dict.fromkeys(
        ("BashOutput", "TaskOutput", "KillShell", "KillBash", "TaskStop"), poll("task_id", "bash_id", "shell_id")
    ),
}
# What a call of a tool with this input does. Mostly one action; `MultiEdit` gives one for each of its edits.
actions = partial(actions_of, _TOOLS)


# The answer to the call of a command that goes on. Behind what it printed so far the client says so in a line.
_GOES_ON: Final = re.compile(
    r"^Command [^\n]{0,200}?\bbackground(?:ed by user)? (?:with ID: |\(ID: )([\w-]{1,64})", re.MULTILINE | re.ASCII
)
_SAID_CHARS: Final = 1_000
# A look at a task: tags one behind the other, each with white space around it, and what was printed in the last ones.
_LOOKED: Final = re.compile(
    r"(?:<retrieval_status>|<status>(?:running|completed|failed|killed)</status>\s*(?:\Z|<(?:exit_code|std|timestamp)))"
)
_PRINTED: Final = re.compile(r"<(?:output|stdout|stderr)>")
_EXIT: Final = re.compile(r"\bexit code (-?\d{1,9})\)?[.\s]*$", re.ASCII)
_GOING: Final = frozenset(("running", "pending"))
_OUTCOMES: Final = {"completed": "ok", "failed": "error"}  # any other end: somebody or something stopped it


class TaskEnd(NamedTuple):
    """How a task stands or ended. `outcome`: as of a `Result`, or "running".

    `task` is the client's name of it and `call` the call that began it ("" where the text does not name them), `text`
    what it printed or, of a sub-agent, answered (`is_answer`).
    """

    task: str
    call: str
    outcome: str
    exit_code: int | None
    text: str
    is_answer: bool = False


def going_on(text: str) -> tuple[str, str] | None:
    """The name of the task that a command went on as, and what it printed before; None of any other answer."""
    start = len(text) - _SAID_CHARS if len(text) > _SAID_CHARS else 0
    if text.find("background", start) < 0:
        return None
    found = _GOES_ON.search(text, start)
    # The client says at most one sentence more behind it; a text that goes on only quotes it.
    if found is None or text.count("\n", found.end()) > 1:
        return None
    return found[1], text[: found.start()].rstrip()


def looked(text: str) -> TaskEnd | None:
    """What the answer to a look at a task says; None of any other answer."""
    if not text.startswith("<") or _LOOKED.match(text) is None:
        return None
    begins = _PRINTED.search(text)
    head = text[: begins.start()] if begins is not None else text
    status = _inside(head, "status")
    if not status:
        return None
    printed = [_inside(text, tag, last=True) for tag in ("output", "stdout", "stderr")]
    return _ended(head, status, _inside(head, "exit_code"), "\n".join(part for part in printed if part))


def notified(text: str) -> TaskEnd | None:
    """What a notification says of a task; None of one that tells no end."""
    status, summary = _inside(text, "status"), _inside(text, "summary")
    if not status or status in _GOING:
        return None
    answer = _inside(text, "result", last=True)
    code = _EXIT.search(summary)
    told = _ended(text, status, code[1] if code is not None else "", answer or summary)
    return told._replace(is_answer=bool(answer))


def _ended(text: str, status: str, code: str, said: str) -> TaskEnd:
    exit_code = int(code) if code.removeprefix("-").isdecimal() and len(code) < 10 else None
    outcome = "running" if status in _GOING else _OUTCOMES.get(status, "interrupted")
    if outcome == "ok" and exit_code:
        outcome = "error"
    task = _inside(text, "task_id") or _inside(text, "task-id")
    return TaskEnd(task, _inside(text, "tool-use-id"), outcome, exit_code, said)


def _inside(text: str, tag: str, *, last: bool = False) -> str:
    """What stands between `<tag>` and the next `</tag>`, or the `last` one: what a program printed may hold any tag."""
    start = text.find(f"<{tag}>")
    if start < 0:
        return ""
    start += len(tag) + 2
    end = text.rfind(f"</{tag}>", start) if last else text.find(f"</{tag}>", start)
    return text[start:end].strip() if end >= 0 else ""


# `promptSource` of what a program gave, and of what the client said itself.
_PROGRAM: Final = "sdk"
_CLIENT: Final = "system"
# The client's own look at a task, at its end.
_NOTIFICATION: Final = "task-notification"

# Lines of these types that name no session may be of what `claude -p` prints.
_STREAMED: Final = frozenset(("user", "assistant", "system"))
_VERSION: Final = "claude_code_version"

# Line types by which a file is known; each comes with a field that other clients' lines of that type do not have.
_MARKS: Final = {
    "summary": "leafUuid",
    "file-history-snapshot": "snapshot",
    "queue-operation": "operation",
    "permission-mode": "permissionMode",
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "agent-name": "agentName",
    "last-prompt": "sessionId",
    "mode": "sessionId",
    "progress": "parentToolUseID",
    "attachment": "attachment",
    "system": "parentUuid",
}
_LINES_LOOKED_AT: Final = 50


class ClaudeCodeReader(LineReader):
    """Implements `clew.clients.port.Reader`."""

    name = "claude-code"

    def recognises(self, head: bytes) -> bool:
        lines = head.split(b"\n")
        for data in lines[:_LINES_LOOKED_AT]:
            try:
                known = _is_ours(decode_any(data))
            except NotALine:
                continue
            if known is not None:
                return known
        # No whole line told: perhaps one that is longer than the head, of which only the names of fields can be seen.
        return all(mark in lines[-1] for mark in (b'"parentUuid"', b'"isSidechain"', b'"sessionId"', b'"message"'))

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        line = decode(data)
        kind = line.type
        if line.sessionId is None and kind in _STREAMED:
            _streamed(line, object_of(data))
        if kind == "assistant":
            _assistant(line, at, records)
        elif kind == "user":
            _user(line, at, records, data)
        elif kind == "system":
            _system(line, at, records, data)
        elif kind == "queue-operation":
            _said(object_of(data).get("content"), line, at, _time(line), _agent(line), records, foreign=True)
        elif kind == "attachment":
            _attachment(line, line.attachment or Attachment(), at, records)
        elif kind == "pr-link" and line.prUrl:
            text = f"{line.prRepository or ''}#{line.prNumber}" if line.prNumber is not None else line.prUrl
            records.append(Link(at, _time(line), _agent(line), text, line.prUrl))
        else:
            _stands(line, at, records)
            if kind == "progress":
                records += progress_usages(data, at)

    def read_usage(self, chunk: bytes, *, offset: int) -> Batch:
        return read_usage(chunk, offset, self.read)

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:
        return file_versions(object_of(line))

    def attended(self, head: bytes) -> bool:
        for data in head.split(b"\n")[:_LINES_LOOKED_AT]:
            entrypoint = object_of(data).get("entrypoint")
            if isinstance(entrypoint, str):
                return not _is_headless(entrypoint)
        return True

    def injected(self, line: bytes) -> Iterable[str]:
        attachment = object_of(line).get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "hook_additional_context":
            return ()
        content = attachment.get("content")
        return [text for text in content if isinstance(text, str)] if isinstance(content, list) else ()

    def context_parts(self, line: bytes, at: int) -> Iterable[ContextPart]:
        return context_parts(line, at)


def _is_ours(line: dict[str, Any]) -> bool | None:
    """Whether a line is Claude Code's; None if it could be anybody's."""
    kind = line.get("type")
    if kind in ("user", "assistant"):
        message = line.get("message")
        if not isinstance(message, dict):
            return None
        return "content" in message and "parts" not in message  # Qwen Code's lines are alike, but have `parts`
    mark = _MARKS.get(kind) if isinstance(kind, str) else None
    return True if mark is not None and mark in line and "systemPayload" not in line else None


def _time(line: SessionLine) -> str:
    return time_of(line.timestamp)


def _agent(line: SessionLine) -> str:
    return line.agentId or (SIDECHAIN if line.isSidechain else "")


def _streamed(line: SessionLine, fields: dict[str, Any]) -> None:
    """Fill in what a line that was printed as `stream-json` calls otherwise."""
    session, parent, version = (fields.get(name) for name in ("session_id", "parent_tool_use_id", _VERSION))
    if isinstance(session, str):
        line.sessionId, line.uuid = session, None  # no line says which one it follows
        line.agentId = parent if isinstance(parent, str) else line.agentId
        line.version = version if isinstance(version, str) else line.version


def _stands(line: SessionLine, at: int, records: list[Record]) -> None:
    """Where a line of another kind stands: others may follow it."""
    if line.uuid and not _agent(line):
        records.append(_context(line, at, _time(line), ""))


def _context(line: SessionLine, at: int, time: str, agent: str) -> Context:
    how = line.entrypoint
    return Context(
        at,
        time,
        agent,
        line.sessionId or "",
        line.cwd or "",
        line.gitBranch or "",
        line.version or "",
        line.promptSource != _PROGRAM and (how is None or not _is_headless(how)),
        line.uuid or "",
        line.parentUuid or "",
    )


def _assistant(line: SessionLine, at: int, records: list[Record]) -> None:
    time, agent, message = _time(line), _agent(line), line.message
    if line.uuid and not agent:
        records.append(_context(line, at, time, agent))
    if message is None or message.model == SYNTHETIC or line.isApiErrorMessage:
        return
    content = message.content
    if isinstance(content, str):
        _reply(content, at, time, agent, message.id, records)
    elif content is not None:
        for block in content:
            if block.type == "text":
                _reply(block.text, at, time, agent, message.id, records)
            elif block.type == "thinking" and block.thinking:
                records.append(Thought(at, time, agent, block.thinking))
            elif block.type in CALLS:
                for action in actions(block.name, block.input):
                    records.append(Call(at, time, agent, block.id, block.name, action))
    usage = message.usage
    if usage is not None and message.model:
        records += usages_of(usage, at, time, agent, message.id, line.requestId or "", message.model)


def _reply(text: str, at: int, time: str, agent: str, message: str, records: list[Record]) -> None:
    text = text.strip()
    if text and text != "(no content)":
        records.append(Reply(at, time, agent, text, message))


def _user(line: SessionLine, at: int, records: list[Record], data: bytes) -> None:
    message = line.message
    if message is None:
        return
    time, agent, content = _time(line), _agent(line), message.content
    if line.cwd or line.sessionId or line.uuid:
        records.append(_context(line, at, time, agent))
    if line.isCompactSummary:
        text = content if isinstance(content, str) else "\n".join(block.text for block in content or () if block.text)
        records.append(Summary(at, time, agent, summarised(text)))
        return
    if isinstance(content, list):
        _results(content, at, time, agent, data, records)
    _said(content, line, at, time, agent, records, foreign=_foreign(line.origin))


def _notice(text: str, at: int, time: str, agent: str, records: list[Record]) -> None:
    """An end of a command as a look at it, an answer of a sub-agent as that to its call."""
    found = notified(text)
    if found is None:
        return
    if found.is_answer and found.call:
        records.append(Result(at, time, agent, found.call, found.outcome, None, found.text, "", (), ""))
    elif found.task and found.exit_code is not None:
        look = f"{found.task}@{at}"
        records.append(Call(at, time, agent, look, _NOTIFICATION, Poll(found.task)))
        records.append(Result(at, time, agent, look, found.outcome, found.exit_code, found.text, "", (), ""))


def _said(
    content: Any, line: SessionLine, at: int, time: str, agent: str, records: list[Record], *, foreign: bool
) -> None:
    """The user's words in a line; of one that is `foreign`, or the client's own, only what it tells of tasks."""
    is_own = not (foreign or line.isMeta or line.promptSource == _CLIENT)
    for piece in said(content, line.planContent if is_own else None):
        if piece.source == "notice":
            _notice(piece.text, at, time, agent, records)
        elif not is_own:
            continue
        elif piece.source == "interruption":
            records.append(Interruption(at, time, agent))
        elif piece.source == "summary":
            records.append(Summary(at, time, agent, piece.text))
        else:
            records.append(Prompt(at, time, agent, piece.text, piece.source, line.uuid or "", line.parentUuid or ""))


def _is_headless(entrypoint: str) -> bool:
    """Whether a client that was started in this way takes its prompts and answers from a program (`claude -p`)."""
    return entrypoint.startswith("sdk-")


def _foreign(origin: Any) -> bool:
    """Whether newer versions say that a prompt came from somewhere else than the user (`origin.kind`)."""
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return isinstance(kind, str) and kind != "human"


def _results(content: list[ContentBlock], at: int, time: str, agent: str, data: bytes, records: list[Record]) -> None:
    """The results of one line. Its structured copy is of one result, and is decoded for the first that needs it."""
    is_looked_up = False
    for block in content:
        if block.type != "tool_result":
            continue
        came = outcome(block.content, block.is_error)
        if came.outcome == "ok":
            if (began := going_on(came.text)) is not None:
                records.append(Running(at, time, agent, block.tool_use_id, began[0], began[1]))
                continue
            if (seen := looked(came.text)) is not None:
                if seen.outcome == "running":
                    records.append(Running(at, time, agent, block.tool_use_id, seen.task, seen.text))
                    continue
                came = came._replace(outcome=seen.outcome, exit_code=seen.exit_code, text=seen.text)
            elif came.text.startswith(ANSWERED):
                structured = None if is_looked_up else object_of(data).get("toolUseResult")
                came, is_looked_up = came._replace(answers=answers(structured)), True
        records.append(came.record(at, time, agent, block.tool_use_id))


def _system(line: SessionLine, at: int, records: list[Record], data: bytes) -> None:
    if line.subtype == "compact_boundary" and line.parentUuid is None:
        before = object_of(data).get("logicalParentUuid")
        line.parentUuid = before if isinstance(before, str) else None
    _stands(line, at, records)
    if line.subtype == "init" and line.cwd:
        records.append(_context(line, at, _time(line), _agent(line)))
    elif line.subtype == "compact_boundary":
        records.append(_compaction(line, at, line.compactMetadata or CompactMetadata()))
    elif line.subtype == "microcompact_boundary":
        metadata = line.microcompactMetadata or CompactMetadata()
        before = count(metadata.preTokens)
        after = max(0, before - count(metadata.tokensSaved)) if metadata.tokensSaved is not None else 0
        records.append(Compaction(at, _time(line), _agent(line), "micro", before, after))


def _compaction(line: SessionLine, at: int, metadata: CompactMetadata) -> Compaction:
    trigger = "manual" if metadata.trigger == "manual" else "auto"
    before, after = count(metadata.preTokens), count(metadata.postTokens)
    return Compaction(at, _time(line), _agent(line), trigger, before, after)


def _attachment(line: SessionLine, attachment: Attachment, at: int, records: list[Record]) -> None:
    """A prompt typed while the agent worked and taken up in the middle of its turn has no `user` line, only this."""
    _stands(line, at, records)
    if attachment.type != "queued_command":
        return
    content = attachment.prompt
    if isinstance(content, list):
        content = [
            ContentBlock(type=item["type"], text=item["text"] if isinstance(item.get("text"), str) else "")
            for item in content
            if isinstance(item, dict) and isinstance(item.get("type"), str)
        ]
    foreign = attachment.commandMode not in (None, "prompt") or _foreign(line.origin) or _foreign(attachment.origin)
    _said(content, line, at, _time(line), _agent(line), records, foreign=foreign)


READER: Final = ClaudeCodeReader()
