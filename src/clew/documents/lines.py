"""One item as one line of a document, in full and in its shortest honest form."""

from __future__ import annotations

import re

from clew.core.items import Item
from clew.core.text import clean, one_line, shorten

SHORT_TEXT_CHARS = 90
SHORT_WHY_CHARS = 60

# Kinds that lose their use without the reason: it stays, in one clause, at every budget.
REASONED = frozenset({"failed", "decision", "constraint"})


_STATUS_CHARS = 60

# What begins a heading, a quote, a fence, a list or a box at the start of a line of Markdown.
_MARKUP = re.compile(r"(?:#{1,6}|[-*+]|\[[ xX]\])(?=\s|$)|>|```|~~~|[-_*=](?=[\s*_=-]*$)|\d{1,9}(?=[.)](?:\s|$))")
_OWN_MARK = re.compile(r"<(/?clew-data)", re.IGNORECASE)


def safe(text: str) -> str:
    """Text from outside as it may stand in a line of Markdown that a model, a terminal or a browser reads.

    Invisible characters go, what would open a comment or look like the data block's own mark is broken up.
    """
    text = one_line(clean(text))
    if "<" in text:
        text = _OWN_MARK.sub(r"‹\1", text.replace("<!--", "\\<!--"))
    return text


def inert(text: str) -> str:
    """Safe text as it may begin a line or a list entry: markup that would act there gets a backslash."""
    mark = _MARKUP.match(text)
    if mark is None:
        return text
    at = mark.end() if mark[0].isdigit() else 0
    return f"{text[:at]}\\{text[at:]}"


def place(path: str, chars: int) -> str:
    """A path, safe and in at most `chars` characters: of a longer one the end, which tells more."""
    path = safe(path)
    return path if len(path) <= chars else "…" + path[1 - chars :]


def full(item: Item, *, verify: bool, labelled: bool) -> str:
    """The item with all that it says. `verify`: a file that it speaks of has changed, so it is no longer a fact.

    `labelled`: with the heading it stood under.
    """
    return _line(item, _headed(item, safe(item.text), labelled=labelled), safe(item.why), verify)


def short(item: Item, shown_id: str, *, verify: bool, labelled: bool) -> str:
    """The item cut to one clause, with the id that brings the rest (`clew show ID`)."""
    text = _headed(item, shorten(safe(item.text), SHORT_TEXT_CHARS), labelled=labelled)
    why = shorten(safe(item.why), SHORT_WHY_CHARS) if item.kind in REASONED else ""
    line = _line(item, text, why, verify)
    return line if line == full(item, verify=verify, labelled=labelled) else f"{line} [{shown_id}]"


def _headed(item: Item, text: str, *, labelled: bool) -> str:
    return f"{safe(item.label)}: {text}" if labelled and item.label else text


_OUTCOMES = {
    "passed": ("✓", "passed"),
    "failed": ("✗", "failed"),
    "hidden": ("?", "ran, its outcome hidden by a pipe"),
    "vacuous": ("?", "passed, but ran no test"),
    "not run": ("–", "not run"),
}


_PLANS = {"was planned": "plan", "planned": "to do", "proposed": "proposed"}


def _line(item: Item, text: str, why: str, verify: bool) -> str:
    lead = "- (verify first) " if verify else "- "
    return lead + inert(_told(item, text, shorten(safe(item.status), _STATUS_CHARS), why))


def _told(item: Item, text: str, status: str, why: str) -> str:
    if item.kind == "validation":
        outcome, _, when = status.partition(",")
        sign, word = _OUTCOMES.get(outcome, ("?", outcome))
        return f"{sign} {text} {word}" + (f", {when.strip()}" if when else "") + (f": {why}" if why else "")
    if status in _PLANS:
        return f"{_PLANS[status]}: {text}"
    if item.provenance == "human":
        text = _quoted(item, text)
    elif item.provenance == "verified" and item.kind == "step":
        text = f"✓ {text}"
    if item.kind == "step" and item.provenance == "agent" and status:
        text = f"to-do, {status.replace('_', ' ')}: {text}"
    elif item.kind in ("goal", "step", "constraint") and item.provenance == "human" and status:
        text = f"{text} → {status.removeprefix('latest ')}"
    if status.startswith("latest "):
        text = f"latest request: {text}"
    if why:
        text = f"{text} ({why})" if item.kind in ("decision", "finding") else f"{text}: {why}"
    return text


def _quoted(item: Item, text: str) -> str:
    """The user's words in quotes; a refused call or plan is named, not quoted."""
    return text if item.kind == "failed" else f"“{text}”"
