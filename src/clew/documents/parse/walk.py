"""Goes through a document's blocks once, front to back, and hands each to the reader of its form."""

from __future__ import annotations

import itertools

from clew.documents.entry import Lines
from clew.documents.parse import heads, listing, prose, rows, talk
from clew.documents.parse.markdown import Block
from clew.documents.parse.state import State

# So many rows tell what a table's columns are.
_ROWS_MAX = 12
_SHELLS = frozenset(
    ("", "bash", "sh", "shell", "console", "zsh", "powershell", "cmd", "bat", "fish", "shell-session", "terminal")
)


def walk(state: State) -> None:
    """Files what the blocks of `state` tell in its draft."""
    at = 0
    while at < len(state.blocks):
        block = state.blocks[at]
        if block.form == "heading":
            heads.enter(state, at)
        elif state.genre == "talk" and block.form in ("text", "item"):
            talk.read(state, block)
        elif block.form == "text":
            prose.read(state, at)
        elif block.form == "item":
            listing.read(state, at)
            at = block.end - 1
        elif block.form == "row":
            _row(state, at)
        elif block.form == "code":
            _code(state, block)
        elif block.form == "rule":
            state.sections.drop_label()
        at += 1


def _row(state: State, at: int) -> None:
    block = state.blocks[at]
    if not block.cells and state.sections.label_used and state.sections.alone is None:
        # The label has had its list.
        state.sections.drop_label()
    context = state.sections.current
    if not block.cells:
        body = itertools.takewhile(lambda row: row.cells, state.blocks[at + 1 : at + 1 + _ROWS_MAX])
        state.columns = rows.columns(block.header, [row.cells for row in body])
    elif not state.guide and not (context.entry >= 0 and context.inside not in ("phase", "step")):
        rows.add_row(state.draft, block, context, state.columns)
        state.sections.label_used = True


def _code(state: State, block: Block) -> None:
    """A command below a heading on checking is a check. An example's label ends with it."""
    if state.sections.label and state.sections.label.closed:
        state.sections.label_used = True
    language = block.info.split(" ")[0].lower()
    if not state.guide and state.sections.current.kind == "validation" and language in _SHELLS:
        state.draft.add("validation", f"`{' '.join(block.text.split())}`", Lines(block.first, block.last))
