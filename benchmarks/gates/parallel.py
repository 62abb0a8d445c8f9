"""Several sessions in one clone: edits of recorded single sessions that are held up, and planted collisions found.

    python -m benchmarks.gates.parallel DIR [--edits 2000] [--collisions 100]

Each recorded session below DIR is played in a clone of its own, through the hooks' own code, while another session is
live there that works on files of its own. Nothing that it does may be called another session's. Then collisions are
planted in clones: one session looks at a file (or does not), another one writes it by a tool or a command, and the
first one edits it, writes it by a shell line, adds all, commits all, stashes all, or is prompted behind a commit.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.gates.commands import sessions
from clew.core.gate.decision import find_clues
from clew.core.runtime_dir import LABEL, PARALLEL, live_folder, session_folder
from clew.interfaces.hook import clues, entry, judge, parallel

OURS, OTHER = "ours", "other"
_FOREIGN = "another session"


class Clone:
    """A repository in which two sessions are live."""

    def __init__(self, folder: Path) -> None:
        self.top = folder / "clone"
        self.top.mkdir(parents=True)
        self.data = str(folder / "data")
        self.live = live_folder(self.data, str(self.top))
        Path(self.live).mkdir(parents=True)
        Path(self.live, "root").write_text(str(self.top))
        self.git("init", "-q")
        for number in range(8):
            (self.top / f"f{number}.py").write_text(f"x = {number}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        rules: dict[str, Any] = {
            "levels": {"confirm": "off", "stale": "off", "offlimits": "off", "guard": "off", "parallel": "warn"},
            "root": str(self.top), "protected": [], "offlimits": [], "deferred": [],
            "guards": {"commands": {}, "paths": [], "words": []}, "forbidden": {"paths": [], "commands": {}},
        }  # fmt: skip
        self.rules = {"v": 1, **rules, "clues": find_clues(rules)}

        Path(self.live, "gates.json").write_text(json.dumps(self.rules))
        log = self.top / ".git" / "logs" / "HEAD"
        rows = [f"{log}\t{log.stat().st_size}"]
        for number, session in enumerate((OURS, OTHER), start=1):
            place = Path(session_folder(self.live, session))
            place.mkdir(parents=True)
            (place / LABEL).write_text(f"client, “{session}”")
            (place / "started").touch()
            rows.append(f"{place}\t{number} {number}\t")
        Path(self.live, PARALLEL).write_text("\n".join(rows))

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        subprocess.run(["git", *who, *words], cwd=self.top, check=True, capture_output=True)

    def event(self, session: str, tool: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
        named = {"session_id": session, "cwd": str(self.top), "tool_name": tool, "tool_input": given}
        return {**named, "client": "claude-code", "tool_response": "", "duration_ms": 5, **more}

    def asked(self, session: str, tool: str, given: dict[str, Any]) -> str:
        """What the hook before a tool says."""
        event, said = self.event(session, tool, given), list[str]()
        if clues.may_speak(event, self.live):
            judge.run(event, self.live, said.append)
        return "".join(said)

    def done(self, session: str, tool: str, given: dict[str, Any]) -> None:
        """Let the hook behind a tool note what was done."""
        event = self.event(session, tool, given)
        entry._after("PostToolUse", event, self.live, self.data)

    def writes(self, session: str, name: str, text: str) -> None:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.done(session, "Write", {"file_path": str(path), "content": text})


def false_alarms(folder: Path, scratch: Path, most: int) -> tuple[int, int]:
    """(edits, alarms): recorded sessions played while another one works on files of its own."""
    edits = alarms = 0
    played = [done for _, done in sessions(folder)]
    number = -1
    while edits < most and any(one.path for done in played for one in done):
        number += 1  # again and again, each time at another rhythm
        done, every = played[number % len(played)], 2 + number // len(played)
        clone = Clone(scratch / f"s{number}")
        for step, one in enumerate(done):
            if one.path:
                name = "src/" + one.path.strip("/").replace("/", "_")[-80:]
                edits += 1
                said = clone.asked(OURS, "Edit", {"file_path": str(clone.top / name), "new_string": f"{step}"})
                clone.writes(OURS, name, f"y = {step}\n")
            elif one.command:
                said = clone.asked(OURS, "Bash", {"command": one.command})
                clone.done(OURS, "Bash", {"command": one.command})
            else:
                said = ""
            if _FOREIGN in said and "src/other.py" not in said:
                alarms += 1
                print(f"false: {said.strip()[:300]}", file=sys.stderr)
            if step % every == 0:
                clone.writes(OTHER, "src/other.py", f"z = {step}\n")
    return edits, alarms


def found(scratch: Path, number: int, dice: random.Random) -> tuple[str, bool]:
    """The kind of a planted collision, and whether the session was told of it."""
    clone = Clone(scratch / f"c{number}")
    name = f"f{dice.randrange(8)}.py"
    path = str(clone.top / name)
    kind = ("edit", "unread", "shell", "command", "add", "commit", "stash", "head")[number % 8]
    if kind not in ("unread", "head"):
        clone.done(OURS, "Read", {"file_path": path})
    time.sleep(0.02)  # a tick of the clock that stamps files
    if kind == "command":
        (clone.top / name).write_text("x = 'by a command'\n")
        clone.done(OTHER, "Bash", {"command": "make generate"})
    elif kind == "head":
        clone.git("commit", "-q", "--allow-empty", "-m", "theirs")
        clone.done(OTHER, "Bash", {"command": "git commit -m theirs"})
        return kind, parallel.is_news(clone.live, session_folder(clone.live, OURS))
    else:
        clone.writes(OTHER, name, f"x = 'theirs {number}'\n")
    if kind in ("edit", "unread", "command"):
        return kind, _FOREIGN in clone.asked(OURS, "Edit", {"file_path": path, "new_string": "y"})
    given = {
        "shell": f"sed -i s/x/y/ {name}",
        "add": dice.choice(
            ("git add -A", "git add . && git commit -m x", f"git -C {clone.top} add --all", "git add -u")
        ),
        "commit": dice.choice(("git commit -am x", "git commit --all -m x", "git commit -qa -m 'y'")),
        "stash": dice.choice(("git stash", "git stash push -m x", "git stash -u")),
    }
    said = clone.asked(OURS, "Bash", {"command": given[kind]})
    return kind, _FOREIGN in said and name in said


def main() -> int:
    """Print both figures; 1 where one misses its bar."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--edits", type=int, default=2000)
    options.add_argument("--collisions", type=int, default=100)
    given = options.parse_args()
    os.environ.pop("CLEW_GATE_PARALLEL", None)
    with tempfile.TemporaryDirectory() as scratch:
        edits, alarms = false_alarms(given.folder, Path(scratch), given.edits)
        dice = random.Random(11)
        told = [found(Path(scratch), number, dice) for number in range(given.collisions)]
    print(f"false alarms: {alarms} in {edits} recorded edits")
    print(f"planted collisions found: {sum(hit for _, hit in told)} of {len(told)}")
    for kind in sorted({kind for kind, hit in told if not hit}):
        print(f"missed: {kind}")
    return int(bool(alarms) or not all(hit for _, hit in told))


if __name__ == "__main__":
    sys.exit(main())
