"""Documents in which a heading, a label, a lead-in or a mark says that something must not be, is done, or is still
open.

Each is (what it is, document, words of the entry, words that have to stand with it). Nobody's sentences but ours.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from clew.documents.entry import Entry
from clew.documents.parse import parse

Meaning = Literal["not", "done", "open"]


class Phrasing(NamedTuple):
    """`kept` stands with `words` wherever the entry is told (`not`); the document is called `name`."""

    meaning: Meaning
    text: str
    words: str
    kept: str = ""
    name: str = "HANDOFF.md"


def _under(heading: str, entry: str = "- Push to main", *, words: str = "ush to main") -> Phrasing:
    return Phrasing("not", f"# Handoff\n\n## {heading}\n\n{entry}\n", words, heading)


def _led(lead: str, heading: str = "To do", *, kept: str = "") -> Phrasing:
    text = f"# Handoff\n\n## {heading}\n\n{lead}\n\n- drop the old column\n- flush the cache\n"
    return Phrasing("not", text, "drop the old column", kept or lead.strip("*: "))


def _open(text: str, words: str) -> Phrasing:
    return Phrasing("open", text, words)


def _done(text: str, words: str) -> Phrasing:
    return Phrasing("done", text, words)


PHRASINGS: Final[tuple[Phrasing, ...]] = (
    *map(_under, (
        "What you must not do", "Do not", "Don'ts", "Never", "Avoid", "Things to avoid", "Off limits",
        "Off-limits areas",
        "Forbidden", "Prohibited actions", "Not allowed", "Hands off", "Please don't", "What we decided against",
        "Rejected alternatives", "Rejected", "Ruled out", "Considered and dropped", "Out of scope", "Non-goals",
        "Not doing", "We will not do", "Won't do", "Explicitly excluded", "Anti-patterns", "No-gos", "Leave alone",
        "Things that should never happen", "Under no circumstances", "What not to do", "Verboten", "Nicht tun",
        "À ne pas faire", "No hacer", "禁止", "不要做", "しないこと", "하지 말 것",
    )),
    _under("Things to leave untouched", "1. Push to main"),
    _under("Do not", "- [ ] Push to main"),
    _under("Out of scope", "### Tasks\n\n- [ ] Push to main"),
    _under("Avoid", "| Task | Status |\n|---|---|\n| Push to main | todo |"),
    _under("Things I would not do again", "Push to main on a Friday."),
    _under("We chose not to", "- ✅ Push to main"),
    _under("Decided against", "**Decision:** Push to main"),
    _led("Do NOT:", kept="Do NOT"), _led("Please avoid the following:"), _led("We decided not to:"),
    _led("None of this is wanted any more:"), _led("**Not to do:**"), _led("Off limits for now:", "Rules"),
    _led("It is not true that we have to", "Rules"), _led("These were rejected:", "Decisions"),
    _led("Nobody asked for any of these:", "Next steps"), _led("Instead of these we use the pool:", "Decisions"),
    Phrasing("not", "# Plan\n\n## Rules\n\n- **Never:** push to main\n", "push to main", "Never"),
    Phrasing("not", "# Plan\n\n## Next steps\n\n- Do not: push to main\n", "push to main", "Do not"),
    Phrasing("not", "# Plan\n\n## Rules\n\n- Not allowed\n  - push to main\n", "push to main", "Not allowed"),
    Phrasing("not", "# Plan\n\n## To do\n\n- Avoid:\n  - [ ] push to main\n", "push to main", "Avoid"),
    Phrasing("not", "# Plan\n\n## Decisions\n\n- ~~Push to main~~\n- Tag it\n", "Push to main", "struck out"),
    Phrasing("not", "# Plan\n\nNEVER:\n- push to main\n", "push to main", "NEVER"),
    Phrasing("not", "# Plan\n\n| Don't | Do |\n|---|---|\n| push to main | open a request |\n",
        "push to main", "Don't: push"),
    Phrasing("not", "avoid:\n  - push to main\nrules:\n  - tag it\n", "push to main", "avoid", "state.yaml"),
    Phrasing("not", '{"rules": {"do_not": ["push to main"], "always": ["tag it"]}}', "push to main",
        "do not", "state.json"),
    Phrasing("not", '{"rejectedOptions": [{"decision": "push to main", "status": "done"}]}',
        "push to main", "rejected", "s.json"),
    Phrasing("not", '{"out_of_scope": {"tasks": [{"task": "push to main"}]}}', "push to main",
        "out of scope", "s.json"),
    _done("# Log\n\n## Session 3\n\n**Completed 2026-04-25.** All of it.\n\n**Steps:**\n\n1. Run the import\n",
        "Run the import"),
    _done("# Log\n\n## Later\n\n- ~~Draw the logo~~ — Done 2026-04-25 (#11)\n", "Draw the logo"),
          _done("# Log\n\n## 2026-03-01\n\n| # | Action | Result |\n|---|---|---|\n"
          "| 1 | Wire the registry | SUCCESS, 3 tools |\n", "Wire the registry"),
    _done("# Plan\n\n## To do\n\n- [x] Wire the registry\n", "Wire the registry"),
    _done("# Plan\n\n## To do\n\n- ✅ Wire the registry\n", "Wire the registry"),
    _done("# Plan\n\n## Next steps\n\n- Wire the registry — DONE\n", "Wire the registry"),
    _done("# Plan\n\n## Pending\n\n- Wire the registry (completed)\n", "Wire the registry"),
    _done("# Plan\n\n## Remaining\n\n- The registry is already merged\n", "registry is already merged"),
    _done("# Plan\n\n| Task | State |\n|---|---|\n| Wire the registry | shipped |\n", "Wire the registry"),
    _done("tasks:\n  - title: Wire the registry\n    status: done\n", "Wire the registry"),
    _done('{"tasks": [{"title": "Wire the registry", "status": "completed"}]}', "Wire the registry"),
    _done("# Plan\n\n## Storage\n\nStatus: done\n\n**Tasks:**\n\n- Wire the registry\n", "Wire the registry"),
    _open("# Plan\n\n| Story | Priority |\n|---|---|\n| Break the cycles | 🟢 P2 |\n", "Break the cycles"),
    _open("# Plan\n\n### COMMITTED (P0)\n\n| Story | Points |\n|---|---|\n| Break the cycles | 3 |\n",
        "Break the cycles"),
    _open("# Plan\n\n## Classes - ~80% COMPLETE:\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Classes (partially done)\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Done\n\n- Known bug: lookup fails\n", "lookup fails"),
    _open("# Plan\n\n## Completed\n\n- Remaining work: break the cycles\n", "break the cycles"),
    _open("# Plan\n\n## Done\n\n- [ ] Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Done\n\n- The reader is not yet merged\n", "not yet merged"),
    _open("# Plan\n\n## Not done\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Unfinished\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Still to do once the port is done\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n| Task | Status |\n|---|---|\n| Break the cycles | not done |\n", "Break the cycles"),
    _open("# Plan\n\n| Task | Status |\n|---|---|\n| Break the cycles | 60% complete |\n", "Break the cycles"),
    _open("# Plan\n\n## Done\n\n| Task | Result |\n|---|---|\n| Break the cycles | FAILED |\n", "Break the cycles"),
          _open("# Plan\n\n## Things we did not have time for\n\n"
          "For the record (so they don't get lost):\n\n- **`KEY` missing** — it skips\n", "missing"),
    _open("# Plan\n\n## Remaining failures (expected)\n\n1. `a.java` - not implemented\n", "not implemented"),
    _open("# Plan\n\n## Known issues\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Done (mostly)\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Done?\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Completed 3 of 7\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Done\n\n- ❌ Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Almost done\n\n- Break the cycles\n", "Break the cycles"),
    _open("# Plan\n\n## Done\n\n### Left for later\n\n- Break the cycles\n", "Break the cycles"),
    _done("# Plan\n\n## To do (done)\n\n- Wire the registry\n", "Wire the registry"),
    _done("# Plan\n\n## Next steps — all done ✅\n\n- Wire the registry\n", "Wire the registry"),
    _done("# Plan\n\n## To do\n\n- (done) Wire the registry\n", "Wire the registry"),
    _under("DO NOT TOUCH"), _under("Ideas we dropped"), _under("We are not going to"), _under("Killed: not doing"),
    _under("No longer doing"), _under("Traps (avoid)"), _under("Declined options"), _under("Forbidden by Ada"),
    _under("Will not do in v1"), _under("Must never happen"), _led("Denied:", "Permissions"), _led("Never do:",
        "Rules"),
    _led("We will skip these:", "Next steps"), _led("Not any more:", "Steps"), _led("Do none of these:", "To do"),
    _open("# Plan\n\n- We committed to break the cycles\n", "break the cycles"),
    _open('{"tasks": [{"title": "Break the cycles", "priority": "done first", "done": false}]}', "Break the cycles"),
)  # fmt: skip
# What somebody would do, or take for done.
_ACTED_ON: Final = frozenset(("step", "next", "phase", "goal", "validation"))
_OVER: Final = frozenset(("done", "dropped"))
_SIGNS: Final = re.compile(r"[\W_]+")


def inverted(one: Phrasing) -> str:
    """How the parser turned the meaning round, "" if it did not; "lost" if the words stand nowhere."""
    parsed = parse(one.text, name=one.name)
    found = [entry for entry in parsed.entries if one.words in f"{entry.text} {entry.why}"]
    if not found:
        return "" if any(one.words in note.text for note in parsed.notes) else "lost"
    return next((said for entry in found if (said := _inverted(entry, one))), "")


def _inverted(entry: Entry, one: Phrasing) -> str:
    told = f"{entry.kind} {entry.status or '-'}: {entry.label}: {entry.text}"
    if one.meaning == "not":
        # Whoever shows it may leave out what stands beside the text, so the text has to say it.
        kept = _SIGNS.sub(" ", one.kept.lower()) in _SIGNS.sub(" ", entry.text.lower())
        return "" if kept and entry.kind not in _ACTED_ON and not entry.status else told
    if one.meaning == "done":
        is_open = entry.status in ("pending", "in progress", "blocked") or entry.kind in (
            "next",
            "deferral",
            "blocker",
            "constraint",
        )
        return told if is_open or (entry.kind == "step" and entry.status != "done") else ""
    return told if entry.status in _OVER or entry.kind in ("constraint", "decision", "failed") else ""


def main() -> None:
    wrong = [(one, said) for one in PHRASINGS if (said := inverted(one))]
    for one, said in wrong:
        print(f"{one.meaning}: {one.text!r}\n    {said}")
    print(f"inverted: {len(wrong)} of {len(PHRASINGS)}")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
