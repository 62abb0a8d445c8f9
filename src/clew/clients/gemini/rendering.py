"""A session of Gemini CLI as lines of our own: one for each thing that was said, called, returned or used, in the order
in which the session file tells of it first. The same bytes for the same content; what is appended to a session file
appends lines here. Opens nothing.

A session file repeats itself: a message comes again when it is fuller, and the whole conversation when the client
changed it (a compaction, a resumed session, a turn that was taken back). Here everything stands once, and what a
compaction dropped stays. What the lines hold: `lines`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b, sha256
from typing import Any, Final

from clew.clients import fields
from clew.clients.fields import number, text
from clew.clients.gemini import contents
from clew.clients.gemini.contents import is_final, outcome
from clew.clients.gemini.wire import Broken
from clew.clients.tools import Meaning, actions_of, ask, delegate, plan, run, search, todos
from clew.core.records.transcript import Action, Edit, Read, Search

_PATHS: Final = ("file_path", "absolute_path", "path")
_TODO_STATES: Final = {"in_progress": "in_progress", "completed": "completed", "cancelled": "deleted"}


def action(tool: str, arguments: Any, folder: str = "") -> Action:
    """What a call of `tool` does. Files that it names relative to `folder`, where the session runs, get that before."""
    (done,) = actions_of(_TOOLS, tool, arguments)
    return done._replace(path=placed(done.path, folder)) if isinstance(done, Read | Edit) else done


def placed(path: str, folder: str) -> str:
    """`path`, below `folder` (which may be unknown) if it is relative."""
    is_absolute = path.startswith(("/", "\\", "~")) or path[1:2] == ":"
    return path if is_absolute or not path or not folder else f"{folder.rstrip('/')}/{path.removeprefix('./')}"


def path_of(arguments: Any) -> str:
    """The file that a call names, "" for none."""
    return text(arguments, *_PATHS) if isinstance(arguments, dict) else ""


def is_whole_read(tool: str, arguments: Any) -> bool:
    """Whether a call asks for all of a file."""
    done = action(tool, arguments)
    return isinstance(done, Read) and bool(done.path) and not done.first and not done.last


def _read(fields: dict[str, Any]) -> tuple[Action, ...]:
    first, last = number(fields, "start_line"), number(fields, "end_line")
    offset, limit = number(fields, "offset"), number(fields, "limit")  # of older versions; the offset is from 0
    if offset or limit:
        first, last = offset + 1, offset + limit if limit else 0
    return (Read(path_of(fields), first, last),)


def _edit(old: str, new: str) -> Meaning:
    return lambda fields: (Edit(path_of(fields), text(fields, old), text(fields, new)),)


def _read_many(fields: dict[str, Any]) -> tuple[Action, ...]:
    found = fields.get("include") or fields.get("paths")
    patterns = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return (Search(", ".join(patterns), ""),)


_SEARCH: Final = search("pattern", "dir_path", "path", "include_pattern", "include")
_TOOLS: Final[dict[str, Meaning]] = {
    "run_shell_command": run("command", "dir_path", "directory"),
    "read_file": _read,
    **dict.fromkeys(("replace", "edit"), _edit("old_string", "new_string")),
    "write_file": _edit("", "content"),
    **dict.fromkeys(("glob", "grep_search", "search_file_content", "grep"), _SEARCH),
    "list_directory": search("", "dir_path", "path"),
    "read_many_files": _read_many,
    "write_todos": todos("todos", "description", "content", states=_TODO_STATES),
    "ask_user": ask,
    "exit_plan_mode": plan(""),  # it is in a file: the edit before it holds the text
    **dict.fromkeys(
        ("invoke_agent", "delegate_to_agent", "codebase_investigator"),
        delegate("agent_name", prompt=("prompt", "objective", "query")),
    ),
}


# Drift reads no file that is longer.
_CONTENT_CHARS_MAX: Final = 16 << 20
# What the client puts before or behind a file's text.
_ADDED: Final = ("\n--- Newly Discovered Project Context ---\n", "IMPORTANT: The file content has been truncated.")
_USER_CHANGED: Final = "User modified the `"


def proved(tool: str, arguments: Any, text: str, display: Any) -> tuple[str, str] | None:
    """Path and content that a call which went well proves, None for nothing. `text` is its result without what hooks
    put there, `display` what the user saw of it.
    """
    found: tuple[Any, Any] = ("", None)
    if isinstance(display, dict) and "fileDiff" in display:
        found = display.get("filePath") or path_of(arguments), display.get("newContent")
    elif tool == "write_file" and text.startswith("Successfully ") and _USER_CHANGED not in text:
        found = path_of(arguments), arguments.get("content")
    elif text and is_whole_read(tool, arguments) and display in ("", None) and not any(one in text for one in _ADDED):
        found = path_of(arguments), text
    path, content = found
    if isinstance(path, str) and path and isinstance(content, str) and len(content) <= _CONTENT_CHARS_MAX:
        return path, content
    return None


_STOPPED: Final = ("Request cancelled.", "User cancelled the request.")
# The client's own answer to a summary that it put into the conversation.
_THANKS: Final = "Got it. Thanks for the additional context!"
_COUNTS: Final = ("input", "output", "cached", "thoughts", "tool")
_SURROUNDINGS: Final = "<session_context>"
_WORKSPACE: Final = "- **Workspace Directories:**\n"
_FOLDER: Final = "  - "
_FOLDERS_MAX: Final = 4096
_PATH: Final = re.compile(r"/[^\s'\"`]+")
_SEARCHED_CHARS: Final = 500

Line = dict[str, Any]


def lines(entries: Iterable[Line | Broken], place: Callable[[str], str]) -> Iterator[Line]:
    """The lines of a session that holds `entries`. `place` gives the folder of which it is given the hash, "" unknown.

    Each has a `type`, mostly `time`, and in the session of a sub-agent its id as `agent`:

        prompt        id, parent, text, source ("typed", "command"), hooks, session, cwd
        reply         id, text
        usage         id, model, tokens {input, output, cached, thoughts, tool}
        call          id, tool, args, cwd
        result        id, outcome, exit_code, text, reason, answers, file [path, content], hooks, session, cwd
        compaction    text (the client's own summary), before (tokens of the last request before it)
        interruption
        broken        length, why
    """
    fold = _Fold()
    for entry in entries:
        fold.take(entry)
    cwd = fold.folder(place)
    common = {"session": fold.session, "cwd": cwd}
    agent = {"agent": fold.session} if fold.kind == "subagent" and fold.session else {}
    for line in fold.lines:
        if "file" in line:
            path, content = line["file"]
            line["file"] = [placed(path, cwd), content]
        if line["type"] in ("prompt", "result"):
            yield line | common | agent
        elif line["type"] == "call":
            yield line | {"cwd": cwd} | agent
        else:
            yield line | agent


class _Fold:
    """What the entries so far say. `lines` only ever grows."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.session = ""
        self.kind = ""
        self._hash = ""
        self._folders: dict[str, None] = {}  # where the session may run, as it says itself
        self._paths: dict[str, None] = {}  # folders of files that it touched
        self._chain: list[str] = []  # ids of the messages that nobody went back from
        self._spoke: dict[str, bytes] = {}  # what each message said
        self._said: dict[bytes, str] = {}  # and which message said it first
        self._ids: dict[str, str] = {}  # ids of messages that came, or of copies of them: the first one's
        self._used: dict[str, Line] = {}
        self._called: set[str] = set()  # ids of calls; a server may give one again in another message
        self._begun: set[tuple[str, str]] = set()  # message and call
        self._open: set[str] = set()
        self._context = 0
        self._copying = False  # the client writes the conversation again, message for message

    def take(self, entry: Line | Broken) -> None:
        """Take in one entry. Which sort it is decides the client's own rule, in this order."""
        if isinstance(entry, Broken):
            self.lines.append({"type": "broken", "length": entry.length, "why": entry.why})
        elif isinstance(entry.get("$rewindTo"), str):
            self._rewind(entry["$rewindTo"])
        elif isinstance(entry.get("id"), str):
            self._message(entry, entry["id"], is_copy=self._copying)
        elif isinstance(patch := entry.get("$set"), dict):
            self._header(patch)
            if isinstance(messages := patch.get("messages"), list):
                self._copying = False
                self._rewritten(messages, patch.get("lastUpdated"))
        else:
            self._header(entry)
            messages = entry.get("messages")
            for number, message in enumerate(messages if isinstance(messages, list) else ()):
                if isinstance(message, dict):
                    self._message(message, fields.text(message, "id") or f"message-{number}", is_copy=False)

    def folder(self, place: Callable[[str], str]) -> str:
        """The folder where the session ran, "" unknown. The session file has its hash: what has that hash is it."""
        candidates = (*self._folders, *self._paths)
        for one in candidates:
            if sha256(one.encode("utf-8", "replace")).hexdigest() == self._hash:
                return one
        return place(self._hash) or next(iter(self._folders), "")

    def _header(self, line: Line) -> None:
        self.session = fields.text(line, "sessionId") or self.session
        self.kind = fields.text(line, "kind") or self.kind
        self._hash = fields.text(line, "projectHash") or self._hash
        directories = line.get("directories")
        for one in directories if isinstance(directories, list) else ():
            if isinstance(one, str):
                self._folders.setdefault(one)

    def _rewind(self, message: str) -> None:
        first = self._ids.get(message, message)
        if first in self._chain:
            del self._chain[self._chain.index(first) :]

    def _rewritten(self, messages: list[Any], time: Any) -> None:
        """The conversation as the client has it now. What is not known of it is new; what is missing was said."""
        for message in messages:
            if isinstance(message, dict) and isinstance(message.get("id"), str):
                self._message({"timestamp": time, **message}, message["id"], is_copy=True)

    def _message(self, message: Line, name: str, *, is_copy: bool) -> None:
        """`is_copy`: the message may be one that came before under another id."""
        kind, time = message.get("type"), fields.text(message, "timestamp")
        if kind == "user":
            self._user(message, name, time, is_copy=is_copy)
        elif kind == "gemini":
            self._answer(message, name, time, is_copy=is_copy)
        elif kind == "info" and name not in self._spoke and contents.text_of(message.get("content")) in _STOPPED:
            self._spoke[name] = b""
            self.lines.append({"type": "interruption", "time": time})

    def _user(self, message: Line, name: str, time: str, *, is_copy: bool) -> None:
        content = message.get("content")
        self._answered(content, time)
        text = contents.text_of(content)
        if text.startswith(_SURROUNDINGS):
            self._look_around(text)
            self._copying = self._copying or bool(self._spoke and not is_copy)
        said = contents.said(message.get("displayContent"), content)
        if is_copy and said.source == "typed" and contents.SNAPSHOT in said.text:
            said = contents.PromptText("summary", contents.summarised(said.text))
        parent = self._chain[-1] if self._chain else self.session
        self._append(name)
        if said.source == "client" or name in self._spoke:
            return
        # A copy has not what was typed, only what became of it.
        texts = dict.fromkeys((contents.said(None, content).text, said.text))
        known = [self._is_known(name, text, is_copy=is_copy) for text in texts if text]
        if any(known):
            return
        if said.source == "summary":
            self.lines.append({"type": "compaction", "time": time, "text": said.text, "before": self._context})
            return
        hooks = contents.apart(text.strip())[1]
        line = {"type": "prompt", "time": time, "id": name, "parent": parent, "text": said.text, "source": said.source}
        self.lines.append(line | ({"hooks": hooks} if hooks else {}))

    def _answer(self, message: Line, name: str, time: str, *, is_copy: bool) -> None:
        content = message.get("content")
        text = contents.text_of(content).strip()
        self._append(name)
        if text and text != _THANKS and not self._is_known(name, text, is_copy=is_copy):
            self.lines.append({"type": "reply", "time": time, "id": name, "text": text})
        self._usage(message, name, time)
        calls = message.get("toolCalls")
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                own = fields.text(call, "id") or f"{name}-{place}"
                self._begin(name, own, call, fields.text(call, "timestamp") or time, is_copy=is_copy)
                if is_final(call.get("status"), call.get("result")):
                    self._end(own, call, call.get("status"), call.get("result"), fields.text(call, "timestamp") or time)
        for part in contents.parts_of(content):
            if own := fields.text(call := fields.inner(part, "functionCall"), "id"):
                self._begin(name, own, call, time, is_copy=is_copy)

    def _usage(self, message: Line, name: str, time: str) -> None:
        found = message.get("tokens")
        if not isinstance(found, dict):
            return
        tokens = {name: number(found, name) for name in _COUNTS}
        if not any(tokens.values()) or self._used.get(name) == tokens:
            return
        self._used[name] = tokens
        self._context = tokens["input"] + tokens["tool"]
        model = fields.text(message, "model")
        self.lines.append({"type": "usage", "time": time, "id": name, "model": model, "tokens": tokens})

    def _begin(self, message: str, name: str, call: Line, time: str, *, is_copy: bool) -> None:
        if (message, name) in self._begun or (is_copy and name in self._called):
            return
        self._begun.add((message, name))
        self._called.add(name)
        self._open.add(name)
        arguments = fields.inner(call, "args")
        self._touch(value for name, value in arguments.items() if name.endswith("path"))
        line = {"type": "call", "time": time, "id": name, "tool": fields.text(call, "name"), "args": arguments}
        self.lines.append(line)

    def _end(self, name: str, call: Line, status: Any, result: Any, time: str) -> None:
        if name not in self._open:
            return
        self._open.remove(name)
        tool, arguments, display = fields.text(call, "name"), fields.inner(call, "args"), call.get("resultDisplay")
        found = outcome(tool, status, result, display, arguments)
        self._touch(_PATH.findall(found.text[:_SEARCHED_CHARS]))
        file = proved(tool, arguments, found.text, display) if found.outcome == "ok" else None
        line = {"type": "result", "time": time, "id": name, "outcome": found.outcome, "text": found.text}
        more = {
            "exit_code": found.exit_code,
            "reason": found.reason,
            "answers": found.answers,
            "hooks": found.hooks,
            "file": list(file) if file is not None else None,
        }
        self.lines.append(line | {key: value for key, value in more.items() if value not in (None, "", ())})

    def _answered(self, content: Any, time: str) -> None:
        """What tools gave, as it was handed to the model: the only trace of a result in some turns."""
        for part in contents.parts_of(content):
            answer = fields.inner(part, "functionResponse")
            self._end(fields.text(answer, "id"), answer, None, [part], time)

    def _append(self, name: str) -> None:
        if name not in self._ids:
            self._ids[name] = name
            self._chain.append(name)

    def _is_known(self, name: str, text: str, *, is_copy: bool) -> bool:
        """Whether the message `name` said `text` before; a copy of what another message said is that one."""
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        if self._spoke.get(name) == digest:
            return True
        if is_copy and digest in self._said:
            self._ids[name] = self._said[digest]
            return True
        self._spoke[name] = digest
        self._said.setdefault(digest, name)
        return False

    def _look_around(self, text: str) -> None:
        """The folders that the client says it works in."""
        listed = text.partition(_WORKSPACE)[2]
        for line in listed.split("\n"):
            if not line.startswith(_FOLDER):
                break
            self._folders.setdefault(line.removeprefix(_FOLDER))

    def _touch(self, paths: Iterable[Any]) -> None:
        """Remember the folders that `paths` lie in: one of them may be that of the session."""
        for path in paths:
            if isinstance(path, str) and path.startswith("/") and len(self._paths) < _FOLDERS_MAX:
                self._paths.setdefault(path)
                while (path := path.rpartition("/")[0]) and path not in self._paths:
                    self._paths[path] = None
