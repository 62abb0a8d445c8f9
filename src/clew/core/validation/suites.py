"""The tests in a file: what each is called, says, and asserts. By syntax tree for Python, by braces for the others.

An assertion counts if it can fail the test: not one that always holds, that is never come to, whose failure the test
catches, or that asks what the test itself has put there. So a test whose assertions became such asks less than before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple, TypeGuard

# Of a file so many tests are looked at, and of each so much: where brackets are never closed, a file would be read once
# for each of its tests.
_TESTS_MAX: Final = 1_000
_BODY_CHARS_MAX: Final = 20_000
_GROUPS_MAX: Final = 100
# What counts as an assertion: those of the runners, and calls of helpers that are named like one.
_HELPER: Final = re.compile(
    r"^_*(?:assert|check|expect|verify|ensure|require|validate|must|compare|same)\w*$", re.IGNORECASE
)
_ASSERTING: Final = {
    "javascript": re.compile(r"\bexpect(?:\.\w+)?\s*\(|\bassert\w*(?:\.\w+)*\s*\(|\b(?:check|verify|ensure)\w*\("),
    "go": re.compile(
        r"\b\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require|is|c|qt)\.\w+\(|"
        r"\b(?:check|verify|assert|same|require|must|compare)\w*\(t\b"
    ),
    "rust": re.compile(r"\b(?:debug_)?assert\w*!|\bpanic!|\b(?:check|verify|assert)\w*\(|\.unwrap\(\)|\.expect\(|\?;"),
}
_JS_TEST: Final = re.compile(
    r"""(?m)^[ \t]*(?P<word>(?:x|f)?(?:test|it)|(?:test|it)\.\w+(?:\.\w+)*)\s*(?:\([^'"`]*?\)\s*)?\(\s*"""
    r"""(?P<quote>['"`])(?P<name>.*?)(?<!\\)(?P=quote)"""
)
_JS_GROUP: Final = re.compile(
    r"""(?m)^[ \t]*(?P<word>[xf]describe|(?:describe|suite)\.(?:skip|todo|only))\s*\(\s*['"`]"""
)
_JS_SKIPS: Final = re.compile(r"^x|\.(?:skip|todo|fails|failing)\b")
_JS_CHOSEN: Final = re.compile(r"^f|\.only\b")
_GO_TEST: Final = re.compile(r"(?m)^func (?P<name>Test\w*)\(\w+ \*testing\.T\) *\{")
_RUST_TEST: Final = re.compile(
    r"(?ms)(?P<marks>(?:^[ \t]*#\[[^\n]*\]\s*\n)+)[ \t]*(?:pub )?(?:async )?fn (?P<name>\w+)\s*\([^)]*\)[^{;]*\{"
)
# What always holds, whatever the code does: one constant or one call compared with itself.
_ALWAYS: Final = re.compile(
    r"\bexpect\((?P<a>.+?)\)\.(?:toBe|toEqual|toStrictEqual)\((?P=a)\)|\bexpect\(\s*(?:true|1)\s*\)\.toBeTruthy|"
    r"\bassert(?:\.ok|!)?\(\s*true\b|\bassert\.True\(t, true\b|\|\| true\b|"
    r"\bassert(?:_eq!|\.(?:strictEqual|equal|deepEqual|deepStrictEqual))\(\s*(?P<b>.+?)\s*,\s*(?P=b)\s*[,)]|"
    r"\b(?:assert|require)\.Equal\(t, (?P<c>.+?), (?P=c)\)"
)
_CAUGHT: Final = re.compile(
    r"\btry\s*\{[^}]*\}\s*catch\s*(?:\([^)]*\)\s*)?\{\s*(?://[^\n]*\s*|/\*.*?\*/\s*)*\}", re.DOTALL
)
_RETURN: Final = re.compile(
    r"(?m)^\s+return(?: Ok\(\(\)\))?\s*;?$|\bif \(?(?:true|(?P<a>[\w.]+(?:\([^()]*\))?) ===? (?P=a))\)? \{?\s*return\b"
)
# What a test puts in the place of something: `patch("a.b")`, `setattr(a, "b", …)`, `a.b = Mock()`.
_PATCHED: Final = re.compile(
    r"\b(?:patch|setattr|patch\.object)\((?:[\w.]+, )?['\"](?:[\w.]*\.)?(\w+)['\"]|"
    r"\.(\w+) = (?:lambda\b|(?:\w+\.)?\w*Mock\()"
)
_SKIP_WORDS: Final = ("skip", "xfail", "expectedfailure", "disabled", "ignore")


class Tested(NamedTuple):
    """`name` is qualified by its class. `body` is its source, `asserts` those in it, one line each. `skipped` is the
    mark by which it does not run, or by which its failure counts for nothing, "" none. `line` counts from 1.
    """

    name: str
    body: str
    asserts: tuple[str, ...]
    skipped: str
    line: int


def tests_in(text: str, language: str) -> list[Tested] | None:
    """The tests of a file in their order; None where it cannot be read."""
    if language == "python":
        try:
            return _python(text)
        except (RecursionError, MemoryError):  # nested too deep; what is no Python at all may look so to its parser
            return None
    if language == "javascript":
        return list(_javascript(text))
    pattern = {"go": _GO_TEST, "rust": _RUST_TEST}.get(language)
    return list(_braced(text, pattern, language)) if pattern else None


def _python(text: str) -> list[Tested] | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    whole = _marks_of(tree.body)
    found: list[Tested] = []

    def walk(nodes: list[ast.stmt], inside: str, mark: str) -> None:
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                if not any(isinstance(one, ast.Assign) and ast.unparse(one) == "__test__ = False" for one in node.body):
                    own = mark or _mark(node.decorator_list) or _marks_of(node.body)
                    walk(node.body, f"{inside}{node.name}::", own)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                skipped = mark or _mark(node.decorator_list) or _skips(node)
                body = ast.get_source_segment(text, node) or ""
                asserts = (*_python_asserts(node), *_cases(node))
                found.append(Tested(inside + node.name, body, asserts, skipped, node.lineno))

    walk(tree.body, "", whole)
    return found


def _cases_of(node: ast.expr) -> ast.List | ast.Tuple | None:
    """The list of cases in a decorator that parametrizes, if it stands there."""
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("parametrize")
    if not (is_call and isinstance(node, ast.Call) and len(node.args) > 1):
        return None
    return node.args[1] if isinstance(node.args[1], ast.List | ast.Tuple) else None


def _cases(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """What a parametrized test is asked with: each case counts as an assertion."""
    for one in node.decorator_list:
        cases = _cases_of(one)
        if cases is not None:
            yield from (f"case {ast.unparse(case)}" for case in cases.elts)


def _mark(decorators: list[ast.expr]) -> str:
    for one in decorators:
        said = ast.unparse(one)
        if any(word in said.partition("(")[0].lower() for word in _SKIP_WORDS):
            return said
        cases = _cases_of(one)
        if cases is not None and not cases.elts:
            return said
    return ""


def _marks_of(body: list[ast.stmt]) -> str:
    """The mark that a module or a class puts on all of its tests."""
    for node in body:
        said = ast.unparse(node) if isinstance(node, ast.Assign | ast.Expr) else ""
        if said.startswith("pytestmark") and any(word in said.lower() for word in _SKIP_WORDS):
            return said
        if said.startswith(("pytest.skip(", "pytest.importorskip(")) or "SkipTest" in said:
            return said
    return ""


def _skips(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """A skip that every run of the test meets: at the top of its body."""
    for one in node.body:
        said = ast.unparse(one) if isinstance(one, ast.Expr | ast.Raise) else ""
        if re.match(r"^(?:pytest\.(?:skip|xfail)\(|self\.skipTest\(|raise (?:unittest\.)?SkipTest)", said):
            return said.split("\n")[0]
    return ""


def _python_asserts(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The assertions of a test, as one line of source each."""
    source = ast.unparse(node)
    patched = [name for pair in _PATCHED.findall(source) for name in pair if name]
    replaced = re.compile(rf"\b(?:{'|'.join(patched) or '(?!)'})\(")
    # What a mock was called with is asked of every mock; the subject is what is called and compared.
    for asserted in _asking(node.body, _named_calls(node)):
        if not replaced.search(asserted) or re.search(r"\.(?:assert_|call|mock)", asserted):
            yield asserted


def _asking(body: list[ast.stmt], bound: dict[str, str]) -> Iterator[str]:
    """The assertions of some statements, as far as these are come to and their failure goes on."""
    for node in body:
        if isinstance(node, ast.Return) or (_is_constant(node, True) and isinstance(node.body[-1], ast.Return)):
            return
        if not _never_runs(node) and not _suppresses(node):
            yield from _asked(node, bound)
            parts = ("orelse", "finalbody") if isinstance(node, ast.Try) and _swallows(node) else _BLOCKS
            for block in (getattr(node, part, []) for part in parts):
                yield from _asking(block, bound)
            for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _asking(inner.body, bound)


_BLOCKS: Final = ("body", "orelse", "finalbody")


def _asked(node: ast.stmt, bound: dict[str, str]) -> Iterator[str]:
    """What one statement asserts itself."""
    if isinstance(node, ast.Assert) and not _always(node.test, bound):
        yield ast.unparse(node.test)
    elif isinstance(node, ast.With | ast.AsyncWith):
        said = [ast.unparse(item.context_expr) for item in node.items]
        yield from (one for one in said if re.match(r"^(?:pytest\.(?:raises|warns)|self\.assert\w+)\(", one))
    elif isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if _HELPER.match(name) or name == "fail":
                yield ast.unparse(call)


def _named_calls(node: ast.AST) -> dict[str, str]:
    """Names that a call is assigned to, once, with its source."""
    found: dict[str, list[str]] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            found.setdefault(one.targets[0].id, []).append(ast.unparse(one.value))
    return {name: values[0] for name, values in found.items() if len(values) == 1 and "(" in values[0]}


def _always(test: ast.expr, bound: dict[str, str]) -> bool:
    """Whether a condition holds whatever the code does."""
    match test:
        case ast.Constant():
            return bool(test.value)
        case ast.Tuple() | ast.List():
            return bool(test.elts)
        case ast.BoolOp():
            every = [_always(one, bound) for one in test.values]
            return any(every) if isinstance(test.op, ast.Or) else all(every)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            return not value
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() | ast.LtE() | ast.GtE()], comparators=[right]):
            return _meaning(left, bound) == _meaning(right, bound)
    return False


def _meaning(node: ast.expr, bound: dict[str, str]) -> str:
    said = ast.unparse(node)
    return bound.get(said, said)


def _is_constant(node: ast.stmt, held: bool) -> TypeGuard[ast.If | ast.While]:
    """Whether a block is behind a condition that always holds, or (not `held`) never does."""
    if not isinstance(node, ast.If | ast.While):
        return False
    return isinstance(node.test, ast.Constant) and bool(node.test.value) is held


def _never_runs(node: ast.stmt) -> bool:
    """Whether it is a loop over nothing, or behind a condition that never holds."""
    if isinstance(node, ast.For):
        return isinstance(node.iter, ast.List | ast.Tuple) and not node.iter.elts
    return _is_constant(node, False)


def _suppresses(node: ast.stmt) -> bool:
    """Whether what it holds may fail without a word."""
    items = node.items if isinstance(node, ast.With) else []
    return any(re.search(r"suppress\(.*(?:AssertionError|Exception)", ast.unparse(one.context_expr)) for one in items)


def _swallows(node: ast.Try) -> bool:
    """Whether a failed assertion in it goes no further."""
    for handler in node.handlers:
        said = ast.unparse(handler.type) if handler.type else "Exception"
        goes_on = re.search(r"\braise\b|\bassert\b|fail\(", "\n".join(map(ast.unparse, handler.body)))
        if re.search(r"\b(?:AssertionError|Exception|BaseException)\b", said) and not goes_on:
            return True
    return False


def _javascript(text: str) -> Iterator[Tested]:
    groups = [
        (found.start(), _closing(text, found.end(), most=len(text)), found["word"])
        for found in islice(_JS_GROUP.finditer(text), _GROUPS_MAX)
    ]
    is_narrowed = ".only" in text or re.search(r"(?m)^[ \t]*(?:fit|fdescribe)\b", text)
    for found in islice(_JS_TEST.finditer(text), _TESTS_MAX):
        start = found.start()
        body = text[start : _closing(text, found.end())]
        words = [found["word"], *(word for first, last, word in groups if first <= start < last)]
        skipped = next((word for word in words if _JS_SKIPS.search(word)), "")
        if is_narrowed and not skipped and not any(_JS_CHOSEN.search(word) for word in words):
            skipped = "another test is the only one that runs"
        yield Tested(found["name"], body, tuple(_lines(body, "javascript")), skipped, text.count("\n", 0, start) + 1)


def _braced(text: str, pattern: re.Pattern[str], language: str) -> Iterator[Tested]:
    for found in islice(pattern.finditer(text), _TESTS_MAX):
        marks = found.groupdict().get("marks") or ""
        if language == "rust" and not re.search(r"#\[(?:\w+::)*test\b|#\[rstest|#\[test_case", marks):
            continue
        body = text[found.start() : _matching(text, found.end() - 1)]
        if language == "go":
            rows = [row for row in body.split("\n")[1:6] if re.match(r"^\t\w+\.Skip(?:f|Now)?\(", row)]
        else:
            rows = [row for row in marks.split("\n") if "ignore" in row or "should_panic" in row]
        skipped = rows[0].strip() if rows else ""
        line = text.count("\n", 0, found.start("name")) + 1
        yield Tested(found["name"], body, tuple(_lines(body, language)), skipped, line)


def _lines(body: str, language: str) -> Iterator[str]:
    """The lines of a body that assert, without comments."""
    pattern = _ASSERTING[language]
    code = re.sub(r"(?m)(?<![:'\"])//.*$", "", re.sub(r"(?s)/\*.*?\*/", "", body))
    code = _before_return(_CAUGHT.sub("", code))
    before = ""
    for row in map(str.strip, code.split("\n")[0 if language == "javascript" else 1 :]):
        if row and pattern.search(row) and not _ALWAYS.search(row):
            # In Go the condition is what asks, and the line below it what says so.
            yield before if language == "go" and before.startswith(("if ", "} else if ")) else row
        before = row or before


def _before_return(code: str) -> str:
    """What of a test is come to: all up to the first return that is behind no condition, or one that always holds."""
    for found in _RETURN.finditer(code):
        inside = code[code.find("{") + 1 : found.start()]
        if inside.count("{") == inside.count("}"):
            return code[: found.start()]
    return code


def _closing(text: str, at: int, *, most: int = _BODY_CHARS_MAX) -> int:
    """Behind the bracket that closes the call whose arguments `at` stands in."""
    return _matching(text, at, depth=1, most=most)


def _matching(text: str, at: int, depth: int = 0, *, most: int = _BODY_CHARS_MAX) -> int:
    """Behind the bracket that closes the one at `at` (or, with a `depth`, those around it); strings are jumped over.
    At most `most` characters further.
    """
    quote, end = "", min(len(text), at + most)
    while at < end:
        sign = text[at]
        if quote:
            if sign == "\\":
                at += 1
            elif sign == quote or (sign == "\n" and quote != "`"):
                quote = ""
        elif text.startswith("//", at):
            at = text.find("\n", at)
            if at < 0:
                return end
        elif sign in '"`' or (sign == "'" and not re.match(r"'\w+[^']", text[at : at + 3])):
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth <= 0:
                return at + 1
        at += 1
    return end
