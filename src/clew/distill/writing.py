"""Which files a shell line writes whole: an agent without a tool for it, or whose tool failed, does so by `cat`."""

import re

from clew.core.gate.shell.purposes import split
from clew.core.gate.shell.words import program
from clew.core.records.transcript import Edit
from clew.distill.tree import after_cd, below

_INTO = re.compile(r"(?<![>&\d])>\s*(?P<path>'[^']+'|\"[^\"]+\"|[^\s<>&|;]+)")
# Only the shell knows what these stand for.
_UNKNOWN = ("$", "`", "*", "?", "{", "~")


def files_written(line: str, folder: str) -> list[Edit]:
    """The files that a line writes from here-documents (`cat > FILE <<EOF`, `tee FILE <<EOF`), with what is in them.

    It begins in `folder`; a `cd` in it changes that. What is added to a file (`>>`) is no file written whole.
    """
    if "<<" not in line:
        return []
    found: list[Edit] = []
    root, joined_by = folder, ""
    for part in split(line):
        head, words = program(part.words[0]), part.words[1:]
        if head == "cd":
            folder = after_cd(folder, words, root)
        path = _target(head, words, part.text) if "<<" in part.text and "<<<" not in part.text else ""
        if path and joined_by != "||" and not any(mark in path for mark in _UNKNOWN):
            found.append(Edit(below(folder, path), "", part.body))
        joined_by = part.joined_by
    return found


def _target(head: str, words: tuple[str, ...], text: str) -> str:
    """The file that a command with a here-document writes, "" if it writes none."""
    if head == "tee":
        return words[0] if len(words) == 1 else ""
    into = _INTO.search(text) if head == "cat" and not words else None
    return into["path"].strip("'\"") if into else ""
