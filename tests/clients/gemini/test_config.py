"""What the client's settings say: are our hooks there, how long are sessions kept, when is the context dropped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.configured import Configuration
from clew.clients.gemini.settings import WINDOW, GeminiConfig

CONFIG = GeminiConfig(Path("/home/dev/.gemini"))
USER, PROJECT = CONFIG.files(Path("/repo"))
HOOK = {"type": "command", "name": "clew", "command": "python3 -c clewhook gemini AfterTool", "timeout": 5000}


def read(*texts: Any) -> Configuration:
    """What holds with these settings of the user and the project, as values or as bytes."""
    found = [text if isinstance(text, bytes) else json.dumps(text).encode() for text in texts]
    return CONFIG.read(list(zip((USER, PROJECT), found, strict=False)), {})


def test_our_hooks_are_found_among_others() -> None:
    """Also those of a file with comments, which the client takes."""
    theirs = {"hooks": [{"type": "command", "command": "other"}, {"type": "command"}, 7]}
    found = read({"hooks": {"AfterTool": [theirs, {"hooks": [HOOK]}], "enabled": True, "odd": [None]}})
    assert [(one.event, one.arguments, one.timeout_s) for one in found.hooks] == [
        ("AfterTool", ("-c", "clewhook", "gemini", "AfterTool"), 5)
    ]
    text = f'// mine\n{{"hooks": {{"AfterTool": [{{"hooks": [{json.dumps(HOOK)}]}}]}}}}'
    assert [one.event for one in read(text.encode()).hooks] == ["AfterTool"] and not read(text.encode()).problems


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{", "is not JSON (line 1"),
        (b"[]", "is not a JSON object"),
        (b"\xff", "is not UTF-8"),
        (b'{"hooksConfig": {"enabled": false}}', "switches all hooks off"),
        (b'{"hooks": {"enabled": false}}', "switches all hooks off"),
        (b'{"hooksConfig": {"disabled": ["x", "clew"]}}', "switches our hooks off"),
    ],
)
def test_what_keeps_hooks_from_running_is_told(text: bytes, said: str) -> None:
    """A hook that is skipped looks like one that has nothing to say."""
    (problem,) = read({}, text).problems
    assert said in problem.said and str(PROJECT) in problem.said and problem.mend.endswith(".")


@pytest.mark.parametrize(
    ("retention", "expected"),
    [
        ({"enabled": False}, (0, True)),
        ({"maxAge": "7d"}, (7, True)),
        ({"maxAge": "36h"}, (1, True)),
        ({"maxAge": "2w"}, (14, True)),
        ({"maxAge": "never"}, (30, False)),
        ({"maxAge": 7, "enabled": "no"}, (30, False)),
        ("odd", (30, False)),
    ],
)
def test_how_long_sessions_are_kept(retention: Any, expected: tuple[int, bool]) -> None:
    """Who wants them later must know when they go. 0 is for ever."""
    found = read({"general": {"sessionRetention": retention}})
    assert (found.retention_days, found.retention_said) == expected


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [(0.2, (round(0.2 * WINDOW), True)), (1, (WINDOW, False)), (0, (0, True)), ("0.2", (0, True)), (True, (0, True))],
)
def test_when_the_context_is_dropped(threshold: Any, expected: tuple[int, bool]) -> None:
    """The client does it at a share of the model's window; what the project says wins."""
    found = read({"model": {"compressionThreshold": 0.7}}, {"model": {"compressionThreshold": threshold}})
    fallback = (round(0.7 * WINDOW), True)
    assert (found.compact_window, found.compacts) == (expected if expected[0] else fallback)
