"""Items: the live pieces of state (a decision, a risk …), and the state that holds them. Kinds: SPEC C1."""

import re
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from clew.core.state.ids import identity

Kind = Literal[
    "goal", "decision", "deferral", "failed", "hypothesis", "constraint", "reminder", "assumption", "finding",
    "question", "risk", "blocker", "file", "phase", "step", "validation", "next", "learning", "read", "note",
]  # fmt: skip

# The letter in front of an id. Failed approaches are X, since F is a finding.
LETTERS: dict[Kind, str] = {
    "goal": "G", "decision": "D", "deferral": "Z", "failed": "X", "hypothesis": "H", "constraint": "C", "reminder": "M",
    "assumption": "A", "finding": "F", "question": "Q", "risk": "R", "blocker": "B", "file": "I", "phase": "P",
    "step": "S", "validation": "V", "next": "N", "learning": "L", "read": "E", "note": "O",
}  # fmt: skip

# human: a person said it; verified: a command proved it; agent: the agent claimed it; inferred: a rule read it off;
# unattributed: an edit found in a file that no session's record explains.
Provenance = Literal["human", "verified", "agent", "inferred", "unattributed"]

# How the status of a file begins that a session moved; its new path follows.
MOVED = "moved to "


class Authority(NamedTuple):
    """The class of what comes by a channel, `human` or `agent` (`core/state/authority.py`). `reason` tells why.

    `prove` is asked before what only a person may do: it takes the deed (completes "only a person may …") and the words
    that it is about ("" none but those of the command), shows both, has the person show that somebody sits there, and
    tells why nobody does, "" if somebody did. Nobody asks an agent.
    """

    provenance: Provenance
    reason: str
    prove: Callable[[str, str], str] = lambda _deed, _about: ""


class Place(NamedTuple):
    """Where an item was read off: the session file's line at byte `at`. `quote` is the text there, of a very
    long one head and tail.
    """

    session: str
    at: int
    quote: str


class Cite(NamedTuple):
    """A file as it was when somebody spoke of it: its blob id ("" it was not there), and when (RFC 3339 UTC)."""

    path: str
    blob: str
    time: str


class Item(NamedTuple):
    """One piece of state.

    `text` is one line. `why` is its reason, "" if none was given. `status` is kind-specific: a file is edited,
    committed, reverted, removed, read or `MOVED`; a validation is passed, failed, hidden, vacuous or not run, with
    ", before the last edit" behind it where it is stale; a to-do has the client's word; a request says what came of it,
    the last one with "latest " in front; a line of a plan is planned, proposed or was planned; "" otherwise.
    `files` are root-relative paths that the item speaks of: when one of them drifts, the item
    is to be verified first. `rank` orders by importance, 0 first: a document under a budget takes items in rank order.
    `time` is when it was said (RFC 3339 UTC). `label` is the heading it stood under, "" if that says no more: said once
    for neighbours. `pinned`: never shortened, never left out. `locked`: a decision that only a person changes.
    `blocking`: work cannot go on before the question is answered; `owner` is who is to answer, `answer` what was said
    ("" open). `actor` is who stated it in a ledger, "" for what a rule read off a record. `cites` are those of `files`
    whose content was looked at when it was stated. `source` is the line of the file, handed in by somebody, that it was
    read off ("chat.md:12"), "" for what was read off a client's own record. `draft` is the id of the draft that it is
    a claim of ("" none), `verdict` and `evidence` what its proof said (`core/state/draft.py`). `unheard`: a rule read
    it off a session that no hook of its client reported, so that anybody may have written it.
    """

    id: str
    kind: Kind
    text: str
    why: str
    status: str
    provenance: Provenance
    files: tuple[str, ...]
    place: Place
    rank: int
    time: str
    label: str = ""
    pinned: bool = False
    locked: bool = False
    blocking: bool = False
    owner: str = ""
    answer: str = ""
    actor: str = ""
    cites: tuple[Cite, ...] = ()
    source: str = ""
    draft: str = ""
    verdict: str = ""
    evidence: str = ""
    unheard: bool = False

    @property
    def is_persons(self) -> bool:
        """Whether it is a person's word, which nobody else changes; what is `unheard` is told as one, and is none."""
        return self.provenance == "human" and not self.unheard


def new_item(
    kind: Kind,
    text: str,
    *,
    client: str,
    place: Place,
    provenance: Provenance,
    why: str = "",
    status: str = "",
    files: tuple[str, ...] = (),
    rank: int = 0,
    time: str = "",
    label: str = "",
) -> Item:
    """An item whose id follows from when it was said and what it says, so that reading twice gives the same id.

    A line that was copied (resumed, forked and moved sessions) keeps its time, but neither its session nor its place.
    What has no time is known by its place.
    """
    origin = ("", time) if time else (place.session, str(place.at))
    name = identity(client, *origin, kind, _keyless(text), _keyless(why))
    return Item(f"{LETTERS[kind]}-{name}", kind, text, why, status, provenance, files, place, rank, time, label)


def _keyless(text: str) -> str:
    """`text` with placeholders of secrets as they are without a key: each ledger has its own, and the id is one."""
    if "[redacted:" not in text:
        return text

    return re.sub(r"(\[redacted:[^\]:]+):[0-9a-f]{6}\]", r"\1]", text)


class Origin(NamedTuple):
    """The session that a state was read off. Times are RFC 3339 UTC, "" where unknown.

    `ended` is False when the record stops in the middle of a turn (killed, or still running); `last_act` then says
    what was under way.
    """

    client: str
    session: str
    cwd: str
    branch: str
    first_time: str
    last_time: str
    ended: bool
    last_act: str


_FILES: Final = Item._fields.index("files")
_PLACE: Final = Item._fields.index("place")
_CITES: Final = Item._fields.index("cites")


def item_made(fields: list[Any]) -> Item:
    """The item of an array of its fields, as JSON has it; those at its end may lack. Raises `TypeError`."""
    fields[_FILES] = tuple(fields[_FILES])
    fields[_PLACE] = Place(*fields[_PLACE])
    if len(fields) > _CITES:
        fields[_CITES] = tuple(Cite(*cite) for cite in fields[_CITES])
    return Item(*fields)


class State(NamedTuple):
    """The live items of one task, in the order they were said.

    `more`: of a part of a state, how many items there are beside these, each time like the one that stands for them.
    """

    origin: Origin
    items: tuple[Item, ...]
    more: tuple[tuple[Item, int], ...] = ()
