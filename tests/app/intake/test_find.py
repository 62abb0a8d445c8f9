"""Which session is gone on from: the newest of this project and no other."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from clew.app.intake.find import named
from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import resume
from clew.clients.claude_code.spec import slug
from clew.core.errors import ClewError, NotFound
from tests.app.worlds import ports, project, secrets
from tests.recordings.sessions import Recorder

NEW, OLD = 1772500000.0, 1772400000.0


def story(cwd: Path | str, goal: str, number: int = 1) -> Recorder:
    """A finished session in `cwd` that was asked for `goal`."""
    return Recorder(cwd, session=f"5e551011-0000-4000-8000-{number:012}").user(goal).reply("It is done, all of it.")


def goal_of(folder: Path, home: Path, **environment: str) -> str:
    """The goal of the session that is found from `folder`."""
    found = resume(ProjectHandle(ports(home, **environment), folder))
    return next(item.text for item in found.state.items if item.kind == "goal")


def test_the_newest_session_of_the_repository_is_taken(tmp_path: Path) -> None:
    """By when the file was last written: a session that was picked up again is the newest, however it is called."""
    repo = project(tmp_path / "tide")
    story(repo.top, "the older one", 9).save(tmp_path, modified=OLD)
    story(repo.top, "the newer one", 1).save(tmp_path, modified=NEW)
    assert goal_of(repo.top, tmp_path) == "the newer one"


def test_sessions_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """Beside the one that is found, and where none is: or the newest work would be gone without a word."""
    repo = project(tmp_path / "tide")
    data = tmp_path / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    with closing(apsw.Connection(str(data / "opencode.db"))) as connection:
        connection.execute("CREATE TABLE session_v2 (id TEXT)")
    with pytest.raises(NotFound, match="of a later OpenCode"):
        resume(ProjectHandle(ports(tmp_path), repo.top))
    story(repo.top, "the one that is read").save(tmp_path)
    [note] = [one for one in resume(ProjectHandle(ports(tmp_path), repo.top)).notes if "OpenCode" in one]
    assert str(data / "opencode.db") in note


def test_it_is_found_from_any_folder_of_the_repository(tmp_path: Path) -> None:
    """People do not go up to the top before they ask; and the agent may have been started below it."""
    repo = project(tmp_path / "tide", src__a_py="a = 1\n")
    story(repo.top, "from the top").save(tmp_path, modified=OLD)
    assert goal_of(repo.top / "src", tmp_path) == "from the top"
    story(repo.top / "src", "from below", 2).save(tmp_path, modified=NEW)
    assert goal_of(repo.top, tmp_path) == "from below"


@pytest.mark.parametrize("ask_from", ["tide", "tide-fix"])
def test_sessions_of_all_work_trees_count(ask_from: str, tmp_path: Path) -> None:
    """A phase that ran in a work tree of its own is the same project, seen from there and from here."""
    repo = project(tmp_path / "tide")
    repo.git("worktree", "add", "-q", "-b", "fix", str(tmp_path / "tide-fix"))
    story(repo.top, "in the main tree").save(tmp_path, modified=OLD)
    story(tmp_path / "tide-fix", "in the other tree", 2).save(tmp_path, modified=NEW)
    assert goal_of(tmp_path / ask_from, tmp_path) == "in the other tree"


def test_the_session_that_asks_is_not_the_one_to_go_on_from(tmp_path: Path) -> None:
    """An agent that runs `clew resume` would else be handed what it has just said itself."""
    repo = project(tmp_path / "tide")
    story(repo.top, "yesterday", 1).save(tmp_path, modified=OLD)
    asking = story(repo.top, "today", 2)
    asking.save(tmp_path, modified=NEW)
    assert goal_of(repo.top, tmp_path, CLAUDE_CODE_SESSION_ID=asking.session) == "yesterday"
    assert goal_of(repo.top, tmp_path) == "today"


def test_another_projects_session_with_the_same_folder_name_is_not_taken(tmp_path: Path) -> None:
    """The client writes "/", "." and "-" alike: `a.b`, `a-b`, `a/b` share a folder. What ran elsewhere is not ours."""
    repo = project(tmp_path / "tide.main")
    story(repo.top, "ours").save(tmp_path, modified=OLD)
    for number, name in enumerate(("tide-main", "tide/main", "tide_main"), 2):
        other = tmp_path / name
        assert slug(str(other)) == slug(str(repo.top))
        story(other, f"of {name}", number).save(tmp_path, modified=NEW + number)
    assert goal_of(repo.top, tmp_path) == "ours"


def test_a_repository_inside_a_repository_is_another_project(tmp_path: Path) -> None:
    """Many a home folder is a repository (dotfiles): not every session on the machine belongs to it."""
    repo = project(tmp_path / "home")
    inner = project(tmp_path / "home" / "src" / "tide")
    story(repo.top, "the dotfiles").save(tmp_path, modified=OLD)
    story(inner.top, "the tide", 2).save(tmp_path, modified=NEW)
    assert goal_of(inner.top, tmp_path) == "the tide"
    assert goal_of(repo.top, tmp_path) == "the dotfiles"


def test_a_session_in_a_folder_that_is_gone_still_counts(tmp_path: Path) -> None:
    """An agent works in a sub-folder and removes it; its session is the newest all the same."""
    repo = project(tmp_path / "tide")
    story(repo.top / "gone" / "deep", "from below").save(tmp_path)
    assert "from below" == goal_of(repo.top, tmp_path)


def test_outside_git_the_folder_is_the_project(tmp_path: Path) -> None:
    """Not everybody has a repository; a session there is found all the same."""
    folder = tmp_path / "notes"
    folder.mkdir()
    story(folder, "sort them").save(tmp_path)
    assert goal_of(folder, tmp_path) == "sort them"


@pytest.mark.parametrize(("asked", "recorded"), [("real", "real"), ("link", "real"), ("link", "link")])
def test_a_folder_is_the_same_under_either_of_its_names(asked: str, recorded: str, tmp_path: Path) -> None:
    """The client may know the folder by a link and the shell by its real path, or the other way round."""
    project(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    story(tmp_path / recorded, "fix it").save(tmp_path)
    assert goal_of(tmp_path / asked, tmp_path) == "fix it"


@pytest.mark.parametrize("name", ["with space", "🧵 thread", "dé.jà-vu", "new\nline", "a'b\"c$d`e", "-rf", "x" * 240])
def test_folders_with_any_name_are_found(name: str, tmp_path: Path) -> None:
    """Names are cut and flattened by the client; what is inside the file decides."""
    repo = project(tmp_path / name)
    folder = slug(str(repo.top))
    story(repo.top, "fix it").save(tmp_path, project=folder if len(folder) <= 200 else folder[:200] + "-1a2b3c")
    found = resume(ProjectHandle(ports(tmp_path), repo.top))
    assert str(repo.top) == found.state.origin.cwd
    assert found.drift is not None


def test_where_there_is_nothing_the_error_says_how_to_go_on(tmp_path: Path) -> None:
    """The first thing a newcomer may see."""
    repo = project(tmp_path / "tide")
    with pytest.raises(NotFound) as caught:
        resume(ProjectHandle(ports(tmp_path), repo.top))
    assert caught.value.code == "E-no-session"
    assert str(repo.top) in caught.value.message
    assert "--from" in caught.value.hint


def refusal(folder: Path, home: Path, **environment: str) -> ClewError:
    with pytest.raises(NotFound) as caught:
        resume(ProjectHandle(ports(home, **environment), folder))
    assert caught.value.code == "E-no-session"
    return caught.value


def test_a_client_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    """ "None was recorded" would be untrue: nobody has looked."""
    repo = project(tmp_path / "tide")
    error = refusal(repo.top, tmp_path, CLAUDE_CONFIG_DIR="/nonexistent/conf")
    assert "there is none of /nonexistent/conf/projects" in error.message
    assert "CLAUDE_CONFIG_DIR" in error.hint


def test_a_client_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    """Whatever the system says about it is passed on."""
    repo = project(tmp_path / "tide")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "projects").write_text("")
    assert "projects cannot be read (Not a directory)" in refusal(repo.top, tmp_path).message


def test_where_only_the_asking_session_is_it_is_said_so(tmp_path: Path) -> None:
    """One was recorded: the very one that asks."""
    repo = project(tmp_path / "tide")
    asking = story(repo.top, "today")
    asking.save(tmp_path)
    error = refusal(repo.top, tmp_path, CLAUDE_CODE_SESSION_ID=asking.session)
    assert "the one that asks (5e551011" in error.message
    assert "--from 5e551011" in error.hint


def test_a_secret_in_a_folders_name_is_not_said(tmp_path: Path) -> None:
    """Errors are pasted into issues."""
    folder = tmp_path / secrets()["github"]
    folder.mkdir()
    error = refusal(folder, tmp_path)
    assert folder.name not in error.message + str(error)


def test_a_session_is_named_by_its_id(tmp_path: Path) -> None:
    """The id in a document is all that people have in hand; it is found from any folder."""
    story(tmp_path / "tide", "the first").save(tmp_path, modified=OLD)
    path_of_id = Path("5e551011-0000-4000-8000-000000000002")
    path = story(tmp_path / "sand", "the second", 2).save(tmp_path, modified=NEW)
    assert path == resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=path_of_id).transcript


def test_the_beginning_of_an_id_will_do_if_it_is_the_only_one(tmp_path: Path) -> None:
    """As a document prints it: eight characters."""
    path = Recorder(tmp_path, session="0cd46975-1").user("Fix it").reply("Mended.").save(tmp_path)
    Recorder(tmp_path, session="1cd46975-1").user("Fix it").reply("Mended.").save(tmp_path)
    assert path == resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=Path("0CD46975")).transcript


def test_a_beginning_of_several_ids_lists_them(tmp_path: Path) -> None:
    """Never a guess; the hint is enough to go on."""
    for number in (1, 2):
        story(tmp_path, "fix it", number).save(tmp_path)
    with pytest.raises(ClewError) as caught:
        resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=Path("5e55"))
    assert caught.value.code == "E-session-ambiguous"
    assert "5e551011-0000-4000-8000-000000000002" in caught.value.hint


def test_a_sub_agent_s_session_is_found_where_one_asks_for_those_too(tmp_path: Path) -> None:
    """Given a review by a sub-agent of Codex: its tokens are told under its id, so its bill is asked for by that."""
    folder = tmp_path / ".codex" / "sessions" / "2026" / "03" / "02"
    folder.mkdir(parents=True)
    path = folder / "rollout-2026-03-02T09-00-01-5e551011-0000-7000-8000-000000000001.jsonl"
    about = {"id": "5e551011-0000-7000-8000-000000000001", "cwd": "/w/tide", "source": {"subagent": "review"}}
    path.write_text(json.dumps({"timestamp": "2026-03-02T09:00:01Z", "type": "session_meta", "payload": about}) + "\n")
    locators = ports(tmp_path).locators
    assert Path("5e551011") == named(Path("5e551011"), locators)
    assert path == named(Path("5e551011"), locators, agents=True)


def test_a_file_wins_over_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that exists is what it was before there were ids."""
    story(tmp_path, "by id").save(tmp_path)
    story(tmp_path, "by name").write_to(tmp_path / "5e551011")
    monkeypatch.chdir(tmp_path)
    found = resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=Path("5e551011"))
    assert "by name" in found.document.text


def test_an_id_that_no_session_has_is_said_so(tmp_path: Path) -> None:
    """Not only "no file": it was looked for as an id, too."""
    with pytest.raises(NotFound) as caught:
        resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=Path("0cd46975"))
    assert caught.value.code == "E-transcript-missing"
    assert "no session whose id begins so" in caught.value.message


def test_the_clients_folder_can_be_elsewhere(tmp_path: Path) -> None:
    """`CLAUDE_CONFIG_DIR` moves it for the client, so it must move it for us."""
    repo = project(tmp_path / "tide")
    path = story(repo.top, "fix it").save(tmp_path)
    moved = tmp_path / "conf" / "projects" / path.parent.name
    moved.mkdir(parents=True)
    path.replace(moved / path.name)
    assert goal_of(repo.top, tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "conf")) == "fix it"


@pytest.mark.parametrize("given", ["a\0b", "x" * 5000, "loop"])
def test_a_name_that_is_no_path_is_an_error_of_ours(given: str, tmp_path: Path) -> None:
    """Whoever calls the library catches `ClewError`, not whatever the operating system raises."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ClewError):
        resume(ProjectHandle(ports(tmp_path), tmp_path), transcript=tmp_path / given)
