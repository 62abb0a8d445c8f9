"""Budgets: how much a session, a day, a task or a phase may use, and what is said when it is used up. Pure, and imports
nothing.

A limit is `[tokens, microdollars]`, 0 no limit. What was used, an amount, is `[tokens, microdollars, fresh tokens,
unpriced tokens]`: all that went in and came out, of those what no cache gave, and those whose price is unknown, which
are in no money. A phase is held against its fresh tokens, as plans count; all else against all tokens: money says
better what those from the cache cost.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Sequence

# Of the budgets of a place, and of what is counted of a session.
VERSION = 2
COUNTED_VERSION = 3
NOTHING = (0, 0, 0, 0)
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


def spent_of(line: bytes) -> "list[int]":
    """The amount that a session's file below `SPENT` holds; nothing where it holds none. Older ones do not say what is
    unpriced.
    """
    words = line.split()
    told = [int(word) for word in words] if len(words) in (3, 4) and all(map(bytes.isdigit, words)) else []
    return [*told, *NOTHING[len(told) :]]


def shown(kind: str, amount: int) -> str:
    """An amount for people."""
    return f"{amount:,} tokens" if kind == "tokens" else f"${amount / 1_000_000:,.2f}"
