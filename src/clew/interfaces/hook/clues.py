"""Whether a gate could have something to say of a tool call. The first step of a hook goes by the words of the call and
the clues in `gates.json`, and does not read what it would do: in doubt a gate could.
"""

import posix

from clew.core import runtime_dir as places
from clew.core.records import seen
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import parsed

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from typing import Any

    from clew.interfaces.hook.wire import Event

_PATCH = "apply_patch"
_EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
# Of a shell line in these forms nothing but the file behind a `>` is written: programs that write no file that a rule
# could be about are not here (`core/gate/shell/effects.py` has them all).
_WRITING = frozenset(
    b"rm rmdir unlink shred trash tee touch truncate mkdir mkfifo chmod chown chgrp cp mv ln install rsync scp dd "
    b"patch apply_patch applypatch bash sh zsh dash ksh eval".split()
)
_WRITING_BY = (
    (b"git", frozenset(b"rm mv restore checkout clean".split())),
    (b"find", frozenset(b"delete exec execdir ok okdir fprint fls fprintf".split())),
)
# These write by an option that has this letter.
_WRITING_WITH = {b"sed": "i", b"perl": "i", b"ruby": "i", b"awk": "i", b"gawk": "i", b"sort": "o", b"curl": "o"}
_WRITING_WITH[b"wget"] = "O"
_QUOTES = b"'\"\\"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-")
_ENDS = ("", " ", "\n", ";", "&", "|", "<", ")")
_TARGETS_MAX = 16
# A longer line may be too long to be read to its end, which the gate of files that are off limits has to be told.
_LINE_CHARS_MAX = 1500
# Everything that is no part of a word becomes a blank.
_WORDS = bytes(code if code > 127 or code == 95 or bytes((code,)).isalnum() else 32 for code in range(256))


def rules(live: str) -> "dict[str, Any]":
    """The rules of the place, or of the work tree that it lies in, as `gates.json` holds them. {}: none. Raises
    ValueError for those of another version.
    """
    place = marks.holding(live, places.GATES)
    data = marks.read(f"{place}/{places.GATES}") if place else b""
    if not data:
        return {}
    gates: dict[str, Any] = parsed(data)
    if gates.get("v") != places.GATES_VERSION:
        raise ValueError
    return gates


def may_speak(event: "Event", live: str) -> bool:
    """Whether a gate of the place could have something to say of a tool call. In doubt it could: it is asked then."""
    gates = rules(live)
    if not gates:
        return False
    if any(name[:10] == b"CLEW_GATE_" for name in posix.environ):  # they can make it stricter
        return True
    if all(level == "off" for level in gates["levels"].values()):
        return False
    if not isinstance(gates.get("clues"), list) or "plan" in gates:
        return True
    tool, call, cwd = event.get("tool_name"), event.get("tool_input"), event.get("cwd")
    if not (isinstance(tool, str) and isinstance(call, dict) and isinstance(cwd, str) and cwd[:1] == "/"):
        return True
    if tool == "Bash":
        words = _words_of_shell(str(call.get("command")))
        targets = _of_shell(gates, call, cwd, live, words)
    elif tool == _PATCH or tool in _EDITING:
        words, targets = _words_of(_text_of(call)), _edited(tool, call, cwd)
    else:
        return False
    if targets is None or (gates["levels"]["confirm"] != "off" and _is_closed(marks.folder_of(event, live))):
        return True
    if _meets_others(event, live, gates["levels"], words, targets):
        return True
    rows = [*gates["protected"], *gates.get("records", ())]
    if any(_is_odd(path) or any(f"{path}/".startswith(f"{row[0]}/") for row in rows) for path in targets):
        return True
    clues = {clue.encode("utf-8", "replace") for clue in gates["clues"]}
    return not (clues.isdisjoint(words) and clues.isdisjoint(_words_of("\n".join(targets))))


def _of_shell(
    gates: "dict[str, Any]", call: "dict[str, Any]", cwd: str, live: str, words: "set[bytes]"
) -> "list[str] | None":
    text = call.get("command")
    is_repeated = gates["levels"].get("repeat") != "off" and marks.holding(live, marks.REPEATING)
    if is_repeated or not isinstance(text, str):
        return None
    return _written(text, cwd, words, is_read=bool(gates["offlimits"]))


def _text_of(value: object) -> str:
    """All texts in a value, a line each."""
    if isinstance(value, (dict, list)):
        return "\n".join(map(_text_of, value.values() if isinstance(value, dict) else value))
    return value if isinstance(value, str) else ""


def _words_of(text: str) -> "set[bytes]":
    """The words of a text as `core.gate.decision.words_of` takes them."""
    return {*text.encode("utf-8", "replace").translate(_WORDS).split()}


def _words_of_shell(line: str) -> "set[bytes]":
    """The words of a shell line as they stand there, and as they are behind a shell, without quotes."""
    rows = line.replace("\\\n", "\\").split("\n")
    quoted = [row for row in rows if "'" in row or '"' in row or "\\" in row]
    unquoted = "\n".join(quoted).encode("utf-8", "replace").translate(_WORDS, _QUOTES).split()
    return {*_words_of(line), *unquoted}


def _edited(tool: str, call: "dict[str, Any]", cwd: str) -> "list[str] | None":
    """The files that an editing tool writes, by absolute paths; None where that is not plain."""
    if tool == _PATCH:
        from clew.core.records import patch

        return [path for path, _ in patch.files(str(call.get("command")), cwd)]
    path = call.get("file_path") or call.get("notebook_path")
    return [path if path[:1] == "/" else f"{cwd}/{path}"] if isinstance(path, str) else None


def _written(line: str, cwd: str, words: "set[bytes]", *, is_read: bool) -> "list[str] | None":
    """The files that a shell line writes, if it can be told without reading its grammar: those behind a plain `>`. None
    where it cannot. `words` are its words. `is_read`: the line has to be short enough to be read to its end.
    """
    if is_read and (len(line) > _LINE_CHARS_MAX or line.count("(") + line.count("`") + line.count("{") > 8):
        return None
    if not words.isdisjoint(_WRITING):
        return None
    if any(name in words and not verbs.isdisjoint(words) for name, verbs in _WRITING_BY):
        return None
    for name, letter in _WRITING_WITH.items():
        if name in words:
            behind = line.partition(name.decode())[2].split()
            is_plain = name.decode() in line and "\\" not in line and "=-" not in line
            if not is_plain or any(letter in word and word.lstrip("$'\"")[:1] == "-" for word in behind):
                return None
    pieces = [piece.removeprefix("|").lstrip(" ") for piece in line.split(">")[1:]]
    pieces = [piece for piece in pieces if piece and not (piece[0] == "&" and piece[1:2].isdigit())]
    targets = []
    for piece in pieces:
        end = next((at for at, sign in enumerate(piece) if sign not in _NAME), len(piece))
        if not end or piece[end : end + 1] not in _ENDS:
            return None
        targets.append(piece[:end] if piece[0] == "/" else f"{cwd}/{piece[:end]}")
    goes = any(path[0] != "/" for path in pieces) and not words.isdisjoint((b"cd", b"pushd"))
    return None if goes or len(targets) > _TARGETS_MAX else targets


def _is_odd(path: str) -> bool:
    """Whether a path leads by a link, or is not written in the one plain way."""
    at = 0
    parts = path.split("/")[1:]
    if path[:1] != "/" or any(part in ("", ".", "..") for part in parts):
        return True
    try:
        for part in parts:
            at += len(part) + 1
            if posix.lstat(path[:at]).st_mode & 0o170000 == 0o120000:
                return True
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return False


def _is_closed(folder: str) -> bool:
    """Whether the confirm gate of the session is closed."""
    state = parsed(marks.read(f"{folder}/{places.CONFIRM}")) if folder else {}
    return bool(state) and not state.get("open")


def _meets_others(
    event: "Event", live: str, levels: "dict[str, str]", words: "set[bytes]", targets: "list[str]"
) -> bool:
    """Whether somebody else may have changed what is written, or taken in by a command of git."""
    parallel_on = levels.get("parallel", "off") != "off"
    is_asked = (levels["stale"] != "off" or parallel_on) and event.get("tool_name") != "Bash"
    if is_asked and _is_stale(event, live, targets):
        return True
    if not parallel_on or not marks.holding(live, places.PARALLEL):
        return False
    from clew.interfaces.hook import parallel  # here: mostly one session is live in a work tree

    return parallel.may_speak(event, live, words, targets)


def _is_stale(event: "Event", live: str, paths: "list[str]") -> bool:
    """Whether a file that an editing tool writes was changed behind the session's back."""
    folder = marks.folder_of(event, live)
    data = marks.read(folder + "/seen", most=16 << 20) if folder else b""
    return bool(data) and any(seen.changed(data, marks.state, only=path) for path in paths)
