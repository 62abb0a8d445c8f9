"""Commands of git that take in whatever was changed in the work tree, whoever changed it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

# Options of git itself that have a value, and those letters of `git commit` behind which the rest is one.
_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
_VALUED_LETTERS = "mFcCtSu"
_EVERYTHING = frozenset((".", "./", ":/", ":/*", "*"))


def gathers(words: Sequence[str]) -> str:
    """What the command with these words takes in: "tracked" files that were changed, "all" with new ones, "" neither.

    Of `git add`, `git commit` and `git stash` that name no files.
    """
    if words[0].rpartition("/")[2] != "git":
        return ""
    at = 1
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in _VALUED else 1
    verb, given = words[at : at + 1], list(words[at + 1 :])
    named = given[given.index("--") + 1 :] if "--" in given else []
    given = given[: given.index("--")] if "--" in given else given
    flags = {word for word in given if word[:2] == "--"}
    operands = [*(word for word in given if word[:1] != "-"), *named]
    if verb == ["add"]:
        letters = {letter for word in given if word[:1] == "-" and word not in flags for letter in word[1:]}
        if "n" in letters or "--dry-run" in flags:
            return ""
        if not _EVERYTHING.isdisjoint(operands) or (not operands and ("A" in letters or "--all" in flags)):
            return "tracked" if "u" in letters or "--update" in flags else "all"
        return "tracked" if not operands and ("u" in letters or "--update" in flags) else ""
    if verb == ["commit"]:
        return "tracked" if "--all" in flags or any(_has_all(word) for word in given) else ""
    if verb == ["stash"] and given[-2:-1] in (["-m"], ["--message"]):
        operands = operands[:-1]
    if verb == ["stash"] and not named and (not operands or operands == ["push"] or operands[0] == "save"):
        return "all" if {"-u", "-a", "--include-untracked", "--all"}.intersection(given) else "tracked"
    return ""


def _has_all(word: str) -> bool:
    """Whether a word of `git commit` has the option `-a`, maybe beside others: `-am`."""
    if word[:1] != "-" or word[:2] == "--":
        return False
    ends = [at for letter in _VALUED_LETTERS if (at := word.find(letter, 1)) > 0]
    return "a" in word[1 : min(ends, default=len(word))]
