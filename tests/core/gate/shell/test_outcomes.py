"""How checks went where the exit status alone does not tell: runs without a test, chains of several commands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.gate.shell import outcomes
from clew.core.gate.shell.outcomes import outcome
from clew.core.gate.shell.purposes import split


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
        ("pytest -k sum", "collected 5 items / 5 deselected / 0 selected\n\n=== 5 deselected in 0.01s ===", False),
        ("npx jest sum", "No tests found, exiting with code 1\nRun with `--passWithNoTests`", False),
        ("cargo test sum", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 9 filtered out", True),
        ("python -m unittest", "\nRan 0 tests in 0.000s\n\nOK", True),
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
        ("pytest x", "ERROR: file or directory not found: x\n\nno tests ran in 0.00s", False, "failed"),
        ("pytest", "collected 10 items\n10 passed in 0.1s", True, "passed"),
        ("cat notes.md && pytest", "it said: no tests ran\n3 passed in 0.1s", True, "passed"),
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
        ("go vet ./... && go test ./...", "ok  \ta\t0.1s\nFAIL\tb\t0.1s", ["passed", "failed"]),
        ("go test ./... && golangci-lint run", "ok  \ta\t0.1s\n--- FAIL: TestB\nFAIL\tb\t0.1s", ["failed", "hidden"]),
        ("pytest && git commit -m x && git push", "3 passed\nerror: failed to push some refs", ["passed"]),
        ("ruff check . && mypy", "Found 3 errors.", ["hidden", "hidden"]),
        ("ruff check . && mypy", "All checks passed!\nFound 3 errors in 1 file", ["hidden", "hidden"]),
        ("export A=1 && cd api && pytest", "", ["failed"]),
        ("grep -q sum Makefile && pytest", "", ["hidden"]),
        ("pytest && rg sum src", "3 passed", ["hidden"]),
        ("pytest && pytest && pytest", "3 passed\n1 failed", ["hidden", "hidden", "hidden"]),
    ],
)
def test_one_command_of_a_failed_chain_failed(line: str, output: str, expected: list[str]) -> None:
    """What is told as failed sends the next session after it; what never ran is told as neither."""
    assert went(line, output, exit_ok=False) == expected


NEVER_PASSED = [
    "true || pytest", "pytest || true", "pytest || :", "! pytest", "pytest &", "(cd web && pytest) &", "{ pytest; } &",
    "nohup pytest > log &", "pytest --collect-only -q", "pytest --co", "make -n test", "make -kn test",
    "make --dry-run test", "ctest -N", "go test -list .", "npx playwright test --list", "cargo test --no-run",
    "npm test --if-present", "gradle -m test", "flake8 --exit-zero", "ruff check --exit-zero .",
    "pytest() { echo '3 passed'; }; pytest", "alias pytest=true\npytest", "function pytest { :; }; pytest",
    "pytest || echo broken", "(pytest) || true", "{ ruff check .; pytest; } || true", "! (cd web && pytest)",
    "if pytest; then echo yes; fi", "while pytest; do :; done", "exit 0; pytest", "exec true; pytest",
    "test -f x || exit 0; pytest", "bash -c 'pytest || true'", "bash -c pytest || true", "sh -c 'pytest &'",
    "trap 'exit 0' EXIT; pytest", "pytest -q > /dev/null; echo '3 passed in 0.1s'",
    "pytest > /dev/null; printf '%s passed' 3", "pytest > old.log; cat other.log", "pytest | grep -o '[0-9]* passed'",
    "pytest > /dev/null; git log -1", "go test ./... | grep ok", "pytest | tail -1; ./report.sh",
]  # fmt: skip


@pytest.mark.parametrize("line", NEVER_PASSED)
@pytest.mark.parametrize("output", ["", "3 passed in 0.10s", "ok  \tshop\t0.1s", "0 issues."])
def test_what_was_only_begun_shown_or_made_harmless_never_passed(line: str, output: str) -> None:
    """A tick here is false proof: the next session builds on a check that nobody saw the end of."""
    assert "passed" not in went(line, output, exit_ok=True)


@given(
    st.sampled_from(["pytest -q", "go test ./...", "make test", "npm run lint", "cargo build", "cd web && mypy src"]),
    st.sampled_from(
        ["{} &", "{} || true", "({}) &", "{{ {}; }} || true", "! ({})", "true || {}", "if {}; then :; fi",
         "bash -c '{}' || true", "({} || :)", "sleep 1 && {} &", "false || true || {}"]
    ),
    st.sampled_from(["{}", "cd api; {}", "{}; echo done", "set -e\n{}", "{} 2>&1", "{}\nls"]),
    st.sampled_from(["", "3 passed in 0.1s", "ok  \ta\t0.1s", "All checks passed!", "done"]),
)  # fmt: skip
def test_no_way_to_write_it_makes_a_harmless_check_pass(line: str, harmless: str, around: str, output: str) -> None:
    """The forms can be put into each other without end."""
    assert "passed" not in went(around.format(harmless.format(line)), output, exit_ok=True)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("set -o pipefail; pytest | tail -3", "…"),
        ("set -euo pipefail\npytest | tee log\nruff check .", ""),
        ("set -e; pytest; echo done", "done"),
        ("cd web || exit 1; pytest", ""),
        ("npm start & pytest", ""),
        ("(cd web && pytest) && echo done", ""),
        ("for f in a b; do cat $f; done; pytest", ""),
        ("pytest 2>&1 | tee log", "= 12 passed, 1 skipped in 0.30s ="),
        ("go test ./... | tail -2", "ok  \tshop/b\t(cached)"),
    ],
)
def test_a_run_whose_own_exit_or_last_words_are_known_passed(line: str, output: str) -> None:
    """Else nothing that agents run would ever count."""
    assert went(line, output, exit_ok=True)[0] == "passed"


def test_how_it_ended_is_not_known() -> None:
    """A client that does not tell the exit of each of several commands."""
    assert [outcome(split("pytest"), 0, "", exit_ok=None)] == ["hidden"]


# ASCII, since of some letters elsewhere a pattern takes two for one (ſ for s), and the marks of runners.
_SIGNS = st.one_of(st.characters(max_codepoint=127), st.sampled_from("✓✗✖"))


@pytest.mark.parametrize("pattern", outcomes._WORDS)
@given(data=st.data())
def test_what_matches_a_pattern_holds_one_of_its_words(pattern: str, data: st.DataObject) -> None:
    """Lines without one are not looked at: a pattern that says more than its words would never be found."""
    flags = re.MULTILINE if pattern == outcomes._WENT_WRONG else re.MULTILINE | re.IGNORECASE
    text = data.draw(st.from_regex(re.compile(pattern, flags), alphabet=_SIGNS))
    assert outcomes._has(pattern, text, flags & re.IGNORECASE)
