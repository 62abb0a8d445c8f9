"""Which files a shell line prints: some clients have no other way to read one."""

from collections.abc import Sequence

from clew.distill import shell
from clew.distill.commands import Simple
from clew.distill.messages import unquoted_all
from clew.distill.tree import after_cd, below

# What they are given is a file, unless it is an option or the value of one.
_PRINTERS = frozenset(["cat", "bat", "batcat", "nl", "head", "tail", "less", "more"])
_VALUED = frozenset(["-n", "-c", "-r", "--lines", "--bytes", "--line-range", "--range", "-l", "--language"])
# Only the shell knows what these stand for.
_UNKNOWN = ("*", "?", "[", "{", "$", "`", "<", ">", "~", "|", "&", ";")


def files_read(parts: Sequence[Simple], folder: str, root: str) -> list[str]:
    """The files that the simple commands of a line print, in order, as they are named from `root`.

    The line begins in `folder`; a `cd` in it changes that. A word that holds a pattern or a variable names no file, and
    so does one without a stop or a slash, which may be anything.
    """
    found: list[str] = []
    for part in parts:
        head, words = shell.program(part.words[0]), unquoted_all(part.words[1:])
        if head in ("cd", "pushd"):
            folder = after_cd(folder, words, root)
        for word in _operands(head, words):
            if ("." in word or "/" in word) and not any(mark in word for mark in _UNKNOWN):
                found.append(below(folder, word))
    return found


def _operands(head: str, words: Sequence[str]) -> list[str]:
    """The words that name what a command prints; none of one that does more or other things."""
    if head == "sed":
        if "-n" not in words or any(word.startswith(("-i", "--in-place")) for word in words):
            return []
        given = [word for word in words if not word.startswith("-")]
        return given if any(word in ("-e", "--expression") for word in words) else given[1:]
    if head not in _PRINTERS:
        return []
    return [
        word for before, word in zip(("", *words), words, strict=False) if word[:1] != "-" and before not in _VALUED
    ]
