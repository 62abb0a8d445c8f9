"""Pictures are well formed and told in words, whatever the numbers and the names; and the page that is a file."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from clew.app.cost.cost import CostPart, CostReport, DayCost
from clew.app.cost.curve import ContextCurve
from clew.interfaces.web import draw
from clew.interfaces.web.pages import page_of
from tests.interfaces.web.test_pages import EVIL, Seen

VALUES = st.lists(st.floats(min_value=0, max_value=1e9), max_size=200)
ENDS = {"top": "12", "first": "May 1", "last": "May 2"}


def pictures(text: str) -> Iterator[ElementTree.Element]:
    """The pictures in a page, each read as XML."""
    for part in str(text).split("<svg")[1:]:
        yield ElementTree.fromstring("<svg" + part.partition("</svg>")[0] + "</svg>")


@given(VALUES, st.sets(st.integers(0, 200), max_size=5), st.text(max_size=30), st.floats(0, 1e9), st.floats(0, 1e9))
def test_every_picture_is_well_formed_and_has_words(
    values: list[float], marks: set[int], words: str, used: float, most: float
) -> None:
    """Its first child is its title."""
    board = [(number, words, words) for number in range(len(values) % 20)]
    drawn = (
        draw.curve(values, marks, words, **ENDS), draw.bars(values, words, **ENDS), draw.small_bars(values, words),
        draw.small_curve(values, marks, words),
        draw.meter(used, most, words), draw.share(min(1.0, used), words), draw.board(board, words),
    )  # fmt: skip
    for text in drawn:
        [picture] = pictures(text)
        assert ("img", "title") == (picture.get("role"), picture[0].tag)


def test_a_curve_keeps_its_shape_and_a_meter_its_frame() -> None:
    """The highest response is drawn at the top, a compaction as a line, a budget that is used up as full."""
    curve = draw.curve([10, 80, 20, 40], [2], "c", **ENDS)
    assert "L225,0" in curve and 'x1="450"' in curve
    assert 'class="full" width="200"' in draw.meter(30, 10, "m") and 'class="fill" width="4"' in draw.meter(1, 1e6, "m")
    assert "high" in draw.meter(85, 100, "m") and "full" not in draw.share(1.0, "s")


def test_the_page_of_costs_as_a_file_loads_nothing_and_runs_nobodys_words() -> None:
    """A model may be called anything."""
    days = (DayCost("2026-03-01", 1.0), DayCost("2026-03-02", 4.0))
    part = CostPart(EVIL, EVIL, 3, 1, 2, 0, 3, 4, 10, 5.0, 0, (("2026-03-01", 1.0), ("2026-03-02", 4.0)))
    total = structs.replace(part, name="total", about="")
    report = CostReport("model", (part,), total, days, 1.0, 40.0, EVIL, "", (EVIL,), EVIL, 1, 1, (EVIL,))
    curve = ContextCurve(EVIL, EVIL, (10, 80), (1,), "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z")
    for text, count in ((page_of(report, None, 20), 3), (page_of(None, curve, 0), 1)):
        seen = Seen(text)
        assert not {"script", "link", "img", "a"} & set(seen.tags) and not seen.acts
        assert "default-src 'none'" in text and "\x1b" not in text and "{{7*7}}" in text
        assert count == len(list(pictures(text)))
