"""What git was told to do in a session, and what it answered: commits with their files, what was taken back."""

from itertools import pairwise
from typing import NamedTuple

from clew.core.gate.shell import git_output, outcomes, purposes
from clew.core.gate.shell.words import OptionWords, program
from clew.core.records.file_names import below
from clew.distill.shell_lines import ShellOutcome, commit_message
from clew.distill.tree import EditTree

_BASES = ("main", "master", "develop")
_ID_CHARS_MIN = 4  # of a commit, shortened
# What git says when it made none.
_REFUSED = ("nothing to commit", "nothing added to commit", "no changes added to commit", "Aborting commit")


class CommitDone(NamedTuple):
    """A commit made here. `id` is "" where the output did not tell or a later rewrite changed it."""

    id: str
    subject: str
    files: tuple[str, ...]
    event: int


class GitState(NamedTuple):
    """How the work tree stood when the session last heard of it. `head`: the id of its last commit, "" unknown.
    `is_pushed`: whether its remote has that; `is_clean`: whether nothing differs from it. None: nobody told.
    """

    head: str
    is_pushed: bool | None
    is_clean: bool | None


class Commits:
    """The commits of a session, and what git did to the tree. Only git commands, `rm` and `mv` are looked at."""

    def __init__(self, tree: EditTree, branch: str) -> None:
        self._branch = branch
        self.done: list[CommitDone] = []
        self.rebases: list[int] = []
        self.pushed = self.even = -1  # the events of the last push, and of git's last word that nothing is to be pushed
        self._tree = tree
        self._has_stash = False  # what is put away there is in no commit
        self._head = ""
        self._is_pushed: bool | None = None
        self._status: tuple[int, bool] | None = None  # the event of the last one, and whether all was clean

    def state(self) -> GitState:
        """How the tree stands: what was edited behind git's last word is open."""
        is_clean = False if self._tree.is_open() else None
        if is_clean is None and self._status is not None:
            event, is_clean = self._status
            is_clean = is_clean if event >= self._tree.last else None
        return GitState(self._head, self._is_pushed, is_clean)

    def take(self, ran: ShellOutcome) -> None:
        """Read one shell line."""
        messages = [commit_message(part, ran.command) for part in ran.parts if part.purpose == "commit"]
        lines = _told(messages, ran.text)
        for number, part in enumerate(ran.parts):
            head, words, folder = part.words[0], part.words[1:], ran.folders[number]
            if head == "rm" and ran.ok:
                self._tree.remove(words, folder, ran.event)
            elif head == "mv" and ran.ok:
                self._tree.move(OptionWords(words, "mv").operands, folder, ran.event)
            elif program(head) == "git":
                words = purposes.git_words(part.words)
                place = _place(part.words, folder)
                if part.purpose == "commit":
                    self._commit(ran, number, words, place, messages.pop(0), lines.pop(0))
                elif words:
                    self._other(ran, number, words, place)

    def _other(self, ran: ShellOutcome, number: int, words: tuple[str, ...], folder: str) -> None:
        part, verb = ran.parts[number], words[0]
        given = OptionWords(words[1:], verb)
        if verb in ("add", "stage") and (ran.ok or part.joined_by):
            self._stage(given, folder)  # the last command of a failed line may be the one that failed
        elif given.flags & {"dry-run"}:
            return
        elif part.purpose == "push":
            self._push(ran, number, given)
        elif ran.ok is not False and verb in ("status", "log", "rev-parse"):
            self._looked(ran, number, verb, given, folder)
        elif ran.ok:
            self._done(ran, number, words, given, folder)

    def _push(self, ran: ShellOutcome, number: int, given: OptionWords) -> None:
        went = outcomes.outcome(ran.parts, number, "", exit_ok=ran.ok) == "passed" or git_output.is_pushed(ran.text)
        if went and not given.flags & {"n"}:
            self.pushed, self._is_pushed = ran.event, True

    def _looked(self, ran: ShellOutcome, number: int, verb: str, given: OptionWords, folder: str) -> None:
        """What git tells of how things stand settles what the session made of them."""
        if not self._tree.holds(folder):
            return
        if verb in ("log", "rev-parse"):
            self._named(ran, verb, given)
        elif not self._has_stash:
            self._listed(ran, number, folder)

    def _listed(self, ran: ShellOutcome, number: int, folder: str) -> None:
        """Read a `git status`."""
        listing = git_output.listing(ran.parts, number, ran.text, is_mute=ran.is_mute and bool(ran.ok))
        if listing is not None:
            self._tree.settle(listing.files, folder, is_whole=listing.is_whole)
            if listing.is_whole:
                self._status = ran.event, not listing.files
            is_even = git_output.is_even(ran.text)
            self.even = ran.event if is_even else self.even
            self._is_pushed = self._is_pushed if is_even is None else is_even

    def _named(self, ran: ShellOutcome, verb: str, given: OptionWords) -> None:
        """Ids that git tells of commits which it made without a word; the first one is the last commit's."""
        is_last = not given.operands or given.operands[0] in ("HEAD", "@")
        if verb == "rev-parse":
            id = git_output.asked_id(ran.text) if is_last else ""
            told = [(id, self.done[-1].subject if self.done else "")] if id else []
        else:
            told = git_output.logged(ran.text)
        ids = {subject.strip(): id for id, subject in reversed(told)}
        self.done = [one if one.id else one._replace(id=ids.get(one.subject, "")) for one in self.done]
        is_first = told and is_last and not given.flags & {"all", "reverse", "skip"}
        if is_first and all(map(git_output.is_quiet, ran.parts)):
            self._head = told[0][0]

    def _done(self, ran: ShellOutcome, number: int, words: tuple[str, ...], given: OptionWords, folder: str) -> None:
        part, verb = ran.parts[number], words[0]
        if verb in ("rm", "mv"):
            change = self._tree.remove if verb == "rm" else self._tree.move
            if "cached" not in given.flags:
                change(given.operands, folder, ran.event, is_tracked=True)
        elif verb == "stash":
            self._has_stash = True
        elif verb == "restore" and part.purpose == "look":
            self._tree.unstage(given.operands, folder)
        elif part.purpose == "revert" and verb != "reset":
            behind = words[words.index("--") + 1 :] if "--" in words else given.operands
            self._tree.revert(behind, folder)
        elif part.purpose in ("rewrite", "revert"):
            self._head, self._is_pushed = "", None
            if verb == "reset":
                self._reset(given, folder)
            elif verb == "rebase":
                self._rebased(ran)

    def _stage(self, given: OptionWords, folder: str) -> None:
        if given.operands:
            self._tree.stage(given.operands, folder)
        elif given.flags & {"A", "all", "u", "update", "no-ignore-removal"}:
            self._tree.stage_all(folder)

    def _commit(
        self,
        ran: ShellOutcome,
        number: int,
        words: tuple[str, ...],
        folder: str,
        message: str,
        line: tuple[str, str] | None,
    ) -> None:
        """A commit is what git told in a `line` of its own, or what its exit status proves. What git only begins, or
        may have refused (in the background, behind a pipe or before `|| true`), is none.
        """
        how = outcomes.outcome(ran.parts, number, "", exit_ok=ran.ok)
        if line is None and (how != "passed" or any(words in ran.text for words in _REFUSED)):
            return
        given = OptionWords(words[1:], "commit")
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
            self._head, self._is_pushed, self._status = self.done[-1].id, False, None

    def _reset(self, given: OptionWords, folder: str) -> None:
        """A reset to an earlier commit drops those behind it; what they held is lost with --hard, else open again."""
        hard = "hard" in given.flags
        back = min(self._steps_back(given.operands[0]), len(self.done)) if len(given.operands) == 1 else 0
        dropped = [path for commit in self.done[len(self.done) - back :] for path in commit.files]
        del self.done[len(self.done) - back :]
        if hard:
            self._tree.revert_all(dropped)
        else:
            self._tree.reopen(dropped, staged="soft" in given.flags)
            if not given.flags & {"soft", "keep", "merge"} and not back:
                self._tree.unstage([word for word in given.operands if word != "HEAD"], folder)

    def _steps_back(self, word: str) -> int:
        """How many of the commits made here a reset to this revision drops, 0 where that cannot be determined."""
        head, mark, count = word.partition("~")
        if head in ("HEAD", "@"):
            return int(count or "1") if mark and (count or "1").isdecimal() and len(count) < 4 else 0
        if word.rstrip("^") == "HEAD":
            return len(word) - 4
        for behind, one in enumerate(reversed(self.done)):
            if len(word) >= _ID_CHARS_MIN and one.id and (one.id.startswith(word) or word.startswith(one.id)):
                return behind
        base = word.removeprefix("origin/")  # what the branch was made from
        return len(self.done) if (word != base or base in _BASES) and base != self._branch else 0

    def _rebased(self, ran: ShellOutcome) -> None:
        """A rebase gives commits new ids, and going on with one commits what was edited to resolve it."""
        told = {subject: id for id, subject in git_output.commits(ran.text)}
        self.done = [commit._replace(id=told.pop(commit.subject, "")) for commit in self.done]
        self.done += [CommitDone(id, subject, (), ran.event) for subject, id in told.items()]
        if "Successfully rebased" in ran.text:
            self.rebases.append(ran.event)
            self._tree.commit_open()


def _told(messages: list[str], text: str) -> list[tuple[str, str] | None]:
    """What git printed, (id, subject), for each commit of a line: by its subject, else in order; None if nothing."""
    lines = git_output.commits(text) if messages else []
    subjects = [message.split("\n", 1)[0].strip() for message in messages]
    own = {subject: iter([line for line in lines if line[1] == subject]) for subject in dict.fromkeys(subjects)}
    others = iter([line for line in lines if line[1] not in own])
    return [next(own[subject], None) or next(others, None) for subject in subjects]


def _place(words: tuple[str, ...], folder: str) -> str:
    """The folder that a git command works in: `-C` changes it."""
    for flag, value in pairwise(words[1:]):
        if flag == "-C":
            return below(folder, value)
        if not flag.startswith("-"):
            break
    return folder
