"""Patches as some models edit files: `*** Begin Patch … *** End Patch`, as a tool's input or inside a command.

Format: what Codex tells its model of `apply_patch`, and what it forgives: a heredoc around the patch, a `cd FOLDER &&`
before it.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.core.records.patch import head
from clew.core.records.transcript import Edit

_BEGIN: Final = "*** Begin Patch"
_END: Final = "*** End Patch"
_STARS: Final = "*** "
_FILE_END: Final = "*** End of File"
# `apply_patch <<'EOF'`, alone or behind a change of folder: then the command edits and does nothing else.
_IN_SHELL: Final = re.compile(
    r"""\s*(?:cd\s+(?P<folder>'[^'\n]+'|"[^"\n]+"|[^\s;&|<>"']+)\s*&&\s*)?"""
    r"""(?:apply_patch|applypatch)\s*(?:<<-?\s*(?P<quote>['"]?)(?P<word>\w+)(?P=quote)[ \t]*\n|['"])"""
)


class Hunks(NamedTuple):
    """A file of a patch. `target` is its new name, "" if it keeps its own."""

    path: str
    target: str
    removed: str
    added: str
    deletes: bool


def edits(patch: str, folder: str = "") -> tuple[Edit, ...]:
    """What a patch does, an `Edit` for each file: what it takes out and puts in, each with the lines around it.

    Paths that are relative are made so to `folder`, if one is given. A patch that is torn gives what it holds.
    """
    found: list[Edit] = []
    for one in _files(patch):
        path = _within(one.path, folder)
        if one.target:
            found.append(Edit(path, "", "", deletes=True))
            path = _within(one.target, folder)
        found.append(Edit(path, one.removed, one.added, one.deletes))
    return tuple(found)


def edits_in_shell(command: str, folder: str = "") -> tuple[Edit, ...]:
    """The edits of a shell command that only applies a patch; () for every other command."""
    if _BEGIN not in command:
        return ()
    lead = _IN_SHELL.match(command)
    if lead is None or not command.startswith(_BEGIN, _at_word(command, lead.end())):
        return ()
    end = command.rfind(_END)
    behind = command[end + len(_END) :].split() if end >= 0 else []
    if len(behind) > 1 or (behind and behind[0] not in (lead["word"], "'", '"')):
        return ()
    inner = (lead["folder"] or "").strip("'\"")
    return edits(command[lead.end() :], _within(inner, folder) if inner else folder)


def _files(patch: str) -> Iterator[Hunks]:
    text = patch[max(patch.find(_BEGIN), 0) :]
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    sort = path = target = ""
    body: list[str] = []
    behind = 0
    for start, end in _starred(text):
        line = text[start:end]
        named, place = head(line)
        if not (named or line.startswith(_STARS) or line.strip() == _END):
            continue
        if sort and behind < start:
            body += text[behind : start - 1].split("\n")
        behind = end + 1
        if named == "Move":
            target = place
        elif not line.startswith(_FILE_END):
            if sort:
                yield _hunks(sort, path, target, body)
            sort, path, target, body = named, place, "", []
    if sort:
        yield _hunks(sort, path, target, body + text[behind:].split("\n") if behind <= len(text) else body)


def _starred(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines begin and end that begin with stars, perhaps behind white space."""
    at = text.find("***")
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = end if end >= 0 else len(text)
        if start == at or text[start:at].isspace():
            yield start, end
        at = text.find("***", end)


def _hunks(sort: str, path: str, target: str, body: list[str]) -> Hunks:
    """A file of a patch, by the lines behind its head: "@@" says where the next ones are, an empty one stays empty."""
    removed: list[str] = []
    added: list[str] = []
    for line in body:
        first = line[0] if line else " "
        if first == " ":
            text = line[1:]
            removed.append(text)
            added.append(text)
        elif first == "+":
            added.append(line[1:])
        elif first == "-":
            removed.append(line[1:])
    return Hunks(path, target, "\n".join(removed) if sort == "Update" else "", "\n".join(added), sort == "Delete")


def _at_word(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _within(path: str, folder: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path)) if folder and not path.startswith("/") else path
