"""Words that turn the sense of what stands below or behind them: "must not", "rejected", "out of scope".

Two tests. `turned` says what a heading or label of a known sort makes of what it holds: a rule not to, a choice that
was turned down, what is left out. `doubtful` says whether any word in it could turn the sense at all; then what it
holds keeps the words with it, and is taken for nothing that somebody is to do.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final, Literal

Turn = Literal["forbidden", "rejected", "excluded", "failed", "reminder", "question", "later", "open", "void", ""]

# Behind a verb, where "dont" needs no apostrophe, and anywhere.
_NOT: Final = r"(?:\bnot|n['’]?t|\bnever)"
_ANY_NOT: Final = r"(?:\bnot|n['’]t|\bnever)"
# The first that matches counts. "Do not forget" forbids nothing, and "not done" is work.
_PATTERNS: Final[tuple[tuple[Turn, str], ...]] = (
    (
        "void",
        r"\b(?:previously|formerly|no longer|nothing|none|not)\b.{0,40}\b(?:forbidden|prohibited|off[- ]limits|banned)"
        r"|\bnow (?:allowed|ok|okay|fine|permitted)\b|\bnot an? (?:problem|issue|concern|blocker|risk)\b|"
        r"^\W*(?:allowed|permitted|(?:allow|white)[ -]?list)\W*$",
    ),
    ("reminder", rf"\b(?:do ?{_NOT}|never) (?:forget|lose sight)"),
    ("question", rf"\b(?:do(?:es)?|did) ?{_NOT} (?:yet )?know\b|\b(?:not|un)(?: yet)? ?(?:sure|clear|decided)\b"),
    (
        "failed",
        rf"\b(?:do ?{_NOT}|never|please {_NOT}) (?:retry|re-try|repeat|try)\b|\bnot to (?:retry|repeat|try)\b|"
        rf"\b(?:did|does) ?{_NOT} (?:work|help|pan out)|\bdead[- ]ends?\b|\bwrong turns?\b|\bfalse starts?\b|"
        rf"\b(?:failed|abandoned|rejected|unsuccessful|eliminated|ruled[- ]out)\b.*\b(?:approach|attempt|tried|"
        rf"experiment|hypothes|theor|fix)|^(?:what )?(?:we |i |was )?(?:tried|attempted) (?:and|but) (?:failed|"
        rf"abandoned|dropped|reverted)",
    ),
    (
        "later",
        rf"\b(?:no|ran out of|have ?{_NOT} had|did ?{_NOT} have|lacked) (?:the )?time\b|\b(?:did|have|could) "
        rf"?{_NOT}(?: yet)? (?:get|got|come|manage|reach) (?:to|round|around)\b",
    ),
    (
        "open",
        rf"\b(?:did|have|could) ?{_NOT}(?: yet)? (?:finish|done|complete)|(?:{_ANY_NOT}(?: yet)?(?: been)?|\bun) "
        rf"?(?:done|started|finished|implemented|built|merged|completed?|tested|written|addressed|handled)\b|"
        rf"\bincomplete\b|\bleft (?:undone|open|over)\b",
    ),
    (
        "rejected",
        r"\b(?:decided|chose|choosing|opted|voted|advised?|argued) (?:against|not\b)|\breject|\bturned down\b|"
        r"\bdeclin|\bdismissed\b|\bveto|\bdiscard|\b(?:were|was|are|is)? ?not (?:chosen|taken|adopted|accepted|used|"
        r"picked|selected)\b|\bruled[- ]out\b|\bconsidered (?:and|but) (?:drop|not|reject|abandon|dismiss)|"
        r"\babandoned\b|\bscrapped\b|\b(?:we|i) (?:will|would|are|am|do|did)(?: not|n['’]t) (?:use|take|adopt|choose|"
        r"want|go)",
    ),
    (
        "excluded",
        rf"\b(?:out[- ]of|not in|beyond|outside(?: of)?)(?: the)? scope\b|\bnon-?goals?\b|\bnot (?:a |our )?goals?\b|"
        rf"\b(?:are|is|am|be|will|wo|we) ?(?:{_NOT} )?{_NOT} (?:do|be|build|plan|doing|going|building|planned|"
        rf"part)\b|\bwon['’]?t[- ](?:do|be|fix|have|build)\b|\bnot (?:doing|building|planned|needed|"
        rf"included|part of|now|this)\b|\bexclu(?:ded?|sions?|ding)\b|\bno longer (?:needed|planned|wanted|relevant|"
        rf"doing)\b|\b(?:skipp?ed|scope cuts?|cut for)\b|\bcancell?ed\b|\bdropped\b|\bnot worth\b",
    ),
    (
        "forbidden",
        rf"\b(?:must|shall|should|may|ought) ?{_NOT}\b(?! only| just)|^\W*(?:please |you |we |agents? )?(?:do|can|"
        rf"are to|dare) ?{_NOT}\b|^\W*(?:things? (?:to|you|we|i) |what (?:to|you|we) |you |and )?(?:can |do |should "
        rf")?(?:{_ANY_NOT}|cannot)\b|{_ANY_NOT} (?:to|allowed|permitted|acceptable|ok|okay|welcome|touch|use)\b|"
        rf"\bavoid|\bverboten|\binterdit|\bprohibid|\bvietat|"
        r"\boff[- ]?limits\b|\bforbid|\bprohibit|\bdisallow|\bban(?:s|ned)?\b|\bno[- ]?gos?\b|\btaboo|"
        rf"\bhands[- ]off\b|\bkeep (?:out|away|off|clear)\b|\bsta(?:y|ying) (?:away|clear|out|off)\b|\bsteer clear\b|"
        rf"\blea?ve\b.{{0,40}}\b(?:alone|untouched|as is|be)\b|\brefrain|\buntouchable|\bdon['’]?t['’]?s\b|"
        rf"\banti-?patterns?\b|\bstop (?:doing|using)\b|\bwithout (?:asking|permission|approval)\b|\bunder no "
        rf"circumstances|\bno (?:touching|changes? to|edits? (?:to|in|of)|touch)|\bred lines?\b|\bdeny ?list|\bblack "
        rf"?list",
    ),
)


@cache
def _turns() -> tuple[tuple[Turn, re.Pattern[str]], ...]:
    """The patterns, compiled at first use: many commands load this module and look at no heading."""
    return tuple((turn, re.compile(pattern, re.IGNORECASE)) for turn, pattern in _PATTERNS)


# In other languages, and what English has besides.
_DOUBTFUL: Final = (
    r"\b(?:not?|none|nor|neither|never|nothing|nobody|nowhere|without|instead|rather than|except|unless|against|"
    r"cease|stop|quit|wrong|bad|mistakes?|don|doesn|cannot|can['’]t|fail\w*|reject\w*|refus\w*|den(?:y|ied)|drop\w*|"
    r"abandon\w*|cancel\w*|skip\w*|exclu\w*|forbid\w*|prohibit\w*|avoid\w*|obsolete|superseded|deprecated|withdrawn|"
    r"revoked|invalid|untrue|false|hypothetical|unless|hardly|barely|refrain\w*|discourag\w*|dangerous|harmful|nicht|"
    r"kein\w*|nie|niemals|verbot\w*|vermeid\w*|ohne|statt|abgelehnt\w*|verworfen\w*|pas|jamais|aucun\w*|sans|évit\w*|"
    r"interdi\w*|rejet\w*|abandonn\w*|nunca|jamás|ni|sin|evit\w*|prohib\w*|proib\w*|rechaz\w*|descart\w*|não|sem|"
    r"rejeit\w*|non|mai|vieta\w*|senza|geen|niet|nooit|verboden|inte|aldrig|ikke|aldri|ei|nie|nigdy|ne|nikdy)\b|"
    r"\bun(?=[a-z]{4})|n['’]t\b|\bне\b|\bнет\b|\bнельзя\b|\bникогда\b|запрещ|отклон|不|别|勿|禁止|没|未|无|非|避け|"
    r"しない|ない|ません|なし|안 |않|말 것|마세요|금지|없"
)
_LOOKED_AT_CHARS: Final = 400


# What may stand in front of such words without being what the heading is about.
_LEADS: Final = frozenset(
    """what which we i you things thing items ideas options alternatives approaches paths areas files please explicitly
    the
    that these those this is are was were be to currently for now also and all any decisions choices tasks work features
    stuff everything code agents deliberately intentionally""".split()
)
_WORDS_MAX: Final = 4
_WORD: Final = re.compile(r"[^\W_]+")
_STRONG: Final = ("forbidden", "rejected", "excluded", "failed")
_CONDITION: Final = re.compile(r"\b(?:if|unless|until|once|when|in case|provided|wenn|falls|sobald)\b", re.IGNORECASE)
# "Do not forget" and "never mind" forbid nothing.
_NEGATED: Final = re.compile(r"\W*(?:please )?(?:do not|don['’]?t|never|must not)\b(?! (?:forget|mind))", re.IGNORECASE)


@cache
def _doubts() -> re.Pattern[str]:
    return re.compile(_DOUBTFUL, re.IGNORECASE)


def conditional(text: str) -> bool:
    """Whether the heading `text` says when what it holds is so: "Next (only if CI is red)"."""
    return _CONDITION.search(text[:_LOOKED_AT_CHARS]) is not None


def negated(text: str) -> bool:
    """Whether an entry says in its first words what not to do."""
    return _NEGATED.match(text) is not None


@lru_cache(maxsize=2048)
def turned(text: str) -> Turn:
    """What the heading or label `text` makes of what it holds, "" where it is none of these sorts. A long one that
    only has such a word in it ("Fix the reader so that it can avoid a copy") is about something else.
    """
    text = text[:_LOOKED_AT_CHARS]
    for turn, pattern in _turns():
        if match := pattern.search(text):
            front = _WORD.findall(text[: match.start()].lower())
            is_short = len(_WORD.findall(text)) <= _WORDS_MAX
            return turn if is_short or _LEADS.issuperset(front) else ""
    return ""


@lru_cache(maxsize=2048)
def doubtful(text: str) -> bool:
    """Whether a word in the heading, label or sentence `text` could turn the sense of what it introduces."""
    text = text[:_LOOKED_AT_CHARS]
    return _doubts().search(text) is not None or any(
        pattern.search(text) for turn, pattern in _turns() if turn in _STRONG
    )
