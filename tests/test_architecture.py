"""Rules of the house that no linter knows. The arrows between rooms are import-linter's (`make check`)."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "clew"
MODULES = sorted(SOURCE.rglob("*.py"))
NAMES = [str(path.relative_to(SOURCE)) for path in MODULES]

# Rooms that must give the same answer everywhere: docs/ARCHITECTURE.md calls them pure.
PURE = frozenset(("core", "shell", "distill", "documents", "secrets"))
# Input, output, clocks, chance and the environment.
OUTSIDE = frozenset(
    ("os", "io", "pathlib", "sys", "time", "random", "secrets", "uuid", "subprocess", "socket", "tempfile")
)
SEARCH = {"ahocorasick"}  # a pure function of its words; see docs/dependencies.md
# Dear to import (DESIGN, "The hook path").
DEAR = frozenset(
    ("dataclasses", "enum", "argparse", "inspect", "logging", "subprocess", "asyncio", "typing_extensions")
)
COMMAND_LINE = SOURCE / "interfaces" / "cli"  # the one place that parses one
LINES_MAX = 500
FUNCTION_LINES_MAX = 70


def _imports(path: Path, *, at_once: bool = False) -> set[str]:
    """First names of all modules that `path` imports: anywhere in it, or `at_once` when it is imported itself."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if at_once else ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def _called(path: Path) -> set[str]:
    """The names that are called as they stand: `print(…)`, not `text.print(…)`."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.parent.name in PURE],
    ids=[name for path, name in zip(MODULES, NAMES, strict=True) if path.parent.name in PURE],
)
def test_what_decides_is_pure(path: Path) -> None:
    """What decides may not depend on where and when it runs."""
    imports = _imports(path)
    assert not imports & OUTSIDE
    assert imports <= sys.stdlib_module_names | {"clew"} | (set() if "core" in path.parts else SEARCH)
    assert not _called(path) & {"open", "input", "print"}


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_nothing_dear_is_imported(path: Path) -> None:
    """Every module is on the way of `clew resume`, or will be; a fallback may import inside a function."""
    assert not _imports(path, at_once=True) & (DEAR if COMMAND_LINE in path.parents else DEAR | {"click", "rich"})


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_named_tuples_are_the_cheap_ones(path: Path) -> None:
    """Those of `typing` cost three times as much to define: a twelfth of the time in which a session starts."""
    source = path.read_text(encoding="utf-8")
    assert "(NamedTuple)" not in source or "from clew.core.tuples import NamedTuple" in source


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_modules_and_functions_are_small_and_say_what_they_are(path: Path) -> None:
    """Growth goes unwatched until something watches it (STYLE 13)."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") < LINES_MAX
    tree = ast.parse(text)
    assert not text or ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < FUNCTION_LINES_MAX, node.name
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and node in tree.body:
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_only_the_interfaces_print(path: Path) -> None:
    """A library that prints cannot be used in anybody's program."""
    assert "interfaces" in path.parts or "print" not in _called(path)


def test_every_client_has_the_same_file_names() -> None:
    """Whoever knows one client's folder finds his way in the next. `generic` is no client: its documents lie nowhere of
    their own, and each is a format of its own.
    """
    folders = (path for path in (SOURCE / "clients").iterdir() if (path / "__init__.py").exists())
    for folder in (path for path in folders if path.name != "generic"):
        assert {*"paths reader install config launch dialect".split()} <= {path.stem for path in folder.iterdir()}


def test_what_is_said_aside_does_not_end_up_in_a_pipe() -> None:
    """`print(…, file=sys.stderr)` writes to stdout where stderr is closed: into a bundle, or a block of rules."""
    told = [path.name for path in COMMAND_LINE.rglob("*.py") if "file=sys.stderr" in path.read_text(encoding="utf-8")]
    assert sorted(told) == ["here.py", "main.py"]  # they ask first
