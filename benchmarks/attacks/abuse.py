"""Hooks that are given anything but what a client sends: they end with 0, and say nothing or one JSON object."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

from tests.interfaces.hook.hooks import EVENTS, Hooks, called, installed

from benchmarks.attacks.trial import Trial

_SHIMS = (b"def main(:", b"\0\xff" * 40, b"", b"import nowhere")


def abused(count: int, seed: int) -> Trial:
    """`count` runs: drawn events with drawn input, every twentieth with a damaged start of hooks."""
    chance, broke = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder:
        hooks = installed(Path(folder).resolve())
        shim = hooks.data / "clewhook.py"
        whole = shim.read_bytes()
        for number in range(count):
            event = chance.choice(EVENTS)
            shim.write_bytes(chance.choice(_SHIMS) if number % 20 == 0 else whole)
            given = _given(chance, hooks)
            said = hooks.run(event, given)
            if said.code or said.err or (said.out and not _is_object(said.out)):
                broke.append(f"{event} with {given[:40]!r}: exit {said.code} {said.err[-60:]!r}")
    return Trial("hooks given anything", count, tuple(broke))


def _given(chance: random.Random, hooks: Hooks) -> bytes:
    whole = json.dumps(called(hooks, "Bash", {"command": "npm test"})).encode()
    way = chance.randrange(7)
    if way == 0:
        return chance.randbytes(chance.randrange(2_000))
    if way == 1:
        return whole[: chance.randrange(len(whole))]
    if way == 2:
        return b"[" * chance.choice((10, 100_000))
    if way == 3:
        return json.dumps(
            chance.choice((None, 1, [], "x", {"tool_input": [[]] * 3}, {"cwd": 7, "session_id": {}}))
        ).encode()
    if way == 4:
        return whole.replace(b'"npm test"', b'"' + b"$(" * chance.choice((5, 20_000)) + b'"')
    if way == 5:
        damaged = bytearray(whole)
        for _ in range(8):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        return bytes(damaged)
    return b"" if chance.random() < 0.5 else whole * 50


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
