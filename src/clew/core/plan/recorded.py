"""What the ledger says of a task's plan, joined with what its text says, and of the rounds of its phases' attempts.
Pure; the text's reader is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from clew.core.plan.next_actions import WORDS, ClaimVerdict, Round, end_of, spent
from clew.core.plan.plan import VERDICTS, Check, Mode, Phase, PhaseStatus, Plan, Step, Verdict
from clew.core.state.events import Value
from clew.core.state.fold import PLAN, RUN, Change, Entities, Entity, values
from clew.core.state.ids import identity
from clew.core.state.projection import number_of, text_of

# What a command's exit code proved counts, and nobody's word for it.
_PROOF: Final = "verified"
_LIKE: Final = 0.5


def plan_of(entities: Entities, read: Callable[[str], Plan]) -> Plan:
    """The plan of the task with these entities. `read` takes a plan's Markdown apart (`documents/plan/grammar.py`)."""
    entity = entities.get(PLAN, ())
    if not entity:
        return Plan()
    fields = values(entity)
    text = text_of(fields.get("markdown"))
    plan = read(text) if text else Plan()
    approved = text_of(fields.get("approved"))
    stated = fields.get("phases")
    given = [str(one) for one in stated] if isinstance(stated, list) else []
    # Where a newer reader finds more phases than were recorded, made-up ids behind.
    rest = (f"P-{identity('phase', '', str(phase.number), phase.title)}" for phase in plan.phases[len(given) :])
    ids = [*given[: len(plan.phases)], *rest]
    phases = tuple(
        _joined(phase._replace(id=name), entities.get(f"%{name}", ()))
        for phase, name in zip(plan.phases, ids, strict=True)
    )
    plan = plan._replace(
        title=text_of(fields.get("plan_title")) or plan.title,
        phases=phases,
        text=text,
        source=text_of(fields.get("plan_source")),
        approved=approved,
        changed_at=max(change.said_at for change in entity),
    )
    return plan._replace(mode=_mode(text_of(fields.get("mode")), plan))


def _mode(said: str, plan: Plan) -> Mode:
    if said == "approved":
        return "approved" if plan.approved and plan.approved == plan.digest else "changed"
    if said in ("planning", "dropped"):
        return cast("Mode", said)
    return "kept" if plan.text else "none"


def new_ids(task: str, before: Plan, after: Plan) -> list[str]:
    """The ids of the phases of `after`, in order, which takes the place of `before` in `task`.

    A phase that is still there keeps its id: by its title, else by its number where most of its steps are the same. The
    others get ids that follow from task and title, so that two who take in the same file give the same ids.
    """
    found: dict[int, str] = {}
    left = {phase.id: phase for phase in before.phases}
    for phase in after.phases:
        same = next((one for one in left.values() if _key(one.title) == _key(phase.title)), None)
        if same is not None:
            found[phase.number] = same.id
            del left[same.id]
    for phase in after.phases:
        same = next((one for one in left.values() if one.number == phase.number and _is_like(one, phase)), None)
        if phase.number not in found and same is not None:
            found[phase.number] = same.id
            del left[same.id]
    taken = {*found.values(), *(one.id for one in before.phases)}
    for phase in after.phases:
        if phase.number not in found:  # of two phases with one title the second has another id
            names = (f"P-{identity('phase', task, _key(phase.title), str(time))}" for time in range(len(taken) + 1))
            found[phase.number] = next(name for name in names if name not in taken)
            taken.add(found[phase.number])
    return [found[phase.number] for phase in after.phases]


def _is_like(one: Phase, other: Phase) -> bool:
    """Whether most steps of the one are steps of the other; a phase without steps is like none."""
    mine, theirs = ({_key(step.text) for step in phase.steps} for phase in (one, other))
    return bool(mine and theirs) and len(mine & theirs) > _LIKE * max(len(mine), len(theirs))


def _joined(phase: Phase, entity: Entity) -> Phase:
    """The phase with what happened to it."""
    fields = values(entity)
    budget = fields.get("budget")
    if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
        phase = phase._replace(budget_tokens=budget)
    named = (name.partition(".") for name in fields)
    kinds = ("started", "done", "stopped", "reopened")
    attempts = [int(part) for kind, _, part in named if kind in kinds and part.isdecimal()]
    if not attempts:
        return phase._replace(steps=_steps(phase, fields))
    n = max(attempts)
    checks = _checks(entity, n)
    status, ending = _status(fields, entity, n, checks)
    of_end = f"{ending}.{n}" if ending else ""
    return phase._replace(
        steps=_steps(phase, fields, is_done=status == "done"),
        status=status,
        attempt=n,
        checks=checks,
        outcome=text_of(fields.get(f"{of_end}.outcome")) if status == "done" else "",
        commit=text_of(fields.get(f"{of_end}.commit")) if status == "done" else "",
        cause=text_of(fields.get(f"{of_end}.cause")) if status == "stopped" else "",
        failure=text_of(fields.get(f"{of_end}.failure")) if status == "stopped" else "",
        spent_tokens=number_of(fields.get(f"{of_end}.spent_tokens")),
        started_at=_when(entity, f"started.{n}"),
        ended_at=_when(entity, of_end),
        tree=text_of(fields.get(f"started.{n}.tree")),
        head=text_of(fields.get(f"started.{n}.head")),
        place=text_of(fields.get(f"started.{n}.place")),
        merged=fields.get(f"merged.{n}") is True,
    )


def _status(fields: Mapping[str, Value], entity: Entity, n: int, checks: Sequence[Check]) -> tuple[PhaseStatus, str]:
    """How attempt `n` stands, and what ended it ("" nothing). A word on being done counts only with a check that passed
    on the tree that it names; of two who ended one attempt apart from each other the one who stopped it counts.
    """
    if fields.get(f"reopened.{n}") is True:
        return "planned", ""
    if fields.get(f"stopped.{n}") is True:
        return "stopped", "stopped"
    tree = text_of(fields.get(f"done.{n}.tree"))
    said = _by(entity, f"done.{n}")
    if (
        said
        and said.provenance == _PROOF
        and tree
        and any(one.tree == tree and one.verdict == "passed" for one in checks)
    ):
        return "done", "done"
    return ("started", "") if fields.get(f"started.{n}") is True else ("planned", "")


def _checks(entity: Entity, n: int) -> tuple[Check, ...]:
    """The runs in attempt `n`, oldest first. Only what an exit code proved."""
    found: list[tuple[str, str, Check]] = []
    head = f"ran.{n}."
    for change in entity:
        for name, value in change.fields.items():
            if name.startswith(head) and change.provenance == _PROOF and isinstance(value, list) and len(value) == 4:
                verdict, counted, cause, failure = value
                if verdict in VERDICTS:
                    check = Check(name[len(head) :], cast("Verdict", verdict), counted == "counted", cause, failure)
                    found.append((change.said_at, change.event, check))
    return tuple(check for *_, check in sorted(found, key=lambda one: one[:2]))


def _steps(phase: Phase, fields: Mapping[str, Value], *, is_done: bool = False) -> tuple[Step, ...]:
    """The steps with their ids, and ticked as the ledger says, else as the text does; those of a phase that is done
    are, unless somebody took the tick off.
    """
    seen: dict[str, int] = {}
    found = []
    for step in phase.steps:
        key = _key(step.text)
        seen[key] = seen.get(key, 0) + 1
        name = f"S-{identity('step', phase.id, key, str(seen[key]))}"
        said = fields.get(f"ticked.{name}")
        found.append(step._replace(id=name, ticked=said if isinstance(said, bool) else step.ticked or is_done))
    return tuple(found)


def _when(entity: Entity, field: str) -> str:
    change = _by(entity, field)
    return change.said_at if change else ""


def _by(entity: Entity, field: str) -> Change | None:
    return next((change for change in entity if field in change.fields), None)


def _key(text: str) -> str:
    """A title or a step as it is compared: case, blanks and ends of sentences do not matter."""
    return " ".join(text.split()).rstrip(".:").casefold()


def rounds_of(plan: Plan, entities: Entities) -> dict[str, tuple[Round, ...]]:
    """The rounds of each phase's newest attempt, oldest first, by the phase's id."""
    return {one.id: _rounds(one.attempt, values(entities.get(f"%{one.id}", ()))) for one in plan.phases if one.attempt}


def spent_on(phase: Phase, entities: Entities) -> tuple[int, int]:
    """Tokens and cents of all rounds of a phase, whichever attempt they are of."""
    fields = values(entities.get(f"%{phase.id}", ()))
    rounds = [one for attempt in range(1, phase.attempt + 1) for one in _rounds(attempt, fields)]
    return spent(rounds)[:2]


def run_of(entities: Entities) -> tuple[str, str, str]:
    """The task's newest run: its id ("" there was none), what it does or what became of it, until when it waits."""
    fields = values(entities.get(RUN, ()))
    run, word, until = (str(fields.get(name) or "") for name in ("run", "run_word", "run_until"))
    return run, word, until


def _rounds(attempt: int, fields: Mapping[str, Value]) -> tuple[Round, ...]:
    """A round counts from the first one that was begun on, without a gap."""
    found: list[Round] = []
    while f"began.{attempt}.{len(found) + 1}" in fields:
        found.append(_round(attempt, len(found) + 1, fields))
    return tuple(found)


def _round(attempt: int, number: int, fields: Mapping[str, Value]) -> Round:
    told = _texts(fields.get(f"ended.{attempt}.{number}"), 8)
    judged: list[ClaimVerdict] = []
    while (said := fields.get(f"judged.{len(judged) + 1}.{attempt}.{number}")) is not None:
        word, reason, tree = _texts(said, 3)
        judged.append(ClaimVerdict(word if word in WORDS else "not-run", reason, tree))
    if f"ended.{attempt}.{number}" not in fields:
        return Round(number, judged=tuple(judged))
    word, reason, cause, until, session, tokens, cents, duration_ms = told
    return Round(
        number, end_of(word), reason, cause, until, session, _decimal(tokens), _decimal(cents), _decimal(duration_ms),
        tuple(judged),
    )  # fmt: skip


def _texts(value: Value, count: int) -> Sequence[str]:
    texts = [str(one) for one in value] if isinstance(value, list) else []
    return [*texts[:count], *[""] * (count - len(texts))]


def _decimal(text: str) -> int:
    return int(text) if text.isdecimal() else 0
