"""A Claude Code session of a given size, made by seed: edits, reads, commands, prose, in about the mix of real ones.

Real sessions are mostly tool results (about nine tenths of the bytes), with 5 to 50 KB of prose a megabyte or two.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_START = datetime(2026, 11, 1, tzinfo=UTC)
_NOUNS = "parser ledger cursor cache token budget branch worker queue index record chunk reader header schema".split()
_VERBS = "splits merges drops keeps counts rereads rejects retries caches signs".split()
_REASONS = (
    "because the {a} may be empty",
    "so that a torn {a} is read again",
    "since the {b} is shared by two callers",
    "instead of a second {a}",
    "but the {b} must stay sorted",
)


def write(
    path: Path,
    *,
    size_bytes: int,
    seed: int = 1,
    cwd: str = "/home/dev/shop",
    branch: str = "feat/ledger",
    start: datetime = _START,
) -> int:
    """Write a session of at least `size_bytes` to `path`, begun at `start` in the folder `cwd`; gives its size."""
    made = 0
    with path.open("w", encoding="utf-8") as file:
        for line in _lines(random.Random(seed), cwd, branch, start):
            text = json.dumps(line, ensure_ascii=False) + "\n"
            file.write(text)
            made += len(text.encode())
            if made >= size_bytes:
                break
    return made


def _lines(rng: random.Random, cwd: str, branch: str, start: datetime) -> Iterator[dict[str, Any]]:
    number = 0

    def line(kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        nonlocal number
        number += 1
        return {
            "parentUuid": f"u{number - 1}" if number > 1 else None,
            "isSidechain": False,
            "cwd": cwd,
            "sessionId": "0f7d5c1e-0000-4000-8000-000000000001",
            "version": "2.1.330",
            "gitBranch": branch,
            "type": kind,
            "message": message,
            "uuid": f"u{number}",
            "timestamp": (start + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            **more,
        }

    while True:
        yield line("user", {"role": "user", "content": _prose(rng, rng.randrange(1, 4))})
        for _ in range(rng.randrange(4, 14)):
            yield from _step(rng, line, cwd)
        yield line("assistant", _reply(rng, [{"type": "text", "text": _report(rng)}]))


def _step(rng: random.Random, line: Any, cwd: str) -> Iterator[dict[str, Any]]:
    call = f"toolu_{rng.getrandbits(64):016x}"
    path = f"{cwd}/src/{rng.choice(_NOUNS)}/{rng.choice(_NOUNS)}_{rng.choice(_NOUNS)}.py"
    kind = rng.choices(["Read", "Bash", "Edit", "Grep"], [4, 4, 3, 2])[0]
    code = "\n".join(_code(rng) for _ in range(rng.randrange(20, 260)))
    old, new = _code(rng), _code(rng)
    given: dict[str, Any] = {
        "Read": {"file_path": path},
        "Bash": {
            "command": rng.choice(["pytest -q", "git diff --stat", "ruff check .", f"rg -n {rng.choice(_NOUNS)}"])
        },
        "Edit": {"file_path": path, "old_string": old, "new_string": new},
        "Grep": {"pattern": rng.choice(_NOUNS), "path": "src"},
    }[kind]
    blocks: list[dict[str, Any]] = [{"type": "tool_use", "id": call, "name": kind, "input": given}]
    if rng.random() < 0.4:
        blocks.insert(0, {"type": "text", "text": _prose(rng, 1)})
    for block in blocks:
        yield line("assistant", _reply(rng, [block]))
    found: dict[str, Any] = {
        "Read": {
            "type": "text",
            "file": {"filePath": path, "content": code, "numLines": 1, "startLine": 1, "totalLines": 1},
        },
        "Bash": {"stdout": code, "stderr": "", "interrupted": False, "isImage": False},
        "Edit": {"filePath": path, "oldString": old, "newString": new, "originalFile": code, "structuredPatch": []},
        "Grep": {"mode": "content", "numFiles": 3, "filenames": [], "content": code},
    }[kind]
    result = {
        "tool_use_id": call,
        "type": "tool_result",
        "content": "The file has been updated." if kind == "Edit" else code,
    }
    yield line("user", {"role": "user", "content": [result]}, toolUseResult=found)


def _reply(rng: random.Random, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {
        "input_tokens": 5,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 40000,
        "output_tokens": 200,
    }
    return {
        "id": f"msg_{rng.getrandbits(48):012x}",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": blocks,
        "usage": usage,
    }


def _prose(rng: random.Random, sentences: int) -> str:
    return " ".join(_sentence(rng) for _ in range(sentences))


def _sentence(rng: random.Random) -> str:
    a, b = rng.choice(_NOUNS), rng.choice(_NOUNS)
    name = f"`{rng.choice(_NOUNS)}_{rng.choice(_NOUNS)}{rng.randrange(100)}()`"
    return f"The {a} {rng.choice(_VERBS)} {name} {rng.choice(_REASONS).format(a=a, b=b)}."


def _report(rng: random.Random) -> str:
    entries = "\n".join(f"- **{rng.choice(_NOUNS)}**: {_sentence(rng)}" for _ in range(rng.randrange(2, 7)))
    return f"{_prose(rng, 2)}\n\n## What changed\n\n{entries}\n\n{_prose(rng, 1)}"


def _code(rng: random.Random) -> str:
    a, b = rng.choice(_NOUNS), rng.choice(_NOUNS)
    return rng.choice(
        (
            f"    def {a}_{b}(self, {a}, {b}=None):",
            f"        if {a}.{b} is not None and {b} != {rng.randrange(999)}:",
            f"        return self.{a}.{b}({a}, {b}_id={rng.randrange(10**5)})",
            f'    "{a}": {{"id": {rng.randrange(10**6)}, "name": "{b}"}},',
            f"src/{a}/{b}.py:{rng.randrange(900)}:    {a} = {b}.{a}({b})",
        )
    )
