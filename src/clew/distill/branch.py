"""The branch that git says is checked out: some clients name only the one at the session's start.

Only what cannot be anything else is believed: nothing but git may have printed, in the session's own folder. A branch
that is not told is better than one of other people's work.
"""

from __future__ import annotations

import re

from clew.core.gate.shell import purposes
from clew.core.records.transcript import Run

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


def tells_branch(command: str) -> bool:
    """Whether what a shell line prints may tell the branch, though it only looks."""
    return "git" in command and ("status" in command or "--show-current" in command or "--abbrev-ref" in command)


def branch_after(ran: Run, printed: str, *, root: str) -> str:
    """The branch that is checked out in `root` after a command that went through, "" where it does not tell."""
    if ran.folder.rstrip("/") not in ("", root) or any(word in ran.command for word in _ELSEWHERE):
        return ""
    parts = [part.words for part in purposes.split(ran.command)]
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
