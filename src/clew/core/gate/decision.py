"""The gate: may a tool call go ahead? Decided from the rules that `gates.json` holds. Pure.

Three cases: a rule says deny, and it is denied; a rule says warn, and the call goes ahead with a sentence beside it; no
rule speaks, and nothing is said. What cannot be judged is denied by whoever asks; where clew itself is broken, nobody
asks here (docs/reference/gates.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from clew.core.gate.guards import CommandForm, is_variant, literals, parse_command
from clew.core.gate.shell.words import ALL, ALONE
from clew.core.records import patch

GATES = ("plan", "confirm", "stale", "offlimits", "guard", "repeat", "parallel")

# Tools that write the file that they name.
_PATHS = ("file_path", "notebook_path")
_EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
PATCH = "apply_patch"
_TEXTS = ("new_string", "content", "new_source")
SHELLS = ("Bash",)

# Everything that is no part of a word becomes a blank.
_WORDS = bytes(code if code > 127 or code == 95 or bytes((code,)).isalnum() else 32 for code in range(256))


class Deed:
    """What a tool call would do.

    `writes` are pairs of an absolute path, in which `*` stands for anything, and what below it goes with it; `text` is
    what it would write or run, as given. `edits`: it is an editing tool's. `rewrites`: it also writes files that it
    does not name. `commands` are the words of the commands it would run. `tried` gives the part of the text by which
    something is tried: not what a patch takes away, nor the message of a commit. `is_unread`: it is too long or too
    deep to be read to its end. `doubt(plan)` says why it is not known to only read, while `plan` is open; "" if it is.
    """

    def __init__(self, writes: list[tuple[str, int]], text: str, *, edits: bool) -> None:
        self.writes = writes
        self.text = text
        self.edits = edits
        self.rewrites = self.is_unread = False
        self.tried: Callable[[], str] | None = None
        self.commands: list[list[str]] = []
        self.doubt: Callable[[dict[str, Any]], str] = lambda _: ""


class Facts(NamedTuple):
    """What is known beside the rules and the deed.

    `closed`: the confirm gate of this session is closed. `told(rule)` says whether this session heard that rule's
    warning; `changed(path)` names the version of a file that was changed behind the session's back, "" if it was not.
    `repeats()` names the failure that the deed would repeat, and what to say of it; "" and "" for none.
    `elsewhere(path)` tells that another live session changed a file since this one last saw it (its rule, and a
    clause), `gathers()` that the deed would commit or put away what another one wrote; "" and "" for neither.
    """

    closed: bool
    told: Callable[[str], bool]
    changed: Callable[[str], str]
    repeats: Callable[[], tuple[str, str]] = lambda: ("", "")
    elsewhere: Callable[[str], tuple[str, str]] = lambda _: ("", "")
    gathers: Callable[[], tuple[str, str]] = lambda: ("", "")


def edit(tool: str, given: dict[str, Any], cwd: str = "") -> Deed | None:
    """What an editing tool would do with this input in the folder `cwd`; None for any other tool, and for an input that
    names no file. Paths are as they are named; those of a patch are made absolute.
    """
    if tool == PATCH:
        return _patched(given.get("command"), cwd)
    if tool not in _EDITING:
        return None
    path = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), "")
    if not path:
        return None
    texts = [given[name] for name in _TEXTS if isinstance(given.get(name), str)]
    edits = given.get("edits")
    for one in edits if isinstance(edits, list) else ():
        if isinstance(one, dict) and isinstance(one.get("new_string"), str):
            texts.append(one["new_string"])
    return Deed([(path, ALONE)], "\n".join(texts), edits=True)


def _patched(text: object, cwd: str) -> Deed | None:
    files = patch.files(text, cwd) if isinstance(text, str) else []
    deed = Deed([(path, ALONE) for path, _ in files], str(text), edits=True)
    deed.tried = lambda: patch.added(deed.text)
    return deed if files else None


def decide(gates: dict[str, Any], deed: Deed, facts: Facts) -> tuple[str, str, str]:
    """The verdict ("", "warn" or "deny"), the rule that gives it, and what to say, on one line.

    Of several rules the first that denies counts, else the first that warns and was not told yet.
    """
    warning = ("", "", "")
    for level, rule, reason in _findings(gates, deed, facts):
        if level == "deny":
            return level, rule, reason
        if level == "warn" and not warning[0] and not facts.told(rule):
            warning = level, rule, reason
    return warning


def _findings(gates: dict[str, Any], deed: Deed, facts: Facts) -> Iterator[tuple[str, str, str]]:
    level = gates["levels"]
    root = gates["root"]
    if deed.writes and any(one != "off" for one in level.values()):
        yield from _protected(gates, deed)
    yield from _planned(gates, deed)
    # What lies outside the work tree (a scratch file) is nobody's work.
    is_edit = deed.rewrites or any(touches(target, deep > ALONE, root) for target, deep in deed.writes)
    if level["confirm"] != "off" and facts.closed and is_edit:
        yield level["confirm"], "confirm", _CONFIRM
    if level["offlimits"] != "off" and (deed.writes or deed.is_unread):
        yield from _off_limits(gates, deed, level["offlimits"])
    if level["guard"] != "off":
        yield from _guards(gates, deed, level["guard"])
        yield from _deferred(gates, deed)
        yield from _forbidden(gates, deed)
    if level.get("repeat", "off") != "off" and deed.commands:
        failure, said = facts.repeats()
        if failure:
            yield level["repeat"], failure, said
    yield from _behind_the_back(level, root, deed, facts)


def _behind_the_back(level: dict[str, str], root: str, deed: Deed, facts: Facts) -> Iterator[tuple[str, str, str]]:
    """Files that others changed; of one that another session did, who it was and when, and nothing else."""
    parallel = level.get("parallel", "off")
    for path, deep in deed.writes:
        rule, said = facts.elsewhere(path) if parallel != "off" and deep == ALONE else ("", "")
        if rule:
            yield parallel, rule, f"{_relative(root, path)} {said} {_AGAIN}"
        if level["stale"] != "off" and deed.edits and (not rule or level["stale"] == "deny"):
            version = facts.changed(path)
            if version:
                yield level["stale"], version, f"{_relative(root, path)} {_STALE} {_AGAIN}"
    if parallel != "off" and deed.commands:
        rule, said = facts.gathers()
        if rule:
            yield parallel, rule, said


def _off_limits(gates: dict[str, Any], deed: Deed, level: str) -> Iterator[tuple[str, str, str]]:
    if deed.is_unread and gates["offlimits"]:
        yield level, "offlimits", _UNREAD
    for path, rule, why in gates["offlimits"]:
        if writes(gates["root"], path, deed):
            yield level, rule, f"{path} is off limits ({rule}{why}). {_ASK}"


def _protected(gates: dict[str, Any], deed: Deed) -> Iterator[tuple[str, str, str]]:
    records = [one for one in deed.writes if one[1] == ALL or not one[0].endswith(_NO_RECORD)]
    for rows, writes in ((gates["protected"], deed.writes), (gates.get("records", ()), records)):
        for path, reason in rows if writes else ():
            if any(touches(target, deep == ALL, path) for target, deep in writes):
                yield "deny", "protected", reason


def _planned(gates: dict[str, Any], deed: Deed) -> Iterator[tuple[str, str, str]]:
    plan, level = gates.get("plan"), gates["levels"].get("plan", "off")
    if plan and level != "off" and (why := deed.doubt(plan)):
        said = f"Until a person approves the plan “{plan['title']}” only reading passes: {why}. {_PLAN}"
        yield level, "plan", said


def _deferred(gates: dict[str, Any], deed: Deed) -> Iterator[tuple[str, str, str]]:
    for path, rule, text in gates["deferred"] if deed.writes else ():
        if writes(gates["root"], path, deed):
            yield "warn", rule, f"{path} is about something put off on purpose ({rule}: {text}). {_LEAVE}"


def _forbidden(gates: dict[str, Any], deed: Deed) -> Iterator[tuple[str, str, str]]:
    """What a person forbade in words: a warning, or a gate where a person made one of it."""
    rows = gates.get("forbidden")
    if not rows:
        return  # a file of the version before
    for path, level, rule, said in rows["paths"] if deed.writes else ():
        if writes(gates["root"], path, deed):
            yield level, rule, f"{path}: {said}"
    for level, commands in rows["commands"].items() if deed.commands else ():
        yield from _commanded(commands, deed.commands, level)


_PLAN = (
    "Ask what is open first; then hand the plan in with `clew plan edit -` or the tool `plan`. Nothing else is written "
    "until a person approves it."
)
# What an agent's own tools keep beside the records of its sessions (its memory, its plans).
_NO_RECORD = ".md"
_UNREAD = (
    "This line is too long or too deep to be read to its end, so nobody can tell whether it writes a file that is off "
    "limits. Run its parts one by one."
)
_ASK = "Leave it as it is; if the work needs it, ask the person you work for."
_LEAVE = "Do not do that now, unless the user asked for it in this session."
_STALE = "was changed by somebody else since this session saw it."
_AGAIN = "Read it again before you edit it."
_CONFIRM = (
    "Before you edit: say what the goal and the next action are, as you were told at the start, with "
    '`clew confirm "goal: … next: …"`.'
)


def writes(root: str, path: str, deed: Deed) -> bool:
    """Whether a file that a rule names is written. A `*` in its path stands for anything, as in guards."""
    if "*" in path and any(fits(path, _relative(root, target)) for target, _ in deed.writes):
        return True
    path = path.rstrip("*").rstrip("/") if path.endswith(("/*", "/**")) else path
    return any(touches(target, deep > ALONE, f"{root}/{path}") for target, deep in deed.writes)


def _relative(root: str, path: str) -> str:
    return path[len(root) + 1 :] if path.startswith(root + "/") else path


def _guards(gates: dict[str, Any], deed: Deed, level: str) -> Iterator[tuple[str, str, str]]:
    guards = gates["guards"]
    if guards["commands"]:
        yield from _commanded(guards["commands"], deed.commands, level)
    if guards["paths"]:
        named = [_relative(gates["root"], target) for target, _ in deed.writes]
        for pattern, rule, reason in guards["paths"]:
            if any(fits(pattern, path) for path in named):
                yield level, rule, reason
    if guards["words"]:
        found = list(_worded(guards["words"], deed.text, level))
        if found and deed.tried is not None:
            found = list(_worded(guards["words"], deed.tried(), level))
        yield from found


def _commanded(guards: dict[str, list[Any]], commands: list[list[str]], level: str) -> Iterator[tuple[str, str, str]]:
    """Guards whose command is one of these, in whatever way it was written."""
    forms: dict[str, list[tuple[CommandForm, str, str]]] = {}
    for words in commands:
        given = parse_command(words)
        for name in {words[0], given.program}.intersection(guards):
            if name not in forms:
                forms[name] = [(parse_command(wanted), rule, reason) for wanted, rule, reason in guards[name]]
            for form, rule, reason in forms[name]:
                if is_variant(form, given):
                    yield level, rule, reason


def _worded(guards: list[list[str]], text: str, level: str) -> Iterator[tuple[str, str, str]]:
    """Guards whose words stand in `text` one behind the other, whatever signs are between them."""
    listed, line = words_of(text), b""
    sought = [words_of(pattern) for pattern, _, _ in guards]
    # Of a long text few words are looked for: a set of those few is quicker than one of all that it has.
    there = {word for wanted in sought for word in wanted}.intersection(listed)
    for wanted, (_, rule, reason) in zip(sought, guards, strict=True):
        if wanted and there.issuperset(wanted):
            line = line or b" %b " % b" ".join(listed)
            if len(wanted) == 1 or b" %b " % b" ".join(wanted) in line:
                yield level, rule, reason


def find_clues(gates: Mapping[str, Any]) -> list[str] | None:
    """Words of which one stands in every call that a guard, a deferral, a file that is off limits or a prohibition
    speaks of, in its text or in a path that it writes; None where such a rule has none. `entry.py` of the hooks goes by
    them.
    """
    guards, forbidden = gates["guards"], gates["forbidden"]
    rows = [words_of(pattern) for pattern, *_ in guards["words"]]
    rows += [_whole_words(path) for path, *_ in (*guards["paths"], *gates["offlimits"], *gates["deferred"])]
    rows += [_whole_words(path) for path, *_ in forbidden["paths"]]
    for commands in (guards["commands"], *forbidden["commands"].values()):
        rows += [words_of(" ".join(literals(words))) for named in commands.values() for words, *_ in named]
    if not all(rows):
        return None
    clues = {max(words, key=len).decode("utf-8", "replace") for words in rows}
    # Every Python and every pip is one program to a guard, whatever its version.
    numbered = [f"{name}{number}" for name in ("python", "pip", "pypy") if name in clues for number in ("", 2, 3)]
    return sorted({*clues, *numbered, *(["pypy", "pypy3"] if "python" in clues else ())})


def _whole_words(pattern: str) -> list[bytes]:
    """The words of a path that no `*` touches."""
    mark = "\u2217"  # it sticks to a word, as any letter beyond ASCII does
    return [word for word in words_of(pattern.replace("*", mark)) if mark.encode() not in word]


def words_of(text: str) -> list[bytes]:
    """The words of a text: runs of letters, digits and `_`."""
    return text.encode("utf-8", "replace").translate(_WORDS).split()


def fits(pattern: str, path: str) -> bool:
    """Whether a path is, or lies below, what `pattern` names: `*` stands for anything. Without a `/` it is about the
    file's name, wherever it is; else about the path from the top of the work tree. Costs what both are long.
    """
    if "/" not in pattern:
        return any(_piecewise(pattern, part) for part in path.split("/"))
    if not path.startswith(pattern.partition("*")[0].rstrip("/")):  # the usual case
        return False
    return _piecewise(pattern, path) or _piecewise(pattern + "/*", path)


def _piecewise(pattern: str, text: str) -> bool:
    head, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    if not text.startswith(head) or not text.endswith(rest[-1]) or len(text) < len(head) + len(rest[-1]):
        return False
    at, end = len(head), len(text) - len(rest[-1])
    for piece in rest[:-1]:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def touches(target: str, deep: bool, path: str) -> bool:
    """Whether writing `target` writes `path` or something below it. `deep`: what lies below the target goes with it."""
    if "*" not in target:
        return (target + "/").startswith(path + "/") or (deep and path.startswith(target.rstrip("/") + "/"))
    wanted, given = target.split("/"), path.split("/")
    if len(wanted) < len(given) and not deep:
        return False
    if len(wanted) > len(given) and wanted[len(given) - 1] != given[-1]:
        return False  # `*/dist` is about folders that have one: of a file nothing lies below
    # As a shell fills in names: a leading `*` leaves hidden files out. The shorter one decides.
    pairs = zip(wanted, given)  # noqa: B905
    return all(_piecewise(one, other) and (one[:1] != "*" or other[:1] != ".") for one, other in pairs)
