"""A draft's text: how an agent is asked for one, and the claims that it makes. Pure.

A draft has our headings (`REQUEST`), but agents write them as they like, so headings are known by their words. What
stands under a heading that says no kind is a finding with that label: nothing is lost, and no meaning is guessed.
"""

from __future__ import annotations

import re
from typing import Final

from clew.core.state.draft import Claim, Evidence
from clew.core.state.items import Kind
from clew.core.text.cleaning import one_line
from clew.documents.markdown_blocks import Block, blocks, label_of
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

# What a heading's words say, the first that fits; `_OPEN` holds several kinds, told apart by their words.
_OPEN: Final = "open"
_HEADINGS: Final[tuple[tuple[str, str], ...]] = (
    ("failed", r"fail|dead.?ends?|(?:did ?n.t|did not|does ?n.t|what not) .*work|do not retry|tried|pitfall"),
    ("constraint", r"constraint|must (?:stay|not|hold)|hard rules?|user.?s rules?|ground rules?|preferences?"),
    ("next", r"next\b|what now"),
    ("deferral", r"defer|later|out of scope|postponed|parked"),
    ("question", r"questions?"),
    ("risk", r"risks?\b"),
    ("blocker", r"block(?:er|ed)"),
    (_OPEN, r"open\b|don.?t forget|do not forget|remember|loose ends?|pending|remaining|unfinished|to.?dos?\b|gaps"),
    ("decision", r"decisions?|decided|choices?|rationale"),
    ("validation", r"checks?\b|validat|verif|tests?\b|test results?"),
    ("hypothesis", r"hypothes"),
    ("assumption", r"assum"),
    ("step", r"state\b|status\b|repo(?:sitory)?\b|git\b|commits?\b|where (?:we|things) (?:are|stand)|progress|done\b"),
    ("goal", r"goals?\b|objective|task\b|request|mission|aim\b|what the user (?:asked|wants)"),
    ("finding", r"findings?|facts?|learned|learnings?|gotchas?|notes?|context|background|worth knowing"),
)
_HEADING_WORDS_MAX: Final = 8
# Labels that name a kind by themselves, in front of a line or an entry.
_LABELS: Final[dict[str, str]] = {
    "goal": "goal", "task": "goal", "request": "goal", "last request": "goal",
    "decision": "decision", "decisions": "decision", "decided": "decision",
    "failed": "failed", "dead end": "failed", "dead ends": "failed", "failed approaches": "failed",
    "constraint": "constraint", "constraints": "constraint", "user constraints": "constraint",
    "open": _OPEN, "don't forget": _OPEN, "open / don't forget": _OPEN, "todo": _OPEN, "reminder": "reminder",
    "next": "next", "next action": "next", "next step": "next", "next steps": "next",
    "state": "step", "status": "step", "checks": "validation", "check": "validation", "validation": "validation",
    "question": "question", "open question": "question", "questions": "question", "open questions": "question",
    "risk": "risk", "risks": "risk", "blocker": "blocker", "blocked": "blocker",
    "deferred": "deferral", "deferral": "deferral", "finding": "finding", "note": "finding", "fact": "finding",
}  # fmt: skip
# Of those, what an entry under the heading "Open" may be.
_OF_OPEN: Final = frozenset(("question", "risk", "blocker", "deferral", "reminder"))

_EMPHASIS: Final = re.compile(
    r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]*?[^\s*])\1(?![\w*])|(?<![\w_])(_{1,2})(?=[^\s_])([^\n_]*?[^\s_])\3(?![\w_])"
)
_CODE: Final = re.compile(r"(`+[^`]*`+)")
_DUNDER: Final = re.compile(r"__\w+__$")
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
    r"|[—–-] (?:the )?user(?:'s|’s)?(?=\s*(?:[—–;,.(]|$))|^user(?:'s|’s)?: "
    r"|\b(?:vom|der|des) (?:be)?nutzers?\b|\bl['’]utilisateur\b|\b(?:el|del) usuario\b",
    re.IGNORECASE,
)
_NOT_USER: Final = re.compile(
    r"\bnot (?:by |from )?(?:the )?user\b|\bnot the user'?s\b|\buser (?:has ?n.t|has not|did ?n.t|did not|never)\b"
    r"|\bno answer\b",
    re.IGNORECASE,
)
_QUOTED_START: Final = re.compile(r"[\W_]{0,3}[“\"„«][^“”\"«»]{3,}[”\"“»]")
_TELLS_STATUS: Final = re.compile(
    r"\W*(?:status|state|not done|not yet|done|partly|in progress|finished|complete)\b", re.I
)


def claims_in(text: str) -> tuple[Claim, ...]:
    """The claims of a draft, in its order. Never raises; a text without headings gives findings."""
    claims: list[Claim] = []
    has_goal = False
    for block in blocks(text, _is_label):
        claim = _claim(block, has_goal=has_goal)
        if claim is not None:
            claims.append(claim)
            has_goal = has_goal or claim.kind == "goal"
    return tuple(claims)


def _claim(block: Block, *, has_goal: bool) -> Claim | None:
    kind, label = _kind_above(block)
    told = _ID.sub("", block.text.removeprefix(_VERIFY)).strip()
    own, rest = label_of(told)
    named = _LABELS.get(_plain(own), "")
    may_lead = not kind or (block.under_label and named != "failed")
    if own and rest and (named in _OF_OPEN if kind == _OPEN else named and may_lead):
        kind, told, label = named, rest, ""
    told = one_line(without_emphasis(told))
    if not re.search(r"\w", told) or _plain(told) in ("none", "nothing", "n/a", "not applicable", "none named"):
        return None
    evidence, plain = evidence_in(told)
    known = _of_open(told) if kind == _OPEN else kind or "finding"
    if known == "goal" and has_goal and _TELLS_STATUS.match(told):
        known = "step"
    as_kind: Kind = known  # type: ignore[assignment]
    body, why = split_why(told) if as_kind not in ("goal", "next") else (told, "")
    return Claim(
        as_kind,
        body,
        why,
        _status(as_kind, plain, block.ticked),
        label,
        tuple(dict.fromkeys((*paths_in(plain), *(one.text for one in evidence if one.kind == "file")))),
        of_user=_is_of_user(as_kind, plain),
        line=block.line,
        evidence=evidence,
    )


def evidence_in(text: str) -> tuple[tuple[Evidence, ...], str]:
    """The evidence that a text gives, `[commit 4fe21aa] [file src/retry.py] [check pytest -q]`, and the rest of it.

    Several ids or paths may stand in one pair of brackets; a command may hold pairs of its own.
    """
    found: list[Evidence] = []
    rest, at = "", 0
    while (mark := _EVIDENCE.search(text, at)) and (end := _closing(text, mark.end())) > 0:
        given, kind = text[mark.end() : end].strip(), mark[1].lower()
        if kind in ("check", "run"):
            found.append(Evidence("check", given.strip("`")))
        else:
            each = (word.strip("`").removeprefix("./") for word in re.split(r"[\s,;]+", given))
            found += [Evidence("commit" if kind == "commit" else "file", word) for word in each if word]
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


def _kind_above(block: Block) -> tuple[str, str]:
    """The kind that the innermost telling heading says, "" none; and the label: a heading further in, that says no
    kind. The text's own title is no label.
    """
    titles = block.headings[1:] if block.has_title else block.headings
    for depth in range(len(titles), 0, -1):
        if kind := _kind_of_heading(titles[depth - 1]):
            return kind, without_emphasis(titles[-1]) if depth < len(titles) else ""
    return "", without_emphasis(titles[-1]) if titles else ""


def _kind_of_heading(title: str) -> str:
    plain = _plain(title)
    if plain in _LABELS:
        return _LABELS[plain]
    if len(plain.split()) > _HEADING_WORDS_MAX:
        return ""
    return next((kind for kind, words in _HEADINGS if re.search(rf"\b(?:{words})", plain)), "")


def _is_label(label: str) -> bool:
    return _plain(label) in _LABELS


def _plain(label: str) -> str:
    """A heading's words alone: no numbers, signs and emphasis around them."""
    return one_line(label.replace("’", "'")).strip(" *_#:.-–—0123456789)(`✓✗✅❌⚠️🎯📌").lower()


def _of_open(told: str) -> str:
    """The kind of an entry that is open: a question, a risk, something put off, or what is not to be forgotten."""
    if re.match(r"\W*risk\b", told, re.IGNORECASE):
        return "risk"
    if told.rstrip(' ”"').endswith("?"):
        return "question"
    if re.search(r"\b(?:deferred|postponed|out of scope|put off|for later)\b", told, re.IGNORECASE):
        return "deferral"
    return "reminder"


def without_emphasis(text: str) -> str:
    """`text` without marks of emphasis; what stands in back-quotes, and names such as `__init__`, stay."""
    if "*" not in text and "_" not in text:
        return text
    parts = _CODE.split(text)
    return "".join(part if at % 2 else _EMPHASIS.sub(_unmarked, part) for at, part in enumerate(parts))


def _unmarked(found: re.Match[str]) -> str:
    if _DUNDER.match(found[0]):
        return found[0]
    return found[2] if found[1] else found[4]


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
