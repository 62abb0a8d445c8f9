"""Where sessions lie, and whose they are."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from clew.clients.gemini.paths import GeminiLocator, folder_of
from clew.clients.gemini.reader import GeminiReader
from clew.core.records.transcript import Context
from tests.clients.gemini.recordings import of

ID = "7b1e6c52-93a4-4c7e-8f10-2d5a9be04c31"


def hashed(folder: str | Path) -> str:
    return sha256(str(folder).encode()).hexdigest()


def chat(root: Path, project: str, name: str = "session-2026-03-02T09-00-7b1e6c52.jsonl", *, said: str = "Hi") -> Path:
    """A session file in the client's folder `root`."""
    path = root / "tmp" / project / "chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {"sessionId": ID, "projectHash": "00", "startTime": "2026-03-02T09:00:00.000Z"}
    said_by = {"id": "u", "timestamp": "2026-03-02T09:00:01.000Z", "type": "user", "content": said}
    path.write_text(f"{json.dumps(header)}\n{json.dumps(said_by)}\n", encoding="utf-8")
    return path


def owned(root: Path, project: str, folder: Path | str) -> None:
    (root / "tmp" / project).mkdir(parents=True, exist_ok=True)
    (root / "tmp" / project / ".project_root").write_text(str(folder), encoding="utf-8")


def found(root: Path, folder: Path | str) -> list[Path]:
    return [one.path for one in GeminiLocator(root).sessions_of(Path(folder))]


def test_sessions_are_found_by_their_folder_and_below(tmp_path: Path) -> None:
    """Two folders of one name have two projects."""
    here, below, other = chat(tmp_path, "till"), chat(tmp_path, "api"), chat(tmp_path, "till-1")
    owned(tmp_path, "till", "/w/till")
    owned(tmp_path, "api", "/w/till/api")
    owned(tmp_path, "till-1", "/w/tilly")
    assert sorted(found(tmp_path, "/w/till")) == sorted([here, below])
    assert found(tmp_path, "/w/tilly") == [other]
    assert len(found(tmp_path, "/")) == 3
    assert found(tmp_path, "/w/none") == []


def test_the_list_of_projects_says_it_too(tmp_path: Path) -> None:
    """Older versions had no file beside the sessions."""
    path = chat(tmp_path, "till")
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/w/till": "till", "/w/x": 7}}), encoding="utf-8")
    assert found(tmp_path, "/w/till") == [path]
    assert found(tmp_path, "/w/x") == []
    (tmp_path / "projects.json").write_text("{ torn", encoding="utf-8")
    assert found(tmp_path, "/w/till") == [path]  # nobody knows: what the session says decides


def test_the_oldest_name_a_project_by_its_hash(tmp_path: Path) -> None:
    """Nothing else says where they ran."""
    path = chat(tmp_path, hashed("/w/till"))
    assert found(tmp_path, "/w/till") == [path]
    assert found(tmp_path, "/w/other") == []
    assert found(tmp_path, "/") == [path]


def test_a_session_is_told_once_and_by_its_whole_id(tmp_path: Path) -> None:
    """The file's name has the beginning of the id; a resume leaves a second file behind, an upgrade a first one."""
    old = chat(tmp_path, "till", "session-2026-03-02T09-00-7b1e6c52.json", said="x" * 900)
    path = chat(tmp_path, "till", said="x" * 400)
    chat(tmp_path, "till", "session-2026-03-04T10-00-7b1e6c52.jsonl", said="")
    (path.parent / ID).mkdir()
    (path.parent / ID / "0879600f.jsonl").write_text("{}", encoding="utf-8")  # of a sub-agent
    (path.parent / "session-x.jsonl.unreadable-1").write_text("{}", encoding="utf-8")
    owned(tmp_path, "till", "/w/till")
    os.utime(path, ns=(1_700_000_000_123_000_000, 1_700_000_000_123_000_000))
    (one,) = GeminiLocator(tmp_path).sessions_of(Path("/w/till"))
    assert (one.client, one.session, one.path) == ("gemini", ID, path) != ("gemini", ID, old)
    assert one.size == 1_700_000_000_123  # it is rewritten: only its time tells that it changed
    path.write_bytes(b"")
    old.unlink()
    assert {one.size for one in GeminiLocator(tmp_path).sessions_of(Path("/w/till"))} > {0}


def test_what_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    """Another program's leavings must not end a search."""
    assert found(tmp_path / "nowhere", "/w/till") == []
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "file").write_text("x", encoding="utf-8")
    path = chat(tmp_path, "till")
    owned(tmp_path, "till", "/w/till")
    (path.parent / "session-folder.jsonl").mkdir()
    (path.parent / "session-gone.jsonl").symlink_to(tmp_path / "gone")
    (path.parent / "session-odd.jsonl").write_bytes(b"\xff\0")
    names = {one.session for one in GeminiLocator(tmp_path).sessions_of(Path("/w/till"))}
    assert names == {ID, "odd"}


@pytest.mark.parametrize("depth", ["", "7b1e6c52"], ids=["main", "sub-agent"])
def test_the_reader_knows_the_folder_from_around_the_file(tmp_path: Path, depth: str) -> None:
    """Not every session says where it ran, but it says which hash that has."""
    path = chat(tmp_path, "till", str(Path(depth, "session-1.jsonl")) if not depth else "session-1.jsonl")
    if depth:
        (path.parent / depth).mkdir()
        path = path.rename(path.parent / depth / "a.jsonl")
    assert folder_of(path, "") == ""
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/w/a": "x", "/w/b": "y"}}), encoding="utf-8")
    assert folder_of(path, hashed("/w/b")) == "/w/b"
    owned(tmp_path, "till", "/w/till")
    assert folder_of(path, "00") == "/w/till"
    assert {one.cwd for one in of(Context, path)} == {"/w/till"}
    assert GeminiReader().recognises(path.read_bytes())
    assert folder_of(tmp_path / "elsewhere.jsonl", "00") == ""
