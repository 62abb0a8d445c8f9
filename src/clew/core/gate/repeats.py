"""A repeat is known by what fails: the same command in whatever words, the same first error, the same files. Pure.

The list of a place's failures has a record for each: when, in which session, which commands, digests of what failed,
what was changed since the failure before it, and from the second time on the error itself, redacted. A command that
passed again leaves a record, too: what was changed before it did.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from clew.core.gate.guards import parse_command
from clew.core.gate.shell.programs import INTERPRETERS, JS_MANAGERS, JS_TESTS, ONE_DEED, SAME_DEED, WITH_VERBS
from clew.core.gate.shell.runners import failed_test

_FAMILIES_MAX = 4
_CHANGED_MAX = 40
_ERROR_CHARS = 90
_DIGESTS_MAX = 6
# So old a failure says nothing any more.
FORGOTTEN_NS = 14 * 24 * 3600 * 1_000_000_000

_JS_TEST = "npm test"
_NEVER = frozenset("cd source . mkdir rm touch cp mv ln kill pkill clew sed awk find tee chmod sleep exit".split())
_TWO_WORDS = frozenset(("docker compose", "npm run", "pnpm run", "yarn run", "bun run", "mise run", "gh pr", "uv run"))

# By these a line is about what failed, the surest first; what stands behind or before it is the message. What a runner
# of tests puts before one that failed comes next (`runners.FAILS`).
_MARKS = (
    "AssertionError", "Error: ", "error: ", "Exception: ", "error[", "panic: ", "fatal: ", "error TS", "npm ERR! ",
    "npm error ", "Error ",
)  # fmt: skip
# What a shell line's output holds, beside tests that failed, when a part of it failed that the exit code does not tell.
_SURE = (
    "\nFAIL", "Traceback (most recent", "error[E", "error TS", "npm ERR!", "npm error", "panic: ", "Tests failed",
    "test result: FAILED", "BUILD FAILED", "BUILD FAILURE", "make: ***", "AssertionError",
)  # fmt: skip
# Below the words of an assertion stand its values.
_VALUES = ("expected", "received", "actual", "left:", "right:", "got:", "want:", "- ", "+ ")
_COMPARES = ("assert", " == ", " != ", "!==", "===", "expected", "want", *_VALUES[:-2])
_COLOUR = re.compile(r"\x1b\[[^A-Za-z]*[A-Za-z]?")


class FailureRecord(NamedTuple):
    """A record of the list. `has_failed`: else the commands passed again. `changed` are files, relative or not, and
    commands (`$ npm install`) that changed something since the failure before it.
    """

    has_failed: bool
    time_ns: int
    session: str
    families: frozenset[str]
    digests: frozenset[str]
    changed: frozenset[str]
    text: str = ""


def encode(record: FailureRecord) -> bytes:
    """The record as a line of the list. It begins with a line end, so that one which was cut off spoils no other."""
    row = [
        record.has_failed, record.time_ns, record.session, sorted(record.families), sorted(record.digests),
        sorted(record.changed)[:_CHANGED_MAX], " ".join(record.text.split()),
    ]  # fmt: skip
    return f"\n{json.dumps(row)}".encode()


def known(lines: bytes, now_ns: int) -> list[FailureRecord]:
    """The records of a list that are not too old, oldest first."""
    found = []
    for line in lines.decode("utf-8", "replace").split("\n"):
        try:
            has_failed, time_ns, session, *sets, text = json.loads(line)
            families, digests, changed = map(frozenset, sets)
            is_new = time_ns > now_ns - FORGOTTEN_NS
        except (ValueError, TypeError):
            continue
        if is_new:
            found.append(FailureRecord(has_failed is True, time_ns, session, families, digests, changed, text))
    return found


def families(commands: Iterable[list[str]], reads: Callable[[list[str]], bool]) -> list[str]:
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


def _family(words: list[str]) -> str:
    form = parse_command(words)
    program, operands = form.program.rpartition("/")[2], form.operands
    if program in INTERPRETERS:
        file = operands[0].rpartition("/")[2] if operands else ""
        return f"{program} {file}" if "." in file else program
    if program in JS_TESTS:
        return _JS_TEST
    if program not in WITH_VERBS or not operands or program in ONE_DEED:
        return program
    verb = SAME_DEED.get((program, operands[0]), operands[0])
    if program in JS_MANAGERS:
        task = "".join(operands[1:2]) if verb in ("run", "exec") else verb
        if task.startswith("test") or task in JS_TESTS:
            return _JS_TEST
    two = f"{program} {verb}"
    return f"{two} {operands[1]}" if two in _TWO_WORDS and len(operands) > 1 else two


def failed_within(text: str) -> bool:
    """Whether an output shows that a part of the line failed, though its exit code does not say so."""
    if any(mark in text for mark in _SURE):
        return True
    return any(line[:6] != "ERROR " and failed_test(line) for line in _lines(text))


def first_error(text: str) -> str:
    """The line of an output that says best what failed, "" if there is none."""
    return min(_lines(text), key=_rank, default="")


def _rank(line: str) -> int:
    """How little a line says of what failed."""
    if line.startswith("E  "):
        return 0
    for at, mark in enumerate(_MARKS, 1):
        if mark in line:
            return at
    return len(_MARKS) + (1 if failed_test(line) else 2)


def _lines(text: str) -> list[str]:
    """The lines that may say something, of a long output those of its beginning and end."""
    if len(text) > 40_000:
        text = text[:20_000] + "\n" + text[-20_000:]
    found = []
    for line in map(str.strip, _COLOUR.sub("", text).split("\n")):
        letters = sum(map(str.isalpha, line[:80]))
        if letters > 3 and not line.startswith(("=", "___", "---- ", "Exit code", "<", "at ", "Command failed")):
            found.append(line[:400])
    return found


def digests(text: str) -> list[str]:
    """What an output says of the failure, in forms that do not depend on options, folders and times: the first test
    that failed with what it asserted, values and all; where no test is named, the first error. A test that fails with
    another value has got on.
    """
    lines = _lines(text)
    test = next((_normal(_named_test(line)) for line in lines if _named_test(line)), "")
    found = [_message(line) for line in lines if line.startswith("E  ") or (" - " in line and failed_test(line))][:2]
    best = min(lines, key=_rank, default="")
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
        core = word.strip("'\"`“”()[]{},;:…").rstrip("/").rpartition("/")[2]
        is_address = core.startswith("0x") or re.fullmatch("[0-9a-f]{12,}", core) is not None
        is_place = ":" in core or re.fullmatch(r"\d*\.[\d.]*[msµn]*|\d+[msµn]+", core) is not None
        if is_address or is_place or not keeps:
            core = "0" if is_address else re.sub(r"\d+", "0", core)
        if core:
            words.append(core)
    return " ".join(words)[:_ERROR_CHARS]


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def is_over(records: Sequence[FailureRecord]) -> bool:
    """Whether every command that failed has passed since."""
    return not any(one.has_failed for one in _last_of_each(records))


def is_stuck(records: Sequence[FailureRecord]) -> bool:
    """Whether a command failed in the same way again: only then one can be a repeat."""
    return any(one.has_failed and len(same(records, one)) > 1 for one in _last_of_each(records))


def _last_of_each(records: Sequence[FailureRecord]) -> list[FailureRecord]:
    """The last record of each family."""
    last = {family: record for record in records for family in record.families}
    return list(last.values())


def same(records: Sequence[FailureRecord], now: FailureRecord) -> list[FailureRecord]:
    """The records of the same failure since these commands last passed, oldest first."""
    found: list[FailureRecord] = []
    for one in records:
        if not one.families & now.families:
            continue
        if not one.has_failed:
            found.clear()
        elif one.digests & now.digests:
            found.append(one)
    return found


def repeated(
    records: Sequence[FailureRecord],
    families: Sequence[str],
    session: str,
    changed: Iterable[str],
    is_as_then: Callable[[str, int], bool],
) -> tuple[FailureRecord, list[FailureRecord], frozenset[str]] | None:
    """The failure that a command of these `families` would repeat now, all its records, oldest first, and what was
    changed between these: it failed twice in the same way, and since then nothing was changed but what was changed
    before it failed again. `changed` is what this session changed since its last failure; where an earlier session
    failed last, `is_as_then(path, time_ns)` tells whether a file is as it was. None where it is no repeat.
    """
    here = frozenset(families)
    last = next((one for one in reversed(records) if one.families & here), None)
    if last is None or not last.has_failed:
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


def _changed(records: Sequence[FailureRecord], first: FailureRecord, last: FailureRecord) -> frozenset[str]:
    """What was changed behind the record `first`, up to `last`."""
    begin = next(at for at, one in enumerate(records) if one is first)
    end = next(at for at, one in enumerate(records) if one is last)
    return frozenset(path for one in records[begin + 1 : end + 1] for path in one.changed)


def told(last: FailureRecord, found: Sequence[FailureRecord], tried: Iterable[str]) -> str:
    """What is said of a repeat before it is tried again, in one line: `tried` was changed in between."""
    sessions = len({one.session for one in found})
    name = min(last.families, key=len)
    times = f"{len(found)} times" + (f" in {sessions} sessions" if sessions > 1 else "")
    error = next((one.text for one in reversed(found) if one.text), "")
    tried = sorted(tried)
    said = f"`{name}` failed {times} in the same way" + (f" ({error[:160]})" if error else "")
    said += f", with no other change than to {_named(tried)}." if tried else ", with nothing changed in between."
    return f"{said} Look for another cause before the next try, and keep what you learned: `clew reject … --why …`."


def _named(paths: Sequence[str]) -> str:
    few = [path.rpartition("/")[2] if path[:1] == "/" else path for path in paths[:3]]
    return ", ".join(few) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
