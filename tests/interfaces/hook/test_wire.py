"""What stands on a hook's stdin is anybody's: no input makes it fail, speak or hang."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.interfaces.hook import wire
from tests.interfaces.hook.hooks import EVENTS, SESSION, SILENCE, Hooks, called, installed

GARBAGE = {
    "nothing": b"",
    "no JSON": b"hello",
    "half of one": b'{"session_id": "abc", "tool_input": {"comm',
    "two": b"{}{}",
    "binary": bytes(range(256)) * 64,
    "a list": b"[1, 2, 3]",
    "a number": b"NaN",
    "deep": b'{"a":' * 100_000,
    "deep lists": b"[" * 100_000 + b"]" * 100_000,
    "a huge number": b'{"duration_ms": ' + b"9" * 10_000 + b"}",
    "other types": b'{"session_id": 7, "tool_input": [], "transcript_path": {}, "cwd": null, "workspace": 1}',
    "NUL and odd paths": json.dumps(
        {
            "session_id": SESSION,
            "transcript_path": "/a\0b",
            "cwd": "\0",
            "tool_name": "Read",
            "tool_input": {"file_path": "/a\0b\udcff"},
            "duration_ms": "soon",
            "agent_type": "",
            "last_assistant_message": ["no text"],
            "context_window": {"used_percentage": "many"},
            "workspace": {"project_dir": "/\0"},
        }
    ).encode(),
    "a session that is a path": json.dumps({"session_id": "../../../etc", "tool_name": "Read"}).encode(),
}


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    return installed(tmp_path)


@pytest.mark.parametrize("event", EVENTS)
def test_garbage_on_stdin_is_answered_with_nothing(hooks: Hooks, event: str):
    """A client of another version, or one that is killed while it writes."""
    for name, data in GARBAGE.items():
        assert SILENCE == hooks.run(event, data), name
    assert not (hooks.live / "broken").exists(), (hooks.live / "broken").read_text()
    assert all(trace.startswith(("root", "beats/", f"sessions/{SESSION}")) for trace in hooks.traces())


@pytest.mark.parametrize("event", ["PostToolUse", "PreToolUse"])
def test_a_huge_input_is_read_to_its_end(hooks: Hooks, event: str):
    """A tool returned a file of 20 MB: whoever writes into our pipe must get rid of it all."""
    event_ = called(hooks, "Bash", {"command": "cat core"}, tool_response={"stdout": "é\\" * (7 << 20)})
    assert SILENCE == hooks.run(event, event_)


def test_a_client_that_writes_slowly_is_waited_for(hooks: Hooks):
    """An event may come in pieces: half of one is not an event."""
    data = json.dumps(called(hooks, "Read", {"file_path": __file__}))
    slow = f"import time\nfor part in {[data[:100], data[100:]]!r}:\n time.sleep(0.2)\n print(part, end='', flush=True)"
    with subprocess.Popen([*hooks.command("x")[:1], "-c", slow], stdout=subprocess.PIPE) as client:
        done = subprocess.run(
            hooks.command("PostToolUse"), stdin=client.stdout, capture_output=True, env=hooks.environment(), timeout=60
        )
    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)
    assert __file__ in (hooks.session / "seen").read_text()


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure", "SubagentStop", "PreToolUse"])
def test_a_hook_that_ran_leaves_a_beat(hooks: Hooks, event: str):
    """Hooks that silently never run are what makes capture fail unseen: doctor and the status line look here."""
    hooks.run(event, called(hooks, "Read", {"file_path": __file__}))
    assert f"beats/{event}" in hooks.traces()
    (hooks.live / "beats" / event).touch()
    past = 1_000_000_000
    os.utime(hooks.live / "beats" / event, (past, past))
    hooks.run(event, called(hooks, "Read", {"file_path": __file__}))
    assert (hooks.live / "beats" / event).stat().st_mtime > past


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), PLAIN, max_size=4), st.booleans())
def test_events_are_read_as_json_says(value: dict[str, object], ascii_only: bool):
    """The C scanner is driven by hand, for `json` costs as much as a whole start of Python."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = json.dumps(value).encode()
    assert value == wire.parsed(data)
    assert value == wire.parsed(b"\xef\xbb\xbf \r\n" + data + b"\n")
    assert {} == wire.parsed(data + b"x")


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:\\u0123 ntf-eE.', max_size=60).map(str.encode))
def test_what_is_no_object_is_an_empty_one(data: bytes):
    """Whatever it is, the hook goes on without it."""
    found = wire.parsed(data)
    assert isinstance(found, dict)
    if found:
        assert found == json.loads(data.decode("utf-8", "replace").strip("\ufeff \t\r\n"), strict=False)
