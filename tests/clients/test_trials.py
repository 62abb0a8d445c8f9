"""The made-up session of each client, with which `clew doctor` tries the hooks that are installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.clients.configured import ClientConfig
from clew.clients.hook_events import parse
from clew.clients.lines import read_file
from clew.clients.registry import CLIENTS, Family, Registry
from clew.core.records.transcript import Context, Prompt, Usage
from clew.interfaces.hook.wire import dialect_of

SESSION = "00000000-0000-4000-8000-00000000c1e3"
EACH = pytest.mark.parametrize("client", CLIENTS)


def family_of(client: str, tmp_path: Path, environment: dict[str, str] | None = None) -> tuple[Family, ClientConfig]:
    (family,) = (one for one in Registry(environment or {}, tmp_path, plugins=False).own if one.name == client)
    config = family.config()
    assert config
    return family, config


@EACH
def test_the_session_is_found_and_read_like_a_real_one(client: str, tmp_path: Path) -> None:
    """What hooks read of it must be there."""
    place, home = tmp_path / "place", tmp_path / "home"
    config = family_of(client, tmp_path)[1]
    path, data = config.recorded(session=SESSION, place=place, config=home)
    assert path.is_relative_to(home)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    given = config.trial("Stop", session=SESSION, place=place, config=home)
    family, _ = family_of(client, tmp_path, dict(given.environment))
    locator, reader = family.locator(), family.reader()
    assert locator and reader
    (found,) = locator.sessions_of(place)
    assert (found.session, str(found.path)) == (SESSION, json.loads(given.given)["transcript_path"])
    records = [record for batch in read_file(found.path, reader) for record in batch.records]
    assert {Prompt, Usage} <= {type(record) for record in records}
    assert {one.cwd for one in records if isinstance(one, Context) and one.cwd} == {str(place)}


@EACH
def test_a_trial_is_what_the_client_would_send(client: str, tmp_path: Path) -> None:
    """Fields and variables of the real client, which our own parsers understand, and none of the caller's."""
    config = family_of(client, tmp_path)[1]
    heard = getattr(dialect_of(client), "heard", lambda name, *_: name)
    for event in config.spec.events:
        given = config.trial(event, session="s-1", place=tmp_path, config=tmp_path / "home")
        told = json.loads(given.given)
        assert told["hook_event_name"] == event
        name = heard(event, told, lambda *_: b"", lambda _: {})
        found = parse(client, {**told, "hook_event_name": name}, given.environment)
        assert (found.session, found.folder, found.client) == ("s-1", str(tmp_path), client)
        assert name == "SubagentStop" or found.name != "other"
        assert all(map(config.is_own, given.environment))
    assert config.is_own("CLEW_TASK") and not any(map(config.is_own, ("HOME", "PATH", "XDG_DATA_HOME", "LANG")))
    assert all(map(config.is_own, [config.spec.asking]))
