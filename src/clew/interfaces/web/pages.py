"""The pages: each asks the use cases that the command line asks, and gives a template what they found."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from clew.app.audit.audit import audit
from clew.app.cost.budgets import budgets
from clew.app.cost.cost import WAYS, CostReport, CostRequest, cost
from clew.app.cost.curve import ContextCurve, context_curve
from clew.app.cost.prices import known_prices
from clew.app.handoff.make import Draftlike, make
from clew.app.handoff.review import Choice
from clew.app.health.doctor import doctor
from clew.app.health.finding import count
from clew.app.hooks.receipts import receipts
from clew.app.intake.find import found_in, project_at
from clew.app.look.log import log
from clew.app.look.sessions import is_place, passage, session_turns, sessions
from clew.app.look.show import show
from clew.app.look.status import ProjectStatus, status
from clew.app.look.waits import Wait, waits
from clew.app.memory.store import Scope
from clew.app.memory.use import show as memory_shown
from clew.app.memory.use import waiting
from clew.app.phase.lifecycle import phase_diff
from clew.app.plan.look import plan_lint, plan_show
from clew.app.plan.writing import questions
from clew.app.project.opening import ProjectHandle
from clew.app.results import SourcedRow
from clew.app.resume.payload import resume
from clew.app.run.leases import LocalLeases
from clew.app.run.summary import board
from clew.app.search.index import Filters
from clew.app.search.search import search
from clew.app.stack.build import list_stacks, stack_sources
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cost_rows import below, first_of, has_days, heads_of, money, per_day, row_of
from clew.interfaces.web import draw, review
from clew.interfaces.web.site import Visit
from clew.interfaces.web.templating import FOLDER, environment
from clew.workspace.times import rfc3339

Shown = tuple[str, dict[str, Any]]
Page = Callable[[Visit], Shown]
_ROWS_MAX: Final = 200
_LOG_SHOWN: Final = 8
_TURNS: Final = 5
# Of so many sessions of a list, whose records are no longer than this, the context is drawn.
_CURVES: Final = 15
_CURVE_BYTES_MAX: Final = 4 << 20
_DIFF_CHARS_MAX: Final = 40_000
_CHECKED_S: Final = 300.0
# In this order kinds of items stand on a task's page.
_KIND_ORDER: Final = (
    "goal", "next", "decision", "constraint", "failed", "question", "deferral", "learning", "reminder", "hypothesis",
    "note",
)  # fmt: skip


class ProjectCard(NamedTuple):
    """A project on the first page: how it stands, or why that is not known."""

    key: str
    root: Path
    found: ProjectStatus | None = None
    last: str = ""
    session: str = ""
    usd: float = 0.0
    problem: str = ""


def today(visit: Visit) -> Shown:
    """All projects of this user: what waits first, then how each stands."""
    site = visit.site
    cards: list[ProjectCard] = []
    waiting_now: list[tuple[str, Path, Wait]] = []
    for key, root in site.projects().items():
        project = visit.of(root)
        try:
            mark = site.marks(key).now()
            # What waits is never late; how the project stands may be by a moment.
            found = site.cached(mark, (root, "waits", visit.today), partial(waits, project, visit.today))
            waiting_now += [(key, root, one) for one in found]
            mark += f" {site.hubs(root)}"
            card = site.recent(mark, (root, "card", visit.today), partial(_card, project, key, visit))
        except ClewError as error:
            card = ProjectCard(key, root, problem=f"{error.message} [{error.code}]")
        cards.append(card)
    waiting_now.sort(key=lambda one: (bool(one[2].owner), not one[2].blocking, one[2].since))
    return "today.html", {"cards": cards, "waits": waiting_now}


def _card(project: ProjectHandle, key: str, visit: Visit) -> ProjectCard:
    found = status(project, runs=lambda ledger: LocalLeases(ledger).runs())
    files = found_in(project.ports.locators, project_at(found.root))
    newest = max(files, key=lambda one: one.modified_ns, default=None)
    spent = next((one.used_usd or 0.0 for one in budgets(project, visit.today).budgets if one.scope == "day"), 0.0)
    if newest is None:
        return ProjectCard(key, found.root, found, usd=spent)
    return ProjectCard(key, found.root, found, rfc3339(newest.modified_ns // 10**9), newest.session, spent)


def task(visit: Visit) -> Shown:
    """What the next session is given, and what is known of the task."""
    project = visit.project
    wanted = visit.text("task")
    budget = visit.number("budget", project.ports.settings(visit.root).number("resume.budget_tokens"), most=100_000)
    told: dict[str, Any] = {"budget": budget, "wanted": wanted, "given": None, "problem": "", "groups": []}
    told["found"] = found = status(project, runs=lambda ledger: LocalLeases(ledger).runs())
    try:
        told["given"] = resume(project, task=wanted, budget_tokens=budget, with_ids=True, part=True)
    except (NotFound, InputError) as error:
        if wanted or visit.text("budget"):
            raise
        told["problem"] = error.message
    if not wanted:
        told["groups"] = _groups(project)
    told["log"] = log(project, task=wanted or None, limit=_LOG_SHOWN).events[::-1]
    told["tasks"] = [one for one in (found.task, *found.other_tasks) if one is not None]
    return "task.html", told


def _groups(project: ProjectHandle) -> list[tuple[str, list[SourcedRow]]]:
    """What is known of the task that is bound here, by kind, without what came to an end."""
    try:
        listed = show(project, None)
    except NotFound:
        return []
    by_kind: dict[str, list[SourcedRow]] = {}
    for one in listed.items:
        if one.standing == "live" and one.kind in _KIND_ORDER:
            by_kind.setdefault(one.kind, []).append(one)
    return [(kind, by_kind[kind]) for kind in _KIND_ORDER if kind in by_kind]


def item(visit: Visit) -> Shown:
    """One item: what it says, who said it, the words there in the record, what became of it."""
    found = show(visit.project, visit.place)
    if found.item is None:
        raise NotFound(
            f"{visit.place[:40]} is not the id of an item", code="E-no-item", hint="Look for it on its task."
        )
    return "item.html", {"found": found, "item": found.item}


def plan(visit: Visit) -> Shown:
    """The plan of the task: its board, its questions, what waits for a person."""
    project = visit.project
    try:
        found = plan_show(project)
    except InputError as error:
        return "plan.html", {"found": None, "problem": error.message}
    now = board(project)
    rows = {row.number: row for row in now.phases}
    working = {one.phase: one for one in now.working}
    caption = "; ".join(f"phase {one.number}: {one.status}" for one in found.phases) or "no phases yet"
    picture = draw.board([(one.number, one.status, one.title) for one in found.phases], caption)
    asked = questions(project)
    lint = plan_lint(project).findings if found.mode not in ("approved", "dropped") else ()
    held = [one for one in budgets(project, visit.today).budgets if one.most_tokens or one.most_usd]
    told = {"rows": rows, "working": working, "board": now, "picture": picture, "questions": asked, "lint": lint}
    return "plan.html", {"found": found, "problem": "", "budgets": held, **told}


def diff(visit: Visit) -> Shown:
    """What a phase changed."""
    text = phase_diff(visit.project, visit.place)
    return "diff.html", {"phase": visit.place, "text": text[:_DIFF_CHARS_MAX], "more": len(text) > _DIFF_CHARS_MAX}


def session_list(visit: Visit) -> Shown:
    """The sessions of the project, the last one first."""
    client, limit = visit.text("client"), visit.number("limit", 30, most=_ROWS_MAX)
    found = sessions(visit.project, client=client, limit=limit)
    mark = visit.site.marks(visit.key).now()
    unknown: tuple[dict[str, tuple[str, int]], str] = {}, ""
    spent, problem = visit.site.recent(mark, (visit.root, "costs"), partial(_costs, visit), unknown)
    files = found_in(visit.ports.locators, project_at(visit.root))
    known = sorted({"", client, *(one.client for one in files)})
    curves = {
        row.session: _small_curve(visit, row.record) for row in found.sessions[:_CURVES] if row.record is not None
    }
    tasks = {one.id: one for one in found.tasks}
    told = {"found": found, "tasks": tasks, "costs": spent, "curves": curves, "client": client, "clients": known}
    return "sessions.html", {**told, "limit": limit, "problem": problem}


def _costs(visit: Visit) -> tuple[dict[str, tuple[str, int]], str]:
    """Of each session of the project what it cost, in words, and its tokens; or why that is not known."""
    try:
        spent = _cost(visit, "session")
    except ClewError as error:
        return {}, error.message
    return {
        one.name: (money(one.usd) if one.usd or not one.unpriced_tokens else "?", one.total) for one in spent.parts
    }, ""


def _small_curve(visit: Visit, record: Path) -> Any:
    """How the context of a session grew, read once for each size of its record; "" of a long one."""
    try:
        facts = record.stat()
        if facts.st_size > _CURVE_BYTES_MAX:
            return ""
        mark = f"{facts.st_size} {facts.st_mtime_ns}"
        curve = visit.site.cached(mark, ("curve", record), lambda: context_curve(visit.project, str(record)))
    except (OSError, ClewError):
        return ""
    return draw.small_curve(curve.tokens, curve.compactions, _caption(curve)) if curve.tokens else ""


def _caption(found: ContextCurve) -> str:
    marks = f", {count(len(found.compactions), 'compaction')} (dashed lines)" if found.compactions else ""
    return f"Context of {count(len(found.tokens), 'response')}, at most {max(found.tokens):,} tokens{marks}"


def session(visit: Visit) -> Shown:
    """One session, from prompt to prompt; or one turn of it, whole."""
    project, name = visit.project, visit.place
    if is_place(name):
        return "passage.html", {"found": passage(project, name), "name": name, "session": name.rpartition("@")[0]}
    words, first = visit.text("q"), visit.number("from", 1, most=1_000_000)
    found = session_turns(project, name, first=first, most=_TURNS, words=words)
    curve = context_curve(project, name)
    with project.open(write=False) as at:
        given = [one for one in receipts(at) if name and (one.session.startswith(name) or name in one.session)]
    last = max((one.number for one in found.turns if one.entries), default=0)
    told = {"found": found, "name": name, "words": words, "first": first, "given": given, "curve": curve}
    more = last and any(one.number > last for one in found.turns)
    return "session.html", {**told, "next": last + 1 if more else 0, "picture": curve_picture(curve)}


def curve_picture(found: ContextCurve) -> Any:
    """How the context of a session grew; "" where it tells of no tokens."""
    if not found.tokens:
        return ""
    ends = {"first": found.began[:16].replace("T", " "), "last": found.ended[:16].replace("T", " ")}
    return draw.curve(found.tokens, found.compactions, _caption(found), top=f"{max(found.tokens):,} tokens", **ends)


def costs(visit: Visit) -> Shown:
    """What sessions cost, by what one asks for, and how the budgets stand."""
    by = visit.text("by", "day")
    if by not in WAYS:
        raise InputError(f"costs are not added up by {by[:20]}", code="E-cost-date", hint=f"By: {', '.join(WAYS)}.")
    found = _cost(visit, by, client=visit.text("client"))
    held = [one for one in budgets(visit.project, visit.today).budgets if one.most_tokens or one.most_usd]
    return "cost.html", {**cost_table(found, 30), "budgets": held, "ways": WAYS, "all": visit.text("all")}


def _cost(visit: Visit, by: Any, *, client: str = "") -> CostReport:
    def day(at: int) -> str:
        return time.strftime("%Y-%m-%d", time.localtime(at))

    known = known_prices(*visit.ports.price_tables())
    return cost(visit.project, CostRequest(by, day, everywhere=bool(visit.text("all")), client=client), known)


def cost_table(found: CostReport, limit: int) -> dict[str, Any]:
    """The rows and pictures of a report, for the page and for a file."""
    shown = (*first_of(found, limit), found.total)
    small = [draw.small_bars(per_day(found, one), f"{one.name} by day") for one in shown] if has_days(found) else []
    rows = [row_of(found.by, one, "{:,}".format) for one in shown]
    picture: Any = ""
    if len(found.days) > 1:
        values = [one.usd for one in found.days]
        caption = f"Cost of each of {len(values)} days with work; the dearest cost {money(max(values))}"
        ends = {"first": found.days[0].day, "last": found.days[-1].day}
        picture = draw.bars(values, caption, top=money(max(values)), **ends)
    more = max(0, len(found.parts) - limit)
    told = {"found": found, "heads": heads_of(found), "rows": rows, "small": small, "picture": picture}
    return {**told, "below": below(found), "more": more}


def page_of(cost: CostReport | None, curve: ContextCurve | None, limit: int) -> str:
    """A page as a file, which loads nothing: what sessions cost, of parts `limit`; else the context of one session."""
    style = Markup((FOLDER / "page.css").read_text("utf-8"))
    if cost is not None:
        title, told = f"Cost of {cost.scope or 'all projects'} by {cost.by}", cost_table(cost, limit)
    else:
        assert curve is not None
        title, told = f"Context of {curve.client} {curve.session[:16]}", {"curve": curve_picture(curve)}
    made = environment(lambda: time.time_ns() // 1_000_000)
    return made.get_template("file.html").render(told, title=title, style=style, p="")


def memory(visit: Visit) -> Shown:
    """What waits to be kept, and what is kept."""
    scope: Scope = "user" if visit.text("scope") == "user" else "project"
    try:
        found, candidates = memory_shown(visit.project, scope), waiting(visit.project, scope)
    except NotFound as error:
        return "memory.html", {"scope": scope, "problem": f"{error.message}. {error.hint}"}
    topics: dict[str, list[Any]] = {}
    for fact in found.facts:
        topics.setdefault(fact.topic, []).append(fact)
    by_id = {fact.id: fact for fact in found.facts}
    stale = {name: f"{what}: {said}" for name, what, said in found.stale}
    told = {"scope": scope, "topics": topics, "by_id": by_id, "stale": stale}
    return "memory.html", {**told, "waiting": candidates.candidates, "problem": ""}


def handoff(visit: Visit) -> Shown:
    """A hand-off with the verdicts of its entries, and what was decided of each so far."""
    seen: list[Draftlike] = []

    def look(draft: Draftlike) -> list[Choice] | None:
        seen.append(draft)
        return None

    wanted = visit.text("task")
    try:
        make(visit.project._replace(dry_run=True), task=wanted, curate=look)
    except NotFound as error:
        return "handoff.html", {"draft": None, "problem": error.message, "wanted": wanted}
    draft = seen[0]
    decided = review.load(visit.ports, visit.root, wanted)
    stands = review.standing(draft.rows, decided)
    told = {"draft": draft, "stands": stands, "decided": decided, "wanted": wanted, "problem": ""}
    return "handoff.html", {**told, "gone": len(decided) - sum(one is not None for one in stands.values())}


def stacks(visit: Visit) -> Shown:
    """The stacks of the project."""
    return "stacks.html", {"stacks": list_stacks(visit.root).stacks}


def stack(visit: Visit) -> Shown:
    """One stack: its sources in their order, and what they took at the last build."""
    found = stack_sources(visit.root, visit.place)
    room = found.budget or visit.ports.settings(visit.root).number("stack.budget_tokens")
    return "stack.html", {"found": found, "room": room}


def bill(visit: Visit) -> Shown:
    """What filled a session's context."""
    wanted = visit.text("session")
    try:
        found = audit(visit.project, known_prices(*visit.ports.price_tables()), session=wanted)
    except NotFound as error:
        return "audit.html", {"found": None, "problem": error.message, "wanted": wanted}
    return "audit.html", {"found": found, "problem": "", "wanted": wanted}


def find(visit: Visit) -> Shown:
    """Where some words stand."""
    words, everywhere = visit.text("q"), bool(visit.text("all"))
    filters = Filters(client=visit.text("client"), kind=visit.text("kind"))
    limit = visit.number("limit", 20, most=_ROWS_MAX)
    found = search(visit.project, words, filters=filters, everywhere=everywhere, limit=limit) if words else None
    told = {"found": found, "words": words, "all": everywhere, "client": filters.client, "kind": filters.kind}
    return "search.html", told


def health(visit: Visit) -> Shown:
    """What works and what does not."""
    site = visit.site
    mark = "" if not visit.text("again") else str(time.monotonic())
    slot = str(int(time.monotonic() // _CHECKED_S))

    def check() -> Any:
        machine, which = site.tools.machine(), shutil.which
        return doctor(visit.project, machine, site.tools.clients(), find_program=which, serves=True)

    found = site.cached(mark or slot, (visit.root, "doctor"), check)
    counts = {level: sum(one.level == level for one in found.findings) for level in ("wrong", "warn", "info", "fine")}
    order = {"wrong": 0, "warn": 1, "info": 2, "fine": 3}
    findings = sorted(found.findings, key=lambda one: order[one.level])
    return "doctor.html", {"findings": findings, "counts": counts}


# Of each page its name in addresses and in the menu ("" it is in none), and what makes it.
PAGES: Final[Mapping[str, tuple[str, Page]]] = {
    "": ("Task", task),
    "plan": ("Plan", plan),
    "sessions": ("Sessions", session_list),
    "cost": ("Cost", costs),
    "memory": ("Memory", memory),
    "handoff": ("Hand-off", handoff),
    "stacks": ("Stacks", stacks),
    "audit": ("Audit", bill),
    "search": ("Search", find),
    "doctor": ("Doctor", health),
}
# The same of pages about one thing, which the address names behind this.
PLACES: Final[Mapping[str, tuple[str, Page]]] = {
    "item": ("", item),
    "plan": ("plan", diff),
    "sessions": ("sessions", session),
    "stacks": ("stacks", stack),
}


def title_of(root: Path) -> str:
    """What a project is called on pages: the name of its folder."""
    return one_line(clean(root.name)) or str(root)
