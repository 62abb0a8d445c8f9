"""The tests in a file: what each is called, says, and asserts. By syntax tree for Python, by braces for the others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

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
    "java": re.compile(r"\bassert\w*\s*\(|\bverify\w*\s*\(|\bfail\s*\(|\bexpect\w*\s*\(|\bcheck\w*\s*\("),
}
_JS_TEST: Final = re.compile(
    r"""(?m)^[ \t]*(?P<word>(?:x|f)?(?:test|it)|(?:test|it)\.\w+(?:\.\w+)*)\s*(?:\([^'"`]*?\)\s*)?\(\s*"""
    r"""(?P<quote>['"`])(?P<name>.*?)(?<!\\)(?P=quote)"""
)
_JS_GROUP: Final = re.compile(r"""(?m)^[ \t]*(?P<word>x?describe|fdescribe|describe\.\w+|suite\.\w+)\s*\(\s*['"`]""")
_GO_TEST: Final = re.compile(r"(?m)^func (?P<name>Test\w*)\(\w+ \*testing\.T\) *\{")
_RUST_TEST: Final = re.compile(
    r"(?ms)(?P<marks>(?:^[ \t]*#\[[^\n]*\]\s*\n)+)[ \t]*(?:pub )?(?:async )?fn (?P<name>\w+)\s*\([^)]*\)[^{;]*\{"
)
_JAVA_TEST: Final = re.compile(
    r"(?ms)(?P<marks>(?:^[ \t]*@\w+(?:\([^\n]*\))?[ \t]*\n?[ \t]*)+)(?:public |private |protected |"
    r"static |final )*void (?P<name>\w+)\s*\([^)]*\)[^{;]*\{"
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
    pattern = {"go": _GO_TEST, "rust": _RUST_TEST, "java": _JAVA_TEST}.get(language)
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
                asserts = (*python_asserts(node), *_cases(node))
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


def python_asserts(node: ast.AST) -> Iterator[str]:
    """The assertions in a piece of code, as one line of source each."""
    for one in ast.walk(node):
        if isinstance(one, ast.Assert):
            yield ast.unparse(one.test)
        elif isinstance(one, ast.With | ast.AsyncWith):
            for item in one.items:
                said = ast.unparse(item.context_expr)
                if re.match(r"^(?:pytest\.(?:raises|warns)|self\.assert\w+)\(", said):
                    yield said
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call | ast.Await):
            call = one.value.value if isinstance(one.value, ast.Await) else one.value
            if isinstance(call, ast.Call):
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                if _HELPER.match(name) or name == "fail":
                    yield ast.unparse(call)


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Where `/* … */` begin and end."""
    end = 0
    while (start := text.find("/*", end)) >= 0 and (end := text.find("*/", start + 2) + 2) > 1:
        yield start, end


def _javascript(text: str) -> Iterator[Tested]:
    set_apart = (
        found
        for found in _JS_GROUP.finditer(text)
        if found["word"].startswith(("x", "f")) or found["word"].endswith((".skip", ".todo", ".only"))
    )
    groups = [
        (found.start(), _closing(text, found.end(), most=len(text)), found["word"])
        for found in islice(set_apart, _GROUPS_MAX)
    ]
    commented = list(_comments(text))
    only = ".only" in text or re.search(r"(?m)^[ \t]*(?:fit|fdescribe)\b", text)
    for found in islice(_JS_TEST.finditer(text), _TESTS_MAX):
        start = found.start()
        if any(first <= start < last for first, last in commented):
            continue
        end = _closing(text, found.end())
        body = text[start:end]
        word = found["word"]
        skipped = word if word.startswith("x") or re.search(r"\.(?:skip|todo|fails|failing)\b", word) else ""
        skipped = skipped or next(
            (by for first, last, by in groups if first <= start < last and not by.endswith("only")), ""
        )
        is_chosen = word.endswith(".only") or word == "fit"
        is_chosen = is_chosen or any(a <= start < b and by.endswith(("only", "fdescribe")) for a, b, by in groups)
        if only and not skipped and not is_chosen:
            skipped = "another test is the only one that runs"
        yield Tested(found["name"], body, tuple(_lines(body, "javascript")), skipped, text.count("\n", 0, start) + 1)


def _braced(text: str, pattern: re.Pattern[str], language: str) -> Iterator[Tested]:
    for found in islice(pattern.finditer(text), _TESTS_MAX):
        marks = found.groupdict().get("marks") or ""
        if language == "rust" and not re.search(r"#\[(?:\w+::)*test\b|#\[rstest|#\[test_case", marks):
            continue
        if language == "java" and not re.search(r"@(?:\w*Test|ParameterizedTest|RepeatedTest)\b", marks):
            continue
        body = text[found.start() : _matching(text, found.end() - 1)]
        skipped = next(
            (
                row.strip()
                for row in marks.split("\n")
                if re.search(r"ignore|disabled|should_panic", row, re.IGNORECASE)
            ),
            "",
        )
        if language == "go":
            skipped = next(
                (row.strip() for row in body.split("\n")[1:6] if re.match(r"^\t\w+\.Skip(?:f|Now)?\(", row)), ""
            )
        if language == "java":
            whole = re.search(r"(?m)^@(?:Disabled|Ignore)\b.*$", text)
            skipped = skipped or (whole[0] if whole else "")
        line = text.count("\n", 0, found.start("name")) + 1
        yield Tested(found["name"], body, tuple(_lines(body, language)), skipped, line)


def _lines(body: str, language: str) -> Iterator[str]:
    """The lines of a body that assert, without comments."""
    pattern = _ASSERTING[language]
    before = ""
    for row in re.sub(r"(?s)/\*.*?\*/", "", body).split("\n")[0 if language == "javascript" else 1 :]:
        code = re.sub(r"(?<![:'\"])//.*$", "", row).strip()
        if code and pattern.search(code):
            # In Go the condition is what asks, and the line below it what says so.
            yield before if language == "go" and before.startswith(("if ", "} else if ")) else code
        before = code or before


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
