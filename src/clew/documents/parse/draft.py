"""The entries and headings found so far: how an item's words become an entry. Knows nothing of where they stood."""

from __future__ import annotations

import re

from clew.core.items import Kind
from clew.documents.entry import Entry, Lines
from clew.documents.parse.inline import paths, plain
from clew.documents.parsed import Heading

TEXT_CHARS_MAX = 2000

_EMPTY = re.compile(
    r"(?:\(?\s*(?:none|nothing|n/?a|tbd|nil|"
    r"no (?:known |open |current |active |major |new )?"
    r"(?:blockers?|issues?|questions?|risks?|changes|concerns|decisions)"
    r"(?: (?:at this time|at the moment|currently|right now|for now|so far|yet|known|identified|remaining))?|"
    r"not applicable|(?:free-form|still|currently)?\W{0,3}empty|todo|\.{3}|…|"
    r"none (?:(?:yet|known|so far|currently|at this time|identified|recorded|right now|"
    r"found|at the moment|open|needed|required)\s*){1,3}|"
    r"none (?:remaining|left|outstanding|pending|blocking)\b[^.,;]{0,40}|"
    r"nothing (?:yet|else)|(?:特に|変更)?なし|无|暂无|(?:변경 ?)?없음)\s*\)?[.!]?|[\W_]*)",
    re.IGNORECASE,
)
# A template's place to fill in: all of it, or its first part, in brackets.
_PLACEHOLDER = re.compile(r"[\[{<](?![ xX]\])[^\[\]{}<>]{2,200}[\]}>](?!\()")
_WHY = re.compile(
    r"\s+(?:—|–|--?)\s*(?:because(?:\s+of)?|reason:|why:|since|rationale:)\s+(?P<a>\S.*)$"
    r"|\s*[\[(](?:because|reason:|why:|rationale:)\s*(?P<b>[^()\[\]]+)[\])]\s*\.?$"
    r"|,?\s+because\s+(?:of\s+)?(?P<c>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
# Kinds whose reason is asked for, so that it is taken out of the sentence.
_REASONED = frozenset(("decision", "failed", "constraint", "deferral"))
_VERB_LABEL = re.compile(
    r"\W*(?:create|created|modify|modified|test|new|update|updated|delete|deleted|add|added|remove|removed|edit|rename|changed|NEW)\s*[:：-]?\s*\W*$",
    re.IGNORECASE,
)


class Draft:
    """Entries and headings in the making. An entry is known by its index."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.headings: list[Heading] = []
        # Lines that entries quote, and those of them that hold more words than the entry does.
        self.told: dict[int, tuple[Lines, ...]] = {}
        self.untold: set[int] = set()
        self._next_taken: set[int] = set()

    def add(self, kind: Kind, text: str, lines: Lines, *, status: str = "", why: str = "", opened: int = -1) -> int:
        """Files an item; `text` still has its inline marks. −1 where there are no words to file.

        `opened`: the section that said "next": its first open item stays `next`, the others are steps.
        """
        text = plain(text)
        if is_empty(text):
            return -1
        why = plain(why)
        if kind == "next":
            if status == "done" or opened in self._next_taken:
                kind = "step"
            else:
                self._next_taken.add(opened)
        if kind == "file":
            text, why = _path_first(text, why)
        elif kind in _REASONED and not why and (match := _WHY.search(text)) and match.start() > 0:
            text, why = text[: match.start()], next(part for part in match.groups() if part)
        if kind not in ("step", "phase"):
            status = ""
        if len(text) <= TEXT_CHARS_MAX and len(why) <= TEXT_CHARS_MAX:
            self.told[len(self.entries)] = (lines,)
        self.entries.append(Entry(kind, _bounded(text), _bounded(why), status, lines=lines))
        return len(self.entries) - 1

    def explain(self, index: int, why: str) -> None:
        """Gives an entry its reason; a second one is joined to the first."""
        entry = self.entries[index]
        joined = f"{entry.why} {plain(why)}".strip()
        self.entries[index] = entry._replace(why=_bounded(joined))

    def quotes(self, index: int, last: int) -> None:
        """An entry's text ends in line `last`: what it spans behind that it does not quote."""
        if index in self.told:
            self.told[index] = (Lines(self.told[index][0].first, last),)
            self.stretch(index, last)

    def stretch(self, index: int, last: int) -> None:
        """An entry's lines reach to `last`."""
        entry = self.entries[index]
        if last > entry.lines.last:
            self.entries[index] = entry._replace(lines=Lines(entry.lines.first, last))

    def set_status(self, index: int, status: str) -> None:
        if self.entries[index].kind in ("step", "phase") and status:
            self.entries[index] = self.entries[index]._replace(status=status)

    def head(self, text: str, level: int, kind: Kind | None, lines: Lines) -> None:
        self.headings.append(Heading(plain(text), level, kind, lines))


def is_empty(text: str) -> bool:
    """Whether it says nothing that could be filed: "None.", or a template's place to fill in."""
    if _EMPTY.fullmatch(text):
        return True
    match = _PLACEHOLDER.match(text)
    return match is not None and (match.end() * 2 >= len(text) or len(_PLACEHOLDER.findall(text)) > 1)


def _bounded(text: str) -> str:
    return text if len(text) <= TEXT_CHARS_MAX else text[: TEXT_CHARS_MAX - 1].rstrip() + "…"


def _path_first(text: str, why: str) -> tuple[str, str]:
    """A file's entry as its path and the note on it; as it is where it names none or several."""
    found = paths(text)
    if not found or (len(found) > 1 and not _VERB_LABEL.fullmatch(found[0].before) and found[0].before.strip(" :*-")):
        return text, why
    path, before, after = found[0]
    note = after.strip(" \t:—–-|,")
    before = before.strip(" \t:—–-|,*")
    if before:
        note = f"{before}: {note}" if note else before
    return path, f"{note} {why}".strip()
