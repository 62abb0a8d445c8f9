"""A stack's file: read strictly, and changed without losing a comment."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.stack.stack_file import (
    add_source,
    appended,
    new_stack,
    parsed,
    read_stack,
    remove_source,
    removed,
    stack_names,
)
from clew.core.errors import ClewError, InputError, NotFound

_TEXT = """\
# Ours, by hand.
title = "Tides"  # as the moon has it
budget = 900

[[source]]  # first
kind = "files"
paths = ["README.md"]  # the way in

# What changed lately.
[[source]]
kind = "git-log"
name = "lately"
count = 5
"""


def _stack(root: Path, text: str = _TEXT) -> Path:
    path = root / ".clew/stacks/tides.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_stack_is_read_as_it_stands(tmp_path: Path) -> None:
    """In the order of the file; a source without a name is called by what it names."""
    _stack(tmp_path)
    found = read_stack(tmp_path, "tides")
    assert ("Tides", 900) == (found.title, found.budget)
    assert ["files README.md", "lately"] == [one.name for one in found.entries]
    assert {"kind": "git-log", "name": "lately", "count": 5} == found.entries[1].table


def test_comments_stay_when_sources_come_and_go(tmp_path: Path) -> None:
    """The file is somebody's work."""
    path = _stack(tmp_path)
    add_source(tmp_path, "tides", "files", ["src/**", "docs"], {"exclude": "a,b", "priority": "2", "trim": "tail"})
    text = path.read_text()
    assert text.startswith(_TEXT)
    assert text.endswith(
        '\n[[source]]\nkind = "files"\npaths = ["src/**", "docs"]\nexclude = ["a", "b"]\npriority = 2\ntrim = "tail"\n'
    )
    remove_source(tmp_path, "tides", "3")
    assert path.read_text() == _TEXT
    stack, gone = remove_source(tmp_path, "tides", "lately")
    assert ("lately", 1) == (gone.name, len(stack.entries))
    assert "# the way in" in path.read_text()


@given(st.text(st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from("\n\t"), min_size=1, max_size=80))
def test_any_pasted_text_is_read_back(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Quotes, backslashes and line ends and all."""
    root = tmp_path_factory.mktemp("s")
    new_stack(root, "a", title='T "1"', budget=0)
    _, entry = add_source(root, "a", "text", [text], {"origin": text, "date": "2026-11-20"})
    assert text == entry.table["text"] == entry.table["origin"] == read_stack(root, "a").entries[0].table["text"]


def test_two_of_a_kind_have_names_of_their_own(tmp_path: Path) -> None:
    """A lock knows sources by name."""
    _stack(tmp_path, '[[source]]\nkind = "payload"\n' * 3)
    assert ["payload", "payload (2)", "payload (3)"] == [one.name for one in read_stack(tmp_path, "tides").entries]


@pytest.mark.parametrize(
    "text",
    [
        "title = 3\n",
        "budget = -1\n",
        "budget = true\n",
        "titel = 'x'\n",
        "source = 3\n",
        "[[source]]\n",
        "[[source]]\nkind = 'files'\npaths = 'x'\n",
        "[[source]]\nkind = 'payload'\nname = 'a'\n[[source]]\nkind = 'payload'\nname = 'a'\n",
        "no toml",
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    """A key that nobody heeds would be worse than an error."""
    _stack(tmp_path, text)
    with pytest.raises(InputError, match=r"tides\.toml") as refused:
        read_stack(tmp_path, "tides")
    assert "E-stack-file" == refused.value.code
    with pytest.raises(ClewError):
        add_source(tmp_path, "tides", "payload", [], {})
    assert text == (tmp_path / ".clew/stacks/tides.toml").read_text()


def test_names_lead_to_no_other_file(tmp_path: Path) -> None:
    """Nor is a link followed out of the project."""
    (tmp_path / "out.toml").write_text(_TEXT)
    for name in ("../out", "a/b", "", ".x", "x.lock"):
        with pytest.raises(InputError):
            read_stack(tmp_path, name)
    (tmp_path / "in/.clew/stacks").mkdir(parents=True)
    (tmp_path / "in/.clew/stacks/link.toml").symlink_to(tmp_path / "out.toml")
    with pytest.raises(InputError, match="symbolic link"):
        read_stack(tmp_path / "in", "link")


def test_there_is_one_of_a_name(tmp_path: Path) -> None:
    """And what is not there is told with what is."""
    new_stack(tmp_path, "b", title="", budget=5)
    new_stack(tmp_path, "a", title="", budget=0)
    assert ["a", "b"] == stack_names(tmp_path)
    with pytest.raises(InputError):
        new_stack(tmp_path, "a", title="", budget=0)
    with pytest.raises(NotFound) as missing:
        read_stack(tmp_path, "c")
    assert "a, b" in missing.value.hint
    with pytest.raises(NotFound):
        remove_source(tmp_path, "a", "1")


def test_what_is_typed_for_a_source_is_checked(tmp_path: Path) -> None:
    """Before anything is written."""
    new_stack(tmp_path, "a", title="", budget=0)
    for kind, words, keys in (
        ("payload", ["x"], {}),
        ("files", [], {}),
        ("git-log", [], {"count": "many"}),
        ("git-log", [], {"depth": "3"}),
        ("nothing", [], {}),
    ):
        with pytest.raises(InputError) as refused:
            add_source(tmp_path, "a", kind, words, keys)
        assert "E-stack-file" == refused.value.code
    assert () == read_stack(tmp_path, "a").entries
    assert () == parsed(tmp_path, "x", "").entries


def test_a_secret_is_not_written_into_a_stack(tmp_path: Path) -> None:
    """The file stays, and may be shared; its place is said, and not what it is."""
    token = "ghp_" + "".join(
        f"{letter}{digit}" for letter, digit in zip("aBcDeFgHiJkLmNoPqR", "123456789012345678", strict=True)
    )
    new_stack(tmp_path, "tides", title="", budget=0)
    before = (tmp_path / ".clew" / "stacks" / "tides.toml").read_text(encoding="utf-8")
    for kind, words, keys in (
        ("text", [f"it is {token}"], {"origin": "a chat", "date": "2026-11-20"}),
        ("command", [f"curl -u x:{token}"], {}),
    ):
        with pytest.raises(InputError) as refused:
            add_source(tmp_path, "tides", kind, words, keys)
        assert "E-stack-secret" == refused.value.code and token not in str(refused.value)
    assert before == (tmp_path / ".clew" / "stacks" / "tides.toml").read_text(encoding="utf-8")


_PARTS = """\
# Ours.
title = "T"

# The first.
[[source]]  # a
kind = "files"
paths = ["x"]  # all
# after it

# Between them, of nobody.

[[source]] # b
kind = "text"
text = '''
[[source]]

# no comment'''

# Of the last.
[[source]]
kind = "payload"
"""
_WORDS = st.sampled_from(["a", "b", '"', "\\", "#", "[[source]]", "\n", "\n\n", "'", "'''", '"""', "é", "= 1"])
_VALUES = st.lists(_WORDS, max_size=6).map("".join)
_GAPS = st.sampled_from(["", "\n", "\n# apart\n\n", "# above\n", "\n\n# above\n", "\n# apart\n\n# above\n"])


def _tables(text: str) -> list[dict[str, Any]]:
    return tomllib.loads(text).get("source", [])


def _lines(text: str) -> Counter[str]:
    """The lines that say something."""
    return Counter(row.strip() for row in text.split("\n") if row.strip())


@st.composite
def _stack_texts(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(["", 'title = "x"  # t\n', "# only a comment\n\n", "budget = 5\n"]))
    for number in range(draw(st.integers(1, 4))):
        text = text + draw(_GAPS)
        text = appended(text, {"kind": "text", "text": draw(_VALUES), "name": f"n{number}"})
    return text + draw(_GAPS)


def test_a_source_goes_with_its_own_comments_and_others_stay() -> None:
    """What stands apart is nobody's; what only looks like a source in a text is none."""
    with pytest.raises(InputError):
        removed(_PARTS, 0)  # the text holds a line that looks like a source
    less = removed(_PARTS.replace("[[source]]\n\n# no", "source\n\n# no"), 0)
    assert "# The first." not in less and "# after it" not in less and "# Between them, of nobody." in less


@given(_stack_texts(), st.data())
def test_a_change_loses_nothing(text: str, data: st.DataObject) -> None:
    """Either it is refused, or the sources are those that were meant and every other line is there."""
    tables = _tables(text)
    at = data.draw(st.integers(0, len(tables) - 1))
    try:
        less = removed(text, at)
    except InputError:
        assert "[[source]]" in "".join(one["text"] for one in tables)
        return
    assert [one for number, one in enumerate(tables) if number != at] == _tables(less)
    assert _lines(text) >= _lines(less) and "# apart" not in _lines(text) - _lines(less)


@pytest.mark.parametrize("text", ["source = [{kind = 'payload'}]\n", "[['source']]\nkind = 'payload'\n[x]\na = 1\n"])
def test_what_is_written_in_another_way_is_not_touched(text: str) -> None:
    """Rather than written over."""
    try:
        done = appended(text, {"kind": "memory"})
    except InputError as refused:
        assert "E-stack-file" == refused.code
    else:
        assert ["payload", "memory"] == [one["kind"] for one in _tables(done)]
        assert 1 == tomllib.loads(done)["x"]["a"]
