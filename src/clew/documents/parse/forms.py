"""What the form of an entry of a list makes of the kind that its section names: below "Tests" a path is a file, below
"Status" an order is a rule. One table, the first row that fits counts; where none does it is of its section's kind.
"""

import re
from collections.abc import Callable

from clew.core.items import Kind
from clew.core.tuples import NamedTuple
from clew.documents.parse import status, words
from clew.documents.parse.context import Context
from clew.documents.parse.inline import Label, is_check, is_only_path, leads_with_path, paths, plain
from clew.documents.parse.labels import MEASURE
from clew.documents.parse.markdown import Block
from clew.documents.parse.shapes import shape
from clew.documents.parse.topics import CRITERIA, NOTHING, Topic

# The front part tells the kind.
_FRONT_CHARS = 400
_TOLD_WORDS_MIN = 3
_COPULAS = frozenset(("is", "are", "was", "were"))
# "**A — The reader:** …" is counted, as by a number.
_PROGRESS = re.compile(
    r"\W*(?:done|completed?|finished|implemented|shipped|merged|in progress|not started|not yet started|pending|todo)\b"
    r"(?=\s*(?:$|[.;,!(–—]|\d))",
    re.IGNORECASE,
)
# "Phase 2 execution is complete and frozen."
_PHASE_STATE = re.compile(
    r"(?:phase|milestone|sprint|stage|wave|M)\s*#?\d+(?:\.\d+)*\b(?: [\w-]+){0,4}? (?:(?:is|are|was|has been|now) )?"
    r"(?P<said>complete|completed|done|finished|shipped|in progress|under way|not started|blocked|pending|planned)\b",
    re.IGNORECASE,
)
# Checks that are to be written are work.
_BUILDS = re.compile(
    r"(?:add|write|create|implement|build|fix|improve|increase|extend|expand|set up|introduce) ", re.IGNORECASE
)
_WAITS = re.compile(r"(?:still )?(?:waiting|awaiting|blocked|stuck) (?:on|for|by|until)\b", re.IGNORECASE)
_BOLD_FRONT = re.compile(r"\s*\*\*([^*\n]{3,160})\*\*")
_RESULT = re.compile(r"(?:[:=→—–]|->|\s-)[\s*]*PASS(?:ED)?\b")
_LETTERED = re.compile(r"[A-Z\d]{1,3}\s*[—–.:)-]\s*\S")


class Look(NamedTuple):
    """An entry as it is looked at: its block, its words without marks of how far it is, and what stands above it.
    `front` is its first words, plain: they tell the kind.
    """

    block: Block
    mark: status.Marked
    split: Label | None
    context: Context
    front: str

    @property
    def text(self) -> str:
        return self.mark.text

    @property
    def topic(self) -> Topic:
        return self.context.topic or NOTHING

    @property
    def value(self) -> str:
        """What stands behind the label, or all of it."""
        return self.split.value if self.split and self.split.value else self.mark.text

    @property
    def is_settled(self) -> bool:
        """Whether its mark or its section tells how far it is."""
        return bool(self.mark.status or self.topic.status)

    @property
    def is_part(self) -> bool:
        """Whether what stands right above it names nothing: what stands further up, or the title, does."""
        return self.context.inherited or self.context.titular

    @property
    def is_in_phase(self) -> bool:
        return self.context.inside == "phase"


def kind_in(kind: Kind, look: Look) -> Kind:
    """The kind of an entry in a section of a kind."""
    for kinds, holds, becomes in _ROWS:
        if kind in kinds and holds(look):
            return becomes or words.kind_of(look.text)[0]
    if kind == "file" and not paths(look.text, limit=1):
        return "step" if look.is_in_phase else "finding"
    return kind


def names_file(split: Label | None) -> bool:
    """Whether an entry is a label for a path: "Report: `out/report.txt`"."""
    return (
        split is not None
        and _COPULAS.isdisjoint(split.name.split())
        and is_only_path(split.value)
        # "`train.pt`: `1.1G`"
        and not MEASURE.fullmatch(split.value.strip("`"))
        # A place on somebody's machine, or a pattern, is no file of the project.
        and not split.value.lstrip("`").startswith(("~", "/"))
        and "<" not in split.value
        # "Corrected the name: `out/report.txt`"
        and not (" " in split.name and words.is_past(split.name))
    )


def describes(split: Label | None, text: str) -> bool:
    """Whether an entry names a thing and tells how it is: "**Sorting**: null stands last"."""
    return (
        split is not None
        and split.bold
        and not _LETTERED.match(split.name)
        and len(split.value.split()) >= _TOLD_WORDS_MIN
        and not status.said(split.value)
        and not any(words.is_imperative(part) or words.is_past(part) for part in (split.name, split.value))
        and shape(plain(text[:_FRONT_CHARS]), line=True) is None
    )


def counted(text: str) -> str:
    """How far the bold front of an entry says that its subject is: "**The reader: done and verified**, in one pass"."""
    bold = _BOLD_FRONT.match(text)
    _, colon, said = bold[1].rpartition(":") if bold else ("", "", "")
    how_far = status.at_end(said)
    return how_far if colon or (how_far == status.DONE and not words.is_imperative(said)) else ""


def phase_state(text: str) -> str:
    """How far a sentence says that a phase is, "" if it says nothing of one: "Phase 2 is complete and frozen."."""
    match = _PHASE_STATE.match(text)
    return status.of_word(match["said"]) if match else ""


def _is_phase(look: Look) -> bool:
    form = shape(look.front, line=True)
    return (form is not None and form.how == "shape" and form.kind == "phase") or phase_state(look.front) != ""


def _is_changed_file(look: Look) -> bool:
    """A path in a list of what was done, where the list is a part of it or of what was changed."""
    return (
        look.topic.status == status.DONE and (look.context.inherited or look.topic.files) and leads_with_path(look.text)
    )


def _is_bare_path(look: Look) -> bool:
    """A path and nothing else, where no mark says that the file is work: below "Impact" or "Where it broke"."""
    return look.text.lstrip("*_ ")[:1] == "`" and not look.is_settled and is_only_path(look.text)


def _is_kept(look: Look) -> bool:
    """An order below "Decisions and constraints"."""
    return look.topic.ruled and (words.begins_rule(look.text) or words.is_imperative(look.front))


def _is_planned(look: Look) -> bool:
    """Whether an entry asks nothing and has a sign for how far it is: "🗓 Swap the cache"."""
    return look.mark.sign and look.mark.status == status.PENDING and not {"?", "？"} & set(look.front)


def _is_fact_of_work(look: Look) -> bool:
    """A sentence in a list of a phase, or of a part of a plan, that tells how something is."""
    is_loose = look.is_in_phase or (look.context.inherited and not look.topic.status)
    return is_loose and not look.mark.status and words.is_statement(look.text)


def _is_to_do(look: Look) -> bool:
    return look.split is None and look.text[0].isalpha() and words.is_imperative(look.text)


def _is_norm(look: Look) -> bool:
    # Few say so: the words are looked for before the line's marks are taken off.
    return ("should" in look.text or "o not" in look.text) and words.is_norm(look.front)


def _is_counted_off(look: Look) -> bool:
    """Whether it names a piece of work and tells first how far it is: "**The reader** — done (v2)"."""
    if look.block.number and look.mark.status and not look.mark.sign:
        return True
    if counted(look.text):
        return True
    return look.split is not None and look.split.bold and _PROGRESS.match(look.split.value) is not None


def _is_asked(look: Look) -> bool:
    """A question in a list of what is open, none that something was done on or that a mark says to be."""
    is_open = look.topic.status == status.PENDING and not look.mark.status
    return is_open and look.front.endswith(("?", "？"))


def _is_result(look: Look) -> bool:
    """Whether it names a check and how that came out: "`test_reader`: PASS"."""
    return "PASS" in look.block.text and _RESULT.search(look.block.text) is not None


_Row = tuple[frozenset[str], Callable[[Look], bool], Kind | None]
# Kinds of the section, what an entry of it looks like, and the kind that it then is; None: what its words say.
_ROWS: tuple[_Row, ...] = (
    (frozenset(("goal", "finding", "phase")), _is_phase, "phase"),
    (frozenset(("step",)), _is_changed_file, "file"),
    (frozenset(("step", "finding", "validation")), lambda look: names_file(look.split), "file"),
    (frozenset(("step", "finding", "reminder")), _is_bare_path, "file"),
    (frozenset(("step", "finding")), lambda look: not look.is_settled and is_check(look.value), "validation"),
    (frozenset(("step",)), _is_fact_of_work, None),
    # What is ticked off is done or to be done.
    (frozenset(("constraint",)), lambda look: look.topic == CRITERIA and look.mark.status != "", "step"),
    (frozenset(("constraint",)), lambda look: look.is_part and leads_with_path(look.text), "file"),
    (
        frozenset(("validation", "finding", "reminder", "learning")),
        lambda look: words.begins_rule(look.text),
        "constraint",
    ),
    (frozenset(("decision",)), _is_kept, "constraint"),
    (
        frozenset(("step", "next")),
        lambda look: not (look.mark.status or look.topic.status == status.DONE) and words.begins_rule(look.text),
        "constraint",
    ),
    (frozenset(("validation", "finding", "reminder")), _is_norm, "constraint"),
    (frozenset(("finding",)), _is_to_do, "step"),
    (frozenset(("finding",)), _is_result, "validation"),
    (frozenset(("finding",)), _is_counted_off, "step"),
    (
        frozenset(("step",)),
        lambda look: not (look.is_settled or look.block.number) and describes(look.split, look.text),
        "finding",
    ),
    (frozenset(("validation",)), lambda look: not look.mark.status and leads_with_path(look.text), "file"),
    (frozenset(("validation",)), lambda look: not look.mark.status and _BUILDS.match(look.front) is not None, "step"),
    (frozenset(("finding",)), lambda look: words.is_outcome(look.front), "validation"),
    (
        frozenset(("decision", "finding", "learning", "reminder", "risk")),
        lambda look: look.front.endswith(("?", "？")),
        "question",
    ),
    (
        frozenset(("question", "finding", "risk", "step", "reminder")),
        lambda look: _WAITS.match(look.front) is not None,
        "blocker",
    ),
    (frozenset(("step",)), _is_asked, "question"),
    (frozenset(("finding", "risk")), lambda look: "TBD" in look.front, "question"),
    (frozenset(("question",)), _is_planned, "step"),
    # "Add tests" below "Phase 4: Tests"
    (frozenset(("validation",)), lambda look: look.is_in_phase and words.is_imperative(look.front), "step"),
)
