"""Which files a shell line prints: some clients have no other way to read one."""

from collections.abc import Sequence

from clew.core.gate.shell.cut import Command
from clew.core.gate.shell.words import VALUED, Options, program
from clew.core.records.file_names import after_cd, below

# Programs that print the files they are given.
_PRINTERS = frozenset(["cat", "nl", "head", "tail", "less", "more", "bat", "batcat"])
# Only the shell knows what these stand for; a folder and an address are no file.
_NO_FILE = ("*", "?", "[", "{", "$", "`", "<", ">", "~", "|", "&", ";", "://")


def files_read(line: str, parts: Sequence[Command], folder: str, root: str) -> list[str]:
    """The files that a line which ended well has printed, in order, as they are named from `root`.

    `parts` are its simple commands. It begins in `folder`; a `cd` in it changes that. Told are those that must have
    been there, or the line would have failed: of commands with nothing but `&&` behind them, and no `||` before. A word
    that holds a pattern or a variable names no file, and so does one without a stop or a slash, which may be anything.
    """
    found: list[str] = []
    sure = next((at for at in range(len(parts), 0, -1) if parts[at - 1].joined_by not in ("", "&&")), 0)
    for at, part in enumerate(parts):
        head, words = program(part.words[0]), part.words[1:]
        if head in ("cd", "pushd", "popd"):
            if head == "popd" or not words or "(" in line:
                return found  # nobody knows where it goes on
            folder = after_cd(folder, words, root)
        if at < sure or (at and parts[at - 1].joined_by == "||"):
            continue
        for word in _operands(head, words):
            if ("." in word or "/" in word) and word[-1] != "/" and not any(mark in word for mark in _NO_FILE):
                found.append(below(folder, word))
    return found


def _operands(head: str, words: Sequence[str]) -> list[str]:
    """The words that name what a command prints; none of one that does more or other things."""
    given = Options(words, VALUED.get(head, ""))
    if head in _PRINTERS:
        return given.operands
    # A `sed` that prints lines: `-n`, and nothing is written in place.
    if head != "sed" or not given.flags & {"n", "quiet", "silent"} or given.flags & {"i", "in-place"}:
        return []
    return given.operands if given.given("e", "f", "expression", "file") else given.operands[1:]
