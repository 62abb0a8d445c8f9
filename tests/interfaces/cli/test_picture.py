"""Pictures of numbers, in signs of a terminal and on a page that loads nothing."""

from __future__ import annotations

import subprocess
from html.parser import HTMLParser
from pathlib import Path
from shutil import which
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.interfaces.cli.picture import Bars, Block, Curve, Table, Words, bar, curve, joined, page, sparkline

VALUES = st.lists(st.floats(min_value=0, max_value=1e9), max_size=200)


def test_a_line_of_bars() -> None:
    """The highest is the highest; nothing is a dot."""
    assert ("·▄█▁", "··", "") == (sparkline([0, 3, 7, 0.01]), sparkline([0, 0]), sparkline([]))
    assert ["", "▏", "████▌", "█████"] == [bar(share, 5) for share in (0, 0.001, 0.9, 3)]
    assert [[3, 3, 4], []] == [joined(one, 3) for one in ([1, 2, 3, 0, 4], [])]


@given(VALUES, st.integers(1, 30))
def test_joining_keeps_the_sum(values: list[float], most: int) -> None:
    """No more than asked for, and nothing is lost."""
    found = joined(values, most)
    assert len(found) <= most and abs(sum(found) - sum(values)) <= 1e-6 * (1 + sum(values))


def test_a_curve() -> None:
    """It rises to the top line, falls where it was compacted, and the mark stands below."""
    drawn = curve([1, 2, 3, 4, 1, 2], [4], width=20, height=4, told="{:,}k".format)
    assert ["4k ┤   █", "3k ┤  ██", "   ┤ ███ █", "0k ┤██████", "        ▲"] == drawn
    assert [] == curve([], [], width=9, height=3, told=str)


@given(VALUES, st.sets(st.integers(0, 200), max_size=5), st.integers(1, 80), st.integers(1, 9))
def test_a_curve_keeps_to_its_room(values: list[float], marks: set[int], width: int, height: int) -> None:
    """Whatever it is told."""
    drawn = curve(values, marks, width=width, height=height, told=str)
    assert all(len(line) <= len(line.partition("┤")[0]) + 1 + width + 20 for line in drawn)
    assert len(drawn) in ((0,) if not values else (height, height + 1))


class Seen(HTMLParser):
    """The tags of a page, with what could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [name for name, _ in attrs if name in ("src", "href", "xlink:href") or name.startswith("on")]


def seen(text: str) -> Seen:
    """A page as a browser's parser takes it apart; its pictures are well-formed."""
    found = Seen()
    found.feed(text)
    for part in text.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + part.partition("</svg>")[0] + "</svg>")
    return found


def test_a_page_is_self_contained_and_escaped() -> None:
    """No script, no address, whatever stands in a cell; a policy forbids the rest."""
    evil = "</td><script src=//x>&\x1b[31m"
    blocks: list[Block] = [
        Table((evil, "n", "by day"), [(evil, "1"), ("total", "1")], [(1.0, 0, 3), ()], has_total=True),
        Bars(evil, [1, 0, 2.5], evil, evil, evil),
        Curve(evil, [10, 20, 5], [2], evil, evil, evil),
        Words(evil),
    ]
    text = page(evil, blocks)
    found = seen(text)
    assert not found.tags & {"script", "link", "iframe", "img", "object", "a"} and [] == found.loads
    assert "default-src 'none'" in text and "\x1b" not in text
    assert 3 == text.count("<svg") and 'class="mark"' in text


@given(VALUES, st.sets(st.integers(0, 200), max_size=5))
def test_pictures_are_well_formed(values: list[float], marks: set[int]) -> None:
    """Of any numbers."""
    seen(page("x", [Bars("b", values, "top", "1", "2"), Curve("c", values, marks, "top", "1", "2")]))


_FORGED = "</td><script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">"


def test_a_browser_shows_rows_and_pictures_and_runs_no_ones_words(tmp_path: Path) -> None:
    """A model or a branch may be called anything."""
    browser = which("chromium")
    if browser is None:
        pytest.skip("needs chromium")
    rows = [[_FORGED, "3"], ["total", "3"]]
    text = page(
        f"Cost {_FORGED}",
        [
            Table(["model", "responses"], rows, [[1.0, 2.0], [3.0]], has_total=True),
            Bars(_FORGED, [1.0, 4.0], "4", "May 1", "May 2"),
            Curve("Context", [10.0, 80.0, 20.0], {1}, "80 tokens", "09:00", "10:00"),
            Words(_FORGED),
        ],
    )
    file = tmp_path / "cost.html"
    file.write_text(text, encoding="utf-8")
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    quiet += ["--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'browser'}"]
    done = subprocess.run(
        [browser, *quiet, "--dump-dom", file.as_uri()], capture_output=True, text=True, timeout=60, check=True
    )
    shown = done.stdout
    assert "<title>ran</title>" not in shown and "<script" not in shown and "<img" not in shown
    assert (2, 5, 1) == (
        shown.count("<td>&lt;/td&gt;") + shown.count("<td>total"),
        shown.count("<rect"),
        shown.count('class="mark"'),
    )
