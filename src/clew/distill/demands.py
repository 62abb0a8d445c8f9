"""What the user wants and does not want, in whole sentences of theirs, out of requests that are told in part or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.core.records import Prompt
from clew.core.text import one_line
from clew.distill import prompts
from clew.distill.blocks import sentences
from clew.distill.cues import RULE, WISH, spoken
from clew.distill.fact import FILL_TIER, Fact, fact
from clew.distill.identifiers import content_words
from clew.distill.session import Session
from clew.distill.units import leans

# Room in characters: for one sentence with what it leans on, and for all.
_DEMAND_CHARS = 240
_DEMANDS_CHARS = 520
_WORDS_MIN = 3
_REST_CHARS = 1000
# A statement with one of these behind it asks for no more than a nod.
_TAGS = (", no?", ", yes?", ", yeah?", ", right?", ", ok?", ", okay?")


def gather(session: Session, told: str, own: Mapping[int, str]) -> list[Fact]:
    """The demands of a person that `told` does not hold, the newest first while they fit: an agent that does not know
    them does again what the user has turned down. What a program asks is no demand. `own` has for requests, by event,
    the user's words without what they quote.
    """
    facts: list[Fact] = []
    room = _DEMANDS_CHARS
    for index, said in _requests(session, own):
        for text in demands(said):
            if text in told or len(text) > room:
                continue
            room -= len(text)
            facts.append(fact("constraint", text, index, 3, provenance="human"))
    return facts


def rest(session: Session, told: str, own: Mapping[int, str], *, last_edit: int) -> list[Fact]:
    """The other sentences of a person's requests that `told` does not hold, the newest request first: for documents
    that have room for all that is chosen. What was said before the event `last_edit` may not be so any more.
    """
    facts: list[Fact] = []
    leads: set[str] = set()
    room = _REST_CHARS
    for index, said in _requests(session, own):
        lead = prompts.lead(said)
        if lead in leads:
            continue
        is_latest = not leads
        leads.add(lead)
        for line in prompts.request_lines(said):
            for text in sentences(one_line(line)):
                if not is_latest and (WISH.within(spoken(text)) or RULE.within(spoken(text))):
                    continue  # what was asked since may have lifted it
                if text not in told and _WORDS_MIN <= len(text.split()) and len(text) <= room:
                    room -= len(text)
                    status = "earlier" if index < last_edit else ""
                    facts.append(fact("finding", text, index, FILL_TIER, provenance="human", status=status))
    return facts


def _requests(session: Session, own: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """What a person typed that is neither a paste nor a mere nod: the event and their own words, the newest first."""
    for index in range(len(session.events) - 1, -1, -1):
        event = session.events[index]
        if not isinstance(event, Prompt) or event.source != "typed" or not session.is_persons(event):
            continue
        if not prompts.is_paste(event.text) and not prompts.is_nod(event.text):
            yield index, own.get(index, event.text)


def demands(text: str) -> list[str]:
    """The sentences of a prompt that say what is wanted or not, each with the one before it that it leans on."""
    found: list[str] = []
    before = ""
    for line in prompts.request_lines(text):
        for sentence in sentences(one_line(line)):
            whole = f"{before} {sentence}" if leans(sentence) and before else sentence
            if _is_demand(sentence) and len(whole) <= _DEMAND_CHARS:
                if found and before and found[-1].endswith(before):
                    found.pop()
                found.append(whole)
            before = sentence
        before = ""
    return [one for one in found if len(content_words(spoken(one).words)) >= _WORDS_MIN]


def _is_demand(sentence: str) -> bool:
    return (not sentence.endswith("?") or sentence.lower().endswith(_TAGS)) and WISH.within(spoken(sentence))
