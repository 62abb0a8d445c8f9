"""Talk: sentences that announce what comes next or cheer about what came. They never survive."""

from __future__ import annotations

from clew.distill.blocks import sentences
from clew.distill.cues import GIVEN_UP, OFFER, REASON, SUBSTANCE, Spoken, spoken
from clew.distill.identifiers import identifiers

_FILLERS = frozenset(
    """ok okay great good perfect excellent alright right sure now next first then finally also so and""".split()
)
_ANNOUNCING = (
    "let me ", "let's ", "i'll ", "i will ", "i'm going to ", "i am going to ", "i need to ", "i should ", "i can now ",
    "i want to ", "let ",
)  # fmt: skip
_SPEAKER = frozenset(["i", "i'm"])
_ANNOUNCING_WORDS = frozenset(
    """updating adding fixing running checking creating writing reading looking searching starting
    implementing verifying""".split()
)
_ORDERS = frozenset(
    """update add fix run check create write implement remove replace move rename extract use change test verify call
    read delete import export follow make set build resolve continue commit install
    wire port revert undo unset rerun flip switch convert adjust extend restore drop keep refactor rewrite""".split()
)

# Words that a cheer over passing checks consists of, and those without which it is none.
_CHEERING = frozenset(
    """all the tests test checks check lint linting build suite still now pass passes passed passing succeed succeeds
    succeeded is are green clean cleanly compiles compile builds compiled and 0 no issues errors warnings everything
    every unit integration code file looks correct good fine packages both""".split()
)
PASSING = frozenset(
    "pass passes passed passing succeed succeeds succeeded green clean cleanly compiles correct".split()
)
# First words of a sentence that only reports success, and how long it may be to count as no more than that.
_SUCCESS = {
    **dict.fromkeys(["done", "fixed", "perfect", "great", "excellent", "good"], 36),
    **dict.fromkeys(["committed", "pushed", "amended", "rebased", "merged", "created", "opened"], 80),
}
_HAVING = (" i have all ", " i now have all ", " i have enough ", " got enough ", " i've got ", " i have everything ",
           " i now have a ", " i have a clear ", " i have a good ", " i have the full ")  # fmt: skip
_HAVING_CHARS_MAX = 80


# An agent that agrees or says again what it was told speaks of what was said before: alone that says nothing, unless
# it says why.
_AGREEING = (" you're right ", " you're absolutely right ", " you are right ", " you're correct ", " your instinct ",
             " good point ", " good catch ", " good question ", " great question ", " fair point ",
             " you want ", " you'd like ", " you would like ", " you're asking ", " you are asking ")  # fmt: skip
_CHEER_CHARS_MAX = 120
# First words of announcements.
_OPENING = (
    _FILLERS | _ANNOUNCING_WORDS | _ORDERS | frozenset("let let's i i'll i'm you're you your good great fair".split())
)


def without_talk(text: str) -> str:
    """A unit without the sentences that only announce what comes next or cheer about what came, and without an
    announcement that stands behind a dash.
    """
    return " ".join(_without_aside(sentence) for sentence in sentences(text) if not is_talk(sentence))


def _without_aside(sentence: str) -> str:
    for dash in _DASHES:
        front, _, behind = sentence.rpartition(dash)
        is_cut = front.count("`") % 2 or front.count("(") > front.count(")")
        if front and behind.startswith(_ASIDES) and not is_cut and is_talk(behind):
            return front
    return sentence


_DASHES = (" — ", " – ", " - ")
_ASIDES = ("I'll ", "I'm ", "I will ", "I am ", "let me ", "Let me ")


def without_announcements(text: str, *, told: str) -> str:
    """A unit without the sentences that announce what comes next, and those that `told` holds."""
    kept = [one for one in sentences(text) if not one.endswith((":", "…")) and not is_announcement(one)]
    return " ".join(one for one in kept if one not in told)


def without_offers(text: str) -> str:
    """A unit of an earlier message without its offers: the user has spoken since. One that says why stays."""
    if not OFFER.within(spoken(text)):
        return text
    return " ".join(sentence for sentence in sentences(text) if not _is_offer(sentence))


def _is_offer(sentence: str) -> bool:
    """Whether it is the agent that would do something: "if you want TLS, set …" tells the reader how."""
    said = spoken(sentence)
    if not OFFER.within(said):
        return False
    is_agents = not _AGENT.isdisjoint(said.words) or said.line.strip().startswith("let me know")
    return sentence.endswith("?") or (is_agents and not SUBSTANCE.within(said))


_AGENT = frozenset(["i", "i'll", "i'd"])


def is_talk(sentence: str) -> bool:
    """Whether a sentence only announces or cheers; one that gives a reason about something named does not."""
    if sentence.endswith((":", "…")):
        return True
    if len(sentence) > _CHEER_CHARS_MAX and sentence.split(" ", 1)[0].rstrip(",.!:").lower() not in _OPENING:
        return False  # the usual case, told without taking the sentence apart
    said = spoken(sentence)
    words = said.line.split()
    if not words or _is_cheer(sentence, words, said.words, said.line):
        return True
    if said.line.startswith(_AGREEING):
        return not _says_why(said)
    if not _is_announcement(words):
        return False
    return not (_says_why(said) and identifiers(sentence))


def _says_why(said: Spoken) -> bool:
    return SUBSTANCE.within(said) or REASON.within(said) or GIVEN_UP.within(said)


def cheers(words: frozenset[str]) -> bool:
    """Whether some words say nothing but that something passed, as far as they say anything."""
    return all(word in _CHEERING or word.isdecimal() for word in words)


def is_order(sentence: str) -> bool:
    """Whether a sentence is a step of a plan: it begins with an order, a number before it or not."""
    for word in spoken(sentence).line.split():
        if not word.isdigit():
            return word in _ORDERS
    return False


def is_announcement(sentence: str) -> bool:
    """Whether a sentence says what its speaker is about to do."""
    return _is_announcement(spoken(sentence).line.split())


def _is_announcement(words: list[str]) -> bool:
    skipped = 0
    while skipped < len(words) and words[skipped] in _FILLERS:
        skipped += 1
    if skipped == len(words):
        return True
    head = words[skipped]
    line = " ".join(words[skipped : skipped + 5]) + " "
    if head in _ANNOUNCING_WORDS or line.startswith(_ANNOUNCING) or (head in _SPEAKER and _is_in_hand(words[skipped:])):
        return True
    return "now" in words[:skipped] and (head == "i" or head in _ORDERS)


# What somebody is about who takes a way, or thinks: no announcement.
_NOT_IN_HAND = frozenset(
    "assuming avoiding choosing deferring expecting keeping leaving relying skipping sticking treating".split()
)
_MEANWHILE = frozenset("now also just still currently next again already".split())


def _is_in_hand(words: list[str]) -> bool:
    """Whether words begin like "I'm now reading": some agents announce in the present tense."""
    at = 1 if words[0] == "i'm" else 2 if words[1:2] == ["am"] else len(words)
    while words[at : at + 1] and words[at] in _MEANWHILE:
        at += 1
    head = words[at] if at < len(words) else ""
    return head.endswith("ing") and head not in _NOT_IN_HAND


def _is_commit_id(name: str) -> bool:
    return len(name) >= 7 and not name.strip("0123456789abcdef")


def _is_cheer(sentence: str, words: list[str], distinct: frozenset[str], line: str) -> bool:
    if cheers(distinct) and not distinct.isdisjoint(PASSING):
        return True
    if len(sentence) <= _SUCCESS.get(words[0], 0):
        return all(_is_commit_id(name) for name in identifiers(sentence))  # commits are told by the tool
    return len(sentence) <= _HAVING_CHARS_MAX and line.startswith(_HAVING)
