"""What a successor pays: `python -m benchmarks.continuity.successor`, 20 made repositories with known truth.

A session explored a repository, tried approaches that failed, and was killed before its edit. A scripted successor
looks what its context tells: of a fact that it lacks it searches the name and reads the files that mention it until one
tells the value; a dead end that it does not know it tries again (edit, test run of the time that it took, revert); a
ruling that it lacks it asks the user for. Files, searches and sizes are those of the real repository on the disk.
Counted are events, new tokens, minutes of tool time and dead ends tried again up to the first needed edit.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from benchmarks.lib.tables import markdown
from benchmarks.made.record import Claude, explore, filler, log
from benchmarks.recall import baselines, drafted
from benchmarks.recall.run import make_payload, make_record
from benchmarks.recall.sessions import records_of
from clew.core.records.transcript import Prompt, Reply, Result
from clew.core.text.tokens import estimate

ARMS: Final = (
    *("nothing", "raw tail", "client's resume", "vendor summary", "clew by rule", "clew with a draft", "clew record"),
)
FIGURES: Final = ("events", "tokens", "tool minutes", "dead ends again", "questions again")
BUDGET: Final = 1_500
RECORD_BUDGET: Final = 6_000
# So many of exact values and dead ends a client's own summary keeps: its share of exact numbers on recorded sessions
# (benchmarks.continuity.identifiers).
SUMMARY_KEEPS: Final = 0.5
# So many looks around lie between what matters: the agent then says 2,200 tokens in all, as the longest quarter of the
# recorded sessions. With 30 looks the raw tail holds all that was said.
LOOKS: Final = 45
# Tokens of a call and of the sentence before it; seconds of a search and of a look into a file.
_CALL_TOKENS: Final = 70
_SEARCH_S, _READ_S = 0.8, 0.3

_AREAS: Final = ("queue", "billing", "import", "sync", "report", "search", "mail", "stock", "routes", "roster")
_WORDS: Final = ("batch", "cursor", "window", "ledger", "slot", "token", "bucket", "lease", "shard", "stamp", "frame")
_NAMES: Final = ("PARK_AFTER", "LEASE_SECONDS", "BATCH_ROWS", "RETRY_STEPS", "STALE_DAYS", "CURSOR_WIDTH")
_TRIES: Final = (
    ("Locking the whole table", "the importer gives up after its lease"),
    ("Caching per hour", "late rows make the cache wrong"),
    ("Sorting by arrival", "two devices send the same second"),
    ("Sharding by customer", "one customer has half of the rows"),
    ("Retrying inside the handler", "the queue delivers it twice"),
)


class Fact(NamedTuple):
    """A value that the edit needs, where it stands, and whether the agent said it or only saw it."""

    name: str
    value: str
    path: str
    is_said: bool

    @property
    def line(self) -> str:
        return f"{self.name} = {self.value}"

    def stands_in(self, text: str) -> bool:
        """Whether a line of `text` tells name and value, in whatever words."""
        return any(self.name in line and self.value in line.split(self.name, 1)[1] for line in text.splitlines())


class DeadEnd(NamedTuple):
    """An approach that failed. `seconds` its test run took; `output` is what that printed."""

    text: str
    why: str
    seconds: int
    output: str


class Story(NamedTuple):
    """A made repository and the session that was killed in it; `ruling` is what the user decided."""

    name: str
    files: Mapping[str, str]
    target: str
    facts: tuple[Fact, ...]
    dead_ends: tuple[DeadEnd, ...]
    ruling: str
    transcript: str
    summary: str
    draft: str


def story(number: int, root: Path, looks: int = LOOKS) -> Story:
    """Story `number`; its repository is to lie in `root`."""
    rnd = random.Random(f"continuity {number}")
    area = _AREAS[number % len(_AREAS)]
    paths = [f"src/{area}/{word}.py" for word in rnd.sample(_WORDS, 8)]
    files = {path: filler("py", _WORDS, rnd.randint(60, 180), number * 100 + at) for at, path in enumerate(paths)}
    target = paths[0]
    facts = tuple(
        Fact(name, str(rnd.randint(11, 9_999)), rnd.choice(paths[1:]), at % 3 != 2) for at, name in enumerate(_NAMES)
    )
    for fact in facts:
        files[fact.path] = f"{fact.line}\n{files[fact.path]}"
        for path in rnd.sample(paths, 2):
            files[path] += f"\n\ndef uses_{fact.name.lower()}(rows):\n    return rows[:{fact.name}]\n"
    tried = tuple(
        DeadEnd(text, f"{why}, {rnd.randint(3, 99)} of {rnd.randint(100, 999)} cases fail", rnd.randint(35, 160), "")
        for text, why in rnd.sample(_TRIES, 3)
    )
    tried = tuple(one._replace(output=_failed(one, number)) for one in tried)
    ruling = f"No new dependency for this, and the limit stays at {rnd.randint(20, 90)} rows a call."
    session = _session(number, area, root, files, target, facts, tried, ruling, looks)
    known = [fact for fact in facts if rnd.random() < SUMMARY_KEEPS]
    known_ends = [one for one in tried if rnd.random() < SUMMARY_KEEPS]
    summary = (
        f"1. Primary Request and Intent:\n   Make {area} keep rows apart. {ruling}\n2. Files and Code Sections:\n"
        + "".join(f"   - {path}\n" for path in paths[:4])
        + "3. Errors and fixes:\n"
        + "".join(f"   - {one.text} failed: {one.why}\n" for one in known_ends)
        + "4. Key Technical Concepts:\n"
        + "".join(f"   - {fact.line}\n" for fact in known)
        + f"5. Next Step:\n   Change {target}.\n"
    )
    draft = (
        f"## Goal\n- Make {area} keep rows apart\n## Constraints\n- {ruling}\n## Failed approaches\n"
        + "".join(f"- {one.text} — {one.why}\n" for one in tried)
        + "## Findings\n"
        + "".join(f"- `{fact.line}` in {fact.path}\n" for fact in facts if fact.is_said)
        + f"## Next\n- Change {target}\n"
    )
    return Story(f"continuity-{number:02}", files, target, facts, tried, ruling, session.text(), summary, draft)


def _failed(one: DeadEnd, seed: int) -> str:
    return log("tests/test_{a}.py::test_{b}_{i} FAILED", _WORDS, 18, seed) + f"\nE  {one.why}\n18 failed, 204 passed"


def _session(
    number: int,
    area: str,
    root: Path,
    files: Mapping[str, str],
    target: str,
    facts: tuple[Fact, ...],
    tried: tuple[DeadEnd, ...],
    ruling: str,
    looks: int,
) -> Claude:
    """The session: it looks, tries, is told what is not wanted, says what it will do, and is killed in a test run."""
    s = Claude(f"continuity-{number:02}", str(root), "main", "2026-11-20T09:00:00", "made/repo")
    s.user(f"Make {area} keep rows of two senders apart. Look first, then change what is needed.")
    for path, text in files.items():
        s.read(path, text)
    explore(s, list(_WORDS), looks, "py", "py")
    for fact in facts:
        s.grep(fact.name, f"{fact.path}:1:{fact.line}")
        if fact.is_said:
            s.say(f"`{fact.line}` in {fact.path}, so the change has to keep to that.")
    for one in tried:
        s.say(f"I try this: {one.text.lower()}.")
        s.edit(target, "return rows", "return list(rows)")
        s.bash("python -m pytest -q", one.output, exit=1, secs=one.seconds)
        s.bash(f"git checkout {target}")
        s.say(f"{one.text} does not work: {one.why}. I reverted it.")
        explore(s, list(_WORDS), looks, "py", "py")
    s.say("Shall I add a library for this?", end=True)
    s.user(ruling)
    explore(s, list(_WORDS), looks, "py", "py")
    s.say(f"Next I change {target}: rows are kept apart by sender.")
    s.bash("python -m pytest -q", None)
    return s


class Paid(NamedTuple):
    """What one successor paid; in the order of `FIGURES`."""

    events: int
    tokens: int
    minutes: float
    dead_ends: int
    questions: int


def succeed(one: Story, root: Path, context: str) -> Paid:
    """The successor's way to the first needed edit, in the repository at `root`, with `context` before its eyes."""
    events, tokens, seconds = 0, estimate(context), 0.0
    known = [context]

    def look(shown: str, took: float) -> None:
        nonlocal events, tokens, seconds
        events, tokens, seconds = events + 1, tokens + estimate(shown) + _CALL_TOKENS, seconds + took
        known.append(shown)

    def search(name: str) -> list[str]:
        found = [path for path in sorted(one.files) if name in (root / path).read_text(encoding="utf-8")]
        look("\n".join(found), _SEARCH_S)
        return found

    if one.target not in context:
        for path in search("return rows"):
            look((root / path).read_text(encoding="utf-8"), _READ_S)
            if path == one.target:
                break
    for fact in one.facts:
        for path in [] if any(map(fact.stands_in, known)) else search(fact.name):
            if any(map(fact.stands_in, known)):
                break
            look((root / path).read_text(encoding="utf-8"), _READ_S)
    again = [end for end in one.dead_ends if end.text.casefold() not in context.casefold()]
    for end in again:
        look("", _READ_S)
        look(end.output, end.seconds)
        look("", _READ_S)
    asks = int(one.ruling not in context)
    for _ in range(asks):
        look(one.ruling, 0.0)
    look((root / one.target).read_text(encoding="utf-8"), _READ_S)
    look("", _READ_S)  # the edit
    return Paid(events, tokens, seconds / 60, len(again), asks)


def contexts(told: Story, transcript: Path) -> dict[str, str]:
    """What each arm puts before the successor's eyes."""
    records = records_of(transcript)
    return {
        "nothing": "",
        "raw tail": baselines.tail(records, BUDGET),
        "client's resume": "\n".join(one.text for one in records if isinstance(one, Prompt | Reply | Result)),
        "vendor summary": told.summary,
        "clew by rule": make_payload(transcript, BUDGET),
        "clew with a draft": drafted.payload(told.draft, transcript, BUDGET),
        "clew record": make_record(transcript, RECORD_BUDGET),
    }


def run(stories: int, looks: int = LOOKS) -> dict[str, list[Paid]]:
    """What was paid, by arm, one a repository."""
    paid: dict[str, list[Paid]] = {arm: [] for arm in ARMS}
    for number in range(stories):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "repo")
            one = story(number, root, looks)
            for path, text in one.files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            transcript = Path(folder, f"{one.name}.jsonl")
            transcript.write_text(one.transcript, encoding="utf-8")
            for arm, context in contexts(one, transcript).items():
                paid[arm].append(succeed(one, root, context))
    return paid


def table(paid: Mapping[str, list[Paid]]) -> str:
    """A row an arm: the median of each figure, with the least and the most."""
    rows = []
    for arm, several in paid.items():
        columns = [sorted(figures) for figures in zip(*several, strict=True)]
        digits = ["{:,.0f}", "{:,.0f}", "{:.1f}", "{:.0f}", "{:.0f}"]
        rows.append(
            [
                arm,
                *(
                    f"{one.format(median(values))} ({one.format(values[0])}–{one.format(values[-1])})"
                    for one, values in zip(digits, columns, strict=True)
                ),
            ]
        )
    return markdown(("arm", *FIGURES), rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuity.successor", description=__doc__)
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--looks", type=int, default=LOOKS, help="looks around between what matters")
    arguments = parser.parse_args(argv)
    print(table(run(arguments.repositories, arguments.looks)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
