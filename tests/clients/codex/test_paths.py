"""Where sessions are found: by the folder in their first line, whatever the path says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from clew.clients.codex.paths import CodexLocator
from clew.clients.codex.reader import READER
from clew.clients.codex.spec import SPEC
from clew.clients.lines import read_file
from clew.clients.places import size_of

from .recordings import HELPER, OLDER, meta

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAME = "rollout-2026-03-02T09-00-{:02}-5e551011-0000-7000-8000-0000000000{:02}.jsonl"


def rollout(home: Path, number: int, text: str, day: str = "02") -> Path:
    path = home / "sessions" / "2026" / "03" / day / NAME.format(number, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(home: Path, folder: str) -> list[str]:
    return sorted(one.path.name for one in CodexLocator(home).sessions_of(Path(folder)))


def test_sessions_of_a_folder_and_below_are_found(tmp_path: Path) -> None:
    """A folder whose name only begins alike is another project."""
    here = rollout(tmp_path, 1, meta("/w/tide"))
    below = rollout(tmp_path, 2, meta("/w/tide/docs"), day="03")
    rollout(tmp_path, 3, meta("/w/tide-old"))
    assert found(tmp_path, "/w/tide") == [here.name, below.name]
    assert found(tmp_path, "/w/tide/") == [here.name, below.name]
    assert found(tmp_path, "/w/none") == []
    [one] = [one for one in CodexLocator(tmp_path).sessions_of(Path("/w/tide")) if one.path == here]
    assert (one.client, one.session) == ("codex", "5e551011-0000-7000-8000-000000000001")
    assert (one.size, one.modified_ns) == (here.stat().st_size, here.stat().st_mtime_ns)


def test_an_archived_session_is_still_one(tmp_path: Path) -> None:
    """The user put it away; what was decided in it holds."""
    place = tmp_path / "archived_sessions" / NAME.format(1, 1)
    place.parent.mkdir()
    place.write_text(meta("/w/tide"))
    assert found(tmp_path, "/w/tide") == [place.name]


def compressed(path: Path, *, tells_its_length: bool) -> None:
    """As the client does it: the file is written again beside the plain one, which goes."""
    if tells_its_length:
        path.with_name(path.name + ".zst").write_bytes(zstd.compress(path.read_bytes()))
    else:
        with zstd.open(path.with_name(path.name + ".zst"), "wb") as file:
            file.write(path.read_bytes())
    path.unlink()


@pytest.mark.parametrize("tells_its_length", [True, False])
def test_a_compressed_session_is_the_one_that_it_was(tmp_path: Path, tells_its_length: bool) -> None:
    """It has its address and size, and gives the records and places that it gave."""
    path = rollout(tmp_path, 1, OLDER.read_text())
    folder = json.loads(path.read_text().split("\n")[0])["payload"]["cwd"]
    [before] = CodexLocator(tmp_path).sessions_of(Path(folder))
    told = list(read_file(path, READER))
    compressed(path, tells_its_length=tells_its_length)
    [after] = CodexLocator(tmp_path).sessions_of(Path(folder))
    assert after._replace(modified_ns=0) == before._replace(modified_ns=0)
    assert list(read_file(after.path, READER)) == told
    assert list(read_file(after.path, READER, told[-1].offset))[-1].records == []
    assert size_of(after.path) == before.size
    [counted] = CodexLocator(tmp_path).usage_files()
    assert counted.path == path


def test_a_session_that_is_there_in_both_forms_is_one(tmp_path: Path) -> None:
    path = rollout(tmp_path, 1, meta("/w/tide"))
    text = path.read_text()
    compressed(path, tells_its_length=True)
    path.write_text(text + "{}\n")
    [one] = CodexLocator(tmp_path).sessions_of(Path("/w/tide"))
    assert one.size == path.stat().st_size


def test_a_damaged_compressed_session_stops_no_other(tmp_path: Path) -> None:
    """It is told where it is read; one whose beginning is not text is none of a project's."""
    good = rollout(tmp_path, 1, meta("/w/tide"))
    bad = rollout(tmp_path, 2, meta("/w/tide") + "x" * 200_000)
    lost = rollout(tmp_path, 3, meta("/w/tide"))
    compressed(bad, tells_its_length=True)
    compressed(lost, tells_its_length=True)
    cut = bad.with_name(bad.name + ".zst")
    cut.write_bytes(cut.read_bytes()[:-8])
    lost.with_name(lost.name + ".zst").write_bytes(b"no zstd")
    assert good.name in found(tmp_path, "/w/tide") and lost.name not in found(tmp_path, "/w/tide")
    with pytest.raises(OSError, match="damaged"):
        list(read_file(bad, READER))


def test_what_sub_agents_did_is_left_out(tmp_path: Path) -> None:
    """Their files lie beside the sessions. A fork by the user is a session, and so is one of an app."""
    rollout(tmp_path, 1, HELPER.read_text())
    rollout(tmp_path, 2, meta("/repo", source={"subagent": "review"}))
    rollout(tmp_path, 3, meta("/repo", parent_thread_id="5e55"))
    rollout(tmp_path, 4, meta("/repo", source={"internal": "memory_consolidation"}))
    fork = rollout(tmp_path, 5, meta("/repo", forked_from_id="5e55"))
    app = rollout(tmp_path, 6, meta("/repo", source={"custom": "an app"}))
    assert found(tmp_path, "/repo") == [fork.name, app.name]


def test_a_long_first_line_is_read_as_far_as_needed(tmp_path: Path) -> None:
    """Instructions stand in it, and could quote a folder; nothing promises the order of its fields."""
    text = 'base {"cwd": "/w/fooled", "source": {"subagent": 1}} ' + "x" * 30_000
    late = {"base_instructions": {"text": text}, "id": "5e55", "cwd": '/w/ti"de', "source": "cli"}
    last = rollout(tmp_path, 1, json.dumps({"type": "session_meta", "payload": late}) + "\n")
    first = rollout(tmp_path, 2, meta("/w/tide", base_instructions={"text": text}))
    older = rollout(tmp_path, 3, OLDER.read_text())
    assert found(tmp_path, '/w/ti"de') == [last.name]
    assert found(tmp_path, "/w/tide") == [first.name, older.name]
    assert found(tmp_path, "/w/fooled") == []


def test_what_is_no_session_is_passed_over(tmp_path: Path) -> None:
    """Other files, folders, garbage, and a file that is not written yet: that one is looked at again."""
    rollout(tmp_path, 1, "\0 garbage")
    young = rollout(tmp_path, 2, "")
    (tmp_path / "sessions" / "notes.txt").write_text("x")
    (tmp_path / "sessions" / "2026" / "03" / "02" / NAME.format(3, 3)).mkdir()
    locator = CodexLocator(tmp_path)
    assert list(locator.sessions_of(Path("/w/tide"))) == []
    young.write_text(meta("/w/tide"))
    assert [one.path for one in locator.sessions_of(Path("/w/tide"))] == [young]
    assert list(CodexLocator(tmp_path / "none").sessions_of(Path("/w/tide"))) == []


def test_settings_are_the_users_and_the_projects() -> None:
    """What can switch a gate off must not be edited by an agent."""
    told = [str(path) for path in SPEC.settings_of(Path("/h/.codex"), Path("/w/tide"))]
    assert told == [f"{top}/.codex/{name}" for top in ("/h", "/w/tide") for name in ("config.toml", "hooks.json")]
