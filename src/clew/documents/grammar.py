"""The grammar of an entry: an item as a document tells it, as one line of Markdown, and the line taken apart again.

    - (verify first) [x] ✓ lead: text → status or answer — reason [D-7k2q]

All parts but the text may be missing. The lead (`Lead`) names the kind where the section's heading does not, and
what state the item is in; “…” around the text are the user's words; an id in square brackets brings the rest of what
was cut, one in round ones only tells which item it is.
What is written follows from `Entry` alone, and `entry_in(line_of(e, s), s) == e` for every entry of `entry_of`.
"""

import re
from typing import Final, NamedTuple

from clew.core.state.items import Item, Kind
from clew.core.text.cleaning import shorten
from clew.documents.entry import Entry, Said
from clew.documents.escaping import QUOTES, active, claimed, inert, safe
from clew.documents.profiles import Section

SHORT_TEXT_CHARS: Final = 90
SHORT_WHY_CHARS: Final = 60
_STATUS_CHARS: Final = 60

# Kinds that lose their use without the reason: it stays, in one clause, at every budget.
REASONED: Final = frozenset({"failed", "decision", "constraint"})

_VERIFY: Final = "(verify first) "
_WHY: Final = " — "
_THEN: Final = " → "
_GUARD: Final = "… "
_NOTHING: Final = "(no words)"
_DISPROVED: Final = "disproved if "

# The word that names a kind where the heading does not, if it is not the kind's own name.
_WORDS: Final[dict[str, str]] = {"step": "to-do", "assumption": "assumed"}
_KINDS: Final[dict[str, Kind]] = {
    "to-do": "step", "assumed": "assumption", "goal": "goal", "decision": "decision", "deferral": "deferral",
    "failed": "failed", "hypothesis": "hypothesis", "constraint": "constraint", "reminder": "reminder",
    "finding": "finding", "question": "question", "risk": "risk", "blocker": "blocker", "phase": "phase",
    "next": "next", "learning": "learning", "request": "step", "read": "read", "note": "note", "file": "file",
}  # fmt: skip
# How far lines of a plan are carried out; what was thought without being said, or found before files were edited again.
_LEADS: Final = {
    "was planned": "plan", "planned": "to do", "proposed": "proposed", "thought": "thought", "earlier": "earlier",
    "earlier thought": "earlier thought", "declined": "declined",
}  # fmt: skip
_LED: Final = {lead: status for status, lead in _LEADS.items()}
_OUTCOMES: Final = {
    "passed": ("✓", "passed"),
    "failed": ("✗", "failed"),
    "hidden": ("?", "outcome not told (pipe or chain)"),
    "vacuous": ("?", "passed but ran no test"),
    "not run": ("–", "not run"),
    "claimed": ("?", "said to have passed"),
    "": ("?", "unknown"),
}
# What clients call the states of a to-do.
_STATUSES: Final = {
    "completed": "done", "complete": "done", "in_progress": "in progress", "in-progress": "in progress",
    "cancelled": "dropped", "canceled": "dropped", "todo": "pending",
}  # fmt: skip
_OF_REQUESTS: Final = frozenset(
    (
        "committed",
        "rebased",
        "opened",
        "reverted",
        "edited",
        "agreed",
        "ran",
        "interrupted",
        "broken",
        "answered",
        "under",
    )
)
_LATEST: Final = "latest "
_LATEST_LEAD: Final = "latest request"
# Kinds whose status stands in the lead, and those of which the user's words say behind an arrow what came of them.
_STATED: Final = frozenset(("step", "phase", "hypothesis"))
_ARROWED: Final = frozenset(("goal", "step", "constraint"))

_OWNER: Final = re.compile(r"(?:ask|owner) (.+)")
_ID: Final = r" (?:\[([A-Z]-[0-9a-z]+)\]|\(([A-Z]-[0-9a-z]+)\))$"
# A letter, a dash and so many characters: "(A-1)" is somebody else's numbering.
_ID_CHARS_MIN: Final = 6
_ID_LIKE: Final = re.compile(r"(\\*)([\[(][A-Z]-[0-9a-z]+[\])])$")
_BOX: Final = r"\[([ xX])\] "
# Words in front of a text that a reader would take for a lead of ours, dressed up as they may be.
_LIKE_LEAD: Final = (
    r"(?i)[\s*_`'\"\\]*(?:\(?verify first\)?|to-do,|[?–→](?=\s|$)"
    r"|(?:plan|to do|proposed|(?:earlier )?thought|earlier|declined|latest request|committed|locked|blocking"
    r"|assumed)\W*:)"
)
# How such words begin, after what dresses them up: few texts need the closer look.
_FRONT_CHARS: Final = 16
_DRESS: Final = " \t\n\r\v\f\x1c\x1d\x1e\x1f*_`'\"\\"
_LIKE_LEAD_FRONTS: Final = (
    *("verify first", "(verify first", "to-do,", "?", "plan", "to do", "proposed", "thought", "earlier", "declined"),
    *("latest request", "committed", "locked", "blocking", "assumed"),
)
# The one heading that is ours: the sentence is from the message of a commit.
_COMMITTED: Final = "committed"


class Lead(NamedTuple):
    """What the words in front of a text say; `kind` None: that of the section."""

    kind: Kind | None = None
    status: str = ""
    locked: bool = False
    blocking: bool = False
    owner: str = ""


def entry_of(item: Item, *, verify: bool = False, labelled: bool = True) -> Entry:
    """The item with all that it says. `verify`: a file that it speaks of has changed, so it is no longer a fact.

    `labelled`: with the heading it stood under in front of the text.
    """
    is_quoted = _is_quoted(item)
    said: Said = (
        "user" if is_quoted else "proved" if item.provenance == "verified" and item.kind == "step" else "claimed"
    )
    status = _status(item, is_quoted=is_quoted)
    return Entry(
        item.kind,
        _labelled(item, _text(item), labelled=labelled) or _NOTHING,
        "" if status in _LEADS else _why(item),
        status,
        said,
        verify=verify,
        locked=item.locked and item.kind in ("decision", "constraint"),
        blocking=item.blocking and item.kind == "question" and not item.answer,
        owner="" if item.answer or item.kind not in ("question", "risk", "blocker") else _lead_word(item.owner),
        answer=_claim(item.answer) if item.kind == "question" else "",
    )


_TURN: Final = re.compile(r"\W*(?:but|however|yet|although|though|except|instead|unless|only)\b", re.IGNORECASE)


def short_entry_of(
    item: Item, whole: Entry, shown_id: str, *, labelled: bool = True, chars: int = SHORT_TEXT_CHARS
) -> Entry:
    """`whole`, which is `entry_of` the item, cut to one clause of at most `chars`, with the id that brings the rest
    (`clew show ID`). One whose rest would turn its sense round stays whole.
    """
    told = _text(item)
    short = shorten(told, chars)
    if short != told and _TURN.match(told, len(short) - 1):
        return whole
    text = _labelled(item, short, labelled=labelled)
    why = shorten(_why(item), SHORT_WHY_CHARS) if item.kind in REASONED and whole.status not in _LEADS else ""
    if (text or _NOTHING, why) == (whole.text, whole.why):
        return whole
    return whole._replace(text=text or _NOTHING, why=why, id=shown_id, cut=True)


def _labelled(item: Item, text: str, *, labelled: bool) -> str:
    if not labelled or not item.label:
        return text
    # What stood between the user's heading and these words is not told, so the quotation says that it is left out.
    return f"{_claim(item.label)}: {'… ' if _is_quoted(item) else ''}{text}"


def _claim(text: str) -> str:
    return claimed(safe(text)).replace("—", "–").strip()


def _lead_word(text: str) -> str:
    return _claim(text).replace(":", ";").replace(",", ";").strip()


def _is_quoted(item: Item) -> bool:
    """Whether the text is told as the user's words. A refused call or plan is named, a plan's line is the agent's."""
    if item.provenance != "human" or (item.status in _LEADS and (item.status != "earlier" or item.kind in _ARROWED)):
        return False
    return item.kind not in ("failed", "validation") or item.place.at < 0


def _text(item: Item) -> str:
    if _is_quoted(item):
        return safe(item.text).translate(QUOTES).strip()
    text = _claim(item.text)
    told = (
        _lead_word(item.status).lower() if item.kind == "step" and item.draft and item.provenance != "verified" else ""
    )
    if told and re.match(rf"{re.escape(told)}\W*(?:$|:\s)", text, re.IGNORECASE):  # the lead says it
        text = text[len(told) :].lstrip(" .:") or "the work here"
    return text.replace(_THEN, " -> ") if item.kind == "question" else text


def _why(item: Item) -> str:
    """The reason. That of a refusal quotes the user, from the first quotation mark to the last."""
    why = safe(item.why).strip()
    start, end = why.find("“"), why.rfind("”")
    if item.provenance != "human" or item.kind not in ("failed", "validation") or not 0 <= start < end:
        return claimed(why).strip()
    return f"{claimed(why[:start])}“{why[start + 1 : end].translate(QUOTES)}”{claimed(why[end + 1 :])}"


def _status(item: Item, *, is_quoted: bool) -> str:
    """The status, in so far as a document tells it."""
    if item.status in _LEADS:
        return item.status
    status = shorten(_claim(item.status), _STATUS_CHARS)
    if item.kind == "validation":
        outcome, _, when = (part.strip() for part in status.replace(":", ";").partition(","))
        outcome = "" if outcome == "unknown" else outcome
        if outcome == "passed" and item.provenance != "verified":
            outcome = "claimed"  # ✓ is what a command proved
        return f"{outcome}, {when}" if when else outcome
    if is_quoted:
        return status if item.kind in _ARROWED else ""
    if item.kind == "hypothesis":
        return _lead_word(status) or "active"
    if item.kind in _STATED and item.provenance != "verified":
        return _STATUSES.get(status, _lead_word(status))
    return ""


def placed(entry: Entry, section: Section) -> Entry:
    """The entry as it reads under the heading of `section`, which may tell a status that it does not say itself."""
    if entry.said != "claimed" or entry.status in _LEADS:
        return entry
    status = _status_by_place(entry.kind, entry.status, " " if section.boxes else "", section)
    return entry if status == entry.status else entry._replace(status=status)


def line_of(entry: Entry, section: Section) -> str:
    """The entry, `placed` in `section`, as a line under its heading."""
    lead = _lead_of(entry, section)
    body = _body(entry)
    if entry.said != "user" and _looks_led(body):
        body = _GUARD + body
    if entry.why:
        body += _WHY + (_DISPROVED if entry.kind == "assumption" else "") + entry.why
    if body.endswith(("]", ")")):
        body = _ID_LIKE.sub(r"\\\1\2", body)
    if entry.id:
        body += f" [{entry.id}]" if entry.cut else f" ({entry.id})"
    told = inert(lead + body)
    return f"- {_VERIFY if entry.verify else ''}{_box_of(entry, section)}{told}"


def _body(entry: Entry) -> str:
    body = f"“{entry.text}”" if entry.said == "user" else entry.text
    if entry.answer:
        return body + _THEN + entry.answer
    if entry.said == "user" and entry.kind in _ARROWED and entry.status:
        return body + _THEN + entry.status.removeprefix(_LATEST)
    return body


def _lead_of(entry: Entry, section: Section) -> str:
    """What stands in front of the text, with the space behind it."""
    if entry.kind == "validation":
        outcome, _, when = (part.strip() for part in entry.status.partition(","))
        sign, words = _OUTCOMES.get(outcome, ("?", outcome))
        return f"{sign} {words}{f', {when}' if when else ''}: "
    parts = []
    is_plain = entry.kind == section.kinds[0]
    if entry.status in _LEADS:
        parts = [] if is_plain else [_WORDS.get(entry.kind, entry.kind)]
        return ", ".join([*parts, _LEADS[entry.status]]) + ": "
    quoted = entry.said == "user"
    status = "" if quoted or entry.kind not in _STATED or entry.status == _implied(entry, section) else entry.status
    if not is_plain or status:
        is_request = entry.kind == "step" and (quoted or _came(status))
        parts.append("request" if is_request else _WORDS.get(entry.kind, entry.kind))
    if status:
        parts.append(status)
    if quoted and entry.kind in _ARROWED and entry.status.startswith(_LATEST):
        parts.append(_LATEST_LEAD)
    parts += ["locked"] * entry.locked + ["blocking"] * entry.blocking
    if entry.owner:
        parts += ["no default", f"ask {entry.owner}"] if entry.kind == "question" else [f"owner {entry.owner}"]
    sign = "✓ " if entry.said == "proved" else ""
    return sign + (", ".join(parts) + ": " if parts else "")


def _came(status: str) -> bool:
    """Whether a status says what came of a request: one that a program gave is told without quotation marks."""
    return status.removeprefix(_LATEST).split(maxsplit=1)[0].rstrip(",;") in _OF_REQUESTS if status else False


def _implied(entry: Entry, section: Section) -> str:
    """The status that an entry has by where it stands: its box, or the heading."""
    if section.boxes and entry.status in ("done", "pending"):
        return entry.status
    return section.implied


def _box_of(entry: Entry, section: Section) -> str:
    if not section.boxes or entry.kind not in ("step", "phase"):
        return ""
    return "[x] " if entry.said == "proved" or entry.status == "done" else "[ ] "


def _looks_led(text: str) -> bool:
    """Whether a text that is not ours begins as if it had a lead."""
    while text.startswith(_GUARD):
        text = text[len(_GUARD) :]
    if text.startswith(f"{_COMMITTED}: "):
        return False
    front = text.lstrip(_DRESS)[:_FRONT_CHARS]
    if front.isascii() and not front.lower().startswith(_LIKE_LEAD_FRONTS):
        return _lead_in(text)[0] is not None
    return re.match(_LIKE_LEAD, text) is not None or _lead_in(text)[0] is not None


def entry_in(line: str, section: Section) -> Entry | None:
    """The entry that a line under the heading of `section` tells; None if it is no list entry.

    Lists may begin with any of Markdown's signs, as people write them.
    """
    opened = re.match(r"\s*(?:[-*+]|\d{1,9}[.)])\s+", line)
    if opened is None:
        return None
    rest = line[opened.end() :].rstrip()
    verify = rest.startswith(_VERIFY)
    rest = rest[len(_VERIFY) :] if verify else rest
    box = re.match(_BOX, rest)
    rest = active(rest[box.end() :] if box else rest)
    kind, lead, is_proved, rest = _front(rest, section)
    found = re.search(_ID, rest)
    rest = rest[: found.start()] if found else rest
    rest = _ID_LIKE.sub(lambda like: like[1][:-1] + like[2], rest)
    text, then, why, is_quoted = _parts(rest, kind)
    if not is_quoted and text.startswith(_GUARD) and _looks_led(text):
        text = text[len(_GUARD) :]
    answer = then if kind == "question" else ""
    status = lead.status
    if is_quoted and kind in _ARROWED and not answer:
        status = then if not status else f"{_LATEST}{then}" if status == _LATEST_LEAD else status
    elif not is_quoted and not is_proved and status not in _LEADS:
        status = _status_by_place(kind, status, box[1] if box else "", section)
    said: Said = "user" if is_quoted else "proved" if is_proved else "claimed"
    why = why.removeprefix(_DISPROVED) if kind == "assumption" else why
    cut_id, whole_id = found.groups() if found else ("", "")
    return Entry(
        *(kind, text, why, status, said, cut_id or whole_id or "", bool(cut_id), verify),
        *(lead.locked, lead.blocking, lead.owner, answer),
    )


def identified(entry: Entry) -> Entry:
    """An entry of anybody's document, with the id of ours that stands at its end taken for what it is."""
    front, found = (entry.why, re.search(_ID, entry.why)) if entry.why else (entry.text, re.search(_ID, entry.text))
    if found is None or entry.id or len(found[1] or found[2]) < _ID_CHARS_MIN:
        return entry
    rest = front[: found.start()].rstrip()
    entry = entry._replace(id=found[1] or found[2], cut=bool(found[1]))
    return entry._replace(why=rest) if entry.why else entry._replace(text=rest)


def _status_by_place(kind: Kind, status: str, box: str, section: Section) -> str:
    """The status of a claim: as it is said, or as its box or its heading tells; a ticked box wins."""
    if box and kind in ("step", "phase"):
        return "done" if box != " " else status or "pending"
    if kind in _STATED and not status:
        return section.implied or ("active" if kind == "hypothesis" else "")
    return status


def _front(rest: str, section: Section) -> tuple[Kind, Lead, bool, str]:
    """Kind, lead and proof that stand in front of a text, and what is behind them."""
    plain = section.kinds[0]
    sign = re.match(r"([✓✗?–]) ", rest)
    if sign is None:
        lead, behind = _lead_in(rest)
        return (lead.kind or plain, lead, False, behind) if lead else (plain, Lead(), False, rest)
    rest = rest[sign.end() :]
    words, colon, behind = rest.partition(": ")
    if colon:
        for outcome, (own_sign, own_words) in _OUTCOMES.items():
            if own_sign == sign[1] and (words == own_words or words.startswith(f"{own_words}, ")):
                return "validation", Lead("validation", outcome + words[len(own_words) :]), False, behind
        if sign[1] == "?":
            return "validation", Lead("validation", words), False, behind
    if sign[1] == "✓":
        lead, behind = _lead_in(rest)
        kind = lead.kind if lead and lead.kind else plain
        return (kind, lead, True, behind) if lead else (kind, Lead(), True, rest)
    return "validation", Lead("validation", ""), False, rest


def _lead_in(text: str) -> tuple[Lead | None, str]:
    """The lead that a text begins with, None if it has none, and the text behind it."""
    words, colon, behind = text.partition(": ")
    if not colon or len(words) > 3 * _STATUS_CHARS:
        return None, text
    first, *others = words.split(", ")
    lead = Lead(_KINDS.get(first))
    if lead.kind is None:
        others = [first, *others]
    for number, word in enumerate(others):
        owner = _OWNER.fullmatch(word)
        if word == "locked":
            lead = lead._replace(locked=True)
        elif word == "blocking":
            lead = lead._replace(blocking=True)
        elif word in _LED:
            lead = lead._replace(status=_LED[word])
        elif word == _LATEST_LEAD:
            lead = lead._replace(status=_LATEST_LEAD)
        elif owner:
            lead = lead._replace(owner=owner[1])
        elif number == 0 and lead.kind in _STATED and word:
            lead = lead._replace(status=word)
        elif word != "no default":
            return None, text
    return lead, behind


def _parts(body: str, kind: Kind) -> tuple[str, str, str, bool]:
    """Text, what stands behind its arrow, reason, and whether the text is the user's words."""
    if body.startswith("“") and "”" in body:
        text, _, rest = body[1:].partition("”")
        front, _, why = rest.partition(_WHY)
        return text, front.removeprefix(_THEN) if front.startswith(_THEN) else front.strip(), why, True
    text, _, why = body.partition(_WHY)
    if kind == "question":
        text, _, answer = text.partition(_THEN)
        return text, answer, why, False
    return text, "", why, False
