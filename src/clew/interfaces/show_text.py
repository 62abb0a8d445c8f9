"""What `show` found, in lines: for a terminal and for the tool of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.core.state.ids import short_session
from clew.core.state.projection import NOWHERE
from clew.core.text.cleaning import clean, one_line
from clew.sessions.redaction import around

if TYPE_CHECKING:
    from clew.app.draft.newest import Draft
    from clew.app.look.log import LogLine
    from clew.app.look.show import Showing
    from clew.app.look.why import LineHistory
    from clew.app.record.checkpoint import CheckpointRow
    from clew.app.results import SourcedRow, TaskRow

_EXCERPT_CHARS = 1200
_MARKS = {"proved": "✓", "anchored": "·", "unsupported": "✗", "contradicted": "✗"}


def show_text(found: Showing) -> str:
    """What was asked for, for people; "" for the list of all items."""
    if found.item is not None:
        return _item(found, found.item)
    if found.draft is not None:
        return draft_text(found.draft)
    if found.checkpoint is not None:
        return _table(_checkpoint_rows(found.checkpoint, found.task))
    return _table(_task_rows(found.task)) if found.task is not None and not found.items else ""


def why_lines(found: LineHistory) -> list[str]:
    """Who wrote the lines that were asked about, a paragraph each, and of how many that is not known."""
    rows = []
    for one in found.authors:
        place = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
        by = "a sub-agent of " if one.agent else ""
        commit = f"commit {one.commit[:10]}" if one.commit else "not committed"
        moment = one.time[:16].replace("T", " ")
        rows.append(f"{found.path}:{place}  {by}{one.client} session {short_session(one.session)}, {moment}, {commit}")
        rows += [f"    asked: {one.request}"] if one.request else []
        rows += [f"    decided: {made.text} ({made.id})" for made in one.decisions]
        rows += [f"    clew show {one.place}"] if one.place else []
    if found.line and not found.authors:
        rows.append(f"{found.path}:{found.line}  not known: no session's edit is proven to have written it")
    elif found.unknown:
        rows.append(f"{found.path}  not known of {found.unknown:,} of {found.asked:,} lines")
    return [clean(row) for row in rows]


def _item(found: Showing, item: SourcedRow) -> str:
    rows = [
        ("id", item.id),
        ("kind", item.kind),
        ("text", f"{item.label}: {item.text}" if item.label else item.text),
        ("why", "" if item.kind == "note" else item.why),
        ("status", item.status),
        ("answer", item.answer),
        ("standing", _standing(item)),
        ("disputed", item.disputed),
        ("said by", _said_by(item)),
        ("verdict", f"{item.verdict}: {item.evidence}" if item.evidence else item.verdict),
        ("draft", item.draft),
        ("source", item.source),
        ("when", item.time),
        ("files", ", ".join(item.files)),
        ("task", found.task.title if found.task is not None else ""),
    ]
    if item.byte != NOWHERE:
        rows.append(("record", f"{found.client} session {item.session}".strip()))
        gone = "" if item.source else f"byte {item.byte}; its file is gone"
        rows.append(("place", f"{found.file}:{found.line}" if found.file else gone))
    elif item.session:
        rows.append(("session", item.session))
    return _table(rows) + _words(item) + _told(found.history)


def _table(rows: list[tuple[str, str]]) -> str:
    return "".join(f"{name:<8} {one_line(clean(text))}\n" for name, text in rows if text)


def _words(item: SourcedRow) -> str:
    # What was kept of a document that is no item keeps its lines.
    quote = clean(f"{item.text}\n{item.why}" if item.kind == "note" and item.why else item.quote).strip()
    if not quote:
        return ""
    heading = "The words there:"
    if item.kind != "note" and len(quote) > _EXCERPT_CHARS:
        quote = around(quote, item.text, _EXCERPT_CHARS)
        heading = "Of the words there (`--json` has all):"
    words = "\n".join(f"  | {line}" for line in quote.split("\n"))
    return f"\n{heading}\n{words}\n"


def _told(history: tuple[LogLine, ...]) -> str:
    if not history:
        return ""
    rows = [
        f"  {line.said_at[:19].replace('T', ' ')}  {one_line(clean(line.words))}  [{one_line(clean(line.by))}]"
        for line in history
    ]
    return "\n".join(["\nWhat was said about it:", *rows, ""])


def _standing(item: SourcedRow) -> str:
    if item.standing in ("", "superseded"):
        return f"superseded by {item.because}".strip() if item.standing else ""
    return item.standing + (f": {item.because}" if item.because else "") + (", pinned" if item.pinned else "")


def _said_by(item: SourcedRow) -> str:
    if item.source and item.provenance == "unattributed":
        return f"nobody known; {item.actor} imported it" if item.actor else "nobody known"
    if item.actor:
        return f"{item.actor} ({_STATED_BY[item.provenance]})"
    return _SAID_BY[item.provenance]


_SAID_BY = {
    "human": "the user",
    "verified": "a command's outcome",
    "agent": "the agent (a claim)",
    "inferred": "a rule of clew's",
    "unattributed": "nobody known",
}
_STATED_BY = {
    "human": "a person",
    "verified": "a command's outcome",
    "agent": "an agent's claim",
    "inferred": "a rule of clew's",
    "unattributed": "nobody known",
}


def _task_rows(task: TaskRow) -> list[tuple[str, str]]:
    places = ", ".join(f"{place.worktree} ({place.branch or 'any branch'})" for place in task.places)
    return [
        ("id", task.id),
        ("task", task.title),
        ("type", task.type),
        ("status", f"{task.status}: {task.outcome}" if task.outcome else task.status),
        ("opened", task.opened_at),
        ("changed", task.changed_at),
        ("bound to", places),
    ]


def _checkpoint_rows(checkpoint: CheckpointRow, task: TaskRow | None) -> list[tuple[str, str]]:
    tokens = f"{checkpoint.context_tokens:,} in context, {checkpoint.output_tokens:,} out"
    return [
        ("id", checkpoint.id),
        ("name", checkpoint.name),
        ("reason", checkpoint.reason),
        ("message", checkpoint.message),
        ("taken", f"{checkpoint.time} by {checkpoint.by}" if checkpoint.by else checkpoint.time),
        ("task", task.title if task is not None else ""),
        ("branch", checkpoint.branch),
        ("commit", checkpoint.head),
        ("files", ", ".join(file.path for file in checkpoint.files)),
        ("tokens", tokens if checkpoint.context_tokens or checkpoint.output_tokens else ""),
    ]


def draft_text(draft: Draft) -> str:
    """A draft for people: where it comes from, then its entries with their verdicts."""
    by = " ".join(part for part in (draft.client, draft.model) if part) or draft.by
    lines = [
        f"draft    {draft.short_id}",
        f"session  {draft.session}",
        f"written  {draft.time[:19].replace('T', ' ')} by {by} ({draft.source})",
        "",
    ]
    for claim in draft.claims:
        reason = claim.reason if claim.verdict == "proved" else f"{claim.verdict}: {claim.reason}"
        told = f" ({reason})" if claim.verdict != "anchored" and reason else ""
        lines.append(f"{_MARKS.get(claim.verdict, '?')} {claim.kind}: {claim.text}{told}")
    return "".join(f"{one_line(clean(line))}\n" if line else "\n" for line in lines)
