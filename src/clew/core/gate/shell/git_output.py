"""What git prints, read back: the branch, what a status lists, commits, what a push did.

Patterns are texts, compiled when a session needs them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.core.gate.shell import purposes
from clew.core.gate.shell.walker import Command
from clew.core.gate.shell.words import OptionWords, program

# What git prints of a branch that was pushed.
_PUSHED = r"(?m)^\s{0,3}(?:[ +*] )?(?:[0-9a-f]{6,}\.\.\.?[0-9a-f]{6,} |\[new branch\] ).+ -> |^Everything up-to-date"
# What `git status` says of the branch's remote, long and short.
_EVEN = r"(?m)^Your branch is up to date with '|^## \S+\.\.\.\S+$"
_AHEAD = r"(?m)^Your branch is ahead of '|^Your branch and '.* have diverged|^## \S+\.\.\.\S+ \[ahead "
# What it says of a work tree in which nothing differs from the last commit, and of files in one where some do.
_CLEAN = "nothing to commit, working tree clean"
_LISTED = r"(?m)^(?:[MADRCTU?!]{1,2} | [MDT] )(\S.*)$"
_LISTED_LONG = r"(?m)^[ \t]+(?:both )?(?:modified|new file|deleted|renamed|added|typechange)(?: by \w+)?:\s+(\S.*)$"
_UNTRACKED = r"(?m)^Untracked files:\n(?:[ \t]+\(use .*\n)?((?:[ \t]+\S.*\n?)+)"
_LISTED_MAX = 8  # behind a `head` more than these may have been cut off
# What prints nothing that reads like a status.
_QUIET = frozenset(["cd", "pushd", "echo", "printf", "pwd", "true", "sleep", "date", "ls"])
_SHOWING = frozenset(["show", "diff", "grep", "blame"])
_SUMMING = frozenset(["stat", "shortstat", "name-only", "name-status", "quiet", "check", "exit-code"])
# The id and the subject of a commit as `git log --oneline` prints them, perhaps with its branches between.
_LOGGED = r"(?m)^(?:\* )?([0-9a-f]{7,40})[ \t](?:\([^()\n]*\) )?(\S[^\n]*)$"
_ID = r"(?m)^([0-9a-f]{7,40})$"


class StatusListing(NamedTuple):
    """What a `git status` lists: the files, as it names them, and whether those are all that differ."""

    files: list[str]
    is_whole: bool


def listing(parts: list[Command], number: int, text: str, *, is_mute: bool) -> StatusListing | None:
    """What the `git status` at `number` of a line printed; None where it does not tell, or something else may have.
    `is_mute`: an empty `text` says that nothing was printed.
    """
    part, rest = parts[number], parts[number + 1 :]
    given = OptionWords(purposes.git_words(part.words)[1:])
    cutting = [one for one, before in zip(rest, parts[number:], strict=False) if before.joined_by == "|"]
    others = [one for one in (*parts[:number], *rest) if one not in cutting]
    if not all(map(is_quiet, others)) or any(program(one.words[0]) not in ("head", "tail", "cat") for one in cutting):
        return None
    is_short = bool(given.flags & {"s", "short", "porcelain"} or ("porcelain", "v1") in given.values)
    if is_short:
        files = [name.rpartition(" -> ")[2].strip('"') for name in re.findall(_LISTED, text)]
        is_told = bool(files) or (is_mute and is_silent(part, text)) or "## " in text
    else:
        found = re.search(_UNTRACKED, text)
        files = [*re.findall(_LISTED_LONG, text), *(found[1].split("\n") if found else ())]
        files = [name.rpartition(" -> ")[2].strip() for name in files if name.strip()]
        is_told = bool(files) or any(row.strip() == _CLEAN for row in text.splitlines())
    is_cut = bool(cutting) and len(files) > _LISTED_MAX
    is_part = bool(
        given.operands or given.flags & {"n", "untracked-files"} or ("untracked-files", "no") in given.values
    )
    return StatusListing(files, not is_cut and not is_part) if is_told else None


def is_silent(part: Command, text: str) -> bool:
    """Whether a line printed nothing, and this command of it did not print into a file."""
    return not text.strip() and ">" not in part.text


def is_quiet(part: Command) -> bool:
    """Whether a command prints nothing that reads like a status or a log."""
    if program(part.words[0]) != "git":
        return program(part.words[0]) in _QUIET
    words = purposes.git_words(part.words)
    given = OptionWords(words[1:])
    is_shown = words[:1] != () and (words[0] in _SHOWING or bool(given.flags & {"p", "patch"}))
    return not is_shown or bool(given.flags & _SUMMING)


def is_pushed(text: str) -> bool:
    """Whether git says that it pushed, or that there was nothing to push."""
    return re.search(_PUSHED, text) is not None


def is_even(text: str) -> bool | None:
    """Whether a status says that the branch's remote has all commits; None where it says nothing of it."""
    return True if re.search(_EVEN, text) else False if re.search(_AHEAD, text) else None


def logged(text: str) -> list[tuple[str, str]]:
    """The (id, subject) of each line of `git log --oneline`."""
    return [(id, subject.strip()) for id, subject in re.findall(_LOGGED, text)]


def asked_id(text: str) -> str:
    """The id that `git rev-parse` printed, "" where it is not the only one."""
    found = re.findall(_ID, text)
    return found[0] if len(found) == 1 else ""


def commits(text: str) -> list[tuple[str, str]]:
    """The (id, subject) of each line like "[main 1a2b3c4] Fix the sum"."""
    found = []
    for line in text.splitlines():
        inside, mark, subject = line[1:].partition("] ") if line.startswith("[") else ("", "", "")
        branch, _, id = inside.rpartition(" ")
        if mark and branch and subject.strip() and 6 <= len(id) <= 40 and not id.strip("0123456789abcdef"):
            found.append((id, subject.strip()))
    return found


# What git prints of the branch it is on: a commit, `checkout` and `switch`, `status` long and short. Compiled when a
# session needs it.
_PRINTED = (
    r"(?m)^(?:On branch (\S+)$"
    r"|(?:Switched to (?:a new )?branch|Already on|Reset branch) '([^'\n]+)'"
    r"|\[([^\s\]]+)(?: \(root-commit\))? [0-9a-f]{7,40}\] "
    r"|## (?:No commits yet on )?([^\s.]+(?:\.[^\s.]+)*)(?:\.\.\.\S+)?(?: \[[^\]\n]*\])?$)"
)
_MAKING = frozenset(("-b", "-B", "-c", "-C", "-m", "-M"))
# Verbs that print nothing of files or messages which could look like a branch at the start of a line.
_PLAIN = frozenset(
    "add status commit checkout switch branch rev-parse push pull fetch stash rm mv reset restore".split()
)
_ASKING = (("branch", "--show-current"), ("rev-parse", "--abbrev-ref", "HEAD"))
# Another repository by the environment.
_ELSEWHERE = ("GIT_", "env ")
_LITERAL = r"[\w./+-]+"


def tells_state(command: str) -> bool:
    """Whether what a shell line prints may tell how the repository stands, though it only looks."""
    return "gh pr" in command or ("git" in command and any(verb in command for verb in _TELLING))


_TELLING = ("status", "--show-current", "rev-parse", "log", "diff")


def branch_after(command: str, folder: str, printed: str, *, root: str) -> str:
    """The branch that is checked out in `root` after a command that went through in `folder` ("" the session's own), by
    what it printed; "" where that does not tell. Only what cannot be anything else is believed: nothing but git may
    have printed. A branch that is not told is better than one of other people's work.
    """
    if folder.rstrip("/") not in ("", root) or any(word in command for word in _ELSEWHERE):
        return ""
    parts = [part.words for part in purposes.split(command)]
    while parts and len(parts[0]) == 2 and parts[0][0] == "cd" and parts[0][1].rstrip("/") == root:
        del parts[0]
    if not parts:
        return ""
    if len(parts) == 1 and parts[0][0] == "git" and parts[0][1:] in _ASKING:
        name = printed.strip()
        return name if name != "HEAD" and re.fullmatch(_LITERAL, name) else ""
    if all(words[0] == "git" and words[1:2] and words[1] in _PLAIN for words in parts):
        return _made(parts[-1][1:]) or _last_printed(printed)
    return _last_printed(printed) if len(parts) == 1 and parts[0][:3] == ("gh", "pr", "checkout") else ""


def _made(words: tuple[str, ...]) -> str:
    """The branch that a command makes or renames the one it is on to, by its name in the command."""
    verb, *rest = words
    names = [word for word in rest if not word.startswith("-")]
    made = verb in ("checkout", "switch", "branch") and not _MAKING.isdisjoint(rest)
    renames = verb == "branch" and len(names) == 1
    if made and names and (verb != "branch" or renames) and re.fullmatch(_LITERAL, names[0]):
        return names[0]
    return ""


def _last_printed(text: str) -> str:
    """The branch of the last line that names one."""
    found = ""
    for names in re.findall(_PRINTED, text):
        name = "".join(names)
        found = found if name in ("HEAD", "detached") else name
    return found
