"""What is known while a document is gone through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from clew.documents.parse import rows, vocabulary
from clew.documents.parse.context import Context, Sections
from clew.documents.parse.draft import Draft
from clew.documents.parse.markdown import Block
from clew.documents.parse.status import DONE
from clew.documents.parse.topics import Topic

# A guide tells how to work, not what was worked on: only what is marked as an item is one. Rules are what must stay
# true. A task's description is its goal.
Genre = Literal["record", "guide", "rules", "task", "talk"]
_DESCRIPTION = Topic("goal", prose=True)
INSTRUCTIONS = Topic("constraint", soft=True)
# Words of a guide's headings that make rules of the lists below.
_TOLD = frozenset(("instructions", "requirements"))
# What these name is a part of the work where that is listed that is still to be done.
OF_WORK = frozenset(("validation", "finding"))
_RULES = frozenset(("constraint", "goal", "failed", "learning", "decision"))


def placed(found: Topic | None, above: Context) -> Topic | None:
    """What names things that are made says below work that is told how far it is: they are so far, too."""
    if found and found.noun and above.strong and above.kind in ("step", "next", "phase"):
        return found._replace(status=above.status)
    return found


class State:
    """The blocks, what was filed so far, and what stands above the line that is read."""

    def __init__(self, blocks: Sequence[Block], draft: Draft, *, base: Context, genre: Genre) -> None:
        self.blocks = blocks
        self.draft = draft
        self.sections = Sections(base)
        self.genre = genre
        self.columns = rows.columns(())
        # The level of the last heading that was a phase: one beside it that says how far it is is one, too.
        self.phase_level = 0
        # For levels of headings that were asked about: whether most of them say what to do.
        self.orders: dict[int, bool] = {}
        # Whether the list that is read began with what was done.
        self.list_done = False
        self.titled = False
        # Whether the list that is read is numbered and mostly says what to do.
        self.list_steps = False
        # In a conversation: whether the one speaks who asks for the work.
        self.asks = True
        # In a conversation: whether somebody said what is wanted.
        self.briefed = False
        # Sections whose first paragraph was told.
        self.briefs: set[int] = set()
        # Whether the paragraph that is read is all that is said below its heading.
        self.is_alone = False
        # Whether a line of the paragraph that is read is metadata.
        self.is_footer = False
        # The first line of the paragraph that is read.
        self.block_first = 0
        # The heading's item below which checkboxes stand, −1 none.
        self.boxed = -1
        # Whether a list or a table stands right below the heading that governs, and whether it has parts of its own.
        self.is_listed = self.is_parted = False
        # Sections whose goal was told.
        self.goals: set[int] = set()

    @property
    def guide(self) -> bool:
        return self.genre == "guide"

    def topic(self, text: str, *, line: bool = False) -> Topic | None:
        """What a heading or label names in this document. `line`: words stand behind the label."""
        found = vocabulary.topic(text, line=line)
        if self.genre == "task" and vocabulary.normal(text) == ("description",):
            return _DESCRIPTION
        if self.guide and (found is None or found.soft or found.kind in (None, "step")):
            return INSTRUCTIONS if not _TOLD.isdisjoint(vocabulary.normal(text)) else found
        if self.genre == "rules" and found and found.kind not in _RULES:
            return None
        return found

    def topic_below(self, text: str, above: Context) -> Topic | None:
        """What a label names below a heading: what yields says nothing where that names a kind."""
        found = placed(self.topic(text), above)
        if found and found.kind in OF_WORK and above.is_ahead:
            # "Tests" below "Next steps" are to be written.
            return None
        return None if found and found.yields and (above.strong or above.closed) else found

    def belongs(self, index: int, last: int) -> None:
        """Lines up to `last` tell of an item above, unless a step of it stands between: then they tell of that."""
        if index == len(self.draft.entries) - 1 or self.draft.entries[-1].kind not in ("step", "next"):
            self.draft.stretch(index, last)

    def done_above(self, context: Context) -> str:
        """ "done" where the heading itself is a step that is."""
        is_step = context.inside == "step" and context.entry >= 0
        return DONE if is_step and self.draft.entries[context.entry].status == DONE else ""

    def survey(self, at: int) -> None:
        """Looks at what stands between the heading at `at` and the next."""
        self.is_listed = self.is_parted = False
        level = self.blocks[at].level
        for block in self.blocks[at + 1 :]:
            if block.form == "heading":
                self.is_parted = block.level > level
                break
            self.is_listed = self.is_listed or block.form in ("item", "row")

    def has_sections(self, at: int) -> bool:
        """Whether a heading stands behind the block at `at`."""
        return any(block.form == "heading" for block in self.blocks[at + 1 :])

    def after(self, at: int) -> Block | None:
        """The block behind one."""
        return self.blocks[at + 1] if at + 1 < len(self.blocks) else None
