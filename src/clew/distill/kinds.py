"""Which kind of item a heading or a label announces. Words of the text itself decide nothing."""

from __future__ import annotations

from clew.core.state.items import Kind
from clew.distill.identifiers import words_of

# All words of a heading must be among its kind's words and the neutral ones: "Next steps", not "Next.js".
_NAMED: dict[Kind, frozenset[str]] = {
    "next": frozenset(["next"]),
    "question": frozenset(["question", "questions"]),
    "deferral": frozenset("deferred later postponed backlog scope".split()),
    "decision": frozenset("decision decisions decided rationale".split()),
    "risk": frozenset("risk risks caveat caveats limitation limitations warning warnings gotcha gotchas".split()),
    "blocker": frozenset("blocked blocker blockers".split()),
    "failed": frozenset(["failed", "ends", "tried", "rejected", "didn't", "abandoned"]),
    "step": frozenset(
        """remaining remains todo todos to-do to-dos left pending outstanding open unfinished follow-up follow-ups
        not""".split()
    ),
}
_NEUTRAL = frozenset(
    """a action actions alternatives an and approach approaches are be but dead design did do done for i immediate in is
    issue issues it item items key known made next of on open optional or our out points potential remaining still step
    steps task tasks that the there things this to up was we what what's with work worth yet you your""".split()
)
# These words name a kind only beside another: "scope", "what not to do".
_BESIDE = {"scope": "out", "not": "done"}
_CLOSED = frozenset(["no", "none", "resolved", "fixed", "answered", "closed", "completed"])
_WORDS_MAX = 6


def kind_named(heading: str) -> Kind | None:
    """The kind of what stands under a heading or behind a label; None if it names none ("Open questions (none)")."""
    words = frozenset(words_of(heading)) if heading else frozenset[str]()
    if not words or len(words) > _WORDS_MAX or not words.isdisjoint(_CLOSED):
        return None
    if any(word in words and other not in words for word, other in _BESIDE.items()):
        return None
    for kind, names in _NAMED.items():
        if not words.isdisjoint(names) and words <= names | _NEUTRAL:
            return kind
    return None
