"""The entries, headings and notes found so far: how an item's words become an entry. Knows nothing of where they
stood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.core.state.headings import DONE, DROPPED
from clew.core.state.items import Kind
from clew.documents.entry import Entry, Heading, Lines, ParsedNote
from clew.documents.parse.inline import file_of, plain

TEXT_CHARS_MAX: Final = 2000
_LABEL_CHARS: Final = 100
_NOTHING: Final = re.compile(
    r"\W*(?:none(?: (?:yet|known|so far|currently|identified|recorded|right now|at the moment|open|needed|required|"
    r"named))?|nothing(?: yet| else)?|n/?a|tbd|nil|todo|not applicable|no (?:known |open |current )?(?:blockers?|"
    r"issues?|questions?|risks?|changes)|特に?なし|なし|无|暂无|없음)?\W*",
    re.IGNORECASE,
)
# A template's place to fill in, in brackets.
_PLACE: Final = re.compile(r"(?:\[(?![ xX]\])[^\[\]]{2,200}\](?!\()|<[A-Za-z][^<>]{2,200}>|\{[^{}]{2,200}\})\W*")
_REASON: Final = re.compile(
    r" (?:—|–|--?) ?(?:because(?: of)?|reason:|why:|since|rationale:) (?P<a>\S.*)$|,? because (?:of )?(?P<b>\S.*)$",
    re.IGNORECASE,
)
# Kinds whose reason is asked for, so that it is taken out of the sentence.
_REASONED: Final = frozenset(("decision", "failed", "constraint", "deferral"))


class Collector:
    """What is found, in the order of the source. Notes that stand next to each other under one heading are one."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.entries: list[Entry] = []
        self.headings: list[Heading] = []
        self._notes: list[tuple[int, int, str]] = []
        self._has_next: set[int] = set()

    def add(
        self, kind: Kind, text: str, lines: Lines, *, told: str = "", why: str = "", label: str = "", section: int = 0
    ) -> int:  # fmt: skip
        """File an item, whose `text` has no inline marks left and of which `told` is the status; its index, −1 where
        no words say anything: a note. Of what comes next the first open one of a `section` is that, others are steps.
        """
        if says_nothing(text):
            self.note(lines)
            return -1
        is_over = told in (DONE, DROPPED)
        if kind == "file":
            named = file_of(text)
            kind, text, why = ("file", *named) if named else ("note", text, why)
        elif kind == "next":
            kind = "step" if is_over or section in self._has_next else "next"
            self._has_next |= {section} if kind == "next" else set()
        if kind not in ("step", "phase") and not is_over:
            told = ""
        if kind in _REASONED and not why and (match := _REASON.search(text)) and match.start() > 0:
            text, why = text[: match.start()], match["a"] or match["b"]
        if len(text) > TEXT_CHARS_MAX or len(why) > TEXT_CHARS_MAX:
            self.note(lines)  # the whole of it
        label = _bounded(label, _LABEL_CHARS)
        self.entries.append(Entry(kind, _bounded(text), _bounded(why), told, lines=lines, label=label))
        return len(self.entries) - 1

    def explain(self, index: int, why: str, lines: Lines) -> None:
        """Give an entry its reason, which stands in `lines`; a second one is joined to the first."""
        entry = self.entries[index]
        joined = f"{entry.why} {plain(why)}".strip()
        if len(joined) > TEXT_CHARS_MAX:
            self.note(lines)
        self.entries[index] = entry._replace(why=_bounded(joined), lines=Lines(entry.lines.first, lines.last))

    def note(self, lines: Lines) -> None:
        """Keep lines as they are."""
        under = self.headings[-1].text if self.headings else ""
        first, last, above = self._notes[-1] if self._notes else (0, lines.first, "")
        if first and above == under and last < lines.first and not "".join(self.lines[last : lines.first - 1]).strip():
            self._notes[-1] = (first, lines.last, under)
        else:
            self._notes.append((lines.first, lines.last, under))

    def notes(self) -> tuple[ParsedNote, ...]:
        """The notes, each with its words as they stand."""
        return tuple(
            ParsedNote("\n".join(line.rstrip() for line in self.lines[first - 1 : last]), under, Lines(first, last))
            for first, last, under in self._notes
        )


def says_nothing(text: str) -> bool:
    """Whether there is nothing that could be filed: "None.", or a template's place to fill in."""
    return _NOTHING.fullmatch(text[:TEXT_CHARS_MAX]) is not None or _PLACE.fullmatch(text[:TEXT_CHARS_MAX]) is not None


def _bounded(text: str, chars: int = TEXT_CHARS_MAX) -> str:
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"
