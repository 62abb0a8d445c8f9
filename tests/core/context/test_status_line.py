"""The status line's words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.context.status_line import pack, shown

NOW = 1_700_000_000


def test_the_age_is_counted_when_it_is_shown():
    """The parts are written once, and read for hours after."""
    for seconds, said in [
        (-5, "saved 0 min ago"),
        (59, "saved 0 min ago"),
        (3599, "saved 59 min ago"),
        (7200, "saved 2 h ago"),
        (200_000, "saved 2 days ago"),
    ]:
        parts = pack(task="Refunds", phase="", saved_s=NOW - seconds)
        assert f"Refunds · {said}" == shown(parts, now_s=NOW, context_percent=None, broken=False)


@given(st.text(), st.integers(0, 2**40))
def test_whatever_stands_in_the_file_makes_one_line(parts: str, now: int):
    """It may be cut off, or of another version."""
    text = shown(parts.replace("\r", ""), now_s=now, context_percent=None, broken=True)
    assert "\n" not in text
    assert text.endswith("! clew failed: run `clew doctor`")
