"""What is wrong with a test by itself: it asserts what is always so, it catches its own failure, it ends before it
asserts, or it replaces what it is about.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from clew.core.validation.weakened.change import Change, Finding, is_test, language
from clew.core.validation.weakened.suites import Tested, python_asserts, tests_in

_TRUE: Final = re.compile(
    r"\bexpect\(\s*(?P<a>true|1|!0|\d+|'[^']*'|\"[^\"]*\")\s*\)\.(?:toBe|toEqual|"
    r"toStrictEqual)\(\s*(?P=a)\s*\)|\bexpect\(\s*(?:true|1)\s*\)\.toBeTruthy|"
    r"\bassert(?:\.ok)?\(\s*true\b|\bassert!\(\s*true\b|\bassertTrue\(\s*true\s*\)|"
    r"\bassert\.True\(t, true\b|\bassertFalse\(\s*false\s*\)"
)
_SAME: Final = re.compile(
    r"\bexpect\((?P<a>.+?)\)\.(?:toBe|toEqual|toStrictEqual)\((?P=a)\)|\bassert_eq!\(\s*(?P<b>.+?)\s*,\s*(?P=b)\s*[,)]|"
    r"\bassertEquals\(\s*(?P<c>.+?)\s*,\s*(?P=c)\s*\)|\b(?:assert|require)\.Equal\(t, (?P<d>.+?), (?P=d)\)|"
    r"\bassert\.(?:strictEqual|equal|deepEqual|deepStrictEqual)\((?P<e>.+?), (?P=e)\)|"
    r"\bif \(?(?P<f>[\w.]+(?:\([^()]*\))?) [!=]==? (?P=f)\)? \{|\bif \(?(?:false|true)\)? \{|\|\| true\b"
)
_CAUGHT: Final = re.compile(
    r"(?s)\btry\s*\{[^}]*\b(?:expect|assert\w*)\b.*?\}\s*catch\s*(?:\([^)]*\)\s*)?\{\s*(?://[^\n]*\s*|/\*.*?\*/\s*)*\}"
)
_RECOVERED: Final = re.compile(r"defer func\(\)\s*\{\s*(?:_ = )?recover\(\)\s*\}\(\)")
_EARLY: Final = {
    "javascript": re.compile(r"(?m)^\s*return\s*;?\s*$"),
    "go": re.compile(r"(?m)^\treturn$"),
    "rust": re.compile(r"(?m)^ {4,8}return(?: Ok\(\(\)\))?;$"),
    "java": re.compile(r"(?m)^\s{4,8}(?:if \(true\) )?return;$"),
}
_JS_MOCK: Final = re.compile(r"""\b(?:jest|vi)\.(?:mock|doMock)\(\s*['"](?P<module>[^'"]+)['"]""")
_JS_SPY: Final = re.compile(
    r"\b(?:jest|vi|sinon)\.(?:spyOn|stub)\(\s*\w+\s*,\s*['\"](?P<name>\w+)['\"]\s*\)\s*\.(?:mock(?:Return|Resolved|Rejected|Implementation)\w*|returns)"
)


def spoiled(change: Change) -> Iterator[Finding]:
    """What the tests of a changed file have of this that they did not have before."""
    kind = language(change.path)
    if change.after is None or not kind or not (is_test(change.path) or kind == "rust"):
        return
    tests = tests_in(change.after, kind) or []
    known = {test.name: test for test in tests_in(change.before, kind) or []} if change.before else {}
    judge = _python if kind == "python" else _other
    for test in tests:
        old = known.get(test.name)
        if test.skipped or (old is not None and old.body == test.body):
            continue
        before = {(one.rule, one.what) for one in judge(change.path, old, change.before or "", kind)} if old else set()
        for one in judge(change.path, test, change.after, kind):
            # A new test may ask whether the same call gives the same twice; in the place of a value that asks nothing.
            if (one.rule, one.what) not in before and not (old is None and one.what.endswith(_TWICE)):
                yield one


def _python(path: str, test: Tested, _text: str, _kind: str) -> Iterator[Finding]:
    import textwrap

    try:
        node = ast.parse(textwrap.dedent(_unindented(test.body))).body[0]
    except (SyntaxError, IndexError, ValueError, MemoryError):
        return
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    bindings = _bindings(node)
    for one in (part for part in ast.walk(node) if isinstance(part, ast.stmt | ast.expr)):
        if isinstance(one, ast.Assert) and _always(one.test, bindings):
            yield _tautology(path, test, one, one.test, bindings)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and _always_call(one, bindings):
            yield _tautology(path, test, one, one, bindings)
        if _never_runs(one) and list(python_asserts(one)):
            yield Finding("swallowed", path, test.line + one.lineno - 1, f"{test.name} never comes to its assertions")
        if isinstance(one, ast.Try) and any(list(python_asserts(part)) for part in one.body) and _swallows(one):
            yield Finding("swallowed", path, test.line + one.lineno - 1, f"{test.name} catches its own failure")
        if isinstance(one, ast.With) and _suppresses(one) and any(list(python_asserts(part)) for part in one.body):
            yield Finding("swallowed", path, test.line + one.lineno - 1, f"{test.name} catches its own failure")
    yield from _ends_early(path, test, node)
    yield from _python_mocks(path, test, node)


# What a new test may ask: whether a call gives the same twice. In the place of a value it asks nothing.
_TWICE: Final = "which compares a call with itself"


def _tautology(path: str, test: Tested, at: ast.stmt | ast.expr, said: ast.expr, bindings: dict[str, str]) -> Finding:
    text = ast.unparse(said)
    what = f"{test.name} asserts what is always so: `{text[:70]}`"
    sides = [said.left, *said.comparators] if isinstance(said, ast.Compare) else []
    if isinstance(said, ast.Call) and len(said.args) == 2:
        sides = said.args
    if len(sides) == 2 and all("(" in _meaning(side, bindings) for side in sides):
        what += f", {_TWICE}"
    return Finding("tautology", path, test.line + at.lineno - 1, what)


def _unindented(body: str) -> str:
    """Source of a method, whose first line lost its indent."""
    first, _, rest = body.partition("\n")
    indent = min((len(row) - len(row.lstrip()) for row in rest.split("\n") if row.strip()), default=4)
    return first + "\n" + "\n".join(row[indent - 4 :] if indent >= 4 else row for row in rest.split("\n"))


def _bindings(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, str]:
    """Names that are assigned once, with the source of what they are; of those only that stand right before the
    assertion, since what comes between may change what a second call gives.
    """
    found: dict[str, list[str]] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
            found.setdefault(one.targets[0].id, []).append(ast.unparse(one.value))
    once = {name: values[0] for name, values in found.items() if len(values) == 1}
    near: dict[str, str] = {}
    for number, one in enumerate(node.body):
        if isinstance(one, ast.Assign | ast.AnnAssign):
            continue
        start = number
        while start and isinstance(node.body[start - 1], ast.Assign | ast.Assert):
            start -= 1
        for before in node.body[start:number]:
            if (
                isinstance(before, ast.Assign)
                and isinstance(before.targets[0], ast.Name)
                and before.targets[0].id in once
            ):
                near[before.targets[0].id] = once[before.targets[0].id]
    return near


def _meaning(node: ast.expr, bindings: dict[str, str]) -> str:
    said = ast.unparse(node)
    return bindings.get(said, said)


def _always(test: ast.expr, bindings: dict[str, str]) -> bool:
    """Whether a condition holds whatever the code does."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple | ast.List | ast.Dict | ast.JoinedStr | ast.Lambda):
        return bool(getattr(test, "elts", getattr(test, "keys", True)))
    if isinstance(test, ast.BoolOp):
        every = [_always(one, bindings) for one in test.values]
        return any(every) if isinstance(test.op, ast.Or) else all(every)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and not test.operand.value
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(test.ops[0], ast.GtE) and ast.unparse(left).startswith("len(") and ast.unparse(right) == "0":
            return True
        if isinstance(test.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE):
            one, other = _meaning(left, bindings), _meaning(right, bindings)
            is_same_name = ast.unparse(left) == ast.unparse(right)
            return is_same_name or (one == other and "(" in one and not isinstance(left, ast.Constant))
    if isinstance(test, ast.Call):
        said = ast.unparse(test)
        return said.startswith("isinstance(") and said.endswith(", object)")
    return False


def _always_call(call: ast.Call, bindings: dict[str, str]) -> bool:
    assert isinstance(call.func, ast.Attribute)
    name, args = call.func.attr, call.args
    if name == "assertTrue" and args:
        return _always(args[0], bindings)
    if name == "assertFalse" and args:
        return isinstance(args[0], ast.Constant) and not args[0].value
    if name in ("assertEqual", "assertEquals", "assertIs") and len(args) >= 2:
        one, other = _meaning(args[0], bindings), _meaning(args[1], bindings)
        return one == other
    return False


def _never_runs(node: ast.AST) -> bool:
    """Whether it is a loop over nothing, or behind a condition that never holds."""
    if isinstance(node, ast.For):
        return isinstance(node.iter, ast.List | ast.Tuple) and not node.iter.elts
    return isinstance(node, ast.If | ast.While) and isinstance(node.test, ast.Constant) and not node.test.value


def _suppresses(node: ast.With) -> bool:
    """Whether what it holds may fail without a word."""
    said = [ast.unparse(item.context_expr) for item in node.items]
    return any(re.search(r"suppress\(.*(?:AssertionError|Exception)", one) for one in said)


def _swallows(node: ast.Try) -> bool:
    """Whether a failed assertion in it goes no further."""
    for handler in node.handlers:
        said = ast.unparse(handler.type) if handler.type else "BaseException"
        is_wide = re.search(r"\b(?:AssertionError|Exception|BaseException)\b", said)
        if is_wide and not any(
            isinstance(one, ast.Raise | ast.Assert) or "fail(" in ast.unparse(one)
            for part in handler.body
            for one in ast.walk(part)
            if isinstance(one, ast.stmt)
        ):
            return True
    return False


def _ends_early(path: str, test: Tested, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
    """A return, or an exit, at the top of the body with assertions behind it; and a body with nothing in it."""
    rest = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    if not rest or all(isinstance(one, ast.Pass) for one in rest):
        yield Finding("tautology", path, test.line, f"{test.name} has nothing in it")
    for number, one in enumerate(node.body):
        is_gone = isinstance(one, ast.Return) or (
            isinstance(one, ast.If)
            and isinstance(one.test, ast.Constant)
            and one.test.value
            and isinstance(one.body[-1], ast.Return)
        )
        if is_gone and any(list(python_asserts(later)) for later in node.body[number + 1 :]):
            yield Finding("swallowed", path, test.line + one.lineno - 1, f"{test.name} returns before it asserts")


def _python_mocks(path: str, test: Tested, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
    """Names that a test patches and then asks itself."""
    patched: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            said = ast.unparse(one.func)
            if said.endswith(("patch", "mocker.patch")) and one.args and isinstance(one.args[0], ast.Constant):
                patched.add(str(one.args[0].value).rpartition(".")[2])
            elif said.endswith(("patch.object", "monkeypatch.setattr")) and one.args:
                named = one.args[1] if len(one.args) > 1 else one.args[0]
                if isinstance(named, ast.Constant) and isinstance(named.value, str):
                    patched.add(named.value.rpartition(".")[2])
        elif (
            isinstance(one, ast.Assign)
            and isinstance(one.targets[0], ast.Attribute)
            and re.match(r"^(?:\w+\.)?(?:Magic|Async)?Mock\(|^lambda\b", ast.unparse(one.value))
        ):
            patched.add(one.targets[0].attr)
    for asserted in python_asserts(node):
        for name in patched:
            # What a mock was called with is asked of every mock; the subject is what is called and compared.
            if re.search(rf"\b{re.escape(name)}\((?!\))?", asserted) and not re.search(
                r"\.(?:assert_|call|mock)", asserted
            ):
                yield Finding("mocked", path, test.line, f"{test.name} replaces {name}, and then asks it")
                return
    bindings = _bindings(node)
    for name in patched:
        asked = [key for key, said in bindings.items() if re.match(rf"^(?:\w+\.)*{re.escape(name)}\(", said)]
        if any(re.search(rf"\b{key}\b", asserted) for key in asked for asserted in python_asserts(node)):
            yield Finding("mocked", path, test.line, f"{test.name} replaces {name}, and then asks it")
            return


def _other(path: str, test: Tested, text: str, kind: str) -> Iterator[Finding]:
    code = re.sub(r"(?m)(?<![:'\"])//.*$", "", test.body)
    for pattern in (_TRUE, _SAME):
        found = pattern.search(code)
        if found:
            yield Finding("tautology", path, test.line, f"{test.name} asserts what is always so: `{found[0][:70]}`")
    if _CAUGHT.search(test.body) or (kind == "go" and _RECOVERED.search(code)):
        yield Finding("swallowed", path, test.line, f"{test.name} catches its own failure")
    inner = code[code.find("{") + 1 : code.rfind("}")] if "{" in code else code
    if kind == "javascript" and not inner.strip() and "{" in code:
        yield Finding("tautology", path, test.line, f"{test.name} has nothing in it")
    early = _EARLY[kind].search(inner)
    if early and _depth(inner[: early.start()]) == 0 and any(one in inner[early.end() :] for one in test.asserts):
        yield Finding("swallowed", path, test.line, f"{test.name} returns before it asserts")
    if kind == "javascript":
        yield from _javascript_mocks(path, test, text)


def _depth(code: str) -> int:
    return code.count("{") - code.count("}")


def _javascript_mocks(path: str, test: Tested, text: str) -> Iterator[Finding]:
    """A module that is mocked whole, and whose name is the test file's; a spy in the place of what is asked."""
    stem = path.rpartition("/")[2].partition(".")[0]
    for found in _JS_MOCK.finditer(text):
        name = found["module"].rpartition("/")[2].partition(".")[0]
        whole = "requireActual" not in text and "importActual" not in text
        if name == stem and found["module"].startswith(".") and whole:
            yield Finding("mocked", path, test.line, f"{test.name} is about {name}, which is mocked in this file")
            return
    for found in _JS_SPY.finditer(test.body):
        if re.search(rf"\bexpect\((?:await )?(?:\w+\.)?{found['name']}\(", test.body):
            yield Finding("mocked", path, test.line, f"{test.name} replaces {found['name']}, and then asks it")
            return


def found_in(changes: Sequence[Change]) -> list[Finding]:
    """What is spoiled in all of them."""
    found: list[Finding] = []
    for change in changes:
        with suppress(RecursionError):  # nested too deep to be read
            found += spoiled(change)
    return found
