"""What readers of documents have in common: each reads a document as a whole and gives lines of our own (`rendering`).

None of these formats is written by the client that a session ran in for others to go on from: what they leave out
(exit codes, files as they were, the folder) is not made up.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, get_args

import msgspec

from clew.clients.claude_code import results as claude_code
from clew.clients.codex import results as codex
from clew.clients.fields import detail
from clew.clients.lines import LineReader, NotALine, decode_any
from clew.clients.places import file_of
from clew.clients.tools import CallOutcome
from clew.core.records.transcript import Action, Call, Context, Delegate, Edit, Other, Read, Record, Run, Search

_COMMANDS: Final = ("command", "cmd", "script")
_PATHS: Final = ("file_path", "filePath", "path", "target_file", "filename", "absolute_path")
_REMOVED: Final = ("old_string", "oldString", "old_str", "old_text")
_ADDED: Final = ("new_string", "newString", "new_str", "new_text", "content", "contents", "code_edit", "file_text")
_PATTERNS: Final = ("pattern", "query", "regex", "glob_pattern")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")

# Words in the names of tools.
RUNS: Final = frozenset("bash shell terminal command exec run powershell".split())
READS: Final = frozenset("read view cat open".split())
WRITES: Final = frozenset("write edit replace patch create insert".split())
SEARCHES: Final = frozenset("search grep glob find list ls ripgrep".split())
_DELEGATES: Final = frozenset("task agent subagent delegate".split())


def words(tool: str) -> frozenset[str]:
    """The words that a tool's name is made of, in small letters."""
    return frozenset(word.lower() for word in _WORD.findall(tool))


def action(tool: str, given: Mapping[str, Any]) -> Action:
    """What a call of `tool` with these arguments does."""
    named = words(tool)
    command, path, pattern = (_first(given, names) for names in (_COMMANDS, _PATHS, _PATTERNS))
    if command and (named & RUNS or not path):
        return Run(command)
    if path and named & WRITES:
        return Edit(path, _first(given, _REMOVED), _first(given, _ADDED))
    if path and named & READS:
        return Read(path, 0, 0)
    if pattern and named & SEARCHES:
        return Search(pattern, path)
    if named & _DELEGATES and (prompt := _first(given, ("prompt",))):
        return Delegate(_first(given, ("description", "title")), prompt)
    return Other(detail(given))


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of the arguments that is a text; a command can be a list of words."""
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value
        if name in _COMMANDS and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            is_shell = len(value) > 2 and value[0].endswith("sh") and value[1].startswith("-")
            return value[2] if is_shell else shlex.join(value)
    return ""


# What Claude Code says of a call that failed, was refused or was stopped.
_FAILED: Final = (
    "<tool_use_error>",
    "Exit code ",
    "The user doesn't want to ",
    "The tool use was rejected",
    "User rejected tool use",
    "[Request interrupted by user",
    "Sibling tool call errored",
    "Cancelled: parallel tool call",
)
UNPATCHED: Final = "apply_patch verification failed"
# What Codex puts before the output of a command.
LEADS: Final = ("Chunk ID: ", "Wall time: ", "Exit code: ")


def outcome(text: str) -> CallOutcome:
    """Read the output of a tool."""
    if text.startswith(LEADS):
        told = codex.outcome(text)
        return told._replace(outcome="ok" if told.outcome == "running" else told.outcome)
    if text.startswith(UNPATCHED):
        return CallOutcome("error", None, text)
    return claude_code.outcome(text, True if text.startswith(_FAILED) else None)


_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T_ ](\d\d)[:-](\d\d)(?:[:-](\d\d)(?:\.(\d{1,6})\d*)?)?\s?(Z|UTC|[+-]\d\d:?\d\d)", re.ASCII
)
_SECONDS_MAX: Final = 1 << 36  # the year 4147; above that it is milliseconds


def moment(text: str) -> str:
    """The first time in `text` that says where on earth it holds, "" if there is none."""
    found = _TIME.search(text)
    if not found:
        return ""
    day, hour, minute, second, fraction, zone = found.groups()
    zone = "+00:00" if zone in ("Z", "UTC") else zone
    try:
        time = datetime.fromisoformat(f"{day}T{hour}:{minute}:{second or '00'}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "") + "Z"


def moment_of(value: Any) -> str:
    """The time in a JSON value: a text, or seconds (or milliseconds) since 1970. "" if it is none."""
    if isinstance(value, str):
        return moment(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        return ""
    seconds = value / 1000 if value >= _SECONDS_MAX else value
    try:
        time = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%S") + f".{time.microsecond // 1000:03}Z"


# A conversation of years, with what was pasted into it; a file of pictures is no session.
BYTES_MAX: Final = 256 << 20
_ID: Final = re.compile(r"[\w.:@-]{1,120}", re.ASCII)
_BETWEEN: Final = re.compile(r"[\s,]*")  # the elements of a list
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def load(path: Path) -> bytes:
    """All of the file. Raises `OSError`, also for one of more than `BYTES_MAX`."""
    with path.open("rb") as file:
        data = file.read(BYTES_MAX + 1)
    if len(data) > BYTES_MAX:
        raise OSError(errno.EFBIG, f"it has more than {BYTES_MAX >> 20} MiB")
    return data


def text_of(data: bytes) -> str:
    """`data` as text with line ends of one sort. What is not in its encoding is replaced."""
    codec = "utf-16" if data.startswith(_UTF16) else "utf-8"
    return data.decode(codec, "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def name_of(said: Iterable[tuple[str, str]]) -> str:
    """An id for a session that has none, by its first words (each with its time), which stay when it goes on."""
    begun = islice(((time, text) for time, text in said if text), 2)
    told = "\0".join(f"{time}\0{text}" for time, text in begun)
    return blake2b(told.encode("utf-8", "replace"), digest_size=10).hexdigest()


def id_of(value: Any) -> str:
    """`value` if it can be the id of a session: one that can be typed and shown. Else ""."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def json_of(text: str) -> Any:
    """`text` as JSON values. Raises `NotALine` if it is none."""
    return decode_any(b'{"":' + text.encode() + b"}")[""]


def elements_of(text: str, start: int) -> list[Any]:
    """The elements of a list in JSON from behind its bracket on, as far as they are whole; of a first one that is cut
    in a text what stands there.
    """
    return _elements(text, start) or _elements(f'{text}"}}', start)


def _elements(text: str, start: int) -> list[Any]:
    found: list[Any] = []
    read = json.JSONDecoder().raw_decode
    try:
        while between := _BETWEEN.match(text, start):
            value, start = read(text, between.end())
            found.append(value)
    except (ValueError, RecursionError):
        pass
    return found


# A line of a document, from 1, and what stands there. The records' own places are not known yet: 0.
Entry: TypeAlias = tuple[int, list[Record]]

_KINDS: Final[dict[str, Any]] = {kind.__name__: kind for kind in (*get_args(Record), *get_args(Action))}


def rendered(entries: Iterable[Entry]) -> bytes:
    """The lines of a document that holds `entries`, in their order. What stands at one line is one line."""
    parts: list[bytes] = []
    written, number, held = 0, 0, list[Record]()

    def put() -> None:
        line = msgspec.json.encode({"records": [_plain(record) for record in held]})
        parts.append(b"\n" * (number - written - 1) + line + b"\n")

    for line, records in entries:
        if not records:
            continue
        if held and line > number:
            put()
            written, held = number, []
        number = max(number, line)
        held += records
    if held:
        put()
    return b"".join(parts)


def records_of(data: bytes, at: int) -> list[Record]:
    """The records of one line of a rendering, none of another object. Raises `NotALine` for anything else."""
    try:
        line = msgspec.json.decode(data, type=dict[str, Any])
        return [_record(item, at) for item in msgspec.convert(line.get("records", []), list[list[Any]])]
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, KeyError) as problem:
        raise NotALine("no line of a rendered document") from problem


def _plain(record: Record) -> list[Any]:
    fields: list[Any] = list(record[1:])
    if isinstance(record, Call):
        fields[-1] = [type(record.action).__name__, *record.action]
    return [type(record).__name__, *fields]


def _record(item: list[Any], at: int) -> Record:
    name, *fields = item
    if name != "Call":
        found: Record = msgspec.convert([at, *fields], _KINDS[name])
        return found
    time, agent, call, tool, (action, *given) = fields
    told = msgspec.convert([time, agent, call, tool], tuple[str, str, str, str])
    return Call(at, *told, msgspec.convert(given, _KINDS[action]))


class DocumentReader(LineReader):
    """Implements `clew.clients.port.Reader`. A member says its name, how its format is known, and what stands in it.

    It knows no file versions: what such a document shows of a file may be shortened, escaped or reformatted.
    """

    name = ""
    grows = False

    def recognises(self, head: bytes) -> bool:
        raise NotImplementedError

    def entries(self, data: bytes, path: Path) -> Iterable[Entry]:
        """What stands in the document `data` that is called `path`. Raises `OSError` if no session does."""
        raise NotImplementedError

    def open(self, path: Path) -> BinaryIO:
        # Where the file lies may tell the folder of the session, however the file was named.
        place = Path(os.path.abspath(path))  # noqa: PTH100 - a link is part of the name, ".." is not
        return io.BytesIO(rendered(self.entries(load(file_of(path)), place)))

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        records += records_of(data, at)

    def attended(self, head: bytes) -> bool:
        found = self.read(head, offset=0).records
        return next((record.attended for record in found if isinstance(record, Context)), True)
