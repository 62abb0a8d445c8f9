"""Results as JSON (docs/reference/json.md): one encoder, and a table of what each result is called there.

A result is a named tuple, and is told field by field under its own names, unless the table has it. Fields are added to
the table, never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec

from clew.app.results import JsonResult
from clew.core.context.pressure import crossed
from clew.core.errors import ClewError
from clew.core.state.ids import shortest_prefixes
from clew.core.state.projection import source_of

Read = Callable[[Any], Any]
Fields = Mapping[str, Read]


def written(shape: Any, *, indent: int = 2) -> str:
    """A shape as a JSON document; with `indent` -1 on one line."""
    text = msgspec.json.encode(shape)
    return (msgspec.json.format(text, indent=indent) if indent >= 0 else text).decode()


def encoded(name: str, found: Any, **more: Any) -> str:
    """The JSON document `name` of the table, indented. `more` are values that a command knows beside its result."""
    names = _NAMES.get(name)
    return written(Encoder(names(found) if names is not None else {}, _VALUES).told(found, _DOCUMENTS[name], more))


def json_of(found: Any, *, indent: int = 2, **more: Any) -> str:
    """The JSON document of a result that is one as it stands (`JsonResult`), indented; with `indent` -1 on one line.
    `more` are values that a command knows beside its result.
    """
    value = Encoder({}, _VALUES).value
    return written(value(more) | value(found), indent=indent)


class As(NamedTuple):
    """A value that is told by a row of its own here, and not by that of its type."""

    value: Any
    fields: Fields


class Encoder:
    """Makes of results what JSON can say. `names` are the short ids of what has one, by id; `values` are the rows by
    which values within results are told, by the names of their types.
    """

    def __init__(self, names: Mapping[str, str], values: Mapping[str, Fields]) -> None:
        self._names = names
        self._values = values

    def told(self, found: Any, fields: Fields, more: Mapping[str, Any]) -> dict[str, Any]:
        """One result by its row of the table; a field "*a" stands for all that `a` is told by."""
        shape: dict[str, Any] = {}
        for name, read in fields.items():
            known = name.removeprefix("*")
            value = self.value(more[known] if known in more else read(found))
            if known != name:
                shape |= value or {}
            else:
                shape[name] = self._names.get(value, value) if name == "short_id" else value
        return shape

    def value(self, value: Any) -> Any:
        """Any value. Texts that are no UTF-8, as paths may be, are said with replacement characters."""
        if isinstance(value, (str, PurePath)):
            text = str(value)
            return text if text.isascii() else text.encode("utf-8", "replace").decode()
        if isinstance(value, Mapping):
            return {name: self.value(one) for name, one in value.items()}
        if isinstance(value, As):
            return self.told(value.value, value.fields, {})
        if isinstance(value, ClewError):
            return self.value({"code": value.code, "message": value.message, "hint": value.hint})
        if isinstance(value, JsonResult):
            return {name: self.value(getattr(value, name)) for name in value.__struct_fields__}
        row = self._values.get(type(value).__name__)
        if row is not None:
            return self.told(value, row, {})
        if hasattr(value, "_asdict"):
            return self.value(value._asdict())
        if hasattr(value, "__dataclass_fields__"):
            return {name: self.value(getattr(value, name)) for name in value.__dataclass_fields__}
        return [self.value(one) for one in value] if isinstance(value, (list, tuple)) else value


def fields(words: str, **more: Read) -> Fields:
    """A row of the table: words in the order of JSON. `a` is the attribute of that name, `a=b.c` one further in ("" if
    there is none on the way), `a=b?` has "" in place of None. What is in `more` is read by a function.
    """
    row: dict[str, Read] = {}
    for word in words.split():
        name, _, path = word.partition("=")
        row[name] = more.get(name.lstrip("*")) or reading(path or name.lstrip("*"))
    return row


def reading(path: str) -> Read:
    """What reads the attribute at a path of names; "" where there is none on the way, with "?" also for None."""
    names = path.removesuffix("?").split(".")

    def read(found: Any) -> Any:
        for place, name in enumerate(names):
            if found is None and place:
                return ""
            found = getattr(found, name)
        return "" if found is None and path.endswith("?") else found

    return read


def each(path: str, words: str, **more: Read) -> Read:
    """The values of a field, each told by `words`."""
    read, row = reading(path), fields(words, **more)
    return lambda found: [As(one, row) for one in read(found)]


def one_of(path: str, words: str) -> Read:
    """The value of a field, told by `words`; None stays None."""
    read, row = reading(path), fields(words)
    return lambda found: None if (value := read(found)) is None else As(value, row)


def beside(several: str, ids: str) -> Callable[[Any], Mapping[str, str]]:
    """Short ids of the values in one field, which stand in another, in the same order."""
    read = reading(several)
    return lambda found: {one.id: shown for one, shown in zip(read(found), getattr(found, ids), strict=True)}


def _show(found: Any) -> dict[str, Any]:
    """`clew show` tells an item with its evidence, a task, a checkpoint, a draft, or all items."""
    known = fields("*item standing because source", source=source_of)
    items: dict[str, Any] = {item.id: item for item in found.items}
    items |= {entry.item.id: As(entry, known) for entry in found.entries if entry.item.id in items}
    told: dict[str, Any] = {"file": found.transcript or ""}
    if found.entries or found.task is not None or found.checkpoint is not None:
        told |= {"task": found.task, "checkpoint": found.checkpoint}
    if found.draft is not None:
        return {**told, "draft": found.draft, "items": []}
    if found.chosen is None:
        return {**told, "items": list(items.values())}
    history = {"history": found.history} if found.entries else {}
    return {**told, "line": found.line, "item": items[found.chosen.id], **history}


def _show_names(found: Any) -> Mapping[str, str]:
    return {**(found.names or {}), **beside("items", "ids")(found)}


def _resume_names(found: Any) -> Mapping[str, str]:
    return found.ids or shortest_prefixes(item.id for item in found.state.items)


def _resume_items(found: Any) -> list[Any]:
    shown, row = set(found.document.shown), fields("*item shown")
    return [As(SimpleNamespace(item=item, shown=item.id in shown), row) for item in found.state.items]


def _outcome_names(found: Any) -> Mapping[str, str]:
    about = [found.item.item] if found.item else []
    return dict.fromkeys((one.id for one in (*about, *([found.task] if found.task else []))), found.shown)


def _questions_named(found: Any) -> Mapping[str, str]:
    return {entry.item.id: shown for entry, shown in zip(found.questions, found.ids, strict=True)}


def _tasks(found: Any) -> list[Any]:
    row = fields("*task bound")
    return [As(SimpleNamespace(task=task, bound=task.id == found.bound), row) for task in found.tasks]


def _signals(found: Any) -> list[dict[str, Any]]:
    named = ((name, getattr(found.signals, name)) for name in ("failing", "undone", "repeated", "reread", "alike"))
    return [{"signal": name, "subject": one.subject, "times": one.times} for name, one in named if one is not None]


def _import_file(found: Any) -> dict[str, Any]:
    """One FILE of `clew import`."""
    told = {"file": found.name, "bundle": found.bundle, "error": found.problem}
    if found.reading is None:
        return told
    of = fields("encoding format session title date entries=placed")
    return {**told, **{name: read(found.reading) for name, read in of.items()}}


def _adopted(found: Any) -> list[Any]:
    """What `clew init --adopt` found, and whether it was taken in."""
    done = found.adopted
    taken = {reading.name for reading in done.taken.readings} if done and done.taken else set()
    row = fields("name sort bytes=size brought new problem taken", taken=lambda one: one.name in taken)
    return [As(one, row) for one in found.offers.found]


# What stands in documents, by type.
_VALUES: Mapping[str, Fields] = {
    "Item": fields(
        "id short_id=id kind label text why status provenance files rank time session=place.session byte=place.at "
        "quote=place.quote pinned locked blocking owner answer actor draft verdict evidence"
    ),
    "Known": fields("*item standing because"),
    "Task": fields("id short_id=id title type status outcome opened_at changed_at thread stack places"),
    "Checkpoint": fields(
        "id short_id=id name reason message task time head branch root=worktree files context_tokens output_tokens "
        "session by position=seq",
        files=lambda found: [{"path": path, "blob": blob} for blob, path in found.files],
    ),
    "Draft": fields(
        "id short_id=id session task time source client model by extent text claims",
        claims=lambda found: [{**claim._asdict(), "stands": claim.stands} for claim in found.claims],
    ),
    "CostPart": fields("name about responses *tokens usd unpriced_tokens=unpriced"),
    "Tokens": fields("input cache_write cache_write_long cache_read output total"),
    "Drift": fields("root=tree.root branch=tree.branch head=tree.head dirty=tree.dirty files commits_since"),
    "Event": fields("id kind task provenance"),
    "LogLine": fields(
        "position=seq id=event.id kind=event.kind v=event.v subject short_id=shown words actor=event.actor "
        "provenance=event.provenance session=event.session task=event.task worktree=event.worktree "
        "said_at=event.said_at recorded_at=event.recorded_at data=event.data"
    ),
    "Adoption": fields("adopt opened=adopted.opened.task.id", adopt=_adopted),
    "Budget": fields(
        "scope name called title used_tokens used_usd unpriced_tokens=unpriced most_tokens most_usd stands",
        used_tokens=lambda found: found.used[0],
        used_usd=lambda found: found.used[1] / 1_000_000 if found.is_priced else None,
        most_tokens=lambda found: found.most[0],
        most_usd=lambda found: found.most[1] / 1_000_000,
    ),
    "SettingsChange": fields(
        "path change",
        change=lambda found: "made" if found.before is None else "removed" if found.after is None else "changed",
    ),
    "NameOutput": fields("name about sessions tokens passes lines_added lines passes_per_1k lines_per_1k trend"),
    "Phase": fields(
        "number id title status attempt steps validate budget_tokens tier depends files outcome cause failure commit "
        "started_at ended_at spent_tokens",
        steps=lambda found: [{"id": one.id, "text": one.text, "ticked": one.ticked} for one in found.steps],
    ),
    "PlacedEntry": fields(
        "line=lines.first last_line=lines.last kind status text did said id=item short_id=shown command"
    ),
    "Issue": fields("repository number title url open=is_open locked labels author updated_at"),
    "Handoff": fields("id profile sort receiver reviewer draft changes kept goal task branch session by time text"),
    "Candidate": fields(
        "id=item.id text=item.text why=item.why topic tags source like flags is_rule provenance=item.provenance task"
    ),
    "Fact": fields("id short_id=id topic text why tags files sources provenance actor time pinned"),
    "IssueLink": fields("repository number url queued queued_at synced_at"),
    "RemoteRepository": fields("host owner name"),
    "FileResult": fields("*file", file=_import_file),
    "TrustStatus": fields(
        "sort=thing.sort name=thing.name place=thing.place text=thing.text hidden=thing.hidden sha256=thing.sha256 "
        "trusted problem=thing.problem"
    ),
    "Origin": fields("client session branch first_time last_time ended"),
    "Archived": fields("client session record=path folder bytes packed_bytes changed_at archived_at"),
    "FreeSession": fields("*origin about"),
    "ListedTree": fields("*tree on reasons"),
    "NameFound": fields("name=name.name kind=name.kind line=name.line standing why places"),
    "WorkTree": fields("name path branch base port_offset"),
    "Validation": fields(
        "word reason tree base results weakened not_judged=untold uncovered exit_code notes",
        results=each(
            "results",
            "name status reason run=source code seconds tests=ran skipped failure failed known expected mended",
        ),
    ),
}

# What was seen in what left.
_SCANNED = "engine=scanned.engine allowed=scanned.allowed personal=scanned.warnings"

# The documents of commands.
_DOCUMENTS: Mapping[str, Fields] = {
    "checkpoint": fields(
        "checkpoint spooled dry_run notes draft asks", draft=lambda found: found.draft and found.draft.draft
    ),
    "checkpoints": fields("checkpoints", checkpoints=lambda found: [one for one, _ in found]),
    "delegated": fields(
        "client=asked.launcher.client model=asked.model question=asked.question text tokens answer=answer.text "
        "rejected=answer.rejected unchecked=answer.unchecked left_out=answer.left_out evidence item gaps=asked.gaps "
        "used_tokens=result.tokens used_usd notes",
        evidence=each("answer.evidence", "place path first_line=first last_line=last line quotes verdict text"),
        used_usd=lambda found: None if found.result.cost_usd < 0 else found.result.cost_usd,
    ),
    "draft": fields("draft", draft=lambda found: found[0]),
    "drift": fields("task=task.id checkpoint=checkpoint.id session verdict drift notes"),
    "export": fields(f"dry_run file=file? project events extracts bytes {_SCANNED}"),
    "export session": fields(f"dry_run file=file? session client form records {_SCANNED}"),
    "import": fields(
        "dry_run task spooled files notes",
        task=lambda taken: taken and taken.task,
        spooled=lambda taken: taken is not None and taken.spooled,
        notes=lambda taken: taken.notes if taken is not None else [],
    ),
    "init": fields(
        "dry_run=project.dry_run root=project.plan.location.root project=project.project "
        "ledger=project.plan.location.ledger joined=project.plan.joins alias=project.plan.alias made=project.made "
        "clients changes opted_in sessions=project.sessions checkpoint=project.checkpoint.name notes *adopted",
        adopted=lambda _: {},
        changes=lambda found: [change for one in found.installed for change in one.changes],
        opted_in=lambda found: found.live is not None,
    ),
    "handoff": fields("handoff tokens kept changes findings files=placed path commit notes dry_run"),
    "memory": fields("text facts stale"),
    "issue": fields(
        "dry_run task issue=link took wrote body left_out queued notes", took=each("took", "did kind text item by")
    ),
    "issue resume": fields(
        "text tokens=document.tokens mark=document.mark issue task took verdict items=state.items drift notes"
    ),
    "issues": fields("issues notes", issues=lambda found: [As(one, fields("task issue=link ahead")) for one in found]),
    "log at": fields("checkpoint name time task items"),
    "plan": fields(
        "task title=plan.title mode=plan.mode source=plan.source changed_at=plan.changed_at digest=plan.digest "
        "approved=plan.approved text phases questions names",
        phases=lambda found: found.plan.phases,
        questions=lambda found: [entry.item for entry in found.questions],
    ),
    "phase": fields("task phase validation spent_tokens commit checkpoint done next ticked asks notes"),
    "pressure": fields(
        "session client file model=signals.model context_tokens=signals.context window_tokens=limits.window.tokens "
        "usable_tokens=limits.window.usable estimated percent crossed checkpoint_tokens=limits.checkpoint "
        "checkpoint_by=limits.checkpoint_by compact_tokens=limits.compact compact_by=limits.compact_by "
        "growth_tokens=growth turns_left hours prompts=signals.prompts compactions=signals.compactions "
        "checkpoint_age_s=saved_s signals step=signals.step corrections=signals.corrections "
        "idle_turns=signals.idle vague_replies=signals.vague topic=signals.topic exchanges=signals.exchanges "
        "answers=signals.pace slower=signals.pace.is_slower next_turn=signals.next_turn next_turn_usd=turn_usd "
        "validated tokens tokens_per_change "
        "advice=advice.deed reason=advice.reason by=advice.by against=advice.against next=advice.command notes",
        estimated=lambda found: not found.limits.window.is_sure,
        crossed=lambda found: crossed(found.signals.context, found.limits),
        hours=lambda found: round(found.hours, 2),
        signals=_signals,
    ),
    "questions": fields("open questions", questions=lambda found: [entry.item for entry in found.questions]),
    "recorded": fields("changed said next=then notes item task events spooled dry_run"),
    "record": fields(
        "client session file=transcript text=document.text tokens=document.tokens lines=document.lines "
        "left_out=document.left_out"
    ),
    "resume": fields(
        "text=document.text tokens=document.tokens mark=document.mark verdict session task checkpoint=at items drift "
        "usage notes",
        session=lambda found: {
            **found.state.origin._asdict(),
            "file": found.transcript or "",
            "bytes": found.captured.size,
        },
        items=_resume_items,
        usage=lambda found: {"context_tokens": found.captured.usage.context, "models": found.captured.usage.models},
    ),
    "route": fields("phase tier tier_by routes", phase=one_of("phase", "number id title status tier")),
    "search": fields(
        "question scope hits notes",
        hits=each(
            "hits",
            "sort kind client session project branch file=address at time item task standing title snippet passages"
            " all_terms",
            snippet=lambda hit: hit.snippet.replace("\x02", "").replace("\x03", ""),
        ),
    ),
    "sessions": fields("sessions more ledger=kept"),
    "settings": fields(
        "settings project_file user_file notes",
        settings=each(
            "rows",
            "name=setting.name value source place default=setting.default sort=setting.kind unit=setting.unit "
            "expected=setting.expected meaning=setting.meaning variable=setting.variable",
        ),
    ),
    "show": fields("*show", show=_show),
    "stack build": fields(
        "stack=stack.name title=stack.title tokens budget counter engine=scanned.engine sources missing personal notes "
        "sha256=lock.sha256 dry_run text",
        sources=each(
            "sections",
            "name tokens whole_tokens trimmed=told is_in parts",
            parts=lambda found: [part.name for part in found.parts if part.name],
        ),
        missing=lambda found: [{"name": name, "code": code, "message": what} for name, code, what in found.missing],
        personal=lambda found: [one.sort for one in found.scanned.warnings],
        notes=lambda found: [*found.notes, *found.scanned.notes],
    ),
    "status": fields(
        "root project ledger branch task other_tasks=others sessions waiting free kinds blocking pins hooked "
        "checkpoint=last checkpoint_age_s=age_s verdict spool untrusted next=then notes plan exchanges",
        plan=one_of("plan", "mode title phases"),
        kinds=lambda found: dict(found.kinds),
        untrusted=each("untrusted", "sort name place"),
    ),
    "task": fields("task counts sessions", task=lambda found: As(found, fields("*task bound=is_bound"))),
    "tasks": fields("tasks hidden", tasks=_tasks),
    "worktree merge": fields(
        "*tree outcome commit was files reasons undone validation",
        commit=lambda found: getattr(found, "commit", ""),
        was=lambda found: getattr(found, "was", ""),
        files=lambda found: getattr(found, "files", ()),
        reasons=lambda found: getattr(found, "reasons", ()),
        undone=lambda found: getattr(found, "undone", False),
        validation=lambda _: None,
    ),
    "worktree remove": fields(
        "*tree removed dry_run reasons kept_refs",
        reasons=lambda found: getattr(found, "reasons", ()),
        kept_refs=lambda found: getattr(found, "kept_refs", ()),
    ),
}

# The short ids in a document, by id.
_NAMES: Mapping[str, Callable[[Any], Mapping[str, str]]] = {
    "checkpoint": lambda found: {
        found.checkpoint.id: found.shown,
        **({found.draft.draft.id: found.draft_shown} if found.draft else {}),
    },
    "checkpoints": lambda found: {one.id: shown for one, shown in found},
    "draft": lambda found: {found[0].id: found[1]},
    "handoff": lambda found: {found.handoff.id: found.shown},
    "memory": lambda found: found.ids,
    "import": lambda taken: {taken.task.id: taken.shown} if taken and taken.task else {},
    "issue": lambda found: {found.task.id: found.shown},
    "issue resume": lambda found: {found.task.id: found.shown} if found.task else {},
    "issues": lambda found: {one.task.id: one.shown for one in found},
    "log at": beside("items", "ids"),
    "plan": _questions_named,
    "questions": _questions_named,
    "recorded": _outcome_names,
    "resume": _resume_names,
    "show": _show_names,
    "status": lambda found: found.shown,
    "task": lambda found: {found.task.id: found.shown},
    "tasks": beside("tasks", "ids"),
}
