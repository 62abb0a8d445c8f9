"""Headings and lines that are themselves items by their form: "Phase 2: …", "### Decision 3: …", a dated entry of a
journal. Knows nothing of what stands around them.
"""

import re
from typing import Literal

from clew.core.items import Kind
from clew.core.tuples import NamedTuple
from clew.documents.parse import stamps, vocabulary, words
from clew.documents.parse.inline import label

_PHASE = re.compile(
    r"(?:phase|milestone|sprint|stage|week|month|wave|iteration|quarter|epic|cycle|part|フェーズ|阶段|階段|里程碑|マイルストーン|단계|fase|étape)"
    r"s?\s*#?\d+(?:[.–-]\d+)*(?:[a-z]?\b|\+)(?![.\d]*\s*(?:and|or|to)\s)|M\d{1,2}(?=\s*(?:[:—–]|\s-\s))"
    r"|(?:phase|milestone|stage|wave) (?-i:[A-Z])\b(?!['’])",
    re.IGNORECASE,
)
# "Integration phase (week 1)"
_NAMED_PHASE = re.compile(
    r"(?:(?!(?:current|this|next|last|previous|the|from|of|in|for|during|each) )[\w/&-]+ ){1,3}phase(?:\s*\([^()]*\))?",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:task|step|story|user story|ticket|feature|todo|work item|subtask|action|experiment|improvement|change|fix|pr|"
    r"paso|schritt|"
    r"手順|ステップ|任务|步骤|작업)"
    r"\s*#?[A-Z]{0,3}-?\d+(?:\.\d+)*[a-z]?\b"
    r"|(?-i:T)-?\d{1,4}[a-z]?(?=\s*:|\s+[—–-]\s)",
    re.IGNORECASE,
)
# "Refactor: one place for it"
_WORK = re.compile(
    r"(?:additional |follow-?up )?(?:(?:bug|hot)?fix|refactor(?:ing)?|feature|enhancement|improvement|cleanup)\s*:\s+"
    r"(?=\S)",
    re.IGNORECASE,
)
# "Priority 1: check the build"
_RANKED = re.compile(r"(?:priority|prio)\s*#?\d{1,2}\s*[:—–-]\s+(?=\S+\s+\S)", re.IGNORECASE)
_DECISION = re.compile(
    r"(?:decision|adr|decisión|entscheidung|決定|决策)[ -]*#?\d+\b\s*[:.—–-]*\s*|D-?\d{1,3}\s*[:.—–]\s*", re.IGNORECASE
)
_OTHER = re.compile(
    r"(?P<name>risk|question|finding|bug|issue|lesson|hypothesis|blocker|constraint|assumption|gotcha|problem|attempt|"
    r"q|r|h)"
    r"(?:[ -]*#?\d+| (?-i:[A-Z])(?=\W))\s*(?P<aside>[(（][^()（）]{1,40}[)）]\s*)?[:：.—–-]+\s*",
    re.IGNORECASE,
)
_DATE = re.compile(rf"\[?\b(?:{stamps.DATE})\]?(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z| ?UTC| ?[A-Z]{{3,4}})?)?", re.IGNORECASE)
# "2026-08: One parser for both"
_MONTH = re.compile(r"20\d\d-(?:0[1-9]|1[0-2])(?=\s*:|\s+[—–-]\s)")
# "Session 3 — Parser"
_SESSION = re.compile(r"session\s*#?\d{1,4}\b(?=\s*(?:$|[:—–|(,-]))", re.IGNORECASE)
_CUT = re.compile(r"\s*(?:[:—–(]|-\s|\.\s|$)")
_NUMBERED = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3})*[.):]?|#\d+[.):]?|[A-Z]\d{1,3}[.):]|\(\d+\)|[IVX]{1,4}[.)]|[A-Z][.)])\s+(?=\S)"
)
# "DECISION — one buffer for all files"
_SHOUTED = re.compile(r"(?P<name>[A-Z][A-Z ]{2,30}?)\s+(?:[—–]|--?)\s+(?P<value>\S+\s.*[a-z].*)")
_RELEASE = re.compile(
    r"(?:(?:version |release )?v?\d{1,2}\.\d{1,3}(?:\.\d{1,3})?\s*(?:[—–:]|\s-\s)\s*\S"
    r"|(?:(?:version|release) v?|v)\d{1,2}\.\d{1,3}(?:\.\d{1,3})?\s*(?:$|\()"
    r"|(?:Q[1-4]|H[12])\b[ /-]*(?:20\d\d)?\s*(?:$|[—–:(]))",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"(?:\w+ )?(?:task|feature|work|item|story|ticket|bug|issue)s?\b|completed$|done$|fixed$", re.IGNORECASE
)
_SEPARATORS = " \t:—–-|.,()[]#*"
_OTHER_KINDS: dict[str, Kind] = {
    "risk": "risk", "r": "risk", "question": "question", "q": "question", "finding": "finding", "bug": "finding",
    "issue": "finding", "problem": "finding", "lesson": "learning", "gotcha": "learning", "hypothesis": "hypothesis",
    "h": "hypothesis", "blocker": "blocker", "constraint": "constraint", "assumption": "assumption",
    "attempt": "failed",
}  # fmt: skip
# Kinds that a heading may be by its label alone: "Decision: …".
_LABELLED = frozenset(
    (
        "decision",
        "risk",
        "question",
        "failed",
        "hypothesis",
        "blocker",
        "goal",
        "learning",
        "constraint",
        "next",
        "deferral",
    )
)
# … and facts by these: "Bug: the list is empty".
_FAULTS = frozenset(("bug", "issue", "problem", "known issue", "known bug"))
# … and by its label in capitals: "FINDING — …".
_SHOUTED_KINDS = _LABELLED | {"finding"}

# "done": a label says that it is.
How = Literal["shape", "dated", "label", "done"]


class Shape(NamedTuple):
    """The kind that a heading is. `text` is its words, `title` those that are its own and may name what stands below
    it. `how` it was seen.
    """

    kind: Kind
    text: str
    title: str
    how: How


def shape(text: str, *, line: bool = False) -> Shape | None:
    """The item that a plain heading or label is by its form, None if it is none. `line`: it is no heading but a line of
    text, which must have a colon, a dash or a bracket behind the number.
    """
    if (match := _PHASE.match(text)) and (not line or _CUT.match(text, match.end())):
        return Shape("phase", text, text[match.end() :].strip(_SEPARATORS), "shape")
    if not line and _NAMED_PHASE.fullmatch(text) and not (words.is_past(text) or words.is_imperative(text)):
        return Shape("phase", text, text, "dated")
    if (match := _STEP.match(text)) and (not line or _CUT.match(text, match.end())):
        return Shape("step", text, text[match.end() :].strip(_SEPARATORS), "shape")
    if not line and (match := _RANKED.match(text)):
        return Shape("step", text[match.end() :], text[match.end() :], "dated")
    if not line and (match := _WORK.match(text)):
        return Shape("step", text, text[match.end() :], "dated")
    if (match := _DECISION.match(text)) and match.end() < len(text):
        title = text[match.end() :]
        # A word alone says little: "ADR-001 — PostgreSQL".
        return Shape("decision", title if " " in title else text, title, "shape")
    if (match := _OTHER.match(text)) and match.end() < len(text):
        title = text[match.end() :]
        return Shape(_OTHER_KINDS[match["name"].lower()], text if match["aside"] else title, title, "shape")
    if not line and (match := _SHOUTED.match(text)):
        named = vocabulary.exact(match["name"])
        if named and named.kind and named.kind in _SHOUTED_KINDS and not named.soft:
            return Shape(named.kind, match["value"], match["value"], "shape")
    if (split := label(text)) and split.value and not split.bold:
        named = vocabulary.topic(split.name)
        if named and named.kind in _LABELLED:
            return Shape(named.kind, split.value, split.value, "label")
        if not line and named and named.kind == "finding" and split.name.lower() in _FAULTS:
            return Shape("finding", split.value, split.value, "label")
        if not line and named and named.kind == "step" and named.status == "done" and _TASK.match(split.name):
            # "Task completed: the new view"
            return Shape("step", split.value, split.value, "done")
    return None


def dated(text: str) -> str | None:
    """The title of a journal's entry, whose heading has a date in front or behind or counts a session; "" without a
    title, None where there is neither.
    """
    if session := _SESSION.match(text):
        return text[session.end() :].strip(_SEPARATORS)
    match = _MONTH.match(text) or _DATE.search(text)
    if match and match.start() and match.end() < len(text) and text[match.start() - 1] + text[match.end()] == "()":
        return None
    if match is None or (match.start() > 30 and match.end() < len(text) - 30):
        return None
    rest = (text[: match.start()] + " " + text[match.end() :]).strip(_SEPARATORS)
    return re.sub(
        r"^(?:session(?: log)?|update|entry|log|day)\b(?:\s*#?\d+)?[\s:—–-]*", "", rest, flags=re.IGNORECASE
    ).strip(_SEPARATORS)


def unnumbered(text: str) -> tuple[str, bool]:
    """A heading without the number in front, and whether there was one."""
    match = _NUMBERED.match(text)
    # "1.1 — The reader"
    return (text[match.end() :].lstrip("—–:- "), True) if match and match.end() < len(text) else (text, False)


def released(text: str) -> bool:
    """Whether a heading is a version and what it will bring, "v0.2 — All rows", or a part of a year; one with a date
    tells what it did.
    """
    return _RELEASE.match(text) is not None and _DATE.search(text) is None
