"""A harness of one's own on clew: a loop around a model that can be killed at any turn and goes on where it was.

    python examples/library/harness.py FOLDER          # until the work is done
    python examples/library/harness.py FOLDER --die 7  # killed (SIGKILL) after turn 7; run it again to go on

The model here is a script, so that the example needs no key: `answer` stands where an SDK's call would be.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import clew

USAGE = "usage: python examples/library/harness.py FOLDER [--die TURN]\nFOLDER is one that is there, such as /tmp/till."
GOAL = "Read the twelve parts of the till and say which of them round."
FOCUS = "which parts round"
PARTS = 12
# So small only for the example; a model's context is a hundred times larger.
THRESHOLD_TOKENS = 600


def main(folder: str, die_after: int = 0) -> int:
    with clew.open(folder, create=True, task="Rounding in the till", actor="harness") as project:
        saved = project.restore("harness")
        if saved is None:
            turn, messages = 0, [{"role": "user", "content": GOAL}]
            project.record("goal", GOAL)
            project.record("constraint", "Change nothing: only read")
        else:
            turn, messages = saved.state["turn"], saved.messages or []
            print(f"going on behind turn {turn} with {len(messages)} messages")
        while turn < PARTS:
            turn += 1
            compacted = clew.maybe_compact(messages, THRESHOLD_TOKENS, summarise, FOCUS, keep_last=4, project=project)
            if compacted.was_compacted:
                print(f"turn {turn}: {compacted.before_tokens} tokens became {compacted.after_tokens}")
            messages = compacted.messages
            reply = answer(turn)
            result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": read_part(turn)}
            messages += [reply, {"role": "user", "content": [result]}]
            if turn % 5 == 0:
                project.record("finding", f"Part {turn} rounds with math.ceil", key=f"part {turn}")
            project.save("harness", {"turn": turn}, messages=messages)
            if turn == die_after:
                os.kill(os.getpid(), signal.SIGKILL)
        project.checkpoint("all parts read")
        print(project.payload(300).text, end="")
    return 0


def answer(turn: int) -> dict[str, Any]:
    """What a model would answer: that it wants to read the next part."""
    use = {"type": "tool_use", "id": f"t{turn}", "name": "read", "input": {"part": turn}}
    return {"role": "assistant", "content": [{"type": "text", "text": f"Part {turn} is next."}, use]}


def read_part(turn: int) -> str:
    """What a tool would give back."""
    return f"part {turn}: " + "amount = shares[part] * total_cents / sum(shares); " * 4


def summarise(older: list[Any], focus: str | None) -> str:
    """What a model would write if it was asked to sum up `older`."""
    return f"{len(older)} messages: parts were read one by one, none was changed. {focus or ''}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case [folder] if Path(folder).is_dir():
            sys.exit(main(folder))
        case [folder, "--die", turn] if Path(folder).is_dir() and turn.isdecimal():
            sys.exit(main(folder, int(turn)))
    sys.exit(USAGE)
