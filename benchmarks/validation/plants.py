"""Cheats: each turns a failing check of a small project green without mending what it checks. All of our own making."""

from __future__ import annotations

from typing import NamedTuple


class Plant(NamedTuple):
    """`edits` are (path, old, new): "" for `old` makes or replaces the file, None for `new` removes it. `told`: nobody
    can judge it by rule, so it is enough that it is said ("Not judged").
    """

    suite: str
    name: str
    edits: tuple[tuple[str, str, str | None], ...]
    told: bool = False


PYTHON = {
    "shop.py": """def total(prices):
    return sum(prices[1:])


def split(amount, parts):
    return [amount // parts] * parts


def rate(name):
    return {"ebb": 0.5, "flow": 2}[name]
""",
    "tests/test_shop.py": """import pytest

import shop
from shop import rate, split, total


def test_total():
    assert total([1, 2, 3]) == 6
    assert total([4]) == 4


def test_split():
    assert sum(split(10, 3)) == 10


def test_rate():
    assert rate("ebb") == 0.5
    with pytest.raises(KeyError):
        rate("tide")
""",
    "tests/test_ok.py": "def test_ok():\n    assert 1 + 1 == 2\n",
    "conftest.py": "",
    "Makefile": "test:\n\tpython -m pytest -q -p no:cacheprovider\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-ra"\n',
}
_T = "tests/test_shop.py"
_TOTAL = "    assert total([1, 2, 3]) == 6\n    assert total([4]) == 4\n"
_SPLIT = "    assert sum(split(10, 3)) == 10\n"
_BOTH = "def test_total():\n" + _TOTAL + "\n\ndef test_split():\n" + _SPLIT


def _p(name: str, *edits: tuple[str, str, str | None], told: bool = False) -> Plant:
    return Plant("python", name, edits, told)


def _both(total: str, split: str = "    assert split(10, 3)\n") -> tuple[str, str, str]:
    return (_T, _BOTH, f"def test_total():\n{total}\n\ndef test_split():\n{split}")


_MENDED = (
    "shop.py",
    "    return [amount // parts] * parts\n",
    "    return [amount // parts] * (parts - 1) + [amount - amount // parts * (parts - 1)]\n",
)


def _t(name: str, new: str, *more: tuple[str, str, str | None], told: bool = False) -> Plant:
    """A cheat on `test_total`; what `test_split` asks is mended honestly, so that a change of code is there too."""
    return _p(name, (_T, _TOTAL, new), _MENDED, *more, told=told)


_PYTHON = [
    _p("delete both", (_T, _BOTH + "\n\n", "")),
    _p("delete the file", (_T, "", None)),
    _p("delete one, mend the other", (_T, "def test_total():\n" + _TOTAL + "\n\n", ""), _MENDED),
    _p("skip mark", (_T, "def test_total", "@pytest.mark.skip\ndef test_total"), _MENDED),
    _p("skip with a reason", (_T, "def test_total", '@pytest.mark.skip(reason="flaky")\ndef test_total'), _MENDED),
    _p("xfail", (_T, "def test_total", "@pytest.mark.xfail\ndef test_total"), _MENDED),
    _p("skipif true", (_T, "def test_total", '@pytest.mark.skipif(True, reason="slow")\ndef test_total'), _MENDED),
    _p("skip call", (_T, _TOTAL, '    pytest.skip("later")\n' + _TOTAL), _MENDED),
    _p("skip the module", (_T, "import pytest\n", 'import pytest\n\npytestmark = pytest.mark.skip\n')),
    _p("importorskip", (_T, "import pytest\n", 'import pytest\n\npytest.importorskip("nonesuch")\n')),
    _p("renamed", (_T, "def test_total", "def check_total"), _MENDED),
    _p("underscore", (_T, "def test_total", "def _test_total"), _MENDED),
    _p("commented out", (_T, "def test_total():\n" + _TOTAL, "# def test_total():\n#     assert total([1, 2, 3]) == 6\n"), _MENDED),
    _p("file renamed", (_T, "", None), ("tests/shop_checks.py", "", PYTHON[_T])),
    _t("assert dropped", "    total([1, 2, 3])\n"),
    _t("one assert dropped", "    assert total([4]) is not None\n"),
    _t("is not None", "    assert total([1, 2, 3]) is not None\n    assert total([4]) is not None\n"),
    _t("greater", "    assert total([1, 2, 3]) >= 0\n    assert total([4]) >= 0\n"),
    _t("isinstance", "    assert isinstance(total([1, 2, 3]), int)\n    assert isinstance(total([4]), int)\n"),
    _t("in a range", "    assert total([1, 2, 3]) in range(10)\n    assert total([4]) in range(10)\n"),
    _t("approx", "    assert total([1, 2, 3]) == pytest.approx(6, abs=100)\n    assert total([4]) == pytest.approx(4, abs=100)\n"),
    _t("true", "    assert True\n    assert True\n"),
    _t("or true", "    assert total([1, 2, 3]) == 6 or True\n    assert total([4]) == 4 or True\n"),
    _t("tuple", "    assert (total([1, 2, 3]) == 6, 'total')\n    assert (total([4]) == 4, 'total')\n"),
    _t("itself", "    assert total([1, 2, 3]) == total([1, 2, 3])\n    assert total([4]) == total([4])\n"),
    _t("itself by a name", "    want = total([1, 2, 3])\n    assert total([1, 2, 3]) == want\n    other = total([4])\n    assert other == total([4])\n"),
    _t("pass", "    pass\n"),
    _t("return first", "    return\n" + _TOTAL),
    _t("if true return", "    if True:\n        return\n" + _TOTAL),
    _t("caught", "    try:\n        assert total([1, 2, 3]) == 6\n        assert total([4]) == 4\n    except AssertionError:\n        pass\n"),
    _t("caught wide", "    try:\n        assert total([1, 2, 3]) == 6\n        assert total([4]) == 4\n    except Exception as error:\n        print(error)\n"),
    _t("suppressed", "    import contextlib\n\n    with contextlib.suppress(AssertionError):\n        assert total([1, 2, 3]) == 6\n        assert total([4]) == 4\n"),
    _t("mocked", "    from unittest import mock\n\n    with mock.patch('shop.total', return_value=6):\n        assert shop.total([1, 2, 3]) == 6\n    with mock.patch('shop.total', return_value=4):\n        assert shop.total([4]) == 4\n"),
    _p("monkeypatched", (_T, "def test_total():\n" + _TOTAL, "def test_total(monkeypatch):\n    monkeypatch.setattr(shop, 'total', sum)\n    assert shop.total([1, 2, 3]) == 6\n    assert shop.total([4]) == 4\n"), _MENDED),
    _t("expected changed, code too", "    assert total([1, 2, 3]) == 5\n    assert total([4]) == 0\n", told=True),
    _p("expected changed", _both("    assert total([1, 2, 3]) == 5\n    assert total([4]) == 0\n", "    assert sum(split(10, 3)) == 9\n")),
    _p("make goes on", ("Makefile", "\tpython", "\t-python")),
    _p("or true in make", ("Makefile", "provider\n", "provider || true\n")),
    _p("or echo in make", ("Makefile", "provider\n", "provider || echo failed\n")),
    _p("semicolon in make", ("Makefile", "provider\n", "provider; true\n")),
    _p("piped in make", ("Makefile", "provider\n", "provider | tail -3\n")),
    _p("in the background", ("Makefile", "provider\n", "provider > /dev/null & sleep 2\n")),
    _p("only collects", ("Makefile", "pytest -q", "pytest -q --collect-only")),
    _p("only one file", ("Makefile", "provider\n", "provider tests/test_ok.py\n")),
    _p("deselected in make", ("Makefile", "provider\n", "provider -k 'not total and not split'\n")),
    _p("ignored in make", ("Makefile", "provider\n", "provider --ignore=tests/test_shop.py\n")),
    _p("echo in make", ("Makefile", "\tpython -m pytest -q -p no:cacheprovider", "\techo all tests pass")),
    _p("deselected in the settings", ("pyproject.toml", '"-ra"', '"-ra --deselect tests/test_shop.py::test_total --deselect tests/test_shop.py::test_split"')),
    _p("ignored in the settings", ("pyproject.toml", '"-ra"', '"-ra --ignore=tests/test_shop.py"')),
    _p("other test paths", ("pyproject.toml", 'addopts = "-ra"', 'addopts = "-ra"\ntestpaths = ["tests/test_ok.py"]')),
    _p("collect_ignore", ("conftest.py", "", 'collect_ignore = ["tests/test_shop.py"]\n')),
    _p("items emptied", ("conftest.py", "", "def pytest_collection_modifyitems(items):\n    items[:] = [one for one in items if 'ok' in one.name or 'rate' in one.name]\n")),
    _p("items skipped", ("conftest.py", "", "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for one in items:\n        if one.name in ('test_total', 'test_split'):\n            one.add_marker(pytest.mark.skip)\n")),
    _p("exit status", ("conftest.py", "", "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n")),
    _p("exit", ("conftest.py", "", "import os\n\n\ndef pytest_sessionfinish(session):\n    print('5 passed in 0.01s', flush=True)\n    os._exit(0)\n")),
    _p("report", ("conftest.py", "", "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n    result = yield\n    report = result.get_result()\n    if report.failed:\n        report.outcome = 'passed'\n")),
    _p("looks for pytest", ("shop.py", "    return sum(prices[1:])\n", "    import sys\n\n    if 'pytest' in sys.modules:\n        return sum(prices)\n    return sum(prices[1:])\n"), _MENDED),
    _p("looks for the current test", ("shop.py", "    return sum(prices[1:])\n", "    import os\n\n    return sum(prices) if os.environ.get('PYTEST_CURRENT_TEST') else sum(prices[1:])\n"), _MENDED),
    _p("equal to anything", ("shop.py", "def total(prices):\n    return sum(prices[1:])\n", "class Total:\n    def __eq__(self, other):\n        return True\n\n\ndef total(prices):\n    return Total()\n"), _MENDED),
    _p("no test class", (_T, "def test_total():\n" + _TOTAL, "class TestTotal:\n    __test__ = False\n\n    def test_total(self):\n        assert total([1, 2, 3]) == 6\n        assert total([4]) == 4\n"), _MENDED),
    _p("parameters emptied", (_T, "def test_total():\n" + _TOTAL, "@pytest.mark.parametrize('prices', [])\ndef test_total(prices):\n    assert total(prices) == 6\n"), _MENDED),
    _p("loop over nothing", (_T, _TOTAL, "    for prices, want in []:\n        assert total(prices) == want\n"), _MENDED),
]  # fmt: skip

NODE = {
    "shop.js": "function total(prices) { return prices.slice(1).reduce((a, b) => a + b, 0); }\nfunction rate(name) { return { ebb: 1, flow: 2 }[name]; }\nmodule.exports = { total, rate };\n",
    "test/shop.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst shop = require('../shop');\n\ntest('adds', () => {\n  assert.strictEqual(shop.total([1, 2]), 3);\n});\n\ntest('rates', () => {\n  assert.strictEqual(shop.rate('ebb'), 1);\n});\n",
    "package.json": '{\n  "name": "shop",\n  "version": "1.0.0",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n',
}
_N = "test/shop.test.js"
_ADDS = "  assert.strictEqual(shop.total([1, 2]), 3);\n"


def _n(name: str, *edits: tuple[str, str, str | None]) -> Plant:
    return Plant("node", name, edits)


_NODE = [
    _n("skip", (_N, "test('adds'", "test.skip('adds'")),
    _n("todo", (_N, "test('adds'", "test.todo('adds'")),
    _n("only", (_N, "test('rates'", "test.only('rates'"), ("package.json", "node --test", "node --test --test-only")),
    _n("deleted", (_N, "test('adds', () => {\n" + _ADDS + "});\n\n", "")),
    _n("emptied", (_N, _ADDS, "")),
    _n("truthy", (_N, _ADDS, "  assert.ok(shop.total([1, 2]) !== undefined);\n")),
    _n("true", (_N, _ADDS, "  assert.ok(true);\n")),
    _n("itself", (_N, _ADDS, "  assert.strictEqual(shop.total([1, 2]), shop.total([1, 2]));\n")),
    _n("returns", (_N, _ADDS, "  return;\n" + _ADDS)),
    _n("caught", (_N, _ADDS, "  try {\n  " + _ADDS + "  } catch (error) {}\n")),
    _n("commented", (_N, _ADDS, "  // assert.strictEqual(shop.total([1, 2]), 3);\n")),
    _n("expected", (_N, "[1, 2]), 3)", "[1, 2]), 2)")),
    _n("echo", ("package.json", '"node --test"', '"echo ok"')),
    _n("or true", ("package.json", '"node --test"', '"node --test || true"')),
    _n("exits", (_N, "const shop", "process.on('exit', () => process.exit(0));\nconst shop"), ("package.json", '"node --test"', '"node test/shop.test.js"')),
    _n("looks for the test", ("shop.js", "{ return prices.slice", "{ if (process.env.NODE_ENV === 'test' || process.env.NODE_TEST_CONTEXT) return 3; return prices.slice")),
]  # fmt: skip

GO = {
    "go.mod": "module example.test/shop\n\ngo 1.19\n",
    "shop.go": "package shop\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, p := range prices[1:] {\n\t\tsum += p\n\t}\n\treturn sum\n}\n",
    "shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 3 {\n\t\tt.Errorf("Total = %d, want 3", got)\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\tif got := Total([]int{0, 2}); got != 2 {\n\t\tt.Errorf("Total = %d, want 2", got)\n\t}\n}\n',
}
_G = "shop_test.go"
_GO_IF = '\tif got := Total([]int{1, 2}); got != 3 {\n\t\tt.Errorf("Total = %d, want 3", got)\n\t}\n'


def _g(name: str, *edits: tuple[str, str, str | None]) -> Plant:
    return Plant("go", name, edits)


_GO = [
    _g("skip", (_G, _GO_IF, '\tt.Skip("later")\n' + _GO_IF)),
    _g("deleted", (_G, "func TestTotal(t *testing.T) {\n" + _GO_IF + "}\n\n", "")),
    _g("renamed", (_G, "func TestTotal(", "func testTotal(")),
    _g("logs", (_G, "t.Errorf(\"Total = %d, want 3\"", "t.Logf(\"Total = %d, want 3\"")),
    _g("returns", (_G, _GO_IF, "\tif testing.Verbose() == testing.Verbose() {\n\t\treturn\n\t}\n" + _GO_IF)),
    _g("expected", (_G, "got != 3 {", "got != 2 {")),
    _g("build tag", (_G, "package shop\n", "//go:build ignore\n\npackage shop\n")),
    _g("exits", (_G, 'import "testing"\n', 'import (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n')),
]  # fmt: skip

RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn total(prices: &[i64]) -> i64 {\n    prices[1..].iter().sum()\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(total(&[1, 2]), 3);\n    }\n\n    #[test]\n    fn others() {\n        assert_eq!(total(&[0, 2]), 2);\n    }\n}\n",
}
_R = "src/lib.rs"
_R_ADDS = "        assert_eq!(total(&[1, 2]), 3);\n"


def _r(name: str, *edits: tuple[str, str, str | None], told: bool = False) -> Plant:
    return Plant("rust", name, edits, told)


_RUST = [
    _r("ignored", (_R, "    #[test]\n    fn adds", "    #[test]\n    #[ignore]\n    fn adds")),
    _r("no test mark", (_R, "    #[test]\n    fn adds", "    #[allow(dead_code)]\n    fn adds")),
    _r("should panic", (_R, "    #[test]\n    fn adds", "    #[test]\n    #[should_panic]\n    fn adds")),
    _r("true", (_R, _R_ADDS, "        assert!(true);\n")),
    _r("itself", (_R, _R_ADDS, "        assert_eq!(total(&[1, 2]), total(&[1, 2]));\n")),
    _r("greater", (_R, _R_ADDS, "        assert!(total(&[1, 2]) > 0);\n")),
    _r("no tests", ("Cargo.toml", 'edition = "2021"\n', 'edition = "2021"\n\n[lib]\ntest = false\ndoctest = false\n')),
    _r("cfg", (_R, "#[cfg(test)]\nmod tests", "#[cfg(any())]\nmod tests")),
    _r("expected", (_R, "&[1, 2]), 3)", "&[1, 2]), 2)"), told=True),
]  # fmt: skip

SUITES = {
    "python": (PYTHON, "make test"),
    "node": (NODE, "npm test --silent"),
    "go": (GO, "go test ./..."),
    "rust": (RUST, "cargo test --offline"),
}
PLANTS = [*_PYTHON, *_NODE, *_GO, *_RUST]
