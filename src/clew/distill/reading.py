"""Which files a shell line prints: some clients have no other way to read one."""

from collections.abc import Sequence

from clew.core.shell.cut import Command
from clew.core.shell.words import program
from clew.distill.tree import after_cd, below

# Programs that print the files they are given, and their options that take the next word as their value.
_PRINTERS = {
    "cat": "",
    "nl": "-b -d -f -h -i -l -n -s -v -w",
    "head": "-n -c --lines --bytes",
    "tail": "-n -c --lines --bytes",
    "less": "",
    "more": "",
    "bat": "-r -l --line-range --language --style --color --paging --theme",
    "batcat": "-r -l --line-range --language --style --color --paging --theme",
}
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
    if head == "sed":
        return _of_sed(words)
    if head not in _PRINTERS:
        return []
    valued = _PRINTERS[head].split()
    before = ("", *words)
    return [word for last, word in zip(before, words, strict=False) if word[:1] != "-" and last not in valued]


def _of_sed(words: Sequence[str]) -> list[str]:
    """The files of a `sed` that prints lines of them: `-n`, and nothing is written in place."""
    options = [word for word in words if word.startswith("-")]
    short = "".join(word[1:] for word in options if not word.startswith("--"))
    if not ("n" in short or "--quiet" in options or "--silent" in options) or "i" in short or "--in-place" in options:
        return []
    scripts = [word for word in options if word.startswith("-") and word[-1] in "ef" and not word.startswith("--")]
    before = ("", *words)
    given = [word for last, word in zip(before, words, strict=False) if word[:1] != "-" and last not in scripts]
    return given if scripts else given[1:]
