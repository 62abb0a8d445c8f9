"""Writes the parts of the reference that the code knows: `python scripts/reference.py [--check]`.

docs/reference/errors.md: behind the heading of each error code stands a block with the messages and hints that carry
it, read from where they are raised. A new code gets a heading, one that is gone loses it.

docs/reference/json-types.md: every result that `--json` prints, with its fields, what each may be, and which commands
print it: the page to the schemas in a wheel (`build_reference.py`). docs/reference/json.md says what fields mean.

`--check` writes nothing, says what would change, and ends with 1 if anything would.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "clew"
ERRORS = ROOT / "docs" / "reference" / "errors.md"
TYPES = ROOT / "docs" / "reference" / "json-types.md"
_CODE = re.compile(r"E-[a-z]+(?:-[a-z]+)*")
# A text of which the source says nothing.
_UNSAID = re.compile(r"\W*(?:<[^>]*>)?\W*")
_VARIANTS_MAX = 6
_FENCE = "```error\n"


class Raised(NamedTuple):
    """A message with the code that it carries, and its hint ("" for none)."""

    code: str
    message: str
    hint: str


def raised(source: Path = SOURCE) -> list[Raised]:
    """Every message with a code in the source, by file and line."""
    found = []
    for path in sorted(source.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]): node.value
            for node in tree.body
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
        }
        scopes = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for scope in scopes:
            known = {**{name: [value] for name, value in constants.items()}, **_assigned(scope)}
            for node in ast.walk(scope):
                if isinstance(node, ast.Call):
                    found += _told(node, known)
    return list(dict.fromkeys(found))


def codes(source: Path = SOURCE) -> set[str]:
    """Every code that stands in the source as a text of its own."""
    texts = (path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    return {code for text in texts for code in re.findall(rf'"({_CODE.pattern})"', text)}


def _assigned(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """What the names of a function are set to, each value that they get."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for name, value in zip(target.elts, node.value.elts, strict=False):
                        values.setdefault(ast.unparse(name), []).append(value)
    return values


def _told(call: ast.Call, known: dict[str, list[ast.expr]]) -> Iterator[Raised]:
    named = {word.arg: word.value for word in call.keywords if word.arg}
    if "code" not in named or not call.args:
        return
    found = [text for text in _texts(named["code"], known) if _CODE.fullmatch(text)]
    messages = [text for text in _texts(call.args[0], known) if not _UNSAID.fullmatch(text)]
    hints = _texts(named["hint"], known) if "hint" in named else [""]
    for code in found:
        for at, message in enumerate(messages[:_VARIANTS_MAX]):
            hint = hints[at] if len(hints) == len(messages) else hints[0]
            yield Raised(code, message, "" if _UNSAID.fullmatch(hint) else hint)


def _texts(node: ast.expr, known: dict[str, list[ast.expr]], depth: int = 3) -> list[str]:
    """The texts that an expression may be, with what only a run knows as `<name>`, or `…` where it has no name."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return _joined([_texts(part, known, depth) for part in parts])
        case ast.FormattedValue(value=value):
            return _texts(value, known, 0) if isinstance(value, ast.IfExp) else [_unknown(value)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([_texts(left, known, depth), _texts(right, known, depth)])
        case ast.IfExp(body=body, orelse=other):
            return [*_texts(body, known, depth), *_texts(other, known, depth)]
        case ast.Name(id=name) if depth and name in known:
            return [text for value in known[name] for text in _texts(value, known, depth - 1)]
    return [_unknown(node)]


def _joined(parts: Iterable[list[str]]) -> list[str]:
    texts = [""]
    for part in parts:
        texts = [text + more for text in texts for more in part][:_VARIANTS_MAX]
    return texts


def _unknown(node: ast.expr) -> str:
    """What stands for a value: its own name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return f"<{name.strip('_').replace('_', ' ')}>"
        case ast.Call(args=[ast.expr() as first, *_]):
            return _unknown(first)
        case ast.Constant(value=value):
            return str(value)
    return "…"


def errors_page(page: str) -> str:
    """The page with the block of each code as the code has it now."""
    intro, *parts = re.split(r"(?m)^## ", page)
    prose = {}
    for part in parts:
        heading, _, body = part.partition("\n")
        prose[heading.strip()] = re.sub(r"\A\s*```error\n.*?```\n", "", body, flags=re.DOTALL).strip("\n")
    there = codes()
    headings = [name for name in prose if not _CODE.findall(name) or set(_CODE.findall(name)) & there]
    covered = {code for name in headings for code in _CODE.findall(name)}
    headings += sorted(there - covered)
    rows = raised()
    sections = []
    for name in headings:
        told = [row for code in _CODE.findall(name) for row in rows if row.code == code]
        blocks = [f"{_FENCE}{''.join(map(_lines, told))}```"] if told else []
        sections.append("\n\n".join([f"## {name}", *blocks, *([prose[name]] if prose.get(name) else [])]) + "\n")
    return intro + "\n".join(sections)


def _lines(row: Raised) -> str:
    message, hint = (" ".join(text.split()).replace("```", "'''") for text in (row.message, row.hint))
    return f"error: {message}\n" + (f"hint: {hint}\n" if hint else "")


_TYPES_HEAD = """\
# Types of JSON

Each result that a command prints with `--json`, with its fields in their order; [json.md](json.md) says by command
what they mean. `scripts/reference.py` makes this page from the code, as the build makes the JSON Schemas in
`clew/schemas` of an installed wheel. Fields are added in later versions: ignore those that you do not know.
"""


def types_page(_: str) -> str:
    """The page of the types, made anew."""
    from build_reference import printed_by, result_schema, results

    commands, known = printed_by(), results()
    sections, told = [], set()
    for name in sorted(known):
        schema = result_schema(known[name])
        by = ", ".join(f"`clew {command} --json`" for command in commands.get(name, ()))
        sections.append(_type(name, schema, f"Printed by {by}." if by else ""))
        for part, inner in sorted(schema.get("$defs", {}).items()):
            if part not in told and part not in known and "properties" in inner:
                told.add(part)
                sections.append(_type(part, inner, f"In {name}.", "###"))
    return "\n".join([_TYPES_HEAD, *sections])


def _type(name: str, schema: dict[str, Any], where: str, level: str = "##") -> str:
    rows = [f"| `{field}` | {_shape(one)} |" for field, one in schema["properties"].items()]
    words = " ".join(f"{where} {schema.get('description', '')}".replace("<", "&lt;").split())
    return "\n".join(
        [
            f"{level} {name}",
            "",
            *([words, ""] if words else []),
            "| field | what it may be |",
            "| --- | --- |",
            *rows,
            "",
        ]
    )


def _shape(schema: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_shape, schema["anyOf"])))
    if schema.get("prefixItems"):
        return f"array: {', '.join(map(_shape, schema['prefixItems']))}"
    if schema.get("type") == "array":
        return f"array of {_shape(schema.get('items') or {})}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_shape(schema['additionalProperties'])}"
    kind = schema.get("type", "anything")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


PAGES = {ERRORS: errors_page, TYPES: types_page}


def main(arguments: list[str]) -> int:
    stale = False
    for path, made in PAGES.items():
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = made(before)
        if before == after:
            continue
        stale = True
        if "--check" in arguments:
            sys.stdout.writelines(
                difflib.unified_diff(before.splitlines(True), after.splitlines(True), path.name, "code")
            )
        else:
            path.write_text(after, encoding="utf-8")
            print(f"written {path.relative_to(ROOT)}")
    return int(stale and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
