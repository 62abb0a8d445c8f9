"""Files and folders as they should not be, through the installed command: a clear message, a stable code, exit code 1.

Never 2 (clients read it as "block"), never a traceback, never anything on stdout that could be taken for a payload.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from tests.app.worlds import project, snapshot
from tests.interfaces.cli.binary import clew
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo

GOOD = "`tide()` in src/a.py returns 10 now, because the moon was full"


def good(cwd: Path | str = "/nonexistent/tide") -> Recorder:
    return Recorder(cwd).user("Fix the tide").reply(f"{GOOD}.")


def _codex() -> bytes:
    rows = [
        {"timestamp": "2026-03-02T09:00:00Z", "type": "session_meta", "payload": {"id": "x", "cwd": "/x"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text"}]}},
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


# What a file holds, or how it comes to be, and the code that it is refused with.
BAD: dict[str, tuple[bytes | Callable[[Path], object], str]] = {
    "empty": (b"", "E-transcript-empty"),
    "binary": (bytes(range(256)) * 400, "E-transcript-unknown"),
    "gzip": (gzip.compress(good().text.encode()), "E-transcript-unknown"),
    "Codex session that holds nothing": (_codex(), "E-session-empty"),
    "Gemini session": (
        b'{\n "sessionId": "x",\n "messages": [{"type": "user", "content": "hi"}]\n}',
        "E-transcript-unknown",
    ),
    "nested 200,000 deep": (b"[" * 200_000 + b"]" * 200_000 + b"\n", "E-transcript-unknown"),
    "folder": (Path.mkdir, "E-transcript-unreadable"),
    "missing": (lambda _: None, "E-transcript-missing"),
    "link to itself": (lambda path: path.symlink_to(path), "E-transcript-unreadable"),
    "session without words": (b'{"type":"summary","summary":"x","leafUuid":"y"}\n', "E-session-empty"),
    "nothing but a torn line": (Recorder("/x").user("Fix the tide").torn().text.encode(), "E-transcript-unknown"),
}
if os.name == "posix":
    BAD["named pipe"] = (os.mkfifo, "E-transcript-unreadable")


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_is_no_session_is_refused(case: str, tmp_path: Path) -> None:
    """Whatever was named by mistake: one line says what is wrong with it, one what to do."""
    made, code = BAD[case]
    file = tmp_path / "session.jsonl"
    file.write_bytes(made) if isinstance(made, bytes) else made(file)
    done = clew("resume", "--from", "session.jsonl", home=tmp_path, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, b"")
    error, hint = done.stderr.decode().rstrip("\n").split("\n")
    assert re.fullmatch(rf"error: .*session\.jsonl.*  \[{code}\]", error)
    assert hint.startswith("hint: ")
    assert not done.stderr.count(b"Traceback")


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_a_ledger_whose_folder_may_not_be_entered_is_no_missing_one(tmp_path: Path) -> None:
    """`sudo clew init` once: a payload of the session alone, without the decisions, would look like a whole one."""
    bounds = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
    bounds = bounds if os.geteuid() == 0 else ()  # root is let in everywhere by a right that it can give up
    if bounds and not which("setpriv"):
        pytest.skip("root cannot be shut out here")
    repo = project(tmp_path / "tide")
    good(repo.top).save(tmp_path)
    assert 0 == clew("init", home=tmp_path, cwd=repo.top).returncode
    folder = repo.top / ".git" / "clew"
    folder.chmod(0)
    try:
        for arguments in (("resume",), ("status",), ("note", "goal", "Fix the tide"), ("init",)):
            done = clew(*arguments, home=tmp_path, cwd=repo.top, bounds=bounds)
            assert (done.returncode, done.stdout) == (1, b""), arguments
            assert f"the ledger {folder}".encode() in done.stderr
            assert done.stderr.split(b"\n")[0].endswith(b": Permission denied  [E-ledger-io]")
            assert f"ls -ld {folder}`".encode() in done.stderr
        done = clew("doctor", home=tmp_path, cwd=repo.top, bounds=bounds)
    finally:
        folder.chmod(0o700)
    assert 1 == done.returncode
    assert re.search(rb"WRONG +ledger .*Permission denied", done.stdout)


def test_a_session_file_is_named_by_the_id_that_a_document_prints(tmp_path: Path) -> None:
    """`clew resume --from 5e551011`: nobody has to dig in the client's folders."""
    repo = project(tmp_path / "tide")
    good(repo.top).save(tmp_path)
    done = clew("resume", "--from", "5e551011", home=tmp_path, cwd=repo.top)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"claude-code session 5e551011 " in done.stdout


HARMED: dict[str, Callable[[Recorder], str | bytes]] = {
    "half written": lambda story: story.user("And then the moon").torn().text,
    "not UTF-8": lambda story: (
        story.text.encode() + story.user("caf\xe9 crème").text.encode("latin-1").splitlines()[-1] + b"\n"
    ),
    "one deep line": lambda story: story.raw('{"type":"user","message":' + "[" * 100_000 + "]" * 100_000 + "}").text,
    "one line of 10 MB": lambda story: (
        story.user("Look at this: " + "data:image/png;base64," + "QUJD" * 2_500_000).text
    ),
    "noise at the end": lambda story: (
        story.text.encode() + bytes(range(256)) + b"\n{}\n[]\nnull\n" + b"\0" * 4096 + b"\n"
    ),
}


@pytest.mark.parametrize("case", HARMED)
def test_a_harmed_session_still_gives_what_it_holds(case: str, tmp_path: Path) -> None:
    """Nothing that can be read is given up for what cannot."""
    content = HARMED[case](good())
    (tmp_path / "session.jsonl").write_bytes(content if isinstance(content, bytes) else content.encode())
    done = clew("resume", "--from", "session.jsonl", "--json", home=tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["text"]
    assert "Fix the tide" in told
    assert GOOD in told or case == "one line of 10 MB"
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["🧵 tråd", "new\nline", "$(touch ran)`x`'\""])
def test_any_name_of_a_folder_and_a_file_will_do(name: str, tmp_path: Path) -> None:
    """Names are data: not split, not run, not printed raw."""
    repo = project(tmp_path / name)
    path = good(repo.top).write_to(tmp_path / f"{name}.jsonl")
    done = clew("resume", f"--from={path}", home=tmp_path, cwd=repo.top)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Fix the tide" in done.stdout
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.skipif(os.name != "posix", reason="names are bytes there only")
def test_a_name_that_is_not_utf8_will_do(tmp_path: Path) -> None:
    """Old archives bring them along."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    Path(os.fsdecode(path)).write_text(good().text)
    for more in ([], ["--json"]):
        done = clew("resume", "--from", path, *more, home=tmp_path, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    missing = clew("resume", "--from", path + b"x", home=tmp_path, cwd=tmp_path)
    assert missing.returncode == 1
    assert b"[E-transcript-missing]" in missing.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_unicode_gets_the_text_too(encoding: str, tmp_path: Path) -> None:
    """Consoles that know no “ or ✓ are still in use; a payload with a few "?" beats a fault."""
    path = good().write_to(tmp_path / "s.jsonl")
    done = clew("resume", "--from", path, home=tmp_path, cwd=tmp_path, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert b"Fix the tide" in done.stdout


@pytest.mark.parametrize("where", ["no repository", "no commits", "bare", "inside .git", "broken .git"])
def test_wherever_one_stands_the_answer_is_clear(where: str, tmp_path: Path) -> None:
    """People type commands in the wrong place all day."""
    folder = tmp_path / "place"
    folder.mkdir()
    if where == "bare":
        Repo(tmp_path / "x", make=False).top.mkdir()
        Repo(tmp_path / "x", make=False).git("init", "-q", "--bare", str(folder))
    elif where == "broken .git":
        (folder / ".git").write_text("gitdir: /nonexistent/\0/x\n")
    elif where != "no repository":
        Repo(folder)
    if where == "inside .git":
        folder = folder / ".git"
    done = clew("resume", home=tmp_path, cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"[E-no-session]" in done.stderr
    good(folder).save(tmp_path)
    done = clew("resume", home=tmp_path, cwd=folder)
    assert where in ("bare", "inside .git") or b"Fix the tide" in done.stdout


def test_a_folder_that_is_gone_under_our_feet_is_said(tmp_path: Path) -> None:
    """A work tree removed while a shell stood in it."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"import os,sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); sys.argv=['clew','resume']; "
    script += "from clew.interfaces.cli.main import main; main()"
    import subprocess
    import sys

    from tests.interfaces.cli.binary import environment

    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(tmp_path), cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b""), done.stderr
    assert b"Traceback" not in done.stderr
    assert b"[E-" in done.stderr


def test_the_command_writes_nothing(tmp_path: Path) -> None:
    """Not in the repository, not in the home, not even a cache."""
    home = tmp_path / "home"
    home.mkdir()
    repo = project(tmp_path / "tide", src__a_py="a = 1\n")
    good(repo.top).save(home)
    before = snapshot(home, repo.top)
    assert clew("resume", home=home, cwd=repo.top).returncode == 0
    assert clew("show", home=home, cwd=repo.top).returncode == 0
    assert before == snapshot(home, repo.top)
