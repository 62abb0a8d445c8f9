"""How code gets from the one who runs a plan to workers and back: by branches `clew/phase/…` of one remote.

`base-TASK-COMMIT` is what phases begin at; `PLACE` is what one attempt at a phase made, named as its work tree. None is
ever forced, and nothing else is pushed.
"""

from __future__ import annotations

from typing import Final

from clew.app.egress.guard import require_clean
from clew.app.ports import Ports
from clew.app.run.context import Run
from clew.app.run.summary import place_of
from clew.app.worktree.make import create
from clew.app.worktree.place import home_of, registered
from clew.core.errors import InputError, Unavailable
from clew.core.plan.plan import Phase, Plan
from clew.core.state.ids import identity
from clew.workspace.additions import additions
from clew.workspace.git import Git
from clew.workspace.git_act import GitAct
from clew.workspace.repository import Repository, read_note
from clew.workspace.worktree_safety import OWN_BRANCHES

_FRONT: Final = "clew/phase/"
_TAKE_OUT: Final = "Take it out of the commits of the phase's work tree, and start the phase again."


class PhaseBranches:
    """The branches of one repository on its remote `remote`. Raises `InputError` where there is no such remote; every
    method may raise `Unavailable`.
    """

    def __init__(self, ports: Ports, repository: Repository, remote: str) -> None:
        self._ports, self._repository, self._remote = ports, repository, remote
        self._act = GitAct(repository.top, ports.environment)
        if remote.startswith("-") or self._act.run("remote", "get-url", remote).code:
            raise InputError(
                f"this repository has no remote {remote!r}, by which code gets to workers and back",
                code="E-worker-remote",
                hint="`git remote -v` shows them: `--remote NAME`.",
            )

    def offer(self, task: str, branch: str) -> str:
        """Push what `branch` has now, for phases to begin at, once what the remote lacks of it was scanned for secrets;
        the commit. Raises `NotAllowed`.
        """
        commit = self._act.do("rev-parse", "--verify", f"refs/heads/{branch}^{{commit}}")
        hint = f"Take it out of the commits of {branch} that {self._remote} does not have, and run it again."
        self._require_clean(branch, hint, commit, "--not", f"--remotes={self._remote}")
        self._push(commit, _base(task, commit))
        return commit

    def base(self, task: str, commit: str) -> str:
        """The branch of ours at `commit`, which the one who runs the plan has offered; fetched."""
        name = _base(task, commit)
        if self._commit(name) != commit:
            self._fetch(name, f"refs/heads/{name}")
        if self._commit(name) != commit:
            raise Unavailable(
                f"{name} of {self._remote} is not at {commit[:10]}, where the phase is to begin",
                code="E-worker-branch",
                hint=f"See that {self._remote} is the same repository for this worker and for `clew run --on-workers`.",
            )
        return name

    def publish(self, phase: Phase) -> None:
        """Push what the phase's work tree has committed, once it was scanned for secrets. Raises `NotAllowed`."""
        branch = OWN_BRANCHES + phase.place
        commit = self._act.do("rev-parse", "--verify", f"refs/heads/{branch}^{{commit}}")
        self._require_clean(f"phase {phase.number}", _TAKE_OUT, commit, f"^{phase.head}")
        self._push(commit, _FRONT + phase.place)

    def bring(self, run: Run, phase: Phase) -> None:
        """Make the work tree of a phase that a worker carried out, with what it committed. Killed at any moment it can
        be done again.
        """
        name, ref = _FRONT + phase.place, f"refs/{_FRONT}{phase.place}"
        branch = f"refs/heads/{OWN_BRANCHES}{phase.place}"
        if phase.commit and self._holds(branch, phase.commit):
            return
        self._fetch(name, ref)
        if phase.commit and not self._holds(ref, phase.commit):
            raise Unavailable(
                f"{name} of {self._remote} lacks the commit {phase.commit[:10]}, by which phase {phase.number} is done",
                code="E-worker-branch",
                hint="Whoever has that commit pushes it there; then run it again.",
            )
        try:
            create(run.ports, self._repository, phase.place, base=run.branch)
        except InputError as error:
            if error.code != "E-worktree-exists" or phase.place not in registered(self._repository):
                raise
        tree = GitAct(home_of(self._repository) / phase.place, self._ports.environment)
        tree.check_top()
        # Forward where the branch stands, back to where the phase began where it went on: the tree has nothing yet.
        if not self._holds(branch, ref):
            if not self._holds(f"refs/heads/{run.branch}", branch):
                raise Unavailable(
                    f"the work tree {phase.place} has commits of its own, so phase {phase.number} is not put there",
                    code="E-worker-branch",
                    hint=f"Merge or remove it: `clew worktree merge {phase.place}`.",
                )
            tree.do("reset", "--keep", "--quiet", "--no-recurse-submodules", ref)
        self._act.do("update-ref", "-d", ref)

    def forget_base(self, name: str) -> None:
        """Delete a branch that `base` made, unless a work tree began at it."""
        notes = (read_note(folder) for folder in registered(self._repository).values())
        if name not in {note.base for note in notes if note is not None}:
            self._act.run("update-ref", "-d", f"refs/heads/{name}")

    def tidy(self, task: str, plan: Plan, commit: str) -> None:
        """Delete branches of this plan from the remote, of which `commit`, which it has, has all."""
        mine = (_front(task), *(_FRONT + place_of(one) for one in plan.phases))
        listed = self._act.do("ls-remote", "--heads", self._remote, f"refs/heads/{_FRONT}*")
        rows = [line.partition("\trefs/heads/") for line in listed.split("\n") if line]
        gone = [
            name
            for tip, _, name in rows
            if name.startswith(mine) and name != _base(task, commit) and self._holds(commit, tip)
        ]
        if gone:
            self._act.do("push", "--quiet", "--no-verify", self._remote, "--delete", *gone)

    def _require_clean(self, what: str, hint: str, *revisions: str) -> None:
        """Scan each of the commits that a push takes along, not their sum: what one adds and the next takes away is
        pushed as well.
        """
        git = Git(self._repository, environment=self._ports.environment)
        texts = ((f"{what}, commit {commit[:10]}", text) for commit, text in additions(git, *revisions))
        require_clean(texts, b"", exit="push", allow=None, deep=self._ports.deep_scan, hint=hint)

    def _push(self, what: str, name: str) -> None:
        # A hook of the user's that runs before pushes may test all of the branch, or ask; what is pushed here is no
        # branch of theirs.
        self._act.do("push", "--quiet", "--no-verify", self._remote, f"{what}:refs/heads/{name}")

    def _fetch(self, name: str, ref: str) -> None:
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        self._act.do("fetch", *options, self._remote, f"+refs/heads/{name}:{ref}")

    def _commit(self, branch: str) -> str:
        return self._act.run("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}").out.decode().strip()

    def _holds(self, one: str, other: str) -> bool:
        """Whether `one` has all of `other`; not so where either is not here."""
        return self._act.run("merge-base", "--is-ancestor", other, one).code == 0


def _front(task: str) -> str:
    return f"{_FRONT}base-{identity('base', task)[:6]}-"


def _base(task: str, commit: str) -> str:
    return f"{_front(task)}{commit[:12]}"
