"""What git was told to do in a session, and what it answered: commits with their files, what was taken back."""

import re
from itertools import pairwise
from typing import NamedTuple

from clew.core.gate.shell import outcomes, purposes
from clew.core.gate.shell.words import VALUED, Options, program
from clew.distill.messages import commit_message
from clew.distill.ran import Ran
from clew.distill.tree import Tree, after_cd, below

# What git says when it made none.
_REFUSED = ("nothing to commit", "nothing added to commit", "no changes added to commit", "Aborting commit")


class CommitDone(NamedTuple):
    """A commit made here. `id` is "" where the output did not tell or a later rewrite changed it."""

    id: str
    subject: str
    files: tuple[str, ...]
    event: int


# What git prints of a branch that was pushed.
_PUSHED = r"(?m)^ [ +*] (?:[0-9a-f]{6,}\.\.|\[new branch\])|^Everything up-to-date"
# What `git status` says where the branch's remote has all commits.
_UP_TO_DATE = "Your branch is up to date with 'origin/"


# What git says of a work tree in which nothing differs from the last commit.
_CLEAN = "nothing to commit, working tree clean"


def _asks_status(ran: Ran) -> bool:
    """Whether a shell line asks git how things stand, and does nothing that makes that untrue."""
    asks = any(part.words[:2] == ("git", "status") for part in ran.parts)
    return bool(ran.ok) and asks and all(part.purpose in ("look", "push") for part in ran.parts)


def _shows_clean(ran: Ran) -> bool:
    """Whether nothing but git may have printed that nothing is to be committed."""
    is_gits = all(program(part.words[0]) in ("git", "cd", "echo", "pwd") for part in ran.parts)
    return is_gits and _asks_status(ran) and any(row.strip() == _CLEAN for row in ran.text.splitlines())


class Commits:
    """The commits of a session, and what git did to the tree. Only git commands and `rm` are looked at."""

    def __init__(self, tree: Tree) -> None:
        self.done: list[CommitDone] = []
        self.rebases: list[int] = []
        self.pushed = -1  # the event of the last push, or of git's word that nothing is to be pushed
        self._tree = tree
        self._has_stash = False  # what is put away there is in no commit

    def take(self, ran: Ran) -> None:
        """Read one shell line. Each part runs in the folder that a `cd` before it in the line went to."""
        folder = ran.folder
        messages = [commit_message(part, ran.command) for part in ran.parts if part.purpose == "commit"]
        lines = _told(messages, ran.text)
        if _UP_TO_DATE in ran.text and _asks_status(ran):
            self.pushed = ran.event
        for number, part in enumerate(ran.parts):
            head = part.words[0]
            words = part.words[1:]
            if head in ("cd", "pushd"):
                folder = after_cd(folder, words[:1], self._tree.root)
            elif head == "rm" and ran.ok:
                self._tree.remove(words, folder, ran.event)
            elif head == "mv" and ran.ok:
                self._tree.move(Options(words, VALUED["mv"]).operands, folder, ran.event)
            elif program(head) == "git":
                words = purposes.git_words(part.words)
                place = _place(part.words, folder)
                if part.purpose == "commit":
                    self._commit(ran, number, words, place, messages.pop(0), lines.pop(0))
                else:
                    self._other(ran, number, words, place)

    def _other(self, ran: Ran, number: int, words: tuple[str, ...], folder: str) -> None:
        part = ran.parts[number]
        verb = words[0] if words else ""
        given = Options(words[1:], VALUED.get(verb, ""))
        if verb in ("add", "stage") and (ran.ok or part.joined_by):
            self._stage(given, folder)  # the last command of a failed line may be the one that failed
        elif ran.ok and not given.flags & {"dry-run"}:
            self._done(ran, number, words, given, folder)

    def _done(self, ran: Ran, number: int, words: tuple[str, ...], given: Options, folder: str) -> None:
        part, verb = ran.parts[number], words[0] if words else ""
        if verb in ("rm", "mv"):
            change = self._tree.remove if verb == "rm" else self._tree.move
            if "cached" not in given.flags:
                change(given.operands, folder, ran.event, is_tracked=True)
        elif verb == "status":
            if not self._has_stash and self._tree.holds(folder) and _shows_clean(ran):
                self._tree.commit_open()  # somebody else did
        elif verb == "stash":
            self._has_stash = True
        elif part.purpose == "push":
            went = outcomes.outcome(ran.parts, number, "", exit_ok=ran.ok) == "passed" or re.search(_PUSHED, ran.text)
            if went and not given.flags & {"dry-run", "n"}:
                self.pushed = ran.event
        elif verb == "reset":
            self._reset(given, folder)
        elif verb == "restore" and part.purpose == "look":
            self._tree.unstage(given.operands, folder)
        elif part.purpose == "revert":
            behind = words[words.index("--") + 1 :] if "--" in words else given.operands
            self._tree.revert(behind, folder)
        elif verb == "rebase":
            self._rebased(ran)

    def _stage(self, given: Options, folder: str) -> None:
        if given.operands:
            self._tree.stage(given.operands, folder)
        elif given.flags & {"A", "all", "u", "update", "no-ignore-removal"}:
            self._tree.stage_all(folder)

    def _commit(
        self, ran: Ran, number: int, words: tuple[str, ...], folder: str, message: str, line: tuple[str, str] | None
    ) -> None:
        """A commit is what git told in a `line` of its own, or what its exit status proves. What git only begins, or
        may have refused (in the background, behind a pipe or before `|| true`), is none.
        """
        how = outcomes.outcome(ran.parts, number, "", exit_ok=ran.ok)
        if line is None and (how != "passed" or any(words in ran.text for words in _REFUSED)):
            return
        given = Options(words[1:], VALUED["commit"])
        if given.flags & {"a", "all"}:
            self._tree.stage_all(folder)
        subject = line[1] if line else message.split("\n", 1)[0].strip()
        more: tuple[str, ...] = ()
        if "amend" in given.flags and self.done:
            last = self.done.pop()
            subject = subject or last.subject
            more = last.files
        if subject:
            files = self._tree.commit(tuple(given.operands), folder, more=more)
            self.done.append(CommitDone(line[0] if line else "", subject, files, ran.event))

    def _reset(self, given: Options, folder: str) -> None:
        """A reset to `HEAD~n` drops commits; what they held is lost with --hard, else open again."""
        hard = "hard" in given.flags
        back = sum(_steps_back(word) for word in given.operands)
        dropped: list[str] = []
        for commit in self.done[len(self.done) - back :] if 0 < back <= len(self.done) else []:
            dropped += commit.files
            self.done.pop()
        if hard:
            self._tree.revert_all(dropped)
        else:
            self._tree.reopen(dropped, staged="soft" in given.flags)
            if not given.flags & {"soft", "keep", "merge"} and not back:
                self._tree.unstage([word for word in given.operands if word != "HEAD"], folder)

    def _rebased(self, ran: Ran) -> None:
        """A rebase gives commits new ids, and going on with one commits what was edited to resolve it."""
        told = {subject: id for id, subject in _commit_lines(ran.text)}
        self.done = [commit._replace(id=told.pop(commit.subject, "")) for commit in self.done]
        self.done += [CommitDone(id, subject, (), ran.event) for subject, id in told.items()]
        if "Successfully rebased" in ran.text:
            self.rebases.append(ran.event)
            self._tree.commit_open()


def _told(messages: list[str], text: str) -> list[tuple[str, str] | None]:
    """What git printed, (id, subject), for each commit of a line: by its subject, else in order; None if nothing."""
    if not messages:
        return []
    lines = _commit_lines(text)
    subjects = [message.split("\n", 1)[0].strip() for message in messages]
    own = {subject: iter([line for line in lines if line[1] == subject]) for subject in dict.fromkeys(subjects)}
    others = iter([line for line in lines if line[1] not in own])
    return [next(own[subject], None) or next(others, None) for subject in subjects]


def _commit_lines(text: str) -> list[tuple[str, str]]:
    """The (id, subject) of each line like "[main 1a2b3c4] Fix the sum"."""
    found = []
    for line in text.splitlines():
        inside, mark, subject = line[1:].partition("] ") if line.startswith("[") else ("", "", "")
        branch, _, id = inside.rpartition(" ")
        if mark and branch and subject.strip() and 6 <= len(id) <= 40 and not id.strip("0123456789abcdef"):
            found.append((id, subject.strip()))
    return found


def _steps_back(word: str) -> int:
    """How many commits before HEAD a revision names, 0 if it is none of that form."""
    head, mark, count = word.partition("~")
    if head not in ("HEAD", "@"):
        return len(word) - 4 if word in ("HEAD^", "HEAD^^", "HEAD^^^") else 0
    return int(count or "1") if mark and (count or "1").isdecimal() and len(count) < 4 else 0


def _place(words: tuple[str, ...], folder: str) -> str:
    """The folder that a git command works in: `-C` changes it."""
    for flag, value in pairwise(words[1:]):
        if flag == "-C":
            return below(folder, value)
        if not flag.startswith("-"):
            break
    return folder
