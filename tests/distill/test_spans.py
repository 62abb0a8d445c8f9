"""A line is somebody's only where their own edit is proven to have put it there."""

from __future__ import annotations

import random

import pytest

from clew.distill.spans import NormalText, WrittenText, normal_reads

BEFORE = "import os\n\n\ndef low(tide):\n    return tide - 1\n"
ADDED = "def high(tide, moon):\n    level = tide.level(moon, at='noon')\n    return level\n"


def written(line: int, file: str, removed: str, added: str, read: tuple[str, ...] = ()) -> bool:
    """Whether the edit wrote the line (from 1) of the file."""
    whole = NormalText.of(file)
    return WrittenText.of(removed, added).wrote(whole.lines[line - 1], whole, normal_reads(read))


def test_every_line_that_an_edit_put_in_is_its_own_and_what_stood_there_is_not() -> None:
    file = BEFORE + "\n\n" + ADDED
    removed, added = "    return tide - 1\n", "    return tide - 1\n\n\n" + ADDED
    assert [8, 9, 10] == [
        number
        for number, line in enumerate(file.split("\n"), start=1)
        if line and written(number, file, removed, added)
    ]


@pytest.mark.parametrize(
    "formatted",
    [
        'def high(tide, moon):\n  level = tide.level(moon, at="noon")\n  return level\n',
        "def high(\n    tide,\n    moon,\n):\n"
        "    level = tide.level(\n        moon, at='noon',\n    )\n    return level\n",
    ],
)
def test_a_formatter_takes_nothing_away(formatted: str) -> None:
    """Other quotes, other indents, lines broken and joined: the text is the same."""
    file = BEFORE + formatted
    first = BEFORE.count("\n") + 1
    assert all(written(first + number, file, "", ADDED) for number in range(formatted.count("\n")))


def test_what_a_person_changed_in_a_line_makes_it_theirs() -> None:
    for line in ("    level = tide.level(moon, at='dusk')", "    level = tide.level(moon)", "level(moon, at='noon')"):
        file = BEFORE + ADDED.replace("    level = tide.level(moon, at='noon')", line)
        assert not written(7, file, "", ADDED), line


def test_a_short_line_alone_could_be_anybodys() -> None:
    """The same `return level` in another function is not proven by the one that the edit wrote."""
    file = "def other(level):\n    return level\n"
    assert not written(2, file, "", ADDED)


def test_what_stands_more_often_than_the_edit_wrote_it_is_nobodys() -> None:
    line = "    level = tide.level(moon, at='noon')\n"
    file = f"def one():\n{line}\n\ndef two():\n{line}"
    assert not written(2, file, "", "\n" + line) and not written(5, file, "", "\n" + line)


def test_what_the_session_had_read_before_it_did_not_write() -> None:
    """A file that is written again whole holds lines of others."""
    theirs = "    return tide.level_of_the_harbour(3)"
    file = f"def mine(tide):\n    return tide.moon_of_the_month(4)\n\n\ndef theirs(tide):\n{theirs}\n"
    read = f"     1→def theirs(tide):\n     2→{theirs}\n"
    assert written(2, file, "", file, (read,)) and not written(6, file, "", file, (read,))


def test_an_edit_that_moves_a_line_did_not_write_it() -> None:
    line = "    check_the_gauge_of_the_harbour()\n"
    removed, added = f"{line}    measure()\n    tell()\n", f"    measure()\n    tell()\n{line}"
    assert not written(3, added, removed, added)


def test_lines_of_others_match_nothing() -> None:
    """A thousand lines that nobody's edit held, and pieces of those that it did."""
    dice = random.Random(7)
    words = "tide moon level gauge harbour noon dusk low high wave".split()
    lines = [
        f"    {dice.choice(words)}_{n} = {dice.choice(words)}({dice.choice(words)}, harbour, {n})" for n in range(1000)
    ]
    mine, theirs = lines[::2], lines[1::2]
    edit = WrittenText.of("", "\n".join(mine))
    file = NormalText.of("\n".join(lines))
    assert [one in mine for one in lines] == [edit.wrote(span, file, ()) for span in file.lines]
    cut = NormalText.of("\n".join(one[:-3] for one in mine))
    assert not any(edit.wrote(span, cut, ()) for span in cut.lines) and theirs
