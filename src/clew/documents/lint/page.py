"""A document prepared for rules: its blocks, what stands above each, what it is for; and what rules find in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, islice, starmap
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from clew.core.text.segments import Block, segments
from clew.core.text.tokens import estimate
from clew.documents.entry import Parsed
from clew.documents.parse.inline import plain
from clew.documents.parse.reader import BLOCKS_MAX
from clew.documents.read_back import profile_in


class LintFinding(NamedTuple):
    """One thing to fix. `line` counts from 1; `text` is what stands there that fired, `fix` what to do about it."""

    rule: str
    line: int
    text: str
    message: str
    fix: str


class LintGround(NamedTuple):
    """What the disk and the clock tell.

    `gone` are those of the paths that `cited` gave that are no file there, each with where the one file of that name
    is now ("" none or several). `today` is a date as `YYYY-MM-DD`, "" unknown. `budget_tokens` is for a hand-off.
    """

    gone: Mapping[str, str] = MappingProxyType({})
    today: str = ""
    budget_tokens: int = 1500


class LintRule(NamedTuple):
    """`meaning` is one sentence, `fix` the usual way out (a finding may know a better one), `genres` the documents
    that it is for, () all that its table is for. `grave`: a plan with it is not approved.
    """

    id: str
    meaning: str
    fix: str
    genres: frozenset[Genre] = frozenset()
    grave: bool = False


_HANDOFF: Final[frozenset[Genre]] = frozenset(("handoff",))
_STANDING: Final[frozenset[Genre]] = frozenset(("handoff", "state"))
_TOLD: Final[frozenset[Genre]] = frozenset(("handoff", "state", "log"))
_WORK: Final[frozenset[Genre]] = frozenset(("handoff", "state", "log", "plan", "task"))
_KEPT: Final[frozenset[Genre]] = _STANDING | {"decisions", "reference"}

_TABLE: Final[tuple[tuple[str, str, str, frozenset[Genre]], ...]] = (
    ("over-budget", "A hand-off has more tokens than its budget.",
     "Cut finished work to one line each and move detail to the files that it is about.", _HANDOFF),
    ("no-failed-approaches", "A hand-off does not say what was tried and failed.",
     'Add "## Failed approaches" with what was tried, why it failed and the error text, or "none".', _HANDOFF),
    ("no-next-action", "A hand-off does not say what to do next.",
     'Add "## Next action" with one action that names its file.', _HANDOFF),
    ("several-next-actions", "Several next actions are listed, and nothing says which is first.",
     "Number them, or keep one and move the others to what is still to do.", _STANDING),
    ("no-error-text", "An entry says that something fails, and neither how nor what it printed.",
     "Quote the command and its first error line.", _TOLD),
    ("file-gone", "A file of this repository that the document names does not exist.",
     "Name the file as it is called now, or say that it was removed.", _KEPT),
    ("nested-list", "A list is nested more than one level deep.", "Flatten it: one line for each point.", _WORK),
    ("stale-date", "The newest date of a hand-off or a state file is more than 30 days old, of a plan or log with "
     "open work 90.",
     "Check it against the repository, then update its date or archive it.", _STANDING | {"plan", "log"}),
    ("empty-phrase", "An entry says nothing that the next session could act on, or is a template's place that "
     "nobody filled in.", "Say what exactly: which file, which behaviour, which result; or take the line out.",
     _WORK | {"decisions"}),
    ("wrong-layer", "A convention is in a hand-off, or the state of a task in memory or a rules file.",
     "Move it: conventions to the rules file, stable facts to memory, a task's state to its hand-off.",
     frozenset(("handoff", "reference", "guide", "state", "log", "plan"))),
)  # fmt: skip
RULES: Final[dict[str, LintRule]] = {rule.id: rule for rule in starmap(LintRule, _TABLE)}


def finding(rules: Mapping[str, LintRule], rule: str, line: int, text: str, message: str, fix: str = "") -> LintFinding:
    """A finding of a rule in one of the tables, with the rule's own fix where none is given."""
    return LintFinding(rule, line, text, message, fix or rules[rule].fix)


found: Final = partial(finding, RULES)


# handoff: what the next session needs. plan: what is to be done. log: what was done, by date. task: one piece of work
# as a tracker keeps it. state: where things stand, kept up to date. decisions: what was decided. guide: how to work.
# reference: all else that is to be known.
Genre: TypeAlias = Literal["handoff", "plan", "log", "task", "state", "decisions", "guide", "reference"]

_TITLES: Final[tuple[tuple[Genre, str], ...]] = (
    ("handoff", r"\bhand[- ]?(?:off|over)\b|^continuation prompt\b|\bcontinue[- ]here\b"
                r"|\bresume (?:prompt|point|notes)\b|\blast session\b"),
    ("log", r"\b(?:session|work|progress|activity|daily|dev|change)[ -]?logs?\b|\bjournal\b|\bchangelog\b|\bledger\b"
            r"|\bprogress\b|^log$|^session\b.{0,20}\b20\d\d-\d\d-\d\d"),
    ("plan", r"\b(?:plans?|planning|roadmap|proposal|design|rfc|prd|checklist|strategy)\b"),
    ("handoff", r"\bsession (?:summary|state|report|notes)\b"),
    ("state", r"\b(?:to-?dos?|tasks|next|state|snapshot|backlog|status)\b|^current(?: session)?$|\bagent context$"),
)  # fmt: skip
_DECISIONS: Final = re.compile(r"\b(?:decisions|adrs?|decision (?:log|records?))\b")
_GUIDE: Final = re.compile(
    r"\b(?:guide|how[ -]to|template|handbook|tutorial|cheat ?sheet|playbook|runbook|manual|instructions|guidelines?|"
    r"workflow|schema|(?:create|write|resume|writing|resuming)(?: work from)?(?: a)? hand-?(?:off|over))\b"
)
_GUIDE_FOLDERS: Final = frozenset(("skills", "commands", "templates", "prompts", "agents"))
_DATED: Final = re.compile(r"\W*.{0,12}\b20\d\d-\d\d-\d\d\b")
_OWN_HANDOFFS: Final = frozenset(("rehydrate", "debug", "team", "handoff", "issue"))
_FORMATS: Final[dict[str, Genre]] = {"backlog": "task", "json": "state", "yaml": "state"}


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
    named = (genre for words in (title, stem) for genre, pattern in _TITLES if re.search(pattern, words))
    found = next(named, None)
    return found or ("plan" if "plans" in folders else "reference")


_FOLDERS: Final = frozenset("archive archives archived completed done closed superseded obsolete attic".split())
_FRONT_LINES: Final = 25
_AWAY: Final = r"(?:archived|superseded|obsolete|deprecated|withdrawn|abandoned|rejected)"
_OVER: Final = r"(?:done|completed?|implemented|finished|closed|shipped|merged|released)"
_IS_AWAY: Final = re.compile(
    rf"\W{{0,8}}(?:(?:this|the) (?:document|plan|file|page|hand-?off|note) (?:is|was|has been) (?:now )?|"
    rf"status\W+)?{_AWAY}\b(?=\W*$| (?:by|on|in|and|since|—|–|-)\b|[:.(*])|.*[:(\[—–-]\W{{0,3}}{_AWAY}\W*$",
    re.IGNORECASE,
)
_IS_OVER: Final = re.compile(
    rf"\W{{0,6}}status\W+(?:all \w+ )?{_OVER}\b(?!.*\b(?:but|except|remaining|partial|in progress|pending|not|ready "
    rf"for|until|once|after|when|if|\d+ ?%)\b)|.*[:(\[—–-]\W{{0,3}}{_OVER}\W*$",
    re.IGNORECASE,
)
# A session's hand-off is written when its work is done; it stands until the next one.
_CLOSE: Final[frozenset[Genre]] = frozenset(("plan", "log", "task", "decisions", "reference"))


def is_closed(lines: Sequence[str], title: str, genre: Genre, path: str) -> bool:
    """What the document's folder, its title and its front part say. `path` is its own, "" unknown."""
    front = [line[:300] for line in lines[:_FRONT_LINES]]
    heads = [at for at, line in enumerate(front) if line.startswith("#")]
    told = [
        title[-300:],
        *(line for line in front[: heads[1] if len(heads) > 1 else _FRONT_LINES] if line[:1] not in ("#", "-")),
    ]
    is_away = bool(_FOLDERS.intersection(path.lower().split("/")[:-1])) or any(map(_IS_AWAY.match, told))
    return is_away or (genre in _CLOSE and any(map(_IS_OVER.match, told)))


LABEL_CHARS_MAX: Final = 120
_MARKDOWN: Final = frozenset(("clew", "markdown", "backlog"))


class PageBlock(NamedTuple):
    """A block with what stands above it: `headings`, the outermost first, and `label`, the line that ends in a colon
    right before its list. `parent` is the list entry that it is nested in. `nested`: other entries are nested in it.

    """

    block: Block
    headings: tuple[str, ...]
    label: str
    parent: str
    nested: bool

    @property
    def above(self) -> str:
        """All of it on one line, without the document's title."""
        return " | ".join((*self.headings[1:], self.label, self.parent))


class LintPage(NamedTuple):
    """A document, prepared. `path` is its own, relative to the top of its repository, "" unknown. `places` are empty
    where it is not Markdown.
    """

    parsed: Parsed
    source: str
    path: str
    lines: tuple[str, ...]
    genre: Genre
    closed: bool
    places: tuple[PageBlock, ...]

    def line(self, number: int) -> str:
        """The source line of that number, "" if there is none."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""


def page_of(parsed: Parsed, source: str, path: str = "") -> LintPage:
    """The document taken apart for rules; of a very long one its front part."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = tuple(text.split("\n"))
    blocks = list(islice(segments(lines), BLOCKS_MAX)) if parsed.format in _MARKDOWN else []
    genre = genre_of(parsed, text, path)
    closed = is_closed(lines if blocks else (), parsed.title, genre, path)
    return LintPage(parsed, text, path, lines, genre, closed, tuple(_placed(blocks)))


def rows_of(block: Block) -> Iterator[tuple[int, str]]:
    """The rows of an entry, a paragraph, code or a row of a table, each with its line."""
    rows = (block.text or " | ".join(block.cells)).split("\n")
    for number, row in enumerate(rows, block.first + (block.form == "code")):
        yield min(number, block.last), row


def spent_at(page: LintPage, budget_tokens: int) -> int:
    """The line at which a budget is spent, or the last one."""
    spent = accumulate(estimate(f"{line}\n") for line in page.lines)
    return next((number for number, tokens in enumerate(spent, 1) if tokens > budget_tokens), len(page.lines))


def _placed(blocks: list[Block]) -> Iterator[PageBlock]:
    headings: list[tuple[int, str]] = []
    label, parent, parent_level = "", "", 0
    for index, block in enumerate(blocks):
        behind = blocks[index + 1] if index + 1 < len(blocks) else None
        if block.form == "heading":
            while headings and headings[-1][0] >= block.level:
                headings.pop()
            label = parent = ""
        elif not block.level or (block.form == "item" and block.level <= parent_level):
            parent, parent_level = "", 0
        nested = block.form == "item" and behind is not None and behind.form == "item" and behind.level > block.level
        yield PageBlock(block, tuple(text for _, text in headings), label, parent, nested)
        if block.form == "heading":
            headings.append((block.level, plain(block.text)))
        elif block.form == "item" and nested:
            parent, parent_level = plain(block.text), block.level
        elif block.form == "text" and not block.level:
            words = plain(block.text[: 2 * LABEL_CHARS_MAX])
            label = words if len(words) <= LABEL_CHARS_MAX and words.endswith((":", "：")) else ""
