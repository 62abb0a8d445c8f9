"""Memory and hand-offs against their bars.

    python -m benchmarks.memory.run merges [--merges 50] [--facts 12]
    python -m benchmarks.memory.run handoffs FOLDER
    python -m benchmarks.memory.run folders FOLDER…

merges: so many folders of facts are read in, triaged and merged one after the other; how many facts are lost, and of
those whose files change how many are flagged. handoffs: a hand-off of every session in FOLDER: its size, its sections,
what `clew lint` says, and how many keys a usual review takes. folders: memory folders are read in, kept, written back
over themselves and into an empty folder.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.lib.tables import markdown
from clew import wiring
from clew.app.handoff.make import Draftlike, make
from clew.app.handoff.review import Choice, ReviewState
from clew.app.importing.handed import is_session
from clew.app.install.init import found, plan
from clew.app.intake.find import reader_for
from clew.app.memory import use
from clew.app.memory.candidates import Candidate
from clew.app.memory.check import check
from clew.app.memory.folder import import_folder, read_folder
from clew.app.memory.store import open_memory
from clew.app.memory.triage import Decision
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle, open_project
from clew.core.errors import ClewError
from clew.core.state.extract import Extract
from clew.core.state.facts import Fact
from clew.core.state.items import Authority
from clew.distill.version import RULES_VERSION
from clew.documents.profiles import HANDOFF
from clew.sessions.capture import captured, gather
from clew.workspace.process import run
from clew.workspace.times import nanoseconds

_PERSON = Authority("human", "the benchmark is one")
_SECTIONS = [section.heading for section in HANDOFF.sections if section.always]
_SUBJECTS = (
    "cart fixture|session cookie|retry queue|tide table|invoice export|search index|upload worker|login form".split("|")
)
_SAYINGS = (
    "The {0} in {1} needs {2} in the environment",
    "{1} keeps the {0} for {2} seconds and drops it then",
    "The {0} fails with code {2} when {1} is read twice",
    "{1} is the only place where the {0} counts to {2}",
)


def _wordings(fact: use.FactRow) -> list[str]:
    return [fact.text, *(one.text for one in fact.sources if one.text)]


def _ports(home: Path) -> Ports:
    plain = wiring.ports({"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"})
    return plain._replace(channel=lambda: _PERSON, actor="ada")


def _project(top: Path, files: int = 0) -> Ports:
    """A repository with a ledger, and a person who works in it."""
    top.mkdir(parents=True)
    for number in range(files):
        (top / f"part{number}.py").write_text(f"VALUE = {number}\n")
    (top / "README.md").write_text("A project.\n")
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(top.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    for words in ("init -q -b main", "add -A", "-c user.name=a -c user.email=a@b.example commit -qm Begin"):
        run(["/usr/bin/env", "git", "-C", str(top), *words.split(" ")], environment=environment, timeout_s=30)
    ports = _ports(top.parent / "home")
    found(ports, plan(ProjectHandle(ports, top))).ledger.close()
    return ports


def merges(rounds: int, each: int, *, seed: int = 7) -> list[tuple[str, str, str]]:
    """What is lost and what is flagged over `rounds` merges in a row, each of `each` facts."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary, "tide")
        ports = _project(top, files=40)
        said: set[str] = set()
        files_of: dict[str, str] = {}
        began = time.perf_counter()
        for number in range(rounds):
            folder = Path(temporary, f"theirs{number}")
            folder.mkdir()
            rows = []
            for _ in range(each):
                file = f"part{chance.randrange(40)}.py"
                text = chance.choice(_SAYINGS).format(chance.choice(_SUBJECTS), file, chance.randrange(1, 400))
                if said and chance.random() < 0.2:  # somebody says again what is known, in other letters
                    text = chance.choice(sorted(said)).upper() if chance.random() < 0.5 else chance.choice(sorted(said))
                else:
                    said.add(text)
                    files_of[text] = file
                rows.append(f"- {text}")
            (folder / f"{chance.choice(['gotchas', 'project', 'infrastructure'])}.md").write_text(
                "\n".join(rows) + "\n"
            )
            import_folder(ProjectHandle(ports, top), "project", folder)
            use.triage(
                ProjectHandle(ports, top), "project", lambda waiting, facts: [_decided(one, facts) for one in waiting]
            )
        took = time.perf_counter() - began
        facts = use.show(ProjectHandle(ports, top), "project").facts
        kept = {wording.casefold() for one in facts for wording in _wordings(one)}
        lost = [text for text in said if text.casefold() not in kept]
        changed = [f"part{number}.py" for number in range(0, 40, 3)]
        for name in changed:
            (top / name).write_text("VALUE = 'changed'\n")
        flagged = {
            trouble.text
            for trouble in check(ProjectHandle(ports, top), "project").findings
            if trouble.what == "changed"
        }
        meant = [one for one in facts if any(files_of.get(wording) in changed for wording in _wordings(one))]
        share = sum(one.text in flagged for one in meant) / max(1, len(meant))
        false = sum(text not in {one.text for one in meant} for text in flagged)
        index = (top / ".clew/memory/MEMORY.md").read_text()
    return [
        ("facts said / facts kept", f"{len(said):,} / {len(facts):,}", ""),
        ("facts lost", f"{len(lost)}", "0"),
        ("facts whose files changed that are flagged", f"{share:.1%} of {len(meant)} ({false} others)", "≥ 95 %"),
        ("lines of the index", str(index.count(chr(10))), "≤ 200"),
        ("time", f"{took:.1f} s, {took / rounds * 1000:.0f} ms a merge", ""),
    ]


def _decided(one: Candidate, facts: Sequence[Fact]) -> Decision:
    """As a person does who merges what nearly says the same."""
    known = {fact.id for fact in facts}
    like = next((name for name in one.like if name in known), "")
    return Decision(one, "merge", into=like) if like else Decision(one, "keep")


def handoffs(folder: Path) -> list[tuple[str, str, str]]:
    """A hand-off of every session below `folder`, each in a project of its own."""
    tokens: list[int] = []
    keys: list[int] = []
    missing, linted, failed, passed_over = [], [], [], 0
    with tempfile.TemporaryDirectory() as temporary:
        for number, path in enumerate(sorted(one for one in folder.rglob("*") if one.is_file())):
            top = Path(temporary, f"w{number}", "tide")
            ports = _ports(top.parent / "home")
            if not is_session(ports, path):
                passed_over += 1
                continue
            _project(top)
            last = _take_in(ports, path, top)
            if last is None:
                passed_over += 1
                continue
            ports = ports._replace(now_ms=lambda last=last: last)  # it is made when the session ends
            try:
                pressed: list[int] = []
                made = make(ProjectHandle(ports, top), curate=_usual(pressed))
            except ClewError as error:
                failed.append(f"{path.name}: {error.code}")
                continue
            assert made is not None
            tokens.append(made.tokens)
            keys += pressed
            missing += [path.name for heading in _SECTIONS if f"## {heading}" not in made.handoff.text]
            linted += [f"{path.name}: {one.rule}" for one in made.findings]
    for row in [*failed, *missing, *linted]:
        print(row)
    return [
        ("sessions handed over", f"{len(tokens)} ({len(failed)} failed, {passed_over} files are none)", ""),
        ("tokens, median and most", f"{statistics.median(tokens):.0f}, {max(tokens)}", "≤ 1,500"),
        ("without a mandatory section", str(len(missing)), "0"),
        ("findings of `clew lint` on the day it is made", str(len(linted)), "0"),
        ("keys of a usual review, median and most", f"{statistics.median(keys):.0f}, {max(keys)}", "≤ 20"),
    ]


def _take_in(ports: Ports, path: Path, top: Path) -> int | None:
    """Let the session in a file be one of the project at `top`; when it ended, None for one that holds nothing."""
    reader = reader_for(path, ports.readers)
    with open_project(ports, top, write=True, spool=False) as at:
        seen = captured(gather(path, reader, redact=at.redact), client=reader.name, root_of=str)
        if not seen.state.items:
            return None
        name = seen.state.origin.session or path.stem
        origin = seen.state.origin._replace(cwd=str(top), branch="main", session=name)
        extract = Extract(origin, "", str(top), RULES_VERSION, seen.size, "made", seen.state.items)
        at.take_in(extract, unless_redacted_after=at.ledger.position())
        ended = nanoseconds(origin.last_time)
        return ended // 1_000_000 + 1000 if ended is not None else ports.now_ms()


def _usual(pressed: list[int]):  # type: ignore[no-untyped-def]
    """A person who reads the list, cuts two entries, rewords one, pins one, and accepts the rest."""

    def curate(draft: Draftlike) -> Sequence[Choice] | None:
        review = ReviewState(draft.rows)
        doubtful = [row.number for row in draft.rows if row.mark in "?·"][:4]
        for number, deed in zip(doubtful, "ccep", strict=False):
            for key in str(number):
                review.press(key)
            if review.press(deed) == "edit":
                review.edited(f"{review.row.item.text} (looked at)")
        review.press("A")
        pressed.append(review.keys)
        return review.result()

    return curate


def folders(paths: Sequence[Path]) -> list[tuple[str, str, str]]:
    """Memory folders read and kept whole: how many of their words no fact has."""
    rows = []
    for path in paths:
        with tempfile.TemporaryDirectory() as temporary:
            top = Path(temporary, "tide")
            project = ProjectHandle(_project(top), top)
            read = import_folder(project, "project", path)
            use.triage(project, "project", lambda waiting, _: [Decision(one, "keep") for one in waiting])
            with open_memory(project, write=False) as memory:
                told = "\n".join(f"{one.why} {' '.join(one.wordings)}" for one in memory.facts())
            there = set(re.findall(r"\w+", told))
            pieces = read_folder(path).pieces
            words = [word for piece in pieces for word in re.findall(r"\w+", f"{piece.text} {piece.why}")]
            lost = [word for word in words if word not in there]
        said = f"{read.files} files, {read.new} blocks"
        rows.append(("/".join(path.parts[-3:]), said, f"{len(lost)} of {len(words)} words lost"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("merges", "handoffs", "folders"))
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--merges", type=int, default=50)
    parser.add_argument("--facts", type=int, default=12)
    given = parser.parse_args()
    if given.what == "merges":
        print(markdown(("merges", "found", "bar"), merges(given.merges, given.facts)))
    elif given.what == "handoffs":
        print(markdown(("hand-offs", "found", "bar"), handoffs(given.paths[0])))
    else:
        print(markdown(("folder", "read", "kept"), folders(given.paths)))


if __name__ == "__main__":
    main()
