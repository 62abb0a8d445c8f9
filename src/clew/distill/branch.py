"""The branch that git says is checked out: some clients name only the one at the session's start."""

from __future__ import annotations

import re
from itertools import pairwise

from clew.distill import commands, shell
from clew.distill.messages import unquoted

# What git prints of the branch it is on: `status` long and short, `checkout` and `switch`, a commit. Compiled when a
# session needs it.
_PRINTED = (
    r"(?m)^(?:On branch (\S+)$"
    r"|## (?:No commits yet on )?([^\s.]+(?:\.[^\s.]+)*)(?:\.\.\.\S+)?(?: \[[^\]\n]*\])?$"
    r"|(?:Switched to (?:a new )?branch|Already on|Reset branch) '([^'\n]+)'"
    r"|\[([^\s\]]+)(?: \(root-commit\))? [0-9a-f]{7,40}\] )"
)
_MARKS = ("On branch ", "## ", "branch '", "Already on '", "] ")
_SAYING = ("--show-current", "--abbrev-ref", "checkout -", "switch -")
_TELLING = frozenset(["status", "checkout", "switch", "commit", "branch", "rev-parse"])
_MAKING = frozenset(["-b", "-B", "-c", "-C"])


def tells_branch(command: str) -> bool:
    """Whether what a shell line prints may tell the branch, though it only looks."""
    return "git" in command and ("status" in command or "--show-current" in command or "--abbrev-ref" in command)


def branch_after(command: str, printed: str, *, root: str) -> str:
    """The branch that is checked out in `root` after a shell line that went through, "" where it does not tell."""
    if not any(mark in printed for mark in _MARKS) and not any(words in command for words in _SAYING):
        return ""  # the usual case, told without taking the line apart
    found = ""
    parts = commands.split(command)
    for part in parts:
        head = shell.program(part.words[0])
        if head in ("cd", "pushd") and unquoted(part.words[1] if len(part.words) > 1 else "").rstrip("/") != root:
            return ""  # the rest speaks of another place
        if head == "gh" and part.words[1:3] == ("pr", "checkout"):
            found = _last_printed(printed) or found
        if head != "git" or "-C" in part.words[1:2]:
            continue
        verb, *rest = commands.git_words(part.words) or ("",)
        if verb not in _TELLING:
            continue
        if "--show-current" in rest or ("--abbrev-ref" in rest and "HEAD" in rest):
            name = printed.strip()
            found = name if len(parts) == 1 and name and not name.split()[1:] and name != "HEAD" else found
        elif verb != "branch":
            made = [name for flag, name in pairwise(rest) if flag in _MAKING]
            named = unquoted(made[0]) if made and verb in ("checkout", "switch") else ""
            found = _last_printed(printed) or named or found
    return found


def _last_printed(text: str) -> str:
    """The branch of the last line that names one."""
    found = ""
    for names in re.findall(_PRINTED, text):
        name = "".join(names)
        found = found if name in ("HEAD", "detached") else name
    return found
