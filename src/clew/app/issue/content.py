"""What of a task goes into its issue: what was said on purpose, the plan, and what must not be done or not yet. What
else rules read off sessions, and what quotes a person's prompts, stays on this machine unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from clew.app.importing.item_changes import answer_in
from clew.app.issue.body import BODY_CHARS_MAX, Body, HiddenBlock, compose
from clew.app.project.lookup import live_state, nowhere
from clew.app.project.session import ProjectSession
from clew.app.record.cited import cited_files
from clew.core.errors import ClewError, InputError
from clew.core.plan.plan import Plan
from clew.core.plan.recorded import plan_of
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities
from clew.core.state.items import Item, Kind, Place, State
from clew.core.state.projection import NOWHERE, Known, in_turn, known, state_of
from clew.core.state.tasks import Task
from clew.core.text.cleaning import shorten
from clew.documents.entry import Entry
from clew.documents.escaping import claimed, inert, safe
from clew.documents.pairing import normal
from clew.documents.plan.grammar import parse
from clew.documents.profiles import ISSUE, Section, stage_of
from clew.documents.render import BUDGET_TOKENS_MIN, View, render
from clew.workspace.fingerprint import algorithm_of, fingerprint
from clew.workspace.git import Git

READ_MAX: Final = 8
_COMMENT_TITLE_CHARS: Final = 120
_COMMENT_CHARS: Final = 2_000
_WORK: Final = ("step", "phase")
# What whoever goes on has to know, also where only a session's record has it.
_STANDING: Final = ("constraint", "deferral")
_TASK: Final = "T-"
# More than any body holds.
_NO_BUDGET: Final = 10_000_000
_FITTED_ROUNDS: Final = 12


@dataclass(frozen=True, slots=True)
class Held:
    """What a task holds, for its issue: `items` by id, as they are told there; `entries` in full, in their order, each
    with its section. `known` is every item of the task, whatever became of it, from `entities` and `extracts`. Phases
    and steps of the `plan` are told as items, and are none.
    """

    task: Task
    state: State
    items: dict[str, Item]
    entries: tuple[tuple[Section, Entry], ...]
    known: dict[str, Known]
    entities: Entities
    extracts: tuple[Extract, ...]
    plan: Plan

    @property
    def ours(self) -> tuple[Entry, ...]:
        """The entries alone."""
        return tuple(entry for _, entry in self.entries)


def held(at: ProjectSession, task: Task, *, inferred: bool) -> Held:
    """What `task` holds. With `inferred`, what rules read off its sessions as well."""
    extracts = in_turn(at.ledger.extracts(task=task.id))
    entities = at.stated(task.id, extracts=extracts)
    return held_of(task, entities, tuple(extracts), private=_private(at, task.id), inferred=inferred, at=at)


def held_of(
    task: Task,
    entities: Entities,
    extracts: tuple[Extract, ...],
    *,
    private: frozenset[str],
    inferred: bool,
    at: ProjectSession,
) -> Held:
    """The same of what is known already. `private` are items that stay here."""
    everything = known(entities, extracts)
    state = state_of(entities, extracts if inferred else (), nowhere=nowhere(at))
    items = [item for item in state.items if inferred or item.id not in private]
    if not inferred:
        read_off = state_of(entities, extracts, nowhere=nowhere(at)).items
        held_ids = {item.id for item in items} | private
        items += [item for item in read_off if item.kind in _STANDING and item.id not in held_ids]
    # Work that was brought to an end is told with its tick: a checklist from which lines vanish tells nothing.
    shown = {item.id for item in items}
    items += [
        entry.item._replace(status="done")
        for name, entry in everything.items()
        if entry.standing == "resolved" and entry.item.kind in _WORK and entry.stated and name not in shown
        and entry.because not in ("dropped", "cancelled")
    ]  # fmt: skip
    plan = plan_of(entities, parse)
    items += _planned(plan, task)
    if not any(item.kind == "goal" for item in items):
        items.insert(0, _title(task))
    told = [_plain(item) for item in items]
    state = state._replace(items=tuple(told))
    found = render(_view(state), ISSUE, _NO_BUDGET, with_ids=True).entries
    by_id = {item.id: item for item in told}
    return Held(task, state, by_id, _with_sections(found, by_id), everything, entities, extracts, plan)


def with_goal(state: State, task: Task) -> State:
    """The state, with the task's title for its goal where nobody stated one."""
    has_goal = any(item.kind == "goal" for item in state.items)
    return state if has_goal else state._replace(items=(_title(task), *state.items))


def body_of(held: Held, theirs: Body, block: HiddenBlock, *, task: str, carry: Sequence[Entry] = ()) -> tuple[str, int]:
    """The body that tells what is held, with what others wrote in `theirs`, and how many items had no room.

    Lines stand in the order in which they stand there; new ones behind what they follow here. `carry` are lines of
    theirs that stay beside ours. Raises `InputError` where what others wrote leaves no room.
    """
    beside = [(section, entry) for entry in carry if (section := section_for(entry)) is not None]
    text = compose(ordered([*held.entries, *beside], theirs.entries), theirs.raws, block, left_out=0, task=task)
    if len(text) <= BODY_CHARS_MAX:
        return text, 0
    budget = int(sum(map(len, text.split())) / 4)  # a token has some four characters
    for _ in range(_FITTED_ROUNDS):
        document = render(_view(held.state), ISSUE, max(budget, BUDGET_TOKENS_MIN), with_ids=True)
        entries = ordered([*_with_sections(document.entries, held.items), *beside], theirs.entries)
        left_out = len(document.left_out)
        text = compose(entries, theirs.raws, block, left_out=left_out, task=task)
        if len(text) <= BODY_CHARS_MAX:
            return text, left_out
        if budget <= BUDGET_TOKENS_MIN:
            break
        budget = int(document.tokens * min(0.95, BODY_CHARS_MAX / len(text)))
    raise InputError(
        f"what others wrote in the issue leaves no room in its {BODY_CHARS_MAX:,} characters",
        code="E-issue-full",
        hint="Move long logs in the issue's text into a comment.",
    )


@dataclass(frozen=True, slots=True)
class PhaseComment:
    """What is said of one phase, once."""

    phase: str
    title: str
    text: str
    marker: str


def phase_comments(held: Held, hid: str, *, but: Collection[str]) -> list[PhaseComment]:
    """The comments on the phases that are done, in their order, but for these."""
    done = [one for one in held.items.values() if one.kind == "phase" and stage_of(one) == "done"]
    return [_comment(held, one.id, hid) for one in done if one.id not in but]


def _comment(held: Held, phase: str, hid: str) -> PhaseComment:
    item = held.items[phase]
    there = held.known.get(phase)
    title = shorten(claimed(safe(item.text)), _COMMENT_TITLE_CHARS)
    came = there.because if there is not None and there.standing == "resolved" else ""
    words = [f"**Phase done: {title}**"]
    words += [inert(shorten(claimed(safe(part)), _COMMENT_CHARS)) for part in (came, item.why) if part.strip()]
    mark = f"<!-- clew:phase {hid} {phase} -->"
    return PhaseComment(phase, title, "\n\n".join([*words, mark]), mark)


def section_for(entry: Entry) -> Section | None:
    """The section that shows entries of this kind."""
    return next((section for section in ISSUE.sections if entry.kind in section.kinds and not section.pins), None)


def ordered(ours: Sequence[tuple[Section, Entry]], theirs: Sequence[Entry]) -> list[tuple[Section, Entry]]:
    """Ours in the order of theirs, nested as there, what only we have behind what it follows in ours with all that is
    nested below that.
    """
    by_id = {entry.id: at for at, entry in enumerate(theirs) if entry.id}
    by_words = {(entry.kind, normal(entry.text)): at for at, entry in enumerate(theirs)}

    def place(entry: Entry) -> int | None:
        return by_id.get(entry.id, by_words.get((entry.kind, normal(entry.text))))

    def nested(pair: tuple[Section, Entry], at: int) -> tuple[Section, Entry]:
        return pair[0], pair[1]._replace(depth=theirs[at].depth)

    there = [(at, pair) for pair in ours if (at := place(pair[1])) is not None]
    rows = [nested(pair, at) for at, pair in sorted(there, key=lambda one: one[0])]
    before: Entry | None = None
    for pair in ours:
        if place(pair[1]) is None:
            rows.insert(_behind(rows, before), pair)
        before = pair[1]
    return rows


def _behind(rows: Sequence[tuple[Section, Entry]], before: Entry | None) -> int:
    """The place behind an entry and what is nested below it; 0 for None."""
    at = next((at for at, (_, entry) in enumerate(rows) if before and entry._replace(depth=before.depth) == before), -1)
    if at < 0:
        return 0
    depth = rows[at][1].depth
    return next((below for below in range(at + 1, len(rows)) if rows[below][1].depth <= depth), len(rows))


def to_read(at: ProjectSession, git: Git | None, task: str, state: State) -> tuple[tuple[str, str], ...]:
    """The files to read first, with their blobs as they are here: those of what comes next, then those in play. Only
    what the last commit has: whoever goes on elsewhere has nothing else. What is not committed is another file there.
    """
    if git is None:
        return ()
    upcoming = [item for item in state.items if item.kind == "next" or (item.kind in _WORK and item.status != "done")]
    paths = [path for item in upcoming for path in item.files] + cited_files(live_state(at, task))
    try:
        blobs = dict(git.tracked(list(dict.fromkeys(paths))))
        for path in blobs.keys() & set(git.status().changed):
            there = fingerprint(str(git.repository.top / path), algorithm=algorithm_of(blobs[path]))
            blobs[path] = there.blob if there is not None else blobs[path]
    except ClewError:  # no commit yet
        return ()
    return tuple((path, blobs[path]) for path in dict.fromkeys(paths) if path in blobs)[:READ_MAX]


def _view(state: State) -> View:
    return View(state, None, None, {item.id: item.id for item in state.items})


def _with_sections(entries: Sequence[Entry], items: dict[str, Item]) -> tuple[tuple[Section, Entry], ...]:
    found = ((ISSUE.section_of(items[entry.id]), entry) for entry in entries)
    # The goal that stands for the task's title has no id: every ledger has a task of its own for the issue.
    return tuple(
        (section, entry._replace(id="", cut=False) if entry.id.startswith(_TASK) else entry)
        for section, entry in found
        if section is not None
    )


def _plain(item: Item) -> Item:
    """The item as an issue tells it, whoever keeps the ledger: with the heading that it stood under in its words, and
    without what tells who said it, which only holds where it was said.
    """
    text = f"{item.label}: {item.text}" if item.label else item.text
    status = "done" if item.provenance == "verified" and item.kind == "step" else item.status
    return item._replace(text=text, label="", provenance="agent", status=status, answer=answer_in(item.answer))


_PHASES: Final = {"planned": "pending", "started": "in progress", "done": "done", "stopped": "blocked"}


def _planned(plan: Plan, task: Task) -> list[Item]:
    """The phases of a plan, each with its steps behind it, as items."""
    found = []
    for phase in plan.phases if plan.mode != "dropped" else ():
        came = phase.outcome or phase.cause
        why = f"{came} ({phase.commit[:10]})" if came and phase.commit else came
        title = f"{phase.label or phase.number}. {phase.title}"
        found.append(_line(phase.id, "phase", title, _PHASES[phase.status], why, task))
        found += [_line(one.id, "step", one.text, "done" if one.ticked else "pending", "", task) for one in phase.steps]
    return found


def _line(name: str, kind: Kind, text: str, status: str, why: str, task: Task) -> Item:
    return Item(name, kind, text, why, status, "agent", (), Place("", NOWHERE, ""), 3, task.changed_at)


def _title(task: Task) -> Item:
    place = Place("", NOWHERE, "")
    return Item(task.id, "goal", task.title, "", "", "agent", (), place, 0, task.changed_at)


def _private(at: ProjectSession, task: str) -> frozenset[str]:
    """The items whose words stay on this machine, by what states them."""
    stated = at.ledger.events(task=task, kinds=("item.stated",))
    return frozenset(str(one.event.data.get("item", "")) for one in stated if one.event.visibility == "private")
