"""What was committed, taken back and rebased, read off git's words and its answers."""

from __future__ import annotations

import pytest

from clew.core.records.transcript import Result
from clew.distill.commits import GitState
from clew.distill.shell_lines import message_of
from clew.distill.work import SessionWork
from tests.builders import ROOT, Piece, edit, run, worked
from tests.growth import in_proportion

COMMITTED = "[main 1a2b3c4] Fix the sum\n 1 file changed, 2 insertions(+)"


def status(work: SessionWork) -> dict[str, str]:
    """What became of each edited file."""
    return {file.path: file.status for file in work.files}


def commits(work: SessionWork) -> list[tuple[str, str]]:
    return [(commit.id, commit.subject) for commit in work.commits]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git add sum.py && git commit -m 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "edited"}),
        ("git add . && git commit -m 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "committed"}),
        ("git add -A; git commit -m 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "committed"}),
        ("git commit -am 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "committed"}),
        ("git commit --all -m 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "committed"}),
        ("git add web/ && git commit -m 'Fix the sum'", {"sum.py": "edited", "web/app.ts": "committed"}),
        ("git add web && git commit -m 'Fix the sum'", {"sum.py": "edited", "web/app.ts": "committed"}),
        (f"git add {ROOT}/sum.py && git commit -m 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "edited"}),
        ("git add './sum.py' && git commit -m 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "edited"}),
        ("git -C . add sum.py && git -C . commit -m 'Fix the sum'", {"sum.py": "committed", "web/app.ts": "edited"}),
        ("cd web && git add app.ts && git commit -m 'Fix the sum'", {"sum.py": "edited", "web/app.ts": "committed"}),
        ("git add web/*.ts && git commit -m 'Fix the sum'", {"sum.py": "edited", "web/app.ts": "committed"}),
        ("git commit -m 'Fix the sum' sum.py", {"sum.py": "committed", "web/app.ts": "edited"}),
        ("git commit -m 'Fix -a and --all' -q", {"sum.py": "edited", "web/app.ts": "edited"}),
    ],
)
def test_only_what_was_added_is_committed(command: str, expected: dict[str, str]) -> None:
    """A file shown as committed that lies open in the tree is lost by the next `git checkout`."""
    work = worked(edit("sum.py"), edit("web/app.ts"), run(command, COMMITTED))
    assert expected == status(work)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git add * && git commit -m 'Fix the sum'", {".ci.yml": "edited", "web/app.ts": "committed"}),
        ("git add . ':!web' && git commit -m 'Fix the sum'", {".ci.yml": "committed", "web/app.ts": "edited"}),
        ("cd /tmp/try && git add -A && git commit -m 'Fix the sum'", {".ci.yml": "edited", "web/app.ts": "edited"}),
        ("cd .. && git add shop/web && git commit -m 'Fix the sum'", {".ci.yml": "edited", "web/app.ts": "committed"}),
        ("(cd web && npm ci) && git add web && git commit -m 'Fix'", {".ci.yml": "edited", "web/app.ts": "committed"}),
        ("git -C web add . && git commit -m 'Fix the sum'", {".ci.yml": "edited", "web/app.ts": "committed"}),
        ('cd "$TOP" && git commit -am "Fix the sum"', {".ci.yml": "committed", "web/app.ts": "committed"}),
        ("git add -A; git reset web; git commit -m 'Fix'", {".ci.yml": "committed", "web/app.ts": "edited"}),
        ("git add -A; git restore --staged web; git commit -m Fix", {".ci.yml": "committed", "web/app.ts": "edited"}),
    ],
)
def test_what_is_added_depends_on_the_place(command: str, expected: dict[str, str]) -> None:
    """Where git runs and what the shell's patterns mean decide what a commit holds."""
    work = worked(edit(".ci.yml"), edit("web/app.ts"), run(command, COMMITTED))
    assert expected == status(work)


@pytest.mark.parametrize(
    ("command", "expected"),
    [("git reset --soft HEAD~1", "edited"), ("git reset HEAD^", "edited"), ("git reset --hard HEAD~1", "reverted")],
)
def test_a_commit_that_was_dropped_is_none(command: str, expected: str) -> None:
    """It is not on the branch any more; only --hard drops the work too."""
    work = worked(edit("sum.py"), run("git commit -am 'Fix the sum'", COMMITTED), run(command))
    assert ([], {"sum.py": expected}) == (commits(work), status(work))


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("git reset --soft 1a2b3c4", ["Fix the sum"]),
        ("git reset --soft origin/develop", []),
        ("git reset --soft develop", []),
        ("git reset HEAD~1 sum.py", ["Fix the sum", "Tell of it"]),  # a path: the commit stays
    ],
)
def test_a_reset_names_what_it_goes_back_to(command: str, left: list[str]) -> None:
    """Whoever squashes a branch goes back to a commit, or to what the branch was made from."""
    first = (edit("sum.py"), run("git commit -am 'Fix the sum'", COMMITTED), run("git push", "main -> main"))
    second = (edit("doc.md"), run("git commit -am 'Tell of it'", "[main 5d6e7f8] Tell of it\n 1 file changed\n"))
    assert left == [subject for _, subject in commits(worked(*first, *second, run(command)))]


def test_a_file_edited_before_a_commit_of_others_stays_open() -> None:
    """Seen: `.goreleaser.yaml` told as committed because it was edited before, though two other files were added."""
    work = worked(
        edit(".goreleaser.yaml"),
        edit("main.go"),
        edit("main_test.go"),
        run("git add main.go main_test.go"),
        run("git commit -m 'Fix the sum'", COMMITTED),
    )
    assert status(work) == {".goreleaser.yaml": "edited", "main.go": "committed", "main_test.go": "committed"}
    assert work.commits[0].files == ("main.go", "main_test.go")


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("git commit -m 'Fix the sum'", COMMITTED, ("1a2b3c4", "Fix the sum")),
        ("git commit -m 'Fix the sum' 2>&1 | tail -3", COMMITTED, ("1a2b3c4", "Fix the sum")),
        ("git commit -qm 'Fix the sum'", "", ("", "Fix the sum")),
        ('git commit -q -m "Say \\"hello\\" twice"', "", ("", 'Say "hello" twice')),
        ('git commit -q -m "Fix the sum" -m "It was wrong."', "", ("", "Fix the sum")),
        ("git commit -q --message='Fix the sum'", "", ("", "Fix the sum")),
        ("git commit -q -F - <<'EOF'\nFix the sum; it's wrong\n\nBecause.\nEOF", "", ("", "Fix the sum; it's wrong")),
        (
            "git commit -q -m \"$(cat <<'EOF'\nFix the sum\n\nCo-Authored-By: A <a@example.org>\nEOF\n)\"",
            "",
            ("", "Fix the sum"),
        ),
        ("git commit -m x", "[detached HEAD 1a2b3c4d] Fix the sum\n", ("1a2b3c4d", "Fix the sum")),
        ("git commit -m x", "[main (root-commit) 1a2b3c4] Fix the sum\n", ("1a2b3c4", "Fix the sum")),
        ("git commit", "hook: formatting …\nok\n[main 1a2b3c4] Fix the sum\n", ("1a2b3c4", "Fix the sum")),
    ],
)
def test_a_commit_is_named_by_what_git_said(command: str, output: str, expected: tuple[str, str]) -> None:
    """The id is what the next session looks for; the message is the best line about the work."""
    assert [expected] == commits(worked(edit("sum.py"), run(command, output)))


def test_two_commits_of_one_line_are_two() -> None:
    """Agents split their work at the end in one go: the second must not be told as a copy of the first."""
    work = worked(
        edit("sum.py"),
        edit("doc.md"),
        run(
            "git add sum.py && git commit -m 'Fix the sum' && git add doc.md && git commit -m 'Tell of it'",
            "[main 1a2b3c4] Fix the sum\n 1 file changed\n[main 5d6e7f8] Tell of it\n 1 file changed",
        ),
    )
    assert commits(work) == [("1a2b3c4", "Fix the sum"), ("5d6e7f8", "Tell of it")]
    assert [commit.files for commit in work.commits] == [("sum.py",), ("doc.md",)]


@pytest.mark.parametrize(
    ("command", "output", "exit_code"),
    [
        ("git commit -m 'Fix the sum'", "ruff....Failed\n- exit code: 1\nFound 2 errors.", 1),
        ("git commit -m 'Fix the sum' 2>&1 | tail -3", "ruff....Failed\n- exit code: 1\nFound 2 errors.", 0),
        ("git commit -m 'Fix the sum' | tail -1", "nothing to commit, working tree clean", 0),
        ("git commit -m 'Fix the sum' || true", 'no changes added to commit (use "git add")', 0),
        ("git commit --dry-run -m 'Fix the sum'", "", 0),
        ("echo git commit -m 'Fix the sum'", "", 0),
        ("git commit -qm 'Fix the sum' &", "", 0),
        ("git commit -m 'Fix the sum' | tail -1", " 1 file changed, 2 insertions(+)", 0),
        ("! git commit -m 'Fix the sum'", "", 0),
        ("true || git commit -m 'Fix the sum'", "", 0),
        ("git commit --short -m 'Fix the sum'", "M  sum.py", 0),
    ],
)
def test_what_git_refused_is_no_commit(command: str, output: str, exit_code: int) -> None:
    """ "Committed" that is not true is the worst line of all: the work is thrown away with a clean conscience."""
    work = worked(edit("sum.py"), run("git add sum.py"), run(command, output, exit_code=exit_code))
    assert commits(work) == []
    assert status(work) == {"sum.py": "edited"}


def test_a_commit_that_git_does_not_tell_of_beside_another_is_none() -> None:
    """`|| true` hides the status of the first, but git would have told about both."""
    command = "git commit -am 'One' || true; git commit -am 'Two'"
    assert [("1a2b3c4", "Two")] == commits(worked(edit("sum.py"), run(command, "hook says no\n[main 1a2b3c4] Two")))


def test_an_amended_commit_is_one_commit() -> None:
    """The old id is gone from the branch."""
    work = worked(
        edit("sum.py"),
        run("git commit -am 'Fix the sum'", COMMITTED),
        edit("doc.md"),
        run("git add doc.md && git commit --amend --no-edit", "[main 9f8e7d6] Fix the sum\n Date: today"),
    )
    assert commits(work) == [("9f8e7d6", "Fix the sum")]
    assert work.commits[0].files == ("doc.md", "sum.py")


def test_a_quiet_amend_keeps_the_message() -> None:
    """`-q` prints nothing: the id is unknown, the subject is not."""
    work = worked(edit("sum.py"), run("git commit -am 'Fix it'", COMMITTED), run("git commit -q --amend --no-edit"))
    assert commits(work) == [("", "Fix the sum")]


@pytest.mark.parametrize("command", ["git rebase main", "git pull --rebase && git rebase -i HEAD~2"])
def test_a_rebase_makes_ids_unknown(command: str) -> None:
    """The commits are still there, under names that the record does not tell."""
    work = worked(edit("sum.py"), run("git commit -am 'Fix the sum'", COMMITTED), run(command))
    assert commits(work) == [("", "Fix the sum")]


def test_a_push_counts_when_it_went_through() -> None:
    """ "Not pushed" is what the next session has to know."""
    assert worked(run("git push")).pushed == 0
    assert worked(run("git push", "! [rejected]", exit_code=1)).pushed == -1
    assert worked(run("git push 2>&1 | tail -1", "   1a2b3c4..5d6e7f8  main -> main")).pushed == 0
    assert worked(run("git push 2>&1 | tail -1", "error: failed to push some refs")).pushed == -1
    assert worked(run("git push --dry-run", "   1a2b3c4..5d6e7f8  main -> main")).pushed == -1
    assert worked(run("git push &")).pushed == worked(run("git push || true")).pushed == -1


@pytest.mark.parametrize(
    ("command", "output", "status"),
    [
        ("git status", "On branch main\nnothing to commit, working tree clean", "committed"),
        ("git status --short", "", "committed"),
        ("git status --short > /tmp/st.txt", "", "edited"),
        ("git status > /tmp/st.txt", "", "edited"),
        ("cat notes.md; git status --short", "nothing to commit, working tree clean\n M sum.py", "edited"),
        ("git log -1 && git status", "nothing to commit, working tree clean", "committed"),
        ("git status --short", " M sum.py", "edited"),
        ("git status --short docs", "", "edited"),
        ("git stash && git status", "nothing to commit, working tree clean", "edited"),
        ("cd /home/ada/other && git status", "nothing to commit, working tree clean", "edited"),
        ("git -C /home/ada/other status", "nothing to commit, working tree clean", "edited"),
        (f"cd {ROOT} && git status", "nothing to commit, working tree clean", "committed"),
    ],
)
def test_what_somebody_else_committed_is_committed(command: str, output: str, status: str) -> None:
    """The user commits by hand, and git tells the agent later that nothing is left."""
    (file,) = worked(edit("sum.py"), run(command, output)).files
    assert file.status == status


def test_what_was_put_away_is_in_no_commit() -> None:
    """git says that all is clean, and the edit is in the stash."""
    clean = run("git status", "nothing to commit, working tree clean")
    (file,) = worked(edit("sum.py"), run("git stash"), clean).files
    assert file.status == "edited"


def test_a_long_message_takes_no_long_time() -> None:
    """Here-documents of many blank lines once took seconds."""
    in_proportion(lambda lines: "git commit -F - <<'EOF'\nFix" + "\n" * lines + "the sum\nEOF", message_of, 5_000)


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- sum.py",
        "git checkout sum.py",
        "git checkout HEAD -- sum.py",
        "git checkout .",
        "git checkout -- .",
        "git restore sum.py",
        "git restore .",
        "git restore --source=HEAD sum.py",
        "git reset --hard",
        f"git checkout -- '{ROOT}/sum.py'",
    ],
)
def test_a_file_taken_back_is_reverted(command: str) -> None:
    """An experiment that was thrown away is told as open work, and gets done again."""
    assert status(worked(edit("sum.py"), run(command))) == {"sum.py": "reverted"}


@pytest.mark.parametrize(
    "command", ["git restore --staged sum.py", "git checkout main", "git checkout -b fix/v1.2", "git checkout -- x.py"]
)
def test_what_is_not_taken_back_stays(command: str) -> None:
    """Unstaging and changing the branch keep the work tree."""
    assert status(worked(edit("sum.py"), run(command))) == {"sum.py": "edited"}


def test_an_edit_after_a_revert_is_open_work() -> None:
    """The second approach."""
    assert status(worked(edit("sum.py"), run("git checkout sum.py"), edit("sum.py"))) == {"sum.py": "edited"}


def test_a_finished_rebase_tells_the_new_commit() -> None:
    """Its id is what the next session looks for; git prints it and nothing else does."""
    output = "[detached HEAD 9f8e7d6] Fix the sum\n 1 file changed\nSuccessfully rebased and updated refs/heads/sum."
    work = worked(edit("sum.py"), run("git commit -am 'Fix the sum'", COMMITTED), run("git rebase --continue", output))
    assert commits(work) == [("9f8e7d6", "Fix the sum")]


# How things stand


CREATED = edit("sum.py", "total = a + b\n", "total = a - b\n")
STATUS = "On branch main\nChanges not staged for commit:\n\tmodified:   cart.py\n\nno changes added to commit"


def unknown(command: str, text: str) -> Piece:
    """A command of which only the words are known, and not how it ended."""
    return tuple(
        record._replace(outcome="unknown", exit_code=None) if isinstance(record, Result) else record
        for record in run(command, text)
    )


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("git status --short", "", {"sum.py": "committed", "cart.py": "committed"}),
        ("git status -sb", "## main...origin/main", {"sum.py": "committed", "cart.py": "committed"}),
        ("git status --porcelain", " M cart.py\n?? web/", {"sum.py": "committed", "cart.py": "edited"}),
        ("git status --short", "M cart.py", {"sum.py": "committed", "cart.py": "edited"}),  # trimmed by the client
        ("git status --short | head -20", " M cart.py", {"sum.py": "committed", "cart.py": "edited"}),
        ("git status", STATUS, {"sum.py": "committed", "cart.py": "edited"}),
        ("git status && git log --oneline -1", f"{STATUS}\n1a2b3c4 Fix", {"sum.py": "committed", "cart.py": "edited"}),
        ("git status --short cart.py", "", {"sum.py": "edited", "cart.py": "edited"}),
        ("git status --short | grep py", " M cart.py", {"sum.py": "edited", "cart.py": "edited"}),
        ("git diff && git status --short", " M cart.py", {"sum.py": "edited", "cart.py": "edited"}),
    ],
)
def test_the_last_status_settles_what_is_open(command: str, text: str, expected: dict[str, str]) -> None:
    """In its long form and in its short one; what may be cut off or of something else settles nothing."""
    assert status(worked(CREATED, edit("cart.py"), run(command, text))) == expected


def test_a_status_that_lists_a_committed_file_opens_it_again() -> None:
    """The commit did not hold all of it."""
    work = worked(CREATED, run("git commit -am 'Fix the sum'", COMMITTED), run("git status --short", " M sum.py"))
    assert (status(work), work.git.is_clean) == ({"sum.py": "edited"}, False)


@pytest.mark.parametrize(
    ("command", "text", "id"),
    [
        ("git commit -qm 'Fix the sum' && git log --oneline -1", "1a2b3c4 (HEAD -> main) Fix the sum", "1a2b3c4"),
        ("git commit -qam 'Fix the sum' && git rev-parse HEAD", "1a2b3c4d" * 5, "1a2b3c4d" * 5),
    ],
)
def test_a_commit_without_a_word_is_told_by_what_stands_behind_it(command: str, text: str, id: str) -> None:
    work = worked(CREATED, run(command, text))
    assert (commits(work), work.git.head) == ([(id, "Fix the sum")], id)


def test_gits_own_words_prove_a_commit_and_a_push_whose_end_is_unknown() -> None:
    """A script printed the text alone."""
    pushed = "To github.com:ada/shop.git\n   0a0b0c0..1a2b3c4  main -> main\n"
    work = worked(CREATED, unknown("git commit -am 'Fix the sum'", COMMITTED), unknown("git push", pushed))
    assert (commits(work), work.git) == ([("1a2b3c4", "Fix the sum")], GitState("1a2b3c4", True, None))
    assert worked(unknown("git push", "! [rejected] main -> main (fetch first)")).git.is_pushed is None


@pytest.mark.parametrize(
    ("text", "is_pushed"),
    [
        ("## main...origin/main", True),
        ("## main...origin/main [ahead 1]", False),
        (
            "On branch main\nYour branch is ahead of 'origin/main' by 1 commit.\nnothing to commit, working tree clean",
            False,
        ),
        ("On branch main\nYour branch is up to date with 'origin/main'.\nnothing to commit, working tree clean", True),
    ],
)
def test_the_status_tells_whether_the_remote_has_it(text: str, is_pushed: bool) -> None:
    """Also where somebody else pushed; a commit behind it is on no remote."""
    asked = run("git status -sb" if text.startswith("##") else "git status", text)
    made = run("git commit -am 'Fix the sum'", COMMITTED)
    assert worked(CREATED, made, asked).git == GitState("1a2b3c4", is_pushed, True)
    assert worked(asked, CREATED, made).git == GitState("1a2b3c4", False, None)
    assert worked(CREATED, made, asked, run("git switch other")).git.is_pushed is None
