"""Conversations saved as text or Markdown: turns that begin with who speaks (`User:`, `**Human**`, `## Assistant`).

A hand-off or a README can hold an example of one, and a page about a data model has headings called so. A document is
a conversation only if it is nothing else: it begins with a speaker, behind a title and lines about it at most, goes on
with them in one manner, and one of them speaks twice.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from clew.clients.generic.messages import Message, name_of
from clew.clients.generic.moments import moment
from clew.clients.generic.rendering import Entry
from clew.core.records import Context, Prompt, Record, Reply
from clew.core.tuples import NamedTuple

_USERS: Final = "user|human|you|me|prompt|user input|user prompt"
_ASSISTANTS: Final = (
    r"assistant|ai|ai assistant|bot|model|response|answer|agent|llm|planner response|copilot|github copilot|cursor"
    r"|(?:chat)?gpt(?:[ -]?[\w.]+)?|claude(?: [\w. ]{1,20})?|gemini(?: [\w. -]{1,20})?"
)
_NAME: Final = rf"(?:(?P<user>{_USERS})|(?P<assistant>{_ASSISTANTS})|(?P<system>system))(?: said)?"
# A time or a model in brackets behind a name.
_ASIDE: Final = r"(?:[ \t]*[(\[](?P<aside>[^)\]\n]{1,60})[)\]])?"
_EMOJI: Final = r"(?:[^\w\s#*:]{1,3}\s*)?"
_HEADING: Final = re.compile(rf"(?P<marks>#{{1,6}}) {_EMOJI}\**{_NAME}\**{_ASIDE}:?\**[ \t]*(?P<rest>)", re.IGNORECASE)
_BOLD: Final = re.compile(
    rf"_?\*\*{_EMOJI}{_NAME}{_ASIDE}(?::\*\*|\*\*:|\*\*){_ASIDE.replace('aside', 'other')}_?(?P<rest>.*)", re.IGNORECASE
)
_PLAIN: Final = re.compile(rf"{_EMOJI}(?=(?-i:[A-Z])){_NAME}{_ASIDE}:(?:[ \t]+|$)(?P<rest>.*)", re.IGNORECASE)
_ANY_HEADING: Final = re.compile(r"(#{1,6}) ")
# What may stand before the first speaker: titles, rules, remarks, and lines about the conversation.
_ABOUT: Final = re.compile(r"#|---|===|\*[^*]|>|<|\||- |\*\*[^*]{1,40}(?::\*\*|\*\*:)|[\w -]{1,30}: ")
_ABOUT_ROWS_MAX: Final = 20
_PROSE_ROWS_MAX: Final = 2
_PROSE_CHARS_MAX: Final = 200
_TURNS_SURE: Final = 4


class _Label(NamedTuple):
    """A row (from 0) that says who speaks: in which manner ("##", "**", ":"), by which name, what stands behind it in
    the row.
    """

    row: int
    manner: str
    name: str
    role: str
    time: str
    rest: str


def recognises(text: str) -> bool:
    """Whether a document that begins with `text` is a conversation."""
    rows = text.split("\n")
    labels = _labels(rows)
    if not labels or not _is_preface(rows[: labels[0].row], labels[0]):
        return False
    roles = [label.role for label in labels]
    spoken = [role for role in roles if role != "system"]
    if not {"user", "assistant"} <= set(spoken) or "user" not in spoken[:2]:
        return False
    if len({label.name for label in labels}) == len(labels):  # `## User`, `## Model` in a page about data
        return False
    is_inline = labels[0].manner == ":" or any(label.rest for label in labels[:2])
    if is_inline and spoken.count("user") < 2:  # `User: sean`, `Agent: claude` at the head of a log
        return False
    repeated = sum(one == other for one, other in pairwise(spoken))
    others = _other_headings(rows, labels)
    return repeated * 2 <= len(spoken) and (not others or (len(spoken) >= _TURNS_SURE and others <= 4 * len(spoken)))


def entries(text: str) -> Iterator[Entry]:
    """What stands in the conversation `text`."""
    rows = text.split("\n")
    labels = _labels(rows)
    ends = [label.row for label in labels[1:]]
    turns = [
        (label, _said(label, rows[label.row + 1 : end])) for label, end in zip(labels, [*ends, len(rows)], strict=False)
    ]
    session = name_of([Message(one.role, said, one.time, "", "", (), (), True) for one, said in turns])
    for label, said in turns:
        if not said or label.role == "system":
            continue
        records: list[Record] = [Context(0, label.time, "", session, "", "", "")]
        if label.role == "user":
            records.append(Prompt(0, label.time, "", said, "typed", "", ""))
        else:
            records = [Reply(0, label.time, "", said, "")]
        yield label.row + 1, records


def _labels(rows: Sequence[str]) -> list[_Label]:
    """Who speaks from which row on, in the manner of the first."""
    found: list[_Label] = []
    fence = ""
    for index, row in enumerate(rows):
        mark = row.lstrip()[:3]
        if fence or mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
            continue
        label = _label(index, row, is_apart=not index or not rows[index - 1].strip())
        if label is not None and (not found or label.manner == found[0].manner):
            found.append(label)
    return found


def _label(index: int, row: str, *, is_apart: bool) -> _Label | None:
    heading, bold, plain = _HEADING.fullmatch(row.rstrip()), None, None
    if heading is None and row.startswith(("**", "_**")):
        bold = _BOLD.fullmatch(row.rstrip())
    elif heading is None:
        plain = _PLAIN.fullmatch(row.rstrip())
    found = heading or bold or plain
    if (
        found is None
        or (bold and bold["rest"] and not _separates(row))
        or (plain and not is_apart and not plain["rest"])
    ):
        return None
    manner = heading["marks"] if heading else "**" if bold else ":"
    role = "user" if found["user"] else "assistant" if found["assistant"] else "system"
    name = (found["user"] or found["assistant"] or found["system"]).lower()
    return _Label(index, manner, name, role, moment(found["aside"] or ""), found["rest"].strip())


def _separates(row: str) -> bool:
    """Whether a colon stands between a name in bold and what follows it in the row."""
    return ":**" in row or "**:" in row


def _is_preface(rows: Sequence[str], label: _Label) -> bool:
    """Whether rows can stand before the first speaker: titles above the speakers' own level, and lines about it."""
    told = [row.strip() for row in rows if row.strip()]
    prose = [row for row in told if not _ABOUT.match(row)]
    is_short = all(len(row) <= _PROSE_CHARS_MAX for row in prose)
    level = _level(label)
    if any((mark := _ANY_HEADING.match(row)) and len(mark[1]) >= level for row in told):
        return False
    return len(told) <= _ABOUT_ROWS_MAX and len(prose) <= _PROSE_ROWS_MAX and is_short


def _other_headings(rows: Sequence[str], labels: Sequence[_Label]) -> int:
    """How many headings stand among the turns that a turn cannot hold: of the speakers' own level or above it."""
    level = _level(labels[0])
    named = {label.row for label in labels}
    inside = (row for index, row in enumerate(rows) if index > labels[0].row and index not in named)
    return sum(len(mark[1]) <= level for row in inside if (mark := _ANY_HEADING.match(row)))


def _level(label: _Label) -> int:
    """The level of headings that a conversation in this manner has no others of."""
    return len(label.manner) if label.manner.startswith("#") else 2


def _said(label: _Label, rows: Sequence[str]) -> str:
    """The words of a turn, without the rule that ends it and the marks of a quotation around all of it."""
    kept = [label.rest, *rows]
    while kept and kept[-1].strip() in ("", "---", "***", "___"):
        kept.pop()
    told = [row for row in kept if row.strip()]
    if told and all(row.startswith(">") for row in told):
        kept = [row[1:].removeprefix(" ") if row.startswith(">") else row for row in kept]
    return "\n".join(kept).strip()
