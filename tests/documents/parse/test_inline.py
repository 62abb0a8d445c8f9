"""Labels and paths in a line."""

from __future__ import annotations

import pytest

from clew.documents.parse.inline import is_check, is_path, label, paths, plain


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("**Why:** it leaks", "Why", "it leaks"),
        ("**Why**: it leaks", "Why", "it leaks"),
        ("**Files** (two): a", "Files", "a"),
        ("**Use X** - it is small", "Use X", "it is small"),
        ("**Completed:**", "Completed", ""),
        ("Next: run it", "Next", "run it"),
    ],
)
def test_labels(line: str, name: str, value: str) -> None:
    """People set the colon inside the bold or behind it."""
    found = label(line)
    assert found is not None
    assert (name, value) == found[:2]


@pytest.mark.parametrize(
    "line", ["**bold** in a sentence", "see http://x.org", "at 10:30 it ran", "`a: b` is code", "a" * 80 + ": b"]
)
def test_no_labels(line: str) -> None:
    """A colon somewhere is no label."""
    assert label(line) is None


@pytest.mark.parametrize(
    "path", ["src/a.py", "a.py:10-20", "docs/", ".agent/NEXT.md", "~/.claude/x.json", "Makefile", "src/**/*.ts"]
)
def test_paths(path: str) -> None:
    """Files are matched by path."""
    assert is_path(path)


@pytest.mark.parametrize(
    "text", ["npm run build", "https://x.org/a.py", "f()", "and/or maybe this whole sentence", "v0.1", "", "1.5"]
)
def test_no_paths(text: str) -> None:
    """A command or a link is no file of the project."""
    assert not is_path(text)


def test_the_paths_of_a_line_with_what_stands_around_them() -> None:
    """The words beside a path are its note."""
    found = paths("Plan: `docs/plan.md` — read it, then [code](https://x.org) and src/a.py")
    assert [("docs/plan.md", "Plan: "), ("src/a.py",)] == [(found[0].path, found[0].before), (found[1].path,)]


def test_a_name_keeps_its_underscores() -> None:
    """`__init__` is bold only for Markdown; two words are."""
    assert "Rewrite __get_item__ and this one" == plain("Rewrite __get_item__ and __this one__")
    assert "An important change of __init__.py and __main__" == plain(
        "An __important__ change of __init__.py and __main__"
    )


def test_a_script_without_spaces_has_none_behind_a_label() -> None:
    """ "目标：…" is a label; a formula with that colon is none."""
    found = label("目标：对话式生成")
    assert found is not None
    assert ("目标", "对话式生成") == (found.name, found.value)
    assert label("r_min 定义：x") is None


def test_a_command_by_its_tool_is_a_check() -> None:
    """With how it came out, whatever its arguments; a path is none."""
    assert all(map(is_check, ("`pytest -q`: 1 failed", "`mypy`: clean", "`uv run ruff check` passed")))
    assert not is_check("`pytest.ini`: the paths")
