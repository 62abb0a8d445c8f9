"""What was really done, read off tool calls: files, checks, fixes."""

from __future__ import annotations

import pytest

from clew.core.records.file_names import relative
from clew.core.records.transcript import Result
from clew.distill.work import SessionWork
from tests.builders import ROOT, Piece, edit, other, refused, run, worked

COMMITTED = "[main 1a2b3c4] Fix the sum\n 1 file changed, 2 insertions(+)"


def status(work: SessionWork) -> dict[str, str]:
    """What became of each edited file."""
    return {file.path: file.status for file in work.files}


def commits(work: SessionWork) -> list[tuple[str, str]]:
    return [(commit.id, commit.subject) for commit in work.commits]


def checks(work: SessionWork) -> list[tuple[str, str, bool]]:
    return [(check.command, check.outcome, bool(check.stale)) for check in work.checks]


# Files


def test_files_are_listed_by_their_last_edit() -> None:
    """The last ones are what the session was about when it stopped; each is listed once."""
    work = worked(edit("a.py"), edit("b.py"), edit("a.py"))
    assert [(file.path, file.edits) for file in work.files] == [("b.py", 1), ("a.py", 2)]


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/home/ada/shop/sum.py", ROOT, "sum.py"),
        ("/home/ada/shop/web/app.ts", ROOT + "/", "web/app.ts"),
        ("sum.py", ROOT, "sum.py"),
        ("./sum.py", ROOT, "sum.py"),
        (".github/ci.yml", ROOT, ".github/ci.yml"),
        ("/home/ada/shopping/list.py", ROOT, ""),
        ("/etc/hosts", ROOT, ""),
        ("/tmp/try.py", ROOT, ""),
        ("~/.bashrc", ROOT, ""),
        ("../other/a.py", ROOT, ""),
        ("C:\\Users\\ada\\shop\\web\\app.ts", "C:\\Users\\ada\\shop", "web/app.ts"),
        ("C:/Users/ada/shop/a.ts", "C:\\Users\\ada\\shop", "a.ts"),
        ("C:\\Windows\\hosts", "C:\\Users\\ada\\shop", ""),
        ("/home/ada/shop/.claude/plans/x.md", ROOT, ""),
        ("/home/ada/shop/.git/COMMIT_EDITMSG", ROOT, ""),
        ("/home/ada/shop/a/../../etc/x.py", ROOT, ""),
        ("/home/ada/shop/web/../sum.py", ROOT, "sum.py"),
        (ROOT, ROOT, ""),
        ("/a.py", "", ""),
        ("", ROOT, ""),
    ],
)
def test_paths_are_told_relative_to_the_root(path: str, root: str, expected: str) -> None:
    """Scratch files outside the project must not turn up as project files; inside, one file has one name."""
    assert expected == relative(path, root)


# Checks


@pytest.mark.parametrize(
    "again",
    ["cd /home/ada/shop && make test", "CI=1 make test", "make test 2>&1", "make test > log.txt", "time make test"],
)
def test_the_same_check_is_known_in_other_clothes(again: str) -> None:
    """Otherwise the first failure is shown for ever beside the pass."""
    assert [c.outcome for c in worked(run("make test", "boom", exit_code=2), run(again, "ok")).checks] == ["passed"]


def test_an_edit_outside_the_project_makes_no_check_stale() -> None:
    """A note in /tmp changes no outcome."""
    assert checks(worked(run("make test"), edit("/tmp/note.md"))) == [("make test", "passed", False)]


# Fail, then fix


# Calls to clew itself


@pytest.mark.parametrize(
    ("failing", "working"),
    [
        ('clew confirm "I continue"', 'clew confirm "I mend the cart"'),
        (".venv/bin/clew note --next", ".venv/bin/clew note --next x"),
        ("cd app && python -m clew lint", "cd app && python -m clew lint HANDOFF.md | head"),
    ],
)
def test_how_clew_is_called_is_no_finding(failing: str, working: str) -> None:
    """Two tries at a command of ours say nothing about the project, and are no checks of it."""
    work = worked(
        run(failing, "Error: 1 problem", exit_code=1), run(working, "0 problems"), refused(run(failing), "No")
    )
    assert ([], [], []) == (work.failed_runs, work.checks, work.refusals)


def test_a_check_beside_a_call_to_clew_counts() -> None:
    """Only that part of the line is about the ledger."""
    assert [("pytest -q", "passed", False)] == checks(worked(run("clew note 'x' && pytest -q", "3 passed in 0.1s")))


# Removed files, tools that work elsewhere


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git mv sum.py total.py", {"sum.py": "moved to total.py", "total.py": "edited"}),
        ("mkdir -p lib && mv sum.py lib/", {"sum.py": "moved to lib/sum.py", "lib/sum.py": "edited"}),
        ("mv sum.py web", {"sum.py": "moved to web/sum.py", "web/sum.py": "edited"}),
        ("cd web && git mv ../sum.py .", {"sum.py": "moved to web/sum.py", "web/sum.py": "edited"}),
        ("git mv -f web/app.ts web/main.ts", {"web/app.ts": "moved to web/main.ts", "web/main.ts": "edited"}),
        ("git mv web ui", {"web/app.ts": "moved to ui/app.ts", "ui/app.ts": "edited"}),
        ("git mv old.py new.py", {"old.py": "moved to new.py", "new.py": "edited"}),
        ("git rm -q old.py", {"old.py": "removed"}),
        ("git rm --cached sum.py", {}),
        ("mv /tmp/a /tmp/b", {}),
        ("mv *.txt old", {}),
        ("mv *.py web", {"sum.py": "moved to web/sum.py", "web/sum.py": "edited"}),
        ("rm -rf build", {}),
    ],
)
def test_what_was_moved_is_told_with_its_new_name(line: str, expected: dict[str, str]) -> None:
    """A file that was moved would be looked for where it is gone, and told as deleted."""
    told = status(worked(edit("sum.py"), edit("web/app.ts"), run(line)))
    assert {path: what for path, what in told.items() if expected.get(path, "edited") == what} == told
    assert expected.items() <= told.items()
    assert len(told) == len({"sum.py", "web/app.ts", *expected})


def test_a_commit_holds_the_new_name() -> None:
    """What was moved after it was edited is in the commit under its new name, and the old name stays gone."""
    work = worked(edit("sum.py"), run("git mv sum.py total.py && git commit -am 'Rename'", COMMITTED))
    assert status(work) == {"sum.py": "moved to total.py", "total.py": "committed"}


def test_a_removed_file_is_told_as_removed() -> None:
    """A file that was made and deleted again would be looked for, and the checks before it would count as fresh."""
    work = worked(edit("try.py"), edit("web/app.ts"), run("pytest -q", "3 passed"), run("cd web && rm -f ../try.py"))
    assert status(work) == {"try.py": "removed", "web/app.ts": "edited"}
    assert checks(work) == [("pytest -q", "passed", True)]


@pytest.mark.parametrize("behind", [" 2>&1", " > /tmp/out.txt 2>&1", " >/tmp/out.txt", " < /dev/null"])
def test_a_check_is_told_without_where_its_output_went(behind: str) -> None:
    """A file of the moment says nothing, and takes the room of the command's own words."""
    assert [command for command, _, _ in checks(worked(run(f"pytest -q tests{behind}", "3 passed")))] == [
        "pytest -q tests"
    ]


def test_a_quoted_arrow_stays_in_a_check() -> None:
    """Only redirections are taken off: what is quoted belongs to the command."""
    assert checks(worked(run('pytest -k "a > b"', "3 passed")))[0][0] == 'pytest -k "a > b"'


# What never ran


def denied(piece: Piece) -> Piece:
    """The same call, which a hook or a rule kept from running."""
    why = "PreToolUse:Bash hook error: clew: Until a person approves the plan nothing is changed"
    return tuple(
        record._replace(outcome="denied", text=why) if isinstance(record, Result) else record for record in piece
    )


def test_a_call_that_a_gate_denied_is_nothing() -> None:
    """It never ran: no check of it failed, no file was changed, and nothing about this machine is known."""
    calls = [run("pytest -q"), run("python -c 'import shop'"), edit("sum.py"), other("Skill", "deploy", "")]
    work = worked(*map(denied, calls), run("python3 -c 'import shop'"))
    assert (work.checks, work.files, work.failed_runs, work.refusals) == ([], (), [], [])


# What fails here


@pytest.mark.parametrize(
    ("failing", "error", "working"),
    [
        ("pytest -q", "zsh: command not found: pytest", "uv run pytest -q"),
        ("go test ./...", "zsh:1: command not found: go", "mise exec -- go test ./..."),
        ("python tools/report.py", "bash: python: command not found", "python3 tools/report.py"),
    ],
)
def test_a_program_that_is_not_there_is_told_with_what_works(failing: str, error: str, working: str) -> None:
    """Each new session would find it out again; and a test that never ran has not failed."""
    work = worked(run(failing, error, exit_code=127), edit("sum.py"), run(working, "3 passed"))
    assert [(one.command, one.works, one.error) for one in work.failed_runs] == [(failing, working, error)]
    assert {check.outcome for check in work.checks} <= {"passed"}


@pytest.mark.parametrize(
    "working", ["pytest -q", "npm run lint", "rg sum src"], ids=["it is there now", "another kind", "a look"]
)
def test_what_works_later_is_not_always_in_its_place(working: str) -> None:
    work = worked(run("pytest -q", "zsh: command not found: pytest", exit_code=127), run(working, "ok"))
    assert [one.works for one in work.failed_runs] in ([], [""])


def test_a_test_that_cannot_import_has_failed() -> None:
    """Its words are those of a program that is not there."""
    error = "E   ModuleNotFoundError: No module named 'till'\n1 error in 0.1s"
    work = worked(run("pytest -q", error, exit_code=2), run("pytest -q tests/a.py", "3 passed"))
    assert (["failed", "passed"], []) == ([check.outcome for check in work.checks], work.failed_runs)


# Dead ends


def dead_ends(*pieces: Piece) -> list[tuple[tuple[str, ...], str, str]]:
    return [(dead.files, dead.tried, dead.error) for dead in worked(*pieces).dead_ends]
