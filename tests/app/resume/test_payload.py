"""The main job end to end in one process: real repositories, real files, the disk changed behind the session's back."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.results import to_json
from clew.app.resume.drifted import git_missing
from clew.app.resume.payload import Resumption, resume
from clew.core.errors import ClewError, Unavailable
from clew.core.text.tokens import estimate
from tests.app.worlds import ports, project, secrets, snapshot
from tests.recordings.sessions import Recorder
from tests.workspace.repos import OTHER, Repo

A = "def tide():\n    return 1\n"
B = "def moon():\n    return 2\n"
A2 = "def tide():\n    return 10\n"


def worked(cwd: Path | str) -> Recorder:
    """A session that read b.py and changed a.py from A to A2."""
    story = Recorder(cwd).user("Make the tide ten, and leave the moon alone").read("src/b.py", B).read("src/a.py", A)
    story.edit("src/a.py", "return 1", "return 10", original=A)
    return story.reply("`tide()` in src/a.py returns 10 now. Decision: keep `moon()` in src/b.py because it is right.")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """The repository as the session left it: a.py edited and not committed."""
    made = project(tmp_path / "tide", src__a_py=A, src__b_py=B)
    made.write("src/a.py", A2)
    return made


def resumed(home: Path, folder: Path, **options: Any) -> Resumption:
    return resume(ProjectHandle(ports(home), folder), **options)


def statuses(found: Resumption) -> dict[str, str]:
    assert found.drift is not None
    return {file.path: file.status for file in found.drift.files}


# Drift


def test_a_tree_as_it_was_left_is_current(repo: Repo, tmp_path: Path) -> None:
    """The session's own edits are no drift: crying wolf here would make every payload doubtful."""
    worked(repo.top).save(tmp_path)
    found = resumed(tmp_path, repo.top)
    assert statuses(found) == {"src/a.py": "unchanged", "src/b.py": "unchanged"}
    assert found.verdict is not None and found.verdict.kind == "current"
    assert "verify first" not in found.document.text


def test_the_sessions_work_committed_later_is_still_current(repo: Repo, tmp_path: Path) -> None:
    """Committing what the session left changes no content."""
    worked(repo.top).save(tmp_path)
    repo.commit("Make the tide ten")
    assert statuses(resumed(tmp_path, repo.top)) == {"src/a.py": "unchanged", "src/b.py": "unchanged"}


def test_a_file_changed_behind_the_back_is_named_and_claims_about_it_are_marked(repo: Repo, tmp_path: Path) -> None:
    """The whole point of looking (LESSONS 15)."""
    worked(repo.top).save(tmp_path)
    repo.write("src/b.py", B.replace("2", "3") + "\n# changed\n")
    found = resumed(tmp_path, repo.top)
    text = found.document.text
    assert statuses(found) == {"src/a.py": "unchanged", "src/b.py": "changed"}
    assert "Partly stale: 1 of 2 files changed since" in text
    assert "- src/b.py: changed (+3 −1), not committed" in text
    assert [row for row in text.split("\n") if row.startswith("- (verify first) ") and "moon()" in row]
    assert "## Read first\n- src/{b.py" in text


def test_a_file_committed_by_another_names_the_commit_and_its_author(repo: Repo, tmp_path: Path) -> None:
    """A colleague at work is a reason to look at more than the file."""
    worked(repo.top).save(tmp_path)
    repo.write("src/b.py", B.replace("2", "3"))
    commit = repo.commit("Correct the moon", author=OTHER)
    text = resumed(tmp_path, repo.top).document.text
    assert re.search(rf"{commit[:8]} [“\"]Correct the moon[”\"] by ", text)


def test_moved_and_gone_files_are_told_apart(repo: Repo, tmp_path: Path) -> None:
    """A renamed file can be read at its new place; a deleted one cannot be read at all."""
    worked(repo.top).save(tmp_path)
    repo.commit("As it was left")
    repo.git("mv", "src/b.py", "src/moon.py")
    repo.git("rm", "-q", "-f", "src/a.py")
    repo.commit("Tidy up")
    found = resumed(tmp_path, repo.top)
    assert statuses(found) == {"src/a.py": "gone", "src/b.py": "moved"}
    assert "- src/b.py: moved to src/moon.py" in found.document.text
    assert "- src/a.py: gone" in found.document.text
    assert found.verdict is not None and found.verdict.kind != "current"


def test_outside_git_files_are_compared_too(tmp_path: Path) -> None:
    """By content: nothing of drift needs a repository."""
    folder = tmp_path / "tide"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text(A2)
    (folder / "src" / "b.py").write_text(B + "# more\n")
    worked(folder).save(tmp_path)
    found = resumed(tmp_path, folder)
    assert statuses(found) == {"src/a.py": "unchanged", "src/b.py": "changed"}
    (folder / "src" / "a.py").unlink()
    assert statuses(resumed(tmp_path, folder))["src/a.py"] == "gone"


def test_without_a_commit_there_is_drift_too(tmp_path: Path) -> None:
    """`git init`, and the agent began at once."""
    repo = Repo(tmp_path / "tide")
    repo.write("src/a.py", A2)
    repo.write("src/b.py", B + "# more\n")
    worked(repo.top).save(tmp_path)
    assert statuses(resumed(tmp_path, repo.top)) == {"src/a.py": "unchanged", "src/b.py": "changed"}


def test_in_another_work_tree_its_own_files_are_compared(repo: Repo, tmp_path: Path) -> None:
    """The next session edits the files where it is, not where the last one was."""
    worked(repo.top).save(tmp_path)
    repo.git("worktree", "add", "-q", "-b", "fix", str(tmp_path / "fix"))
    found = resumed(tmp_path, tmp_path / "fix")
    assert statuses(found)["src/a.py"] == "changed"
    assert f"root {tmp_path / 'fix'}." in found.document.text


def test_a_secret_in_a_commit_message_does_not_reach_the_payload(repo: Repo, tmp_path: Path) -> None:
    """What git tells is text from outside as well, and goes to the model with the rest."""
    worked(repo.top).save(tmp_path)
    secret = secrets()["github"]
    repo.write("src/b.py", "# new\n")
    repo.commit(f"Use {secret}", author=OTHER)
    assert secret not in resumed(tmp_path, repo.top).document.text


def test_a_secret_in_a_branch_or_an_untracked_name_does_not_get_out(repo: Repo, tmp_path: Path) -> None:
    """JSON tells more of the work tree than the payload does."""
    worked(repo.top).save(tmp_path)
    secret = secrets()["github"]
    repo.git("checkout", "-q", "-b", f"fix/{secret}")
    repo.write(f"{secret}.env", "x")
    repo.write("plain.env", "x")
    found = resumed(tmp_path, repo.top)
    assert secret not in to_json(found.result())
    assert found.drift is not None and "plain.env" in found.drift.tree.dirty


def test_what_a_formatter_changed_during_the_session_is_no_drift(repo: Repo, tmp_path: Path) -> None:
    """The last content on record is the edit's; what a command made of the file afterwards is on no record."""
    path = worked(repo.top).run("make format", "2 files changed").save(tmp_path)
    repo.write("src/a.py", A2.replace("10", "10  # ten"))
    os.utime(repo.top / "src/a.py", (1772442000 + 30, 1772442000 + 30))
    assert {"src/a.py": "unchanged", "src/b.py": "unchanged"} == statuses(resumed(tmp_path, repo.top))
    repo.git("worktree", "add", "-q", "-b", "fix", str(tmp_path / "fix"))
    os.utime(tmp_path / "fix/src/a.py", (1772442000, 1772442000))
    assert "changed" == statuses(resumed(tmp_path, tmp_path / "fix", transcript=path))["src/a.py"]


def test_an_edit_followed_by_a_look_at_some_lines_is_still_known(repo: Repo, tmp_path: Path) -> None:
    """The same bytes were once reported as changed because the look had replaced the edit."""
    story = worked(repo.top).call("Read", {"file_path": f"{repo.top}/src/a.py", "offset": 1, "limit": 1})
    story.result("def tide():").save(tmp_path)
    assert statuses(resumed(tmp_path, repo.top)) == {"src/a.py": "unchanged", "src/b.py": "unchanged"}


@pytest.mark.parametrize("start", ["2099-01-01T00:00:00", "9998-01-01T00:00:00"])
def test_a_session_from_the_future_does_not_hide_a_change(start: str, repo: Repo, tmp_path: Path) -> None:
    """A clock that was ahead, or a made-up time, says that everything was written before the session ended."""
    story = Recorder(repo.top, start=start).user("Make the tide ten, and leave the moon alone").read("src/b.py", B)
    story.edit("src/a.py", "return 1", "return 10", original=A).reply("`tide()` in src/a.py returns 10 now.")
    story.save(tmp_path)
    repo.write("src/b.py", B.replace("2", "3"))
    assert statuses(resumed(tmp_path, repo.top)) == {"src/a.py": "unchanged", "src/b.py": "changed"}


# What is said beside the payload


def test_a_file_of_another_repository_says_which_folder_was_compared(repo: Repo, tmp_path: Path) -> None:
    """Who stands here and reads "current" would think that it is said of the files here."""
    other = project(tmp_path / "other")
    path = worked(repo.top).save(tmp_path)
    (note,) = resumed(tmp_path, other.top, transcript=path).notes
    assert str(repo.top) in note and str(other.top) in note
    assert resumed(tmp_path, repo.top / "src", transcript=path).notes == ()


def test_outside_git_a_session_of_a_folder_below_says_so(tmp_path: Path) -> None:
    """`clew resume` in a folder of many projects takes the newest of them."""
    folder = tmp_path / "many" / "tide"
    (folder / "src").mkdir(parents=True)
    worked(folder).save(tmp_path)
    (note,) = resumed(tmp_path, tmp_path / "many").notes
    assert str(folder) in note


def test_what_git_answers_is_redacted_and_comes_with_a_way_out(repo: Repo, tmp_path: Path) -> None:
    """Git quotes the configuration, which people keep tokens in."""
    worked(repo.top).save(tmp_path)
    secret = secrets()["github"]
    with (repo.top / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tfilemode = {secret}\n")
    found = resumed(tmp_path, repo.top)
    assert any("E-git-failed" in note for note in found.notes)
    assert secret not in to_json(found.result()) + "".join(found.notes)


def test_a_repository_of_another_user_says_how_to_trust_it(repo: Repo, tmp_path: Path) -> None:
    """Git refuses to look into it; the setting that changes this is hard to guess."""
    problem = Unavailable("git status failed: fatal: detected dubious ownership in repository", code="E-git-failed")
    assert f"git config --global --add safe.directory {repo.top}" in git_missing(problem, repo.top)


def test_the_session_that_was_read_goes_out_redacted(repo: Repo, tmp_path: Path) -> None:
    """Whoever logs the whole value logs the folder's name with it."""
    secret = secrets()["github"]
    path = worked(f"/nonexistent/{secret}/tide").write_to(tmp_path / "s.jsonl")
    assert secret not in repr(resumed(tmp_path, repo.top, transcript=path))


# A session file from elsewhere


def test_a_file_from_another_machine_fits_the_project_at_hand(repo: Repo, tmp_path: Path) -> None:
    """Its folder does not exist here; the files that it worked on do, so this is the project."""
    path = worked("/nonexistent/machine/tide").write_to(tmp_path / "carried.jsonl")
    repo.write("src/b.py", B + "# more\n")
    found = resumed(tmp_path, repo.top, transcript=path)
    assert statuses(found) == {"src/a.py": "unchanged", "src/b.py": "changed"}
    assert f"root {repo.top}." in found.document.text
    assert "/nonexistent" not in found.document.text


def test_a_file_of_another_project_is_not_compared_with_this_one(repo: Repo, tmp_path: Path) -> None:
    """ "All files gone" would be false: they were never here."""
    story = Recorder("/nonexistent/other").user("Fix it").write("x/one.py", "1\n").write("x/two.py", "2\n")
    path = story.reply("Both are written, `one` and `two`.").write_to(tmp_path / "carried.jsonl")
    found = resumed(tmp_path, repo.top, transcript=path)
    assert (found.drift, found.verdict) == (None, None)
    assert any("not compared" in note for note in found.notes)


def test_a_project_that_was_moved_is_recognised_by_its_files(repo: Repo, tmp_path: Path) -> None:
    """After `mv tide new` the session file still names the old place."""
    path = worked(repo.top).save(tmp_path)
    shutil.move(repo.top, tmp_path / "new")
    found = resumed(tmp_path, tmp_path / "new", transcript=path)
    assert statuses(found) == {"src/a.py": "unchanged", "src/b.py": "unchanged"}
    assert str(repo.top) + "." not in found.document.text


def test_a_windows_session_is_readable_here(tmp_path: Path) -> None:
    """Drive letters and backslashes are paths too."""
    story = Recorder("C:\\work\\tide").user("Fix the tide")
    told = {"file_path": "C:\\work\\tide\\src\\a.py", "old_string": "1", "new_string": "2"}
    path = story.call("Edit", told).result("ok").reply("It is mended for good.").write_to(tmp_path / "s.jsonl")
    assert "- src/a.py*" in resumed(tmp_path, tmp_path, transcript=path).document.text


@pytest.mark.parametrize("cwd", ["/" + "x" * 5000, "/a\0b", "relative/tide", ""])
def test_a_folder_that_no_system_takes_is_not_here(cwd: str, tmp_path: Path) -> None:
    """The record is a stranger's text: its folder need not be one."""
    path = worked(cwd).write_to(tmp_path / "s.jsonl")
    assert "Make the tide ten" in resumed(tmp_path, tmp_path, transcript=path).document.text


# Nothing is written, nothing is run


def test_nothing_is_written_anywhere(repo: Repo, tmp_path: Path) -> None:
    """Not even git's index, which git itself refreshes when it looks: reading may not disturb who works there."""
    worked(repo.top).save(tmp_path)
    repo.write("src/b.py", B + "# more\n")
    os.utime(repo.top / "README.md")
    before = snapshot(tmp_path)
    resumed(tmp_path, repo.top)
    assert before == snapshot(tmp_path)


def test_nothing_of_a_hostile_repository_is_run(repo: Repo, tmp_path: Path) -> None:
    """A repository's configuration can name programs; `clew resume` in a stranger's clone starts none."""
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    worked(repo.top).save(tmp_path)
    repo.write(".gitattributes", "*.py diff=evil filter=evil merge=evil\n")
    repo.write("src/b.py", B + "# more\n")
    for key in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean"):
        repo.git("config", key, str(program))
    for key in (
        "filter.evil.smudge",
        "filter.evil.process",
        "core.pager",
        "core.sshCommand",
        "core.hooksPath",
        "gpg.program",
    ):
        repo.git("config", key, str(program))
    repo.git("config", "core.hooksPath", str(tmp_path))
    repo.git("config", "alias.status", f"!{program}")
    shutil.copy(program, tmp_path / "post-index-change")
    (tmp_path / "ran").unlink(missing_ok=True)
    found = resumed(tmp_path, repo.top)
    assert not (tmp_path / "ran").exists()
    assert "Make the tide ten" in found.document.text


def test_where_git_is_missing_the_rest_is_still_told(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container without git: the payload stands, and a note says what was not looked at."""
    worked(repo.top).save(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    found = resumed(tmp_path, repo.top)
    assert "Make the tide ten" in found.document.text
    assert any("git is not installed" in note for note in found.notes)


# What is asked for


@pytest.mark.parametrize("budget", [-5, 0, 1, 119])
def test_a_budget_too_small_is_refused(budget: int, repo: Repo, tmp_path: Path) -> None:
    """Zero is a number, not "the default"."""
    worked(repo.top).save(tmp_path)
    with pytest.raises(ClewError) as caught:
        resumed(tmp_path, repo.top, budget_tokens=budget)
    assert caught.value.code == "E-budget-small"


def test_the_default_budget_is_kept_with_drift_and_all(repo: Repo, tmp_path: Path) -> None:
    """A long session in a tree that changed much."""
    story = worked(repo.top)
    for number in range(60):
        story.user(f"And now part {number}, but never touch the moon in `src/b.py` for part {number}")
        story.write(f"src/part{number}.py", f"def part_{number}():\n    return {number}\n")
        story.reply(
            f"Part {number} is done: `part_{number}` in src/part{number}.py returns {number}, because you said so."
        )
    story.save(tmp_path)
    found = resumed(tmp_path, repo.top)
    assert 1200 <= estimate(found.document.text) <= 1500
    assert found.document.left_out


def test_the_same_disk_gives_the_same_bytes(repo: Repo, tmp_path: Path) -> None:
    """No clock and no chance in it: two calls, a day or a second apart, are equal."""
    worked(repo.top).save(tmp_path)
    assert resumed(tmp_path, repo.top).document == resumed(tmp_path, repo.top).document


def test_a_killed_session_says_what_was_under_way(repo: Repo, tmp_path: Path) -> None:
    """`kill -9` at any moment leaves a good payload: the call without a result is where to go on."""
    story = worked(repo.top).user("Now run all the tests")
    story.call("Bash", {"command": "make slow-tests"}).call("Bash", {"command": "torn"}).torn().save(tmp_path)
    found = resumed(tmp_path, repo.top)
    assert not found.state.origin.ended
    assert "make slow-tests" in found.document.text
    assert "in mid-turn" in found.document.text
    (note,) = found.notes
    assert "breaks off within a line" in note


def test_git_is_asked_at_most_a_few_times(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process costs more than all of our own work; five are the bar for an unchanged tree."""
    worked(repo.top).save(tmp_path)
    real = shutil.which("git")
    spy = tmp_path / "bin"
    spy.mkdir()
    (spy / "git").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexec {real} "$@"\n')
    (spy / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy}{os.pathsep}{os.environ['PATH']}")
    resumed(tmp_path, repo.top)
    asked = (tmp_path / "asked").read_text().splitlines() if (tmp_path / "asked").exists() else []
    assert len(asked) <= 5, asked
