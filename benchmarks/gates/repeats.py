"""Repeats that are named before the third try, and calls that are called repeats though they are none.

    python -m benchmarks.gates.repeats [SAMPLES/transcripts] [--check] [--show]

Made loops (`loops.py`) go through what the hooks before and behind a tool do. So does every call of the session files
below the folder; there a call was called a repeat falsely where it then did not fail in the same way. Bars: ≥ 90 % of
the loops are named, none of the made work that gets on; false ≤ 1 % of all calls.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.gates.commands import Done, sessions
from benchmarks.gates.loops import Step, loops, progress
from clew.core.gate import repeats
from clew.core.gate.shell import effects
from clew.interfaces.hook import failures


class Place:
    """A place with its live folder, and the hooks of its sessions."""

    def __init__(self, folder: Path) -> None:
        self.live = folder
        folder.mkdir(parents=True)
        (folder / "gates.json").write_text("{}")

    def named(self, session: str, command: str) -> str:
        """What is said before a command."""
        event, folder = self._event(session, "Bash", {"command": command}), self._folder(session)
        return failures.repeat(event, str(self.live), folder, effects.read(command, "/home/dev/shop").commands)[1]

    def ran(self, session: str, command: str, *, failed: bool, text: str) -> None:
        event = self._event(session, "Bash", {"command": command})
        event |= {"error": f"Exit code 1\n{text}"} if failed else {"tool_response": {"stdout": text, "stderr": ""}}
        name = "PostToolUseFailure" if failed else "PostToolUse"
        failures.note_call(name, event, str(self.live))

    def edited(self, session: str, path: str) -> None:
        event = self._event(session, "Edit", {"file_path": path, "old_string": "a", "new_string": "b"})
        failures.note_call("PostToolUse", event, str(self.live))

    def _event(self, session: str, tool: str, given: dict[str, str]) -> dict[str, Any]:
        return {"session_id": session, "cwd": "/home/dev/shop", "tool_name": tool, "tool_input": given}

    def _folder(self, session: str) -> str:
        folder = self.live / "sessions" / session
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)


def named_at_last(place: Place, steps: Iterable[Step]) -> bool:
    """Whether the last step is named before it runs."""
    said = ""
    for step in steps:
        if step.path:
            place.edited(step.session, step.path)
        else:
            said = place.named(step.session, step.command)
            place.ran(step.session, step.command, failed=step.failed, text=step.text)
    return bool(said)


def false_in(place: Place, session: str, done: list[Done]) -> tuple[int, list[Done]]:
    """How many calls were named as repeats, and those that then did not fail in the same way."""
    count, false = 0, []
    for one in done:
        if one.path:
            place.edited(session, one.path)
        if not one.command:
            continue
        if place.named(session, one.command):
            count += 1
            before = [record for record in _records(place) if record.has_failed]
            digests = frozenset(repeats.digests(one.text))
            fails = one.failed or repeats.failed_within(one.text)
            if not fails or not any(record.digests & digests for record in before):
                false.append(one)
        place.ran(session, one.command, failed=one.failed, text=one.text)
    return count, false


def _records(place: Place) -> list[repeats.FailureRecord]:
    file = place.live / "failures"
    return repeats.known(file.read_bytes(), 0) if file.exists() else []


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gates.repeats", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args(argv)
    missed = []
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        made = {name: named_at_last(Place(top / f"l{at}"), steps) for at, (name, steps) in enumerate(loops())}
        gets_on = {name: named_at_last(Place(top / f"p{at}"), steps) for at, (name, steps) in enumerate(progress())}
        share = sum(made.values()) / len(made)
        wrongly = [name for name, said in gets_on.items() if said]
        print(f"made loops: {sum(made.values())} of {len(made)} named before the third try ({share:.0%}; bar ≥ 90 %)")
        print(f"made work that gets on: {len(wrongly)} of {len(gets_on)} called a repeat (bar 0)")
        missed += [share < 0.9 or bool(wrongly)]
        if arguments.show:
            print("not named:", [name for name, said in made.items() if not said], "\nwrongly named:", wrongly)
        if arguments.folder:
            missed.append(_real(arguments.folder, top, show=arguments.show))
    return int(arguments.check and any(missed))


def _real(folder: Path, top: Path, *, show: bool) -> bool:
    calls = named = 0
    false: list[Done] = []
    for at, (name, done) in enumerate(sessions(folder)):
        count, wrong = false_in(Place(top / f"s{at}"), f"s{at}", done)
        calls, named = calls + len(done), named + count
        false += wrong
        if show:
            for one in wrong:
                print(f"false in {name}: {one.command[:100]!r}")
    share = len(false) / calls if calls else 0.0
    print(f"real calls: {calls}, named {named}, of them falsely {len(false)} ({share:.2%} of all calls; bar ≤ 1 %)")
    return share > 0.01


if __name__ == "__main__":
    sys.exit(main())
