"""Budgets: how much a session or a day may use, and what is said when it is used up. Pure, and imports nothing.

An amount is `[tokens, microdollars]`; of a limit 0 is no limit. Tokens of a budget are all that went in and came out,
what was read from the cache as well: money says better what that cost.
"""

from clew.core.cost.matching import fits, ways

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

VERSION = 1
# Below the user's data: what was spent a day, a file a session; and what people raised.
SPENT = "spent"
RAISED = "raised.json"
# In a live folder: the budgets of the place.
BUDGET = "budget.json"
# In a session's folder: how far its record is counted.
COUNTED = "tokens.json"
WARN_PERCENT = 80
_NAMES = ("tokens", "dollars")


def judge(
    scope: str, name: str, limits: "Sequence[int]", spent: "Sequence[int]", raised: "Sequence[int]"
) -> "tuple[str, str, str]":
    """The verdict ("", "warn" or "deny"), the rule that gives it, and what to say, on one line. `scope` is "session" or
    "day", `name` the session's id or the day; `raised` is what a person added to the limits.
    """
    warning = ("", "", "")
    for kind, limit, used, more in zip(_NAMES, limits, spent, raised):  # noqa: B905 - of two each
        if not limit:
            continue
        most = limit + more
        what = f"{shown(kind, used)} of {shown(kind, most)}"
        which = "this session" if scope == "session" else "today"
        if used >= most:
            option = f"--session {name[:8]}" if scope == "session" else "--day"
            return (
                "deny",
                f"budget-{scope}-{kind}",
                f"the budget of {which} is used up: {what}. Nothing is lost: end here, and tell the person that "
                f"`clew budget raise {option}`, typed in a terminal, lets you go on.",
            )
        if used * 100 >= most * WARN_PERCENT and not warning[0]:
            said = f"{used * 100 // most} % of the budget of {which} is used ({what}). Bring the work to a good end."
            warning = "warn", f"budget-{scope}-{kind}-{most}", said
    return warning


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
