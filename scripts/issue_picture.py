"""Draws an issue of clew's as people see it on GitHub: `python scripts/issue_picture.py > docs/pictures/issue.svg`.

The text is composed by clew itself, from an example; a test holds that the picture in the documents is that of today.
"""

from __future__ import annotations

import re
import sys
import textwrap
from html import escape

from clew.app.issue.body import HiddenBlock, compose
from clew.core.state.items import Item, Kind, Place
from clew.documents.grammar import entry_of
from clew.documents.profiles import ISSUE

TITLE = "Nightly import of the bank's CSV"
WIDTH, LEFT, CHARS = 860, 28, 104
_EXAMPLE: tuple[tuple[Kind, str, str, str], ...] = (
    ("goal", TITLE, "", ""),
    ("phase", "1. Parser", "done", "every file of last year parses"),
    ("step", "Read last year's files", "done", ""),
    ("step", "Parse amounts as cents", "done", ""),
    ("phase", "2. Scheduler", "in progress", ""),
    ("step", "Run at three in the morning", "done", ""),
    ("step", "Write a line for each booking that exists already", "pending", ""),
    ("decision", "Amounts are integer cents", "", "floats lost a cent in March"),
    ("failed", "Reading the CSV with pandas", "", "it turned booking ids into floats: 4711.0"),
    ("risk", "The bank changes its CSV each January", "", ""),
    ("question", "Who owns the account of the scheduler?", "", ""),
    ("next", "Wire the import into the scheduler, src/import.py:41", "", ""),
)


def body() -> str:
    """The text of the example."""
    rows = []
    for number, (kind, text, status, why) in enumerate(_EXAMPLE):
        item = Item(
            f"{kind[0].upper()}-{number:016d}", kind, text, why, status, "agent", (), Place("", -1, ""), 3, "",
            locked=kind == "decision",
        )  # fmt: skip
        section = ISSUE.section_of(item)
        assert section is not None
        rows.append((section, entry_of(item)._replace(id=item.id)))
    block = HiddenBlock("0" * 16, commit="cd74eb7ccb" + "0" * 30, read=(("src/import.py", "0" * 40),))
    return compose(rows, [], block, left_out=0, task="")


def picture() -> str:
    """The example as an SVG."""
    y, parts = 56, [_text(LEFT, 40, f"{TITLE} #24", 22, "600"), _label(WIDTH - 110, 24)]
    for row in re.sub(r"<!--.*?-->", "", body(), flags=re.DOTALL).split("\n"):
        told = row.rstrip()
        if told.startswith("## "):
            y += 34
            parts.append(_text(LEFT, y, told[3:], 17, "600"))
            y += 8
            parts.append(f'<line x1="{LEFT}" y1="{y}" x2="{WIDTH - LEFT}" y2="{y}" stroke="#d1d9e0"/>')
        elif box := re.match(r"- \[([ x])\] (.*)", told):
            y += 24
            parts += [_box(LEFT + 4, y - 12, ticked=box[1] == "x"), _text(LEFT + 28, y, box[2])]
        elif told.startswith("- "):
            y += 24
            parts += [f'<circle cx="{LEFT + 11}" cy="{y - 5}" r="2.5" fill="#1f2328"/>', _text(LEFT + 28, y, told[2:])]
        elif told:
            y += 6
            for line in textwrap.wrap(told.removeprefix("> "), CHARS):
                y += 20
                parts.append(_text(LEFT + 14, y, line, colour="#59636e" if told[0] == ">" else "#1f2328"))
    height = y + 28
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif" role="img" '
        f'aria-label="An issue: {escape(TITLE)}">'
    )
    frame = f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="8" fill="#fff" stroke="#d1d9e0"/>'
    return "\n".join([head, frame, *parts, "</svg>", ""])


def _text(x: int, y: int, words: str, size: int = 14, weight: str = "400", colour: str = "#1f2328") -> str:
    told = escape(words.replace("`", ""))
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">{told}</text>'


def _box(x: int, y: int, *, ticked: bool) -> str:
    fill = "#0969da" if ticked else "#fff"
    box = f'<rect x="{x}" y="{y}" width="14" height="14" rx="3" fill="{fill}" stroke="#8c959f"/>'
    tick = f'<path d="M{x + 3} {y + 7} l3 3 l5 -6" fill="none" stroke="#fff" stroke-width="2"/>' if ticked else ""
    return box + tick


def _label(x: int, y: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="54" height="22" rx="11" fill="#ddf4ff" stroke="#54aeff"/>'
        f'<text x="{x + 14}" y="{y + 16}" font-size="12" fill="#0969da">clew</text>'
    )


if __name__ == "__main__":
    sys.stdout.write(picture())
