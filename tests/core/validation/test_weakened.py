"""Checks that ask less than before, told from changes that are none of that."""

from __future__ import annotations

import pytest

from clew.core.validation.changes import FileChange
from clew.core.validation.suites import _javascript
from clew.core.validation.weakened import weakened

OLD = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n    assert total([]) == 0\n"
CODE = FileChange("shop.py", "def total(a):\n    return sum(a[1:])\n", "def total(a):\n    return sum(a)\n")


def rules(*changes: FileChange) -> list[str]:
    return [one.rule for one in weakened(changes).findings]


def changed(new: str | None, path: str = "tests/test_shop.py", old: str | None = OLD) -> FileChange:
    return FileChange(path, old, new)


@pytest.mark.parametrize(
    ("new", "rule"),
    [
        (None, "deleted"),
        (OLD.replace("def test", "import pytest\n\n\n@pytest.mark.skip\ndef test"), "skipped"),
        (OLD.replace("    assert total([]) == 0\n", ""), "loosened"),
        (OLD.replace("total([1, 2]) == 3", "total([1, 2]) is not None"), "loosened"),
        (OLD.replace("total([1, 2]) == 3", "total([1, 2]) == 3 or True"), "loosened"),
        (OLD.replace("    assert total([1, 2])", "    return\n    assert total([1, 2])"), "loosened"),
        (
            OLD.replace(
                "    assert total([1, 2]) == 3\n",
                "    try:\n        assert total([1, 2]) == 3\n    except Exception:\n        pass\n",
            ),
            "loosened",
        ),
        (OLD.replace("    assert", "    for _ in []:\n        assert"), "loosened"),
        (
            OLD.replace("    assert total([1, 2])", "    with patch('shop.total'):\n        assert shop.total([1, 2])"),
            "loosened",
        ),
    ],
)
def test_a_test_that_asks_less_is_found(new: str | None, rule: str) -> None:
    """Though the code was changed as well."""
    assert rule in rules(changed(new), CODE)


def test_what_is_no_weakening_is_left_alone() -> None:
    """A test that grew, was renamed or moved, or went with what it tested."""
    more = OLD + "    assert total([5]) == 5\n"
    assert [] == rules(changed(more), CODE)
    assert [] == rules(changed(OLD.replace("test_total", "test_the_total")))
    assert [] == rules(changed(None), FileChange("tests/test_sums.py", None, OLD))
    gone = FileChange("shop.py", "def total(a):\n    return sum(a)\n", "def other(a):\n    return a\n")
    assert [] == rules(changed(None), gone)
    folded = (
        OLD.split("    assert", maxsplit=1)[0]
        + "    for given, want in (([1, 2], 3), ([], 0)):\n        assert total(given) == want\n"
    )
    assert [] == rules(changed(folded))


def test_another_expected_value_cannot_be_judged_where_code_was_changed() -> None:
    """It is said; without a change of code it is a finding."""
    other = OLD.replace("== 3", "== 2")
    found = weakened((changed(other), CODE))
    assert () == found.findings and "nobody can tell" in found.untold[0]
    assert ["loosened"] == rules(changed(other))


def test_what_runs_the_checks_is_looked_at_as_well() -> None:
    """Makefiles, scripts, settings, code that asks whether it is tested."""
    assert ["hidden"] == rules(FileChange("Makefile", "test:\n\tpytest -q\n", "test:\n\tpytest -q || true\n"))
    assert ["hidden"] == rules(FileChange("Makefile", "test:\n\tpytest -q\n", "test:\n\t-pytest -q\n"))
    assert ["narrowed"] == rules(
        FileChange("Makefile", "test:\n\tpytest -q\n", "test:\n\tpytest -q tests/test_ok.py\n")
    )
    assert ["rigged"] == rules(FileChange("shop.py", "", "import os\nFAKE = os.environ.get('PYTEST_CURRENT_TEST')\n"))
    assert [] == rules(FileChange("Makefile", "clean:\n\trm -rf x\n", "clean:\n\trm -rf x || true\n"))


def test_what_cannot_be_read_is_said() -> None:
    """A language that is not read is not passed over in silence."""
    found = weakened((FileChange("spec/shop_spec.rb", "it 'adds' do\nend\n", ""),))
    assert () == found.findings and "does not read" in found.untold[0]


@pytest.mark.parametrize("text", ["a " * 8000, "-" * 8000, "def test_a():\n    assert " + "a+" * 2000 + "b\n"])
def test_what_no_parser_can_take_is_said(text: str) -> None:
    """Of a file that is nested too deep, or is no Python at all, nothing is claimed."""
    found = weakened((FileChange("tests/test_a.py", text, f"{text}\nx\n"),))
    assert () == found.findings
    assert ("tests/test_a.py cannot be read as python, so its tests were not compared",) == found.untold


def test_of_a_file_whose_brackets_are_never_closed_so_much_is_read() -> None:
    """Given a broken or hostile test file, looking at it ends: of each test so much, and so many tests."""
    text = "it('a', () => {\n" * 5_000
    assert len(list(_javascript(text))) == 1_000
