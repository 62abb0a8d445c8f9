"""Before a tool call, where somebody set a budget: count what the session used since, and deny when that is too much.

Loaded only where there is a budget. What a person types is never asked here; a denied session can still answer.
"""

import posix
import time

from clew.core import runtime_dir as places
from clew.core.cost import budget
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import CANONICAL, dialect_of, parsed, quoted

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from clew.interfaces.hook.wire import Event

# So much of a record is counted at one tool call: the rest comes at the next one.
_READ_MAX = 64 << 20
_PIECE = 4 << 20
_AMOUNT = [0, 0]


def run(event: "Event", live: str, data: str, out: "Callable[[str], object]") -> None:
    """Answer `PreToolUse`: deny where a budget is used up, else ask the gates; warn where those have nothing to say."""
    from clew.interfaces.hook import before

    verdict, rule, reason = _verdict(event, live, data)
    answers = getattr(marks.dialect(event), "ANSWERS", before.ANSWERS)
    told = quoted(f"clew: {reason}")
    if verdict == "deny":
        out(answers["deny"] % told)
        return
    spoke = []

    def say(text: str) -> None:
        spoke.append(True)
        out(text)

    before.run(event, live, say)
    folder = marks.folder_of(event, live)
    if verdict == "warn" and not spoke and folder and marks.first(f"{folder}/warned-{rule}"):
        if "warn" in answers:
            out(answers["warn"] % told)
        else:
            marks.append(folder + "/later", f"clew: {reason}\n".encode("utf-8", "replace"))


def _verdict(event: "Event", live: str, data: str) -> "tuple[str, str, str]":
    limits = _limits(live)
    folder = marks.folder_of(event, live)
    says = dialect_of(event.get("client", CANONICAL))
    path = event.get("transcript_path")
    if not limits or not folder or not hasattr(says, "spent") or not isinstance(path, str) or not path.startswith("/"):
        return "", "", ""
    day = time.strftime("%Y-%m-%d")
    state = _counted(event, folder, path, says, limits, day)
    session = str(event.get("session_id"))
    own = f"{data}/{budget.SPENT}/{day}"
    marks.write(f"{own}/{session}", b"%15d %15d\n" % tuple(state["today"]), flags=posix.O_CREAT)
    raised: dict[str, Any] = {}
    warning = ("", "", "")
    for scope, name in (("session", session), ("day", day)):
        limit = limits.get(scope) or _AMOUNT
        if not any(limit):
            continue
        spent = state["session"] if scope == "session" else _sum(own)
        found = budget.judge(scope, name, limit, spent, _AMOUNT)
        if found[0] == "deny":
            raised = raised or parsed(marks.read(f"{data}/{budget.SPENT}/{budget.RAISED}"))
            found = budget.judge(scope, name, limit, spent, raised.get(f"{scope}:{name}") or _AMOUNT)
        if found[0] == "deny":
            return found
        warning = found if found[0] and not warning[0] else warning
    return warning


def _limits(live: str) -> "dict[str, Any]":
    """The budgets of the place, or of the work tree that it lies in; {} none."""
    data = marks.read(f"{live}/{budget.BUDGET}")
    if not data:
        root = marks.read(f"{live}/{places.ROOT}", most=8192).decode("utf-8", "surrogateescape").strip("\r\n")
        head, cut, _ = live.rpartition(f"/{places.FOLDER}{root}/")
        data = marks.read(f"{head}{cut}{places.LEAF}/{budget.BUDGET}") if root and cut else b""
    found = parsed(data) if data else {}
    return found if found.get("v") == budget.VERSION else {}


def _counted(
    event: "Event", folder: str, path: str, says: "Any", limits: "dict[str, Any]", day: str
) -> "dict[str, Any]":
    """What the session used, with its sub-agents: brought on from the last look by what was appended since.

    `files`: by path how far it is counted, and its last response with what that counted for: lines that follow tell of
    it again, with more. `session` and `today` are amounts, `prices` those of the models that were met.
    """
    state = parsed(marks.read(f"{folder}/{budget.COUNTED}"))
    if state.get("v") != budget.VERSION:
        state = {"v": budget.VERSION, "files": {}, "session": [0, 0], "today": [0, 0], "day": day, "prices": {}}
    if state["day"] != day:
        state["day"], state["today"] = day, [0, 0]
    year, month, number = map(int, day.split("-"))  # `strptime` would import half of the standard library
    began = time.mktime((year, month, number, 0, 0, 0, 0, 0, -1))
    midnight = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(began))
    model = str(event.get("model") or "")
    is_new = False
    for file in _files(path, says):
        # A sub-agent's rollout of Codex begins with a copy of what its parent said: that is counted already.
        begins = _size(file) if "agent_id" in event and not hasattr(says, "AGENTS") else 0
        held = state["files"].setdefault(file, [begins, "", 0, 0])
        for key, moment, name, tokens in _responses(file, held, says):
            prices = _prices(state, limits, name or model)
            amount = [tokens[0] + tokens[1] + tokens[3] + tokens[4], budget.microdollars(prices, day, tokens)]
            before = [held[2], held[3]] if held[1] == key else _AMOUNT
            is_today = moment >= midnight
            for at, value in enumerate(amount):
                more = max(0, value - before[at])
                state["session"][at] += more
                state["today"][at] += more if is_today else 0
            held[1:4] = [key, max(amount[0], before[0]), max(amount[1], before[1])]
            is_new = True
    if is_new or not state["session"][0]:
        _keep(f"{folder}/{budget.COUNTED}", state)
    return state


def _files(path: str, says: "Any") -> "Iterator[str]":
    """The record of a session and those of its sub-agents."""
    yield path
    agents = getattr(says, "AGENTS", "")
    folder = f"{path.rpartition('.')[0]}/{agents}"
    try:
        names = posix.listdir(folder) if agents else []
    except OSError:
        return
    for name in sorted(names):
        if name.endswith(".jsonl"):
            yield f"{folder}/{name}"


def _size(file: str) -> int:
    try:
        return posix.stat(file).st_size
    except OSError:
        return 0


def _responses(file: str, held: "list[Any]", says: "Any") -> "Iterator[tuple[str, str, str, list[int]]]":
    """What whole lines of a file tell beyond what is counted; `held[0]` moves on with them."""
    try:
        descriptor = posix.open(file, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
    except OSError:
        return
    try:
        if posix.fstat(descriptor).st_size < held[0]:
            held[0] = 0
        posix.lseek(descriptor, held[0], 0)
        rest, read = b"", 0
        while read < _READ_MAX and (piece := posix.read(descriptor, _PIECE)):
            read += len(piece)
            data = rest + piece
            end = data.rfind(b"\n") + 1
            rest = data[end:]
            yield from _told(data, end, says)
            held[0] += end
    except OSError:
        return
    finally:
        posix.close(descriptor)


def _told(data: bytes, end: int, says: "Any") -> "Iterator[tuple[str, str, str, list[int]]]":
    at = data.find(says.SPENT, 0, end)
    while at >= 0:
        start, stop = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        found = says.spent(parsed(data[start:stop]))
        if found is not None:
            yield found
        at = data.find(says.SPENT, stop, end)


def _prices(state: "dict[str, Any]", limits: "dict[str, Any]", model: str) -> "list[list[Any]]":
    """The prices of a model: the list is read when the model is met for the first time."""
    if not limits.get("tables"):
        return []
    known = state["prices"].get(model)
    if known is None:
        tables = [limits["own"], *(parsed(marks.read(path)) for path in limits["tables"])]
        known = state["prices"][model] = budget.prices_of(tables, model)
    found: list[list[Any]] = known
    return found


def _sum(folder: str) -> "list[int]":
    """What all sessions of a day used."""
    total = [0, 0]
    try:
        names = posix.listdir(folder)
    except OSError:
        return total
    for name in names:
        found = marks.read(f"{folder}/{name}", most=64).split()
        if len(found) == 2 and found[0].isdigit() and found[1].isdigit():
            total[0] += int(found[0])
            total[1] += int(found[1])
    return total


def _keep(path: str, state: "dict[str, Any]") -> None:
    """Hooks of one session run at the same time: each leaves a whole file."""
    made = f"{path}.{posix.getpid()}"
    marks.write(made, _json(state).encode("utf-8", "replace"), flags=posix.O_CREAT | posix.O_TRUNC)
    try:
        posix.rename(made, path)
    except OSError:
        return


def _json(value: object) -> str:
    """Plain values as JSON; `json` would cost as much as all the rest."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(str(name))}:{_json(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return quoted(value) if isinstance(value, str) else repr(value)
