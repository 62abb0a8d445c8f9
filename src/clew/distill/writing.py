"""Which files a shell line writes: an agent without a tool for it, or whose tool failed, does so by `cat` or `sed`."""

import re

from clew.core.gate.shell.purposes import split
from clew.core.gate.shell.words import VALUED, Options, program
from clew.core.records.file_names import after_cd, below
from clew.core.records.transcript import Edit

_INTO = re.compile(r"(?<![>&\d])>\s*(?P<path>'[^']+'|\"[^\"]+\"|[^\s<>&|;]+)")
# Only the shell knows what these stand for.
_UNKNOWN = ("$", "`", "*", "?", "{", "~")


def files_written(line: str, folder: str) -> list[Edit]:
    """The files that a line writes from here-documents (`cat > FILE <<EOF`, `tee FILE <<EOF`), with what is in them,
    and those that it edits in place (`sed -i`, `perl -pi`), also one after the other in a loop, without.

    It begins in `folder`; a `cd` in it changes that. What is added to a file (`>>`) is no file written whole.
    """
    if not any(mark in line for mark in ("<<", "sed ", "perl ")):
        return []
    found: list[Edit] = []
    root, joined_by = folder, ""
    loops = {name: words.split() for name, words in re.findall(_LOOP, line)}
    for part in split(line):
        head, words = program(part.words[0]), part.words[1:]
        if head == "cd":
            folder = after_cd(folder, words, root)
        path = _target(head, words, part.text) if "<<" in part.text and "<<<" not in part.text else ""
        if path and joined_by != "||" and not any(mark in path for mark in _UNKNOWN):
            found.append(Edit(below(folder, path), "", part.body))
        for word in _in_place(head, words) if joined_by != "||" else ():
            names = loops.get(word.strip("${}"), [word]) if word.startswith("$") else [word]
            found += [Edit(below(folder, name), "", "") for name in names if not any(mark in name for mark in _UNKNOWN)]
        joined_by = part.joined_by
    return found


_LOOP = r"\bfor (\w+) in ([^;\n`$()]+?)\s*[;\n]\s*do\b"


def _in_place(head: str, words: tuple[str, ...]) -> list[str]:
    """The words that name what a command edits in place."""
    if head not in ("sed", "gsed", "perl"):
        return []
    given = Options(words, VALUED["perl" if head == "perl" else "sed"])
    if not given.flags & {"i", "in-place"} and not any(name == "in-place" for name, _ in given.values):
        return []
    files = [word for word in given.operands if word]  # behind `-i ''` stands nothing
    return files if given.given("e", "f", "expression", "file") else files[1:]


def _target(head: str, words: tuple[str, ...], text: str) -> str:
    """The file that a command with a here-document writes, "" if it writes none."""
    if head == "tee":
        return words[0] if len(words) == 1 else ""
    into = _INTO.search(text) if head == "cat" and not words else None
    return into["path"].strip("'\"") if into else ""
