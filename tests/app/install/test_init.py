"""`clew init`: what it makes, what it leaves as it is, and where it refuses."""

from __future__ import annotations

import os
import stat
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from clew.app.install import init as initialising
from clew.app.install.init import Initialised, found, init, plan, take_in_rest
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle, open_project
from clew.core.errors import InputError, LedgerError
from tests.app.projects import World
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, ledger=False)


def identity(root: Path) -> str:
    return str(tomllib.loads((root / ".clew/config.toml").read_text())["project"])


def names(done: Initialised) -> list[str]:
    return [path.name for path in done.made]


def test_a_repository_becomes_a_project(world: World) -> None:
    """Ledger, identity, and nothing that git would see."""
    Recorder(world.top).user("Make the tide ten").reply("It is ten.").save(world.home)
    done = init(ProjectHandle(world.ports, world.top / "src"))
    assert names(done) == ["config.toml", ".gitignore", "ledger.db"]
    assert done.sessions == 1
    ledger = world.top / ".git/clew/ledger.db"
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    assert stat.S_IMODE(ledger.parent.stat().st_mode) == 0o700
    assert (world.top / ".clew/.gitignore").read_text() == "*\n"
    assert world.repo.git("status", "--porcelain") == ""
    with world.desk(write=False) as at:
        assert at.ledger.project == identity(world.top) == done.project
        assert any("tide" in item.text for item in live_state(at, "").items)


def test_twice_is_once(world: World) -> None:
    """It is also what one runs when one does not remember having run it."""
    first = init(ProjectHandle(world.ports, world.top))
    before = {path: path.read_bytes() for path in (world.top / ".clew").iterdir()}
    again = init(ProjectHandle(world.ports, world.top))
    assert (again.made, again.project, again.plan.joins, again.sessions) == ((), first.project, True, 0)
    assert before == {path: path.read_bytes() for path in (world.top / ".clew").iterdir()}


def test_a_rehearsal_makes_nothing_and_says_all(world: World) -> None:
    """`--dry-run` is how one finds out what a tool does to a repository."""
    Recorder(world.top).user("Make the tide ten").reply("It is ten.").save(world.home)
    done = init(ProjectHandle(world.ports, world.top, dry_run=True))
    assert (names(done), done.sessions, done.project) == (["config.toml", ".gitignore", "ledger.db"], 1, "")
    assert not (world.top / ".clew").exists()
    assert not (world.top / ".git/clew").exists()


@pytest.mark.parametrize(
    "before",
    [
        b"# ours\n[resume]\nbudget_tokens = 900   # few\n",
        b"[resume]\r\nbudget_tokens = 900\r\n",
        b"\xef\xbb\xbf# with a mark\n",
        b"note = '''\n[no table]\n'''",
        b"",
    ],
)
def test_every_other_byte_of_a_configuration_stays(world: World, before: bytes) -> None:
    """People keep comments and an order in it, and a shared file shows each change to everybody."""
    config = world.top / ".clew/config.toml"
    config.parent.mkdir()
    config.write_bytes(before)
    done = init(ProjectHandle(world.ports, world.top))
    line = f'project = "{done.project}"'.encode()
    after = config.read_bytes()
    assert line in after
    end = b"\r\n" if b"\r\n" in before else b"\n"
    assert after.replace(line + end, b"", 1) == before
    assert tomllib.loads(after.decode("utf-8-sig"))["project"] == done.project


def test_an_identity_that_is_there_is_used(world: World) -> None:
    """Clones that share the file are one project."""
    config = world.top / ".clew/config.toml"
    config.parent.mkdir()
    config.write_text('project = "01KANQ0000000000000000PRJ0"\n')
    done = init(ProjectHandle(world.ports, world.top))
    assert done.project == "01KANQ0000000000000000PRJ0"
    assert names(done) == [".gitignore", "ledger.db"]


def test_two_identities_are_joined(world: World) -> None:
    """The ledger was made before the shared file came with a pull."""
    mine = init(ProjectHandle(world.ports, world.top)).project
    config = world.top / ".clew/config.toml"
    config.write_text('project = "01KANQ0000000000000000PRJ0"\n')
    done = init(ProjectHandle(world.ports, world.top))
    assert (done.project, done.plan.alias) == (mine, "01KANQ0000000000000000PRJ0")
    assert config.read_text() == 'project = "01KANQ0000000000000000PRJ0"\n'
    assert init(ProjectHandle(world.ports, world.top)).plan.alias == ""
    with world.desk(write=False) as at:
        others = [one.event.data["other"] for one in at.ledger.events(kinds=("project.aliased",))]
    assert others == ["01KANQ0000000000000000PRJ0"]


def test_two_who_begin_at_once_make_one_project(world: World) -> None:
    """Two lines with an identity are no TOML: no command worked any more until somebody mended the file by hand."""
    both = [plan(ProjectHandle(world.ports, world.top)) for _ in range(2)]
    ids = []
    for planned in both:  # the second one still believes that nothing is there
        with closing(found(world.ports, planned).ledger) as ledger:
            ids.append(ledger.project)
    assert ids == [identity(world.top)] * 2
    assert (world.top / ".clew/config.toml").read_text().count("project =") == 1


def test_a_work_tree_joins_the_ledger_of_its_repository(world: World) -> None:
    """What one work tree decided, the other has to know."""
    mine = init(ProjectHandle(world.ports, world.top)).project
    world.repo.git("worktree", "add", "-q", "-b", "moon", "../moon")
    done = init(ProjectHandle(world.ports, world.top.parent / "moon"))
    assert (done.project, done.plan.joins, names(done)) == (mine, True, ["config.toml", ".gitignore"])
    with open_project(world.ports, world.top.parent / "moon", write=False) as at:
        assert at.ledger.project == mine


@pytest.mark.parametrize("place", ["home", "tide/.git", "tide/.git/hooks", "bare.git", "bare.git/refs", "hub", "/"])
def test_where_no_project_can_be_it_refuses(world: World, tmp_path: Path, place: str) -> None:
    """A ledger for a home folder would take in all that is below it."""
    world.repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / ".git").write_text(f"gitdir: {tmp_path / 'bare.git'}\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        init(ProjectHandle(world.ports, tmp_path / place))
    assert refused.value.code == "E-init-place"
    assert refused.value.hint
    assert not (tmp_path / place / ".clew").exists()


def test_a_link_in_place_of_the_folder_is_not_followed(world: World, tmp_path: Path) -> None:
    """A repository could bring it along, and files of ours would be made where it leads."""
    (tmp_path / "elsewhere").mkdir()
    (world.top / ".clew").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError) as refused:
        init(ProjectHandle(world.ports, world.top))
    assert refused.value.code == "E-init-place"
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("text", ["project = 7\n", 'project = "x"\n', "project = \n", "\xff"])
def test_a_configuration_that_cannot_be_read_is_left_alone(world: World, text: str) -> None:
    """A second identity beside a broken one would make two projects of one."""
    config = world.top / ".clew/config.toml"
    config.parent.mkdir()
    config.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as refused:
        init(ProjectHandle(world.ports, world.top))
    assert refused.value.code == "E-settings-file"
    assert config.read_bytes() == text.encode("latin-1")
    assert not (world.top / ".git/clew").exists()


def test_where_nothing_can_be_written_it_says_so(world: World) -> None:
    """On a mounted backup, say; reading works there all the same."""
    (world.top / ".git/clew").write_text("in the way")
    with pytest.raises(LedgerError):
        init(ProjectHandle(world.ports, world.top))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
def test_in_a_folder_that_is_not_ours_it_says_so(world: World) -> None:
    """The message names the folder."""
    world.top.chmod(0o500)
    try:
        with pytest.raises(InputError) as refused:
            init(ProjectHandle(world.ports, world.top))
    finally:
        world.top.chmod(0o700)
    assert refused.value.code == "E-init-readonly"


def test_of_many_sessions_the_newest_come_first_and_the_rest_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has worked for a year does not wait for a year's sessions."""
    monkeypatch.setattr(initialising, "_FIRST_MAX", 2)
    for number in range(5):
        story = Recorder(world.top, session=f"5e551011-0000-4000-8000-00000000000{number}")
        path = story.user(f"Make tide {number} ten").reply("It is ten.").save(world.home)
        os.utime(path, (number + 1, number + 1))
    project = ProjectHandle(world.ports, world.top)
    done = init(project)
    assert (2, 3) == (done.sessions, done.left) and "3 older session files are left" in done.notes[-1]
    with world.desk(write=False) as at:
        assert {"3", "4"} == {name[-1] for name in at.ledger.taken()}

    take_in_rest(project)
    with world.desk(write=False) as at:
        assert 5 == len(at.ledger.taken())
