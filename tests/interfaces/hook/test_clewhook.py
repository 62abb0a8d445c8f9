"""The shim: whatever is gone or broken, nobody is blocked and nobody hears of it from the shim."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core import runtime_dir as live
from clew.interfaces.hook import clewhook
from tests.interfaces.hook.hooks import EVENTS, PACKAGE, SILENCE, Hooks, Said, called, installed

EVERY_EVENT = pytest.mark.parametrize("event", EVENTS)


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    return installed(tmp_path)


@given(st.lists(st.sampled_from(["home", "é x", "..", "=clew", "", ".", "a:b", "a\\b"]), max_size=4).map("/".join))
def test_the_shim_and_the_program_mean_the_same_live_folder(place: str):
    """The shim has a copy of the rule; if the two differed, hooks would find a place that nobody opted in, or none."""
    for path in (place, "/" + place):
        mine = clewhook.live_folder("/data/clew", path)
        if ":" not in path and "\\" not in path:
            assert live.live_folder("/data/clew", path) == mine
        assert "/../" not in mine


@EVERY_EVENT
def test_a_place_that_nobody_opted_in_is_left_alone(hooks: Hooks, tmp_path: Path, event: str):
    """Hooks stand in the user's settings and run everywhere: other projects see nothing of clew, and pay nothing."""
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").mkdir()
    environment = {**hooks.environment(), "CLAUDE_PROJECT_DIR": str(other)}
    before = sorted(hooks.data.rglob("*"))
    event_of_it = {**called(hooks, "Bash", {"command": "ls"}), "cwd": str(other)}
    assert SILENCE == hooks.run(event, event_of_it, environment=environment)
    assert before == [path for path in sorted(hooks.data.rglob("*")) if "__pycache__" not in str(path)]
    assert list(other.iterdir()) == [other / ".git"]


@EVERY_EVENT
@pytest.mark.parametrize("gone", ["data", "shim", "package named", "package", "live folder"])
def test_what_is_gone_is_gone_in_silence(hooks: Hooks, event: str, gone: str):
    """Somebody removes clew while a session runs: every call and every end goes through (exit 2 would block them)."""
    if gone == "data":
        shutil.rmtree(hooks.data)
    elif gone == "shim":
        (hooks.data / "clewhook.py").unlink()
    elif gone == "package named":
        (hooks.data / "package").unlink()
    elif gone == "package":
        (hooks.data / "package").write_text("/nowhere/site-packages\n")
    else:
        shutil.rmtree(hooks.live)
    assert SILENCE == hooks.run(event, called(hooks, "Read", {"file_path": "/etc/hosts"}))


@pytest.mark.parametrize(
    "text", ["raise RuntimeError('a secret: hunter2')", "def broken(:", "import nowhere_to_be_found"]
)
def test_a_failure_leaves_a_word_and_no_text_of_anybody(hooks: Hooks, tmp_path: Path, text: str):
    """A half-done upgrade: the call goes ahead, and the next prompt can tell what failed and where, but not what was
    in it."""
    package = tmp_path / "upgraded"
    shutil.copytree(PACKAGE, package / "clew", ignore=lambda _, names: {"__pycache__"} & {*names})
    (package / "clew" / "interfaces" / "hook" / "marks.py").write_text(text)
    (hooks.data / "package").write_text(f"{package}\n")
    assert SILENCE == hooks.run("PostToolUse", called(hooks, "Read", {"file_path": "/etc/hosts"}))
    word = (hooks.live / "broken").read_text()
    assert word.startswith("claude-code PostToolUse ")
    assert "hunter2" not in word
    assert ".py:" in word.split()[3]


def test_a_damaged_shim_is_silent(hooks: Hooks):
    """A disk that was full when it was copied: every call of every tool came with a traceback."""
    for damage in (b"def main(:", b"\0\xff" * 40, b"1/0", b"", b"\xff"):
        (hooks.data / "clewhook.py").write_bytes(damage)
        assert SILENCE == hooks.run("PostToolUse", called(hooks, "Bash", {"command": "ls"})), damage


@pytest.mark.parametrize("name", ["package", "=clew/broken", "=clew/gates.json", "=clew/beats/claude-code.PreToolUse"])
def test_a_pipe_in_place_of_a_file_holds_nobody_up(hooks: Hooks, name: str):
    """Nobody writes into it, so whoever opened it as a file would wait for ever."""
    file = hooks.live / name.removeprefix("=clew/") if "/" in name else hooks.data / name
    file.unlink(missing_ok=True)
    file.parent.mkdir(exist_ok=True)
    subprocess.run(["mkfifo", file], check=True)
    for event in ("PreToolUse", "PostToolUse", "UserPromptSubmit"):
        assert 0 == hooks.run(event, called(hooks, "Bash", {"command": "ls"})).code


@pytest.mark.parametrize("shut", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "</dev/null >/dev/full"])
@pytest.mark.parametrize("event", ["PostToolUse", "PreToolUse", "UserPromptSubmit", "Stop", "statusline"])
def test_closed_streams_stop_nothing(hooks: Hooks, shut: str, event: str):
    """A client that is being killed closes its ends; Python's own complaint at exit would be exit code 120."""
    (hooks.session).mkdir(parents=True)
    done = subprocess.run(
        ["sh", "-c", f'"$@" {shut}', "sh", *hooks.command(event)],
        input=json.dumps(called(hooks, "Bash", {"command": "ls"})).encode(),
        capture_output=True,
        env=hooks.environment(),
        timeout=60,
    )
    assert Said(0, "", "") == Said(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    "arguments",
    [[], ["claude-code"], ["claude-code", "NoSuchEvent"], ["other-client", "PostToolUse"], ["claude-code", "\udcff"]],
)
def test_a_command_line_that_is_none_is_answered_with_nothing(hooks: Hooks, arguments: list[str]):
    """Somebody edits the settings, or an older clew put them there."""
    command = [*hooks.command("x")[:-2], *arguments]
    done = subprocess.run(command, input=b"{}", capture_output=True, env=hooks.environment(), timeout=60)
    assert SILENCE == Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_failure_of_no_place_leaves_its_word_nowhere(hooks: Hooks):
    """Where root runs the client, as in many containers, the word became a file at the top of the file system."""
    *before, start, client, _ = hooks.command("x")
    seen = "name == 'open' and args[0] == '/broken' and posix.write(2, b'opened')"
    watch = f"import posix, sys; sys.addaudithook(lambda name, args: {seen}); "
    done = subprocess.run([*before, watch + start, client], capture_output=True, env=hooks.environment(), timeout=60)
    assert SILENCE == Said(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    "place", [None, "", "relative", "/", "/..", "/tmp/../etc", "/no/such/place", "/x\n/y", "/" + "a" * 5000, "/\udcff"]
)
def test_a_place_that_is_none_is_nobodys(hooks: Hooks, place: str | None):
    """The variable is the client's: it may be missing or odd, and must lead nowhere else."""
    environment = {name: value for name, value in hooks.environment().items() if name != "CLAUDE_PROJECT_DIR"}
    if place is not None:
        environment["CLAUDE_PROJECT_DIR"] = place
    for event in ("PostToolUse", "SessionStart"):
        assert SILENCE == hooks.run(event, called(hooks, "Bash", {}), environment=environment)
    assert {"root"} == hooks.traces()


def test_a_live_folder_that_cannot_be_written_stops_nothing(hooks: Hooks):
    """Rights taken away, or a disk mounted for reading: no mark is left, and nothing is said."""
    for name in ("beats", "sessions"):
        (hooks.live / name).write_text("a file where a folder should be")
    for event in ("PostToolUse", "UserPromptSubmit", "SubagentStop"):
        assert 0 == hooks.run(event, called(hooks, "Read", {"file_path": __file__}))[0]
    assert SILENCE == hooks.run("PostToolUse", called(hooks, "Read", {"file_path": __file__}))


def _name_space(mount: str) -> list[str]:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("this system lets nobody make a name space of mounts")
    return ["unshare", "-rm", "sh", "-ec", f'{mount} && exec "$@"', "sh"]


@pytest.mark.parametrize("event", ["PostToolUse", "PreToolUse", "UserPromptSubmit", "SubagentStop", "statusline"])
def test_a_file_system_that_is_mounted_for_reading_stops_nothing(hooks: Hooks, event: str):
    """The system's own error, for the marks as for Python's own caches."""
    (hooks.session).mkdir(parents=True)
    (hooks.session / "started").touch()
    here = hooks.data.parent.parent
    wrapped = _name_space(f'mount --bind "{here}" "{here}" && mount -o remount,bind,ro "{here}"')
    assert SILENCE == hooks.run(event, called(hooks, "Read", {"file_path": __file__}), wrapped_in=wrapped)
    assert {"root", f"sessions/{hooks.session.name}/started"} == hooks.traces()


@pytest.mark.parametrize("event", ["PostToolUse", "UserPromptSubmit", "SubagentStop"])
def test_a_full_disk_stops_nothing(hooks: Hooks, event: str):
    """Files can be made but nothing fits in them: what is left out is left out whole, and the next look copes."""
    (hooks.session).mkdir(parents=True)
    (hooks.session / "started").touch()
    full = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"]
    words = called(hooks, "Read", {"file_path": __file__}, agent_type="", last_assistant_message="all is well")
    assert SILENCE == hooks.run(event, words, wrapped_in=full)
    assert SILENCE == hooks.run(event, words)


def test_a_full_program_that_prints_in_vain_is_no_failure_of_clew(hooks: Hooks):
    """A reader that is gone is nobody's fault: no word is left, and no warning said at the next prompt."""
    event = json.dumps({"session_id": hooks.session.name, "source": "startup", "cwd": str(hooks.project)}).encode()
    full = 'exec "$@" >/dev/full'
    assert SILENCE == hooks.run("SessionStart", event, wrapped_in=["sh", "-c", full, "sh"])
