"""Budgets: how much a session, a day, a task or a phase may use, and what is said when it is used up. Pure, and imports
nothing.

A limit is `[tokens, microdollars]`, 0 no limit. What was used is `[tokens, microdollars, fresh tokens]`: all that went
in and came out, and of those what no cache gave. A phase is held against its fresh tokens, as plans count; all else
against all tokens: money says better what those from the cache cost.
"""

from clew.core.cost.matching import fits, ways

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

VERSION = 2
# Below the user's data: what was spent, a folder for each day, task and attempt at a phase with a file a session; and
# what people raised.
SPENT = "spent"
RAISED = "raised.json"
# In a live folder: the budgets of the place.
BUDGET = "budget.json"
# In a session's folder: how far its record is counted.
COUNTED = "tokens.json"
WARN_PERCENT = 80
SCOPES = ("session", "day", "task", "phase")
_NAMES = ("tokens", "dollars")
_OPTIONS = {"session": "--session", "day": "--day", "task": "--task", "phase": "--phase"}


def judge(
    scope: str, label: str, name: str, limits: "Sequence[int]", used: "Sequence[int]", raised: "Sequence[int]"
) -> "tuple[str, str, str]":
    """The verdict ("", "warn" or "deny"), the rule that gives it, and what to say, on one line. `label` is what a
    budget of this `scope` is called in it ("this session"), `name` what the command that raises it calls it ("" does
    not); `raised` is what a person added to the limits.
    """
    warning = ("", "", "")
    for kind, limit, spent, more in zip(_NAMES, limits, measured(scope, used), raised):  # noqa: B905 - of two each
        if not limit:
            continue
        most = limit + more
        what = f"{shown(kind, spent)} of {shown(kind, most)}"
        if spent >= most:
            option = f"{_OPTIONS[scope]} {name}".strip()
            return (
                "deny",
                f"budget-{scope}-{kind}",
                f"the budget of {label} is used up: {what}. Nothing is lost: hand over (`clew checkpoint`), end here, "
                f"and tell the person that `clew budget raise {option}`, typed in a terminal, lets you go on.",
            )
        if spent * 100 >= most * WARN_PERCENT and not warning[0]:
            said = f"{spent * 100 // most} % of the budget of {label} is used ({what}). Bring the work to a good end."
            warning = "warn", f"budget-{scope}-{name}-{kind}-{most}", said
    return warning


def measured(scope: str, used: "Sequence[int]") -> "tuple[int, int]":
    """Tokens and microdollars that a budget of this scope is held against."""
    return (used[2] if scope == "phase" else used[0]), used[1]


def shown(kind: str, amount: int) -> str:
    """An amount for people."""
    return f"{amount:,} tokens" if kind == "tokens" else f"${amount / 1_000_000:,.2f}"


def prices_of(tables: "Iterable[Mapping[str, Any]]", model: str) -> "list[list[Any]]":
    """The prices of a model in the first table that has any, as `published.table` tells them; [] unknown."""
    known = [table.get("models") or () for table in tables]
    for way in ways(model):
        for rows in known:
            for match, prices in rows:
                if fits(match, way):
                    found: list[list[Any]] = prices
                    return found
    return []


def microdollars(prices: "Sequence[Sequence[Any]]", day: str, tokens: "Sequence[int]") -> int:
    """What one response costs: `tokens` are input, written to the cache, of that for an hour, read from it, output."""
    given, written, long, read, output = tokens
    context, held = given + written + read, None
    for one in prices:
        if (
            one[0] <= day
            and (context > one[1] or not one[1])
            and (held is None or (one[0], one[1]) >= (held[0], held[1]))
        ):
            held = one
    if held is None:
        return 0
    long = min(long, written)
    cost: float = given * held[2] + output * held[3] + read * held[4] + (written - long) * held[5] + long * held[6]
    return round(cost)
