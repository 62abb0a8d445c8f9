"""One item as one line of a document, in full and in its shortest honest form."""

from __future__ import annotations

import re

from clew.core.items import Item
from clew.core.text import clean, one_line, shorten

SHORT_TEXT_CHARS = 90
# For what is to be shown at any price.
TIGHT_TEXT_CHARS = (40, 20)
SHORT_WHY_CHARS = 60

# Kinds that lose their use without the reason: it stays, in one clause, at every budget.
REASONED = frozenset({"failed", "decision", "constraint"})


_STATUS_CHARS = 60

# What begins a heading, a quote, a fence, a list or a box at the start of a line of Markdown.
_MARKUP = re.compile(r"(?:#{1,6}|[-*+]|\[[ xX]\])(?=\s|$)|>|```|~~~|[-_*=](?=[\s*_=-]*$)|\d{1,9}(?=[.)](?:\s|$))")
_NUMBER = re.compile(r"(\d{1,9})[.)](?=\s|$)")
_OWN_MARK = re.compile(r"<(/?clew-data)", re.IGNORECASE)
# What stands for proof, failure and the user's words in a document. It is ours to set, so nobody else's text keeps it.
_PASSED = "✓✔✅☑🗸"
_FAILED = "✗✘✖❌❎☒🗴"
_SIGN = re.compile(f"([{_PASSED}]|[{_FAILED}])\ufe0f?")
_QUOTES = str.maketrans(dict.fromkeys("“”„‟〝〞", '"'))
# The words that we set in front of a line to say what kind of claim it is.
_OWN_LEAD = re.compile(
    r"[\s*_`'\"\\]*(?:\(?verify first\)?|to-do,|[?–→](?=\s)"
    r"|(?:plan|to do|proposed|latest request|committed|locked|blocking|assumed)\W*:)",
    re.IGNORECASE,
)
# The one heading that is ours: the sentence is from the message of a commit.
_COMMITTED = "committed"


def safe(text: str) -> str:
    """Text from outside as it may stand in a line of Markdown that a model, a terminal or a browser reads.

    Invisible characters go, what would open a comment or look like the data block's own mark is broken up.
    """
    text = one_line(clean(text))
    if "<" in text:
        text = _OWN_MARK.sub(r"‹\1", text.replace("<!--", "\\<!--"))
    return text


def claimed(text: str) -> str:
    """Safe text that is not the user's, without the marks by which a document says who said it and what was proved."""
    if text.isascii():
        return text
    return _SIGN.sub(_word_for, text.translate(_QUOTES))


def _word_for(sign: re.Match[str]) -> str:
    text, start, end = sign.string, sign.start(), sign.end()
    word = "ok" if sign[1] in _PASSED else "failed"
    before = " " if start and text[start - 1].isalnum() else ""
    after = " " if end < len(text) and (text[end].isalnum() or text[end] in "`*") else ""
    return f"{before}{word}{after}"


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
    return _line(item, _headed(item, _text(item), labelled=labelled), _why(item), verify)


def short(item: Item, shown_id: str, *, verify: bool, labelled: bool, chars: int = SHORT_TEXT_CHARS) -> str:
    """The item cut to one clause of at most `chars`, with the id that brings the rest (`clew show ID`)."""
    text = _headed(item, shorten(_text(item), chars), labelled=labelled)
    why = shorten(_why(item), SHORT_WHY_CHARS) if item.kind in REASONED else ""
    line = _line(item, text, why, verify)
    return line if line == full(item, verify=verify, labelled=labelled) else f"{line} [{shown_id}]"


def _is_quoted(item: Item) -> bool:
    """Whether the text is told as the user's words. A refused call or plan is named, a plan's line is the agent's."""
    if item.provenance != "human" or item.status in _PLANS:
        return False
    return (
        item.kind not in ("failed", "validation") or item.place.at < 0
    )  # a refused call is named; what is stated, not


def _text(item: Item) -> str:
    text = safe(item.text)
    return text.translate(_QUOTES) if _is_quoted(item) else claimed(text)


def _why(item: Item) -> str:
    """The reason. That of a refusal quotes the user, from the first quotation mark to the last."""
    why = safe(item.why)
    start, end = why.find("“"), why.rfind("”")
    if item.provenance != "human" or item.kind not in ("failed", "validation") or not 0 <= start < end:
        return claimed(why)
    return f"{claimed(why[:start])}“{why[start + 1 : end].translate(_QUOTES)}”{claimed(why[end + 1 :])}"


def _headed(item: Item, text: str, *, labelled: bool) -> str:
    """The text with its heading in front; what looks like a lead of ours, and is not, is set off by "…"."""
    # What stood between the user's heading and these words is not told, so the quotation says that it is left out.
    gap = "… " if _is_quoted(item) else ""
    headed = f"{claimed(safe(item.label))}: {gap}{text}" if labelled and item.label else text
    is_ours = _is_quoted(item) or item.status in _PLANS or (labelled and item.label == _COMMITTED)
    return f"… {headed}" if not is_ours and _OWN_LEAD.match(headed) else headed


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
    told = _told(item, text, shorten(claimed(safe(item.status)), _STATUS_CHARS), why)
    # An entry of a numbered list keeps its number, as "(2)": a list in a list entry is not meant.
    return lead + inert(_NUMBER.sub(r"(\1)", told, count=1) if _NUMBER.match(told) else told)


def _told(item: Item, text: str, status: str, why: str) -> str:
    if item.kind == "validation":
        outcome, _, when = status.partition(",")
        sign, word = _OUTCOMES.get(outcome, ("?", outcome))
        return f"{sign} {text} {word}" + (f", {when.strip()}" if when else "") + (f": {why}" if why else "")
    if status in _PLANS:
        return f"{_PLANS[status]}: {text}"
    if item.provenance == "human":
        text = f"“{text}”" if _is_quoted(item) else text
    elif item.provenance == "verified" and item.kind == "step":
        text = f"✓ {text}"
    if item.kind == "step" and item.provenance == "agent" and status:
        text = f"to-do, {status.replace('_', ' ')}: {text}"
    elif item.kind in ("goal", "step", "constraint") and item.provenance == "human" and status:
        text = f"{text} → {status.removeprefix('latest ')}"
    if item.kind in _LED:
        text, why = _led(item, text, why)
    if item.kind == "decision" and item.locked:
        text = f"locked: {text}"
    if status.startswith("latest "):
        text = f"latest request: {text}"
    if why:
        text = f"{text} ({why})" if item.kind in ("decision", "finding") else f"{text}: {why}"
    return text


# Kinds that share a heading with others, or read as facts without a word in front.
_LED = frozenset(("question", "blocker", "risk", "hypothesis", "assumption"))


def _led(item: Item, text: str, why: str) -> tuple[str, str]:
    """Text and reason of such an item, with what it is: whom a question is for or what was answered, which hypothesis
    was eliminated, what would disprove an assumption.
    """
    owner = claimed(safe(item.owner))
    if item.kind == "question":
        if item.answer:
            return f"{text} → {claimed(safe(item.answer))}", why
        return ("blocking: " if item.blocking else "") + text + (f" (no default: ask {owner})" if owner else ""), why
    if item.kind == "hypothesis":
        return f"hypothesis, {claimed(safe(item.status)) or 'active'}: {text}", why
    if item.kind == "assumption":
        return f"assumed: {text}", f"disproved if {why}" if why else ""
    if item.place.at >= 0 and not owner:
        return text, why
    return f"{item.kind}{f' ({owner})' if owner else ''}: {text}", why
