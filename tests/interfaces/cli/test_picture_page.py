"""The page with tables and pictures, in a real browser."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which
from typing import Final

import pytest

from clew.interfaces.cli.picture import Bars, Curve, Table, Words, page

_FORGED: Final = "</td><script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">"


@pytest.fixture
def browser() -> str:
    found = which("chromium")
    if found is None:
        pytest.skip("needs chromium")
    return found


def test_a_browser_shows_rows_and_pictures_and_runs_no_ones_words(browser: str, tmp_path: Path) -> None:
    """A model or a branch may be called anything."""
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
