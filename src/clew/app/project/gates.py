"""Gates: what hooks ask before a tool runs, computed from the ledger's state and the settings into `gates.json`.

One small file a work tree, in its live folder, rewritten whole by whoever appended; it says as of which position of the
ledger it is. Only what somebody stated makes a rule, not what was read off a session.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from clew.app.ports import Ports, runtime_dir
from clew.app.project.budgets import keep
from clew.app.project.location import PROJECT_FOLDER, ProjectLocation, locate
from clew.app.project.reading import LiveItems
from clew.app.project.runtime_dirs import read_small, tops
from clew.app.project.session import ProjectSession
from clew.core.context.pressure import thresholds
from clew.core.errors import ClewError
from clew.core.gate.decision import find_clues, words_of
from clew.core.gate.guards import guard_of, parse_command
from clew.core.runtime_dir import GATES, GATES_VERSION, PHASE, WATCH
from clew.core.settings import SETTINGS, Settings
from clew.core.state.crowd import sort_of
from clew.core.state.events import Event
from clew.core.state.fold import FOLDED_KINDS, values
from clew.core.state.items import Item
from clew.core.state.orders import OFF_LIMITS, may_rule
from clew.core.state.projection import Known
from clew.core.state.tasks import bound
from clew.core.text.cleaning import clean, one_line, shorten
from clew.secrets.scanner import PLACEHOLDER_OPEN
from clew.workspace.atomic import replace

_SETTINGS: Final = {
    name.removeprefix("gate."): name
    for name in (
        *("gate.plan", "gate.confirm", "gate.stale", "gate.offlimits"),
        *("gate.guard", "gate.repeat", "gate.parallel"),
    )
}
# What else of the settings stands in the file, by which the fast hooks go.
AT_STOP: Final = "draft.at_stop"
STOP_GATE: Final = "gate.stop"
AUTO: Final = "validate.auto"
HEEDED: Final = frozenset(
    (AT_STOP, STOP_GATE, AUTO, *(one.name for one in SETTINGS if one.name.startswith(("pressure.", "budget."))))
)
# Of each kind of rule the hook reads so many at every tool call.
RULES_MAX: Final = 500
# So much of a file is brought on, by so many events; else it is rebuilt.
_FILE_CHARS_MAX: Final = 1 << 21
_NEWER_MAX: Final = 50
_SUM: Final = ',"sum":'
_TEXT_CHARS: Final = 120
_WHY_CHARS: Final = 160
FORBIDDEN_LEVELS: Final = ("warn", "deny")
_WHO: Final = {True: "the user said so", False: "a person made it a gate"}
_LEAVE: Final = "Leave it; if the work needs it, ask the person you work for."
_INSTEAD: Final = "Take another way; if there is none, ask the person you work for."
_OURS: Final = "clew keeps its own state there. Record with `clew note`; what only a person may change, ask for."
_RECORDS: Final = "Clients keep their sessions' records there, which tell what a person said: only they write them."
_CLIENTS: Final = (
    "It decides which hooks and gates hold here, so only a person changes it: ask the person you work for."
)


def refresh(
    ports: Ports, at: ProjectSession, *, whole: Callable[[], LiveItems] | None = None, force: bool = True
) -> bool:
    """Write `gates.json` of this work tree and of the project's others, wherever there is a live folder; whether
    anything was written. Without `force` a file that is as of the ledger's position is left alone. `whole` gives what
    stands in the project, where that is at hand.

    Raises `InputError` for settings that cannot be used, `LedgerError`, `OSError`.
    """
    written, whole = False, whole or cache(at.standing)
    for top in tops(at.location):
        live = runtime_dir(ports, top)
        if live and Path(live).is_dir():
            location = at.location if top == at.location.root else locate(top)
            written = _refresh(ports, at.elsewhere(location), Path(live, GATES), whole, force=force) or written
    return written


def kept_current(ports: Ports, at: ProjectSession, live: str) -> None:
    """As `refresh` where the ledger grew, without a word: whoever appended has done what was asked. What the file in
    `live` then still says is older, and `clew doctor` sees it by the position.
    """
    with suppress(ClewError, OSError):
        if not _is_current(at, Path(live, GATES)):
            refresh(ports, at, force=False)


def _refresh(ports: Ports, at: ProjectSession, file: Path, whole: Callable[[], LiveItems], *, force: bool) -> bool:
    if not force:
        if _is_current(at, file):
            return False
        if _brought_on(at, file):
            return True
    task = _task(at)
    settings = ports.settings(at.location.root)
    data = {**_head(at), **rules(at, task, settings, _protected(ports, at.location), whole())}
    data |= {"records": _records(ports, at.location), "clues": find_clues(data)}
    if task and at.has_plan(task):
        from clew.app.project.trust import open_plan  # here: few sessions start with a plan

        if plan := open_plan(ports, at, task):
            data["plan"] = plan
    due = thresholds("", settings, told=ports.told_window(at.location.root, ""))  # nobody knows the model yet
    data["pressure"] = {"checkpoint": due.checkpoint, "compact": due.compact}
    data["at_stop"] = settings.on(AT_STOP)
    data["checks"] = _checks(at, task, settings, file.parent)
    replace(file, summed(json.dumps(data, separators=(",", ":"))), mode=0o600, durable=False)
    keep(ports, at, file.parent, settings, task)
    if data.get("plan") or data["offlimits"] or (file.parent / WATCH).exists():
        from clew.app.project.watch import renew  # here: at most session starts nothing is watched

        renew(ports, at.location, file.parent, data)
    return True


def _checks(at: ProjectSession, task: str, settings: Settings, live: Path) -> bool:
    """Whether the end of a turn may have to do with checks: a phase is under way, or quick ones are run then. Leaves a
    mark in the `live` folder where hooks have to look in between, too.
    """
    auto = settings.text(AUTO)
    phases = at.plan(task).phases if task and at.has_plan(task) else ()
    started = [one for one in phases if one.status == "started"]
    with suppress(OSError):
        if auto == "change-set":
            live.joinpath(PHASE).write_text(f"{auto}\n", encoding="utf-8")
        else:
            live.joinpath(PHASE).unlink(missing_ok=True)
    return auto != "off" or (settings.gate(STOP_GATE) != "off" and bool(started))


def _task(at: ProjectSession) -> str:
    """The task that this work tree and branch are bound to, whichever is named just now."""
    return bound(at.ledger.fold("").entities, *at.place)


def _head(at: ProjectSession) -> dict[str, Any]:
    return {"v": GATES_VERSION, "position": at.ledger.position(), "task": _task(at), "branch": at.location.branch}


def _is_current(at: ProjectSession, file: Path) -> bool:
    head = json.dumps(_head(at), separators=(",", ":"))[:-1].encode()
    try:
        return read_small(str(file), most=len(head)).encode("utf-8", "surrogateescape") == head
    except OSError:
        return False


def _brought_on(at: ProjectSession, file: Path) -> bool:
    """Whether nothing that is new since `file` was written makes or unmakes a rule, so that it only got another head.

    Most of what is recorded does not: items that are new and of other kinds. That is known without a look at the rules.
    """
    try:
        text = read_small(str(file), most=_FILE_CHARS_MAX)
    except OSError:
        return False
    begin = json.dumps({"v": GATES_VERSION}, separators=(",", ":"))[:-1] + ',"position":'
    position, comma, _ = text.removeprefix(begin).partition(",")
    if not (text.startswith(begin) and comma and position.isdecimal()) or len(text) >= _FILE_CHARS_MAX:
        return False
    head = _head(at)
    before = json.dumps({**head, "position": int(position)}, separators=(",", ":"))[:-1]
    newer = list(islice(at.ledger.events(after=int(position)), _NEWER_MAX + 1))
    if not text.startswith(before) or len(newer) > _NEWER_MAX or any(_may_rule(at, one.event) for one in newer):
        return False
    text = _unsummed(text)
    if text:
        text = json.dumps(head, separators=(",", ":"))[:-1] + text[len(before) :]
        replace(file, summed(text), mode=0o600, durable=False)
    return bool(text)


def is_sound(text: str) -> bool:
    """Whether the text of a `gates.json` is what was written."""
    return bool(_unsummed(text))


def summed(text: str) -> bytes:
    """An object in JSON with a checksum of its text as the last field: against disks that decay, not against people."""
    data = text.encode("utf-8", "surrogateescape")
    return b"%s%s%d}" % (data[:-1], _SUM.encode(), crc32(data))


def _unsummed(text: str) -> str:
    """The object without its checksum, "" where that is another one."""
    front, _, kept = text.rpartition(_SUM)
    plain = f"{front}}}"
    return plain if kept == f"{crc32(plain.encode('utf-8', 'surrogateescape'))}}}" else ""


def _may_rule(at: ProjectSession, event: Event) -> bool:
    """Whether an event may make or unmake a rule: it is not the one word about an item that makes none."""
    if event.kind not in FOLDED_KINDS:
        return False
    name = str(event.data.get("item", ""))
    sort = sort_of(name, at.ledger.fold_of(event.task, [name]).get(name, ()))
    return sort is None or may_rule(sort)


def rules(
    at: ProjectSession, task: str, settings: Settings, protected: Iterable[tuple[str, str]], whole: LiveItems
) -> dict[str, Any]:
    """What `core.gate.decide` reads: of what stands in the `whole` project the rules of `task` ("" none) and of the
    project itself, and a person's of every task.
    """
    live = [one.known for one in whole.orders.values() if one.holds_in(task)]
    live.sort(key=lambda entry: (entry.item.time, entry.item.id))
    short = at.ledger.shortest([entry.item.id for entry in live])
    return {
        "levels": {name: settings.gate(setting) for name, setting in _SETTINGS.items()},
        "root": str(at.location.root),
        "protected": list(protected),
        "offlimits": _off_limits(live, short)[:RULES_MAX],
        "deferred": _deferred(live, short)[:RULES_MAX],
        "guards": _guards(live, short),
        "forbidden": _forbidden(at, live, short),
    }


def _off_limits(live: Iterable[Known], short: Mapping[str, str]) -> list[list[str]]:
    return [
        [item.text, short[item.id], f": {_plain(item.why, _WHY_CHARS)}" if item.why else ""]
        for item in (entry.item for entry in live)
        if item.kind == "file" and item.status == OFF_LIMITS and PLACEHOLDER_OPEN not in item.text
    ]


def _deferred(live: Iterable[Known], short: Mapping[str, str]) -> list[list[str]]:
    return [
        [path, short[item.id], _plain(item.text, _TEXT_CHARS)]
        for item in (entry.item for entry in live if entry.stated)
        if item.kind == "deferral"
        for path in item.files
        if PLACEHOLDER_OPEN not in path
    ]


def _guards(live: Iterable[Known], short: Mapping[str, str]) -> dict[str, Any]:
    commands: dict[str, list[Any]] = {}
    others: dict[str, list[Any]] = {"path": [], "word": []}
    count = 0
    for entry in live:
        item = entry.item
        patterns = values(entry.heard).get("guard") if item.kind == "failed" else None
        for pattern in patterns if isinstance(patterns, list) else ():
            guard = guard_of(pattern)
            if PLACEHOLDER_OPEN in pattern or count >= RULES_MAX:
                continue
            count += 1
            why = f": {_plain(item.why, _WHY_CHARS)}" if item.why else ""
            reason = f"{short[item.id]}: “{_plain(item.text, _TEXT_CHARS)}” was tried and failed{why}. {_INSTEAD}"
            if guard.way == "command":
                _add_command(commands, guard.pattern, short[item.id], reason)
            elif guard.way == "path" or words_of(guard.pattern):
                others[guard.way].append([guard.pattern, short[item.id], reason])
    return {"commands": commands, "paths": others["path"], "words": others["word"]}


def _add_command(commands: dict[str, list[Any]], line: str, rule: str, reason: str) -> None:
    words = line.split()
    name = words[0] if "/" in words[0] else parse_command(words).program
    commands.setdefault(name, []).append([words, rule, reason])


def _forbidden(at: ProjectSession, live: Iterable[Known], short: Mapping[str, str]) -> dict[str, Any]:
    """The files and commands that a person's prohibitions name, the newest ones; "warn" unless a person made a gate of
    it. Files count as they lie on the disk: a word that only looks like a file's name warns of nothing.
    """
    paths: list[list[str]] = []
    commands: dict[str, dict[str, list[Any]]] = {level: {} for level in FORBIDDEN_LEVELS}
    orders = [one for one in live if one.item.kind == "constraint" and (one.item.is_persons or is_gate(one))]
    if not orders:
        return {"paths": [], "commands": {}}
    from clew.core.gate.prohibition import forbidden  # here, as below: it costs the start of a session what it compiles

    for entry in orders[-RULES_MAX:]:
        item = entry.item
        named = forbidden(item.text)
        level = "deny" if is_gate(entry) else "warn"
        reason = f"“{_plain(item.text, _WHY_CHARS)}” ({short[item.id]}; {_WHO[item.is_persons]}). {_LEAVE}"
        for path in _files(at, item, named.paths):
            paths.append([path, level, short[item.id], reason])
        for line in named.commands:
            if PLACEHOLDER_OPEN not in line:
                _add_command(commands[level], line, short[item.id], reason)
    return {"paths": paths[-RULES_MAX:], "commands": {level: rows for level, rows in commands.items() if rows}}


def asks(entry: Known) -> tuple[str, tuple[str, ...]]:
    """The gate that goes by an item, and the paths, guards and commands that it asks about; "" and () for none."""
    item = entry.item
    if item.kind == "file" and item.status == OFF_LIMITS:
        return "offlimits", (item.text,)
    if item.kind == "failed":
        guards = values(entry.heard).get("guard")
        return "guard", tuple(map(str, guards)) if isinstance(guards, list) else ()
    if item.kind == "deferral" and entry.stated:
        return "guard", item.files
    if item.kind == "constraint" and (item.is_persons or is_gate(entry)):
        from clew.core.gate.prohibition import forbidden

        named = forbidden(item.text)
        return "guard", (*named.paths, *named.commands)
    return "", ()


def is_gate(entry: Known) -> bool:
    """Whether a person made a gate of a prohibition, which else only warns."""
    return any(one.provenance == "human" and one.fields.get("status") == OFF_LIMITS for one in entry.heard)


def _files(at: ProjectSession, item: Item, named: Iterable[str]) -> list[str]:
    """The paths from the root that the names in a prohibition mean: one of the item's files, else what lies there."""
    found = []
    for name in named:
        plain = name.rstrip("/")
        meant = [path for path in item.files if path == plain or path.endswith(f"/{plain}")]
        there = not plain.startswith(("/", "..")) and PLACEHOLDER_OPEN not in plain
        if not meant and there and ("*" in plain or os.path.lexists(at.location.root / plain)):
            meant = [plain]
        found += meant
    return found


def _plain(text: str, chars: int) -> str:
    return shorten(one_line(clean(text)), chars).rstrip(".")


def _protected(ports: Ports, location: ProjectLocation) -> list[tuple[str, str]]:
    ours = [location.root / PROJECT_FOLDER, location.ledger.parent]
    elsewhere = ports.protected(location.root)
    clews = [path for path in elsewhere if path.suffix == ""]
    said = [(path, _OURS) for path in (*ours, *clews)]
    return _closed([*said, *((path, _CLIENTS) for path in elsewhere if path not in clews)])


def _records(ports: Ports, location: ProjectLocation) -> list[tuple[str, str]]:
    """The folders of the clients' sessions, but for one that somebody works in."""
    folders = (folder for folder in ports.session_folders() if not location.root.is_relative_to(folder))
    return _closed((folder, _RECORDS) for folder in folders)


def _closed(said: Iterable[tuple[Path, str]]) -> list[tuple[str, str]]:
    """Each path, and where its links lead, with the sentence that refuses it."""
    ways = ((way, path, why) for path, why in said for way in (str(path), os.path.realpath(path)))
    return list(dict.fromkeys((way, f"{path} is off limits. {why}") for way, path, why in ways))
