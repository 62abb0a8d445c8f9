"""A draft's text: how an agent is asked for one, and the claims that it makes. Pure.

A draft has our headings (`REQUEST`), but agents write them as they like, so headings are known by their words. What
stands under a heading that says no kind is a finding with that label: nothing is lost, and no meaning is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.core.state import headings
from clew.core.state.draft import CitedProof, Claim
from clew.core.state.headings import PENDING
from clew.core.state.items import Kind
from clew.core.text.cleaning import clean, one_line
from clew.core.text.segments import Block, segments
from clew.documents.frame import LEGENDS
from clew.documents.parse.collector import says_nothing
from clew.documents.parse.inline import label, plain
from clew.documents.paths import paths_in

REQUEST: Final = """\
Write a hand-off for the next session, at most 900 tokens, in flat bullets under exactly these headings. \
## Goal: the user's last request verbatim, and whether it is done. \
## Decisions: what — why — what was rejected — the user's or yours. \
## Failed: exact command or error — cause — what works. \
## Constraints: the user's, verbatim. \
## Open: deferred, unanswered offers, untested, accepted gaps, untold risks. \
## Next: one action with its files. \
## State: what is committed, pushed, uncommitted. \
## Checks: result, before or after the last edit. \
Only exact quotes and what you saw, with proof: [commit ID] [file PATH] [check COMMAND]; \
leave out what does not apply."""

# What an entry under "Open" is, its own words or its label tell.
_OPEN: Final = "open"
# Headings of drafts that mean something else in other documents, or say nothing there.
_ASKED: Final[dict[str, str]] = {
    "task": "goal", "request": "goal", "last request": "goal", "user request": "goal",
    "open": _OPEN, "gaps": _OPEN, "state": "step", "status": "step", "current state": "step", "current status": "step",
    "repository": "step", "repo": "step", "git": "step", "progress": "step", "commits": "step", "check": "validation",
    "user constraints": "constraint", "user rules": "constraint", "preferences": "constraint", "note": "finding",
    "notes": "finding", "context": "finding", "background": "finding",
}  # fmt: skip
# Kinds that a label names in front of a line; a reason or a file behind one belongs to the entry that it stands in.
_LABELLED: Final = frozenset(
    ("goal", "decision", "failed", "constraint", "next", "step", "validation", "question", "risk", "blocker",
     "deferral", "reminder", _OPEN)
)  # fmt: skip
_LINES_MAX: Final = 4000
_LABEL_LEVEL: Final = 7
# Of those, what an entry under the heading "Open" may be.
_OF_OPEN: Final = frozenset(("question", "risk", "blocker", "deferral", "reminder"))

_ID: Final = re.compile(r" (?:\[[A-Z]-[0-9a-z]{4,16}\]|\([A-Z]-[0-9a-z]{4,16}\))$")
_VERIFY: Final = "(verify first) "
_QUOTE_CLOSES: Final = {"“": "”", '"': '"', "«": "»", "`": "`", "„": "“", "[": "]"}
_EVIDENCE: Final = re.compile(r"\s*\[(commit|file|check|run)s?:?\s+", re.IGNORECASE)
_WHY: Final = re.compile(r"\s+(?:—|–|--)\s+(?:because\s+)?|\s+-\s+(?=because\b|why\b)|;?,?\s+(?=because\s)")

_STALE: Final = re.compile(
    r"\bbefore (?:the |my |our )?(?:last|latest|final|most recent) (?:edit|change)|not re-?run (?:since|after)"
    r"|\bstale\b",
    re.IGNORECASE,
)
_NOT_RUN: Final = re.compile(
    r"\b(?:not|never|n.t)(?: been| yet| re-?)*[ -]?(?:run|ran|executed|tested)\b|\buntested\b|\bnot tried\b"
    r"|\bskipped running\b",
    re.IGNORECASE,
)
_FAILED: Final = re.compile(
    r"[✗✘❌✖]|\b(?:fail(?:s|ed|ing|ures?)?|broken|red|errors? out)\b|\b[1-9]\d* (?:errors?|problems?)\b"
    # A code that is told by itself, not one that something should end with.
    r"|(?:^|(?<=[(,;:`—–-])) *exit(?:ed)?(?: with)?(?: code| status)?:? ?[1-9]\d{0,2}(?= *(?:[]),.;:\[—–]|$))",
    re.IGNORECASE,
)
# What is counted as amiss beside what is well; a command may end well all the same.
AMISS: Final = re.compile(
    r"\b\d+ ok\b\W{0,3}(?:and )?[1-9]\d* (?:missing|bad|wrong|invalid|dead|unreachable|unresolved|mismatch\w*)\b",
    re.IGNORECASE,
)
_NO_FAILURE: Final = re.compile(
    r"\b(?:0|no|zero|without(?: any)?) (?:fail\w*|errors?|problems?|issues?)\b"
    r"|(?<!\d )\b(?:x?fail(?:ed|ures?)?|errors?|problems?)[:=]? *0\b(?!\.?\d)",
    re.IGNORECASE,
)
_NOT_PASSED: Final = re.compile(
    r"\b(?:not|never|no longer|\w+n['’]?t)(?: yet| been| all| fully| quite| really| even| once)* "
    r"(?:pass(?:es|ed|ing)?|green|clean|ok|succe\w+|all good)\b",
    re.IGNORECASE,
)
_PASSED: Final = re.compile(
    r"[✓✔✅☑]|\b(?:pass(?:es|ed|ing)?|green|ok|clean|succe(?:eds|eded|ss\w*)|all good|exit(?:ed)?(?: code)? 0)\b",
    re.IGNORECASE,
)
_NOT_COMMITTED: Final = re.compile(
    r"\b(?:un-?committed|not (?:yet )?(?:been )?committed|unstaged|dirty|nothing (?:is |was )?committed)\b",
    re.IGNORECASE,
)
_NONE_OPEN: Final = re.compile(
    r"\b(?:nothing|no|none|0)\b[\w ]{0,20}\buncommitted\b|\buncommitted:? (?:nothing|none|no)\b"
    r"|\b(?:clean (?:work(?:ing)? ?)?tree|(?:work(?:ing)? ?)?tree (?:is )?clean)\b",
    re.IGNORECASE,
)
NOT_PUSHED: Final = re.compile(
    r"\b(?:un-?pushed|(?:not|never|n.t)(?: yet)?(?: been)? (?:yet )?push(?:ed)?|nothing (?:is |was |has been )?pushed|"
    r"pushed:? (?:nothing|none|no)\b|not (?:yet )?on (?:the )?(?:remote|origin|upstream)|local only|only local(?:ly)?)",
    re.IGNORECASE,
)
_COMMITTED: Final = re.compile(r"\bcommit(?:ted|s)?\b", re.IGNORECASE)
_PUSHED: Final = re.compile(r"\bpushed\b", re.IGNORECASE)
_AHEAD: Final = re.compile(r"\b(?:pending|not (?:yet )?(?:started|done)|to ?do|in progress|partly|half.done)\b", re.I)
_DONE: Final = re.compile(r"\b(?:done|complete[d]?|finished)\b", re.IGNORECASE)

_USER_SAYS: Final = re.compile(
    r"\buser(?:'s|’s)? (?:\w+ ){0,2}?(?:sa(?:id|ys)|asks?|asked|wants?|wanted|decid\w+|decision|choice|chose|approv\w+"
    r"|reject\w+|refus\w+|declin\w+|insist\w*|told|prefers?|preferred|require[sd]?|forb\w+|request\w*|confirm\w*"
    r"|agreed|picked|words?|call|rule|constraint|order(?:ed)?)\b"
    r"|\bper (?:the )?user\b|\bas the user\b|\(user(?:'s|’s)?\)|[—–-] (?:the )?user(?:'s|’s)?\b[^a-z]*$"
    r"|\b(?:decided|chosen|asked|requested|approved|rejected|declined|wanted|confirmed|picked|ordered|forbidden|refused)"
    r"(?: for)? by (?:the )?user\b"
    r"|[—–-] (?:the )?user(?:'s|’s)?(?=\s*(?:[—–;,.(]|$))|^user(?:'s|’s)?: ",
    re.IGNORECASE,
)
_NOT_USER: Final = re.compile(
    r"\bnot (?:by |from )?(?:the )?user\b|\bnot the user'?s\b|\buser (?:has ?n.t|has not|did ?n.t|did not|never)\b"
    r"|\bno answer\b",
    re.IGNORECASE,
)
_QUOTED_START: Final = re.compile(r"[\W_]{0,3}[“\"„«][^“”\"«»]{3,}[”\"“»]")


class _Passage(NamedTuple):
    """An entry, a table's row or a paragraph: `text` is one line, `line` where it begins, from 1. `headings` are those
    above it, the outermost first, without the text's own title; `under_label`: the innermost is a label in front.
    `ticked` is whether the box in front of it is; None without one.
    """

    text: str
    line: int
    headings: tuple[str, ...]
    under_label: bool
    ticked: bool | None


class _Outline:
    """The passages read so far. `_level` is that of the list entry that is open, 0 of a paragraph; `_label_level` that
    of the entry which is a label for those below it.
    """

    def __init__(self) -> None:
        self.found: list[_Passage] = []
        self._headings: list[tuple[int, str]] = []
        self._parts: list[str] = []
        self._line = self._level = self._label_level = 0
        self._ticked: bool | None = None

    def take(self, block: Block) -> None:
        """Read one block."""
        if block.form == "code":
            rows = [row.strip() for row in block.text.split("\n") if row.strip()]
            self._parts += rows
            self._line = self._line if len(self._parts) > len(rows) else block.first
        elif block.form == "item":
            self._item(block)
        elif block.form in ("text", "matter"):
            if not (block.level and self._level):
                self.close()
            self._rows(block.text.split("\n"), block.first)
        else:
            self.close()
            if block.form == "heading":
                self._enter(block.level, block.text)
            elif cells := [one_line(cell) for cell in block.cells if cell]:
                self._begin(": ".join((cells[0], *filter(None, ["; ".join(cells[1:])]))), block.first)
                self.close()

    def close(self) -> None:
        """End the passage that is open."""
        text = one_line(" ".join(self._parts))
        titles = [title for _, title in self._headings]
        if titles and self._headings[0][0] == 1 and not _kind_named(titles[0]):
            titles = titles[1:]
        if text:
            under_label = bool(self._headings) and self._headings[-1][0] == _LABEL_LEVEL
            self.found.append(_Passage(text, self._line, tuple(titles), under_label, self._ticked))
        self._parts, self._level, self._ticked = [], 0, None

    def _begin(self, text: str, line: int, level: int = 0, ticked: bool | None = None) -> None:
        self._parts, self._line, self._level, self._ticked = [text], line, level, ticked

    def _enter(self, level: int, title: str, *, of_entry: int = 0) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, one_line(title.strip(" *_:"))))
        self._label_level = of_entry

    def _item(self, block: Block) -> None:
        text, *rows = block.text.split("\n")
        if 0 < self._level < block.level:
            name = label(self._parts[0]) if len(self._parts) == 1 else None
            if name is None or name.value or not _is_label(name.name):
                last = self._parts[-1].rstrip()
                self._parts[-1] = last if last.endswith((":", ";", "—", ",")) else f"{last.removesuffix('.')};"
                self._parts.append(text)
                self._rows(rows, block.first + 1)
                return
            self._parts = []
            self._enter(_LABEL_LEVEL, name.name, of_entry=self._level)
        self.close()
        if block.level <= self._label_level:
            self._headings.pop()
            self._label_level = 0
        self._begin(text, block.first, block.level, block.box in tuple("xX✓✔") if block.box else None)
        self._rows(rows, block.first + 1)

    def _rows(self, rows: Sequence[str], first: int) -> None:
        """Rows that go on, but for labels, which begin a passage or stand above what follows."""
        for number, row in enumerate(rows, first):
            name = label(row)
            if name is not None and ((name.bold and not name.value) or _is_label(name.name)):
                self.close()
                self._enter(_LABEL_LEVEL, name.name)
                if name.value:
                    self._begin(name.value, number)
            elif not row.startswith(LEGENDS):
                self._line = self._line if self._parts else number
                self._parts.append(row)


def _is_label(name: str) -> bool:
    return _kind_named(name) in _LABELLED


def claims_in(text: str) -> tuple[Claim, ...]:
    """The claims of a draft, in its order. Never raises; a text without headings gives findings."""
    outline = _Outline()
    for block in segments(clean(text).split("\n")[:_LINES_MAX]):
        outline.take(block)
    outline.close()
    return tuple(claim for passage in outline.found if (claim := _claim(passage)) is not None)


def _claim(passage: _Passage) -> Claim | None:
    kind, above = _kind_above(passage.headings)
    told = _ID.sub("", passage.text.removeprefix(_VERIFY)).strip()
    own = label(told)
    named = _kind_named(own.name) if own and own.value and _is_label(own.name) else ""
    may_lead = not kind or (passage.under_label and named != "failed")
    if own and (named in _OF_OPEN if kind == _OPEN else named and may_lead):
        kind, told, above = named, own.value, ""
    told = plain(told)
    if says_nothing(told) or not re.search(r"\w", told):
        return None
    evidence, rest = evidence_in(told)
    known = _of_open(told) if kind == _OPEN else kind or "finding"
    as_kind: Kind = known  # type: ignore[assignment]
    body, why = split_why(told) if as_kind not in ("goal", "next") else (told, "")
    return Claim(
        as_kind,
        body,
        why,
        _status(as_kind, rest, passage.ticked),
        above,
        tuple(dict.fromkeys((*paths_in(rest), *(one.text for one in evidence if one.kind == "file")))),
        of_user=_is_of_user(as_kind, rest),
        line=passage.line,
        evidence=evidence,
    )


def evidence_in(text: str) -> tuple[tuple[CitedProof, ...], str]:
    """The evidence that a text gives, `[commit 4fe21aa] [file src/retry.py] [check pytest -q]`, and the rest of it.

    Several ids or paths may stand in one pair of brackets; a command may hold pairs of its own.
    """
    found: list[CitedProof] = []
    rest, at = "", 0
    while (mark := _EVIDENCE.search(text, at)) and (end := _closing(text, mark.end())) > 0:
        given, kind = text[mark.end() : end].strip(), mark[1].lower()
        if kind in ("check", "run"):
            found.append(CitedProof("check", given.strip("`")))
        else:
            each = (word.strip("`").removeprefix("./") for word in re.split(r"[\s,;]+", given))
            found += [CitedProof("commit" if kind == "commit" else "file", word) for word in each if word]
        rest += text[at : mark.start()]
        at = end + 1
    return tuple(found), (rest + text[at:]).strip()


def _closing(text: str, start: int) -> int:
    """Where the bracket ends that stands open before `start`, -1 if nowhere."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        if not depth:
            return at
    return -1


def _kind_above(headings: tuple[str, ...]) -> tuple[str, str]:
    """The kind that the innermost telling heading says, "" none; and the label: a heading further in, that says no
    kind.
    """
    for depth in range(len(headings), 0, -1):
        if kind := _kind_named(headings[depth - 1]):
            return kind, plain(headings[-1]) if depth < len(headings) else ""
    return "", plain(headings[-1]) if headings else ""


def _kind_named(name: str) -> str:
    """The kind that a heading or a label names, "" none."""
    if kind := _ASKED.get(headings.normal(name)):
        return kind
    topic = headings.topic(name)
    if topic is None:
        parts = (_ASKED.get(headings.normal(part), "") for part in re.split(r"[,/&]|\band\b", name))
        return next(filter(None, parts), "")
    if topic.kind == "reminder" or (topic.kind == "step" and topic.status == PENDING):
        return _OPEN
    return "finding" if topic.kind in ("file", "phase") else topic.kind


def _of_open(told: str) -> str:
    """The kind of an entry that is open: a question, a risk, something put off, or what is not to be forgotten."""
    if re.match(r"\W*risk\b", told, re.IGNORECASE):
        return "risk"
    if told.rstrip(' ”"').endswith("?"):
        return "question"
    if re.search(r"\b(?:deferred|postponed|out of scope|put off|for later)\b", told, re.IGNORECASE):
        return "deferral"
    return "reminder"


def split_why(told: str) -> tuple[str, str]:
    """An entry's statement and its reason: parted at the first dash that stands in no quotation; ("…", "") without."""
    marks = [found for found in _WHY.finditer(told) if found.start() >= 3]
    if not marks:
        return told, ""
    within = _quoted_spans(told)
    for found in marks:
        if not any(start <= found.start() < end for start, end in within):
            return told[: found.start()].rstrip(" ,;"), told[found.end() :].strip()
    return told, ""


def _quoted_spans(text: str) -> list[tuple[int, int]]:
    spans = []
    at = 0
    while at < len(text):
        close = _QUOTE_CLOSES.get(text[at])
        end = _closing(text, at + 1) if close == "]" else text.find(close, at + 1) if close else -1
        if end > 0:
            spans.append((at, end))
            at = end
        at += 1
        if close and end < 0:
            break  # what is never closed quotes nothing, and would be looked for again and again
    return spans


def _status(kind: Kind, told: str, ticked: bool | None) -> str:
    if kind == "validation":
        return check_status(told, ticked)
    if kind != "step":
        return ""
    clean = _NONE_OPEN.sub(" ", told)
    is_open, is_clean = bool(_NOT_COMMITTED.search(clean)), clean != told
    pushed = bool(_PUSHED.search(NOT_PUSHED.sub(" ", clean)))
    committed = bool(_COMMITTED.search(_NOT_COMMITTED.sub(" ", clean)))
    if is_open:
        return "" if committed or pushed else "uncommitted"
    if pushed:
        return "pushed" if not NOT_PUSHED.search(clean) else "committed"
    if committed or is_clean:
        return "committed"
    if _AHEAD.search(told) or ticked is False:
        return "pending"
    return "done" if _DONE.search(told) or ticked else ""


def check_status(told: str, ticked: bool | None = None) -> str:
    """A check's outcome as it is told, with ", before the last edit" behind it where the entry says so."""
    failed = bool(_FAILED.search(_NO_FAILURE.sub(" ", told)) or _NOT_PASSED.search(told) or AMISS.search(told))
    if _NOT_RUN.search(told) and not _PASSED.search(_NOT_PASSED.sub(" ", told)):
        return "not run"
    status = "failed" if failed else "passed" if _PASSED.search(told) or _NO_FAILURE.search(told) or ticked else ""
    return f"{status}, before the last edit" if status and _STALE.search(told) else status


def _is_of_user(kind: Kind, told: str) -> bool:
    if kind in ("constraint", "goal") and _QUOTED_START.match(told):
        return True
    return bool(_USER_SAYS.search(told)) and not _NOT_USER.search(told)
