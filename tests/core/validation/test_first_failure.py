"""First failures out of real output: each record was made by running the runner (`benchmarks/validation/record.py`)."""

from __future__ import annotations

import json

import pytest
from benchmarks.validation.first import came_to, wrong
from benchmarks.validation.record import CASES, FAILURES

from clew.core.text.tokens import estimate
from clew.core.validation.failure import told
from clew.core.validation.first_failure import first_failure

EVERY = [json.loads(line) for file in sorted(FAILURES.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
ROWS = [row for row in EVERY if not row.get("empty")]
PATHS = {(case.runner, case.name): tuple(case.files) for case in CASES}

UNREAD = (("ward", "equal"), ("bats", "pretty"), ("eslint", "json"), ("doctest", "plain"))


@pytest.mark.parametrize("row", [row for row in EVERY if row.get("empty")], ids=lambda row: row["name"])
def test_a_run_without_a_test_is_never_green(row: dict[str, str]) -> None:
    """Whatever its runner calls that. Of two that print nothing, or "PASSED" alone, nobody can tell."""
    if row["name"] in ("trial", "tape"):
        pytest.skip("its command is not known as one that tests")
    assert came_to(row) in ("no-test", "hidden")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['runner']}-{row['name']}")
def test_the_first_failure_is_told(row: dict[str, str]) -> None:
    """The test, the place in the project's own code, the assertion and both values."""
    if (row["runner"], row["name"]) in UNREAD:
        pytest.skip("told in boxes, by moves of the cursor, as JSON, or by a runner that has no reader")
    found = first_failure(row["output"], root="/repo", files=PATHS[row["runner"], row["name"]])
    assert [] == wrong(row, found, estimate("\n".join(told(found))))


def test_what_no_runner_printed_gives_its_first_error_and_its_end() -> None:
    """A program that nobody knows."""
    text = "\n".join(["step 1", "fatal: the sea is gone", *(f"line {n}" for n in range(40)), "giving up"])
    found = first_failure(text)
    assert "fatal: the sea is gone" == found.message and "giving up" in found.excerpt


NEXTEST = """\
    Starting 3 tests across 1 binary
        PASS [   0.004s] sea tests::error_page
        FAIL [   0.006s] sea tests::high_water
  stdout ───

    running 1 test
    test tests::high_water ... FAILED

  stderr ───

    thread 'tests::high_water' panicked at src/lib.rs:14:9:
    assertion `left == right` failed
      left: 4
     right: 5
    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

        PASS [   0.004s] sea tests::low_water
"""


def test_blocks_of_nextest_are_read() -> None:
    """It shows what a test printed below the test's line."""
    found = first_failure(NEXTEST, root="/repo", files=["src/lib.rs"])
    assert ("tests::high_water", "src/lib.rs:14", ("4", "5")) == (found.test, found.frame, found.values)


def test_what_several_printed_through_one_another_is_read_apart() -> None:
    """Each line has the name of its package before it, as of turbo or of compose."""
    said = [
        "FAIL src/a.test.js",
        "  ● is high",
        "",
        "    Expected: 5",
        "    Received: 4",
        "",
        "      at x (src/a.test.js:8:2)",
    ]
    lines = [line for row in said for line in (f"web:test: {row}", f"api:test:   ✓ shows the error {len(row)}")]
    found = first_failure("\n".join(lines), files=["src/a.test.js"])
    assert ("is high", "src/a.test.js:8", ("4", "5")) == (found.test, found.frame, found.values)


@pytest.mark.parametrize(
    "passed", ["✓ says error", "ok 3 - failed row", "tests/test_error.py::test_x PASSED", "(pass) error"]
)
def test_no_failure_begins_at_a_test_that_passed(passed: str) -> None:
    """Its name speaks of errors."""
    assert "gone" in first_failure(f"{passed}\nsteps\nfatal: it is gone\n").message


DOTNET = """\
  Passed Sea.TideTest.ThrowsAnErrorOnABadHour [< 1 ms]
  Failed Sea.TideTest.IsHighAtNoon [3 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 5
Actual:   4
  Stack Trace:
     at Sea.TideTest.IsHighAtNoon() in /repo/TideTest.cs:line 14
   at System.RuntimeMethodHandle.InvokeMethod(Object target)
"""
GRADLE = """\
> Task :test

TideTest > showsTheErrorPage() PASSED

TideTest > isHighAtNoon() FAILED
    org.opentest4j.AssertionFailedError: expected: <5> but was: <4>
        at app//org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
        at app//sea.TideTest.isHighAtNoon(TideTest.java:14)
"""
DENO = """\
throws an error on a bad hour ... ok (1ms)
is high at noon ... FAILED (2ms)
shows the failed row ... ok (0ms)

is high at noon => ./tide_test.ts:9:6
error: AssertionError: Values are not equal.

    [Diff] Actual / Expected

-   4
+   5

    at assertEquals (https://deno.example/std/equals.ts:64:9)
    at file:///repo/tide_test.ts:10:3
"""
SCALATEST = """\
[info] - throws an error on a bad hour
[info] - is high at noon *** FAILED ***
[info]   4 did not equal 5 (TideSpec.scala:9)
"""


@pytest.mark.parametrize(
    ("text", "test", "frame"),
    [
        (DOTNET, "Sea.TideTest.IsHighAtNoon", "TideTest.cs:14"),
        (GRADLE, "TideTest > isHighAtNoon()", "src/TideTest.java:14"),
        (DENO, "is high at noon", "tide_test.ts:10"),
        (SCALATEST, "is high at noon", "src/TideSpec.scala:9"),
    ],
)
def test_a_runner_without_a_reader_is_read_by_its_marks(text: str, test: str, frame: str) -> None:
    """What stands below the mark, or where the test is named once more."""
    files = ["TideTest.cs", "src/TideTest.java", "tide_test.ts", "src/TideSpec.scala"]
    found = first_failure(text, root="/repo", files=files)
    assert (test, frame, ("4", "5")) == (found.test, found.frame, found.values)
