"""Failures of runners beside the usual ones, and runs of all of them that ran no test. Each suite has tests that pass
and speak of errors, so that a reader which goes by words takes one of those.
"""

from __future__ import annotations

from .case import Case

_TIDE_JS = "exports.height = hour => hour * 2;\nexports.name = hour => (hour < 6 ? 'ebb' : 'flow');\n"
_TIDE_PY = "def height(hour):\n    return hour * 2\n"
_MANIFEST = '{"name":"sea","version":"1.0.0","private":true}\n'
_TITLES = ("throws an error on a bad hour", "shows the failed row", *(f"knows hour {n}" for n in range(1, 25)))
_MODULE = '{"name":"sea","version":"1.0.0","private":true,"type":"module"}\n'


def _js(runner: str, name: str, command: str, path: str, text: str, *told: str, **more: str) -> Case:
    test, says, *values = told
    files = {"package.json": _MANIFEST, "tide.js": _TIDE_JS, path: text, **more}
    return Case(runner, name, command, files, test, says, tuple(values))


def _suite(head: str, good: str, bad: str, tail: str = "") -> str:
    """A suite: tests that pass (`good`, with %s for the title), and the one that does not in their midst."""
    half = len(_TITLES) // 2
    lines = [good % title for title in _TITLES]
    return "\n".join([head, *lines[:half], bad, *lines[half:], tail])


_STRICT = "const assert = require('assert');\nconst { height, name } = require('../tide');"
_MOCHA_OK = "  it('%s', () => {});"
_JEST_OK = "test('%s', () => {});"
_MOCHA_HIGH = "  it('is high at noon', () => {\n    assert.strictEqual(height(2), 5); // @here\n  });"
_JEST_HIGH = "test('is high at noon', () => {\n  expect(height(2)).toBe(5); // @here\n});"

JAVASCRIPT = [
    _js("mocha", "nested", "node_modules/.bin/mocha", "test/tide.js",
        _suite(f"{_STRICT}\ndescribe('Tide', () => {{", _MOCHA_OK, _MOCHA_HIGH, "});"),
        "Tide is high at noon", "Expected values to be strictly equal", "4", "5"),
    _js("mocha", "dot", "node_modules/.bin/mocha --reporter dot", "test/tide.js",
        _suite(f"{_STRICT}\ndescribe('Tide', () => {{\n describe('of spring', () => {{", _MOCHA_OK, _MOCHA_HIGH, "});});"),
        "Tide of spring is high at noon", "Expected values to be strictly equal", "4", "5"),
    _js("mocha", "thrown", "node_modules/.bin/mocha", "test/tide.js",
        _suite(f"{_STRICT}\ndescribe('Tide', () => {{", _MOCHA_OK,
               "  it('is calm', () => {\n    throw new TypeError('the sea is rough'); // @here\n  });", "});"),
        "Tide is calm", "TypeError: the sea is rough"),
    _js("mocha", "timeout", "node_modules/.bin/mocha --timeout 60", "test/tide.js",
        _suite(f"{_STRICT}\ndescribe('Tide', () => {{", _MOCHA_OK, "  it('comes in', done => {});", "});"),
        "Tide comes in", "Timeout of 60ms exceeded"),
    _js("mocha", "tap", "node_modules/.bin/mocha --reporter tap", "test/tide.js",
        _suite(f"{_STRICT}\ndescribe('Tide', () => {{", _MOCHA_OK, _MOCHA_HIGH, "});"),
        "Tide is high at noon", "Expected values to be strictly equal", "4", "5"),
    _js("jest", "verbose-many", "node_modules/.bin/jest --verbose", "test/tide.test.js",
        _suite("const { height } = require('../tide');", _JEST_OK, _JEST_HIGH),
        "is high at noon", "expect(received).toBe(expected)", "4", "5"),
    _js("jest", "coverage", "node_modules/.bin/jest --verbose --coverage --coverageReporters=none", "test/tide.test.js",
        _suite("const { height } = require('../tide');\nheight(1);", _JEST_OK, ""),
        "", 'Coverage for functions (50%) does not meet',
        **{"package.json": _MANIFEST[:-2] + ',"jest":{"coverageThreshold":{"global":{"functions":90}}}}\n'}),
    _js("jest", "timeout", "node_modules/.bin/jest --testTimeout=80", "test/tide.test.js",
        _suite("", _JEST_OK, "test('comes in', done => { // @here\n});"), "comes in", "Exceeded timeout of 80 ms"),
    _js("jest", "prefixed", "node_modules/.bin/jest --verbose 2>&1 | sed 's/^/web:test: /'; exit 1", "test/tide.test.js",
        _suite("const { height } = require('../tide');", _JEST_OK, _JEST_HIGH),
        "is high at noon", "expect(received).toBe(expected)", "4", "5"),
    _js("vitest", "verbose-many", "node_modules/.bin/vitest run --reporter=verbose", "test/tide.test.js",
        _suite("import { test, expect } from 'vitest';\nimport { height } from '../tide.js';", _JEST_OK, _JEST_HIGH),
        "is high at noon", "expected 4 to be 5", "4", "5", **{"package.json": _MODULE, "tide.js": "export const height = hour => hour * 2;\n"}),
    _js("vitest", "timeout", "node_modules/.bin/vitest run --testTimeout=80", "test/tide.test.js",
        _suite("import { test } from 'vitest';", _JEST_OK, "test('comes in', async () => { // @here\n  await new Promise(() => {});\n});"),
        "comes in", "Test timed out in 80ms", **{"package.json": _MODULE}),
    _js("vitest", "stamped", "node_modules/.bin/vitest run 2>&1 | sed 's/^/2026-03-01T10:11:12.1234567Z /'; exit 1", "test/tide.test.js",
        _suite("import { test, expect } from 'vitest';\nimport { height } from '../tide.js';", _JEST_OK, _JEST_HIGH),
        "is high at noon", "expected 4 to be 5", "4", "5", **{"package.json": _MODULE, "tide.js": "export const height = hour => hour * 2;\n"}),
    _js("node", "spec-many", "node --test --test-reporter=spec", "test/tide.test.js",
        _suite(f"const test = require('node:test');\n{_STRICT}", _JEST_OK,
               "test('is high at noon', () => {\n  assert.strictEqual(height(2), 5); // @here\n});"),
        "is high at noon", "Expected values to be strictly equal", "4", "5"),
    _js("node", "tap-many", "node --test --test-reporter=tap", "test/tide.test.js",
        _suite(f"const test = require('node:test');\n{_STRICT}", _JEST_OK,
               "test('is high at noon', () => {\n  assert.strictEqual(height(2), 5, 'the tide is off'); // @here\n});"),
        "is high at noon", "the tide is off", "4", "5"),
    _js("node", "nested-many", "node --test --test-reporter=spec", "test/tide.test.js",
        _suite(f"const {{ describe, it }} = require('node:test');\n{_STRICT}\ndescribe('Tide', () => {{", _MOCHA_OK, _MOCHA_HIGH, "});"),
        "is high at noon", "Expected values to be strictly equal", "4", "5"),
    _js("ava", "is", "node_modules/.bin/ava", "test/tide.js",
        _suite("const test = require('ava').default || require('ava');\nconst { height } = require('../tide');",
               "test('%s', t => t.pass());", "test('is high at noon', t => {\n  t.is(height(2), 5); // @here\n});"),
        "is high at noon", "Difference", "4", "5"),
    _js("ava", "tap", "node_modules/.bin/ava --tap", "test/tide.js",
        _suite("const test = require('ava').default || require('ava');\nconst { height } = require('../tide');",
               "test('%s', t => t.pass());", "test('is calm', t => {\n  throw new Error('the sea is rough'); // @here\n});"),
        "is calm", "the sea is rough"),
    _js("jasmine", "spec", "node_modules/.bin/jasmine 'spec/*.js'", "spec/tide.spec.js",
        _suite("const { height } = require('../tide');\ndescribe('Tide', () => {",
               "  it('%s', () => { expect(1).toBe(1); });", "  it('is high at noon', () => {\n    expect(height(2)).toBe(5); // @here\n  });", "});"),
        "Tide is high at noon", "Expected 4 to be 5", "4", "5"),
    _js("tape", "tap", "node test/tide.js", "test/tide.js",
        _suite("const test = require('tape');\nconst { height } = require('../tide');",
               "test('%s', t => { t.ok(true, 'it says error'); t.end(); });",
               "test('is high at noon', t => {\n  t.equal(height(2), 5, 'height at noon'); // @here\n  t.end();\n});"),
        "is high at noon > height at noon|height at noon", "height at noon", "4", "5"),
    _js("uvu", "is", "node_modules/.bin/uvu test", "test/tide.js",
        _suite("const { test } = require('uvu');\nconst assert = require('uvu/assert');\nconst { height } = require('../tide');",
               "test('%s', () => {});", "test('is high at noon', () => {\n  assert.is(height(2), 5); // @here\n});", "test.run();"),
        "is high at noon", "Expected values to be strictly equal", "4", "5"),
    _js("bun", "be", "node_modules/.bin/bun test", "test/tide.test.js",
        _suite("const { test, expect } = require('bun:test');\nconst { height } = require('../tide');", _JEST_OK, _JEST_HIGH),
        "is high at noon", "expect(received).toBe(expected)", "4", "5"),
    _js("bun", "thrown", "node_modules/.bin/bun test", "test/tide.test.js",
        _suite("const { test, describe } = require('bun:test');\ndescribe('Tide', () => {", _MOCHA_OK.replace("it(", "test("),
               "  test('is calm', () => {\n    throw new TypeError('the sea is rough'); // @here\n  });", "});"),
        "Tide > is calm", "TypeError: the sea is rough"),
    _js("playwright", "plain", "node_modules/.bin/playwright test --reporter=list", "test/tide.spec.js",
        _suite("const { test, expect } = require('@playwright/test');\nconst { height } = require('../tide');", _JEST_OK, _JEST_HIGH),
        "is high at noon", "expect(received).toBe(expected)", "4", "5"),
    _js("concurrently", "two", "node_modules/.bin/concurrently 'node --test --test-reporter=spec test/' 'node -e \"console.log(1)\"'", "test/tide.test.js",
        _suite(f"const test = require('node:test');\n{_STRICT}", _JEST_OK,
               "test('is high at noon', () => {\n  assert.strictEqual(height(2), 5); // @here\n});"),
        "is high at noon", "Expected values to be strictly equal", "4", "5"),
]  # fmt: skip

_PY_OK = "def test_%s():\n    pass\n\n"
_WORDS = ("error", "failed_row", "exception_page", *(f"hour_{n}" for n in range(1, 25)))


def _py(
    runner: str,
    name: str,
    command: str,
    bad: str,
    *told: str,
    head: str = "import pytest\nfrom tide import height\n\n",
    **more: str,
) -> Case:
    test, says, *values = told
    half = len(_WORDS) // 2
    good = [_PY_OK % word for word in _WORDS]
    text = "\n".join([head, *good[:half], bad, *good[half:]])
    files = {"tide.py": _TIDE_PY, "conftest.py": "", "tests/test_tide.py": text, **more}
    return Case(runner, name, command, files, test, says, tuple(values))


_HIGH = "def test_high():\n    assert height(2) == 5  # @here\n\n"
_AT = "tests/test_tide.py::test_high"
_UNIT = "import unittest\nfrom tide import height\n\n\nclass TideTest(unittest.TestCase):\n"
_UNIT_BODY = _UNIT + "".join(f"    def test_{word}(self):\n        pass\n\n" for word in _WORDS) + (
    "    def test_high(self):\n        self.assertEqual(height(2), 5)  # @here\n"
)  # fmt: skip
_PYTEST = "python -m pytest -p no:cacheprovider"

PYTHON = [
    _py("pytest", "verbose-many", f"{_PYTEST} -v", _HIGH, _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "xdist", f"{_PYTEST} -n 2", _HIGH, _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "xdist-crash", f"{_PYTEST} -n 2", "def test_sinks():\n    import os\n    os._exit(3)\n\n", "tests/test_tide.py::test_sinks",
        "crashed while running"),
    _py("pytest", "sugar", f"{_PYTEST} --force-sugar", _HIGH, _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "timeout-signal", f"{_PYTEST} --timeout 1 --timeout-method signal",
        "def test_hangs():\n    import time\n    time.sleep(30)  # @here\n\n", "tests/test_tide.py::test_hangs", "Timeout"),
    _py("pytest", "timeout-thread", f"{_PYTEST} --timeout 1 --timeout-method thread",
        "def test_hangs():\n    import time\n    time.sleep(30)  # @here\n\n", "tests/test_tide.py::test_hangs|test_hangs", "Timeout"),
    _py("pytest", "group", f"{_PYTEST}",
        "def test_storm():\n    raise ExceptionGroup('two waves', [ValueError('low'), TypeError('high')])  # @here\n\n",
        "tests/test_tide.py::test_storm", "two waves"),
    _py("pytest", "strict-xfail", f"{_PYTEST}", "@pytest.mark.xfail(strict=True, reason='the moon is late')\ndef test_moon():\n    pass\n\n",
        "tests/test_tide.py::test_moon", "the moon is late"),
    _py("pytest", "doctest", f"{_PYTEST} --doctest-modules", "", "tide.py::tide.low|tide.low|tide.py::[doctest] tide.low", "Expected", "0", "1",
        **{"tide.py": f"{_TIDE_PY}\n\ndef low():\n    \"\"\"Low water.\n\n    >>> low() # @here\n    1\n    \"\"\"\n    return 0\n"}),
    _py("pytest", "printed", f"{_PYTEST} --tb=line",
        "def test_high():\n    print('FAILED tests/test_moon.py::test_x - nonsense')\n    assert height(2) == 5  # @here\n\n", _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "subtests", f"{_PYTEST} -p subtests",
        "def test_high(subtests):\n    for hour in (1, 2):\n        with subtests.test(hour=hour):\n            assert height(hour) == 2  # @here\n\n",
        f"{_AT}|{_AT} (hour=2)", "assert 4 == 2", "4", "2"),
    _py("pytest", "rerun", f"{_PYTEST} --reruns 1", _HIGH, _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "short-many", f"{_PYTEST} --tb=short -q", _HIGH, _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "no-traceback", f"{_PYTEST} --tb=no -v", "def test_high():\n    assert height(2) == 5\n\n", _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "composed", f"{_PYTEST} -v | sed 's/^/tests-1  | /'; exit 1", _HIGH, _AT, "assert 4 == 5", "4", "5"),
    _py("pytest", "workspace", f"{_PYTEST} -v | sed 's/^/packages\\/sea test: /'; exit 1", _HIGH, _AT, "assert 4 == 5", "4", "5"),
    _py("tox", "pytest", "tox -q -e py --workdir .tox", _HIGH, _AT, "assert 4 == 5", "4", "5",
        **{"tox.ini": "[tox]\nskipsdist=true\n[testenv]\nskip_install=true\nsetenv=PYTHONPATH=.\nallowlist_externals=*\ncommands=pytest -p no:cacheprovider\npassenv=*\n"}),
    Case("nose2", "equal", "python -m nose2 -v", {"tide.py": _TIDE_PY, "test_tide.py": _UNIT_BODY}, "test_tide.TideTest.test_high", "4 != 5", ("4", "5")),
    Case("trial", "equal", "PYTHONPATH=. trial test_tide", {"tide.py": _TIDE_PY, "test_tide.py": _UNIT_BODY.replace("unittest.TestCase", "trial.TestCase").replace("import unittest", "from twisted.trial import unittest as trial")},
         "test_tide.TideTest.test_high", "4 != 5", ("4", "5")),
    Case("green", "equal", "green -v", {"tide.py": _TIDE_PY, "test_tide.py": _UNIT_BODY}, "test_tide.TideTest.test_high", "4 != 5", ("4", "5")),
    Case("testtools", "equal", "python -m testtools.run test_tide", {"tide.py": _TIDE_PY, "test_tide.py": _UNIT_BODY}, "test_tide.TideTest.test_high", "4 != 5", ("4", "5")),
    Case("django", "equal", "python manage.py test -v 2", {
        "manage.py": "import os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'settings'\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n",
        "settings.py": "SECRET_KEY = 'x' * 40\nUSE_TZ = True\nDATABASES = {}\n", "tide.py": _TIDE_PY,
        "test_tide.py": _UNIT_BODY.replace("import unittest", "from django.test import SimpleTestCase").replace("unittest.TestCase", "SimpleTestCase")},
        "test_tide.TideTest.test_high", "4 != 5", ("4", "5")),
    Case("doctest", "plain", "python -m doctest tide.py", {"tide.py": f"{_TIDE_PY}\n\ndef low():\n    \"\"\"Low water.\n\n    >>> low() # @here\n    1\n    \"\"\"\n    return 0\n"},
         "tide.low", "Expected", ("0", "1")),
    Case("behave", "scenario", "behave --no-color", {
        "features/tide.feature": "Feature: Tide\n" + "".join(f"\n  Scenario: {title}\n    Given an hour\n" for title in _TITLES)
        + "\n  Scenario: is high at noon\n    Given an hour\n    Then it is high\n",
        "features/steps/tide.py": "from behave import given, then\n\n\n@given('an hour')\ndef hour(context):\n    context.height = 4\n\n\n@then('it is high')  # @here\ndef high(context):\n    assert context.height == 5, f'got {context.height}, want 5'\n"},
        "is high at noon", "got 4, want 5", ("4", "5")),
    Case("robot", "equal", "python -m robot --output NONE --log NONE --report NONE tide.robot", {
        "tide.robot": "*** Test Cases ***\n" + "".join(f"{title.capitalize()}\n    Should Be Equal    1    1\n\n" for title in _TITLES)
        + "Is high at noon\n    Should Be Equal As Integers    4    5\n"}, "Is high at noon", "4 != 5", ("4", "5")),
    Case("ward", "equal", "python -m ward", {"tide.py": _TIDE_PY, "test_tide.py": "from ward import test\nfrom tide import height\n\n\n@test('throws an error')\ndef _():\n    assert True\n\n\n@test('is high at noon')\ndef _():\n    assert height(2) == 5  # @here\n"},
         "is high at noon", "4", ("4", "5")),
]  # fmt: skip

_RUBY_OK = "  it('%s') { expect(1).to eq(1) }"
_MINI_OK = "  def test_%s\n    assert true\n  end"
_PHP_OK = "    public function test%s(): void { $this->assertTrue(true); }"


def _mini(bad: str, mode: str = "Test") -> dict[str, str]:
    good = "\n".join(_MINI_OK % word for word in _WORDS)
    text = f"require 'minitest/autorun'\n\nclass TideTest < Minitest::{mode}\n{good}\n{bad}\nend\n"
    return {"test/tide_test.rb": text}


def _bats(*tests: str) -> dict[str, str]:
    good = [f'@test "{title}" {{\n  true\n}}\n' for title in _TITLES]
    return {"tide.bats": "\n".join([*good[:9], *tests, *good[9:]])}


_BATS_HIGH = '@test "is high at noon" {\n  run echo 4\n  [ "$output" = 5 ] # @here\n}\n'
_CMAKE = "cmake_minimum_required(VERSION 3.19)\nproject(sea NONE)\nenable_testing()\n" + "".join(
    f'add_test(NAME "{title}" COMMAND true)\n' for title in _TITLES
)
_PERL = (
    "use Test::More;\n"
    + "".join(f"ok(1, '{title}');\n" for title in _TITLES)
    + "is(2 * 2, 5, 'is high at noon'); # @here\ndone_testing();\n"
)
_GO_MANY = "package sea\n\nimport \"testing\"\n\n" + "".join(f"func TestError{n}(t *testing.T) {{}}\n" for n in range(30)) + (
    'func TestHigh(t *testing.T) {\n\tt.Errorf("height = %d, want %d", 4, 5) // @here\n}\n'
)  # fmt: skip
_MOD = "module example.test/sea\n\ngo 1.19\n"
_RUST = "/// Twice the hour.\npub fn height(hour: i32) -> i32 {\n    hour * 2\n}\n"
_CRATE = '[package]\nname = "sea"\nversion = "0.1.0"\nedition = "2021"\n'
_RUST_OK = "".join(f"    #[test]\n    fn error_{n}() {{}}\n\n" for n in range(30))

OTHERS = [
    Case("rspec", "documentation", "rspec --format documentation --no-color", {"spec/tide_spec.rb": _suite("describe 'Tide' do", _RUBY_OK,
         "  it 'is high at noon' do\n    expect(2 * 2).to eq(5) # @here\n  end", "end")}, "Tide is high at noon", "expected: 5", ("4", "5")),
    Case("rspec", "progress", "rspec --no-color", {"spec/tide_spec.rb": _suite("describe 'Tide' do", _RUBY_OK,
         "  it 'is calm' do\n    raise ArgumentError, 'the sea is rough' # @here\n  end", "end")}, "Tide is calm", "the sea is rough"),
    Case("minitest", "equal", "ruby test/tide_test.rb --seed 1", _mini("  def test_high\n    assert_equal 5, 4 # @here\n  end"), "TideTest#test_high", "Expected: 5", ("4", "5")),
    Case("minitest", "verbose", "ruby test/tide_test.rb --seed 1 -v", _mini("  def test_calm\n    raise ArgumentError, 'the sea is rough' # @here\n  end"),
         "TideTest#test_calm", "ArgumentError: the sea is rough"),
    Case("phpunit", "plain", "phpunit --colors=never tests", {"tests/TideTest.php": "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class TideTest extends TestCase {\n"
         + "\n".join(_PHP_OK % word.title().replace("_", "") for word in _WORDS) + "\n    public function testHigh(): void {\n        $this->assertSame(5, 4); // @here\n    }\n}\n"},
         "TideTest::testHigh", "Failed asserting that 4 is identical to 5", ("4", "5")),
    Case("phpunit", "testdox", "phpunit --colors=never --testdox tests", {"tests/TideTest.php": "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class TideTest extends TestCase {\n"
         + "\n".join(_PHP_OK % word.title().replace("_", "") for word in _WORDS) + "\n    public function testHigh(): void {\n        $this->assertSame(5, 4); // @here\n    }\n}\n"},
         "TideTest::testHigh|High", "Failed asserting that 4 is identical to 5", ("4", "5")),
    Case("bats", "tap", "bats --tap tide.bats", _bats(_BATS_HIGH), "is high at noon", "`[ \"$output\" = 5 ]"),
    Case("bats", "pretty", "bats --pretty tide.bats", _bats(_BATS_HIGH), "is high at noon", "`[ \"$output\" = 5 ]"),
    Case("ctest", "output", "cmake -S . -B build > /dev/null && ctest --test-dir build --output-on-failure", {"CMakeLists.txt": _CMAKE
         + 'add_test(NAME "is high at noon" COMMAND sh -c "echo height is 4, want 5; exit 1")\n'}, "is high at noon", "height is 4, want 5", ("4", "5")),
    Case("ctest", "plain", "cmake -S . -B build > /dev/null && ctest --test-dir build", {"CMakeLists.txt": _CMAKE
         + 'add_test(NAME "is high at noon" COMMAND sh -c "exit 1")\n'}, "is high at noon", "Failed"),
    Case("prove", "verbose", "prove -v t", {"t/tide.t": _PERL}, "is high at noon", "got: '4'", ("'4'", "'5'")),
    Case("prove", "plain", "prove t", {"t/tide.t": _PERL}, "is high at noon", "got: '4'", ("'4'", "'5'")),
    Case("go", "verbose-many", "go test -v ./...", {"go.mod": _MOD, "sea_test.go": _GO_MANY}, "TestHigh", "height = 4, want 5", ("4", "5")),
    Case("go", "stamped", "go test -v ./... | sed 's/^/2026-03-01T10:11:12.1234567Z /'; exit 1", {"go.mod": _MOD, "sea_test.go": _GO_MANY}, "TestHigh", "height = 4, want 5", ("4", "5")),
    Case("go", "example", "go test -v ./...", {"go.mod": _MOD, "sea_test.go": 'package sea\n\nimport "fmt"\n\nfunc ExampleHigh() {\n\tfmt.Println(4)\n\t// Output: 5\n}\n'}, "ExampleHigh", "got:", ("4", "5")),
    Case("cargo", "many", "cargo test --offline", {"Cargo.toml": _CRATE, "src/lib.rs": f"{_RUST}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{_RUST_OK}    #[test]\n    fn high() {{\n        assert_eq!(height(2), 5); // @here\n    }}\n}}\n"},
         "tests::high", "assertion `left == right` failed", ("4", "5")),
    Case("cargo", "doc-test", "cargo test --offline --doc", {"Cargo.toml": _CRATE, "src/lib.rs": _RUST.replace("hour.\n", "hour.\n///\n/// ```\n/// assert_eq!(sea::height(2), 5);\n/// ```\n", 1)},
         "src/lib.rs - height (line 3)", "assertion `left == right` failed", ("4", "5")),
    Case("cargo", "backtrace", "RUST_BACKTRACE=1 cargo test --offline", {"Cargo.toml": _CRATE, "src/lib.rs": f"{_RUST}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{_RUST_OK}    #[test]\n    fn high() {{\n        assert_eq!(height(2), 5, \"the moon\"); // @here\n    }}\n}}\n"},
         "tests::high", "the moon", ("4", "5")),
]  # fmt: skip


def _none(runner: str, name: str, command: str, files: dict[str, str]) -> Case:
    return Case(runner, name, command, files, is_empty=True)


_ONE = "import pytest\n\n\ndef test_one():\n    pass\n"
_LATER = {"test/tide.test.js": "test('one', () => {});\n", "package.json": _MANIFEST}
_RUBY_ONE = {"spec/tide_spec.rb": "describe 'Tide' do\n  it('rises') { }\nend\n"}

# They end with 0 (a script that lets pytest's 5 through is one), and ran nothing.
EMPTY = [
    _none("none", "pytest", f"{_PYTEST} -k nothing; true", {"test_a.py": _ONE}),
    _none("none", "pytest-skipped", _PYTEST, {"test_a.py": "import pytest\n\npytestmark = pytest.mark.skip\n\n\ndef test_one():\n    pass\n"}),
    _none("none", "pytest-quiet", f"{_PYTEST} -q -k nothing; true", {"test_a.py": _ONE}),
    _none("none", "pytest-xdist", f"{_PYTEST} -n 2 -k nothing; true", {"test_a.py": _ONE}),
    _none("none", "unittest", "python -m unittest discover -p 'nothing*.py'; true", {"test_a.py": _UNIT_BODY, "tide.py": _TIDE_PY}),
    _none("none", "trial", "PYTHONPATH=. trial empty", {"empty.py": ""}),
    _none("none", "green", "green empty; true", {"empty.py": ""}),
    _none("none", "behave", "behave --no-color --tags=nothing", {"features/a.feature": "Feature: A\n\n  Scenario: one\n    Given x\n", "features/steps/a.py": "from behave import given\n\n\n@given('x')\ndef x(context):\n    pass\n"}),
    _none("none", "robot", "python -m robot --RunEmptySuite --include nothing --output NONE --log NONE --report NONE a.robot", {"a.robot": "*** Test Cases ***\nOne\n    Log    x\n"}),
    _none("none", "jest", "node_modules/.bin/jest --passWithNoTests nothing", _LATER),
    _none("none", "jest-name", "node_modules/.bin/jest -t nothing", _LATER),
    _none("none", "vitest", "node_modules/.bin/vitest run --passWithNoTests nothing", _LATER),
    _none("none", "vitest-name", "node_modules/.bin/vitest run -t nothing --globals", _LATER),
    _none("none", "mocha", "node_modules/.bin/mocha --grep nothing", {"test/a.js": "it('one', () => {});\n"}),
    _none("none", "node", "node --test --test-name-pattern=nothing", {"test/a.test.js": "require('node:test')('one', () => {});\n"}),
    _none("none", "tape", "node test/a.js", {"package.json": _MANIFEST, "test/a.js": "require('tape');\n"}),
    _none("none", "uvu", "node_modules/.bin/uvu test nothing", {"test/a.js": ""}),
    _none("none", "jasmine", "node_modules/.bin/jasmine 'spec/nothing*.js'; true", {"spec/a.js": ""}),
    _none("none", "playwright", "node_modules/.bin/playwright test --pass-with-no-tests nothing", {"package.json": _MANIFEST}),
    _none("none", "bun", "node_modules/.bin/bun test --pass-with-no-tests nothing", {"a.test.js": "require('bun:test').test('one', () => {});\n"}),
    _none("none", "bun-name", "node_modules/.bin/bun test -t nothing; true", {"a.test.js": "require('bun:test').test('one', () => {});\n"}),
    _none("none", "rspec", "rspec -e nothing --no-color", _RUBY_ONE),
    _none("none", "minitest", "ruby test/tide_test.rb -n /nothing/", _mini("")),
    _none("none", "phpunit", "phpunit --filter nothing tests", {"tests/ATest.php": "<?php\nfinal class ATest extends PHPUnit\\Framework\\TestCase { public function testA(): void { $this->assertTrue(true); } }\n"}),
    _none("none", "bats", "bats --tap -f nothing a.bats", {"a.bats": '@test "one" {\n  true\n}\n'}),
    _none("none", "bats-pretty", "bats --pretty -f nothing a.bats", {"a.bats": '@test "one" {\n  true\n}\n'}),
    _none("none", "ctest", "cmake -S . -B build > /dev/null && ctest --test-dir build -R nothing", {"CMakeLists.txt": _CMAKE}),
    _none("none", "prove", "prove t; true", {"t/a.t": "use Test::More skip_all => 'no sea';\n"}),
    _none("none", "go", "go test -run Nothing ./...", {"go.mod": _MOD, "a_test.go": _GO_MANY}),
    _none("none", "go-verbose", "go test -v -run Nothing ./...", {"go.mod": _MOD, "a_test.go": _GO_MANY}),
    _none("none", "go-no-files", "go test ./...", {"go.mod": _MOD, "a.go": "package sea\n"}),
    _none("none", "cargo", "cargo test --offline nothing", {"Cargo.toml": _CRATE, "src/lib.rs": f"{_RUST}\n#[test]\nfn one() {{}}\n"}),
]  # fmt: skip

CASES = [*JAVASCRIPT, *PYTHON, *OTHERS, *EMPTY]
