"""Files that a shell line writes whole are edits like any other: Codex writes most new files so."""

from __future__ import annotations

import pytest

from clew.core.records.transcript import Edit
from clew.distill.asking import last_act
from clew.distill.session import build
from clew.distill.shell_lines import files_written
from tests.builders import ROOT, call, distilled, prompt, refused, run, unanswered, worked

NOTES = "cat > docs/notes.md <<'EOF'\n# Notes\n\nRound once.\nEOF"


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (NOTES, [("docs/notes.md", "# Notes\n\nRound once.")]),
        ("cd docs && cat <<EOF > notes.md\nRound $n times.\nEOF\ngit add .", [("docs/notes.md", "Round $n times.")]),
        ("tee notes.md > /dev/null <<'EOF'\nOnce.\nEOF", [("notes.md", "Once.")]),
        ("cat > 'a b.md' <<-EOF\nOnce.\nEOF", [("a b.md", "Once.")]),
        ("cat > a.md <<'A' && cat > b.md <<'B'\na\nA\nb\nB", [("a.md", "a"), ("b.md", "b")]),
    ],
)
def test_what_is_written(line: str, written: list[tuple[str, str]]) -> None:
    """Of two that begin in one line each has its own body."""
    assert [Edit(f"{ROOT}/{path}", "", text) for path, text in written] == files_written(line, ROOT)


@pytest.mark.parametrize(
    "line",
    [
        "cat docs/notes.md",
        "cat >> docs/notes.md <<'EOF'\nOnce.\nEOF",
        "cat > \"$out\" <<'EOF'\nOnce.\nEOF",
        "cat head.md - > all.md <<'EOF'\nOnce.\nEOF",
        "python - <<'EOF' > out.txt\nprint(1)\nEOF",
        "git commit -F - <<'EOF'\nFix > all\nEOF",
        "tee -a notes.md <<'EOF'\nOnce.\nEOF",
        "cat 2> errors.txt <<'EOF'\nOnce.\nEOF",
        "[ -f .env ] || cat > .env <<'EOF'\nA=1\nEOF",
        'cat > VERSION <<< "1.2"\nnpm test',
    ],
)
def test_what_is_not(line: str) -> None:
    """What is read, added to or made by a program, and what only the shell knows."""
    assert files_written(line, ROOT) == []


def test_it_is_an_edit_of_the_session() -> None:
    """Seen: a file that was written anew in a session was told as it was before."""
    (file,) = worked(prompt("Write it"), run(NOTES)).files
    assert (file.path, file.status) == ("docs/notes.md", "edited")
    assert worked(prompt("Write it"), run(NOTES, "read-only file system", exit_code=1)).files == ()


def test_what_the_line_does_with_it_comes_behind() -> None:
    """Seen: a test that ran in the same line as "before the last edit", a commit without its file."""
    checked = worked(prompt("Test it"), run("cat > tests/test_a.py <<'EOF'\nassert 1\nEOF\npytest -q", "3 passed"))
    assert [check.stale for check in checked.checks] == [""]
    line = "cat > a.py <<'EOF'\na = 1\nEOF\ngit add -A && git commit -m 'Add a'"
    done = worked(prompt("Add it"), run(line, "[main abc1234] Add a"))
    assert [commit.files for commit in done.commits] == [("a.py",)]
    probe = worked(prompt("Try it"), run("cat > probe.py <<'EOF'\nprint(1)\nEOF\npython probe.py && rm probe.py", "1"))
    assert [file.status for file in probe.files] == ["removed"]


def test_the_act_under_way_is_the_line_and_not_what_it_writes_as_well() -> None:
    """It would be told twice; of a patch every file is told."""
    line = distilled(prompt("Write it"), unanswered(run("cat > a.py <<'EOF'\na = 1\nEOF\nmake deploy")))
    assert line.origin.last_act.count("no result") == 1
    one, other = (call(Edit(path, "", "x = 1"))[0] for path in ("a.py", "b.py"))
    records = [*prompt("Write it"), one._replace(at=5), other._replace(at=5)]
    assert last_act(build(records, client="codex", root=ROOT)).count("no result") == 2


def test_a_line_that_was_refused_is_refused_once() -> None:
    """It is one thing that the user did not want."""
    (told,) = worked(prompt("Write it"), refused(run(NOTES), "not there")).refusals
    assert told.command


def test_a_command_that_ran_after_all_was_not_refused() -> None:
    """The user stopped it, and said "proceed"."""
    pieces = (prompt("Build it"), refused(run("make all")))
    assert [one.what for one in worked(*pieces).refusals] == ["`make all`"]
    assert worked(*pieces, prompt("proceed"), run("make all")).refusals == []
    reason = (prompt("Build it"), refused(run("make all"), "never all of it, it costs us money"))
    assert [one.reason for one in worked(*reason, prompt("go on"), run("make all")).refusals] != []


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("sed -i '' 's/a/b/' src/a.py src/b.py", ["src/a.py", "src/b.py"]),
        ("sed -i.bak -e s/a/b/ a.py", ["a.py"]),
        ("cd web && perl -pi -e 's/a/b/' app.ts", ["web/app.ts"]),
        ("for f in a.py b.py; do sed -i 's/a/b/' \"$f\"; done", ["a.py", "b.py"]),
        ("for f in a.py b.py\ndo\n  sed -i s/a/b/ ${f}\ndone", ["a.py", "b.py"]),
        ("for f in $(git ls-files); do sed -i s/a/b/ $f; done", []),
        ("sed -n 1,20p a.py", []),
        ("sed 's/a/b/' a.py", []),
        ("sed -i s/a/b/ *.py", []),
    ],
)
def test_files_that_are_edited_in_place(line: str, paths: list[str]) -> None:
    """Each of them by its own name, also one after the other; what only the shell knows is left out."""
    assert [one.path for one in files_written(line, "/w")] == [f"/w/{path}" for path in paths]
