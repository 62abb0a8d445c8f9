"""A client for the picture: it speaks as Claude Code does, and does what the phase that it is told of is about."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

WORK = {
    "1": ("split.py", "def split(total, parts):\n    return [total // parts] * parts\n"),
    "2": ("refuse.py", "def check(total):\n    if total < 0:\n        raise ValueError(total)\n"),
    "3": ("tell.py", 'def told(cents):\n    return f"{cents / 100:.2f}"\n'),
    "4": ("till.py", "from refuse import check\nfrom split import split\nfrom tell import told\n"),
}
MENDED = """\
def split(total, parts):
    rest = total % parts
    return [total // parts + (n < rest) for n in range(parts)]
"""


def tell(**value: object) -> None:
    print(json.dumps(value), flush=True)


def main() -> None:
    prompt = sys.stdin.read()
    found = re.search(r"# Phase (\d+) of \d+: (.+)", prompt)
    assert found is not None
    number, title = found.groups()
    name, text = WORK[number]
    text = MENDED if number == "1" and "What failed" in prompt else text
    cause = "CAUSE: the rest of the division was lost\n" if "What failed" in prompt else ""
    tell(type="system", subtype="init", session_id=f"s-{number}")
    use = {"type": "tool_use", "id": "1", "name": "Write", "input": {"file_path": name}}
    usage = {"input_tokens": 6000, "output_tokens": 900}
    tell(type="assistant", message={"id": "1", "content": [use], "usage": usage})
    time.sleep(1.2)
    Path(name).write_text(text, encoding="utf-8")
    tell(type="result", subtype="success", is_error=False, result=f"{cause}OUTCOME: {title}", total_cost_usd=0.04)


if __name__ == "__main__":
    main()
