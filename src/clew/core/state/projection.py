"""The view: what is known of a task, as items. Stated items and those that rules inferred, joined; the newest session
tells where the work stands, older ones what still holds. Pure: the same fold and extracts give the same items.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from clew.core.state.carry_over import (
    ENDURING,
    Later,
    best_of,
    is_carried_out,
    is_overtaken,
    older_rank,
    said_next,
    with_one_goal,
    with_one_next,
)
from clew.core.state.crowd import KINDS, Sort, beyond, standing_for
from clew.core.state.drafted import drafted_in, is_claim, is_drafted, replaced, with_drafts
from clew.core.state.events import Value
from clew.core.state.extract import Extract, owning_tasks
from clew.core.state.fold import HELD, Change, Entities, Entity, merged, values
from clew.core.state.items import Cite, Item, Kind, Origin, Place, State

Standing = Literal["live", "resolved", "superseded", "retracted", "redacted"]

# The place of an item that somebody stated: no line of a session's record.
NOWHERE: Final = -1

# Where a stated item stands among inferred ones (`Item.rank`): said on purpose, it comes before what rules found.
_STATED_RANKS: Final[Mapping[Kind, int]] = {
    "goal": 0, "next": 1, "constraint": 2, "blocker": 2, "failed": 3, "question": 3, "decision": 3, "deferral": 4,
    "reminder": 4, "hypothesis": 4, "note": 20,
}  # fmt: skip
_STATED_RANK: Final = 5
# What only a file says (an import) comes behind what was said here. A long list does not push out the rest of the file:
# so many of one kind stand abreast, the next ones a rank behind. What is done comes behind what is to be done.
_FILES_BEHIND: Final = 2
_FILES_ABREAST: Final = 3
_FINISHED_BEHIND: Final = 5
_FINISHED: Final = frozenset(("done", "dropped"))

# What ends an item: the field that says so, and the one that says why.
_ENDINGS: Final[Mapping[Standing, tuple[str, str]]] = {
    "redacted": ("redacted", ""),
    "retracted": ("retracted", "retracted_why"),
    "superseded": ("superseded_by", "superseded_by"),
    "resolved": ("resolved", "outcome"),
}
_ENDING_FIELDS: Final = frozenset(field for field, _ in _ENDINGS.values())
_ANSWERING: Final = frozenset(("answer", "resolved"))
# What anybody may say of an item that is a person's; and of what work brings to an end (not of what binds) whoever did
# the work may say that it is done.
_ANYBODYS: Final = frozenset(("pinned", "answer", "was"))
_OF_WORK: Final = frozenset(("resolved", "outcome", "status"))
_BINDING: Final = frozenset("goal decision deferral constraint reminder question failed learning".split())
# By these a person makes an item his own; two of them hold it fast, so that nobody else ends it.
_OWNING: Final = ("kind", "text", "locked", "pinned", "answer", "owner", "blocking")
_HOLDING: Final = ("locked", "pinned")


# No document leaves a pinned item out, so that pins without bounds would leave no room for anything else, or let no
# document be made, and only a person takes a pin off. So many, of so many characters with their reason, agents may have
# in a task: some 400 tokens of the 1,000 that a document has.
AGENT_PINS_MAX: Final = 5
AGENT_PIN_CHARS_MAX: Final = 300


class Known(NamedTuple):
    """An item with how it stands. `because`: how it was resolved, why it was taken back, or the id that replaced it.

    `stated`: somebody said it or something about it; else it is inferred only. `disputed`: an agent's word against a
    person's, which does not count ("" none). `heard`: what was said of it and does count.
    """

    item: Item
    standing: Standing
    because: str
    stated: bool
    disputed: str = ""
    heard: Entity = ()


def known(entities: Entities, extracts: Sequence[Extract]) -> dict[str, Known]:
    """Every item by id, whatever became of it: stated ones in the order they were said, then those of `extracts`."""
    found: dict[str, Known] = {}
    inferred = best_of(extracts)
    stated = [(name, entity) for name, entity in entities.items() if kind_of_id(name) is not None]
    for name, entity in sorted(stated, key=lambda pair: (pair[1][0][:2], pair[0])):
        entry = _stated(name, entity, inferred.get(name))
        if entry is not None:
            found[name] = entry
    for name, item in inferred.items():
        if name not in found:
            found[name] = Known(item, "live", "", False)
    standing = [name for name, entry in found.items() if entry.standing == "superseded" and not _gives_way(name, found)]
    for name in standing:
        left = (change._replace(fields={**change.fields, "superseded_by": ""}) for change in entities[name])
        entry = _stated(name, tuple(left), inferred.get(name))
        assert entry is not None, "it was stated with it"
        found[name] = entry  # what else was said of it holds
    for name, by in replaced(entry.item for entry in found.values() if is_claim(entry.item)).items():
        if found[name].standing == "live":
            found[name] = found[name]._replace(standing="superseded", because=by)
    for name in _loose_pins(found, entities):
        found[name] = found[name]._replace(item=found[name].item._replace(pinned=False))
    return found


def _loose_pins(found: Mapping[str, Known], entities: Entities) -> list[str]:
    """Items that agents pinned beyond what they may: past the command that refuses them, by an import."""
    by_agents = []
    for name, entry in found.items():
        if entry.item.pinned and entry.standing == "live":
            pins = [change for change in entities.get(name, ()) if change.fields.get("pinned")]
            if not any(pin.provenance == "human" for pin in pins):
                is_long = not pins or len(entry.item.text) + len(entry.item.why) > AGENT_PIN_CHARS_MAX
                by_agents.append((is_long, *(pins[-1][:2] if pins else ("", "")), name))
    held = [name for is_long, *_, name in sorted(by_agents) if not is_long][:AGENT_PINS_MAX]
    return [name for *_, name in by_agents if name not in held]


def source_of(entry: Known) -> str:
    """Where an item stood in a file that was imported ("HANDOFF.md:12"), "" for all others."""
    return text_of(values(entry.heard).get("source")) or entry.item.source


def _gives_way(name: str, found: Mapping[str, Known]) -> bool:
    """Whether there is something to give way to: what supersedes an item may itself have been taken back. In a circle
    (two ledgers, each with its own mind) the item that was said last stands.
    """
    way = [name]
    after = found.get(found[name].because)
    if after is not None and after.standing in ("retracted", "redacted"):
        return False
    while after is not None and after.standing == "superseded" and after.item.id not in way:
        way.append(after.item.id)
        after = found.get(after.because)
    return after is None or after.item.id != name or name != max(way, key=lambda one: (found[one].item.time, one))


def state_of(entities: Entities, extracts: Sequence[Extract], *, nowhere: Origin, most: int | None = None) -> State:
    """The live items of one task, in the order they were said. `extracts` are its sessions', oldest first.

    The last one `in_turn` tells where the work stands. `nowhere` is the origin of a task without a session. What
    `known` says is retracted, superseded, redacted or resolved is left out, except a question with its answer. Of what
    older sessions left, and is alike, it has at most so many items; None: all.
    """
    everything = known(entities, extracts)
    claims = {name for name, entry in everything.items() if is_claim(entry.item)}
    live = [entry.item for entry in everything.values() if entry.item.draft and entry.standing == "live"]
    extracts = with_drafts(in_turn(extracts), live)
    origin = extracts[-1].origin if extracts else nowhere
    older = {item.id for extract in extracts[:-1] for item in extract.items}
    taken = {name for name, entry in everything.items() if entry.stated and name not in claims}
    stated = [
        entry.item
        for name, entry in everything.items()
        if name in taken and _is_shown(entry) and not is_of_memory(entities.get(name, ()))
    ]
    stated = [item for item in with_one_next(stated, extracts) if not is_carried_out(item, extracts)]
    items = [_ranked_stated(item, is_older=item.id in older) for item in stated]
    said = said_next(stated)
    later, sessions_ago = Later(), dict[str, int]()
    for ago, extract in enumerate(reversed(extracts)):
        for one in extract.items:
            item = one if extract.is_part and one.draft else everything[one.id].item
            if (item.rank, item.why) != (one.rank, one.why):  # what a draft moved behind or completed
                item = item._replace(rank=one.rank, why=item.why or one.why)
            if item.id not in taken and (later.leaves(item) if ago else not is_overtaken(item, origin, said)):
                taken.add(item.id)
                if ago:
                    sessions_ago[item.id] = ago
                items.append(later.older(item) if ago else item)
        later.add(extract)
    items = _once_each(_in_order(with_one_goal(items, extracts, origin.session), extracts))
    items, more = _behind(items, sessions_ago, most)
    return State(origin, tuple(_files_behind(items)), standing_for(more, place=0))


def _behind(
    items: Sequence[Item], sessions_ago: Mapping[str, int], most: int | None
) -> tuple[list[Item], Mapping[Sort, int]]:
    """`items`, those of older sessions behind what newer ones left, and at most so many of them that are alike; how
    many more there are.
    """
    ranks = {
        item.id: older_rank(item, sessions_ago[item.id])
        for item in items
        if item.id in sessions_ago and item.kind != "goal"
    }
    nearest = sorted((item for item in items if item.id in ranks), key=lambda item: ranks[item.id])
    left = {item.id: sort for item, sort in beyond(nearest, most)} if most is not None else {}
    kept = [one._replace(rank=ranks.get(one.id, one.rank)) for one in items if one.id not in left]
    return kept, Counter(left.values())


def in_turn(extracts: Sequence[Extract]) -> list[Extract]:
    """`extracts` (oldest first), the foreign ones behind all others, as if they were older: whatever time they name,
    they do not say where the work stands, nor how it began.
    """
    return sorted(extracts, key=lambda extract: not extract.is_foreign)


# What is stated of no task and holds in every one: not what somebody does just now, nor what is done to one task.
_OF_THE_PROJECT: Final = ENDURING - {"hypothesis"}


def with_project(task: Entities, project: Entities, extracts: Iterable[Extract]) -> Entities:
    """What is stated of a task, with what of the project's own entities (the fold of task "") counts in it: what holds
    in every task, and what was said of items of the task's sessions (`extracts`) before they were the task's.
    """
    extracts = tuple(extracts)
    own, sessions = owning_tasks(extracts), {extract.origin.session for extract in extracts}
    together = dict(task)
    for name, entity in project.items():
        said = any("text" in change.fields for change in entity)
        holds = kind_of_id(name) in _OF_THE_PROJECT and said and not is_of_memory(entity)
        if name in together:
            together[name] = merged(together[name], entity)
        elif name in own or (drafted_in(entity, sessions) if is_drafted(entity) else holds):
            together[name] = entity
    return together


def is_of_memory(entity: Entity) -> bool:
    """Whether a learning is a fact of memory, or waits to become one: it is no part of any task's state."""
    return any(change.fields.get(name) for change in entity for name in ("topic", "waits"))


def holds_everywhere(name: str) -> bool:
    """Whether an item with this id, when it is stated of no task, holds in every one."""
    return kind_of_id(name) in _OF_THE_PROJECT


def referenced_only(entities: Entities) -> list[str]:
    """The items that nobody stated there: what is said of them is about items that rules read off some session."""
    return [
        name
        for name, entity in entities.items()
        if all("kind" not in change.fields for change in entity) and kind_of_id(name) is not None
    ]


def kind_of_id(name: str) -> Kind | None:
    """The kind of item that an id names; None if it is not an item's id."""
    letter, dash, rest = name.partition("-")
    return KINDS.get(letter) if dash and rest else None


def find_ids(names: Collection[str], wanted: str) -> tuple[str, ...]:
    """The ids among `names` that `wanted` names: itself, else all that begin so. Case and brackets do not matter."""
    prefix = wanted.strip().strip("[]").lower()
    if not prefix:
        return ()
    exact = [name for name in names if name.lower() == prefix]
    return tuple(exact or sorted(name for name in names if name.lower().startswith(prefix)))


def _stated(name: str, entity: Entity, inferred: Item | None) -> Known | None:
    """What is known of an item that somebody stated, or of the inferred one with what was said about it. None if
    nobody says its text.
    """
    kind = kind_of_id(name)
    assert kind is not None
    heard, disputed = _heard(kind, entity, inferred)
    fields = values(heard)
    standing, because = _standing(fields)
    by = next((change for change in reversed(heard) if "text" in change.fields), None)
    held = next((c for c in reversed(heard) if c.provenance == "human" and any(map(c.fields.get, _HOLDING))), None)
    if inferred is not None:
        item = inferred
        if by is not None:
            item = item._replace(text=text_of(fields["text"]), provenance=by.provenance, actor=by.actor, unheard=False)
    else:
        # What only agents spoke of, and nobody stated, rules have read off; now they do not.
        is_meant = "kind" in fields or any(change.provenance == "human" for change in heard)
        text = text_of(fields.get("text")) or text_of(fields.get("was"))
        if not (is_meant and text) and standing != "redacted":
            return None
        first = by or entity[0]
        provenance = first.provenance if by else "unattributed"
        place = Place(first.session, NOWHERE, "")
        item = Item(name, kind, text, "", "", provenance, (), place, 0, first.said_at, actor=first.actor)
    if held is not None and not item.is_persons and text_of(held.fields.get("was")):
        item = item._replace(text=text_of(held.fields["was"]))  # as it was when a person held it fast
    holder = held_against(heard, by)
    if by is not None and holder is not None:
        disputed = f"{by.actor or 'somebody'} says: {item.text}"
        item = item._replace(text=text_of(holder.fields[HELD]), actor=holder.actor)
    return Known(_with_fields(item, heard), standing, because, True, disputed, heard)


def held_against(entity: Entity, by: Change | None) -> Change | None:
    """The change by which a person locked or pinned an item whose words hold against those that `by` said of it later:
    somebody else's, who may not have known of it. They count once the item is neither locked nor pinned.
    """
    fields = values(entity)
    holder = next((change for change in entity if fields.get(HELD) and HELD in change.fields), None)
    if by is None or holder is None or holder.provenance != "human" or not any(map(fields.get, _HOLDING)):
        return None
    is_later = (by.said_at, by.event) > (holder.said_at, holder.event)
    return holder if is_later and by.actor != holder.actor else None


def _heard(kind: Kind, entity: Entity, inferred: Item | None) -> tuple[Entity, str]:
    """The changes that count, and what an agent says against a person and does not count ("" nothing).

    An item is a person's from when a person reworded, answered, locked or pinned it; what a person stated, and what
    rules read off a prompt, is from the beginning. Of such an item anybody may say a few things, and of what is done
    by work that it is done. Whosever it is, what waits for a person is only his to answer, what is locked his to end.
    """
    persons_only = _persons_only(kind, entity)
    since = [
        (change.said_at, change.event)
        for change in entity
        if change.provenance == "human" and any(change.fields.get(name) for name in _OWNING)
    ]
    is_stated = any(change.provenance == "human" and "kind" in change.fields for change in entity)
    if is_stated or (inferred is not None and inferred.is_persons):
        since.append(("", ""))
    if not since and not persons_only:
        return entity, ""
    is_held = any(change.provenance == "human" and any(map(change.fields.get, _HOLDING)) for change in entity)
    allowed = _ANYBODYS if is_held or binds(kind, entity, inferred) else _ANYBODYS | _OF_WORK
    heard: list[Change] = []
    disputed = ""
    for change in entity:
        if change.provenance == "human":
            heard.append(change)
            continue
        # When something was said can be made up: so what ends an item does not count because it was earlier.
        earlier = since and (change.said_at, change.event) < min(since)
        fields = {
            name: value
            for name, value in change.fields.items()
            if name not in persons_only and (not since or name in allowed or (earlier and name not in _ENDING_FIELDS))
        }
        if fields:
            heard.append(change._replace(fields=fields))
        for ending, (field, reason) in _ENDINGS.items():
            if change.fields.get(field) and field not in fields:
                why = text_of(change.fields.get(reason))
                disputed = f"{change.actor or 'an agent'} says it is {ending}" + (f": {why}" if why else "")
    return tuple(heard), disputed


def binds(kind: Kind, entity: Entity, inferred: Item | None = None) -> bool:
    """Whether a person's item of this kind is more than work: it says what holds, or keeps a file or a command from
    being touched. Agents do not end it by saying that it is done.
    """
    said: Mapping[str, Value] = {}
    for change in entity:
        said = {**said, **change.fields} if change.provenance == "human" else said
    keeps = said.get("status", inferred.status if inferred else "") == "off limits" or bool(said.get("guard"))
    return kind in _BINDING or keeps


def _persons_only(kind: Kind, entity: Entity) -> frozenset[str]:
    """The fields of an item that nobody but a person sets, as it stands: whoever said that it waits, or locked it."""
    fields = values(entity)
    waits = kind == "question" and (fields.get("owner") or fields.get("blocking"))
    return (_ENDING_FIELDS if fields.get("locked") else frozenset()) | (_ANSWERING if waits else frozenset())


def _with_fields(item: Item, heard: Entity) -> Item:
    """`item` with what was said of it beside its text."""
    fields = values(heard)
    answered = next((change for change in reversed(heard) if "answer" in change.fields), None)
    answer = text_of(fields.get("answer"))
    if answered is not None and answered.provenance != "human" and answer:
        who = "a file" if answered.provenance == "unattributed" else answered.actor or "an agent"
        answer = f"{answer} (answered by {who}, not by a person)"
    files, tags, until = fields.get("files"), fields.get("tags"), text_of(fields.get("until"))
    why = text_of(fields.get("why", item.why))
    label = ", ".join(tags) if isinstance(tags, list) and tags else item.label
    return item._replace(
        why="; ".join(part for part in (f"until {until}" if until else "", why) if part),
        status=text_of(fields.get("status", item.status)),
        files=tuple(files) if isinstance(files, list) else item.files,
        label=text_of(fields.get("label", label)),
        pinned=bool(fields.get("pinned", item.pinned)),
        locked=bool(fields.get("locked", item.locked)),
        blocking=bool(fields.get("blocking", item.blocking)),
        owner=text_of(fields.get("owner", item.owner)),
        answer=answer,
        cites=_cites(heard),
        draft=text_of(fields.get("draft", item.draft)),
        verdict=text_of(fields.get("verdict", item.verdict)),
        evidence=text_of(fields.get("evidence", item.evidence)),
    )


def _cites(heard: Entity) -> tuple[Cite, ...]:
    change = next((change for change in reversed(heard) if "cites" in change.fields), None)
    given = change.fields["cites"] if change else None
    if change is None or not isinstance(given, list):
        return ()
    parted = (one.partition(" ") for one in given)
    return tuple(Cite(path, blob, change.said_at) for blob, _, path in parted)


def text_of(value: Value) -> str:
    """A field's value where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def number_of(value: Value) -> int:
    """A field's value where it is a number, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _standing(fields: Mapping[str, Value]) -> tuple[Standing, str]:
    for ending, (field, reason) in _ENDINGS.items():
        if fields.get(field):
            return ending, text_of(fields.get(reason))
    return "live", ""


def _is_shown(entry: Known) -> bool:
    """A resolved question goes on telling its answer; all else that is over is history."""
    return entry.standing == "live" or (entry.standing == "resolved" and bool(entry.item.answer))


def _ranked_stated(item: Item, *, is_older: bool) -> Item:
    """`is_older`: an older session has it, so that its own rank says where it stood then."""
    if item.pinned:
        return item._replace(rank=0)
    if item.place.at != NOWHERE and not is_older:
        return item
    return item._replace(rank=_STATED_RANKS.get(item.kind, _STATED_RANK))


def _files_behind(items: Iterable[Item]) -> list[Item]:
    """`items`; those that only a file vouches for, behind the others."""
    counts: dict[tuple[Kind, bool], int] = {}
    ranked = []
    for item in items:
        if _is_a_files(item) and not item.pinned:
            is_finished = item.status in _FINISHED
            count = counts[item.kind, is_finished] = counts.get((item.kind, is_finished), -1) + 1
            behind = _FILES_BEHIND + count // _FILES_ABREAST + (_FINISHED_BEHIND if is_finished else 0)
            ranked.append(item._replace(rank=item.rank + behind))
        else:
            ranked.append(item)
    return ranked


def _is_a_files(item: Item) -> bool:
    return item.provenance == "unattributed" and item.place.at == NOWHERE


def _once_each(items: list[Item]) -> list[Item]:
    """`items` with each file once: what somebody stated of it, else what the latest session that changed it left, else
    the latest that read it, else a document.
    """

    def worth(item: Item) -> tuple[int, bool]:
        heard = 0 if _is_a_files(item) else 2 if item.place.at == NOWHERE else 1
        return heard, item.status != "read"  # what one session changed, another one only read

    files: dict[str, Item] = {}
    for item in items:
        if item.kind == "file":
            before = files.get(item.text)
            if before is None or worth(item) >= worth(before):
                files[item.text] = item
    return [item for item in items if item.kind != "file" or files[item.text] is item]


def _in_order(items: list[Item], extracts: Sequence[Extract]) -> list[Item]:
    """As they were said: goals that somebody stated (not only a file) first, then by session, then by time or place."""
    session = {extract.origin.session: index for index, extract in enumerate(extracts)}
    begins = sorted(extract.origin.first_time for extract in extracts)

    def order(item: Item) -> tuple[bool, int, str, int]:
        stated = item.place.at == NOWHERE
        if stated:
            at = bisect_right(begins, item.time) - 1
            return item.kind != "goal" or _is_a_files(item), at, item.time, NOWHERE
        return True, session.get(item.place.session, len(session)), "", item.place.at

    return sorted(items, key=order)
