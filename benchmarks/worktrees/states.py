"""States of a work tree: each a function that brings one about, and whether work is in the tree then.

What is work is said here, by who makes the state, and is not asked of the judge. `WORK` are states in which something
would be lost (or somebody disturbed); `NO_WORK` are states in which nothing would be.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clew.workspace.process import Finished, run

IGNORED: Final = ("*.log", "cache/", "*.pyc", ".env", ".env.*", "/secret/")
_TAG: Final = b"Signature: 8a477f597d28d172789f06886806bc55\n# a cache\n"
_NAMES: Final = (
    "note.md",
    "a b.txt",
    "über.txt",
    "-rf",
    ".hidden",
    "line\nbreak",
    "[x]*.c",
    "deep/er/still.py",
    "'q\"",
)


@dataclass(slots=True)
class Scene:
    """A work tree `top` of the repository `main`, to be brought into a state. `outside` is a folder that is none of
    git's business. `closing` is what has to be ended afterwards, `moved` where the folder was carried off to.
    """

    main: Path
    top: Path
    outside: Path
    module: Path
    git_dir: Path
    branch: str
    chance: random.Random
    environment: Mapping[str, str]
    program: str
    closing: list[Callable[[], None]] = field(default_factory=list)
    count: int = 0

    def git(self, *arguments: str, at: Path | None = None, fails: bool = False) -> str:
        """Run git in the work tree, or in the folder `at`."""
        done: Finished = run(
            (self.program, "-C", str(at or self.top), *arguments), environment=self.environment, timeout_s=60
        )
        assert fails or done.code == 0, (arguments, done)
        return os.fsdecode(done.out).strip()

    def name(self) -> str:
        """A name of a file that is not there yet."""
        self.count += 1
        front, slash, last = self.chance.choice(_NAMES).rpartition("/")
        return f"{front}{slash}{self.count}{last}"

    def write(self, path: str, text: str = "work\n", *, top: Path | None = None) -> Path:
        """Write a file that may be there, with its folders."""
        place = (top or self.top) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{text}{self.chance.random()}\n", encoding="utf-8")
        return place

    def commit(self, at: Path | None = None) -> str:
        """Commit a new file; the commit."""
        name = f"committed-{self.chance.getrandbits(40):x}.txt"
        self.write(name, top=at)
        self.git("add", name, at=at)
        self.git("commit", "-q", "-m", "Work", at=at)
        return self.git("rev-parse", "HEAD", at=at)


State = Callable[[Scene], None]

# Files that are changed without git's being told, or told not to look.


def modified(scene: Scene) -> None:
    scene.write("a.txt")


def modified_in_disguise(scene: Scene) -> None:
    """Of the same size, with the time of before."""
    place = scene.top / "src/b.py"
    facts = place.stat()
    place.write_bytes(scene.chance.randbytes(facts.st_size))
    os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def modified_and_trusted_blindly(scene: Scene) -> None:
    """The repository says that neither times nor inodes count."""
    scene.git("config", "core.checkStat", "minimal")
    scene.git("config", "core.trustctime", "false")
    modified_in_disguise(scene)


def assumed_unchanged(scene: Scene) -> None:
    scene.git("update-index", "--assume-unchanged", "a.txt")
    modified(scene)


def skipped(scene: Scene) -> None:
    scene.git("update-index", "--skip-worktree", "a.txt")
    modified(scene)


def staged_only(scene: Scene) -> None:
    before = (scene.top / "a.txt").read_bytes()
    modified(scene)
    scene.git("add", "a.txt")
    (scene.top / "a.txt").write_bytes(before)


def deleted(scene: Scene) -> None:
    (scene.top / "a.txt").unlink()


def made_executable(scene: Scene) -> None:
    place = scene.top / "a.txt"
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


def renamed(scene: Scene) -> None:
    scene.git("mv", "a.txt", "c.txt")


def replaced_by_link(scene: Scene) -> None:
    (scene.top / "a.txt").unlink()
    (scene.top / "a.txt").symlink_to(scene.outside / "kept.txt")


def folder_replaced_by_link(scene: Scene) -> None:
    """The files of a tracked folder now lie outside, under the same names."""
    (scene.top / "src").rename(scene.outside / "src")
    (scene.top / "src").symlink_to(scene.outside / "src")


# Files that git does not track.


def untracked(scene: Scene) -> None:
    scene.write(scene.name())


def untracked_bytes(scene: Scene) -> None:
    with open(os.path.join(os.fsencode(scene.top), b"\xff\xfe.txt"), "wb") as file:  # noqa: PTH118, PTH123
        file.write(b"work")


def untracked_empty(scene: Scene) -> None:
    (scene.top / f"empty{scene.count}").touch()


def untracked_unseen(scene: Scene) -> None:
    scene.git("config", "status.showUntrackedFiles", "no")
    untracked(scene)


def excluded(scene: Scene) -> None:
    with (scene.main / ".git/info/exclude").open("a", encoding="utf-8") as file:
        file.write("*.draft\n")
    scene.write("chapter.draft")


def ignored(scene: Scene) -> None:
    scene.write(scene.chance.choice(("run.log", "cache/result.json", "secret/key", "src/deep/x.log", "x.pyc")))


def not_a_cache(scene: Scene) -> None:
    """Named like a cache, and none: nothing in it says so."""
    assert not (scene.top / "node_modules").exists()
    scene.write(scene.chance.choice(("__pycache__/notes.md", "node_modules/mine.js", ".pytest_cache/v/notes.md")))


def repository_in_cache(scene: Scene) -> None:
    """A clone in a virtual environment, as an editable install leaves it."""
    (scene.top / "cache").mkdir()
    (scene.top / "cache/CACHEDIR.TAG").write_bytes(_TAG)
    scene.git("init", "-q", str(scene.top / "cache/src/lib"))
    scene.write("cache/src/lib/work.py")


def copy_edited(scene: Scene) -> None:
    scene.write(".env", "KEY=1\n")


def untracked_link(scene: Scene) -> None:
    (scene.top / f"link{scene.count}").symlink_to(scene.outside)


def pipe(scene: Scene) -> None:
    os.mkfifo(scene.top / "pipe")


def unix_socket(scene: Scene) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(scene.top / "socket"))


def flooded(scene: Scene) -> None:
    """More than anybody lists."""
    for number in range(1_100):
        (scene.top / f"many{number}").touch()


# Commits and refs.


def committed(scene: Scene) -> None:
    scene.commit()


def committed_elsewhere(scene: Scene) -> None:
    """On a branch of its own; the tree's branch stands behind."""
    scene.git("checkout", "-q", "-b", f"topic{scene.chance.getrandbits(30)}")
    scene.commit()


def committed_and_left(scene: Scene) -> None:
    """The tree is on another branch than the commits, which are on the one that would go with it."""
    assert scene.git("branch", "--show-current") == scene.branch
    scene.commit()
    scene.git("checkout", "-q", "-b", f"back{scene.chance.getrandbits(30)}", "main")


def merged_into_another_of_ours(scene: Scene) -> None:
    """Another work tree's branch has it, and may go as well."""
    scene.git("update-ref", "refs/heads/clew/other", scene.commit())


def tagged(scene: Scene) -> None:
    scene.commit()
    scene.git("tag", f"v{scene.chance.getrandbits(30)}")


def detached(scene: Scene) -> None:
    scene.git("checkout", "-q", "--detach")


def detached_with_commit(scene: Scene) -> None:
    detached(scene)
    scene.commit()


def orphan(scene: Scene) -> None:
    scene.git("checkout", "-q", "--orphan", f"new{scene.chance.getrandbits(30)}")


def ref_of_its_own(scene: Scene) -> None:
    scene.git("update-ref", "refs/worktree/mine", "HEAD~1")


def stashed(scene: Scene) -> None:
    modified(scene)
    scene.git("stash", "push", "-q", *scene.chance.choice(((), ("-m", "for later: x"))))


def stashed_untracked(scene: Scene) -> None:
    untracked(scene)
    scene.git("stash", "push", "-q", "-u")


def stash_stored(scene: Scene) -> None:
    """Made and stored by hand, under words that name no branch."""
    modified(scene)
    scene.git("stash", "store", "-m", "mine", scene.git("stash", "create"))
    scene.git("checkout", "-q", "--", "a.txt")


# Acts of git that are under way.


def _conflicting(*arguments: str) -> State:
    def state(scene: Scene) -> None:
        scene.git(*arguments, fails=True)

    state.__name__ = arguments[0]
    return state


def rebasing_own(scene: Scene) -> None:
    scene.write("a.txt")
    scene.git("commit", "-q", "-a", "-m", "Mine")
    scene.git("rebase", "-q", "conflicting", fails=True)


def rebase_stopped(scene: Scene) -> None:
    """At a commit to be edited: nothing differs, and HEAD is detached."""
    scene.commit()
    scene.git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "HEAD~1", fails=True)


def bisecting(scene: Scene) -> None:
    scene.git("bisect", "start")
    if scene.chance.random() < 0.5:
        scene.git("bisect", "bad", "HEAD")
        scene.git("bisect", "good", "HEAD~2")


def merging_resolved(scene: Scene) -> None:
    """All that is left of it is to commit."""
    scene.git("merge", "-q", "--no-commit", "--no-ff", "-s", "ours", "conflicting")


def applying(scene: Scene) -> None:
    patch = scene.outside / "0001.patch"
    patch.write_text(scene.git("format-patch", "--stdout", "conflicting~1..conflicting") + "\n", encoding="utf-8")
    scene.git("am", "-q", str(patch), fails=True)


def index_locked(scene: Scene) -> None:
    (scene.git_dir / "index.lock").touch()


def locked(scene: Scene) -> None:
    why = scene.chance.choice(((), ("--reason", "on a stick")))
    scene.git("worktree", "lock", *why, str(scene.top), at=scene.main)


# Repositories inside.


def nested_clone(scene: Scene) -> None:
    place = scene.chance.choice(("vendor/lib", "cache/lib", "src/lib"))
    scene.git("init", "-q", str(scene.top / place))
    scene.write(f"{place}/work.py")


def nested_work_tree(scene: Scene) -> None:
    scene.git("worktree", "add", "-q", "--detach", str(scene.top / scene.chance.choice(("inner", "cache/inner"))))


def _module(scene: Scene) -> Path:
    scene.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    return scene.top / "module"


def module_dirty(scene: Scene) -> None:
    scene.write("m.txt", top=_module(scene))


def module_untracked(scene: Scene) -> None:
    scene.write(scene.name(), top=_module(scene))


def module_committed(scene: Scene) -> None:
    """A commit of the submodule that the outer index was made to expect and that nobody has."""
    _commit_in(scene, _module(scene))


def module_branch(scene: Scene) -> None:
    """A commit on a branch of the submodule, which stands again where it should."""
    module = _module(scene)
    scene.git("checkout", "-q", "-b", "own", at=module)
    _commit_in(scene, module)
    scene.git("checkout", "-q", "--detach", "HEAD~1", at=module)


def module_stashed(scene: Scene) -> None:
    module = _module(scene)
    scene.write("m.txt", top=module)
    scene.git("stash", "-q", at=module)


def module_reset(scene: Scene) -> None:
    """A commit that only the reflog of the submodule knows."""
    module = _module(scene)
    _commit_in(scene, module)
    scene.git("reset", "-q", "--hard", "HEAD~1", at=module)


def module_put_away(scene: Scene) -> None:
    """A commit of the submodule, which is then not checked out any more: its repository alone has it."""
    _commit_in(scene, _module(scene))
    scene.git("submodule", "--quiet", "deinit", "-f", "--all")


def module_taken_out(scene: Scene) -> None:
    """As above, and the submodule is none of the branch's any more."""
    _commit_in(scene, _module(scene))
    scene.git("rm", "-q", "-f", "module")
    scene.git("commit", "-q", "-m", "Without the module")


def module_emptied(scene: Scene) -> None:
    """As above, by hand."""
    module = _module(scene)
    _commit_in(scene, module)
    shutil.rmtree(module)
    module.mkdir()


def _commit_in(scene: Scene, module: Path) -> None:
    scene.write("new.txt", top=module)
    scene.git("add", "new.txt", at=module)
    scene.git("commit", "-q", "-m", "In the module", at=module)


def module_replaced(scene: Scene) -> None:
    """A repository of its own stands where the submodule would."""
    scene.git("init", "-q", str(scene.top / "module"))
    scene.write("module/work.py")


# Somebody or something in the way.


def carried_off(scene: Scene) -> None:
    scene.top.rename(scene.outside / "elsewhere")


def carried_off_behind_link(scene: Scene) -> None:
    carried_off(scene)
    scene.top.symlink_to(scene.outside / "elsewhere")


def cut_loose(scene: Scene) -> None:
    """Without its `.git` it is a folder of files."""
    (scene.top / ".git").unlink()


def taken_over(scene: Scene) -> None:
    """Another repository stands at its place."""
    carried_off(scene)
    scene.git("init", "-q", str(scene.top), at=scene.main)
    scene.write("work.py")


def open_file(scene: Scene) -> None:
    descriptor = os.open(scene.top / "a.txt", os.O_RDONLY)
    scene.closing.append(lambda: os.close(descriptor))


def occupied(scene: Scene) -> None:
    """A process stands in it."""
    assert scene.top.is_dir()
    program = "/bin/sh"
    pid = os.posix_spawn(program, [program, "-c", 'cd "$0" && exec sleep 60', str(scene.top)], scene.environment)
    scene.closing.append(lambda: _ended(pid))
    while os.readlink(f"/proc/{pid}/cwd") != str(scene.top):  # noqa: PTH115
        pass


def _ended(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


# Nothing that would be lost.


def caches(scene: Scene) -> None:
    (scene.top / "src/__pycache__").mkdir()
    (scene.top / "src/__pycache__/b.cpython-311.pyc").write_bytes(b"\0")
    (scene.top / ".pytest_cache/v").mkdir(parents=True)
    (scene.top / ".pytest_cache/CACHEDIR.TAG").write_bytes(_TAG)
    (scene.top / ".pytest_cache/v/lastfailed").write_text("{}", encoding="utf-8")
    (scene.top / ".pytest_cache/out").symlink_to(scene.outside)
    (scene.top / "node_modules/x").mkdir(parents=True)
    (scene.top / "node_modules/.package-lock.json").write_text("{}", encoding="utf-8")


def empty_folders(scene: Scene) -> None:
    (scene.top / "made/for/later").mkdir(parents=True)


def touched(scene: Scene) -> None:
    os.utime(scene.top / "a.txt")


def merged(scene: Scene) -> None:
    scene.commit()
    scene.git("merge", "-q", "--ff-only", scene.branch, at=scene.main)


def pushed(scene: Scene) -> None:
    scene.git("update-ref", f"refs/remotes/origin/{scene.branch}", scene.commit())


def amended(scene: Scene) -> None:
    """Its earlier form is known to reflogs alone."""
    scene.commit()
    scene.git("commit", "-q", "--amend", "-m", "Better said")
    scene.git("merge", "-q", "--ff-only", scene.branch, at=scene.main)


def reset_away(scene: Scene) -> None:
    scene.commit()
    scene.git("reset", "-q", "--hard", "HEAD~1")


def module_clean(scene: Scene) -> None:
    _module(scene)


def foreign_stash(scene: Scene) -> None:
    """Made in the main work tree."""
    scene.write("a.txt", top=scene.main)
    scene.git("stash", "-q", at=scene.main)


def others_open(scene: Scene) -> None:
    """A process stands beside it, in a folder whose name begins with its."""
    place = scene.top.with_name(scene.top.name + "-more")
    place.mkdir()
    descriptor = os.open(place, os.O_RDONLY)
    scene.closing.append(lambda: os.close(descriptor))


WORK: Final[tuple[State, ...]] = (
    *(modified, modified_in_disguise, modified_and_trusted_blindly, assumed_unchanged, skipped, staged_only, deleted),
    *(made_executable, renamed, replaced_by_link, folder_replaced_by_link, untracked, untracked_bytes, untracked_empty),
    *(untracked_unseen, excluded, ignored, not_a_cache, repository_in_cache, copy_edited, untracked_link, pipe),
    *(unix_socket, flooded, committed, committed_elsewhere, committed_and_left, merged_into_another_of_ours, tagged),
    *(detached, detached_with_commit, orphan, ref_of_its_own, stashed, stashed_untracked, stash_stored, rebasing_own),
    *(rebase_stopped, bisecting, merging_resolved, applying, index_locked, locked, nested_clone, nested_work_tree),
    *(module_dirty, module_untracked, module_committed, module_branch, module_stashed, module_reset, module_replaced),
    *(module_put_away, module_taken_out, module_emptied),
    *(carried_off, carried_off_behind_link, cut_loose, taken_over, open_file, occupied),
    _conflicting("merge", "-q", "conflicting"),
    _conflicting("cherry-pick", "conflicting"),
    _conflicting("revert", "--no-edit", "main~1"),
)
NO_WORK: Final[tuple[State, ...]] = (
    *(caches, empty_folders, touched, merged, pushed, amended, reset_away, module_clean, foreign_stash, others_open),
)
