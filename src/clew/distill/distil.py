"""From a session to its state: facts by rule and the sentences worth keeping, as items in order of importance."""

from __future__ import annotations

import re
from collections import Counter

from clew.core.records.transcript import (
    Ask,
    Delegate,
    Edit,
    Other,
    Plan,
    Prompt,
    Read,
    Reply,
    Run,
    Search,
    Summary,
    Todos,
)
from clew.core.state.items import Item, Kind, Origin, Place, State, new_item
from clew.distill import ahead, asking, choose, facts, prose
from clew.distill.fact import Fact
from clew.distill.identifiers import vocabulary
from clew.distill.prose import Sentence
from clew.distill.session import Event, Session, Step
from clew.distill.standing import standing
from clew.distill.tagged import Tagged, is_tagged, tagged
from clew.distill.work import Work, survey

# Enough for the largest documents; a smaller budget takes the front part.
SENTENCES_CHARS_MAX = 9000


def distil(session: Session) -> State:
    """The state that a session leaves, by rule and without a model. Every item names its place in the record."""
    work = survey(session)
    asked = asking.asks(session)
    ended = asking.ended(session)
    found = facts.gather(session, work, asked)
    said = _said(session, work, ended=ended)
    has_next = any(one.kind == "next" for one in said)
    found = [fact for fact in found if not (fact.kind == "next" and has_next and ended)]
    on_purpose = tagged(session)
    shown = " ".join(fact.text for fact in found)
    said = [one for one in said if one.source == "plan-open" or one.text not in shown]
    said = [one for one in said if not is_tagged(one.text)]
    chosen = choose.choose(
        said,
        covered=vocabulary(f"{fact.text} {fact.why}" for fact in found if fact.kind != "file"),
        focus=_focus(work),
        named=vocabulary(ask.text for ask in asked),
        chars_max=SENTENCES_CHARS_MAX,
    )
    order = {id(one): number for number, one in enumerate(said)}
    paths = _Paths(work)
    items: dict[str, tuple[Item, int]] = {}
    behind: Counter[tuple[Kind, int]] = Counter()
    for fact in found:
        # A document that has no room for all of a kind takes the newest.
        rank = _TIER_RANKS[fact.tier] + behind[fact.kind, fact.tier] // _ABREAST
        behind[fact.kind, fact.tier] += 1
        item = _from_fact(session, fact, rank)
        items.setdefault(item.id, (item, len(items)))
    for position, one in enumerate(chosen):
        item = _from_sentence(session, work, one, _SENTENCE_RANK + position, paths)
        items.setdefault(item.id, (item, len(found) + order[id(one)]))
    for number, line in enumerate(on_purpose):
        item = _from_tagged(session, line, paths)
        items.setdefault(item.id, (item, len(found) + len(said) + number))
    told = sorted(items.values(), key=lambda entry: (entry[0].place.at, entry[1]))
    last_act = "" if ended else asking.last_act(session)
    times = (session.first_time, session.last_time)
    origin = Origin(session.client, session.id, session.root, session.branch, *times, ended, last_act)
    return State(origin, tuple(item for item, _ in told))


def _said(session: Session, work: Work, *, ended: bool) -> list[Sentence]:
    """What still stands of the prose; of the last message of a finished session with what is next and what is asked."""
    found = standing(prose.gather(session, work), session, work)
    last = prose.last_reply(session) if ended and asking.latest_event(session) < prose.last_reply(session) else -1
    at_end = [one for one in found if one.event == last and one.source == "last"]
    return [one for one in found if one.event != last or one.source != "last"] + ahead.told(at_end)


# Where facts and sentences meet: a document takes items by rank, and a small one needs the last message's best
# sentences more than the list of files. The tier of a fact is its first rank; sentences begin at `_SENTENCE_RANK`.
_TIER_RANKS = (0, 1, 2, 3, 4, 5, 6, 9, 12, 16, 40)
_SENTENCE_RANK = 7
# So many facts of a kind stand on one rank.
_ABREAST = 3
# What an agent names as a dead end comes before other facts: whoever does not know it walks into it again; what it
# calls next stands with what the record proves.
_RANKS: dict[Kind, int] = {"failed": 5, "next": 2, "question": 5, "blocker": 5}


# What was said on purpose comes before what rules found.
_TAGGED_RANKS: dict[Kind, int] = {"decision": 3, "learning": 9}


def _focus(work: Work) -> set[str]:
    """Identifiers of the three files edited last: their names and what was added to them."""
    names: set[str] = set()
    for file in sorted(work.files, key=lambda file: -file.last)[:3]:
        names.update((file.path.lower(), file.path.rsplit("/", 1)[-1].lower()))
        names.update(symbol.lower() for symbol in file.symbols)
    return names


def _place(session: Session, event: Event) -> Place:
    if isinstance(event, Step):
        return Place(session.id, event.call.at, _step_quote(event))
    text = event.text if isinstance(event, (Prompt, Reply, Summary)) else ""
    return Place(session.id, event.at, text)


def _step_quote(step: Step) -> str:
    """The words of a tool call and of what came back that an item can be read off."""
    action, result = step.call.action, step.result
    words = [
        text
        for text in (action if isinstance(action, (Run, Edit, Plan, Delegate)) else ())
        if text and text is not True
    ]
    if isinstance(action, Todos):
        words = [entry.text for entry in action.entries if entry.text]
    elif isinstance(action, (Read, Search, Other)):
        words = [step.call.tool, *(str(part) for part in action if part)]
    elif isinstance(action, Ask):
        words = [f"{question} → {answer}" for question, answer in (result.answers if result else ())]
    if result is not None:
        words += [
            text for text in (result.reason, result.text if isinstance(action, (Run, Delegate, Other)) else "") if text
        ]
    return "\n".join(words)


def _time(event: Event) -> str:
    return event.call.time if isinstance(event, Step) else event.time


def _from_fact(session: Session, fact: Fact, rank: int) -> Item:
    event = session.events[fact.event]
    return new_item(
        fact.kind,
        fact.text,
        client=session.client,
        place=_place(session, event),
        provenance="agent" if fact.provenance == "human" and not session.is_persons(event) else fact.provenance,
        why=fact.why,
        status=fact.status,
        files=fact.files,
        rank=rank,
        time=_time(event),
    )


def _from_tagged(session: Session, line: Tagged, paths: _Paths) -> Item:
    event = session.events[line.event]
    return new_item(
        line.kind,
        line.text,
        client=session.client,
        place=_place(session, event),
        provenance="human" if line.by_user else "agent",
        why=line.why,
        files=paths.cited(f"{line.text} {line.why}"),
        rank=_TAGGED_RANKS[line.kind],
        time=_time(event),
        label=line.label,
    )


def _from_sentence(session: Session, work: Work, one: Sentence, rank: int, paths: _Paths) -> Item:
    event = session.events[one.event]
    kind, status = one.kind or "finding", one.status
    if one.source in ("plan-open", "plan-done"):
        is_accepted = work.plans[-1].status == "accepted"
        kind = one.kind if one.kind in ("risk", "question") else "decision"
        status = "was planned" if one.source == "plan-done" else "planned" if is_accepted else "proposed"
    return new_item(
        kind,
        one.text,
        client=session.client,
        place=_place(session, event),
        provenance="agent",
        status=status,
        files=paths.cited(f"{one.label} {one.text}"),
        rank=min(rank, _RANKS.get(kind, rank)),
        time=_time(event),
        label=one.label,
    )


class _Paths:
    """The project files of a session, found again in prose by their names. A name of two files cites neither."""

    def __init__(self, work: Work) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in (*(file.path for file in work.files), *work.read):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def cited(self, text: str) -> tuple[str, ...]:
        """Paths that `text` names, sorted."""
        found: set[str] = set()
        for name, paths in self._by_name.items():
            if name in text and _stands_alone(name, text):
                named = [path for path in paths if path in text] or paths
                found.update(named if len(named) == 1 else ())
        return tuple(sorted(found))


def _stands_alone(name: str, text: str) -> bool:
    """Whether a name stands in a text as no part of another (`a.py` in `data.py`)."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None
