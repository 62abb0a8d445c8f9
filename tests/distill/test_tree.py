"""Which files a session changed, by which names: in its project, its work trees, and outside of both."""

from __future__ import annotations

import pytest

from clew.core.records.file_names import beside, is_inside, moved_home
from clew.core.records.transcript import Context, Edit, Run
from clew.distill.session import build
from clew.distill.work import SessionWork, survey
from tests.builders import ROOT, SESSION, Piece, call, edit, laid_out, prompt, run, worked

WEB = "/home/ada/web"
FEE = f"{ROOT}/.claude/worktrees/fee"
SIBLING = "/home/ada/shop-fee"


def paths(work: SessionWork) -> list[str]:
    return [file.path for file in work.files]


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        (f"{WEB}/src/Login.tsx", ROOT, "../web/src/Login.tsx"),
        ("../web/a.ts", ROOT, "../web/a.ts"),
        (f"{ROOT}/../web/a.ts", ROOT, "../web/a.ts"),
        ("/srv/other/a.py", ROOT, "/srv/other/a.py"),
        ("/srv/shop/a.py", "", "/srv/shop/a.py"),
        (f"{ROOT}/.github/ci.yml", f"{ROOT}/api", "../.github/ci.yml"),
        ("/tmp/x/web/a.ts", "/tmp/x/shop", "../web/a.ts"),
        ("/tmp/try.py", ROOT, ""),
        ("/private/tmp/try.py", ROOT, ""),
        ("/home/ada/.config/x.toml", ROOT, ""),
        ("/home/ada/.claude/plans/a.md", ROOT, ""),
        ("~/.bashrc", ROOT, ""),
        ("/etc/hosts", ROOT, ""),
        (f"{ROOT}/sum.py", ROOT, ""),
        ("/a.py", "", ""),
        (ROOT, ROOT, ""),
        ("", ROOT, ""),
    ],
)
def test_a_file_outside_has_a_name_of_its_own(path: str, root: str, expected: str) -> None:
    """An edit in the repository next door is work; scratch files and settings are none."""
    assert beside(path, root) == expected
    assert not expected or not is_inside(expected)


def test_an_edit_in_a_second_repository_is_an_edit() -> None:
    """The session was told as one that only answered."""
    work = worked(
        prompt("Show it on the login page of ../web"), edit(f"{WEB}/src/Login.tsx"), run("npm test", "1 passed")
    )
    assert paths(work) == ["../web/src/Login.tsx"]
    assert [check.stale for check in work.checks] == [""]
    (commit,) = worked(edit(f"{WEB}/a.ts"), run(f"git -C {WEB} commit -am 'Show it'", "[main 1a2b3c4] Show it")).commits
    assert commit.files == ()


def moving(*pieces: tuple[str, Piece], trees: tuple[str, ...] = ()) -> SessionWork:
    """What was done, each piece with the folder that the client stood in."""
    told = [(Context(0, "", "", SESSION, folder, "main", "1"), *piece) for folder, piece in pieces]
    return survey(build(laid_out(*told), client="claude-code", trees=trees))


@pytest.mark.parametrize("tree", [FEE, SIBLING])
def test_work_in_another_work_tree_has_the_names_of_the_project(tree: str) -> None:
    """Its files were told as `.claude/worktrees/fee/src/a.py`, and then as gone."""
    work = moving(
        (ROOT, prompt("Round it in a work tree")),
        (tree, edit(f"{tree}/src/a.py")),
        (tree, run("pytest -q", "3 passed")),
        (tree, run("git add src/a.py && git commit -m 'Round'", "[fee 1a2b3c4] Round")),
        (tree, edit(f"{tree}/src/b.py")),
        trees=(tree,),
    )
    assert [(file.path, file.status) for file in work.files] == [("src/a.py", "committed"), ("src/b.py", "edited")]
    assert work.commits[0].files == ("src/a.py",)


def test_a_session_that_began_in_a_work_tree_knows_the_project() -> None:
    """Both ways: the tree that it began in is the one that names are told from."""
    assert moved_home(f"{ROOT}/src/a.py", FEE, (ROOT,)) == f"{FEE}/src/a.py"
    assert moved_home(f"{FEE}/src/a.py", FEE, (ROOT,)) == f"{FEE}/src/a.py"
    assert moved_home("/home/ada/shop-2/a.py", ROOT, ("/home/ada/shop",)) == "/home/ada/shop-2/a.py"


@pytest.mark.parametrize(
    ("root", "path"),
    [
        ("/var/home/ada/shop", "/home/ada/shop/a.py"),
        ("/home/ada/shop", "/var/home/ada/shop/a.py"),
        ("/private/tmp/shop", "/tmp/shop/a.py"),
        ("/tmp/shop", "/private/tmp/shop/a.py"),
    ],
)
def test_a_project_by_the_other_name_of_its_folder_is_the_project(root: str, path: str) -> None:
    """Links that some systems have for everybody."""
    assert paths(survey(build(laid_out(edit(path)), client="claude-code", root=root))) == ["a.py"]


def test_where_the_client_stands_is_where_a_command_runs() -> None:
    """A `cd` of an earlier call goes on: a relative name is one of that folder."""
    web = f"{ROOT}/web"
    work = moving(
        (ROOT, edit("web/app.ts")),
        (web, edit("main.ts")),
        (web, run("git add app.ts && git commit -m 'Fix'", "[main 1a2b3c4] Fix")),
        (web, run("npm test", "1 failed", )[:1] + call(Run("npm test"), "1 failed", ok=False)[1:]),
        (ROOT, run("npm test", "9 passed")),
    )  # fmt: skip
    assert {file.path: file.status for file in work.files} == {"web/app.ts": "committed", "web/main.ts": "edited"}
    assert [check.outcome for check in work.checks] == ["failed", "passed"]


def test_several_edits_of_one_call_are_each_an_edit() -> None:
    """A patch of three files is one call."""
    one, ended = call(Edit("a.py", "", "x = 1"))
    other = one._replace(action=Edit("b.py", "", "y = 1"))
    records = [
        record._replace(at=700) if record.at in (100, 200) else record for record in laid_out((one, other, ended))
    ]
    assert paths(survey(build(records, client="codex", root=ROOT))) == ["a.py", "b.py"]
