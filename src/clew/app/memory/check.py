"""Checking a memory: what went stale, what says the same twice, what stands in the wrong layer or tells its reader what
to do. Looks; changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final, Literal, NamedTuple

from clew.app.memory.candidates import candidates, duplicates, flags_of
from clew.app.memory.pages import INDEX, LINES_MAX, TOKENS_MAX, index_page
from clew.app.memory.store import OpenMemory, Scope, open_memory
from clew.app.memory.views import strays_on, title_of
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.core.errors import ClewError
from clew.core.state.facts import Fact
from clew.core.text.tokens import estimate
from clew.workspace.disk import Disk, clean
from clew.workspace.fingerprint import algorithm_of, fingerprint
from clew.workspace.git import Git

# changed, moved, gone: a file that a fact speaks of. duplicate: two say much the same. The flags of a candidate:
# hostile, instruction, state, convention. index: it is too long for whoever reads its beginning only. waiting:
# candidates to triage. page: something was added to a page by hand.
What = Literal[
    "changed", "moved", "gone", "duplicate", "hostile", "instruction", "state", "convention", "file", "index",
    "waiting", "page",
]  # fmt: skip
_FIXES: Final[dict[str, str]] = {
    "changed": "See whether it still holds: `clew memory edit ID` rewords it, or confirms it for its files.",
    "moved": "See whether it still holds: `clew memory edit ID` confirms it for the file where it is now.",
    "gone": "See whether it still holds: `clew memory edit ID`, or `clew retract ID`.",
    "duplicate": "Merge them: `clew memory edit ID --into OTHER`.",
    "hostile": "Look where it came from, and take it back: `clew retract ID`.",
    "instruction": "What every session must do belongs in the rules file; else say how things are.",
    "state": "Where a task stands belongs to the task (`clew note`); take it out of memory: `clew retract ID`.",
    "convention": "How code is to be written belongs in the rules file (CLAUDE.md, AGENTS.md).",
    "index": f"Keep it within {LINES_MAX} lines: put detail into topic files, a line for each.",
    "waiting": "`clew memory triage`",
    "page": "`clew memory triage` takes it in.",
}


class Trouble(NamedTuple):
    """One thing to look at: the fact (its short id) or the place it is about, what it is, the words there, what to
    do.
    """

    what: What
    subject: str
    said: str
    text: str
    fix: str


class MemoryCheck(JsonResult, frozen=True):
    """What is to be looked at in a memory."""

    findings: tuple[Trouble, ...]

    @property
    def wrong(self) -> int:
        """How many of them say that something is wrong."""
        return sum(one.what != "waiting" for one in self.findings)


def check(project: ProjectHandle, scope: Scope) -> MemoryCheck:
    """What is to be looked at in a memory of ours: facts in their order, then pages and what waits."""
    with open_memory(project, scope, write=False) as memory:
        return MemoryCheck(tuple(_troubles(project.ports, memory)))


def _troubles(ports: Ports, memory: OpenMemory) -> list[Trouble]:
    at = memory.at
    found = memory.facts()
    shown = at.ledger.shortest([one.id for one in found])
    told = [*stale(ports, memory, found)]
    for one in found:
        flags = flags_of(one.text, one.why, by="agent")
        told += [(one, flag, _SAID[flag]) for flag in flags if flag != "instruction" or one.provenance != "human"]
    troubles = [
        Trouble(what, shown[one.id], said, one.text, _FIXES[what].replace("ID", shown[one.id]))
        for one, what, said in told
    ]
    by_id = {one.id: one for one in found}
    for first, second in duplicates([(one.id, one.text) for one in found]):
        fix = _FIXES["duplicate"].replace("ID", shown[second]).replace("OTHER", shown[first])
        said = f"it says much the same as {shown[first]} ({by_id[first].text[:60]})"
        troubles.append(Trouble("duplicate", shown[second], said, by_id[second].text, fix))
    index = index_page(title_of(memory), found)
    if estimate(index) > TOKENS_MAX:
        said = f"it has {estimate(index)} tokens, of {TOKENS_MAX}"
        troubles.append(Trouble("index", INDEX, said, "", _FIXES["index"]))
    strays = strays_on(memory)
    for path, rows in strays.items():
        troubles += [
            Trouble("page", f"{path}:{one.line}", "it is only on the page", one.text, _FIXES["page"]) for one in rows
        ]
    if waits := len(candidates(memory)):
        troubles.append(Trouble("waiting", "", f"{waits} candidates wait to be triaged", "", _FIXES["waiting"]))
    return troubles


_SAID: Final[dict[str, str]] = {
    "hostile": "it wants to take over its reader",
    "instruction": "it is an instruction, and no person gave it",
    "state": "it is the state of a task",
    "convention": "it is a rule for writing code",
}


def stale(ports: Ports, memory: OpenMemory, found: Iterable[Fact]) -> list[tuple[Fact, What, str]]:
    """The facts whose files are not as they were when the facts were last confirmed: what became of the file, in words.

    Compared is the content, by its hash; a file that moved is known by it.
    """
    if memory.is_users:
        return []
    look = _Look(ports, memory)
    return [(one, what, said) for one in found for what, said in look.of(one)]


class _Look:
    """The disk and git, each asked once for what several facts cite."""

    def __init__(self, ports: Ports, memory: OpenMemory) -> None:
        self._environment = ports.environment
        self._root = memory.at.location.root
        self._disk = Disk(self._root)
        self._now: dict[tuple[str, str], str | None] = {}
        self._blobs = {cite.blob for one in memory.facts() for cite in one.cites if cite.blob}
        self._has_git = memory.at.location.repository is not None

    def of(self, fact: Fact) -> list[tuple[What, str]]:
        told: list[tuple[What, str]] = []
        cited = {cite.path for cite in fact.cites}
        for cite in fact.cites:
            now = self._blob(cite.path, cite.blob)
            if now == cite.blob:
                continue
            if now is not None:
                told.append(("changed", f"{cite.path} has changed since {cite.time[:10]}"))
            elif there := self._moved.get(cite.blob):
                told.append(("moved", f"{cite.path} is {there} now"))
            else:
                told.append(("gone", f"{cite.path} is gone"))
        for path in fact.files:
            if path not in cited and self._blob(path, "") is None:
                told.append(("gone", f"{path} is not there"))
        return told

    def _blob(self, path: str, like: str) -> str | None:
        key = path, algorithm_of(like)
        if key not in self._now:
            relative = clean(path)
            place = self._disk.locate(relative) if relative else None
            found = fingerprint(place, algorithm=algorithm_of(like)) if place else None
            self._now[key] = found.blob if found else None
        return self._now[key]

    @cached_property
    def _moved(self) -> dict[str, str]:
        """Where HEAD and the work tree have what facts cite, by blob."""
        try:
            git = Git.at(self._root, environment=self._environment) if self._has_git else None
            held = git.tracked(git.files()) if git is not None else {}
        except ClewError:  # no commit yet, or no git to ask
            return {}
        there = {blob: path for path, blob in held.items() if blob in self._blobs}
        return {blob: path for blob, path in there.items() if (self._root / path).is_file()}
