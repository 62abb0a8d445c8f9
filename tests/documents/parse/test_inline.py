"""A line's marks come off, its words stay."""

from __future__ import annotations

import pytest

from clew.documents.parse.inline import Label, file_of, is_path, label, plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Bold** and *slanted* and ~~gone~~", "Bold and slanted and gone"),
        ("`**kept**` and __init__ and a_b_c", "`**kept**` and __init__ and a_b_c"),
        ("src/**/*.py", "src/**/*.py"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("a \\* b<br>c\nd", "a * b c d"),
        ("_low_ lines", "low lines"),
    ],
)
def test_marks_come_off(text: str, expected: str) -> None:
    """Names and patterns are no marks."""
    assert expected == plain(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Why:** it is quick", Label("Why", "it is quick", True)),
        ("**Why**: it is quick", Label("Why", "it is quick", True)),
        ("**Why** — it is quick", Label("Why", "it is quick", True)),
        ("**Goal: ship it** by May", Label("Goal", "ship it by May", True)),
        ("**Steps**", Label("Steps", "", True)),
        ("Why: it is quick", Label("Why", "it is quick", False)),
        ("**Bold** words in front", None),
        ("https://example.org", None),
        ("a sentence that is long enough to be none of those labels: x", None),
    ],
)
def test_labels(text: str, expected: Label | None) -> None:
    """Bold or plain, with a colon or a dash."""
    assert expected == label(text)


def test_paths() -> None:
    """A path has a slash or an ending, and is no sentence."""
    assert all(map(is_path, ("src/a.py", "a.toml", "docs/", "src/*.py", "a.py:12", "C:/a/b.txt")))
    assert not any(map(is_path, ("and so on", "https://a.org/b", "e.g.", "...", "v1")))
    assert ("src/a.py", "one buffer") == file_of("`src/a.py` — one buffer")
    assert ("src/a.py", "Modified: new") == file_of("Modified: src/a.py (new)".replace("(new)", "- new"))
    assert file_of("all of them") is None
