"""Rules of the house that no linter knows. The arrows between rooms are import-linter's (`make check`)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "clew"
MODULES = sorted(SOURCE.rglob("*.py"))

# Rooms that must give the same answer everywhere: docs/ARCHITECTURE.md calls them pure.
PURE = frozenset(("core", "distill", "documents", "secrets"))
# Input, output, clocks, chance and the environment.
OUTSIDE = frozenset(
    ("os", "io", "pathlib", "sys", "time", "random", "secrets", "uuid", "subprocess", "socket", "tempfile")
)
SEARCH = {"ahocorasick", "kingfisher_sdk"}  # pure functions of a text; see docs/reference/dependencies.md
# Dear to import (DESIGN, "The hook path").
DEAR = frozenset(
    (
        "dataclasses",
        "enum",
        "argparse",
        "inspect",
        "logging",
        "subprocess",
        "asyncio",
        "typing_extensions",
        "click",
        "rich",
    )
)
# Rooms and use cases that the hook of a session's start goes through. What only typed commands load imports what it
# likes.
ON_THE_WAY = (
    "core",
    "distill",
    "ledger",
    "clients",
    "workspace",
    "secrets",
    "documents/render.py",
    "documents/frame.py",
    "sessions",
)
ON_THE_WAY += ("app/project", "app/tasks", "app/record", "app/intake", "app/resume", "app/hooks", "app/draft/due.py")
COMMAND_LINE = SOURCE / "interfaces" / "cli"  # the one place that parses one
LINES_MAX = 500
FUNCTION_LINES_MAX = 70

# The lines of each room, "." for the modules at the top: a budget may only fall. Who adds takes away elsewhere.
LINES_BUDGET = (
    ". 766; app 602; app/archive 344; app/audit 1290; app/context 437; app/cost 1946; app/delegate 474; "
    "app/draft 578; app/egress 376; app/handoff 1261; app/health 1158; app/hooks 2442; app/importing 1157; "
    "app/install 1151; app/intake 1672; app/issue 2167; app/journal 194; app/keeping 860; app/launching 907; "
    "app/look 1366; app/memory 1537; app/phase 718; app/plan 919; app/project 4261; app/proof 1342; "
    "app/record 1647; app/resume 957; app/run 1657; app/search 793; app/stack 1521; app/tasks 690; "
    "app/team 2502; app/validate 861; app/worker 767; app/worktree 861; clients 11083; core 135; "
    "core/audit 730; core/context 1582; core/cost 472; core/gate 3509; core/plan 1285; core/records 858; "
    "core/settings 597; core/state 3640; core/text 1096; core/validation 2210; distill 3786; documents 7026; "
    "interfaces 258; interfaces/cli 8051; interfaces/hook 2501; interfaces/hub 170; interfaces/mcp 890; "
    "interfaces/web 1766; ledger 4400; queue 365; remotes 961; secrets 1849; sessions 973; sources 1987; "
    "testing 1390; workspace 3900; "
)


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


def _offending(paths: list[Path], offends: Callable[[Path], object]) -> dict[str, object]:
    """What each of the modules does that it may not, by its name."""
    found = {str(path.relative_to(SOURCE)): offends(path) for path in paths}
    return {name: what for name, what in found.items() if what}


def test_what_decides_is_pure() -> None:
    """What decides may not depend on where and when it runs."""

    def impure(path: Path) -> set[str]:
        known = sys.stdlib_module_names | {"clew"} | (set() if "core" in path.parts else SEARCH)
        imports = _imports(path)
        return imports & OUTSIDE | imports - known | _called(path) & {"open", "input", "print"}

    assert not _offending([path for path in MODULES if PURE & set(path.relative_to(SOURCE).parts[:1])], impure)


def test_nothing_dear_is_imported_on_the_way_of_hooks() -> None:
    """A session's start goes through nearly every room; a fallback may import inside a function."""

    def dear(path: Path) -> set[str]:
        return _imports(path, at_once=True) & DEAR

    assert not _offending(
        [path for path in MODULES if any(map(path.is_relative_to, map(SOURCE.joinpath, ON_THE_WAY)))], dear
    )


def test_modules_and_functions_are_small_and_say_what_they_are() -> None:
    """Growth goes unwatched until something watches it (STYLE 13)."""

    def unruly(path: Path) -> list[str]:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        found = ["too long"] * (text.count("\n") >= LINES_MAX) + ["no docstring"] * bool(
            text and not ast.get_docstring(tree)
        )
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES_MAX:
                found.append(f"{node.name} is too long")
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node in tree.body and not node.name.startswith("_"):
                found += [f"{node.name} has no docstring"] * (not ast.get_docstring(node))
        return found

    assert not _offending(MODULES, unruly)


def test_only_the_interfaces_print() -> None:
    """A library that prints cannot be used in anybody's program."""
    assert not _offending(
        [path for path in MODULES if "interfaces" not in path.parts], lambda path: _called(path) & {"print"}
    )


def test_every_client_has_the_same_file_names() -> None:
    """Whoever knows one client's folder finds his way in the next. `generic` is no client: its documents lie nowhere of
    their own, and each is a format of its own.
    """
    folders = (path for path in (SOURCE / "clients").iterdir() if (path / "__init__.py").exists())
    for folder in (path for path in folders if path.name != "generic"):
        assert {*"spec paths reader settings launch dialect".split()} <= {path.stem for path in folder.iterdir()}


def test_what_is_said_aside_does_not_end_up_in_a_pipe() -> None:
    """`print(…, file=sys.stderr)` writes to stdout where stderr is closed: into a bundle, or a block of rules."""
    told = [path.name for path in COMMAND_LINE.rglob("*.py") if "file=sys.stderr" in path.read_text(encoding="utf-8")]
    assert sorted(told) == ["here.py", "main.py"]  # they ask first


# What these write lies in a folder of the moment or in the user's own data and caches, or was looked at name by name.
WRITE_ELSEWHERE = (
    "app/launching", "app/health", "app/hooks", "app/draft/due.py", "app/search", "app/cost",
    "app/install/uninstall.py", "app/project/runtime_dirs.py", "app/project/watch.py",
    "app/project/runtime_dirs.py", "app/project/gates.py", "app/project/budgets.py", "app/archive",
    "app/keeping/bundle.py", "app/worktree/remove.py", "workspace/objects.py", "sources", "testing", "ledger",
    "interfaces/hook", "interfaces/cli/here.py",
)  # fmt: skip


def test_files_in_a_project_are_written_by_one_writer() -> None:
    """`workspace/atomic.py` follows no link that leads out; who writes by itself would."""
    ways = {"unlink", "rmtree", "write_text", "write_bytes", "mkdir", "makedirs", "rmdir", "symlink_to"}

    def writes(path: Path) -> set[str]:
        calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        return {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)} & ways

    own = [path for path in MODULES if not path.relative_to(SOURCE).as_posix().startswith(WRITE_ELSEWHERE)]
    assert {"workspace/atomic.py"} == set(_offending(own, writes))


def test_no_room_outgrows_its_lines() -> None:
    """Rooms grew by half in an afternoon, each change of them good (LESSONS 30)."""
    budgets = {name: int(lines) for name, lines in (row.split() for row in LINES_BUDGET.split("; ") if row)}
    lines: dict[str, int] = {}
    for path in MODULES:
        top, *below = path.relative_to(SOURCE).parts
        room = "." if not below else f"{top}/{below[0]}" if top in ("app", "core", "interfaces") and below[1:] else top
        lines[room] = lines.get(room, 0) + path.read_text(encoding="utf-8").count("\n")
    assert lines.keys() == budgets.keys()
    assert {room: count for room, count in lines.items() if count > budgets[room]} == {}
