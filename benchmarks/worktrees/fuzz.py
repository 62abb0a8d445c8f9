"""Work trees in generated states, each asked to be removed: is work ever removed?

    python -m benchmarks.worktrees.fuzz [--rounds N] [--seed S] [--first R] [--minutes M]

A round makes a repository and a work tree of clew's in it, brings that into zero to four states (`states.py`), in one
round of eight with somebody who writes files into it meanwhile, and asks for its removal. Work was removed if the tree
went though a state with work held, if a file of somebody's is gone, or if a commit that anything knew of can no more be
reached. A tree that stays must be as it was, to the byte. A round is made again by its seed and number. Exits with 1
where work was removed, a tree was changed, or one without work stayed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.worktrees.states import IGNORED, NO_WORK, WORK, Scene, State
from clew import wiring
from clew.app import worktree
from clew.app.worktree.place import aside_of
from clew.workspace.process import find_program
from clew.workspace.repository import find

_NAME: Final = "t"
_RACES: Final = 8


@dataclass(frozen=True, slots=True)
class Round:
    """What a round came to. `problem` is "" or what went wrong; `states` the names of the states."""

    states: tuple[str, ...]
    removed: bool
    kinds: tuple[str, ...]
    problem: str = ""


class Bench:
    """A template of a repository, from which each round takes a copy; all below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder / "home"),
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        (self.folder / "gitconfig").write_text(
            "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n[core]\nhooksPath = /dev/null\n"
            "[advice]\ndetachedHead = false\n[gc]\nauto = 0\n",
            encoding="utf-8",
        )
        self.program = find_program("git", self.environment["PATH"], outside=self.folder)
        self.ports = wiring.ports(self.environment, plugins=False)
        self._make()

    def round(self, seed: int, number: int, *, states: Sequence[State] | None = None) -> Round:
        """One round, by its number; its folder is gone afterwards. With `states` it is in those, and nobody writes."""
        place = self.folder / "round"
        shutil.copytree(self.folder / "template", place, symlinks=True)
        try:
            chance = random.Random(f"{seed}/{number}")
            races = states is None and number % _RACES == 0
            return self._played(place, chance, _chosen(chance) if states is None else states, races=races)
        finally:
            _wiped(place)

    def _scene(self, main: Path, top: Path, chance: random.Random) -> Scene:
        return Scene(
            main=main,
            top=top,
            outside=main.parent / "outside",
            module=self.folder / "module",
            git_dir=main / ".git/worktrees" / top.name,
            branch=f"clew/{top.name}",
            chance=chance,
            environment=self.environment,
            program=self.program,
        )

    def _make(self) -> None:
        place = self.folder / "template"
        (place / "outside").mkdir(parents=True)
        (place / "outside/kept.txt").write_text("not ours\n", encoding="utf-8")
        module = self._scene(self.folder / "module", self.folder / "module", random.Random(0))
        module.top.mkdir()
        module.git("init", "-q")
        module.write("m.txt")
        module.git("add", ".")
        module.git("commit", "-q", "-m", "Begin")
        scene = self._scene(place / "main", place / "main", random.Random(0))
        scene.top.mkdir()
        scene.git("init", "-q")
        (scene.top / ".gitignore").write_text("\n".join(IGNORED) + "\n", encoding="utf-8")
        (scene.top / "link").symlink_to("../../../../outside")
        scene.write("a.txt")
        scene.write("src/b.py", "def b():\n    return 1\n")
        scene.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module.top), "module")
        scene.git("add", ".")
        scene.git("commit", "-q", "-m", "Begin")
        scene.git("branch", "conflicting")
        for subject in ("One", "Two"):
            scene.write("a.txt")
            scene.git("commit", "-q", "-a", "-m", subject)
        scene.git("checkout", "-q", "conflicting")
        scene.write("a.txt")
        scene.git("commit", "-q", "-a", "-m", "Another way")
        scene.git("checkout", "-q", "main")
        scene.git("submodule", "--quiet", "deinit", "-f", "--all")
        shutil.rmtree(scene.top / ".git/modules")
        shutil.rmtree(scene.top / ".git/hooks")
        (scene.top / ".env").write_text("PORT=3000\n", encoding="utf-8")

    def _played(self, place: Path, chance: random.Random, states: Sequence[State], *, races: bool) -> Round:
        repository = find(place / "main")
        assert repository is not None
        tree = worktree.create(self.ports, repository, _NAME)
        scene = self._scene(repository.top, tree.path, chance)
        work, names, certain = _brought(scene, states)
        try:
            before, commits = _pictured(place, scene), _commits(scene)
            writer = _Writer(scene.top) if races else None
            done = worktree.remove(self.ports, repository, _NAME)
            written = writer.ended() if writer else []
            problem = _judged(scene, done, work and certain, [*written], before, commits, place, certain=certain)
        finally:
            for close in scene.closing:
                close()
        kinds = tuple(one.kind for one in done.reasons)
        return Round((*names, *(("written to",) if races else ())), done.removed, kinds, problem)


def _chosen(chance: random.Random) -> list[State]:
    chosen = chance.sample(NO_WORK, chance.choice((0, 0, 1, 2)))
    return chosen + chance.sample(WORK, chance.choice((0, 1, 1, 1, 2)))


def _brought(scene: Scene, states: Sequence[State]) -> tuple[bool, tuple[str, ...], bool]:
    """Bring a work tree into states: whether work is in it, their names, and whether that is certain. A state that
    another one makes impossible is left out; what it did up to then is nobody's guess.
    """
    work, names, certain = False, [], True
    for state in states:
        try:
            state(scene)
        except (AssertionError, OSError):
            certain = False
            continue
        names.append(state.__name__)
        work = work or state in WORK
    return work, tuple(names), certain or work


def _judged(
    scene: Scene,
    done: worktree.RemoveResult,
    work: bool,
    written: list[Path],
    before: dict[str, str],
    commits: frozenset[str],
    place: Path,
    *,
    certain: bool,
) -> str:
    lost = [path for path in written if not path.exists()]
    if lost:
        return f"lost what somebody wrote: {lost[:3]}"
    if done.removed:
        if work:
            return "work was removed"
        if scene.top.exists() or aside_of(scene.top).exists() or scene.git_dir.exists():
            return "it was said to be removed, and is there"
        gone = commits - _reachable(scene)
        return f"commits are lost: {sorted(gone)[:3]}" if gone else _strayed(before, _pictured(place, scene), scene)
    after = _pictured(place, scene)
    for path in written:
        after.pop(str(path.relative_to(place)), None)
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if changed:
        return f"a tree that stays was changed: {changed[:5]}"
    return "it stays, and no work is in it" if certain and not work and not written else ""


def _strayed(before: dict[str, str], after: dict[str, str], scene: Scene) -> str:
    """What differs beside the tree, git's folder of it and its branch."""
    git = scene.main / ".git"
    own = (scene.top, scene.git_dir, git / f"refs/heads/{scene.branch}", git / f"logs/refs/heads/{scene.branch}")
    gone = tuple(str(one.relative_to(scene.main.parent)) for one in own)
    kept = {name: value for name, value in before.items() if not name.startswith(gone) and name != "refs"}
    changed = sorted(name for name in kept if after.get(name) != kept[name])
    return f"something else was changed: {changed[:5]}" if changed else ""


def _pictured(place: Path, scene: Scene) -> dict[str, str]:
    """Every file below the round's folder, but git's objects and logs; and the refs."""
    found = {"refs": scene.git("for-each-ref", at=scene.main)}
    for folder, folders, names in os.walk(place):
        below = os.path.relpath(folder, place)
        if Path(folder).name == "objects" and ".git" in folder:
            folders.clear()
            continue
        for name in (*folders, *names):
            path = Path(folder, name)
            mode = path.lstat().st_mode
            content = ""
            if stat.S_ISLNK(mode):
                content = os.readlink(path)  # noqa: PTH115
            elif stat.S_ISREG(mode):
                content = path.read_bytes().hex()
            found[f"{below}/{name}"] = f"{mode:o} {content}"
    # Folders of git that come and go with locks and refs.
    return {
        name: value for name, value in found.items() if not (name.startswith("main/.git/") and value.startswith("4"))
    }


def _commits(scene: Scene) -> frozenset[str]:
    """The commits that any ref or reflog of the repository knows."""
    listed = scene.git("rev-list", "--all", "--reflog", at=scene.main, fails=True)
    here = scene.git("rev-list", "--all", "--reflog", "HEAD", fails=True) if (scene.top / ".git").is_file() else ""
    return frozenset(f"{listed}\n{here}".split())


def _reachable(scene: Scene) -> frozenset[str]:
    return frozenset(scene.git("rev-list", "--all", at=scene.main).split())


class _Writer:
    """Somebody who writes files into a tree by its path, as fast as that goes, until it is not there."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._over = threading.Event()
        self._written: list[Path] = []
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self) -> None:
        number = 0
        time.sleep(random.random() * 0.05)
        while not self._over.is_set() and number < 3:
            path = self._top / f"meanwhile{number}"
            try:
                path.write_text("work", encoding="utf-8")
            except OSError:
                continue
            self._written.append(path)
            number += 1
            time.sleep(random.random() * 0.005)

    def ended(self) -> list[Path]:
        """The files that were written, whole."""
        self._over.set()
        self._thread.join()
        return self._written


def _wiped(place: Path) -> None:
    def open_up(remove: Callable[..., object], path: str, _error: object) -> None:
        Path(path).parent.chmod(0o700)
        remove(path)

    shutil.rmtree(place, onerror=open_up)


def play(rounds: int, seed: int, *, first: int = 0, minutes: float = 0) -> tuple[list[Round], list[tuple[int, Round]]]:
    """Play rounds: all of them, and those that went wrong by number. `minutes` ends it early, 0 not."""
    limit = time.monotonic() + minutes * 60
    played: list[Round] = []
    wrong: list[tuple[int, Round]] = []
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        bench = Bench(Path(folder))
        for number in range(first, first + rounds):
            played.append(bench.round(seed, number))
            if played[-1].problem:
                wrong.append((number, played[-1]))
            if minutes and time.monotonic() > limit:
                break
    return played, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0)
    asked = parser.parse_args()
    begun = time.monotonic()
    played, wrong = play(asked.rounds, asked.seed, first=asked.first, minutes=asked.minutes)
    states = Counter(name for one in played for name in one.states)
    kinds = Counter(kind for one in played for kind in one.kinds)
    lost = [one for _, one in wrong if "work was removed" in one.problem or "lost" in one.problem]
    print(f"{len(played):,} rounds (seed {asked.seed}) in {time.monotonic() - begun:.0f} s, {len(states)} states")
    print(f"removed: {sum(one.removed for one in played):,}; with work removed: {len(lost)}; wrong: {len(wrong)}")
    print("why trees stayed: " + ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common()))
    for number, one in wrong[:20]:
        print(f"round {number}: {one.problem} [{', '.join(one.states)}] {one.kinds}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
