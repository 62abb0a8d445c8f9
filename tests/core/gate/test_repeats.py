"""A repeat is known by what fails."""

from __future__ import annotations

import pytest

from clew.core.gate.repeats import FailureRecord, digests, encode, families, first_error, known, repeated

PYTEST = "E       assert 3 == 4\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed in 0.31s\n"
AGAIN = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 7 passed in 2.90s\n"
NOW = 1_800_000_000_000_000_000


def failed(text: str, *changed: str, session: str = "one", family: str = "pytest", at: int = 0) -> FailureRecord:
    found, error = frozenset(digests(text)), first_error(text) if at else ""
    return FailureRecord(True, NOW + at, session, frozenset((family,)), found, frozenset(changed), error)


def passed(*changed: str, family: str = "pytest") -> FailureRecord:
    return FailureRecord(False, NOW, "one", frozenset((family,)), frozenset(), frozenset(changed))


def of(records: list[FailureRecord], *changed: str, family: str = "pytest", session: str = "one") -> bool:
    return repeated(records, [family], session, changed, lambda path, time_ns: path == "/as/then.py") is not None


def test_one_failure_in_other_words_is_the_same() -> None:
    """Options, pipes, times and line numbers differ from run to run."""
    assert set(digests(PYTEST)) & set(digests(AGAIN))
    other = "FAILED tests/test_cart.py::test_tax - KeyError: 'vat'\n1 failed in 0.31s\n"
    assert not set(digests(PYTEST)) & set(digests(other))
    one, two = ("/a/b/main.go:12:9: undefined: newTill", "cmd/main.go:31:2: undefined: newTill")
    assert digests(f"# shop\n{one}\n") == digests(f"# shop\n{two}\n")


def test_one_command_in_other_words_is_the_same() -> None:
    """The family is what it runs, not how it is written."""

    def reads(words: list[str]) -> bool:
        return words[0] in ("tail", "ls")

    for words in (["python", "-m", "pytest", "-x"], ["uv", "run", "pytest"], ["pytest", "tests/a.py"]):
        assert ["pytest"] == families([words, ["tail", "-5"]], reads)
    assert ["npm test"] == families([["npx", "jest", "src"]], reads) == families([["npm", "run", "test:unit"]], reads)
    assert ["go test", "git push"] == families([["go", "test", "./..."], ["git", "push", "-u"], ["ls"]], reads)
    assert ["python load.py"] == families([["python3.12", "scripts/load.py", "--all"]], reads)


def test_the_third_try_is_named_where_nothing_else_was_changed() -> None:
    """Twice the same, and since then only what was tried before."""
    twice = [failed(PYTEST), failed(AGAIN, "cart.py", at=1)]
    assert of(twice) and of(twice, "cart.py")
    assert not of(twice, "tax.py"), "another file is another try"
    assert not of([failed(PYTEST)]), "once is no repeat"
    assert not of([failed(PYTEST), failed("KeyError: 'vat'\n", at=1)]), "another error is progress"
    assert not of([*twice, passed("cart.py")]), "it passed meanwhile"
    assert not of(twice, family="go test")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("FAILED tests/test_a.py::test_total - assert {} == 100\n", ("99", "102")),
        ("E       assert {} == 100\nFAILED tests/test_a.py::test_total - assert {} == 100\n", ("99", "102")),
        ("  ● is high\n\n    expect(received).toBe(expected)\n\n    Expected: 100\n    Received: {}\n", ("99", "102")),
        ("assertion `left == right` failed\n  left: {}\n right: 100\n", ("99", "102")),
        ("FAILED tests/test_{}.py::test_total - assert 99 == 100\n", ("a", "b")),
    ],
)
def test_a_test_that_fails_with_another_value_gets_on(one: str, two: tuple[str, str]) -> None:
    """Of each cycle from red to green; and so does another test with the same values."""
    first, second = (one.replace("{}", value) for value in two)
    assert not of([failed(first), failed(second, "cart.py", at=1)], "cart.py")
    assert of([failed(first), failed(first, "cart.py", at=1)], "cart.py")


def test_what_was_changed_before_another_command_failed_counts() -> None:
    """A lint run between two test runs does not make an edit unmade."""
    records = [failed(PYTEST), failed(AGAIN, at=1), failed("error: unused\n", "tax.py", family="ruff", at=2)]
    assert not of(records)


def test_another_session_is_told_where_the_files_are_as_they_were() -> None:
    """Somebody may have mended it since."""
    assert of([failed(PYTEST), failed(AGAIN, "/as/then.py", at=1)], session="two")
    assert not of([failed(PYTEST), failed(AGAIN, "/since/changed.py", at=1)], session="two")
    assert not of([failed(PYTEST), failed(AGAIN, at=1)], session="two")


def test_a_record_is_read_back_and_one_that_was_cut_off_is_not() -> None:
    """A full disk cuts lines anywhere."""
    line = encode(failed(PYTEST, "/a b/cart.py", "$ npm install", at=1))
    (back,) = known(line, NOW)
    assert (True, "one", {"pytest"}) == (back.has_failed, back.session, set(back.families))
    assert ({"/a b/cart.py", "$ npm install"}, set(digests(PYTEST))) == (set(back.changed), set(back.digests))
    assert [] == known(line[:-1], NOW) == known(b"\n[]\n7\n[true,1,2,3,4,5,6]\n{", NOW)
    assert [back] == known(line[:-9] + line, NOW)
    assert [] == known(line, NOW + 15 * 24 * 3600 * 1_000_000_000), "old failures say nothing"
