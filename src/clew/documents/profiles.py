"""Profiles: which items a document shows, under which headings, in which order. One table for all."""

from typing import Final, NamedTuple, TypeAlias

from clew.core.state.items import LETTERS, Item, Kind

# How far a step, a phase or a check is (`stage_of`), and whether a hypothesis survives.
Stage: TypeAlias = str
_FINISHED: Final = ("done",)
_FAILING: Final = ("failing",)
_UNDER_WAY: Final = ("in progress", "blocked")
_AHEAD: Final = ("pending", "")
_STUBBED: Final = ("stubbed",)
_ANSWERED: Final = ("answered",)


class Section(NamedTuple):
    """`kinds` go under `heading`; entries of the first need no word that says their kind. `pins`: only pinned items.

    `stages`: only items of one of these stages, () of any; where it is one status, entries do not repeat it
    (`implied`). `always`: the heading stands even with nothing under it (then "not recorded"). `boxes`: steps and
    phases are told as check boxes.
    """

    heading: str
    kinds: tuple[Kind, ...]
    stages: tuple[Stage, ...] = ()
    always: bool = False
    boxes: bool = False
    implied: str = ""
    pins: bool = False

    def takes(self, item: Item) -> bool:
        """Whether the item goes under this heading."""
        fits = item.kind in self.kinds and (not self.stages or stage_of(item) in self.stages)
        return fits and (item.pinned or not self.pins)


class Profile(NamedTuple):
    """A document's shape.

    `left_out`: the kinds left out on purpose; a test holds that none is forgotten. `reads`: it says what to open
    first. `is_local`: it stays on this machine, so that it names the root as an absolute path. `names_goal`: its title
    does, also where the goal stands right below. `for_people`: people read it, so that no delimiters stand around it
    (`core/text/receipt.py`), and nothing in it calls, loads or reminds. `intro` is what it asks of its
    reader, "" nothing. `says_state`: where the work stands is told in one line, in place of each commit and check.
    """

    name: str
    title: str
    budget_tokens: int
    sections: tuple[Section, ...]
    left_out: tuple[Kind, ...]
    reads: bool = True
    is_local: bool = True
    names_goal: bool = True
    for_people: bool = False
    intro: str = ""
    says_state: bool = False

    def section_of(self, item: Item) -> Section | None:
        """The section that the item goes under: the first that takes it; None if the document leaves it out."""
        return next((section for section in self.sections if section.takes(item)), None)


_DONE_WORDS: Final = frozenset(("done", "completed", "complete", "passed", "resolved", "closed"))
_BEGUN_WORDS: Final = frozenset(("in progress", "in_progress", "in-progress", "under way", "doing", "active"))
_AHEAD_WORDS: Final = frozenset(("", "pending", "todo", "to do", "planned", "proposed", "not run", "open"))
# How what came of a request begins (`distill/asking.py`): it was seen to.
_CAME_OF: Final = ("committed", "opened ", "rebased", "reverted", "edited", "ran ", "answered", "agreed to")


def stage_of(item: Item) -> Stage:
    """One of done, in progress, blocked, pending, dropped, failing (a check); of a hypothesis active or eliminated; of
    a question answered; of a file changed or stubbed; "" where the status is none of a state of work (a request that
    was interrupted, a file that was read).
    """
    status = item.status.removeprefix("latest ").partition(",")[0].strip()
    if item.kind == "hypothesis":
        return "eliminated" if status in ("eliminated", "disproved", "refuted", "rejected") else "active"
    if item.kind == "question" and item.answer:
        return "answered"
    if item.kind == "validation":
        return "done" if status == "passed" else "pending" if status == "not run" else "failing"
    if item.kind == "file":
        return status if status in _STUBBED else "" if status == "read" else "changed"
    if item.provenance == "verified" or status in _DONE_WORDS or status.startswith(_CAME_OF):
        return "done"
    if status in _BEGUN_WORDS:
        return "in progress"
    if status in ("blocked", "dropped", "cancelled"):
        return "dropped" if status == "cancelled" else status
    return "pending" if status in _AHEAD_WORDS and status else ""


# A pin means that no document leaves it out, whatever the profile is for.
_PINNED: Final = Section("Pinned", ("finding", *(kind for kind in LETTERS if kind != "finding")), pins=True)
# An answer goes on binding whoever works on.
_QUESTIONS_ANSWERED: Final = Section("Questions answered", ("question",), _ANSWERED)
# What somebody wrote and nobody could place: its words may matter all the same.
_NOTES: Final = Section("Notes", ("note",))
REHYDRATE: Final = Profile(
    name="rehydrate",
    title="Resume",
    budget_tokens=1500,
    sections=(
        Section("Goal", ("goal",)),
        Section("Where we are", ("step", "phase", "validation", "hypothesis")),
        Section("Must stay true", ("constraint",)),
        Section("Decisions and why", ("decision",)),
        Section("Failed approaches (do not retry)", ("failed",), always=True),
        Section("Deferred", ("deferral",)),
        Section("Next action", ("next",), always=True),
        Section("Files in play", ("file",)),
        _QUESTIONS_ANSWERED,
        Section("Open questions, blockers, risks", ("question", "blocker", "risk")),
        Section("Facts worth knowing", ("finding", "assumption", "learning")),
        Section("Don't forget", ("reminder",)),
        _NOTES,
        _PINNED,
    ),
    left_out=("read",),
    names_goal=False,
    says_state=True,
)

DEBUG: Final = Profile(
    name="debug",
    title="Debug",
    budget_tokens=1000,
    sections=(
        Section("Goal", ("goal",)),
        Section("Reproduce with", ("validation",), _FAILING),
        Section("Hypothesis that survives", ("hypothesis",), ("active",), implied="active"),
        Section("Hypotheses eliminated (do not revisit)", ("hypothesis",), ("eliminated",), implied="eliminated"),
        Section("Failed approaches (do not retry)", ("failed",), always=True),
        Section("Next action", ("next",), always=True),
        Section("Files in play", ("file",)),
        Section("Facts worth knowing", ("finding", "assumption")),
        Section("Don't forget", ("reminder", "constraint")),
        _PINNED,
    ),
    left_out=("decision", "deferral", "question", "risk", "blocker", "phase", "step", "learning", "read", "note"),
)

TEAM: Final = Profile(
    name="team",
    title="Handover",
    budget_tokens=1500,
    for_people=True,
    sections=(
        Section("Feature goal", ("goal",)),
        Section("Architecture decisions locked in", ("decision", "constraint")),
        _QUESTIONS_ANSWERED,
        Section("Open questions with owners", ("question",)),
        Section("Complete", ("step", "phase", "validation"), _FINISHED, implied="done"),
        Section("In progress", ("step", "phase"), _UNDER_WAY, implied="in progress"),
        Section("Stubbed", ("file",), _STUBBED),
        Section("Next action", ("next",), always=True),
        Section("Not started", ("step", "phase", "validation", "deferral"), _AHEAD),
        Section("Failed approaches (do not retry)", ("failed",), always=True),
        Section("Warnings", ("risk", "blocker", "reminder", "assumption", "validation")),
        _NOTES,
        _PINNED,
    ),
    left_out=("hypothesis", "finding", "learning", "read"),
    is_local=False,
)

HANDOFF: Final = Profile(
    name="handoff",
    title="Handoff",
    budget_tokens=1500,
    for_people=True,
    sections=(
        Section("Goal", ("goal",)),
        Section("Done", ("step", "phase", "validation"), _FINISHED, implied="done"),
        Section("Not working", ("validation", "blocker")),
        Section("Failed approaches (do not retry)", ("failed",), always=True),
        Section("Key decisions", ("decision", "constraint")),
        _QUESTIONS_ANSWERED,
        Section("Next step", ("next",), always=True),
        Section("Still to do", ("step", "phase", "question", "deferral"), ("in progress", "blocked", "pending", "")),
        Section("Don't forget", ("reminder", "risk")),
        _NOTES,
        _PINNED,
    ),
    left_out=("hypothesis", "assumption", "finding", "file", "learning", "read"),
)

ISSUE: Final = Profile(
    name="issue",
    title="Status",
    budget_tokens=2000,
    for_people=True,
    sections=(
        Section("Goal", ("goal",)),
        Section("Current status", ("step", "phase"), boxes=True),
        Section("Decisions locked", ("decision", "constraint", "deferral")),
        Section("Failed approaches (do not retry)", ("failed",), always=True),
        Section("Open risks", ("risk", "blocker", "question")),
        Section("Resume instruction", ("next", "reminder"), always=True),
        _PINNED,
    ),
    left_out=("hypothesis", "assumption", "finding", "file", "learning", "read", "note", "validation"),
    is_local=False,
)

SUMMARY: Final = Profile(
    name="summary",
    title="Summary",
    budget_tokens=600,
    for_people=True,
    sections=(
        Section("Root cause", ("finding", "hypothesis"), ("", "active")),
        Section("Done", ("step", "phase"), _FINISHED, implied="done"),
        Section("Files changed", ("file",), ("changed", *_STUBBED)),
        Section("Constraints preserved", ("constraint",)),
        Section("Validation", ("validation",), always=True),
        _PINNED,
    ),
    left_out=(
        "goal",
        "decision",
        "deferral",
        "failed",
        "reminder",
        "assumption",
        "question",
        "risk",
        "blocker",
        "next",
        "learning",
        "read",
        "note",
    ),
    reads=False,
    is_local=False,
)

FOCUS: Final = Profile(
    name="focus",
    title="Focus",
    budget_tokens=600,
    sections=(
        Section("Goal", ("goal",)),
        Section("Must stay true", ("constraint", "reminder")),
        Section("Decisions and why", ("decision",)),
        _QUESTIONS_ANSWERED,
        Section("Failed approaches (do not retry)", ("failed",), always=True),
        Section("Next action", ("next",), always=True),
        Section("Open", ("question", "blocker", "risk", "hypothesis")),
        Section("In progress", ("step", "phase"), _UNDER_WAY, implied="in progress"),
        _PINNED,
    ),
    left_out=("deferral", "assumption", "finding", "file", "validation", "learning", "read", "note"),
    reads=False,
    intro=(
        "Compact this conversation: keep what is listed below in its own words, with its reasons, and the paths of the "
        "files being edited. Drop tool output, file contents, finished steps and whatever can be read again."
    ),
)

PROFILES: Final[dict[str, Profile]] = {
    profile.name: profile for profile in (REHYDRATE, DEBUG, TEAM, HANDOFF, ISSUE, SUMMARY, FOCUS)
}
