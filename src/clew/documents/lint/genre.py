"""What a document is for, by its name, title and headings. Which rules apply follows from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from clew.documents.own import profile_in
from clew.documents.parse import genre as reading
from clew.documents.parse.markdown import Block
from clew.documents.parsed import Parsed

# handoff: what the next session needs. plan: what is to be done. log: what was done, by date. task: one piece of work
# as a tracker keeps it. state: where things stand, kept up to date. decisions: what was decided. guide: how to work.
# reference: all else that is to be known.
Genre: TypeAlias = Literal["handoff", "plan", "log", "task", "state", "decisions", "guide", "reference"]

_TITLES: Final[tuple[tuple[Genre, str], ...]] = (
    ("handoff", r"\bhand-?(?:off|over)\b|^continuation prompt\b|\bcontinue[- ]here\b|\bresume (?:prompt|point|notes)\b"
                r"|\blast session\b"),
    ("log", r"\b(?:session|work|progress|activity|daily|dev|change)[ -]?logs?\b|\bjournal\b|\bchangelog\b|\bledger\b"
            r"|\bprogress\b|^session\b.{0,20}\b20\d\d-\d\d-\d\d"),
    ("plan", r"\b(?:plans?|planning|roadmap|proposal|design|rfc|prd|checklist|strategy)\b"),
    ("handoff", r"\bsession (?:summary|state|report|notes)\b"),
    ("state", r"\b(?:to-?dos?|tasks|next|state|snapshot|backlog|status)\b|^current session$|\bagent context$"),
)  # fmt: skip
_NAMES: Final[tuple[tuple[Genre, str], ...]] = (
    ("handoff", r"(?:^|\b)hand ?(?:off|over)(?: (?:report|notes?|prompt|doc|summary|v?\d+))*$|\bcontinue here$"),
    ("log", r"\b(?:progress|log|journal)\b"),
    ("plan", r"\b(?:plans?|roadmap)\b"),
    ("state", r"\b(?:to ?dos?|next|current|state|status)\b"),
)
_DECISIONS: Final = re.compile(r"\b(?:decisions|adrs?|decision (?:log|records?))\b")
_WRITING: Final = re.compile(
    r"\b(?:schema|(?:create|write|resume|writing|resuming)(?: work from)?(?: a)? hand-?(?:off|over))\b"
)
_GUIDE_FOLDERS: Final = frozenset(("skills", "commands", "templates", "prompts", "agents"))
_DATED: Final = re.compile(r"\W*.{0,12}\b20\d\d-\d\d-\d\d\b")
_OWN_HANDOFFS: Final = frozenset(("rehydrate", "debug", "team", "handoff", "issue"))


def genre_of(parsed: Parsed, source: str, found: Sequence[Block], path: str) -> Genre:
    """What the document is for. `found` are its blocks (none where it is no Markdown), `path` its own, "" unknown."""
    if parsed.format == "clew":
        profile = profile_in(source)
        return "handoff" if profile and profile.name in _OWN_HANDOFFS else "reference"
    if parsed.format in ("beads", "backlog"):
        return "task"
    if parsed.format == "jsonl":
        return "log"
    if parsed.format in ("json", "yaml"):
        return "state"
    folders = path.lower().split("/")[:-1]
    stem = re.sub(r"[_\-.]+", " ", path.rpartition("/")[2].rpartition(".")[0]).strip().lower()
    title = parsed.title.lower()
    is_called = reading.GUIDE_TITLE.search(title) or _WRITING.search(title)
    if is_called or reading.genre(found) in ("guide", "rules") or _GUIDE_FOLDERS.intersection(folders):
        return "guide"
    if _DECISIONS.search(title) or stem == "decisions":
        return "decisions"
    if _dated_sections(parsed) >= 2:
        return "log"
    for genre, pattern in _TITLES:
        if re.search(pattern, title):
            return genre
    for genre, pattern in _NAMES:
        if re.search(pattern, stem):
            return genre
    return "plan" if "plans" in folders else "reference"


def _dated_sections(parsed: Parsed) -> int:
    return sum(bool(_DATED.match(heading.text)) for heading in parsed.headings if 1 < heading.level <= 3)
