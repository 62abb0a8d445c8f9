"""Shell lines: what one that was run came to, the messages it gives to git, the files that it prints and writes.

Some clients have no other way to read a file, and an agent without a tool for it, or whose tool failed, writes with
`cat` or `sed`.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from clew.core.gate.shell.purposes import git_words, split
from clew.core.gate.shell.walker import Command
from clew.core.gate.shell.words import OptionWords, program
from clew.core.records.file_names import after_cd, below
from clew.core.records.transcript import Edit


class ShellOutcome(NamedTuple):
    """`ok`: whether the line as a whole ended well, None where that is not known; `text` is its output. `folders` are
    those of its commands. `is_mute`: the client says that it printed nothing, and does not only leave it out.
    """

    event: int
    command: str
    parts: list[Command]
    text: str
    ok: bool | None
    folders: tuple[str, ...] = ()
    is_mute: bool = False


def folders_of(parts: list[Command], folder: str, root: str) -> tuple[str, ...]:
    """The folder of each command of a line that begins in `folder`: a `cd` in it changes that for those behind it."""
    found = []
    for part in parts:
        if part.words[0] in ("cd", "pushd"):
            folder = after_cd(folder, part.words[1:2], root)
        found.append(folder)
    return tuple(found)


def message_of(command: str) -> str:
    """The message that a `git commit` (or the body that a `gh pr create`) command gives, "" if it gives none."""
    for part in split(command):
        if part.purpose == "commit":
            text = commit_message(part, command)
        elif program(part.words[0]) == "gh" and part.words[1:2] in (("pr",), ("issue",)):
            text = gh_body(part, command)
        else:
            continue
        if text:
            return text
    return ""


def commit_message(part: Command, command: str) -> str:
    """The message that this `git commit` of a shell line gives, "" if it gives none."""
    given = OptionWords(git_words(part.words)[1:], "commit")
    return _message(given, ("m", "message"), ("F", "file"), part, command)


def gh_body(part: Command, command: str) -> str:
    """The body that this `gh pr create` or `gh pr edit` of a shell line gives, "" if it gives none."""
    given = OptionWords(part.words[3:], "gh")
    return _message(given, ("b", "body"), ("F", "body-file"), part, command)


def gh_title(part: Command) -> str:
    """The title that this `gh … create` or `gh … edit` of a shell line gives, "" if it gives none."""
    given = OptionWords(part.words[3:], "gh")
    return next(iter(given.given("t", "title")), "")


def _message(given: OptionWords, told: tuple[str, str], read: tuple[str, str], part: Command, command: str) -> str:
    """The message from its options: `told` gives it in words, `read` names a file that the same line may write."""
    parts = [_shown(value) for value in given.given(*told)]
    if not parts:
        files = given.given(*read)
        parts = [part.body if file == "-" else _body(command, file) for file in files[-1:]]  # git takes the last one
    return "\n\n".join(part for part in parts if part).strip()


def _shown(value: str) -> str:
    """A value as the command sees it: `$(cat <<EOF …)` stands for its text, any other substitution for nothing."""
    return _body(value.strip("$()`")) if value.startswith(("$(", "`")) else value


def _body(command: str, file: str = "") -> str:
    """The first here-document in a shell line, of a command that names `file`; "" if there is none."""
    return next((part.body for part in split(command) if part.body and file in part.text), "")


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
    given = OptionWords(words, head)
    if head in _PRINTERS:
        return given.operands
    # A `sed` that prints lines: `-n`, and nothing is written in place.
    if head != "sed" or not given.flags & {"n", "quiet", "silent"} or given.flags & {"i", "in-place"}:
        return []
    return given.operands if given.given("e", "f", "expression", "file") else given.operands[1:]


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
    given = OptionWords(words, "perl" if head == "perl" else "sed")
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
