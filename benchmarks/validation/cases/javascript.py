"""Failures of jest, vitest, node's own runner, tsc and eslint."""

from __future__ import annotations

from .case import Case

_SHOP = """class Bad extends Error {}
function total(prices) { return prices.reduce((a, b) => a + b, 0); }
function split(amount, parts) {
  if (parts === 0) {
    throw new Bad('no parts to split into');
  }
  return Array(parts).fill(Math.floor(amount / parts));
}
async function fetchTill() { throw new Error('the till is shut'); }
EXPORTS
"""
_RAISES = _SHOP.replace("into');", "into'); // @here")
_ASYNC = _SHOP.replace("async function fetchTill() {", "async function fetchTill() { /* @here */")
_NAMES = "Bad, total, split, fetchTill"

# name, body, test, message, values, what takes the place of the shop's source
_BOTH = [
    (
        "equal",
        "test('adds', () => {\n  expect(total([1, 2])).toBe(4); // @here\n});",
        "adds",
        "toBe|to be",
        ("3", "4"),
        _SHOP,
    ),
    (
        "nested",
        "describe('shop', () => {\n  describe('till', () => {\n    it('adds up', () => {\n      expect(total([5])).toEqual(6); // @here\n    });\n  });\n});",
        "shop > till > adds up",
        "toEqual|6",
        ("5", "6"),
        _SHOP,
    ),
    (
        "raised",
        "test('splits', () => {\n  expect(split(3, 0)).toEqual([]);\n});",
        "splits",
        "no parts to split into",
        (),
        _RAISES,
    ),
    ("async", "test('fetches', async () => {\n  await fetchTill();\n});", "fetches", "the till is shut", (), _ASYNC),
    (
        "rejects",
        "test('resolves', async () => {\n  await expect(Promise.resolve(7)).resolves.toBe(8); // @here\n});",
        "resolves",
        "toBe|to be",
        ("7", "8"),
        _SHOP,
    ),
    (
        "second",
        "test('one', () => { expect(1).toBe(1); });\ntest('two', () => {\n  console.log('● not a failure');\n  expect(total([2])).toBe(9); // @here\n});\ntest('three', () => { expect(1).toBe(2); });",
        "two",
        "toBe|to be",
        ("2", "9"),
        _SHOP,
    ),
    (
        "lists",
        "test('lists', () => {\n  expect(split(10, 3)).toEqual([4, 3, 3]); // @here\n});",
        "lists",
        "toEqual|deeply equal",
        (),
        _SHOP,
    ),
    (
        "no-throw",
        "test('throws', () => {\n  expect(() => split(4, 2)).toThrow(); // @here\n});",
        "throws",
        "toThrow|to throw",
        (),
        _SHOP,
    ),
    (
        "contain",
        "test('contains', () => {\n  expect(['ebb']).toContain('tide'); // @here\n});",
        "contains",
        "tide",
        (),
        _SHOP,
    ),
    (
        "truthy",
        "test('is true', () => {\n  expect(total([])).toBeTruthy(); // @here\n});",
        "is true",
        "toBeTruthy|truthy",
        (),
        _SHOP,
    ),
    (
        "type",
        "test('types', () => {\n  const till = undefined;\n  expect(till.name).toBe(1); // @here\n});",
        "types",
        "TypeError: Cannot read properties of undefined",
        (),
        _SHOP,
    ),
    (
        "before",
        "beforeAll(() => {\n  throw new Error('no sea'); // @here\n});\ntest('swims', () => { expect(1).toBe(1); });",
        "swims",
        "no sea",
        (),
        _SHOP,
    ),
    (
        "text",
        "test('texts', () => {\n  expect('ebb and flow').toBe('ebb and tide'); // @here\n});",
        "texts",
        "toBe|to be",
        ("'ebb and flow'|\"ebb and flow\"", "'ebb and tide'|\"ebb and tide\""),
        _SHOP,
    ),
    (
        "syntax",
        "test('parses', () => {\n  const = 3; // @here\n});",
        "SUITE",
        "SyntaxError|Unexpected token|Expected",
        (),
        _SHOP,
    ),
    (
        "missing",
        "REQUIRE_MISSING\ntest('x', () => {});",
        "SUITE",
        "Cannot find module|Failed to resolve|Cannot find package",
        (),
        _SHOP,
    ),
]


def _jest() -> list[Case]:
    cases = []
    for name, body, test, says, values, shop in _BOTH:
        text = f"const {{ {_NAMES} }} = require('../shop');\n{body.replace('REQUIRE_MISSING', 'require(`./nonesuch`); // @here')}\n".replace(
            "`", "'"
        )
        files = {
            "shop.js": shop.replace("EXPORTS", f"module.exports = {{ {_NAMES} }};"),
            "tests/shop.test.js": text,
            "package.json": '{"name": "shop", "version": "1.0.0"}\n',
        }
        cases.append(
            Case(
                "jest",
                name,
                "npx jest --ci",
                files,
                "tests/shop.test.js" if test == "SUITE" else test,
                says,
                tuple(values),
            )
        )
    return cases


def _vitest() -> list[Case]:
    cases = []
    for name, body, test, says, values, shop in _BOTH:
        text = f"import {{ test, it, describe, expect, beforeAll }} from 'vitest';\nimport {{ {_NAMES} }} from '../shop.js';\n{body.replace('REQUIRE_MISSING', 'import `./nonesuch.js`; // @here')}\n".replace(
            "`", "'"
        )
        files = {
            "shop.js": shop.replace("EXPORTS", f"export {{ {_NAMES} }};"),
            "tests/shop.test.js": text,
            "package.json": '{"name": "shop", "version": "1.0.0", "type": "module"}\n',
        }
        # It names the file, and no test, where none of the file could run.
        cases.append(
            Case(
                "vitest",
                name,
                "npx vitest run",
                files,
                "tests/shop.test.js" if "SUITE" in (test, name.replace("before", "SUITE")) else test,
                says,
                tuple(values),
            )
        )
    return cases


def _n(name: str, body: str, test: str, says: str, *values: str, shop: str = _SHOP) -> Case:
    head = f"const test = require('node:test');\nconst assert = require('node:assert');\nconst {{ {_NAMES} }} = require('../shop');\n"
    files = {
        "shop.js": shop.replace("EXPORTS", f"module.exports = {{ {_NAMES} }};"),
        "test/shop.test.js": head + body + "\n",
    }
    return Case("node", name, "node --test", files, test, says, values)


NODE = [
    _n(
        "equal",
        "test('adds', () => {\n  assert.strictEqual(total([1, 2]), 4); // @here\n});",
        "adds",
        "Expected values to be strictly equal",
        "3",
        "4",
    ),
    _n("raised", "test('splits', () => { split(3, 0); });", "splits", "no parts to split into", shop=_RAISES),
    _n(
        "nested",
        "test.describe('till', () => {\n  test.it('adds up', () => {\n    assert.equal(total([5]), 6); // @here\n  });\n});",
        "adds up",
        "5 == 6",
        "5",
        "6",
    ),
]


def _t(name: str, source: str, says: str, *, options: str = "--noEmit --pretty false", **more: str) -> Case:
    files = {
        "src/shop.ts": source,
        "tsconfig.json": '{"compilerOptions": {"strict": true, "target": "es2020", "moduleResolution": "node", "module": "commonjs", "types": []}, "include": ["src"]}\n',
        **more,
    }
    return Case("tsc", name, f"npx tsc -p . {options}".strip(), files, "", says)


TSC = [
    _t("assign", "export const till: number = 'shut'; // @here\n", "TS2322"),
    _t("pretty", "export const till: number = 'shut'; // @here\n", "TS2322", options="--noEmit --pretty"),
    _t("missing", "export function f(): number { return price; } // @here\n", "TS2304"),
    _t("property", "const shop = { till: 1 };\nexport const x = shop.tilt; // @here\n", "TS2551|TS2339"),
    _t(
        "arguments",
        "function add(a: number, b: number) { return a + b; }\nexport const x = add(1); // @here\n",
        "TS2554",
    ),
    _t("null", "export function f(a: string | null) {\n  return a.length; // @here\n}\n", "TS18047"),
    _t("import", "import { x } from './nonesuch'; // @here\nexport const y = x;\n", "TS2307"),
    _t("syntax", "export const x = {\n  a: 1,\n  b 2, // @here\n};\n", "TS1005"),
    _t(
        "two",
        "export const a: string = 1; // @here\nexport const b: string = 2;\n",
        "TS2322",
        **{"src/zoo.ts": "export const c: string = 3;\n"},
    ),
    _t(
        "long",
        "type A = { a: number; b: { c: string } };\nexport const x: A = { a: 1, b: { c: 3 } }; // @here\n",
        "TS2322",
    ),
    _t("implicit", "export function f(a) { return a; } // @here\n", "TS7006"),
]

_CONFIG = 'module.exports = [{ rules: { "no-unused-vars": "error", "no-undef": "error", "eqeqeq": "error", "no-debugger": "error", "semi": "error" } }];\n'


def _e(name: str, source: str, says: str, *, options: str = "", **more: str) -> Case:
    files = {
        "shop.js": source,
        "eslint.config.js": _CONFIG.replace(
            "module.exports = [{",
            'module.exports = [{ ignores: ["eslint.config.js"], languageOptions: { sourceType: "commonjs" },',
        ).replace('ignores: ["eslint.config.js"],', 'files: ["**/*.js"],'),
        **more,
    }
    return Case(
        "eslint",
        name,
        f"npx eslint . {options}".strip(),
        {
            **files,
            "eslint.config.js": files["eslint.config.js"]
            + 'module.exports.push({ files: ["eslint.config.js"], rules: { "no-undef": "off" } });\n',
        },
        "",
        says,
    )


ESLINT = [
    _e("unused", "const till = 1; // @here\n", "no-unused-vars"),
    _e("undef", "tilt(); // @here\n", "no-undef"),
    _e("eqeqeq", "exports.f = function f(a) { return a == 1; }; // @here\n".replace("exports", "this"), "eqeqeq"),
    _e("debugger", "debugger; // @here\n", "no-debugger"),
    _e("parse", "const = 3; // @here\n", "Parsing error"),
    _e(
        "warning-first",
        "/* eslint no-console: 'warn', no-undef: ['error'] */\nlet x = 1; x += 1;\nconsole.log(x); // @here\n",
        "no-undef",
    ),
    _e("two-files", "debugger; // @here\n", "no-debugger", **{"zoo.js": "debugger;\n"}),
    _e(
        "folder",
        "this.ok = 1;\n",
        "no-debugger",
        **{"lib/till.js": "this.f = 1;\n\nif (this.f) {\n  debugger; // @here\n}\n"},
    ),
    _e("json", "debugger; // @here\n", "no-debugger", options="--format json"),
]

CASES = [*_jest(), *_vitest(), *NODE, *TSC, *ESLINT]
