"""How many tests a run ran, and which failed: by the runners' own closing lines."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.core.text.cleaning import clean
from clew.core.validation.output import Output

_PYTEST: Final = re.compile(r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s(?: \([\d:]+\))? ?=*$")
_PART: Final = re.compile(r"(\d+) ([a-z]+)")
_UNIT: Final = re.compile(r"^Ran (\d+) tests? in ")
_UNIT_END: Final = re.compile(r"^(?:FAILED|OK)(?: \((.*)\))?$")
_JEST: Final = re.compile(r"^Tests: +(.*), (\d+) total$")
_VITEST: Final = re.compile(r"^ *Tests  (.*?) \((\d+)\)$")
_NODE: Final = re.compile(r"^[#ℹ] (tests|fail|skipped|todo) (\d+)$")
_CARGO: Final = re.compile(r"^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;")
_SUREFIRE: Final = re.compile(r"^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$")
_MOCHA: Final = re.compile(r"^ +(\d+) (passing|failing|pending)\b")
_GO: Final = re.compile(r"^\s*--- (PASS|FAIL|SKIP): (\S+) \(")
_IDS: Final = (
    re.compile(r"^(?:FAILED|ERROR) (\S+\.py(?:::\S+?(?:\[.*?\])?)?)(?: - .*)?$"),
    re.compile(r"^(?:FAIL|ERROR): (\S+ \(\S+?\))(?: [\[(].*)?$"),
    re.compile(r"^  ● (.+ › .+|[^ ].*)$"),
    re.compile(r"^ ?FAIL  (\S+\.[cm]?[jt]sx?(?: > .+)?)$"),
    re.compile(r"^\s*not ok \d+ - (.+)$"),
    re.compile(r"^---- (\S+) stdout ----$"),
    re.compile(r"^(?:\[ERROR\] +)?(\w+\([\w.$]+\)|[\w.$]+\.\w+)\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!"),
)


class Tally(NamedTuple):
    """`ran`: tests that were run (skipped ones were not), None where the output does not tell. `ids` are those that
    failed, as the runner names them; `known`: they are all, by the runner's own count.
    """

    ran: int | None
    failed: int
    skipped: int
    ids: tuple[str, ...]
    known: bool


def tally(text: str) -> Tally:
    """The tally of a run with the output `text`. Of several runners in one output the sum."""
    lines = Output(clean(text)).lines
    total = failed = skipped = 0
    told = False
    for number, line in enumerate(lines):
        row = _counted(line, lines[number + 1 : number + 4])
        if row is not None:
            told = True
            total, failed, skipped = total + row[0], failed + row[1], skipped + row[2]
    go = [found for line in lines if (found := _GO.match(line))]
    if go:
        told = True
        total += sum(found[1] != "SKIP" for found in go)
        skipped += sum(found[1] == "SKIP" for found in go)
        parents = {name[:at] for one in go for name in (one[2],) for at, sign in enumerate(name) if sign == "/"}
        leaves = [one[2] for one in go if one[1] == "FAIL" and one[2] not in parents]
        failed += len(leaves)
    ids = [found[1].strip() for line in lines for pattern in _IDS if (found := pattern.match(line))]
    ids = list(dict.fromkeys([*ids, *(leaves if go else ())]))
    return Tally(total if told else None, failed, skipped, tuple(ids), told and failed > 0 and len(ids) == failed)


def _counted(line: str, below: list[str]) -> tuple[int, int, int] | None:
    """Run, failed and skipped tests of a closing line; None for any other line."""
    found = _PYTEST.match(line)
    if found:
        parts = {word.rstrip("s"): int(number) for number, word in _PART.findall(found[1])}
        failed = parts.get("failed", 0) + parts.get("error", 0)
        ran = failed + sum(parts.get(word, 0) for word in ("passed", "xfailed", "xpassed", "passe"))
        return ran, failed, parts.get("skipped", 0)
    found = _UNIT.match(line)
    if found:
        ended = next((one[1] or "" for row in below if (one := _UNIT_END.match(row))), "")
        bad = sum(int(n) for n in re.findall(r"(?:^|, )(?:failures|errors)=(\d+)", ended))
        skipped = sum(int(n) for n in re.findall(r"skipped=(\d+)", ended))
        return int(found[1]) - skipped, bad, skipped
    found = _JEST.match(line) or _VITEST.match(line)
    if found:
        parts = {word: int(number) for number, word in _PART.findall(found[1])}
        skipped = parts.get("skipped", 0) + parts.get("todo", 0)
        return int(found[2]) - skipped, parts.get("failed", 0), skipped
    found = _CARGO.match(line)
    if found:
        return int(found[1]) + int(found[2]), int(found[2]), int(found[3])
    found = _SUREFIRE.match(line)
    if found:
        return int(found[1]) - int(found[4]), int(found[2]) + int(found[3]), int(found[4])
    found = _NODE.match(line) or _MOCHA.match(line)
    if found:
        word, number = (found[1], int(found[2])) if line[:1] in "#ℹ" else (found[2], int(found[1]))
        return {
            "tests": (number, 0, 0), "passing": (number, 0, 0), "failing": (number, number, 0), "fail": (0, number, 0),
            "pending": (0, 0, number),
        }.get(word, (-number, 0, number))  # fmt: skip
    return None
