"""What a heading asks that is a question: "What is left to build", "Where to start". Knows nothing of the table."""

from __future__ import annotations

from itertools import pairwise

from clew.documents.parse.topics import (
    AREA,
    BLOCKED,
    CRITERIA,
    DECISION,
    DEFERRED,
    DOING,
    DONE,
    FACT,
    FAILED,
    FILES,
    GOAL,
    LEARNED,
    LOOSE,
    NEXT,
    NOTHING,
    PENDING,
    RISK,
    RULE,
    STEP,
    URGENT,
    VALIDATION,
    Topic,
)

COPULAS = frozenset("is are was were has have can will does".split())
_NEGATED: tuple[tuple[frozenset[str], Topic], ...] = (
    (frozenset(("done", "started", "implemented")), PENDING),
    (frozenset("break touch change edit modify".split()), RULE),
    (frozenset("guess know expect see tell".split()), URGENT),
    (frozenset("cover covered do doing include included in supported part planned add".split()), DEFERRED),
)
# "What is not ready yet", "Things you must not do"
_UNTIL = frozenset(("yet", "ready"))
_OUGHT = frozenset((("not", "to"), ("must", "not"), ("should", "not")))
_HELPS = frozenset("work works worked working help helped go went pan succeed solve".split())
_NOT = frozenset("not didnt doesnt dont isnt wont cant hasnt havent wasnt never".split())
# What a question asks for, by one of its words; the first row that has one counts.
_QUESTIONS: tuple[tuple[str, frozenset[str], Topic], ...] = (
    ("what", frozenset("deferred parked postponed".split()), DEFERRED),
    ("what", frozenset("blocked blocking blocks".split()), BLOCKED),
    ("what", frozenset("left remains remain remaining missing still unfinished needs".split()), PENDING),
    ("what", frozenset(("progress",)), DOING),
    ("what", frozenset("already done".split()), DONE),
    ("what", frozenset(("happened", "happens")), FACT),
    ("what", frozenset(("changes", "change")), STEP),
    ("what", frozenset("deployed live main limited stubbed mocked simplified".split()), FACT),
    ("what", frozenset("on did done got went built changed ran".split()), DONE),
    ("what", frozenset("tried failed".split()), FAILED),
    ("what", frozenset("could might".split()), RISK),
    ("what", frozenset("surprised bit hurt tripped differently".split()), LEARNED),
    ("what", frozenset("unchanged stay".split()), RULE),
    ("what", frozenset("observed noticed saw found live deployed running".split()), FACT),
    ("what", frozenset("main wrong bug says means know".split()), FACT),
    ("what", frozenset("chosen picked chose decided agreed".split()), DECISION),
    ("what", frozenset("first".split()), NEXT),
    ("what", frozenset("need".split()), PENDING),
    ("what", frozenset(("success",)), CRITERIA),
    ("what", frozenset("remember know mind watch surprise surprises bite bites careful".split()), URGENT),
    ("what", frozenset("avoid".split()), RULE),
    ("what", frozenset("next".split()), NEXT),
    ("what", frozenset("broken fails failing breaks broke exists works working have currently found".split()), FACT),
    ("what", frozenset("learned learnt helped worked works".split()), LEARNED),
    ("what", frozenset("tested verified checked".split()), VALIDATION),
    ("what", frozenset("want wanted asked requested trying".split()), GOAL),
    ("what", frozenset(("in",)), FACT),
    ("where", frozenset("start resume pick continue begin go".split()), NEXT),
    ("where", frozenset("live lives located find".split()), FILES),
    ("where", frozenset("we i am things stand stands project".split()), FACT),
    ("how", frozenset("test verify check tested verified validate validated".split()), VALIDATION),
    ("how", frozenset("resume continue".split()), NEXT),
    ("how", frozenset("works work".split()), AREA),
    ("how", frozenset(), NOTHING),
    ("why", frozenset(), LOOSE),
)


def asked(words: tuple[str, ...]) -> Topic | None:
    """What a heading names that is a question: "What is left to build"."""
    ask, rest = ("what", words[1:]) if words[0] == "whats" else (words[0], words[1:])
    if ask == "what" and not _NOT.isdisjoint(rest):
        if not _UNTIL.isdisjoint(rest):
            return PENDING
        if any(pair in _OUGHT for pair in pairwise(rest)):
            return RULE
        fallback = FAILED if not _HELPS.isdisjoint(rest) else None
        return next((named for named_by, named in _NEGATED if not named_by.isdisjoint(rest)), fallback)
    for question, named_by, named in _QUESTIONS:
        if ask == question and (not named_by or not named_by.isdisjoint(rest)):
            return named
    if ask == "what" and any(word.endswith("ed") for word in rest):
        return DONE
    # "What this does"
    return NOTHING if ask == "what" and not COPULAS.isdisjoint(rest) else None
