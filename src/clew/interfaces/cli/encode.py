"""Results as JSON (docs/reference/json.md): one encoder, and a table of what each result is called there.

A result is a named tuple, and is told field by field under its own names, unless the table has it. Fields are added to
the table, never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from clew.core.context.pressure import crossed
from clew.core.state.ids import shortest_prefixes
from clew.core.state.projection import source_of
from clew.interfaces.cli.encoder import As as _As
from clew.interfaces.cli.encoder import Encoder as _Encoder
from clew.interfaces.cli.encoder import Fields as _Fields
from clew.interfaces.cli.encoder import beside as _beside
from clew.interfaces.cli.encoder import each as _each
from clew.interfaces.cli.encoder import fields as _fields
from clew.interfaces.cli.encoder import one_of as _one
from clew.interfaces.cli.encoder import written


def encoded(name: str, found: Any, **more: Any) -> str:
    """The JSON document `name` of the table, indented. `more` are values that a command knows beside its result."""
    names = _NAMES.get(name)
    return written(_Encoder(names(found) if names is not None else {}, _VALUES).told(found, _DOCUMENTS[name], more))


def json_of(found: Any) -> str:
    """The JSON document of a result that is one as it stands (`JsonResult`), indented."""
    return written(_Encoder({}, _VALUES).value(found))


def encoded_by(row: _Fields, found: Any, *, indent: int = 2) -> str:
    """The JSON document of a row that stands beside its command; with `indent` -1 on one line."""
    return written(_Encoder({}, _VALUES).told(found, row, {}), indent=indent)


_WITH_SOURCE = "*item standing because source"
_ORIGIN = "client session branch first_time last_time ended"
_ERROR = "code message hint"
_SYNC = _fields("place device sent received tasks unnamed waiting confirmed_at notes dry_run")


def _source(entry: Any) -> str:
    return source_of(entry)


def _show(found: Any) -> dict[str, Any]:
    """`clew show` tells an item with its evidence, a task, a checkpoint, a draft, or all items."""
    known = _fields(_WITH_SOURCE, source=_source)
    items: dict[str, Any] = {item.id: item for item in found.items}
    items |= {entry.item.id: _As(entry, known) for entry in found.entries if entry.item.id in items}
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
    return {**(found.names or {}), **_beside("items", "ids")(found)}


def _resume_names(found: Any) -> Mapping[str, str]:
    return found.ids or shortest_prefixes(item.id for item in found.state.items)


def _resume_items(found: Any) -> list[Any]:
    shown, fields = set(found.document.shown), _fields("*item shown")
    return [_As(SimpleNamespace(item=item, shown=item.id in shown), fields) for item in found.state.items]


def _outcome_names(found: Any) -> Mapping[str, str]:
    about = [found.item.item] if found.item else []
    return dict.fromkeys((one.id for one in (*about, *([found.task] if found.task else []))), found.shown)


def _questions_named(found: Any) -> Mapping[str, str]:
    return {entry.item.id: shown for entry, shown in zip(found.questions, found.ids, strict=True)}


def _tasks(found: Any) -> list[Any]:
    fields = _fields("*task bound")
    return [_As(SimpleNamespace(task=task, bound=task.id == found.bound), fields) for task in found.tasks]


def _signals(found: Any) -> list[dict[str, Any]]:
    named = ((name, getattr(found.signals, name)) for name in ("failing", "undone", "repeated", "reread", "alike"))
    return [{"signal": name, "subject": one.subject, "times": one.times} for name, one in named if one is not None]


def _crossed(found: Any) -> str:
    return crossed(found.signals.context, found.limits)


def _import_file(found: Any) -> dict[str, Any]:
    """One FILE of `clew import`."""
    problem = _one("problem", _ERROR)(found)
    told = {"file": found.name, "bundle": found.bundle, "error": problem}
    if found.reading is None:
        return told
    of = _fields("encoding format session title date entries=placed")
    return {**told, **{name: read(found.reading) for name, read in of.items()}}


def _set_up_changes(found: Any) -> list[Any]:
    return [change for one in found.installed for change in one.changes]


def _adopted(found: Any) -> list[Any]:
    """What `clew init --adopt` found, and whether it was taken in."""
    done = found.adopted
    taken = {reading.name for reading in done.taken.readings} if done and done.taken else set()
    fields = _fields("name sort bytes=size brought new problem taken", taken=lambda one: one.name in taken)
    return [_As(one, fields) for one in found.offers.found]


_VALIDATION = _fields(
    "word reason tree base results weakened not_judged=untold uncovered exit_code notes",
    results=_each(
        "results", "name status reason run=source code seconds tests=ran skipped failure failed known expected mended"
    ),
    weakened=_each("weakened", "rule path line what"),
)
_NAME = "name=name.name kind=name.kind line=name.line standing why places"
_FREE = _fields("*origin about", origin=_one("origin", _ORIGIN))
_LINTED = _fields(
    "file=name genre tokens findings notes error",
    findings=_each("findings", "rule line text message fix"),
    error=_one("problem", _ERROR),
)
_WORK_TREE = "name=tree.name path=tree.path branch=tree.branch base=tree.base port_offset=tree.port_offset"
_REASONS = _each("reasons", "kind text paths")
_DAY = _fields("day lines", lines=_each("lines", "time who words key"))
_TROUBLE = _fields("what subject said text fix")
_WRITTEN = _fields("path before after")
_THING = _fields(
    "sort=thing.sort name=thing.name place=thing.place text=thing.text hidden=thing.hidden sha256=thing.sha256 trusted "
    "problem=thing.problem"
)


# What stands in documents, by type.
_VALUES: Mapping[str, _Fields] = {
    "Item": _fields(
        "id short_id=id kind label text why status provenance files rank time session=place.session byte=place.at "
        "quote=place.quote pinned locked blocking owner answer actor draft verdict evidence"
    ),
    "Known": _fields("*item standing because"),
    "Task": _fields("id short_id=id title type status outcome opened_at changed_at thread stack places"),
    "Checkpoint": _fields(
        "id short_id=id name reason message task time head branch root=worktree files context_tokens output_tokens "
        "session by position=seq",
        files=lambda found: [{"path": path, "blob": blob} for blob, path in found.files],
    ),
    "Draft": _fields(
        "id short_id=id session task time source client model by extent text claims",
        claims=lambda found: [{**claim._asdict(), "stands": claim.stands} for claim in found.claims],
    ),
    "CostPart": _fields("name about responses *tokens usd unpriced_tokens=unpriced"),
    "Tokens": _fields("input cache_write cache_write_long cache_read output total"),
    "Verdict": _fields("kind reason"),
    "Drift": _fields("root=tree.root branch=tree.branch head=tree.head dirty=tree.dirty files commits_since"),
    "Event": _fields("id kind task provenance"),
    "LogLine": _fields(
        "position=seq id=event.id kind=event.kind v=event.v subject short_id=shown words actor=event.actor "
        "provenance=event.provenance session=event.session task=event.task worktree=event.worktree "
        "said_at=event.said_at recorded_at=event.recorded_at data=event.data"
    ),
    "Adoption": _fields("adopt opened=adopted.opened.task.id", adopt=_adopted),
    "Budget": _fields(
        "scope name called title used_tokens used_usd unpriced_tokens=unpriced most_tokens most_usd stands",
        used_tokens=lambda found: found.used[0],
        used_usd=lambda found: found.used[1] / 1_000_000 if found.is_priced else None,
        most_tokens=lambda found: found.most[0],
        most_usd=lambda found: found.most[1] / 1_000_000,
    ),
    "SettingsChange": _fields(
        "path change",
        change=lambda found: "made" if found.before is None else "removed" if found.after is None else "changed",
    ),
    "NameOutput": _fields(
        "name about sessions tokens passes lines_added lines passes_per_1k lines_per_1k trend",
    ),
    "Phase": _fields(
        "number id title status attempt steps validate budget_tokens tier depends files outcome cause failure commit "
        "started_at ended_at spent_tokens",
        steps=lambda found: [{"id": one.id, "text": one.text, "ticked": one.ticked} for one in found.steps],
    ),
    "PlacedEntry": _fields(
        "line=lines.first last_line=lines.last kind status text did said id=item short_id=shown command"
    ),
    "Issue": _fields("repository number title url open=is_open locked labels author updated_at"),
    "Left": _fields("path role"),
    "Handoff": _fields("id profile sort receiver reviewer draft changes kept goal task branch session by time text"),
    "Candidate": _fields(
        "id=item.id text=item.text why=item.why topic tags source like flags is_rule provenance=item.provenance task"
    ),
    "Fact": _fields(
        "id short_id=id topic text why tags files sources provenance actor time pinned",
        sources=_each("sources", "name told text"),
    ),
    "Leak": _fields("rule digits where line"),
    "IssueLink": _fields("repository number url queued queued_at synced_at"),
    "PersonalData": _fields("sort where line count"),
    "RemoteRepository": _fields("host owner name"),
    "FileResult": _fields("*file", file=_import_file),
    "TrustStatus": _THING,
    "Validation": _VALIDATION,
}

# What was seen in what left.
_SCANNED = "engine=scanned.engine allowed=scanned.allowed personal=scanned.warnings"

# The documents of commands.
_ARCHIVED = "client session record=path folder bytes packed_bytes changed_at archived_at"
_DOCUMENTS: Mapping[str, _Fields] = {
    "archive": _fields(
        "dry_run kept dropped bytes unread", kept=_each("kept", _ARCHIVED), dropped=_each("dropped", _ARCHIVED)
    ),
    "archived": _fields("sessions", sessions=lambda found: [_As(one, _fields(_ARCHIVED)) for one in found]),
    "audit": _fields(
        "client session file models responses agents input_tokens peak_tokens explained usd unpriced_tokens=unpriced "
        "again_tokens again_usd lines found checked servers notes",
        found=_each(
            "found",
            "kind what tokens share times examples do saves_tokens saves_usd",
            examples=lambda found: [{"name": name, "times": times} for name, times in found.examples],
        ),
    ),
    "rules_init": _fields("file added diff written notes"),
    "audit_rules": _fields("files notes", files=_each("files", "file=name tokens findings error=problem")),
    "budget": _fields("is_set budgets"),
    "budget_raised": _fields(
        "before after tokens usd",
        tokens=lambda found: found.by[0],
        usd=lambda found: found.by[1] / 1_000_000,
    ),
    "checkpoint": _fields(
        "checkpoint spooled dry_run notes draft asks", draft=lambda found: found.draft and found.draft.draft
    ),
    "checkpoints": _fields("checkpoints", checkpoints=lambda found: [one for one, _ in found]),
    "confirm": _fields("said fits misses"),
    "cost": _fields(
        "by scope model days total parts hours per_session_usd unknown prices files=looked.files "
        "changed=looked.changed notes",
        days=lambda found: [{"day": day, "usd": usd} for day, usd in found.days],
    ),
    "cost_curve": _fields("client session began ended tokens compactions"),
    "cost_restarts": _fields("sessions with_payload without_payload"),
    "cost_self": _fields(
        "given given_tokens sessions drafts draft_tokens",
        given=lambda found: [{"source": source, "times": n, "tokens": tokens} for source, n, tokens in found.given],
    ),
    "delegated": _fields(
        "client=asked.launcher.client model=asked.model question=asked.question text tokens answer=answer.text "
        "rejected=answer.rejected unchecked=answer.unchecked left_out=answer.left_out evidence item gaps=asked.gaps "
        "used_tokens=result.tokens used_usd notes",
        evidence=_each("answer.evidence", "place path first_line=first last_line=last line quotes verdict text"),
        used_usd=lambda found: None if found.result.cost_usd < 0 else found.result.cost_usd,
    ),
    "doctor": _fields("root wrong findings", findings=_each("findings", "check level said mend")),
    "draft": _fields("draft", draft=lambda found: found[0]),
    "drift": _fields("task=task.id checkpoint=checkpoint.id session verdict drift notes"),
    "efficiency": _fields("by scope total parts notes"),
    "error": _fields("error", error=lambda found: _As(found, _fields(_ERROR))),
    "export": _fields(f"dry_run file=file? project events extracts bytes {_SCANNED}"),
    "export session": _fields(f"dry_run file=file? session client form records {_SCANNED}"),
    "free": _fields("sessions", sessions=lambda found: [_As(one, _FREE) for one in found]),
    "import": _fields(
        "dry_run task spooled files notes",
        task=lambda taken: taken and taken.task,
        spooled=lambda taken: taken is not None and taken.spooled,
        notes=lambda taken: taken.notes if taken is not None else [],
    ),
    "import bundle": _fields("dry_run project events known extracts left_out"),
    "init": _fields(
        "dry_run=project.dry_run root=project.plan.location.root project=project.project "
        "ledger=project.plan.location.ledger joined=project.plan.joins alias=project.plan.alias made=project.made "
        "clients changes opted_in sessions=project.sessions checkpoint=project.checkpoint.name notes *adopted",
        adopted=lambda _: {},
        changes=_set_up_changes,
        opted_in=lambda found: found.live is not None,
    ),
    "handoff": _fields("handoff tokens kept changes findings files=placed path commit notes dry_run"),
    "journal": _fields("days", days=lambda found: [_As(one, _DAY) for one in found]),
    "memory": _fields("text facts stale", stale=lambda found: [list(one) for one in found.stale]),
    "candidates": _fields("candidates", candidates=lambda found: found),
    "triage": _fields("kept joined dropped left files=placed notes dry_run"),
    "memory change": _fields("said events files=placed notes dry_run"),
    "memory check": _fields("findings", findings=lambda found: [_As(one, _TROUBLE) for one in found]),
    "memory import": _fields("folder form new known files"),
    "memory export": _fields("changes", changes=lambda found: [_As(one, _WRITTEN) for one in found]),
    "rebuild": _fields("dry_run files", files=lambda found: found),
    "issue": _fields(
        "dry_run task issue=link took wrote body left_out queued notes",
        took=_each("took", "did kind text item by"),
    ),
    "issue resume": _fields(
        "text tokens=document.tokens mark=document.mark issue task took verdict items=state.items drift notes",
    ),
    "issues": _fields(
        "issues notes", issues=lambda found: [_As(one, _fields("task issue=link ahead")) for one in found]
    ),
    "lint": _fields(
        "documents",
        documents=lambda found: [_As(one, _LINTED) for one in found],
    ),
    "log": _fields("events=lines more task"),
    "log at": _fields("checkpoint name time task items"),
    "logins": _fields("host logins", logins=list),
    "plan": _fields(
        "task title=plan.title mode=plan.mode source=plan.source changed_at=plan.changed_at digest=plan.digest "
        "approved=plan.approved text phases questions names",
        phases=lambda found: found.plan.phases,
        questions=lambda found: [entry.item for entry in found.questions],
        names=_each("names", _NAME),
    ),
    "plan_lint": _fields(
        "findings names", findings=_each("findings", "rule line text message fix"), names=_each("names", _NAME)
    ),
    "phase": _fields(
        "task phase validation spent_tokens commit checkpoint done next ticked asks notes",
        validation=lambda found: found.validation and _As(found.validation, _VALIDATION),
    ),
    "pressure": _fields(
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
        crossed=_crossed,
        hours=lambda found: round(found.hours, 2),
        signals=_signals,
    ),
    "proposal": _fields("file commands diff written", commands=_each("commands", "name run why quick")),
    "questions": _fields("open questions", questions=lambda found: [entry.item for entry in found.questions]),
    "passage": _fields(
        "record=session client at entries more",
        entries=_each("entries", "sort title text time at outcome"),
    ),
    "recorded": _fields("changed said next=then notes item task events spooled dry_run"),
    "redact": _fields("dry_run id short_id=shown changed dropped before left"),
    "repair": _fields("ledger=path damage kept=kept? events sessions lost"),
    "record": _fields(
        "client session file=transcript text=document.text tokens=document.tokens lines=document.lines "
        "left_out=document.left_out"
    ),
    "resume": _fields(
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
    "route": _fields(
        "phase tier tier_by routes",
        phase=_one("phase", "number id title status tier"),
        routes=_each("routes", "client model why place"),
    ),
    "rules": _fields(
        "block tokens file did files notes",
        files=_each("files", "file=name has_block hooked"),
    ),
    "search": _fields(
        "question scope hits notes",
        hits=_each(
            "hits",
            "sort kind client session project branch file=address at time item task standing title snippet passages"
            " all_terms",
            snippet=lambda hit: hit.snippet.replace("\x02", "").replace("\x03", ""),
        ),
    ),
    "sessions": _fields(
        "sessions more ledger=kept",
        sessions=_each("sessions", "client session goal first_time last_time place branch task stands grew record"),
    ),
    "secrets scan": _fields(
        "engine texts characters found unread advice",
        found=_each("found", "rule digits role where line id engine"),
    ),
    "gate": _fields("levels plan tools commands changed breaches rules"),
    "settings": _fields(
        "settings project_file user_file notes",
        settings=_each(
            "rows",
            "name=setting.name value source place default=setting.default sort=setting.kind unit=setting.unit "
            "expected=setting.expected meaning=setting.meaning variable=setting.variable",
        ),
    ),
    "show": _fields("*show", show=_show),
    "stack build": _fields(
        "stack=stack.name title=stack.title tokens budget counter engine=scanned.engine sources missing personal notes "
        "sha256=lock.sha256 dry_run text",
        sources=_each(
            "sections",
            "name tokens whole_tokens trimmed=told is_in parts",
            parts=lambda found: [part.name for part in found.parts if part.name],
        ),
        missing=lambda found: [{"name": name, "code": code, "message": what} for name, code, what in found.missing],
        personal=lambda found: [one.sort for one in found.scanned.warnings],
        notes=lambda found: [*found.notes, *found.scanned.notes],
    ),
    "status": _fields(
        "root project ledger branch task other_tasks=others sessions waiting free kinds blocking pins hooked "
        "checkpoint=last checkpoint_age_s=age_s verdict spool untrusted next=then notes plan exchanges",
        plan=_one("plan", "mode title phases"),
        kinds=lambda found: dict(found.kinds),
        untrusted=_each("untrusted", "sort name place"),
    ),
    "sync": _fields("places", places=lambda found: [_As(one, _SYNC) for one in found]),
    "task": _fields(
        "task counts sessions",
        task=lambda found: _As(found, _fields("*task bound=is_bound")),
        sessions=_each("sessions", _ORIGIN),
    ),
    "tasks": _fields("tasks hidden", tasks=_tasks),
    "trust": _fields("root things recorded revoked"),
    "validation": _fields("*validation", validation=lambda found: _As(found, _VALIDATION)),
    "worktree": _fields("name path branch base port_offset"),
    "worktree merge": _fields(
        f"{_WORK_TREE} outcome commit was files reasons undone validation",
        commit=lambda found: getattr(found, "commit", ""),
        was=lambda found: getattr(found, "was", ""),
        files=lambda found: getattr(found, "files", ()),
        reasons=lambda found: _REASONS(found) if hasattr(found, "reasons") else (),
        undone=lambda found: getattr(found, "undone", False),
        validation=lambda _: None,
    ),
    "worktree remove": _fields(
        f"{_WORK_TREE} removed dry_run reasons kept_refs",
        reasons=lambda found: _REASONS(found) if hasattr(found, "reasons") else (),
        kept_refs=lambda found: getattr(found, "kept_refs", ()),
    ),
    "worktrees": _fields(
        "worktrees",
        worktrees=lambda found: [_As(one, _fields(f"{_WORK_TREE} on reasons", reasons=_REASONS)) for one in found],
    ),
    "uninstall": _fields("dry_run changes places=lives stay failed"),
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
    "log at": _beside("items", "ids"),
    "plan": _questions_named,
    "questions": _questions_named,
    "recorded": _outcome_names,
    "resume": _resume_names,
    "show": _show_names,
    "status": lambda found: found.shown,
    "task": lambda found: {found.task.id: found.shown},
    "tasks": _beside("tasks", "ids"),
}
