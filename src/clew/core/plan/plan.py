"""A task's plan: its phases with their steps, how far each has come, and which model works on one. Values; knows no
Markdown (`documents/plan/`) and no events (`recorded.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

# planned: to be started; stopped: it failed twice or somebody gave it up, and a person decides.
PhaseStatus = Literal["planned", "started", "done", "stopped"]
# none: there is no plan. kept: written down, nobody opened planning. planning: nothing but reading passes. approved: a
# person approved these words. changed: a person approved other words. dropped: a person gave the plan up.
Mode = Literal["none", "kept", "planning", "approved", "changed", "dropped"]
# not-run: a command was not trusted, or what it needs is not there; never a pass.
Verdict = Literal["passed", "failed", "not-run"]
VERDICTS: Final = ("passed", "failed", "not-run")

_DIGEST_BYTES: Final = 10
_TICK: Final = re.compile(r"^(\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+\[)[xX ](\])", re.MULTILINE)


class Step(NamedTuple):
    """One thing to do. `text` is one line as it stands in the plan, without its mark. `id` is "" before it is kept.

    `line` is where it stands in the plan's text (from 0), -1 nowhere. `box`: it has a box to tick there.
    """

    text: str
    ticked: bool = False
    id: str = ""
    line: int = -1
    box: bool = True


class Check(NamedTuple):
    """What came of a run of a phase's commands on `tree`. `counted`: somebody claimed to be done. `cause` is why the
    run before it failed, as whoever mended it says; `failure` what failed first, "" if nothing did.
    """

    tree: str
    verdict: Verdict
    counted: bool = False
    cause: str = ""
    failure: str = ""


class Phase(NamedTuple):
    """A bounded unit of work. `number` counts from 1, in the order of the plan; `label` is the number that the text
    gives it ("3.1"), "" for none. `validate` are command lines. `budget_tokens` 0: none is set. `tier` names a class of
    model. `depends` are numbers of phases that are to be done before. `files` are root-relative paths or globs that it
    is expected to change. `tags` are words that a machine must have to carry it out. `line` is its heading's in the
    text, -1 nowhere.

    What became of it: `attempt` is the newest (0: never started), `checks` are the runs in it. `outcome` is one line on
    what a done phase did, `cause` why a stopped one failed, `failure` its first failure.
    """

    number: int
    title: str
    steps: tuple[Step, ...] = ()
    validate: tuple[str, ...] = ()
    budget_tokens: int = 0
    tier: str = ""
    depends: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    label: str = ""
    line: int = -1
    id: str = ""
    status: PhaseStatus = "planned"
    attempt: int = 0
    checks: tuple[Check, ...] = ()
    outcome: str = ""
    cause: str = ""
    failure: str = ""
    commit: str = ""
    started_at: str = ""
    ended_at: str = ""
    # The tree and the head when the attempt began, "" unknown.
    tree: str = ""
    head: str = ""
    spent_tokens: int = 0
    # The work tree of its own in which a run carries the attempt out, "" none; what is done there has to be merged.
    place: str = ""
    merged: bool = False

    def check_on(self, tree: str) -> Check | None:
        """The run of this attempt on `tree`."""
        return next((one for one in self.checks if one.tree == tree), None)

    @property
    def failed_claims(self) -> int:
        """On how many trees this attempt was claimed to be done and was not."""
        return sum(one.counted and one.verdict == "failed" for one in self.checks)

    @property
    def needs_cause(self) -> bool:
        """Whether the next claim to be done has to say why the one before failed."""
        return self.failed_claims > 0

    @property
    def step(self) -> Step | None:
        """The step that comes next: the first that is not ticked."""
        return next((one for one in self.steps if not one.ticked), None)


class Plan(NamedTuple):
    """`text` is the Markdown that it was read from, with its ticks as they were given; `questions` are lines of it that
    wait for an answer. `source` is the file or client that it came from, "" where it was made here.

    `digest` stands for the words as they are, `approved` for those that a person approved ("" none).
    """

    title: str = ""
    phases: tuple[Phase, ...] = ()
    text: str = ""
    questions: tuple[str, ...] = ()
    mode: Mode = "none"
    source: str = ""
    approved: str = ""
    changed_at: str = ""

    @property
    def digest(self) -> str:
        """What stands for the words of the plan: ticking a step does not change it."""
        return digest(self.text)

    @property
    def is_planning(self) -> bool:
        """Whether nothing but reading passes: planning was opened, or the words are not those that were approved."""
        return self.mode in ("planning", "changed")

    @property
    def current(self) -> Phase | None:
        """The phase that the work is at: the first that was started, else that was stopped, else the first that may be
        started; None when all are done or there is none.
        """
        for status in ("started", "stopped"):
            found = next((one for one in self.phases if one.status == status), None)
            if found is not None:
                return found
        planned = [one for one in self.phases if one.status == "planned"]
        return next((one for one in planned if not self.waits_for(one)), planned[0] if planned else None)

    @property
    def is_done(self) -> bool:
        """Whether there are phases, and all are done."""
        return bool(self.phases) and all(one.status == "done" for one in self.phases)

    def phase(self, wanted: str) -> Phase | None:
        """The phase that `wanted` names: its number, its id or the beginning of one (four characters at least)."""
        word = wanted.strip().removeprefix("#").lower()
        if word.isdecimal():
            return next((one for one in self.phases if one.number == int(word)), None)
        name = word if word.startswith("p-") else f"p-{word}"
        found = [one for one in self.phases if len(name) >= _PREFIX and one.id.lower().startswith(name)]
        return found[0] if len(found) == 1 else None

    def with_id(self, identity: str) -> Phase | None:
        """The phase with this id."""
        return next((one for one in self.phases if one.id == identity), None)

    def waits_for(self, phase: Phase) -> tuple[int, ...]:
        """The numbers of phases that have to be done before this one, and are not."""
        done = {one.number for one in self.phases if one.status == "done"}
        there = {one.number for one in self.phases}
        return tuple(number for number in phase.depends if number in there and number not in done)


_PREFIX: Final = len("p-0000")


def digest(text: str) -> str:
    """What stands for the words of a plan, "" for none: steps count as not ticked, and ends of lines as nothing."""
    words = "\n".join(line.rstrip() for line in _TICK.sub(r"\1 \2", text).strip().splitlines())
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest() if words else ""


# Of a phase that names none, and while there is a plan that nobody has approved yet.
BUILD: Final = "build"
PLANNING: Final = "plan"


class Route(NamedTuple):
    """The `model` as the client calls it, "" for its own choice, and in a clause why."""

    model: str
    why: str


def tier_of(plan: Plan, phase: Phase | None) -> tuple[str, str]:
    """The tier of the work at a phase (None: at none), and in a clause where it comes from."""
    if phase is not None:
        said = f"phase {phase.number} says"
        return (phase.tier.lower(), f"{said} so") if phase.tier else (BUILD, f"{said} no tier")
    if plan.is_planning:
        return PLANNING, "planning is open"
    return BUILD, "no phase is under way"


def route(tier: str, client: str, models: Mapping[str, str]) -> Route:
    """The model of `client` for a `tier`; `models` are by tier and client: `build.claude-code`."""
    model = models.get(f"{tier}.{client}", "")
    if model:
        return Route(model, f"route.{tier}.{client} says so")
    others = sorted(name.partition(".")[0] for name in models if name.partition(".")[2] == client)
    beside = f" (there is one for {', '.join(others)})" if others else ""
    return Route("", f"there is no route.{tier}.{client}{beside}, so {client} chooses")
