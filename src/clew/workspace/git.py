"""The one way clew asks git: few processes, and no program that a repository names is ever run.

A repository can name programs in its configuration (fsmonitor, hooks, filters, external diff, textconv, signature
checks, transports of a partial clone …). Each is switched off below for every question; `docs/reference/drift.md` lists
them and `tests/workspace/test_git_runs_nothing.py` plants one in each. Filters have names of the repository's choosing,
so the configuration is listed first (a question that itself runs nothing) and every filter found is emptied.
Ownership is left to git: a repository of another user is refused by `safe.directory` as on the command line.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.core.errors import InputError, Unavailable
from clew.core.records.files import FileCommit
from clew.workspace import repository as repositories
from clew.workspace.process import LimitExceeded, ProgramRunner, find_program, run
from clew.workspace.repository import Head, Repository
from clew.workspace.times import rfc3339

if TYPE_CHECKING:
    from clew.workspace.git_act import GitAct

TIMEOUT_S = 10.0
COMMITS_MAX = 50
TOUCHING_COMMITS_MAX = 200

_ID_SHOWN = 10
_FILTERS_MAX = 1000
_COMMITS_LOOKED_MAX = 50
# Of a commit: fails where a tree of it is gone.
_WHOLE = ("ls-tree", "-r", "--name-only")
_PATHS_BYTES_MAX = 64 << 10  # of one command line; the smallest limit around is 128 KiB a word list

# Settings that win over every file of the repository. Empty means: nothing to run.
_PINNED = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.pager", ""),
    ("core.editor", ""),
    ("core.askPass", ""),
    ("core.sshCommand", ""),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", ""),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.orderFile", os.devnull),
    ("diff.ignoreSubmodules", "dirty"),
    ("gc.auto", "0"),
    ("gpg.program", ""),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
)
# The user's own configuration files stay in force: `safe.directory` is honoured only there.
_INHERITED = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
_SET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ASKPASS": "",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS": "",
}
_EXACT = ("-c", "core.trustctime=true", "-c", "core.checkStat=default")
_COMMIT_FORMAT = "--format=%x00%H%x00%ct%x00%an%x00%ae%x00%s"
_COMMIT_FIELDS = 5
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv")


class Status(NamedTuple):
    """`git status`: HEAD and what differs from it. Paths are relative to the work tree's top, with "/".

    `changed` are tracked paths that differ from HEAD (staged or not, conflicts too), `untracked` the others, a
    whole untracked folder as one path that ends in "/". `renamed` maps old to new names of staged renames.
    """

    head: Head
    changed: tuple[str, ...]
    untracked: tuple[str, ...]
    renamed: Mapping[str, str]


class Period(NamedTuple):
    """What came to HEAD since a moment: after commit `base` where the reflog knows it, else by the commits' own clocks.

    The reflog is better: a commit made last week and pulled today is news today.
    """

    base: str
    seconds: int

    def arguments(self) -> tuple[str, ...]:
        """Revisions for `git log`. Whole seconds: a commit within the second of the moment itself is not after it."""
        return ("HEAD", f"^{self.base}") if self.base else ("HEAD", f"--max-age={self.seconds + 1}")


class Git:
    """Questions to one repository. Every method may raise `Unavailable`; none changes anything.

    `environment` is the process environment to derive git's from; whatever it says about git is dropped.
    `problem` is the first failure so far, for those who go on without an answer (as `drift` does).
    """

    def __init__(
        self,
        repository: Repository,
        *,
        run: ProgramRunner = run,
        environment: Mapping[str, str],
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.repository = repository
        self._run = run
        self._timeout_s = timeout_s
        self._program = find_program("git", environment.get("PATH", os.defpath), outside=repository.top)
        kept = {name: value for name, value in environment.items() if not name.startswith("GIT_") or name in _INHERITED}
        self._base_environment = {
            **kept,
            **_SET,
            # Git discovers the repository itself (that checks ownership), but finds no other one than we did, and
            # no work tree that `core.worktree` would like better.
            "GIT_CEILING_DIRECTORIES": str(repository.top.parent),
            "GIT_WORK_TREE": str(repository.top),
        }
        self._environment: Mapping[str, str] | None = None
        self._settings: Mapping[str, str] = {}
        self.problem: Unavailable | None = None

    @property
    def program(self) -> str:
        """The program that is asked, an absolute path; "" without one."""
        return self._program

    @classmethod
    def at(cls, folder: Path, *, environment: Mapping[str, str], run: ProgramRunner = run) -> "Git | None":
        """The repository that `folder` is in, None outside one."""
        repository = repositories.find(folder)
        return cls(repository, run=run, environment=environment) if repository else None

    def settings(self) -> Mapping[str, str]:
        """Git's configuration; keys as git prints them (section and name in lower case), the last value of each."""
        self._prepare()
        return self._settings

    def beside(self, folder: Path) -> "Git | None":
        """The same git asked in the repository that `folder` is in; None outside one."""
        repository = repositories.find(folder)
        if repository is None:
            return None
        return Git(repository, run=self._run, environment=self._base_environment, timeout_s=self._timeout_s)

    def of(self, repository: Repository) -> "Git":
        """The same git asked in a repository that no work tree leads to: by its own folder, of which it is told."""
        told = Git(repository, run=self._run, environment=self._base_environment, timeout_s=self._timeout_s)
        told._base_environment["GIT_DIR"] = str(repository.git_dir)
        return told

    def status(self, *, exact: bool = False) -> Status:
        """HEAD, branch and all that differs from HEAD, in one process. `exact`: only of tracked files, and whatever the
        repository says of what may pass for unchanged, their times and inodes decide what is read again.
        """
        form = ("--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--ignore-submodules=dirty", "--find-renames")
        untracked = f"--untracked-files={'no' if exact else 'normal'}"
        return _parse_status(self.ask(*(_EXACT if exact else ()), "status", *form, untracked))

    def period(self, seconds: int) -> Period:
        """What came to this work tree's HEAD later than `seconds` after 1970."""
        return Period(repositories.head_at(self.repository, seconds), seconds)

    def last_commit(self) -> FileCommit | None:
        """The commit at HEAD, None before the first one."""
        commits = self._commits("-n1", "HEAD", "--")
        return commits[0][0] if commits else None

    def commits(self, period: Period, *, limit: int = COMMITS_MAX) -> tuple[FileCommit, ...]:
        """Commits of the period, newest first, at most `limit`."""
        found = self._commits(f"-n{limit}", *period.arguments(), "--")
        return tuple(commit for commit, _ in found)

    def holds(self, commit: str, branch_tip: str) -> bool:
        """Whether the history of `commit` holds the commit `branch_tip`. Both are ids."""
        return not self.ask("rev-list", "-n1", branch_tip, f"^{commit}", "--")

    def files(self) -> tuple[str, ...]:
        """All files of the work tree, relative to the top: tracked (also when they were deleted since), and untracked
        ones that are not ignored.
        """
        return tuple(dict.fromkeys(fields_of(self.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard"))))

    def ignored(self) -> tuple[str, ...]:
        """What git ignores in the work tree, relative to the top; of a folder that is ignored whole only that."""
        options = ("--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(path.rstrip("/") for path in fields_of(self.ask("ls-files", "-z", *options)))

    def content(self, blob: str) -> bytes:
        """What a blob holds, by its id."""
        return self.ask("cat-file", "blob", blob)

    def diff(self, base: str, to: str, paths: Sequence[str], *, lines: int) -> str:
        """The changes from where `base` and `to` parted ("" HEAD, "" the files as they are), with so many lines around
        each, in the form that git has without anybody's configuration. Raises `InputError` for what is no revision.
        """
        ends = [f"{_revision(base or 'HEAD')}...{_revision(to)}"] if to else [_revision(base or "HEAD")]
        parted = ("--merge-base",) if base and not to else ()
        form = ("--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=myers", "--find-renames", f"--unified={lines}")
        return _as_text(self.ask("diff", *_PLAIN, *form, *parted, *ends, "--", *paths))

    def log(self, revisions: str, paths: Sequence[str], *, limit: int, body: bool) -> str:
        """At most `limit` commits, newest first, a line each; with `body` the rest of the message, indented. Raises
        `InputError` for what is no revision.
        """
        form = f"--format=%h %as %an: %s{'%n%w(0,4,4)%+b' if body else ''}"
        wanted = ("--no-show-signature", "--no-notes", "--no-decorate", f"-n{limit}", f"--abbrev={_ID_SHOWN}", form)
        return _as_text(self.ask("log", *_PLAIN, *wanted, _revision(revisions), "--", *paths))

    def show(self, commit: str, path: str = "") -> str:
        """A commit with its diff; with `path` that file (relative to the top) as it was. Raises `InputError`."""
        if path:
            return _as_text(self.ask("cat-file", "blob", f"{_revision(commit)}:{path}"))
        form = ("--format=%h %as %an%n%n%w(0,4,4)%B", "--src-prefix=a/", "--dst-prefix=b/", f"--abbrev={_ID_SHOWN}")
        wanted = ("--no-show-signature", "--no-notes", "--patch", "--find-renames", "--diff-algorithm=myers")
        return _as_text(self.ask("show", *_PLAIN, *wanted, *form, _revision(commit), "--"))

    def touching(self, paths: Sequence[str], period: Period) -> Mapping[str, tuple[FileCommit, ...]]:
        """For each path (relative to the top) the commits of the period that touched it, newest first.

        Looks at no more than `TOUCHING_COMMITS_MAX` commits. Merges count only through what they brought in.
        """
        if not paths:
            return {}
        few = sum(len(os.fsencode(path)) + 1 for path in paths) <= _PATHS_BYTES_MAX
        names = ("--name-only", "--no-renames", f"-n{TOUCHING_COMMITS_MAX}")
        found = self._commits(*names, *period.arguments(), "--", *(paths if few else ()))
        wanted = set(paths)
        touched: dict[str, list[FileCommit]] = {}
        for commit, names_touched in found:
            for name in wanted.intersection(names_touched):
                touched.setdefault(name, []).append(commit)
        return {path: tuple(commits) for path, commits in touched.items()}

    def renames(self, base: str) -> Mapping[str, str]:
        """Old to new path of files renamed between commit `base` and HEAD, by git's own similarity (half or more)."""
        out = self.ask(
            "diff-tree", "-r", "-z", "--find-renames", "-l1000", "--diff-filter=R", "--name-status", base, "HEAD", "--"
        )
        fields = fields_of(out)
        return dict(zip(fields[1::3], fields[2::3], strict=False))

    def tracked(self, paths: Sequence[str]) -> Mapping[str, str]:
        """The blob id at HEAD of each of these paths (relative to the top) that HEAD has."""
        return {path: blob for path, (blob, _) in self._blobs(paths).items()}

    def tracked_sizes(self, paths: Sequence[str]) -> Mapping[str, tuple[str, int]]:
        """As `tracked`, each with the blob's size in bytes: a file that git writes in another form (line ends, a large
        file behind a pointer) has another one.
        """
        return {path: (blob, int(size)) for path, (blob, size) in self._blobs(paths, "--long").items()}

    def _blobs(self, paths: Sequence[str], *options: str) -> Mapping[str, tuple[str, str]]:
        """By path the blob's id and the last word that git tells of it."""
        blobs: dict[str, tuple[str, str]] = {}
        for part in _portions(paths) if paths else ():
            for entry in fields_of(self.ask("ls-tree", "-z", *options, "--full-tree", "HEAD", "--", *part)):
                facts, _, path = entry.partition("\t")
                words = facts.split()
                if len(words) >= 3 and words[1] == "blob":
                    blobs[path] = words[2], words[-1]
        return blobs

    def acting(self) -> "GitAct":
        """This git to write with. It runs nothing of the repository's either, where hooks and signing are left out."""
        from clew.workspace.git_act import GitAct  # here: nearly all who ask git write nothing

        self._prepare()
        environment = self._environment or self._base_environment
        told = {name: value for name, value in environment.items() if name.startswith("GIT_")}
        return GitAct(self.repository.top, environment, **told)

    def apart(self, *, index: Path, objects: Path) -> Callable[..., bytes]:
        """A way to ask git with an index of our own, and new objects in a folder of our own: what then is written lies
        outside the repository, which lends its objects. It takes the arguments, and raises as every question does.
        """
        kept = self.repository.common_dir / "objects"
        own = {"GIT_INDEX_FILE": str(index), "GIT_OBJECT_DIRECTORY": str(objects)}
        own |= {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(kept), "GIT_LITERAL_PATHSPECS": "0"}

        def ask(*arguments: str) -> bytes:
            self._prepare()
            return self._call(arguments, {**(self._environment or self._base_environment), **own})

        return ask

    def _commits(self, *arguments: str) -> list[tuple[FileCommit, list[str]]]:
        options = ("log", "-z", "--no-show-signature", "--no-notes", "--no-color", "--no-ext-diff", "--no-textconv")
        out = self.ask(*options, "--encoding=UTF-8", _COMMIT_FORMAT, *arguments)
        return _parse_log(out, mine=self._settings.get("user.email", ""))

    def ask(self, *arguments: str) -> bytes:
        """The answer to a question that no method here has. It must change nothing."""
        try:
            self._prepare()
            return self._call(arguments, self._environment or self._base_environment)
        except Unavailable as problem:
            problem = self._broken_head(problem)
            self.problem = self.problem or problem
            raise problem from None

    def _broken_head(self, problem: Unavailable) -> Unavailable:
        """The same problem; where the cause is that the commit at HEAD has no whole tree, that, with the last commit
        of its reflog that has one.
        """
        environment = self._environment
        if problem.code != "E-git-failed" or environment is None or self._can(*_WHOLE, "HEAD"):
            return problem
        lines = repositories.reflog(self.repository.git_dir).split(b"\n")
        logged = (line.split(b" ")[1].decode("ascii", "replace") for line in reversed(lines) if line.count(b" ") > 1)
        commits = list(dict.fromkeys(one for one in logged if one.strip("0").isalnum()))[:_COMMITS_LOOKED_MAX]
        if not commits or not self._can("rev-parse", "-q", "--verify", "HEAD"):
            return problem
        whole = next((one for one in commits if self._can(*_WHOLE, one)), "")
        said = f"; the last whole one that its reflog knows is {whole[:_ID_SHOWN]}" if whole else ""
        go_back = f"`git update-ref HEAD {whole}` goes back to it; your files stay as they are." if whole else ""
        return Unavailable(
            f"the commit at HEAD is damaged: parts of its tree are gone from {self.repository.common_dir}{said}",
            code="E-git-head",
            hint=go_back or "Get them from a clone or a backup: `git fsck` names what is missing.",
        )

    def _can(self, *question: str) -> bool:
        try:
            self._call(question, self._environment or self._base_environment)
        except Unavailable:
            return False
        return True

    def _prepare(self) -> None:
        """List the configuration once, and empty every filter that it names."""
        if self._environment is not None:
            return
        listed = self._call(("config", "--list", "-z"), {**self._base_environment, **_as_environment(_PINNED)})
        self._settings = settings = _parse_settings(listed)
        if settings.get("core.hookspath") != os.devnull:
            # GIT_CONFIG_COUNT came with git 2.31. Without it nothing of the above holds.
            raise Unavailable(
                "This git is too old to be used safely.", code="E-git-old", hint="Install git 2.31 or newer."
            )
        drivers = {key.rpartition(".")[0] for key in settings if key.startswith("filter.") and key.count(".") > 1}
        if len(drivers) > _FILTERS_MAX:
            raise Unavailable(
                f"The git configuration names {len(drivers)} filters.", code="E-git-failed", hint="Look at .git/config."
            )
        emptied = [
            (f"{driver}.{name}", value)
            for driver in sorted(drivers)
            for name, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
        ]
        self._environment = {**self._base_environment, **_as_environment((*_PINNED, *emptied))}

    def _call(self, arguments: Sequence[str], environment: Mapping[str, str]) -> bytes:
        if not self._program:
            raise Unavailable("git is not installed.", code="E-no-git", hint="Install git, or go on without it.")
        name = arguments[len(_EXACT) if arguments[: len(_EXACT)] == _EXACT else 0]
        argv = (self._program, "-C", str(self.repository.top), "--no-pager", *arguments)
        try:
            done = self._run(argv, environment=environment, timeout_s=self._timeout_s)
        except LimitExceeded as error:
            raise Unavailable(f"git {name}: {error}.", code="E-git-slow") from error
        except (OSError, ValueError) as error:
            raise Unavailable(f"git cannot be started: {error}.", code="E-no-git") from error
        if done.code != 0:
            raise Unavailable(f"git {name} failed: {_first_line(done.err)}", code="E-git-failed")
        return done.out


def _revision(named: str) -> str:
    """What names a revision. Raises `InputError`: git would take it for an option, or for nothing."""
    if not named or named.startswith("-") or not named.isprintable() or " " in named:
        raise InputError(f"{named!a} names no revision", code="E-git-revision", hint="Say a branch, a tag or a commit.")
    return named


def _as_text(out: bytes) -> str:
    return out.decode("utf-8", "replace")


def _as_environment(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Settings for one call, in the form that takes every name (`-c` cannot set a name with "=" in it)."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def _portions(paths: Sequence[str]) -> Iterable[list[str]]:
    portion: list[str] = []
    size = 0
    for path in paths:
        size += len(os.fsencode(path)) + 1
        if portion and size > _PATHS_BYTES_MAX:
            yield portion
            portion, size = [], len(os.fsencode(path)) + 1
        portion.append(path)
    yield portion


def fields_of(out: bytes) -> list[str]:
    """NUL-ended fields of git's output; paths keep bytes that are not UTF-8 as `os.fsdecode` does."""
    return [os.fsdecode(field) for field in out.split(b"\0")[:-1]]


def _first_line(err: bytes) -> str:
    line = err.decode("utf-8", "replace").strip().partition("\n")[0]
    return "".join(character for character in line if character.isprintable())[:200]


def _parse_settings(out: bytes) -> dict[str, str]:
    settings: dict[str, str] = {}
    for field in fields_of(out):
        key, _, value = field.partition("\n")
        settings[key] = value
    return settings


def _parse_status(out: bytes) -> Status:
    """Porcelain v2 (git-status(1), "Porcelain Format Version 2"); kinds of lines that are not known are skipped."""
    branch = commit = ""
    changed: list[str] = []
    untracked: list[str] = []
    renamed: dict[str, str] = {}
    fields = iter(fields_of(out))
    for field in fields:
        kind, _, rest = field.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            if name == "branch.oid":
                commit = "" if value == "(initial)" else value
            elif name == "branch.head":
                branch = "" if value == "(detached)" else value
        elif kind == "?":
            untracked.append(rest)
        elif kind == "1":
            changed.append(rest.split(" ", 7)[-1])
        elif kind == "u":
            changed.append(rest.split(" ", 9)[-1])
        elif kind == "2":
            words = rest.split(" ", 8)
            changed.append(words[-1])
            origin = next(fields, "")
            if words[7].startswith("R"):  # "C" is a copy: its origin is still there
                renamed[origin] = words[-1]
                changed.append(origin)
    return Status(Head(branch, commit), tuple(changed), tuple(untracked), renamed)


def _parse_log(out: bytes, *, mine: str) -> list[tuple[FileCommit, list[str]]]:
    """Commits in `_COMMIT_FORMAT` with the names that follow each; `mine` is the user's own address."""
    found: list[tuple[FileCommit, list[str]]] = []
    fields = iter(out.split(b"\0")[:-1])
    for field in fields:
        if field:
            if found:
                # The first name of a commit comes after the newline that ends the format.
                names = found[-1][1]
                names.append(os.fsdecode(field if names else field.removeprefix(b"\n")))
            continue
        values = [next(fields, b"").decode("utf-8", "replace") for _ in range(_COMMIT_FIELDS)]
        identity, seconds, author, email, subject = values
        if not identity:
            continue
        time = rfc3339(int(seconds)) if seconds.lstrip("-").isdigit() else ""
        is_mine = bool(mine) and email.lower() == mine.lower()
        found.append((FileCommit(identity[:_ID_SHOWN], subject, author, time, is_mine), []))
    return found
