"""Tables: which columns say what an item is, and its rows as entries."""

from collections.abc import Sequence

from clew.core.items import Kind
from clew.core.tuples import NamedTuple
from clew.documents.entry import Lines
from clew.documents.parse import status, vocabulary
from clew.documents.parse.context import Context
from clew.documents.parse.draft import Draft
from clew.documents.parse.inline import is_path, paths, plain
from clew.documents.parse.markdown import Block
from clew.documents.parse.shapes import shape
from clew.documents.parse.topics import CRITERIA

_STATUS = frozenset(
    (
        "status",
        "state",
        "done",
        "progress",
        "complete",
        "completed",
        "completion",
        "状態",
        "状态",
        "상태",
        "estado",
        "stand",
        "progreso",
        "progresso",
        "avancement",
        "état",
        "stato",
        "статус",
    )
)
_NUMBERS = frozenset(
    (
        "",
        "id",
        "no",
        "nr",
        "num",
        "number",
        "ref",
        "date",
        "priority",
        "pr",
        "sha",
    )
)
# What these do is no work.
_SUBJECTS = frozenset(
    "key keys shortcut keybinding command option flag setting route endpoint method button event".split()
)
# A table with one of these is a log, …
_DAYS = frozenset(("date", "day", "when"))
# … and these columns tell where in it a row stands.
_FRAMES = frozenset(("phase", "milestone", "sprint", "session", "version", "author", "who"))
_WHYS = frozenset(("why", "rationale", "reason", "reasoning", "justification", "mitigation", "理由", "原因"))
# What the rows of a table are by the name of the column that tells them.
_KINDS: dict[str, Kind] = {
    "decision": "decision", "choice": "decision", "risk": "risk", "question": "question", "blocker": "blocker",
    "file": "file", "path": "file", "files": "file", "phase": "phase", "milestone": "phase", "sprint": "phase",
    "task": "step", "step": "step", "todo": "step", "action": "step", "feature": "step", "deliverable": "step",
    "track": "step", "workstream": "step",
    "story": "step", "subtask": "step", "requirement": "step", "criterion": "constraint", "check": "validation",
    "test": "validation", "gate": "validation", "constraint": "constraint", "rule": "constraint",
    "invariant": "constraint", "lesson": "learning", "gotcha": "learning", "trap": "learning", "pitfall": "learning",
    "assumption": "assumption", "warning": "reminder", "concern": "risk", "unknown": "question",
    "approach": "failed", "attempt": "failed", "hypothesis": "hypothesis", "finding": "finding", "goal": "goal",
    "limitation": "finding",
    "決定": "decision", "决策": "decision", "任务": "step", "タスク": "step",
}  # fmt: skip
_STATUS_WORDS_MAX = 2
_TOTALS = ("total", "sum", "合計", "总计")


class Columns(NamedTuple):
    """`kind` is what the rows are by their header, None if it does not say. The others are positions, −1 none."""

    kind: Kind | None
    main: int
    status: int
    why: int
    skipped: frozenset[int]


def columns(header: tuple[str, ...], body: Sequence[tuple[str, ...]] = ()) -> Columns:
    """Reads a table's header. `body` is the cells of its first rows: what none of the names says these may tell."""
    names = [" ".join(vocabulary.normal(plain(cell))) for cell in header]
    at_status = next((i for i, name in enumerate(names) if i and name in _STATUS), -1)
    if at_status < 0:
        at_status = next((i for i in range(1, len(names)) if _tells_status([row[i] for row in body if row[i:]])), -1)
    at_why = next((i for i, name in enumerate(names) if name in _WHYS), -1)
    # A header without any names has no numbers.
    skipped = frozenset(i for i, name in enumerate(names) if any(names) and (name in _NUMBERS or _is_number(header[i])))
    framed = {i for i, name in enumerate(names) if name in _FRAMES}
    days = {i for i, name in enumerate(names) if name in _DAYS}
    if days and not framed | days | skipped | {at_status, at_why} >= set(range(len(names))):
        # A log tells what was done in a phase.
        skipped |= framed
    kind: Kind | None = None
    main = -1
    for i, name in enumerate(names):
        if i in skipped or i in (at_status, at_why):
            continue
        # "Version / Requirement" is on the version.
        ends = () if "/" in header[i] else (name.rpartition(" ")[2], name.partition(" ")[0])
        found = next((_KINDS[part] for part in (name, *ends) if part in _KINDS), None)
        is_first, main = main < 0, i if main < 0 else main
        if found and (is_first or found not in ("file", "validation")):
            kind, main = found, main if found == "finding" else i
            break
    if kind == "step" and names[0] in _SUBJECTS and at_status < 0:
        # "Key | Action" tells what a key does.
        kind, main = None, 0
    if kind is None and len(names) == 2 and any(_KINDS.get(name) == "file" for name in names):
        # "Area | Files"
        kind = "file"
    return Columns(kind, max(main, 0), at_status, at_why, skipped)


def _tells_status(cells: Sequence[str]) -> bool:
    """Whether a column says in each row how far it is, and not of all the same, whatever it is called."""
    told = {status.said(cell) for cell in cells}
    return len(told) > 1 and "" not in told


def _is_number(cell: str) -> bool:
    return cell.strip() in ("#", "№", "Nr.", "No.")


def add_row(draft: Draft, block: Block, context: Context, table: Columns) -> None:
    """Files a table's row by its heading, else its header, else by having a status at all."""
    cells = block.cells
    if context.closed or sum(bool(cell) for cell in cells) < 2 or _is_total(cells[0]):
        return
    if context.kind == "step" and len(cells) > 2 and all(map(_is_count, cells[1:])):
        # How many there are of each is no work.
        return
    said = cells[table.status] if 0 <= table.status < len(cells) else ""
    how_far = status.of_word(said) if said else ""
    kind, fallback = _kind(context, table, how_far)
    at = table.main if table.main < len(cells) else 0
    if kind == "file" and not _has_path(cells[at]):
        # The column with the paths stands behind what they are for.
        at = next((i for i, cell in enumerate(cells) if _has_path(cell)), at)
    main = cells[at]
    if kind == "step" and (form := shape(plain(main))) and form.kind == "phase" and table.kind == "phase":
        kind = "phase"
    if kind == "file" and not _has_path(main):
        kind = "finding"
    if kind == "finding" and not context.strong and is_path(plain(main).strip("`")):
        kind = "file"
    rest = [
        cell
        for i, cell in enumerate(cells)
        if cell
        and i not in (at, table.why, *table.skipped)
        # "Shipped, but for the export" says more than how far it is.
        and not (i == table.status and how_far and len(cell.split()) <= _STATUS_WORDS_MAX)
    ]
    why = cells[table.why] if 0 <= table.why < len(cells) and table.why != at else ""
    text = " | ".join([main, *rest]) if kind != "file" else f"{main} — {' | '.join(rest)}" if rest else main
    lines = Lines(block.first, block.last)
    draft.add(kind, text, lines, status=how_far or fallback, why=why, opened=context.opened)


def _kind(context: Context, table: Columns, how_far: str) -> tuple[Kind, str]:
    """Kind of a table's rows and the status of those that tell none."""
    topic = context.topic
    if context.strong and topic and topic.kind:
        # What the header calls its rows is closer than a heading that says how far they are or how things stand.
        is_closer = topic.kind != "finding" or table.status >= 0 or table.kind == "file"
        if table.kind and topic.kind in ("step", "finding", "next") and is_closer:
            return table.kind, topic.status
        if topic.kind == "finding" and how_far and table.kind is None:
            return "step", ""
        if context.inherited and topic.kind == "step" and table.status < 0:
            return "finding", ""
        return "step" if topic == CRITERIA and table.status >= 0 else topic.kind, topic.status
    if table.kind == "constraint" and table.status >= 0:
        # What is ticked off is done or to be done.
        return "step", ""
    if table.kind:
        return table.kind, ""
    if table.status >= 0 or context.inside in ("phase", "step"):
        return "step", context.status
    return "finding", ""


def _has_path(cell: str) -> bool:
    return bool(paths(cell, limit=1))


def _is_total(cell: str) -> bool:
    return plain(cell).lower().startswith(_TOTALS)


def _is_count(cell: str) -> bool:
    """Whether a cell has figures and no word."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))
