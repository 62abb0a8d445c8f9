"""A repeat is known by what fails: the same command in whatever words, the same first error, the same files. Pure; it
imports `variants` and the table of runners: a hook does, for commands that failed.

The list of a place's failures has a record for each: when, in which session, which commands, digests of what failed,
what was changed since the failure before it, and from the second time on the error itself, redacted. A command that
passed again leaves a record, too: what was changed before it did.
"""

from clew.core.gate import variants
from clew.core.gate.shell.runners import failed_test

TYPE_CHECKING = False  # `typing` would cost a hook more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

FAILED, PASSED = "!", "="
_CUT, _COMMA, _END = "\x1f", "\x1e", "\t"
_FIELDS = 7
_FAMILIES_MAX = 4
_CHANGED_MAX = 40
_ERROR_CHARS = 90
_DIGESTS_MAX = 6
# So old a failure says nothing any more.
FORGOTTEN_NS = 14 * 24 * 3600 * 1_000_000_000

# Programs whose first word says what they do; with these two words do.
_VERBS = frozenset(
    """git npm pnpm yarn bun cargo go pip uv docker docker-compose podman kubectl helm make gmake just gradle gradlew
    mvn mvnw terraform tofu brew apt apt-get gh dotnet mix bundle rails rake composer poetry pdm hatch deno swift
    flutter dart sbt lein stack cabal zig bazel nx turbo task mise alembic flask django-admin prisma supabase firebase
    aws gcloud az heroku vercel fly systemctl ansible cmake meson invoke""".split()
)
# The runner itself, and whatever runs the project's tests by it, are one.
_JS_TESTS = frozenset("jest vitest mocha ava jasmine tap".split())
_JS_MANAGERS = frozenset("npm pnpm yarn bun".split())
_JS_TEST = "npm test"
# Whatever their target: it is the error that tells one deed from another.
_ONE_DEED = frozenset("make gmake just gradle gradlew mvn mvnw".split())
_SAME_DEED = {("cargo", "check"): "build", ("cargo", "clippy"): "build", ("cargo", "run"): "build"}
_NEVER = frozenset("cd source . mkdir rm touch cp mv ln kill pkill clew sed awk find tee chmod sleep exit".split())
_TWO_WORDS = frozenset(("docker compose", "npm run", "pnpm run", "yarn run", "bun run", "mise run", "gh pr", "uv run"))
_RUNS_A_FILE = frozenset("python node ruby perl php deno bun tsx ts-node bash sh zsh java julia Rscript lua".split())

# By these a line is about what failed, the surest first; what stands behind or before it is the message. What a runner
# of tests puts before one that failed comes next (`runners.FAILS`), then words of any program.
_MARKS = (
    "AssertionError", "Error: ", "error: ", "Exception: ", "error[", "panic: ", "fatal: ", "error TS", "npm ERR! ",
    "npm error ", "Error ",
)  # fmt: skip
_WORDS = ("not found", "no such", "denied", "refused", "undefined", "cannot", "can't", "unable", "invalid", "fail",
          "unexpected", "missing", "unknown", "error", "timed out", "conflict")  # fmt: skip
# What a shell line's output holds, beside tests that failed, when a part of it failed that the exit code does not tell.
_SURE = (
    "\nFAIL", "Traceback (most recent", "error[E", "error TS", "npm ERR!", "npm error", "panic: ", "Tests failed",
    "test result: FAILED", "BUILD FAILED", "BUILD FAILURE", "make: ***", "AssertionError",
)  # fmt: skip
# Below the words of an assertion stand its values.
_VALUES = ("expected", "received", "actual", "left:", "right:", "got:", "want:", "- ", "+ ")
_COMPARES = ("assert", " == ", " != ", "!==", "===", "expected", "want", *_VALUES[:-2])
# How a client tells that a hook denied a call: it never ran.
_DENIED = ("PreToolUse:", "Hook PreToolUse", "Command blocked by PreToolUse hook:", "Tool execution blocked:", "clew: ")
_HEX = frozenset("0123456789abcdef")


class Failure:
    """A record of the list. `kind` is FAILED or PASSED; `changed` are files, relative or not, and commands (`$ npm
    install`) that changed something since the failure before it.
    """

    def __init__(
        self,
        kind: str,
        time_ns: int,
        session: str,
        families: "Sequence[str]",
        digests: "Sequence[str]",
        changed: "Iterable[str]",
        text: str = "",
    ) -> None:
        self.kind, self.time_ns, self.session = kind, time_ns, session
        self.families, self.digests = frozenset(families), frozenset(digests)
        self.changed, self.text = frozenset(changed), text

    def line(self) -> bytes:
        """The record; it begins with a line end and ends with a tab, so that one which was cut off is known."""
        fields = (
            self.kind,
            str(self.time_ns),
            self.session,
            _COMMA.join(sorted(self.families)),
            _COMMA.join(sorted(self.digests)),
            _COMMA.join(sorted(self.changed)[:_CHANGED_MAX]),
            self.text,
        )
        plain = (" ".join(field.replace(_CUT, " ").split()) if field is self.text else field for field in fields)
        return ("\n" + _CUT.join(plain).replace("\n", " ").replace(_END, " ") + _END).encode("utf-8", "replace")


def known(lines: bytes, now_ns: int) -> "list[Failure]":
    """The records of a list that are not too old, oldest first."""
    found = []
    for line in lines.decode("utf-8", "replace").split("\n"):
        fields = line[:-1].split(_CUT)
        if line[-1:] != _END or len(fields) != _FIELDS or not fields[1].isdecimal():
            continue
        kind, time, session, families, digests, changed, text = fields
        if int(time) > now_ns - FORGOTTEN_NS:
            parts = (families.split(_COMMA), digests.split(_COMMA), changed.split(_COMMA) if changed else ())
            found.append(Failure(kind, int(time), session, *parts, text))
    return found


def families(commands: "Iterable[list[str]]", reads: "Callable[[list[str]], bool]") -> "list[str]":
    """What the commands of a line are, whatever words they are in: `pytest`, `npm test`, `go build`. Those that only
    read (`reads`), or move files about, are left out.
    """
    found: list[str] = []
    for words in commands:
        if not words or "\0" in words[0] or words[0].rpartition("/")[2] in _NEVER or reads(words):
            continue
        family = _family(words)
        if family not in found:
            found.append(family)
    return found[:_FAMILIES_MAX]


def _family(words: "list[str]") -> str:
    form = variants.said(words)
    program, operands = form.program.rpartition("/")[2], form.operands
    if program in _RUNS_A_FILE:
        file = operands[0].rpartition("/")[2] if operands else ""
        return f"{program} {file}" if "." in file else program
    if program in _JS_TESTS:
        return _JS_TEST
    if program not in _VERBS or not operands or program in _ONE_DEED:
        return program
    verb = _SAME_DEED.get((program, operands[0]), operands[0])
    if program in _JS_MANAGERS:
        task = "".join(operands[1:2]) if verb in ("run", "exec") else verb
        if task.startswith("test") or task in _JS_TESTS:
            return _JS_TEST
    two = f"{program} {verb}"
    return f"{two} {operands[1]}" if two in _TWO_WORDS and len(operands) > 1 else two


def was_denied(text: str) -> bool:
    """Whether what a client tells of a failed call is that a gate denied it."""
    return text.removeprefix("Error: ").startswith(_DENIED)


def failed_within(text: str) -> bool:
    """Whether an output shows that a part of the line failed, though its exit code does not say so."""
    if any(mark in text for mark in _SURE):
        return True
    return any(line[:6] != "ERROR " and failed_test(line) for line in _lines(text))


def first_error(text: str) -> str:
    """The line of an output that says best what failed, "" if there is none."""
    return _best(_lines(text))


def _best(lines: "Sequence[str]") -> str:
    return min(lines, key=_rank, default="")


def _rank(line: str) -> int:
    """How little a line says of what failed."""
    if line.startswith("E  "):
        return 0
    for at, mark in enumerate(_MARKS, 1):
        if mark in line:
            return at
    if failed_test(line):
        return len(_MARKS) + 1
    lower = line.lower()
    return len(_MARKS) + 2 + next((at for at, word in enumerate(_WORDS) if word in lower), len(_WORDS))


def _lines(text: str) -> "list[str]":
    """The lines that may say something, of a long output those of its beginning and end."""
    if len(text) > 40_000:
        text = text[:20_000] + "\n" + text[-20_000:]
    found = []
    for line in map(_plain, text.split("\n")):
        letters = sum(map(str.isalpha, line[:80]))
        if letters > 3 and not line.startswith(("=", "___", "---- ", "Exit code", "<", "at ", "Command failed")):
            found.append(line[:400])
    return found


def _plain(line: str) -> str:
    """A line without the signs by which a terminal shows colours."""
    while "\x1b[" in line:
        head, _, rest = line.partition("\x1b[")
        end = next((at for at, sign in enumerate(rest) if sign.isalpha()), len(rest))
        line = head + rest[end + 1 :]
    return line.strip()


def digests(text: str) -> "list[str]":
    """What an output says of the failure, in forms that do not depend on options, folders and times: the first test
    that failed with what it asserted, values and all; where no test is named, the first error. A test that fails with
    another value has got on.
    """
    lines = _lines(text)
    test = next((_normal(_named_test(line)) for line in lines if _named_test(line)), "")
    found = [_message(line) for line in lines if line.startswith("E  ") or (" - " in line and failed_test(line))][:2]
    best = _best(lines)
    at = next((at for at, line in enumerate(lines) if line is best), 0)
    values = [line for line in lines[at + 1 : at + 8] if line.lower().startswith(_VALUES)]
    found.append(" ".join([_message(best), *values[:2]]))
    found += [_message(line) for line in lines if " error TS" in line][:1]
    return list(dict.fromkeys(_digest(f"{test} {_normal(message)}") for message in found if message))[:_DIGESTS_MAX]


def _named_test(line: str) -> str:
    return failed_test(line).partition(" - ")[0].partition(" (")[0]


def _message(line: str) -> str:
    """The message of a line, without where it stands."""
    if line.startswith("E  "):
        return line[1:].strip()
    return line.partition(" - ")[2] if " - " in line and failed_test(line) else line


def _normal(text: str) -> str:
    """A message without what differs from run to run: folders, places, addresses, times; and numbers, but for those
    that an assertion compares.
    """
    words = []
    lower = text.lower()
    keeps = any(mark in lower for mark in _COMPARES)
    for word in lower.split():
        core = word.strip("'\"`“”()[]{},;:…")
        if "/" in core:
            core = core.rstrip("/").rpartition("/")[2]
        is_place = ":" in core or core.rstrip("msµn").replace(".", "").isdigit() != core.isdigit()
        if core.startswith("0x") or (len(core) > 11 and set(core) <= _HEX):
            core = "0"
        if not keeps or is_place:
            core = "".join("0" if sign.isdigit() else sign for sign in core)
            while "00" in core:
                core = core.replace("00", "0")
        if core:
            words.append(core)
    return " ".join(words)[:_ERROR_CHARS]


def _digest(text: str) -> str:
    """A short name for any text: a digest in the library would cost more than all that is done here."""
    return f"{int.from_bytes(text.encode('utf-8', 'replace'), 'little') % ((1 << 61) - 1):x}"


def same(records: "Sequence[Failure]", now: "Failure") -> "list[Failure]":
    """The records of the same failure since these commands last passed, oldest first."""
    found: list[Failure] = []
    for one in records:
        if not one.families & now.families:
            continue
        if one.kind == PASSED:
            found.clear()
        elif one.digests & now.digests:
            found.append(one)
    return found


def repeated(
    records: "Sequence[Failure]",
    families: "Sequence[str]",
    session: str,
    changed: "Iterable[str]",
    is_as_then: "Callable[[str, int], bool]",
) -> "tuple[Failure, list[Failure], frozenset[str]] | None":
    """The failure that a command of these `families` would repeat now, all its records, oldest first, and what was
    changed between these: it failed twice in the same way, and since then nothing was changed but what was changed
    before it failed again. `changed` is what this session changed since its last failure; where an earlier session
    failed last, `is_as_then(path, time_ns)` tells whether a file is as it was. None where it is no repeat.
    """
    here = frozenset(families)
    last = next((one for one in reversed(records) if one.families & here), None)
    if last is None or last.kind != FAILED:
        return None
    found = same(records, last)
    tried = _changed(records, found[0], last)
    since = frozenset(changed) | _changed(records, last, records[-1])
    if len(found) < 2 or not since <= tried:
        return None
    if last.session != session:  # somebody may have mended it since
        files = [path for path in tried if path.startswith("/")]
        if not files or not all(is_as_then(path, last.time_ns) for path in files):
            return None
    return last, found, tried


def _changed(records: "Sequence[Failure]", first: Failure, last: Failure) -> "frozenset[str]":
    """What was changed behind the record `first`, up to `last`."""
    begin = next(at for at, one in enumerate(records) if one is first)
    end = next(at for at, one in enumerate(records) if one is last)
    return frozenset(path for one in records[begin + 1 : end + 1] for path in one.changed)


def learned(records: "Sequence[Failure]", last: Failure) -> "list[str]":
    """What was changed when the same failure went away before, "" for never."""
    before: list[Failure] = []
    found: list[str] = []
    for one in records:
        if not one.families & last.families:
            continue
        if one.kind == FAILED:
            before.append(one)
        elif any(other.digests & last.digests for other in before):
            found = sorted(one.changed)
            before = []
    return found


def told(last: Failure, found: "Sequence[Failure]", tried: "Iterable[str]", mended: "Sequence[str]") -> str:
    """What is said of a repeat before it is tried again, in one line: `tried` was changed in between, `mended` when it
    went away before.
    """
    sessions = len({one.session for one in found})
    name = min(last.families, key=len)
    times = f"{len(found)} times" + (f" in {sessions} sessions" if sessions > 1 else "")
    error = next((one.text for one in reversed(found) if one.text), "")
    tried = sorted(tried)
    said = f"`{name}` failed {times} in the same way" + (f" ({error[:160]})" if error else "")
    said += f", with no other change than to {_named(tried)}." if tried else ", with nothing changed in between."
    if mended:
        said += f" Before, it went away when {_named(mended)} was changed."
    return f"{said} Look for another cause before the next try, and keep what you learned: `clew reject … --why …`."


def _named(paths: "Sequence[str]") -> str:
    few = [path.rpartition("/")[2] if path[:1] == "/" else path for path in paths[:3]]
    return ", ".join(few) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
