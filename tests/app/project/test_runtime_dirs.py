"""Live folders on disk."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.app.project import runtime_dirs as places
from clew.app.project.location import locate
from tests.app.hooks.hooked import EARLIER, GONE, NOW, OTHER, Hooked


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    """The project, opted in."""
    return Hooked(tmp_path)


def test_a_session_is_found_by_its_client_s_process(world: Hooked) -> None:
    """A client may name its session to nothing that it starts, and its agent confirms from its own shell."""
    world.start(session=OTHER, pid=GONE)
    world.start(session=NOW, pid=os.getpid())
    assert NOW == places.session_above(world.data, [GONE + 1, os.getpid(), GONE])
    assert "" == places.session_above(world.data, [GONE + 1])
    places.leave(world.live, NOW)
    assert "" == places.session_above(world.data, [os.getpid()])


def test_what_was_taken_away_is_not_made_again(tmp_path: Path) -> None:
    """`clew uninstall` ran while a hook did."""
    with pytest.raises(OSError):
        places.write_small(str(tmp_path / "gone" / "line"), "x")
    assert not (tmp_path / "gone").exists()
    assert not places.set_aside(str(tmp_path / "live"), NOW)


@pytest.mark.skipif(os.name != "posix", reason="there are no such files here")
def test_a_pipe_in_the_place_of_a_file_is_waited_for_by_nobody(world: Hooked) -> None:
    """Anything can lie in a folder of the user's; a hook that waits for it stops the client."""
    world.start(session=OTHER)
    for file in (*world.session(OTHER).iterdir(), Path(world.live, "gates.json")):
        file.unlink()
        os.mkfifo(file)
    assert "" == places.read_small(f"{world.live}/gates.json")
    held = os.open(f"{world.live}/gates.json", os.O_RDWR)  # somebody who may write, and does not
    assert "" == places.read_small(f"{world.live}/gates.json")
    os.close(held)
    world.start(session=OTHER)
    world.start(session=NOW)
    assert Path(world.live, "gates.json").is_file(), "and it is mended where it can be"


def test_a_session_s_folder_goes_with_all_that_is_in_it(world: Hooked) -> None:
    """Two weeks after the last thing that happened in it."""
    world.start(session=OTHER)
    old = world.session(OTHER)
    (old / "seen").write_text("x")
    for file in old.iterdir():
        os.utime(file, (0, 0))
    places.prune(world.live, 15 * 86_400, but=NOW)
    assert not old.exists()


def test_a_process_that_outlives_its_sessions_keeps_none_of_them_live(world: Hooked) -> None:
    """A daemon serves many sessions and never ends: each that it ever served would be announced for ever."""
    for session in (OTHER, NOW):
        world.start(session=session, pid=os.getpid())

    def live(now_s: float) -> list[tuple[str, bool]]:
        found = places.running(str(world.data), locate(world.top), now_s, but="")
        return [(one.session, one.sure) for one in found]

    def last_did(session: str, at_s: float) -> None:
        for file in world.session(session).iterdir():
            os.utime(file, (at_s, at_s))

    last_did(OTHER, 1_000)
    last_did(NOW, 5_000)
    assert live(5_001) == [(NOW, True)]
    assert live(1_000 + places.QUIET_S - 1) == [(NOW, True), (OTHER, False)]
    assert live(5_000 + places.IDLE_S - 1) == [(NOW, True)]
    assert live(5_000 + places.IDLE_S + 1) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell which terminal is whose")
def test_a_daemon_whose_terminal_is_gone_keeps_no_complete_turn_live(world: Hooked) -> None:
    """Somebody leaves one client and goes on in another: the first one's daemon keeps the session for a minute."""
    wait = [sys.executable, "-c", "import time; time.sleep(60)"]
    sit = [
        sys.executable,
        "-c",
        "import os; os.open(os.ttyname(0), os.O_RDWR); print(flush=True); import time; time.sleep(60)",
    ]
    master, terminal = pty.openpty()
    with ExitStack() as stack:
        daemon = stack.enter_context(subprocess.Popen(wait, start_new_session=True, stdin=subprocess.DEVNULL))
        stack.callback(daemon.kill)
        seat = stack.enter_context(
            subprocess.Popen(sit, start_new_session=True, stdin=terminal, stdout=subprocess.PIPE, cwd=world.top)
        )
        stack.callback(seat.kill)
        assert seat.stdout is not None
        seat.stdout.readline()  # it has the terminal now
        for made, session in ((world.finished(session=OTHER), OTHER), (world.story(session=EARLIER), EARLIER)):
            world.start(session=session, pid=daemon.pid)
            made.save(world.home)
        told = "another session is live"
        assert told in world.start(session=NOW).context
        seat.kill()
        seat.wait()
        os.utime(world.session(OTHER) / "client", (world.clock() / 1000 + 60,) * 2)  # it did something last
        assert f"({OTHER[:8]}" not in world.start(session="5e-4").context
        os.utime(world.session(EARLIER) / "client", (world.clock() / 1000 + 120,) * 2)
        assert f"({EARLIER[:8]}" in world.start(session="5e-5").context, "that turn is under way"
    os.close(master)
    os.close(terminal)
