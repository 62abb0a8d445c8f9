"""Looking through a record for what claims name: whose words hold it, and which files were written. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from clew.app.proof import acts, commit, proper, quotation
from clew.app.proof.anchors import anchors_in, normal
from clew.app.proof.facts import Needle, Source
from clew.app.proof.files import name_of
from clew.app.proof.push import PUSHED
from clew.app.proof.scan import Scan
from clew.app.proof.wording import content_stems, told
from clew.core.gate.shell.effects import read as read_line
from clew.core.records.transcript import (
    Action,
    Ask,
    Call,
    Delegate,
    Edit,
    Link,
    Other,
    Plan,
    Prompt,
    Read,
    Record,
    Reply,
    Result,
    Run,
    Running,
    Search,
    Summary,
    Thought,
    Todos,
)
from clew.core.state.draft import Claim
from clew.core.text.receipt import without_documents
from clew.distill.session import Step
from clew.distill.work import is_own

# A text of the agent's that holds so many of a draft's claims, or all of a short one's, is that draft.
_OWN_CLAIMS_MIN: Final = 4
_HEAD_CHARS: Final = 48
_SHORT_CHARS: Final = 8
# How clew's tools and commands that take a draft are called: their answers repeat what is wrong in it.
_DRAFTING: Final = re.compile(r"checkpoint|draft|handoff|hand-off")
_FILE: Final = re.compile(r"[\w@+./-]+\.\w+|[\w@+./-]*\w/(?=\s|$)")
# Git tells which files changed; so much of what it prints is looked at.
_OF_GIT: Final = re.compile(r"\bgit\b.*\b(?:status|commit|stash|add)\b")
_GIT_CHARS_MAX: Final = 64_000


class Written:
    """The files that tools wrote, those that commands may have written, those that git told of; sub-agents' too."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._of_git: set[str] = set()

    def take(self, record: Record) -> None:
        """Look at what a call writes, and at git's answers."""
        if isinstance(record, Result) and record.call in self._of_git:
            self._add(record.text[:_GIT_CHARS_MAX])
        if not isinstance(record, Call):
            return
        action = record.action
        if isinstance(action, Edit):
            self.names.add(name_of(action.path))
        elif isinstance(action, Run):
            if _OF_GIT.search(action.command):
                self._of_git.add(record.id)
            line = read_line(action.command, "/")
            if line.understood and not any("*" in path for path, _ in line.writes):
                self.names.update(name_of(path) for path, _ in line.writes)
            else:
                self._add(action.command)

    def _add(self, text: str) -> None:
        self.names.update(name_of(path) for path in _FILE.findall(text))


class _Draft:
    """The draft itself, as it stands in the record that it was written in: its words prove nothing."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        texts = [text for text in dict.fromkeys(normal(claim.text) for claim in claims) if len(text) > _SHORT_CHARS]
        self._enough = min(_OWN_CLAIMS_MIN, len(texts))
        # Of few claims all words count: a command that one of them names would hold its beginning.
        self._heads = [text[:_HEAD_CHARS] for text in texts] if len(texts) > _OWN_CLAIMS_MIN else texts

    def is_in(self, text: str) -> bool:
        """Whether a text of the agent's is a draft with these claims, or an earlier writing of it."""
        if not self._heads or len(text) < len(self._heads[0]):
            return False
        flat = normal(text)
        found = 0
        for head in self._heads:
            found += head in flat
            if found >= self._enough:
                return True
        return False


class Looking:
    """All that a record holds, looked through for the claims of a draft, one record after the other.

    The draft itself is left out, and so is what clew answered to it: neither is evidence.
    """

    def __init__(self, claims: Sequence[Claim], safe: Callable[[str], str]) -> None:
        self._scan = Scan(needles_of(claims))
        self._draft = _Draft(claims)
        self._safe = safe
        self._written = Written()
        self.texts: list[str] = []  # what the session was given, `normal`
        self._own: dict[str, bool] = {}  # calls of clew, and whether what they answer was known before

    def given(self, text: str) -> None:
        """A text that the session was given."""
        text = self._safe(text)
        self.texts.append(normal(text))
        self._scan.look(text, "summary")

    def take(self, record: Record) -> None:
        """Look through one record."""
        self._written.take(record)
        if isinstance(record, Prompt):
            said = without_documents(record.text)
            self._scan.look(self._safe(said), "agent" if record.agent else "user")
            if said != record.text:
                self.given(record.text)
        elif isinstance(record, (Reply, Thought)):
            self._take_words(record.text, "agent")
        elif isinstance(record, Summary):
            self._take_words(record.text, "summary")
        elif isinstance(record, Call):
            if is_own(Step(record, None)):
                self._own[record.id] = not _DRAFTING.search(f"{record.tool} {_words_of(record.action)}")
            else:
                self._take_words(_words_of(record.action), "call")
        elif isinstance(record, Result):
            self._take_result(record)
        elif isinstance(record, Running):
            self._scan.look(self._safe(record.text), "tool")
        elif isinstance(record, Link):
            self._scan.look(self._safe(f"{record.text}\n{record.url}"), "tool")

    def seen(self) -> dict[Needle, frozenset[Source]]:
        """What was found of the needles."""
        return self._scan.seen()

    def written(self) -> frozenset[str]:
        """The names of files that a tool or a command may have written."""
        return frozenset(self._written.names)

    def _take_words(self, text: str, source: Source) -> None:
        text = self._safe(text)
        if not self._draft.is_in(text):
            self._scan.look(text, source)

    def _take_result(self, record: Result) -> None:
        if record.call in self._own:
            if self._own[record.call]:
                self.given(record.text)
            return
        self._scan.look(self._safe(record.text), "tool")
        if not record.agent:
            self._scan.look(self._safe("\n".join((record.reason, *(answer for _, answer in record.answers)))), "user")


def needles_of(claims: Iterable[Claim]) -> frozenset[Needle]:
    """All that is to be looked for in the record for these claims."""
    needles: set[Needle] = {PUSHED}
    for claim in claims:
        needles |= acts.needles_in(told(claim)) | commit.needles_in(told(claim))
        needles.update(map(proper.needle_of, proper.names_in(told(claim))))
        for anchor in anchors_in(told(claim)):
            needles |= anchor.needles
            if anchor.kind == "quotation":  # one that is not exact may still be of the record's words
                needles.update(Needle(stem) for stem in content_stems(anchor.text))
                needles.update(filter(None, (quotation.in_line(anchor.text),)))
    return frozenset(needles)


def _words_of(action: Action) -> str:
    """All that a call says."""
    if isinstance(action, Run):
        return action.command
    if isinstance(action, Edit):
        return f"{action.path}\n{action.removed}\n{action.added}"
    if isinstance(action, Read):
        return action.path
    if isinstance(action, Search):
        return f"{action.pattern}\n{action.path}"
    if isinstance(action, Plan):
        return action.text
    if isinstance(action, Todos):
        return "\n".join(entry.text for entry in action.entries)
    if isinstance(action, Ask):
        return "\n".join(f"{one.text}\n" + "\n".join(one.options) for one in action.questions)
    if isinstance(action, Delegate):
        return f"{action.title}\n{action.prompt}"
    return action.detail if isinstance(action, Other) else ""
