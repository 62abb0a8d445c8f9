"""A client's program, for kills: it speaks as Claude Code does, and carries out one phase of `plan_text` in steps.

    program.py LOG …options of the client…

It writes into the file LOG which phase it works at, and whether another of its kind is at the same one.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

STEP_S = 0.05


def main() -> None:
    log = Path(sys.argv[1])
    prompt = sys.stdin.read()
    found = re.search(r"# Phase (\d+) of", prompt)
    if found is None:
        sys.exit(1)
    number = found[1]
    mine = log.parent / f"at-{number}"
    if mine.exists() and is_alive(mine.read_text(encoding="ascii")):
        write(log, f"TWO {number}")
    mine.write_text(str(os.getpid()), encoding="ascii")
    tell({"type": "system", "subtype": "init", "session_id": f"s-{number}-{os.getpid()}"})
    part = Path(f"part{number}.txt")
    for step, text in enumerate(("", "go", "good\n")):
        part.write_text(text, encoding="utf-8")
        block = {"type": "tool_use", "id": f"t{step}", "name": "Write", "input": {"file_path": str(part.resolve())}}
        usage = {"input_tokens": 10, "output_tokens": 5}
        tell({"type": "assistant", "message": {"id": f"m{step}", "content": [block], "usage": usage}})
        time.sleep(STEP_S)
    write(log, f"DID {number}")
    said = f"OUTCOME: Part {number} is written"
    tell({"type": "result", "subtype": "success", "is_error": False, "result": said, "total_cost_usd": 0.01})


def is_alive(pid: str) -> bool:
    try:
        return "program.py" in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def write(log: Path, line: str) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def tell(value: object) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
