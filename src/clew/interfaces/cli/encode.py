"""Results as JSON (docs/reference/json.md): one encoder, and a table of what each result is called there.

A result is a named tuple, and is told field by field under its own names, unless the table has it. Fields are added to
the table, never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from clew.interfaces.cli.encoder import As, Encoder, Fields, beside, each, fields, one_of, written


def encoded(name: str, found: Any, **more: Any) -> str:
    """The JSON document `name` of the table, indented. `more` are values that a command knows beside its result."""
    names = _NAMES.get(name)
    return written(Encoder(names(found) if names is not None else {}, _VALUES).told(found, _DOCUMENTS[name], more))


def encoded_by(row: Fields, found: Any, *, indent: int = 2) -> str:
    """The JSON document of a row that stands beside its command; with `indent` -1 on one line."""
    return written(Encoder({}, _VALUES).told(found, row, {}), indent=indent)


_WITH_SOURCE = "*item standing because source"
_ORIGIN = "client session branch first_time last_time ended"
_ERROR = "code message hint"


def _source(entry: Any) -> str:
    from clew.core.state.projection import source_of

    return source_of(entry)


def _show(found: Any) -> dict[str, Any]:
    """`clew show` tells an item with its evidence, a task, a checkpoint, a draft, or all items."""
    known = fields(_WITH_SOURCE, source=_source)
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
    from clew.core.state.ids import shortest_prefixes

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
    named = ((name, getattr(found.signals, name)) for name in ("failing", "undone", "reread", "alike"))
    return [{"signal": name, "subject": one.subject, "times": one.times} for name, one in named if one is not None]


def _crossed(found: Any) -> str:
    from clew.core.context.pressure import crossed

    return crossed(found.signals.context, found.limits)


def _block(_: Any) -> str:
    from clew.app.launching.rules import BLOCK

    return BLOCK


def _block_tokens(found: Any) -> int:
    from clew.core.text.tokens import estimate

    return estimate(_block(found))


def _import_file(found: Any) -> dict[str, Any]:
    """One FILE of `clew import`."""
    problem = one_of("problem", _ERROR)(found)
    told = {"file": found.name, "bundle": found.bundle, "error": problem}
    if found.reading is None:
        return told
    of = fields("encoding format session title date entries=placed")
    return {**told, **{name: read(found.reading) for name, read in of.items()}}


def _set_up_changes(found: Any) -> list[Any]:
    return [change for one in found.installed for change in one.changes]


def _adopted(found: Any) -> list[Any]:
    """What `clew init --adopt` found, and whether it was taken in."""
    done = found.adopted
    taken = {reading.name for reading in done.taken.readings} if done and done.taken else set()
    row = fields("name sort bytes=size brought new problem taken", taken=lambda one: one.name in taken)
    return [As(one, row) for one in found.offers.found]


_VALIDATION = fields(
    "word reason tree base results weakened not_judged=untold uncovered exit_code notes",
    results=each(
        "results", "name status reason run=source code seconds tests=ran skipped failure failed known expected mended"
    ),
    weakened=each("weakened", "rule path line what"),
)
_NAME = "name=name.name kind=name.kind line=name.line standing why places"
_FREE = fields("*origin about", origin=one_of("origin", _ORIGIN))
_LINTED = fields(
    "file=name genre tokens findings notes error",
    findings=each("findings", "rule line text message fix"),
    error=one_of("problem", _ERROR),
)
_DAY = fields("day lines", lines=each("lines", "time who words key"))
_TROUBLE = fields("what subject said text fix")
_WRITTEN = fields("path before after")
_THING = fields(
    "sort=thing.sort name=thing.name place=thing.place text=thing.text hidden=thing.hidden sha256=thing.sha256 trusted "
    "problem=thing.problem"
)


# What stands in documents, by type.
_VALUES: Mapping[str, Fields] = {
    "Item": fields(
        "id short_id=id kind label text why status provenance files rank time session=place.session byte=place.at "
        "quote=place.quote pinned locked blocking owner answer actor draft verdict evidence"
    ),
    "Known": fields("*item standing because"),
    "Task": fields("id short_id=id title type status outcome opened_at changed_at thread places"),
    "Checkpoint": fields(
        "id short_id=id name reason message task time head branch root=worktree files context_tokens output_tokens "
        "session by position=seq",
        files=lambda found: [{"path": path, "blob": blob} for blob, path in found.files],
    ),
    "Draft": fields(
        "id short_id=id session task time source client model by extent text claims",
        claims=lambda found: [{**claim._asdict(), "stands": claim.stands} for claim in found.claims],
    ),
    "Part": fields("name about responses *tokens usd unpriced_tokens=unpriced"),
    "Tokens": fields("input cache_write cache_write_long cache_read output total"),
    "Verdict": fields("kind reason"),
    "Drift": fields("root=tree.root branch=tree.branch head=tree.head dirty=tree.dirty files commits_since"),
    "Event": fields("id kind task provenance"),
    "Line": fields(
        "position=seq id=event.id kind=event.kind v=event.v subject short_id=shown words actor=event.actor "
        "provenance=event.provenance session=event.session task=event.task worktree=event.worktree "
        "said_at=event.said_at recorded_at=event.recorded_at data=event.data"
    ),
    "Asked": fields("adopt opened=adopted.opened.task.id", adopt=_adopted),
    "Budget": fields(
        "scope name called title used_tokens used_usd most_tokens most_usd stands",
        used_tokens=lambda found: found.used[0],
        used_usd=lambda found: found.used[1] / 1_000_000,
        most_tokens=lambda found: found.most[0],
        most_usd=lambda found: found.most[1] / 1_000_000,
    ),
    "Change": fields(
        "path change",
        change=lambda found: "made" if found.before is None else "removed" if found.after is None else "changed",
    ),
    "Phase": fields(
        "number id title status attempt steps validate budget_tokens tier depends files outcome cause failure commit "
        "started_at ended_at spent_tokens",
        steps=lambda found: [{"id": one.id, "text": one.text, "ticked": one.ticked} for one in found.steps],
    ),
    "Placed": fields("line=lines.first last_line=lines.last kind status text did said id=item short_id=shown command"),
    "Issue": fields("repository number title url open=is_open locked labels author updated_at"),
    "Left": fields("path role"),
    "Handoff": fields("id profile sort receiver reviewer draft changes kept goal task branch session by time text"),
    "Candidate": fields(
        "id=item.id text=item.text why=item.why topic tags source like flags is_rule provenance=item.provenance task"
    ),
    "Fact": fields(
        "id short_id=id topic text why tags files sources provenance actor time pinned",
        sources=each("sources", "name told text"),
    ),
    "Link": fields("repository number url queued queued_at synced_at"),
    "Repository": fields("host owner name"),
    "Result": fields("*file", file=_import_file),
    "Standing": _THING,
}

# The documents of commands.
_ARCHIVED = "client session record=path folder bytes packed_bytes changed_at archived_at"
_DOCUMENTS: Mapping[str, Fields] = {
    "archive": fields(
        "dry_run kept dropped bytes unread", kept=each("kept", _ARCHIVED), dropped=each("dropped", _ARCHIVED)
    ),
    "archived": fields("sessions", sessions=lambda found: [As(one, fields(_ARCHIVED)) for one in found]),
    "budget": fields("is_set budgets"),
    "budget_raised": fields(
        "before after tokens usd",
        tokens=lambda found: found.by[0],
        usd=lambda found: found.by[1] / 1_000_000,
    ),
    "checkpoint": fields(
        "checkpoint spooled dry_run notes draft asks", draft=lambda found: found.draft and found.draft.draft
    ),
    "checkpoints": fields("checkpoints", checkpoints=lambda found: [one for one, _ in found]),
    "confirm": fields("said fits misses"),
    "cost": fields(
        "by scope model days total parts hours per_session_usd unknown prices files=looked.files "
        "changed=looked.changed notes",
        days=lambda found: [{"day": day, "usd": usd} for day, usd in found.days],
    ),
    "cost_restarts": fields("sessions with_payload without_payload"),
    "cost_self": fields(
        "given given_tokens sessions drafts draft_tokens",
        given=lambda found: [{"source": source, "times": n, "tokens": tokens} for source, n, tokens in found.given],
    ),
    "doctor": fields("root wrong findings", findings=each("findings", "check level said mend")),
    "draft": fields("draft", draft=lambda found: found[0]),
    "drift": fields("task=task.id checkpoint=checkpoint.id session verdict drift notes"),
    "error": fields("error", error=lambda found: As(found, fields(_ERROR))),
    "export": fields("dry_run file=file? project events extracts bytes allowed"),
    "export session": fields("dry_run file=file? session client form records"),
    "free": fields("sessions", sessions=lambda found: [As(one, _FREE) for one in found]),
    "import": fields(
        "dry_run task spooled files notes",
        task=lambda taken: taken and taken.task,
        spooled=lambda taken: taken is not None and taken.spooled,
        notes=lambda taken: taken.notes if taken is not None else [],
    ),
    "import bundle": fields("dry_run project events known extracts left_out"),
    "init": fields(
        "dry_run=project.dry_run root=project.plan.location.root project=project.project "
        "ledger=project.plan.location.ledger joined=project.plan.joins alias=project.plan.alias made=project.made "
        "clients changes opted_in sessions=project.sessions checkpoint=project.checkpoint.name notes *adopted",
        adopted=lambda _: {},
        changes=_set_up_changes,
        opted_in=lambda found: found.live is not None,
    ),
    "handoff": fields("handoff tokens kept changes findings files=placed path commit notes dry_run"),
    "journal": fields("days", days=lambda found: [As(one, _DAY) for one in found]),
    "memory": fields("text facts stale", stale=lambda found: [list(one) for one in found.stale]),
    "candidates": fields("candidates", candidates=lambda found: found),
    "triage": fields("kept joined dropped left files=placed notes dry_run"),
    "memory change": fields("said events files=placed notes dry_run"),
    "memory check": fields("findings", findings=lambda found: [As(one, _TROUBLE) for one in found]),
    "memory import": fields("folder form new known files"),
    "memory export": fields("changes", changes=lambda found: [As(one, _WRITTEN) for one in found]),
    "rebuild": fields("dry_run files", files=lambda found: found),
    "issue": fields(
        "dry_run task issue=link took wrote body left_out queued notes",
        took=each("took", "did kind text item by"),
    ),
    "issue resume": fields(
        "text tokens=document.tokens mark=document.mark issue task took verdict items=state.items drift notes",
    ),
    "issues": fields("issues notes", issues=lambda found: [As(one, fields("task issue=link ahead")) for one in found]),
    "lint": fields(
        "documents",
        documents=lambda found: [As(one, _LINTED) for one in found],
    ),
    "log": fields("events=lines more task"),
    "log at": fields("checkpoint name time task items"),
    "logins": fields("host logins", logins=list),
    "plan": fields(
        "task title=plan.title mode=plan.mode source=plan.source changed_at=plan.changed_at digest=plan.digest "
        "approved=plan.approved text phases questions names",
        phases=lambda found: found.plan.phases,
        questions=lambda found: [entry.item for entry in found.questions],
        names=each("names", _NAME),
    ),
    "plan_lint": fields(
        "findings names", findings=each("findings", "rule line text message fix"), names=each("names", _NAME)
    ),
    "phase": fields(
        "task phase validation spent_tokens commit checkpoint done next ticked asks notes",
        validation=lambda found: found.validation and As(found.validation, _VALIDATION),
    ),
    "pressure": fields(
        "session client file model=signals.model context_tokens=signals.context window_tokens=limits.window.tokens "
        "usable_tokens=limits.window.usable estimated percent crossed checkpoint_tokens=limits.checkpoint "
        "checkpoint_by=limits.checkpoint_by compact_tokens=limits.compact compact_by=limits.compact_by "
        "growth_tokens=growth turns_left hours prompts=signals.prompts compactions=signals.compactions "
        "checkpoint_age_s=saved_s signals step=signals.step advice=advice.deed reason=advice.reason "
        "next=advice.command notes",
        estimated=lambda found: not found.limits.window.is_sure,
        crossed=_crossed,
        hours=lambda found: round(found.hours, 2),
        signals=_signals,
    ),
    "proposal": fields("file commands diff written", commands=each("commands", "name run why quick")),
    "questions": fields("open questions", questions=lambda found: [entry.item for entry in found.questions]),
    "passage": fields(
        "record=session client at entries more",
        entries=each("entries", "sort title text time at outcome"),
    ),
    "recorded": fields("changed said next=then notes item task events spooled dry_run"),
    "redact": fields("dry_run id short_id=shown changed dropped before left"),
    "repair": fields("ledger=path damage kept=kept? events sessions lost"),
    "resume": fields(
        "text=document.text tokens=document.tokens mark=document.mark verdict session task checkpoint=at items drift "
        "usage notes",
        session=lambda found: {
            **found.state.origin._asdict(),
            "file": found.transcript or "",
            "bytes": found.captured.size,
        },
        items=_resume_items,
        usage=lambda found: {
            "context_tokens": found.captured.usage.context,
            "models": found.captured.usage.by_model(),
        },
    ),
    "route": fields(
        "phase tier tier_by routes",
        phase=one_of("phase", "number id title status tier"),
        routes=each("routes", "client model why place"),
    ),
    "rules": fields(
        "block tokens file did files notes",
        block=_block,
        tokens=_block_tokens,
        files=each("files", "file=name has_block hooked"),
    ),
    "search": fields(
        "question scope hits notes",
        hits=each(
            "hits",
            "sort kind client session project branch file=address at time item task title snippet passages all_terms",
            snippet=lambda hit: hit.snippet.replace("\x02", "").replace("\x03", ""),
        ),
    ),
    "sessions": fields(
        "sessions more ledger=kept",
        sessions=each("sessions", "client session goal first_time last_time place branch task stands grew record"),
    ),
    "gate": fields("levels plan tools commands changed breaches"),
    "settings": fields(
        "settings project_file user_file notes",
        settings=each(
            "rows",
            "name=setting.name value source place default=setting.default sort=setting.kind unit=setting.unit "
            "expected=setting.expected meaning=setting.meaning variable=setting.variable",
        ),
    ),
    "show": fields("*show", show=_show),
    "status": fields(
        "root project ledger branch task other_tasks=others sessions waiting free kinds blocking pins checkpoint=last "
        "checkpoint_age_s=age_s verdict spool untrusted next=then notes plan",
        plan=one_of("plan", "mode title phases"),
        kinds=lambda found: dict(found.kinds),
        untrusted=each("untrusted", "sort name place"),
    ),
    "task": fields(
        "task counts sessions",
        task=lambda found: As(found, fields("*task bound=is_bound")),
        sessions=each("sessions", _ORIGIN),
    ),
    "tasks": fields("tasks hidden", tasks=_tasks),
    "trust": fields("root things recorded revoked"),
    "validation": fields("*validation", validation=lambda found: As(found, _VALIDATION)),
    "uninstall": fields("dry_run changes places=lives stay failed"),
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
