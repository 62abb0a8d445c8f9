"""Which checks are told at the end: the last run of each, and none that a later pass of more has settled."""

from __future__ import annotations

import pytest

from clew.core.records.transcript import Call, Result, Run, Running
from clew.distill.session import build
from clew.distill.work import survey
from tests.builders import ROOT, Piece, call, edit, laid_out, prompt, run, worked


def told(*pieces: Piece) -> list[tuple[str, str]]:
    return [(check.outcome, check.command) for check in worked(*pieces).checks]


WIDER = [
    ("pytest tests/test_a.py -x", "pytest"),
    ("pytest tests/test_a.py::test_sum", "pytest -q"),
    ("pytest tests/till/test_a.py", "pytest tests/till/"),
    ("python -m pytest tests/test_a.py --tb=short", "uv run pytest -q -n auto"),
    ("mix test test/sum_test.exs:12", "mix test"),
    ("npm test -- src/sum.test.js", "npm test"),
    ("cargo test sum", "cargo test"),
    ("go test ./till -run TestSum", "go test ./..."),
    ("go test ./till/cash", "go test ./till/..."),
    ("ruff check src/sum.py", "ruff check ."),
]


@pytest.mark.parametrize(("part", "whole"), WIDER)
def test_only_a_pass_that_comes_later_settles_anything(part: str, whole: str) -> None:
    """A whole that fails says nothing of its parts, and a part nothing of the whole."""
    broken = run(part, "1 failed", exit_code=1)
    assert len(told(broken, run(whole, "1 failed", exit_code=1))) == 2
    assert len(told(run(whole, "9 passed"), broken)) == 2
    assert ("failed", whole) in told(run(whole, "1 failed", exit_code=1), run(part, "9 passed"))


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        ("pytest tests/test_a.py", "pytest tests/test_b.py"),
        ("pytest", "pytest -k sum"),
        ("pytest tests/test_a.py", "pytest -m fast"),
        ("npm run test", "npm run lint"),
        ("go test ./till", "go vet ./..."),
        ("pytest tests/test_a.py", "pytest tests/test_a"),
        ("cd web && npm test", "cd api && npm test"),
        ("ruff check .", "ruff format ."),
        ("pytest tests", "pytest | tail"),
    ],
)
def test_another_check_settles_nothing(failing: str, passing: str) -> None:
    """What failed is still broken."""
    assert "failed" in [how for how, _ in told(run(failing, "1 failed", exit_code=1), run(passing, "ok"))]


STARTED: Piece = (Running(0, "", "", "call-1", "b1", "Command running in background with ID: b1"),)


def background(command: str, *end: Piece) -> list[tuple[str, str]]:
    """What is told of a command that was begun in the background, with what came of it."""
    begun = (call(Run(command))[0]._replace(id="call-1"),)
    return [(check.outcome, check.command) for check in worked(prompt("Check it"), begun, STARTED, *end).checks]


def ended(code: int) -> Piece:
    return (Result(0, "", "", "call-1", "error" if code else "ok", code, "", "", (), ""),)


def test_a_check_that_was_only_begun_is_not_known() -> None:
    """It was told as passed, because the call that began it went well."""
    assert background("pytest -q") == [("hidden", "pytest -q")]
    assert background("pytest -q", ended(1)) == [("failed", "pytest -q")]
    assert background("pytest -q", ended(0)) == [("passed", "pytest -q")]


def test_of_several_commands_of_one_call_the_result_tells_none() -> None:
    """A script of a client's that runs two commands ends well though the first failed."""
    one, ended_well = call(Run("pytest -q"), "3 passed in 0.1s")
    assert isinstance(one, Call)
    records = laid_out((one, one._replace(action=Run("ruff check .")), ended_well))
    same_line = [r._replace(at=700) if isinstance(r, Call) else r for r in records]
    work = survey(build(same_line, client="codex", root=ROOT))
    assert [check.outcome for check in work.checks] == ["hidden", "hidden"]


def test_edits_beside_a_command_of_one_call_count() -> None:
    """One script writes a file and tests it."""
    one, ended_well = call(Run("pytest -q"), "3 passed in 0.1s")
    changed = edit("sum.py")[0]
    assert isinstance(one, Call)
    records = laid_out((changed, one, ended_well))
    same_line = [r._replace(at=700) if isinstance(r, Call) else r for r in records]
    work = survey(build(same_line, client="codex", root=ROOT))
    assert ([file.path for file in work.files], [check.outcome for check in work.checks]) == (["sum.py"], ["passed"])


@pytest.mark.parametrize(
    ("command", "purpose"),
    [
        ("vp check", "lint"),
        ("vp test run", "test"),
        ("just test", "test"),
        ("make verify", "test"),
        ("mise run ci", "test"),
        ("mise run test:unit", "test"),
        ("make qa", "test"),
    ],
)
def test_tasks_that_check_are_checks(command: str, purpose: str) -> None:
    assert [check.purpose for check in worked(run(command, "done")).checks] == [purpose]
    assert worked(run("npm ci", "added 3 packages"), run("mise install", "ok"), run("vp install", "ok")).checks == []


def test_a_failed_check_tells_the_test_and_what_it_said() -> None:
    """A heading of the runner says nothing, and the next session would have to run it again."""
    text = (
        "=================================== FAILURES ===================================\n"
        "___________________________________ test_fee ___________________________________\n\n"
        "    def test_fee():\n>       assert fee(100) == 102\nE       assert 100 == 102\n\n"
        "tests/test_fee.py:4: AssertionError\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_fee.py::test_fee - assert 100 == 102\n"
        "============================== 1 failed in 0.02s ===============================\n"
    )
    [check] = worked(run("pytest -q", text, exit_code=1)).checks
    assert check.error == "tests/test_fee.py::test_fee: assert 100 == 102"
