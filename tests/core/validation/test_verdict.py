"""What a run comes to: a pass needs an exit that can tell, and tests where tests were to run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.text.tokens import estimate
from clew.core.validation.claims import claims_done, claims_pass
from clew.core.validation.failure import TOKENS_MAX, Failure, told
from clew.core.validation.first_failure import first_failure, tally
from clew.core.validation.globs import matching
from clew.core.validation.verdict import EXITS, flaw, judged, word

PYTEST = """\
FAILED tests/test_a.py::test_one - assert 1 == 2
FAILED tests/test_a.py::test_two - assert 1 == 2
========================= 2 failed, 3 passed in 0.12s ==========================
"""


@pytest.mark.parametrize(
    "line",
    ["pytest || true", "pytest; true", "pytest | tail -3", "pytest &", "pytest --collect-only", "make -n test",
     "! pytest", "", "ruff check --exit-zero .", "echo ok"],
)  # fmt: skip
def test_a_line_that_cannot_fail_proves_nothing(line: str) -> None:
    """Whatever its exit code is."""
    assert flaw(line)
    assert "passed" != judged(line, 0, "", tally("")).status


@pytest.mark.parametrize(
    "line", ["pytest -q", "cd web && npm test", "set -e; ruff check .; pytest", "./check.sh", "make test"]
)
def test_a_line_that_can_fail_proves_by_its_exit(line: str) -> None:
    """As people write them."""
    assert "" == flaw(line)


@pytest.mark.parametrize(
    "output",
    ["============ no tests ran in 0.01s ============", "Ran 0 tests in 0.000s\n\nOK\n", "collected 0 items\n",
     "Test project /b\nNo tests were found!!!", "ok | 0 passed | 0 failed | 3 filtered out (9ms)",
     "     Summary [   0.000s] 0 tests run: 0 passed, 12 skipped",
     "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips", "No test matches the given testcase filter `nothing`",
     "ok  \tsea/tide\t0.002s [no tests to run]",
     "> Task :test NO-SOURCE", "web:test: $ jest\nweb:test:\nweb:test: No tests found, exiting with code 0\n",
     "=== 3 deselected in 0.02s ===", "======= 4 skipped in 0.03s =======", "1..0\n# tests 0\n# pass 0\n# fail 0\n"],
)  # fmt: skip
def test_zero_tests_are_no_pass(output: str) -> None:
    """A run in which nothing ran, or all was skipped, is not green."""
    assert "no-test" == judged("pytest", 0, output, tally(output)).status


@pytest.mark.parametrize("run", ["pytest", "sh show.sh"])
def test_words_of_a_runner_count_whoever_ran_it(run: str) -> None:
    """A script that nobody knows runs one."""
    assert "no-test" == judged(run, 0, "No tests found, exiting with code 0", tally("")).status


def test_a_test_command_that_names_no_test_is_not_known_to_pass() -> None:
    """Silence is of a run that ran all as of one that ran nothing; of other commands it is as good as words."""
    silent = judged("npm test", 0, "> sea@1.0.0 test\n> node all.js\n", tally(""))
    assert "hidden" == silent.status and "names no test" in silent.reason
    for said in ("....  [100%]", "✓ the tide is high", "all 12 tests are fine"):
        assert "passed" == judged("npm test", 0, said, tally(said)).status
    assert "passed" == judged("ruff check .", 0, "", tally("")).status == judged("./check.sh", 0, "", tally("")).status


def test_what_failed_before_and_what_is_expected_is_told_apart() -> None:
    """Only where the output names all that failed; of one that does not, nothing is known."""
    counts = tally(PYTEST)
    one, two = "tests/test_a.py::test_one", "tests/test_a.py::test_two"
    assert (5, 2, (one, two), True) == (counts.ran, counts.failed, counts.ids, counts.known)
    assert "failed" == judged("pytest", 1, PYTEST, counts).status
    assert "known" == judged("pytest", 1, PYTEST, counts, before=[one, two]).status
    mixed = judged("pytest", 1, PYTEST, counts, before=[one])
    assert ("failed", (two,)) == (mixed.status, mixed.new)
    assert "passed" == judged("pytest", 1, PYTEST, counts, expected=["test_one", "test_two"]).status
    assert "failed" == judged("pytest", 1, PYTEST, counts._replace(known=False), before=[one, two]).status
    assert ("test_three",) == judged(
        "pytest", 0, "1 passed in 0.1s", tally("1 passed in 0.1s"), expected=["test_three"]
    ).mended


def test_the_worst_counts_and_nothing_is_no_pass() -> None:
    """Several commands come to one word, and never to 2."""
    assert "TEST_FAILURE" == word(["passed", "not-run", "failed"], weakened=True)
    assert "NOT_RUN" == word([], weakened=False) == word(["skipped"], weakened=False)
    assert "CHECKS_WEAKENED" == word(["passed"], weakened=True)
    assert "VALIDATION_OK" == word(["passed", "skipped"], weakened=False)
    assert 2 not in EXITS.values() and [0] == [code for said, code in EXITS.items() if said == "VALIDATION_OK"]


@given(st.text(), st.text(), st.lists(st.text(), max_size=30), st.tuples(st.text(), st.text()))
def test_no_failure_outgrows_its_budget(test: str, message: str, excerpt: list[str], values: tuple[str, str]) -> None:
    """Whatever a runner prints."""
    lines = told(Failure("x", test, message * 50, values, "a.py:1", tuple(excerpt)))
    assert estimate("\n".join(lines)) <= TOKENS_MAX


@given(st.text(alphabet="=_-FAILED●✖ ❯>EError:.pyjs()[]\n 0123456789\t\"'#{}", max_size=600))
def test_no_output_makes_a_reader_fail(text: str) -> None:
    """Runners print anything."""
    assert isinstance(first_failure(text), Failure)
    assert tally(text).failed >= 0


def test_patterns_of_files() -> None:
    """As people know them."""
    paths = ["a.py", "src/a.py", "src/deep/b.ts", "docs/x.md"]
    assert ["a.py", "src/a.py"] == matching(paths, ["*.py"])
    assert ["src/a.py", "src/deep/b.ts"] == matching(paths, ["src/**"])
    assert ["src/a.py"] == matching(paths, ["src/*.{py,rs}"])
    assert ["docs/x.md"] == matching(paths, ["docs/"])


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Everything is implemented and all tests pass.", True),
        ("The tests still fail, so it is not done.", False),
        ("Once the tests pass it is done.", False),
        ("Done so far; shall I go on with the next step?", False),
    ],
)
def test_who_claims_to_be_done(text: str, claims: bool) -> None:
    """In words, with no word against it."""
    assert claims is claims_done(text)


def test_who_claims_that_checks_pass() -> None:
    """Of several sentences one is enough; a condition is no claim."""
    assert claims_pass("The fee is split. All tests pass.") and claims_pass("The suite is green now; I pushed.")
    assert not claims_pass("Once all tests pass, push.") and not claims_pass("The fee is split.")
