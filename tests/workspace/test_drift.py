"""Drift, end to end on real repositories and plain folders: what is reported must be what happened."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew.core.files import Drift, FileDrift, Seen, Stat
from clew.workspace.drift import drift
from clew.workspace.fingerprint import Algorithm, blob_id, fingerprint
from clew.workspace.git import Git
from tests.workspace.repos import OTHER, Repo, environment_with, rfc3339

NOW_S = int(time.time())
THEN_S = NOW_S - 7200
LONG_AGO_S = NOW_S - 86_400
THEN = rfc3339(THEN_S)
TEXT = "".join(f"line {number} of a file that is long enough\n" for number in range(20))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One commit of the day before yesterday's session; every file's time is of that day."""
    repo = Repo(tmp_path / "project")
    for path, content in {"a.txt": "one\ntwo\nthree\n", "b.txt": TEXT, "src/c.txt": "c\n"}.items():
        aged(repo.write(path, content))
    repo.commit("first", seconds=LONG_AGO_S)
    rewind(repo, LONG_AGO_S)
    return repo


def aged(place: Path, seconds: int = LONG_AGO_S) -> Path:
    """Give a file an old time."""
    os.utime(place, (seconds, seconds))
    return place


def rewind(repo: Repo, seconds: int) -> None:
    """Make the last entry of HEAD's reflog one of that time."""
    log = repo.top / ".git/logs/HEAD"
    *lines, last = log.read_text().splitlines()
    facts, tab, words = last.partition("\t")
    *before, _, zone = facts.split(" ")
    log.write_text("\n".join([*lines, " ".join([*before, str(seconds), zone]) + tab + words]) + "\n")


def look(root: Path, *seen: Seen, since: str = THEN, git: bool = True) -> Drift:
    """Drift of these files with the repository that is there."""
    return drift(root, seen, since=since, git=Git.at(root, environment=environment_with()) if git else None)


def seen(
    path: str, content: str | bytes | None = None, *, blob: str = "", stat: Stat | None = None, time: str = THEN
) -> Seen:
    """What a session saw, in short."""
    return Seen(path, blob, stat, content.encode() if isinstance(content, str) else content, time)


def status(file: FileDrift) -> tuple[object, ...]:
    """What happened and how many lines."""
    return (file.status, file.added, file.removed)


# The content decides


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_the_same_content_is_unchanged_whatever_its_time(repo: Repo, git: bool):
    """A checkout rewrites files; a new time alone must not send an agent to read them again."""
    repo.write("a.txt", "one\ntwo\nthree\n")
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), git=git)
    assert found.files == (FileDrift("a.txt", "unchanged", 0, 0, "", ()),)


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_an_edit_is_changed_with_its_lines(repo: Repo, git: bool):
    """The main case: somebody edits a file after the session ended."""
    repo.write("a.txt", "one\nzwei\nthree\nfour\n")
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), git=git)
    assert status(found.files[0]) == ("changed", 2, 1)


@pytest.mark.parametrize("on_disk", [b"a\r\nb\r\n", b"a\nb\n", b"a\r\nb", b"a\nb"])
@pytest.mark.parametrize("as_seen", [b"a\nb\n", b"a\nb"])
@pytest.mark.parametrize("hashed", [False, True], ids=["content", "blob"])
def test_line_ends_that_a_transcript_loses_are_no_change(tmp_path: Path, on_disk: bytes, as_seen: bytes, hashed: bool):
    """Clients show files without carriage returns and, some, without the last newline."""
    (tmp_path / "f").write_bytes(on_disk)
    one = seen("f", blob=blob_id(as_seen)) if hashed else seen("f", as_seen)
    assert look(tmp_path, one).files[0].status == "unchanged"


def test_line_ends_taken_from_the_disk_are_exact(tmp_path: Path):
    """A checkpoint's fingerprint is of the bytes themselves: there a changed line end is a change."""
    place = tmp_path / "f"
    place.write_bytes(b"a\n")
    saved = fingerprint(str(place))
    assert saved is not None
    place.write_bytes(b"a\r\n")
    assert look(tmp_path, seen("f", blob=saved.blob, stat=saved.stat)).files[0].status == "changed"


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_blob_id_alone_tells_changed_from_unchanged(tmp_path: Path, algorithm: Algorithm):
    """Lines are not known then; the status is. Repositories of both hashes."""
    repo = Repo(tmp_path, f"--object-format={algorithm}")
    repo.write("a", "old\n")
    repo.commit("first")
    blob = repo.git("rev-parse", "HEAD:a")
    assert look(tmp_path, seen("a", blob=blob)).files[0].status == "unchanged"
    repo.write("a", "new\n")
    assert status(look(tmp_path, seen("a", blob=blob)).files[0]) == ("changed", -1, -1)


def test_a_saved_stat_spares_the_reading(tmp_path: Path):
    """Ten thousand unchanged files are not opened: here one could not even be read as what it claims to be."""
    place = aged(tmp_path / "f" if (tmp_path / "f").write_text("x") else tmp_path)
    saved = fingerprint(str(place))
    assert saved is not None
    lie = seen("f", blob="0" * 40, stat=saved.stat)
    assert look(tmp_path, lie).files[0].status == "unchanged"
    assert look(tmp_path, lie._replace(time=rfc3339(LONG_AGO_S))).files[0].status == "changed", "racy: read after all"


def test_a_saved_size_that_differs_is_a_change_without_reading(tmp_path: Path):
    """The blob id would say the same, later."""
    (tmp_path / "f").write_text("longer than before")
    assert look(tmp_path, seen("f", blob="0" * 40, stat=Stat(1, 1, 1))).files[0].status == "changed"


# Who changed it


def test_commits_that_touched_a_file_are_named_newest_first(repo: Repo):
    """ "Changed by whom" is the first thing the next session wants to know."""
    repo.write("a.txt", "one\n")
    repo.commit("shorten it", author=OTHER)
    repo.write("src/c.txt", "other\n")
    repo.commit("something else", author=OTHER)
    repo.write("a.txt", "one\nmore\n")
    repo.commit("lengthen it")
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), seen("b.txt", TEXT))
    changed, unchanged = found.files
    assert [(commit.subject, commit.mine) for commit in changed.commits] == [
        ("lengthen it", True),
        ("shorten it", False),
    ]
    assert unchanged.commits == ()
    assert [commit.subject for commit in found.commits_since] == ["lengthen it", "something else", "shorten it"]
    assert found.tree.head_subject == "lengthen it"


def test_a_session_that_commits_its_work_finds_nothing_changed(repo: Repo):
    """Its own commit is listed as its user's, but what it saw is what is there."""
    repo.write("a.txt", "work of the session\n")
    repo.commit("work")
    found = look(repo.top, seen("a.txt", "work of the session\n"))
    assert found.files[0].status == "unchanged"
    assert [commit.mine for commit in found.commits_since] == [True]


def test_commits_older_than_the_session_that_came_later_are_news(repo: Repo):
    """A colleague's commit of last week that was pulled today: its date says old, the reflog says new."""
    repo.write("a.txt", "pulled\n")
    repo.commit("made last week", author=OTHER, seconds=LONG_AGO_S + 60)
    rewind(repo, NOW_S)
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"))
    assert [commit.subject for commit in found.commits_since] == ["made last week"]
    assert [commit.subject for commit in found.files[0].commits] == ["made last week"]


def test_without_a_reflog_the_commits_own_dates_decide(repo: Repo):
    """A fresh clone has no memory of where HEAD was."""
    repo.write("a.txt", "x\n")
    repo.commit("new", seconds=NOW_S - 60)
    (repo.top / ".git/logs/HEAD").unlink()
    assert [commit.subject for commit in look(repo.top).commits_since] == ["new"]


def test_another_branch_shows_what_this_one_has_more(repo: Repo):
    """After a switch the tree differs by the commits that the session's branch did not have."""
    repo.git("checkout", "-q", "-b", "topic")
    rewind(repo, THEN_S - 60)
    repo.git("checkout", "-q", "main")
    repo.commit("on main")
    found = look(repo.top)
    assert (found.tree.branch, [commit.subject for commit in found.commits_since]) == ("main", ["on main"])


def test_commits_are_bounded(repo: Repo):
    """A month in a busy repository must not fill the payload."""
    for number in range(55):
        repo.commit(f"number {number}")
    found = look(repo.top)
    assert len(found.commits_since) == 50
    assert found.commits_since[0].subject == "number 54"


# Moved and gone


def test_a_rename_in_a_commit_is_moved(repo: Repo):
    """Edited on the way: only git's rename detection knows, and then says by which commit."""
    repo.git("mv", "b.txt", "b2.txt")
    repo.write("b2.txt", TEXT + "one more\n")
    repo.commit("rename b", author=OTHER)
    (file,) = look(repo.top, seen("b.txt", TEXT)).files
    assert (file.moved_to, *status(file)) == ("b2.txt", "moved", 1, 0)
    assert [commit.subject for commit in file.commits] == ["rename b"]


def test_a_staged_rename_on_top_of_a_committed_one(repo: Repo):
    """Two steps, one not committed yet: the file is at the end of both."""
    repo.git("mv", "b.txt", "b2.txt")
    repo.commit("rename b")
    repo.git("mv", "b2.txt", "b3.txt")
    assert look(repo.top, seen("b.txt", TEXT)).files[0].moved_to == "b3.txt"


@pytest.mark.parametrize("target", ["b2.txt", "new folder/b.txt", "src/deep/down/other name"])
@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_a_file_moved_by_hand_is_found_by_its_content(repo: Repo, target: str, git: bool):
    """Nobody told git; outside of a repository there is no git to tell."""
    (repo.top / target).parent.mkdir(parents=True, exist_ok=True)
    (repo.top / "b.txt").rename(repo.top / target)
    (file,) = look(repo.top, seen("b.txt", TEXT), git=git).files
    assert (file.moved_to, *status(file)) == (target, "moved", 0, 0)


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_a_deleted_file_is_gone(repo: Repo, git: bool):
    """Also when another file of the same short content is around."""
    (repo.top / "src/c.txt").unlink()
    repo.write("new.txt", "c\n")
    assert status(look(repo.top, seen("src/c.txt", "c\n"), git=git).files[0]) == ("gone", -1, -1)


def test_a_copy_that_was_there_all_along_is_not_where_a_file_went(tmp_path: Path):
    """A deleted duplicate is gone; its twin did not move."""
    (tmp_path / "twin").mkdir()
    (tmp_path / "twin/f.txt").write_text(TEXT)
    future = rfc3339(NOW_S + 3600)
    assert look(tmp_path, seen("f.txt", TEXT, time=future)).files[0].status == "gone"


def test_a_deleting_commit_is_named(repo: Repo):
    """Gone, and by whom."""
    repo.git("rm", "-q", "src/c.txt")
    repo.commit("drop c", author=OTHER)
    (file,) = look(repo.top, seen("src/c.txt", "c\n")).files
    assert (file.status, [commit.subject for commit in file.commits]) == ("gone", ["drop c"])


def test_a_file_rewritten_committed_and_then_moved_is_found_at_head(repo: Repo):
    """Between HEAD then and now it has little in common with itself: only its content says where it is."""
    work = TEXT.replace("line", "a wholly other row")
    repo.write("b.txt", work)
    repo.commit("the session's work")
    repo.git("mv", "b.txt", "src/new name.txt")
    repo.commit("move it", author=OTHER)
    (file,) = look(repo.top, seen("b.txt", work)).files
    assert (file.moved_to, *status(file)) == ("src/new name.txt", "moved", 0, 0)
    (file,) = look(repo.top, seen("b.txt", blob=blob_id(work.encode()))).files
    assert (file.moved_to, file.status) == ("src/new name.txt", "moved")


def test_a_deleted_duplicate_did_not_move_to_its_twin(repo: Repo):
    """HEAD has the content under another path, too, and had it all along."""
    repo.write("twin.txt", TEXT)
    repo.commit("a twin", seconds=LONG_AGO_S)
    rewind(repo, LONG_AGO_S)
    repo.git("rm", "-q", "b.txt")
    repo.commit("drop b")
    future = rfc3339(NOW_S + 3600)
    assert look(repo.top, seen("b.txt", TEXT, time=future)).files[0].status == "gone"


def test_a_commit_of_what_the_session_left_does_not_explain_a_later_edit(repo: Repo):
    """The user commits the session's work and writes on: the commit is not what changed the file."""
    repo.write("a.txt", "work\n")
    repo.commit("what the session left")
    repo.write("a.txt", "work\nmore\n")
    (file,) = look(repo.top, seen("a.txt", "work\n")).files
    assert (*status(file), file.commits) == ("changed", 1, 0, ())
    repo.commit("more", author=OTHER)
    repo.write("a.txt", "work\nmore\nand more\n")
    found = look(repo.top, seen("a.txt", "work\n"))
    assert [commit.subject for commit in found.files[0].commits] == ["more", "what the session left"]
    assert found.tree.dirty == ("a.txt",)


def test_a_staged_move_is_no_commits_doing(repo: Repo):
    """The last commit of the old path has nothing to do with where the file went."""
    repo.write("b.txt", TEXT + "work\n")
    repo.commit("what the session left")
    repo.git("mv", "b.txt", "src/b.txt")
    (file,) = look(repo.top, seen("b.txt", TEXT + "work\n")).files
    assert (file.status, file.moved_to, file.commits) == ("moved", "src/b.txt", ())


def test_a_folder_in_place_of_a_file_is_gone(repo: Repo):
    """A module became a package."""
    (repo.top / "a.txt").unlink()
    repo.write("a.txt/inner", "x")
    assert look(repo.top, seen("a.txt", "one\ntwo\nthree\n")).files[0].status == "gone"


def test_a_file_below_what_became_a_file_is_gone(repo: Repo):
    """And the other way round."""
    assert look(repo.top, seen("a.txt/inner", "x")).files[0].status == "gone"


# Nothing known but the path


def test_not_written_since_is_unchanged(repo: Repo):
    """The session only named it; its time is older than the session's end."""
    assert look(repo.top, seen("a.txt"), git=False).files[0].status == "unchanged"


def test_written_since_but_equal_to_head_is_unchanged(repo: Repo):
    """A checkout and back gives new times to old content."""
    repo.write("a.txt", "one\ntwo\nthree\n")
    assert look(repo.top, seen("a.txt")).files[0].status == "unchanged"


def test_written_since_and_different_from_head_is_changed(repo: Repo):
    """An uncommitted edit after the session is evidence enough."""
    repo.write("a.txt", "other\n")
    assert status(look(repo.top, seen("a.txt")).files[0]) == ("changed", -1, -1)


def test_touched_by_a_commit_since_is_changed(repo: Repo):
    """Clean against HEAD, but HEAD moved."""
    repo.write("a.txt", "other\n")
    repo.commit("change a", author=OTHER)
    (file,) = look(repo.top, seen("a.txt")).files
    assert (file.status, [commit.subject for commit in file.commits]) == ("changed", ["change a"])


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_written_since_and_nobody_knows_the_content_is_unknown(repo: Repo, git: bool):
    """An untracked or ignored file: a new time is no proof of a new content, and no proof of the old one."""
    repo.write("notes", "x")
    repo.write(".gitignore", "ignored\n")
    repo.write("ignored", "x")
    found = look(repo.top, seen("notes"), seen("ignored"), git=git)
    assert [file.status for file in found.files] == ["unknown", "unknown"]


def test_a_clock_that_went_back_gives_no_wrong_proof(repo: Repo):
    """Files, commits and the session itself from the future: no error, and content still decides."""
    ahead = NOW_S + 10 * 86_400
    aged(repo.write("a.txt", "other\n"), ahead)
    repo.commit("from the future", author=OTHER, seconds=ahead)
    saved = fingerprint(str(repo.top / "a.txt"))
    assert saved is not None
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), seen("a.txt", blob="0" * 40, stat=saved.stat))
    assert [file.status for file in found.files] == ["changed", "changed"]
    assert found.commits_since[0].time == rfc3339(ahead)[:19] + "Z"
    later = look(repo.top, seen("a.txt", "other\n"), since=rfc3339(ahead + 99))
    assert (later.files[0].status, later.commits_since) == ("unchanged", ())


@pytest.mark.parametrize("since", ["", "yesterday", "9999-99-99T99:99:99Z"])
def test_without_a_usable_time_nothing_is_claimed_by_it(repo: Repo, since: str):
    """A transcript without times: content decides where it is known, git where it is not."""
    found = look(repo.top, seen("a.txt", "x\n"), seen("b.txt"), since=since)
    assert ([file.status for file in found.files], found.commits_since) == (["changed", "unchanged"], ())


# Odd files and hostile paths


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "", "a/../../outside", "out/outside", "link", "a\0b", "x" * 5000]
)
def test_what_lies_outside_is_never_opened(tmp_path: Path, path: str):
    """A transcript can name any file of the machine; a repository can hold links to any."""
    root = tmp_path / "root"
    root.mkdir()
    secret = tmp_path / "outside"
    secret.write_text("secret\n")
    (root / "out").symlink_to(tmp_path)
    (root / "link").symlink_to(secret)
    before = secret.stat().st_atime_ns
    found = look(root, seen(path, "secret\n"), seen(path, blob=blob_id(b"secret\n")))
    assert {file.status for file in found.files} <= {"unknown", "gone"}
    assert secret.stat().st_atime_ns == before


def test_a_link_within_the_root_is_read_through(tmp_path: Path):
    """The agent saw the target's content; git sees the link's."""
    (tmp_path / "target").write_text("x\n")
    (tmp_path / "link").symlink_to("target")
    found = look(tmp_path, seen("link", "x\n"), seen("link", blob=blob_id(b"target")), seen("link", "y\n"))
    assert [file.status for file in found.files] == ["unchanged", "unchanged", "changed"]


def test_a_link_that_leads_nowhere_is_gone(tmp_path: Path):
    """Its target was deleted."""
    (tmp_path / "link").symlink_to("missing")
    assert look(tmp_path, seen("link", "x")).files[0].status == "gone"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_place_of_a_file_does_not_hang(tmp_path: Path):
    """Reading one would wait for a writer for ever."""
    os.mkfifo(tmp_path / "f")
    found = look(tmp_path, seen("f", "x"), seen("f"))
    assert [file.status for file in found.files] == ["changed", "unknown"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_judged_by_its_time(repo: Repo):
    """No content, no proof by content."""
    (repo.top / "a.txt").chmod(0)
    found = look(repo.top, seen("a.txt", "one\nTWO\nthree\n"), seen("a.txt", "x\n"))
    assert [file.status for file in found.files] == ["unchanged", "changed"], "only the size can tell"


def test_a_huge_file_is_not_read(tmp_path: Path):
    """A sparse terabyte: its size is proof enough."""
    with (tmp_path / "f").open("wb") as file:
        file.truncate(1 << 40)
    found = look(tmp_path, seen("f", "small\n"), seen("f", blob="0" * 40))
    assert [file.status for file in found.files] == ["changed", "unknown"]


NAMES = st.text(
    st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]) | st.sampled_from("\n\t \"'\\*?[:!😀é"),
    min_size=1,
    max_size=20,
).filter(lambda name: name not in {".", ".."} and name.lower() != ".git" and len(name.encode()) < 200)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique_by=str.casefold))
@example([":!x", "-n", "*", "HEAD"])
@example([":(top)b"])
def test_any_file_name_works(tmp_path_factory: pytest.TempPathFactory, names: list[str]):
    """Spaces, emoji, newlines, quotes, globs and pathspec magic are file names like others."""
    repo = Repo(tmp_path_factory.mktemp("names"))
    for name in names:
        repo.write(name, TEXT)
    repo.commit("first", seconds=LONG_AGO_S)
    rewind(repo, LONG_AGO_S)
    for name in names:
        repo.write(name, TEXT + "more\n")
    repo.commit("second", author=OTHER)
    repo.write(names[0], TEXT + "more\nand more\n")
    found = look(repo.top, *(seen(name, TEXT) for name in names))
    assert [(file.status, [one.subject for one in file.commits]) for file in found.files] == [
        ("changed", ["second"]) for _ in names
    ]
    assert found.tree.dirty == (names[0],)


def test_a_name_that_is_not_utf_8(tmp_path: Path):
    """Old file systems hold Latin-1 names; the bytes must survive the way to git and back."""
    repo = Repo(tmp_path)
    name = os.fsdecode(b"caf\xe9.txt")
    try:
        repo.write(name, "x\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    found = look(tmp_path, seen(name, "x\n"))
    assert (found.files[0].status, found.tree.dirty) == ("unchanged", (name,))


# Odd repositories


def _no_commits(repo: Repo) -> None:
    repo.git("update-ref", "-d", "HEAD")


def _detached(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")


def _broken_index(repo: Repo) -> None:
    (repo.top / ".git/index").write_bytes(b"DIRC nonsense")


def _no_objects(repo: Repo) -> None:
    for place in (repo.top / ".git/objects").glob("??/*"):
        place.unlink()


def _locked(repo: Repo) -> None:
    (repo.top / ".git/index.lock").write_text("")


def _broken_config(repo: Repo) -> None:
    (repo.top / ".git/config").write_text("[broken\n")


def _read_only(repo: Repo) -> None:
    for place in (repo.top / ".git").rglob("*"):
        place.chmod(0o555 if place.is_dir() else 0o444)


def _conflict(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("src/c.txt", "theirs\n")
    repo.commit("theirs")
    repo.git("checkout", "-q", "main")
    repo.write("src/c.txt", "ours\n")
    repo.commit("ours")
    repo.git("merge", "topic", check=False)


ODD = [_no_commits, _detached, _broken_index, _no_objects, _locked, _broken_config, _read_only, _conflict]


@pytest.mark.parametrize("damage", ODD, ids=lambda damage: damage.__name__.strip("_"))
def test_files_are_compared_whatever_state_the_repository_is_in(repo: Repo, damage: Callable[[Repo], None]):
    """A person resumes exactly when things are in a mess; a broken repository must not take the payload along."""
    damage(repo)
    repo.write("a.txt", "one\n")
    (repo.top / "b.txt").unlink()
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), seen("b.txt", TEXT), seen("src/d.txt"))
    assert [file.status for file in found.files] == ["changed", "gone", "gone"]
    assert found.tree.is_git


def test_a_conflict_is_dirty(repo: Repo):
    """Both sides' file is in the list of what is not committed."""
    _conflict(repo)
    assert look(repo.top).tree.dirty == ("src/c.txt",)


def test_a_linked_work_tree_has_its_own_head_and_reflog(repo: Repo):
    """Work trees share commits, not what happened in them."""
    linked = repo.top.parent / "linked"
    repo.git("worktree", "add", "-q", "-b", "topic", str(linked))
    other = Repo(linked, make=False)
    other.write("a.txt", "changed here\n")
    other.commit("in the linked tree")
    here, there = look(linked, seen("a.txt", "one\ntwo\nthree\n")), look(repo.top, seen("a.txt", "one\ntwo\nthree\n"))
    assert (here.tree.branch, here.files[0].status, there.files[0].status) == ("topic", "changed", "unchanged")
    assert [commit.subject for commit in there.commits_since] == []


def test_a_submodule_is_one_path_of_its_parent(repo: Repo, tmp_path: Path):
    """Files inside are compared by content; git is not asked about another repository."""
    library = Repo(tmp_path / "library")
    library.write("lib.txt", "one\n")
    library.commit("library")
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library.top), "library")
    repo.commit("add library")
    repo.write("library/lib.txt", "two\n")
    found = look(repo.top, seen("library/lib.txt", "one\n"))
    assert (found.files[0].status, found.tree.dirty) == ("changed", ())


def test_a_root_below_the_top_speaks_of_its_own_paths(repo: Repo):
    """A project may be one folder of a large repository."""
    repo.write("a.txt", "not ours\n")
    repo.write("src/c.txt", "ours\n")
    repo.git("mv", "b.txt", "b2.txt")
    repo.commit("all", author=OTHER)
    repo.write("src/new", "x")
    found = look(repo.top / "src", seen("c.txt", "c\n"))
    assert ([one.subject for one in found.files[0].commits], found.tree.dirty) == (["all"], ("new",))


def test_outside_of_git_only_the_root_is_known(tmp_path: Path):
    """No repository is an ordinary case."""
    (tmp_path / "f").write_text("x\n")
    found = look(tmp_path, seen("f", "x\n"))
    assert (found.tree, found.commits_since) == ((str(tmp_path), "", "", "", (), False), ())


def test_a_root_that_is_not_there(tmp_path: Path):
    """The project was deleted or never was on this machine."""
    found = look(tmp_path / "missing", seen("f", "x\n"))
    assert found.files[0].status == "gone"


def test_without_git_installed_files_are_compared_all_the_same(repo: Repo, tmp_path: Path):
    """And the reason is there for who wants to tell it."""
    git = Git.at(repo.top, environment=environment_with(PATH=str(tmp_path)))
    assert git is not None
    found = drift(repo.top, [seen("a.txt", "x\n")], since=THEN, git=git)
    assert (found.files[0].status, found.tree.branch) == ("changed", "main")
    assert git.problem is not None and git.problem.code == "E-no-git"


def test_many_files_gone_and_changed_at_once(repo: Repo):
    """A reset to another tree: bounded work, and every file has its answer."""
    files = [seen(f"many/{number}.txt", f"{TEXT}{number}\n") for number in range(300)]
    for number, one in enumerate(files):
        repo.write(one.path, (one.content or b"") + b"more\n")
        if number % 3 == 0:
            (repo.top / one.path).unlink()
    found = look(repo.top, *files)
    assert [file.status for file in found.files] == ["gone" if n % 3 == 0 else "changed" for n in range(300)]
