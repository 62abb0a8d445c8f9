"""Looking through a record for what claims name: whose words hold it, and which files were written. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from clew.app.proof.anchors import anchors_of, normal, plain
from clew.app.proof.facts import Needle, Source
from clew.app.proof.files import name_of
from clew.app.proof.push import PUSHED
from clew.core.gate.shell.effects import read as read_line
from clew.core.records import transcript
from clew.core.records.transcript import Call, Edit, Link, Prompt, Record, Reply, Result, Run, Running, Summary, Thought
from clew.core.state.draft import Claim
from clew.core.text.receipt import without_documents
from clew.distill.session import ToolStep
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
# Texts of one source are looked through together once they have so many characters.
_BATCH_CHARS: Final = 1 << 18
_PARTING: Final = "\n\0\n"


class Looking:
    """All that a record holds, looked through for the claims of a draft, one record after the other; no text stays.

    The draft itself is left out, and so is what clew answered to it: neither is evidence.
    """

    def __init__(self, claims: Sequence[Claim], safe: Callable[[str], str]) -> None:
        self.written: set[str] = set()  # names of files that a tool or a command may have written; sub-agents' too
        self.texts: list[str] = []  # what the session was given, `normal`
        self._seen: dict[Needle, set[Source]] = {needle: set() for needle in needles_of(claims)}
        self._held: dict[Source, list[str]] = {}
        self._chars: dict[Source, int] = {}
        self._safe = safe
        self._place = ""  # the last branch and folder that the client told of
        self._of_git: set[str] = set()
        self._own: dict[str, bool] = {}  # calls of clew, and whether what they answer was known before
        texts = [text for text in dict.fromkeys(normal(claim.text) for claim in claims) if len(text) > _SHORT_CHARS]
        self._enough = min(_OWN_CLAIMS_MIN, len(texts))
        # Of few claims all words count: a command that one of them names would hold its beginning.
        self._heads = [text[:_HEAD_CHARS] for text in texts] if len(texts) > _OWN_CLAIMS_MIN else texts

    def given(self, text: str) -> None:
        """A text that the session was given."""
        self.texts.append(normal(self._safe(text)))
        self._look(text, "summary")

    def take(self, record: Record) -> None:
        """Look through one record."""
        if isinstance(record, Prompt):
            said = without_documents(record.text)
            self._look(said, "agent" if record.agent else "user")
            if said != record.text:
                self.given(record.text)
        elif isinstance(record, (Reply, Thought, Summary)):
            self._take_words(record.text, "summary" if isinstance(record, Summary) else "agent")
        elif isinstance(record, Call):
            self._take_call(record)
        elif isinstance(record, Result):
            self._take_result(record)
        elif isinstance(record, (Running, Link)):
            self._look("\n".join(strings(record)), "tool")
        elif isinstance(record, transcript.Context) and (place := f"{record.branch}\n{record.cwd}") != self._place:
            self._place = place
            self._look(place, "tool")

    def seen(self) -> dict[Needle, frozenset[Source]]:
        """What was found of the needles."""
        for source in list(self._held):
            self._look_through(source)
        return {needle: frozenset(sources) for needle, sources in self._seen.items() if sources}

    def _take_words(self, text: str, source: Source) -> None:
        if not self._is_draft(self._safe(text)):
            self._look(text, source)

    def _is_draft(self, text: str) -> bool:
        """Whether a text of the agent's is a draft with these claims, or an earlier writing of it."""
        if not self._heads or len(text) < len(self._heads[0]):
            return False
        flat = normal(text)
        return sum(head in flat for head in self._heads) >= self._enough

    def _take_call(self, call: Call) -> None:
        action = call.action
        if isinstance(action, Edit):
            self.written.add(name_of(action.path))
        elif isinstance(action, Run):
            if _OF_GIT.search(action.command):
                self._of_git.add(call.id)
            line = read_line(action.command, "/")
            if line.understood and not any("*" in path for path, _ in line.writes):
                self.written.update(name_of(path) for path, _ in line.writes)
            else:
                self._add_files(action.command)
        words = "\n".join(strings(action))
        if is_own(ToolStep(call, None)):
            self._own[call.id] = not _DRAFTING.search(f"{call.tool} {words}")
        else:
            self._take_words(words, "call")

    def _take_result(self, result: Result) -> None:
        if result.call in self._of_git:
            self._add_files(result.text[:_GIT_CHARS_MAX])
        if result.call in self._own:
            if self._own[result.call]:
                self.given(result.text)
            return
        self._look(result.text, "tool")
        if not result.agent:
            self._look("\n".join((result.reason, *(answer for _, answer in result.answers))), "user")

    def _add_files(self, text: str) -> None:
        self.written.update(name_of(path) for path in _FILE.findall(text))

    def _look(self, text: str, source: Source) -> None:
        if text:
            self._held.setdefault(source, []).append(self._safe(text))
            self._chars[source] = self._chars.get(source, 0) + len(text)
            if self._chars[source] >= _BATCH_CHARS:
                self._look_through(source)

    def _look_through(self, source: Source) -> None:
        wanted = [needle for needle, sources in self._seen.items() if source not in sources]
        lines = plain(_PARTING.join(self._held.pop(source)))
        self._chars[source] = 0
        flat = " ".join(lines.split())
        for needle in wanted:
            if needle.text in flat if not needle.pattern else needle.text in lines and re.search(needle.pattern, lines):
                self._seen[needle].add(source)


def needles_of(claims: Iterable[Claim]) -> frozenset[Needle]:
    """All that is to be looked for in the record for these claims."""
    needles: set[Needle] = {PUSHED}
    for claim in claims:
        needles.update(Needle(normal(f"`{one.text}`")) for one in claim.evidence if one.kind == "check")
        for anchor in anchors_of(claim):
            needles.update(needle for way in anchor.ways for needle in way)
    return frozenset(needles)


def strings(value: object) -> Iterator[str]:
    """All texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from strings(one)
