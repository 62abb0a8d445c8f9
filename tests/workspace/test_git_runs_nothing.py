"""A repository's configuration can name programs in a dozen places. A look at drift must run none of them.

Each trap is planted in a real repository, then everything that `drift` can ask is asked. Where plain git falls into
the trap, a control shows that it does, so that a trap that never bites cannot pass for a defence.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from clew.core.records.files import Drift, Seen
from clew.workspace.drift import drift
from clew.workspace.git import Git
from tests.workspace.repos import Repo, environment_with, rfc3339

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the traps are shell scripts")

HOUR_S = 3600


class Trap(NamedTuple):
    """`plant` puts `program` where git would run it; `bait` is a plain git command that does run it.

    `bait` None: it takes a terminal, an editor or a network to fall into this one, so there is no control.
    """

    name: str
    plant: Callable[[Repo, str], None]
    bait: tuple[str, ...] | None


def _config(*pairs: tuple[str, str]) -> Callable[[Repo, str], None]:
    def plant(repo: Repo, program: str) -> None:
        for key, value in pairs:
            repo.git("config", key, value.replace("PROGRAM", program))

    return plant


def _attributes(line: str, *pairs: tuple[str, str]) -> Callable[[Repo, str], None]:
    def plant(repo: Repo, program: str) -> None:
        (repo.top / ".git/info").mkdir(exist_ok=True)
        (repo.top / ".git/info/attributes").write_text(line + "\n")
        _config(*pairs)(repo, program)

    return plant


def _hook(repo: Repo, program: str) -> None:
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout"):
        place = repo.top / ".git/hooks" / name
        place.parent.mkdir(exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(program)


def _included(repo: Repo, program: str) -> None:
    (repo.top / ".git/more").write_text(f'[core]\n\tfsmonitor = {program}\n[filter "far"]\n\tclean = {program}\n')
    (repo.top / ".git/info").mkdir(exist_ok=True)
    (repo.top / ".git/info/attributes").write_text("* filter=far\n")
    repo.git("config", "include.path", "more")


def _work_tree_config(repo: Repo, program: str) -> None:
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "core.fsmonitor", program)


def _signed(repo: Repo, program: str) -> None:
    raw = repo.git("cat-file", "commit", "HEAD")
    head, _, message = raw.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    forged = f"{head}\n{signature}\n\n{message}\n".encode()
    commit = repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=forged)
    repo.git("reset", "-q", "--soft", commit)
    _config(("log.showSignature", "true"), ("gpg.program", "PROGRAM"), ("gpg.openpgp.program", "PROGRAM"))(
        repo, program
    )


def _partial(*remote: tuple[str, str]) -> Callable[[Repo, str], None]:
    """A blob that rename detection wants is missing, and the remote to fetch it from is a program."""

    def plant(repo: Repo, program: str) -> None:
        blob = repo.git("rev-parse", "HEAD~1:old.txt")
        (repo.top / ".git/objects" / blob[:2] / blob[2:]).unlink()
        settings = (
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        )
        _config(*settings, *remote)(repo, program)

    return plant


def _submodule(repo: Repo, program: str) -> None:
    library = Repo(repo.top.parent / "library")
    library.write("lib.txt", "one\n")
    library.commit("library")
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library.top), "library")
    repo.git("commit", "-q", "-m", "submodule")
    inner = Repo(repo.top / "library", make=False)
    inner.git("config", "core.fsmonitor", program)
    inner.git("config", "filter.sub.clean", program)
    (repo.top / ".git/modules/library/info").mkdir(exist_ok=True)
    (repo.top / ".git/modules/library/info/attributes").write_text("* filter=sub\n")
    inner.write("lib.txt", "two\n")
    repo.git("config", "submodule.library.ignore", "none")
    repo.git("config", "status.submoduleSummary", "true")


RENAMES = ("diff-tree", "-r", "-M", "HEAD~1", "HEAD")
TRAPS = [
    Trap("fsmonitor", _config(("core.fsmonitor", "PROGRAM")), ("status",)),
    Trap("fsmonitor of one work tree", _work_tree_config, ("status",)),
    Trap("included file", _included, ("status",)),
    Trap("hook", _hook, ("update-index", "--refresh", "-q", "--really-refresh")),
    Trap("hooksPath", _config(("core.hooksPath", "../traps")), ("update-index", "--refresh", "-q", "--really-refresh")),
    Trap("clean filter", _attributes("* filter=a", ("filter.a.clean", "PROGRAM")), ("status",)),
    Trap("filter process", _attributes("* filter=a", ("filter.a.process", "PROGRAM")), ("status",)),
    Trap(
        "required filter",
        _attributes("* filter=a", ("filter.a.clean", "PROGRAM"), ("filter.a.required", "true")),
        ("status",),
    ),
    Trap("filter named a=b", _attributes("* filter=a=b", ("filter.a=b.clean", "PROGRAM")), ("status",)),
    Trap("filter named a.B.c", _attributes("* filter=a.B.c", ("filter.a.B.c.clean", "PROGRAM")), ("status",)),
    Trap("external diff", _config(("diff.external", "PROGRAM")), ("diff",)),
    Trap("diff driver", _attributes("* diff=d", ("diff.d.command", "PROGRAM")), ("diff",)),
    Trap("textconv", _attributes("* diff=d", ("diff.d.textconv", "PROGRAM")), ("log", "-p")),
    Trap("pager", _config(("core.pager", "PROGRAM"), ("pager.status", "true"), ("pager.log", "PROGRAM")), None),
    Trap(
        "alias", _config(("alias.status", "!PROGRAM"), ("alias.log", "!PROGRAM"), ("alias.trap", "!PROGRAM")), ("trap",)
    ),
    Trap("signature check", _signed, ("log",)),
    Trap(
        "ssh of a partial clone",
        _partial(("remote.origin.url", "ssh://nowhere.invalid/x"), ("core.sshCommand", "PROGRAM quit")),
        RENAMES,
    ),
    Trap(
        "ext transport of a partial clone",
        _partial(("remote.origin.url", "ext::PROGRAM quit"), ("protocol.ext.allow", "always")),
        RENAMES,
    ),
    Trap(
        "upload-pack of a partial clone",
        _partial(("remote.origin.url", "."), ("remote.origin.uploadpack", "PROGRAM quit")),
        RENAMES,
    ),
    Trap("submodule", _submodule, ("status",)),
    Trap("editor and helpers", _config(("core.editor", "PROGRAM"), ("credential.helper", "PROGRAM")), None),
    Trap("alternate refs", _config(("core.alternateRefsCommand", "PROGRAM"), ("core.gitProxy", "PROGRAM")), None),
]


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that the planted program leaves behind."""
    return tmp_path / "it-ran"


@pytest.fixture
def program(tmp_path: Path, marker: Path) -> str:
    """A program that leaves a mark. As filter and diff it answers well enough for git to go on.

    A transport that answers nonsense would keep git waiting, so it can also quit.
    """
    place = tmp_path / "traps" / "post-index-change"
    place.parent.mkdir()
    place.write_text(f'#!/bin/sh\n: > "{marker}"\n[ "$1" = quit ] || exec cat\n')
    place.chmod(0o755)
    return str(place)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository in which every question comes up: edits, a rename in a commit, one by hand, a file gone."""
    repo = Repo(tmp_path / "repo")
    text = "".join(f"line {number}\n" for number in range(30))
    repo.write("edited.txt", "before\n")
    repo.write("touched.txt", "same\n")
    repo.write("old.txt", text)
    repo.write("by-hand.txt", "moved by hand\n" * 9)
    repo.write("gone.txt", "gone\n")
    repo.commit("first", seconds=int(time.time()) - 2 * HOUR_S)
    (repo.top / "old.txt").rename(repo.top / "renamed.txt")
    repo.write("renamed.txt", text + "one more\n")
    repo.commit("second")
    repo.write("edited.txt", "after\n")
    # Same size, other time: git has to read it, through its filters, to know that it did not change.
    os.utime(repo.write("touched.txt", "same\n"), (1, 1))
    (repo.top / "by-hand.txt").rename(repo.top / "moved.txt")
    (repo.top / "gone.txt").unlink()
    return repo


def everything(repo: Repo, **variables: str) -> Drift:
    """One `drift` for which every question to git has to be asked, and the questions that it does not ask."""
    then = rfc3339(time.time() - HOUR_S)
    contents = {"edited.txt": b"before\n", "by-hand.txt": b"moved by hand\n" * 9, "gone.txt": b"gone\n"}
    seen = [Seen(path, "", None, content, then) for path, content in contents.items()]
    seen += [Seen(path, "", None, None, then) for path in ("touched.txt", "old.txt", "renamed.txt")]
    git = Git.at(repo.top, environment=environment_with(**variables))
    assert git is not None
    found = drift(repo.top, seen, since=then, git=git)
    git.settings()
    git.files()
    git.last_commit()
    return found


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_a_look_runs_no_program_of_the_repository(trap: Trap, repo: Repo, program: str, marker: Path):
    """Opening a stranger's repository must not be the same as running the stranger's code."""
    trap.plant(repo, program)
    marker.unlink(missing_ok=True)

    found = everything(repo)

    assert not marker.exists()
    assert found.files[0].status == "changed"
    assert "edited.txt" in found.tree.dirty, "and git still answers"


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if trap.bait], ids=lambda trap: trap.name)
def test_plain_git_does_fall_into_the_trap(trap: Trap, repo: Repo, program: str, marker: Path):
    """Control: without our precautions the planted program runs, so the test above tests something."""
    trap.plant(repo, program)
    marker.unlink(missing_ok=True)
    repo.git(*(trap.bait or ()), check=False)
    assert marker.exists()


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_EXTERNAL_DIFF": "PROGRAM", "GIT_PAGER": "PROGRAM", "GIT_SSH_COMMAND": "PROGRAM"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "PROGRAM"},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='PROGRAM'"},
        {"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere", "GIT_INDEX_FILE": "/nowhere"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_what_the_environment_says_about_git_is_dropped(
    repo: Repo, program: str, marker: Path, variables: dict[str, str]
):
    """clew may be called from a git hook or an agent's shell: their settings are not ours."""
    found = everything(repo, **{name: value.replace("PROGRAM", program) for name, value in variables.items()})
    assert not marker.exists()
    assert (found.tree.head_subject, found.files[0].status) == ("second", "changed")


@pytest.mark.parametrize("entry", ["", ".", "bin", "TOP/bin"])
def test_a_git_that_lies_in_the_repository_is_not_run(
    repo: Repo, marker: Path, entry: str, monkeypatch: pytest.MonkeyPatch
):
    """A PATH with the current folder or the project's own tools in it must not turn a file into our git."""
    for place in (repo.top / "git", repo.top / "bin/git"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(f'#!/bin/sh\n: > "{marker}"\n')
        place.chmod(0o755)
    monkeypatch.chdir(repo.top)
    found = everything(repo, PATH=entry.replace("TOP", str(repo.top)) + os.pathsep + os.environ["PATH"])
    assert not marker.exists()
    assert found.tree.head_subject == "second"


def test_a_work_tree_elsewhere_is_not_believed(repo: Repo, tmp_path: Path):
    """`core.worktree` could make another folder's files pass for this project's."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private/secret.txt").write_text("secret\n")
    repo.git("config", "core.worktree", str(tmp_path / "private"))
    found = everything(repo)
    assert found.tree.dirty == ("by-hand.txt", "edited.txt", "gone.txt", "moved.txt")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_refused_by_git_and_files_are_compared_all_the_same(repo: Repo):
    """`safe.directory` is the user's say, not ours: no answer of git, but the disk can still be read."""
    for place in (repo.top, repo.top / ".git"):
        os.chown(place, 12345, 12345)
    git = Git.at(repo.top, environment=environment_with())
    assert git is not None
    found = drift(repo.top, [Seen("edited.txt", "", None, b"before\n", "")], since="", git=git)
    assert (found.files[0].status, found.tree.dirty) == ("changed", ())
    assert git.problem is not None and "dubious ownership" in git.problem.message


def test_a_look_writes_nothing(repo: Repo):
    """Another process may hold the repository's locks; we neither take one nor refresh the index."""
    before = {path: path.stat().st_mtime_ns for path in (repo.top / ".git").rglob("*")}
    everything(repo)
    assert before == {path: path.stat().st_mtime_ns for path in (repo.top / ".git").rglob("*")}


def test_a_git_that_does_not_know_our_way_of_pinning_is_refused(repo: Repo, tmp_path: Path):
    """Git before 2.31 ignores GIT_CONFIG_COUNT: then nothing would be switched off, so nothing may be asked."""
    old = tmp_path / "old/git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec "{shutil.which("git")}" "$@"\n')
    old.chmod(0o755)
    git = Git.at(repo.top, environment=environment_with(PATH=str(old.parent)))
    assert git is not None
    drift(repo.top, [], since="", git=git)
    assert git.problem is not None and git.problem.code == "E-git-old"
