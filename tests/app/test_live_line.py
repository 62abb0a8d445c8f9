"""The parts of the status line, as full programs leave them."""

from __future__ import annotations

from pathlib import Path

from clew.app.live_line import write_line
from clew.core.status_line import shown


def test_parts_are_clean_and_of_one_line_each(tmp_path: Path):
    """A title from anywhere must not move the cursor of a terminal or pass for another part."""
    write_line(tmp_path, task="Re\x1b[2Jfunds\nin cents", phase="2/4", saved_ms=1_700_000_000_999, alarm="a\tb")
    parts = (tmp_path / "line").read_text()
    assert "Refunds in cents\n2/4\n1700000000\na b\n" == parts
    assert "Refunds in cents · 2/4 · saved 1 min ago · ! a b" == (
        shown(parts, now_s=1_700_000_060, context_percent=None, broken=False)
    )


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path: Path):
    """The line is a help; what writes it goes on."""
    (tmp_path / "file").touch()
    write_line(tmp_path / "file", task="Refunds")
