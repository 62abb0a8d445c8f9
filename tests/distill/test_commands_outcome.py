"""How checks went where the exit status alone does not tell: runs without a test, chains of several commands."""

from __future__ import annotations

import pytest

from clew.distill.commands import outcome, split


def went(line: str, output: str, *, exit_ok: bool) -> list[str]:
    """The outcome of each check in the line."""
    parts = split(line)
    checks = [index for index, part in enumerate(parts) if part.purpose in ("test", "lint", "build")]
    return [outcome(parts, index, output, exit_ok=exit_ok) for index in checks]


@pytest.mark.parametrize(
    ("line", "output", "exit_ok"),
    [
        ("go test -run Sum ./...", "ok  \texample.org/shop\t0.1s [no tests to run]", True),
        ("go test -v -run Sum .", "testing: warning: no tests to run\nPASS\nok  \tshop\t0.1s [no tests to run]", True),
        ("pytest -k sum", "collected 0 items\n\n=== no tests ran in 0.01s ===", False),
        ("pytest -k sum | tail -1", "=== no tests ran in 0.01s ===", True),
        ("pytest -k sum", "collected 5 items / 5 deselected / 0 selected\n\n=== 5 deselected in 0.01s ===", False),
        ("npx jest sum", "No tests found, exiting with code 1\nRun with `--passWithNoTests`", False),
        ("npx vitest run sum", "No test files found, exiting with code 1", False),
        ("cargo test sum", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 9 filtered out", True),
        ("python -m unittest", "\nRan 0 tests in 0.000s\n\nOK", True),
        ("cd api && pytest -k sum", "no tests ran in 0.01s", False),
    ],
)
def test_a_run_that_ran_no_test_is_no_pass(line: str, output: str, exit_ok: bool) -> None:
    """A filter with a typing error exits with 0 in most runners: nothing was checked."""
    assert went(line, output, exit_ok=exit_ok) == ["vacuous"]


@pytest.mark.parametrize(
    ("line", "output", "exit_ok", "expected"),
    [
        ("go test ./...", "?   \tshop/cmd\t[no test files]\nok  \tshop\t0.1s", True, "passed"),
        ("go test -run A ./...", "ok  \ta\t0.1s [no tests to run]\nok  \tb\t0.1s", True, "passed"),
        ("go test -run A ./...", "ok  \ta\t0.1s [no tests to run]\n--- FAIL: TestA\nFAIL\tb\t0.1s", False, "failed"),
        ("go test -run A ./... | tail -1", "ok  \tz\t0.1s [no tests to run]", True, "hidden"),
        ("go test -run A ./...", "ok  \ta\t0.1s\n…\nok  \tz\t0.1s [no tests to run]", True, "passed"),
        ("go test -run A ./...", "start\n…\nok  \tz\t0.1s [no tests to run]", True, "passed"),
        ("cargo test", "running 3 tests\ntest result: ok. 3 passed; 0 failed\nrunning 0 tests", True, "passed"),
        ("pytest x", "ERROR: file or directory not found: x\n\nno tests ran in 0.00s", False, "failed"),
        ("pytest", "collected 10 items\n10 passed in 0.1s", True, "passed"),
        ("cat notes.md && pytest", "it said: no tests ran\n3 passed in 0.1s", True, "passed"),
        ("ruff check .", "no tests ran", True, "passed"),
    ],
)
def test_a_run_that_ran_some_tests_is_judged_by_them(line: str, output: str, exit_ok: bool, expected: str) -> None:
    """Packages without a test stand beside others, and a pipe may have left out those that ran."""
    assert went(line, output, exit_ok=exit_ok) == [expected]


@pytest.mark.parametrize(
    ("line", "output", "expected"),
    [
        ("ruff check . && pytest", "All checks passed!\n1 failed, 3 passed", ["passed", "failed"]),
        ("ruff check . && pytest", "Found 3 errors.", ["failed", "hidden"]),
        ("ruff check . && pytest", "ERROR tests/test_a.py\n== short test summary info ==", ["passed", "failed"]),
        ("go vet ./... && go test ./...", "ok  \ta\t0.1s\nFAIL\tb\t0.1s", ["passed", "failed"]),
        ("go test ./... && golangci-lint run", "ok  \ta\t0.1s\n--- FAIL: TestB\nFAIL\tb\t0.1s", ["failed", "hidden"]),
        ("go test ./... && golangci-lint run", "ok  \ta\t0.1s\n3 issues:", ["passed", "failed"]),
        ("pytest && git commit -m x && git push", "3 passed\nerror: failed to push some refs", ["passed"]),
        ("ruff check . && mypy", "Found 3 errors.", ["hidden", "hidden"]),
        ("ruff check . && mypy", "All checks passed!\nFound 3 errors in 1 file", ["passed", "failed"]),
        ("ruff check . && mypy", "", ["hidden", "hidden"]),
        ("make build; pytest", "boom", ["hidden", "failed"]),
        ("export A=1 && cd api && pytest", "", ["failed"]),
        ("grep -q sum Makefile && pytest", "", ["hidden"]),
        ("pytest | grep -c sum", "0", ["hidden"]),
        ("pytest && rg sum src", "3 passed", ["passed"]),
        ("pytest && pytest && pytest", "3 passed\n1 failed", ["passed", "passed", "failed"]),
    ],
)
def test_one_command_of_a_failed_chain_failed(line: str, output: str, expected: list[str]) -> None:
    """What is told as failed sends the next session after it; what never ran is told as neither."""
    assert went(line, output, exit_ok=False) == expected
