"""Shell lines as agents type them: which commands are in them, what each is for, how it went."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.core.gate.shell.outcomes import error_line, outcome
from clew.core.gate.shell.purposes import git_words, split
from tests.growth import in_proportion


def heads(line: str) -> list[str]:
    """The program of each simple command."""
    return [part.words[0] for part in split(line)]


def purposes(line: str) -> list[str]:
    return [part.purpose for part in split(line)]


def went(line: str, output: str = "", *, exit_ok: bool, which: int = 0) -> str:
    """The outcome of the `which`-th check in the line."""
    parts = split(line)
    checks = [index for index, part in enumerate(parts) if part.purpose in ("test", "lint", "build")]
    return outcome(parts, checks[which], output, exit_ok=exit_ok)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        ("pytest", ["pytest"]),
        ("cd web && npm test", ["cd", "npm"]),
        ("go vet ./...; go test ./... | tail -5", ["go", "go", "tail"]),
        ("make build &\nmake test", ["make", "make"]),
        ("pytest &> log.txt", ["pytest"]),
        ('grep "a && b | c; d" f', ["grep"]),
        ('echo "a \\" && b"', ["echo"]),
        ("echo a \\&\\& b", ["echo"]),
        ("go test \\\n  ./...", ["go"]),
        ("echo 'never closed && pytest", ["echo"]),
    ],
)
def test_a_line_is_cut_at_its_operators_only(line: str, expected: list[str]) -> None:
    """A mark inside quotes that cuts makes commands out of words, and checks that never ran."""
    assert expected == heads(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("FOO=1 BAR=2 pytest -x", ("pytest", "-x")),
        ("env FOO=1 pytest", ("pytest",)),
        ("out=$(pytest -q)", ("pytest", "-q")),
        ("v=$(cat v) make test", ("make", "test")),
        ("time make test", ("make", "test")),
        ("timeout 60 pytest -x", ("pytest", "-x")),
        ("uv run pytest -q", ("pytest", "-q")),
        ("uv run \\\n  pytest", ("pytest",)),
        (".venv/bin/python -m pytest -q", ("pytest", "-q")),
        ("npx vitest run", ("vitest", "run")),
        ("bundle exec rspec", ("rspec",)),
        ("pytest -q 2>/dev/null", ("pytest", "-q")),
        ("! grep -q x f", ("grep", "-q", "x", "f")),
    ],
)
def test_wrappers_do_not_hide_the_command(line: str, expected: tuple[str, ...]) -> None:
    """The same check behind `uv run`, a time limit or a variable must be known again, else a fixed failure stays."""
    assert [expected] == [part.words for part in split(line)]


@pytest.mark.parametrize(
    "line",
    [
        "cat > notes.md <<'EOF'\nrun pytest && it's fine; don't | worry\nEOF\ngo test ./...",
        'cat <<"A" <<B\n;pytest\nA\n;pytest\nB\ngo test ./...',
        'tr a b <<<"hello"\ngo test ./...',
        "echo $((1 << 2))\ngo test ./...",
    ],
)
def test_the_body_of_a_here_document_is_no_command(line: str) -> None:
    """A file written by a here-document holds anything: quotes that never close and commands that were never run."""
    assert (purposes(line)[-1], heads(line)[-1]) == ("test", "go")
    assert "pytest" not in heads(line)


@pytest.mark.parametrize("line", ["# run the tests\npytest -q", "# don't skip slow ones\npytest -q", "pytest -q # all"])
def test_a_comment_is_no_command(line: str) -> None:
    """An apostrophe in a comment opens no quote: the command behind it would be swallowed."""
    assert purposes(line) == ["test"]
    assert went(line, "", exit_ok=False) == "failed"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest -q tests/core", "test"),
        ("cargo nextest run", "test"),
        ("npm test", "test"),
        ("npm --prefix web test", "test"),
        ("pnpm vitest run", "test"),
        ("./gradlew test", "test"),
        ("(cd web && pytest)", "test"),
        ("bash -c 'pytest -q'", "test"),
        ("eval 'pytest -q'", "test"),
        ("case $1 in unit) pytest -q;; esac", "test"),
        ("out=`pytest -q`", "test"),
        ("golangci-lint run", "lint"),
        ("ruff check .", "lint"),
        ("go vet ./...", "lint"),
        ("npx tsc --noEmit", "lint"),
        ("make", "build"),
        ("docker compose build", "build"),
        ("git commit -m x", "commit"),
        ("git -C api -c user.name=x commit -m x", "commit"),
        ("git commit --dry-run", "look"),
        ("git push -u origin main", "push"),
        ("git checkout -- app.py", "revert"),
        ("git checkout app.py", "revert"),
        ("git restore --staged app.py", "look"),
        ("git reset --hard", "revert"),
        ("git checkout -b feature/v1.2", "rewrite"),
        ("git checkout main", "rewrite"),
        ("git status --short", "look"),
        ("gh pr create --fill", "pull-request"),
        ("gh pr view 3", "look"),
        ("rg -n 'def test_' tests", "look"),
        ("python manage.py runserver", "other"),
    ],
)
def test_what_a_command_is_for(line: str, expected: str) -> None:
    """Wrongly a check: an `rg` without a match is told as a failed test. Wrongly none: a passed test is not told."""
    assert expected == purposes(line)[-1]


def test_git_words_start_at_the_sub_command() -> None:
    """Git's own options stand in front of it, some with a value."""
    assert git_words(("git", "-C", "api", "--no-pager", "-c", "a=b", "commit", "-m", "x")) == ("commit", "-m", "x")
    assert git_words(("git", "--version")) == ()


@pytest.mark.parametrize(
    ("line", "output", "exit_ok", "expected"),
    [
        ("pytest", "", True, "passed"),
        ("pytest", "", False, "failed"),
        ("cd api && pytest", "", True, "passed"),
        ("pytest | tail -3", "", True, "hidden"),
        ("pytest 2>&1 | tail -3", "2 failed, 7 passed", True, "failed"),
        ("pytest 2>&1 | tail -3", "7 passed in 1.2s", True, "passed"),
        ("go test ./... | tail", "ok  \texample.org/shop\t0.1s", True, "passed"),
        ("pytest || true", "1 failed in 0.1s", True, "failed"),
        ("pytest; echo $?", "1", True, "hidden"),
        ("pytest; ls", "3 passed", True, "passed"),
        ("pytest | tail", "0 failed, 3 passed", True, "passed"),
        ("pytest &", "", True, "hidden"),
    ],
)
def test_how_a_check_went(line: str, output: str, exit_ok: bool, expected: str) -> None:
    """A pipe or `|| true` hides the exit status: what it hides is neither passed nor failed."""
    assert expected == went(line, output, exit_ok=exit_ok)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("", ""),
        ("Exit code 2\n\n  \n", ""),
        ("Exit code 1\nrunning\nerror: cannot find `sum`\nmore", "error: cannot find `sum`"),
        ("one\ntwo", "two"),
        ("<tool_use_error>x\nzsh: command not found: rg", "zsh: command not found: rg"),
    ],
)
def test_the_line_that_says_what_went_wrong(output: str, expected: str) -> None:
    """The client's own "Exit code 1" above the output says nothing."""
    assert expected == error_line(output)


SHELL_TEXT = st.text(st.characters() | st.sampled_from("'\"`\\|&;<>()\n $=#-"), max_size=60)
SHELL_WORDS = st.lists(
    st.sampled_from(
        ["git", "-C", "commit", "-m", "<<", "<<EOF", "EOF", "\n", "'", '"', "\\", "|", "||", "&", "&&", ";", "2>&1",
         "&>", "timeout", "env", "A=1", "uv", "run", "pytest", "for", "(", ")", "!", "sudo", "--", "add", "checkout"]
    )
).map(" ".join)  # fmt: skip


@given(SHELL_TEXT | SHELL_WORDS, st.text(max_size=30), st.booleans())
@example("git", "", True)
@example("timeout", "", True)
@example("echo $'\\né", "", True)
def test_any_text_can_be_split_and_judged(line: str, output: str, exit_ok: bool) -> None:
    """A transcript holds whatever an agent typed: one odd line must not lose the session."""
    parts = split(line)
    for index, part in enumerate(parts):
        assert part.words
        assert outcome(parts, index, output, exit_ok=exit_ok) in ("passed", "failed", "hidden")
        git_words(part.words)


@pytest.mark.parametrize(
    "word", ["'a b'", '"a b"', "a\\ b", '"say \\"x\\" \\n"', "'it'\\''s'", "a'b'\"c\"", "web/*.ts"]
)
def test_quotes_are_taken_off_as_a_shell_does(word: str) -> None:
    """`git add 'sum.py'` names sum.py."""
    assert shlex.split(word) == list(split(f"git {word}")[0].words[1:])


@given(SHELL_TEXT | SHELL_WORDS)
@example("$\f0")
def test_no_word_is_invented(line: str) -> None:
    """What is quoted as a command was typed, and its words but for their quotes."""
    marks = str.maketrans("", "", "'\"\\\n")
    for part in split(line):
        assert part.text in line
        assert all(word.translate(marks) in line.translate(marks) for word in part.words)


@pytest.mark.parametrize("filler", ["\n", " ", "a;", "<<A ", "'", "git ", "\\"])
def test_a_long_line_takes_no_long_time(filler: str) -> None:
    """Time must grow with the length, not with its square: a file of 200 KB written by a here-document is common."""
    in_proportion(lambda chars: "cat <<EOF > f\n" + filler * (chars // len(filler)) + "x\nEOF", split, 10_000)


@pytest.mark.parametrize("opening", ["x=$(", "(", "((", "${", '"$(', "`", "bash -c '", "<(", "{ ", "$'\\"])
def test_what_is_nested_without_end_takes_no_long_time(opening: str) -> None:
    """Nor does it fail, closed or not."""
    in_proportion(lambda chars: opening * (chars // len(opening)), split, 10_000)
    in_proportion(lambda chars: opening * (chars // len(opening) // 2) + ")" * (chars // 2), split, 10_000)


@pytest.mark.parametrize(
    "line", ["python test_labels.py", "node src/till.test.js", "./run-tests.sh", "bash tests.sh -v"]
)
def test_a_script_that_is_called_a_test_is_one(line: str) -> None:
    """A session that ran it would be said to have run none."""
    assert purposes(line) == ["test"]


@pytest.mark.parametrize("line", ["python latest.py", "python till.py test_labels.py", "python contest.py"])
def test_a_script_with_a_name_like_one_is_none(line: str) -> None:
    """It would be told as a check that passed."""
    assert purposes(line) == ["other"]
