"""What a person does on the page: each deed is a use case of the command line's, told what the form said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from clew.app.cost.budgets import raise_budget
from clew.app.handoff.make import make
from clew.app.memory.store import Scope
from clew.app.memory.use import decisions_of, triage
from clew.app.phase.lifecycle import phase_reopen
from clew.app.plan.lifecycle import plan_approve, plan_reopen
from clew.app.plan.look import plan_tick
from clew.app.project.session import Outcome
from clew.app.record import item as items
from clew.app.stack.build import build
from clew.app.stack.stack_file import add_source, order_sources, remove_source
from clew.core.errors import InputError
from clew.interfaces.cost_rows import money
from clew.interfaces.web import review
from clew.interfaces.web.site import Visit


class Said(NamedTuple):
    """What a deed did, in a sentence, with notes; `text` is a text that it gives ("" none), `go` the page to go to."""

    said: str
    notes: tuple[str, ...] = ()
    text: str = ""
    go: str = ""


def _of(done: Outcome) -> Said:
    return Said(done.said, done.notes)


def _change(visit: Visit) -> Said:
    """A change of one item by one of its verbs."""
    name, why = visit.text("item"), visit.text("why")
    verb = visit.text("verb")
    match verb:
        case "resolve":
            return _of(items.resolve(visit.project, name, why))
        case "retract":
            return _of(items.retract(visit.project, name, why=why))
        case "restore":
            return _of(items.restore(visit.project, name))
        case "pin":
            return _of(items.pin(visit.project, name))
        case "unpin":
            return _of(items.unpin(visit.project, name))
        case "edit":
            return _of(items.edit(visit.project, name, {"text": visit.text("text")}))
    raise _unknown(verb)


def _reopen_phase(visit: Visit) -> Said:
    budget = visit.text("budget")
    tokens = int(budget) if budget.isdecimal() else 0
    done = phase_reopen(visit.project, visit.text("phase"), reason=visit.text("why"), budget=tokens)
    return Said(f"Phase {done.phase.number} can be started again", done.notes)


def _raise(visit: Visit) -> Said:
    told = visit.text("tokens").replace(",", "")
    if told and not told.isdecimal():
        raise InputError(f"{told[:20]} is not a number of tokens", code="E-page-field", hint="As 50000.")
    scope = visit.text("scope")
    done = raise_budget(visit.project, visit.today, scope, visit.text("name"), tokens=int(told or 0))
    by = f"{done.tokens:,} tokens" if done.tokens else money(done.usd)
    return Said(f"The budget of the {scope} is {by} larger")


def _decide(visit: Visit) -> Said:
    """One decision of a review; it waits until the hand-off is written."""
    given = (visit.text(name) for name in ("item", "deed", "was", "text"))
    review.decide(visit.ports, visit.root, visit.text("task"), review.Decided(*given))
    return Said("")


def _undo(visit: Visit) -> Said:
    review.undo(visit.ports, visit.root, visit.text("task"))
    return Said("")


def _hand_over(visit: Visit) -> Said:
    task = visit.text("task")
    decided = review.load(visit.ports, visit.root, task)
    made = make(
        visit.project,
        profile="team" if visit.text("to") else "handoff",
        task=task,
        receiver=visit.text("to"),
        curate=lambda draft: review.choices(draft, decided),
    )
    assert made is not None  # a review on the page never leaves
    review.forget(visit.ports, visit.root, task)
    return Said(
        f"Handed over as {made.handoff.short_id}: {made.tokens:,} tokens in {made.path}", made.notes, made.handoff.text
    )


def _triage(visit: Visit) -> Said:
    scope: Scope = "user" if visit.text("scope") == "user" else "project"
    row = {name: visit.text(name) for name in ("id", "deed", "topic", "text", "into")}
    done = triage(visit.project, scope, lambda found, _: decisions_of([row], found))
    did = {"kept": done.kept, "joined": done.joined, "dropped": done.dropped}
    told = ", ".join(f"{name} {', '.join(ids)}" for name, ids in did.items() if ids)
    return Said(told.capitalize() or "Left for later", done.notes)


def _order(visit: Visit) -> Said:
    order = visit.text("order").split(",")
    if not all(one.isdecimal() for one in order):
        raise InputError("the order is no list of numbers", code="E-page-field", hint="Load the page again.")
    order_sources(visit.root, visit.text("stack"), [int(one) for one in order])
    return Said("")


def _remove(visit: Visit) -> Said:
    stack, entry = remove_source(visit.root, visit.text("stack"), visit.text("source"))
    return Said(f"Took {entry.name} out of {stack.name}")


def _add(visit: Visit) -> Said:
    words = visit.text("words").split()
    stack, entry = add_source(visit.root, visit.text("stack"), visit.text("kind"), words, {})
    return Said(f"Added {entry.name} to {stack.name}")


def _build(visit: Visit) -> Said:
    found = build(visit.project, visit.site.tools.stacks(), visit.text("stack"), exit="clipboard")
    missing = (f"{one.name} is missing: {one.message} [{one.code}]" for one in found.missing)
    return Said(f"{found.tokens:,} of {found.budget:,} tokens ({found.counter})", (*missing, *found.notes), found.text)


def _unknown(name: str) -> InputError:
    return InputError(f"the page has no deed {name[:40]}", code="E-page-deed", hint="Load the page again.")


DEEDS: Final[Mapping[str, Callable[[Visit], Said]]] = {
    "answer": lambda it: _of(items.answer(it.project, it.text("item"), it.text("answer"), seen=it.text("was"))),
    "item": _change,
    "approve": lambda it: _of(plan_approve(it.project, task=it.text("task") or None)),
    "reopen-plan": lambda it: _of(plan_reopen(it.project, why=it.text("why"), task=it.text("task") or None)),
    "tick": lambda it: _of(plan_tick(it.project, it.text("step"), done=it.text("done") == "1")),
    "reopen-phase": _reopen_phase,
    "raise": _raise,
    "decide": _decide,
    "undo": _undo,
    "hand-over": _hand_over,
    "triage": _triage,
    "order": _order,
    "remove": _remove,
    "add": _add,
    "build": _build,
}


def perform(visit: Visit, name: str) -> Said:
    """Do what a form asks for. Raises `ClewError`, and `ConfirmationNeeded` for what a person has to see first."""
    deed = DEEDS.get(name)
    if deed is None:
        raise _unknown(name)
    return deed(visit)
