"""What the headings and labels above a line say about it."""

from clew.core.items import Kind
from clew.core.tuples import NamedTuple
from clew.documents.parse.status import PENDING
from clew.documents.parse.topics import Topic

# Kinds whose sub-headings are items when nothing but prose stands below them. A finding's are topics.
ITEMISH: frozenset[Kind] = frozenset(
    (
        "decision",
        "learning",
        "failed",
        "risk",
        "deferral",
        "question",
        "constraint",
        "step",
        "next",
        "hypothesis",
        "blocker",
        "reminder",
    )
)


class Context(NamedTuple):
    """`topic` is None where no heading says anything. `inside` is the kind of the item that the heading itself is, None
    if it is none, and `entry` the index of that item. `opened` is the index of the section that "next" was said in: its
    first open entry is the next thing, the others are steps. `dated`: an entry of a journal. `inherited`: the heading
    or label itself names nothing, the one above it does. `ahead`: it is part of what comes next.
    `reason`: what stands below is the item's reason. `titular`: only the document's title names it.
    """

    topic: Topic | None = None
    inside: Kind | None = None
    entry: int = -1
    opened: int = -1
    dated: bool = False
    inherited: bool = False
    ahead: bool = False
    reason: bool = False
    titular: bool = False

    @property
    def kind(self) -> Kind | None:
        return self.topic.kind if self.topic else None

    @property
    def strong(self) -> bool:
        """Whether it names a kind for certain."""
        return self.topic is not None and self.topic.kind is not None and not self.topic.soft

    @property
    def closed(self) -> bool:
        """Whether nothing below it is filed."""
        return self.topic is not None and self.topic.kind is None

    @property
    def is_ahead(self) -> bool:
        """Whether it lists what is still to be done."""
        return self.kind == "next" or (self.kind == "step" and self.status == PENDING)

    @property
    def status(self) -> str:
        return self.topic.status if self.topic else ""


class Sections:
    """The headings that are open, outermost first, and the label below the last of them."""

    def __init__(self, base: Context) -> None:
        self._open: list[tuple[int, Context]] = []
        self._base = base
        self.label: Context | None = None
        # A step with a box that stands alone: what follows tells of it, up to the next of these.
        self.alone: Context | None = None
        # Whether the label has had its list: a paragraph behind it is no longer the label's.
        self.label_used = False

    def parent(self, level: int) -> Context:
        """What stands around a heading of this level."""
        for above, context in reversed(self._open):
            if above < level:
                return context
        return self._base

    def enter(self, level: int, context: Context) -> None:
        """A heading opens; those of its level and below are closed."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, context))
        self.drop_label()

    def name(self, context: Context) -> None:
        """A label opens; it holds until the next label, heading or rule, or a paragraph behind its list."""
        self.label, self.label_used, self.alone = context, False, None

    def drop_label(self) -> None:
        self.label, self.label_used, self.alone = None, False, None

    @property
    def is_below_title(self) -> bool:
        """Whether it is past the lines below the title, which are metadata."""
        return bool(self._open) and self._open[-1][0] > 1

    @property
    def is_plan(self) -> bool:
        """Whether the document's title or name says that it lists work."""
        titles = (self._base, *(context for _, context in self._open))
        return any(context.titular and context.kind in ("step", "next") for context in titles)

    @property
    def heading(self) -> Context:
        return self._open[-1][1] if self._open else self._base

    @property
    def current(self) -> Context:
        return self.alone or self.label or self.heading
