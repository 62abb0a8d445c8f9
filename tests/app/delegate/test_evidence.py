"""A place is proved only if the words stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.delegate.answer import Evidence
from clew.app.delegate.delegate import checked

CODE = "RATE = 1\n\n\ndef price(net):\n    return   net * RATE\n" + "\n" * 20 + "def late():\n    return RATE\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "till"
    (root / "src").mkdir(parents=True)
    (root / "src" / "till.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "secret.txt").write_text("the key is 7", encoding="utf-8")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    return root


@pytest.mark.parametrize(
    ("path", "first", "quotes", "verdict", "line"),
    [
        ("src/till.py", 5, ("return net * RATE",), "holds", 5),  # white space does not count
        ("src/till.py", 3, ("return net * RATE",), "holds", 5),  # a model counts lines badly
        ("src/till.py", 4, ("def price(net):\n    return net * RATE",), "holds", 4),
        ("src/till.py", 0, ("return RATE",), "holds", 27),
        ("src/till.py", 5, ("def late():",), "differs", 0),  # it stands elsewhere
        ("src/till.py", 5, ("return net * 2",), "differs", 0),
        ("src/till.py", 5, (), "there", 0),
        ("src/till.py", 99, ("RATE",), "missing", 0),
        ("src/other.py", 1, ("RATE",), "missing", 0),
        ("src", 0, (), "missing", 0),
        ("../secret.txt", 1, ("the key is 7",), "missing", 0),  # nothing outside is opened
        ("link.txt", 1, ("the key is 7",), "missing", 0),
        ("", 0, (), "missing", 0),
    ],
)
def test_a_place_is_looked_at(
    folder: Path, path: str, first: int, quotes: tuple[str, ...], verdict: str, line: int
) -> None:
    (found,) = checked(folder, [Evidence("it says so", path, first, first, quotes)])
    assert (verdict, line) == (found.verdict, found.line)


def test_a_whole_path_inside_is_one(folder: Path) -> None:
    (found,) = checked(folder, [Evidence("", str(folder / "src" / "till.py"), 1, 1, ("RATE = 1",))])
    assert ("holds", "src/till.py:1") == (found.verdict, found.place)
