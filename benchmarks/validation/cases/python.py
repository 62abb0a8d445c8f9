"""Failures of pytest, unittest, mypy and ruff."""

from __future__ import annotations

from .case import Case

_PYTEST = "python -m pytest -p no:cacheprovider"
_SHOP = """class Bad(Exception):
    pass


def total(prices):
    return sum(prices)


def split(amount, parts):
    if parts == 0:
        raise Bad("no parts to split into")
    return [amount // parts] * parts


def load(table, name):
    return table[name]
"""
_RAISES = _SHOP.replace('raise Bad("no parts to split into")', 'raise Bad("no parts to split into")  # @here')
_KEY = _SHOP.replace("return table[name]", "return table[name]  # @here")


def _p(
    name: str, body: str, test: str, says: str, *values: str, shop: str = _SHOP, options: str = "", **more: str
) -> Case:
    head = "import pytest\nfrom shop import Bad, load, split, total\n\n\n"
    files = {"shop.py": shop, "tests/test_shop.py": head + body, "conftest.py": "", **more}
    return Case("pytest", name, f"{_PYTEST} {options}".strip(), files, test, says, tuple(values))


PYTEST = [
    _p(
        "equal",
        "def test_total():\n    assert total([1, 2]) == 4  # @here\n",
        "tests/test_shop.py::test_total",
        "assert 3 == 4",
        "3",
        "4",
    ),
    _p(
        "quiet",
        "def test_ok():\n    assert True\n\n\ndef test_total():\n    assert total([1, 2]) == 4  # @here\n",
        "tests/test_shop.py::test_total",
        "assert 3 == 4",
        "3",
        "4",
        options="-q",
    ),
    _p(
        "class",
        "class TestShop:\n    def test_total(self):\n        got = total([2])\n        assert got == 5  # @here\n",
        "tests/test_shop.py::TestShop::test_total",
        "assert 2 == 5",
        "2",
        "5",
    ),
    _p(
        "raised",
        "def test_split():\n    assert split(10, 0) == []\n",
        "tests/test_shop.py::test_split",
        "Bad: no parts to split into",
        shop=_RAISES,
    ),
    _p(
        "key",
        "def test_load():\n    assert load({'a': 1}, 'b') == 1\n",
        "tests/test_shop.py::test_load",
        "KeyError: 'b'",
        shop=_KEY,
    ),
    _p(
        "short",
        "def test_split():\n    assert split(10, 0) == []\n",
        "tests/test_shop.py::test_split",
        "Bad: no parts",
        shop=_RAISES,
        options="--tb=short",
    ),
    _p(
        "short-equal",
        "def test_total():\n    assert total([1, 2]) == 4  # @here\n",
        "tests/test_shop.py::test_total",
        "assert 3 == 4",
        "3",
        "4",
        options="--tb=short -q",
    ),
    _p(
        "line",
        "def test_total():\n    assert total([1, 2]) == 4  # @here\n",
        "tests/test_shop.py::test_total",
        "assert 3 == 4",
        "3",
        "4",
        options="--tb=line",
    ),
    _p(
        "native",
        "def test_split():\n    assert split(10, 0) == []\n",
        "tests/test_shop.py::test_split",
        "Bad: no parts",
        shop=_RAISES,
        options="--tb=native",
    ),
    _p(
        "verbose",
        "def test_a():\n    assert True\n\n\ndef test_b():\n    assert 'tide' in ['ebb', 'flow']  # @here\n\n\ndef test_c():\n    assert False\n",
        "tests/test_shop.py::test_b",
        "'tide' in ['ebb', 'flow']",
        options="-v",
    ),
    _p(
        "param",
        "@pytest.mark.parametrize('n, want', [(1, 1), (2, 3)])\ndef test_total(n, want):\n    assert total([n]) == want  # @here\n",
        "tests/test_shop.py::test_total[2-3]",
        "assert 2 == 3",
        "2",
        "3",
    ),
    _p(
        "lists",
        "def test_split():\n    assert split(10, 3) == [4, 3, 3]  # @here\n",
        "tests/test_shop.py::test_split",
        "assert [3, 3, 3] == [4, 3, 3]",
        "[3, 3, 3]",
        "[4, 3, 3]",
    ),
    _p(
        "long",
        "def test_long():\n    assert [total([n, n]) for n in range(300)] == [2 * n for n in range(299)] + [0]  # @here\n",
        "tests/test_shop.py::test_long",
        "assert [0, 2, 4",
    ),
    _p(
        "text",
        "def test_text():\n    assert 'ebb and flow\\nof the tide' == 'ebb and flow\\nof the tides'  # @here\n",
        "tests/test_shop.py::test_text",
        "'ebb and flow",
        "'ebb and flow\\nof the tide'",
        "'ebb and flow\\nof the tides'",
    ),
    _p(
        "dicts",
        "def test_dict():\n    assert {'a': total([1]), 'b': 2} == {'a': 9, 'b': 2}  # @here\n",
        "tests/test_shop.py::test_dict",
        "assert {'a': 1, 'b': 2} == {'a': 9, 'b': 2}",
        "{'a': 1, 'b': 2}",
        "{'a': 9, 'b': 2}",
    ),
    _p(
        "did-not-raise",
        "def test_raises():\n    with pytest.raises(Bad):  # @here\n        split(4, 2)\n",
        "tests/test_shop.py::test_raises",
        "DID NOT RAISE",
    ),
    _p(
        "fixture",
        "@pytest.fixture\ndef till():\n    raise RuntimeError('the till is shut')  # @here\n\n\ndef test_till(till):\n    assert till\n",
        "tests/test_shop.py::test_till",
        "RuntimeError: the till is shut",
    ),
    _p(
        "no-fixture",
        "def test_till(tilt):  # @here\n    assert tilt\n",
        "tests/test_shop.py::test_till",
        "fixture 'tilt' not found",
    ),
    _p(
        "import",
        "def test_till():\n    pass\n",
        "tests/test_more.py",
        "No module named 'nonesuch'",
        **{"tests/test_more.py": "import nonesuch  # @here\n"},
    ),
    _p(
        "import-name",
        "def test_till():\n    pass\n",
        "tests/test_more.py",
        "cannot import name 'missing' from 'shop'",
        **{"tests/test_more.py": "from shop import missing  # @here\n"},
    ),
    _p(
        "syntax",
        "def test_till():\n    pass\n",
        "tests/test_more.py",
        "SyntaxError: invalid syntax",
        **{"tests/test_more.py": "def test_x():\n    return return  # @here\n"},
    ),
    _p(
        "noise",
        "def test_total():\n    print('E   assert 1 == 2')\n    print('FAILED tests/test_other.py::test_x - nonsense')\n    assert total([5]) == 6  # @here\n",
        "tests/test_shop.py::test_total",
        "assert 5 == 6",
        "5",
        "6",
    ),
    _p(
        "helper",
        "def test_total():\n    same(total([5]), 6)\n\n\ndef same(one, other):\n    assert one == other, f'till {one}'  # @here\n",
        "tests/test_shop.py::test_total",
        "till 5",
        "5",
        "6",
    ),
    _p(
        "library",
        "import json\n\n\ndef test_json():\n    json.loads('{nonsense')  # @here\n",
        "tests/test_shop.py::test_json",
        "json.decoder.JSONDecodeError: Expecting property name",
    ),
    _p(
        "chained",
        "def test_chained():\n    try:\n        load({}, 'x')\n    except KeyError as error:\n        raise Bad('wrapped') from error  # @here\n",
        "tests/test_shop.py::test_chained",
        "Bad: wrapped",
    ),
    _p(
        "collect-dup",
        "def test_total():\n    assert total([1]) is None  # @here\n",
        "tests/test_shop.py::test_total",
        "assert 1 is None",
        "1",
        "None",
        options="-x -q",
    ),
]

_CASE = "import unittest\nfrom shop import Bad, load, split, total\n\n\nclass ShopTest(unittest.TestCase):\n"


def _u(
    name: str, body: str, test: str, says: str, *values: str, shop: str = _SHOP, options: str = "", **more: str
) -> Case:
    files = {"shop.py": shop, "test_shop.py": _CASE + body, **more}
    return Case("unittest", name, f"python -m unittest {options}".strip(), files, test, says, tuple(values))


UNITTEST = [
    _u(
        "equal",
        "    def test_total(self):\n        self.assertEqual(total([1, 2]), 4)  # @here\n",
        "test_shop.ShopTest.test_total",
        "3 != 4",
        "3",
        "4",
    ),
    _u(
        "verbose",
        "    def test_total(self):\n        self.assertEqual(total([1, 2]), 4)  # @here\n",
        "test_shop.ShopTest.test_total",
        "3 != 4",
        "3",
        "4",
        options="-v",
    ),
    _u(
        "message",
        "    def test_total(self):\n        self.assertEqual(total([1, 2]), 4, 'the till is off')  # @here\n",
        "test_shop.ShopTest.test_total",
        "the till is off",
        "3",
        "4",
    ),
    _u(
        "error",
        "    def test_split(self):\n        split(3, 0)\n",
        "test_shop.ShopTest.test_split",
        "Bad: no parts to split into",
        shop=_RAISES,
    ),
    _u(
        "key",
        "    def test_load(self):\n        load({}, 'b')\n",
        "test_shop.ShopTest.test_load",
        "KeyError: 'b'",
        shop=_KEY,
    ),
    _u(
        "lists",
        "    def test_split(self):\n        self.assertEqual(split(10, 3), [4, 3, 3])  # @here\n",
        "test_shop.ShopTest.test_split",
        "Lists differ",
        "[3, 3, 3]",
        "[4, 3, 3]",
    ),
    _u(
        "dict",
        "    def test_dict(self):\n        self.assertEqual({'a': 1}, {'a': 2})  # @here\n",
        "test_shop.ShopTest.test_dict",
        "{'a': 1} != {'a': 2}",
        "{'a': 1}",
        "{'a': 2}",
    ),
    _u(
        "text",
        "    def test_text(self):\n        self.assertEqual('ebb', 'flow')  # @here\n",
        "test_shop.ShopTest.test_text",
        "'ebb' != 'flow'",
        "'ebb'",
        "'flow'",
    ),
    _u(
        "true",
        "    def test_true(self):\n        self.assertTrue(total([]))  # @here\n",
        "test_shop.ShopTest.test_true",
        "0 is not true",
    ),
    _u(
        "in",
        "    def test_in(self):\n        self.assertIn('tide', ['ebb'])  # @here\n",
        "test_shop.ShopTest.test_in",
        "'tide' not found in ['ebb']",
        "'tide'",
        "['ebb']",
    ),
    _u(
        "raises",
        "    def test_raises(self):\n        with self.assertRaises(Bad):  # @here\n            split(4, 2)\n",
        "test_shop.ShopTest.test_raises",
        "Bad not raised",
    ),
    _u(
        "setup",
        "    def setUp(self):\n        raise RuntimeError('the till is shut')  # @here\n\n    def test_total(self):\n        pass\n",
        "test_shop.ShopTest.test_total",
        "RuntimeError: the till is shut",
    ),
    _u(
        "subtest",
        "    def test_all(self):\n        for n in (1, 2):\n            with self.subTest(n=n):\n                self.assertEqual(total([n]), 1)  # @here\n",
        "test_shop.ShopTest.test_all",
        "2 != 1",
        "2",
        "1",
    ),
    _u(
        "import",
        "    def test_ok(self):\n        pass\n",
        "test_more",
        "No module named 'nonesuch'",
        **{"test_more.py": "import nonesuch  # @here\n"},
    ),
    _u(
        "setup-class",
        "    @classmethod\n    def setUpClass(cls):\n        raise RuntimeError('no sea')  # @here\n\n    def test_total(self):\n        pass\n",
        "test_shop.ShopTest",
        "RuntimeError: no sea",
    ),
    _u(
        "plain",
        "    def test_plain(self):\n        assert total([2]) == 3, 'plain words'  # @here\n",
        "test_shop.ShopTest.test_plain",
        "AssertionError: plain words",
    ),
    _u(
        "chained",
        "    def test_chained(self):\n        try:\n            load({}, 'x')\n        except KeyError as error:\n            raise Bad('wrapped') from error  # @here\n",
        "test_shop.ShopTest.test_chained",
        "Bad: wrapped",
    ),
]

MYPY = [
    Case(
        "mypy",
        "types",
        "python -m mypy --no-incremental .",
        {"shop.py": "def total(n: int) -> str:\n    return n  # @here\n"},
        "",
        "Incompatible return value type",
    ),
    Case(
        "mypy",
        "import",
        "python -m mypy --no-incremental --no-error-summary .",
        {"shop.py": "import os\n\nos.nonesuch()  # @here\n"},
        "",
        'Module has no attribute "nonesuch"',
    ),
    Case(
        "ruff",
        "unused",
        "python -m ruff check --no-cache --isolated .",
        {"shop.py": "import os  # @here\n\n\ndef total() -> int:\n    return 1\n"},
        "",
        "F401",
    ),
    Case(
        "ruff",
        "concise",
        "python -m ruff check --no-cache --isolated --output-format=concise .",
        {"shop.py": "def total() -> int:\n    return price  # @here\n"},
        "",
        "F821",
    ),
]

CASES = [*PYTEST, *UNITTEST, *MYPY]
