"""What a document is for, by its name, title and headings. Which rules apply follows from it."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from clew.documents.parsed import Parsed
from clew.documents.read_back import profile_in

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
_GUIDE: Final = re.compile(
    r"\b(?:guide|how[ -]to|template|handbook|tutorial|cheat ?sheet|playbook|runbook|manual|instructions|guidelines?|"
    r"workflow|schema|(?:create|write|resume|writing|resuming)(?: work from)?(?: a)? hand-?(?:off|over))\b"
)
_GUIDE_FOLDERS: Final = frozenset(("skills", "commands", "templates", "prompts", "agents"))
_DATED: Final = re.compile(r"\W*.{0,12}\b20\d\d-\d\d-\d\d\b")
_OWN_HANDOFFS: Final = frozenset(("rehydrate", "debug", "team", "handoff", "issue"))
_FORMATS: Final[dict[str, Genre]] = {
    "beads": "task",
    "backlog": "task",
    "jsonl": "log",
    "json": "state",
    "yaml": "state",
}


def genre_of(parsed: Parsed, source: str, path: str) -> Genre:
    """What the document is for. `path` is its own, "" unknown."""
    if parsed.format == "clew":
        profile = profile_in(source)
        return "handoff" if profile and profile.name in _OWN_HANDOFFS else "reference"
    if parsed.format in _FORMATS:
        return _FORMATS[parsed.format]
    folders = path.lower().split("/")[:-1]
    stem = re.sub(r"[_\-.]+", " ", path.rpartition("/")[2].rpartition(".")[0]).strip().lower()
    title = parsed.title.lower()[:200]
    if _GUIDE.search(title) or _GUIDE_FOLDERS.intersection(folders):
        return "guide"
    if _DECISIONS.search(title) or stem == "decisions":
        return "decisions"
    if sum(_DATED.match(heading.text) is not None for heading in parsed.headings if 1 < heading.level <= 3) >= 2:
        return "log"
    named = ((genre, pattern, words) for words, table in ((title, _TITLES), (stem, _NAMES)) for genre, pattern in table)
    found = next((genre for genre, pattern, words in named if re.search(pattern, words)), None)
    return found or ("plan" if "plans" in folders else "reference")
